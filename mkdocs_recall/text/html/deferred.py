"""Code blocks and tables: cut out of a page's HTML before it is parsed, read when asked for.

They are more than half of a page's HTML, and few of them are ever quoted.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from mkdocs_recall.text.html.tables import Row
from mkdocs_recall.text.html.tags import is_diagram

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


_COMMENT = re.compile(r"<!--[^<>]*-->")
_CODE = re.compile(r' data-code="(\d{1,9})"\Z')
_TABLE = re.compile(r' data-table="(\d{1,9})"\Z')
_BOX, _BOX_END = '<div class="', "</div>"
_NO_PARAGRAPH = tuple(
    f"</{tag}>\n" for tag in ("p", "div", "ul", "ol", "h1", "h2", "h3", "h4", "h5", "h6")
)
"""After these no paragraph is open, which a box of code would end."""
_HEAD_END = "</thead>"
_UNUSUAL = ("<wbr", "<caption", "<thead", _HEAD_END)
"""What is not in the body of a table that Markdown makes."""


_NOTHING = Row("", ())


class DeferredTable:
    """A table that is not read until a row of it is asked for."""

    def __init__(self, html: str, count: int, read: Callable[[str], Sequence[Row]]) -> None:
        """Keep a table of which only the number of rows in its body is known."""
        self.count = count
        self._html = html
        self._read = read
        self._rows: Sequence[Row] = ()

    def row(self, number: int) -> Row:
        """Return what a row says."""
        if self._html:
            self._rows, self._html = self._read(self._html), ""
        return self._rows[number] if number < len(self._rows) else _NOTHING


@dataclass(slots=True)
class DeferredParts:
    """What was cut out, each to be taken once; a tag in its place changes nothing around it."""

    codes: list[str] = field(default_factory=list)
    tables: list[DeferredTable | None] = field(default_factory=list)

    def code_at(self, attributes: str) -> str | None:
        """Take the HTML in the code block that stood where a tag with these attributes does.

        It is empty for what is no code, and None where no code block was cut out.
        """
        found = _CODE.match(attributes)
        if found is None or (number := int(found[1])) >= len(self.codes):
            return None
        own, _, code = self.codes[number].partition(">")
        self.codes[number] = ""  # an author's own tag takes nothing twice
        return "" if is_diagram(own) else code

    def table_at(self, attributes: str) -> DeferredTable | None:
        """Take the table that stood where a tag with these attributes does."""
        found = _TABLE.match(attributes)
        if found is None or (number := int(found[1])) >= len(self.tables):
            return None
        table, self.tables[number] = self.tables[number], None
        return table


def defer_parts(html: str, read: Callable[[str], Sequence[Row]]) -> tuple[str, DeferredParts]:
    """Cut code blocks and tables out of HTML; in doubt leave them.

    Args:
        html: The HTML.
        read: Reads the rows of a table.

    Returns:
        The HTML without them, and what was cut out.
    """
    out = DeferredParts()
    if "<!--" in html:
        html = _COMMENT.sub("", html)
        if "<!--" in html:
            return html, out
    if "<pre" in html:
        html = _cut_code(html, out)
    if "<table" in html and "<pre" not in html:
        html = _cut_tables(html, out, read)
    return html, out


def _cut_code(html: str, out: DeferredParts) -> str:
    head, *others = html.split("<pre")
    kept = [head]
    for other in others:
        code, closing, text = other.partition("</pre>")
        if closing and code[:1] in {" ", ">"}:
            if text.startswith(_BOX_END) and (box := _box_at(kept[-1])) >= 0:
                kept[-1] = kept[-1][:box]
                text = text[len(_BOX_END) :]
            kept += (f"<wbr data-code={len(out.codes)}>", text)
            out.codes.append(code)
        else:
            kept.append(f"<pre{other}")
    return "".join(kept)


def _box_at(html: str) -> int:
    """Return where the box opens that a highlighter puts around one code block; -1 for none."""
    box = html.rfind(_BOX)
    if box < 1 or "highlight" not in html[box:] or html.find(">", box) != len(html) - 1:
        return -1
    return box if html.endswith(_NO_PARAGRAPH, 0, box) else -1


def _cut_tables(html: str, out: DeferredParts, read: Callable[[str], Sequence[Row]]) -> str:
    head, *others = html.split("<table")
    kept = [head]
    depth = 0  # how many tables are open that were left
    for other in others:
        table, closing, text = other.partition("</table>")
        rows = _rows(table) if closing and not depth else 0
        if rows:
            kept += (f"<wbr data-table={len(out.tables)}>", text)
            out.tables.append(DeferredTable(f"<table{table}</table>", rows, read))
        else:
            kept.append(f"<table{other}")
            depth = max(0, depth + 1 - other.count("</table>"))
    return "".join(kept)


def _rows(table: str) -> int:
    """Return how many rows the body of a table has; 0 for one that Markdown does not make."""
    head, _, body = table.partition(_HEAD_END)
    rows = body.count("<tr>")
    if head.count("<tr>") != 1 or body.count("<tr") != rows or body.count("</tr>") != rows:
        return 0
    return 0 if any(tag in body for tag in _UNUSUAL) or "<wbr" in head else rows
