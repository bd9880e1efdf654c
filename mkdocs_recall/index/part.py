"""A page with those of its blocks that are searched, and the headings above a block."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from mkdocs_recall.options import DEFAULT_UNITS, UNITS
from mkdocs_recall.text.model import Heading, lead_ins

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from mkdocs_recall.text.model import Block, Document, Kind


class Part(NamedTuple):
    """A page, with those of its blocks that are searched."""

    document: Document
    blocks: tuple[Block, ...]
    others: tuple[Block, ...] = ()
    """The other blocks in the same range, such as code: their words count for their sections."""


def part_of(
    document: Document,
    *,
    anchors: Sequence[str] = (),
    sections: int = 0,
    units: Collection[Kind] = UNITS,
    count_headings: bool = False,
) -> Part:
    """Return the blocks of a page under some headings and among the first top-level blocks.

    Args:
        anchors: The sections to search, with their subsections; none for the whole page.
        sections: How many top-level blocks to search, from where the selection starts; 0 for all.
        units: The kinds of blocks to search. Where code is not among them, the title of a tab that
            opens code stands for that code.
        count_headings: Whether a heading is one of the `sections`, too, as in embedm.
    """
    within = document.blocks
    if anchors:
        wanted = set(anchors)
        within = tuple(b for b in within if any(h.anchor in wanted for h in b.headings))
    blocks = tuple(
        block
        for block in within
        if block.kind in units
        or (block.kind == "tab" and "code" not in units and _opens_code(document, block))
    )
    if {*units} == {*DEFAULT_UNITS}:
        blocks = _with_code_alone(within, blocks)
    if sections and blocks:
        headings = dict.fromkeys((block.top for block in blocks), 0)
        if count_headings:
            above = within[0].section - 1 if anchors else 0
            headings |= {block.top: block.section - above for block in reversed(blocks)}
        tops = [top for n, top in enumerate(sorted(headings)) if n + headings[top] < sections]
        last = tops[-1] if tops else -1
        blocks = tuple(block for block in blocks if block.top <= last)
        within = tuple(block for block in within if block.top <= last)
    searched = {block.number for block in blocks}
    others = tuple(block for block in within if block.number not in searched)
    return Part(document, blocks, others)


def _with_code_alone(within: Sequence[Block], blocks: tuple[Block, ...]) -> tuple[Block, ...]:
    """Return blocks with the first code of each section of which none of them can be quoted.

    Where an author names no units, code that is all there is below a heading is what it is about.
    """
    alone: dict[int, Block] = {}
    for block in within:
        if block.kind == "code":
            alone.setdefault(block.section, block)
    for block in blocks if alone else ():
        if block.section in alone and any(sentence.quotable for sentence in block.sentences):
            del alone[block.section]
    if not alone:
        return blocks
    numbers = {block.number for block in (*blocks, *alone.values())}
    return tuple(block for block in within if block.number in numbers)


def _opens_code(document: Document, tab: Block) -> bool:
    """Tell whether the first block in a tab is code."""
    following = islice(document.blocks, tab.number + 1, tab.number + 3)
    first = next((block for block in following if block.kind != "label"), None)
    return first is not None and first.kind == "code" and tab in lead_ins(document.blocks, first)


def headings_of(document: Document, block: Block) -> Sequence[Heading]:
    """Return the headings above a block, from the page's title on."""
    headings = block.headings
    if document.title and (not headings or headings[0].level > 1):
        return (Heading(document.title, 1, ""), *headings)
    return headings


def asks_of(document: Document, block: Block) -> tuple[list[str], list[str]]:
    """Return the questions that a page answers, and those that the section of a block does."""
    anchor = block.headings[-1].anchor if block.headings else ""
    of_page = [text for name, text in document.asks if not name]
    return of_page, [text for name, text in document.asks if name and name == anchor]
