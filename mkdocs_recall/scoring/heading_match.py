"""How far the heading of a section is the query: the words that both name, by Dice's coefficient.

    F = 2·|q ∩ h| / (|q| + |h|)
    H = .5·F⁶ where the query holds the heading word for word, else .4·F⁶; 0 where it is under .02

q are the stems of the query without stop words and words that only put a question, h those of the
section's own heading; a page's title is the heading of what is right below it. In its sixth power,
F is near 1 for "Upgrading uv" under "How do I upgrade uv?", and next to nothing for a heading that
shares one of three words. So a heading that is the question counts whatever the weight of its words
is on the site, where a name that is on every page weighs nothing.

Source: Dice (1945), "Measures of the amount of ecologic association between species". The constants
are round numbers: benchmarks/README.md ("Headings") has the figures.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from mkdocs_recall.index.query import query_terms
from mkdocs_recall.index.sections import heading_digest
from mkdocs_recall.text.terms import words

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from mkdocs_recall.index.index import Index

WEIGHT: Final = 0.4
"""What a heading that is the query adds."""
VERBATIM: Final = 0.5
"""What one adds whose words, stop words included, are in the query as they stand."""
LONGEST: Final = 32
"""A heading with more words is not looked for word for word."""
POWER: Final = 6
LEAST: Final = 0.02
"""What adds less is left out."""


def heading_matches(query: str, index: Index) -> Mapping[int, float]:
    """Return H of the sections whose heading has words of a query."""
    terms = query_terms(query, index.languages)
    terms = tuple(term for term in terms if term.weight >= 1) or terms
    occurrences = map(index.occurrences, terms)
    holders = [(found.titled_sections, found.headed_sections) for found in occurrences]
    return matches_of(query, index, holders)


def matches_of(
    query: str, index: Index, holders: Sequence[tuple[AbstractSet[int], AbstractSet[int]]]
) -> Mapping[int, float]:
    """Return the same for a query whose terms have been looked up."""
    sections = index.sections
    lengths, subjects = sections.heading_lengths, sections.subject_lengths
    shared = Counter[int]()
    for titled, headed in holders:
        shared.update(titled)
        shared.update(_titled_pages(headed - titled, lengths))
    matches = {}
    verbatim: set[int] | None = None
    for section, count in shared.items():
        match = 2 * count / (len(holders) + max(count, subjects[section]))
        if VERBATIM * match**POWER < LEAST:
            continue
        if verbatim is None:
            verbatim = _digests(words(query))
        is_verbatim = sections.heading_digests[section] in verbatim
        value = (VERBATIM if is_verbatim else WEIGHT) * match**POWER
        if value >= LEAST:
            matches[section] = value
    return matches


def _titled_pages(sections: AbstractSet[int], lengths: Sequence[int]) -> Iterable[int]:
    """Return those of some sections that are right below the title of their page."""
    return (section for section in sections if not lengths[section])


def _digests(query_words: Sequence[str]) -> set[int]:
    """Return the digests of all headings that a query says word for word."""
    count = len(query_words)
    return {
        heading_digest(query_words[start:end])
        for start in range(count)
        for end in range(start + 1, min(count, start + LONGEST) + 1)
    }
