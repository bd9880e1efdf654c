"""The directives that a built page names: code blocks that should have been quotes, and markers.

Nothing passes silently.

Text that becomes HTML before this plugin sees it holds no fence any more: what a plugin adds to a
page's content, what a theme's template renders. Seen are code blocks whose class names a directive;
an example of a fence is a block of another language. Pygments, which knows no language of that
name, leaves no class.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from mkdocs_recall.directives.fences import MARKER_HINT, NAMES

_NAME_IN_MARKER: Final = MARKER_HINT.index("recall")
_LONGEST: Final = 1000
"""Characters of a start tag that is looked at, up to the name in its class."""
_TAG: Final = re.compile(r"<(code|pre|div)\s", re.IGNORECASE)
_STARTS: Final = frozenset({"<code", "<pre", "<div"})
"""How such a tag starts; most names are in quotes of ours, which are boxes of other tags."""
_CLASS: Final = re.compile(r"\sclass\s*=\s*[\"']?", re.IGNORECASE)
_PREFIXES: Final = ("language-", "lang-")
_AFTER: Final = frozenset(" \t\n\"'>")
"""What ends a name in a class."""


class DirectiveNames(NamedTuple):
    """Where a built page has the name of a directive."""

    code_blocks: list[str]
    """The directives that are code blocks, each once."""
    has_marker: bool
    """Whether one is in what may be a marker that is not filled."""


def directive_names(html: str) -> DirectiveNames | None:
    """Return where a page has the name of a directive, None for nowhere, in linear time.

    Few names are in a page. So it is searched for them alone, and once: the rest is seen there.
    """
    code_blocks: list[str] = []
    is_named = has_marker = False
    for name in NAMES:
        done, place = 0, html.find(name)
        while place >= 0:
            is_named = True
            end = place + len(name)
            if html[end : end + 1] in _AFTER:
                if name not in code_blocks and _is_code_block(html, done, place):
                    code_blocks.append(name)
            elif html.startswith(MARKER_HINT, place - _NAME_IN_MARKER):
                has_marker = True
            done, place = end, html.find(name, end)
    return DirectiveNames(code_blocks, has_marker) if is_named else None


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
