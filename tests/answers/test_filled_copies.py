"""A copy of a page is filled in the format of its file, with the form of the quote for it."""

from __future__ import annotations

import json
import re
from xml.etree import ElementTree as ET

import pytest
from answered import answer_to
from bs4 import BeautifulSoup
from markdown_it import MarkdownIt
from tables import tabled
from test_quote_as_markdown import PAGES, PROMPT

from mkdocs_recall import Corpus
from mkdocs_recall.answers.answer import Answer
from mkdocs_recall.answers.html import QuotingPage, caution
from mkdocs_recall.answers.insertion import MAX_COPIES, Quote, marker
from mkdocs_recall.answers.markdown import render_markdown, to_markdown
from mkdocs_recall.answers.whitelist import rebase_html
from mkdocs_recall.directives.directive import Directive
from mkdocs_recall.directives.options import read_options
from mkdocs_recall.hosts.copies import fill_copy

ID = "0123456789abcdef"
MARK = marker(ID)
QUOTE = (
    '<blockquote class="recall" data-search-exclude>\n<p>It is <em>red</em> &amp; a &lt; b.'
    '<br>\n<cite>&mdash; <a href="https://a.example/x/#y">X</a></cite></p>\n</blockquote>'
)
MARKDOWN = "> It is *red* & a < b.\n>\n> — [X](https://a.example/x/#y)"
LINK = re.compile(r"\]\([^()]*\)")
QUOTES = {ID: Quote(QUOTE, source="```recall\nquery: red\n```")}


def fill(text: str, suffix: str) -> str:
    return fill_copy(text, suffix, QUOTES, url="copy", site="")


def answered(body: str, page: str = "", name: str = "recall") -> Answer:
    return answer_to(read_options(name, body), Corpus.from_markdown(PAGES), page)


@tabled
def test_the_markdown_of_copies_differs_only_in_its_links(name: str, options: str) -> None:
    reply = answered(options, name=name)
    assert reply.result is not None
    copied = to_markdown(rebase_html(reply.html(QuotingPage("", "x/")), "x/", "copy.md"))
    rendered = render_markdown(reply.result, reply.options, PROMPT)
    assert LINK.sub("]()", copied) == LINK.sub("]()", rendered)


@pytest.mark.parametrize("site", ["", "https://larch.example/(1)"])
@pytest.mark.parametrize("target", ["llms.txt", "b c/copy.md", "x/index.md"])
@pytest.mark.parametrize("form", ["blockquote", "list"])
def test_links_in_markdown_lead_where_those_in_html_lead(site: str, target: str, form: str) -> None:
    body = "source: a.md\nquery: session\nmax_sentences: 3\nformat: " + form
    page = (
        "# A\n\nA session ends, see [b](b.md?a=1&amp;copy;=2&amp;lt=3#c), [log](#log), "
        "[x](x_(1).pdf).\n\n| Session | Two |\n|---|---|\n| a session | [y](../z.md) |\n\n"
        "A session is `[no](link)`.\n"
    )
    reply = answer_to(read_options("recall", body), Corpus.from_markdown({"a.md": page}), "x.md")
    host = QuotingPage("x.md", "x/")
    html = rebase_html(reply.html(host), "x/", target, site)
    markdown = to_markdown(html)
    assert "`[no](link)`" in markdown
    hrefs = [str(a["href"]) for a in BeautifulSoup(html, "html.parser").select("a")]
    assert len(hrefs) > 3
    read = BeautifulSoup(MarkdownIt().enable("table").render(markdown), "html.parser").select("a")
    assert [str(a["href"]) for a in read] == [
        href.replace("(", "%28").replace(")", "%29") for href in hrefs
    ]


def test_an_explanation_becomes_a_list_below_its_quote() -> None:
    body = "source: auth.md\nquery: when does a session expire?\nexplain: true\nmin_score: 0"
    markdown = to_markdown(answered(body).html(QuotingPage("", "")))
    _, _, explanation = markdown.partition("\n\n**How structure chose**\n\n")
    assert re.search(
        r"(?m)^-   1\n\n    A session .*\n\n    `auth.md#auth`\n\n    \d\.\d{3}\n\n    .+\n\n"
        r"    -  ? ?\+",
        explanation,
    ), markdown
    assert "<" not in markdown


