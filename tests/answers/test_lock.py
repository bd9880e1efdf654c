"""The lock file: round trips, messages for invalid ones, and stable ids."""

from __future__ import annotations

import os
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
import yaml
from hypothesis import example, given, strategies as st
from tables import beside, tabled

from mkdocs_recall import Corpus, SiteError
from mkdocs_recall.answers.lock import (
    LockEntry,
    answer_diff,
    changed_answers,
    pack_lock,
    read_lock,
    unpack_lock,
    write_lock,
)
from mkdocs_recall.answers.survey import Survey
from mkdocs_recall.errors import LockError

ENTRY = LockEntry(
    id="a.md@12345678",
    page="a.md",
    directive="recall",
    query=("When does a session expire?",),
    source=("auth.md",),
    sources=("auth.md#expiry", "auth.md"),
    passages=("A session expires: after 12 hours.", "2026-11-21"),
    text="A session expires: after 12 hours.\n\n2026-11-21",
)
FILE: str = beside(__file__)["FILE"]
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
lines = st.lists(
    st.sampled_from(["a", " ", "\n", "\t", "#", ":", "-", "'", '"', "|", "é", "…"])
).map("".join)


def test_the_lock_file_has_a_line_for_each_independent_change() -> None:
    assert pack_lock([ENTRY]).decode() == FILE
    assert unpack_lock(FILE.encode()) == (ENTRY,)
    assert unpack_lock(FILE.replace("\n", "\r\n").encode()) == (ENTRY,)  # as Git may check it out
    assert unpack_lock(pack_lock([])) == ()


@given(texts | lines, st.lists(texts | lines, max_size=3), st.sampled_from(["", "no_match"]))
@example("\x85\u2028\ufeff\x00\x1b", ["---", "...", "*a", "&a b", "!x", "yes", "1_0", "~"], "")
@example("\x85", ["a\x85b\n", "\u2028", "\n\u2029"], "")
@example("larch " * 400, ["\n", " \n x", "x\n ", "# a\n\n\n"], "")
def test_a_lock_file_survives_a_round_trip(text: str, several: list[str], fallback: str) -> None:
    each = tuple(several)
    entry = LockEntry("a@1", "a", "recall", each, each, each, each, text, fallback)
    again = replace(entry, id="a@2")
    assert unpack_lock(pack_lock([entry, again])) == (entry, again)
    assert len(pack_lock([entry]).splitlines()) < 40 + 4 * sum(map(len, several)) + len(text)


def test_two_merged_sides_are_told_by_the_line() -> None:
    merged = FILE.replace("      - auth.md#expiry\n", "<<<<<<< HEAD\n      - a\n=======\n")
    with pytest.raises(LockError, match="it has a merge conflict in line 14"):
        unpack_lock(merged.encode())


@tabled
def test_invalid_lock_files_are_reported_with_place_and_remedy(
    tmp_path: Path, case: str, text: str, edit: list[str], message: str
) -> None:
    answers = FILE.partition("answers:\n")[2]
    whole = text.replace("FILE", FILE).replace("ANSWERS", answers)
    half = whole.replace("HALF", FILE[: FILE.index("12 hours") + 4])
    path = tmp_path / "recall.lock"
    path.write_text(half.replace(edit[0], edit[1]) if edit else half, encoding="utf-8")
    with pytest.raises(LockError) as caught:
        read_lock(path)
    said = str(caught.value)
    assert said.startswith(f"'{path}' is not a readable lock file: {message}"), case
    assert said.endswith("or rewrite it with 'mkdocs-recall lock --accept'")


def test_bytes_a_folder_and_a_pipe_are_not_lock_files(tmp_path: Path) -> None:
    for number, data in enumerate((b"\xff\xfe", b"\x00" * 9, b"format: \x07")):
        path = tmp_path / str(number)
        path.write_bytes(data)
        with pytest.raises(LockError, match="is not a readable lock file"):
            read_lock(path)
    with pytest.raises(LockError, match="it is not a file"):
        read_lock(tmp_path)
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe")
        with pytest.raises(LockError, match="it is not a file"):
            read_lock(tmp_path / "pipe")
    with pytest.raises(LockError, match=r"there is no '.*'; write it with 'mkdocs-recall lock'"):
        read_lock(tmp_path / "missing")


