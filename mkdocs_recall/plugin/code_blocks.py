"""The code blocks in a built page that should have been directives: nothing passes silently.

Text that becomes HTML before this plugin sees it holds no fence any more: what a plugin adds to a
page's content, what a theme's template renders. Seen are code blocks whose class names a directive;
an example of a fence is a block of another language. Pygments, which knows no language of that
name, leaves no class.
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


def code_block_names(html: str) -> list[str]:
    """Return the directives that are code blocks in a page, each once, in linear time."""
    return [name for name in NAMES if _is_code_block(name, html)]


def _is_code_block(name: str, html: str) -> bool:
    done, place = 0, html.find(name)
    while place >= 0:
        end = place + len(name)
        start = html.rfind("<", max(done, place - _LONGEST), place)
        if (
            start >= 0
            and html[end : end + 1] in _AFTER
            and html[start : start + 5].rstrip().lower() in _STARTS
            and _names_language(html[start:place])
        ):
            return True
        done, place = end, html.find(name, end)
    return False


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
