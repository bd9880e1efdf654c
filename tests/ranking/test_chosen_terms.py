"""The choice among many sentences is that of the plain definitions, and its work is bounded."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, strategies as st

from mkdocs_recall import Corpus
from mkdocs_recall.index.index import Index
from mkdocs_recall.index.query import Part
from mkdocs_recall.ranking import selection as chosen_terms
from mkdocs_recall.ranking.places import Quotable
from mkdocs_recall.ranking.scores import similarity
from mkdocs_recall.ranking.selection import (
    DANGLING,
    DUPLICATE,
    ChosenTerms,
    choose,
    maximal_marginal_relevance,
)

WORDS = ("token", "session", "cookie", "server", "client", "password", "logout", "browser")
SCORES = (0.1, 0.2, 0.2000001, 0.5, 0.9, 1.0, 1.7)

sentences = st.builds(
    lambda opening, words: f"{opening} {' '.join(words)}.",
    st.sampled_from(("It", "A", "However,", "The")),
    st.lists(st.sampled_from(WORDS), min_size=2, max_size=14),
)
paragraphs = st.builds(" ".join, st.lists(sentences, min_size=1, max_size=4))
pages = st.lists(
    st.one_of(paragraphs, paragraphs, st.sampled_from(("## One", "## Two", "!!! note"))),
    min_size=1,
    max_size=12,
).map("\n\n".join)
term_sets = st.frozensets(st.integers(0, 24).map(str), max_size=24)


def index_of(markdown: str) -> Index:
    corpus = Corpus.from_markdown({"a.md": f"# Page\n\n{markdown}"})
    return Index([Part(page, page.blocks) for page in corpus.documents])


def scored(data: st.DataObject, index: Index) -> dict[int, float]:
    return {n: data.draw(st.sampled_from(SCORES)) for n in range(len(index.sentences))}


def leans(index: Index, number: int, chosen: list[int]) -> bool:
    """Tell whether a sentence of these pages leans on one that is not chosen."""
    sentence = index.sentences[number]
    if number - 1 in chosen and index.block_of[number - 1] == index.block_of[number]:
        return False
    if not sentence.text.startswith(("It", "However")):
        return False
    above = index.document(number).blocks[: sentence.block]
    labels = {"heading", "title", "admonition"}
    return sentence.start > 0 or any(block.kind not in labels for block in above)


def plain_choice(
    index: Index, values: dict[int, float], count: int, diversity: float, *, shuns: bool
) -> list[int]:
    """Choose by the definition of maximal marginal relevance: compare each pair, in each step."""
    pool = sorted(values, key=lambda n: (-values[n], n))
    low, high = min(values.values()), max(values.values())
    scale = (high - low) or 1.0
    chosen: list[int] = []
    terms = {number: index.term_set(number) for number in pool}
    while len(chosen) < count:
        pick, most = (-1 if chosen else pool[0]), -math.inf
        for number in pool:
            similar = max((similarity(terms[number], terms[n]) for n in chosen), default=0.0)
            leaning = shuns and leans(index, number, chosen)
            if number in chosen or similar >= DUPLICATE:
                continue
            if leaning and number < min(chosen, default=math.inf):
                continue
            lost = DANGLING * leaning
            merit = (1 - diversity) * ((values[number] - lost - low) / scale) - diversity * similar
            if merit > most:
                pick, most = number, merit
        if pick < 0:
            break
        chosen.append(pick)
    return chosen


def plain_selection(index: Index, values: dict[int, float], count: int) -> list[int]:
    """Choose by rank, and compare each sentence with each one chosen."""
    chosen: list[int] = []
    for number in sorted(values, key=lambda n: (-values[n], n)):
        if len(chosen) == count or values[number] <= 0:
            break
        terms = index.term_set(number)
        if all(similarity(terms, index.term_set(n)) < DUPLICATE for n in chosen):
            chosen.append(number)
    return chosen


@given(
    page=pages,
    data=st.data(),
    count=st.integers(1, 12),
    diversity=st.sampled_from((0.0, 0.3, 0.5, 1.0)),
    shuns=st.booleans(),
)
def test_the_diverse_choice_is_that_of_the_definition(
    *, page: str, data: st.DataObject, count: int, diversity: float, shuns: bool
) -> None:
    index = index_of(page)
    values = scored(data, index)
    fast = maximal_marginal_relevance(
        index, values, count, diversity=diversity, shuns_dangling=shuns
    )
    if values:
        assert fast == plain_choice(index, values, count, diversity, shuns=shuns)


@given(page=pages, data=st.data(), count=st.integers(1, 12))
def test_the_choice_is_that_of_the_definition(page: str, data: st.DataObject, count: int) -> None:
    index = index_of(page)
    values = scored(data, index)
    quotable = Quotable(index)
    chosen = choose(quotable, quotable.ranked(values, count), count)
    assert [*chosen] == plain_selection(index, values, count)


@given(chosen=st.lists(term_sets, max_size=12), other=term_sets, cut=st.integers(0, 12))
def test_the_likeness_to_chosen_sentences_is_exact_at_any_time(
    chosen: list[frozenset[str]], other: frozenset[str], cut: int
) -> None:
    terms = ChosenTerms()
    for part in (chosen[:cut], chosen[cut:]):
        for each in part:
            terms.add(each)
        likeness = [similarity(other, each) for each in chosen[: len(terms)]]
        assert terms.highest(other) == max(likeness, default=0.0)
        first = next((n for n, value in enumerate(likeness) if value >= DUPLICATE), None)
        assert terms.repeated(other) == first


@pytest.mark.slow
@pytest.mark.parametrize("diversity", [0.0, 0.5])
def test_few_of_all_pairs_are_compared(monkeypatch: pytest.MonkeyPatch, diversity: float) -> None:
    sentences = 1000
    page = "".join(f"A session of type{n} expires after day{n % 37}.\n\n" for n in range(sentences))
    page += "Each session expires after a day.\n\n" * sentences
    compared = 0

    def counted(a: frozenset[str], b: frozenset[str]) -> float:
        nonlocal compared
        compared += 1
        return similarity(a, b)

    monkeypatch.setattr(chosen_terms, "similarity", counted)
    corpus = Corpus.from_markdown({"a.md": page})
    count = 200
    result = corpus.recall(
        "session",
        scorer="coverage",
        max_sentences=count,
        min_score=0,
        diversity=diversity,
        context=0,
    )
    assert len(result.passages) > 1
    assert compared < count * sentences / 4


def test_beyond_its_work_a_choice_compares_only_equal_terms() -> None:
    terms = ChosenTerms(work=0)
    ten = frozenset(map(str, range(10)))
    terms.add(ten)
    nine = ten - {"0"}
    assert similarity(ten, nine) > DUPLICATE
    assert (terms.highest(nine), terms.repeated(nine)) == (0.0, None)
    assert (terms.highest(ten), terms.repeated(ten)) == (1.0, 0)
