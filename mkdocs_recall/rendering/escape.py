"""Text of pages made safe for a quote: it holds no markup and turns no text that follows it."""

from __future__ import annotations

import re
from html import escape
from typing import Final

_TEMPLATE: Final = re.compile(r"\{(?=[{%#])")
_DIRECTION_MARKS: Final = re.compile("[\u202a-\u202e\u2066-\u2069]")
_PDF: Final = "\u202c"
"""POP DIRECTIONAL FORMATTING: ends an embedding or an override."""
_PDI: Final = "\u2069"
"""POP DIRECTIONAL ISOLATE: ends an isolate, and all that is open in it."""
_CLOSED_BY: Final = dict.fromkeys("\u202a\u202b\u202d\u202e", _PDF) | dict.fromkeys(
    "\u2066\u2067\u2068", _PDI
)


def escape_html(text: str, *, quote: bool = False) -> str:
    """Return a text as HTML in which a plugin that fills templates later finds none."""
    html = escape(text, quote=quote)
    return _TEMPLATE.sub("&#123;", html) if "{" in html else html


def holds_template(html: str) -> bool:
    """Tell whether a plugin that fills templates later would find one in HTML."""
    return "{" in html and _TEMPLATE.search(html) is not None


def closing_direction_marks(text: str) -> str:
    """Return the marks that end the text directions which a text leaves open; mostly none."""
    pending: list[str] = []
    isolates = 0  # how many of them end an isolate
    for mark in () if text.isascii() else _DIRECTION_MARKS.findall(text):
        if mark in _CLOSED_BY:
            pending.append(_CLOSED_BY[mark])
            isolates += _CLOSED_BY[mark] == _PDI
        elif mark == _PDI and isolates:
            isolates -= 1
            while pending.pop() != _PDI:
                pass
        elif mark == _PDF and pending and pending[-1] == mark:
            pending.pop()
    return "".join(reversed(pending))
