"""The text of a page's HTML before it is split into sentences, and the meaning of its tags.

A `Run` becomes a `Block`; `HtmlContent` is the result for a page. `RunBuilder` collects the text of
one block together with the spans of its inline elements; its subclasses in `html` decide where
blocks end. What tags and classes mean, and the text of attributes and code blocks, is here, too.
"""

from __future__ import annotations

import html as entities
import re
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from mkdocs_recall.text.model import Mark

if TYPE_CHECKING:
    from collections.abc import Callable

    from mkdocs_recall.text.model import Heading, Kind, Role


RAW_TAGS = (
    *("script", "style", "iframe", "noembed", "noframes", "plaintext", "xmp", "textarea"),
    "title",
)
"""Elements that contain raw text, in which nothing is escaped."""
SKIPPED_TAGS = frozenset(
    {
        *("label", "nav", "button", "select", "object", "audio"),
        *("svg", "math", "del", "template"),
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
    **dict.fromkeys(("code", "kbd", "samp", "tt"), "code"),
    **dict.fromkeys(("em", "i"), "em"),
    **dict.fromkeys(("strong", "b"), "strong"),
    "a": "link",
}
VOID_TAGS = frozenset(
    {
        *("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param"),
        *("source", "track", "wbr"),
    }
)
"""Elements without an end tag."""

Part: TypeAlias = Literal[
    "",
    "item",
    "list",
    "definition_list",
    "term",
    "definition",
    "admonition",
    "title",
    "quote",
    "tab_set",
    "tab_contents",
    "tab",
    "figure",
    "caption",
    "footnotes",
    "code_box",
]
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
    **dict.fromkeys(("highlight", "highlighttable", "codehilitetable"), "code_box"),
    "tabbed-set": "tab_set",
    "tabbed-content": "tab_contents",
    "tabbed-block": "tab",
    "footnote": "footnotes",
}

_WRAPPER_TAGS = frozenset(
    {"body", "div", "section", "article", "main", "center", "header", "footer"}
)
"""Elements that only group blocks, unless they have one of the classes in `_BLOCK_CLASSES`."""
_BLOCK_CLASSES = frozenset({"admonition", "tabbed-set", "footnote", "grid"})
_SKIPPED_CLASSES = frozenset(
    {
        *("headerlink", "footnote-ref", "footnote-backref", "twemoji"),
        *("toc", "linenos", "arithmatex"),
    }
)
_HIGHLIGHT = "highlight"
_CODE_BOXES = frozenset({"div", "figure", "pre", "table", "section"})
"""Elements that may contain a code block; others with the class `highlight` are skipped."""
_INLINE_CLASSES = frozenset({_HIGHLIGHT, "arithmatex"})
"""Classes that do not skip `<code>` and `<span>`, which are part of a sentence."""

_BADGE = re.compile(r"(?:^|\s)(?:mdx-)?(?:badge(?:-\S+)?|versionmodified)(?:\s|$)")
"""The classes of badges: of Bootstrap, of Material for MkDocs, of Sphinx."""
_BADGE_TAGS = frozenset({"span", "a", "strong", "em", "b", "i", "code", "sup", "small", "mark"})

_OWN_CLASS = ' class="'
_CLASS = re.compile(r'(?<=\sclass=")[^"]*')
_HREF = re.compile(r'(?<=\shref=")[^"]*')
_ID = re.compile(r'(?<=\sid=")[^"]*')
_TAG = re.compile(r"<[^<>]*>")
_TAG_END = re.compile(r">([^<]*)")
_LINE_NUMBER = re.compile(r'<span class="linenos[^<>]*>[^<>]*</span>')
_BREAK = re.compile(r"<br ?/?>")
_BLANK_LINES = re.compile(r"\A(?:[^\S\n]*\n)+")
_SHORT = 200
"""Longer HTML of a code block, in characters, certainly contains code."""


def class_of(attributes: str) -> str:
    """Return the value of a tag's `class`."""
    if attributes.startswith(_OWN_CLASS):
        start = len(_OWN_CLASS)
        return attributes[start : attributes.find('"', start)]
    match = _CLASS.search(attributes)
    return match[0] if match else ""


def href_of(attributes: str) -> str:
    """Return the target of a link."""
    match = _HREF.search(attributes)
    return unescape(match[0]) if match else ""


