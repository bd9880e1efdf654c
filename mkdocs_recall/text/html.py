"""The HTML reader, the only extractor: rendered HTML to runs of text and headings with anchors.

lexbor (through selectolax) repairs and serialises all HTML. So one linear pass over the tags
suffices: no recursion, whatever the nesting. `document` makes a Document of the result.

The way of a page: code blocks, half of the HTML of a typical page, are cut out before it is parsed;
a `<wbr>` with a number marks the position of each. The scanner goes over the tags, skips some
elements, and tells the builder which blocks open and close. The builder makes runs of text, each
with its section, top-level block, kind and lead: the run that introduces it, which is a label, or
the text right before a list, terms, a table or a code block. The lead of a label is the text before
it or the label around it, so that from each run leads go up to all labels around it.

A label (the title of a tab or admonition, the caption of a figure) is in front of the blocks that
it is about, wherever the HTML has it. The rows of a table become texts that make sense on their
own: "Option: site_url — Default: none". Cells that span rows or columns are repeated, within bounds
that keep the time linear; blocks and nested tables in a cell are joined into one text.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from html import unescape
from operator import attrgetter
from typing import NamedTuple

from msgspec import Struct, structs

from mkdocs_recall.options import LIMITS, Limits
from mkdocs_recall.text.language import shared_words
from mkdocs_recall.text.model import ICON, LETTERED, TEXT, Block, Heading, Item, Kind, Mark, Role
from mkdocs_recall.text.runs import (
    BLOCK_TAGS,
    CHECKED,
    HEADING_TAGS,
    PARTS,
    RAW_TAGS,
    ROLES,
    SIGNS,
    SKIPPED_TAGS,
    UNCHECKED,
    HtmlContent,
    MarkedText,
    Part,
    RunBuilder,
    class_of,
    code_text,
    first_number,
    heading_text,
    id_of,
    is_diagram,
    is_skipped,
    is_unseen,
    is_wrapper,
    labelled_lines,
    language_of,
    number_of,
    part_of,
    shown_in_code,
    without_spans,
)
from mkdocs_recall.text.tags import VOID_TAGS

_SPAN = re.compile(r'\b(row|col)span="\s*(\d+)')
BETWEEN = " \u2014 "
"""The separator between two cells of a row."""
_WIDEST = 1000
_HEADER_ROWS = 4
_ALL_ROWS = 1 << 20
"""More rows than a table has."""
MOST_CARRIED = 16
"""How many cells can extend into the rows below at one time."""
MOST_REPEATED = 400
"""How many characters a row takes from headers and from cells of rows above."""


def spans_of(attributes: str) -> tuple[int, int]:
    """Return how many columns and rows a cell covers; a large number is for all rows below."""
    if "span=" not in attributes:
        return 1, 1
    spans = {name: int(number[:6]) for name, number in _SPAN.findall(attributes)}
    return min(max(spans.get("col", 1), 1), _WIDEST), spans.get("row", 1) or _ALL_ROWS


class _Cell(Struct, frozen=True):
    text: str
    marks: tuple[Mark, ...]
    is_header: bool
    column: int
    width: int = 1
    repeated: bool = False


_SEPARATOR = "; "
"""The separator between two blocks of a cell, unless the first ends with punctuation."""
_PUNCTUATION = frozenset(".,:;!?\u2026\u3002\uff0c\u3001\uff1a\uff1b\uff01\uff1f")
_CELL_TAGS = frozenset({"td", "th", "caption"})
_FLAT_TAGS = (
    BLOCK_TAGS | HEADING_TAGS.keys() | _CELL_TAGS | {"table", "tr", "thead", "tbody", "tfoot"}
)
"""Tags inside a cell that only separate its text."""


_ADDED = {"img": RunBuilder.add_image, "input": RunBuilder.add_check_box}


class TableReader(RunBuilder):
    """The reader of a table, whose runs are the cells.

    Attributes:
        caption: The caption of the table.
        rows: The rows of its body, each with the code blocks in its cells and the line it notes.
        tail: The text after the table.
    """

    def __init__(self, codes: list[str]) -> None:
        """Start after the start tag of a table on a page without these code blocks."""
        super().__init__()
        self.caption: MarkedText = "", ()
        self.rows: list[tuple[MarkedText, list[str], int | None]] = []
        self.tail = ""
        self._cut = codes
        self._in_head = self._in_body = False
        self._headers: dict[int, str] = {}  # by column
        self._header_rows = 0
        self._attributes = ""  # of the current cell
        self._column = 0  # of the next cell
        self._row: list[_Cell] = []
        self._codes: list[str] = []  # in the current row
        self._line: int | None = None  # of the current row
        self._carried: dict[int, tuple[_Cell, int]] = {}
        """The cells that extend into the rows below, by column, and how many rows each covers from
        the current one on."""

    def read(self, tokens: Iterator[tuple[str, ...]]) -> TableReader:  # noqa: C901, PLR0912 - one hot loop
        """Read the tokens up to the end of the table."""
        depth = 1  # the number of open tables: this one and nested ones
        skipped, skip_depth = "", 0  # the tag of a skipped element, and its depth
        code: list[str] = []  # the HTML in a `pre` that was not deferred
        is_drawn = False  # whether that `pre` is the source of a diagram
        for end, tag, attributes, inner, closed, tail in tokens:
            if skipped:
                skip_depth += (tag == skipped and not closed) - (end == skipped)
                if skip_depth:
                    code += (shown_in_code(tag, attributes, inner), tail)
                    continue
                if skipped == "pre" and not is_drawn:
                    self._add_code("".join(code))
                skipped = ""
            elif end:
                depth -= end == "table"
                if not depth:
                    self.tail = tail
                    break
                self._close(end, depth)
            elif (
                tag in SKIPPED_TAGS
                or ('class="' in attributes and is_skipped(tag, class_of(attributes)))
                or is_unseen(attributes)
            ):
                if closed and inner and "arithmatex" in attributes:
                    self.add_inner(inner, tag, attributes)
                else:
                    self.skip()
                if not closed and tag not in VOID_TAGS:
                    skipped, skip_depth = tag, 1
                    continue
            elif closed and tag in ROLES:
                self.add_mark(tag, attributes, inner)
            elif tag == "pre":
                is_drawn = is_diagram(attributes)
                if not closed:
                    skipped, skip_depth, code = tag, 1, [tail]
                    continue
                self._add_code("" if is_drawn else inner)
            else:
                depth += tag == "table" and not closed
                self._open(tag, attributes, depth)
                if inner:
                    self.add_inner(inner, tag, attributes)
                elif closed and tag == "span":
                    self.add_icon(tag, attributes)
                if closed:
                    self._close(tag, depth)
            if tail and (self.parts or tail != "\n"):
                self.add_text(tail)
        return self

    def _open(self, tag: str, attributes: str, depth: int) -> None:
        if tag in ROLES:
            self.open_role(tag, attributes)
        elif tag == "br":
            self.add_text(" ")
        elif tag in _ADDED:
            _ADDED[tag](self, tag, attributes)
        elif tag in SIGNS:
            self.add_text(SIGNS[tag][0])
        elif tag == "wbr" and (line := number_of(attributes, "data-line", 0)):
            self._line = self._line or line
        elif tag == "wbr" and (cut := _code_at(self._cut, attributes)) is not None:
            code_attributes, _, code = cut.partition(">")
            self._add_code("" if is_diagram(code_attributes) else code)
        elif depth == 1 and tag in _CELL_TAGS:
            self.take()
            self._attributes = attributes
        elif depth == 1 and tag == "thead":
            self._in_head = True
        elif tag in _FLAT_TAGS:
            self._flatten()

    def _close(self, tag: str, depth: int) -> None:
        if tag in ROLES:
            self.close_role(tag)
        elif tag in SIGNS:
            self.add_text(SIGNS[tag][1])
        elif depth == 1 and tag in _CELL_TAGS:
            self._close_cell(tag)
        elif depth == 1 and tag == "tr":
            self._close_row()
        elif depth == 1 and tag == "thead":
            self._in_head = False
        elif tag in _FLAT_TAGS:
            self._flatten()

    def _close_cell(self, tag: str) -> None:
        if self.parts and self.parts[-1] == _SEPARATOR:
            self.parts.pop()
            self.length -= len(_SEPARATOR)
        text = self.take()
        if tag == "caption":
            self.caption = text
            return
        while self._column in self._carried:
            carried, _ = self._carried[self._column]
            self._row.append(carried)
            self._column += carried.width
        width, rows = spans_of(self._attributes)
        cell = _Cell(*text, tag == "th", self._column, width)
        self._row.append(cell)
        if rows != 1 and len(self._carried) < MOST_CARRIED:
            self._carried[self._column] = structs.replace(cell, repeated=True), rows
        self._column += width

    def _close_row(self) -> None:
        """End a row: one of headers, or one with the cells of rows above that extend into it."""
        row, self._row, self._column = self._row, [], 0
        cells = [cell for cell in row if not cell.repeated]
        if self._carried:
            columns = {cell.column for cell in row}
            row += [cell for column, (cell, _) in self._carried.items() if column not in columns]
            row.sort(key=attrgetter("column"))
            carried = self._carried.items()
            self._carried = {column: (cell, n - 1) for column, (cell, n) in carried if n > 1}
        is_header = self._in_head or (bool(cells) and all(cell.is_header for cell in cells))
        if is_header and not self._in_body and self._header_rows < _HEADER_ROWS:
            self._header_rows += 1
            for cell in row:
                self._add_header(cell)
        else:
            self._in_body = True
            text = self._text_of(row) if any(cell.text for cell in cells) else ("", ())
            self.rows.append((text, self._codes, self._line))
        self._codes, self._line = [], None

    def _add_header(self, cell: _Cell) -> None:
        """Add a cell to the headers of its columns, once if it spans several header rows."""
        text = cell.text.rstrip(" :")
        if text and not cell.repeated:
            for column in range(cell.column, min(cell.column + cell.width, _WIDEST)):
                above = self._headers.get(column)
                self._headers[column] = f"{above} {text}" if above else text

    def _text_of(self, row: list[_Cell]) -> MarkedText:
        parts: list[str] = []
        marks: list[Mark] = []
        length, repeated, separator = 0, 0, ""
        for cell in row:
            text = cell.text
            if not text:
                continue
            if cell.repeated:
                if repeated + len(text) > MOST_REPEATED:
                    continue
                repeated += len(text)
            columns = range(cell.column, cell.column + min(cell.width, MOST_CARRIED))
            of_cell = map(self._headers.get, columns if len(row) > 1 else columns[:1])
            header = ", ".join(dict.fromkeys(filter(None, of_cell)))
            if header and repeated + len(header) <= MOST_REPEATED:
                repeated += len(header)
                start = length + len(separator)
                marks.append(Mark(start, start + len(header), "header"))
                separator += f"{header}: "
            parts += (separator, text)
            length += len(separator)
            if self._headers:
                marks.append(Mark(length, length + len(text), "cell"))
            for start, end, role, href in cell.marks:
                marks.append(Mark(start + length, end + length, role, href))
            length += len(text)
            separator = BETWEEN
            if cell.is_header and not self._headers:
                separator = " " if text.endswith(_COLONS) else ": "
        return "".join(parts), tuple(marks)

    def _add_code(self, code: str) -> None:
        if text := code_text(code):
            self._codes.append(text)
        self._flatten()

    def _flatten(self) -> None:
        parts = self.parts
        if not parts or parts[-1] == _SEPARATOR:
            return
        if parts[-1][-1] == " ":
            last = parts.pop()[:-1]
            self.length -= 1
            if last:
                parts.append(last)
            for number in range(len(self.marks) - 1, -1, -1):
                if self.marks[number].end <= self.length:
                    break
                self.marks[number] = self.marks[number]._replace(end=self.length)
        if parts:
            parts.append(" " if parts[-1][-1] in _PUNCTUATION else _SEPARATOR)
            self.length += len(parts[-1])


_COMMENT = re.compile(r"<!--[^<>]*-->")
_CODE_NUMBER = re.compile(r' data-code="(\d{1,9})"\Z')


def _cut_code(html: str) -> tuple[str, list[str]]:
    """Cut code blocks out of HTML, each as its attributes, a `>`, and its inner HTML."""
    codes: list[str] = []
    if "<!--" in html:
        html = _COMMENT.sub("", html)
    if "<pre" not in html or "<!--" in html:
        return html, codes
    head, *pieces = html.split("<pre")
    parts = [head]
    for piece in pieces:
        code, closing, text = piece.partition("</pre>")
        if closing and code[:1] in {" ", ">"}:
            parts += (f'<wbr data-code="{len(codes)}">', text)
            codes.append(code)
        else:
            parts.append(f"<pre{piece}")
    return "".join(parts), codes


def _code_at(codes: list[str], attributes: str) -> str | None:
    """Take the code block that a tag with these attributes replaces; None for no code block."""
    match = _CODE_NUMBER.match(attributes)
    if match is None or (number := int(match[1])) >= len(codes):
        return None
    code = codes[number]
    codes[number] = ""  # an author's own tag must not repeat it
    return code


_FIGURES = 4
"""Captions in figures nested deeper than this stay in place, since moving one takes time for all of
its figure."""
_DEFAULT_TITLES = frozenset(map(str.casefold, shared_words("titles")))
"""The default titles of admonitions, folded."""


class TabSet(Struct, frozen=True):
    """A set of tabs while it is read."""

    previous: int | None
    """The run right before the set."""
    alternate: bool
    """Whether all titles come first; else each is in front of its tab."""
    titles: deque[MarkedText]
    """The titles of the tabs that follow."""


class Figure:
    """A figure while it is read: its start, its lead-in, and the run of its caption."""

    def __init__(self, start: int, lead: int | None) -> None:
        self._start, self._lead = start, lead
        self._caption: tuple[int, ...] = ()

    def note_caption(self, number: int) -> None:
        """Open or close a caption before the run with this number; only the first one counts."""
        self._caption = (*self._caption, number)[:2]

    def lead_with_caption(self, runs: list[Block], *, depth: int) -> None:
        """Make the caption the label of the other runs of the figure, and put it in front of them.

        A picture's caption stays text after the picture, which is its lead. A caption of several
        paragraphs is ordinary text.
        """
        start, (number, end) = self._start, (*self._caption, 0, 0)[:2]
        if end - number != 1 or depth >= _FIGURES or len(runs) < start + 2:
            return
        title = runs.pop(number)
        contents = runs[start:]
        first = contents[0]
        if all(run.kind == "figure" for run in contents):
            runs[start] = replace(first, lead=self._lead)
            runs.append(replace(title, lead=len(runs) - 1))
            return

        def lead(run: Block) -> int:
            if run.lead is None or run.lead < start or run.lead == number:
                return start
            return run.lead + (run.lead < number)

        outer = first.lead if first.lead is None or first.lead < start else None
        runs[start:] = [
            replace(first, text=title.text, marks=title.marks, kind="label", lead=outer),
            *(replace(run, lead=lead(run)) for run in contents),
        ]


def is_default_title(title: str, classes: str) -> bool:
    """Tell whether an admonition's title is only the name of its kind, in any language."""
    name = title.strip(" :!.：！").casefold()
    return (
        not name or name.replace(" ", "_") in _DEFAULT_TITLES or name in classes.casefold().split()
    )


