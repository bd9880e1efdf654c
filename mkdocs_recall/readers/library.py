"""The pages of an origin, kept in the cache from one process to the next.

What was read stays as it is while its files do. To find out takes a look at each file's date and
size: when none has changed, nothing is rendered, and MkDocs is not even imported.
"""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Final

from mkdocs_recall.cache.files import files_opened, fingerprint
from mkdocs_recall.cache.pipeline import pipeline
from mkdocs_recall.cache.store import Cache, digest
from mkdocs_recall.index.selection import PageSet
from mkdocs_recall.readers.manifest import (
    Manifest,
    PageEntry,
    file_version,
    pack_manifest,
    roots_listing,
    unpack_manifest,
    variable_digests,
)
from mkdocs_recall.text.front_matter import EXCLUDED, expiry_date, is_excluded, parse_moment
from mkdocs_recall.text.packing import pack, unpack

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from datetime import datetime

    from mkdocs_recall.readers.base import OpenReader, Reader
    from mkdocs_recall.text.model import Document

_DAY: Final = len("2026-02-11")


class Library:
    """The pages of an origin. One thread uses it at a time: see `reading`.

    Attributes:
        collection: The pages by name; one is read when its Document is asked for.
    """

    def __init__(
        self,
        origin: Reader,
        folder: Path | None,
        *,
        progress: Callable[[int, int], None] | None = None,
        now: Callable[[], datetime | None] | None = None,
    ) -> None:
        """Find out which pages there are.

        Args:
            origin: Where they come from.
            folder: Where what was read is kept; None for nowhere.
            progress: Told how many pages of how many were read; None for nobody.
            now: Asked what time it is if a page says when it expires: from then on it is refused.
                None where none is.

        Raises:
            SiteError: The origin cannot be read.
        """
        self._origin = origin
        self._folder = folder
        self._cache = Cache(folder)
        self._progress = progress
        self._now = now
        self._lock = RLock()
        self._depth = 0
        self._opened: OpenReader | None = None
        self._key = digest("library", pipeline(), *origin.identity)
        kept = unpack_manifest(self._cache.get(self._key))
        self._changed = kept is None or not kept.is_current(self._place)
        self._snapshot = self._taken(kept) if kept is None or self._changed else kept
        pages = self._snapshot.pages
        self._unread = sum(not entry.key for entry in pages.values())
        self._read = 0
        self._left_out = self._expired()
        refused = {u: EXCLUDED for u, e in pages.items() if e.refused} | self._left_out
        self.collection = PageSet(
            [uri for uri in pages if uri not in refused],
            self._load,
            {**self._snapshot.refused, **refused},
        )
        self._settle()

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Keep other threads waiting meanwhile; then leave what was read to the next process."""
        with self._lock:
            self._depth += 1
            try:
                yield
            finally:
                self._depth -= 1
                if not self._depth:
                    self._settle()

    def refreshed(self) -> Library:
        """Return itself, if nothing has changed, else the pages as they are now."""
        with self._lock:
            if self._snapshot.is_current(self._place) and (
                not self._is_timed or self._expired() == self._left_out
            ):
                return self
        return Library(self._origin, self._folder, progress=self._progress, now=self._now)

    def key(self, kind: str, pages: Iterable[tuple[str, Iterable[str]]], *more: str) -> bytes:
        """Return the key of what is made of some pages; empty where one of them was not read yet.

        Args:
            kind: What it is.
            pages: Pairs of a page and its sections that count; none for all of it.
            more: What else it depends on.
        """
        parts = [kind, sys.byteorder, *more]
        for uri, anchors in pages:
            key = self._snapshot.pages[uri].key
            if not key:
                return b""
            parts += (uri, key, *anchors)
        return digest(pipeline(), *parts)

    def kept(self, key: bytes) -> bytes | None:
        """Return what was kept under a key, or None."""
        return self._cache.get(key) if key else None

    def keep(self, key: bytes, value: bytes) -> None:
        """Leave something to the next process."""
        if key:
            self._cache.put(key, value)

    def expires(self, uri: str) -> str:
        """Return from when on a page does not hold, in ISO 8601; empty where it does not say."""
        return self._snapshot.pages[uri].expires

    @property
    def files(self) -> Mapping[str, str]:
        """The file of each page by uri, in page order, also of those that are never quoted."""
        return {uri: entry.file for uri, entry in self._snapshot.pages.items()}

    @property
    def keeps(self) -> bool:
        """Whether anything is kept at all."""
        return self._cache.enabled

    @property
    def notice(self) -> str:
        """Why nothing, or not all, is kept; empty while all is well."""
        return self._cache.notice

    @property
    def _place(self) -> str:
        """Where the origin is: a file or a folder."""
        return self._origin.identity[1]

    def _taken(self, kept: Manifest | None) -> Manifest:
        """Look at the origin anew; what is known of a page stays where that is still so."""
        opened = self._open()
        now = roots_listing(opened.roots, all_of_them=opened.all_of_them)
        rendering = opened.rendering.hex()
        known = kept.pages if kept and kept.rendering == rendering else {}
        pages = {}
        for listed in opened.pages:
            uri, file, title = listed
            entry = known[uri].now(listed, opened.find) if uri in known else None
            if entry is None:
                version = file_version(file)
                meta = opened.meta(uri)
                entry = PageEntry(file, version, title, is_excluded(meta), expiry_date(meta))
            pages[uri] = entry
        return Manifest(
            opened.roots,
            opened.all_of_them,
            now,
            {file: fingerprint(file) for file in sorted({*opened.settings, self._place})},
            variable_digests(opened.variables),
            rendering,
            opened.refused,
            pages,
        )

    def _expired(self) -> dict[str, str]:
        """Return the pages that have expired, with the reason why they are refused."""
        stated = {u: e.expires for u, e in self._snapshot.pages.items() if e.expires}
        now = self._now() if self._now and stated else None
        self._is_timed = now is not None
        return {
            uri: f"it expired on {expires[:_DAY]}"
            for uri, expires in stated.items()
            if now and parse_moment(expires) <= now
        }

    def _open(self) -> OpenReader:
        if self._opened is None:
            self._opened = self._origin.open()
            if any(self._cache.lies_in(root) for root in self._opened.roots):
                self._cache = Cache(None)  # to write there would change what is read
        return self._opened

    def _load(self, uri: str) -> Document:
        entry = self._snapshot.pages[uri]
        document = self._unpacked(uri, entry)
        if document is None:
            document = self._loaded(uri, entry)
        return replace(document, file=entry.file)

    def _unpacked(self, uri: str, entry: PageEntry) -> Document | None:
        """Return a page from the cache, if it is there."""
        try:
            packed = self.kept(bytes.fromhex(entry.key))
            return None if packed is None else unpack(uri, packed)
        except ValueError:  # somebody has written to the cache who should not
            return None

    def _loaded(self, uri: str, entry: PageEntry) -> Document:
        """Read a page, and keep it with what it depends on."""
        opened = self._open()
        with files_opened() as files:
            document = opened.load(uri)
        others = sorted(files.union(opened.missing(uri)) - {os.path.realpath(entry.file)})
        packed = pack(document)
        key = digest(pipeline(), "document", uri, packed)
        self._cache.put(key, packed)
        self._snapshot.pages[uri] = entry._replace(
            key=key.hex(),
            others={file: file_version(file) for file in others},
            links={path: opened.find(path) for path in dict.fromkeys(opened.links(uri))},
        )
        self._changed = True
        self._read += 1
        if self._progress:
            self._progress(self._read, max(self._read, self._unread))
        return document

    def _settle(self) -> None:
        """Leave what is known to the next process, and let go of the cache's file."""
        if self._changed and self._cache.enabled:
            self._cache.put(self._key, pack_manifest(self._snapshot))
            self._changed = False
        self._cache.save()


def user_cache_folder(folder: str | os.PathLike[str]) -> Path | None:
    """Return where to keep what is read of a folder that is no site: in the user's own cache.

    None where there is none: in a container, a user may have no folder.
    """
    from platformdirs import user_cache_path

    try:
        caches = user_cache_path("mkdocs-recall")
    except RuntimeError:
        return None
    path = Path(folder).resolve()
    own = caches / f"{path.name}-{digest(str(path)).hex()[:16]}"
    return own if own.is_absolute() else None  # as older versions of platformdirs leave it
