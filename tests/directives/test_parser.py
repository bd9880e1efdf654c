"""Which fences of a page are directives, and what replaces them."""

from __future__ import annotations

from hypothesis import given, strategies as st
from tables import tabled

from mkdocs_recall.directives.directive import Directive
from mkdocs_recall.directives.fences import find_fences, may_hold_directive, replace_fences


def only(markdown: str) -> Directive:
    (fence,) = find_fences(markdown)
    return fence


@tabled
def test_a_directive_is_known_by_its_info_string_or_its_embedm_type(
    markdown: str,
    name: str,
    embedm: bool,  # noqa: FBT001 - a column of the table
) -> None:
    fence = only(markdown)
    assert (fence.name, fence.embedm, fence.fault) == (name, embedm, None)


@tabled
def test_any_other_block_is_not_a_directive(markdown: str) -> None:
    assert find_fences(markdown) == []


@tabled
def test_a_fence_shown_as_an_example_is_left_alone(markdown: str) -> None:
    assert find_fences(markdown) == []


@tabled
def test_markup_that_hides_nothing_in_rendering_hides_no_directive(before: str) -> None:
    after = "" if "```python" not in before else "\n"
    fence = only(f"{before}~~~~~recall\nquery: x\n~~~~~\n{after}-->\n</pre>\n")
    assert fence.fault is None


def test_an_unclosed_comment_is_not_a_comment() -> None:
    assert only("<!--\n\n```recall\nquery: x\n```\n").body == "query: x"


@tabled
def test_the_body_has_no_prefix(markdown: str, prefix: str, body: str) -> None:
    fence = only(markdown)
    assert (fence.prefix, fence.body, fence.fault) == (prefix, body, None)


@tabled
def test_an_unclosed_fence_is_a_fault_of_its_opening_line_alone(markdown: str, fault: str) -> None:
    fence = only(markdown)
    assert str(fence.fault).startswith(fault)
    assert fence.last == fence.first
    assert fence.source == markdown.split("\n")[fence.first]


def test_words_behind_the_name_are_a_fault_of_the_whole_fence() -> None:
    fence = only("```recall max_sentences=2\nquery: x\n```")
    assert "'max_sentences=2'" in str(fence.fault)
    assert fence.last == 2


def test_a_forgotten_closing_fence_does_not_swallow_the_next_directive() -> None:
    first, second = find_fences("```recall\nquery: x\n\n```synopsis\nsource: a.md\n```\n")
    assert (first.fault is None, second.fault is None) == (False, True)


def test_lines_are_counted_from_zero_and_the_source_is_as_written() -> None:
    fence = only("a\n\n> ```recall\n> query: x\n> ```\nb")
    assert (fence.first, fence.last) == (2, 4)
    assert fence.source == "> ```recall\n> query: x\n> ```"


def test_a_marker_is_on_one_line_with_the_prefix_of_its_fence() -> None:
    markdown = "a\n> ```recall\n> query: x\n> ```\nb\r\n```synopsis\r\n```\r\n\r\n"
    replaced = replace_fences(markdown, find_fences(markdown), ["<1>", "<2>"])
    assert replaced == "a\n> <1>\nb\r\n<2>\r\n\r\n"


def test_a_text_without_the_words_cannot_hold_a_directive() -> None:
    assert not may_hold_directive("```python\nx\n```")
    assert may_hold_directive("```yaml embedm\ntype: synopsis\n```")


PIECES = (
    *("```recall", "~~~synopsis", "```", "~~~", "````", "```python", "query: x", "```yaml embedm"),
    *("type: recall", "- a", "- ", "1. ", "> ", ">", "    ", "  ", "\t", "text", "", "<!--", "-->"),
    *("<pre>", "</pre>", "`", "# h", "!!! note", '=== "x"', ": ", "[^1]: ", "\r", "\ufeff", "\0"),
)
LINES = st.lists(st.sampled_from(PIECES), max_size=4).map("".join)
PAGES = st.lists(LINES, max_size=14).map("\n".join)
MARKER = "<!-- marker -->"


@given(PAGES)
def test_every_other_line_of_the_page_is_untouched(page: str) -> None:
    fences = find_fences(page)
    lines = page.split("\n")
    replaced = replace_fences(page, fences, [MARKER] * len(fences)).split("\n")
    for fence in reversed(fences):
        assert "\n".join(lines[fence.first : fence.last + 1]) == fence.source
        assert page.startswith(fence.source, fence.start)
        assert page.count("\n", 0, fence.start) == fence.first
        assert fence.source.startswith(fence.prefix)
        removed = sum(f.last - f.first for f in fences if f.first < fence.first)
        at = fence.first - removed
        assert replaced[at].rstrip("\r") == fence.prefix + MARKER
        replaced[at : at + 1] = lines[fence.first : fence.last + 1]
    assert replaced == lines


@given(PAGES)
def test_fences_follow_each_other_and_hold_their_body(page: str) -> None:
    after = 0
    for fence in find_fences(page):
        assert after <= fence.first <= fence.last
        assert fence.fault or len(fence.body.split("\n")) == max(1, fence.last - fence.first - 1)
        after = fence.last + 1


@given(st.text(alphabet="`~recall synopsis>-\n\t <!", max_size=200))
def test_any_text_can_be_read(page: str) -> None:
    fences = find_fences(page)
    replaced = replace_fences(page, fences, [MARKER] * len(fences))
    removed = sum(fence.last - fence.first for fence in fences)
    assert replaced.count("\n") == page.count("\n") - removed


@given(PAGES.filter(lambda page: "<" not in page))
def test_nothing_is_left_to_find_once_all_closed_fences_are_replaced(page: str) -> None:
    fences = find_fences(page)
    if all(fence.fault is None for fence in fences):
        assert find_fences(replace_fences(page, fences, [MARKER] * len(fences))) == []
