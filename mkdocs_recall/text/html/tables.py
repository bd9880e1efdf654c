"""The rows of a table → texts that can be read without it: "Option: site_url — Default: none".

Whatever spans many rows or columns is repeated, within bounds, so that time stays linear.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from mkdocs_recall.text.model import Mark

_SPAN = re.compile(r'\b(row|col)span="\s*(\d+)')
BETWEEN = " \u2014 "
"""What stands between two cells of a row."""
_WIDEST = 1000
"""Columns that have headers; as many as HTML lets one cell span."""
_HEADER_ROWS = 4
_EVER = 1 << 20
_CARRIED = 16
"""Cells that reach into the rows below them, at one time."""
_REPEATED = 400
"""Characters that a row takes from headers and from cells of rows above; more are left out."""


class Row(NamedTuple):
    """A row of the body, as text."""

    text: str
    marks: tuple[Mark, ...]


class _Cell(NamedTuple):
    text: str
    marks: tuple[Mark, ...]
    is_header: bool
    column: int
    width: int = 1
    repeated: bool = False


class _Carried(NamedTuple):
    """A cell that reaches into rows below."""

    cell: _Cell
    rows: int


class TableBuilder:
    """A table that is being read, cell by cell."""

    def __init__(self) -> None:
        """Open a table."""
        self.in_head = False
        self._headers: dict[int, str] = {}
        self._header_rows = 0
        self._in_body = False
        self._row: list[_Cell] = []
        self._column = 0
        self._carried: dict[int, _Carried] = {}

    def add(self, text: str, marks: tuple[Mark, ...], *, tag: str, attributes: str) -> None:
        """Take the next cell of a row."""
        while self._column in self._carried:
            self._repeat(self._column)
        width = rows = 1
        if "span=" in attributes:
            spans = {name: int(number[:6]) for name, number in _SPAN.findall(attributes)}
            width = min(max(spans.get("col", 1), 1), _WIDEST)
            rows = spans.get("row", 1)
        cell = _Cell(text, marks, tag == "th", self._column, width)
        self._row.append(cell)
        if rows != 1 and len(self._carried) < _CARRIED:  # 0 reaches to the end
            self._carried[self._column] = _Carried(cell._replace(repeated=True), rows or _EVER)
        self._column += width

    def _repeat(self, column: int) -> None:
        cell = self._carried[column].cell
        self._row.append(cell)
        self._column = column + cell.width

    def end_row(self) -> Row | None:
        """Return what the row says; None if it is a header's."""
        row, self._row, self._column = self._row, [], 0
        own = [cell for cell in row if not cell.repeated]
        if self._carried:
            row = self._with_carried(row)
        if self._is_header(own):
            self._header_rows += 1
            for cell in row:
                self._add_header(cell)
            return None
        self._in_body = True
        return self._say(row) if any(cell.text for cell in own) else Row("", ())

    def _with_carried(self, row: list[_Cell]) -> list[_Cell]:
        """Return the row with all that reaches into it, in order."""
        here = {cell.column for cell in row}
        row += [carried.cell for column, carried in self._carried.items() if column not in here]
        row.sort(key=_column)
        self._carried = {
            column: carried._replace(rows=carried.rows - 1)
            for column, carried in self._carried.items()
            if carried.rows > 1
        }
        return row

    def _is_header(self, own: list[_Cell]) -> bool:
        if self._in_body or self._header_rows == _HEADER_ROWS:
            return False
        return self.in_head or (bool(own) and all(cell.is_header for cell in own))

    def _add_header(self, cell: _Cell) -> None:
        """Note what stands over columns; a cell in several rows of the header is said once."""
        text = cell.text.rstrip(" :")
        if text and not cell.repeated:
            for column in range(cell.column, min(cell.column + cell.width, _WIDEST)):
                above = self._headers.get(column)
                self._headers[column] = f"{above} {text}" if above else text

    def _say(self, row: list[_Cell]) -> Row:
        parts: list[str] = []
        marks: list[Mark] = []
        at, spent, between = 0, 0, ""
        for cell in row:
            text = cell.text
            if not text:
                continue
            if cell.repeated:
                if spent + len(text) > _REPEATED:
                    continue
                spent += len(text)
            header = self._headers.get(cell.column, "")
            if header and spent + len(header) <= _REPEATED:
                spent += len(header)
                between += f"{header}: "
            parts += (between, text)
            at += len(between)
            for start, end, role, href in cell.marks:
                marks.append(Mark(start + at, end + at, role, href))
            at += len(text)
            between = ": " if cell.is_header and not self._headers else BETWEEN
        return Row("".join(parts), tuple(marks))


def _column(cell: _Cell) -> int:
    return cell.column
