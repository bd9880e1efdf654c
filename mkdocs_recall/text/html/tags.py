"""The meaning of tags and classes in rendered HTML, and the text of attributes and code blocks."""

from __future__ import annotations

import html as entities
import re
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from mkdocs_recall.text.model import Role

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
