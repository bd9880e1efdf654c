"""The explanation of a score of `structure`."""

from __future__ import annotations

import re

import pytest
from tables import beside

from mkdocs_recall import Corpus
from mkdocs_recall.ranking.result import Passage
from mkdocs_recall.ranking.structure import RANGE
from mkdocs_recall.ranking.weights import WORDS

PAGES: dict[str, str] = beside(__file__)["PAGES"]


def explained(query: str, *, links: bool = True) -> list[Passage]:
    result = Corpus.from_markdown(PAGES).recall(
        query, max_sentences=9, min_score=0, links=links, context=0
    )
    return [*result.passages, *(lost.passage for lost in result.lost)]


def labels(passage: Passage) -> dict[str, float]:
    """Return what the score of a passage's section is made of."""
    explanation = passage.explanation
    if explanation.description == "relevance and rank":
        explanation = explanation.parts[0]
    return {part.description: part.value for part in explanation.parts[0].parts}


@pytest.mark.parametrize("query", ["When does a token expire?", "expiry", "token", "ttl", "badge"])
@pytest.mark.parametrize("links", [True, False])
def test_the_parts_of_a_score_add_up_to_it(query: str, links: bool) -> None:  # noqa: FBT001
    passages = explained(query, links=links)
    assert passages
    for passage in passages:
        parts = passage.explanation.parts
        assert sum(part.value for part in parts) == pytest.approx(passage.explanation.value)
        assert passage.explanation.value == pytest.approx(passage.score)


def test_an_explanation_counts_the_links_only_where_they_count() -> None:
    with_links, without = (explained("expires", links=links)[0] for links in (True, False))
    assert with_links.anchor == without.anchor == "expiry"
    said = {"links to its page", "links to itself"}
    assert said <= labels(with_links).keys()
    assert said.isdisjoint(labels(without))


def test_an_explanation_says_what_a_page_of_versions_loses() -> None:
    news = next(p for p in explained("token expires") if p.uri == "news.md")
    label = "release notes and the like, which no source names"
    assert labels(news)[label] == pytest.approx(WORDS[-3] / RANGE)
    other = next(p for p in explained("token expires") if p.uri == "tokens.md")
    assert label not in labels(other)


def test_an_explanation_says_how_likely_the_section_is() -> None:
    first, *_ = explained("When does a token expire?")
    (section, _) = first.explanation.parts
    assert re.fullmatch(
        r"its section, which answers with a probability of \d+%", section.description
    )


def test_the_explanation_shows_the_loss_to_better_sentences_of_the_section() -> None:
    lost = {p.sentence.text: p.explanation.parts[-1] for p in explained("set a token")}
    first, second = lost["Set ttl for a token."], lost["Each token expires after a day."]
    assert first.value == 0
    assert second.value < 0
    assert second.description.startswith("its place in the section: ")
