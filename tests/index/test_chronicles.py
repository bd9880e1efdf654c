"""Which pages are chronicles, by headings with a version or a date; the purpose of sections."""

from __future__ import annotations

from time import perf_counter

import pytest
from tables import tabled

from mkdocs_recall import Corpus
from mkdocs_recall.index.index import is_chronicle, purpose_of


def chronicle(*headings: str) -> bool:
    """Tell whether a page with such headings is a chronicle."""
    text = "\n\n".join(("# Page", *(f"{heading}\n\nText." for heading in headings)))
    return is_chronicle(Corpus.from_markdown({"a.md": text}).documents[0])


@tabled
def test_a_version_or_a_date_names_an_entry(heading: str) -> None:
    assert chronicle(*[f"## {heading}"] * 3)


@tabled
def test_another_heading_names_none(heading: str) -> None:
    assert not chronicle(*[f"## {heading}"] * 3)


def test_a_quarter_of_the_sections_is_enough() -> None:
    assert chronicle("## 1.0", "## One", "## Two", "## Three")
    assert not chronicle("## 1.0", "## One", "## Two", "## Three", "## Four")


def test_a_page_with_fewer_than_three_sections_is_none() -> None:
    assert not chronicle("## 1.0", "## 1.1")
    assert chronicle("## 1.0", "## 1.1", "## 1.2")


def test_the_title_of_the_page_is_not_a_section() -> None:
    text = "# 1.0\n\nText.\n\n## 1.1\n\nText.\n\n## 1.2\n\nText."
    assert not is_chronicle(Corpus.from_markdown({"a.md": text}).documents[0])


def test_text_below_an_entry_belongs_to_it() -> None:
    below = ("### Added", "#### More", "### Fixed")
    assert chronicle("## 1.0", *below, *["## Larches"] * 12)
    assert not chronicle("## 1.0", *["## Larches"] * 12)
    assert not chronicle("### 1.0", "## Added", *["## Larches"] * 6)
    assert not chronicle("### 1.0", "### Added", *["## Larches"] * 6)


def test_a_heading_without_text_below_counts() -> None:
    text = "# Changes\n\n## 1.2\n\n### Added\n\n- A larch.\n\n## 1.1\n\n## 1.0\n\nText."
    assert is_chronicle(Corpus.from_markdown({"a.md": text}).documents[0])


@pytest.mark.parametrize("text", ["1.1" + ".1" * 50_000, "1.1 " + "2" * 100_000, "-" * 100_000])
def test_a_heading_without_end_takes_no_time(text: str) -> None:
    page = Corpus.from_markdown({"a.md": "\n\n".join([f"## {text}\n\nText."] * 3)}).documents[0]
    start = perf_counter()
    is_chronicle(page)
    assert perf_counter() - start < 0.1


@tabled
def test_the_words_of_address_and_headings_give_a_section_its_purpose(
    names: tuple[str, ...], purpose: int
) -> None:
    assert purpose_of(*names) == purpose
