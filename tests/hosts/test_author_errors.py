"""What an author gets for a mistake: the message, its place, and a site that is built all the same.

`author_errors.yml` has the cases.
"""

from __future__ import annotations

import time
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import pytest
import yaml
from mkdocs.structure.files import File

from mkdocs_recall.directives.fences import NAMES

if TYPE_CHECKING:
    from conftest import Built, Site

Case: TypeAlias = tuple[str, dict[int, str]]
"""The lines of a fence, and the message for one of them."""

INVALID = "the options are not valid YAML"
CASES: dict[str, Any] = yaml.safe_load(
    Path(__file__).with_name("author_errors.yml").read_text(encoding="utf-8")
)
OPTIONS: dict[str, Case] = CASES["options"]
YAML: dict[str, Case] = {
    **CASES["yaml"],
    "a tab behind a colon, where libyaml does not read": (
        f"query:\tx\n# {'-' * 1000}",
        {1: f"{INVALID}; a tab follows 'query:'; use a space instead"},
    ),
    "brackets without end": (
        f"query: {'[' * 20_000}{']' * 20_000}",
        {1: f'{INVALID}; put the value in quotes: query: "{"[" * 79}…"'},
    ),
}
SOURCES: dict[str, tuple[str, str]] = CASES["sources"]
AUTH = """# Auth

A session expires after a day without activity.

## Cookies

The cookie of a session is named larch.
"""
GOOD = (
    "```recall\nsource: /guide/auth.md\nquery: when does a session expire?\nmax_sentences: 1\n```\n"
)
REST = {
    "index.md": f"# Home\n\n{GOOD}",
    "guide/auth.md": AUTH,
    "guide/tokens.md": "# Tokens\n\nA token lives for a year.\n",
    "empty.md": "",
    "blank.md": "---\ntitle: Blank\n---\n\n\n",
    "headings.md": "# Headings\n\n## Of a session\n\n### That expires\n",
    "code.md": "# Code\n\n```python\nsession.expires()\n```\n\n    session.expires()\n",
}
FIRST = 9
"""The line of the fence in `page`."""


def page(fence: str) -> str:
    return f"---\ntitle: Setup\n---\n\n# Setup\n\nBefore.\n\n{fence}\n\nAfter.\n"


def fenced(lines: str, name: str = "recall") -> str:
    return f"```{name}\n{lines}\n```"


def build(site: Site, fence: str) -> Built:
    return site.build({**REST, "setup.md": page(fence)})


def expect_rest_of_site(built: Built) -> None:
    assert "A session expires after a day" in built.text("blockquote.recall")
    assert built.tag("article", "guide/tokens/index.html")
    assert built.infos[-1].startswith("recall: ")


def expect_mistake(built: Built, line: int, message: str, *, name: str = "recall") -> None:
    """Check the warning, the caution in the fence's place, and the rest of the site."""
    text = f"setup.md:{line}: {name}: {message}"
    assert built.warnings == [text]
    place = "setup/index.html"
    caution = built.tag(f"div.admonition.caution.{name}-error", place)
    assert built.text(f"div.{name}-error > p.admonition-title", place) == "Directive error"
    assert [p.get_text() for p in caution.find_all("p")[1:]] == [text]
    assert [tag.get_text() for tag in caution.find_previous_siblings()] == ["Before.", "Setup"]
    assert [tag.get_text() for tag in caution.find_next_siblings()] == ["After."]
    expect_rest_of_site(built)
    assert built.infos == ["recall: 1 directive answered, 0 by fallback, 0 from the cache"]


def expect_fault(site: Site, case: Case) -> None:
    lines, fault = case
    [(below, message)] = fault.items()
    expect_mistake(build(site, fenced(lines)), FIRST + below, message)


# ------------------------------------------------------------------------------------------ options


@pytest.mark.parametrize("case", OPTIONS)
def test_a_wrong_option_is_named_where_the_quote_would_stand(site: Site, case: str) -> None:
    expect_fault(site, OPTIONS[case])


