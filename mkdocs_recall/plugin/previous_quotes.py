"""The quotes of the last build in one value of the cache, each used again while nothing changes.

A quote is used again if nothing has changed that the key of its answer is made of. To see that
takes a fraction of the time that it takes to find the pages of a directive, to make its key, and to
read the value of each key. All other directives have keys.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from mkdocs_recall.gc_pause import gc_paused
from mkdocs_recall.plugin.packed_quotes import pack_quote, unpack_quote

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mkdocs_recall.cache.store import Cache
    from mkdocs_recall.plugin.directive import Directive, Quote
    from mkdocs_recall.plugin.sources import SourcePages

_DIRECTIVE, _PAGES, _QUOTE = range(3)
"""The positions in what JSON has of a quote, a list: what its answer depends on besides pages, its
pages by number, and itself."""
_MISSHAPEN: Final = TypeError, ValueError, LookupError, RecursionError
"""What JSON of another shape raises."""
_MOST_PAGES: Final = 50
"""Pages of a directive; those of more are left to their keys, or the value would grow with the
square of the site."""
_FEW: Final = 0.1
"""The share of quotes with keys above which all are written again: after an edit it is smaller."""


class PreviousQuotes:
    """The quotes of the last build."""

    def __init__(self, cache: Cache, key: bytes, *, site: bytes, sources: SourcePages) -> None:
        """Read them from the cache."""
        self._cache = cache
        self._key = key
        self._site = site.hex()
        self._sources = sources
        self._uris = frozenset(sources.uris)
        with gc_paused():
            self._pages, self._quotes = self._read()
        self._unchanged: dict[int, bool] = {}
        """Whether each page that was looked up is the same, by its number."""
        self._used: dict[str, list[Any]] = {}
        """The quotes that are used again, by the directive's id, as JSON has them."""
        self._others: dict[str, list[Any]] = {}
        """The same of the others, but their pages by uri."""

    def find(self, directive: Directive, language: str) -> Quote | None:
        """Return the quote of a directive; None if what it depends on may have changed."""
        packed = self._quotes.get(directive.id)
        try:
            if packed is None or packed[_DIRECTIVE] != _parts(directive, language):
                return None
            if not packed[_PAGES] or not all(map(self._is_unchanged, packed[_PAGES])):
                return None
            quote = unpack_quote(packed[_QUOTE])
            if quote is not None:
                self._used[directive.id] = packed
                return quote
        except _MISSHAPEN:
            pass
        return None

    def note(
        self,
        directive: Directive,
        language: str,
        quote: Quote,
        *,
        pages: Sequence[str],
    ) -> None:
        """Note another quote for the next build.

        Args:
            pages: The uris of the pages that it may quote.
        """
        if len(pages) <= _MOST_PAGES and self._uris.issuperset(pages):
            parts = _parts(directive, language)
            self._others[directive.id] = [parts, pages, pack_quote(quote)]

    def save(self) -> None:
        """Leave the quotes to the next build, unless there are few that it would not find."""
        if len(self._others) <= _FEW * len(self._used):
            return
        for packed in self._used.values():
            packed[_PAGES] = [self._pages[number][0] for number in packed[_PAGES]]
        quotes = self._used | self._others
        numbers: dict[str, int] = {}
        for packed in quotes.values():
            packed[_PAGES] = [numbers.setdefault(uri, len(numbers)) for uri in packed[_PAGES]]
        pages = [(uri, self._sources.digest(uri).hex()) for uri in numbers]
        whole = json.dumps((self._site, pages, quotes), ensure_ascii=False, separators=(",", ":"))
        self._cache.put(self._key, whole.encode("utf-8", "surrogatepass"))

    def _is_unchanged(self, number: int) -> bool:
        unchanged = self._unchanged.get(number)
        if unchanged is None:
            uri, digest = self._pages[number]
            unchanged = uri in self._uris and self._sources.digest(uri).hex() == digest
            self._unchanged[number] = unchanged
        return unchanged

    def _read(self) -> tuple[list[Any], dict[str, Any]]:
        """Return the pages, and the quotes; none of another site."""
        try:
            site, pages, quotes = json.loads(self._cache.get(self._key) or b"")
        except _MISSHAPEN:
            return [], {}
        same = site == self._site and isinstance(pages, list) and isinstance(quotes, dict)
        return (pages, quotes) if same else ([], {})


def _parts(directive: Directive, language: str) -> list[Any]:
    """Return what the answer of a directive depends on besides pages, as far as that is its own."""
    return [directive.fence.source, directive.mkdocs_page.url, language]
