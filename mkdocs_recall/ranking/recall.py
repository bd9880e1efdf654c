"""The answer to a query: the result of a recall over an index, with its doubts.

Doubts are facts against an answer, not a verdict: the probability of the quoted places is low, a
name or the rarest word of the query is not in the quote, or the query names a sibling of the text.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import replace
from functools import partial
from itertools import chain, islice
from typing import TYPE_CHECKING, Final

from mkdocs_recall.index.index import Index, holds_name
from mkdocs_recall.index.query import compared, joined_terms, names_in, query_terms, turned_off
from mkdocs_recall.options import Query, RecallOptions
from mkdocs_recall.ranking.places import HEDGE, TITLED, Quotable, choose_places
from mkdocs_recall.ranking.quotation import MIN_WORDS, words_in
from mkdocs_recall.ranking.scores import SCORERS, Explanation, Scores
from mkdocs_recall.ranking.selection import (
    SHOWN,
    Candidates,
    Choice,
    choose,
    make_result,
    maximal_marginal_relevance,
    rejected,
    shown_scores,
)
from mkdocs_recall.text.language import fold, get_language, shared_words
from mkdocs_recall.text.model import LABELS, Document, lead_ins
from mkdocs_recall.text.sentences import is_unspaced, words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from mkdocs_recall.factors.history import Freshness
    from mkdocs_recall.ranking.quotation import Quotation
    from mkdocs_recall.ranking.result import Result
    from mkdocs_recall.ranking.semantic import SemanticSimilarity


LIKELY: Final = 0.7
"""An answer that is at most this likely is in doubt. Cross-validated, 75 % of the answers to 321
user questions are: .59 of these are from a wrong section, and .18 of the others."""


def _doubts(
    candidates: Candidates, quotations: Mapping[int, Quotation], typed: Iterable[Query]
) -> Iterator[str]:
    """Yield the doubts about an answer to queries as `typed`."""
    yield from (
        f"no page has all words of '{query.text}': '{read.text}' was looked for"
        for query, read in zip(typed, candidates.options.query, strict=True)
        if query.text.replace(" ", "") != read.text.replace(" ", "")
    )
    index = candidates.quotable.index
    siblings = candidates.quotable.siblings
    likely = candidates.scores.probabilities
    quoted = {index.sections.of_sentence[number] for number in quotations}
    probability = math.fsum(likely.get(section, 0.0) for section in quoted)
    unquoted = [(-share, section) for section, share in likely.items() if section not in quoted]
    if unquoted and probability <= LIKELY:
        share, section = min(unquoted)
        first = index.sections.first_sentences[section]
        place = f"{index.document(first).uri}#{index.block(first).anchor}".removesuffix("#")
        yield (
            f"the quote answers with a probability of only {probability:.0%}; "
            f"next is '{place}' with {-share:.0%}"
        )
    texts: list[str] = []
    mentioned: set[tuple[str, str]] = set()
    for number, quotation in quotations.items():
        headings = [*_headings(index, number)]
        language = index.language_of(number)
        texts += (*(sentence.text for sentence in quotation.sentences), *headings)
        spoken = chain.from_iterable(sentence.words for sentence in quotation.sentences)
        stems = map(language.stems.__getitem__, chain(spoken, *map(words, headings)))
        mentioned.update((language.code, stem) for stem in stems)
    for query in candidates.options.query:
        query_names = names_in(query.text).values()
        names = [name for name in query_names if not any(holds_name(text, name) for text in texts)]
        yield from (f"'{name}', which the query names, is not in the quote" for name in names)
        statistics = index.statistics(query.text)
        terms = joined_terms(query.text, statistics.terms)
        holders = zip(terms, statistics.counts, strict=True)  # words that only ask weigh less
        counts = {t: (t.weight, -n.sentences) for t, n in holders if not is_unspaced(t.word[0])}
        rarest = max(counts, key=counts.__getitem__, default=None)
        if not rarest or names:
            continue
        in_part = index.partial_words(rarest._replace(joined=()))  # which is known
        codes = [code for code, _ in rarest.stems]
        forms = {(code, get_language(code).stems[word]) for code in codes for word in in_part}
        if mentioned.isdisjoint(forms.union(rarest.stems, rarest.joined)):
            yield f"'{rarest.word}', the rarest word of the query, is not in the quote"
    for number, quotation in quotations.items():
        document = index.document(number)
        blocks = dict.fromkeys(sentence.block for sentence in quotation.sentences)
        rivals = (siblings.rival(document, document.blocks[block]) for block in blocks)
        if rival := next(filter(None, rivals), ""):
            yield f"the query names '{rival}', but the text beside it is quoted"


def _headings(index: Index, number: int) -> Iterator[str]:
    document, block = index.document(number), index.block(number)
    yield document.title
    yield from (heading.text for heading in block.headings)
    yield from (above.text for above in lead_ins(document.blocks, block) if above.kind in LABELS)


_PARTS: Final = r"[A-Z]+(?![a-z])|[A-Z]?[^\W\dA-Z_]+|\d+"
"""The parts of names such as `maxBodySize` and `ORA00942`."""


READ: Final = 8
"""The most unknown words of a query for which spellings are tried."""


def _read(index: Index, query: Query) -> Query:
    """Return a query with unknown words spelled as pages do."""
    statistics = index.statistics(query.text, in_sections=True)
    terms = joined_terms(query.text, statistics.terms)
    rare = (term for term, n in zip(terms, statistics.counts, strict=True) if not n.sections)
    unknown = {term.word for term in rare if index.lacks_word(term)}

    def read(match: re.Match[str]) -> str:
        word = match[0]
        if fold(word) not in unknown:
            return word
        if unknown == turned_off(query.text).keys():  # `enabled` is its switch
            return next(filter(index.mentions, sorted(shared_words("on"))), word)
        parts = re.findall(_PARTS, word)
        part_terms = query_terms(" ".join(parts), index.languages)
        if len(part_terms) == len(parts) and not any(map(index.lacks_word, part_terms)):
            return " ".join(parts)
        readings = sum(index.each(Index.readings, fold(word)), Counter[tuple[int, str]]())
        return min(
            readings,
            key=lambda reading: (reading[0], -readings[reading], reading),
            default=(0, word),
        )[1]

    is_read = 0 < len(unknown) <= READ
    return replace(query, text=re.sub(r"[^\W_]{4,40}", read, query.text)) if is_read else query


ANSWERED: Final = 0.9
"""A sentence answers a query with this share of the best score."""

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

    A sentence's score is the weighted mean of its scores for the queries; each query gets its best
    sentence, the heaviest query first, before any gets a second.
    """
    # A query goes through a chain of values: all sentences are scored (`Candidates`), the best that
    # may be quoted are chosen, recency may reorder them, and meaning may append some (`Choice`).
    # Only then is it decided what is quoted with each, so context never changes what is found.
    typed, as_typed = options.query, options.embedm
    options = replace(options, query=typed if as_typed else tuple(_read(index, q) for q in typed))
    quotable = Quotable(index, options, hidden=hidden)
    candidates = Candidates.of(quotable, options, meaning)
    default = SCORERS[options.scorer].diversity
    diversity = default if options.diversity is None else options.diversity
    choice = _select(candidates, options.sentence_limit, diversity)
    if options.embedm and meaning is None and freshness is None:
        choice = _fill(quotable, choice, options)
    usual = _usual(choice, diversity, len(typed))
    scores = choice.scores
    if freshness is None:
        scores = shown_scores(choice.numbers, scores, fixed=choice.fixed, diverse=diversity > 0)
    else:
        from mkdocs_recall.ranking.reranking import rerank

        choice = rerank(candidates, choice, freshness, diversity=diversity)
        scores = choice.scores
        usual += ", or are as relevant and more recent"
    context = options.context if isinstance(options.context, int) else 0
    if meaning is not None:
        from mkdocs_recall.ranking.reranking import supplement

        choice = supplement(candidates, choice, meaning, context=context, freshness=freshness)
    numbers = choice.numbers
    by_meaning = choice.by_meaning.values if choice.by_meaning else {}
    quotations: Mapping[int, Quotation]
    left_out: dict[int, str] = {}
    if isinstance(options.context, int):
        quotations = {number: quotable.quotation(number, context) for number in numbers}
    else:
        quotations, left_out = choose_places(
            quotable,
            options,
            numbers,
            worth={n: by_meaning.get(n, scores.values.get(n, 0.0)) for n in numbers},
            likely=candidates.scores.probabilities,
            titled=candidates.scores.titled,
            fixed={*choice.fixed, *by_meaning},
        )

    def lost() -> Mapping[int, str]:
        reasons = rejected(
            quotable,
            numbers,
            choice.scores.values,
            usual=usual,
            is_low=lambda number: not candidates.is_answer(number),
            quotations=None if isinstance(options.context, int) else quotations,
            appended=len(by_meaning),
            context=choice.covered,
        )
        return dict(islice((left_out | reasons).items(), SHOWN))

    result = make_result(
        index,
        [*quotations],
        scores,
        options.scorer,
        quote=lambda n: quotations.get(n) or quotable.quotation(n, context),
        rejected=lost,
        by_meaning=choice.by_meaning,
    )
    if not numbers:
        return _without_answer(result, candidates)
    if sides := tuple(_sides(quotable, replace(options, query=typed))):
        options = replace(options, query=(*typed, *sides))
        return recall(index, options, hidden=hidden, meaning=meaning, freshness=freshness)
    doubts = partial(_doubts, candidates, quotations, typed)
    return replace(result, why=choice.why, _doubts=lambda: tuple(doubts()))


