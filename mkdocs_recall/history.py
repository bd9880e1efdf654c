"""What git knows of pages: the commits that touched each, whatever its name was then.

Where there is no git, no repository, or git fails or takes too long, nothing is known; that is
never an error.

A commit has two dates, in ISO 8601 with a zone: the author's, when a change was written, and the
committer's, when it was put where it is, which moves when a branch is rebased.
"""

from __future__ import annotations

import os
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from mkdocs_recall import git
from mkdocs_recall.git import GitError

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator
    from os import PathLike

    from mkdocs_recall.factors import CommitDate

LAST: Final = 10
"""How many commits are the last ones."""
_COMMIT: Final = "commit "
_LOG: Final = (
    *("log", "--no-merges", "--full-history", "--date-order", "--no-color", "--no-ext-diff"),
    *("--no-textconv", "--name-status", "-z"),
)
_DATES: Final[dict[CommitDate, str]] = {"author": "%aI", "committer": "%cI"}


class Past(NamedTuple):
    """What is known of one page. JSON makes a list of it, and `Past(*that)` is it again."""

    dates: list[str]
    """When each commit that touched the page was made, the newest commit first."""
    whole: bool
    """Whether the last of them made the page; else, in a shallow clone, older ones are missing."""


class History(NamedTuple):
    """What is known of some pages."""

    past: dict[str, Past]
    """By path as it was given; files that git does not know are left out."""
    shallow: bool = False
    """Whether commits of these pages are missing, for the clone is shallow."""
    notice: str = ""
    """Why nothing is known, and what helps, in words; empty where something is."""


class _Change(NamedTuple):
    """What a commit did to a file."""

    status: str
    """As git has it: `A` for added, `M`, `D`, `R` for renamed …"""
    path: str
    old: str
    """What it was called before."""


class _Commit(NamedTuple):
    name: str
    date: str
    changes: list[_Change]


def head(folder: str | PathLike[str]) -> str:
    """Return a text that stands for all that git can tell of the pages in a folder now.

    As long as it is the same, so is what `created` and `past` return. Empty where nothing is known.
    """
    try:
        place = git.place(folder)
    except GitError:
        return ""
    if not place.shallow:
        return place.head
    return f"{place.head}-{sha256(' '.join(sorted(place.shallow)).encode()).hexdigest()[:16]}"


def head_date(folder: str | PathLike[str]) -> str:
    """Return when the last commit was made in the repository that a folder lies in.

    Returns:
        The committer's date in ISO 8601 with a zone; empty where nothing is known.
    """
    try:
        told = git.ask(folder, "log", "-1", "--no-color", "--format=%cI")
    except GitError:
        return ""
    return told.strip().replace("Z", "+00:00")


def created(files: Iterable[str | PathLike[str]]) -> dict[str, str]:
    """Return when each of some files was created: the date of the first commit that has it.

    Args:
        files: Paths of files in one repository.

    Returns:
        Dates in ISO 8601 with a zone, by path as it was given. Files that git does not know, or
        whose first commit a shallow clone lacks, are left out.
    """
    return {file: known.dates[-1] for file, known in past(files).items() if known.whole}


def past(files: Iterable[str | PathLike[str]]) -> dict[str, Past]:
    """Return when the commits that touched each of some files were written, as `read` does."""
    return read(files).past


def latest(folder: str | PathLike[str]) -> list[str]:
    """Return the files of a folder that its last commits touched, the newest first.

    Returns:
        Paths relative to the folder; none where nothing is known.
    """
    arguments = (*_LOG, "--no-renames", "--diff-filter=d", "--relative", f"--max-count={LAST}")
    try:
        shallow = git.place(folder).shallow
        log = git.ask(folder, *arguments, f"--format={_COMMIT}%H %cI", "--", ".")
    except GitError:
        return []
    commits = (commit for commit in _commits(log) if commit.name not in shallow)
    return [change.path for commit in commits for change in commit.changes]


