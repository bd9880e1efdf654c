"""`luhn`: sentences with the densest cluster of significant words.

Luhn (1958), "The Automatic Creation of Literature Abstracts".
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from mkdocs_recall.scoring.explanation import Explanation, Scores
from mkdocs_recall.scoring.features import block_decay, candidates
from mkdocs_recall.text.terms import words

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from mkdocs_recall.index.index import Index

GAP: Final = 5
"""The most words between two significant words of a cluster: embedm's value (Luhn: 4 or 5)."""


def score(index: Index) -> Scores:
    """Score the candidates: the best cluster's `significant² / length x 1/(1 + block_index)`.

    A word is significant if it is no stop word and occurs in the candidates more often than their
    words do on average. Range [0, ∞). Luhn (1958), with the factor for the block from embedm.

    Returns:
        A score for each candidate.
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

    A cluster starts at a significant word and continues while at most `GAP` other words separate it
    from the next one; its length counts all words from its first to its last significant one. As in
    the original, every significant word starts a cluster of its own.
    """
    positions = [position for position, word in enumerate(sentence) if word in significant]
    best, end = 0.0, len(positions) - 1
    # From the last word to the first, so that the end of a cluster is known before its start.
    for start in range(len(positions) - 1, -1, -1):
        if start + 1 < len(positions) and positions[start + 1] - positions[start] - 1 > GAP:
            end = start
        best = max(best, (end - start + 1) ** 2 / (positions[end] - positions[start] + 1))
    return best
