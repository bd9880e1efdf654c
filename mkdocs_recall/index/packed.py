"""An Index as bytes and back: a large site is asked without reading its pages.

The bytes hold numbers: where each word stands, and which sentence is in which block, section and
page. A page is read when one of its sentences is among the best. `pack_index` and `PackedIndex`
agree because the key of the bytes holds the digests of the code and of all pages; but somebody else
may have written them. Another shape is refused; a number that leads nowhere is an error when it is
followed, as there are too many to check beforehand.
"""

from __future__ import annotations

import json
from array import array
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import accumulate, chain
from typing import TYPE_CHECKING, Any, Final, TypeVar, overload

from mkdocs_recall.errors import SiteError
from mkdocs_recall.index.index import Index, LeadIn, Part
from mkdocs_recall.index.postings import Postings
from mkdocs_recall.text.language import get_language

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from mkdocs_recall.text.model import Block, Document, Sentence

_T = TypeVar("_T")
_SIZE: Final = array("I").itemsize
_HEAD: Final = 8  # bytes that say how long the names and the words are
_STANDINGS: Final = ("standing", "headed", "named", "leading")
"""What a vocabulary knows of its words."""
_MISFIT: Final = (
    "an index in the cache does not fit its pages: delete it with 'mkdocs-recall cache clear'"
)


def pack_index(index: Index) -> bytes:
    """Return an index as bytes: JSON with the words, then all numbers in a row."""
    numbers = _Numbers()
    vocabularies = {}
    places = {}
    for code, vocabulary in index.vocabularies.items():
        words = list(vocabulary.standing)
        places[code] = {word: number for number, word in enumerate(words)}
        lists: dict[str, list[int]] = {}
        for name in _STANDINGS:
            standing: Mapping[str, Sequence[int]] = getattr(vocabulary, name)
            lists[name] = numbers.add_lists(standing.get(word, ()) for word in words)
        vocabularies[code] = {"words": words, **lists}
    said = (
        [places[index.language_of(number).code][word] for word in index.words_of(number)]
        for number in range(len(index))
    )
    head = {
        "languages": list(index.spoken),
        "vocabularies": vocabularies,
        "labels": [int(lead.is_label) for lead in index.leads],
        "led": numbers.add_lists(lead.blocks for lead in index.leads),
        "said": numbers.add_lists(said),
        "starts": numbers.add(sorted(index.starts)),
        "block_of": numbers.add(index.block_of),
        "section_of": numbers.add(index.section_of),
        "document_of": numbers.add(index.document_of),
        "blocks": numbers.add(block.number for block in index.blocks),
    }
    packed = json.dumps(head, separators=(",", ":")).encode()
    return b"".join((len(packed).to_bytes(_HEAD, "little"), packed, numbers.all.tobytes()))


class _Numbers:
    """Numbers in a row, from 0 to 2³² - 1."""

    def __init__(self) -> None:
        self.all = array("I")

    def add(self, numbers: Iterable[int]) -> list[int]:
        """Add some, and return where they start and end."""
        start = len(self.all)
        self.all.extend(numbers)
        return [start, len(self.all)]

    def add_lists(self, lists: Iterable[Sequence[int]]) -> list[int]:
        """Add lists, and before them where each ends; return where the three begin and end."""
        kept = list(lists)
        ends = self.add(accumulate(map(len, kept)))
        return [ends[0], *self.add(chain.from_iterable(kept))]


class _PackedLists(Sequence[Sequence[int]]):
    """Lists of numbers below some number, cut out of a row when they are asked for."""

    def __init__(self, numbers: array[int], where: Sequence[int], below: int) -> None:
        ends, first, last = where
        self._ends = numbers[ends:first]
        self._numbers = numbers[first:last]
        self._below = below

    def __len__(self) -> int:
        return len(self._ends)

    @overload
    def __getitem__(self, number: int) -> Sequence[int]: ...
    @overload
    def __getitem__(self, number: slice) -> Sequence[Sequence[int]]: ...
    def __getitem__(self, number: int | slice) -> Sequence[int] | Sequence[Sequence[int]]:
        if isinstance(number, slice):
            return [self[each] for each in range(*number.indices(len(self)))]
        start = self._ends[number - 1] if number else 0
        found = self._numbers[start : self._ends[number]]
        if found and max(found) >= self._below:
            raise SiteError(_MISFIT)
        return found

    def lengths(self) -> list[int]:
        """Return how long each is."""
        ends = self._ends.tolist()
        return [end - start for start, end in zip([0, *ends], ends, strict=False)]


class _PackedPostings(Mapping[str, Sequence[int]]):
    """Where each word stands."""

    def __init__(self, places: Mapping[str, int], lists: _PackedLists) -> None:
        self._places = places
        self._lists = lists
        if len(lists) != len(places):
            raise SiteError(_MISFIT)

    def __getitem__(self, word: str) -> Sequence[int]:
        return self._lists[self._places[word]]

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


