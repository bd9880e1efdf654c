"""The pages of a site or folder, cached from one process to the next.

A cached page is valid as long as the files that it was read from are. To check that takes a look at
each file's date and size: when none has changed, nothing is rendered and MkDocs is not imported.
"""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from dataclasses import replace
from threading import RLock
from typing import TYPE_CHECKING, Any, Final

from mkdocs_recall.cache.files import fingerprint
from mkdocs_recall.cache.pipeline import pipeline
from mkdocs_recall.cache.store import Cache, digest
from mkdocs_recall.errors import EncodingError, FrontMatterError, SiteError
from mkdocs_recall.index.filters import front_matter_values
from mkdocs_recall.index.selection import PageSet
from mkdocs_recall.readers.manifest import (
    Manifest,
    PageEntry,
    file_version,
    folder_digest,
    pack_manifest,
    roots_listing,
    unpack_manifest,
    variable_digests,
)
from mkdocs_recall.text.front_matter import (
    EXCLUDED,
    MERGED,
    NESTED,
    Validity,
    expired_pages,
    is_excluded,
    validity,
)
from mkdocs_recall.text.packing import pack, unpack

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from datetime import datetime
    from pathlib import Path

    from mkdocs_recall.readers.base import OpenReader, Reader
    from mkdocs_recall.readers.other_sites import OtherSites
    from mkdocs_recall.text.model import Document


_NOT_UTF8: Final = "its file is not UTF-8 (line "


