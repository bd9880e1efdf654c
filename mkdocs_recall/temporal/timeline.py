"""What git and the clock tell of pages: when each was changed, what time it is, what has expired.

Git is asked when the first answer needs it, and what it says is kept as long as its HEAD stays.
"""

from __future__ import annotations

import json
import os
from datetime import datetime
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from mkdocs_recall.cache.store import digest
from mkdocs_recall.text.front_matter import parse_moment

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from datetime import date

    from mkdocs_recall.messages import Diagnostics
    from mkdocs_recall.options import Temporal
    from mkdocs_recall.temporal.freshness import Freshness
    from mkdocs_recall.temporal.history import History
    from mkdocs_recall.temporal.now import Now
    from mkdocs_recall.text.model import Document

_DAY = len("2026-02-11")


class ByteStore(NamedTuple):
    """What keeps bytes for the next process."""

    get: Callable[[bytes], bytes | None]
    put: Callable[[bytes, bytes], None]


class Timeline:
    """What is known of the past of pages, and of the present."""

    def __init__(
        self,
        remarks: Diagnostics,
        *,
        files: Callable[[], Mapping[str, str]],
        expires: Callable[[str], str],
        store: ByteStore | None,
    ) -> None:
        """Ask nothing yet.

        Args:
            remarks: What is wrong is noted there.
            files: Returns the author's file of each page by uri; empty for one without.
            expires: Returns from when on a page does not hold, in ISO 8601; empty for never.
            store: Keeps what git says; None for nothing.
        """
        self._remarks = remarks
        self._files = files
        self._expires = cache(expires)  # a page is asked for by each directive
        self._store = store
        self._freshness: dict[Temporal, dict[str, Freshness]] = {}
        self._times: dict[str, Now] = {}
        self._histories: dict[str, History] = {}

    def freshness(self, temporal: Temporal) -> Callable[[Document], Freshness]:
        """Return what says how much time counts for a page."""
        from mkdocs_recall.temporal.freshness import freshness

        now, history = self._now(temporal), self._history(temporal)
        known = self._freshness.setdefault(temporal, {})

        def fresh(document: Document) -> Freshness:
            if document.uri not in known:
                past = history.past.get(self._paths.get(document.uri, ""))
                events = map(datetime.fromisoformat, past.dates if past else ())
                known[document.uri] = freshness(
                    document, events, now.moment, temporal, whole=past is None or past.whole
                )
            return known[document.uri]

        return fresh

    def expired(self, temporal: Temporal, pages: Iterable[str]) -> dict[str, str]:
        """Return those of some pages that do not hold any more, with the reason."""
        stated = {page: expires for page in pages if (expires := self._expires(page))}
        if not stated:
            return {}
        now = self._now(temporal).moment
        return {
            page: f"it expired on {expires[:_DAY]}"
            for page, expires in stated.items()
            if parse_moment(expires) <= now
        }

    def key(self, temporal: Temporal, pages: Iterable[str]) -> str:
        """Return what stands for all that answers of some pages depend on besides, in time."""
        self._history(temporal)  # what is wrong with it is told in each build
        now = self._now(temporal).moment.isoformat()
        expired = (f"{page} {why}" for page, why in self.expired(temporal, pages).items())
        return "\n".join((now, *self._heads, *expired))

    def is_current(self) -> bool:
        """Tell whether git and time still say what they said; of a clock only the day counts."""
        if "_heads" in vars(self) and self._heads != self._find_heads():
            return False
        times = list(self._times.items())
        return all(_day_of(known) == _day_of(self._ask_now(stated)) for stated, known in times)

    @cached_property
    def folder(self) -> Path | None:
        """The folder where git is asked what time it is; None for none.

        It is that of the pages in the repository that has most of them.
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
        """The pages' files by the repository that they lie in."""
        from mkdocs_recall.temporal import git

        return git.repositories(sorted(self._paths.values()))

    @cached_property
    def _outside(self) -> Sequence[str]:
        """The pages that are in no repository, such as those that a plugin has made."""
        inside = set().union(*self._repositories.values())
        return [uri for uri, file in self._files().items() if file not in inside]

    @cached_property
    def _heads(self) -> tuple[str, ...]:
        """What stands for all that git can tell of the pages; empty texts where it cannot."""
        return self._find_heads()

    def _find_heads(self) -> tuple[str, ...]:
        from mkdocs_recall.temporal import history

        return tuple(history.head_state(top) for top in sorted(self._repositories))

    def _now(self, temporal: Temporal) -> Now:
        known = self._times.get(temporal.now)
        if known is None:
            known = self._times[temporal.now] = self._ask_now(temporal.now)
            if known.origin == "clock":
                self._remarks.warn(
                    "what time it is, neither git nor SOURCE_DATE_EPOCH tells, so that an answer "
                    "may be another one tomorrow: set 'now' of 'temporal'"
                )
        return known

    def _ask_now(self, stated: str) -> Now:
        from mkdocs_recall.temporal.now import now

        return now(stated, self.folder)

    def _history(self, temporal: Temporal) -> History:
        known = self._histories.get(temporal.commit_date)
        if known is None:
            known = self._histories[temporal.commit_date] = self._read_history(temporal)
            if known.shallow:
                self._remarks.warn(
                    "this is a shallow clone: time does not count for pages whose commits are "
                    "missing; get all of them (in GitHub Actions, 'fetch-depth: 0')"
                )
            if known.notice:
                self._remarks.note(f"commits do not count: {known.notice}")
            elif self._outside:
                first, *others = (f"'{uri}'" for uri in self._outside)
                named = f"{first} and {len(others)} more" if others else first
                self._remarks.note(
                    f"commits do not count for pages that are in no git repository: {named}"
                )
        return known

    def _read_history(self, temporal: Temporal) -> History:
        """Return what git says of the pages, as long as HEAD is the same from the store.

        Pages in no repository do not matter: a plugin may make them elsewhere in each build.
        """
        from mkdocs_recall.temporal import history

        is_known = self._store and self._heads and all(self._heads)
        places = json.dumps(sorted(self._repositories.items()))
        parts = (*self._heads, temporal.commit_date, places)
        key = digest("history", *parts) if is_known else b""
        if key and self._store and (kept := _unpacked(self._store.get(key))):
            return kept
        found = history.read(sorted(self._paths.values()), dates=temporal.commit_date)
        if key and self._store and not found.notice:
            packed = json.dumps((found.past, found.shallow), separators=(",", ":"))
            self._store.put(key, packed.encode())
        return found


def _day_of(now: Now) -> datetime | date:
    """Return a moment, but of what a clock tells the day: it never tells the same twice."""
    return now.moment.date() if now.origin == "clock" else now.moment


def _unpacked(packed: bytes | None) -> History | None:
    """Return what was kept; None, where it is none."""
    from mkdocs_recall.temporal.history import History, PageHistory

    try:
        past, shallow = json.loads(packed or b"")
        known = {file: PageHistory(*each) for file, each in past.items()}
        for each in known.values():
            list(map(datetime.fromisoformat, each.dates))
    except (ValueError, TypeError, AttributeError, RecursionError):
        return None
    return History(known, shallow=bool(shallow))
