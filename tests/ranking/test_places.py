"""The places of an answer: sentences of one section are one, and a second one is a hedge."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from typing import Any

import pytest
from answered import expect
from tables import Case, tabled

from mkdocs_recall import Corpus, Result
from mkdocs_recall.directives.options import recall_options
from mkdocs_recall.index.index import Index
from mkdocs_recall.index.query import Part
from mkdocs_recall.options import RecallOptions
from mkdocs_recall.ranking.places import (
    HEDGE,
    NEAR,
    RIVAL,
    TITLED,
    Quotable,
    choose_places,
)
from mkdocs_recall.ranking.quotation import Quotation, words_in
from mkdocs_recall.ranking.result import quoted_texts

QUERY = "which walrus sings"
ANIMALS = ("walrus", "seal", "bird", "frog", "newt", "toad")


def places(
    page: str,
    numbers: Sequence[int],
    *,
    likely: Sequence[float] = (),
    titled: Container[int] = (),
    worth: Sequence[float] = (),
    fixed: Sequence[int] = (),
    query: str = QUERY,
    **options: Any,
) -> tuple[Mapping[int, Quotation], Mapping[int, str]]:
    """Return the places of the sentences with these numbers.

    Args:
        likely: The probabilities of their sections to answer, as far as these are ranked.
        worth: What they score; the same, if nothing is said.
    """
    index = Index(
        [Part(each, each.blocks) for each in Corpus.from_markdown({"a.md": page}).documents]
    )
    given = recall_options(query, source="**", **options)
    assert isinstance(given, RecallOptions)
    sections = dict.fromkeys(map(index.sections.of_sentence.__getitem__, numbers))
    return choose_places(
        Quotable(index, given),
        given,
        numbers,
        worth=dict(zip(numbers, worth or [1.0] * len(numbers), strict=True)),
        likely=dict(zip(sections, likely, strict=False)),
        titled=titled,
        fixed=fixed,
    )


def quoted(count: int, **given: Any) -> list[int]:
    """Return which of so many sections are quoted, ranked in their order."""
    page = "\n\n".join(f"## The {animal}\n\nA {animal} sings." for animal in ANIMALS[:count])
    return [*places(page, range(count), **given)[0]]


@pytest.mark.parametrize(
    ("likely", "is_hedged"),
    [
        ((0.5, RIVAL / 2), True),
        ((0.5, RIVAL / 2 - 0.01), False),
        ((0.5, 0.5), True),
        ((0.2, HEDGE), True),
        ((0.2, HEDGE - 0.01), False),
        ((0.04, 0.03), False),  # one of very many
        ((0.3,), False),  # what the ranking does not know
    ],
)
def test_a_nearly_as_likely_place_is_a_hedge(likely: Sequence[float], *, is_hedged: bool) -> None:
    assert quoted(2, likely=likely) == ([0, 1] if is_hedged else [0])


def test_a_hedge_is_chosen_by_probability_rather_than_score() -> None:
    assert quoted(2, likely=(0.4, 0.3), worth=(1, 0.1)) == [0, 1]
    assert quoted(2, likely=(0.9, 0.1), worth=(1, 1)) == [0]


@tabled
def test_a_likely_place_is_hedged_where_parts_may_lack(query: str, *, is_hedged: bool) -> None:
    assert quoted(2, likely=(0.7, 0.3), query=query) == ([0, 1] if is_hedged else [0])
    assert quoted(2, likely=(0.98, 0.02), query=query) == [0]


def test_a_section_whose_heading_is_the_query_is_always_quoted() -> None:
    likely = (0.9, TITLED, 0.05)
    assert quoted(3, likely=likely) == [0]
    assert quoted(3, likely=likely, titled={1}) == [0, 1]
    assert quoted(3, likely=(0.9, TITLED / 2), titled={1}) == [0]
    assert quoted(3, likely=(0.4, 0.4, 0.1), titled={2}) == [0, 2]


OTHERS = {f"{name}.md": f"# {name}\n\nOf {name}s, a {name} sleeps." for name in ANIMALS[1:]}
"""Pages that make the words of a query rare."""


@tabled
def test_places_that_may_answer_are_quoted(case: Case) -> None:
    expect(case)


@pytest.mark.parametrize("more", ["", "\n\nA walrus sings alone."])
def test_a_page_that_repeats_another_is_not_a_second_place(more: str) -> None:
    song = "\n\n".join(
        (
            *("A walrus sings in the morning by the sea.", "Nothing else is known."),
            *("A walrus that sings at night keeps the seals awake.", "Each walrus sings its song."),
        )
    )
    pages = {"a.md": f"# Songs\n\n{song}", "b.md": f"# Again\n\n{song}{more}", **OTHERS}
    for count in (2, 3):
        result = Corpus.from_markdown(pages).recall("walrus sings", max_sentences=count, context=0)
        assert len(result.passages) == count
        assert len({passage.uri for passage in result.passages}) == 1


def test_a_sentence_replaced_for_another_section_does_not_claim_a_lower_score() -> None:
    songs = "A walrus sings at dawn.\n\nAt noon, a walrus sings, too.\n\nA walrus sings at dusk."
    voices = "A walrus sings when it wakes. Then a walrus hums."
    pages = {"a.md": f"# Songs\n\n{songs}", "b.md": f"# Voices\n\n{voices}", **OTHERS}
    result = Corpus.from_markdown(pages).recall("walrus sings", max_sentences=2, context=0)
    assert [passage.uri for passage in result.passages] == ["a.md", "b.md"]
    lost = {loss.passage.sentence.text: loss for loss in result.lost}
    noon = lost["At noon, a walrus sings, too."]
    assert noon.passage.score >= result.passages[1].score
    assert noon.reason == "others score more, or are in another section that may answer"


def test_a_likely_place_with_the_number_asked_for_is_quoted_alone() -> None:
    page = "## One\n\nOf walruses, 9 sing.\n\n## Two\n\nSeals sing."
    chosen = places(page, (0, 1), likely=(0.7, 0.3), query="how many walruses sing")
    assert [*chosen[0]] == [0]


@pytest.mark.parametrize(
    ("max_sentences", "count"), [(None, 2), (1, 2), (2, 2), (3, 2), (4, 3), (5, 4), (6, 5), (9, 6)]
)
def test_more_places_than_two_are_to_be_asked_for(max_sentences: int | None, count: int) -> None:
    for rivals in ({"likely": [0.16] * 6}, {"likely": ()}):  # with ranked sections, and without
        assert quoted(6, max_sentences=max_sentences, **rivals) == [*range(count)]


def test_more_sentences_bring_no_place_that_is_not_likely() -> None:
    assert quoted(6, max_sentences=9, likely=[0.9, *[0.02] * 5]) == [0]
    assert quoted(6, max_sentences=9, likely=[0.3, 0.2, 0.2, *[0.1] * 3]) == [0, 1, 2]


def test_without_ranked_sections_a_second_place_needs_nearly_the_same_score() -> None:
    assert quoted(2, worth=(0.4, 0.4 * NEAR)) == [0, 1]
    assert quoted(2, worth=(0.4, 0.4 * NEAR - 0.01)) == [0]


@pytest.mark.parametrize("likely", [(0.9, *[0.02] * 5), ()])
def test_fixed_places_are_always_quoted(likely: Sequence[float]) -> None:
    worth = (1, *[0.1] * 5)
    assert quoted(6, likely=likely, worth=worth) == [0]
    assert quoted(6, likely=likely, worth=worth, fixed=(3, 5)) == [0, 3, 5]


def test_a_budget_is_filled_with_places_however_likely_they_are() -> None:
    likely = (0.9, *[0.02] * 5)
    assert quoted(6, likely=likely, max_tokens=400) == [*range(6)]
    assert quoted(6, likely=likely, max_tokens=400, max_sentences=6) == [0]


def test_a_place_that_is_left_out_is_named_with_the_reason() -> None:
    page = "## One\n\nA walrus sings. A walrus sings twice.\n\n## Two\n\nA seal sings. It rests."
    left_out = places(page, range(4), likely=(0.9, 0.05))[1]
    assert left_out == {2: "the places before it are more likely to answer"}
    assert places(page, range(4), likely=(0.4, 0.3))[1] == {}


def test_another_tab_of_the_first_section_is_quoted_in_any_case() -> None:
    page = (
        '## One\n\n=== "Sea"\n\n    A walrus sings.\n\n=== "Land"\n\n    A seal dances.\n\n'
        "## Two\n\nA bird rests.\n"
    )
    sea, land, bird = 1, 3, 4  # the others are the titles of the tabs
    for likely in ((0.9, 0.05), (0.3, 0.05), (0.1, 0.05)):
        for worth in ((1, 1, 1), (1, 0.1, 0.1)):
            chosen = places(page, (sea, land, bird), likely=likely, worth=worth)
            assert [*chosen[0]] == [sea, land]
            assert [*chosen[1]] == [bird]


def answer(pages: dict[str, str], query: Any, **options: Any) -> Result:
    return Corpus.from_markdown(pages).recall(query, on_empty="omit", min_score=0, **options)


@pytest.mark.parametrize("context", ["auto", "block", "section"])
def test_sentences_of_one_section_are_one_passage(context: Any) -> None:
    days = ("Monday", "Tuesday", "Sunday")
    songs = [[f"On {day}, a walrus sings song {n}." for n in range(3)] for day in days]
    one, two, three = ("\n\n".join(song) for song in songs)
    page = f"# Larch\n\n## One\n\n{one}\n\n### Two\n\n{two}\n\n## Three\n\n{three}\n"
    result = answer({"a.md": page}, "walrus sings song", max_sentences=9, context=context)
    sources = ["a.md#one", "a.md#two", "a.md#three"]  # of which each is as likely
    assert [passage.source for passage in result.passages] == sources
    assert [passage.rank for passage in result.passages] == [1, 2, 3]
    assert quoted_texts(result) == [" ".join(song) for song in songs]


def sizes(chosen: tuple[Mapping[int, Quotation], Mapping[int, str]]) -> list[int]:
    """Return how many words each place is quoted with."""
    return [sum(words_in(s.text, "en") for s in q.sentences) for q in chosen[0].values()]


REST = " ".join(f"{'Alder ' * 9}stone." for _ in range(12))
LONG = "\n\n".join(f"## The {animal}\n\nA {animal} sings. {REST}" for animal in ANIMALS[:3])
"""Sections of thirteen sentences: one of three words, and others of ten each."""


@pytest.mark.parametrize("max_sentences", [2, 3, 6])
def test_each_place_has_the_words_of_an_opening_however_many_there_are(max_sentences: int) -> None:
    chosen = places(LONG, (0, 13, 26), likely=[0.3] * 3, max_sentences=max_sentences)
    assert sizes(chosen) == [73] * (3 if max_sentences == 6 else 2)


@tabled
def test_a_budget_is_filled_while_words_are_left(max_tokens: int, expected: list[int]) -> None:
    numbers = (0, 8, 9, 13, 21)  # two sentences of the first and one of the second are beyond
    assert sizes(places(LONG, numbers, max_tokens=max_tokens)) == expected
