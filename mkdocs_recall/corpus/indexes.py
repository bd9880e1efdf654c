"""The indexes of a corpus: one for all queries that read the same pages in the same way."""

from __future__ import annotations

from contextlib import contextmanager, nullcontext, suppress
from functools import partial
from threading import RLock
from typing import TYPE_CHECKING, Final, NamedTuple

from mkdocs_recall.errors import SourceError
from mkdocs_recall.gc_pause import gc_paused
from mkdocs_recall.index.index import Index
from mkdocs_recall.index.part import Part, part_of
from mkdocs_recall.index.suggestions import unknown_anchor_error
from mkdocs_recall.text.analysis import in_language
from mkdocs_recall.text.language import get_language

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from mkdocs_recall.index.selection import PageSet, Scope
    from mkdocs_recall.options import Options
    from mkdocs_recall.readers.library import Library
    from mkdocs_recall.text.model import Document, Kind

_MANY: Final = 64
"""From so many pages on an index is cached: a smaller one is built as fast as it is unpacked."""


class _Reading(NamedTuple):
    """The options that decide which blocks of a page are indexed, and how they are read."""

    sections: int
    language: str | None
    units: tuple[Kind, ...]
    count_headings: bool


class Indexes:
    """The indexes of a corpus, each made on first use and shared by all queries alike."""

    def __init__(self, pages: PageSet, library: Library | None) -> None:
        """Start without an index.

        Args:
            library: Caches the indexes of many pages for the next process; None for no cache.
        """
        self._pages = pages
        self._library = library
        self._lock = RLock()
        self._parts: dict[tuple[str, tuple[str, ...], _Reading], Part] = {}
        self._built: dict[tuple[tuple[str, ...], _Reading], Index] = {}
        self._cached: dict[tuple[tuple[str, ...], _Reading], Index] = {}
        self._translated: dict[tuple[str, str], Document] = {}

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Let in one thread at a time; a page may be read long after its index was made."""
        with self._lock, self._library.reading() if self._library else nullcontext():
            yield

    def of(self, scope: Scope, options: Options, units: Sequence[Kind]) -> Index:
        """Return the index of a scope.

        Args:
            options: Of these, `sections` and `language` count.
        """
        return self._index(scope, _reading(options, units))

    def parts(self, scope: Scope, options: Options, units: Sequence[Kind]) -> Iterator[Part]:
        """Yield the parts of the index of a scope; a page is read when its part is asked for."""
        reading = _reading(options, units)
        return (self._part(uri, anchors, reading) for uri, anchors in self._anchors(scope))

    def for_query(self, scope: Scope, options: Options, units: Sequence[Kind]) -> Index:
        """Return the index for a query, of a large site from the cache, without its pages."""
        reading = _reading(options, units)
        library = self._library
        uris = {target.uri for target in scope.targets}
        if library is None or not library.has_cache or len(uris) < _MANY:
            return self._index(scope, reading)
        if (scope.key, reading) not in self._cached:
            self._cached[scope.key, reading] = self._unpack(scope, reading, library)
        return self._cached[scope.key, reading]

    def _unpack(self, scope: Scope, reading: _Reading, library: Library) -> Index:
        """Return the index from the cache; on a miss, build it and put it there."""
        from mkdocs_recall.index.packed import PackedIndex, pack_index

        anchors = list(self._anchors(scope))
        named = ("named", *sorted({target.uri for target in scope.named}))
        headings = "headings" if reading.count_headings else ""
        options = f"{reading.sections}{headings}", reading.language or "", *reading.units, *named
        packed = library.get(library.key("index", anchors, *options))
        if packed is not None:
            uris = [uri for uri, _ in anchors]
            with suppress(ValueError):  # somebody else has written to the cache
                return PackedIndex(packed, uris, partial(self.document, language=reading.language))
        index = self._index(scope, reading)
        with gc_paused():
            packed = pack_index(index)
        # Pages that were not read before had no digest, and so the index had no key.
        library.put(library.key("index", anchors, *options), packed)
        return index

    def _index(self, scope: Scope, reading: _Reading) -> Index:
        if (scope.key, reading) not in self._built:
            with gc_paused():
                self._built[scope.key, reading] = Index(
                    (self._part(uri, anchors, reading) for uri, anchors in self._anchors(scope)),
                    named={target.uri for target in scope.named},
                )
        return self._built[scope.key, reading]

    def _anchors(self, scope: Scope) -> Iterable[tuple[str, list[str]]]:
        """Return the anchors that a scope names on each page; an empty one is the whole page.

        Pages of a pattern that lack its section are dropped; a page named by itself must have it.
        """
        for target in scope.named:
            if target.anchor:
                document = self._pages.document(target.uri)
                if target.anchor not in document.anchors:
                    written = self._pages.written.get(target.uri, "")
                    raise unknown_anchor_error(document, target.anchor, written)
        anchors: dict[str, list[str]] = {}
        for target in scope.targets:
            if not target.anchor or target.anchor in self._pages.document(target.uri).anchors:
                anchors.setdefault(target.uri, []).append(target.anchor)
        if not anchors:
            msg = f"source '{', '.join(scope.key)}' matches no page with such a section"
            raise SourceError(msg)
        return anchors.items()

    def _part(self, uri: str, anchors: list[str], reading: _Reading) -> Part:
        wanted = () if "" in anchors else tuple(anchors)
        key = uri, wanted, reading
        if key not in self._parts:
            document = self.document(uri, language=reading.language)
            self._parts[key] = part_of(
                document,
                anchors=wanted,
                sections=reading.sections,
                units=reading.units,
                count_headings=reading.count_headings,
            )
        return self._parts[key]

    def document(self, uri: str, *, language: str | None) -> Document:
        """Return a page, read in a language, or in its own."""
        with self.reading():
            document = self._pages.document(uri)
            if not language or get_language(language).code == get_language(document.language).code:
                return document
            key = uri, get_language(language).code
            if key not in self._translated:
                self._translated[key] = in_language(document, language)
            return self._translated[key]


def _reading(options: Options, units: Sequence[Kind]) -> _Reading:
    count_headings = options.embedm and options.sections > 0
    return _Reading(options.sections, options.language, tuple(units), count_headings)
