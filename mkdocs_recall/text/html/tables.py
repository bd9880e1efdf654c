"""The rows of a table as texts that make sense on their own: "Option: site_url — Default: none".

Cells that span rows or columns are repeated, within bounds that keep the time linear. `cells` reads
the HTML of a table and hands each cell to the `TableBuilder`.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from mkdocs_recall.text.html.runs import MarkedText
from mkdocs_recall.text.model import Mark

_SPAN = re.compile(r'\b(row|col)span="\s*(\d+)')
BETWEEN = " \u2014 "
"""The separator between two cells of a row."""
_WIDEST = 1000
"""How many columns can have headers: as many as HTML allows a cell to span."""
_HEADER_ROWS = 4
_ALL_ROWS = 1 << 20
"""More rows than a table has."""
_CARRIED = 16
"""How many cells can extend into the rows below at one time."""
_REPEATED = 400
"""How many characters a row takes from headers and from cells of rows above."""


class _Cell(NamedTuple):
    text: str
    marks: tuple[Mark, ...]
    is_header: bool
    column: int
    width: int = 1
    repeated: bool = False


class _Carried(NamedTuple):
    """A cell that extends into the rows below."""

    cell: _Cell
    rows: int  # how many rows it covers from the current one on


class TableBuilder:
    """The headers and the current row of a table while its cells are read."""

    def __init__(self) -> None:
        """Start a table."""
        self.in_head = False
        self._headers: dict[int, str] = {}
        self._header_rows = 0
        self._in_body = False
        self._row: list[_Cell] = []
        self._column = 0
        self._carried: dict[int, _Carried] = {}

    def add(self, text: str, marks: tuple[Mark, ...], *, tag: str, attributes: str) -> None:
        """Add the next cell of the row."""
        while self._column in self._carried:
            self._add_carried(self._column)
        width = rows = 1
        if "span=" in attributes:
            spans = {name: int(number[:6]) for name, number in _SPAN.findall(attributes)}
            width = min(max(spans.get("col", 1), 1), _WIDEST)
            rows = spans.get("row", 1)
        cell = _Cell(text, marks, tag == "th", self._column, width)
        self._row.append(cell)
        if rows != 1 and len(self._carried) < _CARRIED:  # 0 extends to the last row
            self._carried[self._column] = _Carried(cell._replace(repeated=True), rows or _ALL_ROWS)
        self._column += width

    def _add_carried(self, column: int) -> None:
        """Add the cell of a row above that extends into this row at a column."""
        cell = self._carried[column].cell
        self._row.append(cell)
        self._column = column + cell.width

    def end_row(self) -> MarkedText | None:
        """End the row, and return its text; None for a row of headers."""
        row, self._row, self._column = self._row, [], 0
        own = [cell for cell in row if not cell.repeated]
        if self._carried:
            row = self._complete(row)
        if self._is_header(own):
            self._header_rows += 1
            for cell in row:
                self._add_header(cell)
            return None
        self._in_body = True
        return self._text_of(row) if any(cell.text for cell in own) else MarkedText("", ())

    def _complete(self, row: list[_Cell]) -> list[_Cell]:
        """Return the row with all cells of rows above that extend into it, in order."""
        columns = {cell.column for cell in row}
        row += [carried.cell for column, carried in self._carried.items() if column not in columns]
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
        """Add a cell to the headers of its columns, once if it spans several header rows."""
        text = cell.text.rstrip(" :")
        if text and not cell.repeated:
            for column in range(cell.column, min(cell.column + cell.width, _WIDEST)):
                above = self._headers.get(column)
                self._headers[column] = f"{above} {text}" if above else text

    def _text_of(self, row: list[_Cell]) -> MarkedText:
        """Return the text of a row, each cell after the header of its column."""
        parts: list[str] = []
        marks: list[Mark] = []
        length, repeated, separator = 0, 0, ""
        for cell in row:
            text = cell.text
            if not text:
                continue
            if cell.repeated:
                if repeated + len(text) > _REPEATED:
                    continue
                repeated += len(text)
            header = self._headers.get(cell.column, "")
            if header and repeated + len(header) <= _REPEATED:
                repeated += len(header)
                start = length + len(separator)
                marks.append(Mark(start, start + len(header), "header"))
                separator += f"{header}: "
            parts += (separator, text)
            length += len(separator)
            if self._headers:
                marks.append(Mark(length, length + len(text), "cell"))
            for start, end, role, href in cell.marks:
                marks.append(Mark(start + length, end + length, role, href))
            length += len(text)
            separator = ": " if cell.is_header and not self._headers else BETWEEN
        return MarkedText("".join(parts), tuple(marks))


def _column(cell: _Cell) -> int:
    return cell.column
