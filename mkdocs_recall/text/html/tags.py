"""What the tags and classes of rendered HTML mean, and how attributes are read."""

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
"""What holds raw text, which is never escaped."""
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
"""What has no end tag."""

Part: TypeAlias = Literal[
    "",
    "item",
    "list",
    "terms",
    "term",
    "definition",
    "box",
    "title",
    "quote",
    "tabs",
    "tab",
    "apart",
    "quiet",
]
"""What a block is for those in it: `box` is an admonition, `title` what stands above its text,
`apart` what nothing leads in to, `quiet` where no text counts but code blocks do."""
PARTS: dict[str, Part] = {
    **dict.fromkeys(("ul", "ol", "menu", "dir"), "list"),
    "li": "item",
    "dl": "terms",
    "dt": "term",
    "dd": "definition",
    "details": "box",
    "summary": "title",
    "blockquote": "quote",
}
_PART_OF_CLASS: dict[str, Part] = {
    **dict.fromkeys(("admonition-title", "markdown-alert-title", "callout-title"), "title"),
    **dict.fromkeys(("admonition", "markdown-alert", "callout"), "box"),
    **dict.fromkeys(("tabbed-content", "tabbed-block"), "tab"),
    **dict.fromkeys(("highlight", "highlighttable", "codehilitetable"), "quiet"),
    "tabbed-set": "tabs",
    "footnote": "apart",
}

_WRAPPER_TAGS = frozenset(
    {"body", "div", "section", "article", "main", "center", "header", "footer"}
)
"""Grouping that an author does not see as a block; a `div` is one only without these classes:"""
_BOX_CLASSES = frozenset({"admonition", "tabbed-set", "footnote", "grid"})
_SKIPPED_CLASSES = frozenset(
    {
        *("headerlink", "footnote-ref", "footnote-backref", "twemoji", "tabbed-labels"),
        *("toc", "linenos", "arithmatex"),
    }
)
_HIGHLIGHT = "highlight"
_CODE_BOXES = frozenset({"div", "figure", "pre", "table", "section"})
"""What may hold a code block; another tag with the class `highlight` is left out."""
_SENTENCE_PARTS = frozenset({_HIGHLIGHT, "arithmatex"})
"""Skipped as blocks only: on `<code>` and `<span>` they are part of the sentence."""

_OWN_CLASS = ' class="'
_CLASS = re.compile(r'(?<=\sclass=")[^"]*')
_HREF = re.compile(r'(?<=\shref=")[^"]*')
_ID = re.compile(r'(?<=\sid=")[^"]*')


def class_of(attributes: str) -> str:
    """Return the classes of a tag as they are written."""
    if attributes.startswith(_OWN_CLASS):
        start = len(_OWN_CLASS)
        return attributes[start : attributes.find('"', start)]
    found = _CLASS.search(attributes)
    return found[0] if found else ""


def href_of(attributes: str) -> str:
    """Return where a link leads."""
    found = _HREF.search(attributes)
    return unescape(found[0]) if found else ""


def id_of(attributes: str) -> str:
    """Return the anchor of a tag."""
    found = _ID.search(attributes)
    return unescape(found[0]) if found else ""


@lru_cache(maxsize=1024)
def is_skipped(tag: str, classes: str) -> bool:
    """Tell whether a tag is left out, with all that is in it, for its classes."""
    names = frozenset(classes.split())
    if tag in {"code", "span"} and not _SENTENCE_PARTS.isdisjoint(names):
        return False
    if not _SKIPPED_CLASSES.isdisjoint(names):
        return True
    if _HIGHLIGHT in names:
        return tag not in _CODE_BOXES
    return "critic" in names and "comment" in names


@lru_cache(maxsize=1024)
def part_of(classes: str) -> Part:
    """Return what a block is for those in it, for its classes."""
    return next((_PART_OF_CLASS[name] for name in classes.split() if name in _PART_OF_CLASS), "")


def is_quiet(attributes: str) -> bool:
    """Tell whether a table only sets code beside its line numbers."""
    return 'class="' in attributes and part_of(class_of(attributes)) == "quiet"


def is_wrapper(tag: str, attributes: str) -> bool:
    """Tell whether a block only groups others, so that these are top-level blocks."""
    return tag in _WRAPPER_TAGS and (
        'class="' not in attributes or _BOX_CLASSES.isdisjoint(class_of(attributes).split())
    )


def unescape(text: str) -> str:
    """Undo what a serialiser escapes; `&amp;` last, so that `&amp;lt;` stays `&lt;`."""
    if "&" not in text:
        return text
    text = text.replace("&nbsp;", "\u00a0").replace("&lt;", "<").replace("&gt;", ">")
    return text.replace("&quot;", '"').replace("&amp;", "&")


_TAG = re.compile(r"<[^<>]*>")
_NUMBER = re.compile(r'<span class="linenos[^<>]*>[^<>]*</span>')
_BREAK = re.compile(r"<br ?/?>")
_BLANK_LINES = re.compile(r"\A(?:[^\S\n]*\n)+")
_SHORT = 200
"""HTML of a code block in which there may be no code at all."""


def is_diagram(attributes: str) -> bool:
    """Tell whether what is drawn from text stands in a `pre`."""
    return "mermaid" in attributes and "mermaid" in class_of(attributes.replace("'", '"')).split()


def is_code(html: str) -> bool:
    """Tell whether there is anything in a code block."""
    return len(html) > _SHORT or bool(code_text(html))


def code_text(html: str) -> str:
    """Return the text of a code block, its lines as they stand."""
    if "<" in html:
        if "<br" in html:
            html = _BREAK.sub("\n", html)
        if "linenos" in html:
            html = _NUMBER.sub("", html)
        html = _TAG.sub("", html)
    if "&" in html:
        html = _unescape_highlighted(html)
    return _BLANK_LINES.sub("", html.rstrip())


def _unescape_highlighted(html: str) -> str:
    """Undo what highlighters escape; where there is more, look it all up, which takes longer."""
    text = html.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", '"')
    text = text.replace("&#39;", "'")
    if text.count("&") != text.count("&amp;"):
        return entities.unescape(html)
    return text.replace("&amp;", "&")
