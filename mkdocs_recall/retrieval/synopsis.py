"""Index and options in, Result out: the sentences that say what pages are about."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from itertools import accumulate, islice
from typing import TYPE_CHECKING, Any

from mkdocs_recall.index.index import Index, Part
from mkdocs_recall.retrieval import ranking
from mkdocs_recall.retrieval.candidates import make_result
from mkdocs_recall.retrieval.result import Lost, Passage, Result
from mkdocs_recall.scoring.explanation import Explanation, Scores
from mkdocs_recall.scoring.features import opening, similarity, word_count
from mkdocs_recall.scoring.registry import ALGORITHMS
from mkdocs_recall.text.analysis import in_language
from mkdocs_recall.text.model import Block

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, MutableMapping, Sequence

_DESCRIBED = Explanation(1.0, "the page's own description")


@dataclass(frozen=True, slots=True)
class _Wish:
    """What is asked of a page: all that its synopsis depends on but the page."""

    algorithm: str
    max_sentences: int
    diversity: float | None = None
    max_words: int | None = None
    prefer_description: bool = False


def synopsis(
    index: Index,
    *,
    algorithm: str,
    max_sentences: int,
    diversity: float | None = None,
    max_words: int | None = None,
    prefer_description: bool = False,
    hidden: Collection[str] = (),
    memo: MutableMapping[tuple[Any, ...], Result] | None = None,
) -> Result:
    """Choose the sentences that say what each page is about.

    Args:
        index: The pages.
        algorithm: A name in `registry.ALGORITHMS`.
        max_sentences: How many at most, of each page.
        diversity: In [0, 1]; None for the algorithm's own.
        max_words: Stop before the sentence with which a page would pass this number of words, at
            least 1; the first sentence is always given. None for no such limit.
        prefer_description: Begin with the page's own description, where it has one and is asked
            from its start.
        hidden: Pages that are left out.
        memo: Keeps what each part came to, for others that ask the same of it. The parts have to
            live as long.

    Returns:
        The passages, page by page, in rank order within a page.
    """
    memo = {} if memo is None else memo
    wish = _Wish(algorithm, max_sentences, diversity, max_words, prefer_description)
    results = []
    for part in index.parts:
        if part.document.uri not in hidden:
            key = (id(part), wish)
            if key not in memo:
                memo[key] = _page_synopsis(part, wish)
            results.append(memo[key])
    return _joined(results, algorithm)


def first_synopsis(
    index: Index,
    *,
    algorithm: str,
    max_sentences: int,
    max_words: int | None = None,
    prefer_description: bool = False,
    hidden: Collection[str] = (),
) -> Result:
    """Choose sentences that stand for a whole selection: page by page, until there are enough.

    As `synopsis`, but `max_sentences` and `max_words` are those of all pages together.
    """
    results: list[Result] = []
    chosen: list[Passage] = []
    for part in index.parts:
        if part.document.uri not in hidden:
            missing = max_sentences - len(chosen)
            wish = _Wish(algorithm, missing, prefer_description=prefer_description)
            found = _page_synopsis(part, wish)
            count = _fitting([*chosen, *found.passages], max_words) - len(chosen)
            results.append(_first(found, count))
            chosen += found.passages[:count]
            if count < len(found.passages) or len(chosen) == max_sentences:
                break
    return _joined(results, algorithm)


def _page_synopsis(part: Part, wish: _Wish) -> Result:
    said = _description(part) if wish.prefer_description else Index([])
    quoted = [n for n, s in enumerate(said.sentences) if s.quotable][: wish.max_sentences]
    found = _chosen(part, wish, len(quoted), [said.term_set(number) for number in quoted])
    if quoted:
        own = Scores(dict.fromkeys(quoted, _DESCRIBED.value), lambda _: _DESCRIBED)
        found = _joined([make_result(said, quoted, own, wish.algorithm), found], wish.algorithm)
    return _first(found, _fitting(found.passages, wish.max_words))


def _description(part: Part) -> Index:
    """Return what a page's author says of it, as a page of one block; nothing for a section."""
    page = part.document
    text = " ".join(page.description.split())
    if not text or part.blocks[:1] != page.blocks[:1]:
        return Index([])
    block = Block(text, "prose", top=0, section=0, headings=())
    page = in_language(replace(page, blocks=(block,), headings=()), page.language)
    return Index([Part(page, page.blocks)])


def _chosen(part: Part, wish: _Wish, given: int, known: Sequence[frozenset[str]]) -> Result:
    """Let the algorithm choose what is missing, but not what says the same as what is known."""
    count = wish.max_sentences - given
    if not count:
        return Result((), wish.algorithm)
    entry = ALGORITHMS[wish.algorithm]
    index = Index([opening(part, entry.considered) if entry.considered else part])
    scores = entry.score(index)
    values = scores.values
    if not any(values.values()):  # nothing stands out, so the first sentences do
        values = dict.fromkeys(values, 1.0)
    if known:
        values = {n: value for n, value in values.items() if not _repeats(index, n, known)}
    spread = entry.diversity if wish.diversity is None else wish.diversity
    if spread or entry.shuns_dangling:
        chosen = ranking.maximal_marginal_relevance(
            index, values, count, diversity=spread, shuns_dangling=entry.shuns_dangling
        )
    else:
        chosen = ranking.top_ranked(index, values, count)
    choice = ranking.Selection(index)
    choice.adopt(chosen)
    rejected = partial(choice.rejected, values, spread=spread > 0)
    return make_result(index, chosen, scores, wish.algorithm, rejected=rejected)


def _repeats(index: Index, number: int, known: Sequence[frozenset[str]]) -> bool:
    terms = index.term_set(number)
    return any(similarity(terms, other) >= ranking.DUPLICATE for other in known)


def _fitting(passages: Sequence[Passage], max_words: int | None) -> int:
    """Return how many of the first passages are within a number of words; one always is."""
    if max_words is None:
        return len(passages)
    lengths = (word_count(p.sentence, p.document.language) for p in passages)
    return max(1, sum(total <= max_words for total in accumulate(lengths)))


def _first(result: Result, count: int) -> Result:
    return replace(result, passages=result.passages[:count], places=result.places[:count])


def _joined(results: Iterable[Result], scorer: str) -> Result:
    """Join the results of several pages; ranks and places go on from page to page."""
    passages: list[Passage] = []
    places: list[int] = []
    results = list(results)
    for result in results:
        base = len(places)
        order = sorted(range(len(result.passages)), key=result.places.__getitem__)
        within = {at: place for place, at in enumerate(order)}
        for at, passage in enumerate(result.passages):
            passages.append(replace(passage, rank=base + at + 1))
            places.append(base + within[at])

    def lost() -> tuple[Lost, ...]:
        first = len(passages) + 1
        found = islice((each for result in results for each in result.lost), ranking.SHOWN)
        return tuple(
            replace(each, passage=replace(each.passage, rank=rank))
            for rank, each in enumerate(found, start=first)
        )

    return Result(tuple(passages), scorer, places=tuple(places), _lost=lost)
