"""What a page's HTML holds, before it is cut into sentences."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

    from mkdocs_recall.text.model import Heading, Kind, Mark
    from mkdocs_recall.text.tables import Row

_ATTRIBUTE_LIST = re.compile(r" ?\{ ?:? ?[#.][^{}]*\} ?\Z")
_EMOJI = re.compile(r"(?<![\w:]):[a-z][a-z0-9_+-]*: ?(?![\w:])|(?<![\w:]):[a-z]+(?:-[a-z0-9]+)+: ?")


class Run(NamedTuple):
    """A run of text as it stands in the HTML: what becomes a `Block`, whose fields these are."""

    text: str
    kind: Kind
    top: int
    section: int
    headings: tuple[Heading, ...]
    marks: tuple[Mark, ...] = ()
    lead: int | None = None
    read: Callable[[], Row] | None = None
    """What makes its text and marks, which are empty here: of code, and of most rows of tables."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What a page's HTML holds: its runs of text and all its headings, in order."""

    runs: tuple[Run, ...]
    headings: tuple[Heading, ...]
    whole: bool = True
    """False where more stood there than the limits let be read."""


def heading_text(text: str) -> str:
    """Return a heading or title without an attribute list and emoji that were not rendered."""
    if "{" in text:
        text = _ATTRIBUTE_LIST.sub("", text)
    if ":" in text:
        text = _EMOJI.sub("", text)
    return text.strip()