class _LazySequence(Sequence[_T]):
    """A sequence whose items are made when they are asked for."""

    def __init__(self, length: int, make: Callable[[int], _T]) -> None:
        self._length = length
        self._make = make

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, number: int) -> _T: ...
    @overload
    def __getitem__(self, number: slice) -> Sequence[_T]: ...
    def __getitem__(self, number: int | slice) -> _T | Sequence[_T]:
        if isinstance(number, slice):
            return [self._make(each) for each in range(*number.indices(self._length))]
        if not -self._length <= number < self._length:
            raise IndexError(number)
        return self._make(number % self._length)


class PackedIndex(Index):
    """An index that was packed. It says the same as the one that was."""

    def __init__(
        self, packed: bytes, pages: Sequence[str], load: Callable[[str], Document]
    ) -> None:
        """Take what `pack_index` has made.

        Args:
            packed: The bytes.
            pages: The pages the index was made of, in its order.
            load: Returns one.

        Raises:
            ValueError: The bytes are not what `pack_index` makes, of so many pages.
        """
        size = int.from_bytes(packed[:_HEAD], "little")
        try:
            head = json.loads(packed[_HEAD : _HEAD + size])
            numbers = array("I")
            numbers.frombytes(memoryview(packed)[_HEAD + size :])
            self._take(head, numbers)
            self._check(len(pages))
        except (TypeError, LookupError, AttributeError, RecursionError, SiteError) as error:
            msg = "this is no packed index"
            raise ValueError(msg) from error
        self._load = load
        self._pages = pages
        self.parts = _LazySequence(len(pages), self._part)

    def _take(self, head: Any, numbers: array[int]) -> None:  # noqa: ANN401 - it may be anything
        self.spoken: list[str] = head["languages"]
        self.block_of, self.section_of, self.document_of, self._blocks = (
            numbers[slice(*head[name])]
            for name in ("block_of", "section_of", "document_of", "blocks")
        )
        sentences, blocks, leads = map(len, (self.block_of, self._blocks, head["labels"]))
        self._said = _PackedLists(numbers, head["said"], len(numbers))
        self.starts = frozenset(numbers[slice(*head["starts"])])
        self.lengths = self._said.lengths()
        self.leads = [
            LeadIn(bool(is_label), led)
            for is_label, led in zip(
                head["labels"], _PackedLists(numbers, head["led"], blocks), strict=True
            )
        ]
        self.vocabularies = {}
        self._words = {}
        for code, each in head["vocabularies"].items():
            words: list[str] = each["words"]
            places = {word: number for number, word in enumerate(words)}
            standings = [
                _PackedPostings(places, _PackedLists(numbers, each[name], below))
                for name, below in zip(_STANDINGS, (sentences, blocks, blocks, leads), strict=True)
            ]
            self.vocabularies[code] = Postings(get_language(code), *standings)
            self._words[code] = words

    def _check(self, pages: int) -> None:
        """Raise a ValueError where the parts do not fit together."""
        sentences, blocks = len(self.block_of), len(self._blocks)
        rows = (
            (self.block_of, sentences, blocks),
            (self.section_of, blocks, blocks),
            (self.document_of, blocks, pages),
        )
        fits = all(
            len(row) == length and list(row) == sorted(row) and (not row or row[-1] < below)
            for row, length, below in rows
        )
        fits = fits and (len(self.spoken), len(self._said)) == (pages, sentences)
        fits = fits and min(self.lengths, default=0) >= 0
        fits = fits and {get_language(code).code for code in self.spoken} <= self._words.keys()
        for words in self._words.values():
            fits = fits and all(words) and {*map(type, words)} <= {str}
        if not fits:
            msg = "this is the index of other pages"
            raise ValueError(msg)

    @cached_property
    def blocks(self) -> Sequence[Block]:
        """The blocks of all parts."""
        return _LazySequence(len(self._blocks), self._block)

    @cached_property
    def sentences(self) -> Sequence[Sentence]:
        """The sentences of all blocks."""
        return _LazySequence(len(self.block_of), self._sentence)

    def words_of(self, number: int) -> Sequence[str]:
        """Return the words of a sentence, without stop words, in order."""
        words = self._words[self.language_of(number).code]
        return [_at(words, each) for each in self._said[number]]

    def _document(self, number: int) -> Document:
        return self._load(self._pages[number])

    def _part(self, number: int) -> Part:
        first, end = (bisect_left(self.document_of, each) for each in (number, number + 1))
        return Part(self._document(number), tuple(map(self._block, range(first, end))))

    def _block(self, number: int) -> Block:
        blocks = self._document(self.document_of[number]).blocks
        return _at(blocks, self._blocks[number])

    def _sentence(self, number: int) -> Sentence:
        block = self.block_of[number]
        return _at(self._block(block).sentences, number - self.first_of_block(block))


def _at(items: Sequence[_T], number: int) -> _T:
    if number >= len(items):
        raise SiteError(_MISFIT)
    return items[number]
