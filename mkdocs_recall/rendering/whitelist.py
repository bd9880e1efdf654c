"""Whether HTML is a quote as `render` writes it: what is kept may have been written by a stranger.

A pull request may bring a cache as well as pages.
"""

from __future__ import annotations

import re
from html import unescape
from typing import Final

from mkdocs_recall.rendering.links import is_rebased

_TAG: Final = re.compile(r"<[^<>]*>?")
_PLAIN: Final = (
    *("p", "ul", "li", "pre", "code", "em", "strong", "cite", "summary"),
    *("table", "thead", "tbody", "tr", "th", "td"),
)
_CLOSED_BY: Final = {f"<{name}>": f"</{name}>" for name in _PLAIN} | {
    '<p class="admonition-title">': "</p>"
}
"""The tags that are always written alike, and what closes each."""
_CLOSED_BY_NOTHING: Final = "<br>"
_CLASS: Final = "admonition|quote|note|recall|synopsis|recall-(?:note|semantic|explain)"
_BOX: Final = re.compile(
    rf'<(blockquote|ul|div|details) class="(?:{_CLASS})(?: (?:{_CLASS}))*" data-search-exclude>'
)
_LINK: Final = re.compile(r'<a href="([^"]+)">')


def is_quote(html: str) -> bool:
    """Tell whether HTML is well formed, with the tags, classes and links of a quote alone."""
    waiting: list[str] = []
    for tag in _TAG.findall(html):
        if waiting and tag == waiting[-1]:
            waiting.pop()
            continue
        closing = _CLOSED_BY.get(tag) or _closing_box(tag) or _closing_link(tag)
        if closing:
            waiting.append(closing)
        elif tag != _CLOSED_BY_NOTHING:
            return False
    return not waiting


def _closing_box(tag: str) -> str:
    found = _BOX.fullmatch(tag)
    return f"</{found[1]}>" if found else ""


def _closing_link(tag: str) -> str:
    found = _LINK.fullmatch(tag)
    return "</a>" if found and is_rebased(unescape(found[1])) else ""
