"""The comments and raw elements of a page's Markdown, in which nothing is a directive."""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cached_property
from itertools import accumulate
from typing import Final

_RAW: Final = ("pre", "script", "style", "textarea")
_BACKTICKS: Final = re.compile(r"(?<!\\)`+")
_MAY_HIDE: Final = re.compile(rf"<(?:!--|{'|'.join(_RAW)})", re.IGNORECASE)
_HTML: Final = re.compile(rf"((?<!\\)`+)|<!--|<({'|'.join(_RAW)})(?=[\s>])", re.IGNORECASE)
_ENDS: Final = {name: re.compile(rf"</{name}\b", re.IGNORECASE) for name in _RAW} | {
    "-->": re.compile("-->"),
    "blank": re.compile(r"\n[ \t\r>]*\n"),
}


def may_hide(line: str) -> bool:
    """Say whether something may start on a line that hides what follows; a False is certain."""
    return _MAY_HIDE.search(line) is not None


class Hidden:
    """What comments and raw elements hide of a page, asked from top to bottom."""

    def __init__(self, markdown: str) -> None:
        """Take the page's text."""
        self.text = markdown
        self.ends: dict[str, int] = {}

    @cached_property
    def _lines(self) -> list[str]:
        return self.text.split("\n")

    @cached_property
    def _starts(self) -> list[int]:
        """Where each line starts, and where one behind the last would."""
        return list(accumulate(map((1).__add__, map(len, self._lines)), initial=0))

    def end(self, number: int) -> int:
        """Return the line on which a comment or raw element that starts on this one ends.

        What starts its line may hold anything; elsewhere a comment ends within its paragraph.
        """
        line = self._lines[number]
        at = self._starts[number]
        starts_line = line.lstrip(" \t>").startswith("<")
        spans = _code_spans(line)
        while found := _HTML.search(self.text, at, self._starts[number + 1]):
            at = found.end()
            if found[1]:
                at = max(at, self._starts[number] + spans[found.start() - self._starts[number]])
            elif starts_line or not found[2]:
                end = self._find((found[2] or "-->").lower(), found.start() + 2)
                if end < len(self.text) and (starts_line or end < self._find("blank", at)):
                    at = end + 3
                    if at > self._starts[number + 1] - 1:
                        number = bisect_right(self._starts, at) - 1
                        starts_line, spans = False, _code_spans(self._lines[number])
        return number

    def _find(self, what: str, at: int) -> int:
        """Return where `what` next stands, at the end of the text if nowhere; searched for once."""
        if self.ends.get(what, -1) < at:
            found = _ENDS[what].search(self.text, at)
            self.ends[what] = found.start() if found else len(self.text)
        return self.ends[what]


def _code_spans(line: str) -> dict[int, int]:
    """Map where inline code starts to where it ends; other backticks to behind themselves."""
    closing: dict[int, int] = {}
    ends: dict[int, int] = {}
    for run in reversed(list(_BACKTICKS.finditer(line))):
        ends[run.start()] = closing.get(len(run[0]), run.end())
        closing[len(run[0])] = run.end()
    return ends
