"""The store: values as bytes and back, and a cache on disk with those of earlier builds.

A type says what the bytes may hold, down to each value: they may come from anywhere. The cache has
MessagePack; published files, and the documents in both, are JSON. Lone surrogates, and numbers of
more than 64 bits, are not cached.

The cache is a few files, segments, and one for each large value, which is mapped into memory. Each
build with new values writes a segment, and merges those into it that are not much larger. A file is
never changed, only replaced as a whole, so processes share files without a lock.

A key is the digest of the inputs of its value. A value is intact, or it is a miss: a file that is
truncated, foreign, of another version, unreadable or unwritable causes misses and one notice, never
an error. A build without new values writes nothing, so a watched folder is not rebuilt for ever.

A cache decides what is quoted, and its keys are not secret. By default, it is among the user's own
files. In a git work tree, a pull request may put a forged cache in the place of ours, so a cache is
not used if git tracks a file in it, or a link on the way.

The digest of the code that computes answers (this package, its libraries, Python) is part of every
key, so an upgrade or an edit of any of them empties the cache. `hosts.sources` and `pages.library`
cover all else that an answer depends on.
"""

from __future__ import annotations

import gc
import os
import sys
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import cache, lru_cache
from hashlib import sha256
from itertools import accumulate, chain
from mmap import ACCESS_READ, mmap
from pathlib import Path
from stat import S_ISREG
from typing import Any, BinaryIO, Final, TypeAlias, TypeVar
from weakref import WeakSet

import msgspec

from mkdocs_recall.files import fingerprint, real_path, write_atomically
from mkdocs_recall.messages import single_line

_T = TypeVar("_T")
_decoder: Final[Any] = cache(msgspec.msgpack.Decoder)
_json_decoder: Final[Any] = cache(msgspec.json.Decoder)
MISSHAPEN: Final = msgspec.MsgspecError, ValueError, RecursionError
"""The errors of decoding bytes of another shape."""


def pack(value: object) -> bytes:
    """Return a value as bytes; empty if they cannot hold it."""
    try:
        return msgspec.msgpack.encode(value)
    except (UnicodeEncodeError, OverflowError):
        return b""


def unpack(kind: type[_T], packed: bytes | None) -> _T | None:
    """Return a value from the bytes of `pack`; None for other bytes."""
    try:
        value: _T = _decoder(kind).decode(packed or b"")
    except MISSHAPEN:
        return None
    return value


def pack_json(value: object) -> bytes:
    """Return a value as JSON in UTF-8; empty if that cannot hold it."""
    try:
        return msgspec.json.encode(value)
    except UnicodeEncodeError:
        return b""


def unpack_json(kind: type[_T], packed: bytes) -> _T:
    """Return a value from JSON; another shape raises one of `MISSHAPEN`."""
    value: _T = _json_decoder(kind).decode(packed)
    return value


@contextmanager
def gc_paused() -> Iterator[None]:
    """Pause the garbage collector, which would repeatedly traverse all of MkDocs' pages.

    No cycles are made meanwhile, so everything is freed without the collector.
    """
    if not gc.isenabled():
        yield
        return
    try:
        gc.disable()
        yield
    finally:  # by the same thread, or two threads could leave it off for ever
        gc.enable()


_ELSEWHERE: Final = "leave out 'cache_dir', or name a folder outside of the repository"


def refusal(folder: Path) -> str:
    """Return why a cache in a folder must not be used; an empty text if it may.

    Git runs only if the folder is in a work tree. If it fails, it may track files there.
    """
    try:
        links = [path for path in (folder, *folder.parents) if path.is_symlink()]
    except OSError as error:
        return str(error)
    for place in (real_path(folder), *(real_path(path.parent) / path.name for path in links)):
        for top in (place, *place.parents):
            if os.path.lexists(top / ".git") and (reason := _tracking(place, top)):
                return reason
    return ""


