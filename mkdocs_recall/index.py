"""Term statistics over the sentences of a selection of pages: built once, then only read."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, groupby
from typing import TYPE_CHECKING

from mkdocs_recall.text.language import get_language
from mkdocs_recall.text.model import UNITS
from mkdocs_recall.text.terms import words

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from mkdocs_recall.query import Term
    from mkdocs_recall.text.language import Language
    from mkdocs_recall.text.model import Block, Document, Heading, Kind, Sentence


@dataclass(frozen=True, slots=True)
class Part:
    """A page, or the blocks of it that are asked."""

    document: Document
    blocks: tuple[Block, ...]


def part_of(
    document: Document,
    *,
    anchors: Sequence[str] = (),
    sections: int = 0,
    units: Collection[Kind] = UNITS,
) -> Part:
    """Return the blocks of a page under some headings and among the first top-level blocks.

    Args:
        document: The page.
        anchors: The sections to take, with what is below them; none for the whole page.
        sections: How many top-level blocks to take from where the selection starts; 0 for all.
        units: The kinds of blocks to take.
    """
    blocks = tuple(block for block in document.blocks if block.kind in units)
    if anchors:
        wanted = set(anchors)
        blocks = tuple(b for b in blocks if any(h.anchor in wanted for h in b.headings))
    if sections and blocks:
        tops = sorted({block.top for block in blocks})[:sections]
        blocks = tuple(block for block in blocks if block.top <= tops[-1])
    return Part(document, blocks)


class Index:
    """The sentences of a selection, numbered in page order, and where each term stands.

    A sentence's number is its position in `sentences`; sentences of one block, one section, one
    page have consecutive numbers. Each list is made when it is first asked for.
    """

    def __init__(self, parts: Iterable[Part]) -> None:
        """Take the parts, in page order."""
        self.parts: tuple[Part, ...] = tuple(parts)

    def __len__(self) -> int:
        """Return the number of sentences."""
        return len(self.sentences)

    @cached_property
    def blocks(self) -> list[Block]:
        """The blocks of all parts."""
        return [block for part in self.parts for block in part.blocks]

    @cached_property
    def sentences(self) -> list[Sentence]:
        """The sentences of all blocks."""
        return [sentence for block in self.blocks for sentence in block.sentences]

    @cached_property
    def block_of(self) -> list[int]:
        """The number, in `blocks`, of each sentence's block."""
        return [number for number, block in enumerate(self.blocks) for _ in block.sentences]

    @cached_property
    def document_of(self) -> list[int]:
        """The number, in `parts`, of each block's page."""
        return [number for number, part in enumerate(self.parts) for _ in part.blocks]

    @cached_property
    def section_of(self) -> list[int]:
        """A number for each block's section; sections are counted over all pages."""
        keys = zip(self.document_of, [block.section for block in self.blocks], strict=True)
        return [number for number, (_, same) in enumerate(groupby(keys)) for _ in same]

    @cached_property
    def lengths(self) -> list[int]:
        """How many words each sentence has, without stop words."""
        return [len(sentence.words) for sentence in self.sentences]

    @cached_property
    def average_length(self) -> float:
        """The mean of the lengths; 1 where there is no word."""
        return sum(self.lengths) / max(1, len(self.lengths)) or 1.0

    def document(self, sentence: int) -> Document:
        """Return the page a sentence stands on."""
        return self.parts[self.document_of[self.block_of[sentence]]].document

    def block(self, sentence: int) -> Block:
        """Return the block a sentence stands in."""
        return self.blocks[self.block_of[sentence]]

    def parts_blocks(self, sentence: int) -> bool:
        """Tell whether the sentence after this one stands in another block of the same page."""
        if sentence + 1 == len(self.block_of):
            return False
        block, following = self.block_of[sentence], self.block_of[sentence + 1]
        return block != following and self.document_of[block] == self.document_of[following]

    @cached_property
    def languages(self) -> tuple[str, ...]:
        """The languages of the pages, in page order."""
        return tuple(dict.fromkeys(part.document.language for part in self.parts)) or ("en",)

    @cached_property
    def _languages(self) -> list[Language]:
        """The language of each part."""
        known = {code: get_language(code) for code in self.languages}
        return [known[part.document.language] for part in self.parts]

    @cached_property
    def _vocabularies(self) -> dict[str, _Vocabulary]:
        """Where each word stands, by language code."""
        found = {language.code: _Vocabulary(language) for language in self._languages}
        spoken = [found[language.code] for language in self._languages]
        number, last = 0, -1
        for block, section, document in zip(
            self.blocks, self.section_of, self.document_of, strict=True
        ):
            vocabulary = spoken[document]
            if section != last:
                last = section
                vocabulary.add_headings(section, block.headings)
            standing = vocabulary.standing
            for sentence in block.sentences:
                for word in sentence.words:
                    standing[word].append(number)
                number += 1
        return found

    @cached_property
    def with_word(self) -> Mapping[str, Sequence[int]]:
        """The sentences each word stands in, each once; stop words too, and nothing is stemmed."""
        found: dict[str, list[int]] = {}
        for number, sentence in enumerate(self.sentences):
            for word in set(words(sentence.text)):
                found.setdefault(word, []).append(number)
        return found

    def term_set(self, number: int) -> frozenset[str]:
        """Return the distinct terms of a sentence."""
        language = self._languages[self.document_of[self.block_of[number]]]
        return frozenset(map(language.stems.__getitem__, self.sentences[number].words))

    def with_term(self, term: Term) -> set[int]:
        """Return the sentences in which a query's term stands."""
        return set().union(*self._standing(term))

    def frequencies(self, term: Term) -> Counter[int]:
        """Return how often a query's term stands in each sentence that holds it."""
        return Counter(chain.from_iterable(self._standing(term)))

    def sections_headed(self, term: Term) -> set[int]:
        """Return the sections under whose headings, of any level, a query's term stands."""
        return set().union(
            *(vocabulary.headed.get(word, ()) for vocabulary, word in self._family(term))
        )

    def idf(self, sentences_with_term: int) -> float:
        """Return `ln(1 + (N - df + .5)/(df + .5))`, greater than 0 (Robertson & Zaragoza 2009)."""
        missing = len(self.sentences) - sentences_with_term
        return math.log(1 + (missing + 0.5) / (sentences_with_term + 0.5))

    def _standing(self, term: Term) -> list[list[int]]:
        """Return where each word with a term's stem stands, as often as it does."""
        return [vocabulary.standing.get(word, []) for vocabulary, word in self._family(term)]

    def _family(self, term: Term) -> Iterator[tuple[_Vocabulary, str]]:
        for code, stem in term.stems:
            if vocabulary := self._vocabularies.get(code):
                for word in vocabulary.family(stem):
                    yield vocabulary, word


