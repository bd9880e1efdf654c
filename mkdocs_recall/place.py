"""Where on this machine a passage stands, as one types it here."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mkdocs_recall.result import Passage


def shown_path(file: str) -> str:
    """Return the path of a file as one types it here: relative if it lies below this folder."""
    path = Path(file)
    try:
        here = Path.cwd()
    except FileNotFoundError:  # somebody has removed this folder
        return file
    if path.is_relative_to(here):
        return str(path.relative_to(here))
    real, here = Path(os.path.realpath(file)), Path(os.path.realpath(here))
    return str(real.relative_to(here)) if real.is_relative_to(here) else file


def place(passage: Passage) -> str:
    """Return file and line of a passage, `docs/guides/auth.md:41`, as far as they are known."""
    if not passage.file or passage.line is None:
        return passage.file and shown_path(passage.file)
    return f"{shown_path(passage.file)}:{passage.line}"
