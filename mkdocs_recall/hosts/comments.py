"""The comment that holds a directive in a page of any generator, before and after it is filled.

The fence stands in it encoded, so that nothing in it ends the comment or is changed on its way. A
quote stays between the comment and its end, and can so be made anew at any time.
"""

from __future__ import annotations

import re
from base64 import b64decode, b64encode
from binascii import Error
from typing import Final

from mkdocs_recall.directives.fences import Fence, find_fences
from mkdocs_recall.text.theme import FENCE_OPENING

COMMENT: Final = re.compile(rf"{FENCE_OPENING}([A-Za-z0-9+/]{{4,}}={{0,2}}) -->")


def fence_comment(fence: str) -> str:
    """Return the comment that holds a fence."""
    return f"{FENCE_OPENING}{b64encode(fence.encode('utf-8', 'replace')).decode()} -->"


def directive_comment(fence: Fence) -> str:
    """Return the comment that holds a directive, as a fence of its own."""
    name = "yaml embedm" if fence.embedm else fence.name
    return fence_comment(fence_text(name, fence.body))


def fence_text(name: str, body: str) -> str:
    """Return a directive as a fence that its body cannot close.

    Args:
        name: What follows the backticks, such as `recall`.
    """
    longest = max(map(len, re.findall("`+", body)), default=0)
    marks = "`" * max(3, longest + 1)
    return f"{marks}{name}\n{body}\n{marks}"


def read_comment(match: re.Match[str]) -> Fence | None:
    """Return the fence in a comment; None if it holds anything else.

    Args:
        match: A match of `COMMENT`.
    """
    try:
        text = b64decode(match[1], validate=True).decode()
    except (Error, ValueError):
        return None
    fences = find_fences(text)
    return fences[0] if len(fences) == 1 and fences[0].source == text else None
