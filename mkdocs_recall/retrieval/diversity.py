"""The choice of sentences that differ from each other: maximal marginal relevance.

`ranking` has what a choice by score alone needs.
"""

from __future__ import annotations

import math
from itertools import islice
from typing import TYPE_CHECKING

from mkdocs_recall.retrieval.ranking import DUPLICATE, ranked
from mkdocs_recall.scoring.features import similarity
from mkdocs_recall.text.model import LABELS
from mkdocs_recall.text.phrases import phrases

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from mkdocs_recall.index.index import Index

POOL = 8
"""Diversity chooses among this many times the sentences wanted, and at least `MIN_POOL`."""
MIN_POOL = 60
DANGLING = 3.0
"""A sentence that leans on one that is not chosen loses this much of its score."""
_ASIDES = LABELS | {"admonition"}
"""The kinds of blocks that may precede the first sentence of a page's own text."""


def maximal_marginal_relevance(
    index: Index,
    values: Mapping[int, float],
    count: int,
    *,
    diversity: float,
    shuns_dangling: bool = False,
) -> list[int]:
    """Choose sentences one by one by maximal marginal relevance (Carbonell & Goldstein 1998).

    Each step chooses the sentence with the highest `(1 - d)·relevance - d·similarity`: relevance is
    the score scaled to [0, 1] over all values, similarity the highest one to a chosen sentence.

    Args:
        index: The sentences.
        values: Scores by sentence number; they may be negative.
        count: How many to return at most.
        diversity: d, in [0, 1].
        shuns_dangling: Rank a sentence such as "It …" lower, unless the one before it is chosen;
            and open with one only where every sentence leans on another.
    """
    size = min(len(values), max(MIN_POOL, POOL * count))
    quotable = (n for n in ranked(values, size) if index.sentences[n].quotable)
    pool = list(islice(quotable, size))
    if not pool:
        return []
    low, high = min(values.values()), max(values.values())
    scale = (high - low) or 1.0
    chosen: list[int] = []
    similarities = _ChosenSimilarity(index, chosen)

    def relevance(number: int, penalty: float = 0.0) -> float:
        return (1 - diversity) * ((values[number] - penalty - low) / scale)

    while pool and len(chosen) < count:
        pick, most = -1 if chosen else pool[0], -math.inf
        for number in pool:
            if relevance(number) <= most:
                break  # no later sentence is better: similarity and leaning only lower relevance
            similar = similarities.highest(number)
            leans = shuns_dangling and _leans(index, number, chosen)
            if similar >= DUPLICATE or (leans and number < min(chosen, default=math.inf)):
                continue
            merit = relevance(number, DANGLING * leans) - diversity * similar
            if merit > most:
                pick, most = number, merit
        if pick < 0:
            break
        pool.remove(pick)
        chosen.append(pick)
    return chosen


class _ChosenSimilarity:
    """The similarity of sentences to a growing list of chosen ones; no pair is compared twice."""

    def __init__(self, index: Index, chosen: Sequence[int]) -> None:
        self._index = index
        self._chosen = chosen
        self._terms: dict[int, frozenset[str]] = {}
        self._highest: dict[int, tuple[int, float]] = {}
        """By sentence: to how many of the chosen it was compared, and the highest similarity."""

    def highest(self, number: int) -> float:
        """Return the highest similarity of a sentence to a chosen one, 0 for none."""
        compared, highest = self._highest.get(number, (0, 0.0))
        for other in self._chosen[compared:]:
            highest = max(highest, similarity(self._terms_of(number), self._terms_of(other)))
        self._highest[number] = len(self._chosen), highest
        return highest

    def _terms_of(self, number: int) -> frozenset[str]:
        if number not in self._terms:
            self._terms[number] = self._index.term_set(number)
        return self._terms[number]


def _leans(index: Index, number: int, chosen: Collection[int]) -> bool:
    """Tell whether a sentence leans on the one before it, which is not chosen.

    The first sentence of a page's own text leans on no other: there, "This service …" refers to the
    page's title.
    """
    before, document = number - 1, index.document(number)
    if before in chosen and index.block_of[before] == index.block_of[number]:
        return False
    if not phrases(document.language).leans(index.sentences[number].text):
        return False
    if index.sentences[number].start > 0:
        return True
    above = islice(document.blocks, index.sentences[number].block)  # a slice would copy them
    return any(block.kind not in _ASIDES for block in above)
