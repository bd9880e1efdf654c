"""The contents of list items in CommonMark → blocks of the item, even if indented less."""

from __future__ import annotations

import time

import pytest
from tables import Case, tabled

from mkdocs_recall import Corpus


def forms(markdown: str) -> list[tuple[str, str, str | None]]:
    """Return each block's kind, its text, and the text that introduces it."""
    (document,) = Corpus.from_markdown({"a.md": markdown}).documents
    blocks = document.blocks
    return [(b.kind, b.text, None if b.lead is None else blocks[b.lead].text) for b in blocks]


@pytest.mark.parametrize("gap", ["", "\n"])
@pytest.mark.parametrize("marker", ["-", "*", "+", "1.", "1)", "-  ", "10."])
def test_code_is_part_of_its_step_wherever_that_starts(marker: str, gap: str) -> None:
    indent = " " * (len(marker) + 1)
    step = f"{marker} Fell it:\n{gap}{indent}```sh\n{indent}fell\n{indent}```\n{gap}"
    page = f"# A tree\n\n{step}{step.replace('ell', 'old')}\nThat is all.\n"
    assert forms(page) == [
        ("list", "Fell it:", None),
        ("code", "fell", "Fell it:"),
        ("list", "Fold it:", None),
        ("code", "fold", "Fold it:"),
        ("prose", "That is all.", None),
    ]


@tabled
def test_items_have_the_blocks_that_commonmark_gives_them(case: Case) -> None:
    assert forms(case["page"]) == [tuple(block) for block in case["blocks"]]


def test_items_in_quotes_and_in_admonitions_have_their_contents() -> None:
    step = "1. Fell it:\n\n   - So:\n\n     ```\n     fell\n     ```\n"
    for prefix, opening in (("> ", ""), ("    ", "!!! note\n"), ("   ", "7. Trees\n\n")):
        page = opening + "".join(f"{prefix}{line}\n" for line in step.split("\n"))
        *_, code = forms(page)
        assert code == ("code", "fell", "So:"), prefix


def test_a_quote_or_box_in_an_item_needs_no_empty_line() -> None:
    for box in ("> Mind the wind.", "!!! note\n      Mind the wind.", ":::note\n  Mind the wind."):
        page = f"- Fell it:\n  {box}\n- Saw it.\n"
        texts = [text for _, text, _ in forms(page)]
        assert texts == ["Fell it:", "Mind the wind.", "Saw it."], box


def test_indented_code_in_an_item_keeps_its_indents() -> None:
    page = "1. Fell it:\n\n        if larch:\n          fell\n\n   Then rest.\n"
    assert forms(page)[1:] == [
        ("code", "if larch:\n  fell", "Fell it:"),
        ("list", "Then rest.", None),
    ]
    nested = "- Trees\n  - Fell it:\n\n          if larch:\n            fell\n"
    assert forms(nested)[2] == ("code", "if larch:\n  fell", "Fell it:")


def test_a_comment_in_an_item_is_not_text() -> None:
    page = "- Fell it:\n\n  <!-- Not\n\n  yet.\n  -->\n\n  Then rest.\n\n  <!-- Open\n\n  text.\n"
    assert [text for _, text, _ in forms(page)][:2] == ["Fell it:", "Then rest."]


def test_the_lines_of_blocks_stay_those_of_the_author() -> None:
    page = "# A\n\n1) Fell it:\n\n   ```\n   fell\n   ```\n\n   Rest.\n\n2) Saw it.\n"
    (document,) = Corpus.from_markdown({"a.md": page}).documents
    assert [block.line for block in document.blocks] == [3, 5, 9, 11]


@pytest.mark.slow
@pytest.mark.parametrize(
    "unit", ["- a\n\n  b\n", "> ", "- ", "- <!--\n", "1) a\n   b\n", "   ", "  <!-- \n", "- > "]
)
def test_hostile_lists_take_linear_time(unit: str) -> None:
    page = unit * (20_000 // len(unit))
    start = time.process_time()
    forms(page)
    assert time.process_time() - start < 5
