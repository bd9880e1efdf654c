"""The Markdown of a quote whose HTML is at hand, for copies of pages that others write as Markdown.

A warm build has the HTML of a quote from the cache, and no passages that `markdown` could render.
"""

from __future__ import annotations

from html.parser import HTMLParser
from typing import TYPE_CHECKING, Final

from mkdocs_recall.rendering.markdown import prefixed
from mkdocs_recall.rendering.markdown_inline import (
    code_block,
    escape_line_start,
    inline,
    table,
)
from mkdocs_recall.rendering.whitelist import BOX_CLASSES
from mkdocs_recall.text.model import Mark

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mkdocs_recall.text.model import Role

_ROLES: Final[dict[str, Role]] = {"a": "link", "code": "code", "em": "em", "strong": "strong"}
_BOXES: Final = [[name] for name in BOX_CLASSES]
_OF_TABLES: Final = frozenset({"table", "thead", "tbody", "tr", "th", "td"})
_TRANSPARENT: Final = frozenset({"cite", "code", "span"})
"""Inline elements of which the Markdown has only the text."""
_BULLET: Final = "-   "
_INDENT: Final = "    "


def quote_markdown(html: str) -> str:
    """Return a quote as Markdown, without a line end after it.

    Args:
        html: The quote, as `rendering.html` writes it; its links are taken over.
    """
    parser = _Blocks()
    parser.feed(html)
    parser.close()
    return "\n\n".join(parser.root.blocks)


class _Element:
    """An open element with the blocks of Markdown that are complete in it."""

    def __init__(self, name: str, classes: str = "") -> None:
        self.name = name
        self.classes = classes.split()
        self.blocks: list[str] = []


class _Blocks(HTMLParser):
    """The blocks of a quote, read tag by tag; each element is written as it ends."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = _Element("")
        self._open = [self.root]
        self._text = ""
        """Text that belongs to no block yet."""
        self._marks: list[Mark] = []
        self._inlines: list[tuple[Role, int, str]] = []
        """The open inline elements: role, start, and target of a link."""
        self._rows: list[list[str]] = []
        """The cells of each row of the open table."""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Open an element; a line break ends a paragraph."""
        values = {name: value or "" for name, value in attrs}
        if tag == "br":
            self._end_paragraph()
        elif tag in _ROLES and not self._in("pre"):
            self._inlines.append((_ROLES[tag], len(self._text), values.get("href", "")))
        elif tag not in _TRANSPARENT:
            self._end_paragraph()
            self._open.append(_Element(tag, values.get("class", "")))

    def handle_endtag(self, tag: str) -> None:
        """Write an element into the one around it."""
        if tag in _ROLES and not self._in("pre"):
            if self._inlines:
                role, start, href = self._inlines.pop()
                self._marks.append(Mark(start, len(self._text), role, href))
        elif tag not in {"br", *_TRANSPARENT} and len(self._open) > 1:
            if tag == "pre":
                self._open[-1].blocks.append(code_block(self._text.removesuffix("\n")))
                self._text = ""
            self._end_paragraph()
            element = self._open.pop()
            self._open[-1].blocks += self._written(element)

    def handle_comment(self, data: str) -> None:
        """Keep a comment between blocks, such as the one that holds a quote's fence."""
        self._end_paragraph()
        self._open[-1].blocks.append(f"<!--{data}-->")

    def handle_data(self, data: str) -> None:
        """Add text; outside of code, a line end is white space."""
        self._text += data if self._in("pre") else data.replace("\n", " ")

    def _in(self, name: str) -> bool:
        return self._open[-1].name == name

    def _end_paragraph(self) -> None:
        """Write the text so far as a paragraph."""
        text = self._text.rstrip()
        start = len(text) - len(text.lstrip())
        if text and not self._in("pre"):
            marks = sorted(self._marks, key=lambda mark: (mark.start, -mark.end))
            written = inline(text, start, len(text), marks, lambda mark: mark.href)
            self._open[-1].blocks.append(escape_line_start(written))
        self._text = ""
        self._marks = []

    def _explains(self) -> bool:
        """Return whether the explanation below a quote is open, which becomes a list."""
        return any("recall-explain" in element.classes for element in self._open)

    def _written_table(self, element: _Element) -> Iterator[str]:
        """Yield a cell as text, a table as a table or, where none can stand, its rows as text."""
        if element.name in {"th", "td"}:
            yield " ".join(element.blocks)
        elif element.name == "tr":
            self._rows.append(element.blocks)
        elif element.name == "table":
            (headers, *rows), self._rows = self._rows, []
            rows = [row + [""] * (len(headers) - len(row)) for row in rows]
            if written := table(headers, rows):
                yield written
                return
            for row in rows:
                cells = zip(headers, row, strict=True)
                yield " — ".join(f"{header}: {cell}" for header, cell in cells if cell)

    def _written(self, element: _Element) -> Iterator[str]:
        """Yield the blocks of an element that has ended."""
        blocks, name = element.blocks, element.name
        if name in _OF_TABLES and not self._explains():
            yield from self._written_table(element)
            return
        if not blocks:
            return
        if name in {"li", "tr"}:
            if blocks[0].startswith(
                "```"
            ):  # right after the bullet, Python-Markdown reads no fence
                blocks.insert(0, "…")
            yield prefixed("\n\n".join(blocks), _BULLET if len(blocks) > 1 else "- ", _INDENT)
        elif name in {"ul", "tbody"}:
            yield ("\n\n" if any("\n\n" in item for item in blocks) else "\n").join(blocks)
        elif name == "summary" or "admonition-title" in element.classes:
            yield f"**{blocks[0]}**"
        elif "recall-note" in element.classes:
            yield f"{blocks[0][:-2]}:** {' '.join(blocks[1:])}"
        elif name in {"blockquote", "div"} and element.classes[:1] not in _BOXES:
            yield prefixed("\n\n".join(blocks), "> ")
        elif name != "thead":
            yield from blocks
