"""The colours of quoted code: those that the site's own highlighter gave it on its page.

Only the classes of its tokens are taken over, and the name of the language where the browser
colours the code. So any highlighter that writes short classes, as Pygments does, counts with all of
its settings, and none has to be run.
"""

from __future__ import annotations

import re
from html import unescape
from typing import TYPE_CHECKING, Final, NamedTuple

from mkdocs_recall.rendering.escape import escape_html
from mkdocs_recall.rendering.whitelist import BOX_CLASSES, LANGUAGE_CLASS, TOKEN_NAME
from mkdocs_recall.text.html.tags import code_text, without_line_numbers

if TYPE_CHECKING:
    from collections.abc import Callable

_BLOCK: Final = re.compile(r"<pre\b[^<>]*>(.*?)</pre>", re.DOTALL)
_BOX_REACH: Final = 500
"""Characters before a code block in which its box is looked for."""
_LANGUAGE: Final = re.compile(rf'<code class="(?:[^"]* )?({LANGUAGE_CLASS})[ "]')
_TOKEN: Final = re.compile(TOKEN_NAME)
_PART: Final = re.compile(r"<(/?)([a-z]+)\b([^<>]*)>|([^<]+)")
"""A tag, or the text between two."""
_CLASS: Final = re.compile(r'\sclass="([^"]*)"')
_SPACE: Final = "w"


class _Token(NamedTuple):
    text: str
    name: str
    """Its class; empty for none."""


class CodeColours:
    """The coloured code blocks of pages."""

    def __init__(self, html_of: Callable[[str], str]) -> None:
        """Take what returns the HTML of a page by its uri."""
        self._html_of = html_of
        self._uri = ""
        self._blocks: dict[str, tuple[str, str]] = {}
        """By its text, the HTML in each code block of that page, and the class of its box."""

    def html(self, uri: str, code: str, end: int) -> str:
        """Return the start of a code block of a page as HTML; empty where it has no colours.

        Args:
            end: How many characters of it are quoted.
        """
        if uri != self._uri:
            self._uri, self._blocks = uri, _code_blocks(self._html_of(uri))
        inner, box = self._blocks.get(code, ("", ""))
        tokens = _tokens(inner, code, end) if "<span" in inner else []
        if any(token.name for token in tokens):
            spans = "".join(
                f'<span class="{token.name}">{escape_html(token.text)}</span>'
                if token.name
                else escape_html(token.text)
                for token in tokens
            )
            return f'<div class="{box}"><pre><code>{spans}\n</code></pre></div>'
        language = _LANGUAGE.search(inner)
        if language is None:
            return ""
        return f'<pre><code class="{language[1]}">{escape_html(code[:end])}\n</code></pre>'


def _code_blocks(html: str) -> dict[str, tuple[str, str]]:
    blocks: dict[str, tuple[str, str]] = {}
    for match in _BLOCK.finditer(html):
        start = match.start()
        reach = max(0, start - _BOX_REACH)
        box = max(BOX_CLASSES, key=lambda name: html.rfind(f'{name}"', reach, start))
        blocks.setdefault(code_text(match[1]), (match[1], box))
    return blocks


def _tokens(html: str, code: str, end: int) -> list[_Token]:
    """Return the tokens of the first `end` characters; none where the HTML has another text."""
    found = _all_tokens(without_line_numbers(html))
    start = "".join(token.text for token in found).find(code)
    if start < 0:
        return []
    tokens: list[_Token] = []
    done = -start
    for token in found:
        text = token.text[max(0, -done) : max(0, end - done)]
        done += len(token.text)
        if text:
            tokens.append(_Token(text, token.name))
        if done >= end:
            break
    return tokens


def _all_tokens(html: str) -> list[_Token]:
    """Return the texts of a code block, each with the innermost class of a token around it.

    HTML that a highlighter would not write may be misread. Its text is then another one.
    """
    tokens: list[_Token] = []
    opened = [""]
    for closes, tag, attributes, text in _PART.findall(html):
        if text:
            tokens.append(_Token(unescape(text), opened[-1]))
        elif tag == "br":
            tokens.append(_Token("\n", ""))
        elif tag == "span" and not closes:
            stated = _CLASS.search(attributes)
            name = stated[1] if stated else ""
            is_token = _TOKEN.fullmatch(name) and name != _SPACE
            opened.append(name if is_token else opened[-1])
        elif tag == "span" and len(opened) > 1:
            opened.pop()
    return tokens
