"""The histories of pages: the dates of the commits that touched each, also under earlier names.

Without git or a repository, or where git fails or takes too long, histories are empty; that is
never an error. A commit has two dates, in ISO 8601 with a zone: the author's, when the change was
written, and the committer's, when it was applied, which moves when a branch is rebased.

The time for pages comes from their history, too, without a clock where possible, so that builds are
reproducible. The clock is the last resort, and callers must warn that answers may then change from
day to day. The names of the files that were touched last are a hint at the subject of a query; they
come without their folders, and without characters that cannot be printed.
"""

from __future__ import annotations

import os
import posixpath
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timezone
from hashlib import sha256
from itertools import chain
from math import ceil
from pathlib import Path, PurePath
from stat import S_ISREG
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias

from mkdocs_recall import git
from mkdocs_recall.errors import OptionError
from mkdocs_recall.git import GitError
from mkdocs_recall.messages import printable
from mkdocs_recall.text.front_matter import parse_moment

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
    from os import PathLike

    from mkdocs_recall.options import CommitDate


PART: Final = 1000
"""One git process reads this many commits at least …"""
_PROCESSES: Final = 4
"""… and this many run at once at most, each on an equal part of the commits."""
_COMMIT: Final = "commit "
_DATES: Final[dict[CommitDate, str]] = {"author": "%aI", "committer": "%cI"}
_NAMES: Final = ("--name-status", "-z", "--no-ext-diff", "--no-textconv")
_TREES: Final = ("--literal-pathspecs", "diff-tree", "--stdin", "-r", *_NAMES)
"""It reads each commit once; `git log` with a path reads it twice."""
_LATEST: Final = (
    *("log", "--no-merges", "--no-color", *_NAMES, "--no-renames", "--diff-filter=d"),
    "--relative",
)
_RENAMES: Final = ("--find-renames", "-l1000")
_EXACT_RENAMES: Final = "--find-renames=100%"
"""Then git compares no contents: in a partial clone they are missing."""


class FileChange(NamedTuple):
    """A change that a commit made to a file."""

    status: str
    """Git's letter: `A` for added, `M` modified, `D` deleted, `R` renamed."""
    path: str
    old: str
    """Its path before the commit."""


class Commit(NamedTuple):
    """A commit that is no merge."""

    name: str
    date: str
    """In ISO 8601 with a zone; empty for an impossible date."""
    changes: list[FileChange]


def commits(
    top: str, names: Sequence[str], paths: Iterable[str], *, dates: CommitDate
) -> Iterator[Commit]:
    """Return the changes that commits made to files."""
    return _changes(top, names, "--root", f"--format={_COMMIT}%H {_DATES[dates]}", paths=paths)


def renames(top: str, names: Sequence[str]) -> Iterator[Commit]:
    """Return the renames that commits made in the whole repository."""
    return _changes(top, names, "--diff-filter=R", f"--format={_COMMIT}%H %cI")


def _changes(
    top: str, names: Sequence[str], *arguments: str, paths: Iterable[str] = ()
) -> Iterator[Commit]:
    """Return the changes that commits made, as a few git processes at once report them."""

    def log(part: Sequence[str]) -> str:
        stdin = "".join(f"{name}\n" for name in part)
        try:
            return git.run_git(top, *_TREES, *_RENAMES, *arguments, "--", *paths, stdin=stdin)
        except GitError:
            return git.run_git(top, *_TREES, _EXACT_RENAMES, *arguments, "--", *paths, stdin=stdin)

    size = max(PART, ceil(len(names) / _PROCESSES))
    parts = [names[start : start + size] for start in range(0, len(names), size)]
    with ThreadPoolExecutor(max_workers=_PROCESSES) as pool:
        logs = list(pool.map(log, parts))
    return chain.from_iterable(map(_commits, logs))


def latest(folder: str | PathLike[str], count: int) -> Iterator[Commit]:
    """Return the last commits that touched files of a folder, the newest first.

    Paths are relative to the folder; files that a commit deleted are left out.
    """
    arguments = (*_LATEST, f"--max-count={count}", f"--format={_COMMIT}%H %cI")
    return _commits(git.run_git(folder, *arguments, "--", "."))


def _commits(log: str) -> Iterator[Commit]:
    """Read git's output: `commit NAME DATE`, then a status and one or two paths for each change.

    Each of them ends with a NUL; a line end comes before the first status of a commit.
    """
    fields = iter(log.split("\0"))
    commit = Commit("", "", [])
    for field in fields:
        text = field.lstrip("\n")
        if text.startswith(_COMMIT):
            if commit.changes:
                yield commit
            name, date = text.removeprefix(_COMMIT).split(" ")
            commit = Commit(name, parse_date(date), [])
        elif text:
            status = text[0]  # a score follows the R of a rename
            old = path = next(fields)
            if status == "R":
                path = next(fields)
            commit.changes.append(FileChange(status, path, old))
    if commit.changes:
        yield commit


