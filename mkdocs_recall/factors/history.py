"""The histories of pages: the dates of the commits that touched each, even under earlier names.

Without git or a repository, or if git fails, histories are empty; that is never an error. A commit
has two dates, in ISO 8601 with a zone: the author's, when the change was written, and the
committer's, when it was applied.

The current time comes from the history, too, so that builds are reproducible; the clock is the last
resort. The names of recently touched files are a hint at the subject of a query. Freshness is the
effect of a page's changes and age on its scores.
"""

from __future__ import annotations

import json
import math
import os
import posixpath
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timezone
from functools import cache, cached_property
from hashlib import sha256
from itertools import chain, pairwise
from math import ceil
from os import PathLike
from pathlib import Path, PurePath
from stat import S_ISREG
from typing import Final, NamedTuple

from msgspec import Struct

from mkdocs_recall import git
from mkdocs_recall.errors import OptionError
from mkdocs_recall.git import GitError, RepositoryLocation
from mkdocs_recall.messages import printable
from mkdocs_recall.options import CommitDate, Temporal
from mkdocs_recall.store import Cache, digest, pack, unpack
from mkdocs_recall.text.front_matter import (
    Stability,
    Validity,
    invalid_pages,
    iso_date,
    parse_moment,
)
from mkdocs_recall.text.model import Document

PART: Final = 1000
"""One git process reads this many commits at least …"""
_PROCESSES: Final = 4
"""… and this many run at once at most, each on an equal part of the commits."""
_COMMIT: Final = "commit "
_DATES: Final[dict[CommitDate, str]] = {"author": "%aI", "committer": "%cI"}
_NAMES: Final = ("--name-status", "-z", "--no-ext-diff", "--no-textconv")
_TREES: Final = ("--literal-pathspecs", "diff-tree", "--stdin", "-r", *_NAMES)
"""This reads each commit once; `git log` with a path reads it twice."""
_LATEST: Final = (
    *("log", "--no-merges", "--no-color", *_NAMES, "--no-renames", "--diff-filter=d"),
    "--relative",
)
_RENAMES: Final = ("--find-renames", "-l1000")
_EXACT_RENAMES: Final = "--find-renames=100%"
"""With this, git compares no contents, which are missing in a partial clone."""


class Commit(NamedTuple):
    """A commit that is not a merge."""

    name: str
    date: str
    """The date in ISO 8601 with a zone; empty for an impossible date."""
    changes: list[tuple[str, str, str]]
    """Git's letter (`A` added, `D` deleted, `R` renamed), a file's path, and its old path."""


def _changes(
    top: str, names: Sequence[str], *arguments: str, date: str = "%cI", paths: Iterable[str] = ()
) -> Iterator[Commit]:
    """Return the changes of commits, read by a few git processes."""
    arguments = (*arguments, f"--format={_COMMIT}%H {date}", "--", *paths)

    def log(part: Sequence[str]) -> str:
        stdin = "".join(f"{name}\n" for name in part)
        try:
            return git.run_git(top, *_TREES, *_RENAMES, *arguments, stdin=stdin)
        except GitError:
            return git.run_git(top, *_TREES, _EXACT_RENAMES, *arguments, stdin=stdin)

    size = max(PART, ceil(len(names) / _PROCESSES))
    parts = [names[start : start + size] for start in range(0, len(names), size)]
    with ThreadPoolExecutor(max_workers=_PROCESSES) as pool:
        logs = list(pool.map(log, parts))
    return chain.from_iterable(map(_commits, logs))


def _commits(log: str) -> Iterator[Commit]:
    """Read git's output: `commit NAME DATE`, then a status and one or two paths for each change."""
    fields = iter(log.split("\0"))
    commit = Commit("", "", [])
    for field in fields:
        text = field.lstrip("\n")
        if text.startswith(_COMMIT):
            if commit.changes:
                yield commit
            name, date = text.removeprefix(_COMMIT).split(" ")
            commit = Commit(name, iso_date(date), [])
        elif text:
            status = text[0]  # a score follows the R of a rename
            old = path = next(fields)
            if status == "R":
                path = next(fields)
            commit.changes.append((status, path, old))
    if commit.changes:
        yield commit