def _usual(choice: Choice, diversity: float, queries: int) -> str:
    if diversity > 0:
        return "others score more, or differ more from each other"
    if queries > 1:
        return "others score more, or answer another query"
    if choice.has_rival:
        return "others score more, or are in another section that may answer"
    return "others score more"


def _sides(quotable: Quotable, options: RecallOptions) -> Iterator[Query]:
    """Yield the compared things that have a likely section."""
    # One place may serve both; else each gets one.
    if len(options.query) > 1 or options.embedm or isinstance(options.context, int):
        return
    for side in map(Query, compared(options.query[0].text, quotable.index.languages)):
        candidates = Candidates.of(quotable, replace(options, query=(side,), min_score=None), None)
        likely = max(candidates.scores.probabilities.values(), default=0.0)
        if likely > LIKELY and not any(candidates.missing):
            yield side


def _without_answer(result: Result, candidates: Candidates) -> Result:
    quotable = candidates.quotable
    texts = [query.text for query in candidates.options.query]
    terms = chain.from_iterable(query_terms(t, quotable.index.languages) for t in texts)
    if all(term.is_stop_word for term in terms):
        has_words = any(map(words, texts))
        why = f"{_NO_ANSWER}, which holds only stop words" if has_words else _NO_ANSWER
        return replace(result, fallback="stop_words", why=why)
    if all(candidates.missing):
        names = [f"'{name}'" for name in dict.fromkeys(candidates.missing)]
        verb = "are" if len(names) > 1 else "is"
        why = f"{_NO_ANSWER}: {' and '.join(names)} {verb} not in the source"
        return replace(result, fallback="no_match", why=why)
    highest = (quotable.highest(scores.values) for scores in candidates.by_query)
    best, min_score = max(zip(highest, candidates.min_scores, strict=True))
    if best <= 0:
        return replace(result, fallback="no_match", why=_NO_ANSWER)
    lacking = dict.fromkeys(chain.from_iterable(_lacking(quotable.index, text) for text in texts))
    nowhere = f"; not in the source: {', '.join(lacking)}" if lacking else ""
    scores = f"the best scores {best:.2f}, 'min_score' is {min_score:.2g}"
    why = f"{_NO_ANSWER} well enough{nowhere} ({scores})"
    return replace(result, fallback="low_score", why=why)


