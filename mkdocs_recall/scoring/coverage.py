"""`coverage`: how much of what is asked stands in a sentence, or close to it."""

from __future__ import annotations

import math
from collections import defaultdict
from typing import TYPE_CHECKING

from mkdocs_recall.query import query_terms
from mkdocs_recall.scoring.explanation import Explanation, Scores

if TYPE_CHECKING:
    from collections.abc import Sequence

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
    total = math.fsum(standing.weight for standing in found)
    # Both sums are exact, so that no score is above 1.
    values = {number: units / _UNITS / total for number, units in _sums(index, found).items()}

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


def _sums(index: Index, found: Sequence[_Standing]) -> dict[int, int]:
    """Return `Σ idf(t)·c(t, s)` of each sentence that holds a term, as a number of units.

    Every term adds what it is worth to its sections, its blocks and its sentences, each time what
    that is more than the wider place: no term meets every sentence. Whole numbers make the sums
    exact in any order.
    """
    sentences: defaultdict[int, int] = defaultdict(int)
    blocks: defaultdict[int, int] = defaultdict(int)
    sections: defaultdict[int, int] = defaultdict(int)
    for standing in found:
        in_sentence, in_block = standing.units(IN_SENTENCE), standing.units(IN_BLOCK)
        in_section = standing.units(IN_SECTION)
        for number in standing.sentences:
            sentences[number] += in_sentence - in_block
        for block in standing.blocks:
            blocks[block] += in_block - in_section
        for section in standing.sections:
            sections[section] += in_section
    ends = {n for n in sentences if n + 1 in sentences and index.parts_blocks(n)}
    starts = {n + 1 for n in ends}
    for standing in found:
        beside, in_section = standing.units(IN_NEIGHBOUR), standing.units(IN_SECTION)
        near = {n - 1 for n in standing.sentences & starts}
        near.update(n + 1 for n in standing.sentences & ends)
        for number in near:
            block = index.block_of[number]
            if block not in standing.blocks:
                headed = index.section_of[block] in standing.sections
                sentences[number] += beside - in_section if headed else beside
    for block in blocks:
        blocks[block] += sections[index.section_of[block]]
    return {number: own + blocks[index.block_of[number]] for number, own in sentences.items()}


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
