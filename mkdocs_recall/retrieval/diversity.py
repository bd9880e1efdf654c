"""The choice of sentences that differ from each other: maximal marginal relevance.

`ranking` has what a choice by score alone needs.
"""

from __future__ import annotations

import heapq
import math
from itertools import islice
from typing import TYPE_CHECKING

from mkdocs_recall.retrieval.chosen_terms import DUPLICATE, ChosenTerms
from mkdocs_recall.retrieval.ranking import ranked
from mkdocs_recall.text.model import LABELS
from mkdocs_recall.text.phrases import phrases

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

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
        values: Scores by sentence number; they may be negative.
        count: How many to return at most.
        diversity: d, in [0, 1].
        shuns_dangling: Rank a sentence such as "It …" lower, unless the one before it is chosen;
            and open with one only where every sentence leans on another.
    """
    size = min(len(values), max(MIN_POOL, POOL * count))
    quotable = (n for n in ranked(values, size) if index.sentences[n].quotable)
    numbers = list(islice(quotable, size))
    if not numbers:
        return []
    low, high = min(values.values()), max(values.values())
    scale = (high - low) or 1.0

    def relevance(number: int, penalty: float) -> float:
        return (1 - diversity) * ((values[number] - penalty - low) / scale)

    pool = _Pool(index, numbers, relevance, diversity, shuns_dangling=shuns_dangling)
    while len(pool.chosen) < count and pool.choose():
        pass
    return pool.chosen


class _Pool:
    """The sentences to choose from, by the merit that they have at most.

    Similarity to the chosen sentences only grows, so what a sentence was worth earlier bounds what
    it is worth now: only those at the top are compared with the sentences chosen meanwhile.
    """

    def __init__(
        self,
        index: Index,
        numbers: Sequence[int],
        relevance: Callable[[int, float], float],
        diversity: float,
        *,
        shuns_dangling: bool,
    ) -> None:
        """Start without a choice.

        Args:
            numbers: Those to choose from, by rank, at least one.
            relevance: Returns what a sentence is worth by itself if its score is so much lower.
            diversity: See `maximal_marginal_relevance`, also for the next.
        """
        self.chosen: list[int] = []
        self._index = index
        self._numbers = numbers
        self._relevance = relevance
        self._diversity = diversity
        self._leaning = _Leaning(index) if shuns_dangling else None
        self._terms = ChosenTerms()
        self._place_of = {number: place for place, number in enumerate(numbers)}
        """The places of the sentences that may still be chosen."""
        self._merits = [(-relevance(number, 0.0), place) for place, number in enumerate(numbers)]
        heapq.heapify(self._merits)
        self._first: float = math.inf
        """The first sentence of the page that is chosen."""
        self._withheld: list[int] = []
        """Minus the sentences before it that lean on another: these may not open a quotation."""

    def choose(self) -> bool:
        """Choose the sentence with the highest merit, the higher ranked of equals, if one is left.

        A sentence that leans on another comes first only if all do.
        """
        while self._merits:
            most, place = self._merits[0]
            number = self._numbers[place]
            terms = self._index.term_set(number)
            if number not in self._place_of:
                heapq.heappop(self._merits)
            elif (similar := self._terms.highest(terms)) >= DUPLICATE:
                del self._place_of[number]
            elif (leans := self._leans(number)) and number < self._first:
                heapq.heappop(self._merits)
                heapq.heappush(self._withheld, -number)
            else:
                merit = self._relevance(number, DANGLING * leans) - self._diversity * similar
                if merit >= -most:
                    self._take(number)
                    return True
                heapq.heapreplace(self._merits, (-merit, place))
        if self.chosen:
            return False
        self._take(self._numbers[0])
        return True

    def _take(self, number: int) -> None:
        del self._place_of[number]
        self.chosen.append(number)
        self._terms.add(self._index.term_set(number))
        if self._leaning is None:
            return
        self._leaning.hold_up(number)
        if number < self._first:
            self._first = number
            while self._withheld and -self._withheld[0] > number:
                self._offer(-heapq.heappop(self._withheld))
        self._offer(number + 1)  # which leaned on it, maybe

    def _offer(self, number: int) -> None:
        """Let a sentence that may have gained compete again by what it is worth at most."""
        if number in self._place_of:
            entry = -self._relevance(number, 0.0), self._place_of[number]
            heapq.heappush(self._merits, entry)

    def _leans(self, number: int) -> bool:
        return self._leaning is not None and self._leaning.leans(number)


class _Leaning:
    """Tells whether a sentence leans on the one before it, which is not chosen.

    The first sentence of a page's own text leans on no other: there, "This service …" refers to the
    page's title.
    """

    def __init__(self, index: Index) -> None:
        """Start without a chosen sentence."""
        self._index = index
        self._chosen: set[int] = set()
        self._by_itself: dict[int, bool] = {}
        self._own_text: dict[str, int] = {}
        """By page: the first block of its own text."""

    def hold_up(self, number: int) -> None:
        """Add a chosen sentence; the one after it in its block leans on none that is missing."""
        self._chosen.add(number)

    def leans(self, number: int) -> bool:
        """Tell whether a sentence leans on one that is not chosen."""
        block_of, before = self._index.block_of, number - 1
        if before in self._chosen and block_of[before] == block_of[number]:
            return False
        if number not in self._by_itself:
            self._by_itself[number] = self._leans_by_itself(number)
        return self._by_itself[number]

    def _leans_by_itself(self, number: int) -> bool:
        sentence, document = self._index.sentences[number], self._index.document(number)
        if not phrases(document.language).leans(sentence.text):
            return False
        if sentence.start > 0:
            return True
        own = self._own_text.get(document.uri)
        if own is None:
            kinds = (block.kind for block in document.blocks)
            own = next(
                (n for n, kind in enumerate(kinds) if kind not in _ASIDES), len(document.blocks)
            )
            self._own_text[document.uri] = own
        return own < sentence.block
