"""Definitions: the sentences that have what a query asks for as their subject: "A token is …".

Such a sentence opens with the words of the query, behind one other word at most (an article), and
goes on with a stop word (a verb such as "is"), and does not ask itself. So no list of verbs is
needed; it works in each language that has stop words, for what is named with up to three words.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mkdocs_recall.index.query import query_terms
from mkdocs_recall.text.terms import words

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mkdocs_recall.index.index import Index
    from mkdocs_recall.index.query import Term

WEIGHT: Final = 0.15
"""What a definition adds to a score."""
LONGEST: Final = 3
"""A query with more terms asks for more than a definition."""


def definitions(query: str, index: Index) -> frozenset[int]:
    """Return the sentences that define what a query asks for.

    Args:
        query: The text of the query.
        index: The sentences.
    """
    terms = query_terms(query, index.languages)
    terms = tuple(term for term in terms if term.weight >= 1)
    if not 0 < len(terms) <= LONGEST:
        return frozenset()
    holders = set.intersection(*(_holders(term, index) for term in terms))
    return frozenset(number for number in holders if _defines(number, terms, index))


def _holders(term: Term, index: Index) -> set[int]:
    """Return the sentences that hold a term."""
    return {
        number
        for code, stem in term.stems
        if (postings := index.postings.get(code))
        for word in postings.words_with_stem(stem)
        for number in postings.sentences.get(word, ())
    }


def _defines(number: int, terms: Iterable[Term], index: Index) -> bool:
    language = index.language_of(number)
    wanted = {stem for term in terms for code, stem in term.stems if code == language.code}
    text = index.sentences[number].text
    if text.endswith(("?", "？")) or not language.stop_words:
        return False
    opening = words(text[:200])
    stems = [language.stems[word] for word in opening[: 2 * LONGEST + 1]]
    for start in (0, 1):
        end = start + len(wanted)
        if set(stems[start:end]) == wanted and len(opening) > end:
            return opening[end] in language.stop_words
    return False
