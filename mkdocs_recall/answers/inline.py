"""Inline Markdown that reads back as the text it was written from, with its marks.

Python-Markdown, with the extensions that documentation uses, and CommonMark read it alike. Markup
that one of them would read in another way is dropped; text never is.
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mkdocs_recall.text.model import Mark, Role


_SIGNS: Final = {"em": "*", "strong": "**"}
_ORDER: Final[dict[Role, int]] = {
    "link": 0,
    "strong": 1,
    "em": 2,
    "image": 3,
    "check": 3,
    "kbd": 4,
    "code": 4,
}
"""The order from the outside of marks with the same span; the text says what others mean."""
_WITH_SIGNS: Final[frozenset[Role]] = frozenset({"code", "kbd", "image", "link"})
_SPECIAL: Final = re.compile(r"[\\`*_{}\[\]<&~^$]")
_ENTITY: Final = re.compile(r"&(?:#|\w+;)")
_LINE_START: Final = re.compile(
    r"(\d*)(?:(?<=\d)[.)](?=\s|\Z)|(?<!\d)(?:[#>]|!!!|[-+](?=\s|\Z)|--|\+\+))"
)
"""The number of a list item, or a sign, that makes a line more than text."""
_UNESCAPABLE_START: Final = re.compile(r"\?\?\?|///|===|:::|:(?=\s|\Z)")
"""The same for signs that a backslash does not escape."""
_LINE_END: Final = re.compile(r"\r\n?|\n")
_TICKS: Final = re.compile("`+")
_IN_URL: Final = re.compile(r"[\\`<>()\[\]{}\s\"|$^*]")


def escape_markdown(text: str) -> str:
    """Return text as inline Markdown."""
    return _escape(text, 0, len(text))


def escape_line_start(line: str) -> str:
    """Return inline Markdown in a form that can start a line."""
    if _UNESCAPABLE_START.match(line):
        return f"&#{ord(line[0])};{line[1:]}"
    match = _LINE_START.match(line)
    return f"{match[1]}\\{line[match.end(1) :]}" if match else line


def link(label: str, href: str) -> str:
    """Return a link; the label is Markdown."""
    return f"[{label}]({escape_href(href)})"


def escape_href(href: str) -> str:
    """Return the target of a link as Markdown."""
    href = _IN_URL.sub(lambda sign: quote(sign[0], safe=""), href)
    return _ENTITY.sub(_escape_entity, href)


def code(text: str) -> str:
    """Return inline code."""
    ticks = _fence(text, 1)
    pad = " " if text[0] == "`" or text[-1] == "`" else ""
    return f"{ticks}{pad}{text}{pad}{ticks}"


def code_block(text: str, language: str = "") -> str:
    """Return a code block."""
    text = "\n".join(_LINE_END.split(text))
    ticks = _fence(text, 3)
    return f"{ticks}{language}\n{text}\n{ticks}"


def table(headers: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table; empty where a cell cannot stand in one, as Markdown flavours differ there."""
    lines = [headers, ["---"] * len(headers), *rows]
    cells = [cell for line in lines for cell in line]
    if any(("|" in cell and ("`" in cell or "\\|" in cell)) or "\n" in cell for cell in cells):
        return ""
    return "\n".join(
        "| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines
    )


def inline(text: str, marks: Sequence[Mark]) -> str:
    """Return a text with its marks, whose links are written as they are."""
    return _Writer(text).write(_trimmed(text, marks))


def _trimmed(text: str, marks: Sequence[Mark]) -> list[Mark]:
    """Return the marks that can be written, without white space at their ends."""
    trimmed: list[Mark] = []
    for mark in marks:
        first, last = mark.start, mark.end
        while first < last and text[first].isspace():
            first += 1
        while first < last and text[last - 1].isspace():
            last -= 1
        if (first < last or mark.start == mark.end) and mark.role in _ORDER:
            trimmed.append(mark._replace(start=first, end=last))
    trimmed.sort(key=lambda mark: (mark.start, -mark.end, _ORDER[mark.role]))
    return trimmed


