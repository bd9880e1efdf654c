"""`mkdocs-recall cache`: what is kept from one process to the next, and how to be rid of it."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Final

import click

from mkdocs_recall.cli.options import json_option
from mkdocs_recall.cli.output import Status, columns, note, say, say_json
from mkdocs_recall.cli.where import where_options

if TYPE_CHECKING:
    from pathlib import Path

    from mkdocs_recall.cli.where import Where

_OURS: Final = "recall-[0-9]*.sqlite3*"
"""The cache, in the formats of all versions, and what SQLite writes beside it for a moment."""
_IGNORING: Final = "*\n"
"""What the `.gitignore` holds that the cache is made with."""
_UNITS: Final = ("kB", "MB", "GB")
_STEP: Final = 1000


@click.group(no_args_is_help=False)  # else stdout has it, in earlier versions of click
def cache() -> int:
    """Show or clear what is kept of pages and answers."""
    return Status.FOUND


@cache.command()
@where_options
@json_option
def info(where: Where, *, as_json: bool) -> int:
    """Show where the cache is and how much is in it."""
    folder = _folder(where)
    if folder is None:
        return Status.NOTHING
    size = sum(path.stat().st_size for path in _files(folder))
    if as_json:
        say_json({"schema": 1, "folder": str(folder), "bytes": size})
    else:
        say(columns([("Folder", str(folder)), ("Size", _shown(size))]))
    return Status.FOUND


@cache.command()
@where_options
def clear(where: Where) -> int:
    """Delete the cache. What is needed of it is made again."""
    folder = _folder(where)
    if folder is None:
        return Status.NOTHING
    files = _files(folder)
    size = sum(path.stat().st_size for path in files)
    for path in files:
        path.unlink(missing_ok=True)
    _leave(folder)
    note(f"Deleted {_shown(size)} in '{folder}'.")
    return Status.FOUND


def _folder(where: Where) -> Path | None:
    folder = where.cache_folder()
    if folder is None and where.docs is None and where.built is None:
        note("Nothing is kept: 'cache' is turned off in mkdocs.yml.")
    elif folder is None:
        note("Nothing is kept: you have no home folder. Set XDG_CACHE_HOME to have a place for it.")
    return folder


def _files(folder: Path) -> list[Path]:
    """Return what is ours in the folder, which may be anybody's; a link leads out of it."""
    from mkdocs_recall.semantic.vectors import FOLDER, OURS

    vectors = folder / FOLDER
    found = sorted(folder.glob(_OURS))
    found += () if vectors.is_symlink() else sorted(vectors.glob(OURS))
    return [path for path in found if path.is_file() and not path.is_symlink()]


def _leave(folder: Path) -> None:
    """Remove the folder as well, unless something that is not ours is in it."""
    from mkdocs_recall.semantic.vectors import FOLDER

    ignoring = folder / ".gitignore"
    with suppress(OSError):
        (folder / FOLDER).rmdir()
    with suppress(OSError, ValueError):
        if list(folder.iterdir()) == [ignoring] and ignoring.read_text("utf-8") == _IGNORING:
            ignoring.unlink()
        folder.rmdir()


def _shown(size: float) -> str:
    """Return a number of bytes as people write it."""
    unit = "bytes"
    for larger in _UNITS:
        if size < _STEP:
            break
        size, unit = size / _STEP, larger
    return f"{size:.1f} {unit}" if unit != "bytes" else f"{size} {unit}"
