"""Code blocks and tables cut out of a page's HTML before it is parsed, and read on first use.

They are more than half of the HTML of a typical page, and few of them are ever quoted. A `<wbr>`
with a number marks the position of each.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from mkdocs_recall.text.html.runs import MarkedText
from mkdocs_recall.text.html.tags import is_diagram

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_COMMENT = re.compile(r"<!--[^<>]*-->")
_CODE_NUMBER = re.compile(r' data-code="(\d{1,9})"\Z')
_TABLE_NUMBER = re.compile(r' data-table="(\d{1,9})"\Z')
_BOX, _BOX_END = '<div class="', "</div>"
_PARAGRAPH_ENDS = tuple(
    f"</{tag}>\n" for tag in ("p", "div", "ul", "ol", "h1", "h2", "h3", "h4", "h5", "h6")
)
"""End tags after which no paragraph is open. One that is open would end at the box around code."""
_HEAD_END = "</thead>"
_UNUSUAL = ("<wbr", "<caption", "<thead", _HEAD_END)
"""HTML that the body of a table made from Markdown does not contain."""
_EMPTY = MarkedText("", ())


class DeferredTable:
    """A table that is read on the first use of one of its rows."""

    def __init__(self, html: str, count: int, read: Callable[[str], Sequence[MarkedText]]) -> None:
        """Hold the HTML of a table, of which so far only the rows in its body were counted."""
        self.count = count
        self._html = html
        self._read = read
        self._rows: Sequence[MarkedText] = ()

    def row(self, number: int) -> MarkedText:
        """Return the text of a row."""
        if self._html:
            self._rows, self._html = self._read(self._html), ""
        return self._rows[number] if number < len(self._rows) else _EMPTY


@dataclass(slots=True)
class DeferredParts:
    """The code blocks and tables that were cut out, each of which can be taken once."""

    codes: list[str] = field(default_factory=list)
    tables: list[DeferredTable | None] = field(default_factory=list)

    def code_at(self, attributes: str) -> str | None:
        """Take the HTML in the code block that a tag with these attributes replaces.

        It is empty for a diagram, and None if the tag replaces no code block.
        """
        match = _CODE_NUMBER.match(attributes)
        if match is None or (number := int(match[1])) >= len(self.codes):
            return None
        own_attributes, _, code = self.codes[number].partition(">")
        self.codes[number] = ""  # an author's own tag must not repeat it
        return "" if is_diagram(own_attributes) else code

    def table_at(self, attributes: str) -> DeferredTable | None:
        """Take the table that a tag with these attributes replaces; None if it replaces none."""
        match = _TABLE_NUMBER.match(attributes)
        if match is None or (number := int(match[1])) >= len(self.tables):
            return None
        table, self.tables[number] = self.tables[number], None
        return table


def defer_parts(
    html: str, read: Callable[[str], Sequence[MarkedText]]
) -> tuple[str, DeferredParts]:
    """Cut code blocks and tables out of HTML, except those of an unusual form.

    Returns:
        The HTML without the parts, and the parts.
    """
    deferred = DeferredParts()
    if "<!--" in html:
        html = _COMMENT.sub("", html)
        if "<!--" in html:
            return html, deferred
    if "<pre" in html:
        html = _cut_code(html, deferred)
    if "<table" in html and "<pre" not in html:
        html = _cut_tables(html, deferred, read)
    return html, deferred


def _cut_code(html: str, deferred: DeferredParts) -> str:
    head, *others = html.split("<pre")
    parts = [head]
    for other in others:
        code, closing, text = other.partition("</pre>")
        if closing and code[:1] in {" ", ">"}:
            if text.startswith(_BOX_END) and (box := _box_start(parts[-1])) >= 0:
                parts[-1] = parts[-1][:box]
                text = text[len(_BOX_END) :]
            parts += (f'<wbr data-code="{len(deferred.codes)}">', text)
            deferred.codes.append(code)
        else:
            parts.append(f"<pre{other}")
    return "".join(parts)


def _box_start(html: str) -> int:
    """Return the position of the box a highlighter opens at the end of `html`; -1 for none."""
    box = html.rfind(_BOX)
    if box < 1 or "highlight" not in html[box:] or html.find(">", box) != len(html) - 1:
        return -1
    return box if html.endswith(_PARAGRAPH_ENDS, 0, box) else -1


def _cut_tables(
    html: str, deferred: DeferredParts, read: Callable[[str], Sequence[MarkedText]]
) -> str:
    head, *others = html.split("<table")
    parts = [head]
    depth = 0  # how many tables that were not cut out are open
    for other in others:
        table, closing, text = other.partition("</table>")
        rows = _count_rows(table) if closing and not depth else 0
        if rows:
            parts += (f'<wbr data-table="{len(deferred.tables)}">', text)
            deferred.tables.append(DeferredTable(f"<table{table}</table>", rows, read))
        else:
            parts.append(f"<table{other}")
            depth = max(0, depth + 1 - other.count("</table>"))
    return "".join(parts)


def _count_rows(table: str) -> int:
    """Return the number of rows in a table's body; 0 if Markdown does not make such a table."""
    head, _, body = table.partition(_HEAD_END)
    rows = body.count("<tr>")
    if head.count("<tr>") != 1 or body.count("<tr") != rows or body.count("</tr>") != rows:
        return 0
    return 0 if any(tag in body for tag in _UNUSUAL) or "<wbr" in head else rows
