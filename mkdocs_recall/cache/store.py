"""What was made in earlier builds, kept on disk by the digest of what it was made from.

One SQLite file. What is asked for is there, whole and right, or it is not there: a file that is
truncated, foreign, locked, read-only, of another version, or on a full disk is a miss and one
notice, never an error. No clock is read: age is counted in builds that had something to write.

A rollback journal is used and not write-ahead logging, which is hardly faster here: reading then
touches no file, so that a watched folder is not rebuilt for ever, and a read-only one can be read.
"""

from __future__ import annotations

import sqlite3
from contextlib import suppress
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Final

from mkdocs_recall.cache.database import (
    FAULTS,
    FILE,
    is_ours,
    is_transient,
    open_database,
    remove_database,
    size_in_use,
    size_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

LIMIT: Final = 256 * 1024 * 1024
"""Bytes: some 15,000 pages. What was not used for longest goes first."""
_BEYOND: Final = 4
"""Times the limit: so large does no file become, as what is dropped leaves room for what comes."""
_KEPT: Final = 0.75
"""How much of the limit is left when it was reached, so that this does not happen every time."""
_BATCH: Final = 1024 * 1024  # bytes that wait in memory before they are written
_DOING: Final = {True: "used", False: "written"}
_ASKED: Final = 500  # keys in one statement; SQLite's limit was once 999
_FITS: Final = "CASE typeof(value) WHEN 'blob' THEN length(value) <= ? END"
_CHECK: Final = 8  # bytes
_END_OF_TIME: Final = 1 << 62  # builds; nobody comes so far


def digest(*parts: str | bytes) -> bytes:
    """Return 16 bytes that stand for some parts, in this order; SHA-256, cut."""
    data = [
        part if isinstance(part, bytes) else part.encode("utf-8", "surrogatepass") for part in parts
    ]
    lengths = ",".join([str(len(part)) for part in data])
    return sha256(b"".join((lengths.encode(), b";", *data))).digest()[:16]


def make_folder(folder: Path) -> None:
    """Make the folder of what is kept, which git ignores where it has nothing else in it.

    Raises:
        OSError: It cannot be made.
    """
    folder.mkdir(parents=True, exist_ok=True)
    if not any(folder.iterdir()):  # a folder of its own: what else is there is not ours
        (folder / ".gitignore").write_text("*\n", encoding="utf-8")


class Cache:
    """Values by key; both are bytes. Not for several threads, but several processes may share it.

    Attributes:
        enabled: Whether anything is kept.
        notice: Why it could not be read or written; empty while all is well.
    """

    def __init__(self, folder: Path | None, *, limit: int = LIMIT) -> None:
        """Take a folder, which is made on first need.

        Args:
            folder: Where the file is, or will be; None to keep nothing.
            limit: Bytes that the file may hold.
        """
        self.enabled = folder is not None
        self.notice = ""
        self._path = (folder or Path()) / FILE
        self._limit = limit
        self._connection: sqlite3.Connection | None = None
        self._readable = self._writable = folder is not None
        self._waiting: dict[bytes, bytes] = {}
        self._weight = 0
        self._hits: set[int] = set()
        self._generation = 0

    def lies_in(self, folder: str) -> bool:
        """Tell whether the file is, or will be, in a folder."""
        return self.enabled and self._path.resolve().is_relative_to(Path(folder).resolve())

    def get(self, key: bytes) -> bytes | None:
        """Return the value that was put under a key, or None."""
        return self.get_many((key,)).get(key)

    def get_many(self, keys: Iterable[bytes]) -> dict[bytes, bytes]:
        """Return the values of those keys that are there."""
        found: dict[bytes, bytes] = {}
        waiting = iter(keys)
        while asked := list(islice(waiting, _ASKED)):
            found |= self._read({_number(key): key for key in asked})
        return found

    def put(self, key: bytes, value: bytes) -> None:
        """Keep a value; it is on disk after `save` at the latest."""
        if self._writable:
            self._waiting[key] = value
            self._weight += len(value)
            if self._weight >= _BATCH:
                self._write()

    def save(self) -> None:
        """Write what waits, note what was used, and let go of the file.

        A build that found everything writes nothing.
        """
        if self._waiting or (self._generation and self._hits and self._writable):
            self._write()
        self.close()

    def close(self) -> None:
        """Let go of the file without writing; it is opened again on need."""
        if self._connection is not None:
            self._connection.close()
        self._connection = None
        self._waiting, self._weight = {}, 0
        self._hits = set()

    def _read(self, asked: dict[int, bytes]) -> dict[bytes, bytes]:
        connection = self._opened() if self._is_there() else None
        if connection is None:
            return {}
        marks = ",".join("?" * len(asked))
        found = {}
        try:
            # A damaged file may say that there is more in it, and zeros are easily come by.
            room = min(size_of(connection), self._limit)
            for number, value in connection.execute(
                f"SELECT key, value FROM entry WHERE key IN ({marks}) AND {_FITS}",  # noqa: S608 - only marks
                [*asked, room],
            ):
                key, body = asked[number], value[_CHECK:]
                room -= len(value)
                if room > 0 and value[:_CHECK] == digest(key, body)[:_CHECK]:
                    found[key] = body
                    self._hits.add(number)
        except FAULTS as error:
            self._give_up(error)
            return {}
        return found

    def _write(self) -> None:
        """Write what waits, and that what was found is in use."""
        rows, self._waiting, self._weight = self._waiting, {}, 0
        hits, self._hits = self._hits, set()
        connection = self._opened()
        if connection is None:
            return
        try:
            connection.execute("BEGIN IMMEDIATE")
            with connection:
                self._generation = self._generation or _newest(connection) + 1
                connection.executemany(
                    "INSERT OR REPLACE INTO entry VALUES(?, ?, ?)",
                    (
                        (_number(key), self._generation, digest(key, body)[:_CHECK] + body)
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
        """Drop what was not used for longest, if there is too much."""
        excess = size_in_use(connection) - _KEPT * self._limit
        if excess <= (1 - _KEPT) * self._limit:
            return
        for used, size in connection.execute(
            "SELECT used, sum(length(value)) FROM entry WHERE used < ? GROUP BY used ORDER BY used",
            (self._generation,),
        ).fetchall():
            connection.execute("DELETE FROM entry WHERE used = ?", (used,))
            excess -= size
            if excess <= 0:
                break

    def _is_there(self) -> bool:
        """Tell whether there may be a file, so that to look for something makes none."""
        try:
            return self._connection is not None or (self._readable and self._path.exists())
        except OSError:
            return True  # to open it will tell

    def _opened(self) -> sqlite3.Connection | None:
        """Return the open file; None, and a notice, where it cannot be had."""
        if self._connection is None and self._readable:
            try:
                if not self._path.exists():
                    make_folder(self._path.parent)
                self._connection = open_database(self._path, _BEYOND * self._limit)
            except FAULTS as error:
                self._give_up(error)
        return self._connection

    def _give_up(self, error: Exception, *, reading: bool = True) -> None:
        """Do without the cache from here on; a damaged file of ours is removed.

        Where it could only not be written, reading may go on.
        """
        self.close()
        self._writable = False
        if is_transient(error):
            self._readable = self._readable and not reading
            self.notice = f"the cache '{self._path}' is not {_DOING[reading]}: {error}"
            return
        self._readable = False
        self.notice = f"the cache '{self._path}' is not used: {error}"
        if is_ours(self._path):
            with suppress(OSError):
                remove_database(self._path)
                self.notice = f"the cache '{self._path}' was damaged and is made anew: {error}"
        else:
            self.notice += "; delete it, or choose another 'cache_dir'"


def _number(key: bytes) -> int:
    """Return the row of a key. Should two share one, the check of the value tells them apart."""
    return int.from_bytes(key[:8], "big", signed=True)


def _newest(connection: sqlite3.Connection) -> int:
    """Return when something was used last, counted in builds."""
    [newest] = connection.execute("SELECT max(used) FROM entry").fetchone()
    if newest is not None and not (isinstance(newest, int) and newest < _END_OF_TIME):
        msg = "its ages are no numbers"
        raise sqlite3.DatabaseError(msg)
    return newest or 0