def _lacking(index: Index, text: str) -> list[str]:
    """Return the query's unknown words if they are half of all."""
    terms = query_terms(text, index.languages)
    naming = [t for t in terms if t.weight >= 1 and not is_unspaced(t.word[0])]
    lacking = [t for t in naming if index.lacks_word(t) and not index.partial_words(t)]
    return [f"'{t.word}'" for t in lacking if 2 * len(lacking) >= len(naming)]


def _select(candidates: Candidates, count: int, diversity: float) -> Choice:
    quotable = candidates.quotable
    values = candidates.values
    least = candidates.least
    if diversity:
        eligible = {n: v for n, v in values.items() if v >= least and not quotable.fault(n)}
        diverse = maximal_marginal_relevance(quotable.index, eligible, count, diversity=diversity)
        return Choice(tuple(diverse), candidates.scores)
    several = len(candidates.by_query) > 1
    fixed = _one_for_each_query(candidates, count) if several else ()
    ranked = quotable.ranked(values, count - len(fixed), least=least)
    best = choose(quotable, ranked, count, before=fixed)
    if several or not candidates.scores.probabilities:
        return Choice(best, candidates.scores, fixed)
    numbers = _with_rival(candidates, best, count)
    return Choice(numbers, candidates.scores, has_rival=numbers != best)


