"""The HTML of a quote: the sentences' text and marks, with working links."""

from __future__ import annotations

from collections.abc import Sequence
from html import unescape
from itertools import pairwise
from typing import Any
from urllib.parse import urljoin

import pytest
from hypothesis import given, strategies as st
from judging import judge_html, text_of
from tables import tabled

from mkdocs_recall import (
    Block,
    Corpus,
    Document,
    Explanation,
    Heading,
    Mark,
    Passage,
    Query,
    Quotation,
    Result,
    Sentence,
)
from mkdocs_recall.answers.html import QuotingPage, caution, render
from mkdocs_recall.answers.links import rebase, relative_url
from mkdocs_recall.answers.notes import notes
from mkdocs_recall.answers.whitelist import is_clean, rebase_html
from mkdocs_recall.options import Options, RecallOptions
from mkdocs_recall.text.model import Role

HERE = QuotingPage("index.md", "")


def asks(query: str = "What?", **values: Any) -> RecallOptions:
    return RecallOptions(query=(Query(query),), **values)


def hrefs(html: str) -> list[str]:
    """Return where the links of a quote lead, which is made as any quote is."""
    return [str(link["href"]) for link in judge_html(html).select("a[href]")]


def document(
    text: str,
    spans: Sequence[tuple[int, int]],
    marks: Sequence[Mark] = (),
    *,
    headings: tuple[Heading, ...] = (Heading("Auth", 1, "auth"),),
    title: str = "Auth",
    url: str = "auth/",
) -> Document:
    """Return a page of one block with sentences at the spans."""
    sentences = tuple(Sentence(text[a:b], a, b, 0, ()) for a, b in spans)
    block = Block(text, "prose", 0, 1, headings, tuple(marks), cut=lambda _: sentences)
    return Document("auth.md", title, "en", (block,), headings, url)


def result(page: Document, chosen: Sequence[int] | None = None, **extra: Any) -> Result:
    """Return the result that holds some of a page's sentences, or all."""
    numbers = range(len(page.sentences)) if chosen is None else chosen
    passages = tuple(
        Passage(
            page,
            page.sentences[n],
            1.0,
            rank,
            Quotation((page.sentences[n],)),
            lambda: Explanation(1.0, ""),
            place=n,
        )
        for rank, n in enumerate(numbers, start=1)
    )
    return Result(passages, "coverage", **extra)


def quote(
    text: str, *marks: Mark, span: tuple[int, int] | None = None, place: QuotingPage = HERE
) -> str:
    """Return what stands in the paragraph of a quote of one sentence, the whole text or a span."""
    page = document(text, [span or (0, len(text))], marks)
    html = render(result(page), asks(cite=False), place)
    start, end = '<blockquote class="recall" data-search-exclude>\n<p>', "</p>\n</blockquote>"
    assert html.startswith(start)
    assert html.endswith(end)
    judge_html(html)
    return html[len(start) : -len(end)]


@tabled
def test_a_quote_has_the_marks_of_its_sentence(
    behaviour: str, text: str, marks: list[list[Any]], span: tuple[int, int] | None, html: str
) -> None:
    assert quote(text, *(Mark(*mark) for mark in marks), span=span) == html, behaviour


@tabled
def test_a_link_that_leads_to_no_document_is_text(href: str) -> None:
    assert quote("here", Mark(0, 4, "em"), Mark(0, 4, "link", href)) == "<em>here</em>"


def test_a_quote_in_a_link_does_not_end_its_attribute() -> None:
    html = quote("here", Mark(0, 4, "link", 'x?a="b"&c=d'))
    assert hrefs(html) == ['auth/x?a="b"&c=d']
    assert '"b"' not in html


TEXT = "One is here. Two is there. Three is nowhere."
SPANS = [(0, 12), (13, 26), (27, 44)]


@tabled
def test_chosen_sentences_are_quoted_and_cited(
    behaviour: str,
    chosen: list[int],
    asked: dict[str, Any],
    page: dict[str, Any],
    there: tuple[str, str],
    *,
    html: str,
) -> None:
    headings = tuple(Heading(*each) for each in page.get("headings", [["Auth", 1, "auth"]]))
    quoted = document(TEXT, SPANS, title=page.get("title", "Auth"), headings=headings)
    assert render(result(quoted, chosen), asks(**asked), QuotingPage(*there)) == html, behaviour


