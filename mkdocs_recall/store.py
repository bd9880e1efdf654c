"""The store: values as bytes and back, and those of earlier builds in a cache on disk.

A type says what the bytes may hold, down to each value. Whoever reads them may have them from
anywhere, so bytes of another shape are refused, and nothing is made but values of that type. The
cache has MessagePack; published files, and the documents in both, are JSON. Lone surrogates, which
no file holds, and numbers of more than 64 bits are not cached.

The cache is one SQLite file, and a file for each large value, which is mapped into memory. A key is
the digest of what its value was computed from. A value is there, whole and right,
or it is a miss: a file that is truncated, foreign, locked, read-only, of another version, or on a
full disk is a miss and one notice, never an error. No clock is read: age is counted in builds that
had something to write. SQLite keeps a rollback journal here, since write-ahead logging is hardly
faster: so a read touches no file, a watched folder is not rebuilt for ever, and a read-only folder
can be read.

A cache decides what is quoted, and its keys are no secret. By default, it is among the user's own
files, where no clone puts one. In a work tree of git, a pull request may bring a forged cache to
the very place of ours, so that one is not used where git tracks a file in it, or a link on the way.
SQLite also obeys a database: it follows links, runs triggers, and completes a journal, which may
delete another file. So the file and its neighbours are checked before SQLite opens it, and its
schema before anything is read.

The digest of the code that computes answers (this package, its libraries, Python) is part of every
key, so that an upgrade or an edit of any of them empties the cache. What else an answer depends on
is left to `hosts.sources` and `pages.library`.
"""

from __future__ import annotations

import gc
import os
import sqlite3
import sys
import unicodedata
from contextlib import contextmanager, suppress
from functools import cache
from hashlib import sha256
from itertools import islice
from mmap import ACCESS_READ, mmap
from pathlib import Path
from stat import S_ISREG
from typing import TYPE_CHECKING, Any, BinaryIO, Final, TypeVar
from weakref import WeakSet

import msgspec

from mkdocs_recall.files import fingerprint, real_path, write_atomically

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator


_T = TypeVar("_T")
_decoder: Final[Any] = cache(msgspec.msgpack.Decoder)
_json_decoder: Final[Any] = cache(msgspec.json.Decoder)
MISSHAPEN: Final = msgspec.MsgspecError, ValueError, RecursionError
"""What decoding bytes of another shape raises."""


def pack(value: object) -> bytes:
    """Return a value as bytes; empty if they cannot hold it, so that it is not cached."""
    try:
        return msgspec.msgpack.encode(value)
    except (UnicodeEncodeError, OverflowError):
        return b""


def unpack(kind: type[_T], packed: bytes | None) -> _T | None:
    """Return the value that `pack` has packed; None for anything else."""
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
    """Pause the garbage collector, which would go through all of MkDocs' pages again and again.

    Nothing that is made meanwhile holds itself, so that all of it is freed without the collector.
    """
    if not gc.isenabled():
        yield
        return
    try:
        gc.disable()
        yield
    finally:  # whoever pauses it resumes it, or two threads could leave it off for ever
        gc.enable()


_ELSEWHERE: Final = "leave out 'cache_dir', or name a folder outside of the repository"


def make_folder(folder: Path) -> None:
    """Create the folder of a cache; git ignores it if nothing else is in it."""
    folder.mkdir(parents=True, exist_ok=True)
    if not any(folder.iterdir()):  # else it holds files that are not ours
        (folder / ".gitignore").write_text("*\n", encoding="utf-8")


