"""The names of all scorers and algorithms, and what each needs. The only such list."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mkdocs_recall.scoring import (
    bm25,
    coverage,
    edmundson,
    frequency,
    lead,
    luhn,
    overlap,
    textrank,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mkdocs_recall.index import Index
    from mkdocs_recall.scoring.explanation import Scores


@dataclass(frozen=True, slots=True)
class Scorer:
    """How sentences are scored against a query."""

    score: Callable[[str, Index], Scores]
    diversity: float = 0.0
    """The default of the option of this name, in [0, 1]."""


@dataclass(frozen=True, slots=True)
class Algorithm:
    """How the sentences of a page are scored for a synopsis."""

    score: Callable[[Index], Scores]
    diversity: float = 0.0
    """The default of the option of this name, in [0, 1]."""
    considered: int | None = None
    """How many candidates are looked at, the first of the page; None for all."""
    shuns_dangling: bool = False
    """Whether a sentence that leans on the one before it ranks behind unless that is chosen."""


DEFAULT_SCORER = "coverage"
DEFAULT_ALGORITHM = "edmundson"

SCORERS: Mapping[str, Scorer] = {
    "coverage": Scorer(coverage.score),
    "overlap": Scorer(overlap.score),
    "bm25": Scorer(bm25.score),
}
ALGORITHMS: Mapping[str, Algorithm] = {
    "edmundson": Algorithm(
        edmundson.score,
        diversity=0.3,
        considered=edmundson.CONSIDERED,
        shuns_dangling=True,
    ),
    "lead": Algorithm(lead.score),
    "frequency": Algorithm(frequency.score),
    "luhn": Algorithm(luhn.score),
    "textrank": Algorithm(textrank.score),
}
