"""`coverage`: how much of what is asked stands in a sentence, or close to it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from mkdocs_recall.query import query_terms
from mkdocs_recall.scoring.explanation import Explanation, Scores

if TYPE_CHECKING:
    from mkdocs_recall.index import Index
    from mkdocs_recall.query import Term

IN_SENTENCE = 1.0
IN_BLOCK = 0.6
IN_NEIGHBOUR = 0.2
IN_SECTION = 0.05
"""What a term is worth by where it stands: tuned on SQuAD 2, XQuAD and Chroma's question set."""

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
    values = {  # both sums are exact, so that no score is above 1
        number: math.fsum([s.weight * s.credit(number) for s in found]) / total
        for number in sorted(set().union(*(standing.sentences for standing in found)))
    }

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


class _Standing:
    """Where one term of the query stands, and what that is worth to a sentence."""

    def __init__(self, index: Index, term: Term) -> None:
        self.term = term
        self.sentences = frozenset(index.with_term(term))
        self.weight = index.idf(len(self.sentences))
        self._block_of, self._section_of = index.block_of, index.section_of
        self._document_of = index.document_of
        self._blocks = {index.block_of[number] for number in self.sentences}
        self._sections = {index.section_of[block] for block in self._blocks}
        self._sections |= index.sections_headed(term)

    def credit(self, number: int) -> float:
        """Return what the term is worth to a sentence."""
        if number in self.sentences:
            return IN_SENTENCE
        block = self._block_of[number]
        if block in self._blocks:
            return IN_BLOCK
        if self._is_beside(number - 1, block) or self._is_beside(number + 1, block):
            return IN_NEIGHBOUR
        return IN_SECTION if self._section_of[block] in self._sections else 0.0

    def _is_beside(self, near: int, block: int) -> bool:
        return near in self.sentences and (
            self._document_of[self._block_of[near]] == self._document_of[block]
        )
