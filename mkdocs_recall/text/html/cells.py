"""The reader of one table: from the tags inside it to its caption and rows.

Blocks and nested tables in a cell are joined into one text; code blocks are returned apart.
`tables` makes the text of a row from its cells.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mkdocs_recall.text.html.runs import MarkedText, RunBuilder
from mkdocs_recall.text.html.tables import TableBuilder
from mkdocs_recall.text.html.tags import (
    BLOCK_TAGS,
    HEADING_TAGS,
    ROLES,
    SKIPPED_TAGS,
    VOID_TAGS,
    class_of,
    is_code,
    is_diagram,
    is_skipped,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mkdocs_recall.text.html.deferred import DeferredParts

_SEPARATOR = "; "
"""The separator between two blocks of a cell, unless the first ends with punctuation."""
_PUNCTUATION = frozenset(".,:;!?\u2026\u3002\uff0c\u3001\uff1a\uff1b\uff01\uff1f")
_CELL_TAGS = frozenset({"td", "th", "caption"})
_FLAT_TAGS = (
    BLOCK_TAGS | HEADING_TAGS.keys() | _CELL_TAGS | {"table", "tr", "thead", "tbody", "tfoot"}
)
"""Tags inside a cell that only separate its text."""


class TableReader(RunBuilder):
    """The reader of a table, whose runs are the cells.

    Attributes:
        caption: The caption of the table.
        rows: The rows of its body.
        codes: For each row, the HTML in the code blocks of its cells.
        tail: The text after the table.
    """

    def __init__(self, deferred: DeferredParts) -> None:
        """Start after the start tag of a table on a page without these deferred parts."""
        super().__init__()
        self.caption = MarkedText("", ())
        self.rows: list[MarkedText] = []
        self.codes: list[list[str]] = []
        self.tail = ""
        self._deferred = deferred
        self._table = TableBuilder()
        self._attributes = ""  # of the current cell
        self._codes: list[str] = []  # in the current row

    def read(self, tokens: Iterator[tuple[str, ...]]) -> TableReader:  # noqa: C901, PLR0912 - one hot loop
        """Read the tokens up to the end of the table."""
        depth = 1  # the number of open tables: this one and nested ones
        skipped, skip_depth = "", 0  # the tag of a skipped element, and how many of it are open
        code: list[str] = []  # the HTML in a `pre` that was not deferred
        is_drawn = False  # whether that `pre` is the source of a diagram
        for end, tag, attributes, inner, closed, tail in tokens:
            if skipped:
                skip_depth += (tag == skipped and not closed) - (end == skipped)
                if skip_depth:
                    code += ("\n" if tag == "br" else inner, tail)
                    continue
                if skipped == "pre" and not is_drawn:
                    self._add_code("".join(code))
                skipped = ""
            elif end:
                depth -= end == "table"
                if not depth:
                    self.tail = tail
                    break
                self._close(end, depth)
            elif tag in SKIPPED_TAGS or (
                'class="' in attributes and is_skipped(tag, class_of(attributes))
            ):
                if not closed and tag not in VOID_TAGS:
                    skipped, skip_depth = tag, 1
                    continue
            elif closed and tag in ROLES:
                self.add_mark(tag, attributes, inner)
            elif tag == "pre":
                is_drawn = is_diagram(attributes)
                if not closed:
                    skipped, skip_depth, code = tag, 1, [tail]
                    continue
                self._add_code("" if is_drawn else inner)
            else:
                depth += tag == "table" and not closed
                self._open(tag, attributes, depth)
                if inner:
                    self.add_text(inner)
                if closed:
                    self._close(tag, depth)
            if tail and (self.parts or tail != "\n"):
                self.add_text(tail)
        return self

    def _open(self, tag: str, attributes: str, depth: int) -> None:
        if tag in ROLES:
            self.open_role(tag, attributes)
        elif tag == "br":
            self.add_text(" ")
        elif tag == "wbr":
            self._add_code(self._deferred.code_at(attributes) or "")
        elif depth == 1 and tag in _CELL_TAGS:
            self.take()
            self._attributes = attributes
        elif depth == 1 and tag == "thead":
            self._table.in_head = True
        elif tag in _FLAT_TAGS:
            self._flatten()

    def _close(self, tag: str, depth: int) -> None:
        if tag in ROLES:
            self.close_role(tag)
        elif depth == 1 and tag in _CELL_TAGS:
            self._close_cell(tag)
        elif depth == 1 and tag == "tr":
            self._close_row()
        elif depth == 1 and tag == "thead":
            self._table.in_head = False
        elif tag in _FLAT_TAGS:
            self._flatten()

    def _close_cell(self, tag: str) -> None:
        if self.parts and self.parts[-1] == _SEPARATOR:
            self.parts.pop()
            self.length -= len(_SEPARATOR)
        text, marks = self.take()
        if tag == "caption":
            self.caption = MarkedText(text, marks)
        else:
            self._table.add(text, marks, tag=tag, attributes=self._attributes)

    def _close_row(self) -> None:
        row = self._table.end_row()
        if row is not None:
            self.rows.append(row)
            self.codes.append(self._codes)
        self._codes = []

    def _add_code(self, code: str) -> None:
        if code and is_code(code):
            self._codes.append(code)
        self._flatten()

    def _flatten(self) -> None:
        """Separate the text of a cell so far from the block that follows."""
        parts = self.parts
        if not parts or parts[-1] == _SEPARATOR:
            return
        if parts[-1][-1] == " ":
            last = parts.pop()[:-1]
            self.length -= 1
            if last:
                parts.append(last)
            for number in range(len(self.marks) - 1, -1, -1):
                if self.marks[number].end <= self.length:
                    break
                self.marks[number] = self.marks[number]._replace(end=self.length)
        if parts:
            parts.append(" " if parts[-1][-1] in _PUNCTUATION else _SEPARATOR)
            self.length += len(parts[-1])