def refusal(folder: Path) -> str:
    """Return why a cache in a folder is neither read nor written; an empty text where it is.

    Git is started only where the folder is in a work tree. If it has no answer, it may track files
    there.
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
    """Return that git tracks a file or folder of a work tree, with a remedy; empty if not."""
    from shlex import quote

    from mkdocs_recall.git import GitError, run_git
    from mkdocs_recall.messages import single_line

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


FORMAT: Final = 1
"""The version of the file's format; a file of another version has another name."""
FILE: Final = f"recall-{FORMAT}.sqlite3"
FAULTS: Final = (sqlite3.Error, OSError, ValueError)
"""The exceptions of SQLite; a ValueError where its message quotes damaged text that is no UTF-8."""
_TRANSIENT: Final = ("locked", "locking", "readonly", "full", "disk I/O", "unable to open")
"""In messages of errors that are not the file's fault; Python 3.10 lacks their numbers."""
_APPLICATION: Final = 0x52434C31  # "RCL1"
_MAGIC: Final = b"SQLite format 3\0"
_HEADER: Final = 100  # bytes: the journal mode at 18, the format at 60, the application at 68
_ROLLBACK: Final = b"\1\1"
"""The mode of a rollback journal, as opposed to a write-ahead log."""
_SUPER_JOURNAL: Final = b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7"
"""The end of a journal that names a super-journal, a file that SQLite then deletes. Only a
transaction over several databases needs one."""
_WAIT: Final = 1.0  # seconds for another process to finish writing
_STEPS: Final = 50_000_000
"""How many steps of SQLite's machine one statement may take: a few seconds. To read all entries
takes a fifth of them; pages of a damaged file may form a circle."""
_SCHEMA: Final = {
    "TABLE": "entry(key INTEGER PRIMARY KEY, used INTEGER NOT NULL, value BLOB NOT NULL)",
    "INDEX": "entry_used ON entry(used)",
}
_CREATE: Final = f"""
    BEGIN IMMEDIATE;
    {"".join(f"CREATE {kind} IF NOT EXISTS {text};" for kind, text in _SCHEMA.items())}
    PRAGMA application_id = {_APPLICATION};
    PRAGMA user_version = {FORMAT};
    COMMIT;
"""


def open_database(path: Path, largest: int) -> sqlite3.Connection:
    """Open the file, or create it in a folder that exists.

    Args:
        largest: Bytes; no file of ours is larger.
    """
    if missing := _lacking(path):
        msg = f"it is not a {missing}"
        raise sqlite3.DatabaseError(msg)
    if not all(map(_is_harmless, _neighbours(path))):
        msg = "what lies beside it is not its own"
        raise sqlite3.DatabaseError(msg)
    connection = sqlite3.connect(path, timeout=_WAIT, isolation_level=None, check_same_thread=False)
    try:
        connection.execute("PRAGMA synchronous = OFF")  # a lost cache is no loss
        connection.execute("PRAGMA cell_size_check = ON")
        connection.set_progress_handler(lambda: 1, _STEPS)
        _prepare(connection, path, largest)
    except BaseException:
        connection.close()
        raise
    return connection


def remove_database(path: Path) -> None:
    """Remove the file and, before it, its neighbours: they must not be applied to the next file."""
    for file in (*_neighbours(path), path):
        file.unlink(missing_ok=True)


def is_transient(error: Exception) -> bool:
    """Tell whether an error is no sign that the file itself is damaged."""
    if isinstance(error, sqlite3.OperationalError):
        return any(words in str(error) for words in _TRANSIENT)
    return isinstance(error, OSError)


_DATABASE: Final = "database"
_OWN: Final = "file of this version of mkdocs-recall"


def _lacking(path: Path) -> str:
    """Return what a file is not, and would have to be; empty for ours, its beginning, or no file.

    Random bytes under its name are no database. A link is never ours, nor a pipe, which would
    block.
    """
    try:
        if not _is_file(path):
            return _OWN
        with path.open("rb") as file:
            head = file.read(_HEADER)
    except FileNotFoundError:
        return ""
    except OSError:
        return _OWN
    if not _MAGIC.startswith(head[: len(_MAGIC)]):
        return _DATABASE
    marks = _ROLLBACK, FORMAT.to_bytes(4, "big"), _APPLICATION.to_bytes(4, "big")
    is_whole = len(head) >= _HEADER
    return _OWN if is_whole and (head[18:20], head[60:64], head[68:72]) != marks else ""


