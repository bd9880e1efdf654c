"""A section that its author points at: all of its sentences, in document order, without a query."""

from __future__ import annotations

from dataclasses import replace
from itertools import takewhile
from typing import TYPE_CHECKING, Final

from mkdocs_recall.ranking.quotation import Quotation
from mkdocs_recall.ranking.result import Passage, Result
from mkdocs_recall.ranking.scores import Explanation
from mkdocs_recall.text.model import LABELS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mkdocs_recall.options import RecallOptions
    from mkdocs_recall.text.model import Block, Document, Heading, Sentence


_CHOSEN_BY: Final = "section"
"""What stands for a scorer in such a result."""


def whole_section(document: Document, anchor: str, options: RecallOptions) -> Result:
    """Return a section of a page as a result, in which each sentence is a passage.

    Args:
        anchor: That of its heading; empty for all above the first heading below the title.
        options: Of these, `subsections` and `max_sentences` count.
    """
    blocks = _blocks(document, anchor, subsections=options.subsections)
    passages = [
        Passage(
            document=document,
            sentence=sentence,
            score=0.0,
            rank=rank,
            quotation=Quotation((sentence,)),
            _explain=_explanation,
        )
        for rank, sentence in enumerate(_first(blocks, options.max_sentences), start=1)
    ]
    place = f"{document.uri}#{anchor}"
    return Result(
        tuple(passages),
        _CHOSEN_BY,
        diagnostics=() if passages else (f"'{place}' has no sentence to quote",),
        places=tuple(range(len(passages))),
    )


def headings_within(block: Block, anchor: str) -> list[tuple[int, Heading]]:
    """Return the headings above a block from that of its section on, which has the level 1."""
    own = next((h for h in block.headings if anchor and h.anchor == anchor), None)
    if own is None:
        return []
    below = block.headings[block.headings.index(own) :]
    return [(heading.level - own.level + 1, heading) for heading in below]


def cited_heading(passage: Passage, anchor: str) -> Passage:
    """Return a passage that stands for the heading of a section, for its citation.

    Args:
        passage: The first of the section.
    """
    block = passage.block
    within = headings_within(block, anchor)
    path = block.headings[: len(block.headings) - len(within) + 1] if within else ()
    stand_in = replace(block, kind="prose", headings=path, lead=None)
    document = replace(passage.document, blocks=(stand_in,))
    return replace(passage, document=document, sentence=passage.sentence._replace(block=0))


def _blocks(document: Document, anchor: str, *, subsections: bool) -> Iterator[Block]:
    """Yield the blocks of a section in order; footnotes are in none."""
    headings = document.headings
    if not anchor:
        last = 1 if headings and headings[0].level == 1 else 0
        yield from takewhile(lambda block: 0 <= block.section <= last, document.blocks)
        return
    own = next((heading for heading in headings if heading.anchor == anchor), None)
    if own is None:
        return
    first = headings.index(own) + 1
    behind = enumerate(headings[first:], start=first + 1)
    end = next((n for n, h in behind if h.level <= own.level or not subsections), len(headings) + 1)
    yield from (block for block in document.blocks if first <= block.section < end)


def _first(blocks: Iterable[Block], count: int | None) -> Iterator[Sentence]:
    """Yield the first sentences, with the labels above each, which do not count."""
    for block in blocks:
        for sentence in block.sentences:
            if count == 0:
                return
            if count is not None and block.kind not in LABELS:
                count -= 1
            yield sentence


def _explanation() -> Explanation:
    return Explanation(0.0, "its section is quoted whole")
