"""The files that a page includes with mkdocs-include-markdown-plugin, to name where a fence is."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from mkdocs_recall.text.front_matter import normalise_newlines

if TYPE_CHECKING:
    from collections.abc import Mapping

_INCLUDE: Final = re.compile(r"\{%\s*include(?:-markdown)?\s+(?:\"([^\"\n]+)\"|'([^'\n]+)')")


class IncludedPlace(NamedTuple):
    """Where a fence is."""

    file: str
    """The path of the file from the folder of the documentation."""
    line: int
    """From 1."""


def includes_files(markdown: str) -> bool:
    """Tell whether a page includes files."""
    return _INCLUDE.search(markdown) is not None


def included_texts(markdown: str, page: str, docs: str) -> dict[str, str]:
    """Return the texts of the files that a page includes itself, by path from the documentation.

    Args:
        docs: The folder of the documentation; files outside of it are not read.
    """
    root = os.path.realpath(docs)
    texts = {}
    for name in sorted({match[1] or match[2] for match in _INCLUDE.finditer(markdown)}):
        start = os.path.dirname(page) if name.startswith(("./", "../")) else root  # noqa: PTH120
        try:
            path = Path(os.path.realpath(os.path.join(start, name)))  # noqa: PTH118
            if path.is_relative_to(root):
                text = normalise_newlines(path.read_text("utf-8-sig"))
                texts[path.relative_to(root).as_posix()] = text
        except (OSError, ValueError):  # a pattern, a URL, another encoding
            continue
    return texts


def included_place(texts: Mapping[str, str], fence: str) -> IncludedPlace | None:
    """Return where the text of a fence is among files; None if it is nowhere, or there twice."""
    places = []
    for file, text in texts.items():
        padded = f"\n{text}\n"
        at = padded.find(f"\n{fence}\n")
        if at >= 0:
            places.append(IncludedPlace(file, text.count("\n", 0, at) + 1))
            if padded.find(f"\n{fence}\n", at + 1) >= 0:
                return None
    return places[0] if len(places) == 1 else None
