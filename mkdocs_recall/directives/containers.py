"""The containers around a line of Markdown, which tell indented code from text set further in."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

TAB: Final = 4
"""Python-Markdown's `tab_length`, by which its containers indent."""
MARK: Final = r"(?:[-*+:]|\d{1,9}[.)]|\[\^[^\]\s]{1,99}\]:)"
"""What opens a list item, a definition or a footnote."""
_BLANKS: Final = " \t\r>"  # alone on a line these end a block
_DEEPEST: Final = 100  # containers in each other; Python-Markdown gives up before that
_OPENING: Final = re.compile(
    rf" {{0,3}}(?:(?P<quote>>) ?|(?P<item>{MARK}(?: +|\r?$))"
    r'|(?P<block>!!! ?|\?\?\?\+? ?|===[!+]* +"|\#))'
)


class Containers:
    """The containers around a line, tracked by indentation as Python-Markdown does."""

    def __init__(self) -> None:
        """Start at the top of a page."""
        self.open: list[bool] = []  # True: a block quote; False: one that indents
        self.fresh = True  # whether the next line starts a block

    def reach(self, lines: Sequence[str]) -> bool:
        """Go over the next lines to the last of them; say whether that is indented code.

        Before a heading at the margin, or text there behind a blank line, nothing is open.
        """
        for at in range(len(lines) - 1, 0, -1):
            first = lines[at][:1]
            if first == "#" or (first.isalpha() and not lines[at - 1].strip(_BLANKS)):
                self.open, self.fresh = [], True
                lines = lines[at:]
                break
        code = False
        for line in lines:
            if line.strip(_BLANKS):
                code = self.enter(line)
            else:
                self.fresh = True
        return code

    def enter(self, line: str) -> bool:
        """Go to the next line that is not blank; say whether it is indented code."""
        line = line.expandtabs(TAB)
        depth, at = self._inside(line)
        code = self.fresh and line.startswith(" " * TAB, at)
        mark = None if code else _OPENING.match(line, at)
        if self.fresh or mark:
            del self.open[depth:]
        while mark and not code and mark["block"] is None and len(self.open) < _DEEPEST:
            self.open.append(mark["quote"] is not None)
            code = self.open[-1] and line.startswith(" " * TAB, mark.end())
            mark = _OPENING.match(line, mark.end())
        block = mark["block"] if mark else None
        if block and block != "#":
            self.open.append(False)
        self.fresh = code or block is not None
        return code

    def _inside(self, line: str) -> tuple[int, int]:
        """Return how many of the open containers the line is in, and where its own text starts."""
        at = 0
        for depth, quote in enumerate(self.open):
            if quote:
                mark = _OPENING.match(line, at)
                if mark is None or mark.lastgroup != "quote":
                    return depth, at
                at = mark.end()
            elif line.startswith(" " * TAB, at):
                at += TAB
            else:
                return depth, at
        return len(self.open), at
