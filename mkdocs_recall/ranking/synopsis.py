"""The synopsis of pages: from an index and options to a result of sentences that say what they are.

The algorithm decides which sentences are candidates, and scores them.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from itertools import accumulate, islice
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final

from mkdocs_recall.index.index import Index
from mkdocs_recall.index.query import Part
from mkdocs_recall.ranking.places import Quotable
from mkdocs_recall.ranking.result import Lost, Passage, Result
from mkdocs_recall.ranking.scores import ALGORITHMS, Explanation, Scores, opening, words_in
from mkdocs_recall.ranking.selection import (
    SHOWN,
    ChosenTerms,
    choose,
    make_result,
    maximal_marginal_relevance,
    rejected,
)
from mkdocs_recall.text.document import in_language
from mkdocs_recall.text.model import Block, Document

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, MutableMapping, Sequence

    from mkdocs_recall.options import Options


_DESCRIPTION: Final = Explanation(1.0, "the page's own description")
_DESCRIPTION_SECTION: Final = -1
"""The number of a description's section: before those of the page, which are quoted separately."""


_COUNTED: Final = attrgetter(
    *("algorithm", "synopsis_sentences", "diversity", "max_words", "prefer_description", "embedm")
)
"""Returns the options that a page's synopsis depends on."""


def synopsis(
    index: Index,
    options: Options,
    *,
    hidden: Container[str] = (),
    memo: MutableMapping[tuple[Any, ...], Result] | None = None,
) -> Result:
    """Choose the sentences that say what each page is about.

    Args:
        options: What is asked for. `max_sentences` and `max_words` count for each page; one
            sentence is always chosen. The page's own description comes first only where the page is
            quoted from its start.
        memo: Keeps the result of each part for other synopses; the parts must live as long.

    Returns:
        The passages, page by page, in rank order within a page.
    """
    memo = {} if memo is None else memo
    results = []
    for part in index.parts:
        if part.document.uri not in hidden:
            key = (id(part), *_COUNTED(options))
            if key not in memo:
                memo[key] = _page_synopsis(part, options)
            results.append(memo[key])
    return _join(results, options.algorithm)


def first_synopsis(
    parts: Iterable[Part], options: Options, *, hidden: Container[str] = ()
) -> Result:
    """Choose sentences that say what a whole selection is about, page by page until they suffice.

    As `synopsis`, but `max_sentences` and `max_words` count for all pages together, and each page
    has the algorithm's own diversity.

    Args:
        parts: The pages in page order; those after the last one that is needed are not read.
    """
    results: list[Result] = []
    passages: list[Passage] = []
    for part in parts:
        if part.document.uri not in hidden:
            left = options.synopsis_sentences - len(passages)
            of_page = replace(options, max_sentences=left, max_words=None, diversity=None)
            page = _page_synopsis(part, of_page)
            count = _within([*passages, *page.passages], options.max_words) - len(passages)
            results.append(_first(page, count))
            passages += page.passages[:count]
            if count < len(page.passages) or len(passages) == options.synopsis_sentences:
                break
    return _join(results, options.algorithm)


def _page_synopsis(part: Part, options: Options) -> Result:
    description = Index([])
    if options.prefer_description and part.blocks[:1] == part.document.blocks[:1]:  # no section
        page = description_of(part.document)
        description = Index([Part(page, page.blocks)] if page.blocks else [])
    quotable = [n for n, sentence in enumerate(description.sentences) if sentence.quotable]
    quotable = quotable[: options.synopsis_sentences]
    described = ChosenTerms()
    for number in quotable:
        described.add(description.term_set(number))
    result = _choose(part, options, described)
    if quotable:
        scores = Scores(dict.fromkeys(quotable, _DESCRIPTION.value), lambda _number: _DESCRIPTION)
        own = make_result(description, quotable, scores, options.algorithm)
        result = _join([own, result], options.algorithm)
    return _first(result, _within(result.passages, options.max_words))


def description_of(page: Document) -> Document:
    """Return a page's own description as a page of one block; without one, of none."""
    text = " ".join(page.description.split())
    block = Block(text, "prose", top=0, section=_DESCRIPTION_SECTION, headings=())
    blocks = (block,) if text else ()
    return in_language(replace(page, blocks=blocks, headings=()), page.language)


def _choose(part: Part, options: Options, described: ChosenTerms) -> Result:
    """Let the algorithm choose the sentences still missing.

    Args:
        described: The sentences that its description has given; none is chosen that says the same.
    """
    count = options.synopsis_sentences - len(described)
    if not count:
        return Result((), options.algorithm)
    algorithm = ALGORITHMS[options.algorithm]
    index = Index([opening(part, algorithm.considered) if algorithm.considered else part])
    scores = algorithm.score(index)
    values = scores.values
    if not any(values.values()):  # no sentence is better than another: the first ones do
        values = dict.fromkeys(values, 1.0)
    if described:
        values = {
            number: value
            for number, value in values.items()
            if described.repeated(index.term_set(number)) is None
        }
    diversity = algorithm.diversity if options.diversity is None else options.diversity
    quotable = Quotable(index)
    numbers: Sequence[int]
    if diversity or algorithm.shuns_dangling:
        numbers = maximal_marginal_relevance(
            index, values, count, diversity=diversity, shuns_dangling=algorithm.shuns_dangling
        )
    else:
        numbers = choose(quotable, quotable.ranked(values, count), count)
    if options.embedm:  # it fills up a synopsis with sentences that have no score
        others = (n for n in sorted(values) if n not in numbers and not quotable.fault(n))
        numbers = choose(quotable, others, count, before=numbers)
    usual = "others score more" + ", or differ more from each other" * (diversity > 0)
    lost = partial(rejected, quotable, numbers, values, usual=usual)
    return make_result(index, numbers, scores, options.algorithm, rejected=lost)


def _within(passages: Sequence[Passage], max_words: int | None) -> int:
    """Return how many of the first passages fit a number of words; at least one does."""
    if max_words is None:
        return len(passages)
    lengths = (words_in(p.sentence.text, p.document.language) for p in passages)
    return max(1, sum(total <= max_words for total in accumulate(lengths)))


def _first(result: Result, count: int) -> Result:
    return replace(result, passages=result.passages[:count])


def _join(results: Iterable[Result], scorer: str) -> Result:
    """Join the results of several pages; ranks and places go on from page to page."""
    passages: list[Passage] = []
    results = list(results)
    for result in results:
        base, places = len(passages), sorted(result.places)
        passages += (
            replace(passage, rank=base + number, place=base + places.index(passage.place))
            for number, passage in enumerate(result.passages, start=1)
        )

    def lost() -> tuple[Lost, ...]:
        next_best = islice((lost for result in results for lost in result.lost), SHOWN)
        return tuple(
            replace(lost, passage=replace(lost.passage, rank=rank))
            for rank, lost in enumerate(next_best, start=len(passages) + 1)
        )

    return Result(tuple(passages), scorer, _lost=lost)
