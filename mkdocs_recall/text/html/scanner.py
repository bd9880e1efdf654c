"""The one pass over the tags of well-formed HTML that finds runs of text, tables and code blocks.

It decides which elements are skipped and what each tag does; `blocks` turns the blocks that open
and close into runs, `cells` reads the tables that were not deferred.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from mkdocs_recall.text.html.blocks import MUTE, BlockBuilder
from mkdocs_recall.text.html.cells import TableReader
from mkdocs_recall.text.html.runs import HtmlContent, MarkedText
from mkdocs_recall.text.html.tags import (
    BLOCK_TAGS,
    HEADING_TAGS,
    ROLES,
    SKIPPED_TAGS,
    VOID_TAGS,
    class_of,
    code_text,
    is_badge,
    is_code,
    is_code_table,
    is_code_title,
    is_diagram,
    is_skipped,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mkdocs_recall.text.html.deferred import DeferredParts


class BlockScanner(BlockBuilder):
    """The reader of a page, in one pass over its tags."""

    def __init__(self, deferred: DeferredParts) -> None:
        """Start at the top of a page without these deferred parts."""
        super().__init__()
        self.deferred = deferred

    def read(self, tokens: Iterator[tuple[str, ...]]) -> HtmlContent:  # noqa: C901, PLR0912 - one hot loop
        """Read the tokens of well-formed HTML, in which lexbor closes each element in order."""
        skipped, depth = "", 0  # the tag of a skipped element, and how many of it are open
        code: list[str] = []  # the HTML in a `pre` that was not deferred
        is_drawn = False  # whether that `pre` is the source of a diagram
        for end, tag, attributes, inner, closed, tail in tokens:
            if skipped:
                depth += (tag == skipped and not closed) - (end == skipped)
                if depth:
                    if skipped == "pre":
                        code += ("\n" if tag == "br" else inner, tail)
                    continue
                if skipped == "pre":
                    self.add_code("" if is_drawn else "".join(code))
                skipped = ""
            elif end:
                if end in _CLOSES:
                    _CLOSES[end](self, end)
            elif closed and 'class="' in attributes and is_badge(tag, class_of(attributes)):
                self.add_badge(tag, attributes, inner)
            elif (tag in SKIPPED_TAGS and not (tag == "label" and self.tabs)) or (
                'class="' in attributes
                and (is_skipped(tag, class_of(attributes)) or is_badge(tag, class_of(attributes)))
            ):
                if tag in BLOCK_TAGS:
                    self.flush()
                    self.previous = None
                if not closed and tag not in VOID_TAGS:
                    skipped, depth = tag, 1
                    continue
            elif closed and tag in ROLES:
                self.add_mark(tag, attributes, inner)
            elif tag == "table" and not closed and not is_code_table(attributes):
                tail = self.add_table(tokens)  # noqa: PLW2901 - the text after the table
            elif tag == "pre":
                is_drawn = is_diagram(attributes)
                if not closed:
                    skipped, depth, code = tag, 1, [tail]
                    continue
                self.add_code("" if is_drawn else inner)
            elif closed and not inner and tag == "p":
                pass  # what a parser leaves of a paragraph around a block
            else:
                if tag in _OPENS:
                    _OPENS[tag](self, tag, attributes)
                elif self.kind is None and is_code_title(attributes):
                    self.open_code_title()
                if inner:
                    self.add_text(inner)
                if closed and tag in _CLOSES:
                    _CLOSES[tag](self, tag)
            if tail and (self.parts or tail != "\n"):
                self.add_text(tail)
        self.flush()
        return HtmlContent(tuple(self.runs), tuple(self.headings))

    def add_badge(self, tag: str, attributes: str, inner: str) -> None:
        """Add the text of a badge, which is no text if it is alone."""
        number = len(self.parts)
        if tag in ROLES:
            self.add_mark(tag, attributes, inner)
        elif inner:
            self.add_text(inner)
        self.badges += sum(len(part.replace(" ", "")) for part in self.parts[number:])

    def add_break(self, _tag: str, _attributes: str) -> None:
        """Add a line break as a space."""
        self.add_text(" ")

    def add_rule(self, _tag: str, _attributes: str) -> None:
        """Read a horizontal rule: the text above it introduces no block below it."""
        self.previous = None

    def add_table(self, tokens: Iterator[tuple[str, ...]]) -> str:
        """Add the table whose start tag was just read, and return the text after it."""
        table = TableReader(self.deferred).read(tokens)
        if self.parts:
            self.flush()
        if self.kind not in MUTE:
            lead = self.lead_of_block()
            if table.caption.text:
                lead = self.add_run(table.caption.text, "label", table.caption.marks, lead=lead)
            for row, codes in zip(table.rows, table.codes, strict=True):
                above = self.add_run(row.text, "table", row.marks, lead=lead) if row.text else lead
                for code in codes:
                    self.add_run("", "code", lead=above, read=partial(_read_code, code))
        self.previous = None
        return table.tail

    def add_deferred(self, _tag: str, attributes: str) -> None:
        """Add the deferred code block or table that this tag replaces."""
        if (code := self.deferred.code_at(attributes)) is not None:
            self.add_code(code)
        elif (table := self.deferred.table_at(attributes)) is not None and self.kind not in MUTE:
            self.flush()
            lead = self.lead_of_block()
            for number in range(table.count):
                self.add_run("", "table", lead=lead, read=partial(table.row, number))
            self.previous = None

    def add_code(self, code: str) -> None:
        """Add a code block from the HTML in it."""
        self.flush()
        if self.kind != "label" and is_code(code):
            lead = self.lead_of_block()
            self.add_run("", "code", lead=lead, read=partial(_read_code, code))
        self.previous = self.above_paragraph = None


def _read_code(html: str) -> MarkedText:
    return MarkedText(code_text(html), ())


_OPENS: dict[str, Callable[[BlockScanner, str, str], None]] = {
    **dict.fromkeys(BLOCK_TAGS, BlockScanner.open_block),
    **dict.fromkeys(ROLES, BlockScanner.open_role),
    **dict.fromkeys(HEADING_TAGS, BlockScanner.open_heading),
    "table": BlockScanner.open_block,
    "label": BlockScanner.open_tab_title,
    "wbr": BlockScanner.add_deferred,
    "br": BlockScanner.add_break,
    "hr": BlockScanner.add_rule,
}
_CLOSES: dict[str, Callable[[BlockScanner, str], None]] = {
    **dict.fromkeys(BLOCK_TAGS, BlockScanner.close_block),
    **dict.fromkeys(ROLES, BlockScanner.close_role),
    **dict.fromkeys(HEADING_TAGS, BlockScanner.close_heading),
    "table": BlockScanner.close_block,
    "label": BlockScanner.close_tab_title,
}
