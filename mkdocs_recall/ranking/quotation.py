"""The quotation of chosen sentences: the text that a reader needs to understand each.

A list item comes with its lead-in, a definition with its term, code with the sentence before it,
"It …" with the sentence it refers to, a question with its answer, "These are supported:" with the
list. A short list item is quoted whole. Labels between a lead-in and what it opens do not count.

A lone sentence seldom answers a user's question. So by default, a place is quoted from the opening
of its section, in whole sentences up to a number of words, with the chosen sentence, and with the
code or list that the quoted text leads to.

The story: `recall` chooses sentences; `Quotation` holds what each needs to be understood. Then the
section's blocks are read from its start (`_readable`), and `_taken` takes whole sentences until the
words are used up. Both together are the place's quotation, which `trimmed` may shorten later.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import accumulate, chain, dropwhile, islice
from operator import attrgetter
from typing import Any, Final, Literal

from msgspec import Struct
from msgspec.structs import replace

from mkdocs_recall.options import ContextName
from mkdocs_recall.text.language import get_language
from mkdocs_recall.text.model import (
    LABELS,
    TEXT,
    Block,
    Document,
    Item,
    Kind,
    Sentence,
    innermost_tab,
    layout_of,
    lead_ins,
    section_blocks,
    section_range,
    step_number,
    tabs_of,
)
from mkdocs_recall.text.sentences import phrases, terms

MIN_WORDS: Final = 3
"""A sentence with fewer words is rather a label: embedm's bound."""
LEAD_INS: Final = (":", "：", "...", "…")
"""The endings of an incomplete sentence."""
CLOSING: Final = "\"'”’»)]』」）"
"""The characters that may follow the stop of a sentence."""
_STOPS: Final = (".", "!", "?", "…", "。", "！", "？", "।", "؟", "։", "።")
_UNSPACED: Final = frozenset({"zh", "ja", "th", "lo", "my", "km"})
_CHARACTERS_PER_WORD: Final = 2
"""An estimate, and the length of a term in these languages: see `text.sentences`."""


