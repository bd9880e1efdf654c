"""The overlap of passages: what several are quoted with, such as a lead-in, only one repeats."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Container, Sequence

    from mkdocs_recall.retrieval.result import Passage
    from mkdocs_recall.text.model import Sentence

Place: TypeAlias = "tuple[str, int, int, int]"
"""Of a sentence: its page, its section, its block and its start there. A page's own description is
a block by itself, in a section that the page does not have."""


def without_overlap(passages: Sequence[Passage]) -> tuple[Passage, ...]:
    """Return passages of which no two are quoted with the same sentence.

    Each has its chosen sentence; every other sentence is quoted with the first passage that has it.
    What they are quoted with together stays the same.
    """
    if all(len(passage.quotation.sentences) == 1 for passage in passages):
        return tuple(passages)
    quoted = {_place(passage, passage.sentence) for passage in passages}
    remaining = []
    for passage in passages:
        remaining.append(without_quoted(passage, quoted))
        quoted |= places(remaining[-1])
    return tuple(remaining)


def without_quoted(passage: Passage, quoted: Container[Place]) -> Passage:
    """Return a passage without the sentences that are quoted already, except for the chosen one."""
    quotation = passage.quotation
    sentences = tuple(
        sentence
        for sentence in quotation.sentences
        if sentence == passage.sentence or _place(passage, sentence) not in quoted
    )
    if len(sentences) == len(quotation.sentences):
        return passage
    return replace(passage, quotation=replace(quotation, sentences=sentences))


def places(passage: Passage) -> set[Place]:
    """Return the places of the sentences that a passage is quoted with."""
    return {_place(passage, sentence) for sentence in passage.quotation.sentences}


def _place(passage: Passage, sentence: Sentence) -> Place:
    section = passage.document.blocks[sentence.block].section
    return passage.uri, section, sentence.block, sentence.start
