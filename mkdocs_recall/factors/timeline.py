"""The past and present of pages: when each was changed, the time it is now, and what has expired.

Git is run, by `history`, when the first answer needs it. The histories that it reports are cached
as long as the HEAD of each repository stays the same. Freshness is how much the scores of a page
rise and fall with its changes and its age.
"""

from __future__ import annotations

import json
import math
import os
from dataclasses import dataclass
from datetime import datetime
from functools import cache, cached_property
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Final

from mkdocs_recall.cache import digest
from mkdocs_recall.stored import pack, unpack
from mkdocs_recall.text.front_matter import invalid_pages, parse_moment

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from datetime import date

    from mkdocs_recall.cache import ByteStore
    from mkdocs_recall.factors.history import History, Now
    from mkdocs_recall.messages import Diagnostics
    from mkdocs_recall.options import CommitDate, Temporal
    from mkdocs_recall.text.front_matter import Stability, Validity
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


class Timeline:
    """What git and the clock report about some pages."""

    def __init__(
        self,
        diagnostics: Diagnostics,
        *,
        files: Callable[[], Mapping[str, str]],
        validity: Callable[[str], Validity],
        store: ByteStore | None,
    ) -> None:
        """Take the pages; git and the clock are not read yet.

        Args:
            files: Returns the author's file of each page by uri; empty for a page without one.
            store: Caches the histories; None for no cache.
        """
        self._diagnostics = diagnostics
        self._files = files
        self._validity = cache(validity)  # each directive that quotes the page needs it
        self._store = store
        self._freshness: dict[Temporal, dict[str, Freshness]] = {}
        self._times: dict[str, Now] = {}
        self._histories: dict[CommitDate, History] = {}

    def freshness(self, temporal: Temporal) -> Callable[[Document], Freshness]:
        """Return a function that computes how much time counts for a page."""
        now, history = self._now(temporal), self._history(temporal)
        computed = self._freshness.setdefault(temporal, {})

        def fresh(document: Document) -> Freshness:
            if document.uri not in computed:
                past = history.past.get(self._paths.get(document.uri, ""))
                events = map(datetime.fromisoformat, past.dates if past else ())
                computed[document.uri] = freshness(
                    document, events, now.moment, temporal, whole=past is None or past.whole
                )
            return computed[document.uri]

        return fresh

    def expired(self, temporal: Temporal, pages: Iterable[str]) -> dict[str, str]:
        """Return those of some pages that have expired or are not valid yet, with the reason."""
        dates = {page: dates for page in pages if any(dates := self._validity(page))}
        return invalid_pages(dates, self._now(temporal).moment) if dates else {}

    def key(self, temporal: Temporal, pages: Iterable[str]) -> str:
        """Return the part of an answer's key that depends on git, the time and expired pages."""
        self._history(temporal)  # so that each build warns of what is wrong with it
        now = self._now(temporal).moment.isoformat()
        expired = (f"{page} {why}" for page, why in self.expired(temporal, pages).items())
        return "\n".join((now, *self._heads, *expired))

    def is_current(self) -> bool:
        """Tell whether git and the time still report the same; of a clock only the day counts."""
        if "_heads" in vars(self) and self._heads != _heads(self._repositories):
            return False
        times = list(self._times.items())
        return all(_day_of(time) == _day_of(self._read_now(stated)) for stated, time in times)

    @cached_property
    def folder(self) -> Path | None:
        """The folder in which git is run for the time; None where the pages are in no repository.

        It is the common folder of the pages in the repository that has most of them.
        """
        if not self._repositories:
            return None
        files = max(self._repositories.values(), key=len)
        return Path(os.path.commonpath([os.path.dirname(file) for file in files]))  # noqa: PTH120

    @cached_property
    def _paths(self) -> Mapping[str, str]:
        """The author's file of each page that has one, by uri."""
        return {uri: file for uri, file in self._files().items() if file}

    @cached_property
    def _repositories(self) -> Mapping[str, Mapping[str, str]]:
        """The pages' files, by the repository that they lie in."""
        return _repositories(self._paths.values())

    @cached_property
    def _outside(self) -> Sequence[str]:
        """The pages that are in no repository, such as those that a plugin generates."""
        inside = set().union(*self._repositories.values())
        return [uri for uri, file in self._files().items() if file not in inside]

    @cached_property
    def _heads(self) -> Sequence[str]:
        return _heads(self._repositories)

    def _now(self, temporal: Temporal) -> Now:
        now = self._times.get(temporal.now)
        if now is None:
            now = self._times[temporal.now] = self._read_now(temporal.now)
            if now.origin == "clock":
                self._diagnostics.warn(
                    "what time it is, neither git nor SOURCE_DATE_EPOCH tells, so that an answer "
                    "may be another one tomorrow: set 'now' of 'temporal'"
                )
        return now

    def _read_now(self, stated: str) -> Now:
        from mkdocs_recall.factors.history import now

        return now(stated, self.folder)

    def _history(self, temporal: Temporal) -> History:
        history = self._histories.get(temporal.commit_date)
        if history is None:
            history = self._histories[temporal.commit_date] = _cached_history(
                sorted(self._paths.values()),
                temporal.commit_date,
                repositories=self._repositories,
                heads=self._heads,
                store=self._store,
            )
            self._report(history)
        return history

    def _report(self, history: History) -> None:
        """Say for which pages commits do not count."""
        if history.shallow:
            self._diagnostics.warn(
                "this is a shallow clone: time does not count for pages whose commits are "
                "missing; get all of them (in GitHub Actions, 'fetch-depth: 0')"
            )
        if history.notice:
            self._diagnostics.note(f"commits do not count: {history.notice}")
        elif self._outside:
            first, *others = (f"'{uri}'" for uri in self._outside)
            named = f"{first} and {len(others)} more" if others else first
            self._diagnostics.note(
                f"commits do not count for pages that are in no git repository: {named}"
            )


