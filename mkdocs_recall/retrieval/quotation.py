"""What is quoted with a chosen sentence, so that a reader can understand it.

A list item comes with the sentence that leads in to it, a definition with its term, code with the
sentence before it, "It …" with what it speaks of, and "These are supported:" with what is.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from itertools import islice
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

from mkdocs_recall.scoring.features import CLOSING, MIN_WORDS, has_end, is_complete, word_count
from mkdocs_recall.scoring.phrases import phrases
from mkdocs_recall.text.model import TEXT

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from mkdocs_recall.text.model import Block, Document, Kind, Sentence


class Chunk(NamedTuple):
    """Sentences of one block that follow each other."""

    block: Block
    start: int
    """The half-open span of the block's text."""
    end: int
    apart: bool
    """Whether something stands between it and the chunk before it."""


def chunks(document: Document, sentences: Iterable[Sentence]) -> list[Chunk]:
    """Return sentences, in reading order, as runs that follow each other within a block."""
    found: list[Chunk] = []
    last: Sentence | None = None
    for sentence in sentences:
        follows = last is not None and _follows(document, last, sentence)
        if last is not None and follows and last.block == sentence.block:
            found[-1] = found[-1]._replace(end=sentence.end)
        else:
            block = document.blocks[sentence.block]
            apart = last is not None and not follows
            found.append(Chunk(block, sentence.start, sentence.end, apart))
        last = sentence
    return found


def is_item(document: Document, block: Block) -> bool:
    """Tell whether a block is an item of a list, wherever that stands, or a table's row."""
    if block.kind in _ROWS or block.lead is None:
        return block.kind in _ROWS
    return block.kind in TEXT and document.blocks[block.lead].kind != "label"


def ends_sentence(chunk: Chunk) -> bool:
    """Tell whether a chunk ends as a sentence does, so that another may stand right behind it."""
    return chunk.block.kind != "table" and has_end(chunk.block.text[chunk.start : chunk.end])


def plain_text(document: Document, sentences: Iterable[Sentence], *, goes_on: bool = False) -> str:
    """Return sentences as text, with "…" where something is left out."""
    text = ""
    previous: Chunk | None = None
    for chunk in chunks(document, sentences):
        if previous is not None:
            if "code" in {chunk.block.kind, previous.block.kind} or is_item(document, chunk.block):
                text += "\n…\n" if chunk.apart else "\n"
            elif previous.block.kind == "label":
                text += ": … " if chunk.apart else ": "
            elif chunk.apart:
                text += " … "
            else:
                text += " " if ends_sentence(previous) else "\n"
        text += chunk.block.text[chunk.start : chunk.end]
        previous = chunk
    return f"{text}\n…" if goes_on else text


def _follows(document: Document, first: Sentence, second: Sentence) -> bool:
    """Tell whether nothing stands between two sentences."""
    one, other = document.blocks[first.block], document.blocks[second.block]
    if one is other:
        return not one.text[first.end : second.start].strip()
    return (
        one.section == other.section
        and first.end == len(one.text.rstrip())
        and not other.text[: second.start].strip()
        and all(
            document.blocks[number].kind == "label"
            for number in range(one.number + 1, other.number)
        )
    )


CODE_LINES = 30
"""Longer code is no quote."""
FOLLOWERS = 8
"""Of a list or table that a sentence opens, so many items or rows are quoted with it."""
FOLLOWING_CHARACTERS = 1_000
"""And no more text than this."""
_ALL = 1 << 31
"""More sentences than a page has."""
_ASIDES = 32
"""So many blocks of other kinds may stand in the items of a list that is still followed."""
_STEPS_BACK = 3
"""How far what leans on others is followed."""
_ROWS = frozenset({"list", "table"})


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
    """Whether the list or table at its end has more than is quoted."""
    whole: bool = True
    """False where it leans on something that cannot be quoted, or says nothing by itself."""


