"""Chronicles: pages that list what has happened, such as release notes.

They mention everything and explain little of it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from mkdocs_recall.text.model import Document

MIN_SECTIONS: Final = 3
"""A page with fewer sections is no chronicle …"""
ENTRIES: Final = 4
"""… nor is one with fewer than one entry among so many sections."""
_HEADING_SIZE: Final = 120
"""Characters of a heading that are looked at: the name of an entry is short."""
_VERSION: Final = r"(?:(?:version|release)\s+)?v?\d+(?:\.(?:\d+|x))+[\w.+-]*"
_DATE: Final = r"(?:19|20)\d\d-\d\d(?:-\d\d)?"
_ENTRY: Final = re.compile(
    # A version by itself, or before a year: "1.1 Introduction" is a chapter.
    rf"\W*(?:{_VERSION}\W*(?:$|.*(?<!\d)(?:19|20)\d\d(?!\d))|{_DATE}(?!\d))",
    re.IGNORECASE,
)
"""The start of a heading that names an entry: `1.6.1`, `Version 2.0 (Friday 30th August, 2024)`,
`[0.5.0] - 2025-01-31`, `2024-05-01`."""


def is_chronicle(document: Document) -> bool:
    """Tell whether a quarter of a page's sections are below the heading of an entry."""
    headings = [heading for heading in document.headings if heading.level > 1]
    if len(headings) < MIN_SECTIONS:
        return False
    entries, level = 0, 0  # the level of the entry that the section belongs to; 0 for none
    for heading in headings:
        if level and heading.level > level:
            entries += 1
        elif _ENTRY.match(heading.text[:_HEADING_SIZE]):
            level = heading.level
            entries += 1
        else:
            level = 0
    return entries * ENTRIES >= len(headings)
