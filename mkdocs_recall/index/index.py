"""The index: the numbered sentences of a selection of pages, and where each term occurs.

An index is built once and then only read. It is one shard, or joins several, each of which scores
its own sentences: see `Index.each`. `Statistics` holds what a score needs to know about all.

A section is a heading with the text up to the next one: how much is it about a term, and how many
pages link to it? Links count if they are in the text of searched pages, not in menus. Chronicles,
such as release notes, mention everything and explain little of it. "FAQ" and "Known issues" hold
what users ask.
"""

from __future__ import annotations

import posixpath
import re
from bisect import bisect_left, bisect_right
from collections import Counter, deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache, cached_property, lru_cache, partial, wraps
from itertools import accumulate, chain, compress, groupby, pairwise, repeat
from operator import attrgetter, getitem
from typing import Any, Final, NamedTuple, TypeVar, cast
from urllib.parse import unquote
from weakref import WeakValueDictionary

from msgspec import Struct

from mkdocs_recall.index.postings import Postings, Statistics, TermCount, Totals, WordKey
from mkdocs_recall.index.query import (
    Part,
    Term,
    asks_of,
    heading_checksum,
    heading_words,
    headings_of,
    names_in,
    query_terms,
    quoted_phrases,
    subject_words,
)
from mkdocs_recall.text.language import Language, Memo, get_language, shared_words
from mkdocs_recall.text.model import LABELS, TEXT, Block, Document, Sentence, lead_ins
from mkdocs_recall.text.sentences import is_unspaced, phrases, words
from mkdocs_recall.text.wording import encodable, wording

_KEPT_TERMS: Final = 8
"""How many terms' occurrences are kept; a query's are kept while it is scored."""
_PART: Final = 3
"""The least letters of a part of another word; see `Index.readings`."""
_KEPT_COUNTS: Final = 4096
_NUMBER: Final = r"^(?:\d+[.)])+\s+(?=[^\W\d])"
"""The number of a section before its heading, as in a book: "2.9.2. The register", "1) Install"."""
_T = TypeVar("_T")
_ELSEWHERE: Final = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*:|//")
_ENDING: Final = re.compile(
    r"(?:(?:^|/)(?:index|README|_index))?(?:\.(?:md|mdx|markdown|html?))?/*$"
)


class PageLink(NamedTuple):
    """A link from a page to another, by their positions."""

    page: int
    target: int
    anchor: str
    """The section; empty for the whole page."""


class PageLinks(Struct):
    """The addresses of a page, and its links."""

    site: str
    """The name of its publisher; empty for a page of this site."""
    address: str
    """The address of its file."""
    url: str | None
    """The address at which it is served; None if unknown."""
    targets: list[tuple[str, str]]
    """The addresses and anchors that it links to."""
    anchors: list[str]
    """The anchors of its sections; empty for the part above the first heading."""

    @classmethod
    def of(cls, part: Part) -> PageLinks:
        """Return the links in a page's blocks."""
        document = part.document
        publisher, url = document.publisher, document.url
        file = document.uri.partition(":")[2] if publisher else document.uri
        base = (url or file).rpartition("/")[0]
        targets = []
        hrefs = {
            mark.href
            for block in (*part.blocks, *part.others)
            if block.kind != "code" and block.marks
            for mark in block.marks
            if mark.role == "link" and mark.href[0] != "#" and not _ELSEWHERE.match(mark.href)
        }
        for href in sorted(hrefs):
            path, _, anchor = href.partition("#")
            targets.append((_resolve(base, path.partition("?")[0]), encodable(unquote(anchor))))
        served = _resolve("", url) if publisher else _page(url)
        site = publisher.name if publisher else ""
        openings = [next(run) for _, run in groupby(part.blocks, attrgetter("section"))]
        anchors = [encodable(b.headings[-1].anchor) if b.headings else "" for b in openings]
        return cls(site, _page(file), served if url else None, targets, anchors)


def count_links(pages: Sequence[PageLinks]) -> tuple[Counter[int], Counter[tuple[int, str]]]:
    """Count the other pages that link to each page and anchor."""
    links = set(find_links(pages))
    linked = Counter(target for target, _ in {(link.target, link.page) for link in links})
    return linked, Counter((link.target, link.anchor) for link in links if link.anchor)


def count_section_links(pages: Sequence[PageLinks]) -> Iterator[tuple[int, int]]:
    """Yield how many other pages link to each section's page, and to the section."""
    linked, anchors = count_links(pages)
    for number, page in enumerate(pages):
        for anchor in page.anchors:
            yield linked[number], anchors[number, anchor]


def find_links(pages: Sequence[PageLinks]) -> Iterator[PageLink]:
    """Yield the links between the pages."""
    numbers: dict[tuple[str, str], int] = {}
    # The home page of a site has an empty address; without a site, all pages have.
    with_addresses = {page.site for page in pages if page.url is not None}
    for number, page in enumerate(pages):
        numbers.setdefault((page.site, page.address), number)
        if page.site in with_addresses:
            numbers.setdefault((page.site, page.url or ""), number)
    for number, page in enumerate(pages):
        for address, anchor in page.targets:
            target = numbers.get((page.site, address), number)
            if target != number:
                yield PageLink(number, target, anchor)


