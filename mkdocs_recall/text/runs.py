"""The text of a page's HTML before it is split into sentences, and the meaning of its tags.

`HtmlContent` is the result for a page: blocks without sentences. `RunBuilder` collects the text of
one block together with the spans of its inline elements; its subclasses in `html` decide where
blocks end. What tags and classes mean, and the text of attributes, code blocks and formulas of
MathML (`E=mc^2`, `a/(b+c)`, `√(2n)`), is here, too.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from functools import lru_cache
from html import escape, unescape
from itertools import accumulate, chain, zip_longest
from typing import Final, Literal, TypeAlias

from msgspec import Struct

from mkdocs_recall.text.model import (
    FROM_ZERO,
    ICON,
    LETTERED,
    LIST_TYPES,
    POWER,
    Block,
    Heading,
    Mark,
    Role,
)
from mkdocs_recall.text.tags import is_drawn_icon, is_font_icon

RAW_TAGS = (
    *("script", "style", "iframe", "noembed", "noframes", "plaintext", "xmp", "textarea"),
    "title",
)
"""Elements that contain raw text, in which nothing is escaped."""
SKIPPED_TAGS = frozenset(
    {
        *("label", "nav", "button", "select", "object", "audio", "video", "canvas", "noscript"),
        *("svg", "math", "mjx-container", "del", "s", "strike", "template", "rp", "dialog"),
        "datalist",
    }
)
BLOCK_TAGS = frozenset(
    {
        *("address", "article", "aside", "blockquote", "body", "center", "dd", "details", "dialog"),
        *("dir", "div", "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form"),
        *("header", "hgroup", "legend", "li", "main", "menu", "nav", "ol", "p", "search"),
        *("section", "summary", "ul"),
    }
)
HEADING_TAGS = {"h1": 1, "h2": 2, "h3": 3, "h4": 4, "h5": 5, "h6": 6}
ROLES: dict[str, Role] = {
    **dict.fromkeys(("code", "samp", "tt"), "code"),
    **dict.fromkeys(("em", "i"), "em"),
    **dict.fromkeys(("strong", "b"), "strong"),
    **{role: role for role in ("kbd", "sup", "sub", "mark", "ins", "small", "abbr")},
    "a": "link",
}
SIGNS = {"q": ("\u201c", "\u201d"), "rt": ("(", ")")}
"""The signs that browsers show around an element's text, and that it needs."""

Part: TypeAlias = Literal[
    "", "item", "list", "definition_list", "term", "definition", "admonition", "title", "quote",
    "tab_set", "tab_contents", "tab", "figure", "caption", "footnotes", "code_box",
]  # fmt: skip
"""The role of an element for the blocks in it. `title` is the title of an admonition;
`tab_contents` are those of one tab or, in the alternate style, of all; no text outside `footnotes`
introduces a block in them; in a `code_box` only code blocks and their titles count."""
PARTS: dict[str, Part] = {
    **dict.fromkeys(("ul", "ol", "menu", "dir"), "list"),
    "li": "item",
    "dl": "definition_list",
    "dt": "term",
    "dd": "definition",
    "details": "admonition",
    "summary": "title",
    "blockquote": "quote",
    "figure": "figure",
    "figcaption": "caption",
}
_PART_OF_CLASS: dict[str, Part] = {
    **dict.fromkeys(("admonition-title", "markdown-alert-title", "callout-title"), "title"),
    **dict.fromkeys(("admonition", "markdown-alert", "callout"), "admonition"),
    **dict.fromkeys(("note", "tip", "important", "warning", "caution"), "admonition"),
    **dict.fromkeys(("highlight", "highlighttable", "codehilitetable"), "code_box"),
    "tabbed-set": "tab_set",
    "tabbed-content": "tab_contents",
    "tabbed-block": "tab",
    "footnote": "footnotes",
    **dict.fromkeys(("figure", "mediaobject"), "figure"),
    "caption": "caption",
}

