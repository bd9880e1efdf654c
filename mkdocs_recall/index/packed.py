"""An index as bytes and back, so that a large site can be searched without reading its pages.

The bytes hold the words and, as numbers, where each occurs and which sentence is in which block,
section and page. A page is read only when one of its sentences is among the best. The cache key of
the bytes covers the code and all pages, so `PackedIndex` reads what the same code wrote. But others
may write to a cache: bytes of another shape are refused, and a number that points nowhere is an
error when it is followed, since there are too many to check in advance.
"""

from __future__ import annotations

import json
from array import array
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import fields
from functools import cached_property
from itertools import accumulate, chain, groupby
from operator import itemgetter
from sys import intern
from typing import TYPE_CHECKING, Any, Final, TypeVar

from mkdocs_recall.errors import SiteError
from mkdocs_recall.index.index import Index, LeadIn
from mkdocs_recall.index.postings import PLACES, Postings
from mkdocs_recall.index.query import Part
from mkdocs_recall.index.sections import LazySequence, Sections
from mkdocs_recall.text.language import get_language
from mkdocs_recall.text.model import LABELS, TEXT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from mkdocs_recall.text.model import Block, Document, Sentence


# A server for agents, or a command, asks one question of a site with thousands of pages: to parse
# and index them takes seconds, to read this back some milliseconds, for arrays are mapped as they
# are, and a page is only unpacked to quote from it.
_T = TypeVar("_T")
_SIZE_BYTES: Final = 8
"""The bytes begin with the size of the JSON, as a little-endian number of this many bytes."""
_SECTION_LISTS: Final = tuple(f.name for f in fields(Sections) if f.name != "of_sentence")
"""The lists that describe sections; the section of each sentence follows from that of its block."""
_QUOTABLE: Final = 1
_IS_LABEL: Final = 2
"""The bits of the flags of a sentence."""
_MISFIT: Final = (
    "an index in the cache does not fit its pages: delete it with 'mkdocs-recall cache clear'"
)


def pack_index(index: Index) -> bytes:
    """Return an index as bytes: JSON with the words, then all numbers in one array.

    The JSON refers to numbers by the positions in the array at which they start and end.
    """
    numbers = _NumberWriter()
    postings_by_code = {}
    word_numbers = {}
    for code, postings in index.postings.items():
        words = list(postings.sentences)
        word_numbers[code] = {word: number for number, word in enumerate(words)}
        spans: dict[str, list[int]] = {}
        for name in PLACES:
            places: Mapping[str, Sequence[int]] = getattr(postings, name)
            spans[name] = numbers.add_lists(places.get(word, ()) for word in words)
        postings_by_code[code] = {"words": words, **spans}
    head = {
        "languages": list(index.part_languages),
        "postings": postings_by_code,
        "labels": [int(lead_in.is_label) for lead_in in index.lead_ins],
        "led_blocks": numbers.add_lists(lead_in.blocks for lead_in in index.lead_ins),
        "words_by_sentence": numbers.add_runs(index.lengths, _word_numbers(index, word_numbers)),
        "page_starts": numbers.add(sorted(index.page_starts)),
        "leaning": numbers.add(_leaning(index)),
        "block_of": numbers.add(index.block_of),
        "section_of": numbers.add(index.section_of),
        "document_of": numbers.add(index.document_of),
        "blocks": numbers.add(block.number for block in index.blocks),
        "flags": numbers.add(_flags(index)),
        "sections": {name: numbers.add(getattr(index.sections, name)) for name in _SECTION_LISTS},
    }
    head_bytes = json.dumps(head, separators=(",", ":")).encode()
    size = len(head_bytes).to_bytes(_SIZE_BYTES, "little")
    return b"".join((size, head_bytes, numbers.array.tobytes()))


def _word_numbers(index: Index, by_code: Mapping[str, Mapping[str, int]]) -> Iterator[int]:
    """Yield the number of each word of all sentences."""
    codes = (get_language(code).code for code in index.part_languages)
    for code, group in groupby(zip(codes, index.parts, strict=True), itemgetter(0)):
        blocks = chain.from_iterable(part.blocks for _, part in group)
        words = (sentence.words for block in blocks for sentence in block.sentences)
        yield from map(by_code[code].__getitem__, chain.from_iterable(words))


def _leaning(index: Index) -> Iterator[int]:
    """Yield the sentences that refer to the one before them; only text does."""
    number = 0
    for block in index.blocks:
        following = number + len(block.sentences)
        if block.kind in TEXT:
            yield from filter(index.leans, range(number, following))
        number = following


def _flags(index: Index) -> Iterator[int]:
    """Yield the flags of each sentence."""
    for block in index.blocks:
        label = _IS_LABEL * (block.kind in LABELS)
        yield from (label + _QUOTABLE * sentence.quotable for sentence in block.sentences)


