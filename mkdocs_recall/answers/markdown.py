"""The Markdown of a quote, written from its HTML, and the file that it is written to.

Markup that common Markdown cannot express is dropped; text never is. Inline Markdown reads back as
the text and marks it was written from, both in CommonMark and in Python-Markdown with the
extensions that documentation uses.
"""

from __future__ import annotations

import os
import posixpath
import re
import unicodedata
from collections import Counter, deque
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from html import escape, unescape
from itertools import chain
from typing import Final, TypeAlias
from urllib.parse import quote, unquote, urljoin, urlsplit

from mkdocs_recall.answers.html import QuotingPage, render
from mkdocs_recall.answers.links import BASE_URL, TOKEN, is_section, link_from
from mkdocs_recall.messages import backticks_around
from mkdocs_recall.options import Options
from mkdocs_recall.ranking.result import Result, url_of
from mkdocs_recall.text.html import BETWEEN, MOST_CARRIED, MOST_REPEATED, spans_of
from mkdocs_recall.text.model import LETTERED, Document, Mark, Role, written_number
from mkdocs_recall.text.runs import (
    BLOCK_TAGS,
    HEADING_TAGS,
    ROLES,
    SIGNS,
    SKIPPED_TAGS,
    UNCHECKED,
    RunBuilder,
    class_of,
    first_number,
    formulas_as_code,
    number_of,
)
from mkdocs_recall.text.tags import is_font_icon
from mkdocs_recall.text.theme import FENCE_END, FENCE_OPENING

_ENCODED: Final = {
    **str.maketrans({"%": "%25", "#": "%23", "?": "%3F", "{": "%7B", "}": "%7D"}),
    **{code: f"%{code - 0xDC00:02X}" for code in range(0xDC80, 0xDD00)},
}
"""Characters of file names that a link needs encoded, and bytes that are not text."""


class TargetFile(QuotingPage, frozen=True, kw_only=True):
    """The file that a quote is written to; it has no URL."""

    language: str = ""
    folder: str
    root: str
    pages: Mapping[str, str] = {}
    """The absolute paths of the documentation's pages, by uri."""
    anchors: Callable[[str], Mapping[str, str]] = lambda _: {}
    """Returns a page's anchors where the file is read, by the site's."""

    def cite(self, document: Document, anchor: str) -> str:
        """Return a link to a section, or to a page without an anchor; empty for none."""
        if document.publisher:
            return url_of(document, anchor)
        return self.link_to(document.uri, anchor)

    def link_to(self, uri: str, anchor: str = "") -> str:
        """Return a link to a file of the documentation."""
        anchor = self.anchors(uri).get(anchor, anchor) if anchor else ""
        fragment = f"#{anchor}" if anchor else ""
        if uri == self.uri and fragment:
            return fragment
        path = self.pages.get(uri) or os.path.join(self.root, *uri.split("/"))
        with suppress(ValueError):  # on another drive of Windows
            path = os.path.relpath(path, self.folder)
        path = path.replace(os.sep, "/").translate(_ENCODED)
        return f"./{path}{fragment}" if ":" in path.split("/", 1)[0] else f"{path}{fragment}"

    def rebase(self, href: str, document: Document) -> str:
        """Return a link of a page as this file writes it; empty if it is dropped."""
        href = link_from(document, href, document.url)
        if not href:
            return ""
        parts = urlsplit(href)
        if parts.scheme or parts.netloc or href.startswith("/"):
            return href
        if not parts.path and not parts.query:
            return self.link_to(document.uri, parts.fragment)
        path = unquote(urlsplit(urljoin(BASE_URL + document.url, href)).path).removeprefix("/")
        return self.link_to(self._page_at(path), parts.fragment)

    def _page_at(self, url: str) -> str:
        base = posixpath.join(url, "index") if url.endswith("/") or not url else url
        base = base.removesuffix(".html")
        names = [url, f"{url.rstrip('/')}.md", f"{base}.md", f"{base}.mdx", f"{base}.html"]
        if posixpath.basename(base) == "index":
            names.append(posixpath.join(posixpath.dirname(base), "README.md"))
        return next((name for name in names if name in self.pages), url)


