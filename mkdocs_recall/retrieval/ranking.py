"""The choice of sentences by their scores: order, ties, near-duplicates, diversity, number.

`scoring` makes the scores, and `reranking` adds what recency and meaning say.
"""

from __future__ import annotations

import heapq
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from mkdocs_recall.retrieval.chosen_terms import ChosenTerms
from mkdocs_recall.retrieval.quotation import Quotation, may_be_quoted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from mkdocs_recall.index.index import Index

NOT_WHOLE = 0.9
"""A sentence that cannot be understood as it would be quoted ranks as if it had this share of its
score, behind one that can."""
SHOWN = 3
"""A result names this many of the sentences that were not chosen."""


class Rejected(NamedTuple):
    """A sentence that was not chosen, and why."""

    number: int
    reason: str


class Selection:
    """The sentences chosen so far, in rank order."""

    # Filled by whoever calls, in this order: the best of each query, then the best of all, then
    # what meaning appends. A sentence is left out for what is chosen before it (it says the same,
    # or stands in its quotation), so the order is part of the result, and nothing is taken back.

    def __init__(
        self,
        index: Index,
        *,
        hidden: Mapping[str, str] | None = None,
        quote: Callable[[int], Quotation] | None = None,
        against: Callable[[int], str] | None = None,
    ) -> None:
        """Start without sentences.

        Args:
            hidden: Pages whose sentences are not chosen, with the reason.
            quote: Returns what is quoted with a sentence; None where that is the sentence alone.
            against: Returns why a sentence cannot answer the queries; empty where it can.
        """
        self._against = against
        self.numbers: list[int] = []
        self._index = index
        self._hidden = hidden or {}
        self._quote = quote
        self._quotations: dict[int, Quotation] = {}
        self._chosen_terms = ChosenTerms()
        self._covered: dict[tuple[str, int, int], int] = {}

    def take(self, values: Mapping[int, float], count: int, *, least: float = 0.0) -> None:
        """Choose the highest scored sentences that may be quoted, by (-score, position).

        Args:
            values: Scores by sentence number; only those above 0 count.
            count: How many to choose at most, beside those already chosen.
        """
        if count > 0:
            candidates = self.candidates(values, count, least=least)
            self.fill(candidates, len(self.numbers) + count)

    def candidates(
        self, values: Mapping[int, float], count: int, *, least: float = 0.0
    ) -> Iterator[int]:
        """Yield the sentences that may be quoted in the order of `take`, repetitions included.

        Args:
            values: See `take`.
            least: See `take`.
        """
        ranked = self._by_adjusted_score(values, count, least)
        return (number for number in ranked if not self._fault(number))

    def fill(self, numbers: Iterable[int], count: int) -> None:
        """Choose sentences in order, without repetitions, until so many are chosen in all."""
        for number in numbers:
            if len(self.numbers) >= count:
                return
            if not self._repetition(number):
                self._add(number)

    def adopt(self, numbers: Sequence[int]) -> None:
        """Add sentences that somebody else has chosen, without a check."""
        for number in numbers:
            self._add(number)

    def keep(self, numbers: Sequence[int]) -> None:
        """Replace the choice."""
        self.numbers, self._covered = [], {}
        self._chosen_terms = ChosenTerms()
        self.adopt(numbers)

    def reorder(self, numbers: Sequence[int]) -> None:
        """Put the chosen sentences into another order."""
        self.numbers = list(numbers)
        self._chosen_terms = ChosenTerms()

    def cover(self, quote: Callable[[int], Quotation]) -> None:
        """From now on, choose no sentence that is quoted with a chosen one.

        Args:
            quote: Returns what is quoted with a sentence, maybe more than `quotation` has.
        """
        for number in self.numbers:
            self._cover(number, quote(number))

    def highest(self, values: Mapping[int, float]) -> float:
        """Return the highest score of a sentence that may be quoted; 0 for none."""
        scores = (values[number] for number in ranked(values, 1) if self.may_take(number))
        return next(scores, 0.0)

    def may_take(self, number: int) -> bool:
        """Tell whether a sentence can be quoted at all."""
        return not self._fault(number)

    def quotation(self, number: int) -> Quotation:
        """Return what is quoted with a sentence."""
        quotation = self._quotations.get(number)
        if quotation is None:
            assert self._quote is not None
            quotation = self._quotations[number] = self._quote(number)
        return quotation

    def rejected(
        self,
        values: Mapping[int, float],
        *,
        is_low: Callable[[int], bool] | None = None,
        diverse: bool = False,
        several_queries: bool = False,
        recency: bool = False,
        quotations: Mapping[int, Quotation] | None = None,
    ) -> list[Rejected]:
        """Return the best of the sentences that were not chosen, with the reasons.

        Args:
            quotations: What is quoted, by chosen sentence: its sentences are not named.
        """
        quoted = {
            (self._index.document(number).uri, sentence.block, sentence.start)
            for number, quotation in (quotations or {}).items()
            for sentence in quotation.sentences
        }
        others = (
            number
            for number in ranked(values, len(self.numbers) + SHOWN)
            if number not in self.numbers and self._place(number) not in quoted
        )
        usual = "others score more"
        if diverse:
            usual += ", or differ more from each other"
        elif several_queries:
            usual += ", or answer another query"
        if recency:
            usual += ", or are as relevant and fresher"
        low = "it scores less than 'min_score'"
        return [
            Rejected(number, self._reason(number, is_low, low) or usual)
            for number in islice(others, SHOWN)
        ]

    def _reason(
        self,
        number: int,
        is_low: Callable[[int], bool] | None,
        low: str,
    ) -> str:
        fault = self._fault(number) or self._repetition(number)
        if fault:
            return fault
        if is_low and is_low(number):
            return low
        if self._quote and not self.quotation(number).whole:
            return "it cannot be understood by itself"
        return ""

    def _by_adjusted_score(
        self, values: Mapping[int, float], count: int, least: float
    ) -> Iterator[int]:
        """Yield sentences by score; those that cannot be understood as quoted, by a lower one."""
        waiting: list[tuple[float, int]] = []
        for number in ranked(values, count):
            value = values[number]
            if value <= 0 or value < least:
                break
            while waiting and -waiting[0][0] > value:
                yield heapq.heappop(waiting)[1]
            if self._quote and self.may_take(number) and not self.quotation(number).whole:
                heapq.heappush(waiting, (-NOT_WHOLE * value, number))
            else:
                yield number
        while waiting:
            yield heapq.heappop(waiting)[1]

    def _fault(self, number: int) -> str:
        """Return why a sentence can never be quoted; empty where it can."""
        index = self._index
        if not index.is_quotable(number):
            return "it contains template syntax or leftover Markdown"
        if self._hidden and (uri := index.document(number).uri) in self._hidden:
            return self._hidden[uri]
        if not may_be_quoted(index.block(number)):
            return "it is too long to be quoted"
        if self._against and (reason := self._against(number)):
            return reason
        if index.is_label(number) and self._quote and not self.quotation(number).whole:
            return "it is a title without text"
        return ""

    def _repetition(self, number: int) -> str:
        """Return which chosen sentence a sentence repeats; empty where it repeats none."""
        chosen = self._covered.get(self._place(number))
        if chosen is not None:
            return f"it is quoted with number {self.numbers.index(chosen) + 1}"
        terms = self._chosen_terms
        for other in islice(self.numbers, len(terms), None):
            terms.add(self._index.term_set(other))
        place = terms.repeated(self._index.term_set(number))
        return "" if place is None else f"it says the same as number {place + 1}"

    def _add(self, number: int) -> None:
        self.numbers.append(number)
        if self._quote:
            self._cover(number, self.quotation(number))

    def _cover(self, number: int, quotation: Quotation) -> None:
        uri = self._index.document(number).uri
        for sentence in quotation.sentences:
            self._covered.setdefault((uri, sentence.block, sentence.start), number)

    def _place(self, number: int) -> tuple[str, int, int]:
        sentence = self._index.sentences[number]
        return self._index.document(number).uri, sentence.block, sentence.start


def top_ranked(index: Index, values: Mapping[int, float], count: int) -> list[int]:
    """Return the highest scored sentences that may be quoted, by (-score, position).

    Args:
        values: Scores by sentence number; only those above 0 count.
        count: How many to return at most, at least 1.
    """
    selection = Selection(index)
    selection.take(values, count)
    return selection.numbers


def ranked(values: Mapping[int, float], count: int) -> Iterator[int]:
    """Yield sentence numbers by (-score, position), sorting only as far as they are read."""

    def key(number: int) -> tuple[float, int]:
        return -values[number], number

    highest = heapq.nlargest(count * 2 + 16, values.values())
    if highest:
        least = highest[-1]
        yield from sorted([number for number, value in values.items() if value >= least], key=key)
        yield from sorted([number for number, value in values.items() if value < least], key=key)
