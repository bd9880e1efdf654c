"""What the pages of a build quote of other sites, for the file that the build publishes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, TypeAlias

from mkdocs_recall.answers.outbound import outbound_quote
from mkdocs_recall.cache.store import digest
from mkdocs_recall.plugin.directive import PageFile
from mkdocs_recall.publishing.outbound import pack_outbound, unpack_outbound

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from mkdocs_recall.cache.store import Cache
    from mkdocs_recall.plugin.directive import Directive, Quote
    from mkdocs_recall.plugin.sources import SourcePages
    from mkdocs_recall.publishing.outbound import OutboundQuote
    from mkdocs_recall.publishing.site_settings import OtherSite

OutboundQuotes: TypeAlias = "tuple[OutboundQuote, ...]"
"""Those of a page."""


class OutboundPages:
    """The quotes of other sites by page. The cache has them for pages that `--dirty` skips."""

    def __init__(self, cache: Cache, key: bytes, sites: Mapping[str, OtherSite]) -> None:
        """Start without a page."""
        self._cache = cache
        self._key = key
        self._private = frozenset(name for name, site in sites.items() if site.private)
        self._skipped: dict[str, OutboundQuotes] = {}

    def restore(self, skipped: Iterable[str], sources: SourcePages) -> None:
        """Take pages that MkDocs skips as the last build had them; render those it did not have."""
        for uri in skipped:
            quotes = self._cached(uri)
            if quotes is None:
                sources.render(uri)
            else:
                self._skipped[uri] = quotes

    def of(
        self, directives: Iterable[Directive], quotes: Mapping[str, Quote]
    ) -> dict[str, OutboundQuotes]:
        """Return the quotes of each page, and cache those of the pages that were rendered."""
        by_page: dict[str, list[Directive]] = {}
        for directive in directives:
            by_page.setdefault(directive.page, []).append(directive)
        found = dict(self._skipped)
        for uri, on_page in by_page.items():
            found[uri] = tuple(self._quotes(on_page, quotes))
            key, packed = self._page_key(uri), _pack(found[uri])
            if self._cache.get(key) != packed:  # a build of unchanged pages writes nothing
                self._cache.put(key, packed)
        return found

    def _quotes(
        self, directives: Sequence[Directive], quotes: Mapping[str, Quote]
    ) -> Iterator[OutboundQuote]:
        """Yield what directives quote; as in `recall.lock`, only those that a page's file has."""
        for directive in directives:
            passages, file = quotes[directive.id].outbound, directive.file
            options = directive.options if passages else None
            if options and isinstance(file, PageFile):
                line = file.line(directive.fence)
                quote = line and outbound_quote(
                    directive.page, line, options, passages, private=self._private
                )
                if quote:
                    yield quote

    def _cached(self, uri: str) -> OutboundQuotes | None:
        packed = self._cache.get(self._page_key(uri))
        try:
            return unpack_outbound(json.loads(packed or b"null"))
        except (ValueError, RecursionError):  # somebody else has written to the cache
            return None

    def _page_key(self, uri: str) -> bytes:
        return digest("outbound", self._key, uri)


def _pack(quotes: OutboundQuotes) -> bytes:
    return json.dumps(pack_outbound(quotes)).encode()