@lru_cache(maxsize=4096)
def _resolve(base: str, path: str) -> str:
    if not path.startswith("/"):
        path = f"{base}/{path}"
    return _page(posixpath.normpath(unquote(path).lstrip("/") or "."))


def _page(address: str) -> str:
    address = "" if address == "." else address.strip("/").removeprefix("./")
    return encodable(_ENDING.sub("", address))


MIN_SECTIONS: Final = 3
"""A page with fewer sections is not a chronicle …"""
ENTRIES: Final = 4
"""… nor is one with less than one entry in this many sections."""
_HEADING_SIZE: Final = 120
_VERSION: Final = r"(?:(?:version|release)\s+)?v?\d+(?:\.(?:\d+|x))+[\w.+-]*"
_DATE: Final = r"(?:19|20)\d\d-\d\d(?:-\d\d)?"
_ENTRY: Final = (
    # A version alone or before a year; "1.1 Introduction" is a chapter.
    rf"(?i)\W*(?:{_VERSION}\W*(?:$|.*(?<!\d)(?:19|20)\d\d(?!\d))|{_DATE}(?!\d))"
)
"""The start of a heading that names an entry: `1.6.1`, `Version 2.0 (Friday 30th August, 2024)`,
`[0.5.0] - 2025-01-31`, `2024-05-01`."""


def is_chronicle(document: Document) -> bool:
    """Tell whether at least a quarter of a page's sections are below an entry's heading."""
    headings = [heading for heading in document.headings if heading.level > 1]
    if len(headings) < MIN_SECTIONS:
        return False
    entries, level = 0, 0  # the level of the section's entry; 0 for none
    for heading in headings:
        if level and heading.level > level:
            entries += 1
        elif re.match(_ENTRY, heading.text[:_HEADING_SIZE]):
            level = heading.level
            entries += 1
        else:
            level = 0
    return entries * ENTRIES >= len(headings)


def _word_of(name: str) -> re.Pattern[str]:
    forms = "|".join(sorted(shared_words(name)))
    return re.compile(rf"(?<![^\W_])(?:{forms})(?![^\W_])", re.IGNORECASE)


_FOR_QUESTIONS: Final = _word_of("for_questions")
"""A word for sections with users' questions …"""
_BESIDE: Final = _word_of("beside")
"""… and one for sections that seldom answer any: about one case, or work on the project."""


def purpose_of(*names: str) -> int:
    """Return the purpose of a section, by the words of its page's address and its headings.

    1 for answers to users' questions; -1 for tutorials, notes for contributors and the like; 0 for
    any other, and for both.
    """
    purposes = [*map(_purposes, names)]
    return any(questions for questions, _ in purposes) - any(beside for _, beside in purposes)


@lru_cache(maxsize=4096)  # a page's is needed for each of its sections
def _purposes(name: str) -> tuple[bool, bool]:
    """Tell whether a name has words of both lists."""
    return _FOR_QUESTIONS.search(name) is not None, _BESIDE.search(name) is not None


OWN_HEADING: Final = 4.0
HEADING_ABOVE: Final = 3.0
"""How often a word counts in a section's own heading (the page's title, for the text right below
it), and in a heading above that, if a word of the text or code counts once. From 4 to 8 and from 2
to 5 the cross-validated figures of benchmarks/README.md do not change."""
TEXT_LENGTH: Final = 0.5
HEADING_LENGTH: Final = 0.3
"""How much the length of a text, and of headings, lowers the weight of their words: the parameter b
of BM25F, from 0 to 1. Robertson & Zaragoza (2009) find .5 to .8 good for text."""


class LazySequence(Sequence[_T]):
    """A sequence that computes each item on access: most queries need few."""

    def __init__(self, length: int, compute: Callable[[int], _T]) -> None:
        self._length = length
        self._compute = compute

    def __len__(self) -> int:
        return self._length

    def __getitem__(self, number: int) -> _T:  # type: ignore[override]  # without slices
        if not -self._length <= number < self._length:
            raise IndexError(number)
        return self._compute(number % self._length)


