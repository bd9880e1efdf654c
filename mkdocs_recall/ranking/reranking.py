"""Reranking by recency and meaning after a selection by words: order, more sentences, a gate.

The gate decides whether an answer's best passage is near enough in meaning: an unrelated
documentation shares some words with a query, too.
"""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Final

from mkdocs_recall.ranking.result import Lost, Passage, Result
from mkdocs_recall.ranking.scores import SCORERS, Explanation, Scores
from mkdocs_recall.ranking.selection import SHOWN, choose, maximal_marginal_relevance
from mkdocs_recall.ranking.semantic import SemanticSimilarity, section_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from mkdocs_recall.factors.history import Freshness
    from mkdocs_recall.index.index import Index
    from mkdocs_recall.options import Query
    from mkdocs_recall.ranking.selection import Candidates, Choice
    from mkdocs_recall.text.model import Document


BEFORE: Final = 300
"""Characters of a section before the passage: in a long section, the opening is less relevant. On
62 user questions, the AUC of the cosine was .97, against .93 for the opening alone (12 right
sections, 372 questions to other documentations)."""


def through_gate(result: Result, queries: Sequence[Query], meaning: SemanticSimilarity) -> Result:
    """Return an answer near enough to a query, or a refusal."""
    gate = meaning.settings.gate
    if gate is None or not result.passages:
        return result
    best = result.passages[0]
    text = text_around(best)
    cosine = max(meaning.cosine(query.text, text) for query in queries)
    if cosine >= gate:
        passed = f"cosine of its section {cosine:.3f}, 'semantic.gate' {gate:g}"

        def explain() -> Explanation:
            tree = best.explanation
            return Explanation(tree.value, "through the gate", (tree, Explanation(0.0, passed)))

        return replace(result, passages=(replace(best, _explain=explain), *result.passages[1:]))
    reason = f"the section of the best has a cosine of {cosine:.2f}, 'semantic.gate' is {gate:g}"
    lost = tuple(Lost(passage, reason) for passage in result.passages[:SHOWN])
    why = f"no sentence answers the query well enough ({reason})"
    return replace(result, passages=(), fallback="low_score", why=why, _lost=lambda: lost)


def text_around(passage: Passage) -> str:
    """Return a passage's section around it."""
    return section_text(passage.document, passage.block, passage.sentence.start - BEFORE)


CLOSE: Final = 0.75
"""A sentence is reordered with at least this share of the best score."""
POOL: Final = 4
"""At most this many times the sentences wanted are compared."""


def rerank(
    candidates: Candidates,
    choice: Choice,
    freshness: Callable[[Document], Freshness],
    *,
    diversity: float,
) -> Choice:
    """Reorder the sentences that are about as relevant as the best by their pages' recency.

    So a fresh sentence never precedes a clearly better one. The scores of all compared sentences
    are multiplied; those of less relevant ones, which come last, are lowered together.
    """
    quotable, relevance = candidates.quotable, candidates.scores.values
    count = candidates.options.sentence_limit
    if not choice.numbers:
        return choice
    close = CLOSE * max(relevance[number] for number in choice.numbers)
    size = POOL * count
    relevant = quotable.ranked(candidates.values, size, least=max(close, candidates.least))
    pool = dict.fromkeys((*choice.numbers, *islice(relevant, size)))  # a repetition of a newer one
    fresh = {number: freshness(quotable.index.document(number)) for number in pool}
    values = {number: relevance[number] * fresh[number].multiplier for number in fresh}

    def order(number: int) -> tuple[bool, float, int]:
        return relevance[number] < close, -values[number], number

    before = choice.fixed
    if diversity:
        near = {number: value for number, value in values.items() if relevance[number] >= close}
        diverse = maximal_marginal_relevance(quotable.index, near, count, diversity=diversity)
        before = (*before, *diverse)
    stay = choose(quotable, sorted(pool, key=order), count, before=before)
    numbers = tuple(sorted(stay, key=order))
    lowered = _lowered(numbers, values, relevance, close)
    final = values | lowered

    def explain(number: int) -> Explanation:
        tree = candidates.scores.explain(number)
        if number not in fresh:
            return tree
        parts = [tree, Explanation(values[number] - relevance[number], fresh[number].description)]
        if number in lowered:
            loss = lowered[number] - values[number]
            parts.append(Explanation(loss, f"less than {CLOSE:.0%} as relevant as the best"))
        return Explanation(final[number], "relevance and time", tuple(parts))

    return choice._replace(numbers=numbers, scores=Scores({**relevance, **final}, explain))


