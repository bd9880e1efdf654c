"""What scores need to know of all pages: values that sum over the shards of an index.

A shard holds postings and sees no other one. Its scores are those of one index over all pages,
because what they need of the others comes in as a `Statistics`. Links stay within a site, and a
shard that is asked holds whole sites, so they are counted where it is merged.
"""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mkdocs_recall.index.query import Term


IDF_SMOOTHING: Final = 0.5
"""Added to both counts in `inverse_document_frequency`: Robertson & Zaragoza (2009), "The
Probabilistic Relevance Framework: BM25 and Beyond", as in the Robertson–Spärck Jones weight."""


def inverse_document_frequency(holders: int, documents: int) -> float:
    """Return `ln(1 + (N - n + .5) / (n + .5))`, for a term that occurs in n of N documents.

    Robertson & Zaragoza (2009), with the 1 that keeps it greater than 0.
    """
    without_term = documents - holders
    return math.log(1 + (without_term + IDF_SMOOTHING) / (holders + IDF_SMOOTHING))


class Totals(Struct, frozen=True):
    """The numbers and lengths of what some shards hold; see `Sections` for the last three."""

    sentences: int = 0
    sections: int = 0
    words: int = 0
    """Of all sentences, without stop words."""
    text_words: int = 0
    own_words: int = 0
    """Of the headings of sections, where the page's title is that of what is right below it."""
    above_words: int = 0
    languages: dict[str, int] = {}
    """The number of pages in each language."""

    @classmethod
    def sum(cls, totals: Iterable[Totals]) -> Totals:
        """Add up the totals of shards; languages stay in the order in which pages have them."""
        shards = list(totals)
        languages = Counter[str]()
        for shard in shards:
            languages.update(shard.languages)
        names = (name for name in cls.__struct_fields__ if name != "languages")
        sums: dict[str, Any] = {name: sum(getattr(each, name) for each in shards) for name in names}
        return cls(**sums, languages=languages)

    @property
    def pages(self) -> int:
        """The number of pages."""
        return sum(self.languages.values())

    @property
    def by_frequency(self) -> tuple[str, ...]:
        """The languages, the most frequent first; English where there is no page."""
        return tuple(code for code, _ in Counter(self.languages).most_common()) or ("en",)

    @property
    def average_length(self) -> float:
        """The mean number of words of a sentence; 1 where there is no word."""
        return self.words / max(1, self.sentences) or 1.0

    @property
    def field_averages(self) -> tuple[float, float, float]:
        """The same of the text, own heading and other headings of a section."""
        lengths = self.text_words, self.own_words, self.above_words
        text, own, above = (length / max(1, self.sections) or 1.0 for length in lengths)
        return text, own, above


class TermCount(NamedTuple):
    """How many sentences, and sections, hold a term as a whole word."""

    sentences: int
    sections: int
    """0 where they were not counted."""


class Statistics(NamedTuple):
    """What the scores of a query need to know of all shards."""

    totals: Totals
    terms: Sequence[Term]
    """The terms of the query, in its order."""
    counts: Sequence[TermCount]
    """Of each of the terms."""

    @property
    def sentence_weights(self) -> list[float]:
        """The inverse document frequency of each term, where sentences are the documents."""
        total = self.totals.sentences
        return [inverse_document_frequency(count.sentences, total) for count in self.counts]

    @property
    def section_weights(self) -> list[float]:
        """What each term counts for, where sections are the documents."""
        return [
            term.weight * inverse_document_frequency(count.sections, self.totals.sections)
            for term, count in zip(self.terms, self.counts, strict=True)
        ]

    @property
    def known(self) -> float:
        """The share of the query, by `section_weights`, that any section has; 1 for nothing."""
        weights = self.section_weights
        pairs = zip(weights, self.counts, strict=True)
        held = math.fsum(weight for weight, count in pairs if count.sections)
        return held / (math.fsum(weights) or 1.0) or 1.0