class Sections(Struct, dict=True):
    """The sections of an index, in order. Each list has one item for each section.

    Lengths are numbers of words: of the text without stop words, of headings with them.
    """

    of_sentence: Sequence[int]
    pages: Sequence[int]
    text_lengths: Sequence[int]
    paragraphs: Sequence[int]
    """How many blocks are running text rather than, say, lists or table rows."""
    heading_lengths: Sequence[int]
    """The length of the own heading, which the page's title is not."""
    subject_lengths: Sequence[int]
    """How many different words of the own heading name something, excluding stop words and words
    that only ask. Here the page's title is the heading of the text right below it."""
    heading_checksums: Sequence[int]
    """`query.heading_checksum` of that heading; 0 on a page whose author states the questions that
    it answers."""
    above_lengths: Sequence[int]
    """The length of the other headings above."""
    page_links: Sequence[int]
    anchor_links: Sequence[int]
    chronicles: Sequence[int]
    """1 for a section of a chronicle unless a source names it, else 0."""
    purposes: Sequence[int]
    """`purpose_of` its page's address and its headings, plus 1."""

    def __len__(self) -> int:
        return len(self.pages)

    def opening(self, section: int) -> int:
        """Return the first section of the page of a section."""
        return bisect_left(self.pages, self.pages[section])

    def is_alone(self, section: int) -> bool:
        """Tell whether a section is the only one of its page."""
        page = self.pages[section]
        return bisect_right(self.pages, page) - bisect_left(self.pages, page) <= 1

    @cached_property
    def first_sentences(self) -> Sequence[int]:
        """The first sentence of each section, then the number of sentences."""
        return LazySequence(len(self) + 1, partial(bisect_left, self.of_sentence))

    @cached_property
    def heading_fields(self) -> tuple[Sequence[int], Sequence[int]]:
        """The lengths of each section's heading or title, and of the headings above."""
        pairs = [*zip(self.heading_lengths, self.above_lengths, strict=True)]
        lengths = [length or title for length, title in pairs]
        # Text right below the title has no other heading above.
        return lengths, [above if length else 0 for length, above in pairs]

    def text_weights(self, mean: float) -> list[float]:
        """Return the weight of a word in each text, by the mean length."""
        by_mean: dict[float, list[float]] = vars(self).setdefault("_text_weights", {})
        if mean not in by_mean:
            by_mean.clear()  # only one set of statistics is in use
            weights = _weights(1.0, TEXT_LENGTH, mean)
            by_mean[mean] = [*map(weights.__getitem__, self.text_lengths)]
        return by_mean[mean]


_NONE: Final[Mapping[int, int]] = {}


def places(lists: Iterable[Iterable[int]], within: Collection[int] | None = None) -> set[int]:
    """Return the numbers in some lists, optionally only those within a set."""
    if within is None:
        return set().union(*lists)
    return {*within}.intersection(chain.from_iterable(lists))


class SectionFrequencies:
    """How often each section holds one of some words: the pseudo-frequency of BM25F.

    Robertson, Zaragoza & Taylor (2004), "Simple BM25 extension to multiple weighted fields": a word
    counts by its field, and less in a long text or heading.
    """

    def __init__(self, sections: Sections, matches: Iterable[tuple[Postings, WordKey]]) -> None:
        self.sentences: list[Sequence[int]] = []
        """The occurrences of each word that has any: most lists are short, or empty."""
        self.code_sentences: list[Sequence[int]] = []
        self.headed_sections: list[Sequence[int]] = []
        self.titled_sections: list[Sequence[int]] = []
        for postings, word in matches:
            if sentences := postings.sentences.get(word):
                self.sentences.append(sentences)
            if in_code := postings.code_sentences.get(word):
                self.code_sentences.append(in_code)
            if headed := postings.headed_sections.get(word):
                self.headed_sections.append(headed)
                self.titled_sections.append(postings.titled_sections.get(word, ()))
        texts = chain.from_iterable((*self.sentences, *self.code_sentences))
        self._text = Counter(map(getitem, repeat(sections.of_sentence), texts))
        # Most words are in no heading, and making a Counter takes longer than filling it.
        self._headed, self._titled = (
            Counter(chain.from_iterable(lists)) if lists else _NONE
            for lists in (self.headed_sections, self.titled_sections)
        )
        self._sections = sections

    @property
    def sections(self) -> set[int]:
        """The sections that hold one of the words."""
        return self._text.keys() | self._headed.keys()

    def all(self, averages: tuple[float, float, float]) -> dict[int, float]:
        """Return the frequencies, greater than 0, by section, given `Totals.field_averages`."""
        sections, (mean, own_mean, above_mean) = self._sections, averages
        weights = sections.text_weights(mean)
        own_weights = _weights(OWN_HEADING, HEADING_LENGTH, own_mean)
        above_weights = _weights(HEADING_ABOVE, HEADING_LENGTH, above_mean)
        frequencies = {section: count * weights[section] for section, count in self._text.items()}
        for section, count in self._headed.items():
            length = sections.heading_lengths[section]
            outer = sections.above_lengths[section]
            titled = self._titled.get(section, 0)
            weight = own_weights[length or outer]  # text below the title has no other above
            frequencies[section] = (
                frequencies.get(section, 0.0)
                + titled * weight
                + (count - titled) * (above_weights[outer] if length else weight)
            )
        return frequencies


@lru_cache(maxsize=12)
def _weights(weight: float, b: float, mean: float) -> Memo[int, float]:
    """Return `weight / (1 - b + b·length / mean)` by the length of a field."""
    return Memo(lambda length: weight / (1 - b + b * length / mean))


