"""What `explain` says of a score of `structure`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mkdocs_recall import Corpus

if TYPE_CHECKING:
    from mkdocs_recall.retrieval.result import Passage

PAGES = {
    "index.md": "# Guide\n\nSee the [tokens](tokens.md#expiry) and [their list](tokens.md).\n",
    "tokens.md": (
        "# Tokens\n\nA badge opens doors.\n\n## Expiry\n\nEach token expires after a day. "
        "Set `ttl` for a token. Call the desk about one.\n"
    ),
    "news.md": (
        "# News\n\n## 1.0\n\nNo token expires.\n\n## 1.1\n\nA token expires.\n\n## 1.2\n\nFaster.\n"
    ),
}


def explained(query: str, *, links: bool = True) -> list[Passage]:
    result = Corpus.from_markdown(PAGES).recall(
        query, max_sentences=9, min_score=0, links=links, context=0
    )
    return [*result.passages, *(lost.passage for lost in result.lost)]


def labels(passage: Passage) -> list[str]:
    """Return what its score is made of, before its rank counts."""
    explanation = passage.explanation
    if explanation.description == "relevance and rank":
        explanation = explanation.parts[0]
    return [part.description for part in explanation.parts]


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
    said = "links: 1 other page links to the page, 1 to the section"
    with_links, without = (explained("expires", links=links)[0] for links in (True, False))
    assert with_links.anchor == without.anchor == "expiry"
    assert said in labels(with_links)
    assert not any(label.startswith("links") for label in labels(without))


def test_an_explanation_says_what_a_page_of_versions_loses() -> None:
    news = next(p for p in explained("token expires") if p.uri == "news.md")
    (loss,) = (p for p in news.explanation.parts if p.description.startswith("chronicles:"))
    assert loss.value == pytest.approx(-0.3 / 0.7 * news.score)


def test_the_place_in_the_section_is_named_where_it_costs_something() -> None:
    by_text = {p.sentence.text: labels(p) for p in explained("token")}
    assert not any("place" in label for label in by_text["Set ttl for a token."])
    assert "place in its section: sentence 1" in by_text["Each token expires after a day."]
