"""A section of a page's HTML: cut out, cleaned, and fitted into another page.

The story: a parser makes the page well-formed. `_Cut` goes over its tags, from the section's
heading to the one that ends it, and leaves out what only its own page can use: permalinks and line
numbers. The section's footnotes come along. `clean` then drops what no quote may hold, by one
whitelist of `nh3`, whose attribute filter writes each link as the other page needs it. The result
may be cached. Its headings start with `h1` and its ids with `OWN_ID`; only where it is inserted are
the heading above and the directive's id known, so `fitted` finishes both there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from html import escape, unescape
from typing import Final

from mkdocs_recall.answers.links import TAG, TOKEN
from mkdocs_recall.answers.whitelist import DROPPED, MARKER_COMMENT, OWN_ID, OWNER, SHAPES, clean
from mkdocs_recall.directives.fences import MARKER_HINT
from mkdocs_recall.options import Format, RecallOptions
from mkdocs_recall.ranking.result import Result, whole_section
from mkdocs_recall.text.hardening import formulas_of_scripts
from mkdocs_recall.text.html import well_formed
from mkdocs_recall.text.model import Document
from mkdocs_recall.text.runs import CONTROL_CLASSES, class_of, href_of, id_of
from mkdocs_recall.text.tags import VOID_TAGS

_HEADING: Final = re.compile(r"<h([1-6])(\s[^>]*)?>")
_DIV: Final = re.compile(r"<(/?)div\b([^>]*)>")
_HIDDEN: Final = re.compile(r'(?:\A|") hidden(?:=|\Z)')
_CONTROL: Final = re.compile(r"\s(?:class|id|name)=")
"""Attributes of a check box that switches a part of its page or belongs to a form."""
_LEVELS: Final = {f"h{level}": level for level in range(1, 7)}
_ENDING: Final = frozenset({"li", "td", "th", "dd", "blockquote", "details", "figure"})
_ENDING_CLASSES: Final = frozenset({"tabbed-block", "tabbed-content", "admonition"})
"""A section that begins in one of these elements ends with it."""
_MUTE: Final = frozenset({"summary", "dt", "figcaption", "table"})
"""Elements in which a heading starts no section."""
_DROPPED_CLASSES: Final = CONTROL_CLASSES | {"footnote", "footnote-list", "footnotes", "linenodiv"}
"""Footnotes are below all sections; those of a section are added one by one."""
_LINE_ANCHOR: Final = re.compile(r'\s(?:id="|href="#)__codelineno')
_CODE_TABLES: Final = frozenset({"highlighttable", "codehilitetable"})
_ROWS: Final = frozenset({"tbody", "thead", "tr", "td", "th"})


class _Cut:
    def __init__(self, html: str, start: int = 0, *, level: int = 0, subsections: bool) -> None:
        """Start at a heading of some level; from any other start (level 0), any heading ends it."""
        self.output: list[str] = []
        self._html = html
        self._start = start
        self._level = level
        self._deepest = level if subsections and level else 6
        self._open: list[tuple[str, str, int]] = []
        """For each open element: its name; its name in the output, empty if only its content is
        kept; and the number of output parts before its start tag."""
        self._divs: list[str] | None = None

    def run(self) -> list[str]:  # noqa: C901, PLR0912 - one hot loop
        """Return the tags and texts of the part, with each element closed."""
        skipped, depth = "", 0
        at_heading = bool(self._level)
        for token in TOKEN.finditer(self._html, self._start):
            comment, end, name, attributes, text = token.groups()
            if skipped:
                depth += (name == skipped) - (end == skipped)
                skipped = skipped if depth else ""
            elif text is not None:
                self.output.append(text)
            elif end:
                if self._open:
                    self._close()
                elif self._ends_with(end):
                    break
            elif comment is not None:
                if MARKER_COMMENT.fullmatch(comment):
                    self.output.append(token[0])
            elif name == "body" or name[0] in "?!":  # an instruction has no end tag
                pass
            elif name in _LEVELS and not at_heading and self._ends_at(name):
                break
            elif _is_dropped(name, attributes):
                skipped, depth = (name, 1) if name not in VOID_TAGS else ("", 0)
            else:
                at_heading = at_heading and name not in _LEVELS
                self._add(name, attributes)
        filled = (part.strip() and (part[0] != "<" or part[1] == "!") for part in self.output)
        last = max((number for number, is_filled in enumerate(filled) if is_filled), default=-1)
        while self._open and self._open[-1][2] > last:
            del self.output[self._open.pop()[2] :]  # the element that holds the next heading
        while self._open:
            self._close()
        return self.output

    def _add(self, name: str, attributes: str) -> None:
        written = name
        if name in _LEVELS:
            level = _LEVELS[name] - (self._level or _LEVELS[name]) + 1
            written, attributes = f"h{max(1, level)}", ""
        elif name == "table" and not _CODE_TABLES.isdisjoint(_classes(attributes)):
            written = ""
        elif name in _ROWS:
            tables = (kept for tag, kept, _ in reversed(self._open) if tag == "table")
            written = name if next(tables, name) else ""
        if name not in VOID_TAGS:
            self._open.append((name, written, len(self.output)))
        if written:
            self.output.append(f"<{written}{attributes}>")

    def _close(self) -> None:
        _, written, _ = self._open.pop()
        if written:
            self.output.append(f"</{written}>")

    def _ends_at(self, name: str) -> bool:
        return _LEVELS[name] <= self._deepest and not any(tag in _MUTE for tag, _, _ in self._open)

    def _ends_with(self, name: str) -> bool:
        if name != "div":
            return name in _ENDING
        if self._divs is None:
            self._divs = []
            for tag in _DIV.finditer(self._html, 0, self._start):
                if not tag[1]:
                    self._divs.append(tag[2])
                elif self._divs:
                    self._divs.pop()
        attributes = self._divs.pop() if self._divs else ""
        return not _ENDING_CLASSES.isdisjoint(_classes(attributes))


def _classes(attributes: str) -> list[str]:
    return class_of(attributes).split() if 'class="' in attributes else []


def _is_dropped(name: str, attributes: str) -> bool:
    if name == "input" and 'type="radio"' not in attributes:
        is_sign = " disabled" in attributes or not _CONTROL.search(attributes)
        return 'type="checkbox"' not in attributes or not is_sign
    return (
        name in DROPPED
        or (" hidden" in attributes and _HIDDEN.search(attributes) is not None)
        or not _DROPPED_CLASSES.isdisjoint(_classes(attributes))
        or (name == "a" and _LINE_ANCHOR.search(attributes) is not None)
    )


def cut_section(html: str, anchor: str, *, subsections: bool = True) -> str:
    """Return a section of a page as well-formed HTML, not yet cleaned; empty for none.

    In the page, markers hold the places of directives. The anchor is the heading's `id`; an empty
    one means the part above the first heading, without the page's title. With subsections, the
    section ends at a heading of its own level or above.
    """
    page = _page(html)
    cut = _cut_at(page, anchor, subsections=subsections)
    if cut is None:
        return ""
    return _with_footnotes("".join(cut.run()), page).strip()


_APART: Final = re.compile(
    rf"<{MARKER_HINT}[0-9a-f]{{1,64}} -->|<svg\b[^<>]*>[^<]*(?:<(?:!--[^<>]*--"
    rf"|/?(?:{'|'.join(sorted(SHAPES))}|a|defs|title|use)\b[^<>]*)>[^<]*)*</svg>"
)
"""What the protection against costly HTML would drop: markers of directives, and drawings."""
_PLACE: Final = re.compile(r'<wbr data-part="(\d{1,6})">')


@lru_cache(maxsize=1)  # sections of one page are cut in a row
def _page(html: str) -> str:
    parts: list[str] = []

    def take(match: re.Match[str]) -> str:
        parts.append(match[0])
        return f'<wbr data-part="{len(parts) - 1}">'

    def put(match: re.Match[str]) -> str:
        number = int(match[1])
        if number >= len(parts):
            return ""
        part = parts[number]
        parts[number] = ""  # an author's own tag must not repeat it
        if part[:2] == "<!":
            return part
        return well_formed(part).removeprefix("<body>").removesuffix("</body>")

    return _PLACE.sub(put, well_formed(_APART.sub(take, formulas_of_scripts(html))))


def section_html(
    result: Result,
    options: RecallOptions,
    html_of: Callable[[str], str],
    rebase: Callable[[str, Document], str],
) -> str:
    """Return the quoted section as its page has it now, cleaned, or an empty text."""
    if options.max_sentences is not None:
        return ""
    passages = result.in_document_order()
    document, anchor = passages[0].document, options.section or ""
    now = whole_section(document, anchor, options).passages
    html = html_of(document.uri)
    if not html or [p.sentence for p in now] != [p.sentence for p in passages]:
        return ""
    cut = cut_section(html, anchor, subsections=options.subsections)
    return clean(cut, lambda href: rebase(href, document))


def _cut_at(page: str, anchor: str, *, subsections: bool) -> _Cut | None:
    headings = list(_HEADING.finditer(page))
    if not anchor:
        if headings and headings[0][1] == "1":
            end = page.find("</h1>", headings[0].end()) + len("</h1>")
            page = page[: headings[0].start()] + page[end:]
        return _Cut(page, subsections=False)
    for heading in headings:
        if id_of(heading[2] or "") == anchor:
            return _Cut(page, heading.start(), level=int(heading[1]), subsections=subsections)
    return None


_REFERENCE: Final = re.compile(r'(<a\b[^>]*\bclass="footnote-ref"[^>]*>)([^<]*)</a>')
_BACK: Final = re.compile(r'\s*(<a\b[^>]*\bclass="footnote-backref"[^>]*>).*?</a>', re.DOTALL)
_ITEM: Final = re.compile(r"<(/?)li\b[^>]*>")
_MOST_NOTES: Final = 200


def _with_footnotes(section: str, page: str) -> str:
    numbers: dict[str, int] = {}

    def numbered(match: re.Match[str]) -> str:
        target = href_of(match[1]).removeprefix("#")
        return f"{match[1]}{numbers.setdefault(target, len(numbers) + 1)}</a>"

    section = _REFERENCE.sub(numbered, section)
    notes: list[str] = []
    while len(notes) < min(len(numbers), _MOST_NOTES):  # a footnote may refer to another one
        start = page.find(f'<li id="{escape([*numbers][len(notes)])}"')
        note = _Cut(_item_at(page, start), subsections=False).run() if start >= 0 else ["<li></li>"]
        notes.append(_REFERENCE.sub(numbered, "".join(note)))
    if not notes:
        return section
    places = {unescape(identity) for identity in OWNER.findall(section + "".join(notes))}

    def back(match: re.Match[str]) -> str:
        return match[0] if href_of(match[1]).removeprefix("#") in places else ""

    items = _BACK.sub(back, "\n".join(notes))
    return f'{section.rstrip()}\n<div class="footnote">\n<hr>\n<ol>\n{items}\n</ol>\n</div>'


def _item_at(page: str, start: int) -> str:
    depth = 0
    for tag in _ITEM.finditer(page, start):
        depth += -1 if tag[1] else 1
        if not depth:
            return page[start : tag.end()]
    return page[start:]


_BOXES: Final[Mapping[str, tuple[str, str]]] = {
    "blockquote": ('<blockquote class="recall">\n', "\n</blockquote>"),
    "admonition": ('<div class="admonition quote recall">\n', "\n</div>"),
}
"""The box around a section, by format. The outer element is a `section`, which no quote holds: the
search of Material for MkDocs takes an inner end tag of the same name for the end of the excluded
part."""


def in_box(html: str, name: Format) -> str:
    """Return a section in the box of its format."""
    start, end = _BOXES.get(name, ("", ""))
    return f"{start}{html}{end}"


def as_nested(html: str) -> str:
    """Return a quote in the form that fits into a section quoted whole."""
    return html.replace("<section ", "<div ").replace("</section>", "</div>")


_RELATIVE_LEVEL: Final = re.compile(r"<(/?)h([1-6])>")
_DEEPEST: Final = 6


def heading_above(html: str, position: int) -> int:
    """Return the level of the last heading before a position; 0 for none."""
    starts = {html.rfind(f"<{name}", 0, position): level for name, level in _LEVELS.items()}
    last = max(starts)
    return starts[last] if last >= 0 else 0


def fitted(html: str, identity: str, level: int) -> str:
    """Return a section fitted in below a heading of some level; 0 for no heading.

    Its ids include the id of the directive's marker, which is unique on the page.
    """
    shift = max(1, level)

    def heading(match: re.Match[str]) -> str:
        return f"<{match[1]}h{min(_DEEPEST, int(match[2]) + shift)}>"

    def tag(match: re.Match[str]) -> str:
        prefix = f"recall-{identity}-"
        return match[0].replace(f'"{OWN_ID}', f'"{prefix}').replace(f'"#{OWN_ID}', f'"#{prefix}')

    html = _RELATIVE_LEVEL.sub(heading, html)
    return TAG.sub(tag, html) if OWN_ID in html else html
