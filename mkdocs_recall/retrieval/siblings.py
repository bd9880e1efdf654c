"""Siblings: tabs, details and definitions beside each other, of which a query names one.

Under "Larch comes with an installer:", the tab "Windows" answers how to install it on Windows, and
the tab "Linux" does not, whatever its text says. So where a query has a word of the name of one
sibling, those that have none of its words are no answer. Where it names none, each may be.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mkdocs_recall.index.query import query_terms
from mkdocs_recall.text.language import get_language
from mkdocs_recall.text.model import LABELS, lead_ins
from mkdocs_recall.text.terms import terms

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mkdocs_recall.index.index import Index
    from mkdocs_recall.text.model import Block, Document


class Siblings:
    """What some queries name, of tabs and other labelled blocks beside each other."""

    def __init__(self, queries: Iterable[str], index: Index) -> None:
        """Take the words of the queries.

        Args:
            queries: Their texts.
            index: The sentences, for the languages of the pages.
        """
        self._stems = {
            stem
            for query in queries
            for term in query_terms(query, index.languages)
            if term.weight >= 1
            for stem in term.stems
        }
        self._rivals: dict[tuple[str, int], str] = {}

    def rival(self, document: Document, block: Block) -> str:
        """Return the name of the sibling that is named instead of what a block is in.

        Args:
            document: The page.
            block: One of its blocks.

        Returns:
            The name; empty where nothing speaks against the block.
        """
        above = (block, *lead_ins(document.blocks, block))
        rivals = (self._rival(document, label) for label in above if label.kind in LABELS)
        return next(filter(None, rivals), "")

    def is_open(self, document: Document, tab: Block) -> bool:
        """Tell whether a tab may be quoted where none of its group is chosen: one of them may.

        It is the first that is named; where none is, the first.
        """
        group = [*_group(document, tab)]
        named = [other for other in group if self._named(document, other)]
        return tab.number == (named or group)[0].number

    def _rival(self, document: Document, label: Block) -> str:
        place = document.uri, label.number
        if place not in self._rivals:
            own = self._named(document, label)
            others = (other for other in _group(document, label) if other is not label)
            named = (o.text for o in others if not own and self._named(document, o))
            self._rivals[place] = next(named, "")
        return self._rivals[place]

    def _named(self, document: Document, label: Block) -> set[tuple[str, str]]:
        """Return the words of the queries that a label has."""
        language = get_language(document.language)
        return {(language.code, stem) for stem in terms(label.text, language)} & self._stems


def _group(document: Document, label: Block) -> Iterator[Block]:
    """Yield a label and those of its kind that are beside it, in order."""
    blocks = document.blocks
    first = label.number
    while first and blocks[first - 1].section == label.section:
        first -= 1
    for number in range(first, len(blocks)):
        other = blocks[number]
        if other.section != label.section:
            return
        if other.kind == label.kind and other.lead == label.lead:
            yield other
