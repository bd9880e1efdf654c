"""The terms of the chosen sentences: how similar another sentence is to them, at a bounded cost."""

from __future__ import annotations

import math
from typing import Final

from mkdocs_recall.scoring.features import similarity

DUPLICATE: Final = 0.9
"""Sentences whose sets of terms are this similar (cosine) repeat each other."""
WORK: Final = 20_000_000
"""Terms compared for one choice: half a second. A choice of 200 sentences, each compared with all
1,600 candidates of 10 terms, takes a third of it. Beyond it, only a sentence with exactly the terms
of a chosen one counts as similar to it, so that a page written to hold up a build cannot."""
_PAIR: Final = 10
"""To compare two sentences costs as much as this many terms, beside their own."""
_ROUNDING: Final = 1e-6


class ChosenTerms:
    """The sets of terms of the sentences chosen so far, in the order of choice."""

    def __init__(self, work: int = WORK) -> None:
        """Start without sentences.

        Args:
            work: The number of terms to compare at most.
        """
        self._work = work
        self._chosen: list[frozenset[str]] = []
        self._first: dict[frozenset[str], int] = {}
        """The first place of each set."""
        self._holding: dict[str, list[int]] = {}
        """The places of the sets that hold a term."""
        self._highest: dict[frozenset[str], tuple[int, float]] = {}
        """By set: with how many of the chosen it was compared, and the highest similarity."""
        self._repeated: dict[frozenset[str], tuple[int, int | None]] = {}
        """By set: with how many of the chosen it was compared, and the first that it repeats."""

    def __len__(self) -> int:
        """Return the number of sentences."""
        return len(self._chosen)

    def add(self, terms: frozenset[str]) -> None:
        """Add the terms of a chosen sentence."""
        place = len(self._chosen)
        self._chosen.append(terms)
        self._first.setdefault(terms, place)
        for term in terms:
            self._holding.setdefault(term, []).append(place)

    def highest(self, terms: frozenset[str]) -> float:
        """Return the highest similarity of a sentence to a chosen one, 0 for none."""
        if not terms:
            return 0.0
        if terms in self._first:
            return 1.0
        compared, highest = self._highest.get(terms, (0, 0.0))
        if compared < len(self._chosen):
            others = self._chosen[compared:]
            others = others[: self._afforded(terms, len(others))]
            highest = max([highest, *(similarity(terms, other) for other in others)])
            self._highest[terms] = len(self._chosen), highest
        return highest

    def repeated(self, terms: frozenset[str]) -> int | None:
        """Return the place of the first chosen sentence that a sentence repeats; None for none."""
        if not terms:
            return None
        compared, place = self._repeated.get(terms, (0, None))
        if place is None and compared < len(self._chosen):
            place = self._first_duplicate(terms, compared)
            self._repeated[terms] = len(self._chosen), place
        return place

    def _first_duplicate(self, terms: frozenset[str], start: int) -> int | None:
        """Return the first place from a start on whose set is similar enough.

        Such a set shares all but a few terms, so it holds one of any few more; the rarest will do.
        """
        needed = math.ceil(DUPLICATE * DUPLICATE * len(terms) - _ROUNDING)
        holding = [(len(self._holding.get(term, ())), term) for term in terms]
        rarest = sorted(holding)[: len(terms) - needed + 1]
        places = {place for count, term in rarest if count for place in self._holding[term]}
        places = {place for place in places if place >= start}
        for place in sorted(places)[: self._afforded(terms, len(places))]:
            if similarity(terms, self._chosen[place]) >= DUPLICATE:
                return place
        return self._first.get(terms)

    def _afforded(self, terms: frozenset[str], count: int) -> int:
        """Return with how many of some chosen sentences one is compared, and count the work."""
        cost = _PAIR + len(terms)
        count = min(count, self._work // cost)
        self._work -= count * cost
        return count
