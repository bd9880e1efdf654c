"""The names of all scorers and algorithms, and what each needs. The only such list.

A module is imported when its scorer is used: to check a name needs none of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mkdocs_recall.index.index import Index
    from mkdocs_recall.scoring.explanation import Scores


@dataclass(frozen=True, slots=True)
class Scorer:
    """How sentences are scored against a query."""

    module: str
    """Beside this one."""
    diversity: float = 0.0
    """The default of the option of this name, in [0, 1]."""
    min_score: float = 0.0
    """The default of the option of this name in a directive."""

    @property
    def score(self) -> Callable[[str, Index], Scores]:
        """What scores the sentences of an index against a query."""
        score: Callable[[str, Index], Scores] = _module(self.module).score
        return score


@dataclass(frozen=True, slots=True)
class Algorithm:
    """How the sentences of a page are scored for a synopsis."""

    module: str
    """Beside this one."""
    diversity: float = 0.0
    """The default of the option of this name, in [0, 1]."""
    shuns_dangling: bool = False
    """Whether a sentence that leans on the one before it ranks behind unless that is chosen."""

    @property
    def score(self) -> Callable[[Index], Scores]:
        """What scores the sentences of a page."""
        score: Callable[[Index], Scores] = _module(self.module).score
        return score

    @property
    def considered(self) -> int | None:
        """How many candidates are looked at, the first of the page; None for all."""
        considered: int | None = getattr(_module(self.module), "CONSIDERED", None)
        return considered


DEFAULT_SCORER = "coverage"
DEFAULT_ALGORITHM = "edmundson"

SCORERS: Mapping[str, Scorer] = {
    "coverage": Scorer("coverage", min_score=0.2),
    "overlap": Scorer("overlap"),
    "bm25": Scorer("bm25"),
}
ALGORITHMS: Mapping[str, Algorithm] = {
    "edmundson": Algorithm("edmundson", diversity=0.3, shuns_dangling=True),
    "lead": Algorithm("lead"),
    "frequency": Algorithm("frequency"),
    "luhn": Algorithm("luhn"),
    "textrank": Algorithm("textrank"),
}


def _module(name: str) -> Any:  # noqa: ANN401 - a module has what it has
    return import_module(f"{__package__}.{name}")