def words_in(text: str, language: str) -> int:
    """Return the number of words; without spaces, an estimate."""
    if get_language(language).code in _UNSPACED:
        return max(1, len(text) // _CHARACTERS_PER_WORD)
    return len(text.split())


def has_end(text: str) -> bool:
    """Tell whether a text ends like a sentence."""
    return text.rstrip(CLOSING)[-1:] in _STOPS


def is_question(text: str) -> bool:
    """Tell whether a text ends like a question."""
    return text.rstrip(CLOSING).endswith(("?", "？", "؟"))


def is_complete(sentence: Sentence, language: str) -> bool:
    """Tell whether a sentence is quotable, complete, and long enough."""
    text = sentence.text.rstrip(CLOSING)
    return (
        sentence.quotable
        and text[-1:] in _STOPS
        and not text.endswith(LEAD_INS)
        and words_in(sentence.text, language) >= MIN_WORDS
    )


FOLLOWERS: Final = 8
"""A lead-in is quoted with up to this many items or rows."""


class Reach(Struct, frozen=True):
    """The limits on what is quoted together with a lead-in."""

    lines: int
    """Lines of code."""
    characters: int = 1_000
    """Characters of list items or table rows."""
    items: int = FOLLOWERS
    """The number of items or rows."""


ALONE: Final = Reach(lines=15)
"""For a sentence alone. 15 lines are enough for 92 % of the code below a lead-in in 7
documentations, 84 % in 20 others."""
IN_CONTEXT: Final = Reach(lines=30, characters=500)
"""For the opening of a section. Longer lists lengthen quotes but answer no more questions
(benchmarks/README.md, "Context")."""
WHOLE: Final = Reach(lines=30, characters=2_000, items=40)
"""For the opening of a section whose list the query asks for."""
IN_FULL: Final = Reach(lines=30)
"""For a block or a section that an author asks for."""
_ASIDES: Final = 32
"""The most blocks of other kinds within a list's items."""
_ROWS: Final = frozenset({"list", "table"})
_OBJECTS: Final = frozenset({"code", "figure"})
"""The kinds of blocks, other than text, that a text may lead to."""
_ANNOTATED: Final = (
    r"(?m)^(?:[^#;/\n-]|/(?![/*])|-(?!-))*"
    r"(?:#|//|--|/\*|;).*\(1\)!?(?: \*/| -->)?$"
)
"""A line of code with a comment that marks an annotation, in linear time."""


def reach_of(context: int | ContextName) -> Reach:
    """Return how much a lead-in may bring along in a context."""
    if isinstance(context, int):
        return ALONE
    return IN_CONTEXT if context == "auto" else IN_FULL


class Room(Struct, frozen=True):
    """The parts of a page that may be quoted."""

    document: Document
    units: Collection[Kind]
    """The kinds of blocks that may be quoted; lead-ins also bring code."""
    is_open: Callable[[Block], bool] = lambda _: True
    """Tells whether a block may be quoted: of several tabs, only one."""
    reach: Reach = ALONE
    """The limits on what is quoted together with a lead-in."""
    stems: Collection[str] = ()
    """The query's stems: of long code, the part with most is quoted."""


def is_item(document: Document, block: Block) -> bool:
    """Tell whether a block is a row or an item, even in another block."""
    if block.kind in _ROWS or block.lead is None:
        return block.kind in _ROWS
    is_opened = document.blocks[block.lead].kind not in LABELS and not picture_of(document, block)
    return block.kind in TEXT and is_opened


def picture_of(document: Document, block: Block) -> Block | None:
    """Return the picture whose caption a block is."""
    above = document.blocks[block.number if block.lead is None else block.lead]
    return above if above.kind == "figure" != block.kind else None


def opening_of(document: Document, block: Block) -> Block | None:
    """Return the text in its section that leads in to a block."""
    above = next((b for b in lead_ins(document.blocks, block) if b.kind not in LABELS), None)
    return above if above and above.section == block.section else None


def leads_in(document: Document, block: Block, sentence: Sentence) -> bool:
    """Tell whether a sentence only opens the blocks below: "These are supported:", or a tab.

    So does "Install the following packages." with a list or code right below. A sentence without an
    end opens the code, list or formula right below ("The area is"), or in its middle: "Press", a
    picture, "to open the menu".
    """
    if block.kind not in TEXT or sentence.end != len(block.text.rstrip()):
        return block.kind == "tab"
    text = sentence.text.rstrip(CLOSING)
    if text.endswith((":", "：")):
        return True
    below, *others = document.blocks[block.number + 1 : block.number + 3] or [block]
    if below.lead != block.number:
        return False
    if phrases(document.language).announces(sentence.text):
        return True
    if has_end(text) or below.kind not in _OBJECTS | {"list"}:
        return False
    is_opened = below.kind != "figure" or any(mark.role == "formula" for mark in below.marks[:1])
    return is_opened or any(other.text[:1].islower() for other in others)


def heads(document: Document, block: Block, sentence: Sentence) -> bool:
    """Tell whether a sentence serves as a heading of the text right after it.

    Such are a question in a FAQ, and a line all in bold or code: `GET /users`.
    """
    whole = {(0, len(block.text), "strong"), (0, len(block.text), "code")}
    is_head = is_question(sentence.text) or any(mark[:3] in whole for mark in block.marks)
    if not is_head or block.kind not in TEXT:
        return False
    if sentence.end < len(block.text.rstrip()):
        return True
    below, *_ = document.blocks[block.number + 1 : block.number + 2] or [block]
    is_within = below.items[: len(block.items)] == block.items
    return is_within and below.section == block.section and below is not block


def is_part(document: Document, quoted: Quotation) -> bool:
    """Tell whether code, another step or another label follows."""
    last = quoted.sentences[-1]
    block, *next_blocks = document.blocks[last.block : last.block + 2]
    steps = {item.list for item in block.items if item.number}
    return any(
        not steps.isdisjoint(item.list for item in below.items)
        or (label_of(block, "strong") and label_of(below, "strong"))
        or (below.kind == "code" and below.lead == last.block and last == block.sentences[-1])
        for below in next_blocks
        if below.section == block.section
    )


def label_of(block: Block, *roles: str) -> str:
    """Return the label that begins a block: "**Cause:** …"."""
    end = r":|.(?: ?\([^()]*\))?\s?(?:[:：–—]|- )"  # from the label's last letter on
    labels = (mark.end for mark in block.marks if mark.role in roles and not mark.start)
    return next((block.text[:n] for n in labels if re.match(end, block.text[n - 1 :])), "")


def leads_below(document: Document, sentence: Sentence) -> bool:
    """Tell whether a sentence only introduces subsections."""
    block, *below = document.blocks[sentence.block : sentence.block + 2]
    return any(
        after.section != block.section and after.headings[: len(block.headings)] == block.headings
        for after in below
    ) and leads_in(document, block, sentence)


def following(room: Room, block: Block) -> list[Sentence]:
    """Return the sentences that a lead-in opens: the code, or the first items or rows.

    Code counts whether or not it is among the units. Of several tabs, one is returned, with its
    title.
    """
    titles: list[Sentence] = []
    sentences: list[Sentence] = []
    size = 0
    for follower in _followers(room, block):
        if follower.kind == "tab":
            if sentences:
                break
            lead_in_numbers = {above.number for above in lead_ins(room.document.blocks, follower)}
            titles = [title for title in titles if title.block in lead_in_numbers]
            titles += [title for title in follower.sentences if title.quotable]
            continue
        if follower.kind == "figure" and titles:
            continue  # only a tab with text is quoted
        parts = _parts(room, follower)
        if follower.kind in _OBJECTS and all(part.quotable for part in parts):
            if not sentences:
                return [*titles, *parts, *_below_object(room.document, block, follower)]
        elif follower.kind not in room.units and sentences:
            continue
        elif follower.kind not in room.units or not all(s.quotable for s in parts):
            break
        size += sum(len(said(follower, part)) for part in parts)
        if len(sentences) >= room.reach.items or size > room.reach.characters:
            break
        sentences += parts
    return [*titles, *_with_terms(room.document, sentences)] if sentences else []


def _below_object(document: Document, lead: Block, block: Block) -> Sequence[Sentence]:
    """Return a picture's caption, or what completes code."""
    near = document.blocks[block.number + 1 : block.number + 2]
    lower = (b.sentences[:1] for b in near if b.kind in TEXT and b.text[:1].islower())
    parts = [part for b in near if b.lead == block.number for part in b.sentences]
    if not (parts or lead.text.endswith((":", "："))):
        parts = [s for s in chain.from_iterable(lower) if _continued(document, near[0], s)]
    return parts if all(part.quotable for part in parts) else ()


def _reach(room: Room, block: Block, lead: str, items: Iterable[Sentence]) -> Reach:
    """Return the reach for a list: all of it if it is the subject."""
    if room.reach is not IN_CONTEXT or not room.stems:
        return room.reach
    document = room.document
    stems = partial(terms, language=get_language(room.document.language))
    above = (document.title, *(heading.text for heading in block.headings), lead)
    left = {*room.stems}.difference(*map(stems, above))
    texts = (said(document.blocks[item.block], item) for item in items if left)
    is_other = 2 * len(left) > len(room.stems) or any(not left.isdisjoint(stems(t)) for t in texts)
    return room.reach if is_other else WHOLE


def _paragraph_below(room: Room, block: Block) -> list[Sentence]:
    """Return the paragraph below a colon or a question."""
    below, *_ = room.document.blocks[block.number + 1 : block.number + 2] or [block]
    place = attrgetter("section", "kind", "lead", "items")
    if place(below) != place(block) or below is block:
        return []
    leads = block.text.endswith((":", "：")) or is_question(block.text)
    fits = leads and len(below.text) <= room.reach.characters
    return [*below.sentences] if fits and all(s.quotable for s in below.sentences) else []


def _parts(room: Room, block: Block) -> Sequence[Sentence]:
    """Return a block's sentences; of code, some lines."""
    parts, lines = block.sentences, room.reach.lines
    if block.kind != "code" or not parts:
        return parts
    best = max(parts, key=lambda part: sum(stem in part.text.lower() for stem in room.stems))
    start = 0 if block.text.count("\n", 0, best.end) < lines else best.start
    remaining = [(part, lines - block.text.count("\n", start, part.start)) for part in parts]
    return [first_lines(part, n) for part, n in remaining if part.start >= start and n > 0]


def said(block: Block, part: Sentence) -> str:
    """Return the text that counts: of a row, its cells."""
    return " ".join(block.text[start:end] for _, start, end in cells_of(block)) or part.text


def first_lines(code: Sentence, count: int) -> Sentence:
    """Return up to `count` first lines of code."""
    lines = code.text.split("\n", count)
    if len(lines) <= count:
        return code
    text = "\n".join(lines[:-1]).rstrip()
    return code._replace(text=text, end=code.start + len(text))


def goes_on(document: Document, sentences: Sequence[Sentence]) -> bool:
    """Tell whether a list, rows or definitions go on below."""
    quoted = {sentence.block for sentence in sentences}
    last = document.blocks[sentences[-1].block]
    place = attrgetter("kind", "top", "section", "items")
    below = document.blocks[last.number + 1 : last.number + 3]  # the first may be a term
    opening = opening_of(document, last)
    is_opened = opening is not None and opening.number in quoted
    many = is_opened or sum(place(document.blocks[number]) == place(last) for number in quoted) > 1
    if many and last.kind in {"table", "definition"} and place(last) in map(place, below):
        return True
    after = {(other.lead, other.kind) for other in below[:1] if other.kind != "tab"}
    is_led = last.number in {lead for lead, _ in after}
    block = last
    if last.kind == "code" and opening and opening.number in quoted:  # of a step
        block, opening = opening, opening_of(document, opening)
    while opening and opening.number in quoted and is_item(document, block):
        of_list = _followers(Room(document, ()), opening)
        further = (is_item(document, other) for other in of_list if other.number > last.number)
        if is_led or (block.lead, block.kind) in after or any(further):
            return True  # so a list of thousands is seldom read for each item
        block, opening = opening, opening_of(document, opening)
    return False


def _followers(room: Room, block: Block) -> Iterator[Block]:
    """Yield the blocks of its section that a block leads in to."""
    # Nested ones only if an item just opens them, or if they are short code.
    blocks, ends = room.document.blocks, layout_of(room.document).ends
    top, yielded, asides = None, None, 0
    opening = {block.number}
    number = block.number
    while (number := number + 1) < len(blocks):
        follower = blocks[number]
        is_of_step = follower.kind == "code" and follower.lead == yielded
        is_of_step &= follower.text.count("\n") < _STEP_LINES
        if follower.section != block.section:
            return  # below a heading in a tab
        if follower.lead is None:  # a note in an item; the list may go on below it
            asides += 1
            if follower.top != top or asides > _ASIDES:
                return
        elif follower.lead < block.number:
            return
        elif (follower.lead not in opening and not is_of_step) or (
            follower.lead == block.number and not room.is_open(follower)
        ):
            number = ends[number] - 1
        elif follower.kind in LABELS:
            opening.add(number)
            top = follower.top
            if follower.kind == "tab":
                yield follower
        else:
            top = follower.top
            if follower.kind in TEXT and follower.text.endswith((":", "：")):
                opening.add(number)
            yielded = number
            yield follower


_STEP_LINES: Final = 3
"""Code of at most so many lines is quoted with the step above it."""
ITEM_SENTENCES, ITEM_WORDS = 3, 40
"""A list item with at most this many sentences and words is quoted whole: it says one thing. 97 %
of the items with several sentences are as short in 7 documentations, 93 % in 20 others."""
_MAX_CONTEXT = 1 << 31
_ANNOUNCED: Final = 6
"""The most blocks between code and "The following script …"."""
_STEPS_BACK = 3


@dataclass(frozen=True, slots=True)
class Quotation:
    """The sentences that are quoted for a chosen one.

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
    """False if it refers to text that cannot be quoted, or says nothing by itself."""
    added: tuple[Sentence, ...] = ()
    """The sentences that only the context adds, the most important first."""


class Piece(Struct, frozen=True):
    """A part of a quote: consecutive sentences of a block, or a "…"."""

    block: Block
    start: int = 0
    """The half-open span of the block's text; empty for the "…" after what goes on."""
    end: int = 0
    apart: bool = False
    """Whether there is an omission before it."""
    kind: Literal["text", "row", "title", "code", "figure"] = "text"
    items: tuple[Item, ...] = ()
    """The items of lists in which it is written, outermost first."""
    opens_line: bool = False
    """Whether it must start a new line."""

    @property
    def is_dots(self) -> bool:
        """Whether it is a "…"; a video has no text either."""
        return self.start == self.end and self.kind != "figure"

    @property
    def label(self) -> bool:
        """Whether it is a term that the next piece defines."""
        return self.kind == "text" and self.block.kind in LABELS

    @property
    def colon(self) -> str:
        """The separator between a label and the next piece."""
        is_closed = has_end(self.block.text) or self.block.text.endswith((":", "：", "–", "—"))
        return ":" if self.label and not is_closed else ""


def quotation(room: Room, sentence: Sentence, *, context: int = 0, bare: bool = False) -> Quotation:
    """Return the quotation of a sentence.

    Args:
        context: How many sentences of its section to add on each side, if it has them.
        bare: Whether to leave out the text that the sentence needs to be understood.
    """
    document = room.document
    block = document.blocks[sentence.block]
    beside = _around(room, block, sentence, min(context, _MAX_CONTEXT)) if context else ()
    if bare:
        return Quotation(in_reading_order((sentence, *beside)))
    core = block.sentences if _is_short_item(document, block) else (sentence,)
    before, whole = _before(document, block, core[0])
    leads = leads_in(document, block, core[-1])
    after = following(room, block) if leads else []
    if leads or (_opens_section(document, core[0]) and not _is_label(document, block, core[0])):
        # the heading says what the first sentence is about; subsections are another place
        whole = bool(after) or not leads or (block.kind in TEXT and leads_below(document, core[-1]))
    if (leads or heads(document, block, core[-1])) and not after:
        after = _paragraph_below(room, block)
    sentences = in_reading_order((*before, *core, *after, *_with_terms(document, beside)))
    return Quotation(sentences, goes_on(document, sentences), whole)


def merge_quotations(document: Document, quotations: Sequence[Quotation]) -> Quotation:
    """Merge the quotations of one section."""
    sentences = in_reading_order(s for quotation in quotations for s in quotation.sentences)
    cut = any(quotation.goes_on for quotation in quotations) and goes_on(document, sentences)
    return Quotation(sentences, cut, all(quotation.whole for quotation in quotations))


def plain_text(document: Document, quotation: Quotation) -> str:
    """Return a quotation as text, with "…" for omissions."""
    text = ""
    previous: Piece | None = None
    for piece in pieces_of(document, quotation):
        if previous is not None:
            text += _joint(document, previous, piece)
        text += _step_number(previous, piece)
        text += "…" if piece.is_dots else piece.block.text[piece.start : piece.end]
        previous = piece
    return text


def _joint(document: Document, previous: Piece, piece: Piece) -> str:
    if previous.is_dots or piece.is_dots:
        return "\n"
    if (
        {piece.block.kind, previous.block.kind} & _OBJECTS
        or piece.kind == "title"
        or is_item(document, piece.block)
        or previous.block.kind == "table"
        or piece.block.items[: len(previous.block.items)] != previous.block.items
        or _step_number(previous, piece)
    ):
        return "\n…\n" if piece.apart else "\n"
    if piece.apart:
        return f"{previous.colon} … "
    return "\n" if piece.opens_line else f"{previous.colon} "


def _step_number(previous: Piece | None, piece: Piece) -> str:
    """Return the number of the item of which a piece is the first that is quoted."""
    return "" if piece.is_dots else step_number(piece.items, previous.items if previous else ())


_UNKNOWN_LIST: Final = -1
"""The number of a list in pages published before lists had numbers."""


def pieces_of(document: Document, quotation: Quotation) -> Iterator[Piece]:
    """Yield the pieces of a quotation of one section, and the titles of code in it."""
    quoted = runs(document, quotation.sentences)
    numbers = {run.block.number for run in quoted}
    ended = {run.block.number for run in quoted if run.end == len(run.block.text)}
    annotating = _annotation_lists(document, quoted)
    lists = annotating | _written_lists(document, quoted, ended, goes_on=quotation.goes_on)
    items: tuple[Item, ...] = ()
    previous: Piece | None = None
    for run in quoted:
        block = run.block
        items = tuple(dropwhile(lambda item: item.list not in lists, _items_of(block, annotating)))
        if not block.items and run.kind != "row" and is_item(document, block):
            opening = opening_of(document, block)
            if opening is not None and opening.number in ended:
                items = list_item(block)
        apart = run.apart and not (previous and previous.is_dots)
        title = title_of(document, block) if run.kind == "code" else None
        if title and title.number not in numbers and all(s.quotable for s in title.sentences):
            yield Piece(title, 0, len(title.text), apart, "title", items)
            apart = False
        opens_line = previous is not None and _opens_line(document, previous, run)
        yield replace(run, apart=apart, items=items, opens_line=opens_line)
        previous = run
        if run.kind == "code" and run.end < len(block.text):
            previous = Piece(block, kind="code", items=items)
            yield previous
    kind, block = quoted[-1].kind, quoted[-1].block
    if quotation.goes_on and (kind == "row" or (block.kind == "definition" and not items)):
        yield Piece(block, kind=kind, items=items, opens_line=True)
    elif quotation.goes_on:
        *outer, last = items or (Item(_UNKNOWN_LIST, -1),)
        further = last._replace(position=-1, number=last.number and last.number + 1)
        yield Piece(quoted[-1].block, items=(*outer, further))


def list_item(block: Block) -> tuple[Item, ...]:
    """Return the item of a block outside of lists."""
    return (Item(_UNKNOWN_LIST, block.number),)


def _written_lists(
    document: Document, quoted: Sequence[Piece], ended: Collection[int], *, goes_on: bool
) -> frozenset[int]:
    """Return the lists that are written as lists, not as text."""
    positions: dict[int, set[int]] = {}
    written: set[int] = set()
    for run in quoted:
        block = run.block
        if not block.items:
            continue
        outer = block.items[0]
        for item in block.items:
            positions.setdefault(item.list, set()).add(item.position)
        opening = opening_of(document, block)
        is_led = opening is not None and opening.number in ended
        is_numbered = any(item.number for item in block.items)
        if is_numbered or is_led or (goes_on and run is quoted[-1]):
            written.add(outer.list)
    return frozenset(written | {number for number, places in positions.items() if len(places) > 1})


def _annotation_lists(document: Document, quoted: Iterable[Piece]) -> frozenset[int]:
    """Return the lists that annotate quoted code."""
    below = (
        document.blocks[run.block.number + 1 : run.block.number + 2]
        for run in quoted
        if run.block.kind == "code" and re.search(_ANNOTATED, run.block.text)
    )
    return frozenset(block.items[0].list for (block,) in filter(None, below) if block.items)


def _items_of(block: Block, annotating: Collection[int]) -> tuple[Item, ...]:
    """Return a block's items, annotations with their numbers."""
    items = block.items
    if not items or items[0].number or items[0].list not in annotating:
        return items
    return (items[0]._replace(number=items[0].position + 1), *items[1:])


def _opens_line(document: Document, previous: Piece, piece: Piece) -> bool:
    """Tell whether a piece needs a new line."""
    if previous.kind != "text" or previous.label:
        return False
    kinds = {previous.block.kind, piece.block.kind}
    is_new_box = len(kinds) > 1 and "admonition" in kinds
    text = previous.block.text[previous.start : previous.end]
    ends_sentence = previous.block.kind != "table" and has_end(text)
    if is_new_box or not ends_sentence or is_title(piece.block):
        return True
    tabs = [innermost_tab(document.blocks, part.block) for part in (previous, piece)]
    return tabs[0] is not tabs[1] or picture_of(document, previous.block) is not None


def is_title(block: Block) -> bool:
    """Tell whether a block is a label, or a heading: "**Example**"."""
    strong = {mark.end - mark.start for mark in block.marks if mark.role == "strong"}
    return block.kind in LABELS or (not has_end(block.text) and len(block.text) in strong)


def cells_of(block: Block) -> list[tuple[str, int, int]]:
    """Return the cells of a row: the header of each, and the half-open span of its text.

    Other blocks, and rows without headers, have none.
    """
    cells: list[tuple[str, int, int]] = []
    header = ""
    for mark in block.marks if block.kind == "table" else ():
        if mark.role == "header":
            header = block.text[mark.start : mark.end]
        elif mark.role == "cell":
            cells.append((header, mark.start, mark.end))
            header = ""
    return cells if any(header for header, _, _ in cells) else []


def runs(document: Document, sentences: Iterable[Sentence]) -> list[Piece]:
    """Return sentences, in order, as runs within a block."""
    pieces: list[Piece] = []
    last: Sentence | None = None
    for sentence in sentences:
        follows = last is not None and _follows(document, last, sentence)
        if last is not None and follows and last.block == sentence.block:
            pieces[-1] = replace(pieces[-1], end=sentence.end)
        else:
            block = document.blocks[sentence.block]
            kind: Any = block.kind if block.kind in _OBJECTS else "text"
            kind = "row" if cells_of(block) else kind
            apart = last is not None and not follows
            pieces.append(Piece(block, sentence.start, sentence.end, apart, kind))
        last = sentence
    return pieces


def _follows(document: Document, first: Sentence, second: Sentence) -> bool:
    above, below = document.blocks[first.block], document.blocks[second.block]
    if above is below:
        return not above.text[first.end : second.start].strip()
    between = document.blocks[above.number + 1 : below.number]
    tabs = [(block.kind, block.lead) for block in (*between[:1], below)]
    is_one_of_several = all(tab == ("tab", above.number) for tab in tabs)
    return (
        above.section == below.section
        and first.end == len(above.text.rstrip())
        and not below.text[: second.start].strip()
        and (is_one_of_several or all(block.kind in LABELS for block in between))
    )


def in_reading_order(sentences: Iterable[Sentence]) -> tuple[Sentence, ...]:
    """Return sentences of one page in its order, each once."""
    in_order = sorted(sentences, key=attrgetter("block", "start", "end"))  # code may be cut
    return tuple({(sentence.block, sentence.start): sentence for sentence in in_order}.values())


def _before(
    document: Document, block: Block, sentence: Sentence
) -> tuple[Sequence[Sentence], bool]:
    """Return what a sentence needs, and whether it suffices."""
    lead = _last(opening_of(document, block))
    if block.kind == "table":
        return (), True  # a row's text includes its header cells
    if block.kind in {"tab", "code"}:
        lead = lead or (_last(title_of(document, block)) if block.kind == "code" else None)
        return (lead,) if lead else (), True
    if picture := picture_of(document, block):
        return picture.sentences, True
    term = term_of(document, block)
    continued = _continued(document, block, sentence)
    if continued:
        before: Sequence[Sentence] = continued
        whole = sentence.text[:1].islower() and not _is_label(document, block, sentence)
    elif is_item(document, block) and not _stands_alone(document, sentence):
        position = _position(block, sentence)
        previous = [s for s in block.sentences[max(0, position - 1) : position] if s.quotable]
        leads = [] if previous and _stands_alone(document, previous[0]) else _leads(document, block)
        above = _leaned_on(document, leads[0])[0] if leads else ()
        before = [*above, *leads, *previous]
        linked = sum(mark.end - mark.start for mark in block.marks if mark.role == "link")
        whole = bool(before) or linked < len(block.text.rstrip("."))
    else:
        before, whole = _leaned_on(document, sentence)
        if before and _is_next_step(document.blocks[before[-1].block], block):
            before = [*_leads(document, block), *before]
        if block.kind == "list" and sentence.start and label_of(block, "strong", "code"):
            before = [*(s for s in block.sentences[:1] if s.quotable), *before]
        whole = whole and not _is_label(document, block, sentence)
    return ([term, *before], True) if term else (before, whole)


def _continued(document: Document, block: Block, sentence: Sentence) -> Sequence[Sentence]:
    """Return the code or list above that a sentence continues."""
    above = document.blocks[block.number - 1] if block.number and not sentence.start else block
    kinds = _OBJECTS if is_item(document, block) else _OBJECTS | _ROWS
    tab, own_tab = (innermost_tab(document.blocks, neighbour) for neighbour in (above, block))
    if above.section != block.section or above.kind not in kinds or tab is not own_tab:
        return ()
    opening = opening_of(document, above)
    is_lower = sentence.text[:1].islower()
    if opening is None:
        is_shown = is_lower and above.kind == "figure" and above.items == block.items
        return [part for part in above.sentences if is_shown and part.quotable]
    leans = phrases(document.language).leans(sentence.text)
    goes_on_from = is_lower and not has_end(opening.text)
    is_far = block.number - opening.number > _ASIDES
    if is_far or not (goes_on_from or (leans and not leads_in(document, block, sentence))):
        return ()
    between = document.blocks[opening.number + 1 : block.number]
    parts = [part for middle in between for part in middle.sentences]
    start = _last(opening)
    size = sum(len(part.text) for part in parts if above.kind in _ROWS)
    is_whole = len(parts) <= FOLLOWERS and all(part.quotable for part in parts)
    if start is None or opening.items != block.items or not is_whole or size > ALONE.characters:
        return ()
    return [start, *(first_lines(part, ALONE.lines) for part in parts)]


def _is_short_item(document: Document, block: Block) -> bool:
    """Tell whether a block is an item that is quoted whole."""
    return (
        block.kind == "list"
        and 1 < len(block.sentences) <= ITEM_SENTENCES
        and words_in(block.text, document.language) <= ITEM_WORDS
        and all(sentence.quotable for sentence in block.sentences)
    )


def _leads(document: Document, block: Block) -> list[Sentence]:
    leads: list[Sentence] = []
    while len(leads) < _STEPS_BACK and (lead := _last(opening_of(document, block))):
        leads.append(lead)
        block = document.blocks[lead.block]
        if not is_item(document, block) or _stands_alone(document, lead):
            break
    return leads[::-1]


def term_of(document: Document, block: Block) -> Sentence | None:
    """Return the term that a definition, or an item in it, explains; or the name of an item.

    An item may begin with the name that its text explains: "`depth` (`float`) –".
    """
    if block.kind == "list" and block.items and block.number:
        above = document.blocks[block.number - 1]
        is_name = above.items == block.items and above.kind == "list" and not has_end(above.text)
        return _last(above) if is_name else None
    if block.kind != "definition":
        return None
    for above in islice(lead_ins(document.blocks, block), _STEPS_BACK):
        if above.kind == "label":
            return _last(above) if above.section == block.section else None
        if above.kind != "definition":
            break
    return None


def _with_terms(document: Document, sentences: Iterable[Sentence]) -> Sequence[Sentence]:
    """Return sentences in order, with the terms they define."""
    parts = [*sentences]
    terms = (term_of(document, document.blocks[part.block]) for part in parts)
    return in_reading_order([*filter(None, terms), *parts])


def title_of(document: Document, code: Block) -> Block | None:
    """Return the label right above a code block."""
    if code.lead is None or code.lead != code.number - 1:
        return None  # the title of a box with something else above the code
    above = document.blocks[code.lead]
    return above if above.kind == "label" and above.section == code.section else None


def _last(block: Block | None) -> Sentence | None:
    last = block.sentences[-1:] if block else ()
    return last[0] if last and last[0].quotable else None


def _stands_alone(document: Document, sentence: Sentence) -> bool:
    """Tell whether a list item does not complete its lead-in."""
    # "Not write the file." does, below "It will:".
    if sentence.text[0].islower() or not is_complete(sentence, document.language):
        return False
    lead = None if sentence.start else _last(opening_of(document, document.blocks[sentence.block]))
    return lead is None or not phrases(document.language).is_unfinished(lead.text)


def _is_label(document: Document, block: Block, sentence: Sentence) -> bool:
    """Tell whether a block is just a word or two: "Example"."""
    is_short = words_in(sentence.text, document.language) < MIN_WORDS
    return is_short and len(block.sentences) == 1 and not has_end(sentence.text)


def _leaned_on(document: Document, sentence: Sentence) -> tuple[Sequence[Sentence], bool]:
    """Return what "It …" refers to, and whether it is quotable."""
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
    block, blocks = sentence.block, document.blocks
    return not sentence.start and (not block or blocks[block - 1].section != blocks[block].section)


def _previous(document: Document, block: Block, sentence: Sentence) -> Sentence | None:
    position = _position(block, sentence)
    if position:
        return block.sentences[position - 1]
    above = document.blocks[max(0, block.number - 1)]
    if _is_next_step(above, block):
        return _last(above)
    if is_item(document, block):
        return _last(opening_of(document, block))
    if not block.number:
        return None
    place = attrgetter("section", "kind", "lead")  # the lead of a text in a tab is its title
    return above.sentences[-1] if place(above) == place(block) and above.sentences else None


def _is_next_step(above: Block, block: Block) -> bool:
    """Tell whether a block starts the step after that of the block above."""
    *outer, item = block.items or (Item(_UNKNOWN_LIST, 0),)
    step = [*outer, item._replace(position=item.position - 1, number=item.number - 1)]
    return bool(item.number) and [*above.items] == step


def _position(block: Block, sentence: Sentence) -> int:
    return bisect_left(block.sentences, sentence.start, key=attrgetter("start"))


def _around(room: Room, block: Block, sentence: Sentence, context: int) -> list[Sentence]:
    """Return the sentences beside one, in its tabs or in none."""
    kinds = ({*TEXT} & {*room.units}) | {block.kind} - LABELS
    blocks = room.document.blocks
    tabs = {tab.number for tab in tabs_of(blocks, block)}
    parts = [
        near
        for neighbour in section_blocks(room.document, block)
        if neighbour.kind in kinds and all(tab.number in tabs for tab in tabs_of(blocks, neighbour))
        for near in neighbour.sentences
    ]
    place = attrgetter("block", "start")
    start, end = (find(parts, place(sentence), key=place) for find in (bisect_left, bisect_right))
    beside = (*parts[max(0, start - context) : start], *parts[end : end + context])
    quotable = [near for near in beside if near.quotable]
    ends = [*_open_ends(room.document, in_reading_order((*quotable, sentence)))]
    return [near for near in quotable if near not in ends]


WORDS: Final = 67
"""A place is quoted with about this many words: a sentence that begins within them …"""
OVERHANG: Final = 30
"""… is quoted to its end if it has no more than these beyond. On 176 questions of users, an opening
of 60 words holds the answer for .37, one of 45 words for .31, one of 90 for .43."""
AFTER: Final = 0.25
"""The share of these words for a sentence that the opening does not reach."""
FAR: Final = 400
"""Further below the opening, a paragraph is quoted; few sections are as long."""


def quotation_of_place(
    room: Room,
    context: ContextName,
    chosen: Sequence[Sentence],
    quotations: Sequence[Quotation],
    *,
    words: float = WORDS,
) -> Quotation:
    """Return the quotation of the chosen sentences of a section.

    It has the opening of the section; or the sentences' whole blocks, such as a paragraph, a list
    or a row; or the whole section, with all its tabs and code.

    Args:
        room: What may be quoted.
        quotations: The quotation of each sentence.
        words: About how many words of an opening to quote; 0 for the sentences alone, with the rest
            of the paragraph, or the code or list that the next sentence leads to.
    """
    document = room.document
    blocks = section_blocks(document, document.blocks[chosen[0].block])
    if context == "auto" and words <= 0:
        added = _rest(room, chosen[0])
    elif context == "auto":
        place = chosen[0].block, chosen[0].start
        start = _start(document, blocks, chosen[0])
        if head := _head(document, blocks, chosen[0]):
            start = (head.block, head.start)
            blocks = [*_below(document, blocks, head)]
        for most in (words, words + OVERHANG / 2):  # a "…" for fewer words is no gain
            added = _taken(room, blocks, start, most)
            if place in {(sentence.block, sentence.start) for sentence in added}:
                break
        else:
            opening = _taken(room, blocks, start, words * (1 - AFTER))
            added = [*opening, *_taken(room, blocks, place, words * AFTER)]
    else:
        if context == "block":
            wholes = (_whole(document, document.blocks[s.block]) for s in chosen)
            blocks = [*chain.from_iterable(wholes)]
        by_number = {block.number: block for block in blocks}
        parts = chain.from_iterable(_parts(room, block) for block in by_number.values())
        added = [part for part in parts if part.quotable]
    if context == "auto":
        ends = (*chosen, *added[-1:]) if words > 0 else chosen[1:]
        added = [*added, *(s for end in ends for s in _short_list(room, end))]
    return _joined(room, quotations, added)


def trimmed(
    document: Document, quotation: Quotation, fits: Callable[[Quotation], bool]
) -> Quotation | None:
    """Return as much of a quotation as fits, dropping the end of its context first.

    It never ends with a title, or with a sentence that leads to an omission. None if not even the
    chosen sentences fit.
    """
    added = quotation.added

    def first(count: int) -> Quotation:
        while 0 < count < len(added) and _opens(document, added[count - 1]):
            count -= 1
        dropped = {(s.block, s.start) for s in added[count:]}
        kept = tuple(s for s in quotation.sentences if (s.block, s.start) not in dropped)
        return Quotation(kept, goes_on(document, kept), quotation.whole, added[:count])

    counts = range(len(added) + 1)
    fitting = bisect_left(counts, True, key=lambda count: not fits(first(count)))  # noqa: FBT003
    return first(fitting - 1) if fitting else None


def _opens(document: Document, sentence: Sentence) -> bool:
    block = document.blocks[sentence.block]
    place = document, block, sentence
    return is_title(block) or leads_in(*place) or heads(*place)


def _joined(room: Room, quotations: Sequence[Quotation], added: Sequence[Sentence]) -> Quotation:
    """Return quotations merged with the text around them."""
    document = room.document
    needed, *others = quotations
    parts = [part for sentence in added for part in (sentence, *_opened(room, sentence))]
    parts += chain.from_iterable(other.sentences for other in others)
    parts += _outer_items(document, [*needed.sentences, *parts])
    places = {(s.block, s.start) for s in needed.sentences}
    further = {(s.block, s.start): s for s in parts if (s.block, s.start) not in places}
    for sentence in _open_ends(document, in_reading_order((*needed.sentences, *further.values()))):
        further.pop((sentence.block, sentence.start), None)
    sentences = in_reading_order((*needed.sentences, *further.values()))
    return Quotation(sentences, goes_on(document, sentences), needed.whole, tuple(further.values()))


def _opened(room: Room, sentence: Sentence) -> Sequence[Sentence]:
    """Return what a sentence leads to or continues."""
    document, block = room.document, room.document.blocks[sentence.block]
    picture = picture_of(document, block)
    if continued := picture.sentences if picture else _continued(document, block, sentence):
        return continued
    if leads_in(document, block, sentence):
        near = document.blocks[block.number + 1 : block.number + 2 * _ASIDES]
        led = (b.sentences for b in near if b.lead == block.number and b.kind not in _OBJECTS)
        reach = _reach(room, block, block.text, chain.from_iterable(led))
        return following(replace(room, reach=reach), block)
    if block.kind != "prose" or not phrases(document.language).announces(sentence.text):
        return []
    above = block
    for below in document.blocks[block.number + 1 : block.number + 1 + _ANNOUNCED]:
        is_near = below.section == block.section and below.kind in {"prose", "code"}
        if not is_near or any(_opens(document, last) for last in below.sentences[-1:]):
            break
        if below.kind == "code":
            return following(room, above)
        above = below
    return []


def _outer_items(document: Document, sentences: Iterable[Sentence]) -> Iterator[Sentence]:
    """Yield the lead-ins of inner lists in quoted outer ones."""
    blocks = {s.block: document.blocks[s.block] for s in sentences}
    outer = Counter(block.items[0].list for block in blocks.values() if block.items)
    inner = (b for b in blocks.values() if len(b.items) > 1 and outer[b.items[0].list] > 1)
    leads = chain.from_iterable(_leads(document, block) for block in inner)
    return (lead for lead in leads if document.blocks[lead.block].items)


def _open_ends(document: Document, sentences: Sequence[Sentence]) -> Iterator[Sentence]:
    """Yield titles and lead-ins with nothing below."""
    following: Sentence | None = None
    for sentence in reversed(sentences):
        block = document.blocks[sentence.block]
        if block.kind != "tab" and _opens(document, sentence):
            below = document.blocks[following.block if following else block.number]
            is_led = below.kind in {"list", "label"} and below.lead == block.number
            kinds = (document.blocks[n].kind for n in range(block.number + 1, below.number))
            if following is None or not (is_led or LABELS.issuperset(kinds)):
                yield sentence
                continue
        following = sentence


def _start(document: Document, blocks: Sequence[Block], first: Sentence) -> tuple[int, int]:
    """Return where a quote of a section begins."""
    above = (block.text for block in blocks[: first.block - blocks[0].number] if block.text)
    sizes = accumulate(words_in(text, document.language) for text in above)
    return first.block if any(size > FAR for size in sizes) else blocks[0].number, 0


def _head(document: Document, blocks: Sequence[Block], sentence: Sentence) -> Sentence | None:
    """Return what serves as a heading: a question, say."""
    block = document.blocks[sentence.block]
    if heads(document, block, sentence):
        return sentence
    labels = {above.number for above in lead_ins(document.blocks, block)}
    for above in reversed(blocks[: block.number - blocks[0].number]):
        first, *others = above.sentences or (sentence,)
        is_asked = not others and is_question(first.text) and not first.text[:1].islower()
        if above.kind in LABELS:
            return first if is_asked and above.number in labels else None
        is_around = above.kind == "prose" or above.top == block.top
        if is_asked and is_around and block.items[: len(above.items)] == above.items:
            return first
    return None


def _below(document: Document, blocks: Iterable[Block], head: Sentence) -> Iterator[Block]:
    """Yield the blocks below a heading, up to the next one."""
    block = document.blocks[head.block]
    answer = block.number + (head.end >= len(block.text.rstrip()))  # which may ask something itself
    for below in blocks:
        is_headed = any(heads(document, below, first) for first in below.sentences[:1])
        is_headed |= block.kind in LABELS and (below.kind, below.lead) == (block.kind, block.lead)
        is_within = below.items[: len(block.items)] == block.items
        if (below.number > block.number and not is_within) or (below.number > answer and is_headed):
            return
        yield below


def _taken(
    room: Room, blocks: Sequence[Block], start: tuple[int, int], words: float
) -> list[Sentence]:
    """Return sentences, with their labels, as the words allow."""
    language = room.document.language
    taken: list[Sentence] = []
    size, lead = 0, -1
    for labels, block in _readable(room, blocks[start[0] - blocks[0].number :]):
        parts = [s for s in _parts(room, block) if s.quotable and (s.block, s.start) >= start]
        is_led = block.kind == "code" and block.lead == lead
        if size >= words and not is_led:
            break
        sizes = [words_in(said(block, part), language) for part in parts]
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
    labels: list[Sentence] = []
    for block in blocks:
        if not (room.is_open(block) and _is_in_open_tabs(room, block)):
            continue
        if block.kind in LABELS:
            labels += (sentence for sentence in block.sentences if sentence.quotable)
        else:
            if block.kind == "code" or block.kind in room.units:
                lead_in_numbers = {above.number for above in lead_ins(room.document.blocks, block)}
                yield [label for label in labels if label.block in lead_in_numbers], block
            labels = []


def _is_in_open_tabs(room: Room, block: Block) -> bool:
    return all(map(room.is_open, tabs_of(room.document.blocks, block)))


def _rest(room: Room, sentence: Sentence) -> list[Sentence]:
    """Return the rest of a paragraph, and a lead-in below."""
    document, block = room.document, room.document.blocks[sentence.block]
    words = WORDS if block.kind in _ROWS else WORDS / 2
    parts = _taken(room, [block], (block.number, sentence.start), words)
    is_last = sentence.end == len(block.text.rstrip())
    for below in document.blocks[block.number + 1 : block.number + 1 + is_last]:
        if below.section == block.section and below.lead != block.number:
            parts += [s for s in below.sentences[:1] if s.quotable and leads_in(document, below, s)]
    return parts


def _short_list(room: Room, sentence: Sentence) -> list[Sentence]:
    """Return a sentence's list with its lead-in, if short."""
    document, block = room.document, room.document.blocks[sentence.block]
    if block.kind not in _ROWS | {"definition"}:
        return []
    section = section_range(document, block)
    start = max(section.start, block.number - 2 * _ASIDES)
    near = document.blocks[start : min(section.stop, block.number + 2 * _ASIDES)]
    alike = [b for b in near if b.top == block.top and _is_in_open_tabs(room, b)]
    parts = [s for b in alike if b.kind == block.kind and room.is_open(b) for s in b.sentences]
    size = sum(len(said(document.blocks[part.block], part)) for part in parts)
    lead = opening_of(document, block)
    names = [lead.text if lead else "", *(header for header, _, _ in cells_of(block))]
    reach = _reach(room, block, " ".join(names), parts)
    is_short = len({part.block for part in parts}) <= reach.items and size <= reach.characters
    if not is_short or any(is_question(part.text) or not part.quotable for part in parts):
        return []
    leads = (lead for lead in _leads(document, block) if _opens(document, lead))
    return [*leads, *_with_terms(document, parts)]


def _whole(document: Document, block: Block) -> list[Block]:
    """Return the items of a list, or the texts of a note."""
    if block.kind not in {"list", "admonition"}:
        return [block]
    place = attrgetter("kind", "section")
    path = (block, *lead_ins(document.blocks, block))
    *_, outer = (above for above in path if place(above) == place(block))
    return [
        member
        for member in section_blocks(document, block)
        if member.kind in {block.kind, "tab"}
        and member.top == block.top
        and any(b.lead == outer.lead for b in (member, *lead_ins(document.blocks, member)))
    ]
