"""Which of the scored sentences are quoted, and in which order."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mkdocs_recall import Corpus
from mkdocs_recall.ranking.scores import ALGORITHMS, SCORERS

WORDS = ("token", "session", "cookie", "server", "client", "password", "logout", "browser")


def texts(corpus: Corpus, query: str, **options: float | str) -> list[str]:
    return [passage.text for passage in corpus.recall(query, **options, context=0).passages]  # type: ignore[arg-type]


@pytest.mark.parametrize("scorer", ["coverage", "bm25"])
def test_a_tie_goes_to_the_earlier_sentence(scorer: str) -> None:
    corpus = Corpus.from_markdown(
        {
            "b.md": "A token opens doors.",
            "a.md": "A token closes windows.",
            "c.md": "The token lights rooms.",
        }
    )
    result = corpus.recall("token", scorer=scorer, context=0)
    assert len({passage.score for passage in result.passages}) == 1
    assert [passage.uri for passage in result.passages] == ["b.md", "a.md", "c.md"]


@pytest.mark.parametrize("scorer", SCORERS)
@given(
    drawn=st.lists(
        st.lists(st.lists(st.sampled_from(WORDS), min_size=3, max_size=7), min_size=1, max_size=5),
        min_size=1,
        max_size=4,
    ),
    query=st.lists(st.sampled_from(WORDS), min_size=1, max_size=4),
    count=st.integers(1, 8),
)
def test_passages_stand_by_score_then_page_then_place(
    scorer: str, drawn: list[list[list[str]]], query: list[str], count: int
) -> None:
    pages = {
        f"{9 - number}.md": " ".join(f"{' '.join(words).capitalize()}." for words in sentences)
        for number, sentences in enumerate(drawn)
    }
    order = list(pages)
    corpus = Corpus.from_markdown(pages)
    result = corpus.recall(
        " ".join(query), scorer=scorer, max_sentences=count, min_score=0, on_empty="omit"
    )
    keys = [(-p.score, order.index(p.uri), p.sentence.start) for p in result.passages]
    assert keys == sorted(keys)
    assert [passage.rank for passage in result.passages] == list(range(1, len(keys) + 1))
    assert len(keys) <= count
    places = [(order.index(p.uri), p.sentence.start) for p in result.in_document_order()]
    assert places == sorted(places)


def test_document_order_keeps_rank_and_score() -> None:
    corpus = Corpus.from_markdown(
        {"a.md": "A cookie stays. Zebras run. A session sets a cookie.", "b.md": "One session."}
    )
    result = corpus.recall("session cookie", context=0, min_score=0)
    assert result.passages[0].text == "A session sets a cookie."
    ordered = result.in_document_order()
    assert [p.text for p in ordered] == [
        "A cookie stays.",
        "A session sets a cookie.",
        "One session.",
    ]
    assert {p.rank: p.score for p in ordered} == {p.rank: p.score for p in result.passages}


def test_a_sentence_that_says_the_same_is_quoted_once() -> None:
    corpus = Corpus.from_markdown(
        {
            "a.md": "The session expires after a day.",
            "b.md": "A session expires after the day!",
            "c.md": "The session expires after a week of rest.",
        }
    )
    result = corpus.recall("session expires")
    assert [passage.uri for passage in result.passages] == ["a.md", "c.md"]


def test_a_repeated_sentence_makes_room_for_the_next() -> None:
    repeated = "The session expires after a day."
    text = f"{repeated}\n\n{repeated}\n\n{repeated}\n\nNo session lasts forever."
    corpus = Corpus.from_markdown({"a.md": text})
    assert texts(corpus, "session expires", max_sentences=2) == [
        repeated,
        "No session lasts forever.",
    ]


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_synopsis_says_nothing_twice(algorithm: str) -> None:
    repeated = "The session of a token expires after a day."
    text = f"{repeated}\n\n{repeated}\n\nNo token lasts for a second session."
    corpus = Corpus.from_markdown({"a.md": text})
    chosen = [p.text for p in corpus.synopsis("a.md", algorithm=algorithm).passages]
    assert chosen.count(repeated) == 1


def test_diversity_prefers_a_sentence_that_differs() -> None:
    corpus = Corpus.from_markdown(
        {
            "a.md": "A session token expires after one day of rest.\n\n"
            "Each session token expires after two days of rest.\n\n"
            "Whether a session ends by itself depends on the server."
        }
    )
    plain = texts(corpus, "session token", max_sentences=2)
    assert [text.split()[0] for text in plain] == ["A", "Each"]
    spread = texts(corpus, "session token", max_sentences=2, diversity=0.8)
    assert [text.split()[0] for text in spread] == ["A", "Whether"]


@pytest.mark.parametrize("diversity", [0.0, 0.3, 1.0])
def test_diversity_never_quotes_what_does_not_match(diversity: float) -> None:
    corpus = Corpus.from_markdown({"a.md": "A session ends. Zebras run. Roads wind along."})
    assert texts(corpus, "session", diversity=diversity) == ["A session ends."]


def test_the_best_sentence_comes_first_whatever_the_diversity() -> None:
    corpus = Corpus.from_markdown(
        {"a.md": "A cookie stays. A session sets a cookie. Sessions end."}
    )
    for diversity in (0, 0.5, 0.9):
        first = texts(corpus, "session cookie", diversity=diversity)[0]
        assert first == "A session sets a cookie."


@pytest.mark.parametrize("scorer", SCORERS)
@pytest.mark.parametrize("diversity", [0.0, 0.5])
def test_bare_template_syntax_is_passed_over(scorer: str, diversity: float) -> None:
    corpus = Corpus.from_markdown(
        {"a.md": "The version is {{ x }} here.\n\nWrite `{{ x }}` for the version. Done."}
    )
    assert texts(corpus, "version", scorer=scorer, diversity=diversity) == [
        "Write {{ x }} for the version."
    ]


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_synopsis_passes_over_template_syntax_standing_bare(algorithm: str) -> None:
    text = (
        "The version is {{ x }} here and the version counts.\n\n"
        "Write `{{ x }}` for the version. The version of a page counts. A page has one version."
    )
    corpus = Corpus.from_markdown({"a.md": text})
    result = corpus.synopsis("a.md", algorithm=algorithm, max_sentences=9)
    chosen = {passage.text for passage in result.passages}
    assert "Write {{ x }} for the version." in chosen
    assert not any(text.startswith("The version is") for text in chosen)
