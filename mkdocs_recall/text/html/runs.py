"""What a page's HTML holds, before it is cut into sentences."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from mkdocs_recall.text.html.tags import ROLES, href_of, unescape
from mkdocs_recall.text.model import Mark

if TYPE_CHECKING:
    from collections.abc import Callable

    from mkdocs_recall.text.html.tables import Row
    from mkdocs_recall.text.model import Heading, Kind, Role

_ATTRIBUTE_LIST = re.compile(r" ?\{ ?:? ?[#.][^{}]*\} ?\Z")
_EMOJI = re.compile(r"(?<![\w:]):[a-z][a-z0-9_+-]*: ?(?![\w:])|(?<![\w:]):[a-z]+(?:-[a-z0-9]+)+: ?")


class Run(NamedTuple):
    """A run of text as it stands in the HTML: what becomes a `Block`, whose fields these are."""

    text: str
    kind: Kind
    top: int
    section: int
    headings: tuple[Heading, ...]
    marks: tuple[Mark, ...] = ()
    lead: int | None = None
    read: Callable[[], Row] | None = None
    """What makes its text and marks, which are empty here: of code, and of most rows of tables."""


@dataclass(frozen=True, slots=True)
class HtmlContent:
    """What a page's HTML holds: its runs of text and all its headings, in order."""

    runs: tuple[Run, ...]
    headings: tuple[Heading, ...]
    whole: bool = True
    """False where more stood there than the limits let be read."""


def heading_text(text: str) -> str:
    """Return a heading or title without an attribute list and emoji that were not rendered."""
    if "{" in text:
        text = _ATTRIBUTE_LIST.sub("", text)
    if ":" in text:
        text = _EMOJI.sub("", text)
    return text.strip()


_BLANKS = re.compile(r"[\t\n\r\f][ \t\n\r\f]*| [ \t\n\r\f]+")
"""White space that is not one blank as it stands."""
_WIDE = "\u2e80-\u312f\u31a0-\u31ff\u3400-\u9fff\uf900-\ufaff\uff00-\uffef"
_WIDE_WRAP = re.compile(rf"\n(?<=[{_WIDE}]\n)[ \t]*(?=[{_WIDE}])")
"""A line wrapped between two characters of a script that is written without blanks."""


class RunBuilder:
    """Text with its marks, from one block's start to its end."""

    def __init__(self) -> None:
        """Start with nothing."""
        self.parts: list[str] = []
        self.length = 0
        self.marks: list[Mark] = []
        self.roles: list[tuple[int, Role, str]] = []  # open inline elements: start, role, href

    def add_text(self, text: str) -> None:
        """Add character data, white space folded; no blank follows another or opens a run."""
        if "\n" in text or "\t" in text or "  " in text:
            if not text.isascii():
                text = _WIDE_WRAP.sub("", text)
            text = _BLANKS.sub(" ", text)
        if text[0] == " " and (not self.parts or self.parts[-1][-1] == " "):
            text = text[1:]
            if not text:
                return
        if "&" in text:
            text = unescape(text)
        self.parts.append(text)
        self.length += len(text)

    def add_mark(self, tag: str, attributes: str, inner: str) -> None:
        """Add an inline element that holds nothing but text."""
        start = self.length
        if inner:
            self.add_text(inner)
        if start < self.length:
            if (role := ROLES[tag]) != "link":
                self.marks.append(Mark(start, self.length, role))
            elif href := href_of(attributes):
                self.marks.append(Mark(start, self.length, role, href))

    def open_role(self, tag: str, attributes: str) -> None:
        """Open an inline element."""
        role = ROLES[tag]
        self.roles.append((self.length, role, href_of(attributes) if role == "link" else ""))

    def close_role(self, _tag: str) -> None:
        """Close the inline element that was opened last."""
        if self.roles:
            start, role, href = self.roles.pop()
            if start < self.length and (role != "link" or href):
                self.marks.append(Mark(start, self.length, role, href))

    def take(self) -> tuple[str, tuple[Mark, ...]]:
        """Empty the buffer; inline elements that are still open go on in the next run."""
        text = "".join(self.parts).rstrip(" \u00a0")
        marks = self.marks
        if not (marks or self.roles):
            self.parts, self.length = [], 0
            return text, ()
        if self.roles:
            marks += [
                Mark(start, self.length, role, href)
                for start, role, href in reversed(self.roles)
                if start < self.length and (role != "link" or href)
            ]
            self.roles = [(0, role, href) for _, role, href in self.roles]
        if marks:
            self.marks = []
            size = len(text)
            if size < self.length:  # a blank at the end is gone
                marks = [
                    Mark(start, min(end, size), role, href)
                    for start, end, role, href in marks
                    if start < size
                ]
            if len(marks) > 1:
                marks.reverse()  # the sort is stable, and the outer of two was closed last
                marks.sort(key=_outer_first)
        self.parts, self.length = [], 0
        return text, tuple(marks)


def _outer_first(mark: Mark) -> tuple[int, int]:
    return mark.start, -mark.end
