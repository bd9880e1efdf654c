"""The file of the cache: an SQLite database that is opened only if it is ours and whole.

A pull request may put another file in its place, or beside it. SQLite obeys a database: it follows
links, runs triggers, and completes a journal, which may delete another file. So the file and its
neighbours are checked before SQLite opens it, and its schema before anything is read.
"""

from __future__ import annotations

import os
import sqlite3
from stat import S_ISREG
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pathlib import Path

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
    if not is_ours(path):
        file = "database" if is_no_database(path) else "file of this version of mkdocs-recall"
        msg = f"it is not a {file}"
        raise sqlite3.DatabaseError(msg)
    if not all(map(_is_harmless, _neighbours(path))):
        msg = "what lies beside it is not its own"
        raise sqlite3.DatabaseError(msg)
    connection = sqlite3.connect(path, timeout=_WAIT, isolation_level=None)
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


def is_ours(path: Path) -> bool:
    """Tell whether a file is a cache of this format, or the beginning of one, or does not exist.

    A link is never ours.
    """
    try:
        head = _head(path)
    except FileNotFoundError:
        return True
    except OSError:
        return False
    if head is None:
        return False
    if len(head) < _HEADER:
        return _MAGIC.startswith(head[: len(_MAGIC)])
    marks = _ROLLBACK, FORMAT.to_bytes(4, "big"), _APPLICATION.to_bytes(4, "big")
    return head.startswith(_MAGIC) and (head[18:20], head[60:64], head[68:72]) == marks


def is_no_database(path: Path) -> bool:
    """Tell whether a file is no SQLite database at all, such as random bytes under its name.

    Another application's database is one, and so is ours of another format; a link is no file.
    """
    try:
        head = _head(path)
    except OSError:
        return False
    return head is not None and not head.startswith(_MAGIC)


def size_of(connection: sqlite3.Connection) -> int:
    """Return the bytes of the file."""
    return _pragma(connection, "page_count") * _pragma(connection, "page_size")


def size_in_use(connection: sqlite3.Connection) -> int:
    """Return the bytes in use; SQLite fills free pages again before the file grows."""
    free = _pragma(connection, "freelist_count") * _pragma(connection, "page_size")
    return size_of(connection) - free


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


def _head(path: Path) -> bytes | None:
    """Return the header of a file; None for a link, a folder, or a pipe, which would block."""
    if not _is_file(path):
        return None
    with path.open("rb") as file:
        return file.read(_HEADER)


def _is_file(path: Path) -> bool:
    return S_ISREG(path.lstat().st_mode)


def _pragma(connection: sqlite3.Connection, name: str) -> int:
    return int(connection.execute(f"PRAGMA {name}").fetchone()[0])
