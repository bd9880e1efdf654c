"""The answer to a query: from an index and the options of a recall to a result, with its doubts.

Doubts are what speaks against an answer, as facts and not as a verdict. The ranking gives each
section a probability to hold the answer. Where that of the quoted places together is under one
half, the next place is named. The others are what a reader of the documentation would look at: a
name or the rarest word of the query is not in the quote, a sibling of what is quoted is named.
"""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Final

from mkdocs_recall.index.index import holds_name
from mkdocs_recall.index.query import names_in, query_terms
from mkdocs_recall.ranking import selection as ranking
from mkdocs_recall.ranking.places import Siblings, choose_places
from mkdocs_recall.ranking.quotation import Quotation, quotation, reach_of
from mkdocs_recall.ranking.scores import MIN_WORDS, SCORERS, Explanation, Scores, word_count
from mkdocs_recall.ranking.selection import (
    SHOWN,
    Candidates,
    Rejected,
    make_result,
    maximal_marginal_relevance,
    shown_scores,
)
from mkdocs_recall.text.language import get_language
from mkdocs_recall.text.model import LABELS, lead_ins
from mkdocs_recall.text.sentences import words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from mkdocs_recall.factors.timeline import Freshness
    from mkdocs_recall.index.index import Index
    from mkdocs_recall.index.query import Term
    from mkdocs_recall.options import RecallOptions
    from mkdocs_recall.ranking.result import Result
    from mkdocs_recall.ranking.semantic import SemanticSimilarity
    from mkdocs_recall.text.model import Document


LIKELY: Final = 0.5
"""An answer that is no more likely than this is in doubt. Of 308 questions of users, 47 % are in
doubt by it: two thirds of these answers are wrong, and one third of the others. With the right page
given, 8 % are: .79 and .35."""


def find_doubts(
    index: Index,
    queries: Sequence[str],
    quotations: Mapping[int, Quotation],
    *,
    likely: Mapping[int, float],
    siblings: Siblings,
) -> Iterator[str]:
    """Yield what speaks against an answer.

    Args:
        index: The sentences.
        queries: The texts of the queries.
        quotations: What is quoted, by chosen sentence, in rank order; at least one.
        likely: The probability of each section to hold the answer; empty if the scorer has none.
        siblings: What the queries name of what is beside each other.
    """
    quoted = {index.sections.of_sentence[number] for number in quotations}
    probability = math.fsum(likely.get(section, 0.0) for section in quoted)
    others = [(-share, section) for section, share in likely.items() if section not in quoted]
    if others and probability <= LIKELY:
        share, section = min(others)
        first = index.sections.first_sentences[section]
        place = f"{index.document(first).uri}#{index.block(first).anchor}".removesuffix("#")
        yield (
            f"the quote answers with a probability of {probability:.0%} only; "
            f"next comes '{place}' with {-share:.0%}"
        )
    quoted_parts = quotations.items()
    for query in queries:
        names = [
            name
            for name in names_in(query).values()
            if not any(
                holds_name(text, name) for part in quoted_parts for text in _texts(index, *part)
            )
        ]
        yield from (f"'{name}', which the query names, is not in the quote" for name in names)
        terms = query_terms(query, index.languages)
        rarest = max(terms, key=lambda term: _rarity(index, term), default=None)
        if not rarest or names:
            continue
        forms = _forms(index, rarest)
        if not any(stem in forms for part in quoted_parts for stem in _said(index, *part)):
            yield f"'{rarest.word}', the rarest word of the query, is not in the quote"
    for number, shown in quotations.items():
        document = index.document(number)
        blocks = dict.fromkeys(sentence.block for sentence in shown.sentences)
        rivals = (siblings.rival(document, document.blocks[block]) for block in blocks)
        if rival := next(filter(None, rivals), ""):
            yield f"the query names '{rival}', and what is beside it is quoted"


def _rarity(index: Index, term: Term) -> tuple[float, float]:
    """Return how rare a term is, and what it counts for; words that only put a question are not."""
    return term.weight, -len(index.occurrences(term).sentences)


def _forms(index: Index, term: Term) -> set[tuple[str, str]]:
    """Return the stems of a term, and of the words that match it in part."""
    partial = index.occurrences(term).partial_words
    languages = ((code, get_language(code).stems) for code, _ in term.stems)
    return {*term.stems, *((code, stems[word]) for code, stems in languages for word in partial)}


def _said(index: Index, number: int, quotation: Quotation) -> Iterator[tuple[str, str]]:
    """Yield the stems that a quote and the headings above it hold."""
    language = index.language_of(number)
    spoken = (sentence.words for sentence in quotation.sentences)
    for word in chain(chain.from_iterable(spoken), *map(words, _headings(index, number))):
        yield language.code, language.stems[word]