class TermOccurrences:
    """Where a term of a query occurs, as a whole word and in part.

    Attributes:
        listed: The words whose stem is the term, with their postings.
        partly_listed: The words that contain it or are part of it: for "Sitzung", "Sitzungsablauf".
        led_blocks: The blocks below a label that holds the term, such as the term of a definition,
            or below another lead-in whose last sentence holds it.
        titled_sections: The sections with it in their own heading; a page's title is not one.
        headed_sections: The sections with it in a heading of any level.
        labelled_sections: The sections with it in a label, such as the title of a tab.
        announced_sections: The sections with it in a heading of any level or only in a label.
    """

    def __init__(self, index: Index, term: Term) -> None:
        """Look the term up without keeping the index, which keeps this: no cycle may hold both."""
        postings, sections = index.postings, index.sections
        self.listed = whole = [*words_like(postings, term)]
        self.partly_listed = partial = [*words_like(postings, term, in_part=True)]
        self.frequencies = frequencies = SectionFrequencies(sections, whole)
        self.partial_frequencies = SectionFrequencies(sections, partial)
        self.led_blocks: tuple[set[int], set[int]] = set(), set()
        for number in places(of_language.lead_ins.get(word, ()) for of_language, word in whole):
            led = self.led_blocks[not index.lead_in_labels[number]]
            led.update(index.led_blocks[number])
        self.titled_sections = places(frequencies.titled_sections)
        self.headed_sections = places(frequencies.headed_sections)
        self.labelled_sections = set(map(index.section_of.__getitem__, self.led_blocks[0]))
        first, blocks = index.first_of_block, self.led_blocks[0]  # most often empty
        spans = (range(first(block), first(block + 1)) for block in blocks)
        self.labelled_sentences = set(chain.from_iterable(spans))
        labelled = self.labelled_sections and self.labelled_sections - self.frequencies.sections
        self.announced_sections = announced = self.headed_sections | labelled
        partly_headed = places(self.partial_frequencies.headed_sections)
        self.partly_announced_sections = partly_headed - announced

    @property
    def sentences(self) -> set[int]:
        """The sentences with the term as a whole word."""
        return places(self.frequencies.sentences)

    @cached_property
    def words(self) -> set[str]:
        """The words whose stem is the term."""
        return {postings.word(key) for postings, key in self.listed}

    @cached_property
    def partial_words(self) -> set[str]:
        """The words that match it in part."""
        return {postings.word(key) for postings, key in self.partly_listed}


