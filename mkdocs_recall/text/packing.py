"""A Document as bytes and back: what was read from its HTML; the sentences are cut anew."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any, get_args

from mkdocs_recall.text.analysis import analyse
from mkdocs_recall.text.front_matter import STABILITIES, PageMetadata, is_quality, parse_moment
from mkdocs_recall.text.html.runs import HtmlContent, Run
from mkdocs_recall.text.model import Heading, Kind, Mark, Role

if TYPE_CHECKING:
    from mkdocs_recall.text.model import Document

_PAGE = (str, str, str, list, bool, list, list)
_STATED = (str, str, str, str)
_HEADING = (str, int, str)
_BLOCK = (str, str, int, int, list)
_MARK = (int, int, str, str)
_MAYBE = (int, type(None))
_ROLES = frozenset(get_args(Role))
_KINDS = frozenset(get_args(Kind))


def pack(document: Document) -> bytes:
    """Return a page as bytes: JSON in UTF-8."""
    blocks = [(b.text, b.kind, b.top, b.section, b.marks, b.lead, b.line) for b in document.blocks]
    stated = [getattr(document, name) for name in PageMetadata._fields]
    page = (document.title, document.language, document.url, stated, document.whole)
    packed = (*page, document.headings, blocks)
    return json.dumps(packed, separators=(",", ":")).encode()


def unpack(uri: str, packed: bytes) -> Document:
    """Return the page that `pack` was given.

    Args:
        uri: The page's path from the documentation's root.
        packed: The bytes.

    Raises:
        ValueError: They are not what `pack` makes.
    """
    try:
        page = _typed(json.loads(packed), _PAGE)
        title, language, url, stated, whole, headings, blocks = page
        read = [Heading(*_typed(heading, _HEADING)) for heading in headings]
        reading = replace(_reading(read, blocks), whole=whole)
        lines = [block[-1] for block in blocks]
        about = {"title": title, "language": language, "url": url, "stated": _stated(stated)}
        return analyse(reading, uri=uri, **about, lines=lines)
    except (TypeError, AttributeError, LookupError, RecursionError) as error:
        msg = f"'{uri}' is not packed as it should be"
        raise ValueError(msg) from error


def _stated(values: list[Any]) -> PageMetadata:
    stated = PageMetadata._make(values)
    _typed([*stated[:-1]], _STATED)
    for date in filter(None, (stated.created, stated.valid)):
        parse_moment(date)
    is_known = stated.stability in {"", *STABILITIES}
    if not is_known or not (stated.quality is None or is_quality(stated.quality)):
        msg = "unknown stability, or a quality that is none"
        raise TypeError(msg)
    return stated


def _reading(headings: list[Heading], blocks: list[list[Any]]) -> HtmlContent:
    paths: list[tuple[Heading, ...]] = [()]
    for heading in headings:
        above = tuple(h for h in paths[-1] if h.level < heading.level)
        paths.append((*above, heading))
    runs = [_run(block, number, paths) for number, block in enumerate(blocks)]
    return HtmlContent(tuple(runs), tuple(headings))


def _run(block: list[Any], number: int, paths: list[tuple[Heading, ...]]) -> Run:
    *block, lead, line = block
    text, kind, top, section, packed = _typed(block, _BLOCK)
    marks = tuple([Mark(*_typed(mark, _MARK)) for mark in packed]) if packed else ()
    if kind not in _KINDS or not _ROLES.issuperset([mark.role for mark in marks]):
        msg = "unknown kind or role"
        raise TypeError(msg)
    is_led = type(lead) is int and 0 <= lead < number
    if type(line) not in _MAYBE or not (is_led or lead is None):
        msg = "a line that is no number, or a lead that does not stand above"
        raise TypeError(msg)
    return Run(text, kind, top, section, paths[section], marks, lead)


def _typed(values: list[Any], types: tuple[type, ...]) -> list[Any]:
    """Return values that are of these types, and as many."""
    if tuple(map(type, values)) != types:
        msg = f"{values} are not {types}"
        raise TypeError(msg)
    return values
