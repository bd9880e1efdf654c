"""Records: results as plain dicts, written as JSON, and checked when they are read back.

The command line and Python programs share them, and `result` makes and reads them. The page "For
agents" of the documentation describes every field.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, cast, get_args

from mkdocs_recall.cache.shapes import describe_fault, shape_fault
from mkdocs_recall.errors import RecordError
from mkdocs_recall.text.model import Kind

if TYPE_CHECKING:
    from collections.abc import Container, Mapping

    from mkdocs_recall.cache.shapes import Shape
    from mkdocs_recall.text.model import Document

Fallback: TypeAlias = Literal["no_match", "stop_words", "low_score"]
"""Why an answer is a synopsis: no sentence matches, the query holds nothing but stop words, or the
matches score less than `min_score`, or are further from the query in meaning than the gate."""
FoundBy: TypeAlias = Literal["lexical", "semantic"]
"""How a passage was found: by its words, or by its meaning."""

SCHEMA: Final = 1
"""The version of the format. New fields do not change it; a changed or removed field does."""

_HEADING: Final = {"text": str, "level": int, "anchor": str}
_EXPLANATION: Final[dict[str, Any]] = {"value": float, "description": str}
_EXPLANATION["parts"] = [_EXPLANATION]
PASSAGE: Final[Mapping[str, Any]] = {
    "rank": int,
    "score": float,
    "text": str,
    "sentence": str,
    "kind": frozenset(get_args(Kind)),
    "source": str,
    "uri": str,
    "anchor": str,
    "title": str,
    "headings": [_HEADING],
    "section": int,
    "url": str,
    "file": str,
    "line": (int, type(None)),
    "language": str,
    "created": str,
    "found_by": frozenset(get_args(FoundBy)),
    "receipt": {
        "site": str,
        "version": str,
        "uri": str,
        "anchor": str,
        "line": (int, type(None)),
        "digest": str,
    },
    "publisher": {
        "name": str,
        "title": str,
        "url": str,
        "licence": str,
        "copyright": str,
        "private": bool,
    },
    "explanation": _EXPLANATION,
}
"""The fields of a passage, as a shape (see `cache.shapes`)."""
RESULT: Final[Mapping[str, Any]] = {
    "schema": int,
    "site": str,
    "scorer": str,
    "fallback": frozenset({None, *get_args(Fallback)}),
    "why": str,
    "diagnostics": [str],
    "doubts": [str],
    "passages": [PASSAGE],
    "places": [int],
    "left_out": [PASSAGE],
    "lost": [{"reason": str, "passage": PASSAGE}],
}
"""The fields of a result."""
_OPTIONAL: Final = frozenset({"doubts", "explanation", "found_by", "publisher", "receipt", "site"})
"""The fields that a record may lack: versions before did not write them, or only on request, or
only for pages of other sites."""


def page_record(document: Document) -> dict[str, Any]:
    """Return the metadata of a page, without its text, as a record."""
    return {
        "uri": document.uri,
        "title": document.title,
        "description": document.description,
        "language": document.language,
        "url": document.url,
        "file": document.file,
        "created": document.created,
    }


def as_json(record: Mapping[str, Any]) -> str:
    """Return a record as JSON on one line that UTF-8 can encode."""
    text = json.dumps(record, ensure_ascii=False, allow_nan=False)
    try:
        text.encode()
    except UnicodeEncodeError:  # the name of a file may hold bytes that are no UTF-8
        text = json.dumps(record, allow_nan=False)
    return text


def read_record(text: str | bytes) -> dict[str, Any]:
    """Return the record of a result that was written as JSON; its shape is checked."""
    try:
        record = json.loads(text)
    except (ValueError, RecursionError) as error:
        msg = f"this is not JSON: {error}"
        raise RecordError(msg) from error
    schema = record.get("schema") if isinstance(record, dict) else None
    if isinstance(schema, int) and schema > SCHEMA:
        msg = (
            f"this result is of schema {schema}, and up to {SCHEMA} is read: upgrade mkdocs-recall"
        )
        raise RecordError(msg)
    try:
        check_shape(record, RESULT, optional=_OPTIONAL)
    except RecursionError as error:
        raise too_deep() from error
    return cast("dict[str, Any]", record)


def too_deep() -> RecordError:
    """Return the error for a record that is nested deeper than Python recurses."""
    return record_error("it is nested too deep")


def check_shape(value: object, shape: Shape, *, optional: Container[str] = ()) -> None:
    """Check that a value has a shape.

    Args:
        shape: The shape, see `cache.shapes`.
        optional: The names of fields that may be missing.
    """
    if fault := shape_fault(value, shape, optional=optional):
        raise record_error(fault)


def shape_error(path: str, wanted: str, value: object) -> RecordError:
    """Return the error for a value that is not what is wanted."""
    return record_error(describe_fault(path, wanted, value))


def record_error(fault: str) -> RecordError:
    """Return the error for a record with a fault."""
    return RecordError(f"this is not a result: {fault}")
