"""Freshness: how much the scores of a page rise and fall with its changes and its age.

The dates of the changes come from `history`, and the time from `now`.
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
"""The days after which a page of this stability counts 1/e as much; others do not age."""
FLOOR: Final = 0.01
"""The least that a page counts, however old it is: no page disappears."""
_SECONDS_A_DAY: Final = 86_400
_SECONDS_AN_HOUR: Final = 3_600


@dataclass(frozen=True, slots=True)
class Freshness:
    """The factor for the scores of a page's sentences, and the reason."""

    multiplier: float
    """At least `FLOOR`; 1 changes nothing."""
    description: str
    """It states dates and no ages, which would change every day."""


def freshness(
    document: Document,
    events: Iterable[datetime],
    now: datetime,
    temporal: Temporal,
    *,
    whole: bool = True,
) -> Freshness:
    """Return the freshness of a page: `boost · stability`.

    The page's `t_created` replaces the date of the commit that created it. The page ages from its
    `t_valid`, else from its last change.

    Args:
        now: The time, with a zone; later events count as happening now.
        whole: Whether the oldest event created the page; else older ones are missing.
    """
    changes = sorted(events, key=_order)
    if document.created:
        changes = sorted([parse_moment(document.created), *changes[whole:]], key=_order)
    boost_factor = boost([_days(change, now) for change in changes], temporal)
    newest = changes[-1] if changes else None
    since = parse_moment(document.valid) if document.valid else newest
    stability_factor = stability(document.stability, None if since is None else _days(since, now))
    description = _describe(changes) + f" (×{boost_factor:.4f})"
    if document.stability in LIFETIMES:
        day = f" since {since.date()}" if since else ", but since when is not known"
        description += f"; {document.stability}{day} (×{stability_factor:.4f})"
    return Freshness(boost_factor * stability_factor, description)


def boost(ages: Sequence[float], temporal: Temporal) -> float:
    """Return how much the changes of a page count: `1 + k·ln(1 + Σ exp(-age/τ)·burst)`.

    `burst` is the discount for a change that the next newer one follows within the cooldown, else
    1. Range [1, ∞): 1 without changes.

    Args:
        ages: How many days ago each change was made, in any order; less than 0 counts as 0.
    """
    if not ages:
        return 1.0
    past = sorted(max(0.0, age) for age in ages)
    cooldown = temporal.cooldown_hours * _SECONDS_AN_HOUR
    weights = [math.exp(-past[0] / temporal.tau_days)]
    for newer, older in pairwise(past):
        apart = round((older - newer) * _SECONDS_A_DAY)  # git counts in seconds
        burst = temporal.burst_discount if apart <= cooldown else 1.0
        weights.append(burst * math.exp(-older / temporal.tau_days))
    return 1 + temporal.k * math.log1p(math.fsum(weights))


def stability(kind: Stability, age: float | None) -> float:
    """Return how much a page of some stability still counts: `exp(-age/lifetime)`.

    Range [`FLOOR`, 1]: 1 for a page that does not age, or whose age is unknown.

    Args:
        age: Its age in days; less than 0 counts as 0.
    """
    lifetime = LIFETIMES.get(kind)
    if lifetime is None or age is None:
        return 1.0
    return max(FLOOR, math.exp(-max(0.0, age) / lifetime))


def _days(then: datetime, now: datetime) -> float:
    return (now - then).total_seconds() / _SECONDS_A_DAY


def _order(event: datetime) -> tuple[datetime, str]:
    """Return the sort key of an event; it also orders two of the same time in different zones."""
    return event, event.isoformat()


def _describe(changes: Sequence[datetime]) -> str:
    if not changes:
        return "no change is known"
    if len(changes) == 1:
        return f"changed on {changes[0].date()}"
    return f"{len(changes)} changes, the last on {changes[-1].date()}"
