"""Where HTML has the box of a quote, or of what is put in place of one."""

from __future__ import annotations

import re
from typing import Final

_NAME: Final = re.compile(r"\b(?:recall|synopsis)\b")
_END: Final = '" data-search-exclude'
"""What follows the classes of a box."""
_LONGEST: Final = 1000
"""Characters of the classes that are looked at."""


def has_quote(html: str) -> bool:
    """Return whether a page holds a quote, or what is put in place of one."""
    end = html.find(_END)
    while end >= 0:
        start = html.rfind('"', max(0, end - _LONGEST), end)
        if _is_box(html, start, end):
            return True
        end = html.find(_END, end + 1)
    return False


def is_in_box(html: str, place: int) -> bool:
    """Return whether the name of a directive, at a place in a page, is in the classes of a box."""
    end = html.find('"', place, place + _LONGEST)
    return (
        end >= 0
        and html.startswith(_END, end)
        and _is_box(html, html.rfind('"', max(0, place - _LONGEST), place), end)
    )


def _is_box(html: str, start: int, end: int) -> bool:
    """Return whether the text between two quotation marks is the classes of a box."""
    return start >= 0 and html.endswith("class=", 0, start) and bool(_NAME.search(html, start, end))
