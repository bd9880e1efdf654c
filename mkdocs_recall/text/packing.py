"""A Document as bytes and back, for the cache. Sentences are not stored but split again.

Unpacking checks each value, because a cache file may come from anywhere.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any, get_args

from mkdocs_recall.text.analysis import analyse
from mkdocs_recall.text.front_matter import STABILITIES, PageMetadata, is_quality, parse_moment
from mkdocs_recall.text.html.runs import HtmlContent, Run
from mkdocs_recall.text.model import Heading, Kind, Mark, Publisher, Role

if TYPE_CHECKING:
    from mkdocs_recall.text.model import Document

_PAGE = (str, str, str, list, bool, list, list, list)
_PUBLISHER = (*(str,) * (len(Publisher._fields) - 1), bool)
_METADATA = (str, str, str, str)
_HEADING = (str, int, str)
_BLOCK = (str, str, int, int, list)
_MARK = (int, int, str, str)
_LINE = (int, type(None))
_ROLES = frozenset(get_args(Role))
_KINDS = frozenset(get_args(Kind))


def pack(document: Document, *, with_lines: bool = True) -> bytes:
    """Return a page as bytes: JSON in UTF-8.

    Args:
        document: The page.
        with_lines: Whether to keep the lines of its blocks in the author's file.
    """
    blocks = [
        (b.text, b.kind, b.top, b.section, _pack_marks(b.marks), b.lead, b.line)
        for b in document.blocks
    ]
    metadata = [getattr(document, name) for name in PageMetadata._fields]
    if not with_lines:
        blocks = [(*block[:-1], None) for block in blocks]
    page = (document.title, document.language, document.url, metadata, document.whole)
    columns = list(zip(*blocks, strict=True))  # like beside like is a twentieth less, compressed
    packed = (*page, document.publisher or (), document.headings, columns)
    return json.dumps(packed, separators=(",", ":")).encode()


def unpack(uri: str, packed: bytes) -> Document:
    """Return the page that `pack` turned into these bytes.

    Args:
        uri: The page's path from the documentation's root.
        packed: The bytes.

    Raises:
        ValueError: The bytes do not come from `pack`.
    """
    try:
        page = _check_types(json.loads(packed), _PAGE)
        title, language, url, metadata, whole, publisher, headings, columns = page
        blocks = list(zip(*columns, strict=True))
        content = _content(
            [Heading(*_check_types(heading, _HEADING)) for heading in headings], blocks
        )
        document = analyse(
            replace(content, whole=whole),
            uri=uri,
            title=title,
            language=language,
            url=url,
            metadata=_metadata(metadata),
            lines=[block[-1] for block in blocks],
        )
        if publisher:
            known = Publisher._make(_check_types(publisher, _PUBLISHER))
            return replace(document, publisher=known)
    except (TypeError, AttributeError, LookupError, RecursionError) as error:
        msg = f"'{uri}' is not packed as it should be"
        raise ValueError(msg) from error
    return document


def _metadata(values: list[Any]) -> PageMetadata:
    metadata = PageMetadata._make(values)
    _check_types([*metadata[:-1]], _METADATA)
    for date in filter(None, (metadata.created, metadata.valid)):
        parse_moment(date)  # raises ValueError for what is no date
    is_stability = metadata.stability in {"", *STABILITIES}
    if not is_stability or not (metadata.quality is None or is_quality(metadata.quality)):
        msg = "invalid stability or quality"
        raise TypeError(msg)
    return metadata


def _content(headings: list[Heading], blocks: list[tuple[Any, ...]]) -> HtmlContent:
    paths: list[tuple[Heading, ...]] = [()]  # by section: its headings, outermost first
    for heading in headings:
        above = tuple(h for h in paths[-1] if h.level < heading.level)
        paths.append((*above, heading))
    runs = [_run(block, number, paths) for number, block in enumerate(blocks)]
    return HtmlContent(tuple(runs), tuple(headings))


def _run(row: tuple[Any, ...], number: int, paths: list[tuple[Heading, ...]]) -> Run:
    *block, lead, line = row
    text, kind, top, section, packed = _check_types(block, _BLOCK)
    marks = _unpack_marks(packed) if packed else ()
    if kind not in _KINDS or not _ROLES.issuperset([mark.role for mark in marks]):
        msg = "unknown kind or role"
        raise TypeError(msg)
    is_block_above = type(lead) is int and 0 <= lead < number
    if type(line) not in _LINE or not (is_block_above or lead is None):
        msg = "a line that is not a number, or a lead that is not above"
        raise TypeError(msg)
    return Run(text, kind, top, section, paths[section], marks, lead)


def _pack_marks(marks: tuple[Mark, ...]) -> list[tuple[int | str, ...]]:
    """Return marks by distance and length, since small numbers are better compressed."""
    packed: list[tuple[int | str, ...]] = []
    last = 0
    for start, end, role, href in marks:
        packed.append((start - last, end - start, role, href))
        last = start
    return packed


def _unpack_marks(packed: list[Any]) -> tuple[Mark, ...]:
    marks, start = [], 0
    for mark in packed:
        distance, length, role, href = _check_types(mark, _MARK)
        start += distance
        marks.append(Mark(start, start + length, role, href))
    return tuple(marks)


def _check_types(values: list[Any], types: tuple[type, ...]) -> list[Any]:
    """Return the values, which must be of these types, one for each."""
    if tuple(map(type, values)) != types:
        msg = f"{values} are not {types}"
        raise TypeError(msg)
    return values