def size_of(connection: sqlite3.Connection, *, free: bool = True) -> int:
    """Return the bytes of the file; SQLite fills free pages again before the file grows."""
    pages = _pragma(connection, "page_count")
    pages -= 0 if free else _pragma(connection, "freelist_count")
    return pages * _pragma(connection, "page_size")


def _prepare(connection: sqlite3.Connection, path: Path, largest: int) -> None:
    """Create the table in an empty file; refuse one with another schema, or without its end."""
    connection.execute("BEGIN")  # no other process may create it in the meantime
    is_empty = not _pragma(connection, "schema_version")
    size = path.stat().st_size
    missing = size_of(connection) - size
    schema = {sql for (sql,) in connection.execute("SELECT sql FROM sqlite_master LIMIT 9")}
    connection.execute("COMMIT")
    if is_empty:
        connection.executescript(_CREATE)
    elif schema != {f"CREATE {kind} {text}" for kind, text in _SCHEMA.items()}:
        msg = "it holds what none of ours does"
        raise sqlite3.DatabaseError(msg)
    elif missing > 0:  # SQLite reads zeros for the missing part of a page
        msg = "its end is missing"
        raise sqlite3.DatabaseError(msg)
    elif size > largest:
        msg = "it is larger than it can have become"
        raise sqlite3.DatabaseError(msg)


def _neighbours(path: Path) -> list[Path]:
    """Return the files that SQLite looks for beside a database; ours has no log and no index."""
    return [path.with_name(path.name + end) for end in ("-journal", "-wal", "-shm")]


def _is_harmless(neighbour: Path) -> bool:
    """Tell whether there is no such file, or a journal of another process, dead or alive."""
    try:
        if not _is_file(neighbour) or not neighbour.name.endswith("-journal"):
            return False
        with neighbour.open("rb") as file:
            file.seek(max(0, file.seek(0, os.SEEK_END) - len(_SUPER_JOURNAL)))
            return file.read() != _SUPER_JOURNAL
    except FileNotFoundError:
        return True


def _is_file(path: Path) -> bool:
    return S_ISREG(path.lstat().st_mode)


def _pragma(connection: sqlite3.Connection, name: str) -> int:
    return int(connection.execute(f"PRAGMA {name}").fetchone()[0])


LIMIT: Final = 256 * 1024 * 1024
"""Bytes: some 15,000 pages. Least recently used entries are evicted first."""
_FILE_FACTOR: Final = 4
"""Times the limit: no file of ours is larger, since evicted entries leave room for new ones."""
MAPPED: Final = "recall-*.map"
"""The files of values that are mapped into memory. The oldest are evicted first."""
_MOST_MAPS: Final = 128
"""How many a process maps at once: each holds a file descriptor, of which macOS has 256."""
_open_maps: WeakSet[mmap] = WeakSet()
_LEFT: Final = 0.75
"""The part of the limit that is left after entries are evicted, so that this happens rarely."""
_BATCH: Final = 1024 * 1024  # bytes that wait in memory before they are written
_VERBS: Final = {True: "used", False: "written"}
_KEYS: Final = 500  # in one statement; SQLite's limit was once 999
_FITS: Final = "CASE typeof(value) WHEN 'blob' THEN length(value) <= ? END"
_CHECK: Final = 8  # bytes of the digest before each value
_MAX_GENERATION: Final = 1 << 62  # builds; no cache gets there


def digest(*parts: str | bytes) -> bytes:
    """Return the digest of some parts in this order: 16 bytes of SHA-256."""
    data = [
        part if isinstance(part, bytes) else part.encode("utf-8", "surrogatepass") for part in parts
    ]
    lengths = ",".join([str(len(part)) for part in data])
    return sha256(b"".join((lengths.encode(), b";", *data))).digest()[:16]


