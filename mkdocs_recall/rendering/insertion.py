"""The insertion of quotes at their markers in rendered HTML, which stays valid.

A marker is a comment. It comes out bare between blocks, but also inside a paragraph, where a quote,
which is a block, would not be valid: there the paragraph is closed before the quote and opened
again after it. In a heading, a `<summary>`, or directly in a list or table, where neither is valid,
the quote goes after it. A marker inside a comment, a raw text element or a tag is left alone.
Inline elements other than `<br>` are closed and opened again like a paragraph, `<button>` too.

Most markers follow a block, and the quote just replaces them. All others are left to `tag_scan`.
"""

from __future__ import annotations

import re
from collections import Counter
from html import escape
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple

from mkdocs_recall.directives.fences import MARKER_HINT
from mkdocs_recall.rendering.links import rebase_html
from mkdocs_recall.rendering.markers import MARKER, find_mark, marked_ids

if TYPE_CHECKING:
    from collections.abc import Mapping

MAX_COPIES: Final = 10
"""How often one text holds a quote, or a fence as code, at most. Plugins that copy pages copy a
marker once or twice; a marker written by hand could otherwise turn a line into megabytes."""
WHITE_SPACE: Final = " \t\r\n\f"
RAW: Final = ("script", "style", "textarea", "title", "iframe")
FLOW: Final = (
    "address|article|aside|blockquote|center|details|dialog|div|fieldset|figcaption|figure|footer"
    "|form|header|main|nav|search|section"
)
_BR: Final = re.compile(r"[ \t\r\n\f]*<br\b")
_ESCAPED: Final = re.compile(rf"&lt;{MARKER_HINT}([0-9a-f]{{1,64}}) --&gt;")
_HIDING: Final = {"<!--": "-->"} | {f"<{name}": f"</{name}" for name in RAW}
_HIDES: Final = re.compile("|".join(_HIDING))
_BEFORE_QUOTE: Final = re.compile(
    rf"(?:</(?:p|ul|ol|dl|table|pre|h[1-6]|{FLOW})>|<(?:li|dd|dt|td|th|{FLOW})(?: [^<>]*)?>)\Z"
)
"""A tag after which nothing is open that a quote is not valid in."""


class PageQuote(NamedTuple):
    """A quote in both forms, with the links of the page that it was rendered for."""

    html: str
    markdown: str
    url: str
    """The page's URL, relative to the site's root."""
    fence: str = ""
    """The directive as written; empty if a marker that has come out as code stays."""


class Insertion(NamedTuple):
    """A page's HTML with its quotes, and how its markers fared.

    An id that is neither in `placed` nor in `restored` was not in the HTML.
    """

    html: str
    placed: Mapping[str, int] = MappingProxyType({})
    """How many markers of each quote were replaced."""
    restored: Mapping[str, int] = MappingProxyType({})
    """How many markers of each quote had come out as code, and are the author's fence again."""


def insert_linked(
    html: str, quotes: Mapping[str, PageQuote], url: str, site: str = ""
) -> Insertion:
    """Insert quotes with links that lead from another place, see `rebase_html`."""
    found = {identity: quotes[identity] for identity in marked_ids(html) & quotes.keys()}
    linked = {i: rebase_html(quote.html, quote.url, url, site) for i, quote in found.items()}
    return insert_quotes(html, linked, {i: q.fence for i, q in found.items() if q.fence})


def insert_quotes(html: str, quotes: Mapping[str, str], sources: Mapping[str, str]) -> Insertion:
    """Insert quotes at their markers in rendered HTML, which stays valid.

    Leaves markers with other ids alone, and drops those that occur too often. Takes time linear in
    the HTML.
    """
    # A marker is a comment where a block may stand. Mostly it does stand between blocks, and is
    # replaced. But a template may have put it into a paragraph, a heading or an attribute, where a
    # block quote is no valid HTML: then the tags are read, and the quote is put where one may be.
    # An escaped marker means that the fence is shown as text, so its source is put back.
    restored: Counter[str] = Counter()
    offsets = _find_marks(html)
    if any(html.endswith("&lt;", 0, offset) for offset in offsets):
        html = _restore(html, sources, restored)
        offsets = _find_marks(html)
    matches = [MARKER.match(html, at - 1) for at in offsets if html.endswith("<", 0, at)]
    markers = [match for match in matches if match and match[1] in quotes]
    if not markers:
        return Insertion(html, {}, dict(restored))
    if _all_follow_blocks(html, markers):
        placed = Counter(match[1] for match in markers)
        html = _replace(html, markers, quotes)
    else:
        from mkdocs_recall.rendering.tag_scan import TagScan

        scan = TagScan(html, quotes)
        html, placed = scan.run(), scan.placed
    return Insertion(html, dict(placed), dict(restored))


def _find_marks(html: str) -> list[int]:
    """Return all offsets that `find_mark` finds."""
    offsets, offset = [], find_mark(html)
    while offset >= 0:
        offsets.append(offset)
        offset = find_mark(html, offset + 1)
    return offsets


def _restore(html: str, sources: Mapping[str, str], restored: Counter[str]) -> str:
    """Replace markers that are text by their fences, dedented as much as the marker is."""

    def fence(match: re.Match[str]) -> str:
        if match[1] not in sources:
            return match[0]
        restored[match[1]] += 1
        if restored[match[1]] > MAX_COPIES:
            return ""
        first, *others = sources[match[1]].replace("\r", "").split("\n")
        ticks = re.search("`{3}|~{3}", first)
        prefix = first[: ticks.start()] if ticks else ""
        # rendering takes a container's indentation off; the marker shows how much of it is left
        indent = match.start() - _end_of_text(html, match.start(), " \t")
        cut = max(0, len(prefix) - indent) if not prefix.strip(" \t") else 0
        others = [line[min(cut, len(line) - len(line.lstrip(" \t"))) :] for line in others]
        return escape("\n".join([first[len(prefix) :], *others]))

    return _ESCAPED.sub(fence, html)


def _all_follow_blocks(html: str, markers: list[re.Match[str]]) -> bool:
    """Return whether a quote can just replace each marker: it is valid wherever a block is.

    That is seen from the tag before the marker, unless a comment or raw text is open there.
    """
    previous_end = 0
    for match in markers:
        start = match.start()
        end = _end_of_text(html, start)
        if end != previous_end and not _BEFORE_QUOTE.match(html, html.rfind("<", 0, end), end):
            return False
        hiding = {tag[0]: tag.start() for tag in _HIDES.finditer(html, previous_end, start)}
        if any(html.find(_HIDING[name], place, start) < 0 for name, place in hiding.items()):
            return False
        previous_end = match.end()
        if _BR.match(html, previous_end):  # a line break before or after a quote is dropped
            return False
    return True


def _replace(html: str, markers: list[re.Match[str]], quotes: Mapping[str, str]) -> str:
    """Replace each marker by its quote."""
    if len(markers) == 1:  # then it is in there once; of a long page, each slice is a copy
        return html.replace(markers[0][0], quotes[markers[0][1]], 1)
    parts: list[str] = []
    end = 0
    placed: Counter[str] = Counter()
    for match in markers:
        placed[match[1]] += 1
        quote = quotes[match[1]] if placed[match[1]] <= MAX_COPIES else ""
        parts += html[end : match.start()], quote
        end = match.end()
    return "".join([*parts, html[end:]])


def _end_of_text(html: str, position: int, white_space: str = WHITE_SPACE) -> int:
    """Return where the white space that ends at a position starts."""
    while position and html[position - 1] in white_space:
        position -= 1
    return position
