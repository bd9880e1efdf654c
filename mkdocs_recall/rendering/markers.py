"""The invisible marker that holds a directive's place: a comment in Markdown and in HTML."""

from __future__ import annotations

import re
from hashlib import blake2b
from typing import Final

from mkdocs_recall.directives.fences import MARKER_HINT

MARKER: Final = re.compile(rf"<{MARKER_HINT}([0-9a-f]{{1,64}}) -->")
_MARKED: Final = re.compile(rf"{MARKER_HINT}([0-9a-f]{{1,64}}) ")
_TRIES: Final = 50


def marker_id(uri: str, ordinal: int) -> str:
    """Return the id of a page's directive number `ordinal`: 16 hex digits, unique over a site."""
    return blake2b(f"{uri}\n{ordinal}".encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def marker(identity: str) -> str:
    """Return the marker with an id, for a line of its own in Markdown."""
    return f"<{MARKER_HINT}{identity} -->"


def marked_ids(text: str) -> set[str]:
    """Return the ids of the markers in a text, which may be escaped."""
    return set(_MARKED.findall(text))


def find_mark(html: str, start: int = 0) -> int:
    """Return the offset of the next `MARKER_HINT`, or -1.

    A search for one character is several times faster than one for a word, and `!` is rare in HTML;
    where it is not, the word is searched for after some tries.
    """
    for _ in range(_TRIES):
        start = html.find(MARKER_HINT[0], start)
        if start < 0 or html.startswith(MARKER_HINT, start):
            return start
        start += 1
    return html.find(MARKER_HINT, start)