def render_markdown(result: Result, options: Options, file: TargetFile, level: int = 0) -> str:
    """Return a quote as Markdown for a file, below a heading of some level."""
    html = render(result, replace(options, explain=False), file)
    if is_section(html):
        from mkdocs_recall.answers.section import fitted

        html = fitted(html, "", level)
    return to_markdown(html)


def to_markdown(html: str) -> str:
    """Return the HTML of a quote, or of a box that replaces one, as Markdown."""
    html = formulas_as_code(html)
    return "\n\n".join(_MarkdownWriter().write(html))


_CHECKS: Final = {"\u2610": "[ ]", "\u2611": "[x]"}
_DOTS: Final = "\u2026"
_BLOCKS: Final = (
    BLOCK_TAGS | HEADING_TAGS.keys() | {"table", "caption", "tr", "td", "th", "label", "hr", "pre"}
)
_SKIPPED: Final = SKIPPED_TAGS - {"label"}
_VERBATIM: Final = frozenset({"pre", "svg"})
_SKIPPED_CLASSES: Final = frozenset({"footnote", "footnote-ref", "katex-html"})
_QUOTING: Final = frozenset({"blockquote", "details", "admonition"})
_LISTS: Final = frozenset({"ul", "ol", "table"})
_TITLES: Final = frozenset({"summary", "admonition-title"})
_DEEPEST: Final = 12
_DATA: Final = re.compile(r' src="data:[^"]*"')
_TABS: Final = "tabbed-set"
_TAB_SET: Final = frozenset({_TABS, "tabbed-labels"})
"""The boxes around the titles of tabs."""
_NOTE: Final = "recall-note"
_EXPLANATION: Final = "recall-explain"
_LANGUAGE: Final = "language-"


_Carried: TypeAlias = tuple[list[str], int]
"""The blocks of a cell, and how many rows more it covers."""


@dataclass(slots=True)
class _Element:
    tag: str
    names: frozenset[str] = frozenset()
    """Its tag and its classes."""
    number: int = 0
    """The number of an item, or of a list's next one; 0 for a bullet."""
    blocks: list[str] = field(default_factory=list)
    parts: list[tuple[int, list[str]]] = field(default_factory=list)
    """The blocks of each item, with its number, or of each cell, with the rows that it covers."""
    rows: list[list[list[str]]] = field(default_factory=list)
    spans: tuple[int, int] = (1, 1)
    """How many columns and rows a cell covers."""
    carried: dict[int, _Carried] = field(default_factory=dict)
    """The cells of a table that extend into its next row, by column."""
    label: str = ""
    """The terms of the next definition; for a row, the tag of its last cell."""
    titles: deque[str] = field(default_factory=deque)


