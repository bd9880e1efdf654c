"""Version badges: short texts that only say since, or until, which version something exists.

A paragraph is a badge, in any language, if it has at most six words, one of them a version number,
and is no sentence: nothing ends it, and no comma or colon divides it into parts without a number.
`1.2` may be a quantity, and `v2` part of a name, so they count only as the last of at most five
words, or before a dot or a bar; `1.2.3`, `v1.2` and `1.2+` count anywhere. A number in inline code
is a value. (`html.tags` knows badges by their classes, whatever they say.)
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

_MOST_WORDS: Final = 6
_LONGEST: Final = 80
"""How many characters a badge has at most."""
_VERSION: Final = re.compile(
    r"(?<![\w./])(?:v\d+(?:\.\d+)+|\d+(?:\.\d+){2,}|\d+\.\d+(?=\+|-[a-z])|\d+(?:\.\d+)*\.x\b|"
    r"v?\d+\+)(?:[.+-][\w+]*)*(?![\w/])",
    re.IGNORECASE,
)
"""What can only be a version."""
_DECIMAL: Final = re.compile(r"(?:[^:=]*\s)?(?:\d+\.|v)\d+(?:$|\s*[·•|])")
"""A number that may be a version, as the last of some words or before a separator."""
_MOST_AROUND: Final = 5
"""How many words such a number and the others have at most."""
_END: Final = re.compile(r"[.,!?;:。！？；：…]\W*$")
_PART_END: Final = re.compile(r"[,;]\s|[.!?]\s")


def is_version_badge(text: str, code: Sequence[tuple[int, int]] = ()) -> bool:
    """Tell whether a paragraph is nothing but a version badge."""
    if len(text) > _LONGEST or not any(char.isdecimal() for char in text):
        return False
    if code and any(char.isdecimal() for start, end in code for char in text[start:end]):
        return False
    text = text.strip()
    if text.startswith(("(", "[")) and text.rstrip(".").endswith((")", "]")):
        text = text.rstrip(".")[1:-1]
    words = text.split()
    if len(words) > _MOST_WORDS or _END.search(text):
        return False
    return all(_names_version(part) for part in _PART_END.split(text))


def _names_version(part: str) -> bool:
    """Tell whether a part of a text names a version."""
    if _VERSION.search(part):
        return True
    return len(part.split()) <= _MOST_AROUND and _DECIMAL.match(part) is not None
