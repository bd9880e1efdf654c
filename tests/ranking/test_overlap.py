"""`overlap`: the original formula, `|s ∩ q| / |q| x 1/(1 + block_index)`."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, strategies as st
from tables import tabled

from mkdocs_recall import Corpus

WORDS = ("token", "session", "cookie", "server", "client", "password", "logout", "browser")


def scores(markdown: str, query: str) -> dict[str, float]:
    corpus = Corpus.from_markdown({"a.md": markdown})
    result = corpus.recall(query, scorer="overlap", max_sentences=30, on_empty="omit", context=0)
    return {passage.text: passage.score for passage in result.passages}


@tabled
def test_overlap_is_the_share_of_words_discounted_by_block(
    behaviour: str, markdown: str, query: str, expected: dict[str, float]
) -> None:
    assert scores(markdown, query) == pytest.approx(expected), behaviour


def test_blocks_are_counted_on_each_page_again() -> None:
    corpus = Corpus.from_markdown({"a.md": "Logs stay.\n\nA session.", "b.md": "A session ends."})
    result = corpus.recall("session", scorer="overlap", context=0)
    assert [(p.uri, p.score) for p in result.passages] == [("b.md", 1), ("a.md", 0.5)]


def test_the_explanation_names_the_shared_words() -> None:
    corpus = Corpus.from_markdown({"a.md": "Logs stay.\n\nA session ends with a cookie."})
    (passage,) = corpus.recall("session cookie token", scorer="overlap").passages
    tree = passage.explanation
    assert tree.description == "overlap: 2 of 3 words of the query"
    assert [part.description for part in tree.parts] == [
        "'cookie' in block 1",
        "'session' in block 1",
    ]


@given(
    paragraphs=st.lists(
        st.lists(st.sampled_from(WORDS), min_size=3, max_size=8, unique=True),
        min_size=1,
        max_size=6,
    ),
    query=st.lists(st.sampled_from(WORDS), min_size=1, max_size=6),
)
def test_scores_follow_the_formula(paragraphs: list[list[str]], query: list[str]) -> None:
    text = "\n\n".join(f"{' '.join(words).capitalize()}." for words in paragraphs)
    query_terms = set(query)
    for sentence, score in scores(text, " ".join(query)).items():
        held = set(re.findall(r"[a-z]+", sentence.lower()))
        block = [set(words) for words in paragraphs].index(held)
        assert 0 < score <= 1
        assert score == pytest.approx(len(held & query_terms) / len(query_terms) / (1 + block))
