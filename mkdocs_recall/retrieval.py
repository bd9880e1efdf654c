"""Index and options in, Result out: `recall` answers, `synopsis` says what pages are about."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from mkdocs_recall import ranking
from mkdocs_recall.index import Index
from mkdocs_recall.query import query_terms
from mkdocs_recall.scoring.explanation import Explanation, Scores
from mkdocs_recall.scoring.features import opening
from mkdocs_recall.scoring.registry import ALGORITHMS, SCORERS

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, MutableMapping, Sequence

    from mkdocs_recall.index import Part
    from mkdocs_recall.query import Query
    from mkdocs_recall.text.model import Block, Document, Sentence

Fallback: TypeAlias = Literal["no_match", "stop_words"]
"""Why an answer is a synopsis: no sentence matches, or the query holds nothing but stop words."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A chosen sentence, with its place, its score and why."""

    document: Document
    """The page it stands on."""
    sentence: Sentence
    score: float
    """What the scorer gave it; see the scorer for the range."""
    rank: int
    """Its place in the ranking, from 1."""
    _explain: Callable[[], Explanation] = field(repr=False, compare=False)

    @property
    def explanation(self) -> Explanation:
        """Why: a tree whose parts add up to the score. It is made when asked for."""
        return self._explain()

    @property
    def text(self) -> str:
        """The sentence."""
        return self.sentence.text

    @property
    def uri(self) -> str:
        """The page's path from the documentation's root."""
        return self.document.uri

    @property
    def title(self) -> str:
        """The page's title."""
        return self.document.title

    @property
    def block(self) -> Block:
        """The block the sentence stands in."""
        return self.document.blocks[self.sentence.block]

    @property
    def heading(self) -> str:
        """The nearest heading above it, or an empty string."""
        return self.block.heading

    @property
    def anchor(self) -> str:
        """The `id` of the nearest heading above it, or an empty string."""
        return self.block.anchor

    @property
    def line(self) -> int | None:
        """The line of the author's file on which its block starts, from 1, where known."""
        return self.block.line


@dataclass(frozen=True, slots=True)
class Result:
    """The passages of an answer and how it was come by."""

    passages: tuple[Passage, ...]
    """In rank order."""
    scorer: str
    """The scorer or algorithm that chose them."""
    fallback: Fallback | None = None
    """Why a query was answered with a synopsis (or not at all), or None."""
    diagnostics: tuple[str, ...] = ()
    """What the asker should know: languages without word lists, pages without text."""
    places: tuple[int, ...] = ()
    """Where each passage stands among the sentences that were looked at: greater is later."""

    def in_document_order(self) -> tuple[Passage, ...]:
        """Return the passages as they stand in the documentation: pages in order, then text."""
        pairs = sorted(zip(self.places, self.passages, strict=True), key=lambda pair: pair[0])
        return tuple(passage for _, passage in pairs)


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
    return _result(index, chosen, scores, scorer)


def synopsis(
    index: Index,
    *,
    algorithm: str,
    max_sentences: int,
    diversity: float | None = None,
    hidden: Collection[str] = (),
    memo: MutableMapping[tuple[Any, ...], Result] | None = None,
) -> Result:
    """Choose the sentences that say what each page is about.

    Args:
        index: The pages.
        algorithm: A name in `registry.ALGORITHMS`.
        max_sentences: How many at most, of each page.
        diversity: In [0, 1]; None for the algorithm's own.
        hidden: Pages that are left out.
        memo: Keeps what each part came to, for others that ask the same of it. The parts have to
            live as long.

    Returns:
        The passages, page by page, in rank order within a page.
    """
    memo = {} if memo is None else memo
    results = []
    for part in index.parts:
        if part.document.uri not in hidden:
            key = (id(part), algorithm, max_sentences, diversity)
            if key not in memo:
                memo[key] = _page_synopsis(part, algorithm, max_sentences, diversity)
            results.append(memo[key])
    return _joined(results, algorithm)


def first_synopsis(
    index: Index, *, algorithm: str, max_sentences: int, hidden: Collection[str] = ()
) -> Result:
    """Choose sentences that stand for a whole selection: page by page, until there are enough."""
    results: list[Result] = []
    missing = max_sentences
    for part in index.parts:
        if part.document.uri not in hidden:
            results.append(_page_synopsis(part, algorithm, missing, None))
            missing -= len(results[-1].passages)
            if missing <= 0:
                break
    return _joined(results, algorithm)


def _page_synopsis(
    part: Part, algorithm: str, max_sentences: int, diversity: float | None
) -> Result:
    entry = ALGORITHMS[algorithm]
    index = Index([opening(part, entry.considered) if entry.considered else part])
    scores = entry.score(index)
    values = scores.values
    if not any(values.values()):  # nothing stands out, so the first sentences do
        values = dict.fromkeys(values, 1.0)
    spread = entry.diversity if diversity is None else diversity
    if spread or entry.shuns_dangling:
        chosen = ranking.diverse(
            index,
            values,
            max_sentences,
            diversity=spread,
            shuns_dangling=entry.shuns_dangling,
        )
    else:
        chosen = ranking.best(index, values, max_sentences)
    return _result(index, chosen, scores, algorithm)


def _result(index: Index, chosen: Sequence[int], scores: Scores, scorer: str) -> Result:
    passages = tuple(
        Passage(
            document=index.document(number),
            sentence=index.sentences[number],
            score=scores.values[number],
            rank=rank,
            _explain=partial(scores.explain, number),
        )
        for rank, number in enumerate(chosen, start=1)
    )
    return Result(passages, scorer, places=tuple(chosen))


def _joined(results: Iterable[Result], scorer: str) -> Result:
    """Join the results of several pages; ranks and places go on from page to page."""
    passages: list[Passage] = []
    places: list[int] = []
    for result in results:
        base = len(places)
        order = sorted(range(len(result.passages)), key=result.places.__getitem__)
        within = {at: place for place, at in enumerate(order)}
        for at, passage in enumerate(result.passages):
            passages.append(replace(passage, rank=base + at + 1))
            places.append(base + within[at])
    return Result(tuple(passages), scorer, places=tuple(places))


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
