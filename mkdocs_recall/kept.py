"""An Index as bytes and back: a large site is asked without reading its pages.

What is there are numbers: where each word stands, and which sentence is in which block, section and
page. A page is read when one of its sentences is among the best. `pack` and `Kept` agree because
the key of the bytes holds the digests of the code and of all pages.
"""

from __future__ import annotations

import json
from array import array
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import accumulate, chain
from typing import TYPE_CHECKING, Any, Final, TypeVar, overload

from mkdocs_recall.index import Index, Lead, Part
from mkdocs_recall.text.language import get_language
from mkdocs_recall.vocabulary import Vocabulary

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from mkdocs_recall.text.model import Block, Document, Sentence

_T = TypeVar("_T")
_SIZE: Final = array("I").itemsize
_HEAD: Final = 8  # bytes that say how long the names and the words are
_STANDINGS: Final = ("standing", "headed", "named", "leading")
"""What a vocabulary knows of its words."""


def pack(index: Index) -> bytes:
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


class _Lists(Sequence[Sequence[int]]):
    """Lists of numbers, cut out of a row when they are asked for."""

    def __init__(self, numbers: array[int], where: Sequence[int]) -> None:
        ends, first, last = where
        self._ends = numbers[ends:first]
        self._numbers = numbers[first:last]

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
        return self._numbers[start : self._ends[number]]

    def lengths(self) -> list[int]:
        """Return how long each is."""
        ends = self._ends.tolist()
        return [end - start for start, end in zip([0, *ends], ends, strict=False)]


class _Standing(Mapping[str, Sequence[int]]):
    """Where each word stands."""

    def __init__(self, places: Mapping[str, int], lists: _Lists) -> None:
        self._places = places
        self._lists = lists

    def __getitem__(self, word: str) -> Sequence[int]:
        return self._lists[self._places[word]]

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


class _Made(Sequence[_T]):
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


class Kept(Index):
    """An index that was packed. It says the same as the one that was."""

    def __init__(
        self, packed: bytes, pages: Sequence[str], load: Callable[[str], Document]
    ) -> None:
        """Take what `pack` has made.

        Args:
            packed: The bytes.
            pages: The pages the index was made of, in its order.
            load: Returns one.

        Raises:
            ValueError: The bytes are not what `pack` makes, of so many pages.
        """
        size = int.from_bytes(packed[:_HEAD], "little")
        try:
            head = json.loads(packed[_HEAD : _HEAD + size])
            numbers = array("I")
            numbers.frombytes(memoryview(packed)[_HEAD + size :])
            self._take(head, numbers)
        except (TypeError, LookupError, AttributeError, RecursionError) as error:
            msg = "this is no packed index"
            raise ValueError(msg) from error
        if len(self.spoken) != len(pages):
            msg = "this is the index of other pages"
            raise ValueError(msg)
        self._load = load
        self._pages = pages
        self.parts = _Made(len(pages), self._part)

    def _take(self, head: Any, numbers: array[int]) -> None:  # noqa: ANN401 - it may be anything
        self.spoken: list[str] = head["languages"]
        self._said = _Lists(numbers, head["said"])
        self.block_of, self.section_of, self.document_of, self._blocks = (
            numbers[slice(*head[name])]
            for name in ("block_of", "section_of", "document_of", "blocks")
        )
        self.starts = frozenset(numbers[slice(*head["starts"])])
        self.lengths = self._said.lengths()
        self.leads = [
            Lead(bool(is_label), blocks)
            for is_label, blocks in zip(head["labels"], _Lists(numbers, head["led"]), strict=True)
        ]
        self.vocabularies = {}
        self._words = {}
        for code, each in head["vocabularies"].items():
            words: list[str] = each["words"]
            places = {word: number for number, word in enumerate(words)}
            standings = (_Standing(places, _Lists(numbers, each[name])) for name in _STANDINGS)
            self.vocabularies[code] = Vocabulary(get_language(code), *standings)
            self._words[code] = words

    @cached_property
    def blocks(self) -> Sequence[Block]:
        """The blocks of all parts."""
        return _Made(len(self._blocks), self._block)

    @cached_property
    def sentences(self) -> Sequence[Sentence]:
        """The sentences of all blocks."""
        return _Made(len(self.block_of), self._sentence)

    def words_of(self, number: int) -> Sequence[str]:
        """Return the words of a sentence, without stop words, in order."""
        words = self._words[self.language_of(number).code]
        return [words[each] for each in self._said[number]]

    def _document(self, number: int) -> Document:
        return self._load(self._pages[number])

    def _part(self, number: int) -> Part:
        first, end = (bisect_left(self.document_of, each) for each in (number, number + 1))
        document = self._document(number)
        return Part(document, tuple(document.blocks[each] for each in self._blocks[first:end]))

    def _block(self, number: int) -> Block:
        return self._document(self.document_of[number]).blocks[self._blocks[number]]

    def _sentence(self, number: int) -> Sentence:
        block = self.block_of[number]
        return self._block(block).sentences[number - self.first_of_block(block)]
