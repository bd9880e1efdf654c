"""`coverage`: how much of a query stands in a sentence, or close to it."""

from __future__ import annotations

import math
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mkdocs_recall import Corpus, Passage

WORDS = ("token", "session", "cookie", "server", "client", "password", "logout", "browser")


def only(markdown: str, query: str) -> Passage:
    corpus = Corpus.from_markdown({"a.md": markdown})
    (passage,) = corpus.recall(query).passages
    return passage


def idf(sentences: int, with_term: int) -> float:
    return math.log(1 + (sentences - with_term + 0.5) / (with_term + 0.5))


def test_a_sentence_with_every_word_of_the_query_scores_one() -> None:
    assert only("The session ends. The cookie stays.", "session ends").score == pytest.approx(1)


def test_a_word_counts_in_any_of_its_forms() -> None:
    assert only("Sessions were expiring. The cookie stays.", "session expires").score == 1


def test_a_rare_word_of_the_query_counts_more_than_a_frequent_one() -> None:
    corpus = Corpus.from_markdown(
        {"a.md": "The server runs here.", "b.md": "The server stops.", "c.md": "A cookie stays."}
    )
    first, *others = corpus.recall("server cookie").passages
    assert first.uri == "c.md"
    rare, frequent = idf(3, 1), idf(3, 2)
    assert first.score == pytest.approx(rare / (rare + frequent))
    assert [p.score for p in others] == pytest.approx([frequent / (rare + frequent)] * 2)


@pytest.mark.parametrize(
    ("markdown", "credit"),
    [
        ("The session holds a cookie.", 1.0),
        ("The session ends. Logs stay. A cookie remains.", 0.6),
        ("The session ends.\n\nA cookie remains.", 0.2),
        ("A cookie remains.\n\nThe session ends.", 0.2),
        ("The session ends.\n\nLogs stay.\n\nA cookie remains.", 0.05),
        ("## Cookie\n\nThe session ends.", 0.05),
        ("# Cookies\n\n## Details\n\nThe session ends.", 0.05),
        ("The session ends.\n\nLogs stay.\n\n## Other\n\nA cookie remains.", 0.0),
        ("## Cookie\n\nLogs stay.\n\n## Other\n\nThe session ends.", 0.0),
    ],
    ids=[
        "in the sentence",
        "in its block",
        "in the sentence after",
        "in the sentence before",
        "in its section",
        "in its heading",
        "in a heading above that",
        "in another section",
        "in another heading",
    ],
)
def test_a_word_is_worth_what_its_nearness_says(markdown: str, credit: float) -> None:
    corpus = Corpus.from_markdown({"a.md": markdown})
    passages = corpus.recall("session cookie", max_sentences=9).passages
    passage = next(p for p in passages if "session" in p.text)
    sentences = corpus.documents[0].sentences
    here = idf(len(sentences), sum("session" in s.text for s in sentences))
    there = idf(len(sentences), sum("cookie" in s.text for s in sentences))
    assert passage.score == pytest.approx((here + there * credit) / (here + there))


def test_a_sentence_beside_it_counts_on_the_same_page_only() -> None:
    corpus = Corpus.from_markdown({"a.md": "A cookie remains.", "b.md": "The session ends."})
    scores = {p.uri: p.score for p in corpus.recall("session cookie").passages}
    assert scores == pytest.approx({"a.md": 0.5, "b.md": 0.5})


def test_a_sentence_without_a_word_of_the_query_is_not_quoted() -> None:
    text = "The session ends. It happens at night. Nobody minds."
    assert only(text, "session").text == "The session ends."


def test_a_word_that_stands_nowhere_lowers_the_score() -> None:
    whole = only("The session ends. Logs stay.", "session").score
    partial = only("The session ends. Logs stay.", "session zebra").score
    assert partial < whole == 1


def test_a_word_asked_twice_counts_once() -> None:
    text = "The session ends. The cookie stays."
    once = only(f"{text} Logs stay.", "session zebra").score
    assert only(f"{text} Logs stay.", "session sessions zebra").score == once


def test_the_explanation_says_where_each_word_stands() -> None:
    corpus = Corpus.from_markdown({"a.md": "# Browser\n\nThe session ends. A cookie remains."})
    query = "session cookie browser zebra"
    passage = next(p for p in corpus.recall(query).passages if "session" in p.text)
    assert passage.explanation.description == "coverage: 1 of 4 words of the query"
    assert [part.description for part in passage.explanation.parts] == [
        "'session' in the sentence",
        "'cookie' in its block",
        "'browser' in its section or a heading",
        "'zebra' not near it",
    ]
    assert passage.explanation.parts[3].value == 0


@settings(deadline=None)
@given(
    paragraphs=st.lists(
        st.lists(st.lists(st.sampled_from(WORDS), min_size=3, max_size=8), min_size=1, max_size=4),
        min_size=1,
        max_size=5,
    ),
    query=st.lists(st.sampled_from(WORDS), min_size=1, max_size=6),
)
def test_scores_are_above_zero_and_at_most_one(
    paragraphs: list[list[list[str]]], query: list[str]
) -> None:
    text = "\n\n".join(
        " ".join(f"{' '.join(words).capitalize()}." for words in sentences)
        for sentences in paragraphs
    )
    corpus = Corpus.from_markdown({"a.md": text})
    result = corpus.recall(" ".join(query), max_sentences=30, on_empty="omit")
    assert all(0 < passage.score <= 1 for passage in result.passages)


def test_rounding_never_lifts_a_score_above_one() -> None:
    text = (
        "Bravo garnet ember falcon carbon.\n\nBravo ember falcon delta falcon.\n\n"
        "Bravo garnet garnet alpha ember.\n\nEmber falcon garnet garnet carbon.\n\n"
        "Falcon garnet alpha carbon alpha."
    )
    corpus = Corpus.from_markdown({"a.md": text})
    words = ("alpha", "bravo", "carbon", "delta", "ember", "falcon", "garnet")
    scores = [
        p.score
        for query in permutations(words, 4)
        for p in corpus.recall(" ".join(query), on_empty="omit").passages
    ]
    assert max(scores) == 1