@pytest.mark.parametrize(
    "text",
    [
        "[" * 100_000,
        "{a: " * 100_000,
        "- " * 100_000,
        "a: &a [x, x]\n" + "".join(f"b{n}: &b{n} [*a, *a]\n" for n in range(50)),
        "? " * 100_000,
        "a" * 33 * 1024 * 1024,
    ],
    ids=["lists", "mappings", "items", "aliases", "keys", "length"],
)
def test_a_file_made_to_hurt_is_refused_at_once(text: str) -> None:
    start = time.perf_counter()
    with pytest.raises(LockError):
        unpack_lock(text.encode())
    assert time.perf_counter() - start < 10


def test_a_file_is_replaced_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "recall.lock"
    write_lock(path, [ENTRY])
    assert read_lock(path) == (ENTRY,)
    write_lock(path, [])
    assert read_lock(path) == ()
    assert [file.name for file in tmp_path.iterdir()] == ["recall.lock"]
    (tmp_path / "folder").mkdir()
    with pytest.raises(LockError, match=r"folder' cannot be written: "):
        write_lock(tmp_path / "folder", [ENTRY])
    assert sorted(file.name for file in tmp_path.iterdir()) == ["folder", "recall.lock"]


AUTH = "# Auth\n\nA session expires after a day.\n\n## Cookies\n\nThe cookie is named larch.\n"
ASKED = "```recall\nsource: auth.md\nquery: when does a session expire?\nmax_sentences: 1\n```\n"
NAMED = "```recall\nsource: auth.md\nquery: what is the cookie named?\nmax_sentences: 1\n```\n"


def answered(folder: Path, home: str, **pages: str) -> Survey:
    """Write a folder of pages and answer its directives."""
    files = {"index.md": home, "auth.md": AUTH}
    files |= {f"{name}.md": text for name, text in pages.items()}
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    return Survey.of(Corpus.from_folder(folder, cache=False), {})


def ids(found: Survey) -> dict[str, str]:
    """Return what each id answers."""
    return {entry.id: entry.text for entry in found.entries}


def test_ids_stay_when_lines_move_or_other_options_change(tmp_path: Path) -> None:
    before = ids(answered(tmp_path, f"# Home\n\n{ASKED}\n{NAMED}"))
    assert list(before.values()) == ["A session expires after a day.", "The cookie is named larch."]
    other = ASKED.replace("max_sentences: 1", "max_sentences: 2\nformat: list\nexpect: day")
    synopsis = "```synopsis\nsource: auth.md\n```\n"
    after = ids(answered(tmp_path, f"# Home\n\nNew.\n\n{synopsis}\n{NAMED}\n- a\n\n{other}"))
    assert after.keys() > before.keys()
    assert {name: after[name] for name in before} == before
    moved = ids(answered(tmp_path, "# Home\n", other=f"# Other\n\n{ASKED}"))
    assert not moved.keys() & before.keys()


def test_fences_that_differ_in_query_or_source_have_different_ids(tmp_path: Path) -> None:
    kinds = [
        ASKED,
        ASKED.replace("session", "cookie"),
        ASKED.replace("auth.md", "/auth.md"),
        ASKED.replace("query: when", "query:\n- when").replace("expire?", "expire?\n- cookie"),
        "```synopsis\nsource: auth.md\n```\n",
        "```synopsis\nsource: [auth.md, auth.md#cookies]\n```\n",
    ]
    assert len(ids(answered(tmp_path, "# Home\n\n" + "\n".join(kinds)))) == len(kinds)


def test_equal_fences_on_a_page_are_numbered(tmp_path: Path) -> None:
    found = list(ids(answered(tmp_path, f"# Home\n\n{ASKED}\n{NAMED}\n{ASKED}\n{ASKED}")))
    assert found[2:] == [f"{found[0]}-2", f"{found[0]}-3"]


def test_each_directive_has_the_line_its_author_sees(tmp_path: Path) -> None:
    home = (
        "---\ntitle: Home\n---\n\n# Home\n\n"
        f"{ASKED}\n````\n{ASKED}````\n\n```recall\nquery: x\nmax_sentence: 1\n```\n\n"
        f"```recall\nquery: [\n```\n\n!!! note\n\n    ```synopsis\n    source: auht.md\n    ```\n"
    )
    found = answered(tmp_path, home).answers
    assert [(each.directive.line, each.directive.name, each.error) for each in found] == [
        (7, "recall", ""),
        (23, "recall", "unknown option 'max_sentence'; did you mean 'max_sentences'?"),
        (27, "recall", found[2].error),
        (32, "synopsis", "source 'auht.md' is not a page of this site; did you mean 'auth.md'?"),
    ]
    assert found[2].error.startswith("the options are not valid YAML")
    assert all(each.directive.file == str(tmp_path / "index.md") for each in found)