_WRAPPER_TAGS = frozenset(
    {"body", "div", "section", "article", "main", "center", "header", "footer"}
)
"""Elements that only group blocks, unless they have one of the classes in `_BLOCK_CLASSES`."""
_BLOCK_CLASSES = frozenset({"admonition", "tabbed-set", "footnote", "grid"})
CONTROL_CLASSES = frozenset(
    {
        *("headerlink", "anchor-link", "viewcode-link", "linenos"),
        *("jp-InputPrompt", "jp-OutputPrompt", "input_prompt", "output_prompt"),
        *("celltoolbar", "zeroclipboard-container", "clipboard-copy-txt"),
    }
)
"""Classes of parts that only their own page can use: permalinks, line numbers, controls."""
_SKIPPED_CLASSES = CONTROL_CLASSES | {
    *("footnote-ref", "footnote-backref", "footnote-reference", "toc", "arithmatex", "katex-html"),
    *("sr-only", "visually-hidden", "visuallyhidden", "screen-reader-text", "line-through"),
}
_HIGHLIGHT = "highlight"
_CODE_BOXES = frozenset({"div", "figure", "pre", "table", "section"})
"""Elements that may contain a code block; others with the class `highlight` are skipped."""
_INLINE_CLASSES = frozenset({_HIGHLIGHT, "arithmatex"})
"""Classes that do not skip `<code>` and `<span>`, which are part of a sentence."""

_UNSEEN = re.compile(
    r'(?:\A|(?<!=)") hidden(?:[= ]|\Z)'
    r'| style="[^"]*(?:display *: *none|visibility *: *hidden|: *line-through)'
)
_ATTRIBUTE = re.compile(r' ([a-z-]+)="([^"]*)"')
CHECKED, UNCHECKED = "[x]", "[ ]"
_SHORTCODE = re.compile(r":([\w+-]+):")
_SIGNS_OF: Final[dict[Role, dict[int, int]]] = {
    "sup": str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"),
    "sub": str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉"),
}
"""The characters for digits above or below the line, after a letter."""
_POWER = r"[\d+\u2212-]"
_ICON_TAGS = frozenset({"i", "span"})
_SUM: Final[dict[Role, str]] = {
    "sup": r"\w{1,4}(?: ?[+\u2212\u2013*/\u00b7-] ?\w{1,4})+",
    "sub": r"\w{1,4}(?:,? ?[+\u2212\u2013*/\u00b7,-] ?\w{1,4})+",
}
"""An exponent or an index of several parts, which as text needs brackets: `2^(n+1)`, `x_(i,j)`."""
_BRACKETS = ")]}"
_ORDINALS = frozenset("aeo\u00ba\u00aa")
_DECORATION = f"{ICON} \u00a0"
_WITH_TARGET = frozenset({"link", "abbr"})
"""Roles that mean nothing without a target."""
_MARKS_OF_NAMES = frozenset("\u2122\u00ae\u00a9*\u2020\u2021")

_CLASS = re.compile(r'\sclass="([^"]*)')
_HREF = re.compile(r'\shref="([^"]*)')
_ID = re.compile(r'\sid="([^"]*)')
_TAG = re.compile(r"<[^<>]*>")
_LINE_NUMBER = re.compile(r'<span class="linenos[^<>]*>[^<>]*</span>')
_BREAK = re.compile(r"<br ?/?>")
_BLANK_LINES = re.compile(r"\A(?:[^\S\n]*\n)+")


def class_of(attributes: str) -> str:
    """Return the value of a tag's `class`."""
    match = _CLASS.search(attributes)
    return match[1] if match else ""


def href_of(attributes: str) -> str:
    """Return the target of a link."""
    match = _HREF.search(attributes)
    return unescape(match[1]) if match else ""


def target_of(tag: str, attributes: str) -> str:
    """Return the reference of a mark for an element, such as a link's target: see `Mark.href`."""
    if tag == "a":
        return href_of(attributes)
    return unescape(dict(_ATTRIBUTE.findall(attributes)).get("title", "")) if tag == "abbr" else ""


def language_of(attributes: str, outer: str) -> str:
    """Return an element's language and direction, given those around it: `ar rtl`."""
    values = dict(_ATTRIBUTE.findall(attributes))
    language, _, direction = outer.partition(" ")
    return f"{values.get('lang', language)} {values.get('dir', direction)}".rstrip()


def number_of(attributes: str, name: str, default: int = 1) -> int:
    """Return the number in an attribute, from 1 to 999,999: of a list, an item, or a line."""
    match = re.search(rf' {name}="([1-9]\d{{0,5}})"', attributes) if name in attributes else None
    return int(match[1]) if match else default


_LIST_TYPE = r' type="([aAiI])"'
_LIST_CLASS = r"\b((?:lower|upper)(?:alpha|roman))\b"
_TYPE_OF_CLASS = {"loweralpha": "a", "upperalpha": "A", "lowerroman": "i", "upperroman": "I"}
"""The classes of lists in the pages of Sphinx."""


