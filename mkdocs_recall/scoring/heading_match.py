"""How far the heading of a section is the query: the words that both name, by Dice's coefficient.

    F = 2·|q ∩ h| / (|q| + |h|)

q are the stems of the query without stop words and words that only put a question, h those of the
section's own heading; a page's title is the heading of what is right below it. In its fourth power,
F is near 1 for "Upgrading uv" under "How do I upgrade uv?", and next to nothing for a heading that
shares one of three words. So a heading that is the question counts whatever the weight of its words
is on the site, where a name that is on every page weighs nothing.

Source: Dice (1945), "Measures of the amount of ecologic association between species".
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from mkdocs_recall.index.query import query_terms
from mkdocs_recall.index.sections import heading_digest
from mkdocs_recall.text.terms import words

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

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
    """Return what its heading adds to the score of each section: `WEIGHT`·F⁴, from `LEAST` on.

    Args:
        query: The text of the query.
        index: The sections.
    """
    terms = query_terms(query, index.languages)
    terms = tuple(term for term in terms if term.weight >= 1) or terms
    lengths = index.sections.heading_lengths
    shared = Counter[int]()
    for term in terms:
        holders: set[int] = set()
        for code, stem in term.stems:
            if postings := index.postings.get(code):
                for word in postings.words_with_stem(stem):
                    holders.update(postings.titled_sections.get(word, ()))
                    headed = postings.headed_sections.get(word, ())
                    holders.update(section for section in headed if not lengths[section])
        shared.update(holders)
    subjects, digests = index.sections.subject_lengths, index.sections.heading_digests
    verbatim = _digests(words(query))
    matches = {
        section: (VERBATIM if digests[section] in verbatim else WEIGHT)
        * (2 * count / (len(terms) + max(count, subjects[section]))) ** POWER
        for section, count in shared.items()
    }
    return {section: value for section, value in matches.items() if value >= LEAST}


def _digests(query_words: Sequence[str]) -> set[int]:
    """Return the digests of all headings that a query says word for word."""
    count = len(query_words)
    return {
        heading_digest(query_words[start:end])
        for start in range(count)
        for end in range(start + 1, min(count, start + LONGEST) + 1)
    }
