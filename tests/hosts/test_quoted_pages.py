"""Quotes as readers see them: lists, terms and fragments."""

from __future__ import annotations

import time
from typing import Any

import pytest
from answered import expect
from conftest import Site
from tables import Case, beside, tabled

from mkdocs_recall import Corpus, Result


def answer(page: str, query: Any, **options: Any) -> Result:
    """Return the answer, with each sentence by itself where no option says otherwise."""
    options = {"context": 0, **options}
    corpus = Corpus.from_markdown({"a.md": f"# Larch\n\n{page}"})
    return corpus.recall(query, on_empty="omit", **options)


def first(page: str, query: str, **options: Any) -> str:
    return answer(page, query, **options).passages[0].text


def quote(site: Site, page: str, *options: str) -> str:
    """Return the HTML of what an author's page quotes of itself."""
    alone = [] if any(option.startswith("context: ") for option in options) else ["context: 0"]
    fence = "\n".join(["```recall", *options, *alone, "```"])
    settings: dict[str, Any] = {"markdown_extensions": ["def_list", "tables", "admonition"]}
    settings["markdown_extensions"].append("pymdownx.superfences")
    built = site.build({"index.md": f"# Larch\n\n{page}\n## Quote\n\n{fence}\n"}, **settings)
    assert not built.warnings
    return str(built.tag(".recall[data-search-exclude]"))


TERMS = (
    "Flange\n:   What keeps a wheel on its rail:\n\n    - the rim\n    - the tread\n\n"
    "Sprocket\n:   A wheel with teeth. Chains run on it.\n"
)


def test_items_of_a_definition_are_shown_as_a_list(site: Site) -> None:
    html = quote(site, TERMS, "query: tread", "max_sentences: 1")
    assert (
        "<p>Flange: What keeps a wheel on its rail:</p>\n<ul>\n<li>…</li>\n<li>the tread</li>"
        in html
    )


@tabled
def test_a_reader_gets_what_makes_a_passage_clear(case: Case) -> None:
    expect(case)


@tabled
def test_a_passage_is_quoted_with_what_a_reader_needs(
    behaviour: str, page: str, query: str, options: dict[str, Any], quote: str
) -> None:
    assert first(page, query, **options) == quote, behaviour


def test_no_empty_line_is_between_a_list_and_its_citation(site: Site) -> None:
    page = "Known trees are:\n\n- a larch\n- a fir\n"
    html = quote(site, page, "query: known trees are", "format: list", "cite: true")
    assert "<li>a fir</li>\n</ul>\n<cite>" in html


@pytest.mark.parametrize("form", ["blockquote", "list", "admonition"])
def test_an_unfinished_sentence_does_not_run_into_the_next(site: Site, form: str) -> None:
    page = "- green wheel\n\nTwo colours are known\n\nA red one is rare.\n"
    html = quote(site, page, "query: green wheel", "context: 2", f"format: {form}")
    end = "<br/>\n" if form == "list" else "</p>\n<p>"
    assert f"green wheel{end}Two colours are known{end}A red one is rare." in html


def test_rows_without_a_lead_in_are_table_rows_or_lines_of_text(site: Site) -> None:
    page = "| Name | Size |\n|---|---|\n| larch | short. |\n| fir | tall. |\n"
    html = quote(site, page, "query: larch", "context: 1")
    rows = "<tr><td>larch</td><td>short.</td></tr>\n<tr><td>fir</td><td>tall.</td></tr>"
    assert rows in html
    assert first(page, "larch", context=1) == (
        "Name: larch — Size: short.\nName: fir — Size: tall."
    )


@pytest.mark.slow
@pytest.mark.parametrize("text", ["Wheel kind. ", "This wheel is of a kind. "])
def test_a_block_of_like_sentences_takes_linear_time(text: str) -> None:
    page = f"Wheels are known.\n\n- {text * 8_000}\n"
    start = time.process_time()
    assert answer(page, "wheel kind")
    assert time.process_time() - start < 10  # one; a square of the size takes minutes


def test_units_that_are_not_names_are_told_what_they_may_be(site: Site) -> None:
    page = "# Larch\n\nA train.\n\n```recall\nquery: train\nunits: {list: true}\n```\n"
    built = site.build({"index.md": page})
    [warning] = built.warnings
    assert warning.startswith("index.md:7: recall: 'units' must be a list of some of prose, list, ")
    assert warning.endswith(", not a mapping")


INSTALL: str = beside(__file__)["INSTALL"]


@pytest.mark.parametrize("alternate", [True, False])
@tabled
def test_the_tab_that_the_query_names_is_quoted_and_cited(
    site: Site, query: str, quoted: str, cited: str, *, alternate: bool
) -> None:
    fence = f"```recall\nsource: a.md\nquery: {query}\nmax_sentences: 1\n```\n"
    tabbed = {"pymdownx.tabbed": {"alternate_style": alternate}}
    built = site.build(
        {"index.md": fence, "a.md": f"# Install\n\n{INSTALL}"},
        markdown_extensions=["pymdownx.superfences", "pymdownx.highlight", tabbed],
    )
    quote = built.tag(".recall")
    assert quoted in quote.text
    assert "pip" not in quote.text
    assert quote.cite
    assert quote.cite.text == f"— {cited}"
