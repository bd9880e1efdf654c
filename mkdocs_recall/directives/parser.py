"""The directives in a page's Markdown: where their fences are, and which are only examples.

Reads fences as pymdownx.superfences and Python-Markdown do, not as CommonMark does: a fence is
closed by the same characters at the same column, or else it is plain text; containers indent by
four. Where a page can be read in two ways, the fence counts as a directive: a marker that comes out
as code is turned back into the fence (see `answers.insertion`), an overlooked directive is lost.
What a directive's YAML means is for `options`.

Fences whose name is nearly that of a directive (`Recall`, `synopsys`, `type: recal`) are code to
MkDocs, which publishes their YAML. They are reported, and never answered. A body of our own options
has to support the likeness of the name, so that no other language is meant.
"""

from __future__ import annotations

import re
import sys
import textwrap
from bisect import bisect_right
from collections import defaultdict
from functools import cached_property
from itertools import repeat
from typing import TYPE_CHECKING, Final, NamedTuple

import yaml

from mkdocs_recall.directives.fences import (
    DIRECTIVE_STARTS,
    NAMES,
    WHITE_SPACE,
    Containers,
    Fence,
    FenceLine,
    HiddenRanges,
    Indentation,
    may_hide,
    may_hold_directive,
    may_hold_near_miss,
    near_name,
    replace_fences,
)
from mkdocs_recall.directives.yaml import CONSTRUCTOR_ERRORS, yaml_loader
from mkdocs_recall.errors import DirectiveError
from mkdocs_recall.messages import shown

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet


_NEAR: Final = 50
"""Most fences close within so many lines; only for others is the whole page indexed."""
_NOWHERE: Final = sys.maxsize
"""The number of a line that does not exist: it comes after all others."""
_ANY: Final = -1
"""Stands for any column."""
_OPTION: Final = re.compile(r"[ \t>]*(?:- |[\w-]+:(?:[ \t\r]|$))")
_TYPE: Final = re.compile(r"^type:[ \t]*[\"']?(recall|synopsis)[\"']?[ \t]*(?:#.*)?$", re.MULTILINE)


def find_fences(markdown: str) -> list[Fence]:
    """Return a page's directives in order, without those shown as examples, in linear time."""
    last = -1
    for character, start in DIRECTIVE_STARTS.items():
        if character in markdown:
            last = max([last, *(match.end() for match in start.finditer(markdown))])
    return _FenceScan(markdown, last).fences() if last >= 0 else []


def find_other_fences(markdown: str) -> list[Fence]:
    """Return the fences of a page that are no directives, in order, in linear time.

    Examples in other fences, in comments and in indented code are none, as for `find_fences`.
    """
    return _FenceScan(markdown, len(markdown)).other_fences()


def fence_body(source: str) -> str:
    """Return the body of a fence that is closed, from its lines as written."""
    first, *lines = source.split("\n")
    opening = FenceLine.of(first)
    return _body(lines[:-1], opening.indentation.quotes) if opening else ""


def without_directives(markdown: str) -> str:
    """Return a page's Markdown with a comment in the place of each directive, as in a build.

    A page read without a build then has the same text: no fence counts as text of the page.
    """
    if not may_hold_directive(markdown):
        return markdown
    spans = [fence.span for fence in find_fences(markdown)]
    return replace_fences(markdown, spans, repeat("<!-- recall -->", len(spans)))


class _FenceIndex(NamedTuple):
    """The numbers of a page's lines that may end a fence, ascending."""

    closings: defaultdict[tuple[str, int, int], list[int]]
    """By characters, quote marks and column, and also by `_ANY` column."""
    rivals: defaultdict[str, list[int]]
    """The lines that open a fence with an info string, by character."""


