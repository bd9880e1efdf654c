"""What a build publishes for other sites: its pages without their quotes, in `recall.jsonl.gz`."""

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
    from collections.abc import Mapping

    from mkdocs.config.defaults import MkDocsConfig

    from mkdocs_recall.cache.store import Cache
    from mkdocs_recall.options import Publication
    from mkdocs_recall.plugin.sources import SourcePages


class PublishedPages:
    """The pages that a build publishes."""

    def __init__(self, config: MkDocsConfig, publication: Publication) -> None:
        """Note what the site says about itself now: a plugin may change it for other languages."""
        self._header = site_header(config, publication)
        self._pages: dict[str, PackedPage] = {}

    def read(self, sources: SourcePages, cache: Cache) -> None:
        """Take the pages of a build, none of which has a quote yet.

        Args:
            sources: The pages.
            cache: Has the pages of earlier builds, for those that `--dirty` skips.
        """
        own = sources.files
        for uri in sources.pages.uris:
            page = _page(uri, sources, cache) if uri in own else None
            if page is not None:
                self._pages[uri] = page

    def after(self, outer: PublishedPages | None) -> PublishedPages:
        """Return the pages of the outer build, then those that only this one has."""
        if outer is None:
            return self
        outer.add(self._pages)
        return outer

    def add(self, pages: Mapping[str, PackedPage]) -> None:
        """Add the pages that are not there yet, by uri."""
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
        try:
            write_atomically(path, join_pages(self._header, self._pages.values()))
        except OSError as error:
            msg = f"recall: '{path}' cannot be written: {error.strerror or error}"
            raise PluginError(single_line(msg)) from error


def _page(uri: str, sources: SourcePages, cache: Cache) -> PackedPage | None:
    """Return a page; None for one that is kept back, which an empty text in the cache says."""
    file = sources.file(uri)
    expires = sources.validity(uri).until
    if file.page is not None and file.page.content is None:
        packed = cache.get(_key(uri, sources, expires))
        if packed == b"":
            return None
        if packed is not None and (known := PackedPage.of_bytes(packed)) is not None:
            return known
        sources.render(uri)
    key = _key(uri, sources, expires)
    packed = cache.get(key)
    if file.page is None or not is_published(file, file.page.meta or {}):
        if packed != b"":
            cache.put(key, b"")
        return None
    if packed and (known := PackedPage.of_bytes(packed)) is not None:
        return known
    page = pack_page(sources.pages.peek(uri), expires)
    cache.put(key, page.as_bytes())
    return page


def _key(uri: str, sources: SourcePages, expires: str) -> bytes:
    return digest("published", str(SCHEMA), sources.digest(uri), expires)
