"""Index, queries and options in, Result out: the sentences that answer."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from mkdocs_recall import ranking
from mkdocs_recall.query import query_terms
from mkdocs_recall.quotation import Quotation, quotation
from mkdocs_recall.result import Result, make_result
from mkdocs_recall.scoring.explanation import Explanation, Scores
from mkdocs_recall.scoring.registry import SCORERS
from mkdocs_recall.text.model import UNITS

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from mkdocs_recall.index import Index
    from mkdocs_recall.query import Query
    from mkdocs_recall.text.model import Kind

ANSWERED = 0.9
"""A query is answered by a sentence that scores this much of the best there is for it."""

_NO_ANSWER = "no sentence answers the query"


def recall(
    index: Index,
    queries: Sequence[Query],
    *,
    scorer: str,
    max_sentences: int,
    diversity: float | None = None,
    hidden: Collection[str] = (),
    units: Collection[Kind] = UNITS,
    context: int = 0,
    min_score: float = 0.0,
) -> Result:
    """Choose the sentences that answer the queries.

    Args:
        index: The sentences to choose from.
        queries: What is asked. A sentence's score is the mean of its scores for each, by weight;
            each query gets its best sentence, the heaviest first, before one gets a second.
        scorer: A name in `registry.SCORERS`.
        max_sentences: How many at most, in all; what they need to be understood is not counted.
        diversity: In [0, 1]; None for the scorer's own.
        hidden: Pages whose sentences count in the statistics but are not chosen.
        units: The kinds of blocks that may be quoted.
        context: How many sentences are quoted on each side of a chosen one.
        min_score: The least score, for one of the queries, of a sentence that is chosen.

    Returns:
        The passages; none, and `fallback` set, where nothing matches well enough.
    """
    entry = SCORERS[scorer]
    if not any(query_terms(query.text, index.languages) for query in queries):
        return Result(
            (), scorer, fallback="stop_words", why=f"{_NO_ANSWER}, which holds only stop words"
        )
    each = [entry.score(query.text, index) for query in queries]
    scores = _mean(each, queries)

    def quote(number: int, around: int = 0) -> Quotation:
        sentence = index.sentences[number]
        return quotation(index.document(number), sentence, units, context=around)

    choice = ranking.Choice(index, hidden=hidden, quote=quote)
    values, least = scores.values, min_score
    if len(each) > 1:
        values, least = _good_enough(scores, each, min_score), 0.0
    spread = entry.diversity if diversity is None else diversity
    if spread:
        able = {n: v for n, v in values.items() if v >= least and choice.may_take(n)}
        choice.adopt(ranking.diverse(index, able, max_sentences, diversity=spread))
    else:
        if len(each) > 1:
            _take_one_for_each(choice, queries, each, max_sentences, min_score)
        choice.take(values, max_sentences - len(choice.numbers), least=least)
    rejected = partial(
        choice.rejected,
        scores.values,
        is_low=lambda number: all(one.values.get(number, 0.0) < min_score for one in each),
        spread=spread > 0,
        several=len(each) > 1,
    )
    result = make_result(
        index,
        choice.numbers,
        scores,
        scorer,
        quote=partial(quote, around=context) if context else choice.quotation,
        rejected=rejected,
    )
    if choice.numbers:
        return result
    best = max((v for n, v in scores.values.items() if choice.may_take(n)), default=0.0)
    if best <= 0:
        return replace(result, fallback="no_match", why=_NO_ANSWER)
    why = f"{_NO_ANSWER} well enough (the best scores {best:.2f}, 'min_score' is {min_score:g})"
    return replace(result, fallback="low_score", why=why)


def _good_enough(scores: Scores, each: Sequence[Scores], min_score: float) -> Mapping[int, float]:
    """Return the means of the sentences that answer one of several queries well enough."""
    if not min_score:
        return scores.values
    return {
        number: value
        for number, value in scores.values.items()
        if any(one.values.get(number, 0.0) >= min_score for one in each)
    }


def _take_one_for_each(
    choice: ranking.Choice,
    queries: Sequence[Query],
    each: Sequence[Scores],
    count: int,
    min_score: float,
) -> None:
    """Choose the best sentence for each query that those chosen do not answer, heaviest first."""
    for number in sorted(range(len(queries)), key=lambda n: -queries[n].weight):
        values = each[number].values
        highest = max(values.values(), default=0.0)
        if len(choice.numbers) == count:
            return
        if not any(values.get(n, 0.0) >= ANSWERED * highest for n in choice.numbers):
            choice.take(values, 1, least=min_score)


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
