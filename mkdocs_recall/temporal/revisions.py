"""The files of a git revision or of the index, written elsewhere: the work tree is only read."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from mkdocs_recall.git import GitError, locate, run_git

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


def top_folder(folder: Path) -> str:
    """Return the root of the repository that a folder lies in."""
    return os.path.realpath(run_git(folder, "rev-parse", "--show-toplevel").removesuffix("\n"))


def commit_name(top: str, revision: str) -> str:
    """Return the full name of the commit that a revision names."""
    spec = f"{revision or '-'}^{{commit}}"
    command = ("rev-parse", "--verify", "--quiet", "--end-of-options", spec)
    return _commit(top, *command, fault=f"there is no revision '{revision}' in '{top}'")


def merge_base(top: str, one: str, other: str) -> str:
    """Return the last commit that two commits have in common."""
    fault = f"'{one}' and '{other}' have no commit in common here"
    return _commit(top, "merge-base", one, other, fault=fault)


def _commit(top: str, *arguments: str, fault: str) -> str:
    """Return the commit that git prints last."""
    try:
        return run_git(top, *arguments).split()[-1]
    except (GitError, IndexError) as error:
        if locate(top).shallow:
            fault += "; this clone is shallow: 'git fetch --unshallow' fetches all commits"
        raise GitError(fault) from error


def check_out(top: str, commit: str, folders: Sequence[str], copy: Path) -> None:
    """Write the files of a commit, or of the index, into a folder, as a checkout writes them.

    The folder is a work tree of the repository that only this process knows, so nothing is written
    into the user's. Its history ends with the commit, so dates are those of the revision. No hook
    or filter runs, and no attribute for archives leaves a file out.

    Args:
        commit: The commit; empty for the index.
        folders: The folders and files to write, from the root; all for an empty one.
        copy: An empty folder.
    """
    names = [] if "" in folders else folders
    listed = ("ls-tree", "-r", "-z", "--full-tree", commit) if commit else ("ls-files", "-s", "-z")
    if not commit and (unmerged := run_git(top, "ls-files", "--unmerged", "-z")):
        path = unmerged.split("\0")[0].partition("\t")[2]
        msg = f"'{path}' is in conflict; finish the merge, and add it"
        raise GitError(msg)
    listing = run_git(top, "--literal-pathspecs", *listed, "--", *names)
    shared = run_git(top, "rev-parse", "--git-common-dir").removesuffix("\n")
    (copy / ".git").mkdir()
    (copy / ".git/commondir").write_bytes(os.fsencode(os.path.join(top, shared)))  # noqa: PTH118
    (copy / ".git/HEAD").write_text(f"{commit or locate(top).head}\n", encoding="ascii")
    settings = {"core.hooksPath": os.devnull, **_no_filters(top)}
    run_git(copy, "update-index", "-z", "--index-info", stdin=listing, settings=settings)
    run_git(copy, "checkout-index", "--all", settings=settings)


def _no_filters(top: str) -> dict[str, str]:
    """Return settings with which none of the filters runs that the user's own settings define."""
    names = run_git(top, "config", "--list", "--name-only", "-z").split("\0")
    drivers = {name.rpartition(".")[0] for name in names if name.startswith("filter.")}
    off = {"smudge": "", "process": "", "required": "false"}
    return {f"{driver}.{key}": value for driver in drivers for key, value in off.items()}


def ignored_files(top: str, folders: Sequence[str]) -> list[str]:
    """Return the files below some folders that git ignores, by path from the repository's root."""
    places = [f":(top,literal){folder}" for folder in folders]
    listed = ("ls-files", "--others", "--ignored", "--exclude-standard", "-z")
    return [path for path in run_git(top, *listed, "--", *places).split("\0") if path]


def renamed_files(top: str, *arguments: str) -> dict[str, str]:
    """Return the new path of each renamed file, by its old path.

    Args:
        arguments: What `git diff` compares: two commits, `--cached` and one, or one.
    """
    command = ("diff", "--name-status", "-M", "-z", "--diff-filter=R", "--no-ext-diff")
    parts = run_git(top, *command, *arguments, "--").split("\0")
    return dict(zip(parts[1::3], parts[2::3], strict=False))