def parse_date(date: str) -> str:
    """Return a date in the form that Python 3.10 reads, too; empty for an impossible one."""
    date = date.replace("Z", "+00:00")
    try:
        datetime.fromisoformat(date)
    except ValueError:
        return ""
    return date


_ROUNDS: Final = 4
"""How often git is run again for more folders that pages came from."""


class PageHistory(NamedTuple):
    """The commits that touched one page. JSON makes a list of it."""

    dates: list[str]
    """The date of each commit, the newest commit first."""
    whole: bool
    """Whether the last of them created the page; else, in a shallow clone, older ones are
    missing."""


class History(NamedTuple):
    """The histories of some pages."""

    past: dict[str, PageHistory]
    """By path as passed; files that git does not know are left out."""
    shallow: bool = False
    """Whether commits of these pages are missing because the clone is shallow."""
    notice: str = ""
    """Why git has no answer, and a remedy; empty where it has one."""


class _Trail(NamedTuple):
    """The histories of files, followed back through their renames."""

    past: dict[str, PageHistory]
    births: dict[str, str]
    """The commits that created files, by the path at that time."""
    shallow: bool
    """Whether some history ends where a shallow clone does."""


def head_state(folder: str | PathLike[str]) -> str:
    """Return a text that stays the same as long as `read` returns the same for a folder's pages.

    It is empty where git has no answer.
    """
    try:
        place = git.locate(folder)
    except GitError:
        return ""
    if not place.shallow:
        return place.head
    return f"{place.head}-{sha256(' '.join(sorted(place.shallow)).encode()).hexdigest()[:16]}"


def head_date(folder: str | PathLike[str]) -> str:
    """Return the date of the last commit in the repository of a folder.

    Returns:
        The committer's date in ISO 8601 with a zone; empty where git has no answer.
    """
    try:
        date = git.run_git(folder, "log", "-1", "--no-color", "--format=%cI")
    except GitError:
        return ""
    return parse_date(date.strip())


def read(files: Iterable[str | PathLike[str]], *, dates: CommitDate = "author") -> History:
    """Return the commits that touched each of some files, under this name or an earlier one.

    Merges are left out. Git is run a few times, however many files there are: more often for many
    commits, for pages that came from outside the folder that holds them all, and for several
    repositories.
    """
    files = list(files)
    repositories = git.repositories(files)
    past: dict[str, PageHistory] = {}
    notices = ["the pages are in no git repository"] if files and not repositories else []
    shallow = False
    for top, paths in sorted(repositories.items()):
        history = _read_repository(top, paths, dates)
        past |= history.past
        shallow |= history.shallow
        notices += filter(None, [history.notice])
    return History(past, shallow, "; ".join(notices))


def _read_repository(top: str, paths: Mapping[str, str], dates: CommitDate) -> History:
    """Return the histories of files in the repository with a top folder."""
    try:
        place = git.locate(top)
        inside = {file: place.prefix + path for file, path in paths.items()}
        root = f"{top}/".removesuffix(place.prefix)  # a higher one if this `.git` is no repository
        trail = _trail(root, set(inside.values()), place.shallow, dates)
    except GitError as error:
        return History({}, notice=str(error))
    past = {file: trail.past[path] for file, path in inside.items() if path in trail.past}
    return History(past, trail.shallow)


def _trail(top: str, paths: set[str], shallow: Container[str], dates: CommitDate) -> _Trail:
    """Return the histories of files in their common folder, and in the folders they came from.

    To read the changes in one folder is several times as fast as to read all of each commit.
    """
    names = git.run_git(top, "rev-list", "--no-merges", "--date-order", "HEAD", "--").split()
    rank = {name: number for number, name in enumerate(names)}
    folders = {posixpath.commonpath(map(posixpath.dirname, paths)) or "."}
    log: list[Commit] = []
    start = 0
    for _ in range(_ROUNDS):
        older = commits(top, names[start:], sorted(folders), dates=dates)
        log = [*(commit for commit in log if rank[commit.name] < start), *older]
        trail = _follow(log, paths, shallow)
        if "." in folders:  # the whole repository
            break
        # Files that seem to be created, but came from another folder, or from the top.
        moves = [
            (commit.name, posixpath.dirname(change.old) or change.old)
            for commit in renames(top, sorted(set(trail.births.values())))
            for change in commit.changes
            if trail.births.get(change.path) == commit.name
        ]
        moves = [(commit, origin) for commit, origin in moves if origin not in folders]
        if not moves:
            break
        folders |= {origin for _, origin in moves}
        start = min(rank[commit] for commit, _ in moves)
    return trail