def test_an_option_of_a_recall_does_not_belong_to_a_synopsis(site: Site) -> None:
    built = build(site, fenced("source: guide/auth.md\nquery: x", "synopsis"))
    message = "option 'query' belongs to recall, not to synopsis"
    expect_mistake(built, FIRST + 2, message, name="synopsis")


# --------------------------------------------------------------------------------------------- YAML


def test_an_odd_blank_in_the_words_of_a_query_is_no_fault(site: Site) -> None:
    fence = fenced("source: guide/auth.md\nquery: when does a\u00a0session expire？")
    assert build(site, fence).warnings == []


@pytest.mark.parametrize("case", YAML)
def test_yaml_that_is_read_otherwise_than_meant_is_explained(site: Site, case: str) -> None:
    expect_fault(site, YAML[case])


@pytest.mark.parametrize(
    "line",
    [
        "query: a: {}",
        "{}: [b",
        "{}: 1\n{}: 2",
        "{}: 1",
        "query: [a, *{}]",
        "query: [a, !e!{}]",
        "query: a\nscorer: {}",
    ],
)
def test_a_long_line_is_not_repeated_in_full(site: Site, line: str) -> None:
    built = build(site, fenced(line.replace("{}", "x" * 5_000)))
    assert len(built.warnings) == 1
    assert len(built.warnings[0]) < 250


# ------------------------------------------------------------------------------------------ sources


@pytest.mark.parametrize("case", SOURCES)
def test_a_source_that_names_nothing_is_refused(site: Site, case: str) -> None:
    source, message = SOURCES[case]
    (site.root / "beside.md").write_text("# Beside\n\nA session expires.\n", encoding="utf-8")
    own_line = message.startswith("'source'")  # else the fence is named, as it asks the site
    built = build(site, fenced(f"source: {source}\nquery: session"))
    expect_mistake(built, FIRST + own_line, message)


@pytest.mark.parametrize(
    ("line", "sign"), [('source: "guide/auth.md\\0"', "U+0000"), ('query: "\\ud800?"', "U+D800")]
)
def test_a_character_that_no_page_can_hold_ends_no_build(site: Site, line: str, sign: str) -> None:
    body = f"{line}\n# {'-' * 1000}"  # so long that another YAML parser reads it
    name = "recall" if "query" in line else "synopsis"
    built = build(site, fenced(body, name))
    expect_mistake(built, FIRST + 1, f"{sign} cannot be part of a text; leave it out", name=name)


@pytest.mark.parametrize("uri", ["empty.md", "blank.md", "headings.md", "code.md"])
@pytest.mark.parametrize(("name", "query"), [("recall", "query: kangaroo"), ("synopsis", "")])
def test_a_page_without_a_sentence_cannot_be_quoted(
    site: Site, uri: str, name: str, query: str
) -> None:
    built = build(site, fenced(f"source: {uri}\n{query}", name))
    message = f"'{uri}' has no sentence to quote"
    if uri == "code.md" and name == "synopsis":
        message += ": it has only code"
    elif uri == "code.md":
        units = "prose, list, table, definition, admonition"
        message = (
            "no sentence answers the query, and no synopsis can replace an answer to "
            f"'kangaroo': 'units' allows {units}, 'code.md' has code; "
            "to leave the quote out, set 'on_empty: omit'"
        )
    expect_mistake(built, FIRST, message, name=name)


@pytest.mark.parametrize(
    ("source", "query", "kinds"),
    [
        ("code.md", "kangaroo", "'code.md' has code"),
        ("guide/auth.md", "kangaroo", "'guide/auth.md' has prose"),
        ("[code.md, guide/auth.md]", "kangaroo", "'code.md' and 1 more have prose, code"),
    ],
)
@pytest.mark.parametrize("on_empty", ["warn", "synopsis"])
def test_units_without_text_are_answered_with_the_query_the_page_and_its_kinds(
    site: Site, source: str, query: str, kinds: str, on_empty: str
) -> None:
    lines = f"source: {source}\nquery: {query}\nunits: [code]\non_empty: {on_empty}"
    message = (
        "no sentence answers the query, and no synopsis can replace an answer to "
        f"'kangaroo': 'units' allows code, {kinds}; to leave the quote out, set 'on_empty: omit'"
    )
    expect_mistake(build(site, fenced(lines)), FIRST, message)