def may_be_quoted(block: Block) -> bool:
    """Tell whether what a block says can be quoted at all: not of code that fills a screen."""
    return block.kind != "code" or block.text.count("\n") < CODE_LINES


def quotation(
    document: Document, sentence: Sentence, units: Collection[Kind], *, context: int = 0
) -> Quotation:
    """Return what is quoted for a sentence.

    Args:
        document: Its page.
        sentence: The sentence that was chosen.
        units: The kinds of blocks that may be quoted.
        context: How many sentences of its section come with it on each side, where there are any.
    """
    context = min(context, _ALL)
    block = document.blocks[sentence.block]
    before, whole = _before(document, block, sentence)
    after: Sequence[Sentence] = ()
    if _leads_in(block, sentence):
        after = _following(document, block, units)
        whole = bool(after)
    around = _around(document, block, sentence, units, context) if context else ()
    terms = filter(None, (_term(document, document.blocks[s.block]) for s in around))
    found = {(s.block, s.start): s for s in (*before, sentence, *after, *around, *terms)}
    sentences = tuple(found[at] for at in sorted(found))
    return Quotation(sentences, _goes_on(document, sentences), whole)


def _before(
    document: Document, block: Block, sentence: Sentence
) -> tuple[Sequence[Sentence], bool]:
    """Return the sentences that a sentence needs before it, and whether these suffice."""
    lead = _lead(document, block)
    if block.kind == "table":
        return (), True  # a row has its header in it
    if block.kind == "code":
        return (lead,) if lead else (), True
    term = _term(document, block)
    if is_item(document, block) and not _stands_alone(document, sentence):
        at = _place(block, sentence)
        own = [s for s in block.sentences[max(0, at - 1) : at] if s.quotable]
        leads = [] if own and _stands_alone(document, own[0]) else _leads(document, block)
        above = _leaned_on(document, leads[0])[0] if leads else ()
        found: Sequence[Sentence] = [*above, *leads, *own]
        whole = bool(found) or not _is_link(block)
    else:
        found, whole = _leaned_on(document, sentence)
        if _is_label(document, block, sentence):
            whole = False
    return ([term, *found], True) if term else (found, whole)


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
    """Return the term that a definition, or an item in it, is of."""
    steps = 0
    while block.kind == "definition" and block.lead is not None and steps < _STEPS_BACK:
        lead = _lead(document, block)
        block = document.blocks[block.lead]
        if block.kind == "label":
            return lead
        steps += 1
    return None


def _lead(document: Document, block: Block) -> Sentence | None:
    """Return the sentence that leads in to a block."""
    if block.lead is None:
        return None
    last = document.blocks[block.lead].sentences[-1:]
    return last[0] if last and last[0].quotable else None


def _stands_alone(document: Document, sentence: Sentence) -> bool:
    """Tell whether a list item is a sentence of its own, not the end of its lead-in."""
    return is_complete(sentence, document.language) and not sentence.text[0].islower()


def _is_label(document: Document, block: Block, sentence: Sentence) -> bool:
    """Tell whether a text is but a word or two that name what follows: "Example"."""
    few = word_count(sentence, document.language) < MIN_WORDS
    return few and len(block.sentences) == 1 and not has_end(sentence.text)


def _is_link(block: Block) -> bool:
    """Tell whether a block is nothing but links."""
    linked = sum(mark.end - mark.start for mark in block.marks if mark.role == "link")
    return linked >= len(block.text.rstrip("."))


def _leaned_on(document: Document, sentence: Sentence) -> tuple[Sequence[Sentence], bool]:
    """Return what "It …" speaks of, and whether that is there to be quoted."""
    leans = phrases(document.language).leans
    found: list[Sentence] = []
    while leans(sentence.text) and len(found) < _STEPS_BACK:
        if sentence.start == sentence.block == 0:
            break  # the first of a page is said of its title
        previous = _previous(document, document.blocks[sentence.block], sentence)
        if previous is None or not previous.quotable:
            return found[::-1], bool(found)
        found.append(previous)
        sentence = previous
    return found[::-1], True


