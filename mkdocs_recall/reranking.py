"""What time makes of an answer: candidates that relevance has chosen change places.

Only sentences that are about as relevant as the best are candidates, so that what is fresh and
wrong never comes before what is right, and nothing that answers gets lost.
"""

from __future__ import annotations

import math
from itertools import islice
from typing import TYPE_CHECKING, Final

from mkdocs_recall import ranking
from mkdocs_recall.scoring.explanation import Explanation, Layered, Scores

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mkdocs_recall.asked import Asked
    from mkdocs_recall.scoring.temporal import Freshness
    from mkdocs_recall.text.model import Document

CLOSE: Final = 0.75
"""A candidate has this share of the best score at least."""
CANDIDATES: Final = 4
"""At most this many times the sentences asked for."""


def rerank(
    choice: ranking.Choice,
    asked: Asked,
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
        choice.adopt(ranking.diverse(asked.index, near, count, diversity=spread))
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
