"""Where the directives stand in a page's Markdown.

Fences are read as pymdownx.superfences and Python-Markdown read them, not as CommonMark does: one
closes with the same characters at the same column or is plain text; containers indent by four. A
doubt is decided for the directive: a marker that comes out as code is turned back into the fence
(see `markers`), a directive overlooked is lost. What a directive's YAML means is for `options`.
"""

from __future__ import annotations

import re
import sys
import textwrap
from bisect import bisect_right
from collections import defaultdict
from functools import cached_property
from itertools import repeat
from typing import Final, NamedTuple

import yaml

from mkdocs_recall.directives.containers import (
    NAMED,
    Containers,
    HiddenRanges,
    Indentation,
    Opening,
    may_hide,
)
from mkdocs_recall.directives.fences import NAMES, Fence, may_hold_directive, replace_fences
from mkdocs_recall.directives.yaml import UNREAD, read_plain, yaml_loader
from mkdocs_recall.errors import DirectiveError

_BLANKS: Final = " \t\r"
_NEAR: Final = 50  # lines; most fences close within
_NOWHERE: Final = sys.maxsize  # for a line: behind the last
_ANY: Final = -1  # for a column

_TYPE: Final = re.compile(r"^type:[ \t]*[\"']?(recall|synopsis)[\"']?[ \t]*(?:#.*)?$", re.MULTILINE)


def find_fences(markdown: str) -> list[Fence]:
    """Find a page's directives, in order, without those shown as an example, in linear time."""
    found = simple_fences(markdown)
    return scan_fences(markdown) if found is None else found


def without_directives(markdown: str) -> str:
    """Return a page's Markdown as it is rendered in a build: with a comment for each directive.

    What is read of a page without building it is then the same: no fence is taken for its text.
    """
    if not may_hold_directive(markdown):
        return markdown
    spans = [fence.span for fence in find_fences(markdown)]
    return replace_fences(markdown, spans, repeat("<!-- recall -->", len(spans)))


def scan_fences(markdown: str) -> list[Fence]:
    """Find them line by line."""
    last = -1
    for character, named in NAMED.items():
        if character in markdown:
            last = max([last, *(match.end() for match in named.finditer(markdown))])
    return _Page(markdown, last).fences() if last >= 0 else []


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
        self.last = markdown.count("\n", 0, before) + 1  # the number of lines to look at
        self.lines = markdown.split("\n", self.last + _NEAR)  # the last: the rest
        self.hidden = HiddenRanges(markdown)
        self.openings: dict[int, Opening | None] = {}
        self.counted = self.offset = 0  # the lines before the last start asked for; that start

    @cached_property
    def _index(self) -> _Index:
        """What closes and what opens fences in all of the page; needed when it is not near."""
        self.lines[-1:] = self.lines[-1].split("\n")  # now all are needed
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

    def _opening(self, number: int) -> Opening | None:
        line = self.lines[number]
        if "```" not in line and "~~~" not in line:
            return None
        if number not in self.openings:
            self.openings[number] = Opening.of(line)
        return self.openings[number]

    def fences(self) -> list[Fence]:
        found: list[Fence] = []
        containers = Containers()
        done = 0
        for number, line in enumerate(self.lines[: self.last]):
            if number < done or not _may_open(line):
                continue
            end = number
            if not containers.reach(self.lines[done : number + 1]):
                opening = self._opening(number)
                if opening is None:
                    end = self.hidden.end(number)
                elif fence := self._directive(number, opening):
                    found.append(fence)
                    end = fence.last
                else:
                    end = self._fence_end(number, opening)
            done = end + 1
        return found

    def _fence_end(self, number: int, opening: Opening) -> int:
        """Return the closing line of the fence opened on a line: that line if it never closes."""
        closing = self._closing(number, opening)
        if closing == _NOWHERE or self._is_left(number, opening, closing):
            return number
        return closing

    def _closing(self, number: int, opening: Opening) -> int:
        """Return the next line that may close a fence, if there is one."""
        for at, line in enumerate(self.lines[number + 1 : number + _NEAR], start=number + 1):
            if opening.ticks in line and opening.is_closed_by(self._opening(at)):
                return at
        quotes, column = opening.place
        key = (opening.ticks, quotes, _ANY if opening.marked else column)
        return _next(self._index.closings[key], number)

    def _rival(self, number: int, opening: Opening, end: int) -> int:
        """Return the next line that opens a fence of the same character with an info string."""
        character = opening.ticks[0]
        for at in range(number + 1, end):
            other = self._opening(at)
            if other and other.info and other.ticks[0] == character:
                return at
        return _NOWHERE if end > number else _next(self._index.rivals[character], number)

    def _is_left(self, number: int, opening: Opening, end: int) -> bool:
        """Say whether a line up to `end` is left of an opening one, which ends its fence there."""
        if not any(opening.place):
            return False
        if end > number + _NEAR:
            return self._breaks[number] <= end
        return any(
            line.strip(_BLANKS) and Indentation.of(line) < opening.place
            for line in self.lines[number + 1 : end + 1]
        )

    @cached_property
    def _breaks(self) -> list[int]:
        """For each line the next one that is left of it; needed when a fence ends far off."""
        breaks = [_NOWHERE] * len(self.lines)
        waiting: list[tuple[Indentation, int]] = []
        for at, line in enumerate(self.lines):
            if line.strip(_BLANKS):
                place = Indentation.of(line)
                while waiting and waiting[-1][0] > place:
                    breaks[waiting.pop()[1]] = at
                opened = self._opening(at)
                waiting.append((opened.place if opened else place, at))
        return breaks

    def _directive(self, number: int, opening: Opening) -> Fence | None:
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
        return Fence(
            name=name,
            embedm=words[0] == "embedm",
            prefix=opening.prefix,
            first=number,
            last=end,
            body=body,
            source="\n".join(self.lines[number : end + 1]),
            start=self._start(number),
            fault=fault,
        )

    def _start(self, number: int) -> int:
        """Return where a line starts in the text, asked from top to bottom."""
        self.offset += sum(map(len, self.lines[self.counted : number])) + number - self.counted
        self.counted = number
        return self.offset

    def _body(self, number: int, end: int, quotes: int) -> str:
        """Return the lines between, without quote marks and dedented."""
        lines = [line.rstrip("\r") for line in self.lines[number + 1 : end]]
        if quotes:
            marks = re.compile(rf"(?:[ \t]*>){{1,{quotes}}} ?")
            lines = [marks.sub("", line, count=1) for line in lines]
        body = "\n".join(lines)
        if any(line[:1].isspace() for line in lines):
            return textwrap.dedent(body)
        return body


