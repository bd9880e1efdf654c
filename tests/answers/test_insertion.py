"""Quotes are inserted into rendered pages as valid HTML, and nothing is lost."""

from __future__ import annotations

import re
from collections import Counter
from html import unescape
from html.parser import HTMLParser
from typing import Any

import markdown
import pytest
from hypothesis import given, strategies as st
from tables import beside, tabled

from mkdocs_recall.answers.insertion import MAX_COPIES, Insertion, insert_quotes, marker, marker_id
from mkdocs_recall.directives.fences import MARKER_HINT, find_fences, replace_fences

ID = marker_id("guides/auth.md", 0)
QUOTE = '<blockquote class="recall"><p>QUOTE</p></blockquote>'
FENCE = "```recall\nquery: x\n```"

VOID = frozenset({"br", "hr", "img", "input", "col", "wbr"})
BLOCKS = frozenset(
    [
        *("p", "div", "ul", "ol", "dl", "li", "dt", "dd", "blockquote", "pre", "table", "thead"),
        *("tbody", "tr", "td", "th", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "details"),
        *("summary", "section", "figure", "form"),
    ]
)
PHRASING_ONLY = frozenset(
    ["p", "h1", "h2", "h3", "h4", "h5", "h6", "summary", "pre", "span", "em", "strong", "a", "code"]
)
STRUCTURE = frozenset(["ul", "ol", "dl", "table", "thead", "tbody", "tr"])


