"""The pages of a site or folder, cached from one process to the next.

A cached page is valid as long as its files, which the manifest lists, are unchanged. A file with
the same date and size as before is not opened: if none has changed, nothing is rendered and MkDocs
is not imported. A file with a new date but the same content, as after a fresh checkout, is
unchanged.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import KW_ONLY, InitVar, dataclass, replace
from functools import lru_cache
from importlib import import_module
from itertools import chain
from json import dumps, loads
from pathlib import Path
from threading import RLock, Thread
from typing import IO, TYPE_CHECKING, Any, Final, NamedTuple, NoReturn, TypeAlias

from msgspec import Raw, json

from mkdocs_recall.errors import OptionError, PageError, SiteError
from mkdocs_recall.files import content_digest, fingerprint, listing_digest
from mkdocs_recall.index.sources import PageSet, Scalar, front_matter_values
from mkdocs_recall.limits import Limits
from mkdocs_recall.messages import shown
from mkdocs_recall.pages.reader import MARKDOWN, Folder, ListedPage, Reader
from mkdocs_recall.store import Cache, digest, gc_paused, pack, pipeline, unpack, unpack_json
from mkdocs_recall.text import document as documents, front_matter

if TYPE_CHECKING:
    import subprocess
    from datetime import datetime

    from mkdocs_recall.pages.cluster import Cluster
    from mkdocs_recall.pages.published import OtherSites
    from mkdocs_recall.text.model import Document

Fingerprint: TypeAlias = list[int] | None
"""The fingerprint of a version of a file; None if there is no file."""
PAGES: Final = (*MARKDOWN, ".html", ".htm")
"""The suffixes of files that may be pages."""


class FileVersion(NamedTuple):
    """A version of a file."""

    fingerprint: Fingerprint
    content: str
    """The digest of the content in hexadecimal."""

    def current(self, file: str) -> FileVersion | None:
        """Return a file's version now if its content is the same."""
        now = fingerprint(file)
        if now == self.fingerprint:
            return self
        return FileVersion(now, self.content) if _digest(file, *now or ()) == self.content else None


def file_version(file: str) -> FileVersion:
    """Return the version that a file has now."""
    now = fingerprint(file)
    return FileVersion(now, _digest(file, *now or ()))


def _known_key(page: ListedPage) -> str:
    """Return a page's key if it is known before reading, or ""."""
    return digest(pipeline(), "listed", page.digest).hex() if page.digest else ""


@lru_cache(maxsize=1)  # thousands of pages in a row may be read from one published file
def _digest(file: str, *_stamp: int) -> str:
    return content_digest(file)


class PageEntry(NamedTuple):
    """A page and the files that it was read from."""

    file: str
    version: FileVersion
    title: str | None
    excluded: str
    """Why its front matter excludes it from quotes; empty if it does not."""
    validity: front_matter.Validity = front_matter.Validity()
    meta: Mapping[str, list[Scalar]] = {}
    """Its front matter in the form that filters of sources compare."""
    key: str = ""
    """The key of its Document in the cache; empty before it is read."""
    others: Mapping[str, FileVersion] = {}
    """The other files it was read from, or would have been if they existed."""
    links: Mapping[str, str | None] = {}
    """The paths that it links to, and the page or file that each leads to."""

    def current(self, listed: ListedPage, find: Callable[[str], str | None]) -> PageEntry | None:
        """Return the entry, updated, if the page would read the same."""
        if (self.file, self.title) != (listed.file, listed.title):
            return None
        if _known_key(listed) not in {"", self.key}:
            return None
        version = self.version.current(self.file)
        others = {file: version.current(file) for file, version in self.others.items()}
        unchanged = {file: version for file, version in others.items() if version is not None}
        if version is None or len(unchanged) < len(others):
            return None
        if any(find(path) != target for path, target in self.links.items()):
            return None
        return self._replace(version=version, others=unchanged)