class _FenceScan:
    """One scan over the lines of a page."""

    def __init__(self, markdown: str, last: int) -> None:
        """Take the page's text; no directive opens after the offset `last`."""
        self.line_count = markdown.count("\n", 0, last) + 1  # up to the line of the offset `last`
        self.lines = markdown.split("\n", self.line_count + _NEAR)  # all others are in the last
        self.hidden = HiddenRanges(markdown)
        self.fence_lines: dict[int, FenceLine | None] = {}
        self.others: list[tuple[int, int, FenceLine]] = []  # first and last line, opening
        self.number = self.offset = 0  # the line that `_offset` returned last, and its offset

    def fences(self) -> list[Fence]:
        """Return the directives."""
        fences: list[Fence] = []
        containers = Containers()
        done = 0
        for number, line in enumerate(self.lines[: self.line_count]):
            if number < done or not _may_open(line):
                continue
            end = number
            if not containers.reach(self.lines[done : number + 1]):
                opening = self._fence_line(number)
                if opening is None:
                    end = self.hidden.end(number)
                elif fence := self._directive(number, opening):
                    fences.append(fence)
                    end = fence.last
                else:
                    end = self._fence_end(number, opening)
                    self.others.append((number, end, opening))
            done = end + 1
        return fences

    def other_fences(self) -> list[Fence]:
        """Return the fences that are no directives; one that never closes has no body."""
        self.fences()
        self.number = self.offset = 0
        return [
            Fence(
                name=opening.info,
                embedm=False,
                prefix=opening.prefix,
                first=number,
                last=end,
                body=_body(self.lines[number + 1 : end], opening.indentation.quotes),
                source="\n".join(self.lines[number : end + 1]),
                start=self._offset(number),
            )
            for number, end, opening in self.others
        ]

    def _fence_line(self, number: int) -> FenceLine | None:
        """Return a line as one that opens or closes a fence, if it does."""
        line = self.lines[number]
        if "```" not in line and "~~~" not in line:
            return None
        if number not in self.fence_lines:
            self.fence_lines[number] = FenceLine.of(line)
        return self.fence_lines[number]

    def _directive(self, number: int, opening: FenceLine) -> Fence | None:
        """Return the directive that a line opens; None if its fence is something else."""
        if not (words := opening.words):
            return None
        end = self._fence_end(number, opening)
        rival = self._rival(number, opening, end)
        is_closed = number < end < rival  # else its author forgot to close it before the next
        body = _body(
            self.lines[number + 1 : end if is_closed else rival], opening.indentation.quotes
        )
        name = _embedm_type(body) if words[0] == "embedm" else words[0]
        if not name:
            return None
        fault = None
        if not is_closed:
            end, body = number, ""
            fault = self._unclosed(number, opening)
        elif words[1:]:
            place = f"'{' '.join(words[1:])}' follows the name"
            fault = DirectiveError(f"{place}: put options on their own lines below")
        return Fence(
            name=name,
            embedm=words[0] == "embedm",
            prefix=opening.prefix,
            first=number,
            last=end,
            body=body,
            source="\n".join(self.lines[number : end + 1]),
            start=self._offset(number),
            fault=fault,
        )

    def _unclosed(self, number: int, opening: FenceLine) -> DirectiveError:
        """Return what is wrong with a fence that never closes.

        That is its first line of options, or its end, which is left of the opening line; if there
        is no such line near, its end is missing.
        """
        left = 0
        for inner in range(number + 1, min(number + _NEAR, len(self.lines))):
            line, other = self.lines[inner], self._fence_line(inner)
            if other and other.info:
                break
            if not left and line.strip(WHITE_SPACE) and Indentation.of(line) < opening.indentation:
                if not (other or _OPTION.match(line)):
                    break
                left = inner
            if left and other and other.ticks == opening.ticks:
                msg = "the line is indented less than its fence; start both in the same column"
                if Indentation.of(self.lines[left]).quotes < opening.indentation.quotes:
                    msg = "the line has fewer '>' than its fence; start both with the same number"
                return DirectiveError(msg, line=left - number)
        line = f"add a line with only {opening.ticks} in the column of the opening line"
        return DirectiveError(f"the fence is not closed: {line}")

    def _offset(self, number: int) -> int:
        """Return where a line starts in the text; called from top to bottom."""
        self.offset += sum(map(len, self.lines[self.number : number])) + number - self.number
        self.number = number
        return self.offset

    def _fence_end(self, number: int, opening: FenceLine) -> int:
        """Return the closing line of the fence opened on a line: that line if it never closes."""
        closing = self._closing(number, opening)
        if closing == _NOWHERE or self._is_left(number, opening, closing):
            return number
        return closing

    def _closing(self, number: int, opening: FenceLine) -> int:
        """Return the next line that may close a fence, if there is one."""
        for near, line in enumerate(self.lines[number + 1 : number + _NEAR], start=number + 1):
            if opening.ticks in line and opening.is_closed_by(self._fence_line(near)):
                return near
        quotes, column = opening.indentation
        key = (opening.ticks, quotes, _ANY if opening.marked else column)
        return _next(self._index.closings[key], number)

    def _rival(self, number: int, opening: FenceLine, end: int) -> int:
        """Return the next line that opens a fence of the same character with an info string.

        It is looked for up to `end`, or on all lines where the fence never closes.
        """
        character = opening.ticks[0]
        for inner in range(number + 1, end):
            other = self._fence_line(inner)
            if other and other.info and other.ticks[0] == character:
                return inner
        return _NOWHERE if end > number else _next(self._index.rivals[character], number)

    def _is_left(self, number: int, opening: FenceLine, end: int) -> bool:
        """Return whether a line up to `end` is left of the opening one, which ends its fence."""
        if not any(opening.indentation):
            return False
        if end > number + _NEAR:
            return self._breaks[number] <= end
        return any(
            line.strip(WHITE_SPACE) and Indentation.of(line) < opening.indentation
            for line in self.lines[number + 1 : end + 1]
        )

    @cached_property
    def _index(self) -> _FenceIndex:
        """What closes and what opens fences on the whole page; for fences that do not end near."""
        self.lines[-1:] = self.lines[-1].split("\n")  # the last of them held all others
        index = _FenceIndex(defaultdict(list), defaultdict(list))
        for number in range(len(self.lines)):
            if line := self._fence_line(number):
                if line.info:
                    index.rivals[line.ticks[0]].append(number)
                elif not line.marked:
                    quotes, column = line.indentation
                    index.closings[line.ticks, quotes, column].append(number)
                    index.closings[line.ticks, quotes, _ANY].append(number)
        return index

    @cached_property
    def _breaks(self) -> list[int]:
        """For each line the next one that is left of it; for fences that end far off."""
        breaks = [_NOWHERE] * len(self.lines)
        pending: list[tuple[Indentation, int]] = []  # ascending: no line left of them has come
        for number, line in enumerate(self.lines):
            if line.strip(WHITE_SPACE):
                indentation = Indentation.of(line)
                while pending and pending[-1][0] > indentation:
                    breaks[pending.pop()[1]] = number
                fence_line = self._fence_line(number)
                pending.append((fence_line.indentation if fence_line else indentation, number))
        return breaks