def _previous(document: Document, block: Block, sentence: Sentence) -> Sentence | None:
    """Return the sentence before one, in its block or at the end of the text before that."""
    at = _place(block, sentence)
    if at:
        return block.sentences[at - 1]
    if is_item(document, block):
        return _lead(document, block)
    if not block.number:
        return None
    above = document.blocks[block.number - 1]
    same = above.section == block.section and above.kind == block.kind
    return above.sentences[-1] if same and above.sentences else None


def _place(block: Block, sentence: Sentence) -> int:
    """Return which of its block's sentences one is; a block may have thousands."""
    return bisect_left(block.sentences, sentence.start, key=attrgetter("start"))


def _leads_in(block: Block, sentence: Sentence) -> bool:
    """Tell whether a sentence only opens what follows its block: "These are supported:"."""
    return (
        block.kind in TEXT
        and sentence.text.rstrip(CLOSING).endswith((":", "："))
        and sentence.end == len(block.text.rstrip())
    )


def _following(document: Document, block: Block, units: Collection[Kind]) -> list[Sentence]:
    """Return what a lead-in opens: the code, or the first items or rows."""
    found: list[Sentence] = []
    size = 0
    for follower in _followers(document, block):
        if found and not (follower.kind in units and may_be_quoted(follower)):
            continue
        if follower.kind not in units or not all(s.quotable for s in follower.sentences):
            return found
        size += len(follower.text)
        if follower.kind == "code" and not found:
            return list(follower.sentences) if may_be_quoted(follower) else []
        if len(found) >= FOLLOWERS or size > FOLLOWING_CHARACTERS:
            return found
        found += follower.sentences
    return found


def _goes_on(document: Document, sentences: Sequence[Sentence]) -> bool:
    """Tell whether a list or table that is quoted with its lead-in has more below the last."""
    quoted = {sentence.block for sentence in sentences}
    last = document.blocks[sentences[-1].block]
    if last.lead not in quoted or not is_item(document, last):
        return False
    for other in document.blocks[last.number + 1 : last.number + 1 + _ASIDES]:
        if other.lead in quoted:
            return True
        if other.lead is None and other.top != last.top:
            return False
    return False


def _followers(document: Document, block: Block) -> Iterator[Block]:
    """Yield the blocks that a block leads in to; of what is nested, what an item only opens."""
    top, asides = None, 0
    opening = {block.number}
    for number in range(block.number + 1, len(document.blocks)):  # a slice would count from 0
        follower = document.blocks[number]
        if follower.lead is None:  # a note in an item; the list may go on below it
            asides += 1
            if follower.top != top or asides > _ASIDES:
                return
        elif follower.lead < block.number:
            return
        elif follower.lead in opening and follower.kind != "label":
            top = follower.top
            if follower.kind in TEXT and follower.text.endswith((":", "：")):
                opening.add(number)
            yield follower


def _around(
    document: Document,
    block: Block,
    sentence: Sentence,
    units: Collection[Kind],
    context: int,
) -> list[Sentence]:
    """Return the sentences of a section around one: text, and for a row other rows."""
    kinds = ({*TEXT} & {*units}) | {block.kind}

    def along(blocks: Iterable[Block]) -> Iterator[Block]:
        for other in blocks:
            if other.section != block.section:
                return
            if other.kind in kinds:
                yield other

    at = _place(block, sentence)
    above = along(document.blocks[number] for number in range(block.number - 1, -1, -1))
    below = along(
        document.blocks[number] for number in range(block.number + 1, len(document.blocks))
    )
    before = (s for other in above for s in reversed(other.sentences))
    after = (s for other in below for s in other.sentences)
    return [
        *block.sentences[max(0, at - context) : at],
        *islice(before, max(0, context - at)),
        *block.sentences[at + 1 : at + 1 + context],
        *islice(after, max(0, context - (len(block.sentences) - at - 1))),
    ]
