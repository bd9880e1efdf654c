"""Doubts: what speaks against an answer, as facts and not as a verdict.

The ranking gives each section a probability to hold the answer. Where that of the quoted places
together is under one half, the next place is named. The others are what a reader of the
documentation would look at: a name or the rarest word of the query is not in the quote, a sibling
of what is quoted is named.
"""

from __future__ import annotations

import math
from itertools import chain
from typing import TYPE_CHECKING, Final

from mkdocs_recall.index.index import holds_name
from mkdocs_recall.index.query import names_in, query_terms
from mkdocs_recall.text.language import get_language
from mkdocs_recall.text.model import LABELS, lead_ins
from mkdocs_recall.text.terms import words

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from mkdocs_recall.index.index import Index
    from mkdocs_recall.index.query import Term
    from mkdocs_recall.retrieval.quotation import Quotation
    from mkdocs_recall.retrieval.siblings import Siblings

LIKELY: Final = 0.5
"""An answer that is no more likely than this is in doubt. Of 308 questions of users, 47 % are in
doubt by it: two thirds of these answers are wrong, and one third of the others. With the right page
given, 8 % are: .79 and .35."""


def find_doubts(
    index: Index,
    queries: Sequence[str],
    quotations: Mapping[int, Quotation],
    *,
    likely: Mapping[int, float],
    siblings: Siblings,
) -> Iterator[str]:
    """Yield what speaks against an answer.

    Args:
        index: The sentences.
        queries: The texts of the queries.
        quotations: What is quoted, by chosen sentence, in rank order; at least one.
        likely: The probability of each section to hold the answer; empty if the scorer has none.
        siblings: What the queries name of what is beside each other.
    """
    quoted = {index.sections.of_sentence[number] for number in quotations}
    probability = math.fsum(likely.get(section, 0.0) for section in quoted)
    others = [(-share, section) for section, share in likely.items() if section not in quoted]
    if others and probability <= LIKELY:
        share, section = min(others)
        first = index.sections.first_sentences[section]
        place = f"{index.document(first).uri}#{index.block(first).anchor}".removesuffix("#")
        yield (
            f"the quote answers with a probability of {probability:.0%} only; "
            f"next comes '{place}' with {-share:.0%}"
        )
    quoted_parts = quotations.items()
    for query in queries:
        names = [
            name
            for name in names_in(query).values()
            if not any(
                holds_name(text, name) for part in quoted_parts for text in _texts(index, *part)
            )
        ]
        yield from (f"'{name}', which the query names, is not in the quote" for name in names)
        terms = query_terms(query, index.languages)
        rarest = max(terms, key=lambda term: _rarity(index, term), default=None)
        if not rarest or names:
            continue
        forms = _forms(index, rarest)
        if not any(stem in forms for part in quoted_parts for stem in _said(index, *part)):
            yield f"'{rarest.word}', the rarest word of the query, is not in the quote"
    for number, quotation in quotations.items():
        document = index.document(number)
        blocks = dict.fromkeys(sentence.block for sentence in quotation.sentences)
        rivals = (siblings.rival(document, document.blocks[block]) for block in blocks)
        if rival := next(filter(None, rivals), ""):
            yield f"the query names '{rival}', and what is beside it is quoted"


def _rarity(index: Index, term: Term) -> tuple[float, float]:
    """Return how rare a term is, and what it counts for; words that only put a question are not."""
    return term.weight, -len(index.occurrences(term).sentences)


def _forms(index: Index, term: Term) -> set[tuple[str, str]]:
    """Return the stems of a term, and of the words that match it in part."""
    partial = index.occurrences(term).partial_words
    languages = ((code, get_language(code).stems) for code, _ in term.stems)
    return {*term.stems, *((code, stems[word]) for code, stems in languages for word in partial)}


def _said(index: Index, number: int, quotation: Quotation) -> Iterator[tuple[str, str]]:
    """Yield the stems that a quote and the headings above it hold."""
    language = index.language_of(number)
    spoken = (sentence.words for sentence in quotation.sentences)
    for word in chain(chain.from_iterable(spoken), *map(words, _headings(index, number))):
        yield language.code, language.stems[word]


def _texts(index: Index, number: int, quotation: Quotation) -> Iterator[str]:
    """Yield the texts of a quote and of the headings above it."""
    yield from (sentence.text for sentence in quotation.sentences)
    yield from _headings(index, number)


def _headings(index: Index, number: int) -> Iterator[str]:
    """Yield what stands above a sentence: headings, and the titles of tabs and details."""
    document, block = index.document(number), index.block(number)
    yield document.title
    yield from (heading.text for heading in block.headings)
    yield from (above.text for above in lead_ins(document.blocks, block) if above.kind in LABELS)
