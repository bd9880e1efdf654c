"""The quality of a page for meaning, and its profile."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st
from tables import tabled

from mkdocs_recall import Corpus, Semantic
from mkdocs_recall.ranking.semantic import PROFILE_OPENING as OPENING, profile, quality

ENOUGH = Semantic().min_relevance_score
SESSIONS = (
    "A session is what Larch opens when somebody logs in, and all that is done until they log out "
    "belongs to it. It expires twelve hours after the last request, whatever device it came from."
)
LENGTH = (
    "How long a session lasts is set in the configuration, from one minute to thirty days. "
    "A longer one is more convenient, and a shorter one is safer on machines that many people use. "
)
PAGE = f"# Sessions\n\n{SESSIONS}\n\n## Length\n\n{LENGTH}\n"
LINKS = "# Guides\n\nAll guides:\n\n" + "".join(
    f"- [How to set up part number {n} of it]({n}.md)\n" for n in range(40)
)


TEXTS = {"PAGE": PAGE, "LINKS": LINKS, "SESSIONS": SESSIONS, "LENGTH": LENGTH}
"""What these words stand for in tables."""


def worth(markdown: str, language: str = "en") -> float:
    for name, text in TEXTS.items():
        markdown = markdown.replace(name, text)
    (document,) = Corpus.from_markdown({"a.md": markdown}, language=language).documents
    return quality(document)


def stands_for(markdown: str) -> str:
    (document,) = Corpus.from_markdown({"a.md": markdown}).documents
    return profile(document)


@tabled
def test_a_page_with_some_paragraphs_is_worth_enough(markdown: str, language: str) -> None:
    assert ENOUGH <= worth(markdown, language) <= 100


@tabled
def test_stubs_drafts_and_lists_of_links_are_not(markdown: str) -> None:
    assert 0 <= worth(markdown) < ENOUGH


@pytest.mark.parametrize(
    "page",
    [
        PAGE.replace("# Sessions", "# Draft pull requests"),
        PAGE.replace("# Sessions", "# A todo app"),
        f"# A\n\n{LENGTH} Support for more is coming soon.\n\n## B\n\n{SESSIONS}\n",
    ],
)
def test_a_page_that_speaks_of_drafts_is_none(page: str) -> None:
    assert worth(page) >= ENOUGH


def test_its_author_knows_better() -> None:
    assert worth(f"---\nrecall_quality: 12\n---\n{PAGE}") == 12
    assert worth(f"---\nrecall_quality: 0\n---\n{PAGE}") == 0
    assert worth("---\nrecall_quality: 90\n---\nShort.") == 90
    assert worth(f"---\nrecall_quality: good\n---\n{PAGE}") == worth(PAGE)


@given(
    st.lists(
        st.sampled_from(["# A\n\n", "## B\n\n", f"{SESSIONS}\n\n", "    code\n\n", "[a](b)\n\n"]),
        max_size=8,
    )
)
def test_more_of_a_page_is_never_worth_less(parts: list[str]) -> None:
    assert 0 <= worth("".join(parts[:-1])) <= worth("".join(parts)) <= 100


def test_title_and_description_stand_for_a_page() -> None:
    page = f"---\ndescription: How long one stays logged in.\n---\n{PAGE}"
    assert stands_for(page) == "Sessions\nHow long one stays logged in."


def test_title_and_opening_stand_for_a_page_without_description() -> None:
    title, text = stands_for(PAGE * 3).split("\n")
    assert title == "Sessions"
    assert text.startswith(SESSIONS)
    assert OPENING - 20 < len(text) <= OPENING
    assert " ".join([SESSIONS, LENGTH.strip()] * 3).startswith(f"{text} ")


def test_unquotable_text_does_not_represent_a_page() -> None:
    assert stands_for("# A\n\n{{ macro('x') }}\n\nIt is said.\n") == "A\nIt is said."


@tabled
def test_the_comments_in_its_code_stand_for_a_page_too(code: str, comment: str) -> None:
    page = f"# A\n\nText is here.\n\n```\n{code}\n```\n"
    assert stands_for(page) == "\n".join(filter(None, ("A", "Text is here.", comment)))


@given(st.text(alphabet="/*<!->#\n ab", max_size=60))
def test_any_code_leaves_one_line_each(code: str) -> None:
    lines = stands_for(f"# A\n\nText is here.\n\n    x\n    {code.replace(chr(10), ' ')}\n").split(
        "\n"
    )
    assert lines[:2] == ["A", "Text is here."]
    assert len(lines) <= 3
