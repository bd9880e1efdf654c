"""The place of a passage as one text, `guides/auth.md#expiry`: a page, and a section of it."""

from __future__ import annotations

import re
from typing import Final

_PAGE: Final = re.compile(
    r".*?\.(?:md|markdown|mdown|mkdn|mkd|mdx|rst|qmd|adoc|ipynb|html?)(?=#|\Z)",
    re.DOTALL | re.IGNORECASE,
)
"""The path of a page: its name may have a `#`, but ends as pages do."""


def split_place(place: str) -> tuple[str, str]:
    """Return the page and the section of a place; the section is empty for the whole page."""
    page = _PAGE.match(place)
    if page is None:
        path, _, anchor = place.partition("#")
        return path, anchor
    return page[0], place[page.end() + 1 :]
