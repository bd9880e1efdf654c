"""Siblings: tabs, details, definitions and rows beside each other, of which a query names one.

Under "Larch comes with an installer:", the tab "Windows" answers how to install it on Windows, and
the tab "Linux" does not, whatever its text says. So where a query has a word of the name of one
sibling, those that have none of its words are no answer. Where it names none, each may be.

A tab is named by a word of its title; a definition, a row of a table or a titled block by all words
of its term, its first cell or its title, since these have more words, and such as "Example".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from mkdocs_recall.index.query import query_terms
from mkdocs_recall.text.language import get_language
from mkdocs_recall.text.model import LABELS, lead_ins, section_blocks
from mkdocs_recall.text.terms import terms

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from mkdocs_recall.index.index import Index
    from mkdocs_recall.text.model import Block, Document


class _Group(NamedTuple):
    """Blocks beside each other."""

    numbers: list[int]
    named: list[int]
    """Those that a query names."""


class Siblings:
    """What some queries name, of tabs and other labelled blocks beside each other."""

    def __init__(self, queries: Iterable[str], index: Index) -> None:
        """Take the words of the queries."""
        self._stems = {
            stem
            for query in queries
            for term in query_terms(query, index.languages)
            if term.weight >= 1
            for stem in term.stems
        }
        self._groups: dict[tuple[str, int], Mapping[int, _Group]] = {}

    def rival(self, document: Document, block: Block) -> str:
        """Return the name of the sibling that is named instead of what a block is in.

        Returns:
            The name; empty where nothing speaks against the block.
        """
        for above in (block, *lead_ins(document.blocks, block)):
            group = self._groups_of(document, above).get(above.number)
            if group and group.named and above.number not in group.named:
                return _name(document.blocks[group.named[0]])
        return ""

    def is_open(self, document: Document, tab: Block) -> bool:
        """Tell whether a tab may be quoted where none of its group is chosen: one of them may.

        It is the first that is named; where none is, the first. A tab without text is none of them.
        """
        group = self._groups_of(document, tab)[tab.number]
        with_text = (n for n in group.named or group.numbers if _has_text(document, n))
        return tab.number == next(with_text, None)

    def _groups_of(self, document: Document, block: Block) -> Mapping[int, _Group]:
        """Return the group of each tab, label and row in the section of a block, by number."""
        place = document.uri, block.section
        groups = self._groups.get(place)
        if groups is None:
            by_kind: dict[tuple[object, ...], _Group] = {}
            groups = {}
            for other in section_blocks(document, block):
                if other.kind in LABELS or other.kind == "table":
                    alike = other.lead, other.kind, _what_follows(document, other)
                    group = by_kind.setdefault(alike, _Group([], []))
                    group.numbers.append(other.number)
                    if self._names(document, other):
                        group.named.append(other.number)
                    groups[other.number] = group
            self._groups[place] = groups
        return groups

    def _names(self, document: Document, block: Block) -> bool:
        """Tell whether a query names a block."""
        language = get_language(document.language)
        name = {(language.code, stem) for stem in terms(_name(block), language)}
        if block.kind == "tab":
            return not name.isdisjoint(self._stems)
        return bool(name) and name <= self._stems


def _name(block: Block) -> str:
    """Return the title of a tab or label, or the first cell of a row."""
    if block.kind != "table":
        return block.text
    cell = next((mark for mark in block.marks if mark.role == "cell"), None)
    return "" if cell is None else block.text[cell.start : cell.end]


def _has_text(document: Document, number: int) -> bool:
    """Tell whether a tab is above anything but labels."""
    blocks = document.blocks
    return any(
        other.kind not in LABELS
        and any(above.number == number for above in lead_ins(blocks, other))
        for other in section_blocks(document, blocks[number])
    )


def _what_follows(document: Document, block: Block) -> object:
    """Return what tells the siblings of a block from others with the same lead-in.

    Of a label, it is the kind of the block below it; of a row, its table: what is above the first
    of the rows that follow each other under the same headers.
    """
    blocks, number = document.blocks, block.number
    if block.kind == "label":
        below = blocks[number + 1 : number + 2]
        return below[0].kind if below else ""
    if block.kind != "table":
        return ""
    headers, first = _headers(block), number
    while first and blocks[first - 1].kind == "table" and _headers(blocks[first - 1]) == headers:
        first -= 1
    return first


def _headers(row: Block) -> tuple[str, ...]:
    return tuple(row.text[m.start : m.end] for m in row.marks if m.role == "header")
