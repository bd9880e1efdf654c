"""The invisible marker that stands for a directive, and the quote in its place in rendered HTML.

A marker is a comment. It comes out bare between blocks, but also inside a paragraph, where a quote,
which is a block, would not be valid: there the paragraph is closed before the quote and opened
again after it. In a heading, a `<summary>`, or straight in a list or table, where neither is valid,
the quote goes behind it. A marker inside a comment, a raw text element or a tag stays what it is.
Inline elements other than `<br>` are closed and opened again like a paragraph, `<button>` too.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from hashlib import blake2b
from html import escape
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

MARKER_HINT: Final = "!-- recall:"  # what every marker holds, escaped or not
MARKER: Final = re.compile(rf"<{MARKER_HINT}([0-9a-f]{{1,64}}) -->")
BLANKS: Final = " \t\r\n\f"
RAW: Final = ("script", "style", "textarea", "title", "iframe")
FLOW: Final = (
    "address|article|aside|blockquote|center|details|dialog|div|fieldset|figcaption|figure|footer"
    "|form|header|main|nav|search|section"
)
OFTEN: Final = 10
"""So many times one text holds a quote, or a fence as code. Plugins that copy pages copy a marker
once or twice; who writes one by hand could have a line of his become megabytes."""
_TRIES: Final = 50
_ESCAPED: Final = re.compile(rf"&lt;{MARKER_HINT}([0-9a-f]{{1,64}}) --&gt;")
_HIDING: Final = {"<!--": "-->"} | {f"<{name}": f"</{name}" for name in RAW}
_HIDES: Final = re.compile("|".join(_HIDING))
_BEHIND: Final = re.compile(  # a tag behind which nothing is open that a quote must not stand in
    rf"(?:</(?:p|ul|ol|dl|table|pre|h[1-6]|{FLOW})>|<(?:li|dd|dt|td|th|{FLOW})(?: [^<>]*)?>)\Z"
)
_BR: Final = re.compile(r"[ \t\r\n\f]*<br\b")


@dataclass(frozen=True, slots=True)
class Placed:
    """A page's HTML after `place`, and what became of its markers; an id in neither is missing."""

    html: str
    placed: Mapping[str, int] = field(default_factory=dict)
    """How often each quote's marker stood there."""
    restored: Mapping[str, int] = field(default_factory=dict)
    """How often each marker had come out as code; it is the author's fence again."""


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


def place(html: str, quotes: Mapping[str, str], sources: Mapping[str, str]) -> Placed:
    """Put quotes where their markers stand in rendered HTML, so that it stays valid.

    Markers with other ids are left alone, and one that is there too often vanishes. Takes time
    linear in the HTML.

    Args:
        html: A page's content, or all of it.
        quotes: Block-level HTML by the id of its marker.
        sources: By the id, the fence as written, which stands again where it stood in code.
    """
    restored: Counter[str] = Counter()
    marks = _marks(html)
    if any(html.endswith("&lt;", 0, at) for at in marks):
        html = _restore(html, sources, restored)
        marks = _marks(html)
    markers = [MARKER.match(html, at - 1) for at in marks if html.endswith("<", 0, at)]
    found = [match for match in markers if match and match[1] in quotes]
    if not found:
        return Placed(html, {}, dict(restored))
    if _behind_blocks(html, found):
        placed = Counter(match[1] for match in found)
        html = _replaced(html, found, quotes)
    else:
        from mkdocs_recall.directives.insertion import insert  # noqa: PLC0415 - needed on some pages

        html, placed = insert(html, quotes)
    return Placed(html, dict(placed), dict(restored))


def _marks(html: str) -> list[int]:
    """Return all the places that `find_mark` finds."""
    found, at = [], find_mark(html)
    while at >= 0:
        found.append(at)
        at = find_mark(html, at + 1)
    return found


def _replaced(html: str, markers: list[re.Match[str]], quotes: Mapping[str, str]) -> str:
    parts: list[str] = []
    after = 0
    placed: Counter[str] = Counter()
    for match in markers:
        placed[match[1]] += 1
        quote = quotes[match[1]] if placed[match[1]] <= OFTEN else ""
        parts += html[after : match.start()], quote
        after = match.end()
    return "".join([*parts, html[after:]])


def _restore(html: str, sources: Mapping[str, str], restored: Counter[str]) -> str:
    """Put fences back where their markers are text, indented as much less as the marker is."""

    def fence(match: re.Match[str]) -> str:
        if match[1] not in sources:
            return match[0]
        restored[match[1]] += 1
        if restored[match[1]] > OFTEN:
            return ""
        first, *others = sources[match[1]].replace("\r", "").split("\n")
        ticks = re.search("`{3}|~{3}", first)
        prefix = first[: ticks.start()] if ticks else ""
        blank = prefix.strip(" \t") == ""
        blanks = match.start() - _before(html, match.start(), " \t")
        cut = max(0, len(prefix) - blanks) if blank else 0
        others = [line[min(cut, len(line) - len(line.lstrip(" \t"))) :] for line in others]
        return escape("\n".join([first[len(prefix) :], *others]))

    return _ESCAPED.sub(fence, html)


def _before(html: str, at: int, blanks: str = BLANKS) -> int:
    """Return where the white space that ends at `at` starts."""
    while at and html[at - 1] in blanks:
        at -= 1
    return at


def _behind_blocks(html: str, markers: list[re.Match[str]]) -> bool:
    """Say whether a quote can just replace each marker: one is valid wherever a block is.

    That is seen from the tag before it, where no comment and no raw text is open.
    """
    behind = 0
    for match in markers:
        at = _before(html, match.start())
        if at != behind and not _BEHIND.match(html, html.rfind("<", 0, at), at):
            return False
        before = match.start()
        opened = {start[0]: start.start() for start in _HIDES.finditer(html, behind, before)}
        if any(html.find(_HIDING[name], start, before) < 0 for name, start in opened.items()):
            return False
        behind = match.end()
        if _BR.match(html, behind):
            return False
    return True
