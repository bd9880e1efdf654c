"""A section whose heading is the question comes first."""

from __future__ import annotations

import pytest

from mkdocs_recall import Corpus, Passage

LARCH = {
    "install.md": "# Installing Larch\n\nLarch runs on one server.\n\n## Upgrading Larch\n\n"
    "When Larch is installed by the script, it can update itself:\n\n```\nlarch self-update\n```\n",
    "plugins.md": "# Plugins of Larch\n\nLarch has plugins.\n\n## Upgrading plugins\n\n"
    "To upgrade a plugin of Larch, run this.\n",
    "other.md": "# Larch at night\n\nLarch sleeps.\n",
}


def first(pages: dict[str, str], query: str, **options: int) -> Passage:
    return Corpus.from_markdown(pages).recall(query, min_score=0, **options).passages[0]


@pytest.mark.parametrize("query", ["How do I upgrade Larch?", "upgrading larch"])
def test_a_name_that_is_on_every_page_counts_where_the_heading_has_it(query: str) -> None:
    assert first(LARCH, query).source == "install.md#upgrading-larch"


def test_a_heading_with_one_word_more_or_less_gains_little() -> None:
    assert first(LARCH, "upgrade a plugin of larch").source == "plugins.md#upgrading-plugins"


def test_a_section_is_found_by_its_heading_whatever_its_text_says() -> None:
    feeding = "## Feeding zebras\n\n{{ it }} is.\n\nIt is simple.\n"
    pages = {
        "a.md": f"# Start\n\nHello.\n\n{feeding}\n## More\n\nWalruses.\n",
        "b.md": "# Trees\n\nWhoever is feeding larches may think of zebras, too.\n",
    }
    found = first(pages, "feeding zebras")
    assert (found.source, found.text) == ("a.md#feeding-zebras", "It is simple.")
    assert "its heading is the query" in str(found.explanation)


def test_so_it_is_in_release_notes() -> None:
    notes = "".join(
        f"## 1.{number}\n\n- A zebra sleeps.\n\n### Breaking zebras {number}\n\nRead this.\n\n"
        for number in range(5)
    )
    pages = {
        "changes.md": f"# Changes\n\n{notes}",
        "guide.md": "# Guide\n\nBreaking zebras, and 3 of them.\n",
    }
    found = first(pages, "breaking zebras 3")
    assert found.source == "changes.md#breaking-zebras-3"
    assert found.score > 0.9, "what a heading adds is not scaled"


def test_the_whole_score_stays_below_one_and_adds_up() -> None:
    passage = first(LARCH, "upgrading larch")
    assert 0 < passage.score <= 1
    assert sum(part.value for part in passage.explanation.parts) == pytest.approx(passage.score)