def _tracking(place: Path, top: Path) -> str:
    from shlex import quote

    from mkdocs_recall.git import GitError, run_git

    name = place.relative_to(top).as_posix()
    try:
        # To some file systems, `.Cache` is the same folder.
        tracked = run_git(top, "ls-files", "-z", "--", f":(icase,literal){name}")
    except GitError as error:
        return f"git cannot tell whether it tracks files there: {error}; {_ELSEWHERE}"
    if not tracked:
        return ""
    reason = f"git tracks files there, which strangers may have written; {_ELSEWHERE}"
    command = f"git --literal-pathspecs -C {quote(str(top))} rm -rf -- {quote(name)}"
    is_copied = place != top and single_line(command) == command
    return f"{reason}, or run: {command}" if is_copied else reason


FORMAT: Final = 2
"""The version of the segments' format; other versions have other file names."""
_KIND: Final = b"RCL2"
"""The start of a segment, before the check and the size of its head."""
_LEAD: Final = 16  # bytes before the head
LIMIT: Final = 256 * 1024 * 1024
"""Bytes: some 15,000 pages, or the vectors of 150,000 sentences. The oldest are evicted first."""
_FACTOR: Final = 4
"""Times the limit: the largest size of a segment, and of all mapped values together."""
MAPPED: Final = "recall-*.map"
"""The files of values that are mapped into memory. The oldest are evicted first."""
_MOST_MAPS: Final = 128
"""The most files mapped at once: each holds a file descriptor, of which macOS has 256."""
_open_maps: WeakSet[mmap] = WeakSet()
_LEFT: Final = 0.75
"""The share of the limit that remains after an eviction, which keeps evictions rare."""
_BATCH: Final = 8 * 1024 * 1024  # bytes that wait in memory before they are written
_LARGER: Final = 2
"""How many times as large a segment merged into a new one may be …"""
_MERGED: Final = 1 / 8
"""… and the largest share of the limit of both: segments are evicted whole."""
_VERBS: Final = {True: "used", False: "written"}
_CHECK: Final = 8  # bytes of the digest before each value


def digest(*parts: str | bytes) -> bytes:
    """Return the digest of parts in order: 16 bytes of SHA-256."""
    data = [
        part if isinstance(part, bytes) else part.encode("utf-8", "surrogatepass") for part in parts
    ]
    lengths = ",".join([str(len(part)) for part in data])
    return sha256(b"".join((lengths.encode(), b";", *data))).digest()[:16]


_Places: TypeAlias = dict[bytes, tuple[int, int]]
"""The start and size of each value of a segment, by key."""


@lru_cache(maxsize=8)  # each lookup of a page opens the segments again, mostly the same ones
def _contents_of(packed: bytes, length: int) -> tuple[int, _Places] | None:
    contents = unpack(tuple[int, _Places], packed)
    places = contents[1].values() if contents else ()
    return contents if all(0 <= s <= s + size <= length for s, size in places) else None


class _Segment(msgspec.Struct, frozen=True):
    path: Path
    file: BinaryIO
    start: int
    number: int
    """One more than that of the newest segment known to its writer."""
    places: _Places

    @classmethod
    def read(cls, path: Path, largest: int) -> _Segment:
        """Open a segment; a ValueError states its fault."""
        with ExitStack() as stack:
            file = stack.enter_context(path.open("rb"))
            length = os.fstat(file.fileno()).st_size
            if length > largest:
                raise ValueError("it is larger than a cache file can be")
            lead = file.read(_LEAD)
            size = lead[len(_KIND) + _CHECK :]
            packed = file.read(min(length, int.from_bytes(size, "big")))
            is_ours = lead == _KIND + _check(size, packed) + size
            start = _LEAD + len(packed)
            contents = _contents_of(packed, length - start) if is_ours else None
            if contents is None:
                raise ValueError("it is incomplete")
            stack.pop_all()  # it stays open
        return cls(path, file, start, *contents)

    @property
    def size(self) -> int:
        """The size of its values in bytes."""
        return sum(size for _, size in self.places.values())

    def raw(self, key: bytes) -> bytes:
        """Return the check and value of a key, even if damaged."""
        start, size = self.places[key]
        try:
            self.file.seek(self.start + start)
            return self.file.read(size).ljust(size)  # the file may be cut off meanwhile
        except OSError:
            return bytes(size)

    def entry(self, key: bytes) -> bytes:
        """Return the value of a key, after its check; empty if damaged."""
        entry = self.raw(key)
        return entry if entry[:_CHECK] == _check(key, entry[_CHECK:]) else b""


