"""What pages take in by `pymdownx.snippets`: where it is looked for, and which files are missing.

One that is missing is passed over without a word, and no file is opened; but when it comes, the
page is another.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

NAME: Final = "pymdownx.snippets"
_MARK: Final = re.compile(r"[ \t]*-+8<-+[ \t]*")
_BLANKS: Final = " \t\"'"


def from_folder(options: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """Return the options of the extension, with paths that lead from a folder.

    Left alone, they lead from where the process is; a build is mostly run beside `mkdocs.yml`.
    """
    bases = options.get("base_path", ["."])
    bases = [bases] if isinstance(bases, (str, os.PathLike)) else bases
    return {**options, "base_path": [os.path.join(folder, base) for base in bases]}  # noqa: PTH118


def missing(options: Mapping[str, Any], page: str, files: Iterable[str]) -> set[str]:
    """Return where snippets were looked for and not found; some were not looked for everywhere.

    As the extension, it looks only below its folders, unless the site allows more: on Windows, to
    ask whether `//host/share` is there asks that host.

    Args:
        options: What `from_folder` has returned.
        page: The Markdown of the page.
        files: The files that were taken in, which may take in others.
    """
    texts = [page, *(Path(file).read_text("utf-8", errors="replace") for file in files)]
    paths = {path for text in texts if "8<" in text for path in _named(text)}
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


def _named(text: str) -> Iterator[str]:
    """Yield the paths that a text names: behind a mark, or each on a line between two."""
    between = False
    for line in text.splitlines():
        mark = _MARK.match(line)
        path = line[mark.end() :] if mark else line
        if mark and not path:
            between = not between
        elif mark or between:
            yield path.partition(":")[0].strip(_BLANKS)  # behind it are lines, or a section