def test_sections_have_a_paragraph_and_a_citation_each() -> None:
    headings = Heading("Auth", 1, "auth"), Heading("Tokens", 2, "tokens")
    one, two = Sentence("One.", 0, 4, 0, ()), Sentence("Two.", 0, 4, 1, ())
    first = Block("One.", "prose", 0, 1, headings[:1], cut=lambda _: (one,))
    other = Block("Two.", "prose", 1, 2, headings, cut=lambda _: (two,))
    page = Document("auth.md", "Auth", "en", (first, other), headings, "auth/")
    assert render(result(page), Options(), HERE) == (
        '<blockquote class="synopsis" data-search-exclude>\n'
        '<p>One.<br>\n<cite>&mdash; <a href="auth/#auth">Auth</a></cite></p>\n'
        '<p>Two.<br>\n<cite>&mdash; <a href="auth/#tokens">Auth &rsaquo; Tokens</a></cite></p>\n'
        "</blockquote>"
    )


def test_an_admonition_is_headed_with_the_question_or_the_title() -> None:
    found = result(document(TEXT, SPANS[:1], title="A & B"))
    options = RecallOptions(query=(Query(" <what>? "), Query("who?")), format="admonition")
    assert '<p class="admonition-title">&lt;what&gt;?</p>' in render(found, options, HERE)
    html = render(found, Options(format="admonition"), HERE)
    assert html.startswith('<div class="admonition quote synopsis" data-search-exclude>\n')
    assert '<p class="admonition-title">A &amp; B</p>' in html


@pytest.mark.parametrize(
    "language", ["en", "de", "es", "fr", "it", "ja", "nl", "pt", "ru", "zh", "pt-BR", "zh_TW", "DE"]
)
def test_a_note_is_in_the_language_of_its_page(language: str) -> None:
    found = result(document(TEXT, SPANS[:1]), fallback="no_match")
    html = unescape(render(found, asks(), QuotingPage("index.md", "", language)))
    words = notes(language)
    assert html.startswith(
        '<div class="admonition note recall-note" data-search-exclude>\n'
        f'<p class="admonition-title">{words["note"]}</p>\n<p>{words["no_match"]}</p>\n</div>\n'
    )
    assert (words == notes("en")) == (language == "en")


def test_a_note_is_english_in_a_language_without_one() -> None:
    assert notes("tlh") == notes("") == notes("en")


def test_a_caution_escapes_its_message() -> None:
    assert caution("recall", "a.md:1: recall: unknown option '<b>&'") == (
        '<div class="admonition caution danger recall-error" data-search-exclude>\n'
        '<p class="admonition-title">Directive error</p>\n'
        "<p>a.md:1: recall: unknown option &#x27;&lt;b&gt;&amp;&#x27;</p>\n</div>"
    )


@tabled
def test_a_link_leads_from_the_other_page_where_it_led(
    href: str, source: str, target: str, expected: str
) -> None:
    assert rebase(href, source, target) == expected


@tabled
def test_a_url_is_written_as_seen_from_a_page(url: str, page: str, expected: str) -> None:
    assert relative_url(url, page) == expected


def test_a_copy_of_a_quote_has_links_from_where_it_stands() -> None:
    marks = Mark(0, 4, "link", "#x"), Mark(5, 8, "link", "../?a=1&b"), Mark(9, 12, "link", "/y")
    found = result(document("here and not", [(0, 12)], marks))
    asked = asks('<a href="x">', format="admonition")
    deep = QuotingPage("a/b.md", "a/b/")
    html = render(found, asked, HERE)
    assert rebase_html(html, HERE.url, HERE.url) == html
    assert rebase_html(html, HERE.url, deep.url) == render(found, asked, deep)
    assert hrefs(render(found, asked, deep)) == [
        *("../../auth/#x", "../../?a=1&b", "/y", "../../auth/#auth")
    ]


def test_a_copy_of_a_quote_holds_no_template_either() -> None:
    copy = rebase_html('<a href="auth/#&#123;{ 7*7 }}">x</a>', "", "a/b/")
    assert copy == '<a href="../../auth/#&#123;{ 7*7 }}">x</a>'


SEGMENTS = st.text("ab:%20é.-", min_size=1, max_size=4).filter(lambda s: s.strip("."))
URLS = st.one_of(
    st.just(""),
    st.lists(SEGMENTS, min_size=1, max_size=3).map(lambda parts: "/".join(parts) + "/"),
    st.lists(SEGMENTS, min_size=1, max_size=3).map(lambda parts: "/".join(parts) + ".html"),
)
FRAGMENTS = st.sampled_from(["", "#x", "?q=1", "?q=a/../b#x"])


