"""The directives in a page's Markdown: where their fences are, and which are only examples.

Reads fences as pymdownx.superfences and Python-Markdown do, not as CommonMark does: a fence is
closed by the same characters at the same column, or else it is plain text; containers indent by
four, and only comments and raw elements hide lines. In ambiguous cases the fence counts as a
directive: a marker rendered as code is turned back into the fence, but an overlooked directive is
lost. Fences whose name is nearly that of a directive (`Recall`, `type: recal`), and whose body
consists of our own options, are reported, and never answered.
"""

from __future__ import annotations

import re
import sys
import textwrap
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence, Set as AbstractSet
from functools import cached_property, lru_cache
from itertools import accumulate, repeat
from typing import TYPE_CHECKING, Final, NamedTuple

from msgspec import Struct

from mkdocs_recall.errors import OptionError, nearest
from mkdocs_recall.messages import shown

if TYPE_CHECKING:
    from mkdocs_recall.directives.directive import Directive

NAMES: Final = ("recall", "synopsis")
MARKER_HINT: Final = "!-- recall:"
"""A text in every marker, escaped or not."""
_LIKENESS: Final = 0.82
"""`difflib`'s ratio for one letter more or less; the language Rell is below."""
_OPENINGS: Final = tuple(
    (mark, re.compile(rf"{mark}[ \t{{.]*([^\s{{}}`~]{{4,14}}|yml)")) for mark in ("```", "~~~")
)
_EMBEDM: Final = ["yaml", "embedm"]
_SECOND_WORD: Final = rf"[`~][ \t]*\w+[ \t]+(?:{'|'.join(NAMES)})\b"
_TYPE: Final = r"(?m)^[ \t>]*type:[ \t]*[\"']?(\w{4,14})"


def replace_fences(markdown: str, directives: Iterable[Directive], markers: Iterable[str]) -> str:
    """Replace each fence by its marker, on one line with the fence's prefix."""
    parts: list[str] = []
    end = 0
    for directive, marker in zip(directives, markers, strict=True):
        parts += markdown[end : directive.start], directive.prefix, marker
        end = directive.end
    return "".join([*parts, markdown[end:]])


_CODE_BLOCK: Final = (
    rf"(?:language|lang|highlight|code)-(?:{'|'.join(NAMES)})\b"
    rf"|<(?:pre|code)\b[^<>]*[\"' =](?:{'|'.join(NAMES)})\b"
)


def may_hold_directive(markdown: str) -> bool:
    """Return whether a text may hold a directive; False is certain."""
    return "recall" in markdown or "synopsis" in markdown


def may_hold_code_block(html: str) -> bool:
    """Tell whether HTML may hold a code block in the language of a directive."""
    # The pattern is compiled on need: few pages have such a name beside our markers.
    has_recall = NAMES[0] in html and html.count(NAMES[0]) != html.count(MARKER_HINT)
    return (has_recall or NAMES[1] in html) and re.search(_CODE_BLOCK, html) is not None


@lru_cache(maxsize=256)
def _near_name(word: str) -> str:
    return nearest(word.lower(), NAMES, _LIKENESS)


def may_hold_near_miss(markdown: str, *, named: bool = True) -> bool:
    """Return whether `find_near_misses` may find something in a text; False is certain.

    Args:
        named: Whether the text may hold the name of a directive.
    """
    if "query" not in markdown and "source" not in markdown:  # a key may be in quotation marks
        return False
    # To look for the mark takes a fraction of the time.
    patterns = (pattern for mark, pattern in _OPENINGS if mark[0] in markdown)
    words = {word for pattern in patterns for word in pattern.findall(markdown)}
    if _EMBEDM[0] in words and _EMBEDM[1] in markdown:
        words.update(re.findall(_TYPE, markdown))
    if any(map(_near_name, words.difference(NAMES))):
        return True
    return named and re.search(_SECOND_WORD, markdown) is not None