def creation_dates(files: Iterable[str], store: ByteStore | None) -> dict[str, str]:
    """Return when files were created: the date of the first commit of each, in ISO 8601.

    Files that git does not know, or whose first commit a shallow clone lacks, are left out.

    Args:
        store: Caches the dates; None for no cache.
    """
    repositories = _repositories(filter(None, files))
    heads = dict(zip(sorted(repositories), _heads(repositories), strict=True))
    known = {top: repositories[top] for top, head in heads.items() if head}
    if not known:
        return {}
    paths = sorted(file for places in known.values() for file in places)
    history = _cached_history(
        paths, "author", repositories=known, heads=list(filter(None, heads.values())), store=store
    )
    return {file: past.dates[-1] for file, past in history.past.items() if past.whole}


def _repositories(files: Iterable[str]) -> Mapping[str, Mapping[str, str]]:
    """Return files by the repository that they lie in."""
    from mkdocs_recall import git

    return git.repositories(sorted(files))


def _heads(repositories: Iterable[str]) -> Sequence[str]:
    """Return a text for each repository that is the same as long as its history is.

    It is empty where git has no answer.
    """
    from mkdocs_recall.factors import history

    return tuple(history.head_state(top) for top in sorted(repositories))


def _cached_history(
    files: Sequence[str],
    dates: CommitDate,
    *,
    repositories: Mapping[str, Mapping[str, str]],
    heads: Sequence[str],
    store: ByteStore | None,
) -> History:
    """Return the history of files, from the store as long as each HEAD stays the same.

    Files in no repository are no part of the key: a plugin may generate them elsewhere in each
    build.
    """
    from mkdocs_recall.factors import history

    has_key = store and heads and all(heads)
    places = json.dumps(sorted(repositories.items()))
    key = digest("history", *heads, dates, places) if has_key else b""
    if key and store and (cached := _unpack(store.get(key))):
        return cached
    current = history.read(files, dates=dates)
    if key and store and not current.notice:
        store.put(key, pack(current))
    return current


def _day_of(now: Now) -> datetime | date:
    """Return a moment; of a clock, which never shows the same one twice, the day."""
    return now.moment.date() if now.origin == "clock" else now.moment


def _unpack(packed: bytes | None) -> History | None:
    """Return a cached history; None for a miss, or for anything else in the cache."""
    from mkdocs_recall.factors.history import History

    history = unpack(History, packed)
    try:
        fits = history and all(d and all(map(_has_zone, d)) for d, _ in history.past.values())
    except ValueError:
        return None
    return history if fits else None


def _has_zone(date: str) -> bool:
    return datetime.fromisoformat(date).tzinfo is not None
