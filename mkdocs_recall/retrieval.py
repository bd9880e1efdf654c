"""Index, queries and options in, Result out: the sentences that answer."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from mkdocs_recall import ranking
from mkdocs_recall.query import query_terms
from mkdocs_recall.result import Result, make_result
from mkdocs_recall.scoring.explanation import Explanation, Scores
from mkdocs_recall.scoring.registry import SCORERS

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from mkdocs_recall.index import Index
    from mkdocs_recall.query import Query


def recall(
    index: Index,
    queries: Sequence[Query],
    *,
    scorer: str,
    max_sentences: int,
    diversity: float | None = None,
    hidden: Collection[str] = (),
) -> Result:
    """Choose the sentences that answer the queries.

    Args:
        index: The sentences to choose from.
        queries: What is asked. A sentence's score is the mean of its scores for each, by weight.
        scorer: A name in `registry.SCORERS`.
        max_sentences: How many at most, in all.
        diversity: In [0, 1]; None for the scorer's own.
        hidden: Pages whose sentences count in the statistics but are not chosen.

    Returns:
        The passages; none, and `fallback` set, where nothing matches.
    """
    entry = SCORERS[scorer]
    if not any(query_terms(query.text, index.languages) for query in queries):
        return Result((), scorer, fallback="stop_words")
    scores = _mean([entry.score(query.text, index) for query in queries], queries)
    spread = entry.diversity if diversity is None else diversity
    if spread:
        values = {n: v for n, v in scores.values.items() if index.document(n).uri not in hidden}
        chosen = ranking.diverse(index, values, max_sentences, diversity=spread)
    else:
        chosen = ranking.best(index, scores.values, max_sentences, hidden=hidden)
    if not chosen:
        return Result((), scorer, fallback="no_match")
    return make_result(index, chosen, scores, scorer)


def _mean(scores: Sequence[Scores], queries: Sequence[Query]) -> Scores:
    """Return the weighted mean of the scores of several queries."""
    if len(scores) == 1:
        return scores[0]
    total = math.fsum(query.weight for query in queries)
    shares = [query.weight / total for query in queries]
    values = {  # both sums are exact, so that no mean is above the highest of its scores
        number: math.fsum(
            query.weight * each.values.get(number, 0.0)
            for each, query in zip(scores, queries, strict=True)
        )
        / total
        for number in dict.fromkeys(number for each in scores for number in each.values)
    }

    def explain(number: int) -> Explanation:
        parts = []
        for each, share, query in zip(scores, shares, queries, strict=True):
            if number in each.values:
                tree = each.explain(number).scaled(share)
                label = f"{share:.0%} of '{query.text}': {tree.description}"
                parts.append(Explanation(tree.value, label, tree.parts))
        return Explanation(values[number], f"mean over {len(queries)} queries", tuple(parts))

    return Scores(values, explain)