WHITE_SPACE: Final = " \t\r"
"""The characters of a line without text."""
DIRECTIVE_STARTS: Final = {
    character: re.compile(rf"{character * 3}[ \t{{.yaml]*(?:{'|'.join(NAMES)}|embedm)")
    for character in "`~"
}
"""A directive's opening line, by the fence's character."""
_TAB: Final = 4
"""Python-Markdown's `tab_length`."""
_MARK: Final = r"(?:[-*+:]|\d{1,9}[.)]|\[\^[^\]\s]{1,99}\]:)"
_BLOCK_END: Final = " \t\r>"
"""A line of these characters alone ends a block."""
_DEEPEST: Final = 100
"""Levels of nested containers: Python-Markdown gives up before."""
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
    """The containers around a line, by its indentation, as in Python-Markdown."""

    def __init__(self) -> None:
        self.open: list[bool] = []  # True: a block quote; False: one that indents
        self.fresh = True  # whether the next line starts a block

    def reach(self, lines: Sequence[str]) -> bool:
        """Read the next lines; return whether the last of them is indented code."""
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
    """The indentation of a line: no line of a fence may start left of its opening line."""

    quotes: int
    column: int

    @classmethod
    def of(cls, line: str) -> Indentation:
        """Return the indentation of a line that has text."""
        lead = line[: len(line) - len(line.lstrip(" \t>"))].expandtabs(_TAB)
        quotes = lead.count(">")
        return cls(quotes, max(0, len(lead) - lead.rfind(">") - (2 if quotes else 1)))


class FenceLine(Struct, frozen=True):
    """A line that may open a fence, or close one when it has no `info`."""

    prefix: str
    ticks: str
    """Its run of backticks or tildes."""
    info: str
    indentation: Indentation
    marked: bool
    """Whether it follows a list marker."""

    @classmethod
    def of(cls, line: str) -> FenceLine | None:
        """Read a line; return None if it neither opens nor closes a fence."""
        lead = _LEAD.match(line)
        prefix = lead[0] if lead else ""
        ticks = _TICKS.match(line, len(prefix))
        if ticks is None:
            return None
        run, info = ticks[0], line[ticks.end() :].strip(WHITE_SPACE)
        if run[0] == "`" and "`" in info:
            return None  # inline code
        marked = bool(prefix.strip("\ufeff \t>"))
        quotes, column = Indentation.of(line.lstrip("\ufeff"))
        return cls(prefix, run, info, Indentation(quotes, column + marked), marked)

    @property
    def words(self) -> list[str]:
        """The directive's name, or `embedm`, and the rest; empty for none."""
        braces = self.info.startswith("{") and self.info.endswith("}")
        words = (self.info[1:-1].strip().removeprefix(".") if braces else self.info).split()
        if words[:2] == _EMBEDM and not braces:
            return words[1:]
        return words if words and words[0] in NAMES else []


def _code_spans(line: str) -> dict[int, int]:
    closing: dict[int, int] = {}
    ends: dict[int, int] = {}
    for run in reversed(list(_BACKTICKS.finditer(line))):
        ends[run.start()] = closing.get(len(run[0]), run.end())
        closing[len(run[0])] = run.end()
    return ends


_NEAR: Final = 50
"""The lines of an unclosed fence in which its fault is looked for."""
_NOWHERE: Final = sys.maxsize
"""The number of a missing line."""
_ANY: Final = -1
_OPTION: Final = r"[ \t>]*(?:- |[\w-]+:(?:[ \t\r]|$))"
_EMBEDM_TYPE: Final = r"(?m)^type:[ \t]*[\"']?(recall|synopsis)[\"']?[ \t]*(?:#.*)?$"


def find_fences(markdown: str) -> list[Directive]:
    """Return a page's directives, without examples, in linear time."""
    last = -1
    for character, start in DIRECTIVE_STARTS.items():
        if character in markdown:
            last = max([last, *(match.end() for match in start.finditer(markdown))])
    return _FenceScan(markdown, last).directives() if last >= 0 else []


