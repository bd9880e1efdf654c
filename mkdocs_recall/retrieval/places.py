"""The places of an answer: which chosen sentences are quoted together, and which add nothing.

Sentences of one section (or of one tab in it) are one place. A further place is quoted only where
it adds something: a word of the query that those before it lack, or nearly the same worth. Each has
the words that those before it have left.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple

from mkdocs_recall.index.query import query_terms
from mkdocs_recall.retrieval.context import (
    WORDS,
    Room,
    quotation_in_context,
    quotation_of_blocks,
    quotation_of_section,
)
from mkdocs_recall.retrieval.openings import CODE_LINES
from mkdocs_recall.retrieval.quotation import quotation
from mkdocs_recall.retrieval.ranking import Rejected
from mkdocs_recall.scoring.features import words_in
from mkdocs_recall.text.model import innermost_tab, lead_ins
from mkdocs_recall.text.terms import words

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Mapping, Sequence

    from mkdocs_recall.index.index import Index
    from mkdocs_recall.index.query import Term
    from mkdocs_recall.options import RecallOptions
    from mkdocs_recall.retrieval.quotation import Quotation
    from mkdocs_recall.retrieval.siblings import Siblings
    from mkdocs_recall.text.model import Block

FURTHER_WORDS: Final = 25
"""How many words an answer has for each chosen sentence but the first, which has `WORDS`: 110 for
the usual three."""
LEAST_WORDS: Final = 10
"""With fewer words left, no further place is quoted."""
NEAR: Final = 0.9
"""A further place that scores this share of the best one is worth nearly the same."""
ADDS: Final = 0.7
"""One that has another word of the query must score this share."""
SAYS_ALL: Final = 0.9
"""A sentence that has this share of the words of the query is quoted alone …"""
ENOUGH_WORDS: Final = 3
"""… if they are at least as many: two words of a query are in many a sentence that says nothing."""
_WORDS_OF_TOKEN: Final = 0.75
"""About how many words a token is."""


class Places(NamedTuple):
    """The places of an answer."""

    quotations: Mapping[int, Quotation]
    """What is quoted, by the first chosen sentence of each place, in rank order."""
    left_out: Sequence[Rejected]
    """The first sentences of the other places, with the reason."""


def choose_places(
    index: Index,
    options: RecallOptions,
    numbers: Sequence[int],
    *,
    scores: Mapping[int, float],
    siblings: Siblings,
    fixed: Container[int] = (),
) -> Places:
    """Choose the places of an answer, and what each is quoted with.

    Args:
        index: The sentences.
        options: What is asked for.
        numbers: The chosen sentences, in rank order.
        scores: What they score.
        siblings: What the queries name.
        fixed: The sentences whose places are quoted whatever they add.
    """
    terms = [t for query in options.query for t in query_terms(query.text, index.languages)]
    left = float(_words(options))
    quotations: dict[int, Quotation] = {}
    left_out: list[Rejected] = []
    said: set[Term] = set()
    best = scores[numbers[0]] if numbers else 0.0
    for together in _together(index, numbers):
        first = together[0]
        own = _said(index, first, (index.sentences[first].words,), terms)
        if quotations and first not in fixed:
            reason = ""
            if left < LEAST_WORDS and options.context == "auto":
                reason = "those before it have all the words of an answer"
            elif not options.fills_budget and scores[first] < NEAR * best:
                if own <= said or scores[first] < ADDS * best:
                    reason = "it adds nothing to those before it"
            if reason:
                left_out.append(Rejected(first, reason))
                continue
        share = sum(term.weight for term in _held(index, first, terms))
        alone = len(terms) >= ENOUGH_WORDS and share >= SAYS_ALL * sum(t.weight for t in terms)
        quoted = _quotation(
            index, options, together, siblings, 0.0 if alone else max(0.0, min(WORDS, left))
        )
        language = index.document(first).language
        left -= sum(words_in(sentence.text, language) for sentence in quoted.sentences)
        quotations[first] = quoted
        said |= _said(index, first, (s.words for s in quoted.sentences), terms)
    return Places(quotations, left_out)


def _together(index: Index, numbers: Sequence[int]) -> list[list[int]]:
    """Return the sentences of each place, by rank."""
    places: dict[tuple[str, int, int], list[int]] = {}
    for number in numbers:
        document, block = index.document(number), index.block(number)
        tab = innermost_tab(document.blocks, block)
        place = document.uri, block.section, -1 if tab is None else tab.number
        places.setdefault(place, []).append(number)
    return list(places.values())


def _words(options: RecallOptions) -> float:
    """Return about how many words an answer has."""
    if options.fills_budget:
        return _WORDS_OF_TOKEN * (options.max_tokens or 0)
    further = options.sentence_limit + len(options.query) - 2
    return WORDS + FURTHER_WORDS * further


def _quotation(
    index: Index,
    options: RecallOptions,
    numbers: Sequence[int],
    siblings: Siblings,
    left: float,
) -> Quotation:
    """Return what the sentences of a place are quoted with."""
    document, block = index.document(numbers[0]), index.block(numbers[0])
    within = {above.number for above in (block, *lead_ins(document.blocks, block))}

    def is_open(tab: Block) -> bool:
        if any(other.kind == "tab" and other.lead == tab.lead for other in tabs):
            return tab.number in within
        return siblings.is_open(document, tab)

    tabs = [above for above in map(document.blocks.__getitem__, within) if above.kind == "tab"]
    room = Room(document, options.units, is_open)
    chosen = [index.sentences[number] for number in numbers]
    each = [
        quotation(document, sentence, options.units, is_open=is_open, lines=CODE_LINES)
        for sentence in chosen
    ]
    make: Callable[..., Quotation] = {
        "auto": partial(quotation_in_context, words=left),
        "block": quotation_of_blocks,
        "section": quotation_of_section,
    }[str(options.context)]
    return make(room, chosen, each)


def _held(index: Index, number: int, terms: Iterable[Term]) -> set[Term]:
    """Return the terms that a sentence holds."""
    code, held = index.language_of(number).code, index.term_set(number)
    return {term for term in terms if any(c == code and s in held for c, s in term.stems)}


def _said(
    index: Index, number: int, texts: Iterable[Sequence[str]], terms: Iterable[Term]
) -> set[Term]:
    """Return the terms that words, or the headings above a sentence, hold."""
    language, block = index.language_of(number), index.block(number)
    headings = (index.document(number).title, *(heading.text for heading in block.headings))
    stems = {language.stems[word] for text in texts for word in text}
    stems |= {language.stems[word] for heading in headings for word in words(heading)}
    code = language.code
    return {term for term in terms if any(c == code and s in stems for c, s in term.stems)}