def test_an_empty_page_among_others_is_passed_over(site: Site) -> None:
    built = build(site, fenced("source: [empty.md, code.md, guide/auth.md]\nquery: named cookie"))
    assert built.warnings == []
    assert "The cookie of a session is named larch." in built.text("blockquote", "setup/index.html")
    assert "setup.md:9: recall: 'empty.md' has no sentence to quote" in built.infos
    prose = build(
        site,
        fenced("source: [code.md, guide/auth.md]\nquery: named cookie\nunits: [prose, list]"),
    )
    assert "setup.md:9: recall: 'code.md' has no sentence to quote: it has only code" in prose.infos


# ---------------------------------------------------------------------------------------- no answer


def test_a_query_of_stop_words_gets_a_synopsis_that_says_so(site: Site) -> None:
    built = build(site, fenced("source: guide/auth.md\nquery: what is it?"))
    place = "setup/index.html"
    [warning] = built.warnings
    assert "no sentence answers the query, which holds only stop words" in warning
    assert built.text("div.admonition.recall-note", place) == (
        "Note There is no direct answer here. A summary follows instead."
    )
    assert "A session expires" in built.text("blockquote.recall", place)
    assert built.infos == ["recall: 2 directives answered, 1 by fallback, 0 from the cache"]


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("what is it?", "no sentence answers the query, which holds only stop words"),
        ("'???'", "no sentence answers the query, which holds only stop words"),
        ("kangaroo", "no sentence answers the query"),
    ],
)
def test_a_query_without_an_answer_can_be_a_mistake(site: Site, query: str, message: str) -> None:
    lines = f"source: guide/auth.md\nquery: {query}\non_empty: error"
    expect_mistake(build(site, fenced(lines)), FIRST, message)


# ---------------------------------------------------------------------------------------- the fence


def test_a_fence_that_is_not_closed_takes_nothing_of_the_page_with_it(site: Site) -> None:
    built = build(site, f"```recall\nsource: guide/auth.md\nquery: session\n\nAfter.\n\n{GOOD}")
    place = "setup/index.html"
    message = (
        "setup.md:9: recall: the fence is not closed: "
        "add a line with only ``` in the column of the opening line"
    )
    assert built.warnings == [message]
    assert built.text("div.recall-error", place) == f"Directive error {message}"
    text = built.text("article", place)
    for kept in ("Before.", "source: guide/auth.md", "query: session", "After."):
        assert kept in text
    assert "A session expires after a day" in built.text("blockquote", place)
    expect_rest_of_site(built)


def test_an_unclosed_fence_at_the_end_of_a_page_is_told_of(site: Site) -> None:
    built = site.build({**REST, "setup.md": "# Setup\n\n~~~recall\nquery: session"})
    assert built.warnings == [
        (
            "setup.md:3: recall: the fence is not closed: "
            "add a line with only ~~~ in the column of the opening line"
        )
    ]
    assert "query: session" in built.text("article", "setup/index.html")
    expect_rest_of_site(built)


def test_options_behind_the_fence_s_name_are_not_read(site: Site) -> None:
    built = build(site, "```recall source: guide/auth.md\nquery: session\n```")
    message = "'source: guide/auth.md' follows the name: put options on their own lines below"
    expect_mistake(built, FIRST, message)


