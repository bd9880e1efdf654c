"""The fence of a directive in a page's Markdown, its surroundings, and its replacement by a marker.

The containers of a line, its indentation and what hides it decide whether it is indented code,
whether it can open or close a fence, and where a comment or a raw element ends. To find the fences
that are directives is left to `parser`.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cached_property, lru_cache
from itertools import accumulate
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mkdocs_recall.errors import DirectiveError


NAMES: Final = ("recall", "synopsis")
"""The directives there are."""
MARKER_HINT: Final = "!-- recall:"
"""What the marker in place of a fence has in it, escaped or not."""
_LIKENESS: Final = 0.82
"""Of `difflib`: one letter more or less, two swapped; below is the name of a language, Rell."""
_OPENINGS: Final = tuple(
    (mark, re.compile(rf"{mark}[ \t{{.]*([^\s{{}}`~]{{4,14}})")) for mark in ("```", "~~~")
)
"""What opens a fence, and the first word after it."""
_TYPE: Final = re.compile(r"^[ \t>]*type:[ \t]*[\"']?(\w{4,14})", re.MULTILINE)


class Span(NamedTuple):
    """The place of a fence in the page's text: the half-open span `[start, end)`."""

    prefix: str
    """What precedes the fence on its first line: spaces, `> `, a list marker."""
    start: int
    """The offset of the first line."""
    end: int
    """The end of the last line, before its line end."""


class Fence(NamedTuple):
    """A directive as written in a page."""

    name: str
    """`recall` or `synopsis`; of a fence that is no directive, its info string."""
    embedm: bool
    """Whether it was written as `yaml embedm`, which has other defaults."""
    prefix: str
    """What precedes the fence on its first line: spaces, `> `, a list marker."""
    first: int
    """The line of the opening fence, from 0."""
    last: int
    """The line of the closing fence; `first` where there is none."""
    body: str
    """The lines between, dedented and without prefix: its line `n` is line `first + 1 + n`."""
    source: str
    """The lines `first` to `last` as written."""
    start: int
    """The offset of these in the page's text."""
    fault: DirectiveError | None = None
    """What is wrong with the fence itself."""

    @property
    def span(self) -> Span:
        """Its place in the page's text."""
        end = self.start + len(self.source.removesuffix("\r"))
        return Span(self.prefix, self.start, end)


def replace_fences(markdown: str, spans: Iterable[Span], markers: Iterable[str]) -> str:
    """Replace each fence by its marker, on one line with the fence's prefix.

    Args:
        spans: The spans of all its fences, in order.
    """
    parts: list[str] = []
    end = 0
    for span, marker in zip(spans, markers, strict=True):
        parts += markdown[end : span.start], span.prefix, marker
        end = span.end
    return "".join([*parts, markdown[end:]])


def may_hold_directive(markdown: str) -> bool:
    """Return whether a text may hold a directive; False is certain."""
    return "recall" in markdown or "synopsis" in markdown


@lru_cache(maxsize=256)
def near_name(word: str) -> str:
    """Return the directive that a word is or nearly is; else an empty string."""
    from difflib import get_close_matches

    return next(iter(get_close_matches(word.lower(), NAMES, 1, _LIKENESS)), "")


def may_hold_near_miss(markdown: str) -> bool:
    """Return whether a text may hold a fence with nearly the right name; False is certain.

    Whether it is one depends on its surroundings, see `parser`.
    """
    if "query" not in markdown and "source" not in markdown:  # a key may be in quotation marks
        return False
    words = {
        word
        for mark, pattern in _OPENINGS
        if mark in markdown
        for word in pattern.findall(markdown)
    }
    if "embedm" in markdown:
        words.update(_TYPE.findall(markdown))
    return any(map(near_name, words.difference(NAMES)))


