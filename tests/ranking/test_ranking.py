"""Which of the scored sentences are quoted, and in which order."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from mkdocs_recall import Corpus
from mkdocs_recall.ranking.scores import ALGORITHMS, SCORERS

WORDS = ("token", "session", "cookie", "server", "client", "password", "logout", "browser")


def texts(corpus: Corpus, query: str, **options: float | str) -> list[str]:
    return [passage.text for passage in corpus.recall(query, **options, context=0).passages]  # type: ignore[arg-type]


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


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_synopsis_says_nothing_twice(algorithm: str) -> None:
    repeated = "The session of a token expires after a day."
    text = f"{repeated}\n\n{repeated}\n\nNo token lasts for a second session."
    corpus = Corpus.from_markdown({"a.md": text})
    chosen = [p.text for p in corpus.synopsis("a.md", algorithm=algorithm).passages]
    assert chosen.count(repeated) == 1


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
