"""Text and marks as inline Markdown read back as the same text everywhere."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import markdown
import pytest
from bs4 import BeautifulSoup
from hypothesis import given, settings, strategies as st
from markdown_it import MarkdownIt
from tables import tabled

from mkdocs_recall import Mark
from mkdocs_recall.answers.markdown import (
    code_block,
    escape_line_start,
    escape_markdown,
    inline,
    prefixed,
)
from mkdocs_recall.text.model import Role

PYTHON = markdown.Markdown(extensions=["tables", "fenced_code", "toc", "def_list", "admonition"])
GITHUB = MarkdownIt("commonmark").enable(["table", "strikethrough"])
READERS: tuple[Callable[[str], str], ...] = (
    lambda text: PYTHON.reset().convert(text),
    GITHUB.render,
)


def written(text: str, *marks: Mark) -> str:
    return escape_line_start(inline(text, marks))


def read(html: str) -> str:
    return " ".join(BeautifulSoup(html, "html.parser").get_text().split())


@tabled
def test_signs_of_markdown_are_escaped_where_they_are_some(text: str, escape: str) -> None:
    assert escape_markdown(text) == escape


@tabled
def test_a_line_does_not_open_a_block(line: str, start: str) -> None:
    assert escape_line_start(line) == start


@tabled
def test_marks_are_kept_where_they_can_be_read(text: str, marks: list[Any], expected: str) -> None:
    assert written(text, *(Mark(*mark) for mark in marks)) == expected
    for reader in READERS:
        assert read(reader(expected)) == text


PARTS = (
    *("\\", "`", "*", "_", "{", "}", "[", "]", "(", ")", "<", ">", "#", "+", "-", ".", "!"),
    *("|", "~", "^", "$", "&", ";", ":", "=", "?", "/", '"', "'", "a", "b", "1", "é", "漢", " "),
    *("https://x.y", "&amp;", "1. ", "- ", "[a](b)", "<b>", "**", "__", "```", "---", "!!! "),
    *("| a | b |", "=== ", " word "),
)
TEXTS = (
    st.lists(st.sampled_from(PARTS), min_size=1, max_size=14)
    .map(lambda parts: " ".join("".join(parts).split()))
    .filter(bool)
)
ROLES: tuple[Role, ...] = ("code", "em", "strong", "link")


@st.composite
def marked(draw: st.DrawFn) -> tuple[str, list[Mark]]:
    text = draw(TEXTS)
    marks: list[Mark] = []
    for _ in range(draw(st.integers(0, 4))):
        start = draw(st.integers(0, len(text) - 1))
        end = draw(st.integers(start + 1, len(text)))
        role = draw(st.sampled_from(ROLES))
        marks.append(Mark(start, end, role, "x.md" if role == "link" else ""))
    marks.sort(key=lambda mark: (mark.start, -mark.end))
    nested = [m for m in marks if not any(o.start < m.start < o.end < m.end for o in marks)]
    return text, nested


@settings(max_examples=100)
@given(marked())
def test_whatever_the_text_is_it_comes_out_as_it_was(given: tuple[str, list[Mark]]) -> None:
    text, marks = given
    line = written(text, *marks)
    for reader in READERS:
        for place in ("", "> ", "- "):
            assert read(reader(place + line)) == text


@given(st.lists(st.sampled_from(["`", "```", "~~~", "\n", "a", "    b", "> "]), max_size=12))
def test_a_code_block_holds_any_code(parts: list[str]) -> None:
    code = "".join(parts).strip("\n") or "x"
    html = BeautifulSoup(GITHUB.render(code_block(code)), "html.parser")
    (block,) = html.find_all("pre")
    assert block.get_text() == f"{code}\n"
    assert html.get_text().strip("\n") == code.strip("\n")


@pytest.mark.parametrize("end", ["\r", "\r\n", "\n"])
def test_a_line_of_code_ends_for_every_reader_where_it_ends_here(end: str) -> None:
    quoted = prefixed(code_block(f"a{end}<img src=x>"), "> ")
    assert quoted == "> ```\n> a\n> <img src=x>\n> ```"
