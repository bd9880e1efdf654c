"""Text of others in a quote: nothing in it is markup, or turns what stands behind it."""

from __future__ import annotations

import re
from html import escape
from typing import Final

_TEMPLATE: Final = re.compile(r"\{(?=[{%#])")
_TURNING: Final = re.compile("[\u202a-\u202e\u2066-\u2069]")
_PDF: Final = "\u202c"
_PDI: Final = "\u2069"
_CLOSING: Final = dict.fromkeys("\u202a\u202b\u202d\u202e", _PDF) | dict.fromkeys(
    "\u2066\u2067\u2068", _PDI
)


def escape_html(text: str, *, quote: bool = False) -> str:
    """Return a text as HTML, in which a plugin that fills templates after us finds none.

    Args:
        text: The text.
        quote: Whether it stands between quotation marks.
    """
    html = escape(text, quote=quote)
    return _TEMPLATE.sub("&#123;", html) if "{" in html else html


def closing_direction_marks(text: str) -> str:
    """Return what ends the direction that marks in a text have turned; mostly nothing."""
    waiting: list[str] = []
    isolated = 0  # how many of them end an isolate
    for mark in () if text.isascii() else _TURNING.findall(text):
        if mark in _CLOSING:
            waiting.append(_CLOSING[mark])
            isolated += _CLOSING[mark] == _PDI
        elif mark == _PDI and isolated:
            isolated -= 1
            while waiting.pop() != _PDI:
                pass
        elif mark == _PDF and waiting and waiting[-1] == mark:
            waiting.pop()
    return "".join(reversed(waiting))
