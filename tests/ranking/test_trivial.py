"""Texts that ask for nothing, which programs that pass on all their user types ask with too."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator

import pytest
from tables import tabled

from mkdocs_recall.ranking.trivial import ACKNOWLEDGMENTS, MIN_WORDS, classify


@pytest.mark.parametrize("query", ["/clear", "/recall when does a session expire", " /x:y-z a b c"])
def test_a_leading_slash_command_asks_for_nothing(query: str) -> None:
    assert classify(query) == "slash command"


@tabled
def test_a_path_is_no_slash_command(query: str) -> None:
    assert classify(query) is None


@tabled
def test_fewer_than_three_words_are_too_short(query: str) -> None:
    assert classify(query) == "too short"


@tabled
def test_three_words_are_enough_and_a_character_of_han_or_kana_is_one(query: str) -> None:
    assert classify(query) is None


@pytest.mark.parametrize(
    "query", ["Looks good to me", "looks GOOD, to me!!", " looks  good to\nme "]
)
def test_a_phrase_of_ones_own_counts_in_any_case_and_punctuation(query: str) -> None:
    assert classify(query, ["Ship it now", "looks good to me."]) == "acknowledgment"
    assert classify(query) is None
    assert classify(f"{query}, but when does a session expire?", ["looks good to me"]) is None


def test_reasons_are_looked_at_in_their_order() -> None:
    assert classify("/looks good to me", ["/looks good to me"]) == "slash command"
    assert classify("Got it!", ["got it"]) == "too short"


def test_phrases_of_ones_own_are_not_gone_through_for_what_is_settled_without_them() -> None:
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