class Index:
    """The sentences of a selection, numbered in page order, and where each term occurs.

    The sentences of a block, of a section and of a page have consecutive numbers. Scores come from
    shards, which have numbers of their own: an index of `parts` is its only shard.
    """

    sentence_starts: Sequence[int] = (0,)
    section_starts: Sequence[int] = (0,)

    def __init__(
        self, parts: Iterable[Part], *, named: Collection[str] = (), is_shard: bool = False
    ) -> None:
        self.parts: Sequence[Part] = tuple(parts)
        self.named = frozenset(named)
        self._is_shard = is_shard
        documents = [part.document for part in self.parts]
        self.uris: Sequence[str] = [document.uri for document in documents]
        self.part_languages: Sequence[str] = [document.language for document in documents]
        self.languages = Totals(languages=Counter(self.part_languages)).by_frequency
        """The languages of the pages, the most frequent first."""
        self.blocks: Sequence[Block] = [block for part in self.parts for block in part.blocks]
        by_part = enumerate(part.blocks for part in self.parts)
        self.document_of: Sequence[int] = [n for n, blocks in by_part for _ in blocks]
        """The number, in `parts`, of each block's page."""
        keys = zip(self.document_of, [block.section for block in self.blocks], strict=True)
        sections = enumerate(groupby(keys))
        self.section_of: Sequence[int] = [number for number, (_, run) in sections for _ in run]
        """The number of each block's section, over all pages."""
        self.section_count = self.section_of[-1] + 1 if self.section_of else 0
        by_block = [block.sentences for block in self.blocks]
        self.sentences: Sequence[Sentence] = [*chain.from_iterable(by_block)]
        self.block_of: Sequence[int] = [n for n, texts in enumerate(by_block) for _ in texts]
        """The number, in `blocks`, of each sentence's block."""
        self.lengths: Sequence[int] = [len(sentence.words) for sentence in self.sentences]
        """The number of words of each sentence, without stop words."""
        self._start()
        self._leaning: dict[int, bool] = {}

    def _start(self) -> None:
        self._occurrences = WeakValueDictionary[Term, TermOccurrences]()
        self._recent = deque[TermOccurrences](maxlen=_KEPT_TERMS)
        self._counts: dict[tuple[Term, bool], TermCount] = {}

    def __len__(self) -> int:
        return len(self.sentences)

    def each(self, make: Callable[..., _T], *args: object) -> list[_T]:
        """Return `make(shard, *args)` for each shard, in order."""
        return [make(self, *args)]

    @cached_property
    def totals(self) -> Totals:
        """The counts and lengths of all that is indexed."""
        words = sum(self.lengths)
        text_words = sum(self.sections.text_lengths)
        own_words, above_words = map(sum, self.sections.heading_fields)
        counts = len(self), len(self.sections), words, text_words, own_words, above_words
        return Totals(*counts, Counter(self.part_languages))

    def statistics(self, query: str, *, in_sections: bool = False) -> Statistics:
        """Return what scores need to know about all shards, and optionally sections."""
        terms = query_terms(query, self.languages)
        by_term = zip(*self.each(Index.counts, terms, in_sections), strict=True)
        counts = [TermCount(*map(sum, zip(*counts, strict=True))) for counts in by_term]
        return Statistics(self.totals, terms, counts)

    @cached_property
    def sections(self) -> Sections:
        """The sections of all blocks, as `section_of` numbers them."""
        return _sections_of(self, self._other_blocks)

    @cached_property
    def links(self) -> Sequence[PageLinks]:
        """The links of each part; none if there is only one page."""
        is_alone = len(self.parts) <= 1 and not self._is_shard
        return [] if is_alone else [*map(PageLinks.of, self.parts)]

    @cached_property
    def _other_blocks(self) -> Sequence[tuple[Block, int, int]]:
        """The blocks that are not searched but count for a section.

        Each has the numbers of its page and of the sentence right above it in its section, or right
        below if there is none; a label has that of the first sentence below it.
        """
        others = []
        starts = accumulate((len(part.blocks) for part in self.parts), initial=0)
        for page, (part, start) in enumerate(zip(self.parts, starts, strict=False)):
            numbers = [block.number for block in part.blocks]
            for block in part.others:
                below = self.first_of_block(start + bisect_left(numbers, block.number))
                led = self._blocks_by_lead_in.get((page, block.number), ())
                for sentence in (*map(self.first_of_block, led[:1]), below - 1, below):
                    if not 0 <= sentence < len(self):
                        continue
                    place = self.block_of[sentence]
                    section = self.blocks[place].section
                    if self.document_of[place] == page and section == block.section:
                        others.append((block, page, sentence))
                        break
        return others

    def document(self, sentence: int) -> Document:
        """Return the page of a sentence."""
        return self.parts[self.document_of[self.block_of[sentence]]].document

    def block(self, sentence: int) -> Block:
        """Return the block of a sentence."""
        return self.blocks[self.block_of[sentence]]

    @cached_property
    def page_starts(self) -> frozenset[int]:
        """The first sentence of each page."""
        blocks = accumulate((len(part.blocks) for part in self.parts), initial=0)
        return frozenset(map(self.first_of_block, blocks))

    def first_of_block(self, block: int) -> int:
        """Return the number of the first sentence in or after a block."""
        return bisect_left(self.block_of, block)

    @cached_property
    def _languages(self) -> list[Language]:
        by_code = {code: get_language(code) for code in self.languages}
        return [by_code[code] for code in self.part_languages]

    def language_of(self, number: int) -> Language:
        """Return the language of a sentence."""
        return self._languages[self.document_of[self.block_of[number]]]

    def is_quotable(self, number: int) -> bool:
        """Tell whether a sentence may be quoted."""
        return self.sentences[number].quotable

    def is_label(self, number: int) -> bool:
        """Tell whether a sentence is the title of a tab."""
        return self.block(number).kind in LABELS

    # The results are kept in a dict: a caching function would hold the index until the garbage
    # collector runs.
    def leans(self, number: int) -> bool:
        """Tell whether a sentence ("It …") refers to the one before it and is quoted with it."""
        if number not in self._leaning:
            self._leaning[number] = self._leans(number)
        return self._leaning[number]

    def _leans(self, number: int) -> bool:
        if not phrases(self.language_of(number).code).leans(self.sentences[number].text):
            return False
        if number in self.page_starts or not self.is_quotable(number - 1):
            return False
        block, above = self.block(number), self.block(number - 1)
        if block.kind not in TEXT:
            return False
        if above is block:
            return True
        blocks = self.document(number).blocks
        is_item = block.lead is not None and blocks[block.lead].kind not in LABELS
        follows = above.number == block.number - 1 and above.section == block.section
        return follows and above.kind == block.kind != "list" and not is_item

    def words_of(self, number: int) -> Sequence[str]:
        """Return the words of a sentence, without stop words, in order."""
        return self.sentences[number].words

    @cached_property
    def postings(self) -> dict[str, Postings]:
        """Where each word occurs, by language code."""
        by_code = {language.code: Postings(language) for language in self._languages}
        by_part = [by_code[language.code] for language in self._languages]
        number, last_section = 0, -1
        least = 1 if self.section_count == 1 and not self._is_shard else 2  # else without titles
        for block, section, part in zip(
            self.blocks, self.section_of, self.document_of, strict=True
        ):
            postings = by_part[part]
            if section != last_section:
                last_section = section
                document = self.parts[part].document
                postings.add_headings(section, headings_of(document, block), least)
                if document.asks:
                    of_page, of_section = asks_of(document, block)
                    postings.add_asks(section, of_page)
                    postings.add_asks(section, of_section, own=True)
            by_word = postings.lists["sentences"]  # outside: the loop sees every word
            for sentence in block.sentences:
                for word in sentence.words:
                    by_word[word].append(number)
                number += 1
        for number, (part, lead) in enumerate(self._blocks_by_lead_in):
            if sentences := self.parts[part].document.blocks[lead].sentences:
                by_part[part].add("lead_ins", number, sentences[-1].words)
        for block, part, number in self._other_blocks:
            for sentence in block.sentences:
                by_part[part].add("code_sentences", number, sentence.words)
        return by_code

    @cached_property
    def _blocks_by_lead_in(self) -> dict[tuple[int, int], list[int]]:
        """The blocks below each lead-in, by the number of its part and its own on the page.

        Text leads in to the blocks right below it, a label to all blocks in it.
        """
        blocks: dict[tuple[int, int], list[int]] = {}
        for number, (block, part) in enumerate(zip(self.blocks, self.document_of, strict=True)):
            for above in lead_ins(self.parts[part].document.blocks, block):
                if above.number == block.lead or above.kind in LABELS:
                    blocks.setdefault((part, above.number), []).append(number)
        return blocks

    @cached_property
    def lead_in_labels(self) -> Sequence[int]:
        """1 for each lead-in that is a label, else 0."""
        leads = (self.parts[n].document.blocks[lead] for n, lead in self._blocks_by_lead_in)
        return [int(lead.kind in LABELS) for lead in leads]

    @cached_property
    def led_blocks(self) -> Mapping[int, Sequence[int]]:
        """The numbers of the blocks below each lead-in."""
        return dict(enumerate(self._blocks_by_lead_in.values()))

    @cached_property
    def sentences_with_word(self) -> Mapping[str, Sequence[int]]:
        """The sentences with each unstemmed word, stop words included."""
        sentences: dict[str, list[int]] = {}
        for number, sentence in enumerate(self.sentences):
            for word in set(words(sentence.text)):
                sentences.setdefault(word, []).append(number)
        return sentences

    def term_set(self, number: int) -> frozenset[str]:
        """Return the distinct terms of a sentence."""
        return frozenset(map(self.language_of(number).stems.__getitem__, self.words_of(number)))

    def mentions(self, text: str) -> bool:
        """Tell whether a word of a text, except stop words, occurs in any form."""
        stop_words = {w for code in self.languages for w in get_language(code).stop_words}
        terms = query_terms(text, self.languages)
        return not all(term.word in stop_words or self.lacks_word(term) for term in terms)

    def frequencies(self, term: Term) -> Counter[int]:
        """Return how often a query's term occurs in sentences."""
        matches = words_like(self.postings, term)
        numbers = (postings.sentences.get(word, ()) for postings, word in matches)
        return Counter(chain.from_iterable(numbers))

    def occurrences(self, term: Term) -> TermOccurrences:
        """Return where a query's term occurs; recent results are kept."""
        joined = ((self.postings.get(code), stem) for code, stem in term.joined)
        occur = [bool(postings and postings.words_with_stem(stem)) for postings, stem in joined]
        term = term._replace(joined=tuple(compress(term.joined, occur)))
        occurrences = self._occurrences.get(term)
        if occurrences is None:
            occurrences = self._occurrences[term] = TermOccurrences(self, term)
            self._recent.append(occurrences)
        return occurrences

    def counts(self, terms: Iterable[Term], in_sections: bool) -> list[TermCount]:  # noqa: FBT001 - see `each`
        """Return how many sentences, and sections, hold each term."""
        counts = []
        for term in terms:
            count = self._counts.get((term, in_sections))
            if count is None:
                if len(self._counts) >= _KEPT_COUNTS:
                    self._counts.clear()
                occurrences = self.occurrences(term)
                sections = occurrences.frequencies.sections if in_sections else ()
                count = TermCount(len(occurrences.sentences), len(sections))
                self._counts[term, in_sections] = count
            counts.append(count)
        return counts

    def sentences_with_names(
        self, query: str, among: Collection[int] | None = None
    ) -> list[set[int]]:
        """Return the sentences that hold each of a query's quoted phrases and names verbatim.

        Of phrases of only stop words, just names are in the postings.
        """

        @cache
        def text(number: int) -> str:
            return f" {' '.join(words(self.sentences[number].text))} "

        matches = []
        allowed = [] if among is None else [among]
        names = names_in(query)
        for phrase in quoted_phrases(query):
            phrase_text = f" {' '.join(phrase)} "
            name = names.get(phrase)
            candidates: set[int] = set()  # they hold all words of the phrase, somewhere
            for postings in self.postings.values():
                content_words = filter(None, map(postings.content_words.__getitem__, phrase))
                keys = map(postings.key, dict.fromkeys(content_words))
                holders = [() if key is None else postings.sentences.get(key, ()) for key in keys]
                if holders:
                    rarest, *others = sorted(holders, key=len)
                    candidates |= set(rarest).intersection(*others, *allowed)
            holding = {number for number in candidates if phrase_text in text(number)}
            if name is not None:
                holding = {n for n in holding if holds_name(self.sentences[n].text, name)}
            matches.append(holding)
        return matches

    def readings(self, word: str) -> Counter[tuple[int, str]]:
        """Count what pages may have instead of a folded word that none has: ranks and texts.

        Two adjacent parts in a sentence rank 0, two in one section (in English, which writes
        compounds apart: in one heading) 1, matches of `Postings.words_near` 2 or 3, three parts 4,
        and compounds that have one of two parts, or begin with it in a heading, 5.
        """
        cuts = range(_PART, len(word) - _PART + 1)
        pairs = [(word[:n], word[n:]) for n in cuts]
        parts = [(word[:n], word[n:m], word[m:]) for n in cuts for m in cuts if m - n >= _PART]
        quoted = " ".join(f'"{first} {second}"' for first, second in pairs)
        by_phrase = zip(quoted_phrases(quoted), self.sentences_with_names(quoted), strict=True)
        counts = Counter({(0, " ".join(pair)): len(sentences) for pair, sentences in by_phrase})

        @cache
        def sections(code: str, part: str) -> set[int]:
            term = Term(part, ((code, get_language(code).stems[part]),))
            matches = [*words_like(self.postings, term)]
            if code == "en":
                return places(postings.headed_sections.get(key, ()) for postings, key in matches)
            return {*SectionFrequencies(self.sections, matches).sections}

        for code, postings in self.postings.items():
            compounds = () if code == "en" else (*pairs, *(pair[::-1] for pair in pairs))
            for split in (*pairs, *(parts if compounds else ())):
                shared = set.intersection(*(sections(code, part) for part in split))
                counts[1 if len(split) < _PART else 4, " ".join(split)] += len(shared)
            for longer in postings.words_with(f"\n{word}") if compounds else ():
                counts[5, longer] += len(postings.headed_sections.get(postings.key(longer), ()))
            for first, second in compounds:
                stem = get_language(code).stems[second]
                for like in postings.words_with(stem) if sections(code, first) else ():
                    counts[5, f"{first} {like}"] += len(
                        sections(code, first) & sections(code, like)
                    )
            for is_slip, key in postings.words_near(word):
                counts[2 + is_slip, postings.word(key)] += 1 + len(postings.sentences[key])
        return +counts

    def lacks_word(self, term: Term) -> bool:
        """Tell whether no page has a word, also in headings and code."""
        return not any(words_like(self.postings, term))

    def partial_words(self, term: Term) -> set[str]:
        """Return the words that match a query's term in part."""
        return self.occurrences(term).partial_words


