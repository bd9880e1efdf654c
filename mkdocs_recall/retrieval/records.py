"""Results as JSON, and back: what the command line, agents and Python programs share.

A record is a plain dict. What is read back is a result again: of a page it has no more than was
quoted. The page "For agents" of the documentation describes each field.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, cast, get_args

from mkdocs_recall.errors import RecordError
from mkdocs_recall.text.model import Kind

if TYPE_CHECKING:
    from collections.abc import Container

    from mkdocs_recall.text.model import Document

Fallback: TypeAlias = Literal["no_match", "stop_words", "low_score"]
"""Why an answer is a synopsis: no sentence matches, the query holds nothing but stop words, or what
matches scores less than `min_score`."""
FoundBy: TypeAlias = Literal["lexical", "semantic"]
"""What has found a passage."""

SCHEMA: Final = 1
"""What is written. Fields may be added to it; it becomes 2 when one changes or is taken away."""

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
    "explanation": _EXPLANATION,
}
"""The fields of a passage, as `shapes` reads them. The explanation is there if it was asked for."""
RESULT: Final[Mapping[str, Any]] = {
    "schema": int,
    "scorer": str,
    "fallback": frozenset({None, *get_args(Fallback)}),
    "why": str,
    "diagnostics": [str],
    "passages": [PASSAGE],
    "places": [int],
    "left_out": [PASSAGE],
    "lost": [{"reason": str, "passage": PASSAGE}],
}
"""The fields of a result."""


def page_record(document: Document) -> dict[str, Any]:
    """Return what can be said of a page, but not its text, as a record."""
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
    """Return a record as JSON on one line, which can be written in UTF-8."""
    text = json.dumps(record, ensure_ascii=False, allow_nan=False)
    try:
        text.encode()
    except UnicodeEncodeError:  # the name of a file that is no text
        text = json.dumps(record, allow_nan=False)
    return text


def read_record(text: str | bytes) -> dict[str, Any]:
    """Return the record of a result that was written as JSON; its shape is checked.

    Raises:
        RecordError: It is none, or one of a newer schema.
    """
    try:
        record = json.loads(text)
    except (ValueError, RecursionError) as error:
        msg = f"this is no JSON: {error}"
        raise RecordError(msg) from error
    schema = record.get("schema") if isinstance(record, dict) else None
    if isinstance(schema, int) and schema > SCHEMA:
        msg = (
            f"this result is of schema {schema}, and up to {SCHEMA} is read: upgrade mkdocs-recall"
        )
        raise RecordError(msg)
    try:
        check_shape(record, RESULT, optional={"explanation", "found_by"})
    except RecursionError as error:
        raise too_deep() from error
    return cast("dict[str, Any]", record)


def too_deep() -> RecordError:
    """Return the error for a record that is nested deeper than Python goes."""
    return RecordError("this is no result: it is nested too deep")


Shape: TypeAlias = Any
"""See above."""
_NAMES: Final[Mapping[Any, str]] = {
    str: "a text",
    int: "a whole number",
    float: "a number",
    type(None): "null",
}
_SHOWN: Final = 40  # characters of a wrong value


def check_shape(
    value: object, shape: Shape, *, at: str = "", optional: Container[str] = ()
) -> None:
    """Check that a value has a shape.

    Args:
        value: The value.
        shape: The shape.
        at: Where it stands: `passages[2].score`; empty for the whole.
        optional: The names of fields that may be missing.

    Raises:
        RecordError: It has not; the message says where and what is wanted.
    """
    if isinstance(shape, Mapping):
        if not isinstance(value, dict):
            raise shape_error(at, "an object", value)
        for name, inner in shape.items():
            path = f"{at}.{name}" if at else name
            if name in value:
                check_shape(value[name], inner, at=path, optional=optional)
            elif name not in optional:
                msg = f"this is no result: '{path}' is missing"
                raise RecordError(msg)
    elif isinstance(shape, list):
        if not isinstance(value, list):
            raise shape_error(at, "a list", value)
        for number, each in enumerate(value):
            check_shape(each, shape[0], at=f"{at}[{number}]", optional=optional)
    elif not _may_stand(value, shape):
        raise shape_error(at, _wanted(shape), value)


def shape_error(at: str, wanted: str, value: object) -> RecordError:
    """Return the error for a value that is not what is wanted."""
    shown = json.dumps(value, ensure_ascii=False)
    shown = shown if len(shown) <= _SHOWN else f"{shown[:_SHOWN]}…"
    where = f"'{at}'" if at else "it"
    return RecordError(f"this is no result: {where} must be {wanted}, got {shown}")


def _may_stand(value: object, shape: Shape) -> bool:
    if isinstance(shape, frozenset):
        return isinstance(value, (str, type(None))) and value in shape
    if shape is float:
        return _is_number(value)
    return isinstance(value, shape) and not isinstance(value, bool)


def _is_number(value: object) -> bool:
    """Tell whether a value is a number that JSON and a `float` can hold."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    return -sys.float_info.max <= value <= sys.float_info.max


def _wanted(shape: Shape) -> str:
    if isinstance(shape, frozenset):
        return f"one of {', '.join(sorted(json.dumps(each) for each in shape))}"
    kinds = shape if isinstance(shape, tuple) else (shape,)
    return " or ".join(_NAMES[kind] for kind in kinds)
