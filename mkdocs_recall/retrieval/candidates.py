"""The candidates for an answer: the sentences of an index, scored, and those chosen as a result."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING

from mkdocs_recall.index.query import names_in, query_terms
from mkdocs_recall.retrieval.quotation import Quotation
from mkdocs_recall.retrieval.result import Lost, Passage, Result
from mkdocs_recall.scoring.explanation import Explanation, Scores
from mkdocs_recall.scoring.registry import SCORERS

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Mapping, Sequence

    from mkdocs_recall.index.index import Index
    from mkdocs_recall.options import Query, RecallOptions
    from mkdocs_recall.retrieval.ranking import Rejected
    from mkdocs_recall.scoring.semantic import SemanticSimilarity


@dataclass(frozen=True)
class Candidates:
    """The sentences of an index with their scores for some queries."""

    index: Index
    queries: Sequence[Query]
    by_query: Sequence[Scores]
    """The scores for each query."""
    scores: Scores
    """The weighted mean of `by_query`."""
    scorer: str
    min_scores: Sequence[float]
    """What an answer to each query scores at least."""
    missing: Sequence[str]
    """A name in each query that no page has, so that none answers it; empty for none."""

    @classmethod
    def of(
        cls,
        index: Index,
        options: RecallOptions,
        *,
        hidden: Container[str],
        meaning: SemanticSimilarity | None,
    ) -> Candidates:
        """Score the sentences of an index; see `retrieval.recall` for the arguments."""
        queries, scorer = options.query, SCORERS[options.scorer]
        settings = {name: getattr(options, name) for name in scorer.settings}
        if scorer.ranks_sections:
            settings["hidden"] = hidden
            if meaning is not None and meaning.blends:
                settings["cosines"] = meaning.of_sections(index)
        by_query = [scorer.score(query.text, index, **settings) for query in queries]
        mean = _mean(by_query, queries)
        if options.min_score is None and not options.embedm:
            missing = [_missing_name(query.text, index) for query in queries]
            min_scores = [
                math.inf if name else scorer.default_min_score(index)
                for name, query in zip(missing, queries, strict=True)
            ]
        else:
            missing = [""] * len(queries)
            min_scores = [options.min_score or 0.0] * len(queries)
        return cls(index, queries, by_query, mean, options.scorer, min_scores, missing)

    @property
    def has_terms(self) -> bool:
        """Whether a query holds more than stop words."""
        return any(query_terms(query.text, self.index.languages) for query in self.queries)

    @cached_property
    def values(self) -> Mapping[int, float]:
        """The scores by sentence; those under `least` are no answers."""
        if not any(self.min_scores) or self.least:
            return self.scores.values
        return {n: value for n, value in self.scores.values.items() if self.is_answer(n)}

    @cached_property
    def probabilities(self) -> Mapping[int, float]:
        """The probability of each section to answer one of the queries, the highest of them."""
        probabilities: dict[int, float] = {}
        for scores in self.by_query:
            for section, probability in scores.probabilities.items():
                probabilities[section] = max(probability, probabilities.get(section, 0.0))
        return probabilities

    @property
    def least(self) -> float:
        """The least score of an answer; 0 where scores do not tell, as with several queries."""
        return self.min_scores[0] if self.scores is self.by_query[0] else 0.0

    def is_answer(self, number: int) -> bool:
        """Tell whether a sentence answers one of the queries well enough."""
        return any(self._answers(query, number) for query in range(len(self.queries)))

    def answers_to(self, query: int) -> Mapping[int, float]:
        """Return the scores of the sentences that answer a query well enough."""
        values = self.by_query[query].values
        if not self.min_scores[query]:
            return values
        return {n: value for n, value in values.items() if self._answers(query, n)}

    def _answers(self, query: int, number: int) -> bool:
        return self.by_query[query].values.get(number, 0.0) >= self.min_scores[query]


def _missing_name(query: str, index: Index) -> str:
    """Return a name, written as code writes it, that a query is about and no page has.

    Where other words are more than half of the query, these may be answered.
    """
    total = math.fsum(term.weight for term in query_terms(query, index.languages))
    for words, name in names_in(query).items():
        terms = query_terms(" ".join(words), index.languages)
        weight = math.fsum(term.weight for term in terms)
        if 2 * weight >= total and any(map(index.lacks_word, terms)):
            return name
    return ""


def _mean(by_query: Sequence[Scores], queries: Sequence[Query]) -> Scores:
    """Return the weighted mean of the scores of several queries."""
    if len(by_query) == 1:
        return by_query[0]
    total = math.fsum(query.weight for query in queries)
    shares = [query.weight / total for query in queries]
    weighted: dict[int, list[float]] = {}
    for scores, query in zip(by_query, queries, strict=True):
        for number, value in scores.values.items():
            weighted.setdefault(number, []).append(query.weight * value)
    # Both sums are exact, so that no mean is above the highest of its scores.
    values = {number: math.fsum(parts) / total for number, parts in weighted.items()}

    def explain(number: int) -> Explanation:
        parts = []
        for scores, share, query in zip(by_query, shares, queries, strict=True):
            if number in scores.values:
                tree = scores.explain(number).scaled(share)
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
