"""A directive as it stands in a page's Markdown, and a marker in its place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mkdocs_recall.errors import DirectiveError


@dataclass(frozen=True, slots=True)
class Fence:
    """A directive as it stands in the page."""

    name: str
    """`recall` or `synopsis`."""
    embedm: bool
    """Whether it came as `yaml embedm`, which has other defaults."""
    prefix: str
    """What stands before the fence on its first line: blanks, `> `, a list marker."""
    first: int
    """The line of the opening fence, from 0."""
    last: int
    """The line of the closing fence; `first` where there is none."""
    body: str
    """The lines between, without prefix and dedented: line `n` of it is line `first + 1 + n`."""
    source: str
    """The lines `first` to `last` as written."""
    start: int
    """Where these start in the page's text."""
    fault: DirectiveError | None = None
    """What is wrong with the fence itself."""


def replace_fences(markdown: str, fences: Iterable[Fence], markers: Iterable[str]) -> str:
    """Put each fence's marker, on one line with the fence's prefix, in its place.

    Takes the text in which the fences were found, all of them in order, and a marker for each.
    """
    kept: list[str] = []
    after = 0
    for fence, marker in zip(fences, markers, strict=True):
        kept += markdown[after : fence.start], fence.prefix, marker
        after = fence.start + len(fence.source.removesuffix("\r"))
    return "".join([*kept, markdown[after:]])
