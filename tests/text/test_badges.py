"""A paragraph that only says which version has something is not quotable."""

from __future__ import annotations

import time

import pytest
from tables import tabled

from mkdocs_recall import Corpus
from mkdocs_recall.text.document import is_version_badge


def quotable(markdown: str) -> list[str]:
    (document,) = Corpus.from_markdown({"a.md": markdown}).documents
    return [sentence.text for sentence in document.sentences if sentence.quotable]


@tabled
def test_a_version_badge_is_not_quotable_and_the_text_below_is(badge: str) -> None:
    assert quotable(f"# Larch\n\n{badge}\n\nIt keeps files.\n") == ["It keeps files."]


@tabled
def test_a_sentence_with_a_number_is_not_a_badge(sentence: str) -> None:
    assert quotable(f"# Larch\n\n{sentence}\n") == [sentence.replace("`", "")]


def test_an_item_of_a_list_is_not_a_badge() -> None:
    assert quotable("# Larch\n\n- Python 3.10+\n- Git 2.1\n") == ["Python 3.10+", "Git 2.1"]


@pytest.mark.parametrize("unit", ["1.", "v1", "1.1 ", "1,", "+", "·", " 1"])
def test_hostile_numbers_take_linear_time(unit: str) -> None:
    start = time.process_time()
    is_version_badge(unit * 100_000)
    for size in range(1, 80):
        is_version_badge((unit * 80)[:size])
    assert time.process_time() - start < 1
