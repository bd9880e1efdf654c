"""Pages that would cost a parser quadratic time or memory, and pages that only look so."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, strategies as st
from selectolax.lexbor import LexborHTMLParser
from tables import beside, tabled

from mkdocs_recall.text.hardening import DEEPEST, flatten_nesting, without_foreign
from mkdocs_recall.text.html import read_html
from mkdocs_recall.text.runs import RAW_TAGS, HtmlContent
from mkdocs_recall.text.theme import is_redirect, read_themed_page

PAGE: str = beside(__file__)["PAGE"]
STEEP = "<div>" * 3000 + "</div>" * 3000
"""What has no text, and too much depth for the page behind it to be left as it is."""
PIECES: list[str] = beside(__file__)["PIECES"]


def test_a_page_reads_the_same_when_it_is_levelled() -> None:
    whole, levelled = read_html(PAGE), read_html(STEEP + PAGE)
    assert flatten_nesting(STEEP + PAGE) != STEEP + PAGE
    assert levelled.headings == whole.headings
    plain = [(run.text, run.kind, run.marks, run.lead) for run in whole.runs]
    assert [(run.text, run.kind, run.marks, run.lead) for run in levelled.runs] == plain


def test_a_large_page_as_people_write_them_reads_like_small_ones() -> None:
    assert flatten_nesting(PAGE * 200) == PAGE * 200
    runs = read_html(PAGE * 200).runs
    assert [(run.text, run.marks) for run in runs] == [
        (run.text, run.marks) for run in read_html(PAGE).runs
    ] * 200


def test_end_tags_that_html_lets_out_are_understood() -> None:
    rows = "".join(f"<tr><td>{number}<td>b" for number in range(600))
    items = "".join(f"<li>Item {number}.<p>And more." for number in range(600))
    page = f"<ul>{items}</ul><table><tr><th>A<th>B{rows}</table><dl><dt>T<dd>D.</dl><p>End."
    assert flatten_nesting(page) != page
    runs = read_html(page).runs
    assert [run.text for run in runs] == [run.text for run in _read_by_parser(page).runs]
    assert runs[-1].text == "End."
    assert runs[-1].kind == "prose"


def _read_by_parser(page: str) -> HtmlContent:
    """Read a page whose depth the parser has already made plain, so that nothing is levelled."""
    tree = LexborHTMLParser(page).body
    assert tree is not None
    assert tree.html is not None
    return read_html(tree.html)


@given(st.lists(st.sampled_from(PIECES) | st.integers(0, 99).map("w{} ".format), max_size=80))
def test_levelled_html_has_exactly_the_words_of_its_source(pieces: list[str]) -> None:
    soup = "".join(pieces)
    levelled = flatten_nesting(STEEP + soup)
    assert levelled.startswith("<div>" * DEEPEST + "<p>")
    assert _words(levelled) == _words(soup)


def _words(html: str) -> list[str]:
    body = LexborHTMLParser(html).body
    assert body is not None
    for node in reversed(body.css(",".join(RAW_TAGS))):
        node.decompose()
    return sorted(re.findall(r"w\d+ ", body.text()))


@tabled
def test_no_page_makes_the_parser_go_deep_or_multiply_its_elements(unit: str) -> None:
    page = "".join(unit.replace("%d", str(number)) for number in range(1500))
    body = LexborHTMLParser(flatten_nesting(page)).body
    assert body is not None
    deepest = count = 0
    level_of: dict[int, int] = {}
    for node in body.traverse():
        above = level_of.get(node.parent.mem_id, 0) if node.parent else 0
        level_of[node.mem_id] = above + 1
        deepest = max(deepest, above + 1)
        count += 1
    assert deepest <= 2 * DEEPEST  # a parser adds what a table lacks
    assert count < 10 * page.count("<")


@pytest.mark.parametrize("unit", ["x</td>", "x<tr>", "x</>", "x<!doctype>", "x<body>", "x</b>"])
@pytest.mark.parametrize("around", ["", "<table>"])
def test_text_around_ignored_tags_is_joined_once(unit: str, around: str) -> None:
    page = around + unit * 4000
    tree = LexborHTMLParser(flatten_nesting(page)).body
    assert tree is not None
    texts = [node for node in tree.traverse(include_text=True) if node.tag == "-text"]
    assert len(texts) >= 4000


@pytest.mark.parametrize(("before", "unit"), [("<table>", "<tr></tr>x"), ("<p>", "<div>x</div>")])
def test_emphasis_that_is_left_open_is_not_multiplied(before: str, unit: str) -> None:
    emphasis = "".join(f"<b id={number}>" for number in range(300))
    page = f"{before}{emphasis}{unit * 2000}"
    body = LexborHTMLParser(flatten_nesting(page)).body
    assert body is not None
    assert sum(1 for _ in body.traverse()) < 10 * page.count("<")


@pytest.mark.slow
def test_a_head_without_an_end_is_harmless() -> None:
    assert not is_redirect("<div>" * 100_000)  # quadratic time would take minutes


def test_text_after_deep_nesting_is_a_paragraph_too() -> None:
    opened = "".join(f"<div>Before {number}." for number in range(1000))
    closed = "".join(f"After {number}.</div>" for number in range(1000))
    texts = [run.text for run in read_html(opened + closed).runs]
    assert texts[:999] == [f"Before {number}." for number in range(999)]
    assert texts[-999:] == [f"After {number}." for number in range(1, 1000)]


def test_text_nested_too_deeply_is_read_in_separate_paragraphs() -> None:
    items = "".join(f"<ul><li>Item {number}." for number in range(2000))
    runs = read_html(items + "</li></ul>" * 2000 + "<p>End.</p>").runs
    assert [run.text for run in runs] == [*(f"Item {n}." for n in range(2000)), "End."]
    assert runs[-1].kind == "prose"


def test_attributes_without_number_do_not_cost_the_page() -> None:
    attributes = " ".join(f"a{number}=1" for number in range(20_000))
    html = f"<p {attributes}>Larch keeps files.</p>"
    assert len(flatten_nesting(html)) < 200
    assert [run.text for run in read_html(html).runs] == ["Larch keeps files."]


def test_pictures_do_not_make_a_page_look_steep() -> None:
    icon = '<span class="x"><svg viewBox="0 0 24 24"><path d="M1 1"/></svg></span>'
    page = f"<p>{icon}Mail.</p>\n" * 1500
    assert flatten_nesting(without_foreign(page)) == page.replace(
        '<svg viewBox="0 0 24 24"><path d="M1 1"/></svg>', '<img alt="" data-icon="0 0 24 24 M1 1">'
    )


@pytest.mark.parametrize("comment", ["<!-->", "<!--->", "<!-- a --!>", "<!-- <math> -->"])
def test_a_comment_ends_beside_a_formula_where_it_does_in_a_browser(comment: str) -> None:
    page = without_foreign(f"One {comment} two. <!-- a --> <math><mi>x</mi></math>")
    assert page.startswith("One  two.  <")


@pytest.mark.slow
@pytest.mark.parametrize(
    "part", ["a", "<", "<a/", '<a "', "<a '", "<a \"<b '", "<!--", "<!-", "&amp;", "<mi>", "</"]
)
def test_formulas_are_read_in_linear_time(part: str) -> None:
    size = 30_000 // len(part)  # quadratic time would take a minute
    for start in ("<math>", "<math><mi ", "<math><annotation>", "<math "):
        for html in (f"{start}{part * size}</math>", f"<math><mi></math{start}{part}" * 2_000):
            assert len(without_foreign(html)) <= 10 * len(html)


def test_a_built_page_keeps_its_title_and_language_when_it_is_levelled() -> None:
    head = '<!doctype html><html lang="de"><head><title>Lärche - Site</title></head>'
    article = read_themed_page(f"{head}<body><main>{STEEP}{PAGE}</main></body></html>")
    assert article is not None
    assert (article.title, article.language) == ("Lärche - Site", "de")
    assert "Three." in [run.text for run in article.content.runs]
