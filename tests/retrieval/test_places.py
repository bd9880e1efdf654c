"""Which places are quoted beside the first: those that add something, each with its own words."""

from __future__ import annotations

from typing import Any

from mkdocs_recall import Corpus

FILLER = " ".join(f"Line {number} is about the weather here." for number in range(40))


def places(pages: dict[str, str], query: str, **options: Any) -> list[str]:
    """Return the places of the passages, the best first."""
    result = Corpus.from_markdown(pages).recall(query, min_score=0, **options)
    return [passage.source for passage in result.passages]


def reasons(pages: dict[str, str], query: str, **options: Any) -> set[str]:
    result = Corpus.from_markdown(pages).recall(query, min_score=0, **options)
    return {lost.reason for lost in result.lost}


def test_sentences_of_one_section_are_one_passage() -> None:
    text = "# A\n\nA zebra sleeps. It rains.\n\nThe zebra eats at night.\n\nA zebra runs.\n"
    assert places({"a.md": text}, "zebra eats") == ["a.md#a"]
    assert places({"a.md": text}, "zebra eats", context=0) == ["a.md#a"] * 3


def test_a_place_with_another_word_of_the_query_is_quoted() -> None:
    pages = {
        "a.md": "# One\n\nA zebra sleeps here.\n",
        "b.md": "# Two\n\nA walrus sleeps here.\n",
        "c.md": "# Three\n\nThis is a page about what rains.\n",
    }
    assert places(pages, "zebra walrus") == ["a.md#one", "b.md#two"]


def test_a_weaker_place_that_adds_no_word_is_not() -> None:
    pages = {
        "a.md": "# Zebras at night\n\nA zebra sleeps at night.\n",
        "b.md": "# Two\n\nWhatever else happens, some zebra of the river has stripes, they say.\n",
        "c.md": "# Three\n\nThis is a page about what rains.\n",
    }
    assert places(pages, "zebra night") == ["a.md#zebras-at-night"]
    assert "it adds nothing to those before it" in reasons(pages, "zebra night")
    assert len(places(pages, "zebra night", context=0)) > 1


def test_a_place_of_nearly_the_same_worth_is_quoted_though_the_words_are_used_up() -> None:
    page = "# {}\n\nA zebra sleeps at {}. " + FILLER
    pages = {f"{n}.md": page.format(n, n) for n in ("noon", "dawn", "dusk")}
    assert places(pages, "zebra sleeps", max_sentences=3) == [
        f"{n}.md#{n}" for n in ("noon", "dawn", "dusk")
    ]
    result = Corpus.from_markdown(pages).recall("zebra sleeps", min_score=0)
    lengths = [len(passage.text.split()) for passage in result.passages]
    assert lengths[0] > 50 > lengths[2]


def test_a_place_that_the_words_do_not_reach_says_so() -> None:
    code = "\n".join(f"larch feed --zebra {number} --often" for number in range(30))
    pages = {
        "a.md": f"# Zebras\n\nTo feed a zebra:\n\n```\n{code}\n```\n",
        "b.md": "# Two\n\nNow and then, an otter is seen.\n",
        "c.md": "# Three\n\nThis is a page about what rains.\n",
    }
    assert places(pages, "zebra otter") == ["a.md#zebras"]
    assert reasons(pages, "zebra otter") == {"those before it have all the words of an answer"}
