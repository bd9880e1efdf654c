"""Vectors on disk: a text is embedded once, and whatever becomes of the file, none is wrong.

What a cache file of ours goes through is tested in `cache`.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from meaning import DIMENSION, Toy
from numpy.typing import NDArray
from repositories import Repository
from tables import beside
from terminal import Terminal

from mkdocs_recall.errors import EmbedderError
from mkdocs_recall.factors.vectors import DIGITS, Vectors
from mkdocs_recall.store import Cache, digest, segments

TEXTS = [f"Sentence {number} says what {number * 7} is." for number in range(20)]


def filled(folder: Path, texts: Sequence[str] = TEXTS, **toy: Any) -> Path:
    """Keep the vectors of some texts, and return the file."""
    vectors = Vectors(Toy(**toy), folder)
    vectors.of(texts)
    vectors.save()
    assert vectors.notice == ""
    return min(folder.glob(segments("vectors")))


def assert_right(vectors: Vectors, texts: Sequence[str] = TEXTS) -> None:
    """Assert that vectors are those of an embedder that is asked for them."""
    assert vectors.of(texts).tobytes() == Toy().embed(texts).tobytes()


def state(path: Path) -> tuple[int, int, bytes]:
    status = path.stat()
    return status.st_ino, status.st_mtime_ns, path.read_bytes()


def test_vectors_that_git_tracks_are_neither_read_nor_written(repository: Repository) -> None:
    path = filled(repository.root / "kept")
    repository.git("add", "--force", "kept")
    before = state(path)
    toy = Toy()
    vectors = Vectors(toy, repository.root / "kept")
    vectors.of([*TEXTS, "another"])
    vectors.save()
    assert toy.asked == [[*TEXTS, "another"]]
    assert state(path) == before


class Apart(Toy):
    """Gives a text another vector where it is embedded by itself."""

    def embed_alone(self, text: str) -> NDArray[np.float32]:
        return -self.embed([text])


@pytest.mark.parametrize("query_first", [False, True])
def test_a_query_never_replaces_an_equal_sentence(tmp_path: Path, *, query_first: bool) -> None:
    text = "A larch is a tree."
    [row] = Toy().embed([text])
    vectors = Vectors(Apart(), tmp_path)
    for is_query in (query_first, not query_first):
        expected = -row if is_query else row
        got = vectors.alone(text) if is_query else vectors.of([text])[0]
        assert got.tobytes() == expected.tobytes()
    vectors.save()
    toy = Apart()
    again = Vectors(toy, tmp_path)
    assert again.alone(text).tobytes() == (-row).tobytes()
    assert again.of([text])[0].tobytes() == row.tobytes()
    assert again.cosines(text, [text]) == [-1]
    assert again.cosine(text, text) == 1
    assert toy.asked == []


def test_each_text_has_its_vector_in_its_place_and_is_embedded_once() -> None:
    toy = Toy()
    vectors = Vectors(toy, None)
    rows = vectors.of(["one", "two", "one", "three"])
    assert rows.dtype == np.float32
    assert rows.tobytes() == Toy().embed(["one", "two", "one", "three"]).tobytes()
    assert vectors.of(["three", "four"]).tobytes() == Toy().embed(["three", "four"]).tobytes()
    assert toy.asked == [["one", "two", "three"], ["four"]]


def test_no_text_has_no_vector_and_nothing_is_embedded() -> None:
    toy = Toy()
    assert Vectors(toy, None).of([]).shape == (0, DIMENSION)
    assert Vectors(toy, None).cosines("one", []) == []
    assert [text for texts in toy.asked for text in texts] == ["one"]


def test_a_cosine_tells_how_near_two_texts_are() -> None:
    vectors = Vectors(Toy({"ends": "expires", "lasts": ""}), None)
    texts = ["It expires.", "ends it", "Fir trees grow", ""]
    same, other_words, another, empty = vectors.cosines("It ends!", texts)
    assert same == other_words == 1
    assert abs(another) < 0.3
    assert empty == 0


@given(st.lists(st.sampled_from(TEXTS), min_size=1, max_size=30), st.sampled_from(TEXTS))
def test_a_cosine_is_the_same_whatever_is_asked_with_it(texts: list[str], query: str) -> None:
    vectors = Vectors(Toy(), None)
    together = vectors.cosines(query, texts)
    assert together == [vectors.cosines(query, [text])[0] for text in texts]
    rows = Toy().embed([query, *texts]).astype(np.float64)
    assert together == pytest.approx((rows[1:] @ rows[0]).tolist(), abs=0.50001 * 10**-DIGITS)
    assert all(-1 <= cosine <= 1 and round(cosine, DIGITS) == cosine for cosine in together)


@pytest.mark.slow
def test_there_may_be_more_texts_than_are_counted_at_once() -> None:
    texts = [f"word {number}" for number in range(5000)]
    cosines = Vectors(Toy(), None).cosines("word 4999", texts)
    assert len(cosines) == 5000
    assert cosines.index(max(cosines)) == 4999


def test_cached_embeddings_are_not_computed_or_written_again(tmp_path: Path) -> None:
    path = filled(tmp_path)
    before = state(path)
    toy = Toy()
    vectors = Vectors(toy, tmp_path)
    assert_right(vectors)
    vectors.save()
    assert toy.asked == []
    assert state(path) == before
    assert vectors.notice == ""


def test_only_new_text_of_an_edited_page_is_embedded(tmp_path: Path) -> None:
    filled(tmp_path)
    toy = Toy()
    vectors = Vectors(toy, tmp_path)
    edited = [*TEXTS[:5], "A new one.", *TEXTS[6:]]
    assert_right(vectors, edited)
    vectors.save()
    assert toy.asked == [["A new one."]]
    again = Toy()
    assert_right(Vectors(again, tmp_path), [*edited, *TEXTS])
    assert again.asked == []


def test_query_vectors_are_cached_so_a_warm_build_loads_no_model(tmp_path: Path) -> None:
    vectors = Vectors(Toy(), tmp_path)
    cosines = vectors.cosines("Which one?", TEXTS)
    vectors.save()
    toy = Toy()
    assert Vectors(toy, tmp_path).cosines("Which one?", TEXTS) == cosines
    assert toy.asked == []


def test_any_text_has_a_stored_vector(tmp_path: Path) -> None:
    texts = ["", " ", "\ud800 lone", "a\0b", "漢字", "é", "e\u0301"]
    filled(tmp_path, texts)
    toy = Toy()
    assert_right(Vectors(toy, tmp_path), texts)
    assert toy.asked == []


def test_another_model_has_other_vectors(tmp_path: Path) -> None:
    kinds: list[dict[str, Any]] = [{}, {"fingerprint": "newer"}, {"name": "other"}]
    for kind in kinds:
        filled(tmp_path, **kind)
    for kind in (*kinds, {"fingerprint": "newest"}):
        toy = Toy(**kind)
        Vectors(toy, tmp_path).of(TEXTS)
        assert toy.asked == ([] if kind in kinds else [TEXTS])


def test_without_a_cache_nothing_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    vectors = Vectors(Toy(), None)
    vectors.of(TEXTS)
    vectors.save()
    Vectors(Toy(), tmp_path).save()
    assert list(tmp_path.iterdir()) == []
    assert vectors.notice == ""


@pytest.mark.parametrize("vectors_first", [True, False])
def test_git_ignores_the_folder_whoever_made_it(tmp_path: Path, *, vectors_first: bool) -> None:
    folder = tmp_path / "kept"

    def keep_pages() -> None:
        cache = Cache(folder)
        cache.put(digest("a"), b"b")
        cache.save()

    if not vectors_first:
        keep_pages()
    filled(folder)
    keep_pages()
    assert (folder / ".gitignore").read_text() == "*\n"
    assert len(list(folder.iterdir())) == 3


def test_the_command_that_clears_the_cache_deletes_vectors_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# A\n\nA token.\n", encoding="utf-8")
    terminal = Terminal(tmp_path)
    clear = "cache", "clear", "--docs", "."
    folder = Path(terminal.run(*clear).err.split("'")[1])
    filled(folder)
    foreign = folder / "notes.txt"
    foreign.write_text("Somebody's.", encoding="utf-8")
    assert terminal.run(*clear).status == 0
    assert {path.name for path in folder.iterdir()} == {".gitignore", foreign.name}
    foreign.unlink()
    filled(folder)
    assert terminal.run(*clear).status == 0
    assert not folder.exists()


def test_two_that_write_one_after_the_other_lose_nothing(tmp_path: Path) -> None:
    one, other = Vectors(Toy(), tmp_path), Vectors(Toy(), tmp_path)
    one.of(TEXTS[:12])
    other.of(TEXTS[8:])
    one.save()
    other.save()
    toy = Toy()
    assert_right(Vectors(toy, tmp_path))
    assert toy.asked == []


PROGRAM: str = beside(__file__)["PROGRAM"]


@pytest.mark.slow
def test_several_processes_may_share_a_folder(tmp_path: Path) -> None:
    here = Path(__file__).parents[1]
    processes = [
        subprocess.Popen(  # noqa: S603 - our own interpreter and paths
            [sys.executable, "-c", PROGRAM, str(tmp_path), str(number)],
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": os.pathsep.join([str(here), str(here.parent)])},
        )
        for number in range(3)
    ]
    said = [process.communicate()[0] for process in processes]  # all of them, before one fails
    assert [process.returncode for process in processes] == [0] * len(processes)
    assert [json.loads(out) for out in said] == [[""] * 10] * len(processes)
    toy = Toy()
    vectors = Vectors(toy, tmp_path)
    assert_right(vectors, ["Of all, 9"])
    assert toy.asked == []
    assert vectors.notice == ""


def _random_bytes(length: int, _: bytes) -> bytes:
    return random.Random(length).randbytes(length)  # noqa: S311 - no secret


DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda _: b"",
    "cut in the head": lambda whole: whole[:50],
    "cut in a row": lambda whole: whole[:-100],
    "no database": lambda _: b"Not a database at all." * 100,
    **{
        f"{length} random bytes": partial(_random_bytes, length)
        for length in (1, 6, 128, 5000, 200_000)
    },
    "zeros to the end": lambda whole: whole[:500] + bytes(len(whole) - 500),
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_a_damaged_file_is_replaced(tmp_path: Path, damage: Callable[[bytes], bytes]) -> None:
    path = filled(tmp_path)
    path.write_bytes(damage(path.read_bytes()))
    toy = Toy()
    vectors = Vectors(toy, tmp_path)
    assert_right(vectors)
    assert toy.asked
    vectors.save()
    filled(tmp_path)  # the next process; this one has given the file up
    assert_right(mended := Vectors(again := Toy(), tmp_path))
    assert again.asked == []
    assert mended.notice == ""


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=100)
@given(st.data())
def test_no_changed_byte_gives_a_wrong_vector(tmp_path: Path, data: st.DataObject) -> None:
    for other in tmp_path.glob("*.bin"):
        other.unlink()
    path = filled(tmp_path, TEXTS[:3])
    whole = path.read_bytes()
    place = data.draw(st.integers(0, len(whole) - 1))
    changed = data.draw(st.integers(0, 255))
    path.write_bytes(whole[:place] + bytes([changed]) + whole[place + 1 :])
    assert_right(Vectors(Toy(), tmp_path), TEXTS[:3])


def test_vectors_of_another_dimension_are_not_those_of_the_model(tmp_path: Path) -> None:
    filled(tmp_path, [*TEXTS[:10], "a"], dimension=8)
    vectors = Vectors(Toy(), tmp_path)
    assert_right(vectors)
    vectors.save()
    assert_right(Vectors(again := Toy(), tmp_path))
    assert again.asked == []


def test_a_folder_in_the_place_of_the_file_stays(tmp_path: Path) -> None:
    path = filled(tmp_path)
    path.unlink()
    path.mkdir()
    vectors = Vectors(Toy(), tmp_path)
    assert_right(vectors)
    vectors.save()
    assert "is not written: " in vectors.notice
    assert path.is_dir()


class Broken(Toy):
    """Returns something else."""

    def __init__(self, made: Any) -> None:
        super().__init__()
        self.made = made

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        if isinstance(self.made, Exception):
            raise self.made
        made: NDArray[np.float32] = self.made(super().embed(texts))
        return made


@pytest.mark.parametrize(
    ("made", "message"),
    [
        (RuntimeError("no memory"), "model 'toy' failed: RuntimeError: no memory"),
        (EmbedderError("gone"), "gone"),
        (lambda rows: rows[:1], "model 'toy' returned an array of shape (1, 64), not (2, 64)"),
        (lambda rows: rows[:, :3], "model 'toy' returned an array of shape (2, 3), not (2, 64)"),
        (lambda rows: rows * 2, "model 'toy' returned vectors whose length is not 1"),
        (lambda rows: rows * np.nan, "model 'toy' returned vectors whose length is not 1"),
        (lambda _: "ab", "model 'toy' failed: ValueError: could not convert string to float"),
        (lambda _: None, "model 'toy' returned an array of shape (), not (2, 64)"),
    ],
)
def test_an_embedder_without_vectors_is_an_error(tmp_path: Path, made: Any, message: str) -> None:
    vectors = Vectors(Broken(made), tmp_path)
    with pytest.raises(EmbedderError) as caught:
        vectors.of(["one", "two"])
    assert message in str(caught.value)
    vectors.save()
    assert list(tmp_path.iterdir()) == []


def test_numpy_is_asked_for_if_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mkdocs_recall.factors.vectors.np", None)
    with pytest.raises(EmbedderError, match="numpy is not installed: pip install numpy"):
        Vectors(Toy(), tmp_path)


@pytest.mark.parametrize("name", ["data.npy", "new.npy"])
def test_a_link_in_place_of_the_file_leads_nowhere(tmp_path: Path, name: str) -> None:
    path = filled(tmp_path / "cache")
    theirs = tmp_path / "theirs"
    theirs.mkdir()
    (theirs / "data.npy").write_bytes(b"mine")
    path.unlink()
    path.symlink_to(theirs / name)
    vectors = Vectors(toy := Toy(), tmp_path / "cache")
    assert_right(vectors)
    assert toy.asked
    vectors.save()
    assert vectors.notice == ""
    assert [each.name for each in theirs.iterdir()] == ["data.npy"]
    assert (theirs / "data.npy").read_bytes() == b"mine"


@pytest.mark.skipif(os.name != "posix", reason="Windows has no such thing")
def test_a_pipe_in_place_of_the_file_keeps_nobody_waiting(tmp_path: Path) -> None:
    path = filled(tmp_path)
    path.unlink()
    os.mkfifo(path)
    vectors = Vectors(Toy(), tmp_path)
    assert_right(vectors)
    vectors.save()
    assert "is not written" in vectors.notice


@pytest.mark.parametrize("number", [np.nan, np.inf, -np.inf, 3e38, 2.0])
def test_vectors_that_are_none_are_embedded_again(tmp_path: Path, number: float) -> None:
    filled(tmp_path)
    rows = Toy().embed(TEXTS[3:5])
    rows[:, 1] = number
    cache = Cache(tmp_path, name="vectors")
    for text, row in zip(TEXTS[3:5], rows, strict=True):
        cache.put(digest(digest(Toy().name, Toy().fingerprint), text), row.tobytes())
    cache.save()
    vectors = Vectors(toy := Toy(), tmp_path)
    assert_right(vectors)
    assert toy.asked == [TEXTS[3:5]]
