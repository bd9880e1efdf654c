"""The digest of what makes answers: this package's code, its libraries, Python."""

from __future__ import annotations

import os
import sys
import unicodedata
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING, Final

from mkdocs_recall.cache.store import digest

if TYPE_CHECKING:
    from collections.abc import Iterator

_LIBRARIES: Final = ("selectolax", "sentencex", "snowballstemmer", "PyStemmer", "PyYAML", "regex")
"""Those whose version may change a text, its words, or what a directive says."""


@cache
def pipeline() -> bytes:
    """Return the digest of what makes answers: this package, its libraries, Python."""
    parts: list[str | bytes] = [sys.version, unicodedata.unidata_version]
    for found in sorted(_versions()):
        parts += found
    root = os.path.dirname(os.path.dirname(__file__))  # noqa: PTH120 - see `_versions`
    for path in _files(root):
        with open(path, "rb", buffering=0) as file:  # noqa: PTH123
            parts += (os.path.relpath(path, root), file.read())
    return digest(*parts)


def _versions() -> Iterator[tuple[str, str]]:
    """Yield the libraries that are installed, with their versions.

    As `importlib.metadata` finds them, which takes longer to import than all of this.
    """
    missing = {name.lower(): name for name in _LIBRARIES}
    for folder in sys.path:
        try:
            names = os.listdir(folder or ".")  # noqa: PTH208 - see above
        except OSError:
            continue
        for name in sorted(names):
            stem, _, end = name.rpartition(".")
            library, _, number = stem.partition("-")
            if end == "dist-info" and library.lower() in missing:
                yield missing.pop(library.lower()), number
    for library in missing.values():
        from importlib.metadata import PackageNotFoundError, version

        with suppress(PackageNotFoundError):
            yield library, version(library)


def _files(folder: str) -> Iterator[str]:
    """Yield the code and word lists in a folder, in the same order everywhere."""
    for entry in sorted(os.scandir(folder), key=lambda entry: entry.name):
        if entry.name.endswith((".py", ".txt")):
            yield entry.path
        elif entry.is_dir() and entry.name != "__pycache__":
            yield from _files(entry.path)