def _texts(index: Index, number: int, quotation: Quotation) -> Iterator[str]:
    """Yield the texts of a quote and of the headings above it."""
    yield from (sentence.text for sentence in quotation.sentences)
    yield from _headings(index, number)


def _headings(index: Index, number: int) -> Iterator[str]:
    """Yield what stands above a sentence: headings, and the titles of tabs and details."""
    document, block = index.document(number), index.block(number)
    yield document.title
    yield from (heading.text for heading in block.headings)
    yield from (above.text for above in lead_ins(document.blocks, block) if above.kind in LABELS)


ANSWERED: Final = 0.9
"""A sentence answers a query if it has this share of the best score for it."""

_NO_ANSWER: Final = "no sentence answers the query"


def recall(
    index: Index,
    options: RecallOptions,
    *,
    hidden: Mapping[str, str] | None = None,
    meaning: SemanticSimilarity | None = None,
    freshness: Callable[[Document], Freshness] | None = None,
) -> Result:
    """Choose the sentences that answer the queries.

    A sentence's score is the mean of its scores for each query, by weight; each query gets its best
    sentence, the heaviest query first, before one gets a second.

    Args:
        options: What is asked for. What sentences need to be understood, and what is appended by
            meaning, is not counted in `max_sentences`; what is near to a query in meaning need not
            reach `min_score`.
        hidden: Pages whose sentences count in the statistics but are not chosen, with the reason.
        meaning: How near sentences are to a query in meaning; None if only words count.
        freshness: Returns the weight of a page's recency; None if it does not count.

    Returns:
        The passages; none, and `fallback` set, where nothing matches well enough.
    """
    # Everything is scored, then chosen, then quoted. The scorer gives numbers to sentences of the
    # whole index. `Selection` takes the best that may be quoted. Recency may order them anew, and
    # meaning append some. Only then is it decided how many places are quoted, and how much of each:
    # so context never changes what is found.
    hidden = hidden or {}
    scorer = SCORERS[options.scorer]
    candidates = Candidates.of(index, options, hidden=hidden, meaning=meaning)

    siblings = Siblings((query.text for query in options.query), index)

    def quote(number: int, context: int = 0) -> Quotation:
        document = index.document(number)
        return quotation(
            document,
            index.sentences[number],
            options.units,
            context=context,
            bare=options.embedm,
            is_open=partial(siblings.is_open, document),
            reach=reach_of(options.context),
        )

    selection = ranking.Selection(
        index,
        hidden=hidden,
        quote=quote,
        against=None if options.embedm else _Against(index, siblings),
    )
    diversity = scorer.diversity if options.diversity is None else options.diversity
    scores = candidates.scores
    fixed = _select(selection, candidates, options.sentence_limit, diversity)
    if options.embedm and meaning is None and freshness is None:
        scores = _fill(selection, candidates, options)
    if freshness is not None:
        from mkdocs_recall.ranking.reranking import rerank

        scores = rerank(
            selection,
            candidates,
            freshness,
            options.sentence_limit,
            fixed=fixed,
            diversity=diversity,
        )
    rejected = partial(
        selection.rejected,
        scores.values,
        is_low=lambda number: not candidates.is_answer(number),
        diverse=diversity > 0,
        several_queries=len(options.query) > 1,
        recency=freshness is not None,
    )
    if freshness is None:
        shown = shown_scores(selection, scores, fixed=fixed, diverse=diversity > 0)
    else:
        shown = scores
    context = options.context if isinstance(options.context, int) else 0
    quote_chosen = partial(quote, context=context) if context else selection.quotation
    cosines, why = None, ""
    if meaning is not None:
        from mkdocs_recall.ranking.reranking import supplement

        cosines, why = supplement(
            selection,
            candidates,
            meaning,
            hidden=hidden,
            quote=quote_chosen,
            freshness=freshness,
        )
    numbers: Sequence[int] = selection.numbers
    not_quoted: Callable[[], Sequence[Rejected]] = rejected
    if not isinstance(options.context, int):
        places = choose_places(
            index,
            options,
            numbers,
            worth=_shown_values(shown, cosines, numbers),
            likely=candidates.probabilities,
            siblings=siblings,
            quotation=selection.quotation,
            fixed={*fixed, *(cosines.values if cosines else ())},
        )
        numbers = [*places.quotations]
        others = partial(rejected, quotations=places.quotations)

        def not_quoted() -> list[Rejected]:
            return [*places.left_out, *others()][:SHOWN]

        def quote_chosen(number: int) -> Quotation:
            return places.quotations.get(number) or selection.quotation(number)

    result = make_result(
        index,
        numbers,
        shown,
        options.scorer,
        quote=quote_chosen,
        rejected=not_quoted,
        by_meaning=cosines,
    )
    if selection.numbers:
        quotations = {number: quote_chosen(number) for number in numbers}
        doubts = partial(
            find_doubts,
            index,
            [query.text for query in options.query],
            quotations,
            likely=candidates.probabilities,
            siblings=siblings,
        )
        return replace(result, why=why, _doubts=lambda: tuple(doubts()))
    return _without_answer(result, selection, candidates)


