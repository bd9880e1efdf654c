"""A directive as it stands in a page's Markdown, and a marker in its place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mkdocs_recall.errors import DirectiveError


NAMES = ("recall", "synopsis")
"""The directives there are."""


class Span(NamedTuple):
    """Where a fence stands in the page's text: the half-open span `[start, end)`."""

    prefix: str
    """What stands before the fence on its first line: blanks, `> `, a list marker."""
    start: int
    """Where that line starts."""
    end: int
    """Where its last line ends, before the line end."""


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

    @property
    def span(self) -> Span:
        """Where it stands."""
        end = self.start + len(self.source.removesuffix("\r"))
        return Span(self.prefix, self.start, end)


def replace_fences(markdown: str, spans: Iterable[Span], markers: Iterable[str]) -> str:
    """Put each fence's marker, on one line with the fence's prefix, in its place.

    Takes the text in which the fences stand, the spans of all of them in order, and their markers.
    """
    kept: list[str] = []
    after = 0
    for span, marker in zip(spans, markers, strict=True):
        kept += markdown[after : span.start], span.prefix, marker
        after = span.end
    return "".join([*kept, markdown[after:]])


def may_hold_directive(markdown: str) -> bool:
    """Say whether it is worth while to look for directives; a False is certain."""
    return "recall" in markdown or "synopsis" in markdown