def first_number(attributes: str) -> int:
    """Return the number of the first item of a numbered list: see `Item.number`.

    A list that counts down has it only at its end, so it gets 0.
    """
    if "reversed" in attributes and re.search(r'(?:\A|") reversed(?:[= ]|\Z)', attributes):
        return 0
    if ' start="0"' in attributes:
        return FROM_ZERO
    match = re.search(_LIST_TYPE, attributes) or re.search(_LIST_CLASS, class_of(attributes))
    case = LIST_TYPES.index(_TYPE_OF_CLASS.get(match[1], match[1])) if match else 0
    return number_of(attributes, "start") + case * LETTERED


def id_of(attributes: str) -> str:
    """Return the anchor of a tag."""
    match = _ID.search(attributes)
    return unescape(match[1]) if match else ""


@lru_cache(maxsize=1024)
def is_skipped(tag: str, classes: str) -> bool:
    """Tell whether an element is skipped because of its classes."""
    names = frozenset(classes.split())
    if tag in {"code", "span"} and not _INLINE_CLASSES.isdisjoint(names):
        return False
    if not _SKIPPED_CLASSES.isdisjoint(names):
        return True
    if _HIGHLIGHT in names:
        return tag not in _CODE_BOXES
    return "critic" in names and "comment" in names


def is_unseen(attributes: str) -> bool:
    """Tell whether an element's own attributes hide it or strike it out."""
    return ("hidden" in attributes or "style=" in attributes) and bool(_UNSEEN.search(attributes))


@lru_cache(maxsize=1024)
def part_of(classes: str) -> Part:
    """Return the role of an element by its classes; empty if they give none."""
    return next((_PART_OF_CLASS[name] for name in classes.split() if name in _PART_OF_CLASS), "")


def is_wrapper(tag: str, attributes: str) -> bool:
    """Tell whether an element only groups blocks, which are then top-level blocks themselves."""
    return tag in _WRAPPER_TAGS and (
        'class="' not in attributes or _BLOCK_CLASSES.isdisjoint(class_of(attributes).split())
    )


def is_diagram(attributes: str) -> bool:
    """Tell whether a `pre` with these attributes contains the source of a diagram."""
    return "mermaid" in attributes and "mermaid" in class_of(attributes.replace("'", '"')).split()


def code_text(html: str) -> str:
    """Return the text of a code block with its lines unchanged."""
    if "<" in html:
        if "<br" in html:
            html = _BREAK.sub("\n", html)
        html = _TAG.sub("", without_line_numbers(html))
    return _BLANK_LINES.sub("", unescape(html).rstrip())


def shown_in_code(tag: str, attributes: str, inner: str) -> str:
    """Return the text of an element in a code block; of the number of a line, none."""
    if tag == "br":
        return "\n"
    return "" if "linenos" in attributes and "linenos" in class_of(attributes).split() else inner


def without_line_numbers(html: str) -> str:
    """Return the HTML in a code block without the numbers of its lines."""
    return _LINE_NUMBER.sub("", html) if "linenos" in html else html


_ATTRIBUTE_LIST = re.compile(r" ?\{ ?:? ?[#.][^{}]*\} ?\Z")
_EMOJI = re.compile(r"(?<![\w:]):[a-z][a-z0-9_+-]*: ?(?![\w:])|(?<![\w:]):[a-z]+(?:-[a-z0-9]+)+: ?")
_WHITE_SPACE = re.compile(r"[\t\n\r\f][ \t\n\r\f]*| [ \t\n\r\f]+")
"""White space other than a single space."""
_WIDE = "\u2e80-\u312f\u31a0-\u31ff\u3400-\u9fff\uf900-\ufaff\uff00-\uffef"
_WIDE_WRAP = rf"\n(?<=[{_WIDE}]\n)[ \t]*(?=[{_WIDE}])"


MarkedText: TypeAlias = tuple[str, tuple[Mark, ...]]
"""Text with its inline markup: a pair, of which a page makes one for each run and each cell."""


class HtmlContent(Struct, frozen=True):
    """The content of a page's HTML: its runs of text and all its headings, in order."""

    runs: tuple[Block, ...]
    """The runs, not numbered or split; lines are those of the Markdown, if the HTML has them."""
    headings: tuple[Heading, ...]
    whole: bool = True
    """False if the HTML is longer than the limits allow, so that only its start was read."""


