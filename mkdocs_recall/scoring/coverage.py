"""`coverage`: how much of what is asked stands in a sentence, or close to it."""

from __future__ import annotations

import math
from collections import Counter
from itertools import chain
from typing import TYPE_CHECKING

from mkdocs_recall.query import query_terms
from mkdocs_recall.scoring.explanation import Explanation, Layered, Scores

if TYPE_CHECKING:
    from collections.abc import Sequence
    from collections.abc import Set as AbstractSet

    from mkdocs_recall.index import Index
    from mkdocs_recall.query import Term

IN_SENTENCE = 1.0
IN_BLOCK = 0.6
IN_NEIGHBOUR = 0.2
IN_SECTION = 0.05
"""What a term is worth by where it stands: tuned on SQuAD 2, XQuAD and Chroma's question set."""

_UNITS = 2.0**100
"""In 1. As many as make a whole number of every float from 2^-48 up; no weight is that small."""

_PLACES = {
    IN_SENTENCE: "in the sentence",
    IN_BLOCK: "in its block",
    IN_NEIGHBOUR: "in the sentence beside it",
    IN_SECTION: "in its section or a heading",
    0.0: "not near it",
}


def score(query: str, index: Index) -> Scores:
    """Score the sentences that hold a term of the query.

    `Σ idf(t)·c(t, s) / Σ idf(t)` over the terms t of the query, where c is 1 for a term in the
    sentence, .6 elsewhere in its block, .2 in the sentence before or after it, .05 elsewhere in its
    section or in a heading above it, else 0. Range (0, 1].

    Args:
        query: What is asked.
        index: The sentences; idf is over all of them.

    Returns:
        A score for each sentence with at least one term in it.
    """
    terms = query_terms(query, index.languages)
    found = [_Standing(index, term) for term in terms]
    total = math.fsum(standing.weight for standing in found) or 1.0  # of stop words alone

    def score_of(units: int) -> float:
        return units / _UNITS / total  # both sums are exact, so that no score is above 1

    def scored(numbers: AbstractSet[int]) -> dict[int, float]:
        return {number: score_of(units) for number, units in _sums(index, found, numbers).items()}

    matching = set().union(*(standing.sentences for standing in found))
    shared = _shared_blocks(found)
    together = {number for number in matching if index.block_of[number] in shared}
    # With one term in its block a sentence is seldom among the best, and most have no more.
    values = Layered(
        scored(together),
        below=score_of(_most_alone(found)),
        rest=lambda: scored(matching - together),
    )

    def explain(number: int) -> Explanation:
        parts = tuple(
            Explanation(
                standing.weight / total * standing.credit(number),
                f"'{standing.term.word}' {_PLACES[standing.credit(number)]}",
            )
            for standing in found
        )
        held = sum(number in standing.sentences for standing in found)
        return Explanation(
            values[number], f"coverage: {held} of {len(terms)} words of the query", parts
        )

    return Scores(values, explain)


def _shared_blocks(found: Sequence[_Standing]) -> set[int]:
    """Return the blocks in which at least two terms stand."""
    terms_in = Counter(chain.from_iterable(standing.blocks for standing in found))
    return {block for block, terms in terms_in.items() if terms > 1}


def _most_alone(found: Sequence[_Standing]) -> int:
    """Return the highest sum that a sentence can have with but one term in its block."""
    beside = sum(standing.units(IN_NEIGHBOUR) for standing in found)
    return beside + max(
        (standing.units(IN_SENTENCE) - standing.units(IN_NEIGHBOUR) for standing in found),
        default=0,
    )


def _sums(index: Index, found: Sequence[_Standing], numbers: AbstractSet[int]) -> dict[int, int]:
    """Return `Σ idf(t)·c(t, s)` of some sentences, as a number of units.

    Every term adds what it is worth to its sections, its blocks and its sentences, each time what
    that is more than the wider place: no term meets every sentence. Whole numbers make the sums
    exact in any order.
    """
    block_of, section_of = index.block_of, index.section_of
    sentences = dict.fromkeys(numbers, 0)
    blocks = dict.fromkeys(map(block_of.__getitem__, numbers), 0)
    sections = dict.fromkeys(map(section_of.__getitem__, blocks), 0)
    before = {number - 1 for number in numbers if number and index.parts_blocks(number - 1)}
    after = {number + 1 for number in numbers if index.parts_blocks(number)}
    for standing in found:
        in_sentence, in_block = standing.units(IN_SENTENCE), standing.units(IN_BLOCK)
        in_neighbour, in_section = standing.units(IN_NEIGHBOUR), standing.units(IN_SECTION)
        for section in sections.keys() & standing.sections:
            sections[section] += in_section
        for block in blocks.keys() & standing.blocks:
            blocks[block] += in_block - in_section
        for number in standing.sentences & numbers:
            sentences[number] += in_sentence - in_block
        beside = {number + 1 for number in standing.sentences & before}
        beside.update(number - 1 for number in standing.sentences & after)
        for number in beside:
            block = block_of[number]
            if block not in standing.blocks:
                headed = section_of[block] in standing.sections
                sentences[number] += in_neighbour - in_section if headed else in_neighbour
    for block in blocks:
        blocks[block] += sections[section_of[block]]
    return {number: own + blocks[block_of[number]] for number, own in sentences.items()}


class _Standing:
    """Where one term of the query stands, and what that is worth to a sentence."""

    def __init__(self, index: Index, term: Term) -> None:
        self.term = term
        self.sentences = index.with_term(term)
        self.blocks = set(map(index.block_of.__getitem__, self.sentences))
        self.sections = set(map(index.section_of.__getitem__, self.blocks))
        self.sections |= index.sections_headed(term)
        self.weight = index.idf(len(self.sentences))
        self._index = index

    def units(self, credit: float) -> int:
        """Return what a credit is worth."""
        return int(self.weight * credit * _UNITS)

    def credit(self, number: int) -> float:
        """Return what the term is worth to a sentence."""
        index = self._index
        if number in self.sentences:
            return IN_SENTENCE
        block = index.block_of[number]
        if block in self.blocks:
            return IN_BLOCK
        if (number - 1 in self.sentences and index.parts_blocks(number - 1)) or (
            number + 1 in self.sentences and index.parts_blocks(number)
        ):
            return IN_NEIGHBOUR
        return IN_SECTION if index.section_of[block] in self.sections else 0.0
