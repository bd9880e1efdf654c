"""What an author gets for a mistake: the message, its place, and a site that is built all the same.

`author_errors.yml` has the cases.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from itertools import pairwise, product
from time import process_time
from typing import Any, TypeAlias

import pytest
from conftest import Built, Site
from mkdocs.structure.files import File
from tables import beside, tabled

from mkdocs_recall.directives.fences import NAMES

Case: TypeAlias = tuple[str, dict[int, str]]
"""The lines of a fence, and the message for one of them."""

INVALID = "the options are not valid YAML"
CASES: dict[str, Any] = beside(__file__)
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
AUTH: str = beside(__file__)["AUTH"]
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


def expect_faults(site: Site, cases: Mapping[str, Case]) -> None:
    """Build one page with a fence for each case; each has its warning, and a caution in its place.

    A page among them, `Before.` and `After.` are left as they are.
    """
    text = "---\ntitle: Setup\n---\n\n# Setup\n"
    expected: dict[str, str] = {}
    for name, (lines, fault) in cases.items():
        [(below, message)] = fault.items()
        text += f"\nBefore {len(expected)}.\n\n"
        expected[name] = f"setup.md:{text.count(chr(10)) + 1 + below}: recall: {message}"
        text += f"{fenced(lines)}\n\nAfter {len(expected) - 1}.\n"
    built = site.build({**REST, "setup.md": text})
    shown = {}
    for box in built.page("setup/index.html").select("div.admonition.caution.recall-error"):
        around = [box.find_previous_sibling(), box.find_next_sibling()]
        shown[" ".join(tag.get_text() for tag in around if tag)] = [
            p.get_text() for p in box.find_all("p")
        ]
    assert Counter(built.warnings) == Counter(expected.values())
    assert shown == {
        f"Before {number}. After {number}.": ["Directive error", message]
        for number, message in enumerate(expected.values())
    }
    expect_rest_of_site(built)
    assert built.infos == ["recall: 1 directive answered, 0 by fallback, 0 from the cache"]


def test_a_wrong_option_is_named_where_the_quote_would_stand(site: Site) -> None:
    expect_faults(site, OPTIONS)


def test_yaml_that_is_read_otherwise_than_meant_is_explained(site: Site) -> None:
    expect_faults(site, YAML)


@tabled
def test_an_error_is_reported_where_it_is(site: Site, case: dict[str, Any]) -> None:
    site.write(REST)
    site.expect(case)


def test_a_long_line_is_not_repeated_in_full(site: Site) -> None:
    lines = ["query: a: {}", "{}: [b", "{}: 1\n{}: 2", "{}: 1", "query: [a, *{}]"]
    lines += ["query: [a, !e!{}]", "query: a\nscorer: {}"]
    built = build(site, "\n\n".join(fenced(line.replace("{}", "x" * 5_000)) for line in lines))
    assert len(built.warnings) == len(lines)
    assert max(map(len, built.warnings)) < 250


def test_a_source_that_names_nothing_is_refused(site: Site) -> None:
    (site.root / "beside.md").write_text("# Beside\n\nA session expires.\n", encoding="utf-8")
    cases = {}
    for name, (source, message) in SOURCES.items():
        own_line = message.startswith("'source'")  # else the fence is named, as it asks the site
        cases[name] = (f"source: {source}\nquery: session", {int(own_line): message})
    expect_faults(site, cases)


@pytest.mark.parametrize(
    ("line", "sign"), [('source: "guide/auth.md\\0"', "U+0000"), ('query: "\\ud800?"', "U+D800")]
)
def test_a_character_that_no_page_can_hold_ends_no_build(site: Site, line: str, sign: str) -> None:
    body = f"{line}\n# {'-' * 1000}"  # so long that another YAML parser reads it
    name = "recall" if "query" in line else "synopsis"
    built = build(site, fenced(body, name))
    expect_mistake(built, FIRST + 1, f"{sign} cannot be part of a text; leave it out", name=name)


@pytest.mark.parametrize("uri", ["empty.md", "code.md"])
def test_a_page_without_a_sentence_has_no_synopsis(site: Site, uri: str) -> None:
    built = build(site, fenced(f"source: {uri}", "synopsis"))
    message = f"'{uri}' has no sentence to quote"
    message += ": it has only code" * (uri == "code.md")
    expect_mistake(built, FIRST, message, name="synopsis")


def test_a_page_without_a_sentence_or_of_other_units_cannot_be_quoted(site: Site) -> None:
    """The message names the query, the page, and the kinds of text that it has."""
    cases: dict[str, Case] = {
        uri: (f"source: {uri}\nquery: kangaroo", {0: f"'{uri}' has no sentence to quote"})
        for uri in ("empty.md", "blank.md", "headings.md")
    }
    prose = "prose, list, table, definition, admonition"
    for source, options, units, kinds in (
        ("code.md", "", prose, "'code.md' has code"),
        *(
            (source, f"\nunits: [code]\non_empty: {on_empty}", "code", kinds)
            for on_empty in ("warn", "synopsis")
            for source, kinds in (
                ("code.md", "'code.md' has code"),
                ("guide/auth.md", "'guide/auth.md' has prose"),
                ("[code.md, guide/auth.md]", "'code.md' and 1 more have prose, code"),
            )
        ),
    ):
        message = (
            "no sentence answers the query, and no synopsis can replace an answer to 'kangaroo': "
            f"'units' allows {units}, {kinds}; to leave the quote out, set 'on_empty: omit'"
        )
        cases[source + options] = (f"source: {source}\nquery: kangaroo{options}", {0: message})
    expect_faults(site, cases)


def test_a_query_without_an_answer_can_be_an_error(site: Site) -> None:
    stop_words, none = ", which holds only stop words", "no sentence answers the query"
    messages = {"what is it?": none + stop_words, "'???'": none, "kangaroo": none}
    expect_faults(
        site,
        {
            query: (f"source: guide/auth.md\nquery: {query}\non_empty: error", {0: message})
            for query, message in messages.items()
        },
    )


def test_an_unclosed_fence_removes_nothing_from_the_page(site: Site) -> None:
    built = build(site, f"```recall\nsource: guide/auth.md\nquery: session\n\nAfter.\n\n{GOOD}")
    place = "setup/index.html"
    message = (
        "setup.md:9: recall: the fence is not closed: "
        "add a line with only ``` in the column of the opening line"
    )
    assert built.warnings == [message]
    assert built.text("div.recall-error", place) == f"Directive error {message}"
    text = built.text("article", place)
    for part in ("Before.", "source: guide/auth.md", "query: session", "After."):
        assert part in text
    assert "A session expires after a day" in built.text("blockquote", place)
    expect_rest_of_site(built)


def test_options_behind_the_fence_s_name_are_not_read(site: Site) -> None:
    built = build(site, "```recall source: guide/auth.md\nquery: session\n```")
    message = "'source: guide/auth.md' follows the name: put options on their own lines below"
    expect_mistake(built, FIRST, message)


def test_the_error_box_s_title_is_in_the_page_s_language(site: Site) -> None:
    asking = "```recall\nsource: auth.md\nquery: kangaroo\non_empty: error\n```"
    fences = f"```synopsis\ndiversity: 2\n```\n\n{asking}\n"
    titles = CASES["titles"]
    pages = {f"{language}.md": f"---\nlang: {language}\n---\n{fences}" for language in titles}
    built = site.build({**pages, "auth.md": AUTH})
    for language, title in titles.items():
        boxes = built.page(f"{language}/index.html").select("div.caution")
        texts = [[p.get_text() for p in box.find_all("p")] for box in boxes]
        warnings = [text for text in built.warnings if text.startswith(f"{language}.md:")]
        assert texts == [[title, warning] for warning in warnings]
        names = zip(boxes, reversed(NAMES), strict=True)
        assert [box.get_text().count(name) for box, name in names] == [1, 1]


LEFT: list[Any] = beside(__file__)["LEFT"]


def test_a_line_left_of_its_fence_is_named(site: Site) -> None:
    pages, expected = {}, []
    for number, (end, (fence, line)) in enumerate(product(("\n", "\r\n"), LEFT)):
        text = f"# Setup\n\n{fence}\n\nAfter.\n".replace("\n", end)
        pages[f"setup-{number}.md"] = text.encode()
        message = "the line is indented less than its fence; start both in the same column"
        expected.append(f"setup-{number}.md:{line}: recall: {message}")
    built = site.build({**REST, **pages})
    assert sorted(built.warnings) == sorted(expected)
    for number in range(len(pages)):
        assert "After." in built.text("article", f"setup-{number}/index.html")


BEFORE: dict[str, Any] = beside(__file__)["BEFORE"]
"""What stands before a fence, and the line of the fence."""
MARKS = (b"", b"\xef\xbb\xbf")


def test_the_line_is_that_of_the_author_s_file(site: Site) -> None:
    pages: dict[str, bytes] = {}
    expected: list[str] = []
    for before, end, mark in product(BEFORE, ("\n", "\r\n", "\r"), MARKS):
        lines = f"{before}```recall\nsource: guide/auth.md\nquery: a: b\n```\n\nAfter.\n\n\n"
        name = f"setup-{len(pages)}"
        pages[f"{name}.md"] = mark + lines.replace("\n", end).encode()
        message = f'{INVALID}; put the value in quotes: query: "a: b"'
        expected.append(f"{name}.md:{BEFORE[before] + 2}: recall: {message}")
    built = site.build({**REST, **pages})
    assert sorted(built.warnings) == sorted(expected)
    for number in range(len(pages)):
        assert "After." in built.text("article", f"setup-{number}/index.html")
    expect_rest_of_site(built)


@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=repr)
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"], ids=["plain", "BOM"])
def test_line_ends_and_byte_order_marks_do_no_harm(site: Site, end: str, mark: bytes) -> None:
    def foreign(text: str) -> bytes:
        return mark + text.replace("\n", end).encode()

    built = site.build({"index.md": foreign(f"{GOOD}\nAfter.\n"), "guide/auth.md": foreign(AUTH)})
    assert built.text("blockquote") == "A session expires after a day without activity. — Auth"
    assert built.text("article").endswith("After.")
    assert built.warnings == []


LARGE: str = beside(__file__)["LARGE"]


@pytest.mark.slow
def test_half_a_megabyte_of_html_is_quoted_in_linear_time(site: Site) -> None:
    fence = fenced("source: guide/tokens.md\nquery: where is the kangaroo?\nmax_sentences: 1")
    start = process_time()
    built = site.build({**REST, "setup.md": page(fence)}, hook=LARGE)
    assert process_time() - start < 30  # a few; a square of the size takes many minutes
    assert len(built.html("guide/tokens/index.html")) > 600_000
    assert built.text("blockquote", "setup/index.html") == (
        "The kangaroo sits at the end. — Tokens"
    )
    assert built.warnings == []
    expect_rest_of_site(built)


def test_the_lines_of_many_errors_are_found_without_reading_the_file_for_each(
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


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (f'query: "\\UFFFFFFFF" #{"x" * 1000}', f"{INVALID}: a value cannot be read"),
        (f"query: issue #5\n# {'x' * 100_000}", "the fence holds 100,0"),
    ],
)
def test_a_refused_body_is_not_read_again_for_cut_values(
    site: Site, monkeypatch: pytest.MonkeyPatch, body: str, message: str
) -> None:
    monkeypatch.setattr("mkdocs_recall.directives.yaml.cut_values", pytest.fail)
    for built in (site.build({"index.md": f"```recall\n{body}\n```\n"}), site.rebuild()):
        [warning] = built.warnings
        assert message in warning
