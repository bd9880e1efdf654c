"""Each block is given the line of the author's file on which it starts."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tables import tabled

from mkdocs_recall import Block, Heading
from mkdocs_recall.pages.lines import block_lines
from mkdocs_recall.pages.markdown import MarkdownReader
from mkdocs_recall.text.front_matter import split_front_matter
from mkdocs_recall.text.html import read_html


def lines_of(markdown: str, *page: str) -> list[int | None]:
    """Return the lines of a page's blocks; an entry with `# ` before it is a heading."""
    blocks: list[Block] = []
    headings: list[Heading] = []
    for text in page:
        if text.startswith("# "):
            headings.append(Heading(text[2:], level=2, anchor=""))
        else:
            block = Block(text, "prose", top=0, section=len(headings), headings=tuple(headings))
            blocks.append(block)
    return block_lines(markdown, blocks, headings)


def test_a_page_without_blocks_has_no_lines() -> None:
    assert lines_of("") == []
    assert lines_of("Text.\n", "# Heading") == []


def test_a_hard_wrapped_paragraph_is_where_its_first_line_is() -> None:
    markdown = "A session ends\nafter thirty\nminutes.\n\n\nA token\nlives\nfor a whole day.\n"
    assert lines_of("a\nb\nc\n\nb\nc\n", "a b c", "b c") == [1, 5]
    assert lines_of(
        markdown, "A session ends after thirty minutes.", "A token lives for a whole day."
    ) == [1, 6]


def test_list_items_are_found_behind_their_markers() -> None:
    markdown = "- one thing\n* two things\n+ three things\n10. four things\n- [x] five\n- [ ] six\n"
    page = ("one thing", "two things", "three things", "four things", "five", "six")
    assert lines_of(markdown, *page) == [1, 2, 3, 4, 5, 6]


def test_a_year_is_not_a_list_number() -> None:
    markdown = "- 2022-10-19 12:00\n- 2022-10-20 12:00\n- UTC\n\n1) A step.\n2024. A year.\n"
    page = ("2022-10-20 12:00", "UTC", "1) A step.", "2024. A year.")
    assert lines_of(markdown, *page) == [2, 3, 5, 6]


def test_nested_items_that_say_the_same_are_told_apart_by_order() -> None:
    markdown = "- Linux\n    - install\n    - run\n- Windows\n    - install\n    - run\n"
    page = ("Linux", "install", "run", "Windows", "install", "run")
    assert lines_of(markdown, *page) == [1, 2, 3, 4, 5, 6]


def test_the_text_of_an_admonition_is_below_its_title() -> None:
    markdown = 'Before.\n\n!!! note "Mind the gap"\n\n    Mind the gap between.\n\nAfter.\n'
    assert lines_of(markdown, "Before.", "Mind the gap between.", "After.") == [1, 5, 7]


def test_a_block_quote_is_found_behind_its_marks() -> None:
    markdown = "Said she:\n\n> Ask the\n> build.\n>\n> > It quotes.\n"
    assert lines_of(markdown, "Said she:", "Ask the build.", "It quotes.") == [1, 3, 6]


def test_a_definition_is_found_behind_its_colon() -> None:
    markdown = "Token\n:   A string that is sent.\n\nSession\n:   What a token opens.\n"
    assert lines_of(markdown, "A string that is sent.", "What a token opens.") == [2, 5]


def test_a_footnote_at_the_end_is_where_the_author_wrote_it() -> None:
    markdown = (
        "The first claim.[^1]\n\n[^1]: Which is explained here.\n\n"
        "## More\n\nThe second claim.\n\nThe third claim.\n"
    )
    page = ("The first claim.", "# More", "The second claim.", "The third claim.")
    assert lines_of(markdown, *page, "Which is explained here.") == [1, 7, 9, 3]


def test_repeated_paragraphs_follow_each_other() -> None:
    markdown = "Run it again.\n\nElse:\n\nRun it again.\n\nRun it again.\n"
    page = ("Run it again.", "Else:", "Run it again.", "Run it again.")
    assert lines_of(markdown, *page) == [1, 3, 5, 7]


def test_a_repeated_paragraph_of_which_one_is_missing_stays_between_its_neighbours() -> None:
    markdown = "One.\n\nRun it.\n\nTwo.\n\nRun it.\n\nThree.\n"
    assert lines_of(markdown, "One.", "Two.", "Run it.", "Three.") == [1, 5, 7, 9]


