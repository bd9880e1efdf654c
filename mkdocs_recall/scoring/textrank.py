"""`textrank`: sentences that share most terms with the other sentences.

Mihalcea & Tarau (2004), "TextRank: Bringing Order into Text".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mkdocs_recall.scoring.explanation import Explanation, Scores
from mkdocs_recall.scoring.features import block_decay, candidates, centrality

if TYPE_CHECKING:
    from mkdocs_recall.index.index import Index


def score(index: Index) -> Scores:
    """Score the candidates: their TextRank weight x `1/(1 + block_index)`.

    `features.centrality` computes the weight. Range (0, ∞).

    Returns:
        A score for each candidate.
    """
    chosen = candidates(index)
    ranks = centrality([index.term_set(number) for number in chosen])
    values = {
        number: rank * block_decay(index, number)
        for number, rank in zip(chosen, ranks, strict=True)
    }

    def explain(number: int) -> Explanation:
        return Explanation(
            values[number],
            "textrank: what it shares with the other sentences,"
            f" counted down for block {index.block(number).top + 1} of the page",
        )

    return Scores(values, explain)
