"""`temporal`: how much it counts when a page was changed, and how fast it grows old.

When a page was changed, and what time it is, is told from outside.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from mkdocs_recall.text.front_matter import parse_moment

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    from mkdocs_recall.options import Temporal
    from mkdocs_recall.text.front_matter import Stability
    from mkdocs_recall.text.model import Document

LIFETIMES: Final[Mapping[Stability, float]] = {"dynamic": 90.0, "ephemeral": 7.0}
"""After how many days what such a page says counts 1/e as much; others do not grow old."""
FLOOR: Final = 0.01
"""So much a page counts however old it is: nothing disappears."""
_SECONDS_A_DAY: Final = 86_400
_SECONDS_AN_HOUR: Final = 3_600


@dataclass(frozen=True, slots=True)
class Freshness:
    """What the scores of a page's sentences are multiplied by, and why."""

    multiplier: float
    """At least `FLOOR`; 1 changes nothing."""
    description: str
    """With dates and without ages, which would be others tomorrow."""


def freshness(
    document: Document,
    events: Iterable[datetime],
    now: datetime,
    temporal: Temporal,
    *,
    whole: bool = True,
) -> Freshness:
    """Return how much the time that has passed counts for a page: `boost · stability`.

    What a page states as `t_created` counts as the change that made it, in place of the commit
    that did. It grows old from `t_valid` on, else from its last change on.

    Args:
        document: The page.
        events: When it was changed, with zones, in any order.
        now: What time it is, with a zone; what comes later counts as now.
        temporal: The settings.
        whole: Whether the oldest event made the page; else the history is cut off before.
    """
    changes = sorted(events, key=_order)
    if document.created:
        changes = sorted([parse_moment(document.created), *changes[whole:]], key=_order)
    boosted = boost([_days(change, now) for change in changes], temporal)
    newest = changes[-1] if changes else None
    since = parse_moment(document.valid) if document.valid else newest
    held = stability(document.stability, None if since is None else _days(since, now))
    told = _told(changes) + f" (×{boosted:.4f})"
    if document.stability in LIFETIMES:
        day = f" since {since.date()}" if since else ", but since when is not known"
        told += f"; {document.stability}{day} (×{held:.4f})"
    return Freshness(boosted * held, told)


def boost(ages: Sequence[float], temporal: Temporal) -> float:
    """Return how much the changes of a page count: `1 + k·ln(1 + Σ exp(-age/τ)·burst)`.

    `burst` is the discount for a change that the next newer one follows within the cooldown, else
    1. Range [1, ∞): 1 without changes.

    Args:
        ages: How many days ago each change was made, in any order; less than 0 counts as 0.
        temporal: The settings: k, τ, the cooldown, and the discount.
    """
    if not ages:
        return 1.0
    passed = sorted(max(0.0, age) for age in ages)
    cooldown = temporal.cooldown_hours * _SECONDS_AN_HOUR
    worths = [math.exp(-passed[0] / temporal.tau_days)]
    for newer, older in pairwise(passed):
        apart = round((older - newer) * _SECONDS_A_DAY)  # git counts in seconds
        burst = temporal.burst_discount if apart <= cooldown else 1.0
        worths.append(burst * math.exp(-older / temporal.tau_days))
    return 1 + temporal.k * math.log1p(math.fsum(worths))


def stability(kind: Stability, age: float | None) -> float:
    """Return how much a page of some stability still counts: `exp(-age/lifetime)`.

    Range [`FLOOR`, 1]: 1 for what does not grow old, or since when it does is not known.

    Args:
        kind: What its author says of it.
        age: For how many days it has been so; less than 0 counts as 0.
    """
    lifetime = LIFETIMES.get(kind)
    if lifetime is None or age is None:
        return 1.0
    return max(FLOOR, math.exp(-max(0.0, age) / lifetime))


def _days(then: datetime, now: datetime) -> float:
    return (now - then).total_seconds() / _SECONDS_A_DAY


def _order(event: datetime) -> tuple[datetime, str]:
    """Return what orders events; of two at the same time in different zones, always the same."""
    return event, event.isoformat()


def _told(changes: Sequence[datetime]) -> str:
    if not changes:
        return "no change is known"
    if len(changes) == 1:
        return f"changed on {changes[0].date()}"
    return f"{len(changes)} changes, the last on {changes[-1].date()}"
