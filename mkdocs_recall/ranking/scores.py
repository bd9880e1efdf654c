"""The registry of scorers and algorithms, and what they share.

A scorer makes `Scores`: numbers, each with an explanation whose parts add up to it. A scorer's
module is imported on first use, so checking a name imports none.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from types import MappingProxyType
from typing import Final, NoReturn

from msgspec import Struct

from mkdocs_recall.index.index import Index
from mkdocs_recall.options import ScorerName


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
        parts = "".join(f"\n{part}" for part in self.parts).replace("\n", "\n  ")
        return f"{self.value:.4f} {self.description}{parts}"


class Scores(Struct, frozen=True):
    """The scores of an index's sentences, with explanations."""

    values: Mapping[int, float]
    """The score by sentence number; a sentence without one does not match."""
    explain: Callable[[int], Explanation]
    """Returns the explanation of a score."""
    probabilities: Mapping[int, float] = MappingProxyType({})
    """The probability of each candidate section to hold the answer, if any does; empty for a scorer
    that ranks no sections."""
    titled: frozenset[int] = frozenset()
    """The candidate sections whose heading is the query, word for word."""
    min_score: float = 0.0
    """The default of this option; 0 for none."""


def elsewhere(_: int) -> NoReturn:
    """Replace the explanations of scores while these are sent to another process.

    That process replaces it at once by a call of the worker, which has kept the scores.
    """
    raise AssertionError("the worker that has the scores explains them")


def joined(index: Index, shards: Sequence[Scores]) -> Scores:
    """Return the scores of an index from those of its shards."""
    if len(shards) == 1:
        return shards[0]
    starts = index.sentence_starts
    numbered = zip(starts, (shard.values.items() for shard in shards), strict=True)
    values = {start + number: value for start, items in numbered for number, value in items}

    def explain(number: int) -> Explanation:
        shard = bisect_right(starts, number) - 1
        return shards[shard].explain(number - starts[shard])

    return Scores(values, explain)


def block_decay(index: Index, number: int) -> float:
    """Return `1/(1 + block_index)`, from 0 (embedm)."""
    return 1 / (1 + index.block(number).top)


def similarity(a: frozenset[str], b: frozenset[str]) -> float:
    """Return the cosine of two sets of terms, `|a ∩ b| / √(|a|·|b|)`, in [0, 1]."""
    if not a or not b:
        return 0.0
    return len(a & b) / math.sqrt(len(a) * len(b))


EDMUNDSON_DIVERSITY: Final = 0.3
"""The weight of novelty, with .7 for relevance: Carbonell & Goldstein (1998), maximal marginal
relevance; the value is ours."""
CONSIDERED: Final = 20
"""How many of a page's first candidates are considered: a page says early what it is about.
Synopses with 25, 30 or 40 are no better."""


class Scorer(Struct, frozen=True):
    """A scorer of sentences, for a query or a synopsis."""

    module: str
    function: str = "score"
    diversity: float = 0.0
    """The default of the option of this name, in [0, 1]."""
    settings: tuple[str, ...] = ()
    ranks_sections: bool = False
    """Whether its function takes `hidden`, `cosines` and `fault`, too."""
    shuns_dangling: bool = False
    """Whether a sentence that refers to an unchosen one ranks lower."""
    considered: int | None = None
    """How many of the first candidates are scored; None for all."""

    @property
    def score(self) -> Callable[..., Scores]:
        """The function: it takes a query, if any, an index, and `settings`."""
        module = import_module(f"{__package__}.{self.module}")
        score: Callable[..., Scores] = getattr(module, self.function)
        return score


SCORERS: Mapping[ScorerName, Scorer] = {
    "structure": Scorer("structure", settings=("links", "chronicles"), ranks_sections=True),
    "coverage": Scorer("coverage"),
    "overlap": Scorer("lexical", "overlap"),
    "bm25": Scorer("lexical", "bm25"),
}
ALGORITHMS: Mapping[str, Scorer] = {
    "edmundson": Scorer(
        "synopsis",
        "edmundson",
        diversity=EDMUNDSON_DIVERSITY,
        shuns_dangling=True,
        considered=CONSIDERED,
    ),
    **{name: Scorer("synopsis", name) for name in ("lead", "frequency", "luhn", "textrank")},
}
