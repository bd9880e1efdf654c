"""Fenced code of any flavour of Markdown → code, text, and the lines of both."""

from __future__ import annotations

import time
from typing import Any

import pytest
from tables import Case, beside, tabled

from mkdocs_recall import Block, Corpus, Document
from mkdocs_recall.pages.foreign import code_html

CASES: dict[str, Any] = beside(__file__)
CODE = "files:\n  - keep.me"


def read(markdown: str) -> Document:
    (document,) = Corpus.from_markdown({"a.md": markdown}).documents
    return document


def code(markdown: str) -> list[Block]:
    return [block for block in read(markdown).blocks if block.kind == "code"]


def fenced(place: str, info: str, ticks: str = "```") -> str:
    """Return a page with code in some place, and prose and a heading after it."""
    above, line, prefix = place.rpartition("\n")
    lines = [f"{ticks}{info}", *CODE.split("\n"), ticks]
    block = "\n".join(prefix + each for each in lines)
    return f"{above}{line}{block}\n\nLarch keeps *files*.\n\n## Limits\n\nIt keeps 40 of them.\n"


@pytest.mark.parametrize("info", CASES["infos"])
@pytest.mark.parametrize("place", CASES["places"])
def test_code_is_code_whatever_the_info_string(place: str, info: str) -> None:
    page = fenced(CASES["places"][place], info)
    document = read(page)
    (block,) = (block for block in document.blocks if block.kind == "code")
    assert block.text == CODE
    assert block.line == page[: page.index("```")].count("\n") + 1
    assert [heading.text for heading in document.headings] == ["Limits"]
    first, second = document.blocks[-2:]
    assert (first.text, first.heading) == ("Larch keeps files.", "")
    assert (second.text, second.heading) == ("It keeps 40 of them.", "Limits")
    assert all(sentence.quotable for sentence in (*first.sentences, *second.sentences))


@tabled
def test_a_fence_starts_and_ends_as_in_commonmark(case: Case) -> None:
    assert [block.text for block in code(case["page"])] == case["texts"]


@pytest.mark.parametrize(("info", "title"), CASES["titles"].items(), ids=CASES["titles"])
def test_the_title_of_a_code_block_is_rendered_as_pymdownx_does(info: str, title: str) -> None:
    html = code_html("x", info)
    label = f'<span class="filename">{title}</span>'
    assert html.startswith(f'<div class="highlight">{label}<pre>' if title else "<pre")


def test_code_that_is_never_closed_has_its_line() -> None:
    assert [(block.text, block.line) for block in code("Text.\n\n```py\nx\n\ny\n")] == [
        ("x\n\ny", 3)
    ]


def test_a_fence_shown_in_indented_code_is_shown_with_its_options() -> None:
    (block,) = code('Write:\n\n    ```toml title="larch.toml"\n    a = 1\n    ```\n\nThen go on.\n')
    assert block.text == '```toml title="larch.toml"\na = 1\n```'


@pytest.mark.slow
@pytest.mark.parametrize(
    "page",
    [
        "Text\n" + "    ```a\n" * 8_000 + "x\n",
        "> ```\n\n" * 8_000,
        "- ```a\n" * 8_000,
        "```" * 8_000 + " " * 8_000 + "`\n",
        "<!--\n```\n" * 8_000,
        "".join(" " * (2 * n) + "- a\n" for n in range(400)) + " " * 800 + "```\n" + "x\n" * 8_000,
    ],
)
def test_no_page_takes_long(page: str) -> None:
    start = time.process_time()
    read(page)
    assert time.process_time() - start < 5