@pytest.mark.parametrize(("language", "title"), CASES["titles"].items())
def test_the_box_of_a_fault_says_in_the_page_s_language_what_it_is_and_the_message_once(
    site: Site, language: str, title: str
) -> None:
    asking = "```recall\nsource: auth.md\nquery: kangaroo\non_empty: error\n```"
    fences = f"```synopsis\ndiversity: 2\n```\n\n{asking}\n"
    built = site.build({"index.md": f"---\nlang: {language}\n---\n{fences}", "auth.md": AUTH})
    boxes = built.page().select("div.caution")
    texts = [[p.get_text() for p in box.find_all("p")] for box in boxes]
    assert texts == [[title, warning] for warning in built.warnings]
    assert [
        box.get_text().count(name) for box, name in zip(boxes, reversed(NAMES), strict=True)
    ] == [1, 1]


@pytest.mark.parametrize(
    ("fence", "line"),
    [
        ("- One.\n\n    ```recall\nsource: guide/auth.md\nquery: session\n    ```", 6),
        ("- One.\n\n    ```recall\n    source: guide/auth.md\n  query: session\n    ```", 7),
        ("- One.\n\n    ```recall\nsource: guide/auth.md\nquery: session\n```", 6),
        ("- One.\n\n    ```recall\n    source: guide/auth.md\n    query: session\n```", 8),
        ("!!! note\n\n    ~~~recall\n    query:\n\n  - session\n    ~~~", 8),
    ],
)
@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=repr)
def test_a_line_left_of_its_fence_is_named(site: Site, fence: str, line: int, end: str) -> None:
    text = f"# Setup\n\n{fence}\n\nAfter.\n".replace("\n", end)
    built = site.build({**REST, "setup.md": text})
    message = "the line is indented less than its fence; start both in the same column"
    assert built.warnings == [f"setup.md:{line}: recall: {message}"]
    assert "After." in built.text("article", "setup/index.html")


def test_a_line_without_the_quote_marks_of_its_fence_is_named(site: Site) -> None:
    built = build(site, "> ```recall\n> source: guide/auth.md\nquery: session\n> ```")
    message = "the line has fewer '>' than its fence; start both with the same number"
    assert built.warnings == [f"setup.md:11: recall: {message}"]


@pytest.mark.parametrize("below", ["Text.\n\n```\ncode\n```", "```python\ncode\n```"])
def test_text_below_a_fence_without_an_end_is_not_taken_for_its_lines(
    site: Site, below: str
) -> None:
    fence = "- One.\n\n    ```recall\n    source: guide/auth.md\n    query: session"
    (warning,) = site.build({**REST, "setup.md": f"# Setup\n\n{fence}\n\n{below}\n"}).warnings
    assert warning.startswith("setup.md:5: recall: the fence is not closed")


def test_a_mistake_in_a_list_stands_in_the_list(site: Site) -> None:
    built = site.build(
        {
            **REST,
            "setup.md": "# Setup\n\n- One.\n\n    ```recall\n    query: 5\n    ```\n\n- Two.\n",
        }
    )
    assert built.warnings == [
        "setup.md:6: recall: 'query' must be text, not a number; put it in quotes: \"5\""
    ]
    assert built.tag("li > div.recall-error", "setup/index.html")


def test_each_of_several_mistakes_is_told_with_its_own_line(site: Site) -> None:
    built = build(site, f"{fenced('')}\n\n{GOOD}\n{fenced('query: x: y')}")
    place = "setup/index.html"
    assert [w.split(" ")[0] for w in built.warnings] == ["setup.md:9:", "setup.md:20:"]
    assert len(built.page(place).select("div.recall-error")) == 2
    assert "A session expires" in built.text("blockquote", place)


