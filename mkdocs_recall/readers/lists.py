"""Lists right below a paragraph, as CommonMark reads them, made into lists of Python-Markdown.

There a list needs no empty line above it. A line of wrapped text may start like an item, too: a
list that starts inside a sentence counts if it has a second item.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from markdown.extensions import Extension
from markdown.preprocessors import Preprocessor
from markdown.util import STX

from mkdocs_recall.readers.nesting import TAB, empty_line, indented_code, text_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from markdown import Markdown

_ITEM: Final = re.compile(r"([-*+]|\d{1,9}\.) +(?=\S)(?!(?:[-*_] *)+$)")
"""The start of an item, but no rule."""
_OPENER: Final = re.compile(r'#{1,6} |[!?]{3}\+? ?\w|={3}[!+]* +"|/{3,}')
"""What ends a paragraph and is none: a heading, the first line of an admonition or a tab."""
_CONTENTS: Final = re.compile(r":(?= )|\[\^[^\]\s]{1,99}\]:")
"""The mark of a definition or a footnote, whose further lines are indented."""
_FORMULA: Final = re.compile(r"\$\$|\\[\[\]]|\\(?:begin|end)\{")
_END: Final = re.compile(r"[:;.!?…：；。！？][\s*_`)\]\"'”’»\\]*$")
"""The end of a sentence, or of what introduces a list."""
_SIGNS: Final = frozenset("-*+1")


class InterruptingLists(Extension):
    """Python-Markdown's reading of lists without an empty line above them."""

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802 - Python-Markdown's name
        """Read lists after tables, whose rows are no text any more."""
        md.preprocessors.register(_ListPreprocessor(md), "recall_lists", 26)


class _ListPreprocessor(Preprocessor):
    def run(self, lines: list[str]) -> list[str]:
        numbers = _list_starts(lines)
        if not numbers:
            return lines
        parts: list[str] = []
        done = 0
        for number in numbers:
            parts += lines[done:number]
            parts.append(empty_line(lines[number]))
            done = number
        return parts + lines[done:]


class _Line(NamedTuple):
    """A line that is not empty."""

    number: int
    quotes: int
    """How many block quotes it is marked to be in."""
    indent: int
    """How far its text is indented, inside of these."""
    text: str
    marker: str
    """The marker if it starts like an item: `-`, `*`, `+`, or for each number its sign, `.`."""


def _list_starts(lines: Sequence[str]) -> list[int]:
    """Return the numbers of the lines with the first item of a list below a paragraph."""
    starts: list[int] = []
    end = 0
    for number, line in enumerate(lines):
        if number < end or line.lstrip(" >")[:1] not in _SIGNS or not _ITEM.match(text_of(line)):
            continue
        first = number
        while first > end and text_of(lines[first - 1]):
            first -= 1
        if first < number:
            end = number + 1
            while end < len(lines) and text_of(lines[end]):
                end += 1
            starts += _starts_in_block([_line(lines[n], n) for n in range(first, end)])
    if not starts:
        return starts
    hidden = set(_preformatted(lines))
    if any(" " * TAB in lines[number].partition(text_of(lines[number]))[0] for number in starts):
        hidden.update(indented_code(lines))
    return [number for number in starts if number not in hidden]


def _line(line: str, number: int) -> _Line:
    text = text_of(line)
    prefix = line[: len(line) - len(text)]
    quotes = prefix.count(">")
    indent = len(prefix) - prefix.rfind(">") - 1
    item = _ITEM.match(text)
    return _Line(number, quotes, max(0, indent - bool(quotes)), text, item[1][-1] if item else "")


def _starts_in_block(lines: Sequence[_Line]) -> Iterator[int]:
    """Yield the numbers of the lines with the first items of lists, of lines without empty ones."""
    last = {(line.quotes, line.indent, line.marker): line.number for line in lines}
    previous = ""
    paragraph: int | None = None  # how far the text of the open paragraph is indented
    is_list = is_formula = False
    for line in lines:
        if _OPENER.match(line.text):
            paragraph, is_list = None, False
        elif _CONTENTS.match(line.text):
            paragraph, is_list = line.indent + TAB, False
        elif line.marker and paragraph is None:
            is_list = True
        elif line.marker and not (is_list or is_formula) and paragraph is not None:
            follows = last[line.quotes, line.indent, line.marker] > line.number
            if line.indent < paragraph + TAB and _interrupts(line, previous, follows=follows):
                is_list = True
                yield line.number
        elif not is_list and paragraph is None:
            paragraph = line.indent
        if len(_FORMULA.findall(line.text)) % 2:
            is_formula = not is_formula
        previous = line.text


def _interrupts(line: _Line, previous: str, *, follows: bool) -> bool:
    """Return whether a line that starts like an item starts a list below the text before it."""
    if line.marker == "." and not line.text.startswith("1."):
        return False
    if STX in previous or _END.search(previous):
        return True
    return follows and line.marker != "+" and " = " not in previous


def _preformatted(lines: Sequence[str]) -> Iterator[int]:
    """Yield the numbers of the lines of `<pre>`."""
    is_open = False
    for number, line in enumerate(lines):
        if is_open:
            yield number
        if "<pre" in line or "</pre" in line:
            is_open = line.rfind("<pre") > line.rfind("</pre")