class _NumberWriter:
    """An array of numbers from 0 to 2³² - 1, to which lists are appended."""

    def __init__(self) -> None:
        self.array = array("I")

    def add(self, numbers: Iterable[int]) -> list[int]:
        """Append numbers, and return where they start and end."""
        start = len(self.array)
        self.array.extend(numbers)
        return [start, len(self.array)]

    def add_lists(self, lists: Iterable[Sequence[int]]) -> list[int]:
        """Append lists; see `add_runs`."""
        sequences = list(lists)
        return self.add_runs(map(len, sequences), chain.from_iterable(sequences))

    def add_runs(self, lengths: Iterable[int], numbers: Iterable[int]) -> list[int]:
        """Append lists of these lengths, after the numbers that say where each ends.

        Returns:
            Where those numbers start, where the lists start, and where these end.
        """
        ends = self.add(accumulate(lengths))
        return [ends[0], *self.add(numbers)]


class _PackedLists(Sequence[Sequence[int]]):
    """Lists of numbers less than some bound, each cut out of the array on access."""

    def __init__(self, numbers: array[int], span: Sequence[int], bound: int) -> None:
        ends_start, lists_start, lists_end = span
        self.ends = numbers[ends_start:lists_start]
        """Where each list ends."""
        self._numbers = numbers[lists_start:lists_end]
        self._bound = bound
        self._checked: set[int] = set()

    def __len__(self) -> int:
        return len(self.ends)

    def __getitem__(self, number: int) -> Sequence[int]:  # type: ignore[override]  # as LazySequence
        start, end = self.ends[number - 1] if number else 0, self.ends[number]
        if start >= end:  # most are empty: few words are in headings, say
            return ()
        numbers = self._numbers[start:end]
        if number not in self._checked:  # the lists of frequent words are long
            if max(numbers) >= self._bound:
                raise SiteError(_MISFIT)
            self._checked.add(number)
        return numbers

    def lengths(self) -> list[int]:
        """Return the length of each list; negative where the ends do not ascend."""
        ends = self.ends.tolist()
        return [end - start for start, end in zip([0, *ends], ends, strict=False)]


class _PackedPlaces(Mapping[str, Sequence[int]]):
    """Where each word occurs, as `Postings` have it."""

    def __init__(self, word_numbers: Mapping[str, int], lists: _PackedLists) -> None:
        self._word_numbers = word_numbers
        self._lists = lists
        if len(lists) != len(word_numbers):
            raise SiteError(_MISFIT)

    def __getitem__(self, word: str) -> Sequence[int]:
        return self._lists[self._word_numbers[word]]

    def get(self, word: str, default: Any = None) -> Any:  # noqa: ANN401 - as in Mapping
        number = self._word_numbers.get(word)
        if number is None:
            return default
        ends = self._lists.ends  # most lists are empty, and a query asks for thousands
        if ends[number] == (ends[number - 1] if number else 0):
            return ()
        return self._lists[number]

    def __iter__(self) -> Iterator[str]:
        return iter(self._word_numbers)

    def __len__(self) -> int:
        return len(self._word_numbers)


