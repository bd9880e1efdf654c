"""`bm25`, against a reference made from the published formula."""

from __future__ import annotations

import math
from itertools import pairwise, product

import pytest
from hypothesis import given, strategies as st

from mkdocs_recall import Corpus

K1, B = 0.6, 0.3
WORDS = ("token", "forum", "button", "server", "client", "record", "garden", "window")
"""Words that are their own stems."""
TAGS = tuple(f"{a}{b}lonar" for a, b in product("bdfgkmprtv", "aeiou"))
"""One of these makes each sentence differ from all others."""


def reference(sentences: list[list[str]], query: list[str]) -> list[float]:
    """Score sentences as Robertson & Zaragoza (2009) put it, idf never negative (Lucene)."""
    total = len(sentences)
    average = sum(len(sentence) for sentence in sentences) / total
    scores = []
    for sentence in sentences:
        score = 0.0
        for term in sorted(set(query)):
            df = len([s for s in sentences if term in s])
            tf = sentence.count(term)
            length = 1 - B + B * len(sentence) / average
            score += math.log(1 + (total - df + 0.5) / (df + 0.5)) * (
                tf * (K1 + 1) / (tf + K1 * length)
            )
        scores.append(score)
    return scores


@given(
    drawn=st.lists(
        st.lists(st.sampled_from(WORDS), min_size=2, max_size=12), min_size=1, max_size=12
    ),
    query=st.lists(st.sampled_from([*WORDS, "absent"]), min_size=1, max_size=5),
    pages=st.integers(1, 3),
)
def test_scores_are_the_reference_s(drawn: list[list[str]], query: list[str], pages: int) -> None:
    sentences = [[tag, *words] for tag, words in zip(TAGS, drawn, strict=False)]
    size = -(-len(sentences) // pages)
    corpus = Corpus.from_markdown(
        {
            f"{start:02}.md": "\n\n".join(
                f"{' '.join(words).capitalize()}." for words in sentences[start : start + size]
            )
            for start in range(0, len(sentences), size)
        }
    )
    read = [s.text for document in corpus.documents for s in document.sentences]
    assert read == [f"{' '.join(words).capitalize()}." for words in sentences]
    expected = reference(sentences, query)
    result = corpus.recall(
        " ".join(query), scorer="bm25", max_sentences=50, on_empty="omit", context=0
    )
    found = {read.index(p.text): p.score for p in result.passages}
    assert found == pytest.approx({n: value for n, value in enumerate(expected) if value > 0})
    ranked = list(found)
    assert all(found[a] > found[b] or (found[a] == found[b] and a < b) for a, b in pairwise(ranked))


def test_the_explanation_has_one_part_for_each_word_in_the_sentence() -> None:
    corpus = Corpus.from_markdown({"a.md": "The token expires at night. Logs stay."})
    (passage,) = corpus.recall("night token zebra", scorer="bm25").passages
    assert passage.explanation.description == "bm25: 2 of 3 words of the query"
    assert [part.description for part in passage.explanation.parts] == ["'night'", "'token'"]
