"""The scorers and algorithms by the names that options give them, and what each needs.

A module is imported when its scorer is first used, so that checking a name imports none.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mkdocs_recall.index.index import Index
    from mkdocs_recall.scoring.explanation import Scores


COVERAGE_MIN_SCORE: Final = 0.2
"""Rejects most answers from a wrong page and hardly a right one (benchmarks/README.md, "Answers").
The scores of the other scorers mean something else on each page, so no threshold fits them."""
EDMUNDSON_DIVERSITY: Final = 0.3
"""The weight of novelty, with .7 for relevance: Carbonell & Goldstein (1998), maximal marginal
relevance; the value is ours."""


class Scorer(NamedTuple):
    """A scorer of sentences against a query."""

    module: str
    """The name of its module in this package."""
    diversity: float = 0.0
    """The default of the option of this name, in [0, 1]."""
    min_score: float = 0.0
    """The default of the option of this name, where the module has no function `min_score`."""
    settings: tuple[str, ...] = ()
    """The options that its function takes."""
    ranks_sections: bool = False
    """Whether its function takes `hidden` pages and `cosines` of sections, too."""

    def default_min_score(self, index: Index) -> float:
        """Return what an answer scores at least, where the option does not say it."""
        min_score: Callable[[Index], float] | None
        min_score = getattr(_module(self.module), "min_score", None)
        return min_score(index) if min_score else self.min_score

    @property
    def score(self) -> Callable[..., Scores]:
        """The function that scores the sentences of an index against a query.

        It takes the text of the query, the index, and `settings` as keywords.
        """
        score: Callable[..., Scores] = _module(self.module).score
        return score


class Algorithm(NamedTuple):
    """A scorer of the sentences of a page for a synopsis."""

    module: str
    """The name of its module in this package."""
    diversity: float = 0.0
    """The default of the option of this name, in [0, 1]."""
    shuns_dangling: bool = False
    """Whether a sentence that refers to the one before it ranks lower unless that is chosen."""

    @property
    def score(self) -> Callable[[Index], Scores]:
        """The function that scores the sentences of a page."""
        score: Callable[[Index], Scores] = _module(self.module).score
        return score

    @property
    def considered(self) -> int | None:
        """The number of candidates, the first of the page, that are scored; None for all."""
        considered: int | None = getattr(_module(self.module), "CONSIDERED", None)
        return considered


SCORERS: Mapping[str, Scorer] = {
    "structure": Scorer("structure", settings=("links", "chronicles"), ranks_sections=True),
    "coverage": Scorer("coverage", min_score=COVERAGE_MIN_SCORE),
    "overlap": Scorer("overlap"),
    "bm25": Scorer("bm25"),
}
ALGORITHMS: Mapping[str, Algorithm] = {
    "edmundson": Algorithm("edmundson", diversity=EDMUNDSON_DIVERSITY, shuns_dangling=True),
    "lead": Algorithm("lead"),
    "frequency": Algorithm("frequency"),
    "luhn": Algorithm("luhn"),
    "textrank": Algorithm("textrank"),
}


@cache
def _module(name: str) -> Any:  # noqa: ANN401 - modules share no type
    return import_module(f"{__package__}.{name}")
