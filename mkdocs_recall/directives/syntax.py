"""Where the directives stand in a page's Markdown, and the text with markers in their place.

Fences are read as pymdownx.superfences and Python-Markdown read them, not as CommonMark does: one
closes with the same characters at the same column or is plain text; containers indent by four. A
doubt is decided for the directive: a marker that comes out as code is turned back into the fence
(see `markers`), a directive overlooked is lost. What a directive's YAML means is for `options`.
"""

from __future__ import annotations

import re
import textwrap
from bisect import bisect_right
from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING, Final, NamedTuple

import yaml

from mkdocs_recall.directives import NAMES, may_hold_directive
from mkdocs_recall.directives.body import UNREAD
from mkdocs_recall.directives.containers import MARK, TAB, Containers
from mkdocs_recall.errors import DirectiveError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_BLANKS: Final = " \t\r"
_NEAR: Final = 200  # lines; most fences close within
_ANY: Final = -1  # for a column

_LEAD: Final = re.compile(rf"\ufeff?[ \t>]*(?:{MARK}[ \t]+[ \t>]*)*")
_TICKS: Final = re.compile(r"`{3,}|~{3,}")
_BACKTICKS: Final = re.compile(r"(?<!\\)`+")
_HTML: Final = re.compile(r"((?<!\\)`+)|<!--|<(pre|script|style|textarea)(?=[\s>])", re.IGNORECASE)
_ENDS: Final = {
    name: re.compile(rf"</{name}\b", re.IGNORECASE)
    for name in ("pre", "script", "style", "textarea")
} | {"-->": re.compile("-->"), "blank": re.compile(r"\n[ \t\r>]*\n")}
_TYPE: Final = re.compile(r"^type:[ \t]*[\"']?(recall|synopsis)[\"']?[ \t]*(?:#.*)?$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Fence:
    """A directive as it stands in the page."""

    name: str
    """`recall` or `synopsis`."""
    embedm: bool
    """Whether it came as `yaml embedm`, which has other defaults."""
    prefix: str
    """What stands before the fence on its first line: blanks, `> `, a list marker."""
    first: int
    """The line of the opening fence, from 0."""
    last: int
    """The line of the closing fence; `first` where there is none."""
    body: str
    """The lines between, without prefix and dedented: line `n` of it is line `first + 1 + n`."""
    source: str
    """The lines `first` to `last` as written."""
    fault: DirectiveError | None = None
    """What is wrong with the fence itself."""


def find_fences(markdown: str) -> list[Fence]:
    """Find a page's directives, in order, without those shown as an example, in linear time."""
    last = max(_last_named(markdown, name) for name in (*NAMES, "embedm"))
    return _Page(markdown, last).fences() if last >= 0 else []


def replace_fences(markdown: str, fences: Iterable[Fence], markers: Sequence[str]) -> str:
    """Put each fence's marker, on one line with the fence's prefix, in its place.

    Takes the text in which the fences were found, all of them in order, and a marker for each.
    """
    lines = markdown.split("\n")
    kept: list[str] = []
    after = 0
    for fence, marker in zip(fences, markers, strict=True):
        kept += lines[after : fence.first]
        kept.append(fence.prefix + marker + "\r" * lines[fence.last].endswith("\r"))
        after = fence.last + 1
    return "\n".join(kept + lines[after:])


def _last_named(markdown: str, name: str) -> int:
    """Return where a fence with a name in its info string may stand last, -1 if nowhere."""
    at = markdown.rfind(name)
    while at >= 0:
        before = at
        while before and markdown[before - 1] in " \t{.yaml":
            before -= 1
        if markdown[before - 1 : before] in ("`", "~"):
            return at
        at = markdown.rfind(name, 0, at)
    return -1


class _Place(NamedTuple):
    """How far right a line starts: a line of a fence stands nowhere left of its opening."""

    quotes: int
    column: int

    @classmethod
    def of(cls, line: str) -> _Place:
        lead = line[: len(line) - len(line.lstrip(" \t>"))].expandtabs(TAB)
        quotes = lead.count(">")
        return cls(quotes, max(0, len(lead) - lead.rfind(">") - (2 if quotes else 1)))


@dataclass(frozen=True, slots=True)
class _Opening:
    """A line that may open a fence, or close one when it has no `info`."""

    prefix: str
    ticks: str
    info: str
    place: _Place
    marked: bool
    """Whether it stands behind a list marker; its lines then need only be right of that."""

    @classmethod
    def of(cls, line: str) -> _Opening | None:
        lead = _LEAD.match(line)
        prefix = lead[0] if lead else ""
        ticks = _TICKS.match(line, len(prefix))
        info = line[ticks.end() :].strip(_BLANKS) if ticks else ""
        if ticks is None or ("`" in info and ticks[0][0] == "`"):
            return None  # text, or inline code
        marked = bool(prefix.strip("\ufeff \t>"))
        place = _Place.of(line.lstrip("\ufeff"))
        return cls(prefix, ticks[0], info, place._replace(column=place.column + marked), marked)

    def is_closed_by(self, other: _Opening | None) -> bool:
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


class _Index(NamedTuple):
    """The lines of a page that may end a fence, ascending."""

    closings: defaultdict[tuple[str, int, int], list[int]]
    """By characters, quote marks and column, and by `_ANY` column."""
    rivals: defaultdict[str, list[int]]
    """What opens a fence with an info string, by character."""


class _Page:
    """One scan over a page."""

    def __init__(self, markdown: str, before: int) -> None:
        """Take the page's text, in which no directive opens behind the offset `before`."""
        self.text = markdown
        self.lines = markdown.split("\n")
        self.starts = list(accumulate(map((1).__add__, map(len, self.lines)), initial=0))
        self.last = bisect_right(self.starts, before)  # the number of lines to look at
        self.ends: dict[str, int] = {}
        self.breaks: list[int] = []
        self.openings: dict[int, _Opening | None] = {}

    @cached_property
    def _index(self) -> _Index:
        """What closes and what opens fences in all of the page; needed when it is not near."""
        index = _Index(defaultdict(list), defaultdict(list))
        for number in range(len(self.lines)):
            if opening := self._opening(number):
                if opening.info:
                    index.rivals[opening.ticks[0]].append(number)
                elif not opening.marked:
                    quotes, column = opening.place
                    index.closings[opening.ticks, quotes, column].append(number)
                    index.closings[opening.ticks, quotes, _ANY].append(number)
        return index

    def _opening(self, number: int) -> _Opening | None:
        line = self.lines[number]
        if "```" not in line and "~~~" not in line:
            return None
        if number not in self.openings:
            self.openings[number] = _Opening.of(line)
        return self.openings[number]

    def fences(self) -> list[Fence]:
        found: list[Fence] = []
        containers = Containers()
        number = 0
        while number < self.last:
            line = self.lines[number]
            if not line.strip(" \t\r>"):
                containers.fresh = True
            elif not containers.enter(line):
                opening = self._opening(number)
                if opening is None:
                    number = self._hidden_end(number) if "<" in line else number
                elif fence := self._directive(number, opening):
                    found.append(fence)
                    number = fence.last
                else:
                    number = self._fence_end(number, opening)
            number += 1
        return found

    def _fence_end(self, number: int, opening: _Opening) -> int:
        """Return the closing line of the fence opened on a line: that line if it never closes."""
        closing = self._closing(number, opening)
        return closing if closing < self._break(number, opening) else number

    def _closing(self, number: int, opening: _Opening) -> int:
        """Return the next line that may close a fence; behind the last line if there is none."""
        for at in range(number + 1, min(number + _NEAR, len(self.lines))):
            if opening.ticks in self.lines[at] and opening.is_closed_by(self._opening(at)):
                return at
        quotes, column = opening.place
        key = (opening.ticks, quotes, _ANY if opening.marked else column)
        return _next(self._index.closings[key], number, len(self.lines))

    def _rival(self, number: int, opening: _Opening, end: int) -> int:
        """Return the next line that opens a fence of the same character with an info string."""
        character = opening.ticks[0]
        for at in range(number + 1, end):
            other = self._opening(at)
            if other and other.info and other.ticks[0] == character:
                return at
        if end > number:
            return len(self.lines)
        return _next(self._index.rivals[character], number, len(self.lines))

    def _break(self, number: int, opening: _Opening) -> int:
        """Return the next line left of an opening one, which ends its fence, closed or not."""
        if not any(opening.place):
            return len(self.lines)
        if not self.breaks:
            self.breaks = [len(self.lines)] * len(self.lines)
            waiting: list[tuple[_Place, int]] = []
            for at, line in enumerate(self.lines):
                if line.strip(_BLANKS):
                    place = _Place.of(line)
                    while waiting and waiting[-1][0] > place:
                        self.breaks[waiting.pop()[1]] = at
                    opened = self._opening(at)
                    waiting.append((opened.place if opened else place, at))
        return self.breaks[number]

    def _directive(self, number: int, opening: _Opening) -> Fence | None:
        if not (words := opening.words):
            return None
        end = self._fence_end(number, opening)
        rival = self._rival(number, opening, end)
        closed = number < end < rival  # else the author forgot to close this one before the next
        body = self._body(number, end if closed else rival, opening.place.quotes)
        name = _embedm_type(body) if words[0] == "embedm" else words[0]
        if not name:
            return None
        fault = None
        if not closed:
            end, body = number, ""
            what = f"a line with {opening.ticks} alone, as far right as the opening one, is missing"
            fault = DirectiveError(f"the fence is not closed: {what}")
        elif words[1:]:
            what = f"'{' '.join(words[1:])}' stands behind the name"
            fault = DirectiveError(f"{what}: options go on lines of their own below")
        source = "\n".join(self.lines[number : end + 1])
        return Fence(name, words[0] == "embedm", opening.prefix, number, end, body, source, fault)

    def _body(self, number: int, end: int, quotes: int) -> str:
        """Return the lines between, without quote marks and dedented."""
        lines = [line.rstrip("\r") for line in self.lines[number + 1 : end]]
        if quotes:
            marks = re.compile(rf"(?:[ \t]*>){{1,{quotes}}} ?")
            lines = [marks.sub("", line, count=1) for line in lines]
        return textwrap.dedent("\n".join(lines))

    def _hidden_end(self, number: int) -> int:
        """Return the line on which a comment or raw element that starts on this one ends.

        What starts its line may hold anything; elsewhere a comment ends within its paragraph.
        """
        line, at = self.lines[number], self.starts[number]
        starts_line = line.lstrip(" \t>").startswith("<")
        spans = _code_spans(line)
        while found := _HTML.search(self.text, at, self.starts[number + 1]):
            at = found.end()
            if found[1]:
                at = max(at, self.starts[number] + spans[found.start() - self.starts[number]])
            elif starts_line or not found[2]:
                end = self._find((found[2] or "-->").lower(), found.start() + 2)
                if end < len(self.text) and (starts_line or end < self._find("blank", at)):
                    at = end + 3
                    if at > self.starts[number + 1] - 1:
                        number = bisect_right(self.starts, at) - 1
                        starts_line, spans = False, _code_spans(self.lines[number])
        return number

    def _find(self, what: str, at: int) -> int:
        """Return where `what` next stands, at the end of the text if nowhere; searched for once."""
        if self.ends.get(what, -1) < at:
            found = _ENDS[what].search(self.text, at)
            self.ends[what] = found.start() if found else len(self.text)
        return self.ends[what]


def _next(numbers: list[int], number: int, otherwise: int) -> int:
    """Return the first of the sorted `numbers` behind `number`."""
    at = bisect_right(numbers, number)
    return numbers[at] if at < len(numbers) else otherwise


def _code_spans(line: str) -> dict[int, int]:
    """Map where inline code starts to where it ends; other backticks to behind themselves."""
    closing: dict[int, int] = {}
    ends: dict[int, int] = {}
    for run in reversed(list(_BACKTICKS.finditer(line))):
        ends[run.start()] = closing.get(len(run[0]), run.end())
        closing[len(run[0])] = run.end()
    return ends


def _embedm_type(body: str) -> str:
    """Return which directive an embedm block is, or an empty string."""
    if not may_hold_directive(body):
        return ""
    try:
        options = yaml.safe_load(body)
    except (yaml.YAMLError, *UNREAD):
        line = _TYPE.search(body)
        return line[1] if line else ""
    kind = options.get("type") if isinstance(options, dict) else None
    return kind if kind in NAMES else ""
