"""The text of a page or of one of its sections, headings included, as a reader of text has it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mkdocs_recall.text.model import Block, Document

_ROWS: Final = frozenset({"list", "table"})
_SIGNS: Final = {"list": "- ", "table": "- ", "definition": ": ", "admonition": "> "}
_TICKS: Final = re.compile("`{3,}")


def section_text(document: Document, anchor: str = "") -> str:
    """Return the text of a section and of those below it.

    Inline markup and links are left out; a table's row is a list item with its header cells.

    Args:
        document: The page.
        anchor: The `id` of the heading that opens the section, which must be one of the page's;
            empty for the whole page.
    """
    first, end = _sections(document, anchor)
    blocks: dict[int, list[Block]] = {}
    for block in document.blocks:
        blocks.setdefault(block.section, []).append(block)
    parts: list[str] = []
    for number in range(first, end):
        if number:
            heading = document.headings[number - 1]
            parts.append(f"{'#' * heading.level} {heading.text}".rstrip())
        parts += _texts(blocks.get(number, ()))
    return "\n\n".join(parts)


def _sections(document: Document, anchor: str) -> tuple[int, int]:
    """Return the number of the first section, and that behind the last."""
    headings = document.headings
    if not anchor:
        return 0, len(headings) + 1
    at = next(number for number, heading in enumerate(headings) if heading.anchor == anchor)
    level = headings[at].level
    after = (n for n in range(at + 1, len(headings)) if headings[n].level <= level)
    return at + 1, next(after, len(headings)) + 1


def _texts(blocks: list[Block] | tuple[()]) -> Iterator[str]:
    """Yield paragraphs; the items of a list, and the rows of a table, are one."""
    rows: list[str] = []
    top = -1
    for block in blocks:
        if not block.text:
            continue
        if rows and (block.kind not in _ROWS or block.top != top):
            yield "\n".join(rows)
            rows = []
        if block.kind in _ROWS:
            rows.append(_SIGNS[block.kind] + block.text)
            top = block.top
        elif block.kind == "code":
            ticks = max(["```", *(f"{found}`" for found in _TICKS.findall(block.text))], key=len)
            yield f"{ticks}\n{block.text}\n{ticks}"
        else:
            yield _SIGNS.get(block.kind, "") + block.text
    if rows:
        yield "\n".join(rows)