_AROUND = (
    *("kind", "lead", "inner", "label", "term", "tabs", "has_text", "items", "annotated"),
    *("language", "path", "section"),
)
"""The builder's attributes that are restored when a block ends."""
_around = attrgetter(*_AROUND)


class _Outer(NamedTuple):
    is_top: bool
    part: Part
    around: tuple[object, ...]


_UNRENDERED = re.compile(r"```|\{\{|\{%")
_ALERT = re.compile(r"\[!(?:NOTE|TIP|IMPORTANT|WARNING|CAUTION)\] ?")
"""The first line of an alert, which GitHub turns into a title and Python-Markdown keeps as text."""
_MARKER = r" ?\(\d{1,3}\)!?(?= |[.,;:!?]|\Z)"
_CODE_MARKER = r" \(1\)!?(?: \*/| --&gt;)?(?:</span>)*(?:\n|\Z)"
_COMMENT_SIGN = re.compile(r"#|//|--|/\*|;")
_UNWRITTEN = frozenset({"audio", "canvas", "object", "video"})
_NO_TEXTS = frozenset({ICON, CHECKED, UNCHECKED})
_PICTURES: frozenset[Role] = frozenset({"image", "icon"})
_BETWEEN_PICTURES = f"{ICON} \u00a0|\u00b7\u2022"
_NESTED_LISTS = 6
"""How many nested lists an item remembers."""
MUTE = frozenset({None, "label"})
"""Kinds of text in which headings and tables do not count."""
_LISTED = frozenset({"list", "item", "definition_list", "term", "definition"})
"""Roles of elements that stay what they are with the class `note`."""
_NEVER_TOP = frozenset({"title", "term", "code_box"})
"""Roles of elements that are not top-level blocks."""
_COUNTED = frozenset({"list", "quote", "footnotes", "figure", "caption"})
"""Roles of elements whose ends change more than the state restored for every block."""
_COLONS = (":", "\uff1a")
"""The endings of a text that introduces the next block."""
_JOINED_SIZE = 200
"""The most characters of a label to which the next label of the same text is joined."""


