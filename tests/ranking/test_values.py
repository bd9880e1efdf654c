"""Values and names: the row with the key and a value, and the name in the query."""

from __future__ import annotations

import re

import pytest
from answered import expect
from tables import Case, beside, tabled

from mkdocs_recall import Corpus
from mkdocs_recall.index.query import asks_for_value, names_in, query_terms

PAGE: str = beside(__file__)["PAGE"]


NAMES: dict[str, list[str]] = beside(__file__)["NAMES"]


def first(query: str, page: str = PAGE) -> str:
    corpus = Corpus.from_markdown({"a.md": page})
    return corpus.recall(query, context=0, on_empty="omit", max_sentences=1).passages[0].text


@tabled
def test_the_value_of_what_was_asked_for_comes_first(query: str, answer: str) -> None:
    assert first(query) == answer


@pytest.mark.parametrize("marks", ["{}", '"{}"', "`{}`"])
@pytest.mark.parametrize("question", NAMES)
def test_a_name_finds_the_place_that_has_it_with_its_signs(question: str, marks: str) -> None:
    right, like_it = NAMES[question]
    before, name, after = re.split("[{}]", question)
    for texts in ((right, like_it), (like_it, right)):
        for page in ("# A\n\n{}\n\n{}\n", "# A\n\n## One\n\n{}\n\n## Two\n\n{}\n"):
            pages = {"a.md": page.format(*(text.replace(name, f"`{name}`") for text in texts))}
            corpus = Corpus.from_markdown(pages, language="zh" if "么" in question else "en")
            query = f"{before}{marks.format(name)}{after}"
            result = corpus.recall(query, context=0, max_sentences=1, min_score=0)
            assert result.passages[0].text == right
            assert not any("which the query names" in doubt for doubt in result.doubts)


@tabled
def test_names_are_found_whole_or_refused(case: Case) -> None:
    expect(case)


def test_how_many_is_no_query_term() -> None:
    assert [term.word for term in query_terms("How many workers?", ["en"])] == ["workers"]
    assert [term.word for term in query_terms("Wie oft läuft er?", ["de"])] == ["läuft"]
    assert "many" in [term.word for term in query_terms("so many workers", ["en"])]


@pytest.mark.parametrize("query", ["how often does it run", "which port", "wie viele Knoten"])
def test_a_query_may_ask_for_a_value(query: str) -> None:
    assert asks_for_value(query, ["en", "de"])
    assert not asks_for_value("how do I install it", ["en", "de"])


def test_names_are_those_that_code_writes() -> None:
    query = "Is NO_PROXY or a.query.size in userRateLimit, not in GitHub, a.json or 3.10.1?"
    assert set(names_in(query).values()) == {"NO_PROXY", "a.query.size", "userRateLimit"}
