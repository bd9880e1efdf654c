"""The stylesheet of quotes, and the links to it in pages of a finished site."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

STYLESHEET: Final = "assets/recall.css"
"""Its path from the site's root."""
_BOX: Final = re.compile(r"\b(?:recall|synopsis)\b")
"""In the class of a quote, which `_BOX_END` follows."""
_BOX_END: Final = '" data-search-exclude'
_LINK: Final = re.compile(r'<link rel="stylesheet" href="[^"<>]*assets/recall\.css">')
_HEAD_END: Final = "</head>"


def stylesheet() -> bytes:
    """Return the content of the stylesheet."""
    return Path(__file__).with_name("recall.css").read_bytes()


def has_quote(html: str) -> bool:
    """Return whether a page holds a quote, or what is put in place of one."""
    end = html.find(_BOX_END)
    while end >= 0:
        start = html.rfind('"', 0, end)
        if html.endswith("class=", 0, max(0, start)) and _BOX.search(html, start, end):
            return True
        end = html.find(_BOX_END, end + 1)
    return False


def with_link(html: str, url: str) -> str:
    """Return a page with one link to the stylesheet; unchanged if it has no head.

    Args:
        html: The whole page.
        url: Its URL, relative to the site's root.
    """
    link = f'<link rel="stylesheet" href="{"../" * url.count("/")}{STYLESHEET}">'
    return without_link(html).replace(_HEAD_END, link + _HEAD_END, 1)


def without_link(html: str) -> str:
    """Return a page without a link to the stylesheet."""
    end = html.find(_HEAD_END)
    if html.find("recall.css", 0, max(0, end)) < 0:
        return html
    return _LINK.sub("", html[:end]) + html[end:]