class _MarkdownWriter(RunBuilder):
    def __init__(self) -> None:
        super().__init__()
        self._open = [_Element("")]
        self._skipped, self._depth = "", 0  # a skipped element, and its depth
        self._verbatim: list[str] = []

    def write(self, html: str) -> list[str]:
        for comment, end, tag, attributes, text in TOKEN.findall(html):
            if self._skipped:
                self._depth += (tag == self._skipped) - (end == self._skipped)
                if text or tag == "br":
                    self._verbatim.append(unescape(text) or "\n")
                elif tag == "code" and _LANGUAGE in attributes:
                    self._open[-1].names |= {*class_of(attributes).split()}
                elif not self._depth:
                    self._end_skipped()
            elif text:
                self._add(text)
            elif end:
                self._end(end)
            elif tag:
                self._start(tag, attributes)
            elif f"<!--{comment}-->".startswith((FENCE_OPENING, FENCE_END)):
                self._open[-1].blocks.append(f"<!--{comment}-->")
        self._flush()
        return self._open[0].blocks

    def _add(self, text: str) -> None:
        if "&" in text:
            text = escape(unescape(text), quote=False)
        if not self.parts and text[0] in _CHECKS and self._open[-1].tag == "li":
            self.add_text(_CHECKS[text[0]])
            self.marks.append(Mark(0, self.length, "check"))
            text = text[1:]
        if text:
            self.add_text(text)

    def _start(self, tag: str, attributes: str) -> None:
        classes = class_of(attributes) if 'class="' in attributes else ""
        names = frozenset((tag, *classes.split()))
        if tag in _BLOCKS and (tag != "label" or not _TAB_SET.isdisjoint(self._open[-1].names)):
            self._start_block(tag, attributes, names)
        if tag in _VERBATIM or tag in _SKIPPED or not names.isdisjoint(_SKIPPED_CLASSES):
            self._skipped, self._depth, self._verbatim = tag, 1, []
        elif tag in ROLES:
            if is_font_icon(classes):
                self.add_icon(tag, attributes)
            is_lost = 'href="#recall' in attributes  # an id of the quote, lost in Markdown
            self.open_role(tag, "" if is_lost else attributes)
        elif tag in SIGNS:
            self.add_text(SIGNS[tag][0])
        elif tag == "img":
            self.add_image(tag, _DATA.sub("", attributes))
        elif tag == "input":
            self.add_check_box(tag, attributes)
        elif tag == "br" and (self._is_in("td", "th") and not self._is_in(_EXPLANATION)):
            self.add_text(" ")
        elif tag == "br":
            self._flush()

    def _start_block(self, tag: str, attributes: str, names: frozenset[str]) -> None:
        if tag != "p" or not self._is_check():
            self._flush()
        if tag == "hr":
            return
        number = first_number(attributes) if tag == "ol" else self._open[-1].number
        if tag == "li":
            value = number % LETTERED
            number += number_of(attributes, "value", value) - value
        spans = spans_of(attributes) if tag in {"td", "th"} else (1, 1)
        self._open.append(_Element(tag, names, 0 if tag == "ul" else number, spans=spans))
        if "tabbed-block" in names or "tabbed-content" in names:
            self._open_tab()

    def _end(self, tag: str) -> None:
        if tag in _BLOCKS and (tag != "label" or self._open[-1].tag == tag):
            self._flush()
            self._close(self._open.pop())
        elif tag in ROLES:
            self.close_role(tag)
        elif tag in SIGNS:
            self.add_text(SIGNS[tag][1])

    def _end_skipped(self) -> None:
        tag = self._skipped
        text = "".join(self._verbatim)
        self._skipped = ""
        if tag == "svg" and not text.strip():
            self._add_unnamed("")
        elif tag == "svg":
            self.add_text(escape(text.strip(), quote=False))
        if tag in _BLOCKS:
            element = self._open.pop()
            if tag == "pre":
                boxes = (element, *self._open[-2:])
                classes = {name for box in boxes for name in box.names}
                languages = sorted(name for name in classes if name.startswith(_LANGUAGE))
                language = (languages or [""])[0].removeprefix(_LANGUAGE)
                language = "mermaid" if "mermaid" in classes else language
                language = "" if language == "text" else language  # of code without a language
                self._open[-1].blocks.append(code_block(text.rstrip("\n"), language))

    def _is_in(self, *names: str) -> bool:
        return any(not element.names.isdisjoint(names) for element in self._open)

    def _is_check(self) -> bool:
        """Tell whether there is only a check box, of the paragraph below."""
        return self.length == len(UNCHECKED) + 1 and self.marks[-1:] == [
            Mark(0, len(UNCHECKED), "check")
        ]

    def _flush(self) -> None:
        text, marks = self.take()
        if text:
            if self._open[-1].tag == "label" or not self._open[-1].names.isdisjoint(_TITLES):
                marks = tuple(mark for mark in marks if mark.role != "strong")  # all of it will be
            is_cell = self._open[-1].tag in {"td", "th"} and not self._is_in(_EXPLANATION)
            written = inline(text, marks)
            self._open[-1].blocks.append(written if is_cell else escape_line_start(written))

    def _close(self, element: _Element) -> None:  # noqa: C901, PLR0912 - a case for each
        tag, blocks, outer = element.tag, element.blocks, self._open[-1]
        text = " ".join(blocks)
        if tag in {"td", "th"}:
            width, height = element.spans
            outer.parts += [(height, blocks), *[(height, [])] * (min(width, MOST_CARRIED) - 1)]
            outer.label = tag
        elif tag == "li" and outer.tag in {"ul", "ol"}:
            outer.parts.append(_item(element))
            outer.number = element.number and element.number + 1
        elif tag == "tr":
            table = next((part for part in reversed(self._open) if part.tag == "table"), outer)
            if not table.rows and element.label != "th":
                table.rows.append([])  # it has no headers
            table.rows.append(_row(table, element.parts))
        elif tag in _LISTS and sum(part.tag in _LISTS for part in self._open) >= _DEEPEST:
            cells = chain.from_iterable(element.rows)
            outer.blocks += chain(*cells, *(blocks for _, blocks in element.parts))
        elif tag in {"ul", "ol"}:
            if element.parts:
                outer.blocks.append(listed(element.parts))
        elif tag == "table" and element.rows:
            headers, *rows = element.rows
            names = [] if self._is_in(_EXPLANATION) else [" ".join(cell) for cell in headers]
            outer.blocks += [*blocks, *_table(names, rows)]
        elif tag in HEADING_TAGS:
            if text:
                outer.blocks.append(f"{'#' * HEADING_TAGS[tag]} {text}")
        elif not element.names.isdisjoint(_TITLES):
            if text:
                outer.blocks.append(f"**{text}**")
        elif tag == "label":
            next(part for part in reversed(self._open) if _TABS in part.names).titles.append(text)
        elif tag == "dt":
            outer.label = ", ".join(filter(None, [outer.label, text]))
        elif tag == "dd":
            outer.blocks += _defined(outer.label, blocks)
            outer.label = ""
        elif _NOTE in element.names:
            outer.blocks.append(f"{blocks[0].removesuffix('**')}:** {' '.join(blocks[1:])}")
        elif self._is_quoting(element):
            outer.blocks.append(prefixed("\n\n".join(blocks), "> "))
        else:
            outer.blocks += blocks
            if tag == "dl" and element.label:
                outer.blocks.append(element.label)

    def _open_tab(self) -> None:
        tabs = next((element for element in reversed(self._open) if _TABS in element.names), None)
        is_alternate = "tabbed-block" in self._open[-1].names
        if tabs and tabs.titles and ("tabbed-alternate" in tabs.names) == is_alternate:
            self._open[-1].blocks.append(f"**{tabs.titles.popleft()}**")

    def _is_quoting(self, element: _Element) -> bool:
        is_quoting = not element.names.isdisjoint(_QUOTING) and bool(element.blocks)
        depth = sum(not outer.names.isdisjoint(_QUOTING) for outer in self._open)
        return is_quoting and _EXPLANATION not in element.names and depth < _DEEPEST