@pytest.mark.parametrize(
    ("before", "line"),
    [
        ("", 1),
        ("# Setup\n\n", 3),
        ("\n\n\n# Setup\n\n", 6),
        ("---\ntitle: Setup\n---\n", 4),
        ("---\ntitle: Setup\n...\n\n\n# Setup\n\n", 8),
        ("---\ntitle: Setup\n---\n\n\n\n# Setup\n\nText.\n\n", 11),
        ("Title: Setup\nAuthor: Larch\n\n# Setup\n\n", 6),
    ],
    ids=repr,
)
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"], ids=repr)
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"], ids=["plain", "BOM"])
def test_the_line_is_that_of_the_file_as_the_author_sees_it(
    site: Site, before: str, line: int, end: str, mark: bytes
) -> None:
    lines = f"{before}```recall\nsource: guide/auth.md\nquery: a: b\n```\n\nAfter.\n\n\n"
    built = site.build({**REST, "setup.md": mark + lines.replace("\n", end).encode()})
    message = f'{INVALID}; put the value in quotes: query: "a: b"'
    assert built.warnings == [f"setup.md:{line + 2}: recall: {message}"]
    assert "After." in built.text("article", "setup/index.html")
    expect_rest_of_site(built)


@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=repr)
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"], ids=["plain", "BOM"])
def test_foreign_line_ends_and_a_byte_order_mark_do_no_harm(
    site: Site, end: str, mark: bytes
) -> None:
    def foreign(text: str) -> bytes:
        return mark + text.replace("\n", end).encode()

    built = site.build({"index.md": foreign(f"{GOOD}\nAfter.\n"), "guide/auth.md": foreign(AUTH)})
    assert built.text("blockquote") == "A session expires after a day without activity. — Auth"
    assert built.text("article").endswith("After.")
    assert built.warnings == []


# ------------------------------------------------------------------------------------- a large page

LARGE = """
def on_page_content(html, page, **kwargs):
    if page.file.src_uri != "guide/tokens.md":
        return html
    rows = (f"<p>Row {n} of the <em>large</em> table holds nothing.</p>" for n in range(96_000))
    return html + "".join(rows) + "<p>The kangaroo sits at the end.</p>"
"""


@pytest.mark.slow
def test_five_megabytes_of_html_are_quoted_in_seconds(site: Site) -> None:
    fence = fenced("source: guide/tokens.md\nquery: where is the kangaroo?\nmax_sentences: 1")
    site.write({**REST, "setup.md": page(fence)})
    site.configure(hook=LARGE)
    start = time.perf_counter()
    built = site.rebuild()
    assert time.perf_counter() - start < 30  # some four seconds; a square of the size takes hours
    assert len(built.html("guide/tokens/index.html")) > 5_000_000
    assert built.text("blockquote", "setup/index.html") == (
        "The kangaroo sits at the end. — Tokens"
    )
    assert built.warnings == []
    expect_rest_of_site(built)


def test_the_lines_of_many_mistakes_are_found_without_reading_the_file_for_each(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []
    content = vars(File)["content_string"].fget

    def counted(file: File) -> str:
        read.append(file.src_uri)
        return str(content(file))

    monkeypatch.setattr(File, "content_string", property(counted))
    mistakes = "".join(f"```recall\nsource: a{n}\n```\n\n" for n in range(100))
    built = site.build({"index.md": f"# A\n\n{mistakes}"})
    assert len(built.warnings) == 100
    assert built.warnings[-1].startswith("index.md:399: recall: 'query' is required")
    assert read.count("index.md") < 10


# ------------------------------------------------------------------------------------- front matter


@pytest.mark.parametrize("title", ["*z", f"0x{'f' * 5000}", "&t [*t]"])
def test_a_title_that_cannot_be_written_out_ends_no_build(site: Site, title: str) -> None:
    lines = [f"{b}: &{b} [{', '.join([f'*{a}'] * 9)}]" for a, b in pairwise("abcdefghijz")]
    doubling = "\n".join(["a: &a [x]", *lines])
    shown = {"index.md": "# Home\n\n```synopsis\nsource: a.md\n```\n"}
    nav = [{"Home": "index.md"}, {"Tokens": "a.md"}]  # so that MkDocs does not write it out either
    built = site.build(
        {**shown, "a.md": f"---\n{doubling}\ntitle: {title}\n---\nA token."}, nav=nav
    )
    assert built.warnings == []
    assert built.text("blockquote") == "A token. — Tokens"
