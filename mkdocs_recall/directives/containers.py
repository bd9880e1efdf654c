"""The containers around a line of Markdown, which tell indented code from text set further in."""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING, Final, NamedTuple

from mkdocs_recall.directives.fences import NAMES

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


class HiddenRanges:
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


NAMED: Final = {
    character: re.compile(rf"{character * 3}[ \t{{.yaml]*(?:{'|'.join(NAMES)}|embedm)")
    for character in "`~"
}
"""By its character, what a fence that may be a directive starts with."""
_WHITE: Final = " \t\r"
_LEAD: Final = re.compile(rf"\ufeff?[ \t>]*(?:{MARK}[ \t]+[ \t>]*)*")
_TICKS: Final = re.compile(r"`{3,}|~{3,}")


class Indentation(NamedTuple):
    """How far right a line starts: a line of a fence stands nowhere left of its opening."""

    quotes: int
    column: int

    @classmethod
    def of(cls, line: str) -> Indentation:
        """Return the place of a line that is not blank."""
        lead = line[: len(line) - len(line.lstrip(" \t>"))].expandtabs(TAB)
        quotes = lead.count(">")
        return cls(quotes, max(0, len(lead) - lead.rfind(">") - (2 if quotes else 1)))


class Opening(NamedTuple):
    """A line that may open a fence, or close one when it has no `info`."""

    prefix: str
    ticks: str
    info: str
    place: Indentation
    marked: bool
    """Whether it stands behind a list marker; its lines then need only be right of that."""

    @classmethod
    def of(cls, line: str) -> Opening | None:
        """Read a line; None where it opens and closes nothing."""
        lead = _LEAD.match(line)
        prefix = lead[0] if lead else ""
        ticks = _TICKS.match(line, len(prefix))
        if ticks is None:
            return None
        run, info = ticks[0], line[ticks.end() :].strip(_WHITE)
        if run[0] == "`" and "`" in info:
            return None  # inline code
        if not prefix:
            return cls("", run, info, _MARGIN, marked=False)
        marked = bool(prefix.strip("\ufeff \t>"))
        quotes, column = Indentation.of(line.lstrip("\ufeff"))
        return cls(prefix, run, info, Indentation(quotes, column + marked), marked)

    def is_closed_by(self, other: Opening | None) -> bool:
        """Say whether a line with the same characters in it closes a fence opened here."""
        if other is None or other.info or other.marked or other.ticks != self.ticks:
            return False
        return other.place == self.place or (
            self.marked and other.place.quotes == self.place.quotes
        )

    @property
    def words(self) -> list[str]:
        """The info string: the directive's name (`embedm`: it is in the body), then the rest."""
        braces = self.info.startswith("{") and self.info.endswith("}")
        words = (self.info[1:-1].strip().removeprefix(".") if braces else self.info).split()
        if words[:2] == ["yaml", "embedm"] and not braces:
            return words[1:]
        return words if words and words[0] in NAMES else []


_MARGIN: Final = Indentation(0, 0)
