"""The digest of the code that computes answers: this package, its libraries, and Python.

It is part of every key in the cache, so that an upgrade or an edit of any of them empties it. What
else an answer depends on is left to `plugin.keys` and `readers.library`.
"""

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

PACKAGE: Final = os.path.dirname(os.path.dirname(__file__))  # noqa: PTH120 - without Path, a build starts faster
"""The folder of this package: not only of its cache."""
_LIBRARIES: Final = ("selectolax", "sentencex", "snowballstemmer", "PyStemmer", "PyYAML", "regex")
"""Those whose version may change a text, its words, or the options of a directive."""


@cache
def pipeline() -> bytes:
    """Return the digest of the code that computes answers; it is computed once."""
    return package_digest(PACKAGE)


def package_digest(folder: str) -> bytes:
    """Return the digest of a package's code and word lists, of its libraries, and of Python.

    Args:
        folder: The folder of the package.
    """
    parts: list[str | bytes] = [sys.version, unicodedata.unidata_version]
    for library in sorted(_versions()):
        parts += library
    for path in _files(folder):
        with open(path, "rb", buffering=0) as file:  # noqa: PTH123
            parts += (path[len(folder) + 1 :], file.read())
    return digest(*parts)


def _versions() -> Iterator[tuple[str, str]]:
    """Yield the libraries that are installed, with their versions.

    They are the ones that `importlib.metadata` names, which takes longer to import than this whole
    module takes to run.
    """
    missing = {name.lower(): name for name in _LIBRARIES}
    for folder in sys.path:
        try:
            names = os.listdir(folder or ".")  # noqa: PTH208
        except OSError:
            continue
        for name in sorted(names):
            stem, _, suffix = name.rpartition(".")
            library, _, number = stem.partition("-")
            if suffix == "dist-info" and library.lower() in missing:
                yield missing.pop(library.lower()), number
    for library in missing.values():
        from importlib.metadata import PackageNotFoundError, version

        with suppress(PackageNotFoundError):
            yield library, version(library)


def _files(folder: str) -> Iterator[str]:
    """Yield the code, word lists and stylesheet in a folder, in the same order everywhere."""
    for entry in sorted(os.scandir(folder), key=lambda entry: entry.name):
        if entry.name.endswith((".py", ".txt", ".css")):
            yield entry.path
        elif entry.is_dir() and entry.name != "__pycache__":
            yield from _files(entry.path)
