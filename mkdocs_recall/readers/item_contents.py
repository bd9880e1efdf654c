"""The contents of list items as CommonMark reads them, indented as Python-Markdown demands.

In CommonMark, they start where the text of the item starts: two columns after `-`, three after
`1.`. Python-Markdown ends the list there, so the code of a step comes loose from the step; it wants
four columns for each level of lists. It does not know the marker `1)`, either.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from markdown.extensions import Extension
from markdown.preprocessors import Preprocessor
from markdown.util import STX

from mkdocs_recall.readers.nesting import TAB, Nesting, empty_line, indent_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from markdown import Markdown

_INDENTED: Final = re.compile(r"^[ >]* {2}\S|^[ >]*\d{1,9}\) ", re.MULTILINE)
"""What a page has that needs any of this."""
_ITEM: Final = re.compile(r" {0,3}(?:[-*+]|(\d{1,9})[.)]) +(?=\S)")
_INTERRUPTION: Final = re.compile(r" {0,3}(?:>|!!! ?\w|\?\?\?\+? ?\w|={3}[!+]* +\")")
"""What needs an empty line above it in an item: a block quote, an admonition, a tab."""
_PREFORMATTED: Final = re.compile(r"^[ >]+<(?:pre|script|style|textarea)[\s>]", re.MULTILINE)
"""Raw HTML whose indentation counts: a page that has it in a list stays as it is."""
_COMMENT, _COMMENT_END = "<!--", "-->"


class ItemContents(Extension):
    """Python-Markdown's reading of what is in list items."""

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802 - Python-Markdown's name
        """Read items after lists get the empty lines above them, and before raw HTML."""
        md.preprocessors.register(_ItemPreprocessor(md), "recall_items", 25)


class _ItemPreprocessor(Preprocessor):
    def run(self, lines: list[str]) -> list[str]:
        text = "\n".join(lines)
        if not _INDENTED.search(text) or _PREFORMATTED.search(text):
            return lines
        return _Indenting().lines(lines)


class _Indenting:
    """One pass over the lines of a page."""

    def __init__(self) -> None:
        self.nesting = Nesting()
        self.is_first = True  # whether the next line starts a block of Python-Markdown
        self.in_list = False  # whether the open block starts with an item
        self.depth = 0  # how many containers hold its first line

    def lines(self, lines: list[str]) -> list[str]:
        """Return the lines, indented, and without the comments in items.

        Python-Markdown takes a comment that is indented by four for text.
        """
        last = max((n for n, line in enumerate(lines) if _COMMENT_END in line), default=-1)
        result: list[str] = []
        in_comment = False
        for number, line in enumerate(lines):
            in_comment = in_comment or (number < last and self._opens_comment(line))
            if in_comment:
                result.append(empty_line(line))
            else:
                result += self._read(line)
            in_comment = in_comment and _COMMENT_END not in line
        return result

    def _opens_comment(self, line: str) -> bool:
        """Return whether a line in an item starts a comment that goes on below it."""
        if _COMMENT not in line or _COMMENT_END in line:
            return False
        depth, column = self.nesting.inside(line)
        indent = indent_of(line, column)
        return bool(depth) and indent < TAB and line.startswith(_COMMENT, column + indent)

    def _read(self, line: str) -> Iterator[str]:
        """Read the next line, and yield it indented; before it, an empty line if it needs one."""
        nesting = self.nesting
        if not line.strip():
            nesting.enter(line)
            self.is_first = True
            yield line
            return
        depth, column = nesting.inside(line)
        widths = nesting.open[:depth]
        item = _ITEM.match(line, column)
        if not self.is_first and self._interrupts(line, depth, column, is_item=item is not None):
            yield _prefix(widths).rstrip()
            self.is_first = nesting.fresh = True
        if self.is_first:
            self.in_list, self.depth = item is not None, depth
        is_code = False
        if item is None or self.in_list:  # in a paragraph it starts no list
            is_code = nesting.enter(line) < 0
        self.is_first = nesting.fresh
        if nesting.in_tag or "<" in line:
            nesting.read_element(line)
        elif STX in line:
            nesting.fresh = True
        if item and item[1] and self.in_list and not is_code:
            end = item.end(1)
            line = f"{line[:end]}.{line[end + 1 :]}"
        yield _indented(line, column, widths, is_code=is_code)

    def _interrupts(self, line: str, depth: int, column: int, *, is_item: bool) -> bool:
        """Return whether a line starts a block that to Python-Markdown is still the text above."""
        if is_item:  # the next one of an outer list
            return depth < self.depth
        return depth > 0 and _INTERRUPTION.match(line, column) is not None


def _indented(line: str, column: int, widths: list[int], *, is_code: bool) -> str:
    """Return a line with four columns for each item around it."""
    if all(width == 0 or width >= TAB for width in widths):
        return line
    prefix = _prefix(widths)
    indent = indent_of(line, column)
    inner = line[column + indent :]
    if is_code:
        last = widths[-1]
        if last >= TAB:  # the outer items were indented by four already
            indent = max(TAB, indent - (len(prefix) - column))
        elif last:
            indent -= TAB - last
        inner = " " * indent + inner
    return prefix + inner


def _prefix(widths: list[int]) -> str:
    """Return what a line in containers that indent by these widths starts with."""
    return "".join(" " * TAB if width else "> " for width in widths)
