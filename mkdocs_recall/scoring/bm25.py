"""`bm25`: Okapi BM25 with sentences as documents."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mkdocs_recall.index.query import query_terms
from mkdocs_recall.scoring.explanation import Explanation, Scores

if TYPE_CHECKING:
    from mkdocs_recall.index.index import Index

K1 = 0.6
B = 0.3
"""Lower than the usual 1.2 and .75: a sentence is short and seldom repeats a word."""


def score(query: str, index: Index) -> Scores:
    """Score the sentences that hold a term of the query.

    `Σ idf(t) · tf·(k1 + 1) / (tf + k1·(1 - b + b·|s|/avg))` over the terms of the query (Robertson
    & Zaragoza 2009), idf as `Index.idf`, so never negative. Range (0, ∞).

    Args:
        query: What is asked.
        index: The sentences; idf and the average length are over all of them.

    Returns:
        A score for each sentence with at least one term in it.
    """
    terms = query_terms(query, index.languages)
    standing = [index.frequencies(term) for term in terms]
    weights = [index.idf(len(counts)) for counts in standing]
    lengths, average = index.lengths, index.average_length

    def part(weight: float, frequency: int, length: int) -> float:
        norm = K1 * (1 - B + B * length / average)
        return weight * frequency * (K1 + 1) / (frequency + norm)

    values: dict[int, float] = {}
    for counts, weight in zip(standing, weights, strict=True):
        for number, frequency in counts.items():
            worth = part(weight, frequency, lengths[number])
            values[number] = values.get(number, 0.0) + worth

    def explain(number: int) -> Explanation:
        parts = tuple(
            Explanation(part(weight, counts[number], lengths[number]), f"'{term.word}'")
            for term, counts, weight in zip(terms, standing, weights, strict=True)
            if number in counts
        )
        return Explanation(
            values[number], f"bm25: {len(parts)} of {len(standing)} words of the query", parts
        )

    return Scores(values, explain)
