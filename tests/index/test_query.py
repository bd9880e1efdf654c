"""The parts of a query: quoted phrases, and words that only ask."""

from __future__ import annotations

from time import process_time

import pytest
from tables import tabled

from mkdocs_recall import Corpus
from mkdocs_recall.index.query import (
    QUESTION_WORD_WEIGHT,
    checksums_within,
    compared,
    heading_checksum,
    query_terms,
    quoted_phrases,
    subject_words,
)


@tabled
def test_quoted_words_and_names_are_phrases(
    behaviour: str, texts: list[str], phrases: list[str]
) -> None:
    for text in texts:
        assert quoted_phrases(text) == tuple(tuple(each.split()) for each in phrases), behaviour


@tabled
def test_a_query_may_compare_two_things(language: str, query: str, sides: list[str]) -> None:
    assert compared(query, [language]) == tuple(sides)


def test_long_queries_are_read_for_what_they_compare_in_linear_time() -> None:
    start = process_time()
    for part in ("difference between ", "a vs b ", " vs", "difference between a and "):
        compared(part * 20_000, ["en"])
    assert process_time() - start < 2  # a twentieth; quadratic time would be minutes


@tabled
def test_words_of_asking_weigh_less_and_are_no_subject(
    language: str, query: str, asking: list[str], subject: list[str]
) -> None:
    weights = {term.word: term.weight for term in query_terms(query, [language])}
    assert weights == {**dict.fromkeys(subject, 1), **dict.fromkeys(asking, QUESTION_WORD_WEIGHT)}
    assert subject_words(query, language) == {*subject}


def test_a_name_is_found_before_another_that_differs_by_a_stop_word() -> None:
    page = "Set `HTTP_PROXY` to an address.\n\nSet `NO_PROXY` to a list.\n"
    result = Corpus.from_markdown({"a.md": page}).recall("NO_PROXY", context=0)
    assert result.passages[0].text == "Set NO_PROXY to a list."
    assert result.passages[0].score > result.passages[1].score


def test_headings_that_a_query_holds_are_looked_for_once_for_all_shards() -> None:
    query = "how long is a session valid?"
    assert heading_checksum(["session", "valid"]) in checksums_within(query)
    assert checksums_within(query) is checksums_within(query)


@pytest.mark.slow
def test_a_long_word_or_marks_without_counterparts_are_looked_over_once() -> None:
    assert quoted_phrases("«" * 50_000 + "“" * 50_000 + "「" * 50_000) == ()
    assert quoted_phrases("a" * 200_000) == ()
    assert len(quoted_phrases("a_" * 100_000 + "b")) == 1