WHITE_SPACE: Final = " \t\r"
"""What a line without text consists of."""
DIRECTIVE_STARTS: Final = {
    character: re.compile(rf"{character * 3}[ \t{{.yaml]*(?:{'|'.join(NAMES)}|embedm)")
    for character in "`~"
}
"""What the opening line of any directive matches, by the fence's character."""
_TAB: Final = 4
"""Python-Markdown's `tab_length`, by which its containers indent."""
_MARK: Final = r"(?:[-*+:]|\d{1,9}[.)]|\[\^[^\]\s]{1,99}\]:)"
"""What opens a list item, a definition or a footnote."""
_BLOCK_END: Final = " \t\r>"
"""A line of these characters alone ends a block."""
_DEEPEST: Final = 100
"""Levels of nested containers. Python-Markdown gives up before that."""
_CONTAINER: Final = re.compile(
    rf" {{0,3}}(?:(?P<quote>>) ?|(?P<item>{_MARK}(?: +|\r?$))"
    r'|(?P<block>!!! ?|\?\?\?\+? ?|===[!+]* +"|\#))'
)
_RAW: Final = ("pre", "script", "style", "textarea")
_BACKTICKS: Final = re.compile(r"(?<!\\)`+")
_MAY_HIDE: Final = re.compile(rf"<(?:!--|{'|'.join(_RAW)})", re.IGNORECASE)
_HIDING: Final = re.compile(rf"((?<!\\)`+)|<!--|<({'|'.join(_RAW)})(?=[\s>])", re.IGNORECASE)
"""Inline code, which is skipped, or the start of a comment or a raw element."""
_ENDS: Final = {name: re.compile(rf"</{name}\b", re.IGNORECASE) for name in _RAW} | {
    "-->": re.compile("-->"),
    "paragraph": re.compile(r"\n[ \t\r>]*\n"),
}
_LEAD: Final = re.compile(rf"\ufeff?[ \t>]*(?:{_MARK}[ \t]+[ \t>]*)*")
_TICKS: Final = re.compile(r"`{3,}|~{3,}")


class Containers:
    """The containers around a line, tracked by indentation as Python-Markdown does."""

    def __init__(self) -> None:
        """Start at the top of a page."""
        self.open: list[bool] = []  # True: a block quote; False: one that indents
        self.fresh = True  # whether the next line starts a block

    def reach(self, lines: Sequence[str]) -> bool:
        """Read the next lines; return whether the last of them is indented code."""
        # A heading at the margin, or text there below an empty line, closes all containers: what
        # is above the last such line has no effect.
        for number in range(len(lines) - 1, 0, -1):
            first = lines[number][:1]
            if first == "#" or (first.isalpha() and not lines[number - 1].strip(_BLOCK_END)):
                self.open, self.fresh = [], True
                lines = lines[number:]
                break
        is_code = False
        for line in lines:
            if line.strip(_BLOCK_END):
                is_code = self.enter(line)
            else:
                self.fresh = True
        return is_code

    def enter(self, line: str) -> bool:
        """Read the next line that has text; return whether it is indented code."""
        line = line.expandtabs(_TAB)
        depth, column = self._inside(line)
        is_code = self.fresh and line.startswith(" " * _TAB, column)
        mark = None if is_code else _CONTAINER.match(line, column)
        if self.fresh or mark:
            del self.open[depth:]
        while mark and not is_code and mark["block"] is None and len(self.open) < _DEEPEST:
            self.open.append(mark["quote"] is not None)
            is_code = self.open[-1] and line.startswith(" " * _TAB, mark.end())
            mark = _CONTAINER.match(line, mark.end())
        block = mark["block"] if mark else None
        if block and block != "#":
            self.open.append(False)
        self.fresh = is_code or block is not None
        return is_code

    def _inside(self, line: str) -> tuple[int, int]:
        """Return how many of the open containers hold the line, and where its own text starts."""
        column = 0
        for depth, is_quote in enumerate(self.open):
            if is_quote:
                mark = _CONTAINER.match(line, column)
                if mark is None or mark.lastgroup != "quote":
                    return depth, column
                column = mark.end()
            elif line.startswith(" " * _TAB, column):
                column += _TAB
            else:
                return depth, column
        return len(self.open), column


class Indentation(NamedTuple):
    """How far right a line starts: no line of a fence may start left of its opening line."""

    quotes: int
    column: int

    @classmethod
    def of(cls, line: str) -> Indentation:
        """Return the indentation of a line that has text."""
        lead = line[: len(line) - len(line.lstrip(" \t>"))].expandtabs(_TAB)
        quotes = lead.count(">")
        return cls(quotes, max(0, len(lead) - lead.rfind(">") - (2 if quotes else 1)))


_MARGIN: Final = Indentation(0, 0)


