"""Tables as on GitHub → rows, even without outer pipes."""

from __future__ import annotations

import time

import pytest
from tables import Case, tabled

from mkdocs_recall import Corpus


def blocks(markdown: str) -> list[tuple[str, str, int | None]]:
    (document,) = Corpus.from_markdown({"a.md": markdown}).documents
    return [(block.kind, block.text, block.line) for block in document.blocks]


@pytest.mark.parametrize(
    "header", ["| Option | Meaning |", "Option | Meaning", "Option | Meaning |"]
)
@pytest.mark.parametrize("delimiter", ["|---|:-:|", "--- | ---", "| --- | ---"])
@pytest.mark.parametrize("row", ["| keep | The files to keep |", "keep | The files to keep"])
def test_any_row_may_do_without_its_outer_pipes(header: str, delimiter: str, row: str) -> None:
    page = f"# Options\n\n{header}\n{delimiter}\n{row}\nlimit | At *most* so many\n\nThat is all.\n"
    assert blocks(page) == [
        ("table", "Option: keep — Meaning: The files to keep", 5),
        ("table", "Option: limit — Meaning: At most so many", 6),
        ("prose", "That is all.", 8),
    ]


@tabled
def test_a_table_needs_no_empty_line_around_it(case: Case) -> None:
    assert [kind for kind, *_ in blocks(case["page"])] == case["kinds"]


@tabled
def test_what_is_not_a_table_stays(case: Case) -> None:
    assert blocks(case["page"])[-1] == tuple(case["block"])


@pytest.mark.slow
@pytest.mark.parametrize(
    "page", ["a|b\n|-|-|\n" * 5_000, "|-" * 10_000 + "x", "| \n|-|\n" + "\\" * 10_000 + "|"]
)
def test_no_page_takes_long(page: str) -> None:
    start = time.process_time()
    blocks(page)
    assert time.process_time() - start < 2


def test_a_pipe_in_code_ends_no_cell() -> None:
    page = "| Type | Meaning |\n|---|---|\n| `str | None` | ``a ` | b`` |\n\nIt is `x | y`.\n"
    assert [text for _, text, _ in blocks(page)] == [
        "Type: str | None — Meaning: a ` | b",
        "It is x | y.",
    ]
