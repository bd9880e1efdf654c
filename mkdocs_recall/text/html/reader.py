"""The reader of rendered HTML: runs of text with inline marks, and headings with anchors.

lexbor (through selectolax) repairs and serialises all HTML. So one linear pass over the tags
(`scanner`) suffices: no recursion, whatever the nesting. `analysis` makes a Document of the result.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mkdocs_recall.options import LIMITS
from mkdocs_recall.text.html.cells import TableReader
from mkdocs_recall.text.html.deferred import DeferredParts, defer_parts
from mkdocs_recall.text.html.scanner import BlockScanner
from mkdocs_recall.text.html.tags import RAW_TAGS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mkdocs_recall.options import Limits
    from mkdocs_recall.text.html.runs import HtmlContent, MarkedText

_RAW = re.compile(rf"<[sinpxt](?:{'|'.join(tag[1:] for tag in RAW_TAGS)})[ >]")
"""Start tags of raw text. A separate class for the first letters is faster."""
_TOKEN = re.compile(
    r"""(?:<!--.*?-->
    | </([^\s/>]+)>
    | <([^\s/>]+)([^>]*)>(?:([^<]*)(</\2>))?
    | <)([^<]*)""",
    re.DOTALL | re.VERBOSE,
)
"""A comment, an end tag or a start tag (with its text and end tag if it contains only text), and
the text after it. No attribute contains a bare `>`: lexbor escapes it."""
_BLOCK_END = re.compile(r"</(?:p|li|tr|dd|dt|h[1-6]|pre|div)>")
_LONG = 200_000
"""The tokens of longer HTML, in characters, are not held in memory at once."""
_REACH = 100_000
"""How many characters before the size limit are searched for the end of a block."""


def read_html(html: str, *, limits: Limits = LIMITS) -> HtmlContent:
    """Read rendered HTML, of a whole page or a part of one.

    Args:
        html: HTML as for a browser; it may be malformed.
        limits: The limits, of which `page_size` applies.

    Returns:
        Each paragraph, list item, definition, label, row of a table and code block as a run, in
        reading order, and the headings. Scripts, deleted text, tab labels, diagrams, displayed
        formulas and decorations are skipped.
    """
    whole = len(html) <= limits.page_size
    html, deferred = defer_parts(truncate_html(html, limits.page_size), _read_rows)
    tokens = _tokens(_repair(html))
    del html  # the tokens have the text; a long page is not held twice
    content = BlockScanner(deferred).read(tokens)
    return content if whole else content._replace(whole=False)


def truncate_html(html: str, size: int) -> str:
    """Return the start of HTML, at most `size` characters, up to the end of a block if possible."""
    if len(html) <= size:
        return html
    ends = (match.end() for match in _BLOCK_END.finditer(html, max(0, size - _REACH), size))
    return html[: max(ends, default=size)]


def read_well_formed(html: str) -> HtmlContent:
    """Read HTML without raw text that lexbor has serialised, and that need not be parsed again."""
    return BlockScanner(DeferredParts()).read(_tokens(html))


def _read_rows(table: str) -> Sequence[MarkedText]:
    """Return the rows in the body of a table, from its HTML."""
    tokens = _tokens(_repair(table))
    for token in tokens:
        if token[1] == "table":
            return TableReader(DeferredParts()).read(tokens).rows
    return ()


def _repair(html: str) -> str:
    """Return HTML as browsers understand it, each element closed, without raw text."""
    from selectolax.lexbor import LexborHTMLParser

    from mkdocs_recall.text.html.nesting import flatten_nesting

    body = LexborHTMLParser(flatten_nesting(html)).body
    if body is None:
        return ""
    html = body.html or ""
    if _RAW.search(html):
        for node in reversed(body.css(",".join(RAW_TAGS))):  # inner before outer
            node.decompose()
        html = body.html or ""
    return html


def _tokens(html: str) -> Iterator[tuple[str, ...]]:
    """Return the tokens of HTML; those of a long page one by one, to save memory."""
    if len(html) <= _LONG:
        return iter(_TOKEN.findall(html))
    return (match.groups("") for match in _TOKEN.finditer(html))