def _follow(commits: Iterable[Commit], paths: Iterable[str], shallow: Container[str]) -> _Trail:
    """Follow the files at these paths back in time, through their renames."""
    dates: dict[str, list[str]] = {path: [] for path in paths}
    births: dict[str, tuple[str, str]] = {}
    present = {path: path for path in dates}  # the present path of a file, by its path at the time
    is_cut = False
    for commit in commits:
        renamed: dict[str, str] = {}
        gone: set[str] = set()
        for change in commit.changes:
            path = present.get(change.path)
            if change.old != change.path:
                gone |= {change.old, change.path}  # a file of the old name is a later one
            if path is None:
                continue
            births.pop(path, None)
            if commit.name in shallow or (change.status == "D" and not dates[path]):
                # Where a shallow clone ends, a commit seems to add all files; or the page is gone.
                gone.add(change.path)
                is_cut |= commit.name in shallow
                continue
            dates[path].append(commit.date)
            if change.status == "A" and commit.date:
                births[path] = (change.path, commit.name)
            elif change.old != change.path:
                renamed[change.old] = path
        for name in gone:
            present.pop(name, None)
        present.update(renamed)
    past = {
        path: PageHistory(list(filter(None, page_dates)), path in births)
        for path, page_dates in dates.items()
        if any(page_dates)
    }
    return _Trail(past, dict(births.values()), is_cut)


NowSource: TypeAlias = Literal["option", "SOURCE_DATE_EPOCH", "git", "clock"]
VARIABLE: Final = "SOURCE_DATE_EPOCH"


class Now(NamedTuple):
    """The moment that counts as now."""

    moment: datetime
    """With a zone."""
    origin: NowSource
    """Where it comes from."""


def now(stated: str, folder: Path | None) -> Now:
    """Return the time for the pages in a folder.

    Args:
        stated: A date in ISO 8601, the value of the option `now`; empty for none. Then the time is
            that of the variable `SOURCE_DATE_EPOCH`, else of git's HEAD, else of the clock.
        folder: Where git is run; None to leave git out.
    """
    if stated:
        try:
            return Now(parse_moment(stated), "option")
        except ValueError as error:
            msg = f"now must be a date in ISO 8601, not '{stated}'"
            raise OptionError(msg) from error
    epoch = os.environ.get(VARIABLE)
    if epoch:
        try:
            return Now(datetime.fromtimestamp(int(epoch), timezone.utc), VARIABLE)
        except (ValueError, OverflowError, OSError) as error:
            msg = f"{VARIABLE} must be a number of seconds since 1970, not '{epoch}'"
            raise OptionError(msg) from error
    head = "" if folder is None else head_date(folder)
    if head:
        return Now(datetime.fromisoformat(head), "git")
    return Now(datetime.now(timezone.utc), "clock")


MOST: Final = 10
"""How many names are returned."""
COMMITS: Final = 10
"""How many commits are read."""
_STATUS: Final = (
    *("status", "--porcelain=v1", "-z", "--untracked-files=all", "--no-renames"),
    "--ignore-submodules=all",
)


def recent_file_names(folder: Path | None, edited: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the names of the files of a folder that were touched last, the newest first.

    Args:
        folder: Where git is run: it lists changed and new files in its working tree or, if there
            are none, the files of the last commits. None to leave git out.
        edited: Paths of files that were edited, the newest first. If there are any, only they
            count.

    Returns:
        At most ten distinct names; none where git has no answer.
    """
    names = _names(edited)
    if names or folder is None:
        return names
    return _names(_changed(folder)) or _names(_committed(folder))


def enrich_query(query: str, names: Sequence[str]) -> str:
    """Return a query followed by the names of files; unchanged if there are none."""
    return f"{query}\n\n[Context: recently touched files: {', '.join(names)}]" if names else query


def _names(paths: Iterable[str]) -> tuple[str, ...]:
    """Return the names of files, each once."""
    plain = (" ".join(printable(PurePath(path).name).split()) for path in paths)
    return tuple(dict.fromkeys(filter(None, plain)))[:MOST]


def _changed(folder: Path) -> list[str]:
    """Return the files that are changed or new in the working tree, the newest first."""
    try:
        prefix = git.run_git(folder, "rev-parse", "--show-prefix").removesuffix("\n")
        status = git.run_git(
            folder, *_STATUS, "--", ".", settings=git.without_filters(folder, "clean")
        )
    except GitError:
        return []
    paths = [entry[3:].removeprefix(prefix) for entry in status.split("\0") if entry]
    times = {path: time for path in paths if (time := _time(folder / path)) is not None}
    return sorted(times, key=lambda path: (-times[path], path))


def _committed(folder: Path) -> list[str]:
    """Return the files that the last commits touched, the newest first.

    The commit at which a shallow clone ends is left out, since it seems to touch all files.
    """
    try:
        shallow = git.locate(folder).shallow
        commits = [commit for commit in latest(folder, COMMITS) if commit.name not in shallow]
    except GitError:
        return []
    return [change.path for commit in commits for change in commit.changes]


def _time(file: Path) -> int | None:
    """Return when a file was changed, in ns; None where there is no regular file."""
    try:
        status = file.lstat()
    except OSError:
        return None
    return status.st_mtime_ns if S_ISREG(status.st_mode) else None
