"""Whether HTML is a quote as `render` writes it: what is kept may have been written by a stranger.

A pull request may bring a cache as well as pages.
"""

from __future__ import annotations

import re
from html import unescape
from typing import Final

from mkdocs_recall.directives.links import is_rebased

_TAG: Final = re.compile(r"<[^<>]*>?")
_PLAIN: Final = (
    *("p", "br", "ul", "li", "pre", "code", "em", "strong", "cite", "summary"),
    *("table", "thead", "tbody", "tr", "th", "td"),
)
_OPENING: Final = {f"<{name}>": name for name in _PLAIN} | {'<p class="admonition-title">': "p"}
_CLASS: Final = "admonition|quote|note|recall|synopsis|recall-(?:note|semantic|explain)"
_BOX: Final = re.compile(
    rf'<(blockquote|ul|div|details) class="(?:{_CLASS})(?: (?:{_CLASS}))*" data-search-exclude>'
)
_LINK: Final = re.compile(r'<a href="([^"]+)">')
_CLOSED_BY_NOTHING: Final = "br"


def is_quote(html: str) -> bool:
    """Tell whether HTML is well formed, with the tags, classes and links of a quote alone."""
    waiting: list[str] = []
    for tag in _TAG.findall(html):
        if tag.startswith("</"):
            if not waiting or tag != f"</{waiting.pop()}>":
                return False
        elif name := _OPENING.get(tag) or _boxed(tag) or _linked(tag):
            if name != _CLOSED_BY_NOTHING:
                waiting.append(name)
        else:
            return False
    return not waiting


def _boxed(tag: str) -> str:
    found = _BOX.fullmatch(tag)
    return found[1] if found else ""


def _linked(tag: str) -> str:
    found = _LINK.fullmatch(tag)
    return "a" if found and is_rebased(unescape(found[1])) else ""