def fences_at(markdown: str, spans: Iterable[tuple[int, int]]) -> list[Directive] | None:
    """Return the directives at some spans; None if a span is not exactly a fence.

    Others may write to the cache that has the spans.
    """
    directives: list[Directive] = []
    lines = f"\n{markdown}\n"
    done = 0
    for start, end in spans:
        source = markdown[start:end]
        if not done <= start < end or lines[start : end + 2] != f"\n{source}\n":
            return None
        directive = _FenceScan(source, len(source)).first()
        if directive is None or directive.fault or directive.source != source:
            return None
        directive.number = len(directives)
        directive.first = markdown.count("\n", 0, start)
        directive.last += directive.first
        directive.start, directive.end = start, start + directive.end
        directives.append(directive)
        done = end
    return directives


def without_directives(markdown: str) -> str:
    """Return a page's Markdown with a comment in the place of each directive, as in a build.

    So a page read without a build has the same text, without fences.
    """
    if not may_hold_directive(markdown):
        return markdown
    fences = find_fences(markdown)
    return replace_fences(markdown, fences, repeat("<!-- recall -->", len(fences)))


class _FenceScan:
    def __init__(self, markdown: str, last: int) -> None:
        """Take the page's text; no directive opens after the offset `last`."""
        self.text = markdown
        self.line_count = markdown.count("\n", 0, last) + 1  # up to the line of the offset `last`
        self.lines = markdown.split("\n")
        self.fence_lines = {
            number: fence_line
            for number, line in enumerate(self.lines)
            if ("```" in line or "~~~" in line) and (fence_line := FenceLine.of(line))
        }
        self.others: list[tuple[int, int, FenceLine]] = []  # first and last line, opening
        self.ends: dict[str, int] = {}  # the start of the next match of each of `_ENDS`

    def first(self) -> Directive | None:
        opening = self.fence_lines.get(0)
        return self._directive(0, opening) if opening else None

    def directives(self) -> list[Directive]:
        directives: list[Directive] = []
        containers = Containers()
        done = 0
        for number, line in enumerate(self.lines[: self.line_count]):
            may_open = number in self.fence_lines or ("<" in line and _MAY_HIDE.search(line))
            if number < done or not may_open:
                continue  # it opens neither a fence nor something that hides fences
            end = number
            if not containers.reach(self.lines[done : number + 1]):
                opening = self.fence_lines.get(number)
                if opening is None:
                    end = self._hidden_end(number)
                elif directive := self._directive(number, opening):
                    directive.number = len(directives)
                    directives.append(directive)
                    end = directive.last
                else:
                    end = self._fence_end(number, opening)
                    self.others.append((number, end, opening))
            done = end + 1
        return directives

    def other_fences(self) -> Iterator[Directive]:
        """Yield the fences that are not directives; an unclosed one has no body."""
        self.directives()
        for number, end, line in self.others:
            body = _body(self.lines[number + 1 : end], line)
            yield self._fence(line.info, number, end, line, body)

    def _fence(self, name: str, number: int, end: int, opening: FenceLine, body: str) -> Directive:
        from mkdocs_recall.directives.directive import Directive

        source = "\n".join(self.lines[number : end + 1])
        start = self.starts[number]
        directive = Directive(
            name, body, prefix=opening.prefix, first=number, last=end, source=source
        )
        directive.start, directive.end = start, start + len(source.removesuffix("\r"))
        return directive

    @cached_property
    def starts(self) -> list[int]:
        return list(accumulate(map((1).__add__, map(len, self.lines)), initial=0))

    def _hidden_end(self, number: int) -> int:
        """Return the line that ends the last comment or raw element of a line."""
        # At the start of a line it may hold anything; elsewhere a comment ends within its
        # paragraph, and elements hide nothing.
        line, starts = self.lines[number], self.starts
        offset = starts[number]
        starts_line = line.lstrip(" \t>").startswith("<")
        spans = _code_spans(line)
        while match := _HIDING.search(self.text, offset, starts[number + 1]):
            offset = match.end()
            if match[1]:
                offset = max(offset, starts[number] + spans[match.start() - starts[number]])
            elif starts_line or not match[2]:
                end = self._find((match[2] or "-->").lower(), match.start() + 2)
                if end < len(self.text) and (starts_line or end < self._find("paragraph", offset)):
                    offset = end + 3
                    if offset > starts[number + 1] - 1:
                        number = bisect_right(starts, offset) - 1
                        starts_line = False
                        spans = _code_spans(self.lines[number])
        return number

    def _find(self, name: str, offset: int) -> int:
        # The match is remembered until a query passes it, which keeps the whole scan linear.
        if self.ends.get(name, -1) < offset:
            match = _ENDS[name].search(self.text, offset)
            self.ends[name] = match.start() if match else len(self.text)
        return self.ends[name]

    def _directive(self, number: int, opening: FenceLine) -> Directive | None:
        if not (words := opening.words):
            return None
        end = self._fence_end(number, opening)
        rival = _next(self._index[opening.ticks[0], 0, 0], number)  # opens another fence
        is_closed = number < end < rival  # else its author forgot to close it
        body = _body(self.lines[number + 1 : end if is_closed else rival], opening)
        name = _embedm_type(body) if words[0] == "embedm" else words[0]
        if not name:
            return None
        fault = None
        if not is_closed:
            end, body = number, ""
            fault = self._unclosed(number, opening)
        elif words[1:]:
            place = f"'{' '.join(words[1:])}' follows the name"
            fault = OptionError(f"{place}: put options on their own lines below")
        directive = self._fence(name, number, end, opening, body)
        directive.embedm, directive.fault = words[0] == "embedm", fault
        return directive

    def _unclosed(self, number: int, opening: FenceLine) -> OptionError:
        left = 0
        for inner in range(number + 1, min(number + _NEAR, len(self.lines))):
            line, fence_line = self.lines[inner], self.fence_lines.get(inner)
            if fence_line and fence_line.info:
                break
            if not left and line.strip(WHITE_SPACE) and Indentation.of(line) < opening.indentation:
                if not (fence_line or re.match(_OPTION, line)):
                    break
                left = inner
            if left and fence_line and fence_line.ticks == opening.ticks:
                msg = "the line is indented less than its fence; start both in the same column"
                if Indentation.of(self.lines[left]).quotes < opening.indentation.quotes:
                    msg = "the line has fewer '>' than its fence; start both with the same number"
                return OptionError(msg, line=left - number)
        line = f"add a line with only {opening.ticks} in the column of the opening line"
        return OptionError(f"the fence is not closed: {line}")

    def _fence_end(self, number: int, opening: FenceLine) -> int:
        quotes, column = opening.indentation
        key = (opening.ticks, quotes, _ANY if opening.marked else column)
        closing = _next(self._index[key], number)
        is_open = closing == _NOWHERE or ((quotes or column) and self._breaks[number] <= closing)
        return number if is_open else closing

    @cached_property
    def _index(self) -> defaultdict[tuple[str, int, int], list[int]]:
        """The lines that may end a fence, by what they close or open."""
        index: defaultdict[tuple[str, int, int], list[int]] = defaultdict(list)
        for number, line in self.fence_lines.items():
            if line.info:
                index[line.ticks[0], 0, 0].append(number)
            elif not line.marked:
                quotes, column = line.indentation
                index[line.ticks, quotes, column].append(number)
                index[line.ticks, quotes, _ANY].append(number)
        return index

    @cached_property
    def _breaks(self) -> list[int]:
        """The next line left of each line, which no fence goes beyond."""
        breaks = [_NOWHERE] * len(self.lines)
        # ascending: no line was left of them so far
        pending: list[tuple[Indentation, int]] = []
        for number, line in enumerate(self.lines):
            if line.strip(WHITE_SPACE):
                indentation = Indentation.of(line)
                while pending and pending[-1][0] > indentation:
                    breaks[pending.pop()[1]] = number
                fence_line = self.fence_lines.get(number)
                pending.append((fence_line.indentation if fence_line else indentation, number))
        return breaks


