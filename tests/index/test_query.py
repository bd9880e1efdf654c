"""What is asked: quoted phrases, and the words that only put a question."""

from __future__ import annotations

import pytest

from mkdocs_recall import Corpus
from mkdocs_recall.index.query import (
    QUESTION_WORD_WEIGHT,
    checksums_within,
    heading_checksum,
    query_terms,
    quoted_phrases,
)


@pytest.mark.parametrize(
    "text",
    [
        *('how long is "session expiry"?', "how long is “session expiry”?"),
        *("wie lange ist „session expiry“?", "combien dure « session expiry » ?"),
        *("wie lange ist »session expiry«?", "「session expiry」とは", "『session expiry』とは"),
    ],
)
def test_words_between_quotation_marks_are_a_phrase(text: str) -> None:
    assert quoted_phrases(text) == (("session", "expiry"),)


@pytest.mark.parametrize(
    "text",
    [
        *("", "session", 'a 27" screen', "it's the user's", '""', '" "', "“a", "a”", "«a", "a»"),
        "『a」",
    ],
)
def test_marks_that_do_not_belong_together_are_none(text: str) -> None:
    assert quoted_phrases(text) == ()


def test_a_phrase_quoted_twice_is_one() -> None:
    assert quoted_phrases('"a b" or "A  b" or "c"') == (("a", "b"), ("c",))


def test_many_marks_without_counterparts_take_no_time() -> None:
    assert quoted_phrases("«" * 50_000 + "“" * 50_000 + "「" * 50_000) == ()


@pytest.mark.parametrize(
    ("language", "query", "asking"),
    [
        ("en", "How can I use a token?", {"can", "use"}),
        ("de", "Wie funktioniert ein Token?", {"funktioniert"}),
        ("nl", "Hoe gebruik ik een token?", {"gebruik"}),
        ("ja", "can token", set()),
    ],
)
def test_words_of_asking_weigh_less(language: str, query: str, asking: set[str]) -> None:
    weights = {term.word: term.weight for term in query_terms(query, [language])}
    assert {word for word, weight in weights.items() if weight == QUESTION_WORD_WEIGHT} == asking
    assert weights["token"] == 1


@pytest.mark.parametrize("text", ["what is NO_PROXY", "what is `no proxy`", "set NO__PROXY"])
def test_code_and_names_with_underscores_are_phrases(text: str) -> None:
    assert quoted_phrases(text) == (("no", "proxy"),)


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
def test_a_long_word_is_looked_over_once() -> None:
    assert quoted_phrases("a" * 200_000) == ()
    assert len(quoted_phrases("a_" * 100_000 + "b")) == 1
