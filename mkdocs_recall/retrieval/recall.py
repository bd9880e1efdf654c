"""Index, queries and options in, Result out: the sentences that answer."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from mkdocs_recall.retrieval import ranking
from mkdocs_recall.retrieval.candidates import Candidates, make_result
from mkdocs_recall.retrieval.quotation import Quotation, quotation
from mkdocs_recall.scoring.registry import SCORERS
from mkdocs_recall.text.model import UNITS

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from mkdocs_recall.index.index import Index
    from mkdocs_recall.index.query import Query
    from mkdocs_recall.retrieval.result import Result
    from mkdocs_recall.scoring.semantic import SemanticSimilarity
    from mkdocs_recall.temporal.freshness import Freshness
    from mkdocs_recall.text.model import Document, Kind

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
    hidden: Mapping[str, str] | None = None,
    units: Collection[Kind] = UNITS,
    context: int = 0,
    min_score: float = 0.0,
    meaning: SemanticSimilarity | None = None,
    freshness: Callable[[Document], Freshness] | None = None,
) -> Result:
    """Choose the sentences that answer the queries.

    Args:
        index: The sentences to choose from.
        queries: What is asked. A sentence's score is the mean of its scores for each, by weight;
            each query gets its best sentence, the heaviest first, before one gets a second.
        scorer: A name in `registry.SCORERS`.
        max_sentences: How many at most, in all; what they need to be understood, and what is
            appended by meaning, is not counted.
        diversity: In [0, 1]; None for the scorer's own.
        hidden: Pages whose sentences count in the statistics but are not chosen, with the reason.
        units: The kinds of blocks that may be quoted.
        context: How many sentences are quoted on each side of a chosen one.
        min_score: The least score, for one of the queries, of a sentence that is chosen. What is
            near to one of them in meaning, where that counts, need not reach it.
        meaning: How near sentences are to a query in what they mean; None if only words count.
        freshness: Says what time makes of a page; None if it does not count.

    Returns:
        The passages; none, and `fallback` set, where nothing matches well enough.
    """
    asked = Candidates.of(index, queries, scorer, meaning=meaning, min_score=min_score)
    hidden = hidden or {}

    def quote(number: int, around: int = 0) -> Quotation:
        sentence = index.sentences[number]
        return quotation(index.document(number), sentence, units, context=around)

    choice = ranking.Selection(index, hidden=hidden, quote=quote)
    spread = SCORERS[scorer].diversity if diversity is None else diversity
    blended = meaning is not None and meaning.blends
    scores = asked.scores
    fixed = _choose(choice, asked, max_sentences, spread)
    if freshness is not None:
        from mkdocs_recall.retrieval.reranking import rerank

        scores = rerank(choice, asked, freshness, max_sentences, fixed=fixed, spread=spread)
    rejected = partial(
        choice.rejected,
        scores.values,
        is_low=lambda number: not asked.is_answered_by(number),
        spread=spread > 0,
        several=len(queries) > 1,
        timed=freshness is not None,
        blended=blended,
    )
    quoted = partial(quote, around=context) if context else choice.quotation
    found, why = None, ""
    if meaning is not None and not blended:
        from mkdocs_recall.retrieval.reranking import supplement

        found, why = supplement(choice, asked, meaning, hidden=hidden, quoted=quoted)
    result = make_result(
        index,
        choice.numbers,
        scores,
        scorer,
        quote=quoted,
        rejected=rejected,
        by_meaning=found,
    )
    if choice.numbers:
        return replace(result, why=why)
    if not asked.has_terms:
        why = f"{_NO_ANSWER}, which holds only stop words"
        return replace(result, fallback="stop_words", why=why)
    best = max(choice.highest(each.values) for each in asked.lexical)
    if best <= 0:
        return replace(result, fallback="no_match", why=_NO_ANSWER)
    scored = f"{best:.2f} by its words" if blended else f"{best:.2f}"
    why = f"{_NO_ANSWER} well enough (the best scores {scored}, 'min_score' is {min_score:g})"
    return replace(result, fallback="low_score", why=why)


def _choose(
    choice: ranking.Selection, asked: Candidates, count: int, spread: float
) -> Sequence[int]:
    """Choose by relevance, and return those that stay, whatever else counts besides."""
    if spread:
        able = {n: v for n, v in asked.values.items() if v >= asked.least and choice.may_take(n)}
        choice.adopt(ranking.maximal_marginal_relevance(asked.index, able, count, diversity=spread))
        return ()
    if len(asked.each) > 1:
        _take_one_for_each(choice, asked, count)
    fixed = tuple(choice.numbers)
    choice.take(asked.values, count - len(fixed), least=asked.least)
    return fixed


def _take_one_for_each(choice: ranking.Selection, asked: Candidates, count: int) -> None:
    """Choose the best sentence for each query that those chosen do not answer, heaviest first."""
    queries = asked.queries
    for number in sorted(range(len(queries)), key=lambda n: -queries[n].weight):
        values = asked.answering(number)
        highest = max(values.values(), default=0.0)
        if len(choice.numbers) == count:
            return
        if not any(values.get(n, 0.0) >= ANSWERED * highest for n in choice.numbers):
            choice.take(values, 1)
