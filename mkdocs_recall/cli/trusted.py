"""The folders of sites that `mkdocs-recall hook` may read: the user's own list, a path a line."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from mkdocs_recall.cache.files import write_atomically
from mkdocs_recall.errors import SiteError

_FILE: Final = "trusted"
_NEWLINES: Final = frozenset("\r\n")


def trusted_folders() -> list[str]:
    """Return the resolved paths of the trusted folders, in the order in which they were added."""
    try:
        file = _list_file()
    except SiteError:
        return []
    try:
        text = file.read_bytes().decode("utf-8", "surrogateescape")
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise _unusable(file, error) from error
    lines = text.removeprefix("\ufeff").split("\n")  # a person may have edited it, on Windows, too
    return [path for line in lines if (path := line.removesuffix("\r"))]


def is_trusted(folder: Path) -> bool:
    """Tell whether a folder itself is trusted: one that lies in a trusted folder is not."""
    return os.path.realpath(folder) in trusted_folders()


def trust(folder: Path) -> str:
    """Add a folder to the list, and return its resolved path."""
    path = os.path.realpath(folder)
    if _NEWLINES & set(path):
        msg = f"'{path}' has a line end in its name, and cannot be listed; rename it"
        raise SiteError(msg)
    folders = trusted_folders()
    if path not in folders:
        _write([*folders, path])
    return path


def distrust(folder: Path) -> str:
    """Remove a folder from the list, and return its resolved path; empty if it was not there."""
    path = os.path.realpath(folder)
    folders = trusted_folders()
    if path not in folders:
        return ""
    _write([other for other in folders if other != path])
    return path


def _write(folders: list[str]) -> None:
    text = "".join(f"{folder}\n" for folder in folders)
    file = _list_file()
    try:
        write_atomically(file, text.encode("utf-8", "surrogateescape"))
    except OSError as error:
        raise _unusable(file, error) from error


def _unusable(file: Path, error: OSError) -> SiteError:
    reason = error.strerror or error
    return SiteError(f"the list of trusted folders, '{file}', cannot be used: {reason}")


def _list_file() -> Path:
    """Return the file of the list, in the user's own configuration."""
    from platformdirs import user_config_path

    try:
        folder = user_config_path("mkdocs-recall", appauthor=False)
    except RuntimeError:
        folder = Path()
    if not folder.is_absolute():  # older versions of platformdirs may leave `~`
        msg = "you have no folder for configuration, so no folder can be trusted; use --docs"
        raise SiteError(msg)
    return folder / _FILE