class Cache:
    """Values by key; both are bytes. One thread uses it at a time; processes may share its file.

    Attributes:
        enabled: Whether anything is cached.
        notice: Why the file could not be read or written; empty while it can.
    """

    def __init__(
        self, folder: Path | None, *, file: str = FILE, limit: int = LIMIT, is_written: bool = True
    ) -> None:
        """Take a folder, which is created when the first value is written."""
        self.enabled = folder is not None
        self.notice = ""
        self._path = (folder or Path()) / file
        self._limit = limit
        self._connection: sqlite3.Connection | None = None
        self._readable = folder is not None
        self._writable = self._readable and is_written
        self._pending: dict[bytes, bytes] = {}
        self._pending_size = 0
        self._hits: set[int] = set()
        self._generation = 0
        self._refusal: str | None = None

    def __del__(self) -> None:
        """Close the file if an error has kept others from it: from 3.13 on, Python warns."""
        if self._connection is not None:
            self._connection.close()

    def lies_in(self, folder: str) -> bool:
        """Tell whether the file is, or will be, in a folder."""
        return self.enabled and real_path(self._path).is_relative_to(real_path(folder))

    def get(self, key: bytes) -> bytes | None:
        """Return the value of a key; None for a miss, or an empty key."""
        return self._pending.get(key) or self.get_many((key,)).get(key) if key else None

    def get_many(self, keys: Iterable[bytes]) -> dict[bytes, bytes]:
        """Return the values of some keys; misses are left out."""
        values: dict[bytes, bytes] = {}
        remaining = iter(keys)
        while batch := list(islice(remaining, _KEYS)):
            values |= self._read({_row_number(key): key for key in batch})
        return values

    def put(self, key: bytes, value: bytes) -> None:
        """Cache a value, on disk after `save` at the latest, unless it or its key is empty."""
        if key and value and self._writable:
            self._pending[key] = value
            self._pending_size += len(value)
            if self._pending_size >= _BATCH:
                self._write()

    def map(self, name: str, key: bytes, read: Callable[..., _T]) -> _T | None:
        """Return what a function makes of the value of a key; None for a miss, or an empty key.

        The value is in a file that is mapped into memory: processes share it, and what nobody looks
        at is not read. It is compared with its digest once, then by its date, size and ends alone.

        Args:
            name: What the value is of.
            read: Called with the value, and with `is_known`: whether it has returned from this file
                before. Its ValueError is a miss.
        """
        path, place = self._mapped(name, key), digest("mapped", name, key)
        try:
            is_ours = key and self._readable and _is_file(path) and self._is_allowed()
            stamp = fingerprint(str(path)) if is_ours else None
            if stamp is None or stamp[-1] > self._limit:
                return None
            with path.open("rb") as file:
                view = memoryview(_contents(file))
                # After a power failure, a file may have its size, and zeros in it.
                version = pack((stamp, bytes(view[:_CHECK]), bytes(view[-_CHECK:])))
                is_known = self.get(place) == version
                if not is_known:
                    if view[:_CHECK] != _check(key, view[_CHECK:]):
                        return None
                    with suppress(OSError):  # Windows refuses it to a reader
                        os.fsync(file.fileno())
            value = read(view[_CHECK:], is_known=is_known)
        except (OSError, ValueError):  # the file is empty, or somebody else has written it
            return None
        if not is_known:
            self.put(place, version)
        return value

    def put_mapped(self, name: str, key: bytes, value: bytes) -> None:
        """Cache a value for `map`, in place of the one that had this name and another key.

        A file is never written to, since others may have it mapped; on Windows, such a file stays
        until the next time.
        """
        is_fitting = key and value and len(value) < self._limit
        if not (is_fitting and self._writable and self._is_allowed()):
            return
        path = self._mapped(name, key)
        try:
            make_folder(path.parent)
            if path.is_symlink():  # else it would be written where that leads
                path.unlink()
            write_atomically(path, b"".join((_check(key, value), value)))
            mapped = []
            for file in path.parent.glob(MAPPED):
                with suppress(OSError):  # another process may delete it
                    status = file.stat()
                    mapped.append((status.st_mtime_ns, status.st_size, file))
            room = _FILE_FACTOR * self._limit
            for _, size, file in sorted(mapped, reverse=True):
                room -= size
                is_old = file != path and file.name.startswith(f"{_stem(name)}-")
                if is_old or room < 0:
                    with suppress(OSError):
                        file.unlink()
        except OSError as error:
            self._give_up(error, reading=False)

    def _mapped(self, name: str, key: bytes) -> Path:
        return self._path.with_name(f"{_stem(name)}-{key[:8].hex()}.map")

    def save(self) -> None:
        """Write pending values, mark the entries that were used, and close the file.

        A build with nothing but cache hits writes nothing.
        """
        if self._pending or (self._generation and self._hits and self._writable):
            self._write()
        self.close()

    def close(self) -> None:
        """Close the file without writing; it is opened again on need."""
        if self._connection is not None:
            self._connection.close()
        self._connection = None
        self._pending, self._pending_size = {}, 0
        self._hits = set()

    def _read(self, keys: dict[int, bytes]) -> dict[bytes, bytes]:
        """Return the values of some keys, given by row number."""
        try:
            is_there = self._connection is not None or (self._readable and self._path.exists())
        except OSError:
            is_there = True  # opening it shows the error
        connection = self._open() if is_there else None  # a read creates no file
        if connection is None:
            return {}
        marks = ",".join("?" * len(keys))
        values = {}
        try:
            # The lengths in a damaged file may exceed the file, and SQLite would return zeros.
            room = min(size_of(connection), self._limit)
            for number, value in connection.execute(
                f"SELECT key, value FROM entry WHERE key IN ({marks}) AND {_FITS}",  # noqa: S608 - only marks
                [*keys, room],
            ):
                key, body = keys[number], value[_CHECK:]
                room -= len(value)
                if room > 0 and value[:_CHECK] == digest(key, body)[:_CHECK]:
                    values[key] = body
                    self._hits.add(number)
        except FAULTS as error:
            self._give_up(error)
            return {}
        return values

    def _write(self) -> None:
        """Write pending values, and mark the entries that were used."""
        rows, self._pending, self._pending_size = self._pending, {}, 0
        hits, self._hits = self._hits, set()
        connection = self._open()
        if connection is None:
            return
        try:
            connection.execute("BEGIN IMMEDIATE")
            with connection:
                self._generation = self._generation or _newest(connection) + 1
                connection.executemany(
                    "INSERT OR REPLACE INTO entry VALUES(?, ?, ?)",
                    (
                        (_row_number(key), self._generation, digest(key, body)[:_CHECK] + body)
                        for key, body in rows.items()
                    ),
                )
                _look_up(connection, {_row_number(key) for key in rows})
                connection.executemany(
                    "UPDATE entry SET used = ? WHERE key = ?",
                    ((self._generation, number) for number in hits),
                )
                self._shrink(connection)
            self._writable = size_of(connection, free=False) <= self._limit
        except FAULTS as error:
            self._give_up(error, reading=False)

    def _shrink(self, connection: sqlite3.Connection) -> None:
        """Evict the least recently used entries if there are too many."""
        excess = size_of(connection, free=False) - _LEFT * self._limit
        if excess <= (1 - _LEFT) * self._limit:
            return
        for used, size in connection.execute(
            "SELECT used, sum(length(value)) FROM entry WHERE used < ? GROUP BY used ORDER BY used",
            (self._generation,),
        ).fetchall():
            connection.execute("DELETE FROM entry WHERE used = ?", (used,))
            excess -= size
            if excess <= 0:
                break

    def _open(self) -> sqlite3.Connection | None:
        """Return the open file; None, and a notice, where it cannot be opened."""
        if self._connection is None and self._readable and self._is_allowed():
            try:
                if not self._path.exists():
                    make_folder(self._path.parent)
                self._connection = open_database(self._path, _FILE_FACTOR * self._limit)
            except FAULTS as error:
                self._give_up(error)
        return self._connection

    def _is_allowed(self) -> bool:
        """Tell whether the folder may be used; looked up once."""
        if self._refusal is None:
            self._refusal = refusal(self._path.parent)
        if self._refusal:
            self._readable = self._writable = False
            self.notice = f"the cache '{self._path.parent}' is not used: {self._refusal}"
        return not self._refusal

    def _give_up(self, error: Exception, *, reading: bool = True) -> None:
        """Stop using the cache, and remove a damaged file of ours, or what is no database.

        After a transient error while writing, reading may go on.
        """
        self.close()
        self._writable = False
        if is_transient(error):
            self._readable = self._readable and not reading
            self.notice = f"the cache '{self._path}' is not {_VERBS[reading]}: {error}"
            return
        self._readable = False
        self.notice = f"the cache '{self._path}' is not used: {error}"
        if _lacking(self._path) != _OWN:
            with suppress(OSError):
                remove_database(self._path)
                self.notice = f"the cache '{self._path}' was damaged and is rebuilt: {error}"
                return
        self.notice += "; delete it, or choose another 'cache_dir'"


