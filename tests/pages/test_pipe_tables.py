"""Tables as GitHub reads them → rows, whichever of their outer pipes are missing."""

from __future__ import annotations

import time

import pytest
from markdown import Markdown

from mkdocs_recall import Corpus
from mkdocs_recall.pages.foreign import PipeTables


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


@pytest.mark.parametrize(
    ("page", "kinds"),
    [
        ("These are:\nA | B\n|---|---|\n1 | 2\n- An item.\n", ["prose", "table", "list"]),
        ("> Text.\n> A | B\n> |--|--|\n> 1 | 2\n\nText.\n", ["prose", "table", "prose"]),
        ("- An item:\n\n    A | B\n    |--|--|\n    1 | 2\n", ["list", "table"]),
        ("A | B\n|--|--|\n1 | `x | y`\n## H\n\nText.\n", ["table", "prose"]),
        ("A | B\n|--|--|\n1 | 2\n```sh\nx\n```\n", ["table", "code"]),
        ("Name\n|--|\n| x |\n", ["table"]),
        ("::: tip\nA | B\n|--|--|\n1 | 2\n:::\n", ["table"]),
    ],
)
def test_a_table_needs_no_empty_line_around_it(page: str, kinds: list[str]) -> None:
    assert [kind for kind, *_ in blocks(page)] == kinds


@pytest.mark.parametrize(
    ("page", "block"),
    [
        ("Text.\n\n    A | B\n    |--|--|\n    1 | 2\n", ("code", "A | B\n|--|--|\n1 | 2", None)),
        ("```\nA | B\n|--|--|\n```\n", ("code", "A | B\n|--|--|", 1)),
        ("A text\n|--|--|\n", ("prose", "A text |--|--|", 1)),
        ("It is a - b | c.\n", ("prose", "It is a - b | c.", 1)),
    ],
)
def test_what_is_no_table_stays(page: str, block: tuple[str, str, int | None]) -> None:
    assert blocks(page)[-1] == block


@pytest.mark.parametrize(
    "page", ["a|b\n|-|-|\n" * 50_000, "|-" * 100_000 + "x", "| \n|-|\n" + "\\" * 100_000 + "|"]
)
def test_no_page_takes_long(page: str) -> None:
    md = Markdown(extensions=[PipeTables()])
    start = time.process_time()
    md.preprocessors["recall_tables"].run(page.split("\n"))
    assert time.process_time() - start < 5