def id_of(attributes: str) -> str:
    """Return the anchor of a tag."""
    match = _ID.search(attributes)
    return unescape(match[0]) if match else ""


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


@lru_cache(maxsize=1024)
def is_badge(tag: str, classes: str) -> bool:
    """Tell whether an element in a line is a badge, which alone is no text."""
    return tag in _BADGE_TAGS and _BADGE.search(classes) is not None


@lru_cache(maxsize=1024)
def part_of(classes: str) -> Part:
    """Return the role of an element by its classes; empty if they give none."""
    return next((_PART_OF_CLASS[name] for name in classes.split() if name in _PART_OF_CLASS), "")


def is_code_table(attributes: str) -> bool:
    """Tell whether a table only puts code beside its line numbers."""
    return 'class="' in attributes and part_of(class_of(attributes)) == "code_box"


def is_alternate(attributes: str) -> bool:
    """Tell whether a set of tabs has the titles of all tabs in front of their contents."""
    return "tabbed-alternate" in class_of(attributes).split()


def is_code_title(attributes: str) -> bool:
    """Tell whether an element in the box around code holds the code's title."""
    return "filename" in attributes and "filename" in class_of(attributes).split()


def is_wrapper(tag: str, attributes: str) -> bool:
    """Tell whether an element only groups blocks, which are then top-level blocks themselves."""
    return tag in _WRAPPER_TAGS and (
        'class="' not in attributes or _BLOCK_CLASSES.isdisjoint(class_of(attributes).split())
    )


def unescape(text: str) -> str:
    """Undo the escapes of a serialiser; `&amp;` last, so that `&amp;lt;` becomes `&lt;`."""
    if "&" not in text:
        return text
    text = text.replace("&nbsp;", "\u00a0").replace("&lt;", "<").replace("&gt;", ">")
    return text.replace("&quot;", '"').replace("&amp;", "&")


def is_diagram(attributes: str) -> bool:
    """Tell whether a `pre` with these attributes contains the source of a diagram."""
    return "mermaid" in attributes and "mermaid" in class_of(attributes.replace("'", '"')).split()


def is_code(html: str) -> bool:
    """Tell whether a code block contains any code."""
    return len(html) > _SHORT or bool(code_text(html))


def code_text(html: str) -> str:
    """Return the text of a code block with its lines unchanged."""
    if "<" in html:
        if "<br" in html:
            html = _BREAK.sub("\n", html)
        html = _without_tags(without_line_numbers(html))
    if "&" in html:
        html = _unescape_highlighted(html)
    return _BLANK_LINES.sub("", html.rstrip())


def _without_tags(html: str) -> str:
    """Return HTML without its tags; a `<` that opens none stays."""
    head = html.partition("<")[0]
    texts = _TAG_END.findall(html, len(head))
    if len(texts) == html.count("<"):  # each opens a tag: to join the texts takes two thirds
        return head + "".join(texts)
    return _TAG.sub("", html)


def without_line_numbers(html: str) -> str:
    """Return the HTML in a code block without the numbers of its lines."""
    return _LINE_NUMBER.sub("", html) if "linenos" in html else html


def _unescape_highlighted(html: str) -> str:
    """Undo the escapes of highlighters; if there are others, all entities, which is slower."""
    text = html.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", '"')
    text = text.replace("&#39;", "'")
    if text.count("&") != text.count("&amp;"):
        return entities.unescape(html)
    return text.replace("&amp;", "&")


_ATTRIBUTE_LIST = re.compile(r" ?\{ ?:? ?[#.][^{}]*\} ?\Z")
_EMOJI = re.compile(r"(?<![\w:]):[a-z][a-z0-9_+-]*: ?(?![\w:])|(?<![\w:]):[a-z]+(?:-[a-z0-9]+)+: ?")
_WHITE_SPACE = re.compile(r"[\t\n\r\f][ \t\n\r\f]*| [ \t\n\r\f]+")
"""White space other than a single space."""
_WIDE = "\u2e80-\u312f\u31a0-\u31ff\u3400-\u9fff\uf900-\ufaff\uff00-\uffef"


class MarkedText(NamedTuple):
    """Text with its inline markup."""

    text: str
    marks: tuple[Mark, ...]


class Run(NamedTuple):
    """A run of text, which becomes a `Block`; these are the block's fields."""

    text: str
    kind: Kind
    top: int
    section: int
    headings: tuple[Heading, ...]
    marks: tuple[Mark, ...] = ()
    lead: int | None = None
    read: Callable[[], MarkedText] | None = None
    """Makes the text and marks, which are empty here: of code, and of most rows of tables."""