_ROUNDS: Final = 4
"""How often git is run again for more former folders of pages."""


class PageHistory(NamedTuple):
    """The commits that touched one page; a list in JSON."""

    dates: list[str]
    """The date of each commit, the newest commit first."""
    whole: bool
    """Whether the last of them created the page; if not, a shallow clone lacks older ones."""


class History(NamedTuple):
    """The histories of some pages."""

    past: dict[str, PageHistory]
    """Histories by path as passed, without files unknown to git."""
    shallow: bool = False
    """Whether some of their commits are missing: the clone is shallow."""
    notice: str = ""
    """Why git has no answer, and a remedy; empty if it has one."""
    heads: tuple[str, ...] = ()
    """The `head_state` of each of their repositories."""


def head_state(folder: str | PathLike[str]) -> str:
    """Return a key that changes whenever `read` may for a folder's pages."""
    try:
        return _state(git.locate(folder))
    except GitError:
        return ""


def _state(place: RepositoryLocation) -> str:
    if not place.shallow:
        return place.head
    return f"{place.head}-{sha256(' '.join(sorted(place.shallow)).encode()).hexdigest()[:16]}"


def head_date(folder: str | PathLike[str]) -> str:
    """Return the committer's date of the last commit, with a zone; "" for none."""
    try:
        date = git.run_git(folder, "log", "-1", "--no-color", "--format=%cI")
    except GitError:
        return ""
    return iso_date(date.strip())


def read(
    files: Iterable[str | PathLike[str]],
    *,
    dates: CommitDate = "author",
    store: Cache | None = None,
) -> History:
    """Return the commits, without merges, that touched each file, under any of its names.

    Git runs a few times, however many files there are. Files outside repositories are left out: a
    plugin may generate them. Histories are cached while the HEAD of a repository is the same.
    """
    files = list(files)
    repositories = git.repositories(files)
    past: dict[str, PageHistory] = {}
    heads = dict.fromkeys(sorted(repositories), "")
    notices = ["the pages are not in a git repository"] if files and not repositories else []
    shallow = False
    for top, paths in sorted(repositories.items()):
        try:
            place = git.locate(top)
            heads[top] = _state(place)
            key = digest("history", top, heads[top], dates, json.dumps(sorted(paths.items())))
            history = _unpack(store.get(key)) if store else None
            if history is None:
                inside = {file: place.prefix + path for file, path in paths.items()}
                root = f"{top}/".removesuffix(place.prefix)  # higher if this is not a repository
                trail = _trail(root, set(inside.values()), place.shallow, dates)
                pages = ((file, trail.past.get(path)) for file, path in inside.items())
                history = History({file: page for file, page in pages if page}, trail.shallow)
                if store:
                    store.put(key, pack(history))
        except GitError as error:
            notices.append(str(error))
            continue
        past |= history.past
        shallow |= history.shallow
    return History(past, shallow, "; ".join(filter(None, notices)), tuple(heads.values()))


def _trail(top: str, paths: set[str], shallow: Container[str], dates: CommitDate) -> History:
    """Return the histories of files in their common folder and in former folders."""
    # Reading one folder's changes is several times as fast as reading whole commits.
    names = git.run_git(top, "rev-list", "--no-merges", "--date-order", "HEAD", "--").split()
    rank = {name: number for number, name in enumerate(names)}
    folders = {posixpath.commonpath(map(posixpath.dirname, paths)) or "."}
    log: list[Commit] = []
    start = 0
    for _ in range(_ROUNDS):
        paths_in = sorted(folders)
        older = _changes(top, names[start:], "--root", date=_DATES[dates], paths=paths_in)
        log = [*(commit for commit in log if rank[commit.name] < start), *older]
        history, births = _follow(log, paths, shallow)
        if "." in folders:  # the whole repository
            break
        # Files that seem to be new, but came from another folder, or from the top.
        moves = [
            (commit.name, posixpath.dirname(old) or old)
            for commit in _changes(top, sorted(set(births.values())), "--diff-filter=R")
            for _, path, old in commit.changes
            if births.get(path) == commit.name
        ]
        moves = [(commit, origin) for commit, origin in moves if origin not in folders]
        if not moves:
            break
        folders |= {origin for _, origin in moves}
        start = min(rank[commit] for commit, _ in moves)
    return history


