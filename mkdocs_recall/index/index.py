"""Term statistics over the sentences of a selection of pages: built once, then only read."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate, chain, groupby
from typing import TYPE_CHECKING, NamedTuple

from mkdocs_recall.index.postings import Postings
from mkdocs_recall.text.language import get_language
from mkdocs_recall.text.model import UNITS
from mkdocs_recall.text.terms import words

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from mkdocs_recall.index.query import Term
    from mkdocs_recall.text.language import Language
    from mkdocs_recall.text.model import Block, Document, Kind, Sentence


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


@dataclass(slots=True)
class TermOccurrences:
    """Where a term of a query stands."""

    words: set[str] = field(default_factory=set)
    """The words that come to the term."""
    sentences: set[int] = field(default_factory=set)
    """The sentences with such a word."""
    kin: set[str] = field(default_factory=set)
    """The words that hold the term, or of which it is made: of "Sitzung", "Sitzungsablauf"."""
    alike: set[int] = field(default_factory=set)
    """The other sentences, with a word akin to it."""
    headed: set[int] = field(default_factory=set)
    """The sections it stands above, in a heading of any level."""
    named: set[int] = field(default_factory=set)
    """The sections in whose own heading it stands; a page's title is none."""
    labelled: set[int] = field(default_factory=set)
    """The blocks led by a label that holds it, such as a term that is defined."""
    led: set[int] = field(default_factory=set)
    """The blocks led by another text whose last sentence holds it."""


class LeadIn(NamedTuple):
    """A block that leads in to others."""

    is_label: bool
    blocks: Sequence[int]
    """The numbers of these others."""


