"""What a build publishes for other sites, in `recall.jsonl.gz`: its pages without their quotes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING
from zlib import ZLIB_RUNTIME_VERSION

from mkdocs.exceptions import PluginError

from mkdocs_recall.cache import digest, pipeline
from mkdocs_recall.files import write_atomically
from mkdocs_recall.messages import single_line
from mkdocs_recall.pages.published import (
    FILE,
    SCHEMA,
    PreviousFile,
    count_words,
    is_publishable,
    join_lines,
    pack_page,
    pack_previous,
    page_of_line,
    unpublishable_warning,
)
from mkdocs_recall.pages.site import is_published, site_header
from mkdocs_recall.stored import pack

if TYPE_CHECKING:
    from collections.abc import Callable

    from mkdocs.config.defaults import MkDocsConfig

    from mkdocs_recall.cache import Cache
    from mkdocs_recall.hosts.sources import SourcePages
    from mkdocs_recall.options import Publication
    from mkdocs_recall.pages.published import PackedPage
    from mkdocs_recall.text.model import Document


class PublishedPages:
    """The pages that a build publishes."""

    def __init__(
        self,
        config: MkDocsConfig,
        publication: Publication,
        sources: SourcePages,
        cache: Cache,
        *,
        warn: Callable[[str], None],
    ) -> None:
        """Note what the site says about itself now: a plugin may change it for other languages.

        Args:
            warn: Is called with what an author should mend.
        """
        self._warn = warn
        self._header = site_header(config, publication)
        self._sources = sources
        self._cache = cache
        self._cache_key = digest("published", config.config_file_path or "", config.docs_dir)
        self._previous = PreviousFile.of_bytes(cache.get(self._cache_key))
        self._keys: dict[str, bytes] = {}
        """Of the pages, by uri."""
        self._new: dict[bytes, PackedPage] = {}
        """By key, the pages that the last build has not published."""
        sources.observe(self._take)  # a page that a directive asks is read once

    def read(self) -> None:
        """Take the pages that no directive has had read, and put all in page order."""
        own = self._sources.files
        for uri in self._sources.pages.uris:
            if uri in own:
                self._read(uri)

    def after(self, outer: PublishedPages | None) -> PublishedPages:
        """Return the pages of the outer build, then those that only this one has."""
        if outer is None:
            return self
        outer.add(self)
        return outer

    def add(self, inner: PublishedPages) -> None:
        """Add the pages that are not there yet, by uri."""
        for uri, key in inner._keys.items():
            if uri not in self._keys:
                self._keys[uri] = key
                if key not in self._previous.lines:
                    self._new[key] = inner.page(key)

    def page(self, key: bytes) -> PackedPage:
        """Return a page by its key."""
        return self._new.get(key) or page_of_line(self._previous.lines[key])

    def write(self, config: MkDocsConfig) -> str:
        """Write the file into the built site.

        Returns:
            Why it could not be cached; empty if it could, or if the cache failed before.
        """
        path, earlier = Path(config.site_dir, FILE), self._cache.notice
        try:
            write_atomically(path, self._data(), Path(config.site_dir))
        except OSError as error:
            msg = f"recall: '{path}' cannot be written: {error.strerror or error}"
            raise PluginError(single_line(msg)) from error
        return "" if earlier else self._cache.notice

    def _data(self) -> bytes:
        """Return the file; it comes from the cache if nothing in it has changed."""
        keys = tuple(self._keys.values())
        stated = pack((self._header, len(keys)))
        state = digest(pipeline(), ZLIB_RUNTIME_VERSION, stated, *keys)
        if state == self._previous.digest:
            return self._previous.data
        known = self._previous.lines
        kept = self._previous.count_words(known.keys() & keys)
        new = (self._new[key] for key in keys if key not in known)
        lines = [known.get(key) or self._new[key].line for key in keys]
        data = join_lines(self._header, lines, count_words(new, kept))
        self._cache.put(self._cache_key, pack_previous(state, keys, data))
        self._cache.save()
        return data

    def _read(self, uri: str) -> None:
        """Read a page, unless it is kept back, has been read, or is in the previous file."""
        file = self._sources.file(uri)
        if file.page is None or not is_published(file, file.page.meta or {}):
            return
        if not is_publishable(uri, file.url):
            self._warn(unpublishable_warning(uri))
            return
        key = self._keys[uri] = self._key(uri)
        if key not in self._previous.lines and key not in self._new:
            document = self._sources.pages.peek(uri)
            if key not in self._new:  # it comes from the cache
                self._take(document)

    def _take(self, document: Document) -> None:
        """Pack a page that has just been read, unless it is in the previous file."""
        file = self._sources.file(document.uri)
        key = self._key(document.uri)
        is_new = key not in self._previous.lines and is_publishable(document.uri, file.url)
        if is_new and file.page is not None and is_published(file, file.page.meta or {}):
            self._new[key] = pack_page(document, self._expires(document.uri))

    def _expires(self, uri: str) -> str:
        return self._sources.validity(uri).until

    def _key(self, uri: str) -> bytes:
        return digest("published", str(SCHEMA), self._sources.digest(uri), self._expires(uri))