class PackedIndex(Index):
    """An index read from bytes, equal to the index that was packed.

    `Index` computes each of its lists on first use, from its pages, as a `cached_property`. Here
    the bytes hold most of them. `_unpack` assigns these to attributes of the same names: an
    instance's attribute hides a `cached_property`, so that `Index` never computes them and needs no
    page. `blocks` and `sentences` are part of the pages: they are overridden, and load a page when
    one of their items is read.
    """

    def __init__(
        self, packed: bytes, pages: Sequence[str], load: Callable[[str], Document]
    ) -> None:
        """Read the bytes, and no page yet.

        Args:
            packed: The result of `pack_index`.
            load: Returns a page.
        """
        size = int.from_bytes(packed[:_SIZE_BYTES], "little")
        try:
            head = json.loads(packed[_SIZE_BYTES : _SIZE_BYTES + size])
            numbers = array("I")
            numbers.frombytes(memoryview(packed)[_SIZE_BYTES + size :])
            self._unpack(head, numbers)
            self._check(len(pages))
        except (TypeError, LookupError, AttributeError, RecursionError, SiteError) as error:
            msg = "this is no packed index"
            raise ValueError(msg) from error
        self._load = load
        self.uris = pages
        # `Index.__init__` is not called: it would turn the parts into a tuple, and so load all.
        self.parts = LazySequence(len(pages), self._part)

    def _unpack(self, head: Any, numbers: array[int]) -> None:  # noqa: ANN401 - it may be anything
        """Set the attributes that replace the cached properties of `Index`."""
        self.part_languages: list[str] = head["languages"]
        self.block_of, self.section_of, self.document_of, self._block_numbers, self._flags = (
            numbers[slice(*head[name])]
            for name in ("block_of", "section_of", "document_of", "blocks", "flags")
        )
        spans = head["sections"]
        self.sections = Sections(
            of_sentence=list(map(self.section_of.__getitem__, self.block_of)),
            **{name: numbers[slice(*spans[name])] for name in _SECTION_LISTS},
        )
        self._words_by_sentence = _PackedLists(numbers, head["words_by_sentence"], len(numbers))
        self.page_starts = frozenset(numbers[slice(*head["page_starts"])])
        self._leaning_numbers = frozenset(numbers[slice(*head["leaning"])])
        self.lengths = self._words_by_sentence.lengths()
        sentences, blocks, lead_ins = map(len, (self.block_of, self._block_numbers, head["labels"]))
        led_blocks = _PackedLists(numbers, head["led_blocks"], blocks)
        labels = head["labels"]
        self.lead_ins = LazySequence(
            lead_ins, lambda number: LeadIn(bool(labels[number]), led_blocks[number])
        )
        self.postings = {}
        self._words = {}
        sections = self.section_count
        bounds = (sentences, sections, sections, lead_ins, sections)
        for code, spans in head["postings"].items():
            words = list(map(intern, spans["words"]))  # shards share most of them
            word_numbers = {word: number for number, word in enumerate(words)}
            places = {
                name: _PackedPlaces(word_numbers, _PackedLists(numbers, spans[name], bound))
                for name, bound in zip(PLACES, bounds, strict=True)
            }
            self.postings[code] = Postings(get_language(code), places)
            self._words[code] = words

    def _check(self, pages: int) -> None:
        """Raise a ValueError where the parts do not fit together."""
        sentences, blocks = len(self.block_of), len(self._block_numbers)
        rows = (
            (self.block_of, sentences, blocks),
            (self.section_of, blocks, blocks),
            (self.document_of, blocks, pages),
        )
        fits = all(
            len(row) == length and list(row) == sorted(row) and (not row or row[-1] < bound)
            for row, length, bound in rows
        )
        fits = fits and (
            len(self.part_languages),
            len(self._words_by_sentence),
            len(self._flags),
        ) == (pages, sentences, sentences)
        sizes = {len(getattr(self.sections, name)) for name in _SECTION_LISTS}
        fits = fits and sizes == {self.section_count}
        fits = fits and min(self.lengths, default=0) >= 0
        fits = fits and {get_language(c).code for c in self.part_languages} <= self._words.keys()
        for words in self._words.values():
            fits = fits and all(words)
        if not fits:
            msg = "this is the index of other pages"
            raise ValueError(msg)

    def is_quotable(self, number: int) -> bool:
        """Tell whether a sentence may be quoted."""
        return bool(self._flags[number] & _QUOTABLE)

    def is_label(self, number: int) -> bool:
        """Tell whether a sentence is the title of a tab."""
        return bool(self._flags[number] & _IS_LABEL)

    def leans(self, number: int) -> bool:
        """Tell whether a sentence refers to the one before it, and is quoted with it: "It …"."""
        return number in self._leaning_numbers

    @cached_property
    def blocks(self) -> Sequence[Block]:
        """The blocks of all parts."""
        return LazySequence(len(self._block_numbers), self._block)

    @cached_property
    def sentences(self) -> Sequence[Sentence]:
        """The sentences of all blocks."""
        return LazySequence(len(self.block_of), self._sentence)

    def document(self, sentence: int) -> Document:
        """Return the page of a sentence, without the blocks of its part."""
        return self._document(self.document_of[self.block_of[sentence]])

    def words_of(self, number: int) -> Sequence[str]:
        """Return the words of a sentence, without stop words, in order."""
        words = self._words[self.language_of(number).code]
        try:
            return list(map(words.__getitem__, self._words_by_sentence[number]))
        except IndexError as error:
            raise SiteError(_MISFIT) from error

    def _document(self, number: int) -> Document:
        return self._load(self.uris[number])

    def _part(self, number: int) -> Part:
        first, end = (bisect_left(self.document_of, part) for part in (number, number + 1))
        return Part(self._document(number), tuple(map(self._block, range(first, end))))

    def _block(self, number: int) -> Block:
        blocks = self._document(self.document_of[number]).blocks
        return _at(blocks, self._block_numbers[number])

    def _sentence(self, number: int) -> Sentence:
        block = self.block_of[number]
        return _at(self._block(block).sentences, number - self.first_of_block(block))


def _at(items: Sequence[_T], number: int) -> _T:
    """Return an item, or raise where the number points nowhere: see `_MISFIT`."""
    if number >= len(items):
        raise SiteError(_MISFIT)
    return items[number]
