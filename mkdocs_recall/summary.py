"""Index and options in, Result out: the sentences that say what pages are about."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from mkdocs_recall import ranking
from mkdocs_recall.index import Index
from mkdocs_recall.result import Passage, Result, make_result
from mkdocs_recall.scoring.features import opening
from mkdocs_recall.scoring.registry import ALGORITHMS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, MutableMapping

    from mkdocs_recall.index import Part


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
    return make_result(index, chosen, scores, algorithm)


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
