"""What a build publishes for other sites, in `recall.jsonl.gz`: its pages without their quotes.

Where the site wants that, what it quotes of others is listed besides.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from mkdocs.exceptions import PluginError

from mkdocs_recall.cache.files import write_atomically
from mkdocs_recall.cache.store import digest
from mkdocs_recall.messages import single_line
from mkdocs_recall.publishing.published_file import (
    FILE,
    SCHEMA,
    PackedPage,
    join_pages,
    pack_page,
)
from mkdocs_recall.readers.publication import is_published, site_header

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from mkdocs.config.defaults import MkDocsConfig

    from mkdocs_recall.cache.store import Cache
    from mkdocs_recall.options import Publication
    from mkdocs_recall.plugin.directive import Directive, Quote
    from mkdocs_recall.plugin.outbound import OutboundPages, OutboundQuotes
    from mkdocs_recall.plugin.quotes import Quotes
    from mkdocs_recall.plugin.sources import SourcePages
    from mkdocs_recall.text.model import Document


class PublishedPages:
    """The pages that a build publishes."""

    def __init__(
        self,
        config: MkDocsConfig,
        publication: Publication,
        sources: SourcePages,
        cache: Cache,
        outbound: OutboundPages,
    ) -> None:
        """Note what the site says about itself now: a plugin may change it for other languages.

        Args:
            config: MkDocs' configuration.
            publication: What the site states of the file.
            sources: The pages, none of which has a quote yet.
            cache: Has the pages of earlier builds, for those that `--dirty` skips.
            outbound: What they quote of other sites, if that is published.
        """
        self._outbound = outbound if publication.outbound else None
        self._quotes: dict[str, OutboundQuotes] = {}
        self._directives: Sequence[Directive] = ()
        self._answers: Mapping[str, Quote] = {}
        self._header = site_header(config, publication)
        self._sources = sources
        self._cache = cache
        self._pages: dict[str, PackedPage] = {}
        sources.observe(self._take)  # a page that a directive asks is read once

    def read(self, directives: Sequence[Directive], quotes: Quotes, skipped: Iterable[str]) -> None:
        """Take the pages that no directive has had read, and put all in page order.

        Args:
            directives: Those of the build; it adds those of pages that are rendered here.
            quotes: What these quote, likewise.
            skipped: The pages with directives that `--dirty` skips.
        """
        self._directives, self._answers = directives, quotes.by_id
        if self._outbound is not None:
            self._outbound.restore(skipped, self._sources)
        own = self._sources.files
        uris = [uri for uri in self._sources.pages.uris if uri in own]
        pages = {uri: self._pages.get(uri) or self._page(uri) for uri in uris}
        self._pages = {uri: page for uri, page in pages.items() if page is not None}

    def after(self, outer: PublishedPages | None) -> PublishedPages:
        """Return the pages of the outer build, then those that only this one has."""
        if self._outbound is not None:
            self._quotes = self._outbound.of(self._directives, self._answers)
        if outer is None:
            return self
        outer.add(self._pages, self._quotes)
        return outer

    def add(self, pages: Mapping[str, PackedPage], quotes: Mapping[str, OutboundQuotes]) -> None:
        """Add the pages that are not there yet, by uri, and what they quote of other sites."""
        self._quotes = {**quotes, **self._quotes}
        self._pages = {
            **self._pages,
            **{uri: page for uri, page in pages.items() if uri not in self._pages},
        }

    def write(self, config: MkDocsConfig) -> None:
        """Write the file into the built site.

        Raises:
            PluginError: It cannot be written.
        """
        path = Path(config.site_dir, FILE)
        quotes = [quote for uri in self._pages for quote in self._quotes.get(uri, ())]
        outbound = None if self._outbound is None else quotes
        try:
            data = join_pages(self._header, self._pages.values(), outbound=outbound)
            write_atomically(path, data)
        except OSError as error:
            msg = f"recall: '{path}' cannot be written: {error.strerror or error}"
            raise PluginError(single_line(msg)) from error

    def _page(self, uri: str) -> PackedPage | None:
        """Return a page; None for one that is kept back, which an empty text in the cache says."""
        page = self._sources.file(uri).page
        if page is None or page.content is None:
            packed = self._cache.get(self._key(uri))
            if packed == b"":
                return None
            if packed is not None and (known := PackedPage.of_bytes(packed)) is not None:
                return known
            self._sources.render(uri)
        packed = self._cache.get(self._key(uri))
        if not self._is_published(uri):
            if packed != b"":
                self._cache.put(self._key(uri), b"")
            return None
        if packed and (known := PackedPage.of_bytes(packed)) is not None:
            return known
        self._take(self._sources.pages.peek(uri))
        return self._pages[uri]

    def _take(self, document: Document) -> None:
        """Pack a page that has just been read."""
        uri = document.uri
        if self._is_published(uri):
            page = self._pages[uri] = pack_page(document, self._expires(uri))
            self._cache.put(self._key(uri), page.as_bytes())

    def _is_published(self, uri: str) -> bool:
        file = self._sources.file(uri)
        return file.page is not None and is_published(file, file.page.meta or {})

    def _expires(self, uri: str) -> str:
        return self._sources.validity(uri).until

    def _key(self, uri: str) -> bytes:
        known = self._sources.digest(uri), self._expires(uri)
        return digest("published", str(SCHEMA), *known)