def read(files: Iterable[str | PathLike[str]], *, dates: CommitDate = "author") -> History:
    """Return the commits that touched each of some files, under this name or an earlier one.

    Merges are left out. Git is asked once, however many files there are.

    Args:
        files: Paths of files in one repository.
        dates: Which date of a commit counts.
    """
    given = {os.fspath(file): os.path.realpath(file) for file in files}
    try:
        folder = os.path.commonpath([os.path.dirname(path) for path in given.values()])  # noqa: PTH120 - a string
    except ValueError:  # no files, or on different drives
        return History({}, notice="the pages are in no common folder" if given else "")
    try:
        place = git.place(folder)
        inside = {
            path: place.prefix + Path(os.path.relpath(path, folder)).as_posix()
            for path in given.values()
        }
        log = _log(folder, inside.values(), dates)
    except GitError as error:
        return History({}, notice=str(error))
    known = _follow(_commits(log), inside.values(), place.shallow)
    return History(
        {file: known[inside[p]] for file, p in given.items() if inside[p] in known},
        shallow=bool(place.shallow),
    )


def _log(folder: str, paths: Iterable[str], dates: CommitDate) -> str:
    """Return what `git log` prints of some paths.

    Raises:
        GitError: It fails.
    """
    arguments = (*_LOG, f"--format={_COMMIT}%H {_DATES[dates]}")
    patterns = _patterns(paths)
    try:
        return git.ask(folder, *arguments, "--find-renames", "--", *patterns)
    except GitError:  # in a partial clone files are missing; the same ones are found without them
        return git.ask(folder, *arguments, "--find-renames=100%", "--", *patterns)


def _patterns(paths: Iterable[str]) -> list[str]:
    """Return what names all files of the same kinds: a page may have come from another folder."""
    suffixes = {Path(path).suffix for path in paths}
    if all(suffix[1:].isalnum() for suffix in suffixes):
        return [f":(top)*{suffix}" for suffix in sorted(suffixes)]
    return [":(top)"]


def _follow(
    commits: Iterable[_Commit], paths: Iterable[str], shallow: Container[str]
) -> dict[str, Past]:
    """Go back in time, and return what happened to the files that now have these paths."""
    dates: dict[str, list[str]] = {path: [] for path in paths}
    whole: set[str] = set()
    now = {path: path for path in dates}  # what a path of then is called now
    for commit in commits:
        renamed: dict[str, str] = {}
        gone: set[str] = set()
        for change in commit.changes:
            path = now.get(change.path)
            if change.old != change.path:
                gone |= {change.old, change.path}  # who has the old name now got it later
            if path is None:
                continue
            whole.discard(path)
            if commit.name in shallow or (change.status == "D" and not dates[path]):
                gone.add(change.path)  # it seems to add all that it has; or the page is no more
                continue
            dates[path].append(commit.date)
            if change.status == "A":
                whole.add(path)
            elif change.old != change.path:
                renamed[change.old] = path
        for name in gone:
            now.pop(name, None)
        now.update(renamed)
    return {path: Past(known, path in whole) for path, known in dates.items() if known}


def _commits(log: str) -> Iterator[_Commit]:
    """Read what `git log` prints: `commit NAME DATE`, then a status and a path or two, and so on.

    All end with a NUL; git puts a line end before the first status of a commit.
    """
    fields = iter(log.split("\0"))
    commit = _Commit("", "", [])
    for field in fields:
        what = field.lstrip("\n")
        if what.startswith(_COMMIT):
            if commit.changes:
                yield commit
            name, date = what.removeprefix(_COMMIT).split(" ")
            commit = _Commit(name, date.replace("Z", "+00:00"), [])
        elif what:
            old = path = next(fields)
            if what[0] == "R":
                path = next(fields)
            commit.changes.append(_Change(what[0], path, old))
    if commit.changes:
        yield commit
