"""The cache: bytes on disk from earlier builds, by the digest of what they were computed from.

One SQLite file. A value is there, whole and right, or it is a miss: a file that is truncated,
foreign, locked, read-only, of another version, or on a full disk is a miss and one notice, never an
error. No clock is read: age is counted in builds that had something to write. Which file is safe to
open is left to `database`, and which folder may be used to `folder`.

SQLite keeps a rollback journal here, since write-ahead logging is hardly faster: so a read touches
no file, a watched folder is not rebuilt for ever, and a read-only folder can be read.
"""

from __future__ import annotations

import sqlite3
from contextlib import suppress
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from mkdocs_recall.cache.database import (
    FAULTS,
    FILE,
    is_no_database,
    is_ours,
    is_transient,
    open_database,
    remove_database,
    size_in_use,
    size_of,
)
from mkdocs_recall.cache.folder import make_folder, refusal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

LIMIT: Final = 256 * 1024 * 1024
"""Bytes: some 15,000 pages. Least recently used entries are evicted first."""
_FILE_FACTOR: Final = 4
"""Times the limit: no file of ours is larger, since evicted entries leave room for new ones."""
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


class ByteStore(NamedTuple):
    """A place where bytes are cached for the next process."""

    get: Callable[[bytes], bytes | None]
    put: Callable[[bytes, bytes], None]


class Cache:
    """Values by key; both are bytes. One thread uses it; several processes may share its file.

    Attributes:
        enabled: Whether anything is cached.
        notice: Why the file could not be read or written; empty while it can.
    """

    def __init__(self, folder: Path | None, *, limit: int = LIMIT) -> None:
        """Take a folder, which is created when the first value is written.

        Args:
            folder: Where the file is, or will be; None to cache nothing.
            limit: Bytes that the file may hold.
        """
        self.enabled = folder is not None
        self.notice = ""
        self._path = (folder or Path()) / FILE
        self._limit = limit
        self._connection: sqlite3.Connection | None = None
        self._readable = self._writable = folder is not None
        self._pending: dict[bytes, bytes] = {}
        self._pending_size = 0
        self._hits: set[int] = set()
        self._generation = 0
        self._refusal: str | None = None

    def lies_in(self, folder: str) -> bool:
        """Tell whether the file is, or will be, in a folder."""
        return self.enabled and self._path.resolve().is_relative_to(Path(folder).resolve())

    def get(self, key: bytes) -> bytes | None:
        """Return the value of a key; None for a miss."""
        return self.get_many((key,)).get(key)

    def get_many(self, keys: Iterable[bytes]) -> dict[bytes, bytes]:
        """Return the values of some keys; misses are left out."""
        values: dict[bytes, bytes] = {}
        remaining = iter(keys)
        while batch := list(islice(remaining, _KEYS)):
            values |= self._read({_row_number(key): key for key in batch})
        return values

    def put(self, key: bytes, value: bytes) -> None:
        """Cache a value; it is on disk after `save` at the latest."""
        if self._writable:
            self._pending[key] = value
            self._pending_size += len(value)
            if self._pending_size >= _BATCH:
                self._write()

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
        connection = self._open() if self._may_exist() else None
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
                connection.executemany(
                    "UPDATE entry SET used = ? WHERE key = ?",
                    ((self._generation, number) for number in hits),
                )
                self._shrink(connection)
            self._writable = size_in_use(connection) <= self._limit
        except FAULTS as error:
            self._give_up(error, reading=False)

    def _shrink(self, connection: sqlite3.Connection) -> None:
        """Evict the least recently used entries if there are too many."""
        excess = size_in_use(connection) - _LEFT * self._limit
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

    def _may_exist(self) -> bool:
        """Tell whether there may be a file, so that a read creates none."""
        try:
            return self._connection is not None or (self._readable and self._path.exists())
        except OSError:
            return True  # opening it shows the error

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
        if is_ours(self._path) or is_no_database(self._path):
            with suppress(OSError):
                remove_database(self._path)
                self.notice = f"the cache '{self._path}' was damaged and is rebuilt: {error}"
                return
        self.notice += "; delete it, or choose another 'cache_dir'"


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