def test_a_match_beyond_the_next_sure_one_is_left_to_the_text_that_stands_there() -> None:
    markdown = "One.\n\nTwo.\n\nRun it.\n"
    assert lines_of(markdown, "One.", "Run it.", "Two.", "Run it.") == [1, None, 3, 5]


@tabled
def test_text_repeated_in_a_code_block_is_found_in_the_prose(opening: str, closing: str) -> None:
    markdown = f"{opening}\nSessions expire.\n{closing}\n\nSessions expire.\n"
    assert lines_of(markdown, "Sessions expire.") == [markdown.count("\n")]


def test_a_fence_that_is_never_closed_hides_nothing() -> None:
    assert lines_of("``` py\n\nSessions expire.\n", "Sessions expire.") == [3]


def test_text_that_is_not_in_the_file_gets_the_line_of_its_heading() -> None:
    markdown = "Intro.\n\n## Usage\n\nRun it.\n\nOptions\n-------\n\nMany.\n"
    page = ("Intro.", "# Usage", "Put in by a macro.", "Run it.", "# Options", "By another one.")
    assert lines_of(markdown, *page, "Many.") == [1, 3, 5, 7, 10]


def test_a_heading_that_is_not_in_the_file_passes_on_the_one_before() -> None:
    markdown = "## Usage\n\nRun it.\n"
    assert lines_of(markdown, "# Usage", "Run it.", "# Generated", "By a macro.") == [3, 1]


def test_text_above_all_headings_that_is_not_in_the_file_has_no_line() -> None:
    assert lines_of("## Usage\n\nRun it.\n", "By a macro.", "# Usage", "Run it.") == [None, 3]


def test_a_heading_is_not_taken_for_an_item_that_says_the_same() -> None:
    markdown = "- Usage\n- Options\n\n## Usage\n\n## Options\n"
    page = ("# Usage", "By a macro.", "# Options", "By a macro.")
    assert lines_of(markdown, *page) == [4, 6]


def test_text_without_blanks_between_words_is_found() -> None:
    markdown = "会话在三十分钟后过期。\n令牌有效期为一天。\n\n会话在三十分钟后**不会**过期。\n"
    page = ("会话在三十分钟后过期。令牌有效期为一天。", "会话在三十分钟后不会过期。")
    assert lines_of(markdown, *page) == [1, 4]


@tabled
def test_markup_in_the_first_words_does_not_matter(written: str, rendered: str) -> None:
    markdown = f"Before it all.\n\n{written}\n\nAfter it all.\n"
    assert lines_of(markdown, "Before it all.", rendered, "After it all.") == [1, 3, 5]


def test_a_block_that_starts_within_a_line_is_found() -> None:
    markdown = "Text.\n\n<p>One paragraph.</p><p>Another paragraph.</p>\n"
    assert lines_of(markdown, "Text.", "One paragraph.", "Another paragraph.") == [1, 3, 3]


@pytest.mark.parametrize("end", ["\r\n", "\r"])
def test_line_ends_of_other_systems_count_the_same(end: str) -> None:
    assert lines_of(end.join(["One.", "", "Two", "lines."]), "One.", "Two lines.") == [1, 3]


def test_separators_that_end_no_line_are_not_counted() -> None:
    assert lines_of("One\u2028sided\x0ctext.\n\nTwo.\n", "One sided text.", "Two.") == [1, 3]


@pytest.mark.slow
@pytest.mark.parametrize("lines", [20_000, 20_001])
def test_a_page_of_identical_paragraphs_takes_no_more_than_linear_time(lines: int) -> None:
    paragraph = "The same paragraph, again and again."
    start = time.process_time()
    found = lines_of(f"{paragraph}\n\n" * lines, *[paragraph] * 20_000)
    assert time.process_time() - start < 5
    assert found == list(range(1, 40_001, 2))


def test_rows_have_their_own_line_or_none_and_labels_that_of_their_heading() -> None:
    markdown = (
        '!!! note "The title of it"\n\n    Boxed.\n\n| Option | Type |\n|---|---|\n'
        "| `a` | one |\n| `b` | two of them, with a long description |\n\nTerm\n:   Said.\n"
    )
    document = MarkdownReader().read(split_front_matter(markdown), uri="a.md", language="en")
    assert [(block.text.partition(" —")[0], block.line) for block in document.blocks] == [
        *(("The title of it", 1), ("Boxed.", 3), ("Option: a", 7), ("Option: b", 8)),
        *(("Term", 10), ("Said.", 11)),
    ]
    reading = read_html("<h2>H</h2><p>Text.</p><table><tr><td>By a macro.</td></tr></table>")
    assert block_lines("## H\n\nText.\n", reading.runs, reading.headings) == [3, None]
    reading = read_html(
        '<h2>H</h2><div class="tabbed-set"><label>By a macro</label><div class="tabbed-content">'
        "Text.</div></div>"
    )
    assert block_lines("## H\n\nText.\n", reading.runs, reading.headings) == [1, 3]


