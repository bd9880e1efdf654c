"""A section of a page's HTML: cut out, cleaned, and fitted into another page.

A parser makes the page well-formed. `_cut` goes over its tags, from the section's heading to the
one that ends it, and leaves out what only its own page can use: permalinks and line numbers.
Footnotes come along. `clean` then drops what no quote may hold. The result may be cached: its
headings start with `h1` and its ids with `OWN_ID`, and `fitted` finishes both where it is inserted.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from html import escape, unescape
from typing import Final

from mkdocs_recall.answers.links import TAG, TOKEN
from mkdocs_recall.answers.whitelist import (
    DROPPED,
    FORMULAS,
    MARKER_COMMENT,
    OWN_ID,
    OWNER,
    clean,
)
from mkdocs_recall.directives.fences import MARKER_HINT
from mkdocs_recall.options import Format, RecallOptions
from mkdocs_recall.ranking.result import Result, whole_section
from mkdocs_recall.text.hardening import DRAWING, formulas_of_scripts, read_apart
from mkdocs_recall.text.html import well_formed
from mkdocs_recall.text.model import Document
from mkdocs_recall.text.runs import CONTROL_CLASSES, class_of, href_of, id_of, is_unseen
from mkdocs_recall.text.tags import SHAPES, VOID_TAGS

_HEADING: Final = re.compile(r"<h([1-6])(\s[^>]*)?>")
_DIV: Final = re.compile(r"<(/?)div\b([^>]*)>")
_CONTROL: Final = re.compile(r"\s(?:class|id|name)=")
"""Attributes of a check box with a function."""
_LANGUAGE: Final = r'\slang="[^"]*"'
_DIRECTION: Final = r'\sdir="[^"]*"'
_LEVELS: Final = {f"h{level}": level for level in range(1, 7)}
_ENDING: Final = frozenset({"li", "td", "th", "dd", "blockquote", "details", "figure"})
_ENDING_CLASSES: Final = frozenset({"tabbed-block", "tabbed-content", "admonition"})
"""A section that begins in such an element ends with it."""
_MUTE: Final = frozenset({"summary", "dt", "figcaption", "table"})
"""Elements in which a heading starts no section."""
_DROPPED_CLASSES: Final = CONTROL_CLASSES | {"footnote", "footnote-list", "footnotes", "linenodiv"}
_LINE_ANCHOR: Final = re.compile(r'\s(?:id="|href="#)__codelineno')
_CODE_TABLES: Final = frozenset({"highlighttable", "codehilitetable"})
_DRAWN: Final = frozenset({"svg", "math"})
_ONLY_DRAWN: Final = SHAPES | FORMULAS | {"annotation", "desc", "foreignobject", "metadata"}
"""Elements of drawings and formulas; elsewhere, they are authors' placeholders: `cd <path>`."""
_ROWS: Final = frozenset({"tbody", "thead", "tr", "td", "th"})


def _cut(html: str, start: int = 0, *, level: int = 0, subsections: bool) -> str:  # noqa: C901, PLR0912 - one hot loop
    """Return what follows a heading of some level; after another start (0), any heading ends it."""
    output: list[str] = []
    # for each open element: its name, its end tag, empty if only its content is kept, and the
    # number of output parts before its start tag
    opened: list[tuple[str, str, int]] = []
    deepest = level if subsections and level else 6
    divs = _divs_around(html, start)
    skipped, depth = "", 0
    at_heading = bool(level)
    for token in TOKEN.finditer(html, start):
        comment, end, name, attributes, text = token.groups()
        if skipped:
            depth += (name == skipped) - (end == skipped)
            skipped = skipped if depth else ""
        elif text is not None:
            output.append(text)
        elif end:
            if not opened and _ends_section(end, divs):
                break
            output.append(opened.pop()[1] if opened else "")
        elif comment is not None:
            output.append(token[0] if MARKER_COMMENT.fullmatch(comment) else "")
        elif name == "body" or name[0] in "?!":  # an instruction has no end tag
            pass
        elif _LEVELS.get(name, 7) <= deepest and not (at_heading or _is_muted(opened)):
            break
        elif name in _ONLY_DRAWN and not any(tag in _DRAWN for tag, _, _ in opened):
            opened.append((name, "", len(output)))
        elif _is_dropped(name, attributes):
            skipped, depth = (name, 1) if name not in VOID_TAGS else ("", 0)
        else:
            written = name
            if name in _LEVELS:
                at_heading = False
                relative = _LEVELS[name] - (level or _LEVELS[name]) + 1
                written, attributes = f"h{max(1, relative)}", ""
            elif name == "table" and not _CODE_TABLES.isdisjoint(_classes(attributes)):
                written = ""
            elif name in _ROWS:
                tables = (end_tag for tag, end_tag, _ in reversed(opened) if tag == "table")
                written = name if next(tables, name) else ""
            if name not in VOID_TAGS:
                opened.append((name, written and f"</{written}>", len(output)))
            output.append(written and f"<{written}{attributes}>")
    filled = (part.strip() and (part[0] != "<" or part[1] == "!") for part in output)
    last = max((number for number, is_filled in enumerate(filled) if is_filled), default=-1)
    while opened and opened[-1][2] > last:
        del output[opened.pop()[2] :]  # the element that holds the next heading
    return "".join([*output, *(end_tag for _, end_tag, _ in reversed(opened))])


