"""A quote as Markdown has the content and the links of its HTML."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from answered import answer_to
from bs4 import BeautifulSoup
from hypothesis import given, settings, strategies as st
from markdown import Markdown
from markdown_it import MarkdownIt
from python_markdown import DEFAULT_CONFIGS, DEFAULT_EXTENSIONS
from tables import beside, tabled

from mkdocs_recall import Corpus
from mkdocs_recall.answers.html import QuotingPage, render
from mkdocs_recall.answers.markdown import TargetFile, prefixed, render_markdown
from mkdocs_recall.directives.options import read_options

AUTH: str = beside(__file__)["AUTH"]
TOKENS = "# Tokens\n\nA token lets a program in.\n\n## Lifetime\n\nA token lives for a year.\n"
PAGES = {"auth.md": AUTH, "guide/tokens.md": TOKENS}
ROOT = os.path.abspath(os.sep + "docs")  # noqa: PTH100
PROMPT = TargetFile("", folder=os.path.dirname(ROOT), root=ROOT)  # noqa: PTH120


def quote(name: str, body: str, file: TargetFile = PROMPT, pages: dict[str, str] = PAGES) -> str:
    corpus = Corpus.from_markdown(pages)
    options = read_options(name, body)
    answer = answer_to(options, corpus, file.uri)
    assert answer.result, answer.error
    return render_markdown(answer.result, options, file)


@tabled
def test_a_quote_is_written_as_markdown_with_its_marks_and_its_source(
    behaviour: str, body: str, expected: str
) -> None:
    assert quote("recall", body) == expected, behaviour


def test_code_in_a_list_is_read_as_code() -> None:
    code = "def a_b():\n\n    return *c*"
    pages = {"auth.md": f"# Auth\n\n```\n{code}\n```\n\n## More\n\n```\nrun d_e\n```\n"}
    body = "source: auth.md\nquery: [def a_b, run d_e]\nunits: [code]\nformat: list"
    for html in read(quote("recall", body, pages=pages)):
        items = BeautifulSoup(html, "html.parser").select("li")
        shown = [[pre.get_text().strip() for pre in item.select("pre")] for item in items]
        assert shown == [[code], ["run d_e"]]


def test_an_admonition_is_a_quote_with_a_title() -> None:
    body = "source: auth.md\nquery: session *expires*?\nmax_sentences: 1\nformat: admonition"
    first, second, third, *_ = quote("recall", body).split("\n")
    assert (first, second) == (r"> **session \*expires\*?**", ">")
    assert third.startswith("> A session expires")


def test_a_synopsis_in_place_of_an_answer_is_introduced() -> None:
    text = quote("recall", "source: guide/\nquery: kangaroo")
    assert text.startswith("**Note:** There is no direct answer here.")
    assert "\n\n> A token lets a program in." in text
    german = TargetFile("", folder=ROOT, root=ROOT, language="de")
    assert quote("recall", "source: guide/\nquery: kangaroo", german).startswith("**Hinweis:** ")


@tabled
@pytest.mark.parametrize("url", ["auth/", "auth.html", "auth.md"])
def test_links_lead_to_files(folder: str, uri: str, links: list[str], url: str) -> None:
    hrefs = {
        "auth/": ("../guide/tokens/#lifetime", "#log", "../files/a%20b.pdf"),
        "auth.html": ("guide/tokens.html#lifetime", "#log", "files/a%20b.pdf"),
        "auth.md": ("guide/tokens.md#lifetime", "#log", "files/a%20b.pdf"),
    }
    pages = {uri: os.path.join(ROOT, *uri.split("/")) for uri in PAGES}
    place = os.path.normpath(os.path.join(ROOT, folder))
    file = TargetFile(uri, folder=place, root=ROOT, pages=pages)
    (document,) = Corpus.from_markdown({"auth.md": AUTH}).documents
    from dataclasses import replace

    document = replace(document, url=url)
    assert [file.rebase(href, document).replace("%20", " ") for href in hrefs[url]] == links
    assert file.rebase("https://larch.example/x_y_z", document) == "https://larch.example/x_y_z"
    assert file.rebase("javascript:alert(1)", document) == ""


@pytest.mark.parametrize("name", ["index.md", "README.md"])
def test_a_folder_s_url_leads_to_its_opening_page(name: str) -> None:
    pages = {f"a/{name}": os.path.join(ROOT, "a", name)}
    file = TargetFile("", folder=ROOT, root=ROOT, pages=pages)
    (document,) = Corpus.from_markdown({"auth.md": AUTH}).documents
    assert file.rebase("a/", document) == f"a/{name}"
    assert file.rebase("a/index.html#x", document) == f"a/{name}#x"


@pytest.mark.parametrize("name", ["guide.md", "guide.mdx"])
def test_a_link_without_a_suffix_leads_to_the_file(name: str) -> None:
    file = TargetFile("", folder=ROOT, root=ROOT, pages={name: os.path.join(ROOT, name)})
    (document,) = Corpus.from_markdown({"auth.md": AUTH}).documents
    assert file.rebase("guide#x", document) == f"{name}#x"


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("c#.md", "c%23.md"),
        ("50%.md", "50%25.md"),
        ("why?.md", "why%3F.md"),
        ("a:b.md", "./a:b.md"),
        ("{{ name }}.md", "%7B%7B name %7D%7D.md"),
        ("\udcff.md", "%FF.md"),
    ],
)
def test_special_characters_of_a_file_name_are_escaped_in_links(name: str, written: str) -> None:
    assert TargetFile("", folder=ROOT, root=ROOT).link_to(name, "x") == f"{written}#x"


def test_lines_get_a_prefix_and_blank_ones_no_blank_at_their_end() -> None:
    assert prefixed("a\n\nb", "> ") == "> a\n>\n> b"
    assert prefixed("a\n\nb", "1. ", "   ") == "1. a\n\n   b"


PYTHON = Markdown(extensions=list(DEFAULT_EXTENSIONS), extension_configs=DEFAULT_CONFIGS)
GITHUB = MarkdownIt("commonmark").enable(["table", "strikethrough"])
WORDS = st.sampled_from(
    [
        *("session", "a_b", "*star*", "_x_", "`code`", "**bold**", "[link](tokens.md)", "&lt;b>"),
        *("#1", "1.", "-", "+", ">", "|", "&amp;amp;", "C:\\\\x", "$5", "~6", "2^3", "\\*", "(c)"),
        *("\\*b\\*", "\\_c\\_", "d\\*e", "\\~f\\~"),
        *("漢字", "é", "“so”", "x<y", "{name}", "R&D", "...", "=", "!", ":"),
    ]
)
FIRST = st.sampled_from(["A", "The", "1\\. A", "\\#1", "\\+ A", "12\\) The", ": A", "=== A"])
SENTENCES = st.builds(
    lambda first, words: f"{first} session {' '.join(words)}.",
    FIRST,
    st.lists(WORDS, min_size=2, max_size=9),
)
STARTS = st.sampled_from(["", "## Next\n\n", "- ", "1. ", "> ", "!!! note\n    "])
BLOCKS = st.tuples(STARTS, st.lists(SENTENCES, min_size=1, max_size=3).map(" ".join)).map("".join)


def words_of(html: str) -> str:
    """Return the text of a quote, but for what only parts it."""
    soup = BeautifulSoup(html, "html.parser")
    return "".join(soup.get_text().replace("…", "").replace("...", "").split())


def read(text: str) -> Iterator[str]:
    yield PYTHON.reset().convert(text)
    yield GITHUB.render(text)


@settings(max_examples=30)
@given(
    st.lists(BLOCKS, min_size=1, max_size=4).map("\n\n".join),
    st.sampled_from(["blockquote", "list", "admonition"]),
)
def test_whatever_is_quoted_its_markdown_reads_as_its_html_does(page: str, form: str) -> None:
    corpus = Corpus.from_markdown({"a.md": f"# A\n\n{page}"})
    body = f"source: a.md\nquery: session star\nmin_score: 0\nmax_sentences: 4\nformat: {form}"
    options = read_options("recall", body)
    answer = answer_to(options, corpus, "")
    if not answer.result or not answer.result.passages:
        return
    expected = words_of(answer.html(QuotingPage("", "")))
    expected = expected.replace(answer.result.why, "")
    markdown = render_markdown(answer.result, options, PROMPT)
    for html in read(markdown):
        assert words_of(html).replace("Note:", "Note") == expected


STEPS: str = beside(__file__)["STEPS"]


def both(query: str, **options: str) -> tuple[str, str]:
    """Return a quote of the steps in Markdown and in HTML."""
    body = "\n".join(
        [
            "source: a.md",
            f"query: {query}",
            "context: 0",
            *(f"{k}: {v}" for k, v in options.items()),
        ]
    )
    corpus = Corpus.from_markdown({"a.md": STEPS})
    parsed = read_options("recall", body)
    answer = answer_to(parsed, corpus, "b.md")
    assert answer.result, answer.error
    return (
        render_markdown(answer.result, parsed, PROMPT),
        render(answer.result, parsed, QuotingPage("b.md", "b/")),
    )


@tabled
def test_a_citation_names_the_tab(query: str, count: int, cited: str) -> None:
    markdown, html = both(query, max_sentences=str(count))
    assert f"— [{cited}](" in markdown
    assert cited == BeautifulSoup(html, "html.parser").cite.a.text  # type: ignore[union-attr]


def test_text_of_a_tab_with_text_below_it_is_cited_as_the_section() -> None:
    page = '# Larch\n\n=== "Docker"\n\n    Pull it.\n\n=== "Podman"\n\n    Run it.\n\nStop it.\n'
    options = read_options("recall", "source: a.md\nquery: [run it, stop it]\ncontext: 0")
    answer = answer_to(options, Corpus.from_markdown({"a.md": page}), "b.md")
    assert answer.result, answer.error
    html = render(answer.result, options, QuotingPage("b.md", "b/"))
    text = "<p>Podman: Run it.</p>\n<p>Stop it.<br>\n<cite>&mdash; "
    assert f'{text}<a href="../#larch">Larch</a></cite></p>' in html


def test_the_title_of_a_tab_is_above_its_code() -> None:
    markdown, html = both("install with pip", max_sentences="1", cite="false")
    assert markdown == "> Install it:\n>\n> pip\n>\n> ```\n> pip install larch\n> ```"
    assert "<p>Install it:<br>\npip</p>\n<pre><code>pip install larch\n</code></pre>" in html


@pytest.mark.parametrize("form", ["blockquote", "list", "admonition"])
def test_code_that_is_cut_ends_with_dots(form: str) -> None:
    markdown, html = both("add lines to larch.yml", max_sentences="1", format=form, cite="false")
    lines = [line.strip("> ") for line in markdown.splitlines()]
    assert lines[-4:] == ["key_14: 14", "```", "", "…"]
    assert "key_15" not in markdown + html
    assert "key_14: 14\n</code></pre>\n<p>&hellip;</p>" in html


def test_after_cut_code_there_are_dots_once() -> None:
    query = "[add lines to larch.yml, restart the server]"
    markdown, html = both(query, max_sentences="2", cite="false")
    assert markdown.endswith("> key_14: 14\n> ```\n>\n> …\n>\n> Restart the server.")
    assert "</code></pre>\n<p>&hellip;</p>\n<p>Restart the server.</p>" in html
    assert html.count("&hellip;") == 1
    markdown, html = both(query, max_sentences="2", cite="false", format="list")
    assert markdown.endswith("    …\n\n- Restart the server.")
    assert "<p>&hellip;</p></li>\n<li>Restart the server.</li>" in html
