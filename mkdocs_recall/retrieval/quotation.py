"""The quotation of a chosen sentence: what a reader needs to understand it, and all of it as text.

A list item comes with the sentence that leads in to it, a definition with its term, code with the
sentence before it, "It …" with the sentence it refers to, and "These are supported:" with the list,
"Add these lines:" with the lines. A short item of a list is quoted whole.
`rendering` makes HTML and Markdown of the same chunks.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from itertools import islice
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

from mkdocs_recall.retrieval.openings import (
    ALONE,
    IN_CONTEXT,
    Reach,
    following,
    goes_on,
    is_item,
    leads_in,
    opening_of,
)
from mkdocs_recall.scoring.features import MIN_WORDS, has_end, is_complete, word_count, words_in
from mkdocs_recall.text.model import LABELS, LONGEST, TEXT, lead_ins
from mkdocs_recall.text.phrases import phrases

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from mkdocs_recall.text.model import Block, Document, Kind, Sentence

ITEM_SENTENCES, ITEM_WORDS = 3, 40
"""An item of a list with at most this many sentences and words is quoted whole: one thing is said
of it, and it is no longer than two sentences of prose. Of the items with several sentences, 97 %
are as short in 7 documentations, 93 % in 20 others."""
_MAX_CONTEXT = 1 << 31
"""More sentences than a page has; a greater number is too large for `islice`."""
_STEPS_BACK = 3
"""A quotation adds at most this many sentences, each of which the next one leans on."""


@dataclass(frozen=True, slots=True)
class Quotation:
    """The sentences that are quoted for one that was chosen.

    Example:
        >>> from mkdocs_recall import Corpus
        >>> corpus = Corpus.from_markdown({"a.md": "A token is a secret. It lasts for an hour."})
        >>> (passage,) = corpus.recall("for how long does it last?", max_sentences=1).passages
        >>> [sentence.text for sentence in passage.quotation.sentences]
        ['A token is a secret.', 'It lasts for an hour.']
    """

    sentences: tuple[Sentence, ...]
    """In reading order, all of one section; the chosen one is among them."""
    goes_on: bool = False
    """Whether the list or table at its end has more items or rows than the quotation."""
    whole: bool = True
    """False where it leans on text that cannot be quoted, or says nothing by itself."""
    added: tuple[Sentence, ...] = ()
    """Those of the sentences that only the context adds, the most important first."""


class Chunk(NamedTuple):
    """Sentences of one block that follow each other."""

    block: Block
    start: int
    """The half-open span of the block's text."""
    end: int
    apart: bool
    """Whether the page has other text between it and the chunk before it."""


def may_be_quoted(block: Block) -> bool:
    """Tell whether a block can be chosen at all: code that fills a screen cannot."""
    return block.kind != "code" or block.text.count("\n") < IN_CONTEXT.lines


def quotation(
    document: Document,
    sentence: Sentence,
    units: Collection[Kind],
    *,
    context: int = 0,
    bare: bool = False,
    is_open: Callable[[Block], bool] | None = None,
    reach: Reach = ALONE,
) -> Quotation:
    """Return what is quoted for a sentence.

    Args:
        units: The kinds of blocks that may be quoted.
        context: How many sentences of its section to add on each side, where there are any.
        is_open: Tells which of several tabs below a lead-in is quoted; None for the first.
        reach: How much a lead-in brings at most.
    """
    context = min(context, _MAX_CONTEXT)
    block = document.blocks[sentence.block]
    around = _around(document, block, sentence, units, context) if context else ()
    if bare:
        return Quotation(in_reading_order((sentence, *around)))
    own = block.sentences if _is_short_item(document, block) else (sentence,)
    before, whole = _before(document, block, own[0])
    after: Sequence[Sentence] = ()
    if leads_in(block, own[-1]):
        after = following(document, block, units, is_open=is_open, reach=reach)
        whole = bool(after)
    if _opens_section(document, own[0]) and not _is_label(document, block, own[0]):
        whole = True  # its heading says what it is about
    terms = filter(None, (_term(document, document.blocks[s.block]) for s in around))
    sentences = in_reading_order((*before, *own, *after, *around, *terms))
    return Quotation(sentences, goes_on(document, sentences), whole)


def merge_quotations(document: Document, quotations: Sequence[Quotation]) -> Quotation:
    """Return the quotations of one section as one, in which each sentence occurs once."""
    sentences = in_reading_order(s for quotation in quotations for s in quotation.sentences)
    cut = any(quotation.goes_on for quotation in quotations) and goes_on(document, sentences)
    return Quotation(sentences, cut, all(quotation.whole for quotation in quotations))


