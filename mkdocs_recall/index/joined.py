"""One index over several shards: sentences, sections and pages are numbered through all of them.

Each shard has its own postings, and scores its sentences by itself: see `Index.each`. Here is what
is looked up by number once the best of all shards are known.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import fields
from functools import wraps
from itertools import accumulate
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

from mkdocs_recall.index.index import Index
from mkdocs_recall.index.sections import Sections
from mkdocs_recall.index.statistics import Totals

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from mkdocs_recall.index.query import Term


_T = TypeVar("_T")
_Method = TypeVar("_Method", bound="Callable[..., Any]")
_ELSEWHERE: Final = dict.fromkeys((field.name for field in fields(Sections)), ())


def _of_holder(method: _Method) -> _Method:
    """Return a method that asks the index which holds a sentence, by its number there."""

    @wraps(method)
    def asked(joined: JoinedIndex, number: int) -> Any:  # noqa: ANN401 - as the method returns it
        holder = bisect_right(joined.firsts, number) - 1
        own = number - joined.firsts[holder]
        return getattr(joined.holders[holder], method.__name__)(own)

    return cast("_Method", asked)


class JoinedIndex(Index):
    """The sentences of several shards; the answers are those of one index over all of them."""

    def __init__(self, shards: Iterable[Index]) -> None:
        """Join shards, each of whole sites, in page order."""
        # `Index.__init__` is not called, and its lists are replaced: see `PackedIndex`.
        self.shards: Sequence[Index] = tuple(shards)
        totals = [shard.totals for shard in self.shards]
        self.totals = Totals.sum(totals)
        self.sentence_starts = sentences = starts_of(each.sentences for each in totals)
        self.section_starts = sections = starts_of(each.sections for each in totals)
        pages = starts_of(each.pages for each in totals)
        blocks = starts_of(len(shard.blocks) for shard in self.shards)
        self.languages = self.totals.by_frequency
        self.uris = _Chain(self.shards, "uris", pages)
        self._chain(self.shards, sentences, sections, blocks, pages)

    def _chain(
        self,
        holders: Sequence[Index],
        sentences: Sequence[int],
        sections: Sequence[int],
        blocks: Sequence[int],
        pages: Sequence[int],
    ) -> None:
        """Look up each thing in the index that holds it, given the first numbers of each."""
        self.holders, self.firsts = holders, sentences
        self.parts = _Chain(holders, "parts", pages)
        self.blocks = _Chain(holders, "blocks", blocks)
        self.sentences = _Chain(holders, "sentences", sentences)
        self.block_of = _Chain(holders, "block_of", sentences, blocks)
        self.document_of = _Chain(holders, "document_of", blocks, pages)
        # What scores ask of sections, they ask a shard.
        of_sentence = _Chain(holders, "sections.of_sentence", sentences, sections)
        self.sections = Sections(**{**_ELSEWHERE, "of_sentence": of_sentence})
        firsts = _Chain(holders, "sections.first_sentences", sections, sentences)
        self.sections.first_sentences = firsts

    def __len__(self) -> int:
        """Return the number of sentences."""
        return self.totals.sentences

    def each(self, make: Callable[..., _T], *args: object) -> list[_T]:
        """Return `make(shard, *args)` for each shard, in order."""
        return [make(shard, *args) for shard in self.shards]

    document = _of_holder(Index.document)
    block = _of_holder(Index.block)
    language_of = _of_holder(Index.language_of)
    is_quotable = _of_holder(Index.is_quotable)
    is_label = _of_holder(Index.is_label)
    words_of = _of_holder(Index.words_of)

    def lacks_word(self, term: Term) -> bool:
        """Tell whether no page has a word of a query, also in headings, code and lead-ins."""
        return all(self.each(Index.lacks_word, term))

    def partial_words(self, term: Term) -> set[str]:
        """Return the words that hold a query's term in part."""
        return set().union(*self.each(Index.partial_words, term))


def starts_of(sizes: Iterable[int]) -> list[int]:
    """Return the number at which each of some runs starts."""
    return [*accumulate(sizes, initial=0)][:-1]


class _Chain(Sequence[Any]):
    """A list of each shard, one after the other, read when an item is asked for."""

    def __init__(
        self, shards: Sequence[Index], name: str, starts: Sequence[int], shifts: Sequence[int] = ()
    ) -> None:
        """Take the shards.

        Args:
            name: Of their attribute.
            starts: The number of the first item of each.
            shifts: What is added to the numbers of each.
        """
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