class Library:
    """The pages that a reader finds. One thread uses it at a time: see `reading`.

    Attributes:
        collection: The pages by name; one is read when its Document is asked for.
    """

    def __init__(
        self,
        reader: Reader,
        folder: Path | None,
        *,
        progress: Callable[[int, int], None] | None = None,
        now: Callable[[], datetime | None] | None = None,
        cached_only: bool = False,
        sites: frozenset[str] = frozenset(),
        others: Callable[[], OtherSites | None] = lambda: None,
        original: Manifest | None = None,
    ) -> None:
        """List the pages, from the cache where nothing has changed.

        Args:
            folder: Where the cache is; None for none.
            progress: Called with the number of pages read and of pages to read; None for nobody.
            now: Returns the time. It is called if a page states when it expires: from then on the
                page is refused. None, here or as its answer, refuses none.
            cached_only: Whether the pages come from the cache alone: the reader is never opened, so
                that no code of a site runs, and nothing is written.
            others: Returns the other sites that these pages may quote; None for none.
            original: The manifest of a documentation that this is a passing copy of: its own is not
                cached. None for any other.
        """
        self._reader = reader
        self._cached_only = cached_only
        self._sites = sites
        self._find_others = others
        self._others = others()
        self._folder = folder
        self._cache = Cache(folder)
        self._progress = progress
        self._now = now
        self._lock = RLock()
        self._depth = 0
        self._open_reader: OpenReader | None = None
        names = sys.getfilesystemencoding()  # in which the files that are listed can be opened
        self._key = digest("library", pipeline(), names, *reader.identity)
        self._is_copy = original is not None
        cached = original or unpack_manifest(self._cache.get(self._key))
        self._changed = cached is None or not cached.is_current(self._place)
        self._manifest = self._update(cached) if cached is None or self._changed else cached
        pages = self._manifest.pages
        self._unread_count = sum(not entry.key for entry in pages.values())
        self._read_count = 0
        self._expired = self._find_expired()
        refused = {u: EXCLUDED for u, e in pages.items() if e.excluded} | self._expired
        self.collection = PageSet(
            [uri for uri in pages if uri not in refused],
            self._load,
            {**self._manifest.refused, **refused},
            sites=sites,
            others=self._others,
            meta=self._meta,
        )
        self._save()

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Let one thread read at a time; then write to the cache what it has read."""
        with self._lock:
            self._depth += 1
            try:
                yield
            finally:
                self._depth -= 1
                if not self._depth:
                    self._save()

    def refreshed(self) -> Library:
        """Return itself if nothing has changed, else the pages as they are now."""
        with self._lock:
            is_current = self._others is None or self._others.is_current()
            if (
                is_current
                and self._manifest.is_current(self._place)
                and (not self._is_timed or self._find_expired() == self._expired)
            ):
                return self
        return Library(
            self._reader,
            self._folder,
            progress=self._progress,
            now=self._now,
            cached_only=self._cached_only,
            sites=self._sites,
            others=self._find_others,
        )

    def in_copy(
        self,
        reader: Reader,
        *,
        folder: str,
        copy: str,
        others: Callable[[], OtherSites | None],
    ) -> Library:
        """Return the pages of a copy of a folder; those that read the same come from the cache.

        Args:
            folder: The folder in which these pages lie.
        """
        manifest = self._manifest.in_copy(folder, copy)
        return Library(reader, self._folder, now=self._now, others=others, original=manifest)

    def key(self, kind: str, pages: Iterable[tuple[str, Iterable[str]]], *options: str) -> bytes:
        """Return the key of a value computed from some pages; empty if one is not yet read.

        Args:
            pages: Pairs of a page and its sections that count; no sections for the whole page.
        """
        parts = [kind, sys.byteorder, *options]
        for uri, anchors in pages:
            if self._others and uri not in self._manifest.pages:
                key = self._others.digest(uri).hex()
            else:
                key = self._manifest.pages[uri].key
            if not key:
                return b""
            parts += (uri, key, *anchors)
        return digest(pipeline(), *parts)

    def get(self, key: bytes) -> bytes | None:
        """Return the cached value of a key; None for a miss or an empty key."""
        return self._cache.get(key) if key else None

    def put(self, key: bytes, value: bytes) -> None:
        """Cache a value for the next process; under an empty key, do nothing."""
        if key and not self._cached_only:
            self._cache.put(key, value)

    def validity(self, uri: str) -> Validity:
        """Return when a page is valid by its front matter."""
        if self._others and uri not in self._manifest.pages:
            return self._others.validity(uri)
        entry = self._manifest.pages[uri]
        return Validity(entry.valid, entry.expires)

    def content(self, uri: str) -> str:
        """Return the digest of the content of a page's file."""
        return self._manifest.pages[uri].version.content

    @property
    def files(self) -> Mapping[str, str]:
        """The file of each page by uri, in page order; pages that are never quoted included."""
        settings = self._manifest.settings
        pages = self._manifest.pages.items()
        return {uri: "" if entry.file in settings else entry.file for uri, entry in pages}

    @property
    def has_cache(self) -> bool:
        """Whether anything is cached at all."""
        return self._cache.enabled

    @property
    def notice(self) -> str:
        """Why the cache is not used, or not written; empty while it is."""
        return self._cache.notice

    @property
    def warnings(self) -> tuple[str, ...]:
        """The pages that are left out because they cannot be read."""
        return tuple(
            f"'{uri}' is left out: {reason}"
            for uri, reason in self._manifest.refused.items()
            if reason.startswith((_NOT_UTF8, MERGED, NESTED))
        )

    def _meta(self, uri: str) -> Mapping[str, Any] | None:
        """Return the front matter of a page; None for one of another site."""
        is_other = uri.partition(":")[0] in self._sites
        entry = None if is_other else self._manifest.pages.get(uri)
        return entry and entry.meta

    @property
    def _place(self) -> str:
        """The file or folder that the reader reads."""
        return self._reader.identity[1]

    def _update(self, cached: Manifest | None) -> Manifest:
        """List the pages anew; a cached entry stays where the page would still read the same."""
        opened = self._open()
        listing = roots_listing(opened.roots, include_ignored=opened.include_ignored)
        rendering = opened.rendering.hex()
        refused = dict(opened.refused)
        outputs = [opened.output, str(self._folder or "")]
        files = folder_digest(opened.folder, opened.roots, outputs)
        is_same = cached and (cached.rendering, cached.files) == (rendering, files)
        entries = cached.pages if cached and is_same else {}
        pages = {}
        for listed in opened.pages:
            uri, file, title = listed
            entry = entries[uri].current(listed, opened.find) if uri in entries else None
            if entry is None:
                version = file_version(file)
                try:
                    meta = opened.meta(uri)
                except EncodingError as error:  # one page does not end every command
                    refused[uri] = f"{_NOT_UTF8}{error.line}); save it as UTF-8"
                    continue
                except FrontMatterError as error:
                    refused[uri] = str(error)
                    continue
                since, until = validity(meta)
                values = front_matter_values(meta)
                entry = PageEntry(file, version, title, is_excluded(meta), until, since, values)
            pages[uri] = entry
        return Manifest(
            opened.roots,
            opened.include_ignored,
            listing,
            {file: fingerprint(file) for file in sorted({*opened.settings, self._place})},
            variable_digests(opened.variables),
            opened.folder,
            outputs,
            files,
            rendering,
            refused,
            pages,
        )

    def _find_expired(self) -> dict[str, str]:
        """Return the pages that have expired, with the reason why they are refused."""
        dates = {u: e.expires for u, e in self._manifest.pages.items() if e.expires}
        now = self._now() if self._now and dates else None
        self._is_timed = now is not None
        return expired_pages(dates, now) if now else {}

    def _open(self) -> OpenReader:
        if self._cached_only:
            msg = "the cache does not have all pages as they are; 'mkdocs-recall pages' reads them"
            raise SiteError(self._cache.notice or msg)
        if self._open_reader is None:
            self._open_reader = self._reader.open()
            if any(self._cache.lies_in(root) for root in self._open_reader.roots):
                self._cache = Cache(None)  # writing there would change the listing of the roots
        return self._open_reader

    def _load(self, uri: str) -> Document:
        entry = self._manifest.pages[uri]
        document = self._unpack(uri, entry)
        if document is None:
            document = self._read(uri, entry)
        # What is read out of a file of settings, such as a published one, has no file of its own.
        return replace(document, file="" if entry.file in self._manifest.settings else entry.file)

    def _unpack(self, uri: str, entry: PageEntry) -> Document | None:
        """Return a page from the cache; None for a miss."""
        try:
            packed = self.get(bytes.fromhex(entry.key))
            return None if packed is None else unpack(uri, packed)
        except ValueError:  # another program has written to the cache
            return None

    def _read(self, uri: str, entry: PageEntry) -> Document:
        """Read a page, and cache it with the files that it depends on."""
        opened = self._open()
        document = opened.load(uri)
        others = sorted({*opened.others(uri)} - {os.path.realpath(entry.file)})
        packed = pack(document)
        key = digest(pipeline(), "document", uri, packed)
        self._cache.put(key, packed)
        self._manifest.pages[uri] = entry._replace(
            key=key.hex(),
            others={file: file_version(file) for file in others},
            links={path: opened.find(path) for path in dict.fromkeys(opened.links(uri))},
        )
        self._changed = True
        self._read_count += 1
        if self._progress:
            self._progress(self._read_count, max(self._read_count, self._unread_count))
        return document

    def _save(self) -> None:
        """Write the manifest and the pages to the cache, and close its file."""
        if self._changed and self._cache.enabled and not self._is_copy:
            self._cache.put(self._key, pack_manifest(self._manifest))
            self._changed = False
        self._cache.save()
