"""The output files of a command: their paths, their differences, and writing them atomically."""

from __future__ import annotations

import os
from difflib import unified_diff
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from mkdocs_recall.cache.files import leads_outside, write_atomically
from mkdocs_recall.errors import SiteError

if TYPE_CHECKING:
    from collections.abc import Sequence

_NO_PATHS: Final = ("", "-")
"""The value of an unset variable, and the name that other programs use for stdout."""
_SHOWN: Final = 40
"""A diff shows at most this many lines."""


def output_files(files: Sequence[Path], output: str | None) -> list[Path | None]:
    """Return the path that each file is written to; None for stdout.

    Args:
        files: The files to render.
        output: The file or folder that `--output` names; None for stdout.

    Raises:
        UsageError: `output` is no path, a path is that of a file to render, two files have the same
            path, or a path is a link that leads out of its folder and of the current one.
    """
    if output is None:
        return [None for _ in files]
    if output in _NO_PATHS:
        msg = f"--output '{output}' is neither a file nor a folder; without it, stdout is written"
        raise click.UsageError(msg)
    path = Path(output)
    if path.is_dir() or output.endswith(("/", os.sep)):
        if any(str(file) == "-" for file in files):
            msg = f"--output '{output}' is a folder, and what stdin holds has no name; name a file"
            raise click.UsageError(msg)
        targets = [path / file.name for file in files]
    elif len(files) > 1:
        msg = f"--output '{output}' is one file for several; name a folder: '{output}/'"
        raise click.UsageError(msg)
    else:
        targets = [path]
    if len(set(targets)) < len(targets):
        msg = "two of the files have the same name; render them one by one"
        raise click.UsageError(msg)
    for target in targets:
        if any(target.resolve() == file.resolve() for file in files):
            msg = f"--output '{target}' is a file to render, and its fences would be lost"
            raise click.UsageError(msg)
        if leads_outside(target, Path.cwd()):
            msg = (
                f"--output '{target}' is a link to '{target.resolve()}'; if you trust it, name that"
            )
            raise click.UsageError(msg)
    return list(targets)


def diff_lines(path: Path, text: str) -> str:
    """Return a diff between a file and a text; empty where they are the same.

    Raises:
        SiteError: The file cannot be read.
    """
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
    """Return the text of a file that was written before; None where it does not exist.

    Raises:
        SiteError: The file cannot be read.
    """
    if path.exists() and not path.is_file():  # reading a pipe would wait for its writer
        msg = f"'{path}' cannot be read: it is no file"
        raise SiteError(msg)
    try:
        return path.read_bytes().decode("utf-8", "surrogateescape")
    except FileNotFoundError:
        return None
    except OSError as error:
        msg = f"'{path}' cannot be read: {error.strerror or error}"
        raise SiteError(msg) from error


def write_output(path: Path, text: str) -> None:
    """Write a file: whole, or not at all.

    Raises:
        SiteError: The file cannot be written.
    """
    try:
        write_atomically(path, text.encode())
    except OSError as error:
        msg = f"'{path}' cannot be written: {error.strerror or error}"
        raise SiteError(msg) from error
