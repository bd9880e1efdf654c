"""Git, run read-only: the only module that starts another program.

Git prompts for no password, fetches nothing, and starts no pager, hook, filter or signature check.
If it fails, the error states the reason and a remedy; the site itself is never at fault.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterable, Mapping
from os import PathLike
from pathlib import Path
from shlex import quote
from typing import Final, NamedTuple

from mkdocs_recall.errors import RecallError

TIMEOUT: Final = 30.0  # seconds
_ALWAYS: Final = (
    *("--no-pager", "-c", "core.fsmonitor=false", "-c", "log.showSignature=false"),
    *("-c", "diff.relative=false", "-c", "core.deltaBaseCacheLimit=8m"),
    *("-c", "safe.bareRepository=explicit"),
)
"""Settings that override the user's own. Git seldom reads a tree twice, so it need not cache 96 MB
of them. A pull request may bring a bare repository and its settings."""
_ENVIRONMENT: Final = {
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_FLUSH": "0",  # not after each commit
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
}


class RepositoryLocation(NamedTuple):
    """The place of a folder in a repository."""

    head: str
    shallow: frozenset[str]
    """The commits of a shallow clone whose parents are missing."""
    prefix: str
    """The folder's path in the repository: empty, or with a slash at its end."""


class GitError(RecallError):
    """Git has no answer; the text states the reason and a remedy."""


def run_git(
    folder: str | PathLike[str],
    *arguments: str,
    stdin: str = "",
    settings: Mapping[str, str] | None = None,
) -> str:
    """Return the output of git, run in a folder, as text."""
    program = shutil.which("git")
    if program is None or not os.path.isabs(program):  # noqa: PTH117 - Windows may find a git.exe in the working directory
        raise GitError("git is not installed, or is not on PATH")
    try:
        run = subprocess.run(  # noqa: S603 - git as found on PATH, and no shell
            [program, *_ALWAYS, *arguments],
            cwd=folder,
            env=_environment(os.environ, settings or {}),
            input=os.fsencode(stdin),
            capture_output=True,
            check=True,
            timeout=TIMEOUT,
        )
    except subprocess.CalledProcessError as error:
        raise GitError(_reason(folder, os.fsdecode(error.stderr))) from error
    except subprocess.TimeoutExpired as error:
        raise GitError(f"git took more than {TIMEOUT:g} s") from error
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        raise GitError(f"git cannot be run in '{os.fspath(folder)}': {error}") from error
    return os.fsdecode(run.stdout)


def locate(folder: str | PathLike[str]) -> RepositoryLocation:
    """Return the place of a folder in its repository."""
    output = run_git(folder, "rev-parse", "HEAD", "--git-path", "shallow", "--show-prefix")
    head, shallow, prefix = output.split("\n", 2)
    try:
        ends = (Path(folder) / shallow).read_text("ascii").split()
    except (OSError, ValueError):
        ends = []
    return RepositoryLocation(head, frozenset(ends), prefix.removesuffix("\n"))


def without_filters(folder: str | PathLike[str], *steps: str) -> dict[str, str]:
    """Return the settings that turn off the user's filters."""
    names = run_git(folder, "config", "--list", "--name-only", "-z").split("\0")
    filters = {name.rpartition(".")[0] for name in names if name.startswith("filter.")}
    off = {**dict.fromkeys((*steps, "process"), ""), "required": "false"}
    return {f"{key}.{name}": value for key in sorted(filters) for name, value in off.items()}


def repositories(files: Iterable[str | PathLike[str]]) -> dict[str, dict[str, str]]:
    """Return files' paths in repositories, by top and given path."""
    tops: dict[str, str] = {}
    places: dict[str, tuple[str, str]] = {}
    paths: dict[str, dict[str, str]] = {}
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
            paths.setdefault(top, {})[os.fspath(file)] = prefix + name
    return paths


def _top(folder: str, tops: dict[str, str]) -> str:
    if folder not in tops:
        above = str(Path(folder).parent)
        if os.path.lexists(f"{folder}/.git"):
            tops[folder] = folder
        else:
            tops[folder] = "" if above == folder else _top(above, tops)
    return tops[folder]


def _reason(folder: str | PathLike[str], stderr: str) -> str:
    if "safe.directory" in stderr:
        top = next(iter(repositories([Path(folder, "file")])), os.fspath(folder))
        return (
            f"git does not read '{top}', because it belongs to another user; if you trust it: "
            f"git config --global --add safe.directory {quote(top)}"
        )
    if "not a git repository" in stderr:
        return f"'{os.fspath(folder)}' is not in a git repository"
    if "does not have any commits" in stderr or "unknown revision" in stderr:
        return "the git repository has no commits yet"
    if "lazy fetching" in stderr or "unable to read sha1 file" in stderr:
        return (
            "git has not fetched all files of these commits; this clone is partial: "
            "'git fetch --refetch --no-filter' fetches them"
        )
    if "bare repository" in stderr:
        return f"'{os.fspath(folder)}' is in a bare repository; use a clone with a work tree"
    line = next((line for line in stderr.splitlines() if line.strip()), "it gave no reason")
    return f"git failed: {''.join(filter(str.isprintable, line))}"


def _environment(variables: Mapping[str, str], settings: Mapping[str, str]) -> dict[str, str]:
    """Return our environment for git, without hooks' variables."""
    kept = [n for n in variables if not n.startswith("GIT_") or n.startswith("GIT_CONFIG")]
    environment = {name: variables[name] for name in kept}
    text = variables.get("GIT_CONFIG_COUNT", "")
    count = int(text) if text.isdecimal() else 0
    for number, (name, value) in enumerate(settings.items(), count):
        environment[f"GIT_CONFIG_KEY_{number}"] = name
        environment[f"GIT_CONFIG_VALUE_{number}"] = value
    return {**environment, **_ENVIRONMENT, "GIT_CONFIG_COUNT": str(count + len(settings))}
