"""Sentences that are quoted together, as runs of text; what stands between two runs is left out."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from mkdocs_recall.scoring.features import has_end
from mkdocs_recall.text.model import TEXT

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mkdocs_recall.text.model import Block, Document, Sentence

_ROWS = frozenset({"list", "table"})


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


def ends(chunk: Chunk) -> bool:
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
                text += " " if ends(previous) else "\n"
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
