"""Shown scores explain the order: no lower rank shows a higher score."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st
from meaning import larch
from tables import tabled

from mkdocs_recall import Corpus, Explanation
from mkdocs_recall.ranking.scores import SCORERS

__all__ = ["larch"]
WORDS = ("token", "session", "cookie", "server", "client", "`logout`", "browser", "of")
OPENING_NOTHING = (
    "A session is a day that hardly ever expires for anyone.\n\nA session expires like this:"
)
STARTS = ("", "", "It ", "This ", "However, ", "See below: ")


@st.composite
def pages(draw: st.DrawFn) -> dict[str, str]:
    """Pages of a few words with headings, lists, and sentences that lean on others."""
    sentence = st.tuples(
        st.sampled_from(STARTS), st.lists(st.sampled_from(WORDS), min_size=2, max_size=7)
    ).map(lambda drawn: f"{drawn[0]}{' '.join(drawn[1])}.".capitalize())
    block = st.one_of(
        st.lists(sentence, min_size=1, max_size=4).map(" ".join),
        st.lists(sentence, min_size=1, max_size=3).map(lambda x: "\n".join(f"- {s}" for s in x)),
        st.lists(st.sampled_from(WORDS), min_size=1, max_size=2).map(lambda x: f"## {' '.join(x)}"),
    )
    texts = draw(st.lists(st.lists(block, max_size=7).map("\n\n".join), min_size=1, max_size=3))
    return {f"guides/{number}.md": text for number, text in enumerate(texts)}


queries = st.lists(
    st.builds(
        lambda words, weight: {"text": " ".join(words), "weight": weight},
        st.lists(st.sampled_from(WORDS[:-1]), min_size=1, max_size=4),
        st.floats(0.1, 9),
    ),
    min_size=1,
    max_size=3,
)
options = st.fixed_dictionaries(
    {
        "max_sentences": st.integers(1, 12),
        "diversity": st.sampled_from([None, 0.2, 0.5, 1.0]),
        "units": st.sampled_from([["prose", "list"], ["list"], None]),
        "context": st.sampled_from([0, 1, "auto", "block", "section"]),
        "max_tokens": st.sampled_from([None, 30]),
        "min_score": st.sampled_from([None, 0, 0.3]),
        "semantic": st.sampled_from(
            [
                False,
                {"model": "larch", "min_relevance_score": 0, "mode": "supplement"},
                {"model": "larch", "mode": "blend"},
            ]
        ),
        "temporal": st.sampled_from([False, False, {"now": "2026-05-20"}]),
        "source": st.sampled_from(["**", "guides/", "guides/0.md"]),
    }
)


def check(tree: Explanation) -> None:
    if tree.parts:
        parts = math.fsum(part.value for part in tree.parts)
        assert math.isclose(parts, tree.value, rel_tol=0, abs_tol=1e-9)
    assert tree.description
    for part in tree.parts:
        check(part)


@pytest.mark.usefixtures("larch")
@pytest.mark.parametrize("scorer", SCORERS)
@settings(max_examples=20)
@given(drawn=pages(), queries=queries, options=options)
def test_scores_never_rise_with_the_rank_and_their_explanations_add_up(
    scorer: str, drawn: dict[str, str], queries: list[dict[str, Any]], options: dict[str, Any]
) -> None:
    result = Corpus.from_markdown(drawn).recall(queries, scorer=scorer, on_empty="omit", **options)
    passages = [*result.passages, *result.left_out]
    for found_by in ("lexical", "semantic"):
        scores = [passage.score for passage in passages if passage.found_by == found_by]
        assert scores == sorted(scores, reverse=True)
    for passage in (*passages, *(lost.passage for lost in result.lost)):
        assert passage.explanation.value == passage.score
        check(passage.explanation)


@tabled
def test_why_a_score_is_lowered_is_said(
    behaviour: str, pages: dict[str, str], query: Any, options: dict[str, Any], said: dict[str, str]
) -> None:
    result = Corpus.from_markdown(pages).recall(query, context=0, **options)
    assert {
        passage.sentence.text: passage.explanation.parts[-1].description
        for passage in result.passages
        if passage.explanation.description == "relevance and rank"
    } == said, behaviour


def test_min_score_is_compared_with_the_original_score() -> None:
    pages = Corpus.from_markdown({"a.md": OPENING_NOTHING})
    best, lower = pages.recall("session expires", context=0).passages
    itself = lower.explanation.parts[0].value
    assert itself > best.score == lower.score
    between = (itself + lower.score) / 2
    options: dict[str, Any] = {"min_score": between, "on_empty": "omit"}
    [only] = pages.recall("session expires", **options).passages
    assert (only.sentence, only.score) == (lower.sentence, itself)


@pytest.mark.usefixtures("larch")
def test_a_page_without_text_is_not_a_fault_where_meaning_is_blended() -> None:
    pages = Corpus.from_markdown({"a.md": "# Sessions\n"})
    options: dict[str, Any] = {"semantic": {"model": "larch", "mode": "blend"}, "on_empty": "omit"}
    assert pages.recall("session", **options).passages == ()
