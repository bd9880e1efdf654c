"""What a scorer returns: scores, and for each a tree whose parts add up to it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@dataclass(frozen=True, slots=True)
class Explanation:
    """A value, what it stands for, and the parts whose values sum to it.

    Example:
        >>> print(Explanation(3.0, "apples", (Explanation(1.0, "red"), Explanation(2.0, "green"))))
        3.0000 apples
          1.0000 red
          2.0000 green
    """

    value: float
    description: str
    parts: tuple[Explanation, ...] = ()
    """Empty for a leaf."""

    def scaled(self, factor: float) -> Explanation:
        """Return the same tree with every value multiplied."""
        parts = tuple(part.scaled(factor) for part in self.parts)
        return Explanation(self.value * factor, self.description, parts)

    def __str__(self) -> str:
        """Return the tree as indented lines."""
        parts = "".join(f"\n{part}" for part in self.parts).replace("\n", "\n  ")
        return f"{self.value:.4f} {self.description}{parts}"


class Layered(Mapping[int, float]):
    """Scores by sentence number, of which the lower ones are worked out only when asked for."""

    def __init__(
        self, first: Mapping[int, float], *, below: float, rest: Callable[[], Mapping[int, float]]
    ) -> None:
        """Take some of the scores.

        Args:
            first: Scores that may be the highest.
            below: No other score is higher than this.
            rest: Works out the other scores.
        """
        self.leading = {number: value for number, value in first.items() if value > below}
        """The highest scores: all others are lower."""
        self._first = first
        self._work_out = rest

    @cached_property
    def _rest(self) -> Mapping[int, float]:
        return self._work_out()

    def __getitem__(self, number: int) -> float:
        """Return the score of a sentence."""
        return self._first[number] if number in self._first else self._rest[number]

    def __iter__(self) -> Iterator[int]:
        """Yield the numbers of all sentences with a score."""
        return chain(self._first, self._rest)

    def __len__(self) -> int:
        """Return how many sentences have a score."""
        return len(self._first) + len(self._rest)


@dataclass(frozen=True, slots=True)
class Scores:
    """What a scorer says of the sentences of an index."""

    values: Mapping[int, float]
    """The score by sentence number; a sentence without one was not found."""
    explain: Callable[[int], Explanation]
    """Makes the explanation of one of these sentences; its value is the score."""
