"""What CommonMark has in a list item → blocks of the item, although it is indented by less."""

from __future__ import annotations

import time

import pytest
from markdown import Markdown

from mkdocs_recall import Corpus
from mkdocs_recall.pages.foreign import ItemContents


def forms(markdown: str) -> list[tuple[str, str, str | None]]:
    """Return each block's kind, its text, and the text that introduces it."""
    (document,) = Corpus.from_markdown({"a.md": markdown}).documents
    blocks = document.blocks
    return [(b.kind, b.text, None if b.lead is None else blocks[b.lead].text) for b in blocks]


def rewritten(markdown: str) -> str:
    md = Markdown(extensions=[ItemContents()])
    lines = markdown.split("\n")
    return "\n".join(md.preprocessors["recall_items"].run(lines))


@pytest.mark.parametrize("gap", ["", "\n"])
@pytest.mark.parametrize("marker", ["-", "*", "+", "1.", "1)", "-  ", "10."])
def test_code_is_part_of_its_step_wherever_the_text_of_the_step_starts(
    marker: str, gap: str
) -> None:
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


def test_a_step_has_all_its_paragraphs_tables_boxes_and_lists() -> None:
    page = (
        "1. Fell it.\n\n   Mind the wind:\n\n   - From the west:\n\n"
        "     ```\n     west\n     ```\n\n"
        "   - From the east.\n\n   | Tree |\n   |---|\n   | larch |\n\n"
        '   !!! tip "Gloves"\n\n       Wear them.\n\n   ::: warning\n   It is heavy.\n   :::\n\n'
        "2. Saw it.\n"
    )
    assert forms(page) == [
        ("list", "Fell it.", None),
        ("list", "Mind the wind:", None),
        ("list", "From the west:", "Mind the wind:"),
        ("code", "west", "From the west:"),
        ("list", "From the east.", "Mind the wind:"),
        ("table", "Tree: larch", "Fell it."),
        ("label", "Gloves", None),
        ("admonition", "Wear them.", "Gloves"),
        ("admonition", "It is heavy.", None),
        ("list", "Saw it.", None),
    ]


def test_items_in_quotes_and_in_admonitions_have_their_contents() -> None:
    step = "1. Fell it:\n\n   - So:\n\n     ```\n     fell\n     ```\n"
    for prefix, opening in (("> ", ""), ("    ", "!!! note\n"), ("   ", "7. Trees\n\n")):
        page = opening + "".join(f"{prefix}{line}\n" for line in step.split("\n"))
        *_, code = forms(page)
        assert code == ("code", "fell", "So:"), prefix


def test_a_quote_or_a_box_in_an_item_needs_no_empty_line_above_it() -> None:
    for box in ("> Mind the wind.", "!!! note\n      Mind the wind.", ":::note\n  Mind the wind."):
        page = f"- Fell it:\n  {box}\n- Saw it.\n"
        texts = [text for _, text, _ in forms(page)]
        assert texts == ["Fell it:", "Mind the wind.", "Saw it."], box


def test_an_item_of_an_outer_list_is_none_of_the_inner_one() -> None:
    step = (
        "1. Fell it:\n   1. So:\n      ```\n      fell\n      ```\n      Then rest.\n   1. Or so.\n"
    )
    assert forms(step + step.replace("ell", "old") + "1. Saw it.\n") == [
        ("list", "Fell it:", None),
        ("list", "So:", "Fell it:"),
        ("code", "fell", "So:"),
        ("list", "Then rest.", "Fell it:"),
        ("list", "Or so.", "Fell it:"),
        ("list", "Fold it:", None),
        ("list", "So:", "Fold it:"),
        ("code", "fold", "So:"),
        ("list", "Then rest.", "Fold it:"),
        ("list", "Or so.", "Fold it:"),
        ("list", "Saw it.", None),
    ]


def test_indented_code_in_an_item_keeps_its_indents() -> None:
    page = "1. Fell it:\n\n        if larch:\n          fell\n\n   Then rest.\n"
    assert forms(page)[1:] == [
        ("code", "if larch:\n  fell", "Fell it:"),
        ("list", "Then rest.", None),
    ]
    nested = "- Trees\n  - Fell it:\n\n          if larch:\n            fell\n"
    assert forms(nested)[2] == ("code", "if larch:\n  fell", "Fell it:")


@pytest.mark.parametrize(
    "page",
    [
        "It was in\n1986. A good year.\n\n   Larches grew.\n",
        "- Larches:\n    - European\n\n        It is tall.\n\n            code\n",
        "1.  Fell it:\n\n    So:\n\n    - With care.\n",
        "    - code\n\n      code\n",
        "- Fell it:\n\n  <pre>\n    larch\n  </pre>\n",
        "Term\n:   Text.\n\n    More.\n",
    ],
)
def test_what_python_markdown_reads_alike_stays_as_it_is(page: str) -> None:
    assert rewritten(page) == page


def test_a_comment_in_an_item_is_no_text() -> None:
    page = "- Fell it:\n\n  <!-- Not\n\n  yet.\n  -->\n\n  Then rest.\n\n  <!-- Open\n\n  text.\n"
    assert [text for _, text, _ in forms(page)][:2] == ["Fell it:", "Then rest."]


def test_the_lines_of_blocks_stay_those_of_the_author() -> None:
    page = "# A\n\n1) Fell it:\n\n   ```\n   fell\n   ```\n\n   Rest.\n\n2) Saw it.\n"
    (document,) = Corpus.from_markdown({"a.md": page}).documents
    assert [block.line for block in document.blocks] == [3, 5, 9, 11]


@pytest.mark.parametrize(
    "unit", ["- a\n\n  b\n", "> ", "- ", "- <!--\n", "1) a\n   b\n", "   ", "  <!-- \n", "- > "]
)
def test_hostile_lists_take_linear_time(unit: str) -> None:
    page = unit * (100_000 // len(unit))
    start = time.process_time()
    rewritten(page)
    assert time.process_time() - start < 2
