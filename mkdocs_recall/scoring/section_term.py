"""A term of a query and the sections: its weight, and how much of it each section has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mkdocs_recall.index.sections import SectionFrequencies, inverse_document_frequency

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

    from mkdocs_recall.index.index import Index
    from mkdocs_recall.index.query import Term

K1: Final = 2.0
"""The tf at which a term counts half; Robertson & Zaragoza (2009) find 1.2 to 2 good."""
PARTIAL: Final = 0.3
"""What a word counts that holds a term in part: as in `coverage`."""


class SectionTerm:
    """A term of the query: its weight, and how much of it each section has."""

    def __init__(self, index: Index, term: Term) -> None:
        """Count where the term occurs."""
        self.word = term.word
        known = [
            (stem, postings) for code, stem in term.stems if (postings := index.postings.get(code))
        ]
        sections = index.sections
        self._whole = SectionFrequencies(
            sections, ((postings, postings.words_with_stem(stem)) for stem, postings in known)
        )
        self._partial = SectionFrequencies(
            sections,
            ((postings, postings.partial_matches(stem, term.word)) for stem, postings in known),
        )
        holders = self._whole.sections
        self.weight = term.weight * inverse_document_frequency(len(holders), len(sections))
        self.sections = holders | self._partial.sections
        """The sections that have some of it."""

    def shares(self, sections: AbstractSet[int]) -> dict[int, float]:
        """Return how much of it those of some sections have that have any: f, up to 1."""
        whole, partial = self._whole.among(sections), self._partial.among(sections)
        if not partial:
            return {section: tf / (tf + K1) for section, tf in whole.items()}
        part_of = partial.get
        shares = {
            section: (tf := frequency + PARTIAL * part_of(section, 0.0)) / (tf + K1)
            for section, frequency in whole.items()
        }
        return shares | {
            section: min(PARTIAL, PARTIAL * frequency / (PARTIAL * frequency + K1))
            for section, frequency in partial.items()
            if section not in whole
        }