class RunBuilder:
    """The text of one block while it is read, with its marks."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.length = 0
        self.pictures = 0  # how many pictures are in it
        self.unnamed = 0  # how many icons without a name are in it
        self.marks: list[Mark] = []
        self.roles: list[tuple[int, Role, str]] = []  # open inline elements: start, role, href
        self.breaks: list[int] = []  # where lines of it end
        self.skips: list[int] = []  # where, after a space, something in a line is skipped

    def add_text(self, text: str) -> None:
        """Add text with white space collapsed; none starts a run or follows other white space."""
        if "\n" in text or "\t" in text or "  " in text:
            if not text.isascii() and max(text) >= _WIDE[0]:
                text = re.sub(_WIDE_WRAP, "", text)
            text = _WHITE_SPACE.sub(" ", text)
        if text[0] == " " and (not self.parts or self.parts[-1][-1] == " "):
            text = text[1:]
            if not text:
                return
        if "&" in text:
            text = unescape(text)
        self.parts.append(text)
        self.length += len(text)

    def add_inner(self, inner: str, tag: str, attributes: str, language: str = "") -> None:
        """Add the text of an element, marked if it is a formula or in another language."""
        start = self.length
        self.add_text(inner)
        if start == self.length:
            return  # white space alone
        if "arithmatex" in attributes:
            self.marks.append(Mark(start, self.length, "formula"))
        elif tag == "span" and ("lang=" in attributes or "dir=" in attributes):
            own_language = language_of(attributes, language)
            if own_language != language:
                self.marks.append(Mark(start, self.length, "language", own_language))

    def add_mark(self, tag: str, attributes: str, inner: str) -> None:
        """Add an inline element that contains only text."""
        start = self.length
        if inner:
            self.add_text(inner)
        elif attributes:
            self.add_icon(tag, attributes)
            return
        if start < self.length:
            self._mark(start, ROLES[tag], target_of(tag, attributes) if attributes else "")

    def add_icon(self, tag: str, attributes: str) -> None:
        """Add what an element without text shows: its label, or the icon of a font."""
        values = dict(_ATTRIBUTE.findall(attributes))
        classes = values.get("class", "")
        icon = classes if is_font_icon(classes) else ""
        name = (values.get("aria-label") or values.get("title") or "").strip()
        start = self.length
        if name and (icon or tag in _ICON_TAGS):
            self.add_text(name)
            self.marks.append(Mark(start, self.length, "icon", icon))
        elif icon:
            self._add_unnamed(icon)

    def open_role(self, tag: str, attributes: str) -> None:
        """Open an inline element."""
        self.roles.append((self.length, ROLES[tag], target_of(tag, attributes)))

    def close_role(self, _tag: str) -> None:
        """Close the innermost inline element."""
        if self.roles:
            start, role, href = self.roles.pop()
            if start < self.length:
                self._mark(start, role, href)

    def _mark(self, start: int, role: Role, href: str) -> None:
        """Mark the text from `start` on, unless it is a link without a target."""
        if role in _SIGNS_OF:
            href = self._write_signs(start, role)
        if href or role not in _WITH_TARGET:
            self.marks.append(Mark(start, self.length, role, href))

    def _write_signs(self, start: int, role: Role) -> str:
        """Write a power or an index as text: `10^6`, `2^(n+1)`, `m²`, `H₂O`.

        Returns:
            What it replaced, if anything.
        """
        index, position = len(self.parts), self.length
        while position > start:
            index -= 1
            position -= len(self.parts[index])
        raised = "".join(self.parts[index:])
        before = self.parts[index - 1] if index else ""
        if position != start or not before:
            return ""
        if raised.isascii() and raised.isdigit() and before[-1].isalpha():
            self.parts[index:] = [raised.translate(_SIGNS_OF[role])]
            return raised
        if re.fullmatch(_SUM[role], raised) and _is_base(before):
            sign = POWER if role == "sup" else "_"
            self.parts[index:] = [f"{sign}({raised})"]
            self.length = start + len(self.parts[-1])
            self.marks = [mark for mark in self.marks if mark.start < start]
            return raised
        if role == "sup" and is_power(before, raised.strip()):
            self.parts.insert(index, POWER)
            self.length += 1
            for number in range(len(self.marks) - 1, -1, -1):
                mark = self.marks[number]
                if mark.start < start:
                    break
                self.marks[number] = mark._replace(start=mark.start + 1, end=mark.end + 1)
        return ""

    def add_image(self, _tag: str, attributes: str) -> None:
        """Add a picture as its alternative text; an emoji is a character."""
        values = dict(_ATTRIBUTE.findall(attributes))
        text = (values.get("alt") or values.get("title") or "").strip()
        name = _SHORTCODE.fullmatch(text)
        text = name[1].replace("_", " ") if name else text
        role: Role = "image"
        if "data-icon" in values:
            role, icon = "icon", values["data-icon"]
            source = icon if is_drawn_icon(icon) else ""
        elif "moji" in values.get("class", "") and not text.isascii():
            source = ""  # the character itself is shown
        else:
            source = (
                f"{unescape(values.get('src', '')).strip().replace(' ', '%20')} {unescape(text)}"
            )
            self.pictures += 1
        start = self.length
        if text:
            self.add_text(text)
            if start < self.length:
                self.marks.append(Mark(start, self.length, role, source))
        else:
            self._add_unnamed(source, role)

    def _add_unnamed(self, source: str, role: Role = "icon") -> None:
        self.parts.append(ICON)
        self.length += 1
        self.unnamed += role == "icon"
        self.marks.append(Mark(self.length - 1, self.length, role, source))

    def skip(self) -> None:
        """Record that a footnote mark or struck text is skipped in a line."""
        if self.parts and self.parts[-1][-1] == " ":
            self.skips.append(self.length)

    def add_check_box(self, _tag: str, attributes: str) -> None:
        """Add a check box, or the button of a choice, and a space."""
        if ('type="checkbox"' in attributes or 'type="radio"' in attributes) and (
            "__tabbed" not in attributes
        ):
            self.parts += (CHECKED if " checked" in attributes else UNCHECKED, " ")
            self.marks.append(Mark(self.length, self.length + 3, "check"))
            self.length += 4

    def take(self) -> MarkedText:
        """Take the text and marks of the run; open inline elements continue in the next."""
        if self.breaks:
            self.breaks = []
        if self.unnamed:
            self._drop_outer_icons()
        if self.skips:
            self._close_up()
        if self.pictures:
            self._take_pictures_out()
        text = "".join(self.parts).rstrip(" \u00a0")
        marks = self.marks
        if not (marks or self.roles):
            self.parts, self.length = [], 0
            return text, ()
        if self.roles:
            marks += [
                Mark(start, self.length, role, href)
                for start, role, href in reversed(self.roles)
                if start < self.length and (href or role not in _WITH_TARGET)
            ]
            self.roles = [(0, role, href) for _, role, href in self.roles]
        if marks:
            self.marks = []
            size = len(text)
            if size < self.length:  # trailing white space was removed
                kept = (mark for mark in marks if mark.start < size or mark.start == mark.end)
                marks = [Mark(min(a, size), min(b, size), role, href) for a, b, role, href in kept]
            if len(marks) > 1:
                marks.reverse()  # the sort is stable, and outer elements close after inner ones
                marks.sort(key=lambda mark: (mark.start, -mark.end))
        self.parts, self.length = [], 0
        return text, tuple(marks)

    def _drop_outer_icons(self) -> None:
        """Drop decorative icons at the ends of a text, but not after a colon."""
        text = "".join(self.parts)
        self.unnamed = 0
        kept = text.strip(_DECORATION)
        if not kept:
            return
        start = text.index(kept)
        if kept.endswith((":", "\uff1a")):
            kept = text[start:]
        self._drop_spans(text, [(0, start), (start + len(kept), len(text))])

    def _take_pictures_out(self) -> None:
        """Remove the texts of pictures beside sentences, or that repeat them; their marks stay."""
        self.pictures = 0
        text = "".join(self.parts)
        pictures = [mark for mark in self.marks if mark.role == "image" and mark.href]
        characters = list(text)
        for mark in pictures:
            characters[mark.start : mark.end] = " " * (mark.end - mark.start)
        if not any(map(str.isalnum, characters)):
            return
        words = "".join(characters).rstrip()
        first = len(words) - len(words.lstrip())
        cuts = []
        for mark in pictures:
            above = re.split(_SENTENCE_END, words[max(0, mark.start - _NEAR) : mark.start])[-1]
            below = re.split(_SENTENCE_END, words[mark.end : mark.end + _NEAR])[0]
            is_within = above.strip() or (mark.start > first and below.lstrip()[:1].islower())
            said = re.findall(_LONG_WORD, f"{above} {below}".lower())
            name = re.findall(_LONG_WORD, text[mark.start : mark.end].lower())
            if is_within and mark.end < len(words) and {*said}.isdisjoint(name):
                continue  # "Press", a key, "to open the menu."
            is_followed = mark.end < len(text) and text[mark.end] == " "
            is_spaced = is_followed and text[mark.start - 1 : mark.start] in {"", " "}
            cuts.append((mark.start, mark.end + is_spaced))
        self._drop_spans(text, cuts)

    def _close_up(self) -> None:
        """Remove the spaces that skipped parts leave before punctuation: "a day [1]."."""
        text, skips = "".join(self.parts), dict.fromkeys(self.skips)
        self.skips = []
        spans = [(end - 1, end) for end in skips if text[end - 1 : end + 1] in _CLOSED_UP]
        self._drop_spans(text, spans)

    def _drop_spans(self, text: str, spans: Sequence[tuple[int, int]]) -> None:
        text, marks = without_spans(text, tuple(self.marks), spans)
        self.parts = [text] if text else []
        self.length = len(text)
        self.marks = list(marks)
        self.roles = [
            (start - sum(min(b, start) - a for a, b in spans if a < start), role, href)
            for start, role, href in self.roles
        ]


_LONG_WORD = r"\w{4,}"
_SENTENCE_END = "[.!?:\u2026]\\s|[\u3002\uff01\uff1f\uff1a]"
"""The end of a sentence, or of a lead-in."""
_NEAR = 200
"""How many characters around a picture may belong to its sentence."""
_CLOSED_UP = frozenset(f" {mark}" for mark in ".,:;!?)]\u2026")
"""A space before punctuation, left by a skipped part."""
_MOST_LINES = 100
"""A text with more lines is not split: each line looks at all marks."""
_LABELLED = r"\s*[^.!?:\u3002\uff1a]{1,40}(?::(?=\s)|\uff1a)"
"""The start of a line with a label, such as `Default: `."""


def labelled_lines(
    text: str, marks: tuple[Mark, ...], breaks: Sequence[int]
) -> Sequence[MarkedText]:
    """Return the lines of a marked text if two or more, and all but the first, have labels.

    One line with a label may be a sentence.
    """
    if not breaks:
        return ((text, marks),)
    edges = zip((0, *breaks), (*breaks, len(text)), strict=True)
    spans = [(start, end) for start, end in edges if text[start:end].strip()]
    labelled = [re.match(_LABELLED, text[start:end]) for start, end in spans]
    if not all(labelled[1:]) or not 1 < sum(map(bool, labelled)) <= _MOST_LINES:
        return ((text, marks),)
    lines = []
    for start, end in spans:
        first = end - len(text[start:end].lstrip())
        last = first + len(text[first:end].rstrip())
        inner = tuple(mark for mark in marks if mark.start < last and mark.end >= first)
        lines.append(without_spans(text, inner, [(0, first), (last, len(text))]))
    return lines


def without_spans(
    text: str, marks: tuple[Mark, ...], spans: Sequence[tuple[int, int]]
) -> MarkedText:
    """Return a marked text without some spans, ascending; the marks of pictures stay."""
    if not spans:
        return text, marks
    starts = [start for start, _ in spans]
    removed = [0, *accumulate(end - start for start, end in spans)]

    def moved(position: int) -> int:
        number = bisect_right(starts, position)
        if not number:
            return position
        start, end = spans[number - 1]
        return start - removed[number - 1] if position < end else position - removed[number]

    between = zip([(0, 0), *spans], [*spans, (len(text), 0)], strict=True)
    kept = "".join(text[start:end] for (_, start), (end, _) in between)
    shifted = [mark._replace(start=moved(mark.start), end=moved(mark.end)) for mark in marks]
    marks = tuple(mark for mark in shifted if mark.start < mark.end or mark.role == "image")
    return kept, marks


def is_power(before: str, raised: str) -> bool:
    """Tell whether a raised text is a power of the text before it, not the end of "1st" or "Mlle".

    Example:
        >>> is_power("10", "6"), is_power("The 1", "st"), is_power("e", "x"), is_power("M", "lle")
        (True, False, True, False)
    """
    if not before or not raised or not (before[-1].isalnum() or before[-1] in _BRACKETS):
        return False
    if raised[0] in _MARKS_OF_NAMES:
        return False
    if re.match(_POWER, raised):
        return True
    is_one_letter = len(raised) == 1 and raised.isalpha()
    if before[-1].isdigit():
        return is_one_letter and raised.casefold() not in _ORDINALS
    return is_one_letter and not before[-2:-1].isalpha()


def _is_base(before: str) -> bool:
    """Tell whether a number, a bracket or a letter alone is at the end of a text."""
    if before[-1].isalpha():
        return not before[-2:-1].isalpha()
    return before[-1].isdigit() or before[-1] in _BRACKETS


def heading_text(text: str) -> str:
    """Return a heading or title without an unrendered attribute list and emoji."""
    if "{" in text:
        text = _ATTRIBUTE_LIST.sub("", text)
    if ":" in text:
        text = _EMOJI.sub("", text)
    return text.strip()


_ATTRIBUTES: Final = r"""(?:[^<>"']+|"[^"]*"|'[^']*')*[^<>]*>?"""
"""The rest of a tag. It always matches, so there is no backtracking."""
_TOKEN: Final = rf"<!--(?:[^-]|-(?!->))*(?:-->)?|(<(/?)([a-z]*){_ATTRIBUTES})|([^<]+)"
_SIGNS: Final = {"mfrac": "/", "msub": "_", "msup": "^", "munder": "_", "mtr": ", ", "mtable": "; "}
"""The signs between the parts of an element."""
_SIMPLE: Final = re.compile(r"[\w.,]*|.")
_SPACE: Final = re.compile(r"\s+")
_UNWRITTEN: Final = {0x2061: " ", 0x2062: "", 0x2063: "", 0x2064: "+"}
"""Function application, and operators that are not written."""


def formulas_as_code(html: str) -> str:
    """Return HTML with each formula's MathML replaced by its source or its text."""
    parts = html.split("<math")
    output = parts[:1]
    for part in parts[1:]:
        inside, end, after = part.partition("</math")
        start = re.match(_ATTRIBUTES, inside).end()  # type: ignore[union-attr]  # it always matches
        attributes, mathml = inside[:start], inside[start:]
        is_formula = end and not attributes[:1].isalpha() and not is_unseen(attributes)
        text = escape(_linear(mathml)) if is_formula else ""  # it may be in an attribute
        after = after.partition(">")[2]
        is_alone = f">{output[-1]}".rstrip().endswith(">") and f"{after}<".lstrip().startswith("<")
        is_block = is_alone and 'display="block"' in attributes and "<annotation" not in mathml
        form = '<div class="arithmatex">{}</div>' if is_block else "<code>{}</code>"
        output.append(form.format(text) + after if text else f"<math{part}")
    return "".join(output)


def _linear(mathml: str) -> str:
    """Return a formula on one line: its source if stated, else the text of its elements."""
    source = ""
    opened: list[tuple[str, list[str]]] = [("math", [])]
    for whole, end, tag, text in re.findall(_TOKEN, mathml):
        if tag and not end and not whole.endswith("/>"):
            opened.append((tag, []))
        elif end and len(opened) > 1:
            tag, parts = opened.pop()  # noqa: PLW2901 - what ends, whatever its end tag says
            opened[-1][1].extend(filter(None, [_written(tag, parts)]))
        elif text.strip() and opened[-1][0] == "annotation":
            source = source or unescape(text)  # there may be others
        elif text := unescape(text).translate(_UNWRITTEN).strip("\n\t"):
            is_prose = opened[-1][0] == "mtext"
            opened[-1][1].append(_SPACE.sub(" ", text) if is_prose else text.strip())
    return source.strip() or "".join(chain.from_iterable(parts for _, parts in opened)).strip()


def _written(tag: str, parts: list[str]) -> str:
    if tag == "annotation":  # of XML, which says the same again
        return ""
    if tag in {"msqrt", "mroot"}:
        degree = parts.pop() if tag == "mroot" and len(parts) > 1 else ""
        return f"{degree}√{_grouped(''.join(parts))}"
    if tag in {"mfrac", "msub", "msup", "munder", "msubsup", "munderover"}:
        parts = [*map(_grouped, parts)]
    if tag in {"msubsup", "munderover"}:
        return "".join(map("".join, zip_longest(parts, "_^", fillvalue="")))
    return _SIGNS.get(tag, "").join(parts)


def _grouped(text: str) -> str:
    return text if _SIMPLE.fullmatch(text) else f"({text})"
