"""The score of a sentence by `structure`, from what all sentences of its section share."""

from __future__ import annotations

from typing import NamedTuple


class SectionScore(NamedTuple):
    """What the scores of all sentences of a section have in common."""

    first: int
    """Its first sentence."""
    lowered: float
    """What all lose, 0 or less, so that the best of them gains nothing."""
    relevance: float
    """S of the section."""
    gain: float
    """g of the section."""
    factor: float
    """Less than 1 in a chronicle."""
    heading: float
    """H of the section."""

    def value(self, coverage: float, gain: float) -> float:
        """Return the score of a sentence.

        Args:
            coverage: Its coverage.
            gain: What it gains by its place in the section and by inline code.
        """
        own = coverage + gain + self.lowered
        value = (own + self.relevance) / 2
        value = min(1.0, max(0.0, value))
        value = (value + self.gain * value * (1 - value)) * self.factor
        return value + self.heading * min(1.0, 2 * (1 - value))