def _follow(
    commits: Iterable[Commit], paths: Iterable[str], shallow: Container[str]
) -> tuple[History, dict[str, str]]:
    """Return the histories of files, through renames, and their first commits."""
    dates: dict[str, list[str]] = {path: [] for path in paths}
    births: dict[str, tuple[str, str]] = {}
    present = {path: path for path in dates}  # the present path of a file, by its path at the time
    is_cut = False
    for commit in commits:
        renamed: dict[str, str] = {}
        removed: set[str] = set()
        for status, file, former in commit.changes:
            path = present.get(file)
            if former != file:
                removed |= {former, file}  # a file with the old name is a later one
            if path is None:
                continue
            births.pop(path, None)
            if commit.name in shallow or (status == "D" and not dates[path]):
                # At the end of a shallow clone, a commit seems to add all files; or the page is
                # gone.
                removed.add(file)
                is_cut |= commit.name in shallow
                continue
            dates[path].append(commit.date)
            if status == "A" and commit.date:
                births[path] = (file, commit.name)
            elif former != file:
                renamed[former] = path
        for name in removed:
            present.pop(name, None)
        present.update(renamed)
    dated = ((path, [*filter(None, page_dates)]) for path, page_dates in dates.items())
    past = {path: PageHistory(times, path in births) for path, times in dated if times}
    return History(past, is_cut), dict(births.values())


VARIABLE: Final = "SOURCE_DATE_EPOCH"


def now(moment: str, folder: Path | None) -> datetime | None:
    """Return the current time for pages, with a zone; None if only the clock has it."""
    if moment:
        try:
            return parse_moment(moment)
        except ValueError as error:
            raise OptionError(f"now must be a date in ISO 8601, not '{moment}'") from error
    epoch = os.environ.get(VARIABLE)
    if epoch:
        try:
            return datetime.fromtimestamp(int(epoch), timezone.utc)
        except (ValueError, OverflowError, OSError) as error:
            msg = f"{VARIABLE} must be a number of seconds since 1970, not '{epoch}'"
            raise OptionError(msg) from error
    head = "" if folder is None else head_date(folder)
    return datetime.fromisoformat(head) if head else None


MOST: Final = 10
COMMITS: Final = 10
_STATUS: Final = (
    *("status", "--porcelain=v1", "-z", "--untracked-files=all", "--no-renames"),
    "--ignore-submodules=all",
)