def plain_text(document: Document, sentences: Iterable[Sentence], *, goes_on: bool = False) -> str:
    """Return sentences as text, with "…" where something is left out."""
    text = ""
    previous: Chunk | None = None
    for chunk in chunks(document, sentences):
        if previous is not None:
            if is_cut(previous):
                text += "\n…\n"
            elif "code" in {chunk.block.kind, previous.block.kind} or is_item(
                document, chunk.block
            ):
                text += "\n…\n" if chunk.apart else "\n"
            elif previous.block.kind in LABELS:
                text += (
                    f"{colon_after(previous)} … " if chunk.apart else f"{colon_after(previous)} "
                )
            elif chunk.apart:
                text += " … "
            else:
                text += " " if shares_line(previous, chunk) else "\n"
        text += chunk.block.text[chunk.start : chunk.end]
        previous = chunk
    is_cut_short = goes_on or (previous is not None and is_cut(previous))
    return f"{text}\n…" if is_cut_short else text


def colon_after(label: Chunk) -> str:
    """Return the colon between a label and what it names; empty where it ends as a sentence."""
    return "" if has_end(label.block.text) else ":"


def shares_line(previous: Chunk, chunk: Chunk) -> bool:
    """Tell whether text that follows another stands on its line: a label opens one of its own."""
    return ends_sentence(previous) and chunk.block.kind not in LABELS


def is_cut(chunk: Chunk) -> bool:
    """Tell whether a chunk is the first lines of code that goes on."""
    return chunk.block.kind == "code" and chunk.end < len(chunk.block.text)


def chunks(document: Document, sentences: Iterable[Sentence]) -> list[Chunk]:
    """Return sentences, in reading order, as runs that follow each other within a block."""
    runs: list[Chunk] = []
    last: Sentence | None = None
    for sentence in sentences:
        follows = last is not None and _follows(document, last, sentence)
        if last is not None and follows and last.block == sentence.block:
            runs[-1] = runs[-1]._replace(end=sentence.end)
        else:
            block = document.blocks[sentence.block]
            apart = last is not None and not follows
            runs.append(Chunk(block, sentence.start, sentence.end, apart))
        last = sentence
    return runs


def ends_sentence(chunk: Chunk) -> bool:
    """Tell whether a chunk ends as a sentence does, so that another may follow on the same line."""
    return chunk.block.kind != "table" and has_end(chunk.block.text[chunk.start : chunk.end])


def _follows(document: Document, first: Sentence, second: Sentence) -> bool:
    """Tell whether the page has no text between two sentences."""
    one, other = document.blocks[first.block], document.blocks[second.block]
    if one is other:
        return not one.text[first.end : second.start].strip()
    return (
        one.section == other.section
        and first.end == len(one.text.rstrip())
        and not other.text[: second.start].strip()
        and all(
            document.blocks[number].kind in LABELS for number in range(one.number + 1, other.number)
        )
    )


def in_reading_order(sentences: Iterable[Sentence]) -> tuple[Sentence, ...]:
    """Return sentences of one page in its order, without repetitions."""
    by_place: dict[tuple[int, int], Sentence] = {}
    for sentence in sentences:
        place = sentence.block, sentence.start
        if place not in by_place or by_place[place].end < sentence.end:  # code may be cut
            by_place[place] = sentence
    return tuple(by_place[place] for place in sorted(by_place))


def _before(
    document: Document, block: Block, sentence: Sentence
) -> tuple[Sequence[Sentence], bool]:
    """Return the sentences that a sentence needs before it, and whether they suffice."""
    lead = _lead(document, block)
    if block.kind == "table":
        return (), True  # the text of a row includes its header cells
    if block.kind == "tab":
        return (lead,) if lead else (), True
    if block.kind == "code":
        lead = lead or _title(document, block)
        return (lead,) if lead else (), True
    term = _term(document, block)
    if is_item(document, block) and not _stands_alone(document, sentence):
        position = _position(block, sentence)
        own = [s for s in block.sentences[max(0, position - 1) : position] if s.quotable]
        leads = [] if own and _stands_alone(document, own[0]) else _leads(document, block)
        above = _leaned_on(document, leads[0])[0] if leads else ()
        before: Sequence[Sentence] = [*above, *leads, *own]
        whole = bool(before) or not _is_link(block)
    else:
        before, whole = _leaned_on(document, sentence)
        if _is_label(document, block, sentence):
            whole = False
    return ([term, *before], True) if term else (before, whole)


def _is_short_item(document: Document, block: Block) -> bool:
    """Tell whether a block is an item of a list that is quoted whole: "`ttl`: … Default: 1 s."."""
    return (
        block.kind == "list"
        and 1 < len(block.sentences) <= ITEM_SENTENCES
        and words_in(block.text, document.language) <= ITEM_WORDS
        and all(sentence.quotable for sentence in block.sentences)
    )


