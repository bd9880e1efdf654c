"""The protection against HTML that would cost a parser quadratic time or memory.

By the rules for browsers, the work of a parser grows with the number of open elements: each `<p>`
searches them, and emphasis that is not closed reopens in each paragraph. Most pages that people
write are too short for that to matter. Longer ones are flattened, with the same text.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from html import escape, unescape
from typing import Final

from mkdocs_recall.text.runs import BLOCK_TAGS, HEADING_TAGS, RAW_TAGS, formulas_as_code
from mkdocs_recall.text.tags import SHAPES, VOID_TAGS

DEEPEST = 512
"""How many levels of elements are kept; deeper ones are paragraphs."""
_FEW_TAGS, _SHORT = 700, 50_000
"""Any HTML with at most this many tags and characters is harmless."""
_ATTRIBUTES_SIZE = 5000
"""Characters of attributes of one element: a parser compares all."""
_OPEN_FORMATTING = 8
_SHALLOW = 32
"""How many levels of usual elements, closed in order, cost a parser little."""
_LOOK_BACK = 16
"""How many open elements a start tag searches for one that it ends."""

_SPACE = r"[\t\n\r\f ]"
_ATTRIBUTES = (
    rf"(?:[\t\n\r\f /]+|[^\t\n\r\f />][^\t\n\r\f />=]*"
    rf"(?:{_SPACE}*={_SPACE}*(?:\"[^\"]*(?:\"|\Z)|'[^']*(?:'|\Z)|[^\t\n\r\f >]*))?)"
    rf"{{0,{_ATTRIBUTES_SIZE}}}[^>]*"
)
"""The rest of a tag up to its end, as in browsers, within a bound. It always matches, so there is
no backtracking."""
_DRAWING = (
    r"<svg\b([^<>]*)>(?:<title\b[^<>]*>([^<>]*)</title>)?"
    r"((?:\s|<!--[^<>]*-->"
    r"|</?(?:g|path|circle|ellipse|line|polyline|polygon|rect|use|defs)\b[^<>]*>)*)</svg>"
)
"""A picture whose only text is its title, such as an icon; Font Awesome's hold a comment."""
DRAWING: Final = (
    r"<svg\b[^<>]*>[^<]*(?:<(?:!--[^<>]*--"
    rf"|/?(?:{'|'.join(sorted(SHAPES))}|a|defs|title|use)\b[^<>]*)>[^<]*)*</svg>"
)
"""A drawing, which flattening drops."""
_PLACE = re.compile(r'<wbr data-part="(\d{1,6})">')
_TOKEN = rf"""(?xsi)<!--(?:-?>|.*?(?:--!?>|\Z))
    |<(?P<raw>{"|".join(RAW_TAGS)})(?=[\t\n\r\f />]){_ATTRIBUTES}(?:>|\Z)
        (?:.*?</(?P=raw)(?=[\t\n\r\f />]){_ATTRIBUTES}(?:>|\Z)|.*)
    |<(?P<end>/?)(?P<tag>[a-z][^\t\n\r\f />]*)(?P<attributes>{_ATTRIBUTES})(?P<closing>>|\Z)
    |<[!?/][^>]*(?:>|\Z)"""
"""A comment, an element of raw text, a tag, or a declaration."""
_FRAME = r"<iframe\b([^<>]*)>[^<]*</iframe\s*>"
_COMMENT = r"(?s)<!--(?:-?>|.*?(?:--!?>|\Z))"
_TEX = (
    r'(?:<(span|div) class="arithmatex">\s*)?'
    r'(?:<(?:span|div) class="MathJax_Preview">[^<]*</(?:span|div)>\s*)?'
    r'<script type="math/tex(; ?mode=display)?">([^<]*(?:<(?!/?script)[^<]*)*)</script>'
    r"(?(1)\s*</\1>)"
)
"""A formula as python-markdown-math and non-generic pymdownx.arithmatex write it."""
_PATH = r"""<path\b[^<>]*? d=["']([^"'<>]*)"""
_SHAPE = r"<(?!g\b|defs\b|[/!])"
_VIEW_BOX = r""" viewBox=["']([^"'<>]*)"""
_LABEL = r""" aria-label=["']([^"'<>]*)"""
_QUOTED_ATTRIBUTES = r"""(?:[^<>"']|"[^<>"]*"|'[^<>']*')*"""
_FOREIGN = frozenset({"svg", "math", "select"})
"""Elements with parsing rules of their own, which are never quoted."""

