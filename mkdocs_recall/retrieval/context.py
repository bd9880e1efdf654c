"""The context of chosen sentences: how much of their section is quoted with them.

A lone sentence seldom answers what a user asks. So by default, a place is quoted from the opening
of its section, in whole sentences up to a number of words, with the chosen sentence in it, and with
the code or list that the quoted text leads to. Only a sentence that says nearly all of the query
is quoted alone. An author may ask for the whole block or the whole section instead.

The story: `recall` chooses sentences; `quotation` says what each needs to be understood. Here, the
blocks of the section are read from its first (`_readable`), with one tab of several; `_taken` takes
whole sentences of them until the words are used up; the two together, in reading order, are the
quotation of the place. `trimmed` later shortens it from its end where `max_tokens` or `max_words`
are less.

What was tried is in benchmarks/README.md ("Context").
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import replace
from itertools import chain
from operator import attrgetter
from typing import TYPE_CHECKING, Final, NamedTuple

from mkdocs_recall.retrieval.openings import (
    IN_CONTEXT,
    Reach,
    first_lines,
    following,
    goes_on,
    leads_in,
)
from mkdocs_recall.retrieval.quotation import Quotation, in_reading_order
from mkdocs_recall.scoring.features import words_in
from mkdocs_recall.text.model import LABELS, lead_ins, section_blocks

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from mkdocs_recall.text.model import Block, Document, Kind, Sentence

WORDS: Final = 60
"""A place is quoted with about so many words: a sentence that begins within them …"""
OVERHANG: Final = 30
"""… is quoted to its end if it has no more than these beyond. On 176 questions of users, an opening
of 60 words holds the answer for .37, one of 45 words for .31, one of 90 for .43."""
AFTER: Final = 0.25
"""The share of these words for what follows a chosen sentence that the opening does not reach."""
FAR: Final = 400
"""The opening of a section says nothing about a sentence that is more words below it: then the
opening of its paragraph is quoted. Few sections of documentations are as long."""


class Room(NamedTuple):
    """What may be quoted of a section."""

    document: Document
    units: Collection[Kind]
    """The kinds of blocks that may be quoted; code comes with the text that it follows."""
    is_open: Callable[[Block], bool]
    """Tells whether a block may be quoted with others: of several tabs, one is."""
    reach: Reach = IN_CONTEXT
    """How much of what a lead-in opens is quoted at most."""


def quotation_in_context(
    room: Room,
    chosen: Sequence[Sentence],
    quotations: Sequence[Quotation],
    *,
    words: float = WORDS,
) -> Quotation:
    """Return what a place is quoted with: its opening, and the chosen sentences.

    Args:
        room: What may be quoted.
        words: About how many words to quote; 0 for the sentences alone, with the code or list that
            the sentence after them leads to.
    """
    first, document = chosen[0], room.document
    blocks = section_blocks(document, document.blocks[first.block])
    added: list[Sentence] = []
    if words > 0:
        start = _start(document, blocks, first)
        added = _taken(room, blocks, start, words)
        if not _holds(added, first):
            added = _taken(room, blocks, start, words * (1 - AFTER))
            added += _taken(room, blocks, (first.block, first.start), words * AFTER)
    else:
        added = _introduced_below(room, first)
    return _joined(room, quotations, added)


def quotation_of_blocks(
    room: Room, chosen: Sequence[Sentence], quotations: Sequence[Quotation]
) -> Quotation:
    """Return the blocks of the chosen sentences whole: a paragraph, a list, a row, an admonition.

    Args:
        room: What may be quoted.
    """
    document = room.document
    wholes = chain.from_iterable(_whole(document, document.blocks[s.block]) for s in chosen)
    added = [s for block in dict.fromkeys(b.number for b in wholes) for s in _parts(room, block)]
    return _joined(room, quotations, added)


def quotation_of_section(
    room: Room, chosen: Sequence[Sentence], quotations: Sequence[Quotation]
) -> Quotation:
    """Return the whole section of the chosen sentences, with all its tabs and code.

    Args:
        room: What may be quoted.
    """
    blocks = section_blocks(room.document, room.document.blocks[chosen[0].block])
    added = [s for block in blocks for s in _parts(room, block.number)]
    return _joined(room, quotations, added)


def trimmed(
    document: Document, quotation: Quotation, fits: Callable[[Quotation], bool]
) -> Quotation | None:
    """Return as much of a quotation as fits, without the last of what its context added.

    It never ends with a title, or with a sentence that leads to what is left out.

    Returns:
        The quotation, or None where not even its chosen sentences fit.
    """
    added = quotation.added

    def first(count: int) -> Quotation:
        while 0 < count < len(added) and _opens(document, added[count - 1]):
            count -= 1
        dropped = {(s.block, s.start) for s in added[count:]}
        kept = tuple(s for s in quotation.sentences if (s.block, s.start) not in dropped)
        goes_further = goes_on(document, kept)
        return replace(quotation, sentences=kept, goes_on=goes_further, added=added[:count])

    counts = range(len(added) + 1)
    fitting = bisect_left(counts, True, key=lambda count: not fits(first(count)))  # noqa: FBT003
    return first(fitting - 1) if fitting else None


def _opens(document: Document, sentence: Sentence) -> bool:
    """Tell whether a sentence only opens what is below it."""
    block = document.blocks[sentence.block]
    return block.kind in LABELS or leads_in(block, sentence)


def _joined(room: Room, quotations: Sequence[Quotation], added: Sequence[Sentence]) -> Quotation:
    """Return quotations with the sentences around them, and what these lead to."""
    document = room.document
    needed, *others = quotations
    around: list[Sentence] = []
    for sentence in added:
        around.append(sentence)
        block = document.blocks[sentence.block]
        if leads_in(block, sentence):
            around += following(document, block, room.units, is_open=room.is_open, reach=room.reach)
    around += chain.from_iterable(other.sentences for other in others)
    places = {(s.block, s.start) for s in needed.sentences}
    further = {(s.block, s.start): s for s in around if (s.block, s.start) not in places}
    sentences = in_reading_order((*needed.sentences, *further.values()))
    return Quotation(sentences, goes_on(document, sentences), needed.whole, tuple(further.values()))


def _start(document: Document, blocks: Sequence[Block], first: Sentence) -> tuple[int, int]:
    """Return the place at which the quote of a section begins: its start, or a paragraph's."""
    above = 0
    for block in blocks[: first.block - blocks[0].number]:
        above += words_in(block.text, document.language) if block.text else 0
        if above > FAR:
            return first.block, 0
    return blocks[0].number, 0