def test_pages_that_are_never_quoted_may_ask(tmp_path: Path) -> None:
    found = answered(tmp_path, f"---\nrecall: {{exclude: true}}\n---\n# Home\n\n{ASKED}")
    assert list(ids(found).values()) == ["A session expires after a day."]


def test_fallbacks_and_missing_answers_are_locked_as_such(tmp_path: Path) -> None:
    lost = ASKED.replace("when does a session expire?", "kangaroo")
    omitted = lost.replace("kangaroo", "wallaby\non_empty: omit")
    first, second = answered(tmp_path, f"{lost}\n{omitted}").entries
    assert (first.fallback, len(first.passages)) == ("no_match", 1)
    assert (second.fallback, second.text, second.sources) == ("no_match", "", ())
    assert unpack_lock(pack_lock([first, second])) == (first, second)


@pytest.mark.skipif(sys.platform != "linux", reason="names of files are text elsewhere")
def test_a_page_whose_name_is_not_text_survives_a_round_trip(tmp_path: Path) -> None:
    name = os.fsdecode(b"\xff.md")
    (tmp_path / name).write_text("# Page\n\n" + ASKED, encoding="utf-8")
    entries = answered(tmp_path, ASKED).entries
    assert [entry.page for entry in entries] == ["index.md", r"\udcff.md"]
    assert unpack_lock(pack_lock(entries)) == tuple(entries)


def test_a_page_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    corpus = Corpus.from_folder(tmp_path, cache=False) if answered(tmp_path, ASKED) else None
    assert corpus
    (tmp_path / "index.md").write_bytes(b"# Home \xff\n")
    with pytest.raises(SiteError, match=r"index\.md' cannot be read"):
        Survey.of(corpus, {})


def entry(text: str, *sources: str, name: str = "a", fallback: str = "") -> LockEntry:
    return LockEntry(f"{name}@1", name, "recall", ("q",), (), sources, (text,), text, fallback)


def test_changes_are_reported_sentence_by_sentence() -> None:
    before = entry("It is old. It is a tree. … The larch is green.", "a.md#x", "b.md")
    after = entry("It is old. It is a bush. … The larch is green.", "a.md#y", "b.md")
    (change,) = changed_answers([before], [after])
    assert answer_diff(*change) == [
        *("  It is old.", "- It is a tree.", "+ It is a bush.", "  …", "  The larch is green."),
        *("- from a.md#x", "+ from a.md#y", "  from b.md"),
    ]


def test_a_changed_step_has_its_number_in_its_own_line() -> None:
    before, after = (entry(f"Do this:\n2. {text}. Wait.", "a.md") for text in ("Stop", "Go on"))
    (change,) = changed_answers([before], [after])
    lines = ["  Do this:", "- 2. Stop.", "+ 2. Go on.", "  Wait.", "  from a.md"]
    assert answer_diff(*change) == lines


def test_new_answers_come_in_page_order_and_removed_ones_last() -> None:
    before = [entry("one", name="a"), entry("two", name="b")]
    after = [entry("three", name="c"), entry("one", name="a")]
    new, gone = changed_answers(before, after)
    assert answer_diff(*new) == ["+ three"]
    assert answer_diff(*gone) == ["- two"]
    assert not [*changed_answers(before, before[::-1])]


def test_an_answer_replaced_by_a_synopsis_or_nothing_has_changed() -> None:
    (change,) = changed_answers([entry("one", "a.md")], [entry("one", "a.md", fallback="no_match")])
    assert answer_diff(*change) == ["+ (no_match: a synopsis is quoted)", "  one", "  from a.md"]
    (change,) = changed_answers([entry("one", "a.md")], [entry("", fallback="no_match")])
    assert answer_diff(*change) == ["- one", "- from a.md", "+ (nothing is quoted)"]


def test_the_file_is_plain_yaml() -> None:
    assert yaml.safe_load(pack_lock([ENTRY]))["answers"][0]["passages"] == list(ENTRY.passages)
