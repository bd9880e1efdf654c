"""The only place that starts another program: git, which is asked and changes nothing.

Git asks for no password, fetches nothing, and starts no pager, hook, filter or signature check.
Where it has no answer, the reason is told in words, with what helps; that is never a fault of the
site.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Final, NamedTuple

from mkdocs_recall.errors import RecallError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from os import PathLike

TIMEOUT: Final = 30.0  # seconds
_ALWAYS: Final = (
    *("--no-pager", "-c", "core.fsmonitor=false", "-c", "log.showSignature=false"),
    *("-c", "diff.relative=false", "-c", "core.deltaBaseCacheLimit=8m"),
    *("-c", "safe.bareRepository=explicit"),
)
"""What settings of a user must not change. Trees of a history are hardly read twice: no need to
keep 96 MB of them. A pull request may bring the files of a bare repository, and its settings."""
_ENVIRONMENT: Final = {
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_FLUSH": "0",  # not after each commit
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
}


class RepositoryLocation(NamedTuple):
    """Where in a repository a folder is."""

    head: str
    """The last commit."""
    shallow: frozenset[str]
    """The commits of a shallow clone whose parents are missing."""
    prefix: str
    """The folder's path in the repository: empty, or with a slash at its end."""


class GitError(RecallError):
    """Git has no answer; the text says why, and what helps."""


def run_git(
    folder: str | PathLike[str],
    *arguments: str,
    told: str = "",
    settings: Mapping[str, str] | None = None,
) -> str:
    """Return what git prints.

    Args:
        folder: Where it is asked.
        arguments: What it is asked.
        told: What it reads.
        settings: Settings of git that hold for this question, beside those that always do.

    Raises:
        GitError: Git fails, or is not there.
    """
    program = shutil.which("git")
    if program is None or not os.path.isabs(program):  # noqa: PTH117 - Windows looks in this folder first
        msg = "git is not installed, or in no folder of PATH"
        raise GitError(msg)
    try:
        run = subprocess.run(  # noqa: S603 - git as found on PATH, and no shell
            [program, *_ALWAYS, *arguments],
            cwd=folder,
            env=_environment(os.environ, settings or {}),
            input=os.fsencode(told),
            capture_output=True,
            check=True,
            timeout=TIMEOUT,
        )
    except subprocess.CalledProcessError as error:
        raise GitError(_reason(folder, os.fsdecode(error.stderr))) from error
    except subprocess.TimeoutExpired as error:
        msg = f"git took more than {TIMEOUT:g} s"
        raise GitError(msg) from error
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        msg = f"git cannot be asked in '{os.fspath(folder)}': {error}"
        raise GitError(msg) from error
    return os.fsdecode(run.stdout)


def locate(folder: str | PathLike[str]) -> RepositoryLocation:
    """Return where in a repository a folder is.

    Raises:
        GitError: It is in none, or there is no commit yet.
    """
    told = run_git(folder, "rev-parse", "HEAD", "--git-path", "shallow", "--show-prefix")
    commit, shallow, prefix = told.split("\n", 2)
    try:
        ends = (Path(folder) / shallow).read_text("ascii").split()
    except (OSError, ValueError):
        ends = []
    return RepositoryLocation(commit, frozenset(ends), prefix.removesuffix("\n"))


def repositories(files: Iterable[str | PathLike[str]]) -> dict[str, dict[str, str]]:
    """Return files by the top folder of their repository: as they were given → path in there.

    It is found without asking git. Files that are in none, such as those that a plugin has made
    elsewhere, are left out.
    """
    tops: dict[str, str] = {}
    places: dict[str, tuple[str, str]] = {}
    found: dict[str, dict[str, str]] = {}
    for file in files:
        path = os.fspath(file)
        if os.path.islink(path):  # noqa: PTH114 - for many files, strings are twice as fast
            path = os.path.realpath(path)
        folder, name = os.path.split(path)
        if folder not in places:
            real = os.path.realpath(folder)
            top = _top(real, tops)
            inside = Path(real).relative_to(top).as_posix() if top else ""
            places[folder] = top, f"{inside}/".removeprefix("./")
        top, prefix = places[folder]
        if top:
            found.setdefault(top, {})[os.fspath(file)] = prefix + name
    return found


def _top(folder: str, known: dict[str, str]) -> str:
    """Return the nearest folder that holds `.git`, at or above this one; empty if none does."""
    if folder not in known:
        above = str(Path(folder).parent)
        if os.path.lexists(f"{folder}/.git"):
            known[folder] = folder
        else:
            known[folder] = "" if above == folder else _top(above, known)
    return known[folder]


def _reason(folder: str | PathLike[str], said: str) -> str:
    """Return in words why git failed."""
    if "safe.directory" in said:
        top = next(iter(repositories([Path(folder, "file")])), os.fspath(folder))
        return (
            f"git does not read '{top}', for it belongs to another user; if you trust it: "
            f"git config --global --add safe.directory {quote(top)}"
        )
    if "not a git repository" in said:
        return f"'{os.fspath(folder)}' is in no git repository"
    if "does not have any commits" in said or "unknown revision" in said:
        return "the git repository has no commits yet"
    line = next((line for line in said.splitlines() if line.strip()), "it does not say why")
    return f"git failed: {''.join(filter(str.isprintable, line))}"


def _environment(own: Mapping[str, str], settings: Mapping[str, str]) -> dict[str, str]:
    """Return our environment, with settings of git.

    What a git that called us, as a hook, has set for itself is left out.
    """
    kept = {
        name: value
        for name, value in own.items()
        if not name.startswith("GIT_") or name.startswith("GIT_CONFIG")
    }
    stated = own.get("GIT_CONFIG_COUNT", "")
    count = int(stated) if stated.isdecimal() else 0
    for number, (name, value) in enumerate(settings.items(), count):
        kept[f"GIT_CONFIG_KEY_{number}"] = name
        kept[f"GIT_CONFIG_VALUE_{number}"] = value
    return {**kept, **_ENVIRONMENT, "GIT_CONFIG_COUNT": str(count + len(settings))}
