"""Lists as in CommonMark → lists, even without an empty line above them."""

from __future__ import annotations

import time
from typing import Any

import pytest
from tables import Case, beside, tabled

from mkdocs_recall import Corpus

CASES: dict[str, Any] = beside(__file__)


def blocks(markdown: str) -> list[tuple[str, str, int | None]]:
    (document,) = Corpus.from_markdown({"a.md": markdown}).documents
    return [(block.kind, block.text, block.line) for block in document.blocks]


@pytest.mark.parametrize("markers", ["--", "**", "++", ("1.", "2.")])
def test_a_list_right_below_a_paragraph_is_a_list(markers: tuple[str, str]) -> None:
    first, second = markers
    page = (
        "# Cleaning\n\n**The order**\nin which files go:\n"
        f"{first} Files that no page\n  asks for.\n{second} Files older than `keep`.\n"
        "\nThat is all.\n"
    )
    assert blocks(page) == [
        ("prose", "The order in which files go:", 3),
        ("list", "Files that no page asks for.", 5),
        ("list", "Files older than keep.", 7),
        ("prose", "That is all.", 9),
    ]


@tabled
def test_a_list_needs_no_empty_line_in_any_container(case: Case) -> None:
    assert [text for _, text, _ in blocks(case["page"])] == case["texts"]


@pytest.mark.parametrize("page", CASES["no_lists"].values(), ids=CASES["no_lists"])
def test_wrapped_text_that_looks_like_an_item_stays(page: str) -> None:
    assert [kind for kind, *_ in blocks(page)] == ["prose"]


@tabled
def test_code_and_lists_stay(case: Case) -> None:
    assert blocks(case["page"])[-1] == tuple(case["block"])


@pytest.mark.slow
@tabled
def test_no_page_takes_long(parts: list[tuple[str, int]]) -> None:
    page = "".join(unit * times for unit, times in parts)
    start = time.process_time()
    blocks(page)
    assert time.process_time() - start < 2
