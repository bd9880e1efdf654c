"""Where in its source a directive of a finished page stands, if it does."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Final

from mkdocs_recall.directives.parser import find_fences
from mkdocs_recall.errors import SiteError
from mkdocs_recall.text.front_matter import normalise_newlines, split_front_matter

if TYPE_CHECKING:
    from mkdocs_recall.directives.fences import Fence

_MARKUP: Final = (".rst", ".adoc")
"""Sources that are no Markdown: there the directive's lines are looked for, and its name above."""
_ABOVE: Final = 3
"""How many lines above the first of a directive may name it, outside of Markdown."""
_SETTING: Final = re.compile(r":[\w-]+:")
"""A line between the name of a block and its code, in reStructuredText and MyST."""
_NAMED: Final = r"\b{}\b"
_MYST: Final = r"[`~:]{{3,}}\{{(?:code|code-block|sourcecode)\}} *{}$"
"""The line above a directive that is written as a code block of Sphinx, in Markdown."""
_HIGHLIGHT: Final = re.compile(r"\.\. highlight::\s*(\S*)")
"""What names the language of all code blocks below that name none, in reStructuredText."""


class SourceFences:
    """The directives in the source of a page, read when the first is asked for."""

    def __init__(self, file: str | None) -> None:
        """Take the source's file; None where it is not known."""
        self._file = file
        self._lines: dict[tuple[str, str], int] | None = None
        self._text: _SourceText | None = None
        self._body = ""
        self._offset = 0

    def line(self, fence: Fence) -> int | None:
        """Return the line of a directive in the source, from 1; None if it is not there.

        It is the line of its opening; where that is not known, the one above its body.
        """
        if self._file is None:
            return None
        if self._lines is None:
            self._lines = self._read(self._file)
        line = self._lines.get((fence.name, _plain(fence.body)))
        if line is None:
            if self._text is None:
                is_markdown = not self._file.lower().endswith(_MARKUP)
                self._text = _SourceText(self._body, is_markdown=is_markdown)
            above = self._text.line_above(fence)
            line = None if above is None else self._offset + above
        return line

    def _read(self, file: str) -> dict[tuple[str, str], int]:
        try:
            source = split_front_matter(
                normalise_newlines(Path(file).read_bytes().decode("utf-8", "replace"))
            )
        except OSError as error:
            msg = f"'{file}' cannot be read: {error.strerror or error}"
            raise SiteError(msg) from error
        self._body, self._offset = source.body, source.offset
        lines: dict[tuple[str, str], int] = {}
        for fence in find_fences(source.body):
            place = source.offset + fence.first + 1
            lines.setdefault((fence.name, _plain(fence.body)), place)
        return lines


class _SourceText:
    """The lines of a source in which a directive is no fence of Markdown."""

    def __init__(self, text: str, *, is_markdown: bool) -> None:
        self._is_markdown = is_markdown
        self._lines = [line.strip() for line in text.split("\n")]
        self._places: dict[str, list[int]] = {}
        self._highlights: list[tuple[int, str]] = []
        for number, line in enumerate(self._lines):
            self._places.setdefault(line, []).append(number)
            if not is_markdown and (match := _HIGHLIGHT.match(line)):
                self._highlights.append((number, match[1]))

    def line_above(self, fence: Fence) -> int | None:
        """Return the line above the body of a directive, from 1; None if it is not there."""
        body = [line.strip() for line in fence.body.strip("\n").split("\n")]
        name = re.compile((_MYST if self._is_markdown else _NAMED).format(fence.name))
        for start in self._places.get(body[0], ()):
            if self._lines[start : start + len(body)] == body:
                above = self._above(start, 1 if self._is_markdown else _ABOVE)
                if any(map(name.search, above)) or self._language(start) == fence.name:
                    return start
        return None

    def _above(self, start: int, count: int) -> list[str]:
        """Return the nearest lines above one, without settings."""
        lines: list[str] = []
        while start and len(lines) < count:
            start -= 1
            line = self._lines[start]
            if line and not _SETTING.match(line):
                lines.append(line)
        return lines

    def _language(self, start: int) -> str:
        """Return the language, at a line, of the code blocks that name none."""
        return next((name for at, name in reversed(self._highlights) if at < start), "")


def _plain(body: str) -> str:
    """Return the lines of a directive without what HTML may have changed in them."""
    return "\n".join(line.rstrip() for line in body.strip("\n").split("\n"))
