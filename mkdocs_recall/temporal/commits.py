"""The changes that commits made to files, read from git's output."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from itertools import chain
from math import ceil
from typing import TYPE_CHECKING, Final, NamedTuple

from mkdocs_recall import git
from mkdocs_recall.git import GitError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
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


def commit_names(folder: str) -> list[str]:
    """Return the names of all commits of HEAD that are no merges, the newest first."""
    return git.run_git(folder, "rev-list", "--no-merges", "--date-order", "HEAD", "--").split()


def commits(
    top: str, names: Sequence[str], paths: Iterable[str], *, dates: CommitDate
) -> Iterator[Commit]:
    """Return the changes that commits made to files.

    Args:
        top: The top folder of the repository.
        paths: Files and folders; git does not look elsewhere.
    """
    return _changes(top, names, "--root", f"--format={_COMMIT}%H {_DATES[dates]}", paths=paths)


def renames(top: str, names: Sequence[str]) -> Iterator[Commit]:
    """Return the renames that commits made in the whole repository.

    Args:
        top: The top folder of the repository.
    """
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
