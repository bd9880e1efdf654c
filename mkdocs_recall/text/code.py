"""The HTML of a code block → its text."""

from __future__ import annotations

import re
from html import unescape

from mkdocs_recall.text.tags import class_of

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
        html = _unescaped(html)
    return _BLANK_LINES.sub("", html.rstrip())


def _unescaped(html: str) -> str:
    """Undo what highlighters escape; where there is more, look it all up, which takes longer."""
    text = html.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", '"')
    text = text.replace("&#39;", "'")
    if text.count("&") != text.count("&amp;"):
        return unescape(html)
    return text.replace("&amp;", "&")
