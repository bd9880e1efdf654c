"""A Document as bytes and back, for the cache. Sentences are not stored but split again.

Unpacking checks each value, because a cache file may come from anywhere.
"""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import repeat
from typing import TYPE_CHECKING, Any, Final, get_args

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
_DEEPEST: Final = 6
_NUMBER: set[type] = {int, type(None)}
_COLUMNS: Final[tuple[set[type], ...]] = ({str}, {str}, {int}, {int}, {list}, _NUMBER, _NUMBER)
"""The types of values in each column of blocks: text, kind, top, section, marks, lead, line."""
_MARK = (int, int, str, str)
_ROLES = frozenset(get_args(Role))
_KINDS = frozenset(get_args(Kind))


def pack(document: Document, *, with_lines: bool = True) -> bytes:
    """Return a page as bytes: JSON in UTF-8."""
    blocks = document.blocks
    columns = (  # like beside like is a twentieth less, compressed
        [block.text for block in blocks],
        [block.kind for block in blocks],
        [block.top for block in blocks],
        [block.section for block in blocks],
        [_pack_marks(block.marks) if block.marks else () for block in blocks],
        [block.lead for block in blocks],
        [block.line if with_lines else None for block in blocks],
    )
    metadata = [getattr(document, name) for name in PageMetadata._fields]
    if not document.asks:
        metadata.pop()  # as in files that sites published before there were any
    page = (document.title, document.language, document.url, metadata, document.whole)
    packed = (*page, document.publisher or (), document.headings, columns if blocks else ())
    return json.dumps(packed, separators=(",", ":")).encode()


def unpack(uri: str, packed: bytes) -> Document:
    """Return the page that `pack` turned into these bytes."""
    try:
        page = _check_types(json.loads(packed), _PAGE)
        title, language, url, metadata, whole, publisher, headings, columns = page
        content = _content(
            [Heading(*_check_types(heading, _HEADING)) for heading in headings], columns
        )
        document = analyse(
            content._replace(whole=whole),
            uri=uri,
            title=title,
            language=language,
            url=url,
            metadata=_metadata(metadata),
            lines=columns[-1] if columns else (),
        )
        if publisher:
            known = Publisher._make(_check_types(publisher, _PUBLISHER))
            return replace(document, publisher=known)
    except (TypeError, AttributeError, LookupError, RecursionError) as error:
        msg = f"'{uri}' is not packed as it should be"
        raise ValueError(msg) from error
    return document


def _metadata(values: list[Any]) -> PageMetadata:
    *stated, quality = values[: len(_METADATA) + 1]
    rows = values[len(_METADATA) + 1 :]
    asks = tuple(tuple(_check_types(row, (str, str))) for row in (rows[0] if rows else ()))
    if len(rows) > 1:
        raise TypeError
    metadata = PageMetadata._make((*_check_types(stated, _METADATA), quality, asks))
    for date in filter(None, (metadata.created, metadata.valid)):
        parse_moment(date)  # raises ValueError for what is no date
    is_stability = metadata.stability in {"", *STABILITIES}
    if not is_stability or not (metadata.quality is None or is_quality(metadata.quality)):
        msg = "invalid stability or quality"
        raise TypeError(msg)
    return metadata


def _content(headings: list[Heading], columns: list[list[Any]]) -> HtmlContent:
    # Without a bound, the headings above the last of n levels would be n, and n² in all.
    if not all(1 <= heading.level <= _DEEPEST for heading in headings):
        msg = "a heading of no level from 1 to 6"
        raise TypeError(msg)
    paths: list[tuple[Heading, ...]] = [()]  # by section: its headings, outermost first
    for heading in headings:
        outer = tuple(h for h in paths[-1] if h.level < heading.level)
        paths.append((*outer, heading))
    if not columns:
        return HtmlContent((), tuple(headings))
    texts, kinds, tops, sections, packed, leads, _ = _check_types(columns, (list,) * len(_COLUMNS))
    # Whole columns are checked, since a page has hundreds of blocks.
    fits = all(
        types.issuperset(map(type, column)) for types, column in zip(_COLUMNS, columns, strict=True)
    )
    fits = fits and len({*map(len, columns)}) == 1
    fits = fits and all(lead is None or 0 <= lead < n for n, lead in enumerate(leads))
    fits = fits and all(0 <= section <= len(headings) for section in sections)
    if not (fits and _KINDS.issuperset(kinds)):
        msg = "a value of another type, an unknown kind or section, or a lead that is not above"
        raise TypeError(msg)
    above = map(paths.__getitem__, sections)
    marks = [_unpack_marks(each) if each else () for each in packed]
    runs = zip(texts, kinds, tops, sections, above, marks, leads, repeat(None), strict=False)
    return HtmlContent(tuple(map(Run._make, runs)), tuple(headings))


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
        if role not in _ROLES:
            msg = "unknown role"
            raise TypeError(msg)
        start += distance
        marks.append(Mark(start, start + length, role, href))
    return tuple(marks)


def _check_types(values: list[Any], types: tuple[type, ...]) -> list[Any]:
    """Return the values, which must be of these types, one for each."""
    if tuple(map(type, values)) != types:
        msg = f"{values} are not {types}"
        raise TypeError(msg)
    return values
