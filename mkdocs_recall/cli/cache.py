"""`mkdocs-recall cache`: the deletion of the cache."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from mkdocs_recall.cache.files import VECTOR_FILES, VECTORS
from mkdocs_recall.cache.folder import user_cache_folder
from mkdocs_recall.cli.output import Status, note
from mkdocs_recall.cli.where_options import where_options

if TYPE_CHECKING:
    from mkdocs_recall.cli.where import Where

_OURS: Final = "recall-[0-9]*.sqlite3*"
"""The cache in the formats of all versions, and the temporary files of SQLite beside it."""
_GITIGNORE: Final = "*\n"
"""The text of the `.gitignore` that the cache writes into its folder."""
_UNITS: Final = ("kB", "MB", "GB")
_STEP: Final = 1000


@click.group(no_args_is_help=False)  # earlier versions of click print that help to stdout
def cache() -> int:
    """Clear the cache of pages and answers."""
    return Status.FOUND


@cache.command()
@where_options
def clear(where: Where) -> int:
    """Delete the cache. The next command or build rebuilds what it needs."""
    folder = _folder(where)
    if folder is None:
        return Status.NOTHING
    files = _files(folder)
    size = sum(path.stat().st_size for path in files)
    for path in files:
        path.unlink(missing_ok=True)
    _remove_folder(folder)
    note(f"Deleted {_format_size(size)} in '{folder}'.")
    return Status.FOUND


def _folder(where: Where) -> Path | None:
    folder = where.cache_folder()
    if folder is None and user_cache_folder(Path()):
        note("Nothing is kept: 'cache' is turned off in mkdocs.yml.")
    elif folder is None:
        note("Nothing is kept: you have no home folder. Set XDG_CACHE_HOME to have a place for it.")
    return folder


def _files(folder: Path) -> list[Path]:
    """Return the cache's files in a folder that may hold others; a link may lead out of it."""
    vectors = folder / VECTORS
    paths = sorted(folder.glob(_OURS))
    paths += () if vectors.is_symlink() else sorted(vectors.glob(VECTOR_FILES))
    return [path for path in paths if path.is_file() and not path.is_symlink()]


def _remove_folder(folder: Path) -> None:
    """Remove the folder as well, unless it holds something else than the cache's own files."""
    gitignore = folder / ".gitignore"
    with suppress(OSError):
        (folder / VECTORS).rmdir()
    with suppress(OSError, ValueError):
        if list(folder.iterdir()) == [gitignore] and gitignore.read_text("utf-8") == _GITIGNORE:
            gitignore.unlink()
        folder.rmdir()


def _format_size(size: float) -> str:
    """Return a number of bytes as people write it: `1.5 MB`."""
    unit = "bytes"
    for larger in _UNITS:
        if size < _STEP:
            break
        size, unit = size / _STEP, larger
    return f"{size:.1f} {unit}" if unit != "bytes" else f"{size} {unit}"
