"""A heading that is the query: its section answers, whatever its text says."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mkdocs_recall import Corpus
from mkdocs_recall.index.index import Index
from mkdocs_recall.index.part import part_of
from mkdocs_recall.options import DEFAULT_UNITS
from mkdocs_recall.scoring import structure
from mkdocs_recall.scoring.heading_match import heading_matches

if TYPE_CHECKING:
    from collections.abc import Mapping

PARTS = ("hosting", "teams", "plans", "tokens")
NAMED = {
    f"{part}.md": f"# Larch {part}\n\nLarch is upgraded by {part}. You upgrade Larch often.\n"
    for part in PARTS
}
"""Pages that all have the name of the product, and much of an upgrade."""
SETUP = (
    "# Setup\n\n## Installing Larch\n\nRun the script.\n\n"
    "## Upgrading Larch\n\nStop the server. Then begin anew.\n\n## Removing it\n\nDelete it.\n"
)
CHANGES = "# Changes\n\n## 1.2\n\n- A fix.\n\n## 1.1\n\n- A walrus.\n\n## 1.0\n\n- A start.\n\n"


def first(pages: Mapping[str, str], query: str) -> str:
    """Return the source of the best passage."""
    result = Corpus.from_markdown(pages).recall(query, max_sentences=1)
    return result.passages[0].source if result.passages else ""


@pytest.mark.parametrize(
    ("query", "source"),
    [
        ("How do I upgrade Larch?", "setup.md#upgrading-larch"),
        ("upgrading Larch", "setup.md#upgrading-larch"),
        ("How do I install Larch?", "setup.md#installing-larch"),
    ],
)
def test_a_heading_that_is_the_question_wins_though_its_name_is_on_every_page(
    query: str, source: str
) -> None:
    assert first({**NAMED, "setup.md": SETUP}, query) == source


def test_a_heading_that_is_the_question_wins_in_a_changelog_too() -> None:
    changes = f"{CHANGES}## Upgrading Larch\n\nStop the server.\n"
    query = "How do I upgrade Larch?"
    assert first({**NAMED, "changes.md": changes}, query) == "changes.md#upgrading-larch"
    without = changes.replace("Upgrading Larch", "Upgrading larch trees of a nursery")
    assert first({**NAMED, "changes.md": without}, query) != "changes.md"


@pytest.mark.parametrize(
    "text",
    [
        "Delete all.",
        "```\nrm -r all\n```",
        "- Delete all.\n- Rest.",
        "See {{ this }}.\n\nDelete all.",
    ],
)
def test_a_section_whose_heading_is_the_question_answers_whatever_its_text(text: str) -> None:
    page = f"# Setup\n\n## Removing Larch\n\n{text}\n\n## Other\n\nA walrus sings.\n"
    result = Corpus.from_markdown({**NAMED, "setup.md": page}).recall("How do I remove Larch?")
    assert result.passages[0].source == "setup.md#removing-larch"
    assert "all" in result.passages[0].text


def test_code_by_itself_answers_only_below_a_heading_that_is_the_question() -> None:
    page = "# Setup\n\n## {}\n\n```\nlarch remove all\n```\n\n## Other\n\nA walrus sings.\n"
    for heading, source in (("Removing Larch", "setup.md#removing-larch"), ("Examples", "")):
        pages = {"setup.md": page.format(heading)}
        assert first(pages, "How do I remove Larch?") == source


def test_a_heading_that_is_the_question_scores_the_same_among_any_number_of_sections(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    corpus = Corpus.from_markdown({**NAMED, "setup.md": SETUP})
    passages = corpus.recall("How do I upgrade Larch?", max_sentences=1).passages
    assert passages[0].source == "setup.md#upgrading-larch"
    monkeypatch.setattr(structure, "SECTIONS", 2)
    assert corpus.recall("How do I upgrade Larch?", max_sentences=1).passages == passages


def test_a_title_is_the_heading_of_what_is_right_below_it() -> None:
    page = "# Removing Larch\n\nDelete all.\n\n## Other\n\nA walrus sings.\n"
    assert first({**NAMED, "a.md": page}, "How do I remove Larch?") == "a.md#removing-larch"


@pytest.mark.parametrize(
    ("heading", "query", "expected"),
    [
        ("Upgrading Larch", "How do I upgrade Larch?", 0.4),
        ("Upgrading Larch", "How can I upgrade Larch?", 0.4),
        ("Upgrading Larch", "upgrading Larch", 0.5),
        ("How to upgrade Larch", "how to upgrade Larch", 0.5),
        ("Upgrading Larch", "is upgrading Larch hard", 0.5 * 0.8**6),
        ("Upgrading Larch by hand", "how do I upgrade Larch?", 0.4 * 0.8**6),
        ("Removing Larch", "how do I upgrade Larch?", 0),
        ("Upgrading Larch trees of a nursery", "how do I upgrade Larch?", 0.4 * (2 / 3) ** 6),
        ("Larch teams and tokens", "how do I upgrade Larch?", 0),
    ],
)
def test_a_heading_counts_by_its_share_of_the_query_and_nothing_by_half(
    heading: str, query: str, expected: float
) -> None:
    for title, text in (("Walrus", f"## {heading}\n\nText."), (heading, "Text.")):
        page = f"# {title}\n\n{text}\n\n## Other\n\nText."
        (document,) = Corpus.from_markdown({"a.md": page}).documents
        found = heading_matches(query, Index([part_of(document, units=DEFAULT_UNITS)]))
        assert list(found.values()) == ([pytest.approx(expected)] if expected else [])


@pytest.mark.parametrize("heading", ["Removing Larch", "Larch teams and tokens", "Larch of Norway"])
def test_a_heading_that_is_half_of_the_query_makes_no_section_a_candidate(heading: str) -> None:
    page = f"# Setup\n\n## {heading}\n\nDelete all.\n\n## Other\n\nA walrus sings.\n"
    corpus = Corpus.from_markdown({**NAMED, "setup.md": page})
    result = corpus.recall("How do I upgrade Larch?", min_score=0, max_sentences=9, context=0)
    parts = "\n".join(str(passage.explanation) for passage in result.passages)
    assert "its heading is the query" not in parts