class Index:
    """The sentences of a selection, numbered in page order, and where each term stands.

    A sentence's number is its position in `sentences`; sentences of one block, one section, one
    page have consecutive numbers. Each list is made when it is first asked for.
    """

    def __init__(self, parts: Iterable[Part]) -> None:
        """Take the parts, in page order."""
        self.parts: Sequence[Part] = tuple(parts)

    def __len__(self) -> int:
        """Return the number of sentences."""
        return len(self.sentences)

    @cached_property
    def blocks(self) -> Sequence[Block]:
        """The blocks of all parts."""
        return [block for part in self.parts for block in part.blocks]

    @cached_property
    def sentences(self) -> Sequence[Sentence]:
        """The sentences of all blocks."""
        return [sentence for block in self.blocks for sentence in block.sentences]

    @cached_property
    def block_of(self) -> Sequence[int]:
        """The number, in `blocks`, of each sentence's block."""
        return [number for number, block in enumerate(self.blocks) for _ in block.sentences]

    @cached_property
    def document_of(self) -> Sequence[int]:
        """The number, in `parts`, of each block's page."""
        return [number for number, part in enumerate(self.parts) for _ in part.blocks]

    @cached_property
    def section_of(self) -> Sequence[int]:
        """A number for each block's section; sections are counted over all pages."""
        keys = zip(self.document_of, [block.section for block in self.blocks], strict=True)
        return [number for number, (_, same) in enumerate(groupby(keys)) for _ in same]

    @cached_property
    def lengths(self) -> Sequence[int]:
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

    @cached_property
    def starts(self) -> frozenset[int]:
        """The first sentence of each page."""
        blocks = accumulate((len(part.blocks) for part in self.parts), initial=0)
        return frozenset(map(self.first_of_block, blocks))

    def first_of_block(self, block: int) -> int:
        """Return the number of the first sentence of a block, or of those after it."""
        return bisect_left(self.block_of, block)

    def first_of_section(self, section: int) -> int:
        """Return the number of the first sentence of a section, or of those after it."""
        return self.first_of_block(bisect_left(self.section_of, section))

    @cached_property
    def spoken(self) -> Sequence[str]:
        """The language of each part."""
        return [part.document.language for part in self.parts]

    @cached_property
    def languages(self) -> tuple[str, ...]:
        """The languages of the pages, that of the most first: a question is likely asked in it."""
        return tuple(code for code, _ in Counter(self.spoken).most_common()) or ("en",)

    @cached_property
    def _languages(self) -> list[Language]:
        """The same, for each part."""
        known = {code: get_language(code) for code in self.languages}
        return [known[code] for code in self.spoken]

    def language_of(self, number: int) -> Language:
        """Return the language of a sentence."""
        return self._languages[self.document_of[self.block_of[number]]]

    def words_of(self, number: int) -> Sequence[str]:
        """Return the words of a sentence, without stop words, in order."""
        return self.sentences[number].words

    @cached_property
    def vocabularies(self) -> dict[str, Postings]:
        """Where each word stands, by language code."""
        found = {language.code: Postings(language) for language in self._languages}
        spoken = [found[language.code] for language in self._languages]
        number, last = 0, -1
        for block, section, document in zip(
            self.blocks, self.section_of, self.document_of, strict=True
        ):
            vocabulary = spoken[document]
            if section != last:
                last = section
                vocabulary.add_headings(section, block.headings)
            standing = vocabulary.known
            for sentence in block.sentences:
                for word in sentence.words:
                    standing[word].append(number)
                number += 1
        for number, (document, block) in enumerate(self._leading):
            if block.sentences:
                spoken[document].add_lead(number, block.sentences[-1].words)
        return found

    @cached_property
    def _led(self) -> dict[tuple[int, int], list[int]]:
        """The blocks that others lead in to, by the page's number and the lead's own in the page.

        A lead need not be among the blocks that are asked.
        """
        led: dict[tuple[int, int], list[int]] = {}
        for number, (block, document) in enumerate(zip(self.blocks, self.document_of, strict=True)):
            if block.lead is not None:
                led.setdefault((document, block.lead), []).append(number)
        return led

    @property
    def _leading(self) -> Iterator[tuple[int, Block]]:
        """The blocks that lead in to others, with the page's number."""
        for document, lead in self._led:
            yield document, self.parts[document].document.blocks[lead]

    @cached_property
    def leads(self) -> Sequence[LeadIn]:
        """What leads in to others."""
        blocks = self._led.values()
        return [
            LeadIn(lead.kind == "label", led)
            for (_, lead), led in zip(self._leading, blocks, strict=True)
        ]

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
        return frozenset(map(self.language_of(number).stems.__getitem__, self.words_of(number)))

    def frequencies(self, term: Term) -> Counter[int]:
        """Return how often a query's term stands in each sentence that holds it."""
        return Counter(chain.from_iterable(self._standing(term)))

    def standing(self, term: Term) -> TermOccurrences:
        """Return where a query's term stands, and words like it."""
        found = TermOccurrences()
        for code, stem in term.stems:
            if vocabulary := self.vocabularies.get(code):
                words, kin = vocabulary.family(stem), vocabulary.kin(stem, term.word)
                found.words.update(words)
                found.kin.update(kin)
                for word in words:
                    found.sentences.update(vocabulary.standing.get(word, ()))
                    found.headed.update(vocabulary.headed.get(word, ()))
                    found.named.update(vocabulary.named.get(word, ()))
                    for number in vocabulary.leading.get(word, ()):
                        lead = self.leads[number]
                        (found.labelled if lead.is_label else found.led).update(lead.blocks)
                for word in kin:
                    found.alike.update(vocabulary.standing.get(word, ()))
        found.alike -= found.sentences
        return found

    def with_phrases(self, phrases: Iterable[Sequence[str]]) -> list[set[int]]:
        """Return, for each run of words, the sentences in which they stand as they are.

        A run of stop words alone is found nowhere: where these stand is not known.
        """
        texts: dict[int, str] = {}

        def text(number: int) -> str:
            if number not in texts:
                texts[number] = f" {' '.join(words(self.sentences[number].text))} "
            return texts[number]

        found = []
        for phrase in phrases:
            wanted = f" {' '.join(phrase)} "
            standing: set[int] = set()
            for vocabulary in self.vocabularies.values():
                known = filter(None, map(vocabulary.bare.__getitem__, phrase))
                places = [set(vocabulary.standing.get(word, ())) for word in dict.fromkeys(known)]
                if places:
                    standing |= set.intersection(*places)
            found.append({number for number in standing if wanted in text(number)})
        return found

    def idf(self, sentences_with_term: int) -> float:
        """Return `ln(1 + (N - df + .5)/(df + .5))`, greater than 0 (Robertson & Zaragoza 2009)."""
        missing = len(self.sentences) - sentences_with_term
        return math.log(1 + (missing + 0.5) / (sentences_with_term + 0.5))

    def _standing(self, term: Term) -> list[Sequence[int]]:
        """Return where each word with a term's stem stands, as often as it does."""
        return [vocabulary.standing.get(word, ()) for vocabulary, word in self._family(term)]

    def _family(self, term: Term) -> Iterator[tuple[Postings, str]]:
        for code, stem in term.stems:
            if vocabulary := self.vocabularies.get(code):
                for word in vocabulary.family(stem):
                    yield vocabulary, word
