"""The words of a query in a quote, found by their stems as the ranking matches them."""

from __future__ import annotations

import re
from itertools import groupby
from typing import TYPE_CHECKING, Final

from mkdocs_recall.index.query import query_terms
from mkdocs_recall.text.language import get_language
from mkdocs_recall.text.terms import is_unspaced, terms

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mkdocs_recall.text.model import Mark

_WORD: Final = re.compile(r"[^\W_]+(?:['\u2019\u0300-\u036f][^\W_]*)*")


class QueryWords:
    """The words of one or more queries."""

    def __init__(self, queries: Sequence[str]) -> None:
        """Take the queries."""
        self._queries = queries
        self._stems: dict[str, set[str]] = {}

    def spans(
        self, text: str, start: int, end: int, marks: Sequence[Mark], language: str
    ) -> list[tuple[int, int]]:
        """Return the half-open spans of these words in a part of a text, but not in code.

        Args:
            marks: The block's marks; a word that one of them cuts is left out.
        """
        stems = self._stems_in(language)
        reader = get_language(language)
        spans: list[tuple[int, int]] = []
        for first, last in _words(text, start, end):
            if stems.isdisjoint(terms(text[first:last], reader)):
                continue
            if any(_cuts(mark, first, last) for mark in marks):
                continue
            if spans and spans[-1][1] > first:
                spans[-1] = spans[-1][0], last
            else:
                spans.append((first, last))
        return spans

    def _stems_in(self, language: str) -> set[str]:
        if language not in self._stems:
            self._stems[language] = {
                stem
                for query in self._queries
                for term in query_terms(query, [language])
                for _, stem in term.stems
            }
        return self._stems[language]


def _words(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the span of each word; in scripts without separators, of each pair of letters."""
    for match in _WORD.finditer(text, start, end):
        first = match.start()
        for unspaced, group in groupby(match[0], key=is_unspaced):
            last = first + len(list(group))
            if unspaced and last - first > 1:
                yield from ((place, place + 2) for place in range(first, last - 1))
            else:
                yield first, last
            first = last


def _cuts(mark: Mark, start: int, end: int) -> bool:
    """Return whether a mark is code around a word, or starts or ends inside of it."""
    if mark.end <= start or mark.start >= end:
        return False
    is_around = mark.start <= start and mark.end >= end
    is_inside = mark.start >= start and mark.end <= end
    return mark.role == "code" or not (is_around or is_inside)
