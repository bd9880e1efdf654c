"""The rows of a quote as tables, each row under the header of its own table."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mkdocs_recall.rendering.excerpts import Piece
    from mkdocs_recall.text.model import Block


class QuotedCell(NamedTuple):
    """A cell of a row: the half-open span of its block's text."""

    header: str
    start: int
    end: int


@dataclass(slots=True)
class QuotedTable:
    """Rows that follow each other under the same headers."""

    headers: list[str]
    rows: list[tuple[Piece, list[QuotedCell]]] = field(default_factory=list)

    def aligned(self, cells: Sequence[QuotedCell]) -> list[QuotedCell | None]:
        """Return the cells of a row by column; None where the row has none."""
        if len(cells) == len(self.headers):
            return list(cells)
        by_header = {cell.header: cell for cell in cells}
        return [by_header.get(header) for header in self.headers]


def cells_of(block: Block) -> list[QuotedCell]:
    """Return the cells of a row; none for other blocks, and for a row without headers."""
    cells: list[QuotedCell] = []
    header = ""
    if block.kind != "table":
        return cells
    for mark in block.marks:
        if mark.role == "header":
            header = block.text[mark.start : mark.end]
        elif mark.role == "cell":
            cells.append(QuotedCell(header, mark.start, mark.end))
            header = ""
    return cells if any(cell.header for cell in cells) else []


def tables_of(pieces: Sequence[Piece]) -> list[QuotedTable]:
    """Return the tables of a run of rows.

    A text lacks the empty cells of its row, so that rows of one table may have different headers.
    """
    tables: list[QuotedTable] = []
    for piece in pieces:
        cells = cells_of(piece.chunk.block) if piece.chunk else []
        headers = [cell.header for cell in cells]
        if not (tables and _joins(headers, tables[-1])):
            tables.append(QuotedTable(headers))
        elif len(headers) > len(tables[-1].headers):
            tables[-1].headers = headers
        tables[-1].rows.append((piece, cells))
    return tables


def _joins(headers: list[str], table: QuotedTable) -> bool:
    """Return whether a row may stand in a table: one has all headers of the other, each once."""
    few, many = sorted((headers, table.headers), key=len)
    return few == many or (set(few) < set(many) and len(set(many)) == len(many))
