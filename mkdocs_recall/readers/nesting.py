"""The containers around a line of Markdown of any flavour, and whether the line is indented code.

Block quotes and list items nest as in CommonMark, admonitions, tabs, definitions and footnotes as
in Python-Markdown. Inside the elements of MDX no line is indented code.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from markdown.util import STX

if TYPE_CHECKING:
    from collections.abc import Sequence

TAB: Final = 4
"""How far containers of Python-Markdown indent, and code."""
_DEEPEST: Final = 50
"""Levels of nested containers; deeper ones count as text."""
_MARK: Final = r"(?:[-*+]|\d{1,9}[.)]|:|\[\^[^\]\s]{1,99}\]:)"
_ITEM: Final = re.compile(rf"( {{0,3}}{_MARK})(?:( +)(?=[^ ])| *$)")
_QUOTE: Final = re.compile(r" {0,3}> ?")
_BOX: Final = re.compile(r' {0,3}(?:!!! ?\w|\?\?\?\+? ?\w|={3}[!+]* +")')
_RULE: Final = re.compile(r" {0,3}(?:(?:- *){3,}|(?:\* *){3,})$")
_ELEMENT: Final = re.compile(r"</?([A-Z]\w*[a-z]\w*(?:\.\w+)*)(?=[\s/>]|$)")
"""A component of MDX; not `<YOUR_NAME>`."""


class Nesting:
    """The containers around a line."""

    def __init__(self) -> None:
        """Start at the top of a page."""
        self.open: list[int] = []  # by how much each indents; 0: a block quote
        self.fresh = True  # whether the next line starts a block
        self.elements = 0  # how many elements of MDX are open
        self.in_tag = False  # whether the start tag of one is

    def inside(self, line: str) -> tuple[int, int]:
        """Return how many of the open containers hold a line, and where its own text starts."""
        column = 0
        for depth, width in enumerate(self.open):
            if width:
                if not line.startswith(" " * width, column):
                    return depth, column
                column += width
            else:
                mark = _QUOTE.match(line, column)
                if mark is None:
                    return depth, column
                column = mark.end()
        return len(self.open), column

    def enter(self, line: str) -> int:
        """Read the next line; return where its text starts, or -1 for indented code."""
        depth, column = self.inside(line)
        while line.strip():
            if self.fresh and self._is_code(line, column, depth):
                del self.open[depth:]
                return -1
            width, end = _container(line, column)
            if width < 0 or depth == _DEEPEST:
                break
            self.open[depth:] = [width]
            depth, column, self.fresh = depth + 1, end, True
        if not line[column:].strip():
            while 0 in self.open[depth:]:
                self.open.pop()
            self.fresh = True
            return column
        is_heading = line.startswith("#", column)
        is_box = _BOX.match(line, column) is not None
        if self.fresh or is_heading or is_box or line[column:].lstrip().startswith(("```", "~~~")):
            del self.open[depth:]
        if is_box and depth < _DEEPEST:
            self.open.append(indent_of(line, column) + TAB)
        self.fresh = is_heading or is_box
        return column

    def read_element(self, line: str) -> None:
        """Count the elements of MDX that a line opens and closes, if it starts with their tag."""
        line = line.lstrip(" >").rstrip()
        if self.in_tag:
            if line.endswith(">") or not line:
                self.elements += bool(line) and not line.endswith("/>")
                self.in_tag = False
        elif tag := _ELEMENT.match(line):
            if tag[0].startswith("</"):
                self.elements = max(0, self.elements - 1)
            elif ">" not in line:
                self.in_tag = True
            elif not line.endswith("/>") and f"</{tag[1]}>" not in line:
                self.elements += 1

    def _is_code(self, line: str, column: int, depth: int) -> bool:
        """Return whether a line that starts a block is indented code.

        Authors for Python-Markdown indent by four below any list marker.
        """
        if self.elements:
            return False
        width = self.open[depth - 1] if 0 < depth <= len(self.open) else 0
        return line.startswith(" " * (TAB + max(0, TAB - (width or TAB))), column)


def indented_code(lines: Sequence[str]) -> list[int]:
    """Return the numbers of the lines of indented code; placeholders stand for fences."""
    numbers: list[int] = []
    nesting = Nesting()
    for number, line in enumerate(lines):
        if nesting.enter(line) < 0:
            numbers.append(number)
        elif nesting.in_tag or "<" in line:
            nesting.read_element(line)
        elif STX in line:
            nesting.fresh = True
    return numbers


def _container(line: str, column: int) -> tuple[int, int]:
    """Return by how much the container indents that a line opens, and where its text starts.

    The indent is 0 for a block quote, and -1 if the line opens no container.
    """
    if mark := _QUOTE.match(line, column):
        return 0, mark.end()
    mark = _ITEM.match(line, column)
    if mark is None or _RULE.match(line, column):
        return -1, column
    width = len(mark[1]) + (len(mark[2]) if mark[2] and len(mark[2]) <= TAB else 1)
    end = min(column + width, len(line))
    return (TAB if mark[1].endswith("]:") else width), end


def indent_of(line: str, column: int) -> int:
    """Return how many spaces a line has from a column on."""
    return len(line) - column - len(line[column:].lstrip(" "))


def text_of(line: str) -> str:
    """Return a line without indent and the marks of quotes."""
    return line.lstrip(" >")


def empty_line(line: str) -> str:
    """Return an empty line in the block quotes of another."""
    return line[: len(line) - len(text_of(line))].rstrip()