class _Against:
    """What speaks against a sentence as an answer, whatever it scores."""

    def __init__(self, index: Index, siblings: Siblings) -> None:
        self._index, self._siblings = index, siblings

    def __call__(self, number: int) -> str:
        """Return the reason; empty where there is none."""
        index = self._index
        document, block = index.document(number), index.block(number)
        if rival := self._siblings.rival(document, block):
            return f"the query names '{rival}', which is beside it"
        return ""


def _shown_values(
    shown: Scores, cosines: Scores | None, numbers: Sequence[int]
) -> Mapping[int, float]:
    """Return the scores of the chosen sentences; of those found by meaning, their cosines."""
    found = cosines.values if cosines else {}
    return {number: found.get(number, shown.values.get(number, 0.0)) for number in numbers}


def _without_answer(result: Result, selection: ranking.Selection, candidates: Candidates) -> Result:
    """Return an empty result with the reason."""
    if not candidates.has_terms:
        why = f"{_NO_ANSWER}, which holds only stop words"
        return replace(result, fallback="stop_words", why=why)
    if all(candidates.missing):
        names = " and ".join(f"'{name}'" for name in dict.fromkeys(candidates.missing))
        why = f"{_NO_ANSWER}: {names} is nowhere in the source"
        return replace(result, fallback="no_match", why=why)
    highest = (selection.highest(scores.values) for scores in candidates.by_query)
    best, min_score = max(zip(highest, candidates.min_scores, strict=True))
    if best <= 0:
        return replace(result, fallback="no_match", why=_NO_ANSWER)
    why = f"{_NO_ANSWER} well enough (the best scores {best:.2f}, 'min_score' is {min_score:.2g})"
    return replace(result, fallback="low_score", why=why)


def _select(
    selection: ranking.Selection, candidates: Candidates, count: int, diversity: float
) -> Sequence[int]:
    """Select by relevance; return the sentences that stay whatever recency and meaning say."""
    if diversity:
        eligible = {
            number: value
            for number, value in candidates.values.items()
            if value >= candidates.least and selection.may_take(number)
        }
        selection.adopt(
            maximal_marginal_relevance(candidates.index, eligible, count, diversity=diversity)
        )
        return ()
    if len(candidates.by_query) > 1:
        _take_one_for_each_query(selection, candidates, count)
    fixed = tuple(selection.numbers)
    selection.take(candidates.values, count - len(fixed), least=candidates.least)
    return fixed


def _fill(selection: ranking.Selection, candidates: Candidates, options: RecallOptions) -> Scores:
    """Fill up an answer from one page with its first sentences, as embedm does; return all scores.

    It ranks all sentences of a page, and quotes `max_sentences` of them if one has a word of the
    query.
    """
    index, scores = candidates.index, candidates.scores
    if not selection.numbers or options.fills_budget or len(index.parts) > 1:
        return scores
    chosen = frozenset(selection.numbers)
    others = (n for n in range(len(index)) if n not in chosen and selection.may_take(n))
    long_enough = (
        n for n in others if word_count(index.sentences[n], index.document(n).language) >= MIN_WORDS
    )
    selection.fill(long_enough, options.sentence_limit)
    none = Explanation(0.0, "no word of the query: embedm fills up 'max_sentences'")
    return Scores(
        {**dict.fromkeys(selection.numbers, 0.0), **scores.values},
        lambda number: scores.explain(number) if number in scores.values else none,
    )


def _take_one_for_each_query(
    selection: ranking.Selection, candidates: Candidates, count: int
) -> None:
    """Take the best sentence for each query that the selection does not answer, heaviest first."""
    queries = candidates.queries
    for query in sorted(range(len(queries)), key=lambda number: -queries[number].weight):
        values = candidates.answers_to(query)
        highest = max(values.values(), default=0.0)
        if len(selection.numbers) == count:
            return
        if not any(values.get(n, 0.0) >= ANSWERED * highest for n in selection.numbers):
            selection.take(values, 1)