class _Writer:
    """The output for a text, written mark by mark."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.done = 0  # up to where the text is written
        self.output: list[str] = []
        self.open: list[tuple[Mark, int, str]] = []  # with the index of its output, and its href
        self.closed = -1  # where the last emphasis or code ended
        self.edges: set[int] = set()  # where code and links start and end, each with a sign

    def write(self, marks: Sequence[Mark]) -> str:
        """Return the Markdown."""
        self.edges = {
            edge for mark in marks if mark.role in _WITH_SIGNS for edge in (mark.start, mark.end)
        }
        for mark in marks:
            if mark.start < self.done:
                continue  # inside of code, or of a mark that was dropped
            self.close(mark.start)
            if self.open and mark.end > self.open[-1][0].end:
                mark = mark._replace(end=self.open[-1][0].end)  # noqa: PLW2901 - cut to its parent
            self.add(mark)
        self.close(len(self.text))
        self.add_text(len(self.text))
        return "".join(self.output)

    def add(self, mark: Mark) -> None:
        """Write code, or open another mark, if it can be written there."""
        role = mark.role
        if role == "image":
            self.add_image(mark)
            return
        if role == "check":
            self.output.append(self.text[mark.start : mark.end])
            self.done = mark.end
            return
        if role in {"code", "kbd"}:
            if mark.start != self.closed:
                self.add_text(mark.start)
                self.output.append(code(self.text[mark.start : mark.end]))
                self.done = self.closed = mark.end
            return
        open_kinds = {other.role == "link" for other, _, _ in self.open}
        href = mark.href if role == "link" else ""
        # no link in a link, no emphasis in emphasis
        if (role == "link") in open_kinds or (role == "link" and not href):
            return
        if role != "link" and not self.can_emphasise(mark):
            return
        self.add_text(mark.start)
        if role == "link" and self.output and self.output[-1].endswith("!"):
            self.output[-1] = f"{self.output[-1][:-1]}\\!"  # else it would be an image
        self.open.append((mark, len(self.output), href))

    def add_image(self, mark: Mark) -> None:
        """Write a picture; one without a source is its text."""
        href, _, label = mark.href.partition(" ")
        if href:
            self.add_text(mark.start)
            self.output.append(f"!{link(escape_markdown(label), href)}")
            self.done = self.closed = mark.end
            if mark.start == mark.end and self.text[mark.end : mark.end + 1].isalnum():
                self.output.append(" ")

    def can_emphasise(self, mark: Mark) -> bool:
        """Return whether signs of emphasis at the ends of a mark are read as such.

        Each needs a gap on its outer side, or a letter on both; code and links count as signs.
        """
        if mark.start == self.closed:
            return False
        text, edges = self.text, self.edges
        before = text[mark.start - 1] if mark.start else " "
        after = text[mark.end] if mark.end < len(text) else " "
        starts = before.isalnum() and text[mark.start].isalnum() and mark.start not in edges
        ends = after.isalnum() and text[mark.end - 1].isalnum() and mark.end not in edges
        return (starts or _is_gap(before)) and (ends or _is_gap(after))

    def close(self, position: int) -> None:
        """Close the marks that end up to a position."""
        while self.open and self.open[-1][0].end <= position:
            mark, first, href = self.open.pop()
            self.add_text(mark.end)
            content = "".join(self.output[first:])
            if mark.role == "link":
                self.output[first:] = [link(content, href)]
            else:
                sign = _SIGNS[mark.role]
                self.output[first:] = [f"{sign}{content}{sign}"]
                self.closed = mark.end

    def add_text(self, position: int) -> None:
        """Write the text up to a position."""
        if position > self.done:
            self.output.append(_escape(self.text, self.done, position))
            self.done = position


def _is_gap(character: str) -> bool:
    """Return whether a character is white space, punctuation or a symbol."""
    return character.isspace() or unicodedata.category(character)[0] in "PS"


def _escape(text: str, start: int, end: int) -> str:
    """Return a span of text as inline Markdown."""
    parts: list[str] = []
    done = start
    for match in _SPECIAL.finditer(text, start, end):
        place, sign = match.start(), match[0]
        before = text[place - 1] if place else " "
        after = text[place + 1] if place + 1 < len(text) else " "
        parts.append(text[done:place])
        done = place + 1
        if sign == "&":
            parts.append("&amp;" if _ENTITY.match(text, place) else sign)
        elif sign == "<":
            parts.append(sign if after.isspace() else "&lt;")
        elif sign in "~^$":  # one with white space before it never closes a pair
            parts.append(sign if before.isspace() else f"&#{ord(sign)};")
        elif sign == "]" and after == ":":
            parts.append("&#93;")  # at the start of a line `[a]:` defines a link
        elif sign == "_" and before.isalnum() and after.isalnum():
            parts.append(sign)
        else:
            parts.append(f"\\{sign}")
    return "".join([*parts, text[done:end]])


def _fence(text: str, least: int) -> str:
    """Return more backticks than any run in a text has."""
    longest = max(map(len, _TICKS.findall(text)), default=0)
    return "`" * max(least, longest + 1)


def _escape_entity(entity: re.Match[str]) -> str:
    return f"&amp;{entity[0][1:]}"


_INDENT: Final = "    "
"""Python-Markdown and CommonMark both take this for the inside of a list item with a mark of this
width."""


def prefixed(text: str, first: str, others: str | None = None) -> str:
    """Return lines with a prefix; an empty line gets it without trailing spaces.

    Args:
        others: The prefix of the others; None for the same.
    """
    others = first if others is None else others
    head, *rest = text.split("\n")
    lines = [first + head, *(others + line if line else others.rstrip() for line in rest)]
    return "\n".join(lines)


def listed(items: Iterable[tuple[int, Sequence[str]]]) -> str:
    """Return a list of items, each of one or several blocks, behind its number; 0 for a bullet."""
    written = []
    for number, blocks in items:
        mark = f"{number}. " if number else "- "
        mark = mark.ljust(len(_INDENT)) if len(blocks) > 1 else mark
        written.append(prefixed("\n\n".join(blocks), mark, _INDENT))
    # below an item of several blocks, Python-Markdown needs an empty line before the next
    return ("\n\n" if any("\n\n" in item for item in written) else "\n").join(written)
