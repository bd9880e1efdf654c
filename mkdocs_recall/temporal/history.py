"""The histories of pages: the dates of the commits that touched each, also under earlier names.

Without git or a repository, or where git fails or takes too long, histories are empty; that is
never an error.

A commit has two dates, in ISO 8601 with a zone: the author's, when the change was written, and the
committer's, when it was applied, which moves when a branch is rebased.
"""

from __future__ import annotations

import posixpath
from hashlib import sha256
from typing import TYPE_CHECKING, Final, NamedTuple

from mkdocs_recall import git
from mkdocs_recall.git import GitError
from mkdocs_recall.temporal.commits import commit_names, commits, parse_date, renames

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Mapping
    from os import PathLike

    from mkdocs_recall.options import CommitDate
    from mkdocs_recall.temporal.commits import Commit

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


class _Move(NamedTuple):
    """A move of a file from another folder."""

    commit: str
    origin: str
    """That folder; the file itself if it was in the top folder of the repository."""


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


def created(files: Iterable[str | PathLike[str]]) -> dict[str, str]:
    """Return when each of some files was created: the date of the first commit that has it.

    Returns:
        Dates in ISO 8601 with a zone, by path as passed. Files that git does not know, or whose
        first commit a shallow clone lacks, are left out.
    """
    histories = read_histories(files)
    return {file: history.dates[-1] for file, history in histories.items() if history.whole}


def read_histories(files: Iterable[str | PathLike[str]]) -> dict[str, PageHistory]:
    """Return the author's dates of the commits that touched each of some files: see `read`."""
    return read(files).past


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
    """Return the histories of files in one repository.

    Args:
        top: Its top folder.
    """
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
    names = commit_names(top)
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
        moves = [move for move in _moves(top, trail.births) if move.origin not in folders]
        if not moves:
            break
        folders |= {move.origin for move in moves}
        start = min(rank[move.commit] for move in moves)
    return trail


def _moves(top: str, births: Mapping[str, str]) -> Iterator[_Move]:
    """Yield the moves of files that seem to be created, but came from another folder."""
    for commit in renames(top, sorted(set(births.values()))):
        for change in commit.changes:
            if births.get(change.path) == commit.name:
                yield _Move(commit.name, posixpath.dirname(change.old) or change.old)


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