class Manifest(NamedTuple):
    """The pages of a reader, and their files: see `Reader`."""

    roots: Sequence[str]
    include_ignored: bool
    listing: str
    """The digest of the names in `roots`, and of the versions of pages."""
    settings: Mapping[str, Fingerprint]
    """The fingerprints of the settings' files, and of the site's place."""
    variables: Mapping[str, str]
    """The digests of the settings' variables; empty if unset."""
    folder: str
    outputs: Sequence[str]
    """Folders to ignore: those of a build and of the cache."""
    files: str
    """The digest of the files in `folder`."""
    rendering: str
    refused: Mapping[str, str]
    pages: dict[str, PageEntry]
    """The pages in page order."""

    def is_current(self, place: str) -> bool:
        """Tell whether all files still have the date and size that they had.

        The fingerprint of the site's file or folder cannot be guessed on another machine: a
        manifest without it may come from elsewhere, and claim any file as a page.
        """
        with suppress(ValueError):  # a NUL in a folder's path
            return (
                bool(self.settings.get(place))
                and self.listing
                == listing_digest(self.roots, PAGES, include_ignored=self.include_ignored)
                and all(fingerprint(file) == stamp for file, stamp in self.settings.items())
                and variable_digests(self.variables) == self.variables
                and folder_digest(self.folder, self.roots, self.outputs) == self.files
                and all(fingerprint(file) == stamp for file, stamp in self._others())
            )
        return False

    def in_copy(self, folder: str, copy: str) -> Manifest:
        """Return the manifest for a copy of a folder."""
        above = os.path.join(folder, "")

        def moved(file: str) -> str:
            return f"{copy}{file[len(folder) :]}" if file.startswith(above) else file

        pages = {}
        for uri, entry in self.pages.items():
            others = {moved(file): version for file, version in entry.others.items()}
            pages[uri] = entry._replace(file=moved(entry.file), others=others)
        return self._replace(pages=pages, settings={})

    def _others(self) -> Iterable[tuple[str, Fingerprint]]:
        versions = chain.from_iterable(entry.others.items() for entry in self.pages.values())
        return {file: version.fingerprint for file, version in versions}.items()


def folder_digest(folder: str, roots: Iterable[str], outputs: Iterable[str]) -> str:
    """Return the digest of the files in a folder and other roots."""
    if not folder:
        return ""
    inside = os.path.join(folder, "")
    folders = [folder, *(root for root in roots if not root.startswith(inside))]
    return listing_digest(folders, ("",), include_ignored=False, without=frozenset(outputs))


def variable_digests(variables: Iterable[str]) -> dict[str, str]:
    """Return the digest of each environment variable, or ""."""
    values = {name: os.environ.get(name) for name in sorted(variables)}
    return {name: "" if value is None else digest(value).hex() for name, value in values.items()}


def unpack_manifest(packed: bytes | None) -> Manifest | None:
    """Return a manifest from the cache; None for anything else."""
    manifest = unpack(Manifest, packed)
    with suppress(ValueError):
        for entry in manifest.pages.values() if manifest else ():
            bytes.fromhex(entry.key)
            for moment in filter(None, entry.validity):
                front_matter.parse_moment(moment)
        return manifest
    return None


PackedPages: TypeAlias = list[tuple[bytes, Raw]]
"""Pages that a worker has indexed, packed, with their keys in the cache."""
MIN_PAGES: Final = 200
"""Fewer pages are read before workers have started."""
_MOST: Final = 8
"""The most workers; each takes 100 MB."""
NOT_DONE: Final = b"null\n"
"""A worker's reply to an item that it cannot handle."""
_START: Final = "import sys; sys.path[:] = {}; from {} import work; work({!r})"


def usable_processors() -> int:
    """Return how many workers this process may use."""
    affinity = getattr(os, "sched_getaffinity", None)  # not on macOS and Windows
    return min(_MOST, len(affinity(0)) if affinity else os.cpu_count() or 1)