@given(URLS, FRAGMENTS, URLS)
def test_a_relative_url_is_resolved_to_where_it_leads(url: str, rest: str, page: str) -> None:
    base = "https://larch.example/"
    relative = relative_url(url + rest, page)
    assert relative
    assert urljoin(base + page, relative) == base + url + rest


@given(URLS, FRAGMENTS, URLS, URLS)
def test_a_link_is_rebased_to_where_it_led(url: str, rest: str, source: str, target: str) -> None:
    base = "https://larch.example/"
    written = relative_url(url + rest, source)
    rebased = rebase(written, source, target)
    assert urljoin(base + target, rebased) == base + url + rest


@st.composite
def pages(draw: st.DrawFn) -> Document:
    """Draw a page of one block with sentences and marks, which may overlap, as in broken HTML."""
    characters = st.characters(codec="utf-8", exclude_characters="\r\x00")
    parts = draw(st.lists(st.text(characters, min_size=1, max_size=12), min_size=1, max_size=4))
    text = " ".join(parts)
    spans, at = [], 0
    for part in parts:
        spans.append((at, at + len(part)))
        at += len(part) + 1
    ends = st.tuples(st.integers(0, len(text)), st.integers(0, len(text)))
    roles: st.SearchStrategy[Role] = st.sampled_from(["code", "em", "strong"])
    drawn = draw(st.lists(st.tuples(ends, roles), max_size=6))
    marks = [Mark(min(span), max(span), role) for span, role in drawn if span[0] != span[1]]
    if link := draw(st.none() | st.tuples(ends, st.text(characters, max_size=9))):
        span, href = link
        marks.append(Mark(min(span), max(span), "link", href))
    marks.sort(key=lambda mark: (mark.start, -mark.end))
    return document(text, spans, marks, title=draw(st.text(characters, min_size=1, max_size=9)))


TURNING = dict.fromkeys([*range(0x202A, 0x202F), *range(0x2066, 0x206A)])
"""Marks of direction: a quote ends what they turn, which is another test's."""


@given(pages(), st.data(), st.sampled_from(["blockquote", "list", "admonition"]), st.booleans())
def test_a_quote_is_well_formed_and_holds_the_sentences_and_nothing_else(
    page: Document,
    data: st.DataObject,
    kind: str,
    cite: bool,  # noqa: FBT001 - as hypothesis gives it
) -> None:
    chosen = data.draw(
        st.lists(st.integers(0, len(page.sentences) - 1), min_size=1, max_size=4, unique=True)
    )
    options = asks("Q", format=kind, cite=cite)
    html = render(result(page, chosen), options, HERE)
    numbers = sorted(chosen)
    expected = page.sentences[numbers[0]].text
    for before, number in pairwise(numbers):
        apart = "\n" if kind == "list" else " … "
        one, other = page.sentences[before], page.sentences[number]
        follows = " " if one.block == other.block else "\n"
        expected += (follows if number == before + 1 else apart) + other.text
    title = "Q\n" if kind == "admonition" else ""
    heading = "" if page.title == "Auth" else " › Auth"
    source = f"\n— {page.title}{heading}" if cite else ""
    wanted = f"\n{title}{expected}{source}\n"
    allowed = {"blockquote", "ul", "li", "div", "p", "br", "cite", "a", "code", "em", "strong"}
    assert {tag.name for tag in judge_html(html).find_all()} <= allowed
    assert text_of(html).translate(TURNING) == wanted.translate(TURNING)
    assert is_clean(html)


@pytest.mark.parametrize("part", ["<pre>", "<pre", '<pre><code class="language-a ', "<pre></code>"])
def test_code_is_found_on_its_page_in_linear_time(part: str) -> None:
    code = '<pre><code>vault = <span class="mi">1</span></code></pre>'
    page = code + part * 40_000  # quadratic time would take minutes
    corpus = Corpus.from_markdown(
        {"a.md": "# A\n\nSet the vault like this:\n\n```\nvault = 1\n```\n"}
    )
    found = corpus.recall("how to set the vault", source="a.md")
    html = render(found, asks(), QuotingPage("index.md", html_of=lambda _: page))
    assert 'vault = <span class="mi">1</span>' in html
