"""Queries put to an index: what each sentence scores, and which of them are answers at all."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING

from mkdocs_recall.index.query import query_terms
from mkdocs_recall.retrieval.quotation import Quotation
from mkdocs_recall.retrieval.result import Lost, Passage, Result
from mkdocs_recall.scoring.explanation import Explanation, Scores
from mkdocs_recall.scoring.registry import SCORERS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from mkdocs_recall.index.index import Index
    from mkdocs_recall.index.query import Query
    from mkdocs_recall.retrieval.ranking import Rejected
    from mkdocs_recall.scoring.semantic import SemanticSimilarity


@dataclass(frozen=True)
class Candidates:
    """What the sentences of an index score for some queries."""

    index: Index
    queries: Sequence[Query]
    lexical: Sequence[Scores]
    """By their words, for each query."""
    each: Sequence[Scores]
    """The same, with what they mean, where that counts."""
    near: Sequence[AbstractSet[int]]
    """Those near enough to each query in what they mean, where that counts; else none."""
    scores: Scores
    """The weighted mean of `each`."""
    scorer: str
    min_score: float

    @classmethod
    def of(
        cls,
        index: Index,
        queries: Sequence[Query],
        scorer: str,
        *,
        meaning: SemanticSimilarity | None,
        min_score: float,
    ) -> Candidates:
        """Score the sentences of an index; see `retrieval.recall` for the arguments."""
        lexical = [SCORERS[scorer].score(query.text, index) for query in queries]
        each, near = lexical, [frozenset[int]() for _ in queries]
        if meaning is not None and meaning.blends:
            mixed = [
                meaning.blended(query.text, scores, index)
                for query, scores in zip(queries, lexical, strict=True)
            ]
            each, near = [scores for scores, _ in mixed], [found for _, found in mixed]
        mean = _mean(each, queries)
        return cls(index, queries, lexical, each, near, mean, scorer, min_score)

    @property
    def has_terms(self) -> bool:
        """Whether a query holds more than stop words."""
        return any(query_terms(query.text, self.index.languages) for query in self.queries)

    @cached_property
    def values(self) -> Mapping[int, float]:
        """The scores of the sentences that answer, by number; those under `least` do not."""
        if not self.min_score or self.least:
            return self.scores.values
        return {n: v for n, v in self.scores.values.items() if self.is_answered_by(n)}

    @property
    def least(self) -> float:
        """The least score of an answer, if scores tell that: not if a query is one of several."""
        return self.min_score if self.scores is self.lexical[0] else 0.0

    def is_answered_by(self, number: int) -> bool:
        """Tell whether a sentence answers one of the queries well enough."""
        return any(self._answers(query, number) for query in range(len(self.queries)))

    def answering(self, query: int) -> Mapping[int, float]:
        """Return the scores of the sentences that answer a query well enough, by number."""
        values = self.each[query].values
        if not self.min_score:
            return values
        return {n: value for n, value in values.items() if self._answers(query, n)}

    def _answers(self, query: int, number: int) -> bool:
        if number in self.near[query]:
            return True
        return self.lexical[query].values.get(number, 0.0) >= self.min_score


def _mean(scores: Sequence[Scores], queries: Sequence[Query]) -> Scores:
    """Return the weighted mean of the scores of several queries."""
    if len(scores) == 1:
        return scores[0]
    total = math.fsum(query.weight for query in queries)
    shares = [query.weight / total for query in queries]
    weighted: dict[int, list[float]] = {}
    for each, query in zip(scores, queries, strict=True):
        for number, value in each.values.items():
            weighted.setdefault(number, []).append(query.weight * value)
    # Both sums are exact, so that no mean is above the highest of its scores.
    values = {number: math.fsum(found) / total for number, found in weighted.items()}

    def explain(number: int) -> Explanation:
        parts = []
        for each, share, query in zip(scores, shares, queries, strict=True):
            if number in each.values:
                tree = each.explain(number).scaled(share)
                label = f"{share:.0%} of '{query.text}': {tree.description}"
                parts.append(Explanation(tree.value, label, tree.parts))
        return Explanation(values[number], f"mean over {len(queries)} queries", tuple(parts))

    return Scores(values, explain)


def make_result(
    index: Index,
    chosen: Sequence[int],
    scores: Scores,
    scorer: str,
    *,
    quote: Callable[[int], Quotation] | None = None,
    rejected: Callable[[], Sequence[Rejected]] = tuple,
    by_meaning: Scores | None = None,
) -> Result:
    """Return the chosen sentences of an index as passages.

    Args:
        index: The sentences.
        chosen: The numbers of those chosen, in rank order.
        scores: What the scorer says of them.
        scorer: Its name.
        quote: Returns what is quoted with a sentence; None where that is but itself.
        rejected: Finds the best that were not chosen.
        by_meaning: What is said of those, the last, that were found by meaning alone; None if none.
    """
    semantic = frozenset(by_meaning.values) if by_meaning else frozenset[int]()

    def passage(rank: int, number: int) -> Passage:
        sentence = index.sentences[number]
        said = by_meaning if by_meaning and number in semantic else scores
        return Passage(
            document=index.document(number),
            sentence=sentence,
            score=said.values[number],
            rank=rank,
            quotation=quote(number) if quote else Quotation((sentence,)),
            found_by="semantic" if number in semantic else "lexical",
            _explain=partial(said.explain, number),
        )

    def lost() -> tuple[Lost, ...]:
        first = len(chosen) + 1
        return tuple(
            Lost(passage(rank, each.number), each.reason)
            for rank, each in enumerate(rejected(), start=first)
        )

    passages = tuple(passage(rank, number) for rank, number in enumerate(chosen, start=1))
    places = tuple(n + len(index) if n in semantic else n for n in chosen)
    return Result(passages, scorer, places=places, _lost=lost)
