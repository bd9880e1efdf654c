"""The common case of a page's directives, seen without going through its lines.

Every fence of such a page, down to its last directive, is one at the left margin, closed by the
next line of ticks. What is found is what `syntax` would find, in a fraction of the time.
"""

from __future__ import annotations

import re
from typing import Final

from mkdocs_recall.directives import NAMES
from mkdocs_recall.directives.fences import Fence
from mkdocs_recall.directives.hidden import may_hide
from mkdocs_recall.directives.openings import NAMED

_OPENING: Final = re.compile(rf"```({'|'.join(NAMES)}) *\n")
"""Without the start of the line, which is looked at afterwards: so it is searched fast."""


def simple_fences(markdown: str) -> list[Fence] | None:
    """Return a page's directives; None if it is no simple page, or has none."""
    if "\r" in markdown or "\t" in markdown:
        return None
    found: list[Fence] = []
    at = number = 0
    for opening in _OPENING.finditer(markdown):
        start, inside = opening.span()
        above = markdown[at:start]
        closing = markdown.find("\n```", inside - 1) + 1
        end = markdown.find("\n", closing)
        end = len(markdown) if end < 0 else end
        body = markdown[inside : max(inside, closing - 1)]
        if (
            start < at
            or (start and markdown[start - 1] != "\n")
            or not closing
            or "```" in above
            or "~~~" in above
            or ("<" in above and may_hide(above))
            or markdown[closing + 3 : end].strip(" ")
            or "```" in body
            or body.startswith(" ")
            or "\n " in body
        ):
            return None
        first = number + above.count("\n")
        number = first + markdown.count("\n", start, end)
        source = markdown[start:end]
        found.append(Fence(opening[1], False, "", first, number, body, source, start))  # noqa: FBT003 - its fields
        at = end
    others = any(sign in markdown and NAMED[sign].search(markdown, at) for sign in NAMED)
    return None if others or not found else found
