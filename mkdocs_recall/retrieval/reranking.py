"""What time makes of an answer: candidates that relevance has chosen change places.

Only sentences that are about as relevant as the best are candidates, so that what is fresh and
wrong never comes before what is right, and nothing that answers gets lost.
"""

from __future__ import annotations

import math
from itertools import islice
from typing import TYPE_CHECKING, Final

from mkdocs_recall.retrieval import ranking
from mkdocs_recall.scoring.explanation import Explanation, Layered, Scores
from mkdocs_recall.scoring.registry import SCORERS

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Sequence

    from mkdocs_recall.retrieval.candidates import Candidates
    from mkdocs_recall.retrieval.quotation import Quotation
    from mkdocs_recall.retrieval.ranking import Selection
    from mkdocs_recall.scoring.semantic import SemanticSimilarity
    from mkdocs_recall.temporal.freshness import Freshness
    from mkdocs_recall.text.model import Document

CLOSE: Final = 0.75
"""A candidate has this share of the best score at least."""
CANDIDATES: Final = 4
"""At most this many times the sentences asked for."""


def rerank(
    choice: ranking.Selection,
    asked: Candidates,
    freshness: Callable[[Document], Freshness],
    count: int,
    *,
    fixed: Sequence[int] = (),
    spread: float = 0.0,
) -> Scores:
    """Have time choose among those that are about as relevant as the best.

    Args:
        choice: Those chosen by relevance. What is kept of them, and what takes the place of others,
            comes in the order of relevance times freshness; the less relevant stay behind.
        asked: The scores by relevance.
        freshness: Says what time makes of a page.
        count: How many are kept at most.
        fixed: Those that stay, as the best for one of several queries.
        spread: How much those chosen have to differ from each other.

    Returns:
        The scores, multiplied for all that were looked at.
    """
    relevance = asked.scores.values
    first = tuple(choice.numbers)
    if not first:
        return asked.scores
    close = CLOSE * max(relevance[number] for number in first)
    pool = CANDIDATES * count
    others = choice.candidates(asked.values, pool, least=max(close, asked.least))
    candidates = dict.fromkeys((*first, *islice(others, pool)))  # one may repeat a fresher one
    fresh = {number: freshness(asked.index.document(number)) for number in candidates}
    values = {number: relevance[number] * fresh[number].multiplier for number in fresh}

    def order(number: int) -> tuple[bool, float, int]:
        return relevance[number] < close, -values[number], number

    choice.keep(fixed)
    if spread:
        near = {number: value for number, value in values.items() if relevance[number] >= close}
        choice.adopt(ranking.maximal_marginal_relevance(asked.index, near, count, diversity=spread))
    choice.fill(sorted(candidates, key=order), count)
    choice.keep(sorted(choice.numbers, key=order))

    def explain(number: int) -> Explanation:
        tree = asked.scores.explain(number)
        if number not in fresh:
            return tree
        more = values[number] - relevance[number]
        part = Explanation(more, fresh[number].description)
        return Explanation(values[number], "relevance and time", (tree, part))

    def rest() -> dict[int, float]:
        return {number: value for number, value in relevance.items() if number not in values}

    return Scores(Layered(values, below=math.inf, rest=rest), explain)


def supplement(
    choice: Selection,
    asked: Candidates,
    meaning: SemanticSimilarity,
    *,
    hidden: Container[str],
    quoted: Callable[[int], Quotation],
) -> tuple[Scores | None, str]:
    """Append what is near to the weak queries in meaning, the nearest first.

    A query is weak if the best `coverage` score of a sentence that may be quoted is under
    `min_lexical_score`, whatever the scorer. If none is, nothing is embedded.

    Args:
        choice: Those chosen by words.
        asked: The queries.
        meaning: How near sentences are to a query.
        hidden: Pages that are not quoted.
        quoted: Returns what is quoted with a sentence, and around it.

    Returns:
        The cosines of those that were appended, and why meaning was asked; None and nothing where
        it was not, or found nothing.
    """
    best = _best(choice, asked)
    least = meaning.settings.min_lexical_score
    weak = [number for number, score in enumerate(best) if score < least]
    if not weak:
        return None, ""
    found = _nearest(
        [meaning.nearest(asked.queries[n].text, asked.index, hidden=hidden) for n in weak]
    )
    choice.cover(quoted)
    before = len(choice.numbers)
    choice.take(found.values, meaning.settings.limit, least=meaning.min_similarity)
    appended = choice.numbers[before:]
    if not appended:
        return None, ""
    choice.numbers[before:] = sorted(appended, key=lambda n: (-found.values[n], n))
    why = (
        f"{len(appended)} found by meaning, since the best sentence scores "
        f"{min(best[n] for n in weak):.2f} by its words, under 'min_lexical_score' {least:g}"
    )
    return Scores({n: found.values[n] for n in choice.numbers[before:]}, found.explain), why


def _best(choice: Selection, asked: Candidates) -> list[float]:
    """Return the best `coverage` score there is for each query."""
    scores = asked.lexical
    if asked.scorer != "coverage":
        score = SCORERS["coverage"].score
        scores = [score(query.text, asked.index) for query in asked.queries]
    return [choice.highest(each.values) for each in scores]


def _nearest(found: list[Scores]) -> Scores:
    """Return for each sentence the highest of its cosines with several queries."""
    values: dict[int, float] = {}
    source: dict[int, Scores] = {}
    for scores in found:
        for number, value in scores.values.items():
            if value > values.get(number, -2.0):
                values[number], source[number] = value, scores

    def explain(number: int) -> Explanation:
        return source[number].explain(number)

    return Scores(values, explain)
