"""A Document as bytes and back: what was read from its HTML; the sentences are cut anew."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, get_args

from mkdocs_recall.text.analysis import analyse
from mkdocs_recall.text.html import Reading, Run
from mkdocs_recall.text.model import Heading, Mark, Role

if TYPE_CHECKING:
    from mkdocs_recall.text.model import Document

_PAGE = (str, str, str, list, list)
_HEADING = (str, int, str)
_BLOCK = (str, str, int, int, list)
_MARK = (int, int, str, str)
_LINE = (int, type(None))
_ROLES = frozenset(get_args(Role))


def pack(document: Document) -> bytes:
    """Return a page as bytes: JSON in UTF-8."""
    blocks = [(b.text, b.kind, b.top, b.section, b.marks, b.line) for b in document.blocks]
    whole = (document.title, document.language, document.url, document.headings, blocks)
    return json.dumps(whole, separators=(",", ":")).encode()


def unpack(uri: str, packed: bytes) -> Document:
    """Return the page that `pack` was given.

    Args:
        uri: The page's path from the documentation's root.
        packed: The bytes.

    Raises:
        ValueError: They are not what `pack` makes.
    """
    try:
        title, language, url, headings, blocks = _typed(json.loads(packed), _PAGE)
        reading = _reading([Heading(*_typed(heading, _HEADING)) for heading in headings], blocks)
        lines = [block[-1] for block in blocks]
        return analyse(reading, uri=uri, title=title, language=language, url=url, lines=lines)
    except (TypeError, AttributeError, LookupError, RecursionError) as error:
        msg = f"'{uri}' is not packed as it should be"
        raise ValueError(msg) from error


def _reading(headings: list[Heading], blocks: list[list[Any]]) -> Reading:
    paths: list[tuple[Heading, ...]] = [()]
    for heading in headings:
        above = tuple(h for h in paths[-1] if h.level < heading.level)
        paths.append((*above, heading))
    return Reading(tuple(_run(block, paths) for block in blocks), tuple(headings))


def _run(block: list[Any], paths: list[tuple[Heading, ...]]) -> Run:
    line = block[-1]
    text, kind, top, section, packed = _typed(block[:-1], _BLOCK)
    marks = tuple(Mark(*_typed(mark, _MARK)) for mark in packed)
    if not {mark.role for mark in marks} <= _ROLES or not isinstance(line, _LINE):
        msg = "unknown role, or a line that is no number"
        raise TypeError(msg)
    return Run(text, kind, top, section, paths[section], marks)


def _typed(values: list[Any], types: tuple[type, ...]) -> list[Any]:
    """Return values that are of these types, and as many."""
    if tuple(map(type, values)) != types:
        msg = f"{values} are not {types}"
        raise TypeError(msg)
    return values