def _leads(document: Document, block: Block) -> list[Sentence]:
    """Return the lead-ins of a list item, outermost first."""
    leads: list[Sentence] = []
    while len(leads) < _STEPS_BACK and (lead := _lead(document, block)):
        leads.append(lead)
        block = document.blocks[lead.block]
        if not is_item(document, block) or _stands_alone(document, lead):
            break
    return leads[::-1]


def _term(document: Document, block: Block) -> Sentence | None:
    """Return the term that a definition, or an item in one, explains."""
    if block.kind != "definition":
        return None
    for above in islice(lead_ins(document.blocks, block), _STEPS_BACK):
        if above.kind == "label":
            return _last(above) if above.section == block.section else None
        if above.kind != "definition":
            break
    return None


def _title(document: Document, block: Block) -> Sentence | None:
    """Return the label right above a code block; the citation names that of a tab."""
    above = None if block.lead is None else document.blocks[block.lead]
    is_title = above is not None and above.kind == "label" and above.section == block.section
    return _last(above) if above is not None and is_title else None


def _lead(document: Document, block: Block) -> Sentence | None:
    """Return the sentence that leads in to a block."""
    above = opening_of(document, block)
    return None if above is None else _last(above)


def _last(block: Block) -> Sentence | None:
    """Return the last sentence of a block if it can be quoted."""
    last = block.sentences[-1:]
    return last[0] if last and last[0].quotable else None


def _stands_alone(document: Document, sentence: Sentence) -> bool:
    """Tell whether a list item is a sentence of its own and does not complete its lead-in."""
    return is_complete(sentence, document.language) and not sentence.text[0].islower()


def _is_label(document: Document, block: Block, sentence: Sentence) -> bool:
    """Tell whether a block is just a word or two that name what follows: "Example"."""
    few = word_count(sentence, document.language) < MIN_WORDS
    return few and len(block.sentences) == 1 and not has_end(sentence.text)


def _is_link(block: Block) -> bool:
    """Tell whether a block is nothing but links."""
    linked = sum(mark.end - mark.start for mark in block.marks if mark.role == "link")
    return linked >= len(block.text.rstrip("."))


def _leaned_on(document: Document, sentence: Sentence) -> tuple[Sequence[Sentence], bool]:
    """Return the sentences that "It …" refers to, and whether they can be quoted."""
    leans = phrases(document.language).leans
    backwards: list[Sentence] = []
    while leans(sentence.text) and len(backwards) < _STEPS_BACK:
        if _opens_section(document, sentence):
            break  # it refers to the heading
        previous = _previous(document, document.blocks[sentence.block], sentence)
        if previous is None or not previous.quotable:
            return backwards[::-1], bool(backwards)
        backwards.append(previous)
        sentence = previous
    return backwards[::-1], True


def _opens_section(document: Document, sentence: Sentence) -> bool:
    """Tell whether a sentence is the first of its section, or of its page."""
    block = sentence.block
    blocks = document.blocks
    return not sentence.start and (not block or blocks[block - 1].section != blocks[block].section)


def _previous(document: Document, block: Block, sentence: Sentence) -> Sentence | None:
    """Return the sentence before one, in its block or at the end of the block above."""
    position = _position(block, sentence)
    if position:
        return block.sentences[position - 1]
    if is_item(document, block):
        return _lead(document, block)
    if not block.number:
        return None
    above = document.blocks[block.number - 1]
    same = above.section == block.section and above.kind == block.kind
    return above.sentences[-1] if same and above.sentences else None


def _position(block: Block, sentence: Sentence) -> int:
    """Return the position of a sentence in its block, which may have thousands."""
    return bisect_left(block.sentences, sentence.start, key=attrgetter("start"))


def _around(
    document: Document,
    block: Block,
    sentence: Sentence,
    units: Collection[Kind],
    context: int,
) -> list[Sentence]:
    """Return the sentences around one in its section: of text, and around a row of other rows."""
    kinds = ({*TEXT} & {*units}) | {block.kind}

    def within_section(blocks: Iterable[Block]) -> Iterator[Block]:
        for other in blocks:
            if other.section != block.section:
                return
            if other.kind in kinds:
                yield other

    position = _position(block, sentence)
    above = within_section(document.blocks[number] for number in range(block.number - 1, -1, -1))
    below = within_section(
        document.blocks[number] for number in range(block.number + 1, len(document.blocks))
    )
    before = (s for other in above for s in reversed(other.sentences))
    after = (s for other in below for s in other.sentences)
    around = (
        *block.sentences[max(0, position - context) : position],
        *islice(before, max(0, context - position)),
        *block.sentences[position + 1 : position + 1 + context],
        *islice(after, max(0, context - (len(block.sentences) - position - 1))),
    )
    return [each for each in around if len(each.text) <= LONGEST]