def _with_rival(candidates: Candidates, numbers: tuple[int, ...], count: int) -> tuple[int, ...]:
    """Take the last sentence from another likely section."""
    quotable = candidates.quotable
    likely = candidates.scores.probabilities
    section_of = quotable.index.sections.of_sentence
    sections = {section_of[number] for number in numbers}
    rivals = {s for s in candidates.scores.titled - sections if likely[s] >= TITLED}
    if not rivals and len(sections) == 1:
        rivals = {s for s, share in likely.items() if share >= HEDGE} - sections
    if not rivals or count == 1:
        return numbers
    values = {n: value for n, value in candidates.values.items() if section_of[n] in rivals}
    best: dict[int, int] = {}
    ranked = quotable.ranked(values, 1, least=candidates.least)
    firsts = (number for number in ranked if best.setdefault(section_of[number], number) == number)
    rival = choose(quotable, firsts, len(numbers) + 1, before=numbers)[len(numbers) :]
    return (*numbers[: count - len(rival)], *rival)


def _fill(quotable: Quotable, choice: Choice, options: RecallOptions) -> Choice:
    """Fill up an answer with first sentences, as embedm does."""
    index, scores = quotable.index, choice.scores
    if not choice.numbers or options.fills_budget or len(index.parts) > 1:
        return choice
    unchosen = (n for n in range(len(index)) if n not in choice.numbers and not quotable.fault(n))
    sizes = ((n, words_in(index.sentences[n].text, index.document(n).language)) for n in unchosen)
    long_enough = (n for n, size in sizes if size >= MIN_WORDS)
    numbers = choose(quotable, long_enough, options.sentence_limit, before=choice.numbers)
    none = Explanation(0.0, "no word of the query: embedm fills up 'max_sentences'")
    filled = Scores(
        {**dict.fromkeys(numbers, 0.0), **scores.values},
        lambda number: scores.explain(number) if number in scores.values else none,
    )
    return choice._replace(numbers=numbers, scores=filled)


def _one_for_each_query(candidates: Candidates, count: int) -> tuple[int, ...]:
    """Return each query's best sentence, heaviest first."""
    quotable, queries = candidates.quotable, candidates.options.query
    chosen: tuple[int, ...] = ()
    for query in sorted(range(len(queries)), key=lambda number: -queries[number].weight):
        values = candidates.answers_to(query)
        highest = max(values.values(), default=0.0)
        if len(chosen) == count:
            break
        if not any(values.get(n, 0.0) >= ANSWERED * highest for n in chosen):
            chosen = choose(quotable, quotable.ranked(values, 1), len(chosen) + 1, before=chosen)
    return chosen
