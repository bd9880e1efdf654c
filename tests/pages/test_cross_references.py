"""References to objects and headings, which a build resolves, in a folder that has no site."""

from __future__ import annotations

import pytest
from tables import tabled

from mkdocs_recall import Corpus


def read(text: str) -> tuple[str, bool]:
    """Return a paragraph as it is read, and whether it can be quoted."""
    (sentence,) = (
        Corpus.from_markdown({"a.md": f"# A\n\n{text}\n\n[there]: b.md\n"}).documents[0].sentences
    )
    return sentence.text, sentence.quotable


@tabled
def test_a_reference_to_an_object_or_a_heading_is_its_text(text: str, shown: str) -> None:
    assert read(text) == (shown, True)


@pytest.mark.parametrize(
    "text", ["It is cells[i][j].", "It is [not][defined].", "It is x[a.b][c.d]."]
)
def test_similar_brackets_stay_and_are_not_quoted(text: str) -> None:
    assert read(text) == (text, False)


def test_cross_references_are_text_except_in_code() -> None:
    assert read("See [`it`][there].") == ("See it.", True)
    assert read("Type `[a][b.c]`.") == ("Type [a][b.c].", True)
