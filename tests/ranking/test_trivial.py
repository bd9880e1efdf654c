"""Trivial queries, which programs pass on with all that their users type."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator

import pytest
from tables import tabled

from mkdocs_recall.ranking.trivial import ACKNOWLEDGMENTS, MIN_WORDS, classify


@tabled
def test_a_trivial_query_has_one_reason(
    behaviour: str, queries: list[str], reason: str | None
) -> None:
    for query in queries:
        assert classify(query) == reason, (behaviour, query)


@tabled
def test_a_phrase_of_ones_own_counts_in_any_case_and_punctuation(
    behaviour: str, query: str, phrases: list[str], reason: str | None
) -> None:
    assert classify(query, phrases) == reason, behaviour


def test_own_acknowledgments_are_read_only_if_needed() -> None:
    def phrases() -> Iterator[str]:
        raise AssertionError
        yield

    for query in ("/clear", "ok", "word " * 300):
        classify(query, phrases())
    with pytest.raises(AssertionError):
        classify("when does it expire", phrases())


def test_the_sixteen_acknowledgments_are_all_too_short_anyway() -> None:
    assert len(ACKNOWLEDGMENTS) == 16
    assert all(len(phrase.split()) < MIN_WORDS for phrase in ACKNOWLEDGMENTS)
    assert {classify(phrase) for phrase in ACKNOWLEDGMENTS} == {"too short"}


def test_a_long_text_takes_no_longer_than_a_short_one() -> None:
    long = ["a" * 10_000_000, " " * 10_000_000, "/a" * 5_000_000, "認" * 10_000_000]
    started = time.process_time()
    for _ in range(20):
        assert {classify(text, ["looks good to me"]) for text in long} == {None}
    assert time.process_time() - started < 1  # nothing is scanned whole


def test_nothing_heavy_is_loaded() -> None:
    code = (
        "import sys\nfrom mkdocs_recall.ranking.trivial import classify\n"
        "classify('when does it expire')\n"
        "print(sorted(n for n in sys.modules if n.startswith('mkdocs') or n in {'regex', 'yaml'}))"
    )
    room = "mkdocs_recall.ranking"
    run = subprocess.run(  # noqa: S603 - our own interpreter and text
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert run.stdout.strip() == str(["mkdocs_recall", room, f"{room}.trivial"])
