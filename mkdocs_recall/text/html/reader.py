"""Rendered HTML → blocks with headings, anchors and inline marks. The only extractor there is.

lexbor (through selectolax) repairs and serialises the HTML, so that one linear pass over its tags
(`scan.py`) is enough: no recursion, whatever the nesting. Sentences and terms are made elsewhere.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from selectolax.lexbor import LexborHTMLParser

from mkdocs_recall.options import LIMITS
from mkdocs_recall.text.html.cells import TableReader
from mkdocs_recall.text.html.deferred import DeferredParts, defer_parts
from mkdocs_recall.text.html.nesting import flatten_nesting
from mkdocs_recall.text.html.scanner import BlockScanner
from mkdocs_recall.text.html.tags import RAW_TAGS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mkdocs_recall.options import Limits
    from mkdocs_recall.text.html.runs import HtmlContent
    from mkdocs_recall.text.html.tables import Row

_RAW = re.compile(rf"<[sinpxt](?:{'|'.join(tag[1:] for tag in RAW_TAGS)})[ >]")
"""Their first letters apart: that is faster."""
_TOKEN = re.compile(
    r"""(?:<!--.*?-->
    | </([^\s/>]+)>
    | <([^\s/>]+)([^>]*)>(?:([^<]*)(</\2>))?
    | <)([^<]*)""",
    re.DOTALL | re.VERBOSE,
)
"""A comment, an end tag or a start tag (with its text and end tag where it holds only text), and
the text after it. No attribute holds a bare `>`: lexbor escapes it."""
_LONG = 200_000
_BLOCK_END = re.compile(r"</(?:p|li|tr|dd|dt|h[1-6]|pre|div)>")
_REACH = 100_000
"""How far from the end of what is read the end of a block is looked for."""


def read_html(html: str, *, limits: Limits = LIMITS) -> HtmlContent:
    """Read rendered HTML, whole pages or parts of one.

    Args:
        html: HTML as a browser would take it; need not be well-formed.
        limits: How much of it is read.

    Returns:
        Every paragraph, list item, definition, label, row of a table and code block as a run of its
        own, in reading order. Scripts, deleted text, tab labels, diagrams, displayed formulas and
        decorations are left out; headings are returned apart.
    """
    whole = len(html) <= limits.page_size
    html, apart = defer_parts(truncate_html(html, limits.page_size), _read_rows)
    reading = BlockScanner(apart).read(_tokens(_repaired(html)))
    return reading if whole else replace(reading, whole=False)


def truncate_html(html: str, size: int) -> str:
    """Return as much of HTML as is read, up to the end of a block where one ends."""
    if len(html) <= size:
        return html
    ends = (match.end() for match in _BLOCK_END.finditer(html, max(0, size - _REACH), size))
    return html[: max(ends, default=size)]


def read_well_formed(html: str) -> HtmlContent:
    """Read HTML that lexbor has written, without raw text: it need not be parsed again."""
    return BlockScanner(DeferredParts()).read(_tokens(html))


def _read_rows(table: str) -> Sequence[Row]:
    tokens = _tokens(_repaired(table))
    for token in tokens:
        if token[1] == "table":
            return TableReader(DeferredParts()).read(tokens).rows
    return ()


def _repaired(html: str) -> str:
    """Return HTML as a browser takes it, each element closed, without what is never escaped."""
    body = LexborHTMLParser(flatten_nesting(html)).body
    if body is None:
        return ""
    html = body.html or ""
    if _RAW.search(html):
        for node in reversed(body.css(",".join(RAW_TAGS))):  # an outer one takes the inner with it
            node.decompose()
        html = body.html or ""
    return html


def _tokens(html: str) -> Iterator[tuple[str, ...]]:
    """Return the tokens, all at once; of a long page one by one, to spare memory."""
    if len(html) <= _LONG:
        return iter(_TOKEN.findall(html))
    return (match.groups("") for match in _TOKEN.finditer(html))
