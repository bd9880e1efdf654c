"""The names of the files that were touched last: a hint at the subject of a query.

The names come without their folders, and without characters that cannot be printed.
"""

from __future__ import annotations

from pathlib import Path, PurePath
from stat import S_ISREG
from typing import TYPE_CHECKING, Final

from mkdocs_recall import git
from mkdocs_recall.git import GitError
from mkdocs_recall.temporal.commits import latest

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

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
    names = dict.fromkeys(filter(None, (_printable(PurePath(path).name) for path in paths)))
    return tuple(names)[:MOST]


def _printable(name: str) -> str:
    return " ".join("".join(c if c.isprintable() else " " for c in name).split())


def _changed(folder: Path) -> list[str]:
    """Return the files that are changed or new in the working tree, the newest first."""
    try:
        prefix = git.run_git(folder, "rev-parse", "--show-prefix").removesuffix("\n")
        status = git.run_git(folder, *_STATUS, "--", ".", settings=_without_filters(folder))
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


def _without_filters(folder: Path) -> dict[str, str]:
    """Return the settings with which git compares files without starting a filter."""
    names = git.run_git(folder, "config", "--list", "--name-only", "-z").split("\0")
    filters = {name.rpartition(".")[0] for name in names if name.startswith("filter.")}
    off = {"clean": "", "process": "", "required": "false"}
    return {f"{key}.{name}": value for key in sorted(filters) for name, value in off.items()}


def _time(file: Path) -> int | None:
    """Return when a file was changed, in ns; None where there is no regular file."""
    try:
        status = file.lstat()
    except OSError:
        return None
    return status.st_mtime_ns if S_ISREG(status.st_mode) else None
