"""Copies of pages in files that others write: their markers are filled in the file's format.

Markdown and text get Markdown. HTML gets HTML; so do the texts of XML and the strings of JSON, as
in a feed, each escaped as the file demands.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from html import escape, unescape
from typing import TYPE_CHECKING, Final

from mkdocs_recall.directives.fences import MARKER_HINT
from mkdocs_recall.rendering.insertion import MAX_COPIES, insert_linked
from mkdocs_recall.rendering.markers import MARKER, marked_ids

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mkdocs_recall.rendering.insertion import PageQuote

_MAY_NEED: Final = (b"!-- recall:", b"lt;!", b"lt;...")
_XML: Final = re.compile(r"(<!\[CDATA\[.*?(?:\]\]>|\Z)|<[^<>]*>?)", re.DOTALL)
"""What is no text of an element; texts in `CDATA` are among it."""
_CDATA: Final = "<![CDATA["
_STRING: Final = re.compile(r'"(?:[^"\\]|\\.)*"')
_CUT: Final = re.compile(r"&lt;([!\-a-z0-9: ]{0,90})\.\.\.(?=\s*</p>)")
"""The end of an abstract of so many characters, which may have ended in the middle of a marker."""
_CUT_MARKER: Final = re.compile(rf"{MARKER_HINT}[0-9a-f]{{0,64}}(?: -?-?)?")
_PREFIX: Final = re.compile(r"[ \t>]*(?:(?:[-+*]|\d+[.)])[ \t]+)*")
"""What a line that is all marker begins with: the containers it is in, maybe their bullets."""
_BULLET: Final = re.compile(r"[^ \t>]")


def may_need_quotes(data: bytes) -> bool:
    """Return whether a file may hold a marker, or the start of one; False is certain."""
    return any(mark in data for mark in _MAY_NEED)  # many times faster than an expression


def fill_copy(
    text: str, suffix: str, quotes: Mapping[str, PageQuote], *, url: str, site: str
) -> str:
    """Return a file's text with quotes in place of their markers. Other markers stay.

    Args:
        suffix: The end of its name, in lower case; any but those of `FORMATS` is taken for text.
        url: Its URL, relative to the site's root.
        site: The URL of the site's root, from which links are absolute then; empty if unknown.
    """
    if fill_format := FORMATS.get(suffix):
        return fill_format(text, lambda html: insert_linked(html, quotes, url, site).html)
    from mkdocs_recall.rendering.markdown import rebase_markdown

    found = {identity: quotes[identity] for identity in marked_ids(text) & quotes.keys()}
    linked = {i: rebase_markdown(q.markdown, q.url, url, site) for i, q in found.items()}
    return _fill_markdown(text, linked) if found else text


def _uncut(html: str) -> str:
    """Drop the start of a marker at the end of an abstract."""

    def end(match: re.Match[str]) -> str:
        is_marker = MARKER_HINT.startswith(match[1]) or _CUT_MARKER.fullmatch(match[1])
        return "..." if is_marker else match[0]

    return _CUT.sub(end, html)


def _fill_html(text: str, fill: Callable[[str], str]) -> str:
    return fill(text)


def _fill_xml(text: str, fill: Callable[[str], str]) -> str:
    parts = _XML.split(text)
    for number, part in enumerate(parts):
        if part.startswith(_CDATA):
            parts[number] = _uncut(fill(part))  # no quote has `]]>` in it: it escapes each `>`
        elif not number % 2 and "&" in part:
            html = unescape(part)
            filled = _uncut(fill(html))
            parts[number] = part if filled == html else escape(filled, quote=False)
    return "".join(parts)


def _fill_json(text: str, fill: Callable[[str], str]) -> str:
    def fill_string(match: re.Match[str]) -> str:
        if not (MARKER_HINT in match[0] or "lt;" in match[0]):
            return match[0]
        try:
            html = str(json.loads(match[0], strict=False))
        except ValueError:
            return match[0]
        filled = _uncut(fill(html))
        if filled == html:
            return match[0]
        return json.dumps(filled, ensure_ascii=match[0].isascii())

    return _STRING.sub(fill_string, text)


def _fill_markdown(text: str, quotes: Mapping[str, str]) -> str:
    """Fill Markdown: a line for each marker becomes as many as the quote has, in its container."""
    copies: Counter[str] = Counter()
    output: list[str] = []
    is_below = False  # whether the line before is the last of a quote
    for line in text.split("\n"):
        filled = [line]
        if any(match[1] in quotes for match in MARKER.finditer(line)):
            filled = _filled_line(line.rstrip("\r"), quotes, copies)
            if output and output[-1].strip(" \t\r>") and filled[0].strip(" \t>"):
                output.append(_container(line).rstrip())
        elif is_below and line.strip(" \t\r>"):
            output.append("")
        is_below = filled != [line]
        output += filled
    return "\n".join(output)


def _filled_line(line: str, quotes: Mapping[str, str], copies: Counter[str]) -> list[str]:
    """Return the lines in place of one with markers; text beside them becomes paragraphs."""
    from mkdocs_recall.rendering.markdown import prefixed

    prefix = _prefix(line)
    blocks: list[str] = []
    done = len(prefix)
    for match in MARKER.finditer(line):
        if match[1] not in quotes:
            continue
        blocks.append(line[done : match.start()].strip())
        copies[match[1]] += 1
        if copies[match[1]] <= MAX_COPIES:
            blocks.append(quotes[match[1]])
        done = match.end()
    blocks.append(line[done:].strip())
    text = "\n\n".join(block for block in blocks if block)
    return prefixed(text, prefix, _container(line)).split("\n")


def _prefix(line: str) -> str:
    match = _PREFIX.match(line)
    return match[0] if match else ""


def _container(line: str) -> str:
    """Return what continues the containers of a line on the next: a bullet's place is blank."""
    return _BULLET.sub(" ", _prefix(line))


FORMATS: Final[Mapping[str, Callable[[str, Callable[[str], str]], str] | None]] = {
    ".htm": _fill_html,
    ".html": _fill_html,
    ".json": _fill_json,
    ".md": None,
    ".txt": None,
    ".xml": _fill_xml,
}
"""By the end of a file's name, what fills it; None for Markdown."""
