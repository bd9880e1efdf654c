"""What a lead-in opens: the first items of a list, the first rows of a table, the lines of code.

Labels between a lead-in and these, such as the title of a tab, do not count.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from mkdocs_recall.scoring.features import CLOSING
from mkdocs_recall.text.model import LABELS, TEXT, lead_ins

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

    from mkdocs_recall.options import ContextName
    from mkdocs_recall.text.model import Block, Document, Kind, Sentence

FOLLOWERS: Final = 8
"""A sentence that opens a list or table is quoted with up to this many of its items or rows."""


class Reach(NamedTuple):
    """How much of what a lead-in opens is quoted with it at most."""

    lines: int
    """Of code."""
    characters: int = 1_000
    """Of the items of a list, or the rows of a table."""


ALONE: Final = Reach(lines=15)
"""With a sentence alone. 15 lines are half of a screen: of the code below a lead-in, 92 % has no
more in 7 documentations, 84 % in 20 others."""
IN_CONTEXT: Final = Reach(lines=30, characters=500)
"""With the opening of a section. Lists of more characters make quotes longer, and answer no more
questions (benchmarks/README.md, "Context")."""
IN_FULL: Final = Reach(lines=30)
"""With a block or a section that an author asks for."""
_ASIDES: Final = 32
"""A list goes on over this many blocks of other kinds in its items; the search ends after them."""
_ROWS: Final = frozenset({"list", "table"})


def reach_of(context: int | ContextName) -> Reach:
    """Return how much of what a lead-in opens is quoted in a context."""
    if isinstance(context, int):
        return ALONE
    return IN_CONTEXT if context == "auto" else IN_FULL


def is_item(document: Document, block: Block) -> bool:
    """Tell whether a block is a table's row or an item of a list, also of one in another block."""
    if block.kind in _ROWS or block.lead is None:
        return block.kind in _ROWS
    return block.kind in TEXT and document.blocks[block.lead].kind not in LABELS


def opening_of(document: Document, block: Block) -> Block | None:
    """Return the text that leads in to a block: the first above its labels, in its section."""
    for above in lead_ins(document.blocks, block):
        if above.kind not in LABELS:
            return above if above.section == block.section else None
    return None


def leads_in(block: Block, sentence: Sentence) -> bool:
    """Tell whether a sentence only opens the blocks below: "These are supported:", or a tab."""
    if block.kind == "tab":
        return True
    return (
        block.kind in TEXT
        and sentence.text.rstrip(CLOSING).endswith((":", "："))
        and sentence.end == len(block.text.rstrip())
    )


def following(
    document: Document,
    block: Block,
    units: Collection[Kind],
    *,
    is_open: Callable[[Block], bool] | None = None,
    reach: Reach = ALONE,
) -> list[Sentence]:
    """Return the sentences that a lead-in opens: the code, or the first items or rows.

    Code is opened whether or not it is among the units. Of tabs, it is one, with its title.

    Args:
        units: The kinds of blocks that may be quoted.
        is_open: Tells which of several tabs is quoted; None for the first.
        reach: How much is quoted at most.
    """
    titles: list[Sentence] = []
    sentences: list[Sentence] = []
    size = 0
    for follower in _open_followers(document, block, is_open):
        if follower.kind == "tab":
            if sentences:
                break
            around = {above.number for above in lead_ins(document.blocks, follower)}
            titles = [title for title in titles if title.block in around]
            titles += [title for title in follower.sentences if title.quotable]
            continue
        parts = follower.sentences
        if follower.kind == "code" and all(part.quotable for part in parts):
            parts = tuple(first_lines(part, reach.lines) for part in parts)
            if not sentences:
                return [*titles, *parts]
        elif follower.kind not in units and sentences:
            continue
        elif follower.kind not in units or not all(s.quotable for s in parts):
            break
        size += sum(len(part.text) for part in parts)
        if len(sentences) >= FOLLOWERS or size > reach.characters:
            break
        sentences += parts
    return [*titles, *sentences] if sentences else []


def _open_followers(
    document: Document, block: Block, is_open: Callable[[Block], bool] | None
) -> Iterator[Block]:
    """Yield the blocks of its section that a block leads in to, without tabs not quoted."""
    closed: set[int | None] = set()
    for follower in _followers(document, block):
        if follower.section != block.section:
            return  # below a heading in a tab
        is_tab = follower.kind == "tab" and follower.lead == block.number
        if follower.lead in closed or (is_tab and is_open is not None and not is_open(follower)):
            closed.add(follower.number)
        else:
            yield follower


def first_lines(code: Sentence, count: int) -> Sentence:
    """Return the first lines of code, at most so many."""
    lines = code.text.split("\n", count)
    if len(lines) <= count:
        return code
    text = "\n".join(lines[:-1]).rstrip()
    return code._replace(text=text, end=code.start + len(text))


def goes_on(document: Document, sentences: Sequence[Sentence]) -> bool:
    """Tell whether the list or table that ends a quotation, with its lead-in, has more items."""
    quoted = {sentence.block for sentence in sentences}
    last = document.blocks[sentences[-1].block]
    opening = opening_of(document, last)
    if opening is None or opening.number not in quoted or not is_item(document, last):
        return False
    for other in document.blocks[last.number + 1 : last.number + 1 + _ASIDES]:
        if other.lead in quoted or (other.lead == last.lead and is_item(document, other)):
            return True
        if other.lead is None and other.top != last.top:
            return False
    return False


def _followers(document: Document, block: Block) -> Iterator[Block]:
    """Yield the blocks that a block leads in to; nested ones only where an item just opens them."""
    top, asides = None, 0
    opening = {block.number}
    for number in range(block.number + 1, len(document.blocks)):  # a slice would copy the blocks
        follower = document.blocks[number]
        if follower.lead is None:  # a note in an item; the list may go on below it
            asides += 1
            if follower.top != top or asides > _ASIDES:
                return
        elif follower.lead < block.number:
            return
        elif follower.kind in LABELS:
            if follower.lead in opening:
                opening.add(number)
                top = follower.top
                if follower.kind == "tab":
                    yield follower
        elif follower.lead in opening:
            top = follower.top
            if follower.kind in TEXT and follower.text.endswith((":", "：")):
                opening.add(number)
            yield follower
