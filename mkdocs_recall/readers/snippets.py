"""What `pymdownx.snippets` includes without a build: from which folders, and what is missing."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

_SNIPPET_MARK: Final = re.compile(r"[ \t]*-+8<-+[ \t]*")
_SPACE_AND_QUOTES: Final = " \t\"'"


def snippets_from_folder(options: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """Return the options of the extension, with base paths that start from a folder.

    By default they start from the working directory, which in a build is mostly that of
    `mkdocs.yml`.
    """
    bases = options.get("base_path", ["."])
    bases = [bases] if isinstance(bases, (str, os.PathLike)) else bases
    return {**options, "base_path": [os.path.join(folder, base) for base in bases]}  # noqa: PTH118


def missing_snippets(options: Mapping[str, Any], page: str, files: Iterable[str]) -> set[str]:
    """Return the paths at which a snippet does not exist and would be included if it did.

    Like the extension, it looks only below the base paths unless the site allows more: on Windows,
    to look for `//host/share` sends a request to that host.

    Args:
        options: The result of `snippets_from_folder`.
        files: The files that the page includes, which may include others.
    """
    texts = [page, *(Path(file).read_text("utf-8", errors="replace") for file in files)]
    paths = {path for text in texts if "8<" in text for path in _snippet_paths(text)}
    paths.update(options.get("auto_append") or ())
    anywhere = not options.get("restrict_base_path", True)
    places = {
        place
        for base in map(os.path.abspath, options["base_path"])
        for path in paths
        if "\0" not in path
        for place in [os.path.abspath(os.path.join(base, path))]  # noqa: PTH100, PTH118
        if anywhere or place.startswith(os.path.join(base, ""))  # noqa: PTH118
    }
    return {place for place in places if not os.path.exists(place)}  # noqa: PTH110


def _snippet_paths(text: str) -> Iterator[str]:
    """Yield the paths of snippets in a text: after a mark, or on the lines between two marks."""
    between = False
    for line in text.splitlines():
        mark = _SNIPPET_MARK.match(line)
        path = line[mark.end() :] if mark else line
        if mark and not path:
            between = not between
        elif mark or between:
            path = path.partition(":")[0]  # lines or a section of the file may follow
            yield path.strip(_SPACE_AND_QUOTES)
