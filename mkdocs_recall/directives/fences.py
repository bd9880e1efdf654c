"""The fence of a directive in a page's Markdown, and its replacement by a marker.

Finding fences is for `parser`.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mkdocs_recall.errors import DirectiveError


NAMES: Final = ("recall", "synopsis")
"""The directives there are."""
MARKER_HINT: Final = "!-- recall:"
"""What the marker in place of a fence has in it, escaped or not."""
_LIKENESS: Final = 0.82
"""Of `difflib`: one letter more or less, two swapped; below is the name of a language, Rell."""
_OPENINGS: Final = tuple(
    (mark, re.compile(rf"{mark}[ \t{{.]*([^\s{{}}`~]{{4,14}})")) for mark in ("```", "~~~")
)
"""What opens a fence, and the first word after it."""
_TYPE: Final = re.compile(r"^[ \t>]*type:[ \t]*[\"']?(\w{4,14})", re.MULTILINE)


class Span(NamedTuple):
    """The place of a fence in the page's text: the half-open span `[start, end)`."""

    prefix: str
    """What precedes the fence on its first line: spaces, `> `, a list marker."""
    start: int
    """The offset of the first line."""
    end: int
    """The end of the last line, before its line end."""


class Fence(NamedTuple):
    """A directive as written in a page."""

    name: str
    """`recall` or `synopsis`; of a fence that is no directive, its info string."""
    embedm: bool
    """Whether it was written as `yaml embedm`, which has other defaults."""
    prefix: str
    """What precedes the fence on its first line: spaces, `> `, a list marker."""
    first: int
    """The line of the opening fence, from 0."""
    last: int
    """The line of the closing fence; `first` where there is none."""
    body: str
    """The lines between, dedented and without prefix: its line `n` is line `first + 1 + n`."""
    source: str
    """The lines `first` to `last` as written."""
    start: int
    """The offset of these in the page's text."""
    fault: DirectiveError | None = None
    """What is wrong with the fence itself."""

    @property
    def span(self) -> Span:
        """Its place in the page's text."""
        end = self.start + len(self.source.removesuffix("\r"))
        return Span(self.prefix, self.start, end)


def replace_fences(markdown: str, spans: Iterable[Span], markers: Iterable[str]) -> str:
    """Replace each fence by its marker, on one line with the fence's prefix.

    Args:
        spans: The spans of all its fences, in order.
    """
    parts: list[str] = []
    end = 0
    for span, marker in zip(spans, markers, strict=True):
        parts += markdown[end : span.start], span.prefix, marker
        end = span.end
    return "".join([*parts, markdown[end:]])


def may_hold_directive(markdown: str) -> bool:
    """Return whether a text may hold a directive; False is certain."""
    return "recall" in markdown or "synopsis" in markdown


@lru_cache(maxsize=256)
def near_name(word: str) -> str:
    """Return the directive that a word is or nearly is; else an empty string."""
    from difflib import get_close_matches

    return next(iter(get_close_matches(word.lower(), NAMES, 1, _LIKENESS)), "")


def may_hold_near_miss(markdown: str) -> bool:
    """Return whether a text may hold a fence with nearly the right name; False is certain.

    Whether it is one depends on its surroundings, see `near_misses`.
    """
    if "query" not in markdown and "source" not in markdown:  # a key may be in quotation marks
        return False
    words = {
        word
        for mark, pattern in _OPENINGS
        if mark in markdown
        for word in pattern.findall(markdown)
    }
    if "embedm" in markdown:
        words.update(_TYPE.findall(markdown))
    return any(map(near_name, words.difference(NAMES)))