class Cache:
    """Bytes by key. One thread uses it at a time; processes may share its files."""

    _segments: list[_Segment] | None = None  # even if construction was interrupted

    def __init__(
        self,
        folder: Path | None,
        *,
        name: str = "pages",
        limit: int = LIMIT,
        is_written: bool = True,
    ) -> None:
        self.enabled = folder is not None
        self.notice = ""
        """Why the files could not be read or written; empty if they could."""
        self._folder = folder or Path()
        self._names = segments(name)
        self._limit = limit
        self._readable = folder is not None
        self._writable = self._readable and is_written
        self._pending: dict[bytes, bytes] = {}
        self._pending_size = 0
        self._written = 0  # bytes
        self._refusal: str | None = None

    def __del__(self) -> None:
        """Close the files: Python would warn from 3.13 on."""
        self._forget()

    def lies_in(self, folder: str) -> bool:
        """Tell whether the files are, or will be, in a folder."""
        return self.enabled and real_path(self._folder).is_relative_to(real_path(folder))

    def get(self, key: bytes) -> bytes | None:
        """Return the value of a key; None for a miss, or an empty key."""
        return self._pending.get(key) or self.get_many((key,)).get(key) if key else None

    def get_many(self, keys: Iterable[bytes]) -> dict[bytes, bytes]:
        """Return the values of some keys; misses are left out."""
        values: dict[bytes, bytes] = {}
        missing = set(keys)
        for segment in self._read():
            for key in missing & segment.places.keys():
                if entry := segment.entry(key):
                    values[key] = entry[_CHECK:]
            missing -= values.keys()
        return values

    def put(self, key: bytes, value: bytes) -> None:
        """Cache a value, on disk after `save` at the latest, unless it or its key is empty."""
        if key and value and self._writable:
            self._pending[key] = value
            self._pending_size += len(value)
            if self._pending_size >= _BATCH:
                self._write()

    def map(self, name: str, key: bytes, read: Callable[..., _T]) -> _T | None:
        """Return `read` of the value of a key; None for a miss, or an empty key.

        The value is in a file mapped into memory. It is compared with its digest once, later only
        by date, size and ends. `read` gets the value, and `is_known`: whether it succeeded with
        this file before. Its ValueError is a miss.
        """
        path, place = self._mapped(name, key), digest("mapped", name, key)
        try:
            is_ours = key and self._readable and _is_file(path) and self._is_allowed()
            stamp = fingerprint(str(path)) if is_ours else None
            if stamp is None or stamp[-1] > self._limit:
                return None
            with path.open("rb") as file:
                view = memoryview(_contents(file))
                # After a power failure, a file may have its size, but zeros in it.
                version = pack((stamp, bytes(view[:_CHECK]), bytes(view[-_CHECK:])))
                is_known = self.get(place) == version
                if not is_known:
                    if view[:_CHECK] != _check(key, view[_CHECK:]):
                        return None
                    with suppress(OSError):  # Windows refuses this to readers
                        os.fsync(file.fileno())
            value = read(view[_CHECK:], is_known=is_known)
        except (OSError, ValueError):  # the file is empty or foreign
            return None
        if not is_known:
            self.put(place, version)
        return value

    def put_mapped(self, name: str, key: bytes, value: bytes) -> None:
        """Cache a value for `map`, replacing the one with this name and another key.

        A file is never written to, since others may have it mapped; on Windows, a mapped file stays
        until the next time.
        """
        is_fitting = key and value and len(value) < self._limit
        if not (is_fitting and self._writable and self._is_allowed()):
            return
        path = self._mapped(name, key)
        try:
            _make_file(path, (_check(key, value), value))
            mapped = []
            for file in path.parent.glob(MAPPED):
                with suppress(OSError):  # another process may delete it
                    status = file.stat()
                    mapped.append((status.st_mtime_ns, status.st_size, file))
            room = _FACTOR * self._limit
            for _, size, file in sorted(mapped, reverse=True):
                room -= size
                is_old = file != path and file.name.startswith(f"{_stem(name)}-")
                if is_old or room < 0:
                    with suppress(OSError):
                        file.unlink()
        except OSError as error:
            self._give_up(error, reading=False)

    def _mapped(self, name: str, key: bytes) -> Path:
        return self._folder / f"{_stem(name)}-{key[:8].hex()}.map"

    def save(self) -> None:
        """Write pending values, and forget the files."""
        if self._pending:
            self._write()
        self.close()

    def close(self) -> None:
        """Close the files without writing; they are read again on demand."""
        self._forget()
        self._pending, self._pending_size = {}, 0

    def _forget(self) -> None:
        for segment in self._segments or ():
            segment.file.close()
        self._segments = None

    def _read(self) -> list[_Segment]:
        if self._segments is None:
            self._segments = []
            try:
                paths = sorted(self._folder.glob(self._names)) if self._readable else []
            except OSError as error:  # for example, the folder's name is too long
                self._give_up(error)
                return []
            if paths and self._is_allowed():
                self._segments += filter(None, map(self._segment, paths))
                self._segments.sort(key=lambda segment: -segment.number)
        return self._segments

    def _segment(self, path: Path) -> _Segment | None:
        """Return a segment; a damaged one is removed."""
        try:  # never a link, nor a pipe, which would block
            return _Segment.read(path, _FACTOR * self._limit) if _is_file(path) else None
        except FileNotFoundError:  # another process has merged it
            return None
        except OSError as error:
            self._give_up(error)
        except ValueError as error:
            self.notice = f"the cache '{path}' was damaged and is rebuilt: {error}"
            with suppress(OSError):
                path.unlink()
        return None

    def _write(self) -> None:
        pending, self._pending, self._pending_size = self._pending, {}, 0
        if not self._writable or not self._is_allowed():
            return
        self._forget()  # others may have written
        older = self._read()
        number = max((segment.number for segment in older), default=0) + 1
        sizes = {key: _CHECK + len(value) for key, value in pending.items()}
        size = sum(sizes.values())
        self._written += size
        holders: dict[bytes, _Segment] = {}  # of the values that are copied
        kept = [*older]
        while kept and kept[0].size <= min(_LARGER * size, _MERGED * self._limit - size):
            segment = kept.pop(0)
            size += segment.size
            places = segment.places
            holders = {**dict.fromkeys(places, segment), **holders}
            sizes = {**{key: entry_size for key, (_, entry_size) in places.items()}, **sizes}
        total = size + sum(segment.size for segment in kept)
        evicted = total > self._limit
        while kept and evicted and total > _LEFT * self._limit:
            total -= kept.pop().size
        starts = zip(sizes, accumulate(sizes.values(), initial=0), strict=False)
        packed = pack((number, {key: (start, sizes[key]) for key, start in starts}))
        length = len(packed).to_bytes(_LEAD - len(_KIND) - _CHECK, "big")
        check = _check(length, packed)
        path = self._folder / self._names.replace("*", check.hex())
        entries = (  # copied one by one, to save memory
            _check(key, pending[key]) + pending[key] if key in pending else holders[key].raw(key)
            for key in sizes
        )
        try:
            _make_file(path, chain((_KIND, check, length, packed), entries))
        except OSError as error:
            self._give_up(error, reading=False)
            return
        self._writable = self._written <= self._limit
        self._forget()
        useless = {segment.path for segment in older} - {path, *(segment.path for segment in kept)}
        for file in useless:
            with suppress(OSError):  # Windows does not delete open files
                file.unlink()

    def _is_allowed(self) -> bool:
        if self._refusal is None:
            self._refusal = refusal(self._folder)
        if self._refusal:
            self._readable = self._writable = False
            self.notice = f"the cache '{self._folder}' is not used: {self._refusal}"
        return not self._refusal

    def _give_up(self, error: OSError, *, reading: bool = True) -> None:
        self._writable = False
        self._readable = self._readable and not reading
        self.notice = f"the cache '{self._folder}' is not {_VERBS[reading]}: {error}"


