"""The cache's files: whatever happens to them, a value is intact or a miss."""

from __future__ import annotations

import errno
import logging
import os
import random
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable, Sequence
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from conftest import Built, Site, cache_file
from mkdocs.config import load_config
from mkdocs.exceptions import Abort, PluginError
from tables import beside, tabled

from mkdocs_recall.hosts.config import cache_folder, is_watched
from mkdocs_recall.store import FORMAT, MAPPED, Cache, _check, _Segment, pack, segments

POSIX_ONLY = pytest.mark.skipif(os.name != "posix", reason="Windows has no such thing")


def key(number: int) -> bytes:
    return sha256(b"key %d" % number).digest()[:16]


def value(number: int, size: int = 300) -> bytes:
    """Return the unique value of a key."""
    seed = sha256(b"value %d" % number).digest()
    return (seed * (size // len(seed) + 1))[:size]


def fill(folder: Path, numbers: Sequence[int], *, size: int = 300, limit: int = 1 << 28) -> Cache:
    cache = Cache(folder, limit=limit)
    for number in numbers:
        cache.put(key(number), value(number, size))
    cache.save()
    return cache


def found(cache: Cache, numbers: Sequence[int], *, size: int = 300) -> set[int]:
    """Return which of some values are there, and make sure that they are right."""
    values = cache.get_many([key(number) for number in numbers])
    for number in numbers:
        assert values.get(key(number), value(number, size)) == value(number, size)
    return {number for number in numbers if key(number) in values}


def assert_usable(folder: Path) -> None:
    """Assert that damage is mended by the build that finds it, or by the next one."""
    for _ in range(2):
        cache = Cache(folder)
        for number in set(range(60)) - found(cache, range(60)):
            cache.put(key(number), value(number))
        cache.save()
    after = Cache(folder)
    assert found(after, range(60)) == set(range(60))
    after.close()
    assert not after.notice


def test_the_next_process_finds_exactly_the_cached_values(tmp_path: Path) -> None:
    fill(tmp_path, range(1200))
    cache = Cache(tmp_path)
    assert found(cache, range(1300)) == set(range(1200))
    assert cache.get(key(5)) == value(5)
    assert cache.get(key(1300)) is None
    cache.close()
    assert not cache.notice


def test_keys_that_begin_alike_are_not_taken_for_each_other(tmp_path: Path) -> None:
    one, other = b"12345678abcdefgh", b"12345678ABCDEFGH"
    cache = Cache(tmp_path)
    cache.put(one, b"one")
    cache.save()
    assert cache.get(other) is None
    cache.put(other, b"other")
    cache.save()
    assert cache.get_many([one, other]) == {one: b"one", other: b"other"}
    cache.close()


def test_a_cache_without_new_values_is_not_written(tmp_path: Path) -> None:
    fill(tmp_path, range(20))
    path = cache_file(tmp_path)
    before = path.read_bytes(), path.stat().st_mtime_ns
    cache = Cache(tmp_path)
    found(cache, range(40))
    cache.save()
    assert (path.read_bytes(), path.stat().st_mtime_ns) == before
    assert sorted(tmp_path.iterdir()) == [tmp_path / ".gitignore", path]


def test_lookups_create_no_file(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "new")
    assert cache.get(key(1)) is None
    cache.save()
    assert list(tmp_path.iterdir()) == []
    assert not cache.notice


def test_without_a_folder_nothing_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    cache = Cache(None)
    cache.put(key(1), value(1))
    cache.save()
    assert cache.get(key(1)) is None
    assert not cache.notice
    assert list(tmp_path.iterdir()) == []


def test_its_folder_is_kept_out_of_git_unless_it_says_otherwise(tmp_path: Path) -> None:
    fill(tmp_path / "new" / "deep", [1])
    assert (tmp_path / "new" / "deep" / ".gitignore").read_text() == "*\n"
    folder = tmp_path / "own"
    folder.mkdir()
    (folder / ".gitignore").write_text("!recall*\n")
    fill(folder, [1])
    assert (folder / ".gitignore").read_text() == "!recall*\n"


def test_the_oldest_goes_first_and_the_files_stay_within_their_limit(tmp_path: Path) -> None:
    limit, size, per_build = 400_000, 2_000, 20
    for build in range(30):
        cache = Cache(tmp_path, limit=limit)
        for number in range(build * per_build, (build + 1) * per_build):
            cache.put(key(number), value(number, size))
        cache.save()
        assert sum(path.stat().st_size for path in tmp_path.iterdir()) <= limit * 1.25
        newest = range(build * per_build, (build + 1) * per_build)
        assert found(cache, newest, size=size) == set(newest)
        assert not cache.notice
        cache.close()
    numbers = found(Cache(tmp_path), range(600), size=size)
    oldest = min(numbers) // per_build
    assert numbers >= set(range((oldest + 1) * per_build, 600))
    assert 200_000 < len(numbers) * size < limit


def test_few_files_are_left_and_little_is_written_twice(tmp_path: Path) -> None:
    fill(tmp_path, range(1000))
    [large] = tmp_path.glob(segments())
    for number in range(1000, 1050):
        fill(tmp_path, [number])
    assert len([*tmp_path.glob(segments())]) < 8
    assert large.exists(), "it was not written again for a few values"
    fill(tmp_path, range(1050, 1600))
    assert not large.exists()
    assert found(Cache(tmp_path), range(1700)) == set(range(1600))


def test_the_value_that_was_put_last_counts(tmp_path: Path) -> None:
    for number in range(20):
        cache = Cache(tmp_path)
        cache.put(key(1), value(number))
        if number % 3 == 0:
            cache.put(key(100 + number), value(1, 5000))
        cache.save()
        assert Cache(tmp_path).get(key(1)) == value(number)
    cache = Cache(tmp_path)
    assert cache.get(key(1))
    for number in range(20, 25):
        other = Cache(tmp_path)
        other.put(key(1), value(number))
        other.save()
    cache.put(key(1), value(30))  # it knows nothing of what another has written since
    cache.save()
    assert Cache(tmp_path).get(key(1)) == value(30)


def test_the_cache_does_not_grow_beyond_its_limit_from_build_to_build(tmp_path: Path) -> None:
    limit, size = 200_000, 5_000
    sizes = []
    for build in range(12):
        cache = Cache(tmp_path, limit=limit)
        known = found(cache, range(100), size=size)
        for number in range(100):
            if number not in known:
                cache.put(key(number), value(number, size))
        cache.save()
        sizes.append(cache_file(tmp_path).stat().st_size)
        assert not cache.notice, build
    assert max(sizes) <= 700_000  # all of it: one batch that was in memory anyway
    assert sizes[-1] == sizes[3]


def test_a_file_cut_off_anywhere_is_missed_and_made_again(tmp_path: Path) -> None:
    fill(tmp_path, range(40))
    path = cache_file(tmp_path)
    whole = path.read_bytes()
    for end in (*range(0, 120, 3), *range(120, len(whole), 331)):
        for other in tmp_path.glob(segments()):
            other.unlink()
        path.write_bytes(whole[:end])
        cache = Cache(tmp_path)
        found(cache, range(40))
        cache.put(key(50), value(50))
        cache.save()
        assert_usable(tmp_path)


def test_a_file_truncated_while_read_is_a_miss(tmp_path: Path) -> None:
    fill(tmp_path, range(40))
    cache = Cache(tmp_path)
    assert cache.get(key(1)) == value(1)
    os.truncate(cache_file(tmp_path), 5000)  # as a program does that copies another over it
    assert found(cache, range(40)) < set(range(40))
    cache.close()
    assert_usable(tmp_path)


def test_a_file_that_cannot_be_read_any_more_is_missed(tmp_path: Path) -> None:
    size = 100_000  # more than is read at once
    cache = fill(tmp_path, range(5), size=size)
    assert found(cache, [1], size=size) == {1}
    [segment] = cache._read()  # noqa: SLF001 - a disk that fails is hard to come by
    with (tmp_path / "other").open("wb") as unreadable:
        os.dup2(unreadable.fileno(), segment.file.fileno())
    assert found(cache, range(5), size=size) == set()
    cache.put(key(5), value(5, size))
    cache.save()
    assert found(Cache(tmp_path), range(6), size=size) == set(range(6))


def test_a_file_that_cannot_be_read_is_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    size = 100_000
    fill(tmp_path, range(5), size=size)
    path, whole_read = cache_file(tmp_path), _Segment.read

    def read(path: Path, largest: int) -> _Segment:
        segment = whole_read(path, largest)
        with (tmp_path / "other").open("wb") as unreadable:
            os.dup2(unreadable.fileno(), segment.file.fileno())
        return segment

    with monkeypatch.context() as patch:
        patch.setattr(_Segment, "read", read)
        cache = fill(tmp_path, range(5, 8), size=size)
    assert not cache.notice
    assert not path.exists()
    assert found(Cache(tmp_path), range(8), size=size) == {5, 6, 7}


def test_a_flipped_bit_is_a_miss_and_the_file_stays_usable(tmp_path: Path) -> None:
    fill(tmp_path, range(30))
    path = cache_file(tmp_path)
    whole = path.read_bytes()
    chance = random.Random(20)  # noqa: S311 - no secret
    for at in (*range(0, 400, 5), *(chance.randrange(len(whole)) for _ in range(100))):
        for other in tmp_path.glob(segments()):
            other.unlink()
        _flip(path, whole, at)
        cache = Cache(tmp_path)
        found(cache, range(40))
        cache.put(key(50), value(50))
        cache.save()
        assert_usable(tmp_path)


def test_older_values_are_not_read_into_memory_to_be_written_again(tmp_path: Path) -> None:
    size = 100_000
    fill(tmp_path, range(60), size=size)
    cache = Cache(tmp_path)
    for number in range(60, 100):
        cache.put(key(number), value(number, size))
    tracemalloc.start()
    try:
        cache.save()
        assert tracemalloc.get_traced_memory()[1] < 20 * size
    finally:
        tracemalloc.stop()
    assert cache_file(tmp_path).stat().st_size > 100 * size, "the segments are merged"
    assert found(Cache(tmp_path), range(100), size=size) == set(range(100))


def test_the_newest_value_of_a_key_is_kept_when_segments_are_merged(tmp_path: Path) -> None:
    changing = key(99)  # like the record of the last build, and unlike a digest of its value
    for data, numbers in ((b"older", range(1)), (b"new", range(0))):
        cache = Cache(tmp_path)
        cache.put(changing, data)
        for number in numbers:
            cache.put(key(number), value(number, 100_000))
        cache.save()
    assert len([*tmp_path.glob("*.bin")]) == 2, "the large segment is not merged"
    fill(tmp_path, range(1, 3), size=100_000)
    assert cache_file(tmp_path).stat().st_size > 300_000, "both are merged"
    assert Cache(tmp_path).get(changing) == b"new"


def mapped(cache: Cache, name: str, key: bytes) -> bytes | None:
    """Return a value that is mapped into memory, as bytes."""
    return cache.map(name, key, lambda value, **_: bytes(value))


def _flip(path: Path, whole: bytes, at: int) -> None:
    path.write_bytes(whole[:at] + bytes([whole[at] ^ 4]) + whole[at + 1 :])


def _replace_by_link(path: Path) -> None:
    theirs = path.with_name("theirs")
    path.rename(theirs)
    path.symlink_to(theirs)


DAMAGE: dict[str, Callable[[Path, bytes], object]] = {
    "cut off": lambda path, whole: path.write_bytes(whole[:-1]),
    "cut off early": lambda path, whole: path.write_bytes(whole[:5]),
    "empty": lambda path, _: path.write_bytes(b""),
    "longer": lambda path, whole: path.write_bytes(whole + b"x"),
    "its first bit": lambda path, whole: _flip(path, whole, 0),
    "its last bit": lambda path, whole: _flip(path, whole, len(whole) - 1),
    "huge": lambda path, _: os.truncate(path, 1 << 40),
    "a link": lambda path, _: _replace_by_link(path),
    "gone": lambda path, _: path.unlink(),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_mapped_value_is_missed_and_made_again(tmp_path: Path, damage: str) -> None:
    folder = tmp_path / "cache"
    cache = Cache(folder)
    cache.put_mapped("index", key(1), value(1, 10_000))
    assert mapped(cache, "index", key(1)), "from now on it is known"
    cache.save()
    (path,) = folder.glob(MAPPED)
    DAMAGE[damage](path, path.read_bytes())
    theirs = path.with_name("theirs")
    before = theirs.read_bytes() if theirs.exists() else None
    cache = Cache(folder)
    assert mapped(cache, "index", key(1)) is None
    cache.put_mapped("index", key(1), value(2, 10_000))
    assert mapped(cache, "index", key(1)) == value(2, 10_000)
    assert (theirs.read_bytes() if theirs.exists() else None) == before
    assert not cache.notice


def test_a_mapped_value_is_known_after_its_first_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    known: list[bool] = []
    synced: list[int] = []  # how often it had been read before
    monkeypatch.setattr(os, "fsync", lambda _: synced.append(len(known)))

    def read(_: memoryview, *, is_known: bool) -> None:
        known.append(is_known)
        if len(known) == 1:
            raise ValueError  # it is no value, and not known the next time

    Cache(tmp_path).put_mapped("index", key(1), value(1))
    for _ in range(4):
        cache = Cache(tmp_path)
        cache.map("index", key(1), read)
        cache.save()
        if len(known) == 3:
            next(tmp_path.glob(MAPPED)).touch()
    assert known == [False, False, True, False]
    assert synced == [0, 1, 3]


def test_a_mapped_value_replaces_an_older_one_that_others_still_read(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    cache.put_mapped("index", key(1), value(1))
    cache.put_mapped("another", key(1), value(3))
    older = cache.map("index", key(1), lambda value, **_: value)
    cache.put_mapped("index", key(2), value(2))
    assert older
    assert bytes(older) == value(1)
    assert mapped(cache, "index", key(2)) == value(2)
    assert mapped(cache, "another", key(1)) == value(3)
    if os.name == "posix":  # Windows deletes no file that is mapped
        assert mapped(cache, "index", key(1)) is None
    (path,) = {path for path in tmp_path.glob(MAPPED) if path.read_bytes().endswith(value(2))}
    path.rename(path.with_name(path.name.replace(key(2)[:8].hex(), key(3)[:8].hex())))
    assert mapped(cache, "index", key(3)) is None, "it is the value of another key"


def test_mapped_values_stay_within_a_limit_and_the_oldest_goes_first(tmp_path: Path) -> None:
    cache = Cache(tmp_path, limit=1000)
    for number in range(20):
        cache.put_mapped(f"index {number}", key(number), value(number, 900))
        for path in tmp_path.glob(MAPPED):  # two may be written in one tick of a clock
            os.utime(path, ns=(0, path.stat().st_mtime_ns - 10**9))
    numbers = [n for n in range(20) if mapped(cache, f"index {n}", key(n))]
    assert numbers == [16, 17, 18, 19]
    cache.put_mapped("large", key(30), value(30, 1100))
    assert mapped(cache, "large", key(30)) is None


def test_a_file_that_goes_while_others_are_counted_stops_nothing(tmp_path: Path) -> None:
    gone = tmp_path / MAPPED.replace("*", "gone")  # as one that another process deletes
    gone.symlink_to(tmp_path / "nothing")
    cache = Cache(tmp_path)
    for number in range(2):
        cache.put_mapped("index", key(number), value(number))
        assert mapped(cache, "index", key(number)) == value(number)
    assert not cache.notice
    assert len([path for path in tmp_path.glob(MAPPED) if path != gone]) == 1


def test_mapped_values_leave_a_process_files_to_open(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    for number in range(300):
        cache.put_mapped(f"index {number}", key(number), value(number))
    views = [cache.map(f"index {n}", key(n), lambda value, **_: value) for n in range(300)]
    with (tmp_path / "one").open("w"), (tmp_path / "another").open("w") as file:
        assert file.fileno() < 200  # macOS has 256; the first may have one that was free
    assert [bytes(view) if view else b"" for view in views] == [*map(value, range(300))]


RUBBISH: dict[str, bytes] = {
    "nothing": b"",
    "a byte": b"\xff",
    "a short text": b"mine\n",
    "a text": b"All of this is no cache.\n" * 500,
    "its first bytes": b"RCL2" + bytes(3),
    "zeros": bytes(5000),
    **{f"{n} random bytes": random.Random(n).randbytes(n) for n in (15, 16, 17, 4096)},  # noqa: S311
}
"""What is in the place of a segment and none."""
DAMAGED = "cut off", "a flipped bit"


def _folder(path: Path) -> None:
    path.mkdir()
    (path / "mine.txt").write_text("mine")


def _link(path: Path) -> None:
    theirs = path.with_name("theirs")
    theirs.write_bytes(b"theirs")
    path.symlink_to(theirs)


FOREIGN: dict[str, Callable[[Path], object]] = {"a folder": _folder, "a link": _link}
if os.name == "posix":
    FOREIGN["a pipe"] = os.mkfifo


@pytest.mark.parametrize("name", FOREIGN)
def test_what_is_not_a_file_is_left_as_it_is(tmp_path: Path, name: str) -> None:
    path = tmp_path / segments().replace("*", "0f")
    FOREIGN[name](path)
    assert_usable(tmp_path)
    before = path.lstat()
    fill(tmp_path, range(60))
    assert path.lstat() == before
    theirs = tmp_path / "theirs"
    assert not theirs.exists() or theirs.read_bytes() == b"theirs"


@pytest.mark.parametrize("name", RUBBISH)
def test_a_file_that_is_not_a_segment_is_rebuilt(tmp_path: Path, name: str) -> None:
    path = tmp_path / segments().replace("*", "0f")
    path.write_bytes(RUBBISH[name])
    cache = Cache(tmp_path)
    assert found(cache, range(3)) == set()
    assert f"'{path}' was damaged and is rebuilt" in cache.notice
    assert_usable(tmp_path)
    assert not path.exists()


def test_a_segment_larger_than_ours_become_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / segments().replace("*", "0f")
    path.touch()
    os.truncate(path, 1 << 40)
    cache = Cache(tmp_path)
    assert cache.get(key(1)) is None
    assert "it is larger than a cache file can be" in cache.notice


def test_a_head_that_names_everything_again_and_again_takes_no_memory(tmp_path: Path) -> None:
    """It says so of a million values, and each is the whole file."""
    cache = Cache(tmp_path, limit=1_000_000)
    cache.put(key(0), value(0, 400_000))
    cache.save()
    path = cache_file(tmp_path)
    body = path.read_bytes()[-400_008:]
    head = pack((1, {key(n): (0, len(body)) for n in range(10_000)}))
    lead = len(head).to_bytes(4, "big")
    path.write_bytes(b"".join((b"RCL2", _check(lead, head), lead, head, body)))
    cache = Cache(tmp_path, limit=1_000_000)
    assert found(cache, range(3), size=400_000) == {0}
    cache.put(key(20_000), value(20_000, 400_000))
    cache.save()
    assert sum(file.stat().st_size for file in tmp_path.iterdir()) < 1_500_000


def test_a_value_beyond_the_end_of_its_file_takes_no_memory(tmp_path: Path) -> None:
    path = tmp_path / segments().replace("*", "0f")
    head = pack((1, {key(1): (0, 1 << 62)}))
    lead = len(head).to_bytes(4, "big")
    path.write_bytes(b"".join((b"RCL2", _check(lead, head), lead, head, b"x" * 100)))
    cache = Cache(tmp_path)
    assert cache.get(key(1)) is None
    assert "it is incomplete" in cache.notice


def test_several_processes_make_it_again_at_once(tmp_path: Path) -> None:
    (tmp_path / segments().replace("*", "0f")).write_bytes(b"no cache" * 500)
    script = beside(__file__)["USE"]
    command = [sys.executable, "-c", script, str(tmp_path)]
    running = [subprocess.Popen(command) for _ in range(4)]  # noqa: S603 - our own interpreter
    assert [process.wait() for process in running] == [0] * 4
    assert_usable(tmp_path)


def test_a_cache_file_of_another_format_is_left_alone(tmp_path: Path) -> None:
    other = tmp_path / segments().replace(f"{FORMAT}-*", f"{FORMAT + 1}-0f")
    other.write_bytes(b"of the future")
    assert_usable(tmp_path)
    assert other.read_bytes() == b"of the future"


@POSIX_ONLY
def test_a_cache_that_may_only_be_read_is_read() -> None:
    with TemporaryDirectory() as name:
        folder = Path(name)
        fill(folder, range(5))
        cache_file(folder).chmod(0o444)
        folder.chmod(0o555)
        root = os.geteuid() == 0  # to whom nothing is read-only
        try:
            if root:
                os.seteuid(65534)
            cache = Cache(folder)
            assert found(cache, range(7)) == set(range(5))
            cache.put(key(6), value(6))
            cache.save()
        finally:
            if root:
                os.seteuid(0)
            folder.chmod(0o755)
        assert "not written" in cache.notice
        assert found(Cache(folder), range(7)) == set(range(5))


@pytest.mark.parametrize("below", ["a file", "a folder that cannot be made"])
def test_without_a_possible_folder_nothing_is_cached(tmp_path: Path, below: str) -> None:
    (tmp_path / "file").write_text("")
    folder = tmp_path / "file" / "cache" if below == "a file" else tmp_path / ("x" * 300)
    cache = Cache(folder)
    assert found(cache, range(3)) == set()
    cache.put(key(1), value(1))
    cache.save()
    assert ("not written" if below == "a file" else "not used") in cache.notice


def test_without_disk_space_a_build_goes_on_with_the_old_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    fill(tmp_path, range(5))
    with monkeypatch.context() as patched:
        patched.setattr("mkdocs_recall.store.write_atomically", full)
        cache = fill(tmp_path, range(10, 100))
    assert "not written: No space left on device" in cache.notice
    assert found(cache, range(200)) == set(range(5))
    assert_usable(tmp_path)


WRITE: str = beside(__file__)["WRITE"]


def writing(folder: Path, first: int, turns: int) -> subprocess.Popen[bytes]:
    """Start a process that writes again and again, and wait until it has written once."""
    arguments = (str(Path(__file__).parents[2]), str(folder), str(first), str(turns))
    process = subprocess.Popen(  # noqa: S603 - our own interpreter
        [sys.executable, "-c", WRITE, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    process.stdout.readline()
    return process


def test_two_processes_write_to_it_at_once(tmp_path: Path) -> None:
    processes = [writing(tmp_path, first, 30) for first in (0, 20)]
    for process in processes:
        _, errors = process.communicate(timeout=60)
        assert process.returncode == 0, errors
    cache = Cache(tmp_path)
    assert len(found(cache, range(100), size=9_000)) > 20
    cache.close()
    assert not cache.notice


@pytest.mark.slow
def test_a_process_killed_while_it_writes_leaves_files_that_are_right(tmp_path: Path) -> None:
    chance = random.Random(1)  # noqa: S311 - no secret
    for _ in range(20):
        with writing(tmp_path, 0, 1_000_000) as process:
            time.sleep(chance.random() / 50)
            process.kill()
        cache = Cache(tmp_path)
        assert found(cache, range(60), size=9_000)
        cache.close()
        assert not cache.notice


PAGES: dict[str, str] = beside(__file__)["PAGES"]


def _is_right(built: Built, clean: Built) -> None:
    """Assert that a build is right, would pass `--strict`, and logs at most one warning."""
    assert built.files() == clean.files()
    assert built.warnings == []
    notices = [info for info in built.infos if "the cache" in info.replace("from the cache", "")]
    assert len(notices) <= 1
    assert len(built.infos) == 1 + len(notices)


@pytest.mark.parametrize("name", ["a text", "4096 random bytes", *DAMAGED])
def test_a_build_beside_a_file_it_cannot_use_is_right(site: Site, name: str) -> None:
    clean = site.build(PAGES, recall={"cache": False})
    site.build()
    path = cache_file(site.cache)
    whole = path.read_bytes()
    if name == "a flipped bit":
        _flip(path, whole, len(whole) // 2)
    else:
        path.write_bytes(RUBBISH.get(name, whole[: len(whole) // 2]))
    built = site.rebuild()
    _is_right(built, clean)
    if name in RUBBISH:
        [notice] = [info for info in built.infos if str(path) in info]
        assert "rebuilt" in notice
    _is_right(site.rebuild(), clean)
    assert "2 from the cache" in site.rebuild().infos[0]


def test_a_build_that_stops_at_an_error_caches_its_quotes(site: Site) -> None:
    mistake = {"zz.md": "# Z\n\n```recall\nsource: gone.md\nquery: why\n```\n"}
    with pytest.raises(Abort):
        site.build(PAGES | mistake, recall={"on_error": "raise"})
    built = site.build({"zz.md": "# Z\n"}, recall={"on_error": "raise"})
    assert "2 directives answered, 0 by fallback, 2 from the cache" in built.infos[0]


def test_a_build_whose_cache_cannot_be_made_is_right(site: Site) -> None:
    clean = site.build(PAGES, recall={"cache": False})
    (site.root / "file").write_text("mine")
    built = site.build(recall={"cache_dir": "file/cache"})
    _is_right(built, clean)
    assert any("is not written" in info for info in built.infos)
    assert (site.root / "file").read_text() == "mine"


FULL = """
import resource, sys
from mkdocs.__main__ import cli
resource.setrlimit(resource.RLIMIT_FSIZE, (900, 900))
cli(["build", "--strict"])
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows limits no process's files")
def test_a_build_on_a_full_disk_is_right(site: Site) -> None:
    clean = site.build(PAGES, recall={"cache": False, "css": False}).files()
    site.configure(recall={"css": False})
    result = subprocess.run(  # noqa: S603 - our own interpreter
        [sys.executable, "-c", FULL],
        cwd=site.root,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    assert result.stderr.count("the cache '") == 1
    assert site.rebuild().files() == clean
    assert "2 from the cache" in site.rebuild().infos[-1]


def test_two_builds_at_once_are_right(site: Site) -> None:
    clean = site.build(PAGES, recall={"cache": False}).files()
    site.configure()
    processes = [
        subprocess.Popen(  # noqa: S603 - our own interpreter
            [sys.executable, "-m", "mkdocs", "build", "--strict", "-d", str(site.root / name)],
            cwd=site.root,
            stderr=subprocess.PIPE,
        )
        for name in ("one", "two")
    ]
    for process in processes:
        _, errors = process.communicate(timeout=120)
        assert process.returncode == 0, errors
        assert b"the cache '" not in errors
    for name in ("one", "two"):
        folder = site.root / name
        assert {
            path.relative_to(folder).as_posix(): path.read_bytes()
            for path in folder.rglob("*.html")
        } == clean
    assert "2 from the cache" in site.rebuild().infos[-1]


@pytest.mark.slow
def test_a_build_that_is_killed_harms_no_other(site: Site) -> None:
    chance = random.Random(5)  # noqa: S311 - no secret
    for number in range(12):
        text = f"# {number}\n\n" + f"The larch number {number} is green. " * 400
        site.write({f"many/{number}.md": text})
    site.write({"index.md": "# Home\n\n" + "```recall\nsource: many/**\nquery: larch\n```\n" * 3})
    clean = site.build(recall={"cache": False}).files()
    site.configure()
    folder = site.cache
    for turn in range(2):
        with subprocess.Popen(
            [sys.executable, "-m", "mkdocs", "build", "-q"], cwd=site.root
        ) as process:
            while turn and not [*folder.glob(segments())] and process.poll() is None:
                time.sleep(0.001)
            time.sleep(chance.random() * (0.02 if turn else 0.5))
            process.kill()
        built = site.rebuild()
        assert built.files() == clean
        assert len(built.infos) == 2, built.infos  # the summary, and the doubts
        assert "3 from the cache" in site.rebuild().infos[0]
        for path in folder.glob(segments()):
            path.unlink()


def test_a_folder_that_is_in_use_gets_no_gitignore(tmp_path: Path) -> None:
    (tmp_path / "own.sh").write_text("true\n", encoding="utf-8")
    fill(tmp_path, [1])
    assert not (tmp_path / ".gitignore").exists()


def test_a_folder_that_is_copied_into_the_site_or_watched_is_seen(site: Site) -> None:
    site.docs.mkdir()
    config = load_config(str(site.configure(recall={"cache_dir": "theme/cache"})))
    settings = config.plugins["recall"].config
    with pytest.raises(PluginError, match="'custom_dir'"):
        cache_folder(settings, config)
    for watched, cache_dir, is_seen in (
        (".", "own", True),
        ("theme", "own", False),
        (".", None, False),
    ):
        recall = {"cache_dir": cache_dir} if cache_dir else {}
        config = load_config(str(site.configure(watch=[watched], recall=recall)))
        folder = cache_folder(config.plugins["recall"].config, config)
        assert folder is not None
        assert is_watched(folder, config) == is_seen


def test_a_site_that_contains_the_user_cache_is_built_without_it(site: Site) -> None:
    site.docs.mkdir()
    config = load_config(str(site.configure()))
    config.docs_dir = str(site.root)  # as mkdocs-same-dir has it
    assert cache_folder(config.plugins["recall"].config, config) == site.cache
    config.docs_dir = str(site.cache.parent.parent)
    assert cache_folder(config.plugins["recall"].config, config) is None


def test_cache_dir_is_relative_to_the_folder_of_mkdocs_yml(
    site: Site, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path_factory.mktemp("elsewhere"))
    site.build(PAGES)
    assert cache_file(site.cache)
    assert not (site.root / ".cache").exists()
    site.build(recall={"cache_dir": ".cache/own"})
    assert cache_file(site.root / ".cache/own")
    assert (site.root / ".cache/own/.gitignore").read_text() == "*\n"
    site.build(recall={"cache_dir": "tmp/deep/../recall"})
    assert cache_file(site.root / "tmp/recall")
    absolute = tmp_path_factory.mktemp("absolute")
    site.build(recall={"cache_dir": str(absolute)})
    assert cache_file(absolute)
    assert list(Path.cwd().iterdir()) == []


@POSIX_ONLY
def test_a_linked_mkdocs_yml_has_its_cache_where_the_link_is(
    site: Site, tmp_path_factory: pytest.TempPathFactory
) -> None:
    site.write(PAGES)
    path = site.configure(recall={"cache_dir": "own"})
    target = tmp_path_factory.mktemp("shared") / "mkdocs.yml"
    path.rename(target)
    path.symlink_to(target)
    site.rebuild()
    assert cache_file(site.root / "own")
    assert sorted(each.name for each in target.parent.iterdir()) == ["mkdocs.yml"]


@tabled
def test_a_place_that_is_not_a_folder_of_its_own_is_reported(
    site: Site, folder: str, other: str
) -> None:
    site.write(PAGES)
    site.configure(recall={"cache_dir": folder})
    before = sorted(site.root.rglob("*"))
    with pytest.raises(Abort):
        site.rebuild()
    [message] = [r.getMessage() for r in site.records if r.levelno >= logging.ERROR]
    assert "mkdocs.yml: recall: 'cache_dir'" in message
    assert other in message
    assert "or leave it out" in message
    assert sorted(site.root.rglob("*")) == before


def test_without_a_cache_nothing_is_written_but_the_site(site: Site) -> None:
    site.write(PAGES)
    site.configure(recall={"cache": False, "cache_dir": "docs"})
    before = set(site.root.rglob("*"))
    built = site.rebuild()
    made = set(site.root.rglob("*")) - before
    assert {path.relative_to(site.root).parts[0] for path in made} == {"site"}
    assert not site.cache.exists()
    assert built.infos == ["recall: 2 directives answered, 0 by fallback, 0 from the cache"]
    assert site.rebuild().infos == built.infos


def test_a_site_that_asks_nothing_has_no_cache(site: Site) -> None:
    site.build({"index.md": "# Home\n\nWe recall a synopsis.\n"})
    assert not site.cache.exists()