_FORMATTING = frozenset("a b big code em font i nobr s small strike strong tt u".split())  # noqa: SIM905 - words
"""Elements that, if left open, a parser reopens after the element around them."""
_PLAIN_TAG = re.compile(
    rf"<(/?[a-z][a-z0-9]*)(?=[^<>]{{0,{_ATTRIBUTES_SIZE}}}>)"
    rf"(?:{_SPACE}+[^\s\"'<>/=]+(?:=\"[^\"<>]*\")?)*{_SPACE}*/?>"
)
"""A tag whose end is unambiguous."""
_TERMS = {"dt", "dd"}
_CELLS = {"td", "th"}
_GROUPS = {"tbody", "thead", "tfoot"}
_ENDS: dict[str, frozenset[str]] = {
    **dict.fromkeys(BLOCK_TAGS | set(HEADING_TAGS) | {"pre", "table", "hr"}, frozenset({"p"})),
    **dict.fromkeys(_TERMS, frozenset({"p", *_TERMS})),
    **dict.fromkeys(_CELLS, frozenset({"p", *_CELLS})),
    **dict.fromkeys(_GROUPS, frozenset({"p", *_CELLS, "tr", *_GROUPS})),
    **dict.fromkeys(("rt", "rp"), frozenset({"rt", "rp"})),
    "li": frozenset({"p", "li"}),
    "tr": frozenset({"p", *_CELLS, "tr"}),
    "option": frozenset({"option"}),
}
"""The open elements that end when another starts, by the name of that one."""
_USUAL = {
    *(*(_FORMATTING | BLOCK_TAGS) - {"body", "form"}, *HEADING_TAGS, *_TERMS, *_CELLS, *_GROUPS),
    *("abbr", "cite", "del", "dfn", "ins", "kbd", "label", "mark", "pre", "q", "samp", "span"),
    *("sub", "sup", "table", "time", "tr", "var"),
}
"""Elements that a parser ends at their own end tag at the latest."""
_TRANSPARENT = _FORMATTING | {"span"}
"""Elements that a search for an open element passes over."""
_PAGE_TAGS = "html head body frameset frame form caption col colgroup tr"
_IGNORED = _CELLS | _GROUPS | {*_PAGE_TAGS.split()}
"""Tags that a parser may ignore, joining the texts around them."""
_ROWS = frozenset({"table", "colgroup", "tr", *_GROUPS})
"""Elements that may not contain text: a parser moves it before the table."""


def without_foreign(html: str) -> str:
    """Return HTML with icons as `img`, formulas as `code`, other drawings and frames as objects."""
    if "<svg" in html:
        html = _without_drawings(re.sub(_DRAWING, _image_of, html))
    if "<iframe" in html:
        html = re.sub(_FRAME, r"<object\1></object>", html)
    html = formulas_of_scripts(html)
    return formulas_as_code(re.sub(_COMMENT, "", html)) if "<math" in html else html


def _without_drawings(html: str) -> str:
    first, *parts = html.split("<svg")
    output = [first]
    for part in parts:
        drawing, end, after = part.partition("</svg>")
        attributes = re.match(_QUOTED_ATTRIBUTES, drawing)[0]  # type: ignore[index]  # it always matches
        output.append(f"<object{attributes}></object>{after}" if end else f"<svg{part}")
    return "".join(output)


def formulas_of_scripts(html: str) -> str:
    """Return HTML with the formulas in scripts as text."""
    return re.sub(_TEX, _formula_of, html) if "math/tex" in html else html


def _formula_of(script: re.Match[str]) -> str:
    tex = escape(unescape(script[3]), quote=False)
    if script[2]:
        return rf'<div class="arithmatex">\[{tex}\]</div>'
    return rf'<span class="arithmatex">\({tex}\)</span>'


def _image_of(drawing: re.Match[str]) -> str:
    """Return an icon as an `img` with its name, its view box and its path."""
    attributes, title, shapes = drawing.groups()
    box = re.search(_VIEW_BOX, attributes)
    label = re.search(_LABEL, attributes)
    paths = re.findall(_PATH, shapes)
    is_whole = len(paths) == len(re.findall(_SHAPE, shapes)) and 'fill="none"' not in attributes
    data = f"{box[1]} {' '.join(paths)}" if box and paths and is_whole else ""
    return f'<img alt="{title or (label[1] if label else "")}" data-icon="{data}">'


def read_apart(
    html: str, pattern: str, read: Callable[[str], str], put: Callable[[str], str] = str
) -> str:
    """Return what `read` makes of HTML, with the parts that it would drop back at their places.

    Args:
        pattern: What these parts match.
        put: Returns a part as it is put back.
    """
    parts: list[str] = []

    def take(match: re.Match[str]) -> str:
        parts.append(match[0])
        return f'<wbr data-part="{len(parts) - 1}">'

    def back(match: re.Match[str]) -> str:
        number = int(match[1])
        if number >= len(parts):
            return ""
        part = parts[number]
        parts[number] = ""  # an author's own tag must not repeat it
        return part and put(part)

    return _PLACE.sub(back, read(re.sub(pattern, take, html)))