def _lowered(
    chosen: Sequence[int], values: Mapping[int, float], relevance: Mapping[int, float], close: float
) -> dict[int, float]:
    """Lower the less relevant sentences by one factor."""
    behind = {number: value for number, value in values.items() if relevance[number] < close}
    least = min((values[number] for number in chosen if number not in behind), default=math.inf)
    highest = max((behind[number] for number in chosen if number in behind), default=0.0)
    if highest <= least:
        return {}
    return {number: min(least, value * (least / highest)) for number, value in behind.items()}


def supplement(
    candidates: Candidates,
    choice: Choice,
    meaning: SemanticSimilarity,
    *,
    context: int,
    freshness: Callable[[Document], Freshness] | None,
) -> Choice:
    """Append the sentences nearest in meaning to the weak queries, the nearest first.

    A query is weak if its best `coverage` score is under `min_lexical_score`, whatever the scorer;
    if the ranking already includes meaning, only if no sentence answers it.
    """
    quotable, options = candidates.quotable, candidates.options
    index, by_query = quotable.index, candidates.by_query
    if options.scorer != "coverage":
        score = SCORERS["coverage"].score
        by_query = [score(query.text, index) for query in options.query]
    best = [quotable.highest(scores.values) for scores in by_query]
    least = meaning.settings.min_lexical_score
    is_ranked = meaning.blends and SCORERS[options.scorer].ranks_sections
    low = (query for query, score in enumerate(best) if score < least)
    weak = [query for query in low if not (is_ranked and candidates.answers_to(query))]
    if not weak:
        return choice
    nearest = _highest(
        meaning.nearest(options.query[query].text, index, hidden=quotable.hidden) for query in weak
    )
    if freshness is not None:
        nearest = _fresh(nearest, index, freshness)
    cosines = nearest.values
    limit = meaning.settings.limit
    ranked = quotable.ranked(cosines, limit)
    chosen, count = choice.numbers, len(choice.numbers) + limit
    appended = choose(quotable, ranked, count, before=chosen, context=context)[len(chosen) :]
    if not appended:
        return choice._replace(covered=context)
    nearest_first = sorted(appended, key=lambda number: (-cosines[number], number))
    why = (
        f"{len(appended)} found by meaning, since the best sentence scores "
        f"{min(best[query] for query in weak):.2f} by its words, "
        f"under 'min_lexical_score' {least:g}"
    )
    matches = Scores({number: cosines[number] for number in appended}, nearest.explain)
    numbers = (*chosen, *nearest_first)
    return choice._replace(numbers=numbers, by_meaning=matches, why=why, covered=context)


def _fresh(cosines: Scores, index: Index, freshness: Callable[[Document], Freshness]) -> Scores:
    fresh = {number: freshness(index.document(number)) for number in cosines.values}
    values = {number: cosines.values[number] * fresh[number].multiplier for number in fresh}

    def explain(number: int) -> Explanation:
        gain = Explanation(values[number] - cosines.values[number], fresh[number].description)
        return Explanation(values[number], "meaning and time", (cosines.explain(number), gain))

    return Scores(values, explain)


def _highest(by_query: Iterable[Scores]) -> Scores:
    values: dict[int, float] = {}
    source: dict[int, Scores] = {}
    for scores in by_query:
        for number, value in scores.values.items():
            if value > values.get(number, -2.0):  # less than any cosine
                values[number], source[number] = value, scores

    return Scores(values, lambda number: source[number].explain(number))