def _may_open(line: str) -> bool:
    """Say whether a line can open a fence, or what hides fences; a False is certain."""
    return "```" in line or "~~~" in line or ("<" in line and may_hide(line))


def _next(numbers: list[int], number: int) -> int:
    """Return the first of the sorted `numbers` behind `number`."""
    at = bisect_right(numbers, number)
    return numbers[at] if at < len(numbers) else _NOWHERE


def _embedm_type(body: str) -> str:
    """Return which directive an embedm block is, or an empty string."""
    if not may_hold_directive(body):
        return ""
    options = read_plain(body)
    try:
        options = yaml_loader(body).get_single_data() if options is None else options
    except (yaml.YAMLError, *UNREAD):
        line = _TYPE.search(body)
        return line[1] if line else ""
    kind = options.get("type") if isinstance(options, dict) else None
    return kind if kind in NAMES else ""


_OPENING: Final = re.compile(rf"```({'|'.join(NAMES)}) *\n")
"""Without the start of the line, which is looked at afterwards: so it is searched fast."""


def simple_fences(markdown: str) -> list[Fence] | None:
    """Return a page's directives; None if it is no simple page, or has none."""
    if "\r" in markdown or "\t" in markdown:
        return None
    found: list[Fence] = []
    at = number = 0
    for opening in _OPENING.finditer(markdown):
        start, inside = opening.span()
        above = markdown[at:start]
        closing = markdown.find("\n```", inside - 1) + 1
        end = markdown.find("\n", closing)
        end = len(markdown) if end < 0 else end
        body = markdown[inside : max(inside, closing - 1)]
        if (
            start < at
            or (start and markdown[start - 1] != "\n")
            or not closing
            or "```" in above
            or "~~~" in above
            or ("<" in above and may_hide(above))
            or markdown[closing + 3 : end].strip(" ")
            or "```" in body
            or body.startswith(" ")
            or "\n " in body
        ):
            return None
        first = number + above.count("\n")
        number = first + markdown.count("\n", start, end)
        source = markdown[start:end]
        found.append(Fence(opening[1], False, "", first, number, body, source, start))  # noqa: FBT003 - its fields
        at = end
    others = any(sign in markdown and NAMED[sign].search(markdown, at) for sign in NAMED)
    return None if others or not found else found