def _body(lines: list[str], opening: FenceLine) -> str:
    lines = [line.rstrip("\r") for line in lines]
    if quotes := opening.indentation.quotes:
        marks = re.compile(rf"(?:[ \t]*>){{1,{quotes}}} ?")
        lines = [marks.sub("", line, count=1) for line in lines]
    body = "\n".join(lines)
    return textwrap.dedent(body) if any(line[:1].isspace() for line in lines) else body


def _next(numbers: list[int], number: int) -> int:
    place = bisect_right(numbers, number)
    return numbers[place] if place < len(numbers) else _NOWHERE


def _embedm_type(body: str) -> str:
    if not may_hold_directive(body):
        return ""
    import yaml

    from mkdocs_recall.directives.yaml import CONSTRUCTOR_ERRORS, yaml_loader

    try:
        options = yaml_loader(body).get_single_data()
    except (yaml.YAMLError, *CONSTRUCTOR_ERRORS):
        line = re.search(_EMBEDM_TYPE, body)
        return line[1] if line else ""
    name = options.get("type") if isinstance(options, dict) else None
    return name if name in NAMES else ""


_MAIN_KEYS: Final = frozenset({"query", "source"})
_CONTINUES: Final = (" ", "\t", "-", "#", "]", "}")
_NEAR_TYPE: Final = r"(?m)^type:[ \t]*[\"']?(\w+)"
_INFO: Final = re.compile(r"[\s{.]*([^\s{}]+)")


