"""The file of the cache: one SQLite database, which is opened only if it is ours and whole.

Whoever may send a change to a repository may put a file in its place, or beside it. SQLite does
what a database says: it follows links, obeys triggers, and finishes what a journal says was begun,
which may be to delete another file. So the file, and what lies beside it, is looked at before
SQLite opens it, and what is declared in it before anything is read.
"""

from __future__ import annotations

import os
import sqlite3
from stat import S_ISREG
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pathlib import Path

FORMAT: Final = 1
"""Of the file; one of another format has another name."""
FILE: Final = f"recall-{FORMAT}.sqlite3"
FAULTS: Final = (sqlite3.Error, OSError, ValueError)
"""What SQLite raises; a ValueError where it quotes what is damaged, which is no UTF-8 then."""
_CIRCUMSTANCES: Final = ("locked", "locking", "readonly", "full", "disk I/O", "unable to open")
"""What it calls faults that are not the file's; its numbers for them are missing in Python 3.10."""
_APPLICATION: Final = 0x52434C31  # "RCL1"
_MAGIC: Final = b"SQLite format 3\0"
_HEADER: Final = 100  # bytes; how it is written at 18, the version at 60, the application at 68
_ROLLBACK: Final = b"\1\1"
"""Written with a rollback journal, and not with a write-ahead log."""
_NAMES_ANOTHER: Final = b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7"
"""How a journal ends that names a file which SQLite then deletes. Only one of several databases
that are written at once has a reason to."""
_WAIT: Final = 1.0  # seconds for another process to finish writing
_STEPS: Final = 50_000_000
"""So many one statement may take, a few seconds. To go through all entries takes a fifth of it; the
pages of a damaged file may lead to each other so that it would never end."""
_DECLARED: Final = {
    "TABLE": "entry(key INTEGER PRIMARY KEY, used INTEGER NOT NULL, value BLOB NOT NULL)",
    "INDEX": "entry_used ON entry(used)",
}
_MAKE: Final = f"""
    BEGIN IMMEDIATE;
    {"".join(f"CREATE {kind} IF NOT EXISTS {what};" for kind, what in _DECLARED.items())}
    PRAGMA application_id = {_APPLICATION};
    PRAGMA user_version = {FORMAT};
    COMMIT;
"""


def open_database(path: Path, largest: int) -> sqlite3.Connection:
    """Open the file, or make it, in a folder that is there.

    Args:
        path: The file.
        largest: Bytes that it can have come to.

    Raises:
        sqlite3.Error: It is not ours or not whole, or SQLite finds a fault.
        OSError: It cannot be read.
        ValueError: It is damaged, and no UTF-8.
    """
    if not is_ours(path):
        msg = "it is no file of this version of mkdocs-recall"
        raise sqlite3.DatabaseError(msg)
    if not all(map(_may_stay, _beside(path))):
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
    """Remove the file; first what lies beside it, which must not be taken for that of the next.

    Raises:
        OSError: It cannot be removed.
    """
    for each in (*_beside(path), path):
        each.unlink(missing_ok=True)


def is_transient(error: Exception) -> bool:
    """Tell whether an error says nothing about the file itself."""
    if isinstance(error, sqlite3.OperationalError):
        return any(words in str(error) for words in _CIRCUMSTANCES)
    return isinstance(error, OSError)


def is_ours(path: Path) -> bool:
    """Tell whether a file is a cache of this format, or the beginning of one, or not there yet.

    A link is none of ours.
    """
    try:
        if not _is_file(path):  # a pipe would keep us waiting
            return False
        with path.open("rb") as file:
            head = file.read(_HEADER)
    except FileNotFoundError:
        return True
    except OSError:
        return False
    if len(head) < _HEADER:
        return _MAGIC.startswith(head[: len(_MAGIC)])
    marks = _ROLLBACK, FORMAT.to_bytes(4, "big"), _APPLICATION.to_bytes(4, "big")
    return head.startswith(_MAGIC) and (head[18:20], head[60:64], head[68:72]) == marks


def size_of(connection: sqlite3.Connection) -> int:
    """Return the bytes of the file."""
    return _pragma(connection, "page_count") * _pragma(connection, "page_size")


def size_in_use(connection: sqlite3.Connection) -> int:
    """Return the bytes in use; those that are free are filled again before the file grows."""
    free = _pragma(connection, "freelist_count") * _pragma(connection, "page_size")
    return size_of(connection) - free


def _prepare(connection: sqlite3.Connection, path: Path, largest: int) -> None:
    """Make the table in an empty file; refuse one that declares anything else, or is not whole."""
    connection.execute("BEGIN")  # so that no other process makes it in the middle of this
    is_empty = not _pragma(connection, "schema_version")
    size = path.stat().st_size
    missing = size_of(connection) - size
    declared = {sql for (sql,) in connection.execute("SELECT sql FROM sqlite_master LIMIT 9")}
    connection.execute("COMMIT")
    if is_empty:
        connection.executescript(_MAKE)
    elif declared != {f"CREATE {kind} {what}" for kind, what in _DECLARED.items()}:
        msg = "it holds what none of ours does"
        raise sqlite3.DatabaseError(msg)
    elif missing > 0:  # SQLite takes the rest of the last page for zeros
        msg = "its end is missing"
        raise sqlite3.DatabaseError(msg)
    elif size > largest:
        msg = "it is larger than it can have become"
        raise sqlite3.DatabaseError(msg)


def _beside(path: Path) -> list[Path]:
    """Return what SQLite looks for beside a file: its journal; logs, of which ours has none."""
    return [path.with_name(path.name + end) for end in ("-journal", "-wal", "-shm")]


def _may_stay(beside: Path) -> bool:
    """Tell whether there is nothing, or the journal of another process, or of one that died."""
    try:
        if not _is_file(beside) or not beside.name.endswith("-journal"):
            return False
        with beside.open("rb") as file:
            file.seek(max(0, file.seek(0, os.SEEK_END) - len(_NAMES_ANOTHER)))
            return file.read() != _NAMES_ANOTHER
    except FileNotFoundError:
        return True


def _is_file(path: Path) -> bool:
    return S_ISREG(path.lstat().st_mode)


def _pragma(connection: sqlite3.Connection, name: str) -> int:
    return int(connection.execute(f"PRAGMA {name}").fetchone()[0])
