"""The result of a scorer: scores, and for each an explanation whose parts add up to it."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


@dataclass(frozen=True, slots=True)
class Explanation:
    """A value, a description of it, and the parts whose values sum to it.

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


class Scores(NamedTuple):
    """The scores of the sentences of an index, with their explanations."""

    values: Mapping[int, float]
    """The score by sentence number; a sentence without one does not match."""
    explain: Callable[[int], Explanation]
    """Returns the explanation of one of these scores, whose value is the score."""
    probabilities: Mapping[int, float] = MappingProxyType({})
    """The probability of each candidate section to hold the answer, if one of them does; empty for
    a scorer that ranks no sections."""


def explanation_record(explanation: Explanation) -> dict[str, Any]:
    """Return an explanation as a record."""
    parts = [explanation_record(part) for part in explanation.parts]
    return {"value": explanation.value, "description": explanation.description, "parts": parts}


def read_explanation(record: Mapping[str, Any]) -> Explanation:
    """Return the explanation of a record."""
    parts = tuple(map(read_explanation, record["parts"]))
    return Explanation(record["value"], record["description"], parts)
