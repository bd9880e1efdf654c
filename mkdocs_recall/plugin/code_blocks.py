"""The code blocks in a page's HTML that should have been quotes: nothing passes silently.

Text that becomes HTML before this plugin sees it holds no fence any more, such as what a plugin
adds to a page's content. Seen are code blocks whose class names a directive; an example of a fence
is a block of another language. Pygments, which knows no language of that name, leaves no class.
"""

from __future__ import annotations

import re
from typing import Final

from mkdocs_recall.directives.fences import NAMES

_LONGEST: Final = 1000
"""Characters of a start tag that is looked at, up to the name in its class."""
_TAG: Final = re.compile(r"<(code|pre|div)\s", re.IGNORECASE)
_STARTS: Final = frozenset({"<code", "<pre", "<div"})
"""How such a tag starts; most names are in quotes of ours, which are boxes of other tags."""
_CLASS: Final = re.compile(r"\sclass\s*=\s*[\"']?", re.IGNORECASE)
_PREFIXES: Final = ("language-", "lang-")
_AFTER: Final = frozenset(" \t\n\"'>")
"""What ends a name in a class."""


def shown_as_code(html: str) -> list[str]:
    """Return the directives that are code blocks in the HTML of a page, each once.

    Few names of directives are in a page. So it is searched for them, in linear time.
    """
    code_blocks: list[str] = []
    for name in NAMES:
        done, place = 0, html.find(name)
        while place >= 0:
            end = place + len(name)
            if html[end : end + 1] in _AFTER and _is_code_block(html, done, place):
                code_blocks.append(name)
                break
            done, place = end, html.find(name, end)
    return code_blocks


def _is_code_block(html: str, done: int, place: int) -> bool:
    """Tell whether a name is the language in the class of a code block."""
    start = html.rfind("<", max(done, place - _LONGEST), place)
    return (
        start >= 0
        and html[start : start + 5].rstrip().lower() in _STARTS
        and _names_language(html[start:place])
    )


def _names_language(tag: str) -> bool:
    """Tell whether a word after the start of a tag is a language in its class."""
    kind, classes = _TAG.match(tag), list(_CLASS.finditer(tag))
    if not (kind and classes) or ">" in tag:
        return False
    value = tag[classes[-1].end() :].lower()
    if '"' in value or "'" in value:
        return False
    prefix = "" if value[-1:].isspace() else (value.split() or [""])[-1]
    # without a prefix, `div` is what a box of ours is made of
    return prefix in _PREFIXES or (not prefix and kind[1].lower() != "div")
