"""Term statistics over the sentences of a selection of pages: built once, then only read."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from mkdocs_recall.text.language import get_language
from mkdocs_recall.text.terms import terms, words

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mkdocs_recall.query import Term
    from mkdocs_recall.text.language import Language
    from mkdocs_recall.text.model import Block, Document, Sentence


@dataclass(frozen=True, slots=True)
class Part:
    """A page, or the blocks of it that are asked."""

    document: Document
    blocks: tuple[Block, ...]


def part_of(document: Document, *, anchors: Sequence[str] = (), sections: int = 0) -> Part:
    """Return the blocks of a page under some headings and among the first top-level blocks.

    Args:
        document: The page.
        anchors: The sections to take, with what is below them; none for the whole page.
        sections: How many top-level blocks to take from where the selection starts; 0 for all.
    """
    blocks = document.blocks
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
    page have consecutive numbers.
    """

    def __init__(self, parts: Iterable[Part]) -> None:
        """Number the sentences of the parts and note where their terms stand."""
        self.parts: tuple[Part, ...] = tuple(parts)
        self.sentences: list[Sentence] = []
        self.blocks: list[Block] = []
        self.block_of: list[int] = []
        """The number, in `blocks`, of each sentence's block."""
        self.document_of: list[int] = []
        """The number, in `parts`, of each block's page."""
        self.section_of: list[int] = []
        """A number for each block's section; sections are counted over all pages."""
        self.first: list[int] = []
        """The number of each block's first sentence."""
        self._section_blocks: list[int] = []
        section = -1
        for number, part in enumerate(self.parts):
            last = -1
            for block in part.blocks:
                if block.section != last:
                    last = block.section
                    section += 1
                    self._section_blocks.append(len(self.blocks))
                self.first.append(len(self.sentences))
                self.block_of.extend([len(self.blocks)] * len(block.sentences))
                self.sentences.extend(block.sentences)
                self.blocks.append(block)
                self.document_of.append(number)
                self.section_of.append(section)

    def __len__(self) -> int:
        """Return the number of sentences."""
        return len(self.sentences)

    def document(self, sentence: int) -> Document:
        """Return the page a sentence stands on."""
        return self.parts[self.document_of[self.block_of[sentence]]].document

    def block(self, sentence: int) -> Block:
        """Return the block a sentence stands in."""
        return self.blocks[self.block_of[sentence]]

    @cached_property
    def languages(self) -> tuple[str, ...]:
        """The languages of the pages, in page order."""
        return tuple(dict.fromkeys(part.document.language for part in self.parts)) or ("en",)

    @cached_property
    def _languages(self) -> list[Language]:
        """The language of each part."""
        return [get_language(part.document.language) for part in self.parts]

    @cached_property
    def _vocabularies(self) -> dict[str, _Vocabulary]:
        """Where each word stands, by language code."""
        found: dict[str, _Vocabulary] = {}
        number = 0
        for part, language in zip(self.parts, self._languages, strict=True):
            if language.code not in found:
                found[language.code] = _Vocabulary(language)
            standing = found[language.code].standing
            for block in part.blocks:
                for sentence in block.sentences:
                    for word in set(sentence.words):
                        standing[word].append(number)
                    number += 1
        return found

    @cached_property
    def _headed(self) -> dict[tuple[str, str], set[int]]:
        """The sections under whose headings (of any level) a term stands, by language and stem."""
        headed: dict[tuple[str, str], set[int]] = {}
        memo: dict[tuple[str, str], list[tuple[str, str]]] = {}
        for section, number in enumerate(self._section_blocks):
            language = self._languages[self.document_of[number]]
            for heading in self.blocks[number].headings:
                key = (language.code, heading.text)
                if key not in memo:
                    memo[key] = [(language.code, t) for t in terms(heading.text, language)]
                for term in memo[key]:
                    headed.setdefault(term, set()).add(section)
        return headed

    @cached_property
    def all_words(self) -> list[list[str]]:
        """The words of each sentence, stop words among them, not stemmed."""
        return [words(sentence.text) for sentence in self.sentences]

    def term_set(self, number: int) -> frozenset[str]:
        """Return the distinct terms of a sentence."""
        language = self._languages[self.document_of[self.block_of[number]]]
        return frozenset(map(language.stems.__getitem__, self.sentences[number].words))

    def with_term(self, term: Term) -> Counter[int]:
        """Return how often a query's term stands in each sentence that holds it."""
        found: Counter[int] = Counter()
        for code, stem in term.stems:
            if vocabulary := self._vocabularies.get(code):
                for word in vocabulary.family(stem):
                    for number in vocabulary.standing[word]:
                        found[number] += self.sentences[number].words.count(word)
        return found

    def sections_headed(self, term: Term) -> set[int]:
        """Return the sections under whose headings a query's term stands."""
        return {section for key in term.stems for section in self._headed.get(key, ())}

    def idf(self, sentences_with_term: int) -> float:
        """Return `ln(1 + (N - df + .5)/(df + .5))`, greater than 0 (Robertson & Zaragoza 2009)."""
        missing = len(self.sentences) - sentences_with_term
        return math.log(1 + (missing + 0.5) / (sentences_with_term + 0.5))


class _Vocabulary:
    """The words of the pages in one language, and where each stands."""

    def __init__(self, language: Language) -> None:
        self.standing: defaultdict[str, list[int]] = defaultdict(list)
        """The sentences each word stands in, ascending, each once."""
        self._stems = language.stems
        self._keeps_initial = language.keeps_initial

    @cached_property
    def _groups(self) -> dict[str, list[str]]:
        """The words that may share a stem: those with the same first letter, where that tells."""
        groups: dict[str, list[str]] = {}
        for word in self.standing:
            groups.setdefault(self._group(word), []).append(word)
        return groups

    def _group(self, word: str) -> str:
        return word[0] if self._keeps_initial else ""

    def family(self, stem: str) -> list[str]:
        """Return the words with a stem; only words that may have it are stemmed."""
        return [
            word for word in self._groups.get(self._group(stem), ()) if self._stems[word] == stem
        ]