def _sections_of(index: Index, others: Iterable[tuple[Block, int, int]]) -> Sections:
    blocks = index.blocks
    numbers = index.section_of
    sections = range(index.section_count)
    of_sentence = [*map(numbers.__getitem__, index.block_of)]
    starts = [bisect_left(of_sentence, section) for section in (*sections, len(sections))]
    text_lengths = [sum(index.lengths[start:end]) for start, end in pairwise(starts)]
    paragraphs = Counter(
        section for block, section in zip(blocks, numbers, strict=True) if block.kind == "prose"
    )
    for block, _, sentence in others:
        section = of_sentence[sentence]
        text_lengths[section] += sum(len(sentence.words) for sentence in block.sentences)
        paragraphs[section] += block.kind == "prose"
    openings = [bisect_left(numbers, section) for section in sections]
    pages = [index.document_of[block] for block in openings]
    # Later computations hold these rather than the index, which keeps them: see `Index.leans`.
    documents = [part.document for part in index.parts]
    named_uris = index.named
    opened = zip(pages, openings, strict=True)
    above = [headings_of(documents[page], blocks[block]) for page, block in opened]
    sizes = {
        heading: len(heading_words(heading.text)) for heading in set(chain.from_iterable(above))
    }
    lengths = [sizes[path[-1]] if path and path[-1].level > 1 else 0 for path in above]
    names = [re.sub(_NUMBER, "", headings[-1].text) if headings else "" for headings in above]

    def subject_length(section: int) -> int:
        return len(subject_words(names[section], documents[pages[section]].language))

    def checksum(section: int) -> int:
        asks = documents[pages[section]].asks
        return 0 if asks else heading_checksum(heading_words(names[section]))

    def purpose(section: int) -> int:
        headings = (heading.text for heading in above[section])
        return 1 + purpose_of(documents[pages[section]].uri, *headings)

    @cache
    def chronicle(page: int) -> int:
        return documents[page].uri not in named_uris and is_chronicle(documents[page])

    linked = [*count_section_links(index.links)] if index.links else [(0, 0)] * len(sections)
    return Sections(
        of_sentence=of_sentence,
        pages=pages,
        text_lengths=text_lengths,
        paragraphs=[paragraphs[section] for section in sections],
        heading_lengths=lengths,
        subject_lengths=LazySequence(len(sections), subject_length),
        heading_checksums=LazySequence(len(sections), checksum),
        above_lengths=[
            sum(map(sizes.__getitem__, headings)) - length
            for headings, length in zip(above, lengths, strict=True)
        ],
        page_links=[to_page for to_page, _ in linked],
        anchor_links=[to_section for _, to_section in linked],
        chronicles=LazySequence(len(sections), lambda section: chronicle(pages[section])),
        purposes=LazySequence(len(sections), purpose),
    )


