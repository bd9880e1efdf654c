"""Where fenced code stands in Markdown, and which fence each code block of a page comes from."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_CODE_INDENT = 4
"""A fence indented this much more than the one that opened is code itself."""
_FENCE = re.compile(r"[ \t>]*(?:(?:[-*+]|\d+[.)])[ \t]+)*(`{3,}(?=[^`]*$)|~{3,}(?=[^~]*$))")


def fences(lines: list[str]) -> list[range]:
    """Return where fenced code stands, its fences included; one that is never closed is text."""
    found: list[range] = []
    opened, column, fence = 0, 0, ""
    for number, line in enumerate(lines):
        if fence:
            indent = line.find(fence)
            if 0 <= indent < column + _CODE_INDENT and line.strip(" \t>") == fence:
                found.append(range(opened, number + 1))
                fence = ""
        elif ("```" in line or "~~~" in line) and (match := _FENCE.match(line)):
            opened, column, fence = number, match.start(1), match[1]
    return found


def without_code(lines: list[str], fenced: Sequence[range]) -> list[str]:
    """Return the lines with fenced code blanked."""
    kept = list(lines)
    for fence in fenced:
        kept[fence.start : fence.stop] = [""] * len(fence)
    return kept


def code_lines(codes: Sequence[str], lines: list[str], fenced: Sequence[range]) -> list[int | None]:
    """Find the fence of each code block: where as many hold the same code, in order."""
    places: dict[str, list[int]] = {}
    for fence in fenced if codes else ():
        code = _bare(lines[fence.start + 1 : fence.stop - 1])
        places.setdefault(code, []).append(fence.start)
    found = [_bare(code.split("\n")) for code in codes]
    counts = Counter(found)
    following = {code: iter(at) for code, at in places.items() if len(at) == counts[code]}
    return [next(following[code]) if code in following else None for code in found]


def _bare(lines: list[str]) -> str:
    """Return code without what differs by where it stands: indents and signs of a quote."""
    return "\n".join(filter(None, (line.strip(" \t>") for line in lines)))