class FenceLine(NamedTuple):
    """A line that may open a fence, or close one when it has no `info`."""

    prefix: str
    ticks: str
    """Its run of backticks or tildes."""
    info: str
    indentation: Indentation
    marked: bool
    """Whether it follows a list marker; the lines of its fence then need only be right of that."""

    @classmethod
    def of(cls, line: str) -> FenceLine | None:
        """Read a line; return None where it opens and closes nothing."""
        lead = _LEAD.match(line)
        prefix = lead[0] if lead else ""
        ticks = _TICKS.match(line, len(prefix))
        if ticks is None:
            return None
        run, info = ticks[0], line[ticks.end() :].strip(WHITE_SPACE)
        if run[0] == "`" and "`" in info:
            return None  # inline code
        if not prefix:
            return cls("", run, info, _MARGIN, marked=False)
        marked = bool(prefix.strip("\ufeff \t>"))
        quotes, column = Indentation.of(line.lstrip("\ufeff"))
        return cls(prefix, run, info, Indentation(quotes, column + marked), marked)

    def is_closed_by(self, other: FenceLine | None) -> bool:
        """Return whether a line with the same `ticks` in it closes a fence opened here."""
        if other is None or other.info or other.marked or other.ticks != self.ticks:
            return False
        return other.indentation == self.indentation or (
            self.marked and other.indentation.quotes == self.indentation.quotes
        )

    @property
    def words(self) -> list[str]:
        """The directive's name (`embedm` where its body has it) and the rest of the info string.

        Empty where the line opens no directive.
        """
        braces = self.info.startswith("{") and self.info.endswith("}")
        words = (self.info[1:-1].strip().removeprefix(".") if braces else self.info).split()
        if words[:2] == ["yaml", "embedm"] and not braces:
            return words[1:]
        return words if words and words[0] in NAMES else []


class HiddenRanges:
    """The lines of a page that comments and raw elements hide, queried from top to bottom."""

    def __init__(self, markdown: str) -> None:
        """Take the page's text."""
        self._text = markdown
        self._next: dict[str, int] = {}

    @cached_property
    def _lines(self) -> list[str]:
        return self._text.split("\n")

    @cached_property
    def _starts(self) -> list[int]:
        """The offset of each line, and that of one below the last."""
        return list(accumulate(map((1).__add__, map(len, self._lines)), initial=0))

    def end(self, number: int) -> int:
        """Return the line on which the last comment or raw element that starts on a line ends.

        A comment or element at the start of a line may hold anything; elsewhere a comment ends
        within its paragraph, and elements hide nothing.
        """
        line = self._lines[number]
        offset = self._starts[number]
        starts_line = line.lstrip(" \t>").startswith("<")
        spans = _code_spans(line)
        while match := _HIDING.search(self._text, offset, self._starts[number + 1]):
            offset = match.end()
            if match[1]:
                code_end = spans[match.start() - self._starts[number]]
                offset = max(offset, self._starts[number] + code_end)
            elif starts_line or not match[2]:
                end = self._find((match[2] or "-->").lower(), match.start() + 2)
                if end < len(self._text) and (starts_line or end < self._find("paragraph", offset)):
                    offset = end + 3
                    if offset > self._starts[number + 1] - 1:
                        number = bisect_right(self._starts, offset) - 1
                        starts_line, spans = False, _code_spans(self._lines[number])
        return number

    def _find(self, name: str, offset: int) -> int:
        """Return where the next match of `_ENDS[name]` starts, or the end of the text.

        The match is remembered until a query passes it, which keeps the whole scan linear.
        """
        if self._next.get(name, -1) < offset:
            match = _ENDS[name].search(self._text, offset)
            self._next[name] = match.start() if match else len(self._text)
        return self._next[name]


def may_hide(text: str) -> bool:
    """Return whether a comment or a raw element may start in a text; False is certain."""
    return _MAY_HIDE.search(text) is not None


def _code_spans(line: str) -> dict[int, int]:
    """Map the start of each inline code to its end; other backticks to the end of their run."""
    closing: dict[int, int] = {}
    ends: dict[int, int] = {}
    for run in reversed(list(_BACKTICKS.finditer(line))):
        ends[run.start()] = closing.get(len(run[0]), run.end())
        closing[len(run[0])] = run.end()
    return ends