def recent_file_names(folder: Path | None, edited: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the names of up to ten recently touched files, the newest first.

    They are the edited files, or those changed in the working tree, or in the last commits.
    """
    names = _names(edited)
    if names or folder is None:
        return names
    return _names(_changed(folder)) or _names(_committed(folder))


def enrich_query(query: str, names: Sequence[str]) -> str:
    """Return a query with the names of files appended, if any."""
    return f"{query}\n\n[Context: recently touched files: {', '.join(names)}]" if names else query


def _names(paths: Iterable[str]) -> tuple[str, ...]:
    plain = (" ".join(printable(PurePath(path).name).split()) for path in paths)
    return tuple(dict.fromkeys(filter(None, plain)))[:MOST]


def _changed(folder: Path) -> list[str]:
    try:
        prefix = git.run_git(folder, "rev-parse", "--show-prefix").removesuffix("\n")
        settings = git.without_filters(folder, "clean")
        status = git.run_git(folder, *_STATUS, "--", ".", settings=settings)
    except GitError:
        return []
    paths = [entry[3:].removeprefix(prefix) for entry in status.split("\0") if entry]
    times = {path: time for path in paths if (time := _time(folder / path)) is not None}
    return sorted(times, key=lambda path: (-times[path], path))


def _committed(folder: Path) -> list[str]:
    # The end of a shallow clone is left out, since it seems to touch all files.
    arguments = (*_LATEST, f"--max-count={COMMITS}", f"--format={_COMMIT}%H %cI", "--", ".")
    try:
        shallow = git.locate(folder).shallow
        commits = list(_commits(git.run_git(folder, *arguments)))
    except GitError:
        return []
    complete = (commit for commit in commits if commit.name not in shallow)
    return [path for commit in complete for _, path, _ in commit.changes]


def _time(file: Path) -> int | None:
    try:
        status = file.lstat()
    except OSError:
        return None
    return status.st_mtime_ns if S_ISREG(status.st_mode) else None


LIFETIMES: Final[Mapping[Stability, float]] = {"dynamic": 90.0, "ephemeral": 7.0}
"""The days after which a page of a stability counts 1/e as much; others do not age."""
FLOOR: Final = 0.01
"""The least factor of a page, however old: no page disappears."""
_SECONDS_A_DAY: Final = 86_400
_SECONDS_AN_HOUR: Final = 3_600


class Freshness(NamedTuple):
    """The factor for the scores of a page's sentences, and the reason."""

    multiplier: float
    """At least `FLOOR`; 1 changes nothing."""
    description: str
    """The reason, with dates rather than ages, which would change daily."""


def freshness(
    document: Document,
    events: Iterable[datetime],
    now: datetime,
    temporal: Temporal,
    *,
    whole: bool = True,
) -> Freshness:
    """Return the freshness of a page: `boost · stability`.

    The page's `t_created` replaces the date of the commit that created it, which is missing if its
    history is not whole. The page ages from its `t_valid`, else from its last change.
    """
    changes = sorted(events, key=_order)
    if document.created:
        changes = sorted([parse_moment(document.created), *changes[whole:]], key=_order)
    boost_factor = boost([_days(change, now) for change in changes], temporal)
    newest = changes[-1] if changes else None
    since = parse_moment(document.valid) if document.valid else newest
    stability_factor = stability(document.stability, None if since is None else _days(since, now))
    changed = "no known change"
    if newest:
        count = f"{len(changes)} changes, the last" if len(changes) > 1 else "changed"
        changed = f"{count} on {newest.date()}"
    description = f"{changed} (×{boost_factor:.4f})"
    if document.stability in LIFETIMES:
        day = f" since {since.date()}" if since else ", but its date is unknown"
        description += f"; {document.stability}{day} (×{stability_factor:.4f})"
    return Freshness(boost_factor * stability_factor, description)


def boost(ages: Sequence[float], temporal: Temporal) -> float:
    """Return the boost of a page by its changes: `1 + k·ln(1 + Σ exp(-age/τ)·burst)`.

    `burst` is the discount for a change that another follows within the cooldown, else 1. Range [1,
    ∞): 1 without changes. Ages are in days, in any order; less than 0 counts as 0.
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
    """Return the factor of a page by stability and age: `exp(-age/lifetime)`.

    Range [`FLOOR`, 1]: 1 for a page that does not age, or whose age is unknown.
    """
    lifetime = LIFETIMES.get(kind)
    if lifetime is None or age is None:
        return 1.0
    return max(FLOOR, math.exp(-max(0.0, age) / lifetime))


def _days(then: datetime, now: datetime) -> float:
    return (now - then).total_seconds() / _SECONDS_A_DAY


def _order(event: datetime) -> tuple[datetime, str]:
    return event, event.isoformat()  # a time has many zones


class Timeline(Struct, eq=False, dict=True):
    """The dates of some pages from git and the clock, read on demand."""

    warnings: dict[str, None]
    notices: dict[str, None]
    """What concerns all answers, each text once, to add to."""
    files: Callable[[], Mapping[str, str]]
    validity: Callable[[str], Validity]
    store: Cache | None
    _freshness: dict[Temporal, dict[str, Freshness]] = {}
    _times: dict[str, datetime | None] = {}
    """Times by the option `now`; None for the clock's."""
    _histories: dict[CommitDate, History] = {}

    def __post_init__(self) -> None:
        self.validity = cache(self.validity)

    def freshness(self, temporal: Temporal) -> Callable[[Document], Freshness]:
        """Return a function that computes the freshness of a page."""
        now, history = self._now(temporal), self._history(temporal)
        computed = self._freshness.setdefault(temporal, {})

        def fresh(document: Document) -> Freshness:
            if document.uri not in computed:
                past = history.past.get(self._paths.get(document.uri, ""))
                events = map(datetime.fromisoformat, past.dates if past else ())
                computed[document.uri] = freshness(
                    document, events, now, temporal, whole=past is None or past.whole
                )
            return computed[document.uri]

        return fresh

    def expired(self, temporal: Temporal, pages: Iterable[str]) -> dict[str, str]:
        """Return the pages that are not valid now, with the reasons."""
        dates = {page: dates for page in pages if any(dates := self.validity(page))}
        return invalid_pages(dates, self._now(temporal)) if dates else {}

    def key(self, temporal: Temporal, pages: Iterable[str]) -> str:
        """Return the cache key for git, time and expired pages."""
        history = self._history(temporal)  # so each build repeats its warnings
        now = self._now(temporal).isoformat()
        expired = (f"{page} {why}" for page, why in self.expired(temporal, pages).items())
        return "\n".join((now, *history.heads, history.notice, *expired))

    def is_current(self) -> bool:
        """Tell whether git and the time (for the clock, the day) are unchanged."""
        heads = {history.heads for history in self._histories.values()}
        if heads and heads != {tuple(map(head_state, sorted(self._repositories)))}:
            return False
        is_timed = None in self._times.values()
        if is_timed and self._clock.date() != datetime.now(timezone.utc).date():
            return False
        return all(now(moment, self.folder) == time for moment, time in self._times.items())

    @cached_property
    def folder(self) -> Path | None:
        """The common folder of the pages in the largest repository, if any."""
        if not self._repositories:
            return None
        files = max(self._repositories.values(), key=len)
        return Path(os.path.commonpath([os.path.dirname(file) for file in files]))  # noqa: PTH120

    @cached_property
    def _paths(self) -> Mapping[str, str]:
        return {uri: file for uri, file in self.files().items() if file}

    @cached_property
    def _repositories(self) -> Mapping[str, Mapping[str, str]]:
        return git.repositories(sorted(self._paths.values()))

    @cached_property
    def _clock(self) -> datetime:
        return datetime.now(timezone.utc)

    def _now(self, temporal: Temporal) -> datetime:
        if temporal.now not in self._times:
            self._times[temporal.now] = now(temporal.now, self.folder)
            if self._times[temporal.now] is None:
                self.warnings.setdefault(
                    "neither git nor SOURCE_DATE_EPOCH gives the time, so tomorrow's answers may "
                    "differ; set 'now' of 'temporal'"
                )
        return self._times[temporal.now] or self._clock

    def _history(self, temporal: Temporal) -> History:
        history = self._histories.get(temporal.commit_date)
        if history is None:
            history = self._histories[temporal.commit_date] = read(
                sorted(self._paths.values()), dates=temporal.commit_date, store=self.store
            )
            self._report(history)
        return history

    def _report(self, history: History) -> None:
        if history.shallow:
            self.warnings.setdefault(
                "this is a shallow clone: recency is ignored for pages whose commits are "
                "missing; get all of them (in GitHub Actions, 'fetch-depth: 0')"
            )
        if history.notice:
            self.notices.setdefault(f"commits are ignored: {history.notice}")
            return
        inside = set().union(*self._repositories.values())
        if outside := [uri for uri, file in self.files().items() if file not in inside]:
            first, *others = (f"'{uri}'" for uri in outside)
            names = f"{first} and {len(others)} more" if others else first
            self.notices.setdefault(
                f"commits are ignored for pages that are not in a git repository: {names}"
            )


def creation_dates(files: Iterable[str], store: Cache | None) -> dict[str, str]:
    """Return the date of each file's first commit, in ISO 8601, if known."""
    past = read(sorted(filter(None, files)), store=store).past
    return {file: page.dates[-1] for file, page in past.items() if page.whole}


def _unpack(packed: bytes | None) -> History | None:
    history = unpack(History, packed)
    try:
        for dates, _ in history.past.values() if history else ():
            if not dates or any(datetime.fromisoformat(date).tzinfo is None for date in dates):
                return None
    except ValueError:
        return None
    return history
