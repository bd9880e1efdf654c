"""What commits did to files, as git tells it."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from itertools import chain
from math import ceil
from typing import TYPE_CHECKING, Final, NamedTuple

from mkdocs_recall.temporal import git
from mkdocs_recall.temporal.git import GitError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from os import PathLike

    from mkdocs_recall.options import CommitDate

PART: Final = 1000
"""Of so many commits, at least, one git is asked …"""
_AT_ONCE: Final = 4
"""… and so many gits at most, each of about as many commits, at the same time."""
_COMMIT: Final = "commit "
_DATES: Final[dict[CommitDate, str]] = {"author": "%aI", "committer": "%cI"}
_NAMES: Final = ("--name-status", "-z", "--no-ext-diff", "--no-textconv")
_TREES: Final = ("--literal-pathspecs", "diff-tree", "--stdin", "-r", *_NAMES)
"""It looks into each commit once; `git log`, limited to a path, does so twice."""
_LATEST: Final = (
    *("log", "--no-merges", "--no-color", *_NAMES, "--no-renames", "--diff-filter=d"),
    "--relative",
)
_RENAMES: Final = ("--find-renames", "-l1000")
_EXACT_RENAMES: Final = "--find-renames=100%"
"""Git looks into no file: in a partial clone these are missing."""


class FileChange(NamedTuple):
    """What a commit did to a file."""

    status: str
    """As git has it: `A` for added, `M`, `D`, `R` for renamed …"""
    path: str
    old: str
    """What it was called before."""


class Commit(NamedTuple):
    """A commit that is no merge."""

    name: str
    date: str
    """In ISO 8601 with a zone; empty where it has an impossible one."""
    changes: list[FileChange]


def commit_names(folder: str) -> list[str]:
    """Return the names of all commits of HEAD that are no merges, the newest first.

    Raises:
        GitError: Git has no answer.
    """
    return git.run_git(folder, "rev-list", "--no-merges", "--date-order", "HEAD", "--").split()


def commits(
    top: str, names: Sequence[str], paths: Iterable[str], *, dates: CommitDate
) -> Iterator[Commit]:
    """Return what commits did to files.

    Args:
        top: The top folder of the repository.
        names: The names of the commits.
        paths: Of files, and of folders with all they hold; elsewhere, nothing is looked at.
        dates: Which date of a commit counts.

    Raises:
        GitError: Git has no answer.
    """
    return _changes(top, names, "--root", f"--format={_COMMIT}%H {_DATES[dates]}", paths=paths)


def renames(top: str, names: Sequence[str]) -> Iterator[Commit]:
    """Return which files commits renamed, wherever they are.

    Args:
        top: The top folder of the repository.
        names: The names of the commits.

    Raises:
        GitError: Git has no answer.
    """
    return _changes(top, names, "--diff-filter=R", f"--format={_COMMIT}%H %cI")


def _changes(
    top: str, names: Sequence[str], *arguments: str, paths: Iterable[str] = ()
) -> Iterator[Commit]:
    """Return what commits did, a part of them told by each of a few gits."""

    def log(part: Sequence[str]) -> str:
        told = "".join(f"{name}\n" for name in part)
        try:
            return git.run_git(top, *_TREES, *_RENAMES, *arguments, "--", *paths, told=told)
        except GitError:
            return git.run_git(top, *_TREES, _EXACT_RENAMES, *arguments, "--", *paths, told=told)

    size = max(PART, ceil(len(names) / _AT_ONCE))
    parts = [names[start : start + size] for start in range(0, len(names), size)]
    with ThreadPoolExecutor(max_workers=_AT_ONCE) as pool:
        logs = list(pool.map(log, parts))
    return chain.from_iterable(map(_commits, logs))


def latest(folder: str | PathLike[str], count: int) -> Iterator[Commit]:
    """Return the last commits that touched files of a folder, the newest first.

    The paths are relative to the folder; files that a commit deleted are not among them.

    Raises:
        GitError: Git has no answer.
    """
    arguments = (*_LATEST, f"--max-count={count}", f"--format={_COMMIT}%H %cI")
    return _commits(git.run_git(folder, *arguments, "--", "."))


def _commits(log: str) -> Iterator[Commit]:
    """Read what git prints: `commit NAME DATE`, then a status and a path or two, and so on.

    All end with a NUL; git puts a line end before the first status of a commit.
    """
    fields = iter(log.split("\0"))
    commit = Commit("", "", [])
    for field in fields:
        what = field.lstrip("\n")
        if what.startswith(_COMMIT):
            if commit.changes:
                yield commit
            name, date = what.removeprefix(_COMMIT).split(" ")
            commit = Commit(name, parse_date(date), [])
        elif what:
            old = path = next(fields)
            if what[0] == "R":
                path = next(fields)
            commit.changes.append(FileChange(what[0], path, old))
    if commit.changes:
        yield commit


def parse_date(date: str) -> str:
    """Return a date as Python reads it, also before 3.11; empty for one that it does not read."""
    date = date.replace("Z", "+00:00")
    try:
        datetime.fromisoformat(date)
    except ValueError:
        return ""
    return date