class BlockScanner(RunBuilder):
    """The reader of a page, in one pass over its tags.

    It has the runs so far, the current run and its position in the page's tree.

    Three attributes hold the number of a run that introduces later ones: `lead` introduces the
    texts that follow, `previous` is right before the next block, and `inner` introduces lists,
    tables and code that have no text right before them.

    Code that is indented less than Python-Markdown demands ends up after the list of its step. So
    the last item of a list that has just ended is `previous`, too, if it ends with a colon.
    """

    # A quote must include what a sentence needs to be understood: the text that introduces a list,
    # the tab or admonition around it, the term above a definition. HTML does not state this, so
    # each run records the run that introduces it, and an open element saves the state around it,
    # which is restored when it ends.

    def __init__(self, codes: list[str]) -> None:
        """Start at the top of a page without these code blocks."""
        super().__init__()
        self.cut = codes
        self.runs: list[Block] = []
        self.headings: list[Heading] = []
        self.path: tuple[Heading, ...] = ()
        self.heading_level, self.heading_anchor = 0, ""
        self.open_blocks: list[_Outer | bool] = []  # a bool for one without a role
        self.top = -1
        self.in_top = False
        self.top_holds_text = False  # a top-level block without text is not counted
        self.kind: Kind | None = "prose"  # None where text does not count
        self.lead: int | None = None
        self.previous: int | None = None
        self.above_paragraph: int | None = None  # `previous` of a paragraph that has just started
        self.inner: int | None = None
        self.has_text = True  # False in a list item before its first text
        self.label: int | None = None  # the innermost label around the texts that follow
        self.term: int | None = None  # the label of the definitions that follow
        self.tabs: TabSet | None = None  # around the current position, not in one of its tabs
        self.figures: list[Figure] = []  # those that are open
        self.code_classes = ""  # of the box around code that was opened last
        self.is_titled = False  # whether the current text is the title of a code block
        self.admonition_classes = ""  # of the admonition that was opened last
        self.quotes = 0  # how many block quotes are open
        self.footnotes = 0  # how many boxes of footnotes are open
        self.items: tuple[Item, ...] = ()  # the items around the next texts
        self.lists: list[Item] = []  # the lists that are open, each as its next item
        self.list_count = 0
        self.language = ""  # of the text, and its direction, where the HTML states them
        self.annotated = False  # whether `(1)` stands for an annotation
        self.has_notes = False  # whether it was so right above: then a list has annotations
        self.section: tuple[int, tuple[Heading, ...]] = (0, ())  # its number and headings
        self.line: int | None = None  # of the text that follows
        self.first_row: int | None = None  # the line of the first row of the table that follows

    def open_block(self, tag: str, attributes: str) -> None:
        """Open a block, which ends the text before it."""
        if self.parts:
            self.flush()
        if tag == "p":
            self.above_paragraph, self.previous = self.previous, None
        part = PARTS.get(tag, "")
        if 'class="' in attributes:
            by_class = part_of(class_of(attributes))
            if by_class != "admonition" or part not in _LISTED:
                part = by_class or part
        is_top = not (self.in_top or part in _NEVER_TOP or is_wrapper(tag, attributes))
        if is_top:
            self.in_top, self.top_holds_text = True, False
        annotated = "annotate" in attributes and "annotate" in class_of(attributes).split()
        language = self.language
        if "lang=" in attributes or "dir=" in attributes:
            language = language_of(attributes, language)
        if not part and not annotated and language == self.language:
            self.open_blocks.append(is_top)
            return
        self.open_blocks.append(_Outer(is_top, part, _around(self)))
        self.language = language
        self.annotated |= annotated
        if part:
            self._enter(part, tag, attributes)

    def _enter(self, part: Part, tag: str, attributes: str) -> None:  # noqa: C901, PLR0912 - a case for each
        kind, previous, self.previous = self.kind, self.previous, None
        if part == "item":
            self.has_text = False
            if kind == "prose":
                self.kind = "list"
            if self.lists and not self.footnotes:
                self._enter_item(attributes)
        elif part == "list":
            start = first_number(attributes) if tag == "ol" and not self.has_notes else 0
            self.lists.append(Item(self.list_count, 0, start))
            self.list_count += 1
            self.lead = self.inner = self.inner if previous is None else previous
            self.has_text = True
        elif part == "definition":
            self.lead = self.inner = self.term
            if self.term is not None:
                self.label = self.term
            self.has_text = True
            if kind in {"prose", "list"}:
                self.kind = "definition"
        elif part in {"term", "title"}:
            self.kind, self.lead = kind and "label", self.lead if part == "term" else None
        elif part == "definition_list":
            self.lead = self.inner = self.inner if previous is None else previous
            self.term = None
        elif part == "admonition":
            self.kind = kind and "admonition"
            self.lead = self.inner = None
            self.has_text = True
            self.admonition_classes = class_of(attributes)
        elif part == "quote":
            self.quotes += 1
        elif part == "footnotes":
            self.lead = self.inner = self.label = self.term = None
            self.footnotes += 1
            self.section = 0, ()
        elif part == "tab_set":
            self.tabs = TabSet(
                previous, "tabbed-alternate" in class_of(attributes).split(), deque()
            )
        elif part in {"tab_contents", "tab"}:
            self._enter_tab(part)
        elif part == "figure":
            self.previous = previous
            self.figures.append(Figure(len(self.runs), self.lead_of_block()))
        elif part == "caption":
            if self.figures:
                self.figures[-1].note_caption(len(self.runs))
        else:  # a box around code
            if kind is not None:
                self.code_classes = class_of(attributes)
            self.kind, self.previous = None, previous

    def _enter_item(self, attributes: str) -> None:
        item = self.lists[-1]
        if item.number and "value=" in attributes:
            value = number_of(attributes, "value", item.number % LETTERED)
            item = item._replace(number=item.number - item.number % LETTERED + value)
        step = 1 if item.number else 0
        self.lists[-1] = Item(item.list, item.position + 1, item.number + step)
        if len(self.items) < _NESTED_LISTS:
            self.items = (*self.items, item)

    def close_block(self, tag: str) -> None:
        """Close a block, and restore the state around it."""
        if self.parts:
            self.flush()
        self.above_paragraph = None
        if not self.open_blocks:
            return
        state = self.open_blocks.pop()
        if isinstance(state, tuple):
            label = self.previous if self.kind == "label" else None
            title = self.label
            is_annotated = self.annotated
            is_top, part, outer = state
            vars(self).update(zip(_AROUND, outer, strict=True))
            self.has_notes |= is_annotated and not self.annotated
            if part != "code_box" or (
                self.previous is not None and self.runs[self.previous].kind == "label"
            ):
                self.previous = None
            self.term = self._join_labels(self.term, label) if part == "term" else self.term
            if part == "title" and label is not None:
                self._use_title(label)
            elif part == "admonition":
                if self.label != title == len(self.runs) - 1 and tag != "details":
                    self._use_as_text()
            elif part in _COUNTED:
                self._leave(part)
        else:
            is_top = state
        if is_top:
            self.in_top = False

    def _leave(self, part: Part) -> None:
        if part == "list":
            number, start = self.lists.pop().list, len(self.runs)
            while start and self._is_entry(self.runs[start - 1], number):
                start -= 1
            if not start or all(item.list != number for item in self.runs[start - 1].items):
                del self.runs[start:]  # a table of contents
            if self.runs and self.runs[-1].kind in TEXT and self.runs[-1].text.endswith(_COLONS):
                self.previous = len(self.runs) - 1
        elif part == "quote":
            self.quotes -= 1
        elif part == "footnotes":
            self.footnotes -= 1
        elif part == "figure":
            self.figures.pop().lead_with_caption(self.runs, depth=len(self.figures))
        elif self.figures:
            self.figures[-1].note_caption(len(self.runs))

    def _is_entry(self, run: Block, number: int) -> bool:
        """Tell whether a run of a list below no colon only links to a section of its page."""
        is_led = run.lead is not None and self.runs[run.lead].text[-1:] in _COLONS
        if is_led or run.kind != "list" or number not in {item.list for item in run.items[-1:]}:
            return False
        whole = 0, len(run.text), "link"
        return any(mark[:3] == whole and mark.href[:1] == "#" for mark in run.marks)

    def _join_labels(self, term: int | None, label: int | None) -> int | None:
        """Join the label of a definition to the one right before it, and return the label."""
        if label is None or term is None or label != term + 1:
            return term if label is None else label
        above, run = self.runs[term], self.runs[label]
        shift = len(above.text) + 2
        if shift > _JOINED_SIZE:
            return label
        marks = above.marks + tuple(
            Mark(start + shift, end + shift, role, href) for start, end, role, href in run.marks
        )
        self.runs[term:] = [replace(above, text=f"{above.text}, {run.text}", marks=marks)]
        return term

    def _use_title(self, label: int) -> None:
        """Make an admonition's title the lead of its blocks; drop one that only names its kind."""
        if label == len(self.runs) - 1 and is_default_title(
            self.runs[label].text, self.admonition_classes
        ):
            self.runs.pop()
            return
        state = self.open_blocks[-1] if self.open_blocks else False
        if isinstance(state, tuple) and state[1] == "admonition":
            self.lead = self.inner = self.label = label

    def _use_as_text(self) -> None:
        """Make an admonition's title its text if it has no other; "More" folds nothing."""
        self._count()
        self.runs[-1] = replace(self.runs[-1], kind="admonition", top=self.top)

    def close_tab_title(self, _tag: str) -> None:
        """Close the title of a tab, which is added in front of the contents of the tab."""
        title = self.take()
        if self.tabs is not None:
            self.tabs.titles.append(title)

    def _enter_tab(self, part: Part) -> None:
        """Enter the contents of a tab, or in the alternate style, those of all tabs."""
        tabs = self.tabs
        if tabs is None:
            return
        self.previous = tabs.previous
        if tabs.alternate and part == "tab_contents":
            return
        self.tabs = None
        title, marks = tabs.titles.popleft() if tabs.titles else ("", ())
        if title and self.kind not in MUTE:
            lead = self.lead_of_block()
            self.lead = self.inner = self.label = self.add_run(title, "tab", marks, lead=lead)
            self.previous, self.has_text = None, True

    def open_heading(self, tag: str, attributes: str) -> None:
        """Open a heading."""
        if self.kind in MUTE:
            return
        self.flush()
        self.heading_level = HEADING_TAGS[tag]
        self.heading_anchor = id_of(attributes)

    def close_heading(self, _tag: str) -> None:
        """Close a heading, which starts a section."""
        if self.kind in MUTE:
            return
        text, marks = self.take()
        for mark in reversed(marks):
            is_permalink = mark.role == "link" and mark.href == f"#{self.heading_anchor}"
            part = text[mark.start : mark.end]
            if mark.role in {"image", "icon"} or (is_permalink and not any(map(str.isalnum, part))):
                text = text[: mark.start] + " " * len(part) + text[mark.end :]
        text = " ".join(text.split()) if "  " in text or text[-1:] == " " else text
        markup = _UNRENDERED.search(text)
        if markup and not any(m.start <= markup.start() < m.end for m in marks if m.role == "code"):
            text = ""
        heading = Heading(heading_text(text), self.heading_level, self.heading_anchor)
        self.headings.append(heading)
        self.path = (*[h for h in self.path if h.level < heading.level], heading)
        if not self.footnotes:
            self.section = len(self.headings), self.path

    def flush(self) -> None:
        """End the current run, and add it unless it is empty."""
        if not self.parts:
            return
        kind = self.kind
        # removed parts move text
        is_shifted = self.pictures or self.unnamed or self.skips or self.annotated
        breaks = [] if is_shifted else self.breaks
        text, marks = self.take()
        if kind is None:
            is_titled, self.is_titled = self.is_titled, False
            if is_titled and not is_default_title(text, self.code_classes.replace("-", " ")):
                self.previous = self.add_run(text, "label", marks, lead=self.lead_of_block())
            return
        if text.startswith("[!") and (alert := _ALERT.match(text)):
            text, marks = without_spans(text, marks, [alert.span()])
            breaks = []
            if self.quotes:
                kind = self.kind = "admonition"  # until the quote closes
        if self.annotated:
            text, marks = without_markers(text, marks)
        if marks and is_figure(text, marks):
            self.add_figure(text, marks)
        elif text and text not in _NO_TEXTS:
            for line, line_marks in labelled_lines(text, marks, breaks):
                self._add_text_run(line, kind, line_marks)

    def add_break(self, _tag: str, _attributes: str) -> None:
        """Add a break of a line, which only ends a run if each line has a label."""
        self.breaks.append(self.length)
        self.add_text(" ")

    def _add_text_run(self, text: str, kind: Kind, marks: tuple[Mark, ...]) -> None:
        self.has_notes = False
        if kind != "label":
            self._count()
        lead = self.label if self.lead is None else self.lead
        self.previous = self.add_run(text, kind, marks, lead=lead)
        if not self.has_text:
            self.inner, self.has_text = self.previous, True

    def _count(self) -> None:
        if not (self.in_top and self.top_holds_text):
            self.top += 1
            self.top_holds_text = True

    def lead_of_block(self) -> int | None:
        """Return the lead of a table or code block at this position."""
        lead = self.above_paragraph if self.previous is None else self.previous
        lead = self.inner if lead is None else lead
        return self.label if lead is None else lead

    def add_run(
        self, text: str, kind: Kind, marks: tuple[Mark, ...] = (), *, lead: int | None = None
    ) -> int:
        """Add a run, and return its number; of leads from another section, only a label counts."""
        section, path = self.section
        if lead is not None and self.runs[lead].section != section:
            lead = self.label
        if self.language and kind not in {"code", "figure"}:
            marks = (Mark(0, len(text), "language", self.language), *marks)
        number = len(self.runs)
        top = max(0, self.top)
        self.runs.append(
            Block(text, kind, top, section, path, marks, self.line, number, lead, self.items)
        )
        return number

    def add_figure(self, text: str, marks: tuple[Mark, ...]) -> None:
        """Add a picture, a formula or a diagram, which has no text but which a text may lead to."""
        if self.kind not in MUTE:
            self.add_run(text, "figure", marks, lead=self.lead_of_block())
        self.previous = self.above_paragraph = None

    def add_player(self) -> None:
        """Add a video or a frame, never quoted, unless a sentence goes on around it."""
        if not self.parts or self.parts[-1].rstrip().endswith(_COLONS):
            self.flush()
            self.add_figure("", ())

    def read(self, tokens: Iterator[tuple[str, ...]]) -> HtmlContent:  # noqa: C901, PLR0912, PLR0915 - one hot loop
        """Read the tokens of well-formed HTML, in which lexbor closes each element in order."""
        skipped, depth = "", 0  # the tag of a skipped element, and its depth
        code: list[str] = []  # the HTML in a `pre` that was not deferred
        is_drawn = False  # whether that `pre` is the source of a diagram
        for end, tag, attributes, inner, closed, tail in tokens:
            if skipped:
                depth += (tag == skipped and not closed) - (end == skipped)
                if depth:
                    if skipped == "pre":
                        code += (shown_in_code(tag, attributes, inner), tail)
                    elif tag == "input" and self.kind == "list":
                        self.add_check_box(tag, attributes)
                    continue
                if skipped == "pre":
                    self.add_block_of_code("".join(code), is_drawn=is_drawn)
                skipped = ""
            elif end:
                if end in _CLOSES:
                    _CLOSES[end](self, end)
            elif (tag in SKIPPED_TAGS and not (tag == "label" and self.tabs)) or (
                attributes
                and (
                    ('class="' in attributes and is_skipped(tag, class_of(attributes)))
                    or is_unseen(attributes)
                )
            ):
                if tag in BLOCK_TAGS:
                    self.flush()
                    text = unescape(inner).strip() if closed and "arithmatex" in attributes else ""
                    if text:
                        self.add_figure(text, (Mark(0, len(text), "formula"),))
                    self.previous = None
                elif tag in _UNWRITTEN and not is_unseen(attributes):
                    self.add_player()
                else:
                    self.skip()
                if not closed and tag not in VOID_TAGS:
                    skipped, depth = tag, 1
                    continue
            elif closed and tag in ROLES:
                self.add_mark(tag, attributes, inner)
            elif tag == "table" and not closed and part_of(class_of(attributes)) != "code_box":
                tail = self.add_table(tokens)  # noqa: PLW2901 - the text after the table
            elif tag == "pre":
                is_drawn = is_diagram(attributes)
                if not closed:
                    skipped, depth, code = tag, 1, [tail]
                    continue
                self.add_block_of_code(inner, is_drawn=is_drawn)
            elif closed and tag == "p" and not inner.strip():
                pass  # the rest of a paragraph around a block
            else:
                if tag in _OPENS:
                    _OPENS[tag](self, tag, attributes)
                elif self.kind is None and "filename" in class_of(attributes).split():
                    self.take()
                    self.is_titled = True  # the title of the code, up to the next block
                if inner:
                    self.add_inner(inner, tag, attributes, self.language)
                elif closed and tag == "span":
                    self.add_icon(tag, attributes)
                if closed and tag in _CLOSES:
                    _CLOSES[tag](self, tag)
            if tail and (self.parts or tail != "\n"):
                self.add_text(tail)
        self.flush()
        return HtmlContent(tuple(self.runs), tuple(self.headings))

    def add_check(self, tag: str, attributes: str) -> None:
        """Add a check box that belongs to a text; a radio button counts only in a list."""
        if self.kind and (self.kind == "list" or 'type="checkbox"' in attributes):
            self.add_check_box(tag, attributes)

    def add_rule(self, _tag: str, _attributes: str) -> None:
        """Read a horizontal rule: the text above it introduces no block below it."""
        self.previous = None

    def add_table(self, tokens: Iterator[tuple[str, ...]]) -> str:
        """Add the table whose start tag was just read, and return the text after it."""
        table = TableReader(self.cut).read(tokens)
        if self.parts:
            self.flush()
        if self.kind not in MUTE:
            lead = self.lead_of_block()
            caption, marks = table.caption
            if caption:
                lead = self.add_run(caption, "label", marks, lead=lead)
            for number, (row, codes, line) in enumerate(table.rows):
                row_line = self.line if self.first_row is None else self.first_row + number
                self.line = line or row_line
                text, marks = without_markers(*row) if self.annotated else row
                above = self.add_run(text, "table", marks, lead=lead) if text else lead
                for code in codes:
                    self.add_run(code, "code", lead=above)
        self.previous = self.first_row = None
        return table.tail

    def add_cut(self, _tag: str, attributes: str) -> None:
        """Add the code block that this tag replaces, or note a line."""
        if line := number_of(attributes, "data-line", 0):
            self.flush()
            self.line = line
        elif (code := _code_at(self.cut, attributes)) is not None:
            own_attributes, _, inner = code.partition(">")
            self.add_block_of_code(inner, is_drawn=is_diagram(own_attributes))
        else:
            self.first_row = number_of(attributes, "data-rows", 0) or None

    def add_block_of_code(self, code: str, *, is_drawn: bool) -> None:
        """Add the HTML in a `pre`: code, or the source of a diagram."""
        self.flush()
        text = code_text(code)
        if is_drawn and text:
            self.add_figure(text, (Mark(0, len(text), "diagram"),))
            return
        if text and not is_drawn and self.kind != "label":
            self.add_run(text, "code", lead=self.lead_of_block())
            self.has_notes = "(1)" in code and _has_annotations(code.rstrip())
        self.previous = self.above_paragraph = None


