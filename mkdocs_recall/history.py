"""What git knows of pages: the commits that touched each, whatever its name was then.

This is the only place that starts another program. Git is asked and nothing else: it changes
nothing, asks for no password, fetches nothing, and starts no pager, hook, filter or signature
check. Where there is no git, no repository, or git fails or takes too long, nothing is known; that
is never an error.

Dates are author dates, in ISO 8601 with the author's zone: when a change was written. The date of
the commit itself moves when a branch is rebased.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Mapping
    from os import PathLike

TIMEOUT: Final = 30.0  # seconds
_ALWAYS: Final = (
    *("--no-pager", "-c", "core.fsmonitor=false", "-c", "log.showSignature=false"),
    *("-c", "diff.relative=false"),
)
_ENVIRONMENT: Final = {
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
}
_COMMIT: Final = "commit "
_LOG: Final = (
    *("log", "--no-merges", "--full-history", "--date-order", "--no-color", "--no-ext-diff"),
    *("--no-textconv", "--name-status", "-z", f"--format={_COMMIT}%H %aI"),
)
_RENAMES: Final = ("--find-renames", "--find-renames=100%")
"""The second looks into no file: in a partial clone these are missing."""


class Past(NamedTuple):
    """What is known of one page. JSON makes a list of it, and `Past(*that)` is it again."""

    dates: list[str]
    """When each commit that touched the page was written, the newest commit first."""
    whole: bool
    """Whether the last of them made the page; else, in a shallow clone, older ones are missing."""


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


class _Place(NamedTuple):
    """Where in a repository a folder is."""

    head: str
    shallow: frozenset[str]
    """The commits of a shallow clone whose parents are missing."""
    prefix: str
    """The folder's path in the repository: empty, or with a slash at its end."""


def head(folder: str | PathLike[str]) -> str:
    """Return a text that stands for all that git can tell of the pages in a folder now.

    As long as it is the same, so is what `created` and `past` return. Empty where nothing is known.
    """
    place = _place(folder)
    if place is None or not place.shallow:
        return place.head if place else ""
    return f"{place.head}-{sha256(' '.join(sorted(place.shallow)).encode()).hexdigest()[:16]}"


def head_date(folder: str | PathLike[str]) -> str:
    """Return when the last commit was made in the repository that a folder lies in.

    Returns:
        The committer's date in ISO 8601 with a zone; empty where nothing is known.
    """
    told = _git(folder, "log", "-1", "--no-color", "--format=%cI")
    return (told or "").strip().replace("Z", "+00:00")


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
    """Return the commits that touched each of some files, under this name or an earlier one.

    Merges are left out. Git is asked once, however many files there are.

    Args:
        files: Paths of files in one repository.

    Returns:
        What is known, by path as it was given; files that git does not know are left out.
    """
    given = {os.fspath(file): os.path.realpath(file) for file in files}
    try:
        folder = os.path.commonpath([os.path.dirname(path) for path in given.values()])  # noqa: PTH120 - a string
    except ValueError:  # no files, or on different drives
        return {}
    place = _place(folder)
    if place is None:
        return {}
    inside = {
        path: place.prefix + Path(os.path.relpath(path, folder)).as_posix()
        for path in given.values()
    }
    for renames in _RENAMES:
        log = _git(folder, *_LOG, renames, "--", *_patterns(inside.values()))
        if log is not None:
            known = _follow(_commits(log), inside.values(), place.shallow)
            return {file: known[inside[p]] for file, p in given.items() if inside[p] in known}
    return {}


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


def _place(folder: str | PathLike[str]) -> _Place | None:
    told = _git(folder, "rev-parse", "HEAD", "--git-path", "shallow", "--show-prefix")
    if told is None:
        return None
    commit, shallow, prefix = told.split("\n", 2)
    try:
        ends = (Path(folder) / shallow).read_text("ascii").split()
    except (OSError, ValueError):
        ends = []
    return _Place(commit, frozenset(ends), prefix.removesuffix("\n"))


def _git(folder: str | PathLike[str], *arguments: str) -> str | None:
    """Return what git prints, or None if it fails."""
    program = shutil.which("git")
    if program is None or not Path(program).is_absolute():  # Windows looks in this folder first
        return None
    try:
        run = subprocess.run(  # noqa: S603 - git as found on PATH, and no shell
            [program, *_ALWAYS, *arguments],
            cwd=folder,
            env=_environment(os.environ),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=True,
            timeout=TIMEOUT,
        )
    except (OSError, ValueError, subprocess.SubprocessError):
        return None
    return os.fsdecode(run.stdout)


def _environment(own: Mapping[str, str]) -> dict[str, str]:
    """Return our environment without what a git that called us, as a hook, has set for itself."""
    kept = {
        name: value
        for name, value in own.items()
        if not name.startswith("GIT_") or name.startswith("GIT_CONFIG")
    }
    return {**kept, **_ENVIRONMENT}
