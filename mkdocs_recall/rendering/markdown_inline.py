"""A block's text and marks → inline Markdown that reads back as the same text.

What is written is read alike by Python-Markdown, with the extensions that documentation uses, and
by CommonMark. Markup that one of them would take otherwise is left out; text never is.
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mkdocs_recall.text.model import Mark, Role

_SIGNS: Final = {"em": "*", "strong": "**"}
_ORDER: Final[dict[Role, int]] = {"link": 0, "strong": 1, "em": 2, "code": 3}
"""Of marks with one span, the order from the outside."""
_SPECIAL: Final = re.compile(r"[\\`*_{}\[\]<&~^$]")
_ENTITY: Final = re.compile(r"&(?:#|\w+;)")
_OPENING: Final = re.compile(
    r"(\d*)(?:(?<=\d)[.)](?=\s|\Z)|(?<!\d)(?:[#>]|!!!|[-+](?=\s|\Z)|--|\+\+))"
)
"""What a line starts with that is more than text: a number of a list, or a sign."""
_OTHER_OPENING: Final = re.compile(r"\?\?\?|///|===|:::|:(?=\s|\Z)")
"""The same, of signs that no backslash takes their meaning from."""
_LINE_END: Final = re.compile(r"\r\n?|\n")
_TICKS: Final = re.compile("`+")
_IN_URL: Final = re.compile(r"[\\`<>()\[\]{}\s\"|$^*]")


def escape_markdown(text: str) -> str:
    """Return text as inline Markdown."""
    return _escaped(text, 0, len(text))


def escape_line_start(line: str) -> str:
    """Return inline Markdown as it can start a line."""
    if _OTHER_OPENING.match(line):
        return f"&#{ord(line[0])};{line[1:]}"
    found = _OPENING.match(line)
    return f"{found[1]}\\{line[found.end(1) :]}" if found else line


def link(label: str, href: str) -> str:
    """Return a link; the label is Markdown."""
    href = _IN_URL.sub(lambda sign: quote(sign[0], safe=""), href)
    return f"[{label}]({_ENTITY.sub(_amp, href)})"


def code(text: str) -> str:
    """Return inline code."""
    ticks = _fence(text, 1)
    pad = " " if text[0] == "`" or text[-1] == "`" else ""
    return f"{ticks}{pad}{text}{pad}{ticks}"


def code_block(text: str) -> str:
    """Return a code block."""
    text = "\n".join(_LINE_END.split(text))
    ticks = _fence(text, 3)
    return f"{ticks}\n{text}\n{ticks}"


def inline(
    text: str, start: int, end: int, marks: Sequence[Mark], href_of: Callable[[Mark], str]
) -> str:
    """Return a span of a block's text with its marks.

    Args:
        text: The block's text.
        start: Where the span starts.
        end: Where it ends.
        marks: The block's marks, ordered by start, outer before inner.
        href_of: Returns where a link leads from the place that is written to; nothing for a link
            that is left out.
    """
    return _Writing(text, start, end, href_of).written(_within(text, start, end, marks))


def _within(text: str, start: int, end: int, marks: Sequence[Mark]) -> list[Mark]:
    """Return the marks of a span, cut to it and to what is no blank, outer before inner."""
    found: list[Mark] = []
    for mark in marks:
        first, last = max(start, mark.start), min(end, mark.end)
        while first < last and text[first].isspace():
            first += 1
        while first < last and text[last - 1].isspace():
            last -= 1
        if first < last:
            found.append(mark._replace(start=first, end=last))
    found.sort(key=lambda mark: (mark.start, -mark.end, _ORDER[mark.role]))
    return found


class _Writing:
    """A span as it is written, mark by mark."""

    def __init__(self, text: str, start: int, end: int, href_of: Callable[[Mark], str]) -> None:
        self.text = text
        self.at = start
        self.end = end
        self.href_of = href_of
        self.start = start
        self.out: list[str] = []
        self.open: list[tuple[Mark, int, str]] = []  # with where its output starts, and its href
        self.closed = -1  # where emphasis or code ended last
        self.edges: set[int] = set()  # where code and links start and end, each with a sign

    def written(self, marks: Sequence[Mark]) -> str:
        """Return the Markdown."""
        self.edges = {
            edge
            for mark in marks
            if mark.role in {"code", "link"}
            for edge in (mark.start, mark.end)
        }
        for mark in marks:
            if mark.start < self.at:
                continue  # inside of code, or of what was left out
            self.close(mark.start)
            if self.open and mark.end > self.open[-1][0].end:
                mark = mark._replace(end=self.open[-1][0].end)  # noqa: PLW2901 - cut to its parent
            self.add(mark)
        self.close(self.end)
        self.add_text(self.end)
        return "".join(self.out)

    def add(self, mark: Mark) -> None:
        """Add a mark, where it can be written there."""
        role = mark.role
        if role == "code":
            if mark.start != self.closed:
                self.add_text(mark.start)
                self.out.append(code(self.text[mark.start : mark.end]))
                self.at = self.closed = mark.end
            return
        kinds = {other.role == "link" for other, _, _ in self.open}
        href = self.href_of(mark) if role == "link" else ""
        if (role == "link") in kinds or (role == "link" and not href):
            return
        if role != "link" and not self.can_emphasise(mark):
            return
        self.add_text(mark.start)
        if role == "link" and self.out and self.out[-1].endswith("!"):
            self.out[-1] = f"{self.out[-1][:-1]}\\!"  # else it would be an image
        self.open.append((mark, len(self.out), href))

    def can_emphasise(self, mark: Mark) -> bool:
        """Tell whether emphasis is read there: its signs must not look the wrong way."""
        if mark.start == self.closed:
            return False
        text, edges = self.text, self.edges
        before = text[mark.start - 1] if mark.start > self.start else " "
        after = text[mark.end] if mark.end < self.end else " "
        starts = before.isalnum() and text[mark.start].isalnum() and mark.start not in edges
        ends = after.isalnum() and text[mark.end - 1].isalnum() and mark.end not in edges
        return (starts or _is_gap(before)) and (ends or _is_gap(after))

    def close(self, position: int) -> None:
        """Close the marks that end up to a position."""
        while self.open and self.open[-1][0].end <= position:
            mark, place, href = self.open.pop()
            self.add_text(mark.end)
            content = "".join(self.out[place:])
            if mark.role == "link":
                self.out[place:] = [link(content, href)]
            else:
                sign = _SIGNS[mark.role]
                self.out[place:] = [f"{sign}{content}{sign}"]
                self.closed = mark.end

    def add_text(self, position: int) -> None:
        """Add the text up to a position."""
        if position > self.at:
            self.out.append(_escaped(self.text, self.at, position))
            self.at = position


def _is_gap(character: str) -> bool:
    return character.isspace() or unicodedata.category(character)[0] in "PS"


def _escaped(text: str, start: int, end: int) -> str:
    parts: list[str] = []
    at = start
    for found in _SPECIAL.finditer(text, start, end):
        place, sign = found.start(), found[0]
        before = text[place - 1] if place else " "
        after = text[place + 1] if place + 1 < len(text) else " "
        parts.append(text[at:place])
        at = place + 1
        if sign == "&":
            parts.append("&amp;" if _ENTITY.match(text, place) else sign)
        elif sign == "<":
            parts.append(sign if after.isspace() else "&lt;")
        elif sign in "~^$":  # as signs of a pair none closes that has a blank before it
            parts.append(sign if before.isspace() else f"&#{ord(sign)};")
        elif sign == "]" and after == ":":
            parts.append("&#93;")  # at the start of a line it would name where a link leads
        elif sign == "_" and before.isalnum() and after.isalnum():
            parts.append(sign)
        else:
            parts.append(f"\\{sign}")
    return "".join([*parts, text[at:end]])


def _fence(text: str, least: int) -> str:
    """Return more ticks than stand in a text in a row."""
    longest = max(map(len, _TICKS.findall(text)), default=0)
    return "`" * max(least, longest + 1)


def _amp(entity: re.Match[str]) -> str:
    return f"&amp;{entity[0][1:]}"