def _is_muted(opened: Iterable[tuple[str, str, int]]) -> bool:
    return any(tag in _MUTE for tag, _, _ in opened)


def _divs_around(html: str, position: int) -> Iterator[str]:
    """Yield the attributes of each `div` that is open there, innermost first."""
    opened: list[str] = []
    for tag in _DIV.finditer(html, 0, position):
        if not tag[1]:
            opened.append(tag[2])
        elif opened:
            opened.pop()
    yield from reversed(opened)


def _ends_section(name: str, divs: Iterator[str]) -> bool:
    if name != "div":
        return name in _ENDING
    return not _ENDING_CLASSES.isdisjoint(_classes(next(divs, "")))


def _classes(attributes: str) -> list[str]:
    return class_of(attributes).split() if 'class="' in attributes else []


def _is_dropped(name: str, attributes: str) -> bool:
    if name == "input" and 'type="radio"' not in attributes:
        is_sign = " disabled" in attributes or not _CONTROL.search(attributes)
        return 'type="checkbox"' not in attributes or not is_sign
    return (
        name in DROPPED
        or is_unseen(attributes)
        or not _DROPPED_CLASSES.isdisjoint(_classes(attributes))
        or (name == "a" and _LINE_ANCHOR.search(attributes) is not None)
    )


def cut_section(html: str, anchor: str, *, subsections: bool = True) -> str:
    """Return a section as well-formed HTML, not yet cleaned; empty for none.

    An empty anchor means the part above the first heading, without the page's title.
    """
    page = _page(html)
    return _with_footnotes(_cut_at(page, anchor, subsections=subsections), page).strip()


APART: Final = rf"<{MARKER_HINT}[0-9a-f]{{1,64}} -->|{DRAWING}"
"""What the protection against costly HTML would drop: markers of directives, and drawings."""


@lru_cache(maxsize=1)  # sections of one page are cut in a row
def _page(html: str) -> str:
    return read_apart(formulas_of_scripts(html), APART, well_formed, _put)


def _put(part: str) -> str:
    if part[:2] == "<!":
        return part
    return well_formed(part).removeprefix("<body>").removesuffix("</body>")


def section_html(
    result: Result,
    options: RecallOptions,
    html_of: Callable[[str], str],
    rebase: Callable[[str, Document], str],
) -> str:
    """Return the quoted section as its page has it now, cleaned; else an empty text."""
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


def _cut_at(page: str, anchor: str, *, subsections: bool) -> str:
    headings = list(_HEADING.finditer(page))
    if not anchor:
        if headings and headings[0][1] == "1":
            end = page.find("</h1>", headings[0].end()) + len("</h1>")
            page = page[: headings[0].start()] + page[end:]
        return _cut(page, subsections=False)
    for heading in headings:
        if id_of(heading[2] or "") == anchor:
            start = heading.start()
            cut = _cut(page, start, level=int(heading[1]), subsections=subsections)
            return _in_language(cut, " ".join(_divs_around(page, start)))
    return ""


def _in_language(section: str, around: str) -> str:
    """Return a section with the language and direction that the elements around it state."""
    stated = filter(None, (re.search(pattern, around) for pattern in (_LANGUAGE, _DIRECTION)))
    attributes = "".join(match[0] for match in stated)
    return f"<div{attributes}>{section}</div>" if attributes else section


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
        note = _cut(_item_at(page, start), subsections=False) if start >= 0 else "<li></li>"
        notes.append(_REFERENCE.sub(numbered, note))
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


def in_box(html: str, name: Format) -> str:
    """Return a section in the box of its format."""
    start, end = _BOXES.get(name, ("", ""))
    return f"{start}{html}{end}"


def as_nested(html: str) -> str:
    """Return a quote in the form that fits into a section."""
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