def _item(element: _Element) -> tuple[int, list[str]]:
    """Return the number of an item, 0 for one that Markdown lacks, and its blocks."""
    number, blocks = element.number, element.blocks
    if blocks and blocks[0].startswith("```"):
        blocks = [_DOTS, *blocks]  # right after the mark of an item, no fence is read
    if number < LETTERED:
        return number, blocks
    first = rf"{written_number(number)}\. {''.join(blocks[:1])}".rstrip()
    return 0, [first, *blocks[1:]]


def _row(table: _Element, parts: Iterable[tuple[int, list[str]]]) -> list[list[str]]:
    """Return a row, with the cells of rows above that extend into it, and note its own."""
    cells = deque(parts)
    carried, table.carried = table.carried, {}
    row: list[list[str]] = []
    repeated = 0
    while cells or len(row) in carried:
        if above := carried.get(len(row)):
            cell, rows = above
            repeated += sum(map(len, cell))
        else:
            rows, cell = cells.popleft()
        if rows > 1 and len(table.carried) < MOST_CARRIED:
            table.carried[len(row)] = cell, rows - 1
        row.append(cell if repeated <= MOST_REPEATED or not above else [])
    return row


def _defined(term: str, blocks: Sequence[str]) -> list[str]:
    """Return the definition of a term."""
    if not (term and blocks):
        return [*filter(None, [term]), *blocks]
    name = f"{term.rstrip(':')}:"
    first, *others = blocks
    return [name, *blocks] if _BLOCK_START.match(first) else [f"{name} {first}", *others]


