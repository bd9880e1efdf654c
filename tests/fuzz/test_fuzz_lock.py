"""Any lock file is read correctly, or refused with the reason."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest
from fuzzing import SIGNS, bytes_edited, edited, fuzzed, listed, raw, soup, text
from hypothesis import strategies as st
from judging import judge_message

from mkdocs_recall.answers.lock import (
    LockEntry,
    answer_diff,
    changed_answers,
    pack_lock,
    read_lock,
    unpack_lock,
    write_lock,
)
from mkdocs_recall.errors import LockError

ENTRY: Final = LockEntry(
    id="a.md@12345678",
    page="a.md",
    directive="recall",
    query=("When does a session expire?", "2026-11-22"),
    source=("auth.md",),
    sources=("auth.md#expiry", "auth.md"),
    passages=("A session expires: after 12 hours.", " x\n y "),
    text="A session expires: after 12 hours.\n\n x\n y ",
)
OTHER: Final = replace(ENTRY, id="b.md@1", page="b.md", directive="synopsis", query=(), source=())
FILE: Final = pack_lock([ENTRY, OTHER, replace(ENTRY, id="c.md@2", fallback="no_match")])
PIECES: Final = listed(__file__, "PIECES")
TEXTS: Final = st.one_of(text, soup(SIGNS, size=8), st.text(max_size=30))
ENTRIES: Final = st.lists(
    st.builds(
        LockEntry,
        id=TEXTS.filter(bool),
        page=TEXTS.filter(bool),
        directive=st.sampled_from(("recall", "synopsis")) | TEXTS.filter(bool),
        query=st.lists(TEXTS, max_size=2).map(tuple),
        source=st.lists(TEXTS, max_size=2).map(tuple),
        sources=st.lists(TEXTS, min_size=1, max_size=2).map(tuple),
        passages=st.lists(TEXTS, max_size=2).map(tuple),
        text=TEXTS,
        fallback=TEXTS,
    ),
    max_size=3,
    unique_by=lambda entry: entry.id,
)
FILES: Final = st.one_of(
    bytes_edited(st.just(FILE), [piece.encode() for piece in PIECES]),
    edited(st.just(FILE.decode()), PIECES).map(str.encode),
    soup(PIECES).map(str.encode),
    soup(PIECES).map("format: 2\nversion: 0.1.0\nanswers:\n  - {}".format).map(str.encode),
    raw.map(lambda each: each.encode("utf-8", "surrogatepass")),
    st.binary(max_size=80),
)


@fuzzed(100, data=FILES)
def test_any_file_is_read_or_it_is_said_why_not(data: bytes) -> None:
    try:
        entries = unpack_lock(data)
    except LockError as error:
        judge_message(error)
        return
    assert all(entry.id and entry.page and entry.directive for entry in entries)
    assert unpack_lock(pack_lock(entries)) == entries
    for change in changed_answers(entries, unpack_lock(FILE)):
        "\n".join(answer_diff(*change)).encode()


@fuzzed(20, entries=ENTRIES)
def test_any_locked_answer_survives_a_round_trip(entries: list[LockEntry]) -> None:
    written = pack_lock(entries)
    assert unpack_lock(written) == tuple(entries)
    assert pack_lock(unpack_lock(written)) == written
    assert not [*changed_answers(entries, unpack_lock(written))]
    assert all(line == line.rstrip("\r\n") for line in written.decode().split("\n"))


@fuzzed(20, data=FILES)
def test_a_file_that_cannot_be_read_is_named_with_a_remedy(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "recall.lock"
    path.write_bytes(data)
    try:
        entries = unpack_lock(data)
    except LockError:
        message = f"'{re.escape(str(path))}' is not a readable lock file: .*lock --accept'"
        with pytest.raises(LockError, match=re.compile(message, re.DOTALL)):
            read_lock(path)
        return
    write_lock(path, entries)
    assert read_lock(path) == entries


def test_the_file_that_is_edited_here_is_whole() -> None:
    assert len(unpack_lock(FILE)) == 3
    with pytest.raises(LockError):
        unpack_lock(FILE + b"x")