def flatten_nesting(html: str) -> str:
    """Return HTML with the same text, read in linear time."""
    if (len(html) <= _SHORT and html.count("<") <= _FEW_TAGS) or _is_shallow(html):
        return html
    return _flatten(html)


def _is_shallow(html: str) -> bool:
    """Tell whether HTML is like that of Markdown, and not deep."""
    tags = _PLAIN_TAG.findall(html)
    if len(tags) != html.count("<"):
        return False
    path: list[str] = []
    for tag in tags:
        if tag[0] == "/":
            if not path or path.pop() != tag[1:]:
                return False
        elif tag in _USUAL:
            path.append(tag)
            if len(path) > _SHALLOW:
                return False
        elif tag not in VOID_TAGS:
            return False
    return not path


class _Flattener:
    """The flattened HTML while it is built."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.stack: list[tuple[str, bool]] = []  # open elements: name, and whether it is kept
        self.count: Counter[str] = Counter()  # of open elements by name
        self.depth = 0  # how many of the open elements are kept
        self.formatting = 0  # how many of those are formatting elements
        self.is_text = False  # whether a parser may join the next text to this one

    def text(self, text: str) -> None:
        """Add text that a parser does not join to the text before it."""
        if text:
            if self.stack and self.stack[-1][0] in _ROWS and text.strip():
                self.separate()
            if self.is_text:
                self.parts.append("<!---->")
            self.parts.append(text.replace("<", "&lt;"))
            self.is_text = True

    def start(self, tag: str, attributes: str) -> None:
        """Open an element, after closing those that it ends."""
        if tag in _FORMATTING and (self.formatting >= _OPEN_FORMATTING or self.depth >= DEEPEST):
            return
        ended = _ENDS.get(tag, frozenset())
        last = 0
        for back, (name, _) in enumerate(reversed(self.stack[-_LOOK_BACK:]), start=1):
            if name in ended:
                last = back
            elif name not in _TRANSPARENT:
                break
        for _ in range(last):
            self.pop()
        if tag in VOID_TAGS:
            self._add(tag, f"<{tag}{attributes}>")
            return
        is_kept = self.depth < DEEPEST
        self.stack.append((tag, is_kept))
        self.count[tag] += 1
        if is_kept:
            self.depth += 1
            self.formatting += tag in _FORMATTING
            self._add(tag, f"<{tag}{attributes}>")
        else:
            self.separate()

    def end(self, tag: str) -> None:
        """Close an element and those inside it; a formatting element only closes such."""
        if tag in _FORMATTING:
            names = (name for name, _ in reversed(self.stack[-_LOOK_BACK:]))
            if next((name for name in names if name == tag or name not in _TRANSPARENT), "") != tag:
                return
        if self.count[tag]:
            while self.pop() != tag:
                pass

    def pop(self) -> str:
        """Close the innermost element, and return its name."""
        tag, is_kept = self.stack.pop()
        self.count[tag] -= 1
        if is_kept:
            self.depth -= 1
            self.formatting -= tag in _FORMATTING
            self._add(tag, f"</{tag}>")
        else:
            self.separate()
        return tag

    def separate(self) -> None:
        """Separate the text that follows from the text before it."""
        self._add("p", "<p>")

    def _add(self, tag: str, html: str) -> None:
        self.parts.append(html)
        self.is_text = self.is_text and tag in _IGNORED


def _flatten(html: str) -> str:
    page = _Flattener()
    done = 0
    foreign, depth = "", 0  # the tag of a skipped foreign element, and its depth
    for token in re.finditer(_TOKEN, html):
        text = html[done : token.start()]
        done = token.end()
        tag, end = (token["tag"] or "").lower(), token["end"]
        if foreign:
            if tag == foreign and not token["attributes"].endswith("/"):
                depth += -1 if end else 1
                foreign = foreign if depth else ""
            continue
        page.text(text)
        if not tag or not token["closing"]:
            continue
        if tag in _FOREIGN:
            if not (end or token["attributes"].endswith("/")):
                foreign, depth = tag, 1
        elif end:
            page.end(tag)
        else:
            attributes = token["attributes"]
            page.start(tag, attributes if len(attributes) <= _ATTRIBUTES_SIZE else "")
    if not foreign:
        page.text(html[done:])
    while page.stack:
        page.pop()
    return "".join(page.parts)
