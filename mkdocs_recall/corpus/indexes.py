"""The indexes of a corpus: one for all who ask the same of the same pages."""

from __future__ import annotations

from contextlib import contextmanager, nullcontext, suppress
from functools import partial
from threading import RLock
from typing import TYPE_CHECKING, Final, NamedTuple

from mkdocs_recall.errors import SourceError
from mkdocs_recall.gc_pause import gc_paused
from mkdocs_recall.index.index import Index, Part, part_of
from mkdocs_recall.index.selection import unknown_anchor_error
from mkdocs_recall.text.analysis import in_language
from mkdocs_recall.text.language import get_language

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mkdocs_recall.index.selection import PageSet, Scope
    from mkdocs_recall.readers.library import Library
    from mkdocs_recall.text.model import Document, Kind

_MANY: Final = 64
"""Of so many pages an index is kept: that of fewer is made as fast as it is read."""


class _ReadingOptions(NamedTuple):
    """How pages are read."""

    sections: int
    language: str | None
    units: tuple[Kind, ...]


class Indexes:
    """Indexes by what they are of; each is made when it is first asked for."""

    def __init__(
        self,
        collection: PageSet,
        library: Library | None,
    ) -> None:
        """Make none yet.

        Args:
            collection: The pages.
            library: Keeps the indexes of many pages for the next process; None for no such.
        """
        self._collection = collection
        self._library = library
        self._lock = RLock()
        self._parts: dict[tuple[str, tuple[str, ...], _ReadingOptions], Part] = {}
        self._made: dict[tuple[tuple[str, ...], _ReadingOptions], Index] = {}
        self._kept: dict[tuple[tuple[str, ...], _ReadingOptions], Index] = {}
        self._translated: dict[tuple[str, str], Document] = {}

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Let one thread in at a time, also to a page that is read later than it was asked for."""
        with self._lock, self._library.reading() if self._library else nullcontext():
            yield

    def of(
        self, scope: Scope, *, sections: int, language: str | None, units: tuple[Kind, ...]
    ) -> Index:
        """Return the index of a scope.

        Raises:
            SourceError: It names a section that is not there.
        """
        return self._of(scope, _ReadingOptions(sections, language, units))

    def asked(
        self, scope: Scope, *, sections: int, language: str | None, units: tuple[Kind, ...]
    ) -> Index:
        """Return the same for a query, which need not look at all pages.

        Raises:
            SourceError: It names a section that is not there.
        """
        how = _ReadingOptions(sections, language, units)
        library = self._library
        pages = {target.uri for target in scope.targets}
        if library is None or not library.keeps or len(pages) < _MANY:
            return self._of(scope, how)
        if (scope.key, how) not in self._kept:
            self._kept[scope.key, how] = self._found(scope, how, library)
        return self._kept[scope.key, how]

    def _found(self, scope: Scope, how: _ReadingOptions, library: Library) -> Index:
        """Return the index that was kept; where there is none, make one and keep it."""
        from mkdocs_recall.index.packed import PackedIndex, pack_index

        present = list(self._present(scope))
        options = str(how.sections), how.language or "", *how.units
        found = library.kept(library.key("index", present, *options))
        if found is not None:
            uris = [uri for uri, _ in present]
            with suppress(ValueError):  # somebody has written to the cache who should not
                return PackedIndex(found, uris, partial(self._document, language=how.language))
        index = self._of(scope, how)
        library.keep(library.key("index", present, *options), pack_index(index))
        return index

    def _of(self, scope: Scope, how: _ReadingOptions) -> Index:
        if (scope.key, how) not in self._made:
            with gc_paused():
                self._made[scope.key, how] = Index(
                    self._part(uri, anchors, how) for uri, anchors in self._present(scope)
                )
        return self._made[scope.key, how]

    def _present(self, scope: Scope) -> Iterable[tuple[str, list[str]]]:
        """Drop the pages of a pattern that lack its section; a page that was named must have it."""
        for target in scope.named:
            if target.anchor:
                document = self._collection.document(target.uri)
                if target.anchor not in document.anchors:
                    raise unknown_anchor_error(document, target.anchor)
        found: dict[str, list[str]] = {}
        for target in scope.targets:
            if not target.anchor or target.anchor in self._collection.document(target.uri).anchors:
                found.setdefault(target.uri, []).append(target.anchor)
        if not found:
            msg = f"source '{', '.join(scope.key)}' matches no page with such a section"
            raise SourceError(msg)
        return found.items()

    def _part(self, uri: str, anchors: list[str], how: _ReadingOptions) -> Part:
        wanted = () if "" in anchors else tuple(anchors)
        key = uri, wanted, how
        if key not in self._parts:
            document = self._document(uri, language=how.language)
            self._parts[key] = part_of(
                document, anchors=wanted, sections=how.sections, units=how.units
            )
        return self._parts[key]

    def _document(self, uri: str, *, language: str | None) -> Document:
        """Return a page, read in a language, or in its own."""
        with self.reading():
            document = self._collection.document(uri)
            if not language or get_language(language).code == get_language(document.language).code:
                return document
            key = uri, get_language(language).code
            if key not in self._translated:
                self._translated[key] = in_language(document, language)
            return self._translated[key]