def _taken(
    room: Room, blocks: Sequence[Block], start: tuple[int, int], words: float
) -> list[Sentence]:
    """Return whole sentences from a place on, as many as there are words for.

    The labels above a sentence come with it. Code costs its words, and is not left out for them
    where it directly follows text that is quoted.
    """
    language = room.document.language
    taken: list[Sentence] = []
    size, lead = 0, -1
    for labels, block in _readable(room, blocks[start[0] - blocks[0].number :]):
        parts = [s for s in _parts(room, block.number) if (s.block, s.start) >= start]
        is_led = block.kind == "code" and block.lead == lead
        if size >= words and not is_led:
            break
        sizes = [words_in(part.text, language) for part in parts]
        ends = size + sum(sizes) <= words + OVERHANG  # then all of the paragraph is quoted
        lead = -1
        for number, part in enumerate(parts):
            is_over = size >= words or size + sizes[number] > words + OVERHANG
            if size and is_over and not (is_led or ends):
                return taken
            taken += (label for label in labels if number == 0)
            taken.append(part)
            size += sizes[number]
        if parts:
            lead = block.number
    return taken


def _readable(room: Room, blocks: Iterable[Block]) -> Iterator[tuple[Sequence[Sentence], Block]]:
    """Yield the blocks that may be quoted, each with the labels right above it."""
    labels: list[Sentence] = []
    for block in blocks:
        if not _is_open(room, block):
            continue
        if block.kind in LABELS:
            labels += (sentence for sentence in block.sentences if sentence.quotable)
        else:
            if block.kind == "code" or block.kind in room.units:
                yield labels, block
            labels = []


def _is_open(room: Room, block: Block) -> bool:
    """Tell whether a block, and each tab that it is in, may be quoted."""
    above = lead_ins(room.document.blocks, block)
    return room.is_open(block) and all(room.is_open(tab) for tab in above if tab.kind == "tab")


def _parts(room: Room, number: int) -> list[Sentence]:
    """Return the sentences of a block that may be quoted; of long code, the first lines."""
    block = room.document.blocks[number]
    quotable = [sentence for sentence in block.sentences if sentence.quotable]
    if block.kind != "code":
        return quotable
    return [first_lines(sentence, room.reach.lines) for sentence in quotable]


def _introduced_below(room: Room, sentence: Sentence) -> list[Sentence]:
    """Return the sentence after one if it leads to code or a list; else none."""
    document = room.document
    block = document.blocks[sentence.block]
    after = bisect_right(block.sentences, sentence.start, key=attrgetter("start"))
    below = block.sentences[after : after + 1]
    if not below and block.number + 1 < len(document.blocks):
        next_block = document.blocks[block.number + 1]
        if next_block.section == block.section and next_block.lead != block.number:
            below = next_block.sentences[:1]
    return [s for s in below if s.quotable and leads_in(document.blocks[s.block], s)]


def _whole(document: Document, block: Block) -> list[Block]:
    """Return the blocks that are one for a reader: the items of a list, the texts of a note."""
    if block.kind not in {"list", "admonition"}:
        return [block]
    outer = block
    for above in lead_ins(document.blocks, block):
        if above.kind == block.kind and above.section == block.section:
            outer = above
    return [
        other
        for other in section_blocks(document, block)
        if other.kind == block.kind
        and other.top == block.top
        and (
            other.lead == outer.lead
            or any(above.lead == outer.lead for above in lead_ins(document.blocks, other))
        )
    ]


def _holds(sentences: Iterable[Sentence], sought: Sentence) -> bool:
    return any((s.block, s.start) == (sought.block, sought.start) for s in sentences)