def words_like(
    by_code: Mapping[str, Postings], term: Term, *, in_part: bool = False
) -> Iterator[tuple[Postings, WordKey]]:
    """Yield the words whose stem is a term, or that match it in part."""
    for code, stem in term.stems if in_part else (*term.stems, *term.joined):
        if postings := by_code.get(code):
            whole = postings.words_with_stem
            partial = postings.partial_matches
            keys = partial(stem, term.word) if in_part else whole(stem)
            yield from ((postings, key) for key in keys)


def holds_name(text: str, name: str) -> bool:
    """Tell whether a text holds a name, in any case, but not inside a longer one."""
    text, name = wording(text).lower(), name.lower()
    for match in re.finditer(f"(?={re.escape(name)})", text):
        start, end = match.start(), match.start() + len(name)
        before = text[max(0, start - 2) : start][::-1]
        if not (_goes_on(name[0], before) or _goes_on(name[-1], text[end : end + 2])):
            return True
    return False


def _goes_on(edge: str, beside: str) -> bool:
    """Tell whether a name goes on at its edge; `beside` has the nearest character first."""
    nearest, next_one = beside[:1], beside[1:2]
    if nearest == edge and not edge.isalnum():
        return True
    if nearest in {".", "-"}:
        return next_one.isalnum()
    if edge == "+" and nearest.isdigit():  # C++17
        return False
    return nearest == "_" or (nearest.isalnum() and not is_unspaced(nearest))