def _table(headers: Sequence[str], rows: Sequence[Sequence[list[str]]]) -> list[str]:
    width = max(map(len, [headers, *rows]))
    names = [*headers, *[""] * (width - len(headers))]
    if any(len(cell) > 1 or "\n" in "".join(cell) for row in rows for cell in row):
        return [listed((0, _named(names, row)) for row in rows)]
    cells = [[" ".join(cell) for cell in row] for row in rows]
    if written := table(names, cells):
        return [written]
    return [escape_line_start(BETWEEN.join(_named(names, row))) for row in rows]


def _named(names: Sequence[str], row: Sequence[list[str]]) -> list[str]:
    blocks: list[str] = []
    for name, cell in zip(names, row, strict=False):
        if name and cell and "\n" in cell[0]:
            blocks.append(f"{name}:")
        elif name and cell:
            cell = [f"{name}: {cell[0]}", *cell[1:]]  # noqa: PLW2901 - with its header
        blocks += cell
    return blocks


_SIGNS: Final = {"em": "*", "strong": "**"}
_CODE: Final = frozenset({"code", "kbd"})
_ORDER: Final[dict[Role, int]] = {
    "link": 0,
    "strong": 1,
    "em": 2,
    "image": 3,
    "check": 3,
    "kbd": 4,
    "code": 4,
}
"""The nesting of marks with the same span."""
_WITH_SIGNS: Final[frozenset[Role]] = frozenset({"code", "kbd", "image", "link"})
_SPECIAL: Final = re.compile(r"[\\`*_{}\[\]<&~^$]")
_ENTITY: Final = re.compile(r"&(?:#|\w+;)")
_LINE_START: Final = re.compile(
    r"(\d*)(?:(?<=\d)[.)](?=\s|\Z)|(?<!\d)(?:[#>]|!!!|[-+](?=\s|\Z)|--|\+\+))"
)
_UNESCAPABLE_START: Final = re.compile(r"\?\?\?|///|===|:::|:(?=\s|\Z)")
"""Signs that a backslash does not escape."""
_BLOCK_START: Final = re.compile(r"[->|] |\d+\. |`{3}|#")
"""The start of a block that is no text, whose signs are escaped."""
_LINE_END: Final = re.compile(r"\r\n?|\n")
_IN_URL: Final = re.compile(r"[\\`<>()\[\]{}\s\"|$^*]")


def escape_markdown(text: str) -> str:
    """Return text as inline Markdown."""
    return _escape(text, 0, len(text))


def escape_line_start(line: str) -> str:
    """Return inline Markdown, escaped to start a line."""
    if _UNESCAPABLE_START.match(line):
        return f"&#{ord(line[0])};{line[1:]}"
    match = _LINE_START.match(line)
    return f"{match[1]}\\{line[match.end(1) :]}" if match else line


def link(label: str, href: str) -> str:
    """Return a link; the label is Markdown."""
    href = _IN_URL.sub(lambda sign: quote(sign[0], safe=""), href)
    href = _ENTITY.sub(lambda entity: f"&amp;{entity[0][1:]}", href)
    return f"[{label}]({href})"


def code(text: str) -> str:
    """Return inline code."""
    ticks = backticks_around(text, 1)
    pad = " " if text[0] == "`" or text[-1] == "`" else ""
    return f"{ticks}{pad}{text}{pad}{ticks}"