def _body(lines: list[str], quotes: int) -> str:
    """Return the lines of a fence, dedented and without as many quote marks."""
    lines = [line.rstrip("\r") for line in lines]
    if quotes:
        marks = re.compile(rf"(?:[ \t]*>){{1,{quotes}}} ?")
        lines = [marks.sub("", line, count=1) for line in lines]
    body = "\n".join(lines)
    return textwrap.dedent(body) if any(line[:1].isspace() for line in lines) else body


def _may_open(line: str) -> bool:
    """Return whether a line may open a fence, or something that hides fences; False is certain."""
    return "```" in line or "~~~" in line or ("<" in line and may_hide(line))


def _next(numbers: list[int], number: int) -> int:
    """Return the first of the sorted `numbers` after `number`."""
    place = bisect_right(numbers, number)
    return numbers[place] if place < len(numbers) else _NOWHERE


def _embedm_type(body: str) -> str:
    """Return which directive an embedm block is, or an empty string."""
    if not may_hold_directive(body):
        return ""
    try:
        options = yaml_loader(body).get_single_data()
    except (yaml.YAMLError, *CONSTRUCTOR_ERRORS):
        line = _TYPE.search(body)
        return line[1] if line else ""
    name = options.get("type") if isinstance(options, dict) else None
    return name if name in NAMES else ""


_MAIN_KEYS: Final = frozenset({"query", "source"})
"""Of which a fence has to have one."""
_CONTINUES: Final = (" ", "\t", "-", "#", "]", "}")
"""What a line begins with that opens no key."""
_NEAR_TYPE: Final = re.compile(r"^type:[ \t]*[\"']?(\w+)", re.MULTILINE)
_INFO: Final = re.compile(r"[\s{.]*([^\s{}]+)")
_EMBEDM: Final = ["yaml", "embedm"]


class NearMiss(NamedTuple):
    """A fence with the wrong name."""

    fence: Fence
    """The fence, with the name of the directive that is probably meant."""
    message: str


def find_near_misses(markdown: str) -> list[NearMiss]:
    """Return the fences of a page that are probably meant for directives, in linear time."""
    if not may_hold_near_miss(markdown):
        return []
    candidates = map(_near_miss, find_other_fences(markdown))
    return [candidate for candidate in candidates if candidate]


def reads_as_directive(body: str) -> bool:
    """Return whether a text is a mapping of our own options alone, with one of the main ones.

    With the `type` of a directive, as in embedm's fences, it may be one, too.
    """
    from mkdocs_recall.directives.catalog import OPTIONS

    keys = _keys(body)
    directive = _NEAR_TYPE.search(body)
    if directive and directive[1] in NAMES:
        keys -= {"type"}
    return bool(keys & _MAIN_KEYS) and keys <= OPTIONS.keys()


def _near_miss(fence: Fence) -> NearMiss | None:
    """Return a fence that is no directive with the one that it resembles, if there is one."""
    from mkdocs_recall.directives.catalog import OPTIONS

    info, keys = _INFO.match(fence.name), _keys(fence.body)
    kind = ""
    if fence.name.split() == _EMBEDM:
        kind, info = "type: ", _NEAR_TYPE.search(fence.body)
        keys -= {"type"}
    written = info[1] if info else ""
    name = near_name(written)
    if not name or written == name or not keys & _MAIN_KEYS or not keys <= OPTIONS.keys():
        return None
    message = (
        f"{shown(kind + written)} is not a directive, so the fence is shown as code; "
        f"did you mean '{kind}{name}'?"
    )
    return NearMiss(fence._replace(name=name), message)


def _keys(body: str) -> AbstractSet[str]:
    """Return the keys of a mapping in YAML, of which no line needs to be valid.

    A line at the margin without a key is returned whole: it is none of ours.
    """
    lines = [line.rstrip() for line in body.split("\n")]
    keys = [f"{line} ".partition(": ") for line in lines if line and line[0] not in _CONTINUES]
    return {key.strip("\"'") if colon else f"{key}\n" for key, colon, _ in keys}