def segments(name: str = "pages") -> str:
    """Return the pattern of the names of the segments of a cache."""
    return f"recall-{name}-{FORMAT}-*.bin"


def _make_file(path: Path, parts: Iterable[bytes]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if not any(path.parent.iterdir()):  # else it holds foreign files
        path.with_name(".gitignore").write_text("*\n", encoding="utf-8")
    if path.is_symlink():  # else the target would be written
        path.unlink()
    write_atomically(path, parts)


def _is_file(path: Path) -> bool:
    return S_ISREG(path.lstat().st_mode)


def _contents(file: BinaryIO) -> mmap | bytes:
    if len(_open_maps) >= _MOST_MAPS:
        return file.read()
    mapped = mmap(file.fileno(), 0, access=ACCESS_READ)
    _open_maps.add(mapped)
    return mapped


def _stem(name: str) -> str:
    return f"recall-{digest(name)[:8].hex()}"


def _check(key: bytes, value: bytes | memoryview) -> bytes:
    """Return what proves that a value is whole and for this key."""
    hashed = sha256(key)
    hashed.update(value)
    return hashed.digest()[:_CHECK]


PACKAGE: Final = os.path.dirname(__file__)  # noqa: PTH120 - without Path, a build starts faster
"""The folder of this package."""
_LIBRARIES: Final = (
    *("Markdown", "PyStemmer", "PyYAML", "markdown_it_py", "mdit_py_plugins", "pymdown_extensions"),
    *("regex", "selectolax", "sentencex", "snowballstemmer"),
)
"""Libraries whose version may change a text, its words, or a directive's options."""


@cache
def pipeline() -> bytes:
    """Return the digest of the code that computes answers."""
    return package_digest(PACKAGE)


def package_digest(folder: str) -> bytes:
    """Return the digest of a package, its libraries, and Python."""
    parts: list[str | bytes] = [sys.version, unicodedata.unidata_version]
    for library in sorted(_versions()):
        parts += library
    for path in _files(folder):
        with open(path, "rb", buffering=0) as file:  # noqa: PTH123
            parts += (path[len(folder) + 1 :], sha256(file.read()).digest())
    return digest(*parts)


def _versions() -> Iterator[tuple[str, str]]:
    """Yield the installed libraries with their versions."""
    # Like `importlib.metadata`, whose import would take longer than this module's whole run.
    missing = {name.lower(): name for name in _LIBRARIES}
    for folder in sys.path:
        try:
            names = os.listdir(folder or ".")  # noqa: PTH208
        except OSError:
            continue
        for name in sorted(names):
            stem, _, suffix = name.rpartition(".")
            library, _, number = stem.partition("-")
            if suffix == "dist-info" and library.lower() in missing:
                yield missing.pop(library.lower()), number
    for library in missing.values():
        from importlib.metadata import PackageNotFoundError, version

        with suppress(PackageNotFoundError):
            yield library, version(library)


def _files(folder: str) -> Iterator[str]:
    for entry in sorted(os.scandir(folder), key=lambda entry: entry.name):
        if entry.name.endswith((".py", ".txt", ".css")):
            yield entry.path
        elif entry.is_dir() and entry.name != "__pycache__":
            yield from _files(entry.path)
