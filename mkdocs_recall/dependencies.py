"""What an answer depends on, as digests: equal digests mean equal answers, byte for byte.

An answer is made by this code and the libraries under it, from the options of its directive, the
page it is put into, and each page of its scope: what it says, and where it stands in the order.
"""

from __future__ import annotations

import os
import sys
import unicodedata
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING, Final

from mkdocs_recall.cache import digest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mkdocs_recall.collection import Scope
    from mkdocs_recall.text.front_matter import Stated

_LIBRARIES: Final = ("selectolax", "sentencex", "snowballstemmer", "PyStemmer", "PyYAML", "regex")
"""Those whose version may change a text, its words, or what a directive says."""


@cache
def pipeline() -> bytes:
    """Return the digest of what makes answers: this package, its libraries, Python."""
    parts: list[str | bytes] = [sys.version, unicodedata.unidata_version]
    for found in sorted(_versions()):
        parts += found
    root = os.path.dirname(__file__)  # noqa: PTH120 - a build that is up to date does little else
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
        from importlib.metadata import PackageNotFoundError, version  # noqa: PLC0415 - see above

        with suppress(PackageNotFoundError):
            yield library, version(library)


def _files(folder: str) -> Iterator[str]:
    """Yield the code and word lists in a folder, in the same order everywhere."""
    for entry in sorted(os.scandir(folder), key=lambda entry: entry.name):
        if entry.name.endswith((".py", ".txt")):
            yield entry.path
        elif entry.is_dir() and entry.name != "__pycache__":
            yield from _files(entry.path)


def page_digest(
    content: str,
    *,
    uri: str,
    titles: tuple[str, str],
    stated: Stated,
    url: str,
    language: str,
    limits: str,
) -> bytes:
    """Return the digest of a page as it can be asked.

    Args:
        content: Its HTML.
        uri: Its path from the documentation's root.
        titles: The title that MkDocs has found, and the one in its front matter.
        stated: What its front matter says of it.
        url: Where it is served.
        language: What it is written in.
        limits: Stands for how much is read of it.
    """
    return digest(pipeline(), uri, *titles, *map(str, stated), url, language, limits, content)


def targets_digest(scope: Scope) -> bytes:
    """Return the digest of which pages and sections a scope names, in which order."""
    parts: list[str] = []
    for targets in (scope.targets, scope.named):
        parts.append(str(len(targets)))
        for target in targets:
            parts += (target.uri, target.anchor)
    return digest(*parts)


def scope_digest(targets: bytes, circumstances: str) -> str:
    """Return the digest of what a directive names, and of what its answer depends on besides.

    Args:
        targets: See `answer_key`.
        circumstances: See `answer_key`.
    """
    return digest(targets, circumstances).hex()


def answer_key(
    options: str,
    targets: bytes,
    pages: bytes,
    *,
    uri: str,
    url: str,
    language: str,
    token_counter: str | None = None,
    circumstances: str = "",
) -> bytes:
    """Return the key of an answer as it is put into a page.

    Args:
        options: The digest of what its directive asks.
        targets: The digest of what it names.
        pages: The digests of these pages, one after the other.
        uri: The page it is put into.
        url: Where that is served; links lead from there.
        language: That page's language, in which notes are written.
        token_counter: The name of what counts tokens, where the directive or the site names it.
        circumstances: Stands for the model, git and the time, where these count.
    """
    counting = ""
    if token_counter:
        from mkdocs_recall.budget import version_of  # noqa: PLC0415 - most sites name none

        counting = version_of(token_counter)
    asked = options, targets, pages, circumstances
    return digest(pipeline(), "answer", *asked, uri, url, language, counting)
