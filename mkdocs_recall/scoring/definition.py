"""Definitions: the sentences that have what a query asks for as their subject: "A token is …".

Such a sentence opens with the words of the query, behind one other word at most (an article), and
goes on with a stop word (a verb such as "is"), and does not ask itself. So no list of verbs is
needed; it works in each language that has stop words, for what is named with up to three words. The
first sentence of a page whose title is the query is one as well, whatever its verb.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mkdocs_recall.scoring.heading_match import WEIGHT as HEADING
from mkdocs_recall.text.terms import words

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from mkdocs_recall.index.index import Index
    from mkdocs_recall.index.query import Term

WEIGHT: Final = 0.15
"""What a definition adds to a score."""
LONGEST: Final = 3
"""A query with more terms asks for more than a definition."""
_OPENING: Final = 200
"""Characters at the start of a sentence in which its subject is."""


def definitions(
    terms: Sequence[Term],
    holders: Sequence[AbstractSet[int]],
    headings: Mapping[int, float],
    index: Index,
) -> frozenset[int]:
    """Return the sentences that define what a query asks for.

    Args:
        headings: What the headings of sections add; see `heading_match`.
    """
    if not 0 < len(terms) <= LONGEST:
        return frozenset()
    first, *others = holders
    both = first.intersection(*others) if others else first  # type: ignore[attr-defined]
    stated = frozenset(number for number in both if _defines(number, terms, index))
    return stated.union(_openings_of_subject(headings, index))


def _openings_of_subject(headings: Mapping[int, float], index: Index) -> Iterator[int]:
    """Yield the first sentences of the pages whose title is the query."""
    pages = index.sections.pages
    for section, heading in headings.items():
        is_top = not section or pages[section - 1] != pages[section]
        first = index.first_of_section(section)
        if is_top and heading >= HEADING and index.block(first).kind == "prose":
            yield first


def _defines(number: int, terms: Sequence[Term], index: Index) -> bool:
    language = index.language_of(number)
    wanted = {stem for term in terms for code, stem in term.stems if code == language.code}
    own = index.words_of(number)[: len(wanted)]
    if {language.stems[word] for word in own} != wanted:
        return False
    text = index.sentences[number].text
    if text.endswith(("?", "？")):
        return False
    opening = words(text[:_OPENING])
    stems = [language.stems[word] for word in opening[: LONGEST + 1]]
    for start in (0, 1):
        end = start + len(wanted)
        if set(stems[start:end]) == wanted and len(opening) > end:
            return opening[end] in language.stop_words
    return False