def code_block(text: str, language: str = "") -> str:
    """Return a code block."""
    text = "\n".join(_LINE_END.split(text))
    ticks = backticks_around(text)
    return f"{ticks}{language}\n{text}\n{ticks}"


def table(headers: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table; empty if a cell is one that Markdown flavours read differently."""
    lines = [headers, ["---"] * len(headers), *rows]
    cells = [cell for line in lines for cell in line]
    if any(("|" in cell and ("`" in cell or "\\|" in cell)) or "\n" in cell for cell in cells):
        return ""
    return "\n".join(
        "| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines
    )


def inline(text: str, marks: Sequence[Mark]) -> str:  # noqa: C901 - one pass over the marks
    """Return a text with its marks; links are written unchanged."""
    marks = _trimmed(text, marks)
    edged = [mark for mark in marks if mark.role in _WITH_SIGNS]
    edges = {edge for mark in edged for edge in (mark.start, mark.end)}  # each with a sign
    output: list[str] = []
    opened: list[tuple[Mark, int]] = []  # with the index of its output
    done = 0  # how far the text is written
    closed = -1  # where the last signs ended

    def write_text(position: int) -> None:
        nonlocal done
        if position > done:
            output.append(_escape(text, done, position))
            done = position

    def close(position: int) -> None:
        nonlocal closed
        while opened and opened[-1][0].end <= position:
            mark, first = opened.pop()
            write_text(mark.end)
            content = "".join(output[first:])
            if mark.role == "link":
                output[first:] = [link(content, mark.href)]
            else:
                sign = _SIGNS[mark.role]
                output[first:] = [f"{sign}{content}{sign}"]
                closed = mark.end

    for mark in marks:
        if mark.start < done:
            continue  # inside code, or inside a dropped mark
        close(mark.start)
        role, start = mark.role, mark.start
        end = min(mark.end, opened[-1][0].end) if opened else mark.end  # cut to its parent
        clipped, is_link = mark._replace(end=end), role == "link"
        if role not in _SIGNS and not is_link:
            is_glued = role in _CODE and start == closed
            if written := "" if is_glued else _written(text, clipped):
                write_text(start)
                output.append(written)
                done = closed = end
            continue
        # no link in a link, no emphasis in emphasis
        is_nested = any((outer.role == "link") == is_link for outer, _ in opened)
        if is_nested or not (
            mark.href if is_link else start != closed and _can_emphasise(text, clipped, edges)
        ):
            continue
        write_text(start)
        if is_link and output and output[-1].endswith("!"):
            output[-1] = f"{output[-1][:-1]}\\!"  # else it would be an image
        opened.append((clipped, len(output)))
    close(len(text))
    write_text(len(text))
    return "".join(output)


def _written(text: str, mark: Mark) -> str:
    if mark.role in _CODE:
        return code(text[mark.start : mark.end])
    if mark.role == "check":
        return text[mark.start : mark.end]
    href, _, label = mark.href.partition(" ")
    if not href:
        return ""
    is_glued = mark.start == mark.end and text[mark.end : mark.end + 1].isalnum()
    space = " " if is_glued else ""
    return f"!{link(escape_markdown(label), href)}{space}"


def _trimmed(text: str, marks: Sequence[Mark]) -> list[Mark]:
    trimmed: list[Mark] = []
    for mark in marks:
        first, last = mark.start, mark.end
        while first < last and text[first].isspace():
            first += 1
        while first < last and text[last - 1].isspace():
            last -= 1
        if (first < last or mark.start == mark.end) and mark.role in _ORDER:
            trimmed.append(mark._replace(start=first, end=last))
    trimmed.sort(key=lambda mark: (mark.start, -mark.end, _ORDER[mark.role]))
    return trimmed


def _can_emphasise(text: str, mark: Mark, edges: Collection[int]) -> bool:
    """Return whether Markdown reads signs at a mark's ends."""
    before = text[mark.start - 1] if mark.start else " "
    after = text[mark.end] if mark.end < len(text) else " "
    starts = before.isalnum() and text[mark.start].isalnum() and mark.start not in edges
    ends = after.isalnum() and text[mark.end - 1].isalnum() and mark.end not in edges
    return (starts or _is_gap(before)) and (ends or _is_gap(after))


def _is_gap(character: str) -> bool:
    return character.isspace() or unicodedata.category(character)[0] in "PS"


def _escape(text: str, start: int, end: int) -> str:
    parts: list[str] = []
    done = start
    for match in _SPECIAL.finditer(text, start, end):
        place, sign = match.start(), match[0]
        before = text[place - 1] if place else " "
        after = text[place + 1] if place + 1 < len(text) else " "
        parts.append(text[done:place])
        done = place + 1
        if sign == "&":
            parts.append("&amp;" if _ENTITY.match(text, place) else sign)
        elif sign == "<":
            parts.append(sign if after.isspace() else "&lt;")
        elif sign in "~^$":  # one with white space before it never closes a pair
            parts.append(sign if before.isspace() else f"&#{ord(sign)};")
        elif sign == "]" and after == ":":
            parts.append("&#93;")  # at the start of a line `[a]:` defines a link
        elif sign == "_" and before.isalnum() and after.isalnum():
            parts.append(sign)
        else:
            parts.append(f"\\{sign}")
    return "".join([*parts, text[done:end]])


_INDENT: Final = "    "
"""The indent of a list item's content if its mark is as wide."""


def prefixed(text: str, first: str, others: str | None = None) -> str:
    """Return lines with a prefix: `first`, then `others` if stated."""
    others = first if others is None else others
    head, *tail = text.split("\n")
    lines = [first + head, *(others + line if line else others.rstrip() for line in tail)]
    return "\n".join(lines)


def listed(items: Iterable[tuple[int, Sequence[str]]]) -> str:
    """Return a list of items, each with its number (0 for a bullet) and its blocks."""
    written = []
    for number, blocks in items:
        mark = f"{number}. " if number else "- "
        mark = mark.ljust(len(_INDENT)) if len(blocks) > 1 else mark
        written.append(prefixed("\n\n".join(blocks), mark, _INDENT))
    # below an item of several blocks, Python-Markdown needs an empty line before the next
    return ("\n\n" if any("\n\n" in item for item in written) else "\n").join(written)


_WORD: Final = frozenset({"Nd", "Pc"})
_NUMBERED: Final = re.compile(r"[_-]\d+$")


def github_anchors(document: Document, *, keep_names: bool = False) -> Mapping[str, str]:
    """Return GitHub's anchors of a page's headings, by the site's anchors.

    GitHub reads `{#name}` as text; with `keep_names`, it is the anchor, as in other generators.
    """
    anchors: dict[str, str] = {}
    counts = Counter[str]()
    for heading in document.headings:
        text, anchor = heading.text, heading.anchor
        is_named = anchor and not _is_derived(anchor, text)
        if is_named and keep_names:
            slug = anchor
        else:
            slug = github_slug(f"{text} {anchor}" if is_named else text)
        first = slug
        while slug in counts:
            slug = f"{first}-{counts[first]}"
            counts[first] += 1
        counts[slug] += 1
        is_bare = keep_names and not is_named and not anchors and heading.level == 1
        anchors.setdefault(heading.anchor, "" if is_bare else slug)
    return anchors


def github_slug(text: str) -> str:
    """Return the anchor that GitHub makes of a text.

    Example:
        >>> github_slug("Create & delete a C++ vault_1")
        'create--delete-a-c-vault_1'
    """
    categories = ((c, unicodedata.category(c)) for c in text.strip().lower())
    kept = (c for c, kind in categories if c in " -" or kind[0] in "LM" or kind in _WORD)
    return "".join(kept).replace(" ", "-")


def _is_derived(anchor: str, text: str) -> bool:
    letters = _letters(text)
    plain = _letters(unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode())
    name = unquote(anchor)
    return not plain or not {letters, plain}.isdisjoint(
        {_letters(name), _letters(_NUMBERED.sub("", name))}
    )


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text.lower()))
