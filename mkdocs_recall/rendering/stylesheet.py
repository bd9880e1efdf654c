"""The stylesheet of quotes: a file of the site that only pages with a quote link to."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

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


def unwritten_message(error: OSError) -> str:
    """Return the warning for a stylesheet that cannot be written into the built site."""
    return (
        f"the stylesheet '{STYLESHEET}' cannot be written, so quotes have the theme's own look: "
        f"{error}; check the permissions of the site's folder, or set 'css: false'"
    )


def has_quote(html: str) -> bool:
    """Return whether a page holds a quote, or what is put in place of one."""
    end = html.find(_BOX_END)
    while end >= 0:
        start = html.rfind('"', 0, end)
        if html.endswith("class=", 0, max(0, start)) and _BOX.search(html, start, end):
            return True
        end = html.find(_BOX_END, end + 1)
    return False


def with_link(html: str, url: str, *, before: Iterable[str] = ()) -> str:
    """Return a page with one link to the stylesheet; unchanged if it has no head.

    Args:
        html: The whole page.
        url: Its URL, relative to the site's root.
        before: The author's own stylesheets; the link goes before the first of them in the page, so
            that their rules win.
    """
    html = without_link(html)
    end = html.find(_HEAD_END)
    if end < 0:
        return html
    places = (html.find(f'{path}"', 0, end) for path in before)
    starts = [html.rfind("<link", 0, place) for place in places if place >= 0]
    start = min((start for start in starts if start >= 0), default=end)
    link = _link_from(url.count("/"))
    if start == end:  # of long pages, each slice is a copy
        return html.replace(_HEAD_END, link + _HEAD_END, 1)
    return f"{html[:start]}{link}{html[start:]}"


def without_link(html: str) -> str:
    """Return a page without a link to the stylesheet."""
    end = html.find(_HEAD_END)
    if html.find("recall.css", 0, max(0, end)) < 0:
        return html
    return _LINK.sub("", html[:end]) + html[end:]


@cache
def _link_from(depth: int) -> str:
    """Return the link of a page that is so many folders below the site's root."""
    return f'<link rel="stylesheet" href="{"../" * depth}{STYLESHEET}">'
