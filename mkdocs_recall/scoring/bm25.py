"""`bm25`: Okapi BM25 with sentences as documents."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mkdocs_recall.query import query_terms
from mkdocs_recall.scoring.explanation import Explanation, Scores

if TYPE_CHECKING:
    from mkdocs_recall.index import Index
    from mkdocs_recall.query import Term

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
    standing = {term: index.with_term(term) for term in query_terms(query, index.languages)}
    weights = {term: index.idf(len(counts)) for term, counts in standing.items()}
    lengths = [len(sentence.words) for sentence in index.sentences]
    average = sum(lengths) / max(1, len(lengths)) or 1.0

    def part(term: Term, number: int) -> float:
        frequency = standing[term][number]
        norm = K1 * (1 - B + B * lengths[number] / average)
        return weights[term] * frequency * (K1 + 1) / (frequency + norm)

    values: dict[int, float] = {}
    for term, counts in standing.items():
        for number in counts:
            values[number] = values.get(number, 0.0) + part(term, number)

    def explain(number: int) -> Explanation:
        parts = tuple(
            Explanation(part(term, number), f"'{term.word}'")
            for term, counts in standing.items()
            if number in counts
        )
        return Explanation(
            values[number], f"bm25: {len(parts)} of {len(standing)} words of the query", parts
        )

    return Scores(values, explain)
