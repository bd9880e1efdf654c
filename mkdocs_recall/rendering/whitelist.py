"""A check that HTML is a quote as `rendering.html` writes it, for quotes that come from a cache.

A stranger may have written those: a pull request may bring a cache as well as pages.
"""

from __future__ import annotations

import re
from html import unescape
from typing import Final

from mkdocs_recall.rendering.escape import holds_template
from mkdocs_recall.rendering.links import is_rebased

TABLE_TAG: Final = '<table class="recall-table" tabindex="0">'
"""The start of a quoted table: the keyboard reaches it, since it may scroll."""
TOKEN_NAME: Final = "[a-z][a-z0-9]{0,3}"  # noqa: S105 - a pattern of names
"""The class of a token of coloured code, as Pygments names them."""
LANGUAGE_CLASS: Final = r"language-(?!(?:recall|synopsis)\b)[\w+#.-]{1,30}"
"""The class of code that the browser colours; but of no directive in a finished site."""
BOX_CLASSES: Final = ("highlight", "codehilite")
"""The classes of the boxes whose styles colour tokens: of pymdownx, Sphinx and codehilite."""
_PLAIN: Final = (
    *("p", "ul", "li", "pre", "code", "em", "strong", "cite", "summary"),
    *("table", "thead", "tbody", "tr", "th", "td"),
)
_CLOSED_BY: Final = {name: f"/{name}" for name in _PLAIN} | {
    'p class="admonition-title"': "/p",
    TABLE_TAG.strip("<>"): "/table",
    **{f'div class="{name}"': "/div" for name in BOX_CLASSES},
}
"""The start tags that never vary, and the end tag of each; all tags here are without brackets."""
_BREAK: Final = "br"
_IN_CODE: Final = ("span ", "code ")
_CLASS: Final = "admonition|quote|note|recall|synopsis|recall-(?:note|semantic|explain)"
_RECEIPT: Final = r"[\w.~/%-]+#[\w.~/%-]*:\d*:[0-9a-f]{32}"
_RECEIPTS: Final = (
    r' data-recall-site="[^"<>]*" data-recall-version="[\w.+]+"'
    rf' data-recall-receipts="{_RECEIPT}(?: {_RECEIPT})*"'
)
_BOX: Final = re.compile(
    rf'(blockquote|ul|div|details) class="(?:{_CLASS})(?: (?:{_CLASS}))*" data-search-exclude'
    rf"(?:{_RECEIPTS})?",
    re.ASCII,
)
_CODE: Final = re.compile(
    rf'(?:(span) class="{TOKEN_NAME}"|(code) class="{LANGUAGE_CLASS}")', re.ASCII
)
"""A token of coloured code, or code that the browser colours."""
_LINK: Final = re.compile(r'a href="([^"]+)"')
_ORDINARY_LINK: Final = re.compile(r'a href="(?:https?://)?[\w./#?=~%+@,-]+"', re.ASCII)
"""Most links: `is_rebased` takes them, and no entity is in them."""


def is_quote(html: str) -> bool:
    """Return whether HTML is well formed, with only what a quote has: tags, classes, links."""
    end_tags: list[str] = []
    for part in html.split("<")[1:]:  # an expression that finds the tags takes far longer
        tag, bracket, _ = part.partition(">")
        if not bracket:
            return False
        if end_tags and tag == end_tags[-1]:
            end_tags.pop()
            continue
        end_tag = _CLOSED_BY.get(tag)
        if end_tag is None and tag.startswith("a "):
            end_tag = _end_of_link(tag)
        elif end_tag is None and tag.startswith(_IN_CODE):
            if "/pre" in end_tags:  # elsewhere, a theme's class could hide text
                end_tag = _end_of_code(tag)
        elif end_tag is None:
            end_tag = _end_of_box(tag)
        if end_tag:
            end_tags.append(end_tag)
        elif tag != _BREAK:
            return False
    return not end_tags and not holds_template(html)


def _end_of_box(tag: str) -> str:
    box = _BOX.fullmatch(tag)
    return f"/{box[1]}" if box else ""


def _end_of_code(tag: str) -> str:
    code = _CODE.fullmatch(tag)
    return f"/{code[1] or code[2]}" if code else ""


def _end_of_link(tag: str) -> str:
    if _ORDINARY_LINK.fullmatch(tag):
        return "/a"
    link = _LINK.fullmatch(tag)
    return "/a" if link and is_rebased(unescape(link[1])) else ""