@tabled
def test_a_label_has_the_line_that_states_it(markdown: str, labels: list[int]) -> None:
    document = MarkdownReader().read(split_front_matter(markdown), uri="a.mdx", language="en")
    assert [b.line for b in document.blocks if b.kind in {"label", "tab"}] == labels


def test_a_label_whose_line_is_unknown_has_that_of_its_heading() -> None:
    page = (
        "<h2>H</h2><dl><dt>By a macro</dt><dd>Its text.</dd><dt>Last</dt><dd></dd></dl><h2>I</h2>"
    )
    reading = read_html(page + "<p>Next.</p>")
    assert block_lines("## H\n\nIts text.\n\n## I\n\nNext.\n", reading.runs, reading.headings) == [
        *(1, 3, 1, 7)
    ]


def test_a_page_of_labels_takes_no_more_than_linear_time() -> None:
    blocks = [Block("Mac", "tab", top=0, section=0, headings=()) for _ in range(20_000)]
    markdown = "The Macs\n" * 20_000
    start = time.process_time()
    blocks.append(Block("The end.", "prose", top=0, section=0, headings=()))
    block_lines(markdown + "\nThe end.\n", blocks, ())
    assert time.process_time() - start < 5


def test_code_has_the_line_of_its_fence_or_none() -> None:
    markdown = (
        "Run:\n\n~~~ sh\nmake it\n~~~\n\n- Again:\n\n    ```py\n    x\n      y\n    ```\n\n"
        "    indented\n\n```\nmake it\n```\n\n> ```\n> quoted\n> ```\n"
    )
    document = MarkdownReader().read(split_front_matter(markdown), uri="a.md", language="en")
    assert [(b.text, b.line) for b in document.blocks if b.kind == "code"] == [
        *(("make it", 3), ("x\n  y", 9), ("make it", 16), ("quoted", 20))
    ]
    reading = read_html("<pre>made</pre><pre>x</pre><pre>x</pre>")
    found = block_lines("```\nwritten\n```\n\n```\nx\n```\n", reading.runs, ())
    assert found == [None, None, None]


@tabled
def test_a_block_of_a_folder_has_the_line_on_which_its_text_is(page: str, lines: list[int]) -> None:
    document = MarkdownReader().read(split_front_matter(page), uri="a.mdx", language="en")
    assert [block.line for block in document.blocks] == lines


@pytest.mark.parametrize("mark", ["> ", "- ", "1. "])
def test_no_text_is_lost_however_deep_it_is(mark: str) -> None:
    page = mark * 500 + "It is small.\n\nIt ends.\n"
    document = MarkdownReader().read(split_front_matter(page), uri="a.md", language="en")
    assert "It is small." in document.blocks[0].text
    assert document.blocks[-1].text.endswith("It ends.")


words = st.text("abcdefghijklmnopqrstuvwxyz\u00e9\u0436\u8a9e", min_size=1, max_size=9)
paragraphs = st.lists(words, min_size=1, max_size=12)


@given(st.lists(paragraphs, unique_by=lambda p: "".join(p)[:24]), st.data())
def test_distinct_paragraphs_are_found(page: list[list[str]], data: st.DataObject) -> None:
    markdown, expected = "", []
    for paragraph in page:
        expected.append(markdown.count("\n") + 1)
        wrap = data.draw(st.integers(1, 12))
        rows = [" ".join(paragraph[n : n + wrap]) for n in range(0, len(paragraph), wrap)]
        markdown += "\n".join(rows) + "\n" * data.draw(st.integers(2, 4))
    assert lines_of(markdown, *(" ".join(p) for p in page)) == expected


@given(st.text("ab #>-`~<>[](){}&;:!*_1.\n\r\u2028\U0001f600"), st.lists(st.text("ab #`<&;1\n")))
def test_whatever_is_given_lines_are_within_the_file(markdown: str, page: list[str]) -> None:
    last = len(markdown.replace("\r\n", "\n").replace("\r", "\n").split("\n"))
    found = lines_of(markdown, *page)
    assert len(found) == sum(not text.startswith("# ") for text in page)
    assert all(line is None or 1 <= line <= last for line in found)