class Workers:
    """Processes that run a task for each item, in order: one for each processor.

    A worker is a new Python process, because a fork of a process with threads may hang. It gets its
    items on stdin and returns one line of JSON for each on stdout. The parent process handles items
    that a worker cannot. Ctrl-C does not reach a worker; it ends when its stdin does.
    """

    def __init__(self, task: str, setting: object, items: Sequence[str], processes: int) -> None:
        """Start them.

        The task names a function, `module:function`. It takes the setting and distinct items, and
        yields a value for each; None if it fails. All of these must be JSON values.
        """
        import subprocess

        self._running: list[subprocess.Popen[bytes]] = []
        self._waiting: dict[str, Iterable[tuple[str, bytes]]] = {}
        self._done: dict[str, bytes] = {}
        command = _START.format([str(path) for path in sys.path], __name__, task)
        mode = f"utf8={sys.flags.utf8_mode}"
        shares = [items[number::processes] for number in range(min(processes, len(items)))]
        try:
            for _ in shares:
                worker = subprocess.Popen(  # noqa: S603 - this Python
                    [sys.executable, "-X", mode, "-c", command],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,  # extensions would repeat their output
                    start_new_session=True,
                    creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),  # on Windows
                )
                self._running.append(worker)
            for worker, share in zip(self._running, shares, strict=True):
                assert worker.stdin is not None
                assert worker.stdout is not None
                # A file name that is not UTF-8 goes through as surrogates, which msgspec refuses.
                worker.stdin.write(dumps((setting, share)).encode() + b"\n")
                worker.stdin.flush()
                self._waiting |= dict.fromkeys(share, zip(share, worker.stdout, strict=False))
        except OSError:
            self.close()
        except BaseException:
            self.close()
            raise

    def take(self, item: str) -> bytes | None:
        """Return the JSON for an item, once, if a worker has done it."""
        for other, line in self._waiting.pop(item, ()):
            if line.endswith(b"\n"):  # else the worker was killed
                self._done[other] = line
            if other == item:
                break
        return self._done.pop(item, None)

    def close(self) -> None:
        """End them."""
        self._waiting.clear()
        for worker in self._running:
            worker.kill()
            with suppress(OSError):  # from unwritten data
                worker.communicate()
        self._running.clear()


def work(task: str) -> NoReturn:
    """Do a task as a worker."""
    from concurrent.futures import ThreadPoolExecutor

    requests = os.fdopen(os.dup(0), "rb")
    answers = os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDWR)  # extensions may print or read stdin
    os.dup2(nothing, 0)
    os.dup2(nothing, 1)
    setting, items = loads(requests.readline())
    Thread(target=_end_with, args=(requests,), daemon=True).start()
    module, _, name = task.partition(":")
    do: Callable[[Any, list[str]], Iterable[object]] = getattr(import_module(module), name)
    # Written in a thread, so the next page is read before this one is taken.
    with ThreadPoolExecutor(1) as writer:
        for value in do(setting, items):
            writer.submit(_write, answers, json.encode(value) + b"\n")
    os._exit(0)


def _end_with(requests: IO[bytes]) -> None:
    requests.read()  # until the other end is closed
    os._exit(1)


def _write(answers: IO[bytes], line: bytes) -> None:
    try:
        answers.write(line)
        answers.flush()
    except OSError:  # nobody reads the results
        os._exit(1)


PageReading: TypeAlias = tuple[Raw, list[str], list[str]]
"""A page that a worker has read, packed; its other files and links."""


def read_pages(identity: Sequence[str], uris: Iterable[str]) -> Iterator[PageReading | None]:
    """Read pages as a worker, by the reader with this identity."""
    opened = _reader(*identity).open()
    with gc_paused():
        for uri in uris:
            try:
                packed = documents.pack(opened.load(uri))
                others = [*opened.others.get(uri, ())]
                links = [*opened.links.get(uri, ())]
                yield (Raw(packed), others, links) if packed else None
            except Exception:  # noqa: BLE001, PERF203 - an extension may raise anything; see `Workers`
                yield None


def _reader(kind: str, place: str, *settings: str) -> Reader:
    *language, text = settings
    limits = json.decode(text, type=Limits)
    if kind == "folder":
        return Folder(place, language=language[0], limits=limits)
    from mkdocs_recall.pages.site import Site

    return Site(place, limits)