class _Vocabulary:
    """The words of the pages in one language, and where each stands."""

    def __init__(self, language: Language) -> None:
        self.standing: defaultdict[str, list[int]] = defaultdict(list)
        """The sentences each word stands in, as often as it does; none for a heading's word."""
        self.headed: defaultdict[str, list[int]] = defaultdict(list)
        """The sections under whose headings each word stands."""
        self._stems = language.stems
        self._keeps_initial = language.keeps_initial
        self._heading_words: dict[str, list[str]] = {}
        self._families: dict[str, dict[str, list[str]]] = {}

    def add_headings(self, section: int, headings: Iterable[Heading]) -> None:
        """Note the words of the headings above a section."""
        for heading in headings:
            found = self._heading_words.get(heading.text)
            if found is None:
                found = self._heading_words[heading.text] = words(heading.text)
                for word in found:
                    self.standing[word]  # so that it is among the words that are stemmed
            for word in found:
                self.headed[word].append(section)

    def family(self, stem: str) -> list[str]:
        """Return the words with a stem.

        Words are stemmed when one that may have the same stem is asked for: those with the same
        first letter, in a language where a stem keeps it.
        """
        initial = stem[0] if self._keeps_initial else ""
        families = self._families.get(initial)
        if families is None:
            families = self._families[initial] = defaultdict(list)
            for word in [w for w in self.standing if not initial or w[0] == initial]:
                families[self._stems[word]].append(word)
        return families.get(stem, [])
