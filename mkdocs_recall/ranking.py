"""From scores to the chosen sentences: order, ties, near-duplicates, diversity, number."""

from __future__ import annotations

import heapq
import math
from itertools import islice
from typing import TYPE_CHECKING

from mkdocs_recall.scoring.explanation import Layered
from mkdocs_recall.scoring.features import similarity
from mkdocs_recall.scoring.phrases import phrases

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from mkdocs_recall.index import Index

DUPLICATE = 0.9
"""Sentences whose sets of terms are this similar (cosine) say the same twice."""
POOL = 8
"""Diversity chooses among this many times the sentences asked for, and at least `MIN_POOL`."""
MIN_POOL = 60
DANGLING = 1.0
"""What a sentence that leans on the one before it loses of its score."""


def best(
    index: Index, values: Mapping[int, float], count: int, *, hidden: Collection[str] = ()
) -> list[int]:
    """Return the highest scored sentences that may be quoted, by (-score, position).

    Args:
        index: The sentences.
        values: Scores by sentence number; only those above 0 count.
        count: How many to return at most, at least 1.
        hidden: Pages whose sentences are not chosen.
    """
    chosen: list[int] = []
    seen: list[frozenset[str]] = []
    for number in _ranked(values, count):
        if values[number] <= 0:
            break
        if not index.sentences[number].quotable or index.document(number).uri in hidden:
            continue
        terms = index.term_set(number)
        if any(similarity(terms, other) >= DUPLICATE for other in seen):
            continue
        chosen.append(number)
        seen.append(terms)
        if len(chosen) == count:
            break
    return chosen


def diverse(
    index: Index,
    values: Mapping[int, float],
    count: int,
    *,
    diversity: float,
    shuns_dangling: bool = False,
) -> list[int]:
    """Choose sentences one by one by maximal marginal relevance (Carbonell & Goldstein 1998).

    Each step takes the sentence with the highest `(1 - d)·relevance - d·similarity`: relevance is
    the score scaled to [0, 1] over all values, similarity the highest one to a sentence chosen
    before.

    Args:
        index: The sentences.
        values: Scores by sentence number; they may be negative.
        count: How many to return at most.
        diversity: d, in [0, 1].
        shuns_dangling: Rank a sentence such as "It …" behind, unless the one before it is chosen.
    """
    size = max(MIN_POOL, POOL * count)
    quotable = (n for n in _ranked(values, size) if index.sentences[n].quotable)
    pool = list(islice(quotable, size))
    if not pool:
        return []
    low, high = min(values.values()), max(values.values())
    scale = (high - low) or 1.0
    chosen: list[int] = []
    closest = _Closest(index, chosen)

    def relevance(number: int, penalty: float = 0.0) -> float:
        return (1 - diversity) * ((values[number] - penalty - low) / scale)

    while pool and len(chosen) < count:
        pick, most = -1, -math.inf
        for number in pool:
            if relevance(number) <= most:
                break  # nor can a later one be better: all else only takes away from it
            near = closest.to(number)
            if near < DUPLICATE:
                leans = shuns_dangling and _leans(index, number, chosen)
                merit = relevance(number, DANGLING * leans) - diversity * near
                if merit > most:
                    pick, most = number, merit
        if pick < 0:
            break
        pool.remove(pick)
        chosen.append(pick)
    return chosen


class _Closest:
    """How similar sentences are to those chosen; no two are compared twice, or before they must."""

    def __init__(self, index: Index, chosen: Sequence[int]) -> None:
        self._index = index
        self._chosen = chosen
        self._terms: dict[int, frozenset[str]] = {}
        self._known: dict[int, tuple[int, float]] = {}

    def to(self, number: int) -> float:
        """Return the highest similarity of a sentence to one of those chosen, 0 for none."""
        compared, highest = self._known.get(number, (0, 0.0))
        for other in self._chosen[compared:]:
            highest = max(highest, similarity(self._terms_of(number), self._terms_of(other)))
        self._known[number] = len(self._chosen), highest
        return highest

    def _terms_of(self, number: int) -> frozenset[str]:
        if number not in self._terms:
            self._terms[number] = self._index.term_set(number)
        return self._terms[number]


def _ranked(values: Mapping[int, float], count: int) -> Iterator[int]:
    """Yield sentence numbers by (-score, position), sorting no more than is looked at."""
    if isinstance(values, Layered):
        leading = values.leading
        yield from _ranked(leading, count)
        values = {number: value for number, value in values.items() if number not in leading}

    def key(number: int) -> tuple[float, int]:
        return -values[number], number

    highest = heapq.nlargest(count * 2 + 16, values.values())
    if highest:
        least = highest[-1]
        yield from sorted([number for number, value in values.items() if value >= least], key=key)
        yield from sorted([number for number, value in values.items() if value < least], key=key)


def _leans(index: Index, number: int, chosen: Collection[int]) -> bool:
    """Tell whether a sentence leans on the one before it, and that is not chosen."""
    before = number - 1
    followed = before in chosen and index.block_of[before] == index.block_of[number]
    cues = phrases(index.document(number).language)
    return not followed and cues.leans(index.sentences[number].text)
