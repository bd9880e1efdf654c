"""From scores to the chosen sentences: order, ties, near-duplicates, diversity, number."""

from __future__ import annotations

import heapq
from itertools import islice
from typing import TYPE_CHECKING

from mkdocs_recall.scoring.features import similarity
from mkdocs_recall.scoring.phrases import phrases

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mkdocs_recall.index import Index

DUPLICATE = 0.9
"""Sentences whose sets of terms are this similar (cosine) say the same twice."""
POOL = 8
"""Diversity chooses among this many times the sentences asked for, and at least `MIN_POOL`."""
MIN_POOL = 60
DANGLING = 1.0
"""What a sentence that leans on the one before it loses of its score."""


def best(index: Index, values: Mapping[int, float], count: int) -> list[int]:
    """Return the highest scored sentences that may be quoted, by (-score, position).

    Args:
        index: The sentences.
        values: Scores by sentence number; only those above 0 count.
        count: How many to return at most, at least 1.
    """
    chosen: list[int] = []
    seen: list[frozenset[str]] = []
    for number in _ranked(values, count):
        if values[number] <= 0:
            break
        if not index.sentences[number].quotable:
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
    terms = {n: index.term_set(n) for n in pool}
    leaning = {n for n in pool if _dangles(index, n)} if shuns_dangling else set()
    closest = dict.fromkeys(pool, 0.0)
    chosen: list[int] = []
    while pool and len(chosen) < count:

        def merit(number: int) -> float:
            leans = number in leaning and not (number - 1 in chosen and _follows(index, number))
            relevance = (values[number] - DANGLING * leans - low) / scale
            return (1 - diversity) * relevance - diversity * closest[number]

        pick = max(pool, key=merit)  # the first of equals: the pool is ranked
        pool.remove(pick)
        chosen.append(pick)
        for number in pool:
            closest[number] = max(closest[number], similarity(terms[number], terms[pick]))
        pool = [number for number in pool if closest[number] < DUPLICATE]
    return chosen


def _ranked(values: Mapping[int, float], count: int) -> Iterator[int]:
    """Yield sentence numbers by (-score, position), sorting no more than is looked at."""

    def key(number: int) -> tuple[float, int]:
        return -values[number], number

    head = heapq.nsmallest(count * 2 + 16, values, key=key)
    yield from head
    if len(head) < len(values):
        yield from sorted(values.keys() - set(head), key=key)


def _dangles(index: Index, number: int) -> bool:
    return phrases(index.document(number).language).leans(index.sentences[number].text)


def _follows(index: Index, number: int) -> bool:
    """Tell whether the sentence before this one stands in the same block."""
    return number > 0 and index.block_of[number - 1] == index.block_of[number]