def without_markers(text: str, marks: tuple[Mark, ...]) -> MarkedText:
    """Return a text without the markers of annotations in it."""
    return without_spans(text, marks, [marker.span() for marker in re.finditer(_MARKER, text)])


def is_figure(text: str, marks: Sequence[Mark]) -> bool:
    """Tell whether a text is nothing but pictures that a browser shows."""
    done = 0
    for mark in marks:
        if mark.role in _PICTURES:
            if text[done : mark.start].strip(_BETWEEN_PICTURES):
                return False
            done = max(done, mark.end)
    return done > 0 and not text[done:].strip(_BETWEEN_PICTURES)


def _has_annotations(code: str) -> bool:
    """Tell whether a line of code, from its HTML, ends with a comment that marks an annotation."""
    marker = re.search(_CODE_MARKER, code)
    if marker is None:
        return False
    start = code.rfind("\n", 0, marker.start()) + 1
    return _COMMENT_SIGN.search(code, start, marker.start()) is not None


_OPENS: dict[str, Callable[[BlockScanner, str, str], None]] = {
    **dict.fromkeys(BLOCK_TAGS, BlockScanner.open_block),
    **dict.fromkeys(ROLES, BlockScanner.open_role),
    **dict.fromkeys(HEADING_TAGS, BlockScanner.open_heading),
    "table": BlockScanner.open_block,
    "label": lambda page, _, __: page.flush(),  # before the title of a tab
    "wbr": BlockScanner.add_cut,
    "br": BlockScanner.add_break,
    "img": BlockScanner.add_image,
    "input": BlockScanner.add_check,
    **dict.fromkeys(SIGNS, lambda page, tag, _: page.add_text(SIGNS[tag][0])),
    "hr": BlockScanner.add_rule,
}
_CLOSES: dict[str, Callable[[BlockScanner, str], None]] = {
    **dict.fromkeys(BLOCK_TAGS, BlockScanner.close_block),
    **dict.fromkeys(ROLES, BlockScanner.close_role),
    **dict.fromkeys(HEADING_TAGS, BlockScanner.close_heading),
    **dict.fromkeys(SIGNS, lambda page, tag: page.add_text(SIGNS[tag][1])),
    "table": BlockScanner.close_block,
    "label": BlockScanner.close_tab_title,
}


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
    from mkdocs_recall.text.hardening import without_foreign

    whole = len(html) <= limits.page_size
    html, codes = _cut_code(truncate_html(html, limits.page_size))
    tokens = _tokens(well_formed(without_foreign(html)))
    del html  # saves memory: the tokens have the text
    content = BlockScanner(codes).read(tokens)
    return content if whole else structs.replace(content, whole=False)


def truncate_html(html: str, size: int) -> str:
    """Return the start of HTML, at most `size` characters, up to the end of a block if possible."""
    if len(html) <= size:
        return html
    ends = (match.end() for match in _BLOCK_END.finditer(html, max(0, size - _REACH), size))
    return html[: max(ends, default=size)]


def read_well_formed(html: str) -> HtmlContent:
    """Read HTML without raw text that lexbor has serialised, and that need not be parsed again."""
    return BlockScanner([]).read(_tokens(html))


def well_formed(html: str) -> str:
    """Return HTML as browsers understand it, each element closed, without raw text."""
    from selectolax.lexbor import LexborHTMLParser

    from mkdocs_recall.text.hardening import flatten_nesting

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
