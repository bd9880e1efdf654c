"""The places of an answer: which chosen sentences are quoted together, and how many places are.

Sentences of one section (or of one tab in it) are one place. The first is quoted; beside it, a
further one only where the other may hold the answer, and the first is not likely enough to, has no
number where the query asks for one, or the query asks for two things. So an answer has one place,
or two as a hedge; more only where an author asks for more sentences, or has several queries.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple

from mkdocs_recall.index.query import asks_for_value, has_parts, query_terms
from mkdocs_recall.retrieval.context import (
    WORDS,
    Room,
    quotation_in_context,
    quotation_of_blocks,
    quotation_of_section,
)
from mkdocs_recall.retrieval.openings import reach_of
from mkdocs_recall.retrieval.ranking import Rejected
from mkdocs_recall.scoring.features import words_in
from mkdocs_recall.text.model import innermost_tab, lead_ins

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Mapping, Sequence

    from mkdocs_recall.index.index import Index
    from mkdocs_recall.index.query import Term
    from mkdocs_recall.options import RecallOptions
    from mkdocs_recall.retrieval.quotation import Quotation
    from mkdocs_recall.retrieval.siblings import Siblings
    from mkdocs_recall.text.model import Block

SURE: Final = 0.5
"""A section that is more likely than this to hold the answer is quoted alone."""
HEDGE: Final = 0.12
"""Beside a less likely one, another is quoted that is at least so likely."""
NEAR: Final = 0.85
"""Where a scorer ranks no sections, a further place is quoted if it scores this share of the best
one."""
SAYS_ALL: Final = 0.9
"""A sentence that has this share of the words of the query is quoted alone …"""
ENOUGH_WORDS: Final = 3
"""… if they are at least as many: two words of a query are in many a sentence that says nothing.
Where the query asks for a value, it must have a digit as well."""
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
    worth: Mapping[int, float],
    likely: Mapping[int, float],
    siblings: Siblings,
    quotation: Callable[[int], Quotation],
    fixed: Container[int] = (),
) -> Places:
    """Choose the places of an answer, and what each is quoted with.

    Args:
        index: The sentences.
        options: What is asked for.
        numbers: The chosen sentences, in rank order.
        worth: Their scores.
        likely: The probability of each section to hold the answer; empty if the scorer has none.
        siblings: What the queries name of what is beside each other.
        quotation: Returns what a sentence needs to be understood.
        fixed: The sentences whose places are quoted in any case.
    """
    terms = [t for query in options.query for t in query_terms(query.text, index.languages)]
    quote = partial(_quotation, index, options, siblings=siblings, quotation=quotation)
    section_of = index.sections.of_sentence
    groups = _together(index, numbers)
    has_all = (
        bool(numbers)
        and _has_value(index, numbers[0], options)
        and not any(has_parts(query.text, index.languages) for query in options.query)
    )

    def is_quoted(rank: int, number: int) -> bool:
        is_beside = section_of[number] == section_of[numbers[0]]  # in another tab, say
        if not rank or is_beside or number in fixed or options.fills_budget:
            return True
        if rank > max(1, options.sentence_limit - 2):
            return False
        if not likely:
            return worth[number] >= NEAR * worth[numbers[0]]
        best = likely.get(section_of[numbers[0]], 0.0)
        return (best <= SURE or not has_all) and likely.get(section_of[number], 0.0) >= HEDGE

    quoted = [group for rank, group in enumerate(groups) if is_quoted(rank, group[0])]
    firsts = {group[0] for group in quoted}
    left_out = [
        Rejected(group[0], "the places before it are more likely to answer")
        for group in groups
        if group[0] not in firsts
    ]
    quotations = {}
    for first, *further in quoted:
        is_whole = _says_all(index, first, terms) and _has_value(index, first, options)
        together = [first] if options.fills_budget else [first, *further]
        quotations[first] = quote(together, 0 if is_whole else WORDS)
    if options.fills_budget:
        total = _WORDS_OF_TOKEN * (options.max_tokens or 0)
        _fill(index, groups, quotations, partial(quote, words=WORDS), total)
    return Places(quotations, left_out)


def _fill(
    index: Index,
    groups: Iterable[list[int]],
    quotations: dict[int, Quotation],
    quote: Callable[[list[int]], Quotation],
    total: float,
) -> None:
    """Add the further chosen sentences of the places, as far as there are words for them."""
    left = total - sum(_size(index, *each) for each in quotations.items())
    for first, *further in groups:
        count = 0
        for number in further if first in quotations else ():
            left -= len(index.words_of(number))
            count += left >= 0
        if count:
            quotations[first] = quote([first, *further[:count]])


def _size(index: Index, number: int, quotation: Quotation) -> int:
    """Return how many words a place is quoted with."""
    code = index.language_of(number).code
    return sum(words_in(sentence.text, code) for sentence in quotation.sentences)


def _has_value(index: Index, number: int, options: RecallOptions) -> bool:
    """Tell whether a sentence has a digit, unless no query asks for a value."""
    return index.has_digit(number) or not any(
        asks_for_value(query.text, index.languages) for query in options.query
    )


def _says_all(index: Index, number: int, terms: Sequence[Term]) -> bool:
    """Tell whether a sentence says nearly all of a query that has several words."""
    code, held = index.language_of(number).code, index.term_set(number)
    share = sum(t.weight for t in terms if any(c == code and s in held for c, s in t.stems))
    return len(terms) >= ENOUGH_WORDS and share >= SAYS_ALL * sum(t.weight for t in terms)


def _together(index: Index, numbers: Sequence[int]) -> list[list[int]]:
    """Return the sentences of each place, by rank."""
    places: dict[tuple[str, int, int], list[int]] = {}
    for number in numbers:
        document, block = index.document(number), index.block(number)
        tab = innermost_tab(document.blocks, block)
        place = document.uri, block.section, -1 if tab is None else tab.number
        places.setdefault(place, []).append(number)
    return list(places.values())


def _quotation(
    index: Index,
    options: RecallOptions,
    numbers: Sequence[int],
    words: float,
    *,
    siblings: Siblings,
    quotation: Callable[[int], Quotation],
) -> Quotation:
    """Return what the sentences of a place are quoted with."""
    document, block = index.document(numbers[0]), index.block(numbers[0])
    within = {above.number for above in (block, *lead_ins(document.blocks, block))}

    def is_open(part: Block) -> bool:
        if part.kind != "tab":
            return not siblings.rival(document, part)
        if any(other.lead == part.lead for other in tabs):
            return part.number in within
        return siblings.is_open(document, part)

    tabs = [above for above in map(document.blocks.__getitem__, within) if above.kind == "tab"]
    room = Room(document, options.units, is_open, reach_of(options.context))
    chosen = [index.sentences[number] for number in numbers]
    each = [*map(quotation, numbers)]
    if options.context == "block":
        return quotation_of_blocks(room, chosen, each)
    if options.context == "section":
        return quotation_of_section(room, chosen, each)
    return quotation_in_context(room, chosen, each, words=words)