_GENERATED: Final = "; if a plugin makes it, read the built site (--built)"
_NOT_UTF8: Final = "its file is not UTF-8 (line "


@dataclass(eq=False)
class Library:
    """The pages of a reader, for one thread at a time."""

    reader: Reader
    folder: Path | None
    """The folder of the cache; None for no cache."""
    _: KW_ONLY
    progress: Callable[[int, int], None] | None = None
    """Called with the numbers of pages read and to read, if any."""
    now: Callable[[], datetime | None] | None = None
    """Returns the time, to refuse pages that state an earlier expiry, or None."""
    cached_only: bool = False
    """Whether only the cache is used: no code of a site runs, and nothing is written."""
    sites: frozenset[str] = frozenset()
    """The names of the sites with which the uris begin, if any."""
    others: Callable[[], OtherSites | None] = lambda: None
    """Returns the other sites that may be quoted."""
    original: InitVar[Manifest | None] = None
    """The manifest of the documentation that this is a temporary copy of."""
    processes: int = 1
    cluster: Cluster | None = None
    """Holds the indexes of published sites; None for this process."""
    alias: Callable[[str], str | None] | None = None
    heading_of: Callable[[Document, str], str] | None = None
    """See `PageSet`."""

    @gc_paused()
    def __post_init__(self, original: Manifest | None) -> None:
        """List the pages, from the cache if nothing has changed."""
        if not isinstance(self.processes, int) or self.processes < 1:
            msg = f"'processes' must be a whole number, 1 or more, not {shown(self.processes)}"
            raise OptionError(msg)
        self._others = self.others()
        self.cache = Cache(self.folder, is_written=not self.cached_only)
        self._workers: Workers | None = None
        self._indexers: Workers | None = None
        self._place = self.reader.identity[1]
        self._lock = RLock()
        self._depth = 0
        self._open_reader: Reader | None = None
        self._listed: Mapping[str, ListedPage] = {}
        names = sys.getfilesystemencoding()  # in which listed files can be opened
        self._key = digest("library", pipeline(), names, *self.reader.identity)
        self._is_copy = original is not None
        cached = original or unpack_manifest(self.cache.get(self._key))
        self._changed = cached is None or not cached.is_current(self._place)
        self._manifest = self._update(cached) if cached is None or self._changed else cached
        pages = self._manifest.pages
        self._unread_count = sum(not entry.key for entry in pages.values())
        self._read_count = 0
        self._expired = self._find_expired()
        refused = {u: e.excluded for u, e in pages.items() if e.excluded} | self._expired
        self.collection = PageSet(
            [uri for uri in pages if uri not in refused],
            self._load,
            {**self._manifest.refused, **refused},
            sites=self.sites,
            others=self._others.paths if self._others else {},
            alias=self.alias or (lambda _: None),
            heading_of=self.heading_of,
            remedy=self._remedy,
            meta=self._meta,
        )
        self._save()

    def _remedy(self) -> str:
        """Return where to find pages that plugins add."""
        from mkdocs_recall.pages.config import has_plugins

        kind, place, *_ = self.reader.identity
        return _GENERATED if kind == "site" and has_plugins(Path(place)) else ""

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Let one thread read, then cache what it read."""
        with self._lock:
            self._depth += 1
            try:
                yield
            finally:
                self._depth -= 1
                if not self._depth:
                    for workers in filter(None, (self._workers, self._indexers)):
                        workers.close()
                    self._workers = self._indexers = None
                    self._save()

    def read_ahead(self, uris: Iterable[str]) -> None:
        """Have workers read pages in this order, if many are unread."""
        identity, entries = self.reader.identity, self._manifest.pages
        can_read = identity[0] in {"folder", "site"}  # workers make no other readers
        if self.processes > 1 and not self._workers and can_read:
            unread = [uri for uri in uris if uri in entries and not entries[uri].key]
            if len(unread) >= MIN_PAGES:
                task = f"{read_pages.__module__}:{read_pages.__name__}"
                self._workers = Workers(task, identity, unread, self.processes)

    def index_ahead(self, task: str, pieces: Mapping[str, object], pages: int) -> None:
        """Have workers index pieces, for `take_indexed`."""
        kind, _, *files = self.reader.identity
        if self.processes > 1 and kind == "published" and len(pieces) > 1 and pages >= MIN_PAGES:
            named = dict(file.split("=", 1) for file in files)
            processes = min(self.processes, len(pieces))
            setting = named, pieces, str(self.folder)
            if self._indexers:  # of another source
                self._indexers.close()
            self._indexers = Workers(task, setting, [*pieces], processes)

    def take_indexed(self, piece: str) -> None:
        """Wait for a piece's index, and cache its pages."""
        line = self._indexers.take(piece) if self._indexers else None
        for key, packed in unpack_json(PackedPages, line) if line else ():
            self.cache.put(key, bytes(packed))

    def packed_pages(self, uris: Iterable[str]) -> PackedPages:
        """Return pages, packed, with their keys in the cache."""
        pages = [(self._manifest.pages[uri].key, self.collection.document(uri)) for uri in uris]
        return [(bytes.fromhex(key), Raw(documents.pack(page))) for key, page in pages]

    def refreshed(self) -> Library:
        """Return the library itself, or a current one."""
        with self._lock:
            is_current = self._others is None or self._others.is_current()
            if (
                is_current
                and self._manifest.is_current(self._place)
                and (not self._is_timed or self._find_expired() == self._expired)
            ):
                return self
        return replace(self)

    def in_copy(
        self, reader: Reader, *, folder: str, copy: str, others: Callable[[], OtherSites | None]
    ) -> Library:
        """Return the pages of a copy, maybe from the cache."""
        manifest = self._manifest.in_copy(folder, copy)
        return Library(reader, self.folder, now=self.now, others=others, original=manifest)

    def key(self, kind: str, pages: Iterable[tuple[str, Iterable[str]]], *options: str) -> bytes:
        """Return the key of what is derived from pages, if all are read."""
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

    def validity(self, uri: str) -> front_matter.Validity:
        """Return when a page is valid by its front matter."""
        if self._others and uri not in self._manifest.pages:
            return self._others.validity(uri)
        return self._manifest.pages[uri].validity

    def html(self, uri: str) -> str:
        """Return the HTML that a page's text is read from, if any."""
        with self.reading():  # another site's pages have only text
            return self._open().html(uri) if uri in self._manifest.pages else ""

    @property
    def files(self) -> Mapping[str, str]:
        """The file of each page by uri, in page order."""
        settings = self._manifest.settings
        pages = self._manifest.pages.items()
        return {uri: "" if entry.file in settings else entry.file for uri, entry in pages}

    @property
    def warnings(self) -> tuple[str, ...]:
        """The pages that are left out because they cannot be read."""
        refused = self._manifest.refused.items()
        unread = (_NOT_UTF8, front_matter.MERGED, front_matter.NESTED)
        pages = ((uri, why) for uri, why in refused if why.startswith(unread))
        return tuple(f"'{uri}' is left out: {why}" for uri, why in pages)

    def _meta(self, uri: str) -> Mapping[str, Any] | None:
        is_other = uri.partition(":")[0] in self.sites
        entry = None if is_other else self._manifest.pages.get(uri)
        return entry and entry.meta

    def _update(self, cached: Manifest | None) -> Manifest:
        """List the pages again, and keep current entries."""
        opened = self._open()
        listing = listing_digest(opened.roots, PAGES, include_ignored=opened.include_ignored)
        rendering = opened.rendering.hex()
        refused = dict(opened.refused)
        outputs = [opened.output, str(self.folder or "")]
        files = folder_digest(opened.folder, opened.roots, outputs)
        is_same = cached and (cached.rendering, cached.files) == (rendering, files)
        entries = cached.pages if cached and is_same else {}
        pages = {}
        for listed in opened.pages:
            uri, file, title, _ = listed
            entry = entries[uri].current(listed, opened.find) if uri in entries else None
            if entry is None:
                version = file_version(file)
                try:
                    meta = opened.meta(uri)
                except PageError as error:  # one page does not end every command
                    not_utf8 = f"{_NOT_UTF8}{error.line}); save it as UTF-8"
                    refused[uri] = not_utf8 if error.line else str(error)
                    continue
                valid = front_matter.validity(meta)
                stated = opened.excludes(meta), valid, front_matter_values(meta)
                entry = PageEntry(file, version, title, *stated, _known_key(listed))
            pages[uri] = entry
        return Manifest(
            opened.roots,
            opened.include_ignored,
            listing,
            {file: fingerprint(file) for file in sorted({*opened.settings, self._place})}
            | dict(opened.fingerprints),
            variable_digests(opened.variables),
            opened.folder,
            outputs,
            files,
            rendering,
            refused,
            pages,
        )

    def _find_expired(self) -> dict[str, str]:
        dates = {u: e.validity.until for u, e in self._manifest.pages.items() if e.validity.until}
        now = self.now() if self.now and dates else None
        self._is_timed = now is not None
        return front_matter.expired_pages(dates, now) if now else {}

    def _open(self) -> Reader:
        if self.cached_only:
            msg = "the cache does not have all pages as they are; 'mkdocs-recall pages' reads them"
            raise SiteError(self.cache.notice or msg)
        if self._open_reader is None:
            self.cache.save()  # the reader may open its file, and replace a damaged one
            self._open_reader = self.reader.open()
            self._listed = {page.uri: page for page in self._open_reader.pages}
            if any(self.cache.lies_in(root) for root in self._open_reader.roots):
                self.cache = Cache(None)  # writing there would change the listing
            self.cache.notice = self.cache.notice or self._open_reader.notice
        return self._open_reader

    def _load(self, uri: str) -> Document:
        if self._others and uri not in self._manifest.pages:
            return self._others.document(uri)
        entry = self._manifest.pages[uri]
        document = None
        with suppress(ValueError):  # another program has written to the cache
            packed = self.cache.get(bytes.fromhex(entry.key))
            document = None if packed is None else documents.unpack(uri, packed)
        if document is None:
            document = self._read(uri, entry)
        # Pages from a file of settings, such as a published one, have no file of their own.
        return replace(document, file="" if entry.file in self._manifest.settings else entry.file)

    def _read(self, uri: str, entry: PageEntry) -> Document:
        opened = self._open()
        listed = self._listed.get(uri)
        if listed is None or (entry.key and _known_key(listed) not in {"", entry.key}):
            raise SiteError(f"'{entry.file}' has changed since its pages were listed; ask again")
        line = self._workers.take(uri) if self._workers else None
        others: Iterable[str]
        links: Iterable[str]
        if line and line != NOT_DONE:
            raw, others, links = unpack_json(tuple[Raw, list[str], list[str]], line)
            document, packed = documents.unpack(uri, raw), bytes(raw)
        else:
            document = opened.load(uri)
            packed = documents.pack(document)
            others, links = opened.others.get(uri, ()), opened.links.get(uri, ())
        paths = sorted({*others} - {os.path.realpath(entry.file)})
        key = bytes.fromhex(entry.key) or digest(pipeline(), "document", uri, packed)
        key = key if packed else b""
        self.cache.put(key, packed)
        read = entry._replace(
            key=key.hex(),
            others={file: file_version(file) for file in paths},
            links={path: opened.find(path) for path in dict.fromkeys(links)},
        )
        if read != entry:
            self._manifest.pages[uri] = read
            self._changed = True
        self._read_count += 1
        if self.progress:
            self.progress(self._read_count, max(self._read_count, self._unread_count))
        return document

    def _save(self) -> None:
        if self._changed and self.cache.enabled and not self._is_copy:
            self.cache.put(self._key, pack(self._manifest))
            self._changed = False
        self.cache.save()