def find_near_misses(markdown: str) -> list[Directive]:
    """Return misspelled directives, with the intended name and the fault."""
    if not may_hold_near_miss(markdown):
        return []
    return list(filter(None, map(_near_miss, _FenceScan(markdown, len(markdown)).other_fences())))


def reads_as_directive(body: str) -> bool:
    """Return whether a text is a mapping of our own options alone."""
    from mkdocs_recall.directives.catalog import OPTIONS

    keys = _keys(body)
    directive = re.search(_NEAR_TYPE, body)
    if directive and directive[1] in NAMES:
        keys -= {"type"}
    return bool(keys & _MAIN_KEYS) and keys <= OPTIONS.keys()


def _near_miss(fence: Directive) -> Directive | None:
    info, keys = _INFO.match(fence.name), _keys(fence.body)
    kind = ""
    if fence.name.split() == _EMBEDM:
        kind, info = "type: ", re.search(_NEAR_TYPE, fence.body)
        keys -= {"type"}
    written = info[1] if info else ""
    _, *words = fence.name.split() or [""]
    if len(words) == 1 and words[0] in NAMES:
        written, name = fence.name, words[0]
    else:
        name = _near_name(written)
    if not name or written == name or not keys & _MAIN_KEYS:
        return None
    from mkdocs_recall.directives.catalog import OPTIONS  # few builds get here

    if not keys <= OPTIONS.keys():
        return None
    near = f"{shown(kind + written)} is not a directive, so the fence is shown as code"
    fence.name = name
    fence.fault = OptionError(f"{near}; did you mean '{kind}{name}'?")
    return fence


def _keys(body: str) -> AbstractSet[str]:
    """Return the keys of YAML; a line at the margin without one counts whole."""
    lines = [line.rstrip() for line in body.split("\n")]
    keys = [f"{line} ".partition(": ") for line in lines if line and line[0] not in _CONTINUES]
    return {key.strip("\"'") if colon else f"{key}\n" for key, colon, _ in keys}
