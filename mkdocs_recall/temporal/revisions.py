"""The files of a git revision or of the index, read without touching the work tree."""

from __future__ import annotations

import os
from shlex import quote
from typing import TYPE_CHECKING, Final, NamedTuple

from mkdocs_recall.temporal.git import REFETCH, GitError, git_output, locate, run_git

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

_BATCH: Final = 256
"""How many files are held in memory at once."""
_SUBMODULE: Final = "160000"
_UNSAFE: Final = frozenset({"", ".", "..", ".git"})
"""Names that git itself never checks out; a crafted tree may hold them."""


class GitFile(NamedTuple):
    """A version of a file in git."""

    mode: str
    """`120000` for a symbolic link."""
    blob: str
    """The name of its content."""


def top_folder(folder: Path) -> str:
    """Return the root of the repository that a folder lies in.

    Raises:
        GitError: It lies in none.
    """
    return os.path.realpath(run_git(folder, "rev-parse", "--show-toplevel").removesuffix("\n"))


def commit_name(top: str, revision: str) -> str:
    """Return the full name of the commit that a revision names.

    Raises:
        GitError: There is no such commit here.
    """
    spec = f"{revision or '-'}^{{commit}}"
    try:
        return run_git(top, "rev-parse", "--verify", "--quiet", "--end-of-options", spec).split()[
            -1
        ]
    except (GitError, IndexError) as error:
        msg = f"there is no revision '{revision}' in '{top}'"
        if locate(top).shallow:
            msg += "; this clone is shallow: 'git fetch --unshallow' fetches all commits"
        raise GitError(msg) from error


def merge_base(top: str, one: str, other: str) -> str:
    """Return the last commit that two commits have in common.

    Raises:
        GitError: They have none here.
    """
    try:
        return run_git(top, "merge-base", one, other).split()[0]
    except (GitError, IndexError) as error:
        msg = f"'{one}' and '{other}' have no commit in common here"
        if locate(top).shallow:
            msg += "; this clone is shallow: 'git fetch --unshallow' fetches all commits"
        raise GitError(msg) from error


def files_of_commit(top: str, commit: str, folders: Sequence[str]) -> dict[str, GitFile]:
    """Return the files of a commit below some folders, by path from the repository's root."""
    output = run_git(top, "ls-tree", "-r", "-z", "--full-tree", commit)
    files = {}
    for line in filter(None, output.split("\0")):
        fields, path = line.split("\t", 1)
        mode, _, blob = fields.split()
        files[path] = GitFile(mode, blob)
    return _below(files, folders)


def staged_files(top: str, folders: Sequence[str]) -> dict[str, GitFile]:
    """Return the files of the index below some folders, by path from the repository's root.

    Raises:
        GitError: A merge is not finished.
    """
    files = {}
    for line in filter(None, run_git(top, "ls-files", "--stage", "-z").split("\0")):
        fields, path = line.split("\t", 1)
        mode, blob, stage = fields.split()
        if stage != "0":
            msg = f"'{path}' is in conflict; finish the merge, and add it"
            raise GitError(msg)
        files[path] = GitFile(mode, blob)
    return _below(files, folders)


def ignored_files(top: str, folders: Sequence[str]) -> list[str]:
    """Return the files below some folders that git ignores, by path from the repository's root."""
    places = [f":(top,literal){folder}" for folder in folders]
    listed = ("ls-files", "--others", "--ignored", "--exclude-standard", "-z")
    return [path for path in run_git(top, *listed, "--", *places).split("\0") if path]


def contents(top: str, blobs: Iterable[str]) -> Iterator[tuple[str, bytes]]:
    """Yield the contents of blobs, with their names.

    Raises:
        GitError: One is missing, as in a partial clone.
    """
    names = list(dict.fromkeys(blobs))
    for start in range(0, len(names), _BATCH):
        batch = names[start : start + _BATCH]
        data = git_output(top, "cat-file", "--batch", stdin="".join(f"{n}\n" for n in batch))
        place = 0
        for name in batch:
            end = data.index(b"\n", place)
            kind = data[place:end].split()[1:]
            if len(kind) != 2:  # noqa: PLR2004 - `blob SIZE`; else `missing`
                msg = f"git has not fetched all files of these commits; {REFETCH}"
                raise GitError(msg)
            place = end + 1 + int(kind[1])
            yield name, data[end + 1 : place]
            place += 1


def renamed_files(top: str, *arguments: str) -> dict[str, str]:
    """Return the new path of each renamed file, by its old path.

    Args:
        top: The repository's root.
        arguments: What `git diff` compares: two commits, `--cached` and one, or one.
    """
    command = ("diff", "--name-status", "-M", "-z", "--diff-filter=R", "--no-ext-diff")
    parts = run_git(top, *command, *arguments, "--").split("\0")
    return dict(zip(parts[1::3], parts[2::3], strict=False))


def _below(files: dict[str, GitFile], folders: Sequence[str]) -> dict[str, GitFile]:
    """Return the files in some folders, or that are named themselves; all for an empty name.

    Raises:
        GitError: One of the folders is in a submodule.
    """
    submodules = [path for path, file in files.items() if file.mode == _SUBMODULE]
    for path in submodules:
        if inside := [name for name in folders if f"{name}/".startswith(f"{path}/")]:
            msg = (
                f"'{inside[0]}' is in the submodule '{path}', which is a repository of its own; "
                f"compare its pages with --docs {quote(inside[0])}"
            )
            raise GitError(msg)
    prefixes = tuple(f"{folder}/" for folder in folders)
    return {
        path: file
        for path, file in files.items()
        if ("" in folders or path in folders or path.startswith(prefixes))
        and file.mode != _SUBMODULE
        and _UNSAFE.isdisjoint(path.lower().split("/"))
        and "\\" not in path
    }
