"""Rendered HTML → runs of text: what counts as text, its position and its marks."""

from __future__ import annotations

from typing import Any

from hypothesis import example, given, strategies as st
from tables import beside, tabled

from mkdocs_recall import Heading
from mkdocs_recall.text.html import read_html
from mkdocs_recall.text.runs import HtmlContent

APART = {"table", "code", "figure", "label"}
"""What is no running text."""


def texts(html: str) -> list[str]:
    return [run.text for run in read_html(html).runs if run.kind not in APART]


@tabled
def test_text_is_read_as_a_reader_sees_it(behaviour: str, html: str, expected: list[str]) -> None:
    assert texts(html) == expected, behaviour


def test_every_item_has_a_list_and_text_above_headings_has_section_0() -> None:
    html = "<p>a</p><h2>b</h2><ul><li>One<ul><li>Two</li></ul>three</li><li><p>Four</p></li></ul>"
    first, *items = read_html(html).runs
    assert (first.section, first.headings) == (0, ())
    assert [(run.text, run.kind) for run in items] == [
        (text, "list") for text in ("One", "Two", "three", "Four")
    ]


@tabled
def test_parts_that_are_not_page_text_are_left_out(html: str) -> None:
    assert texts(f"<p>Before.</p>{html}<p>After.</p>") == ["Before.", "After."]


@tabled
def test_decorations_within_a_sentence_are_left_out(html: str) -> None:
    assert texts(f"<p>The cache is{html} small.</p>") == ["The cache is small."]


def test_text_after_an_image_emoji_is_read() -> None:
    smile = '<img alt="😄" class="twemoji" src="x.svg" title=":smile:" />'
    reading = read_html(f"<h1>A {smile}</h1><p>One{smile} two.</p><ul><li>{smile}three</li></ul>")
    assert [run.text for run in reading.runs] == ["One😄 two.", "😄three"]
    assert reading.headings[0].text == "A"


def test_headings_are_not_text_but_above_it_with_their_real_anchors() -> None:
    reading = read_html(
        '<h1 id="t">Title<a class="headerlink" href="#t">¶</a></h1><p>a</p>'
        '<h3 id="deep">Deep</h3><p>b</p><h2 id="x_1">The <code>x</code> option</h2><p>c</p>'
    )
    title, deep, option = Heading("Title", 1, "t"), Heading("Deep", 3, "deep"), None
    option = Heading("The x option", 2, "x_1")
    assert reading.headings == (title, deep, option)
    assert [(run.section, run.headings) for run in reading.runs] == [
        (1, (title,)),
        (2, (title, deep)),
        (3, (title, option)),
    ]


@tabled
def test_a_heading_reaches_to_the_end_of_the_box_around_it(box: str, end: str) -> None:
    *_, after = read_html(f"<h2>A</h2>{box}<h3>B</h3><p>b</p>{end}<p>a</p>").runs
    assert (after.section, [h.text for h in after.headings]) == (1, ["A"])


def test_a_list_with_the_class_of_a_box_stays_a_list() -> None:
    html = '<ol class="tip"><li class="note">a</li></ol><dl class="note"><dt>b</dt><dd>c</dd></dl>'
    assert [run.kind for run in read_html(html).runs] == ["list", "label", "definition"]


@tabled
def test_a_heading_has_no_attribute_list_and_no_emoji_names(heading: str, text: str) -> None:
    assert read_html(f"<h2>{heading}</h2>").headings[0].text == text


def test_a_heading_that_was_not_rendered_has_no_text() -> None:
    html = "<h2>```yaml tab=</h2><h2>{{ title }}</h2><h2>The <code>{{ x }}</code> syntax</h2>"
    assert [h.text for h in read_html(html).headings] == ["", "", "The {{ x }} syntax"]


@tabled
def test_inline_markup_becomes_marks(behaviour: str, html: str, runs: list[list[Any]]) -> None:
    found = [
        [run.text, *([run.text[m.start : m.end], m.role, m.href] for m in run.marks)]
        for run in read_html(html).runs
    ]
    assert found == runs, behaviour


def test_top_level_blocks_are_counted_as_an_author_sees_them() -> None:
    reading = read_html(
        "<h1>T</h1><p>0</p><pre>code</pre><p><img src='a'></p><ul><li>1</li><li>1</li></ul>"
        '<div class="admonition note"><p class="admonition-title">N</p><p>2</p><p>2</p></div>'
        "<div><section><p>3</p><blockquote><p>4</p><p>4</p></blockquote></section></div>"
        "<h2>U</h2>5<p>6</p>"
    )
    assert [(run.text, run.top) for run in reading.runs if run.kind not in APART] == [
        (text, int(text)) for text in "0112234456"
    ]


def test_tables_code_and_labels_count_with_the_block_before_them() -> None:
    reading = read_html(
        "<pre>c</pre><p>0</p><pre>c</pre><details><summary>L</summary><p>1</p></details>"
        "<table><tr><td>r</td></tr></table><dl><dt>L</dt><dd>2</dd></dl>"
    )
    assert [(run.kind, run.top) for run in reading.runs] == [
        *(("code", 0), ("prose", 0), ("code", 0), ("label", 0), ("admonition", 1)),
        *(("table", 1), ("label", 1), ("definition", 2)),
    ]


def test_broken_html_is_read_as_a_browser_would() -> None:
    assert texts("<p>one<p>two<ul><li>three<li>four</ul></div></b>five") == [
        *("one", "two", "three", "four", "five")
    ]
    assert read_html("") == HtmlContent((), ())
    assert texts('<p title="a>b<c">d</p>') == ["d"]
    assert texts('<p>a <i title="x<a href="y.md">b</i> c</p>') == ["a b c"]


def test_nesting_has_no_limit() -> None:
    assert texts("<blockquote>" * 3000 + "deep") == ["deep"]
    table = "<table><tr><td>" * 300 + "deep" + "</td></tr></table>" * 300
    assert texts(f"<p>one</p>{table}<p>two</p>") == ["one", "two"]


@given(st.text(alphabet=st.characters(codec="utf-8"), max_size=200))
def test_any_text_is_read_and_no_run_is_blank_or_badly_marked(html: str) -> None:
    for run in read_html(html).runs:
        assert run.text.strip(" ")
        assert "  " not in run.text
        assert all(0 <= m.start < m.end <= len(run.text) for m in run.marks)


_PIECES = st.lists(
    st.sampled_from(beside(__file__)["PIECES"]),
    max_size=40,
).map("".join)


@given(_PIECES)
@example("<p>one <em>two </em></p>")
def test_any_html_is_read_with_its_marks_within_the_text(html: str) -> None:
    reading = read_html(html)
    for run in reading.runs:
        assert run.text == run.text.strip(" ") or run.kind == "code"
        assert all(0 <= m.start < m.end <= len(run.text) for m in run.marks)
        assert list(run.marks) == sorted(run.marks, key=lambda m: (m.start, -m.end))
        assert run.section <= len(reading.headings)
