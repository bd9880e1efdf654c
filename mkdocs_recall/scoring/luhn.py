"""`luhn`: sentences with the densest cluster of significant words (Luhn 1958)."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from mkdocs_recall.scoring.explanation import Explanation, Scores
from mkdocs_recall.scoring.features import block_decay, candidates
from mkdocs_recall.text.terms import words

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from mkdocs_recall.index.index import Index

GAP = 5
"""How many other words may stand between two significant words of a cluster (embedm; Luhn: 4-5)."""


def score(index: Index) -> Scores:
    """Score the candidates: the best cluster's `significant² / length x 1/(1 + block_index)`.

    Significant is a word, stop words left out, that stands in the candidates more often than their
    words do on average. Range [0, ∞).
    """
    chosen = candidates(index)
    counts = Counter(word for number in chosen for word in index.sentences[number].words)
    average = sum(counts.values()) / max(1, len(counts))
    significant = {word for word, count in counts.items() if count > average}
    values = {
        number: best_cluster(words(index.sentences[number].text), significant)
        * block_decay(index, number)
        for number in chosen
    }

    def explain(number: int) -> Explanation:
        held = sorted(significant.intersection(index.sentences[number].words))
        return Explanation(
            values[number],
            f"luhn: how close its frequent words stand ({', '.join(held) or 'none'}),"
            f" counted down for block {index.block(number).top + 1} of the page",
        )

    return Scores(values, explain)


def best_cluster(sentence: Sequence[str], significant: Collection[str]) -> float:
    """Return the highest `significant² / length` of a sentence's clusters.

    A cluster starts at a significant word and goes on as long as at most `GAP` other words stand
    between two of them; its length counts all words from its first to its last significant one. As
    in the original, every significant word starts a cluster of its own.
    """
    at = [position for position, word in enumerate(sentence) if word in significant]
    best, end = 0.0, len(at) - 1
    for start in range(len(at) - 1, -1, -1):
        if start + 1 < len(at) and at[start + 1] - at[start] - 1 > GAP:
            end = start
        best = max(best, (end - start + 1) ** 2 / (at[end] - at[start] + 1))
    return best
