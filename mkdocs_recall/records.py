"""Results as JSON, and back: what the command line, agents and Python programs share.

A record is a plain dict. What is read back is a result again: of a page it has no more than was
quoted. The page "For agents" of the documentation describes each field.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final, get_args

from mkdocs_recall.errors import RecordError
from mkdocs_recall.restored import restored
from mkdocs_recall.result import Fallback, FoundBy
from mkdocs_recall.shapes import check
from mkdocs_recall.text.model import Kind

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mkdocs_recall.result import Passage, Result
    from mkdocs_recall.scoring.explanation import Explanation
    from mkdocs_recall.text.model import Document

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


def result_record(result: Result, *, explain: bool = False, lost: bool = True) -> dict[str, Any]:
    """Return a result as a record.

    Args:
        result: The result.
        explain: Whether each passage comes with the explanation of its score.
        lost: Whether the best sentences that were not chosen come with it.
    """
    return {
        "schema": SCHEMA,
        "scorer": result.scorer,
        "fallback": result.fallback,
        "why": result.why,
        "diagnostics": [*result.diagnostics],
        "passages": [passage_record(passage, explain=explain) for passage in result.passages],
        "places": [*result.places],
        "left_out": [passage_record(passage, explain=explain) for passage in result.left_out],
        "lost": [
            {"reason": each.reason, "passage": passage_record(each.passage, explain=explain)}
            for each in (result.lost if lost else ())
        ],
    }


def passage_record(passage: Passage, *, explain: bool = False) -> dict[str, Any]:
    """Return a passage as a record.

    Args:
        passage: The passage.
        explain: Whether it comes with the explanation of its score.
    """
    page, block = passage.document, passage.block
    record = {
        "rank": passage.rank,
        "score": passage.score,
        "text": passage.text,
        "sentence": passage.sentence.text,
        "kind": block.kind,
        "source": passage.source,
        "uri": page.uri,
        "anchor": passage.anchor,
        "title": page.title,
        "headings": [heading._asdict() for heading in block.headings],
        "section": block.section,
        "url": f"{page.url}#{passage.anchor}" if passage.anchor else page.url,
        "file": page.file,
        "line": passage.line,
        "language": page.language,
        "created": page.created,
        "found_by": passage.found_by,
    }
    return (
        {**record, "explanation": _explanation_record(passage.explanation)} if explain else record
    )


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


def read_json(text: str | bytes) -> Result:
    """Return the result that was written as JSON.

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
        check(record, RESULT, optional={"explanation", "found_by"})
        return restored(record)
    except RecursionError as error:
        msg = "this is no result: it is nested too deep"
        raise RecordError(msg) from error


def _explanation_record(explanation: Explanation) -> dict[str, Any]:
    parts = [_explanation_record(part) for part in explanation.parts]
    return {"value": explanation.value, "description": explanation.description, "parts": parts}