_Method = TypeVar("_Method", bound="Callable[..., Any]")
_UNKNOWN: Final = dict.fromkeys(Sections.__struct_fields__, ())


def _of_holder(method: _Method) -> _Method:
    @wraps(method)
    def asked(joined: JoinedIndex, number: int) -> Any:  # noqa: ANN401 - as the method returns it
        holder = bisect_right(joined.firsts, number) - 1
        return getattr(joined.holders[holder], method.__name__)(number - joined.firsts[holder])

    return cast("_Method", asked)


class JoinedIndex(Index):
    """The sentences of several shards as one index."""

    def __init__(self, shards: Iterable[Index]) -> None:
        # `Index.__init__` is not called, and its lists are replaced: see `PackedIndex`.
        self.shards: Sequence[Index] = tuple(shards)
        totals = [shard.totals for shard in self.shards]
        self.totals = Totals.sum(totals)
        self.sentence_starts = sentences = starts_of(
            shard_totals.sentences for shard_totals in totals
        )
        self.section_starts = sections = starts_of(shard_totals.sections for shard_totals in totals)
        pages = starts_of(shard_totals.pages for shard_totals in totals)
        blocks = starts_of(len(shard.blocks) for shard in self.shards)
        self.languages = self.totals.by_frequency
        self.uris = _Chain(self.shards, "uris", pages)
        self._chain(self.shards, sentences, sections, blocks, pages)

    def _chain(self, holders: Sequence[Index], *starts: Sequence[int]) -> None:
        """Look up items in shards, whose first sentences, sections, blocks and pages are given."""
        sentences, sections, blocks, pages = starts
        self.holders, self.firsts = holders, sentences
        self.parts = _Chain(holders, "parts", pages)
        self.blocks = _Chain(holders, "blocks", blocks)
        self.sentences = _Chain(holders, "sentences", sentences)
        self.block_of = _Chain(holders, "block_of", sentences, blocks)
        self.document_of = _Chain(holders, "document_of", blocks, pages)
        # Scores ask shards about sections.
        of_sentence = _Chain(holders, "sections.of_sentence", sentences, sections)
        self.sections = Sections(**{**_UNKNOWN, "of_sentence": of_sentence})
        firsts = _Chain(holders, "sections.first_sentences", sections, sentences)
        self.sections.first_sentences = firsts

    def __len__(self) -> int:
        return self.totals.sentences

    def each(self, make: Callable[..., _T], *args: object) -> list[_T]:
        """Return `make(shard, *args)` for each shard, in order."""
        return [make(shard, *args) for shard in self.shards]

    document = _of_holder(Index.document)
    block = _of_holder(Index.block)
    language_of = _of_holder(Index.language_of)
    is_quotable = _of_holder(Index.is_quotable)
    is_label = _of_holder(Index.is_label)
    leans = _of_holder(Index.leans)
    words_of = _of_holder(Index.words_of)

    def lacks_word(self, term: Term) -> bool:
        """Tell whether no page has a word, also in headings and code."""
        return all(self.each(Index.lacks_word, term))

    def partial_words(self, term: Term) -> set[str]:
        """Return the words that match a query's term in part."""
        return set().union(*self.each(Index.partial_words, term))


def starts_of(sizes: Iterable[int]) -> list[int]:
    """Return the number at which each run starts."""
    return [*accumulate(sizes, initial=0)][:-1]


class _Chain(Sequence[Any]):
    """The lists of all shards in a row, read item by item."""

    def __init__(
        self, shards: Sequence[Index], name: str, starts: Sequence[int], shifts: Sequence[int] = ()
    ) -> None:
        """Take an attribute's name, the first numbers, and the shifts of items."""
        self._shards, self._get = shards, attrgetter(name)
        self._starts, self._shifts = starts, shifts

    def __len__(self) -> int:
        return self._starts[-1] + len(self._get(self._shards[-1]))

    def __getitem__(self, number: Any) -> Any:  # noqa: ANN401 - of lists of several types
        shard = bisect_right(self._starts, number) - 1
        item = self._get(self._shards[shard])[number - self._starts[shard]]
        return item + self._shifts[shard] if self._shifts else item

    def __iter__(self) -> Iterator[Any]:
        for number, shard in enumerate(self._shards):
            items = self._get(shard)
            yield from (item + self._shifts[number] for item in items) if self._shifts else items
