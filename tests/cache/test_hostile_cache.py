"""A cache that somebody has written to do harm: it is missed, and nothing else comes of it.

Where a repository holds its cache, or a server restores one, a stranger may have had a hand in it.
"""

from __future__ import annotations

import os
import sqlite3
import struct
import subprocess
import sys
import tracemalloc
from contextlib import closing
from pathlib import Path

import pytest
from tables import beside

from mkdocs_recall.store import FILE, Cache, digest, is_transient, open_database

POSIX_ONLY = pytest.mark.skipif(os.name != "posix", reason="Windows has no such thing")
KEYS = [digest("key", str(number)) for number in range(40)]
PAGE = 4096  # bytes; SQLite's own


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return the folder of a cache that holds something."""
    made = tmp_path / "cache"
    fill(made)
    return made


def fill(folder: Path) -> None:
    cache = Cache(folder)
    for key in KEYS:
        cache.put(key, key * 20)
    cache.save()
    assert cache.notice == ""


def use(folder: Path) -> tuple[int, str]:
    """Ask a cache for all values and put some; return how many were there, and what it said."""
    cache = Cache(folder)
    found = cache.get_many(KEYS)
    assert all(value == key * (len(value) // len(key)) for key, value in found.items())
    for key in KEYS:
        cache.put(key, key)
    cache.save()
    return len(found), cache.notice


@pytest.mark.parametrize("target", ["nothing", "an empty file", "a cache"])
def test_a_link_is_not_followed(folder: Path, tmp_path: Path, target: str) -> None:
    theirs = tmp_path / "theirs"
    if target == "an empty file":
        theirs.write_bytes(b"")
    elif target == "a cache":
        (folder / FILE).rename(theirs)
    before = theirs.read_bytes() if theirs.exists() else None
    (folder / FILE).unlink(missing_ok=True)
    (folder / FILE).symlink_to(theirs)
    for _ in range(2):
        found, notice = use(folder)
        assert found == 0
        assert "is not used" in notice
    assert (theirs.read_bytes() if theirs.exists() else None) == before


@POSIX_ONLY
def test_a_pipe_keeps_nobody_waiting(folder: Path) -> None:
    (folder / FILE).unlink()
    os.mkfifo(folder / FILE)
    found, notice = use(folder)
    assert found == 0
    assert "is not used" in notice
    assert (folder / FILE).is_fifo()


def _journal_naming(victim: Path, database: Path) -> bytes:
    """Return a journal after which SQLite deletes a file: see "The Super-Journal" in its format."""
    magic = bytes.fromhex("d9d505f920a163d7")
    pages = database.stat().st_size // PAGE
    head = magic + struct.pack(">5I", 0, 0, pages, 512, PAGE)
    name = os.fsencode(victim)
    return b"".join(
        (
            head.ljust(512, b"\0"),
            struct.pack(">I", 0x40000000 // PAGE + 1),
            name,
            struct.pack(">2I", len(name), sum(name)),
            magic,
        )
    )


def test_a_journal_has_no_file_deleted(folder: Path, tmp_path: Path) -> None:
    victim = tmp_path / "mkdocs.yml"
    victim.write_text("site_name: Larch\n")
    journal = _journal_naming(victim, folder / FILE)
    (folder / f"{FILE}-journal").write_bytes(journal)
    found, notice = use(folder)
    assert (found, "rebuilt" in notice) == (0, True)
    assert victim.read_text() == "site_name: Larch\n"
    use(folder)
    assert use(folder) == (len(KEYS), "")


def test_that_journal_would_have_it_deleted(folder: Path, tmp_path: Path) -> None:
    """It is what the test above takes it for: SQLite alone obeys it."""
    victim = tmp_path / "mkdocs.yml"
    victim.write_text("site_name: Larch\n")
    (folder / f"{FILE}-journal").write_bytes(_journal_naming(victim, folder / FILE))
    with closing(sqlite3.connect(folder / FILE)) as connection:
        connection.execute("SELECT count(*) FROM entry")
    assert not victim.exists()


@pytest.mark.parametrize("end", ["journal", "wal", "shm"])
@pytest.mark.parametrize("kind", ["a link", "a pipe", "a folder"])
def test_files_beside_it_are_not_its_own(folder: Path, tmp_path: Path, kind: str, end: str) -> None:
    victim = tmp_path / "victim"
    victim.write_bytes(b"mine" * 2000)
    beside = folder / f"{FILE}-{end}"
    if kind == "a link":
        beside.symlink_to(victim)
    elif kind == "a folder":
        beside.mkdir()
    elif os.name == "posix":
        os.mkfifo(beside)
    else:
        pytest.skip("Windows has no such thing")
    assert use(folder)[0] == 0
    assert victim.read_bytes() == b"mine" * 2000
    use(folder)
    assert use(folder)[0] == (0 if kind == "a folder" else len(KEYS))


def test_the_journal_of_a_process_that_died_is_rolled_back(folder: Path) -> None:
    script = (
        "import os, sqlite3, sys\n"
        "c = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
        "c.execute('PRAGMA cache_size = 1')\n"
        "c.execute('BEGIN')\n"
        "c.execute('UPDATE entry SET value = zeroblob(9000)')\n"
        "os._exit(0)\n"
    )
    subprocess.run([sys.executable, "-c", script, str(folder / FILE)], check=True)  # noqa: S603
    assert (folder / f"{FILE}-journal").exists()
    assert use(folder) == (len(KEYS), "")


DECLARED: dict[str, str] = beside(__file__)["DECLARED"]


@pytest.mark.parametrize("declared", DECLARED.values(), ids=DECLARED)
def test_a_database_that_declares_anything_else_is_made_anew(folder: Path, declared: str) -> None:
    with closing(sqlite3.connect(folder / FILE)) as connection:
        connection.executescript(declared)
    found, notice = use(folder)
    assert (found, "rebuilt" in notice) == (0, True)
    use(folder)
    assert use(folder) == (len(KEYS), "")


def _number(data: bytes, at: int) -> tuple[int, int]:
    """Return a number as SQLite writes it, in up to nine bytes, and where it ends."""
    number = 0
    for place in range(at, at + 8):
        number = number << 7 | data[place] & 0x7F
        if not data[place] & 0x80:
            return number, place + 1
    return number << 8 | data[at + 8], at + 9


def _put(data: bytearray, at: int, number: int) -> None:
    """Write a number of three bytes in place of another of three."""
    data[at : at + 3] = bytes([number >> 14 | 0x80, number >> 7 & 0x7F | 0x80, number & 0x7F])


def _lengthened(whole: bytes, more: int) -> bytes:
    """Return a database whose values say that they are longer, with pages that lead to themselves.

    See "B-tree Pages" in the description of SQLite's format.
    """
    data = bytearray(whole)
    usable = PAGE - 4
    for page in range(PAGE, len(whole), PAGE):
        if whole[page] != 13:  # a leaf of the table
            continue
        for number in range(struct.unpack_from(">H", whole, page + 3)[0]):
            cell = page + struct.unpack_from(">H", whole, page + 8 + 2 * number)[0]
            size, at = _number(whole, cell)
            _, head = _number(whole, at)
            kind = head + 3  # after its own length, the key, and the age
            longer = more // usable * usable  # so that as much of it is in the cell as before
            _put(data, cell, size + longer)
            _put(data, kind, _number(whole, kind)[0] + 2 * longer)
            least = (PAGE - 12) * 32 // 255 - 23
            inside = least + (size - least) % usable
            if inside > PAGE - 35:
                inside = least
            first = rest = struct.unpack_from(">I", whole, head + inside)[0]
            while then := struct.unpack_from(">I", whole, (rest - 1) * PAGE)[0]:
                rest = then
            struct.pack_into(">I", data, (rest - 1) * PAGE, first)
    return bytes(data)


@pytest.mark.parametrize("count", [1, len(KEYS)])
def test_values_that_claim_too_much_length_take_no_memory(tmp_path: Path, count: int) -> None:
    cache = Cache(tmp_path)
    for key in KEYS[:count]:
        cache.put(key, key * 2500)
    cache.save()
    path = tmp_path / FILE
    damaged = _lengthened(path.read_bytes(), 900_000)
    path.write_bytes(damaged)
    tracemalloc.start()
    try:
        cache = Cache(tmp_path)
        found = cache.get_many(KEYS)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    cache.close()
    assert (found, cache.notice) == ({}, "")
    assert peak < 4 * len(damaged) + 100_000
    for _ in range(2):
        use(tmp_path)
    assert use(tmp_path) == (len(KEYS), "")


def _blank(folder: Path, length: int) -> None:
    """Have a cache hold one value of zeros, of which git and a server keep next to nothing."""
    with closing(sqlite3.connect(folder / FILE)) as connection, connection:
        connection.execute("DELETE FROM entry WHERE key <> (SELECT min(key) FROM entry)")
        connection.execute("UPDATE entry SET value = zeroblob(?)", [length])


def test_a_value_that_is_larger_than_a_whole_cache_may_be_is_not_read(folder: Path) -> None:
    _blank(folder, 3_000_000)
    tracemalloc.start()
    try:
        cache = Cache(folder, limit=1_000_000)
        found = cache.get_many(KEYS)
        cache.close()
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert (found, cache.notice) == ({}, "")
    assert peak < 500_000


def test_a_file_that_is_larger_than_ours_becomes_is_made_anew(folder: Path) -> None:
    _blank(folder, 5_000_000)
    cache = Cache(folder, limit=1_000_000)
    assert cache.get_many(KEYS) == {}
    assert "rebuilt" in cache.notice
    use(folder)
    assert use(folder) == (len(KEYS), "")


def _endless(whole: bytes) -> bytes:
    """Return a database whose order by age is eighteen pages, each leading to the next 200 times.

    SQLite would be at it for longer than the world is old.
    """
    first = len(whole) // PAGE + 1
    order = next(n for n in range(0, len(whole), PAGE) if whole[n] == 10)  # a leaf of an index
    leaf = order + struct.unpack_from(">H", whole, order + 8)[0]
    row = whole[leaf : leaf + whole[leaf] + 1]
    count, size = 200, len(row) + 4
    pages = []
    for number in range(first, first + 18):
        below = struct.pack(">I", number + 1 if number < first + 17 else order // PAGE + 1)
        start = PAGE - count * size
        head = struct.pack(">BHHHB4s", 2, 0, count, start, 0, below)
        places = struct.pack(f">{count}H", *range(start, PAGE, size))
        pages.append((head + places).ljust(start, b"\0") + (below + row) * count)
    data = bytearray(whole)
    data[28:32] = struct.pack(">I", first + 17)  # the pages of the file
    data[24:28], data[92:96] = b"\0\0\0\1", b"\0\0\0\1"  # which is only believed if these agree
    return bytes(data) + b"".join(pages)


def test_a_database_that_has_no_end_is_left(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mkdocs_recall.store._STEPS", 1_000_000)
    path = folder / FILE
    whole = path.read_bytes()
    path.write_bytes(_endless(whole))
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute(
            "UPDATE sqlite_master SET rootpage = ? WHERE type = 'index'", [len(whole) // PAGE + 1]
        )
    asked = "SELECT used, sum(length(value)) FROM entry GROUP BY used"
    with (
        closing(open_database(path, 1_000_000)) as connection,
        pytest.raises(sqlite3.OperationalError, match="interrupted") as caught,
    ):
        connection.execute(asked)
    assert not is_transient(caught.value), "it is the file's fault, and the file is made anew"
