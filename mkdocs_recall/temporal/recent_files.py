"""Which files were touched last, as their names: a hint at what a question is about.

Only names of files are told, without their folders, and no character that is not printed.
"""

from __future__ import annotations

from pathlib import Path, PurePath
from stat import S_ISREG
from typing import TYPE_CHECKING, Final

from mkdocs_recall.temporal import git
from mkdocs_recall.temporal.commits import latest
from mkdocs_recall.temporal.git import GitError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

MOST: Final = 10
"""How many names are told."""
COMMITS: Final = 10
"""How many commits are looked at."""
_STATUS: Final = (
    *("status", "--porcelain=v1", "-z", "--untracked-files=all", "--no-renames"),
    "--ignore-submodules=all",
)


def recent_file_names(folder: Path | None, edited: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the names of the files of a folder that were touched last, the newest first.

    Args:
        folder: Where git is asked: for what is changed or new in its working tree, else for what
            the last commits touched; None to ask it not.
        edited: Paths of files that were edited, the newest first. If there are any, they are it.

    Returns:
        At most ten distinct names; none where nothing is known.
    """
    names = _names(edited)
    if names or folder is None:
        return names
    return _names(_changed(folder)) or _names(_committed(folder))


def enrich_query(query: str, names: Sequence[str]) -> str:
    """Return a query with the names of files behind it; unchanged if there are none."""
    return f"{query}\n\n[Context: recently touched files: {', '.join(names)}]" if names else query


def _names(paths: Iterable[str]) -> tuple[str, ...]:
    """Return the names of files, each once."""
    names = dict.fromkeys(filter(None, (_printed(PurePath(path).name) for path in paths)))
    return tuple(names)[:MOST]


def _printed(name: str) -> str:
    return " ".join("".join(c if c.isprintable() else " " for c in name).split())


def _changed(folder: Path) -> list[str]:
    """Return the files that are changed or new in the working tree, the newest first."""
    try:
        prefix = git.run_git(folder, "rev-parse", "--show-prefix").removesuffix("\n")
        status = git.run_git(folder, *_STATUS, "--", ".", settings=_without_filters(folder))
    except GitError:
        return []
    paths = [entry[3:].removeprefix(prefix) for entry in status.split("\0") if entry]
    times = {path: when for path in paths if (when := _time(folder / path)) is not None}
    return sorted(times, key=lambda path: (-times[path], path))


def _committed(folder: Path) -> list[str]:
    """Return the files that the last commits touched, the newest first.

    Where a shallow clone ends, a commit seems to touch all there is; it is left out.
    """
    try:
        shallow = git.locate(folder).shallow
        commits = [commit for commit in latest(folder, COMMITS) if commit.name not in shallow]
    except GitError:
        return []
    return [change.path for commit in commits for change in commit.changes]


def _without_filters(folder: Path) -> dict[str, str]:
    """Return the settings with which git compares files without starting a filter.

    Raises:
        GitError: Git has no answer.
    """
    names = git.run_git(folder, "config", "--list", "--name-only", "-z").split("\0")
    filters = {name.rpartition(".")[0] for name in names if name.startswith("filter.")}
    off = {"clean": "", "process": "", "required": "false"}
    return {f"{one}.{name}": value for one in sorted(filters) for name, value in off.items()}


def _time(file: Path) -> int | None:
    """Return when a file was changed, in ns; None for what is no file, or not there."""
    try:
        about = file.lstat()
    except OSError:
        return None
    return about.st_mtime_ns if S_ISREG(about.st_mode) else None
