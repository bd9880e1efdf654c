"""Where in its source a directive of a finished page stands, if it does."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Final

from mkdocs_recall.directives.parser import find_fences
from mkdocs_recall.errors import SiteError
from mkdocs_recall.text.front_matter import split_front_matter

if TYPE_CHECKING:
    from mkdocs_recall.directives.fences import Fence

_MARKUP: Final = (".rst", ".adoc")
"""Sources that are no Markdown: there the directive's lines are looked for, and its name above."""
_ABOVE: Final = 3
"""How many lines above the first of a directive may name it, outside of Markdown."""


class SourceFences:
    """The directives in the source of a page, read when the first is asked for."""

    def __init__(self, file: str | None) -> None:
        """Take the source's file; None where it is not known."""
        self._file = file
        self._lines: dict[tuple[str, str], int] | None = None
        self._text: list[str] = []

    def line(self, fence: Fence) -> int | None:
        """Return the line of a directive in the source, from 1; None if it is not there.

        Raises:
            SiteError: The source cannot be read.
        """
        if self._file is None:
            return None
        if self._lines is None:
            self._read(self._file)
        line = (self._lines or {}).get((fence.name, _plain(fence.body)))
        return self._line_in_text(fence) if line is None and self._text else line

    def _read(self, file: str) -> None:
        try:
            source = split_front_matter(Path(file).read_bytes().decode("utf-8", "replace"))
        except OSError as error:
            msg = f"'{file}' cannot be read: {error.strerror or error}"
            raise SiteError(msg) from error
        self._lines = {}
        for fence in find_fences(source.body):
            place = source.offset + fence.first + 1
            self._lines.setdefault((fence.name, _plain(fence.body)), place)
        if file.lower().endswith(_MARKUP):
            self._text = [line.strip() for line in source.body.split("\n")]

    def _line_in_text(self, fence: Fence) -> int | None:
        body = [line.strip() for line in fence.body.split("\n")]
        name = re.compile(rf"\b{fence.name}\b")
        for start, line in enumerate(self._text):
            if line == body[0] and self._text[start : start + len(body)] == body:
                above = [text for text in self._text[:start] if text][-_ABOVE:]
                if any(name.search(text) for text in above):
                    return start + 1
        return None


def _plain(body: str) -> str:
    """Return the lines of a directive without what HTML may have changed in them."""
    return "\n".join(line.rstrip() for line in body.strip("\n").split("\n"))