def _contents(file: BinaryIO) -> mmap | bytes:
    """Return what is in a file: mapped into memory, unless too many are."""
    if len(_open_maps) >= _MOST_MAPS:
        return file.read()
    mapped = mmap(file.fileno(), 0, access=ACCESS_READ)
    _open_maps.add(mapped)
    return mapped


def _stem(name: str) -> str:
    return f"recall-{digest(name)[:8].hex()}"


def _check(key: bytes, value: bytes | memoryview) -> bytes:
    """Return what is before a mapped value: it tells that all of it is there, for this key."""
    hashed = sha256(key)
    hashed.update(value)
    return hashed.digest()[:_CHECK]


def _look_up(connection: sqlite3.Connection, numbers: Iterable[int]) -> None:
    """Raise an error if rows that were just written are not found: other rows are out of order."""
    remaining = iter(numbers)
    while batch := list(islice(remaining, _KEYS)):
        marks = ",".join("?" * len(batch))
        query = f"SELECT count(*) FROM entry WHERE key IN ({marks})"  # noqa: S608 - only marks
        [count] = connection.execute(query, batch).fetchone()
        if count < len(batch):
            msg = "what was written is not found again"
            raise sqlite3.DatabaseError(msg)


def _row_number(key: bytes) -> int:
    """Return the row of a key. If two keys share a row, the value's check shows whose it is."""
    return int.from_bytes(key[:8], "big", signed=True)


