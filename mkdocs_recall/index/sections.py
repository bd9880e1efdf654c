"""The sections of an index: how much each is about a term, and how many pages link to it.

A section is a heading with the text up to the next one. Links count if they are in the text of
searched pages, not in menus. Chronicles, such as release notes, mention everything and explain
little of it. "FAQ" and "Known issues" hold what users ask.
"""

from __future__ import annotations

import posixpath
import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set as AbstractSet
from functools import cached_property, lru_cache, partial
from itertools import chain, groupby, repeat
from operator import attrgetter, getitem
from typing import Final, NamedTuple, TypeVar
from urllib.parse import unquote

from msgspec import Struct

from mkdocs_recall.index.postings import Postings, WordKey
from mkdocs_recall.index.query import Part
from mkdocs_recall.text.language import Memo, shared_words
from mkdocs_recall.text.model import Document
from mkdocs_recall.text.wording import encodable

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
        for href in sorted(_internal_links(part)):
            path, _, anchor = href.partition("#")
            address = _resolve(base, path.partition("?")[0])
            targets.append((address, encodable(unquote(anchor))))
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


def _internal_links(part: Part) -> set[str]:
    return {
        mark.href
        for block in (*part.blocks, *part.others)
        if block.kind != "code" and block.marks
        for mark in block.marks
        if mark.role == "link" and mark.href[0] != "#" and not _ELSEWHERE.match(mark.href)
    }


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
    listed = "|".join(sorted(shared_words(name)))
    return re.compile(rf"(?<![^\W_])(?:{listed})(?![^\W_])", re.IGNORECASE)


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
        own = [length or title for length, title in pairs]
        # Text right below the title has no other heading above.
        return own, [other if length else 0 for length, other in pairs]

    def text_weights(self, mean: float) -> list[float]:
        """Return the weight of a word in each text, by the mean length."""
        known: dict[float, list[float]] = vars(self).setdefault("_text_weights", {})
        if mean not in known:
            known.clear()  # only one set of statistics is in use
            weights = _weights(1.0, TEXT_LENGTH, mean)
            known[mean] = [*map(weights.__getitem__, self.text_lengths)]
        return known[mean]


_NONE: Final[Mapping[int, int]] = {}


def places(lists: Iterable[Iterable[int]], within: AbstractSet[int] | None = None) -> set[int]:
    """Return the numbers in some lists, optionally only those within a set."""
    if within is None:
        return set().union(*lists)
    return {*within}.intersection(chain.from_iterable(lists))


class SectionFrequencies:
    """How often each section holds one of some words: the pseudo-frequency of BM25F.

    Robertson, Zaragoza & Taylor (2004), "Simple BM25 extension to multiple weighted fields": a word
    counts by its field, and less in a long text or heading.
    """

    def __init__(self, sections: Sections, listed: Iterable[tuple[Postings, WordKey]]) -> None:
        self.sentences: list[Sequence[int]] = []
        """The occurrences of each word that has any: most lists are short, or empty."""
        self.code_sentences: list[Sequence[int]] = []
        self.headed_sections: list[Sequence[int]] = []
        self.titled_sections: list[Sequence[int]] = []
        for postings, word in listed:
            if sentences := postings.sentences.get(word):
                self.sentences.append(sentences)
            if others := postings.code_sentences.get(word):
                self.code_sentences.append(others)
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
        self._of = sections

    @property
    def sections(self) -> AbstractSet[int]:
        """The sections that hold one of the words."""
        return self._text.keys() | self._headed.keys()

    def all(self, averages: tuple[float, float, float]) -> dict[int, float]:
        """Return the frequencies, greater than 0, by section, given `Totals.field_averages`."""
        of, (mean, own_mean, above_mean) = self._of, averages
        text = of.text_weights(mean)
        own = _weights(OWN_HEADING, HEADING_LENGTH, own_mean)
        above = _weights(HEADING_ABOVE, HEADING_LENGTH, above_mean)
        frequencies = {section: count * text[section] for section, count in self._text.items()}
        for section, count in self._headed.items():
            length = of.heading_lengths[section]
            outer = of.above_lengths[section]
            titled = self._titled.get(section, 0)
            weight = own[length or outer]  # text right below the title has no other above
            frequencies[section] = (
                frequencies.get(section, 0.0)
                + titled * weight
                + (count - titled) * (above[outer] if length else weight)
            )
        return frequencies


@lru_cache(maxsize=12)
def _weights(weight: float, b: float, mean: float) -> Memo[int, float]:
    """Return `weight / (1 - b + b·length / mean)` by the length of a field."""
    return Memo(lambda length: weight / (1 - b + b * length / mean))