def test_a_caution_becomes_a_block_with_its_message() -> None:
    assert to_markdown(caution("recall", "a.md:3: no *such* page")) == (
        "> **Directive error**\n>\n> a.md:3: no \\*such\\* page"
    )
    assert (
        to_markdown(caution("recall", "1. {{ x }}", language="de"))
        == "> **Fehler in der Direktive**\n>\n> 1\\. \\{\\{ x \\}\\}"
    )


def test_a_note_for_readers_is_a_paragraph() -> None:
    reply = Answer(Directive("recall"), note="No relevant content could be retrieved.")
    assert to_markdown(reply.html(QuotingPage("", ""))) == (
        "**Note:** No relevant content could be retrieved."
    )


@tabled
def test_a_marker_in_markdown_becomes_markdown_in_its_container(text: str, filled: str) -> None:
    text = text.replace("MARK", MARK)
    assert fill(text, ".md") == fill(text, ".txt") == filled


@tabled
def test_xml_stays_well_formed_and_has_the_quote_in_its_text(template: str) -> None:
    html = f"<p>A &amp; b.</p>\n{MARK}\n<p>C {MARK} d.</p>"
    escaped = html.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    xml = template.format(escaped=escaped, raw=html, raw2="x")
    text = ET.fromstring(fill(xml, ".xml")).findtext("b")  # noqa: S314 - our own
    assert text == f"<p>A &amp; b.</p>\n{QUOTE}\n<p>C</p>{QUOTE} <p>d.</p>"


@pytest.mark.parametrize("ascii_only", [True, False])
def test_json_stays_json_and_has_the_quote_in_its_string(*, ascii_only: bool) -> None:
    feed = {"é": 1, "html": f'<p class="x">Ä \\ b.</p>{MARK}', "other": ["<p>x</p>", 'a"b']}
    text = json.dumps(feed, ensure_ascii=ascii_only, indent=2)
    for copy in (text, text.replace("<", "\\u003c").replace(">", "\\u003e")):
        filled = json.loads(fill(copy, ".json"))
        assert filled == {**feed, "html": f'<p class="x">Ä \\ b.</p>{QUOTE}'}


def test_a_file_of_html_is_filled_like_a_page() -> None:
    assert fill(f"<p>A {MARK}</p>", ".html") == f"<p>A</p>{QUOTE}"
    assert BeautifulSoup(fill(f"<pre>{MARK}</pre>", ".htm"), "html.parser").blockquote is not None


@pytest.mark.parametrize("cut", range(1, len(MARK)))
def test_a_truncated_marker_in_an_abstract_is_dropped(cut: int) -> None:
    html = f"<p>A.\n&lt;{MARK[1:cut]}...</p>"
    assert json.loads(fill(json.dumps(html), ".json")) == "<p>A.\n...</p>"


@pytest.mark.parametrize("text", ["<p>&lt;!-- note...</p>", "<p>&lt;b...</p>", "<p>&lt;!...x</p>"])
def test_lookalikes_of_a_marker_s_start_stay(text: str) -> None:
    assert json.loads(fill(json.dumps(text), ".json")) == text


def test_a_quote_is_in_a_copy_ten_times_at_most() -> None:
    text = f"{MARK}\n\n" * (MAX_COPIES + 5)
    assert fill(text, ".md").count("> It is") == MAX_COPIES
    assert MARK not in fill(text, ".md")


def test_links_of_a_quote_lead_from_anywhere_once_they_are_absolute() -> None:
    html = '<a href="../b/#c&amp;d">x</a> <a href="#e">y</a> <a href="https://f.example/">z</a>'
    assert rebase_html(html, "a/", "x.xml", "https://s.example/t") == (
        '<a href="https://s.example/t/b/#c&amp;d">x</a> '
        '<a href="https://s.example/t/a/#e">y</a> <a href="https://f.example/">z</a>'
    )
