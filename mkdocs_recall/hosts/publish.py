"""The publication of a build's pages for other sites: `recall.jsonl.gz`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING
from zlib import ZLIB_RUNTIME_VERSION

from mkdocs.exceptions import PluginError

from mkdocs_recall.files import write_atomically
from mkdocs_recall.messages import single_line
from mkdocs_recall.pages import published
from mkdocs_recall.pages.site import is_published, site_header
from mkdocs_recall.store import digest, pack, pipeline, unpack

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mkdocs.config.defaults import MkDocsConfig

    from mkdocs_recall.hosts.sources import SourcePages
    from mkdocs_recall.text.model import Document


class PublishedPages:
    """The pages that a build publishes."""

    def __init__(
        self, publication: Mapping[str, str], sources: SourcePages, warn: Callable[[str], None]
    ) -> None:
        """Record the site's description now: a plugin may change it for other languages."""
        self.sources, self.warn = sources, warn
        self._header = site_header(self.sources.config, publication)
        self._cache = self.sources.cache
        self._keys: dict[str, bytes] = {}
        self._pages: dict[bytes, published.PackedPage] = {}
        self.sources.observer = self._take  # source pages are read only once

    def read(self) -> None:
        """Read the remaining pages, and put all in page order."""
        files = self.sources.files
        uris = [uri for uri in self.sources.pages.uris if uri in files and self._publishes(uri)]
        self._keys |= {uri: self._key(uri) for uri in uris}
        unread = [key for key in self._keys.values() if key not in self._pages]
        for key, packed in self._cache.get_many(unread).items():
            if page := unpack(published.PackedPage, packed):
                self._pages[key] = page
        for uri, key in self._keys.items():
            if key not in self._pages:
                document = self.sources.pages.peek(uri)
                if key not in self._pages:  # it comes from the cache
                    self._take(document)

    def add(self, inner: PublishedPages) -> None:
        """Add the new pages of a build within this one, by uri."""
        for uri, key in inner._keys.items():
            self._keys.setdefault(uri, key)
        self._pages |= inner._pages

    def write(self, config: MkDocsConfig) -> str:
        """Write the file; return why caching fails, if that is new."""
        path = Path(config.site_dir, published.FILE)
        earlier = self._cache.notice
        try:
            write_atomically(path, self._data(), Path(config.site_dir))
        except OSError as error:
            msg = f"recall: '{path}' cannot be written: {error.strerror or error}"
            raise PluginError(single_line(msg)) from error
        return "" if earlier else self._cache.notice

    def _data(self) -> bytes:
        keys = tuple(self._keys.values())
        header = pack((self._header, len(keys)))
        state = digest("published file", pipeline(), ZLIB_RUNTIME_VERSION, header, *keys)
        data = unpack(bytes, self._cache.get(state))
        if data is None:
            data = published.join_pages(self._header, (self._pages[key] for key in keys))
            self._cache.put(state, pack(data))
            self._cache.save()
        return data

    def _publishes(self, uri: str) -> bool:
        file = self.sources.file(uri)
        if file.page is None or not is_published(file, file.page.meta or {}):
            return False
        if not published.is_publishable(uri, file.url):
            self.warn(published.unpublishable_warning(uri))
            return False
        return True

    def _take(self, document: Document) -> None:
        uri = document.uri
        if self._publishes(uri):
            key = self._key(uri)
            page = unpack(published.PackedPage, self._cache.get(key))
            if page is None:
                page = published.pack_page(document, self.sources.validity(uri).until)
                self._cache.put(key, pack(page))
            self._pages[key] = page

    def _key(self, uri: str) -> bytes:
        expires = self.sources.validity(uri).until
        return digest("published", str(published.SCHEMA), self.sources.digest(uri), expires)
