"""The output files of a command: their paths, their differences, and writing them atomically."""

from __future__ import annotations

import os
import sys
from difflib import unified_diff
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from mkdocs_recall.cache.files import leads_outside, write_atomically
from mkdocs_recall.errors import SiteError
from mkdocs_recall.messages import escape_invisible
from mkdocs_recall.readers.folder import markdown_files

if TYPE_CHECKING:
    from collections.abc import Sequence

_NO_PATHS: Final = ("", "-")
"""The value of an unset variable, and the name that other programs use for stdout."""
_SHOWN: Final = 40
"""A diff shows at most this many lines."""


def input_files(paths: Sequence[Path], output: str | None) -> dict[Path, bool]:
    """Return the files to render, each once, and whether it was found in a folder.

    Args:
        paths: Files and folders. Of a folder, all Markdown files that it and its folders hold.
        output: What `--output` names: files below it were written before, and are left out.
    """
    files: dict[Path, bool] = {}
    for path in paths:
        if not path.is_dir():
            files[path] = False
            continue
        try:
            found = sorted(Path(uri) for uri, _ in markdown_files(str(path)))
        except OSError as error:
            msg = f"the folder '{path}' cannot be read: {error.strerror or error}"
            raise SiteError(msg) from error
        written = Path(output).resolve() if output else None
        if written == path.resolve():
            written = None  # `output_files` refuses it
        below = [
            path / name
            for name in found
            if written is None or not (path / name).resolve().is_relative_to(written)
        ]
        if not below:
            msg = f"there is no Markdown file to render in '{path}'"
            raise SiteError(msg)
        for file in below:
            files.setdefault(file, True)
    return files


def output_files(
    files: Sequence[Path], output: str | None, *, paths: Sequence[Path]
) -> list[Path | None]:
    """Return the path that each file is written to; None for stdout.

    In a folder, several files keep their places below the folder that they have in common.

    Args:
        output: The file or folder that `--output` names; None for stdout.
    """
    if output is None:
        return [None for _ in files]
    if output in _NO_PATHS:
        msg = f"--output '{output}' is neither a file nor a folder; without it, stdout is written"
        raise click.UsageError(msg)
    path = Path(output)
    several = len(files) > 1 or any(name.is_dir() for name in paths)
    if path.is_dir() or output.endswith(("/", os.sep)):
        if any(str(file) == "-" for file in files):
            msg = f"--output '{output}' is a folder, and what stdin holds has no name; name a file"
            raise click.UsageError(msg)
        base = _common_folder(paths)
        targets = [path / os.path.relpath(file, base) for file in files]
    elif several:
        msg = f"--output '{output}' is one file for several; name a folder: '{output}/'"
        raise click.UsageError(msg)
    else:
        targets = [path]
    sources = {file.resolve() for file in files}
    for target in targets:
        if target.resolve() in sources:
            msg = f"--output '{target}' is a file to render, and its fences would be lost"
            raise click.UsageError(msg)
        below = target.relative_to(path).parts if len(target.parts) > len(path.parts) else ()
        steps = [target, *(path.joinpath(*below[:depth]) for depth in range(1, len(below)))]
        if any(leads_outside(step, Path.cwd()) for step in steps):
            msg = (
                f"--output '{target}' is a link to '{target.resolve()}'; if you trust it, name that"
            )
            raise click.UsageError(msg)
    return list(targets)


def _common_folder(paths: Sequence[Path]) -> str:
    """Return the deepest folder in which all files and folders lie."""
    folders = {os.path.abspath(path if path.is_dir() else path.parent) for path in paths}  # noqa: PTH100 - as `relpath`, without resolving links
    try:
        return os.path.commonpath(folders)
    except ValueError as error:
        msg = "the files lie on several drives; render those of each by themselves"
        raise click.UsageError(msg) from error


def diff_lines(path: Path, text: str) -> str:
    """Return a diff between a file and a text; empty where they are the same."""
    old = _read_output(path)
    if old == text:
        return ""
    if old is None:
        return f"{path} is not there"
    lines = list(
        unified_diff(
            old.split("\n"),
            text.split("\n"),
            f"{path} as it is",
            f"{path} as rendered",
            lineterm="",
        )
    )
    more = len(lines) - _SHOWN
    return "\n".join([*lines[:_SHOWN], *([f"… and {more} more lines"] if more > 0 else [])])


def _read_output(path: Path) -> str | None:
    """Return the text of a file that was written before; None where it does not exist."""
    if path.exists() and not path.is_file():  # reading a pipe would wait for its writer
        msg = f"'{path}' cannot be read: it is not a file"
        raise SiteError(msg)
    try:
        return path.read_bytes().decode("utf-8", "surrogateescape")
    except FileNotFoundError:
        return None
    except OSError as error:
        msg = f"'{path}' cannot be read: {error.strerror or error}"
        raise SiteError(msg) from error


def write_output(path: Path, text: str) -> None:
    """Write a file: whole, or not at all."""
    try:
        write_atomically(path, text.encode())
    except OSError as error:
        msg = f"'{path}' cannot be written: {error.strerror or error}"
        raise SiteError(msg) from error


def print_file(text: str) -> None:
    """Print a file as it is, but on a terminal with all control characters escaped."""
    if sys.stdout is None:  # a process may be started without it
        return
    if sys.stdout.isatty():
        text = escape_invisible(text)
    if text and not text.endswith("\n"):
        text += "\n"
    sys.stdout.flush()
    sys.stdout.buffer.write(text.encode())
