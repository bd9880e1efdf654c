"""Each block has the line of the author's file on which it starts."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, strategies as st
from tables import tabled

from mkdocs_recall import Block, Heading
from mkdocs_recall.pages.lines import block_lines
from mkdocs_recall.pages.reader import MarkdownReader
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


@tabled
def test_blocks_are_found_where_their_author_wrote_them(
    behaviour: str, markdown: str, page: list[str], lines: list[int | None]
) -> None:
    assert lines_of(markdown, *page) == lines, behaviour


@tabled
def test_text_repeated_in_a_code_block_is_found_in_the_prose(opening: str, closing: str) -> None:
    markdown = f"{opening}\nSessions expire.\n{closing}\n\nSessions expire.\n"
    assert lines_of(markdown, "Sessions expire.") == [markdown.count("\n")]


@tabled
def test_markup_in_the_first_words_does_not_matter(written: str, rendered: str) -> None:
    markdown = f"Before it all.\n\n{written}\n\nAfter it all.\n"
    assert lines_of(markdown, "Before it all.", rendered, "After it all.") == [1, 3, 5]


@pytest.mark.parametrize("end", ["\r\n", "\r"])
def test_line_ends_of_other_systems_count_the_same(end: str) -> None:
    assert lines_of(end.join(["One.", "", "Two", "lines."]), "One.", "Two lines.") == [1, 3]


@pytest.mark.slow
@pytest.mark.parametrize("lines", [20_000, 20_001])
def test_a_page_of_identical_paragraphs_takes_no_more_than_linear_time(lines: int) -> None:
    paragraph = "The same paragraph, again and again."
    start = time.process_time()
    numbers = lines_of(f"{paragraph}\n\n" * lines, *[paragraph] * 20_000)
    assert time.process_time() - start < 5
    assert numbers == list(range(1, 40_001, 2))


def test_rows_have_their_own_line_and_labels_their_heading_s() -> None:
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
def test_a_block_in_a_folder_has_the_line_of_its_text(page: str, lines: list[int]) -> None:
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
    numbers = lines_of(markdown, *page)
    assert len(numbers) == sum(not text.startswith("# ") for text in page)
    assert all(line is None or 1 <= line <= last for line in numbers)
