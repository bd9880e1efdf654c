"""What git knows of pages: the commits that touched each, whatever its name was then.

Where there is no git, no repository, or git fails or takes too long, nothing is known; that is
never an error.

A commit has two dates, in ISO 8601 with a zone: the author's, when a change was written, and the
committer's, when it was put where it is, which moves when a branch is rebased.
"""

from __future__ import annotations

import posixpath
from hashlib import sha256
from typing import TYPE_CHECKING, Final, NamedTuple

from mkdocs_recall.temporal import git
from mkdocs_recall.temporal.commits import commit_names, commits, parse_date, renames
from mkdocs_recall.temporal.git import GitError

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Mapping
    from os import PathLike

    from mkdocs_recall.options import CommitDate
    from mkdocs_recall.temporal.commits import Commit

_HOMES: Final = 4
"""How often pages are looked for in yet another folder that they came from."""


class PageHistory(NamedTuple):
    """What is known of one page. JSON makes a list of it, and `Past(*that)` is it again."""

    dates: list[str]
    """When each commit that touched the page was made, the newest commit first."""
    whole: bool
    """Whether the last of them made the page; else, in a shallow clone, older ones are missing."""


class History(NamedTuple):
    """What is known of some pages."""

    past: dict[str, PageHistory]
    """By path as it was given; files that git does not know are left out."""
    shallow: bool = False
    """Whether commits of these pages are missing, for the clone is shallow."""
    notice: str = ""
    """Why nothing is known of pages, and what helps, in words; empty where git has answered."""


class _Move(NamedTuple):
    """A file came from another folder."""

    commit: str
    home: str
    """That folder; the file itself, where it lay in the top folder of the repository."""


class _Trail(NamedTuple):
    """What was found by going back in time."""

    past: dict[str, PageHistory]
    born: dict[str, str]
    """The commits that made files, by what these were called then."""
    cut: bool
    """Whether it ended for some file where a shallow clone does."""


def head_state(folder: str | PathLike[str]) -> str:
    """Return a text that stands for all that git can tell of the pages in a folder now.

    As long as it is the same, so is what `created` and `read_histories` return. Empty where nothing
    is known.
    """
    try:
        place = git.locate(folder)
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
        told = git.run_git(folder, "log", "-1", "--no-color", "--format=%cI")
    except GitError:
        return ""
    return parse_date(told.strip())


def created(files: Iterable[str | PathLike[str]]) -> dict[str, str]:
    """Return when each of some files was created: the date of the first commit that has it.

    Args:
        files: Paths of files.

    Returns:
        Dates in ISO 8601 with a zone, by path as it was given. Files that git does not know, or
        whose first commit a shallow clone lacks, are left out.
    """
    return {file: known.dates[-1] for file, known in read_histories(files).items() if known.whole}


def read_histories(files: Iterable[str | PathLike[str]]) -> dict[str, PageHistory]:
    """Return when the commits that touched each of some files were written, as `read` does."""
    return read(files).past


def read(files: Iterable[str | PathLike[str]], *, dates: CommitDate = "author") -> History:
    """Return the commits that touched each of some files, under this name or an earlier one.

    Merges are left out. However many files there are, git is asked a few times: more often if there
    are many commits, if pages came from outside the folder that holds them all, or if they lie in
    several repositories.

    Args:
        files: Paths of files.
        dates: Which date of a commit counts.
    """
    files = list(files)
    repositories = git.repositories(files)
    past: dict[str, PageHistory] = {}
    notices = ["the pages are in no git repository"] if files and not repositories else []
    cut = False
    for top, given in sorted(repositories.items()):
        known = _known(top, given, dates)
        past |= known.past
        cut |= known.shallow
        notices += filter(None, [known.notice])
    return History(past, cut, "; ".join(notices))


def _known(top: str, given: Mapping[str, str], dates: CommitDate) -> History:
    """Return what is known of files in one repository, given with their paths in it."""
    try:
        place = git.locate(top)
        inside = {file: place.prefix + path for file, path in given.items()}
        root = f"{top}/".removesuffix(place.prefix)  # another one where `.git` is no repository
        trail = _trail(root, set(inside.values()), place.shallow, dates)
    except GitError as error:
        return History({}, notice=str(error))
    past = {file: trail.past[path] for file, path in inside.items() if path in trail.past}
    return History(past, trail.cut)


def _trail(top: str, paths: set[str], shallow: Container[str], dates: CommitDate) -> _Trail:
    """Return what happened to files in the folder that holds all, and in those they came from.

    To look at one folder is several times as fast as to look at all that a commit touched.

    Raises:
        GitError: Git has no answer.
    """
    every = commit_names(top)
    rank = {name: number for number, name in enumerate(every)}
    homes = {posixpath.commonpath(map(posixpath.dirname, paths)) or "."}
    known: list[Commit] = []
    since = 0
    for _ in range(_HOMES):
        older = commits(top, every[since:], sorted(homes), dates=dates)
        known = [*(commit for commit in known if rank[commit.name] < since), *older]
        trail = _follow(known, paths, shallow)
        if "." in homes:  # all there is
            break
        moves = [move for move in _moves(top, trail.born) if move.home not in homes]
        if not moves:
            break
        homes |= {move.home for move in moves}
        since = min(rank[move.commit] for move in moves)
    return trail


def _moves(top: str, born: Mapping[str, str]) -> Iterator[_Move]:
    """Return the moves of files that only seem to be made, for they came from another folder.

    Raises:
        GitError: Git has no answer.
    """
    for commit in renames(top, sorted(set(born.values()))):
        for change in commit.changes:
            if born.get(change.path) == commit.name:
                yield _Move(commit.name, posixpath.dirname(change.old) or change.old)


def _follow(commits: Iterable[Commit], paths: Iterable[str], shallow: Container[str]) -> _Trail:
    """Go back in time, and return what happened to the files that now have these paths."""
    dates: dict[str, list[str]] = {path: [] for path in paths}
    born: dict[str, tuple[str, str]] = {}
    now = {path: path for path in dates}  # what a path of then is called now
    cut = False
    for commit in commits:
        renamed: dict[str, str] = {}
        gone: set[str] = set()
        for change in commit.changes:
            path = now.get(change.path)
            if change.old != change.path:
                gone |= {change.old, change.path}  # who has the old name now got it later
            if path is None:
                continue
            born.pop(path, None)
            if commit.name in shallow or (change.status == "D" and not dates[path]):
                gone.add(change.path)  # it seems to add all that it has; or the page is no more
                cut |= commit.name in shallow
                continue
            dates[path].append(commit.date)
            if change.status == "A" and commit.date:
                born[path] = (change.path, commit.name)
            elif change.old != change.path:
                renamed[change.old] = path
        for name in gone:
            now.pop(name, None)
        now.update(renamed)
    past = {
        path: PageHistory(list(filter(None, known)), path in born)
        for path, known in dates.items()
        if any(known)
    }
    return _Trail(past, dict(born.values()), cut)