def _newest(connection: sqlite3.Connection) -> int:
    """Return when an entry was last used, counted in builds."""
    [newest] = connection.execute("SELECT max(used) FROM entry").fetchone()
    if newest is not None and not (isinstance(newest, int) and newest < _MAX_GENERATION):
        msg = "its ages are not numbers"
        raise sqlite3.DatabaseError(msg)
    return newest or 0


PACKAGE: Final = os.path.dirname(__file__)  # noqa: PTH120 - without Path, a build starts faster
"""The folder of this package."""
_LIBRARIES: Final = (
    "Markdown",
    "PyStemmer",
    "PyYAML",
    "markdown_it_py",
    "mdit_py_plugins",
    "pymdown_extensions",
    "regex",
    "selectolax",
    "sentencex",
    "snowballstemmer",
)
"""Those whose version may change a text, its words, or the options of a directive."""


@cache
def pipeline() -> bytes:
    """Return the digest of the code that computes answers; it is computed once."""
    return package_digest(PACKAGE)


def package_digest(folder: str) -> bytes:
    """Return the digest of a package's code and word lists, of its libraries, and of Python."""
    parts: list[str | bytes] = [sys.version, unicodedata.unidata_version]
    for library in sorted(_versions()):
        parts += library
    for path in _files(folder):
        with open(path, "rb", buffering=0) as file:  # noqa: PTH123
            parts += (path[len(folder) + 1 :], file.read())
    return digest(*parts)


def _versions() -> Iterator[tuple[str, str]]:
    """Yield the libraries that are installed, with their versions.

    They are the ones that `importlib.metadata` names, which takes longer to import than this whole
    module takes to run.
    """
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
    """Yield the code, word lists and stylesheet in a folder, in the same order everywhere."""
    for entry in sorted(os.scandir(folder), key=lambda entry: entry.name):
        if entry.name.endswith((".py", ".txt", ".css")):
            yield entry.path
        elif entry.is_dir() and entry.name != "__pycache__":
            yield from _files(entry.path)
