"""Why a sentence has its score: a tree whose parts add up to its value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


@dataclass(frozen=True, slots=True)
class Explanation:
    """A value, what it stands for, and the parts whose values sum to it."""

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


@dataclass(frozen=True, slots=True)
class Scores:
    """What a scorer says of the sentences of an index."""

    values: Mapping[int, float]
    """The score by sentence number; a sentence without one was not found."""
    explain: Callable[[int], Explanation]
    """Makes the explanation of one of these sentences; its value is the score."""
