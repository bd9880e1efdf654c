"""The invisible marker that holds a directive's place: a comment in Markdown and in HTML."""

from __future__ import annotations

import re
from hashlib import blake2b
from typing import Final

MARKER_HINT: Final = "!-- recall:"  # what every marker holds, escaped or not
MARKER: Final = re.compile(rf"<{MARKER_HINT}([0-9a-f]{{1,64}}) -->")
_TRIES: Final = 50


def marker_id(uri: str, ordinal: int) -> str:
    """Return the id of a page's directive number `ordinal`: 16 hex digits, unique over a site."""
    return blake2b(f"{uri}\n{ordinal}".encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def marker(identity: str) -> str:
    """Return the marker with an id, which stands on a line of its own in Markdown."""
    return f"<{MARKER_HINT}{identity} -->"


def find_mark(html: str, at: int = 0) -> int:
    """Return where a marker may next stand, escaped or not, but for its first sign; -1: nowhere.

    One character is found several times faster than a word, and `!` is rare in HTML.
    """
    for _ in range(_TRIES):
        at = html.find(MARKER_HINT[0], at)
        if at < 0 or html.startswith(MARKER_HINT, at):
            return at
        at += 1
    return html.find(MARKER_HINT, at)
