"""The text of a page's HTML before it is split into sentences, and how one run of it is built.

A `Run` becomes a `Block`; `HtmlContent` is the result for a page. `RunBuilder` collects the text of
one block together with the spans of its inline elements; its subclasses decide where blocks end.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from mkdocs_recall.text.html.tags import ROLES, href_of, unescape
from mkdocs_recall.text.model import Mark

if TYPE_CHECKING:
    from collections.abc import Callable

    from mkdocs_recall.text.model import Heading, Kind, Role

_ATTRIBUTE_LIST = re.compile(r" ?\{ ?:? ?[#.][^{}]*\} ?\Z")
_EMOJI = re.compile(r"(?<![\w:]):[a-z][a-z0-9_+-]*: ?(?![\w:])|(?<![\w:]):[a-z]+(?:-[a-z0-9]+)+: ?")
_WHITE_SPACE = re.compile(r"[\t\n\r\f][ \t\n\r\f]*| [ \t\n\r\f]+")
"""White space other than a single space."""
_WIDE = "\u2e80-\u312f\u31a0-\u31ff\u3400-\u9fff\uf900-\ufaff\uff00-\uffef"


class MarkedText(NamedTuple):
    """Text with its inline markup."""

    text: str
    marks: tuple[Mark, ...]


class Run(NamedTuple):
    """A run of text, which becomes a `Block`; these are the block's fields."""

    text: str
    kind: Kind
    top: int
    section: int
    headings: tuple[Heading, ...]
    marks: tuple[Mark, ...] = ()
    lead: int | None = None
    read: Callable[[], MarkedText] | None = None
    """Makes the text and marks, which are empty here: of code, and of most rows of tables."""


class HtmlContent(NamedTuple):
    """The content of a page's HTML: its runs of text and all its headings, in order."""

    runs: tuple[Run, ...]
    headings: tuple[Heading, ...]
    whole: bool = True
    """False if the HTML is longer than the limits allow, so that only its start was read."""


class RunBuilder:
    """The text of one block while it is read, with its marks."""

    def __init__(self) -> None:
        """Start without text."""
        self.parts: list[str] = []
        self.length = 0
        self.badges = 0  # how many characters of it, without spaces, are in badges
        self.marks: list[Mark] = []
        self.roles: list[tuple[int, Role, str]] = []  # open inline elements: start, role, href

    def add_text(self, text: str) -> None:
        """Add text with white space collapsed; none starts a run or follows other white space."""
        if "\n" in text or "\t" in text or "  " in text:
            if not text.isascii() and max(text) >= _WIDE[0]:
                text = _wide_wrap().sub("", text)
            text = text.replace("\n", " ")  # most often that is all there is to do
            if "  " in text or "\t" in text or "\r" in text or "\f" in text:
                text = _WHITE_SPACE.sub(" ", text)
        if text[0] == " " and (not self.parts or self.parts[-1][-1] == " "):
            text = text[1:]
            if not text:
                return
        if "&" in text:
            text = unescape(text)
        self.parts.append(text)
        self.length += len(text)

    def add_mark(self, tag: str, attributes: str, inner: str) -> None:
        """Add an inline element that contains only text."""
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
        """Close the innermost inline element."""
        if self.roles:
            start, role, href = self.roles.pop()
            if start < self.length and (role != "link" or href):
                self.marks.append(Mark(start, self.length, role, href))

    def take_text(self) -> tuple[str, tuple[Mark, ...]]:
        """Take the text and marks of the run, without text if it consists of badges."""
        badges = self.badges
        text, marks = self.take()
        return ("", ()) if badges and badges >= len(text.replace(" ", "")) else (text, marks)

    def take(self) -> tuple[str, tuple[Mark, ...]]:
        """Take the text and marks of the run; open inline elements continue in the next."""
        self.badges = 0
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
            if size < self.length:  # white space at the end was removed
                marks = [
                    Mark(start, min(end, size), role, href)
                    for start, end, role, href in marks
                    if start < size
                ]
            if len(marks) > 1:
                marks.reverse()  # the sort is stable, and outer elements close after inner ones
                marks.sort(key=_outer_first)
        self.parts, self.length = [], 0
        return text, tuple(marks)


def heading_text(text: str) -> str:
    """Return a heading or title without an unrendered attribute list and emoji."""
    if "{" in text:
        text = _ATTRIBUTE_LIST.sub("", text)
    if ":" in text:
        text = _EMOJI.sub("", text)
    return text.strip()


@cache
def _wide_wrap() -> re.Pattern[str]:
    """Return what finds a line break between characters of scripts that are written without spaces.

    It is made on need: that takes 4 ms, and few pages have such characters.
    """
    return re.compile(rf"\n(?<=[{_WIDE}]\n)[ \t]*(?=[{_WIDE}])")


def _outer_first(mark: Mark) -> tuple[int, int]:
    return mark.start, -mark.end
