"""What recency and meaning add to a selection by words: another order, more sentences.

Recency reorders only sentences about as relevant as the best, so that a fresh sentence never comes
before a right one, and no answer gets lost. Meaning appends sentences where words find too little.
"""

from __future__ import annotations

import math
from itertools import islice
from typing import TYPE_CHECKING, Final

from mkdocs_recall.retrieval.diversity import maximal_marginal_relevance
from mkdocs_recall.scoring.explanation import Explanation, Scores
from mkdocs_recall.scoring.registry import SCORERS

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Mapping, Sequence

    from mkdocs_recall.index.index import Index
    from mkdocs_recall.retrieval.candidates import Candidates
    from mkdocs_recall.retrieval.quotation import Quotation
    from mkdocs_recall.retrieval.ranking import Selection
    from mkdocs_recall.scoring.semantic import SemanticSimilarity
    from mkdocs_recall.temporal.freshness import Freshness
    from mkdocs_recall.text.model import Document

CLOSE: Final = 0.75
"""A sentence is reordered if it has this share of the best score at least."""
POOL: Final = 4
"""At most this many times the sentences wanted are compared."""


def rerank(
    selection: Selection,
    candidates: Candidates,
    freshness: Callable[[Document], Freshness],
    count: int,
    *,
    fixed: Sequence[int] = (),
    diversity: float = 0.0,
) -> Scores:
    """Reorder the sentences that are about as relevant as the best by their pages' recency.

    Args:
        selection: The sentences selected by relevance. Those that stay, and those that replace
            others, are ordered by relevance times freshness; less relevant ones come last.
        freshness: Returns the multiplier of a page.
        count: How many sentences stay at most.
        diversity: In [0, 1].

    Returns:
        The scores, multiplied for all sentences that were compared; those of less relevant ones are
        lowered together until none exceeds a score that stands before it.
    """
    relevance = candidates.scores.values
    selected = tuple(selection.numbers)
    if not selected:
        return candidates.scores
    close = CLOSE * max(relevance[number] for number in selected)
    size = POOL * count
    others = selection.candidates(candidates.values, size, least=max(close, candidates.least))
    pool = dict.fromkeys((*selected, *islice(others, size)))  # one may repeat a fresher one
    fresh = {number: freshness(candidates.index.document(number)) for number in pool}
    values = {number: relevance[number] * fresh[number].multiplier for number in fresh}

    def order(number: int) -> tuple[bool, float, int]:
        return relevance[number] < close, -values[number], number

    selection.keep(fixed)
    if diversity:
        near = {number: value for number, value in values.items() if relevance[number] >= close}
        selection.adopt(
            maximal_marginal_relevance(candidates.index, near, count, diversity=diversity)
        )
    selection.fill(sorted(pool, key=order), count)
    selection.keep(sorted(selection.numbers, key=order))
    lowered = _lowered(selection.numbers, values, relevance, close)
    shown = values | lowered

    def explain(number: int) -> Explanation:
        tree = candidates.scores.explain(number)
        if number not in fresh:
            return tree
        gain = Explanation(values[number] - relevance[number], fresh[number].description)
        parts = [tree, gain]
        if number in lowered:
            loss = lowered[number] - values[number]
            parts.append(Explanation(loss, f"less than {CLOSE:.0%} as relevant as the best"))
        return Explanation(shown[number], "relevance and time", tuple(parts))

    return Scores({**relevance, **shown}, explain)


def _lowered(
    chosen: Sequence[int],
    values: Mapping[int, float],
    relevance: Mapping[int, float],
    close: float,
) -> dict[int, float]:
    """Return lower scores for the less relevant sentences, which come last; none where they fit.

    One factor for all of them keeps their order and distances.
    """
    behind = {number: value for number, value in values.items() if relevance[number] < close}
    least = min((values[number] for number in chosen if number not in behind), default=math.inf)
    highest = max((behind[number] for number in chosen if number in behind), default=0.0)
    if highest <= least:
        return {}
    return {number: min(least, value * (least / highest)) for number, value in behind.items()}


def supplement(
    selection: Selection,
    candidates: Candidates,
    meaning: SemanticSimilarity,
    *,
    hidden: Container[str],
    quote: Callable[[int], Quotation],
    freshness: Callable[[Document], Freshness] | None = None,
) -> tuple[Scores | None, str]:
    """Append the sentences nearest in meaning to the weak queries, the nearest first.

    A query is weak if the best `coverage` score of a sentence that may be quoted is under
    `min_lexical_score`, whatever the scorer; where meaning is in the ranking already, only if no
    sentence answers it. Without a weak query nothing is embedded.

    Args:
        hidden: Pages that are not quoted.
        quote: Returns what is quoted with a sentence, and around it.
        freshness: Returns the multiplier of a page, by which cosines that reach `min_similarity`
            are multiplied; None if recency does not count.

    Returns:
        The cosines of the appended sentences, and the reason for them; None and an empty text where
        nothing was appended.
    """
    best = _best_lexical(selection, candidates)
    least = meaning.settings.min_lexical_score
    is_ranked = meaning.blends and SCORERS[candidates.scorer].ranks_sections
    weak = [
        query
        for query, score in enumerate(best)
        if score < least and not (is_ranked and candidates.answers_to(query))
    ]
    if not weak:
        return None, ""
    nearest = _highest(
        meaning.nearest(candidates.queries[query].text, candidates.index, hidden=hidden)
        for query in weak
    )
    if freshness is not None:
        nearest = _fresh(nearest, candidates.index, freshness)
    cosines = nearest.values
    selection.cover(quote)
    before = len(selection.numbers)
    selection.take(cosines, meaning.settings.limit)
    appended = selection.numbers[before:]
    if not appended:
        return None, ""
    appended.sort(key=lambda number: (-cosines[number], number))
    selection.reorder((*selection.numbers[:before], *appended))
    why = (
        f"{len(appended)} found by meaning, since the best sentence scores "
        f"{min(best[query] for query in weak):.2f} by its words, "
        f"under 'min_lexical_score' {least:g}"
    )
    return Scores({number: cosines[number] for number in appended}, nearest.explain), why


def _fresh(cosines: Scores, index: Index, freshness: Callable[[Document], Freshness]) -> Scores:
    """Return cosines multiplied by the freshness of their pages."""
    fresh = {number: freshness(index.document(number)) for number in cosines.values}
    values = {number: cosines.values[number] * fresh[number].multiplier for number in fresh}

    def explain(number: int) -> Explanation:
        gain = Explanation(values[number] - cosines.values[number], fresh[number].description)
        return Explanation(values[number], "meaning and time", (cosines.explain(number), gain))

    return Scores(values, explain)


def _best_lexical(selection: Selection, candidates: Candidates) -> list[float]:
    """Return the best `coverage` score for each query."""
    by_query = candidates.by_query
    if candidates.scorer != "coverage":
        score = SCORERS["coverage"].score
        by_query = [score(query.text, candidates.index) for query in candidates.queries]
    return [selection.highest(scores.values) for scores in by_query]


def _highest(by_query: Iterable[Scores]) -> Scores:
    """Return for each sentence the highest of its cosines with several queries."""
    values: dict[int, float] = {}
    source: dict[int, Scores] = {}
    for scores in by_query:
        for number, value in scores.values.items():
            if value > values.get(number, -2.0):  # less than any cosine
                values[number], source[number] = value, scores

    def explain(number: int) -> Explanation:
        return source[number].explain(number)

    return Scores(values, explain)