class HtmlContent(NamedTuple):
    """The content of a page's HTML: its runs of text and all its headings, in order."""

    runs: tuple[Run, ...]
    headings: tuple[Heading, ...]
    whole: bool = True
    """False if the HTML is longer than the limits allow, so that only its start was read."""


class RunBuilder:
    """The text of one block while it is read, with its marks."""

    def __init__(self) -> None:
        """Start without text."""
        self.parts: list[str] = []
        self.length = 0
        self.badges = 0  # how many characters of it, without spaces, are in badges
        self.marks: list[Mark] = []
        self.roles: list[tuple[int, Role, str]] = []  # open inline elements: start, role, href

    def add_text(self, text: str) -> None:
        """Add text with white space collapsed; none starts a run or follows other white space."""
        if "\n" in text or "\t" in text or "  " in text:
            if not text.isascii() and max(text) >= _WIDE[0]:
                text = _wide_wrap().sub("", text)
            text = text.replace("\n", " ")  # most often that is all there is to do
            if "  " in text or "\t" in text or "\r" in text or "\f" in text:
                text = _WHITE_SPACE.sub(" ", text)
        if text[0] == " " and (not self.parts or self.parts[-1][-1] == " "):
            text = text[1:]
            if not text:
                return
        if "&" in text:
            text = unescape(text)
        self.parts.append(text)
        self.length += len(text)

    def add_mark(self, tag: str, attributes: str, inner: str) -> None:
        """Add an inline element that contains only text."""
        start = self.length
        if inner:
            self.add_text(inner)
        if start < self.length:
            if (role := ROLES[tag]) != "link":
                self.marks.append(Mark(start, self.length, role))
            elif href := href_of(attributes):
                self.marks.append(Mark(start, self.length, role, href))

    def open_role(self, tag: str, attributes: str) -> None:
        """Open an inline element."""
        role = ROLES[tag]
        self.roles.append((self.length, role, href_of(attributes) if role == "link" else ""))

    def close_role(self, _tag: str) -> None:
        """Close the innermost inline element."""
        if self.roles:
            start, role, href = self.roles.pop()
            if start < self.length and (role != "link" or href):
                self.marks.append(Mark(start, self.length, role, href))

    def take_text(self) -> tuple[str, tuple[Mark, ...]]:
        """Take the text and marks of the run, without text if it consists of badges."""
        badges = self.badges
        text, marks = self.take()
        return ("", ()) if badges and badges >= len(text.replace(" ", "")) else (text, marks)

    def take(self) -> tuple[str, tuple[Mark, ...]]:
        """Take the text and marks of the run; open inline elements continue in the next."""
        self.badges = 0
        text = "".join(self.parts).rstrip(" \u00a0")
        marks = self.marks
        if not (marks or self.roles):
            self.parts, self.length = [], 0
            return text, ()
        if self.roles:
            marks += [
                Mark(start, self.length, role, href)
                for start, role, href in reversed(self.roles)
                if start < self.length and (role != "link" or href)
            ]
            self.roles = [(0, role, href) for _, role, href in self.roles]
        if marks:
            self.marks = []
            size = len(text)
            if size < self.length:  # white space at the end was removed
                marks = [
                    Mark(start, min(end, size), role, href)
                    for start, end, role, href in marks
                    if start < size
                ]
            if len(marks) > 1:
                marks.reverse()  # the sort is stable, and outer elements close after inner ones
                marks.sort(key=_outer_first)
        self.parts, self.length = [], 0
        return text, tuple(marks)


def heading_text(text: str) -> str:
    """Return a heading or title without an unrendered attribute list and emoji."""
    if "{" in text:
        text = _ATTRIBUTE_LIST.sub("", text)
    if ":" in text:
        text = _EMOJI.sub("", text)
    return text.strip()


@cache
def _wide_wrap() -> re.Pattern[str]:
    """Return what finds a line break between characters of scripts that are written without spaces.

    It is made on need: that takes 4 ms, and few pages have such characters.
    """
    return re.compile(rf"\n(?<=[{_WIDE}]\n)[ \t]*(?=[{_WIDE}])")


def _outer_first(mark: Mark) -> tuple[int, int]:
    return mark.start, -mark.end
