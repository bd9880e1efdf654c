"""From a query, or a page, to passages: what counts, what is left out, and fallbacks."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from typing import Any

import pytest
from answered import expect
from hypothesis import given, settings, strategies as st
from tables import Case, beside, tabled

from mkdocs_recall import Corpus, Explanation, OptionError, Query, RecallError, Result
from mkdocs_recall.ranking.scores import ALGORITHMS

WORDS = ("token", "session", "cookies", "server", "`client`", "password?", "logout.", "browser")

SITE: dict[str, str] = beside(__file__)["SITE"]


def site() -> Corpus:
    return Corpus.from_markdown(SITE)


def check(tree: Explanation) -> None:
    if tree.parts:
        assert math.fsum(part.value for part in tree.parts) == pytest.approx(
            tree.value, abs=1e-9, rel=0
        )
    for part in tree.parts:
        check(part)


def check_all(result: Result) -> None:
    for passage in result.passages:
        assert passage.explanation.value == passage.score
        assert passage.explanation.description
        check(passage.explanation)


@st.composite
def pages(draw: st.DrawFn) -> dict[str, str]:
    """Pages with headings, lists, code and questions, all of a few words."""
    sentence = st.lists(st.sampled_from(WORDS), min_size=1, max_size=9).map(
        lambda words: f"{' '.join(words).capitalize()}."
    )
    block = st.one_of(
        st.lists(sentence, min_size=1, max_size=4).map(" ".join),
        st.lists(sentence, min_size=1, max_size=3).map(lambda x: "\n".join(f"- {s}" for s in x)),
        st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).map(lambda x: f"## {' '.join(x)}"),
    )
    texts = draw(st.lists(st.lists(block, max_size=6).map("\n\n".join), min_size=1, max_size=3))
    return {f"{number}.md": text for number, text in enumerate(texts)}


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@settings(max_examples=10)
@given(drawn=pages())
def test_explanations_of_a_synopsis_add_up(algorithm: str, drawn: dict[str, str]) -> None:
    result = Corpus.from_markdown(drawn).synopsis("**", algorithm=algorithm, max_sentences=30)
    check_all(result)


def test_a_recall_quotes_so_many_sentences_of_all_pages_together() -> None:
    assert len(site().recall("session", max_sentences=4, min_score=0, context=0).passages) == 4
    assert len(site().recall("session", max_sentences=1, context=0).passages) == 1


def test_a_synopsis_of_several_pages_in_document_order_goes_page_by_page() -> None:
    ordered = site().synopsis("**", max_sentences=3).in_document_order()
    keys = [(list(SITE).index(p.uri), p.sentence.block, p.sentence.start) for p in ordered]
    assert keys == sorted(keys)
    assert len(keys) == 7


def scored(result: Result) -> dict[str, float]:
    """Return what each passage scores, also if it is shown with less for its rank."""
    trees = {passage.text: passage.explanation for passage in result.passages}
    lowered = "relevance and rank"
    return {
        text: (tree.parts[0] if tree.description == lowered else tree).value
        for text, tree in trees.items()
    }


def test_a_query_without_a_text_is_refused_when_it_is_made() -> None:
    with pytest.raises(OptionError, match="'query' must be text, not a number"):
        Query(5)  # type: ignore[arg-type]


def test_the_score_for_several_queries_is_their_weighted_mean() -> None:
    queries: list[dict[str, object]] = [
        {"text": "session expires", "weight": 3},
        {"text": "cookie"},
    ]
    options: dict[str, Any] = {"max_sentences": 30, "min_score": 0}
    both = scored(site().recall(queries, **options, context=0))
    each = [
        scored(site().recall(query, **options, context=0))
        for query in ("session expires", "cookie")
    ]
    assert both == pytest.approx(
        {text: 0.75 * each[0].get(text, 0) + 0.25 * each[1].get(text, 0) for text in both}
    )


def test_the_explanation_of_several_queries_shows_each() -> None:
    queries: list[dict[str, object]] = [
        {"text": "session cookie", "weight": 3},
        {"text": "cookie"},
        {"text": "zebras"},
    ]
    first = site().recall(queries, max_sentences=1).passages[0]
    tree = first.explanation
    assert tree.description == "mean over 3 queries"
    assert [part.description for part in tree.parts] == [
        "60% of 'session cookie': structure",
        "20% of 'cookie': structure",
    ]
    assert tree.parts[0].value > tree.parts[1].value
    assert sum(part.value for part in tree.parts) == pytest.approx(first.score)


@tabled
def test_these_pages_answer(case: Case) -> None:
    expect(case, SITE)


def test_statistics_are_those_of_the_section() -> None:
    whole = site().recall(
        "expired zebra", source="auth.md", max_sentences=30, min_score=0, context=0
    )
    part = site().recall("expired zebra", source="auth.md#expiry", min_score=0, context=0)
    scores = {p.text: p.score for p in whole.passages}
    assert part.passages[0].score != pytest.approx(scores[part.passages[0].text])


@pytest.mark.parametrize("source", ["**", "/", "*.md", ["*.md", "**"]])
def test_a_pattern_leaves_out_the_page_it_is_seen_from(source: str | list[str]) -> None:
    recalled = site().recall("session", source=source, page="auth.md", max_sentences=30, context=0)
    assert {p.uri for p in recalled.passages} == {"index.md", "admin.md"}
    described = site().synopsis(source, page="auth.md")
    assert {p.uri for p in described.passages} == {"index.md", "admin.md"}


def test_the_words_of_the_page_left_out_still_count() -> None:
    seen = site().recall("session zebra", page="auth.md", max_sentences=30, min_score=0)
    everything = site().recall("session zebra", max_sentences=30, min_score=0)
    scores = {p.text: p.score for p in everything.passages}
    assert {p.text: p.score for p in seen.passages} == {
        p.text: scores[p.text] for p in seen.passages
    }
    without = Corpus.from_markdown({uri: text for uri, text in SITE.items() if uri != "auth.md"})
    alone = {p.text: p.score for p in without.recall("session zebra", min_score=0).passages}
    assert any(alone[p.text] != pytest.approx(p.score) for p in seen.passages)


@tabled
def test_an_empty_answer_is_a_synopsis_and_says_why(query: str, reason: str) -> None:
    result = site().recall(query, source="auth.md", max_sentences=2, on_empty="synopsis")
    assert result.fallback == reason
    assert result.scorer == "edmundson"
    expected = site().synopsis("auth.md", max_sentences=2)
    assert [p.text for p in result.passages] == [p.text for p in expected.passages]


@pytest.mark.parametrize("query", ["what is the", "quantum"])
def test_an_empty_answer_can_be_left_out(query: str) -> None:
    result = site().recall(query, on_empty="omit")
    assert result.passages == ()
    assert result.fallback is not None
    assert result.scorer == "structure"
    assert result.in_document_order() == ()


@tabled
def test_an_empty_answer_can_be_an_error(query: str, message: str) -> None:
    with pytest.raises(RecallError) as caught:
        site().recall(query, on_empty="error")
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize("on_empty", ["synopsis", "omit", "warn", "error"])
def test_an_answer_is_independent_of_its_fallback(on_empty: str) -> None:
    result = site().recall("zebras", on_empty=on_empty, context=0)
    assert result.fallback is None
    assert [p.text for p in result.passages] == ["Zebras run around the house."]


MIXED = {
    "en.md": "Settings are kept in files. Doors stay open.",
    "de.md": "---\nlang: de\n---\nDie Einstellungen liegen in Dateien. Türen bleiben offen.",
    "fr.md": "---\nlang: fr\n---\nLes paramètres restent dans les fichiers. Les portes bougent.",
}


@tabled
@pytest.mark.parametrize("scorer", ["coverage", "bm25"])
def test_a_query_is_stemmed_in_each_page_s_language(query: str, uri: str, scorer: str) -> None:
    result = Corpus.from_markdown(MIXED).recall(query, scorer=scorer)
    assert [passage.uri for passage in result.passages] == [uri]
    assert result.passages[0].document.language == uri[:2]


def test_a_language_given_is_read_instead_of_the_page_s_own() -> None:
    corpus = Corpus.from_markdown({"a.md": "Die Häuser liegen in Dateien."})
    assert corpus.recall("Haus").fallback == "no_match"
    result = corpus.recall("Haus", language="de")
    assert result.fallback is None
    assert result.passages[0].document.language == "de"
    assert corpus.recall("die", language="de").fallback == "stop_words"
    assert corpus.documents[0].language == "en"
    assert corpus.recall("Haus").fallback == "no_match"


def test_an_unknown_language_is_said_once_and_answered_all_the_same() -> None:
    corpus = Corpus.from_markdown({"a.md": "Foo bar baz.", "b.md": "Baz qux."}, language="tlh")
    nothing = corpus.recall("nothing", on_empty="synopsis")
    for result in (corpus.recall("baz"), corpus.synopsis("**"), nothing):
        assert result.diagnostics == (
            "language 'tlh' has no word lists: words are compared as they are",
        )
        assert result.passages


@tabled
def test_an_impossible_option_is_named(options: dict[str, object], message: str) -> None:
    with pytest.raises(OptionError) as caught:
        site().recall("session", **options)  # type: ignore[arg-type]
    assert str(caught.value).startswith(message)


@tabled
def test_an_impossible_query_is_named(query: object, message: str) -> None:
    with pytest.raises(OptionError) as caught:
        site().recall(query)  # type: ignore[arg-type]
    assert str(caught.value).startswith(message)


PROGRAM: str = beside(__file__)["PROGRAM"]


@pytest.mark.slow
def test_the_order_of_hashes_changes_nothing() -> None:
    outputs = {
        subprocess.run(  # noqa: S603 - this interpreter, this program
            [sys.executable, "-c", PROGRAM],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(outputs) == 1
    assert outputs.pop()