class Checker(HTMLParser):
    """Reads HTML strictly: every element is closed, in order, and stands where it may."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.faults: list[str] = []
        self.ids: list[str] = []
        self.filled: list[bool] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.ids += [value or "" for name, value in attrs if name == "id"]
        parent = self.open[-1] if self.open else ""
        if tag in BLOCKS and PHRASING_ONLY.intersection(self.open):
            self.faults.append(f"<{tag}> in {self.open}")
        if parent in STRUCTURE and tag in ("blockquote", "p"):
            self.faults.append(f"<{tag}> in <{parent}>")
        if self.filled:
            self.filled[-1] = True
        if tag not in VOID:
            self.open.append(tag)
            self.filled.append(False)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open[-1] != tag:
            self.faults.append(f"</{tag}> in {self.open}")
            return
        self.open.pop()
        if not self.filled.pop() and tag in ("p", "li", "em", "strong"):
            self.faults.append(f"empty <{tag}>")

    def handle_data(self, data: str) -> None:
        if data.strip() and self.filled:
            self.filled[-1] = True


def faults(html: str) -> list[str]:
    checker = Checker()
    checker.feed(html)
    checker.close()
    repeated = [i for i in set(checker.ids) if checker.ids.count(i) > 1]
    return [*checker.faults, *checker.open, *repeated]


def words(html: str) -> str:
    return " ".join(unescape(re.sub(r"<!--.*?-->|<[^>]*>", " ", html, flags=re.DOTALL)).split())


EXTENSIONS = {
    "plain": ["fenced_code"],
    "perf": ["admonition", "pymdownx.superfences", "pymdownx.details", "pymdownx.tabbed", "toc"],
    "material": [
        *("admonition", "attr_list", "md_in_html", "def_list", "footnotes", "tables", "abbr"),
        *("pymdownx.superfences", "pymdownx.details", "pymdownx.tabbed", "pymdownx.tasklist"),
        *("pymdownx.critic", "pymdownx.highlight", "pymdownx.inlinehilite", "pymdownx.caret"),
        *("pymdownx.mark", "pymdownx.tilde", "pymdownx.keys", "pymdownx.smartsymbols", "toc"),
        *("pymdownx.blocks.admonition", "pymdownx.blocks.details", "pymdownx.blocks.tab"),
        *("pymdownx.blocks.definition", "pymdownx.blocks.html"),
    ],
    "extra": ["extra", "sane_lists", "nl2br"],
}
CONFIGS: dict[str, dict[str, dict[str, Any]]] = {
    "perf": {"pymdownx.tabbed": {"alternate_style": True}, "toc": {"permalink": True}},
    "material": {"pymdownx.tabbed": {"alternate_style": True}, "toc": {"permalink": "#"}},
}


CONTEXTS: dict[str, str] = beside(__file__)["CONTEXTS"]


def render(text: str, extensions: str) -> str:
    return markdown.markdown(
        text, extensions=EXTENSIONS[extensions], extension_configs=CONFIGS.get(extensions, {})
    )


def answered(text: str, extensions: str) -> Insertion:
    fences = find_fences(text)
    ids = [marker_id("a.md", at) for at in range(len(fences))]
    html = render(replace_fences(text, fences, [marker(i) for i in ids]), extensions)
    sources = {i: fence.source for i, fence in zip(ids, fences, strict=True)}
    return insert_quotes(html, dict.fromkeys(ids, QUOTE), sources)


def needs_an_extension(context: str, extensions: str) -> bool:
    """Say whether the context is code, or raw HTML, to a renderer without the extension."""
    contexts = {
        "tab": ("plain", "extra"),
        "admonition": ("plain", "extra"),
        "details": ("plain", "extra"),
        "definition": ("plain", "perf"),
        "footnote": ("plain", "perf"),
    }
    return any(word in context and extensions in sets for word, sets in contexts.items())


@pytest.mark.parametrize("extensions", EXTENSIONS)
@pytest.mark.parametrize("context", CONTEXTS)
def test_a_quote_is_valid_html_wherever_its_fence_is(context: str, extensions: str) -> None:
    text = CONTEXTS[context]
    result = answered(text, extensions)
    if result.restored:
        assert needs_an_extension(context, extensions)
        assert (result.html.count(QUOTE), MARKER_HINT in result.html) == (0, False)
        assert words(FENCE) in words(result.html)
        return
    assert list(result.placed.values()) == [1]
    assert result.html.count(QUOTE) == 1
    assert MARKER_HINT not in result.html
    assert faults(result.html) == []
    found = re.findall("before|QUOTE|after", words(result.html))
    order = [w for w in ("before", "QUOTE", "after") if w in text or w == "QUOTE"]
    if "footnote" in context:  # which stands at the end, whatever comes after it
        found, order = sorted(found), sorted(order)
    assert found == order


@pytest.mark.parametrize("extensions", EXTENSIONS)
@tabled
def test_an_example_is_rendered_as_without_us(text: str, extensions: str) -> None:
    text = text.replace("FENCE", FENCE)
    assert answered(text, extensions) == Insertion(render(text, extensions))


M = marker(ID)


@tabled
def test_a_quote_is_put_where_it_is_valid_and_nearest(html: str, expected: str) -> None:
    inserted = insert_quotes(html.replace("MARK", M), {ID: QUOTE}, {})
    assert inserted.html == expected.replace("MARK", M).replace("QUOTE", QUOTE)


def test_html_without_markers_comes_back_as_it_is() -> None:
    html = "<p>a"
    assert insert_quotes(html, {ID: QUOTE}, {ID: FENCE}).html is html


def test_only_registered_markers_are_replaced() -> None:
    other = marker(marker_id("guides/auth.md", 1))
    assert insert_quotes(other + M, {ID: QUOTE}, {}) == Insertion(other + QUOTE, {ID: 1})


def test_a_marker_that_was_copied_is_placed_each_time() -> None:
    assert insert_quotes(f"{M}<p>{M}</p>", {ID: QUOTE}, {}).placed == {ID: 2}


@pytest.mark.parametrize("html", [f"{M}\n", f"<p>a {M} b</p>\n", f"<ul><li>a</li>{M}</ul>\n"])
def test_a_marker_written_a_thousand_times_makes_no_thousand_quotes(html: str) -> None:
    result = insert_quotes(html * 1000, {ID: QUOTE}, {})
    assert result.html.count(QUOTE) == MAX_COPIES
    assert insert_quotes(result.html, {ID: QUOTE}, {}).html == result.html


def test_a_marker_rendered_as_code_does_not_make_a_thousand_fences() -> None:
    escaped = M.replace("<", "&lt;").replace(">", "&gt;")
    assert (
        insert_quotes(f"<code>{escaped}</code>" * 1000, {}, {ID: FENCE}).html.count("query")
        == MAX_COPIES
    )


def test_a_marker_that_came_out_as_code_is_the_fence_again() -> None:
    escaped = M.replace("<", "&lt;").replace(">", "&gt;")
    html = f"<pre><code>a\n  {escaped}\n</code></pre>"
    source = "      ```recall\n      query: a < b\n        c: d\n      ```"
    result = insert_quotes(html, {ID: QUOTE}, {ID: source})
    code = "<pre><code>a\n  ```recall\n  query: a &lt; b\n    c: d\n  ```\n</code></pre>"
    assert result == Insertion(code, {}, {ID: 1})


def test_ids_differ_between_pages_and_directives() -> None:
    ids = {marker_id(uri, at) for uri in ("a.md", "b.md", "a.md1", "\udc80") for at in range(12)}
    assert len(ids) == 48
    assert all(re.fullmatch("[0-9a-f]{16}", identity) for identity in ids)


TAGS = (
    *("<p>", "</p>", "<em>", "</em>", "<b id=x>", "</b>", "<ul>", "<li>", "</li>", "</ul>", "<br>"),
    *(
        *("<h2>", "</h2>", "<div class='a>b'>", "</div>", "<!-- c -->", "<!--", "<", ">", "<img>"),
        "-->",
    ),
    *('<a href="', "'", "<script>", "</script>", "&lt;", "\n", " ", "<td>", "</td>", "<hr>"),
)
SOUP = st.lists(st.one_of(st.sampled_from((*TAGS, M, M, M)), st.sampled_from("äöü")), max_size=25)


@given(SOUP.map("".join))
def test_placing_keeps_all_text_in_any_html(html: str) -> None:
    result = insert_quotes(html, {ID: "<hr>"}, {})
    lost = Counter(re.findall("[äöü]", html)) - Counter(re.findall("[äöü]", result.html))
    assert "<a" in html or not lost  # an attribute goes with an element that would be empty
    left = result.placed.get(ID, 0) + result.html.count(M)
    assert html.count('="') > 1 or left >= html.count(M)


def nested(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    tags = st.sampled_from(("div", "ul><li", "blockquote", "dl><dd", "details"))
    return st.lists(
        st.one_of(
            inner,
            st.builds(
                lambda tag, text: (
                    f"<{tag}>{text}" + "".join(f"</{t}>" for t in reversed(tag.split("><")))
                ),
                tags,
                inner,
            ),
        ),
        max_size=4,
    ).map("\n".join)


PARAGRAPHS = st.lists(
    st.sampled_from(("x", "y", "<br>", "<em>x</em>", M, f"<em>x{M}y</em>", f"<a><b>{M}</b>z</a>")),
    min_size=1,
    max_size=4,
).map(lambda parts: f"<p>{''.join(parts)}</p>")
WELL_FORMED = st.recursive(st.one_of(PARAGRAPHS, st.just(M)), nested, max_leaves=12)


@given(WELL_FORMED)
def test_valid_html_stays_valid_and_in_order(html: str) -> None:
    result = insert_quotes(html, {ID: "<hr>"}, {})
    assert [fault for fault in faults(result.html) if not fault.startswith("empty")] == []
    remaining = re.sub("</?(?!hr)[a-z]+>|\\s", "", result.html)
    quoted = html.replace(M, "<hr>", MAX_COPIES).replace(M, "")
    assert remaining == re.sub("</?(?!hr)[a-z]+>|\\s", "", quoted)


@given(WELL_FORMED)
def test_the_short_way_gives_what_the_full_scan_gives(html: str) -> None:
    short = insert_quotes(html, {ID: QUOTE}, {}).html
    full = insert_quotes(f"<!-- c -->{html}", {ID: QUOTE}, {}).html
    assert full == f"<!-- c -->{short}"
