"""Quotes put in the place of their markers in rendered HTML, so that it stays valid.

A marker is a comment. It comes out bare between blocks, but also inside a paragraph, where a quote,
which is a block, would not be valid: there the paragraph is closed before the quote and opened
again after it. In a heading, a `<summary>`, or straight in a list or table, where neither is valid,
the quote goes behind it. A marker inside a comment, a raw text element or a tag stays what it is.
Inline elements other than `<br>` are closed and opened again like a paragraph, `<button>` too.

Most markers stand behind a block, where the quote just replaces them. Otherwise one scan tracks
what is open.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING, Final

from mkdocs_recall.rendering.markers import MARKER, MARKER_HINT, find_mark

if TYPE_CHECKING:
    from collections.abc import Mapping

_BLANKS: Final = " \t\r\n\f"
_RAW: Final = ("script", "style", "textarea", "title", "iframe")
_FLOW: Final = (
    "address|article|aside|blockquote|center|details|dialog|div|fieldset|figcaption|figure|footer"
    "|form|header|main|nav|search|section"
)
_DEEPEST: Final = 32  # inline elements opened again: bounds the output, whatever the HTML
_LONGEST: Final = 1000  # characters of a tag that are repeated
_VOID: Final = re.compile("area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr")
_NO_QUOTE: Final = re.compile(
    "h[1-6]|hgroup|summary|legend|pre|ul|ol|dl|dir|menu|table|thead|tbody|tfoot|tr|colgroup|select"
    "|optgroup|option"
)
_BLOCK: Final = re.compile(f"{_FLOW}|{_NO_QUOTE.pattern}|body|caption|dd|dt|html|li|td|th")
_TAG: Final = re.compile(r"<!--|<(/?)([a-zA-Z][^\s/>]*)")
_STOP: Final = re.compile(r""">|=[ \t\r\n\f]*["']""")
_ID: Final = re.compile(r"""\sid\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'>]+)""", re.IGNORECASE)


OFTEN: Final = 10
"""So many times one text holds a quote, or a fence as code. Plugins that copy pages copy a marker
once or twice; who writes one by hand could have a line of his become megabytes."""
_ESCAPED: Final = re.compile(rf"&lt;{MARKER_HINT}([0-9a-f]{{1,64}}) --&gt;")
_HIDING: Final = {"<!--": "-->"} | {f"<{name}": f"</{name}" for name in _RAW}
_HIDES: Final = re.compile("|".join(_HIDING))
_BEHIND: Final = re.compile(  # a tag behind which nothing is open that a quote must not stand in
    rf"(?:</(?:p|ul|ol|dl|table|pre|h[1-6]|{_FLOW})>|<(?:li|dd|dt|td|th|{_FLOW})(?: [^<>]*)?>)\Z"
)
_BR: Final = re.compile(r"[ \t\r\n\f]*<br\b")


@dataclass(frozen=True, slots=True)
class Insertion:
    """A page's HTML with its quotes, and what became of its markers; an id in neither is missing."""

    html: str
    placed: Mapping[str, int] = field(default_factory=dict)
    """How often each quote's marker stood there."""
    restored: Mapping[str, int] = field(default_factory=dict)
    """How often each marker had come out as code; it is the author's fence again."""


def insert_quotes(html: str, quotes: Mapping[str, str], sources: Mapping[str, str]) -> Insertion:
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
        return Insertion(html, {}, dict(restored))
    if _behind_blocks(html, found):
        placed = Counter(match[1] for match in found)
        html = _replaced(html, found, quotes)
    else:
        html, placed = insert(html, quotes)
    return Insertion(html, dict(placed), dict(restored))


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


def _before(html: str, at: int, blanks: str = _BLANKS) -> int:
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


def insert(html: str, quotes: Mapping[str, str]) -> tuple[str, Counter[str]]:
    """Put quotes in the place of their markers, in time linear in the HTML.

    Args:
        html: A page's content, or all of it.
        quotes: The HTML of each quote, by the id of its marker.

    Returns:
        The HTML, and how often each quote's marker stood there.
    """
    scan = _Scan(html, quotes)
    return scan.run(), scan.placed


@dataclass(slots=True)
class _Inline:
    """An open inline element, or paragraph."""

    name: str
    tag: str
    at: int
    """Where its start tag stands in the output."""


@dataclass(slots=True)
class _Block:
    """An open block, and what is open in it."""

    name: str
    floor: int
    """How much of the output is settled: up to its start tag, or to the last quote in it."""
    inlines: list[_Inline] = field(default_factory=list)
    paragraph: int = -1
    """Where in `inlines` the open paragraph is."""
    quoteless: bool = False
    """Whether no quote may stand straight in it."""
    waiting: list[str] = field(default_factory=list)
    """Quotes to go behind it instead; one list for it and the quoteless blocks around it."""


class _Scan:
    """One scan over the tags of HTML in which a marker may stand anywhere."""

    def __init__(self, html: str, quotes: Mapping[str, str]) -> None:
        self.html = html
        self.quotes = quotes
        self.placed: Counter[str] = Counter()
        self.out: list[str] = []
        self.blocks = [_Block("", 0)]
        self.depth: Counter[str] = Counter()
        self.fresh = False  # whether there are but blanks since the last quote
        self.closed = False  # whether that closed the inlines, to be opened again at the next text
        self.unfinished = False  # whether a tag was that does not end
        self.ends: dict[str, int] = {}

    def run(self) -> str:
        at = 0
        while match := _TAG.search(self.html, at):
            self._text(self.html[at : match.start()])
            at = self._tag(match) if match[2] else self._comment(match)
        self._text(self.html[at:])
        while len(self.blocks) > 1:
            self._leave("")
        return "".join(self.out)

    def _find(self, what: str, at: int) -> int:
        """Return where `what` next stands, at the end of the HTML if nowhere; searched for once."""
        if self.ends.get(what, -1) < at:
            found = re.compile(what, re.IGNORECASE).search(self.html, at)
            self.ends[what] = found.start() if found else len(self.html)
        return self.ends[what]

    def _text(self, text: str) -> None:
        if text.strip(_BLANKS):
            bare = text.lstrip(_BLANKS)
            self.out.append(text[: len(text) - len(bare)])
            self._resume()
            self.out.append(bare)
        elif text:
            self.out.append(text)

    def _resume(self) -> None:
        """Open again what the last quote closed, since something follows."""
        if self.closed:
            for inline in self.blocks[-1].inlines:
                inline.at = len(self.out)
                self.out.append(inline.tag)
        self.fresh = self.closed = False

    def _comment(self, match: re.Match[str]) -> int:
        end = self._find("-->", match.start() + 2) + 3
        inner = self.html.rfind(f"<{MARKER_HINT}", match.start(), end)
        marked = MARKER.fullmatch(self.html, inner, end) if inner >= 0 else None
        if marked is None or marked[1] not in self.quotes:
            self.out.append(self.html[match.start() : end])
            return end
        if inner > match.start():  # a comment that only the marker ends: the author's is text
            self._text("&lt;!--")
            return match.end()
        self.placed[marked[1]] += 1
        if self.placed[marked[1]] <= OFTEN:
            self._put(self.quotes[marked[1]])
        return end

    def _tag(self, match: re.Match[str]) -> int:
        end = self._tag_end(match.end())
        if end > len(self.html):
            self._text("<")
            return match.start() + 1
        tag, name = self.html[match.start() : end], match[2].lower()
        if match[1]:
            self._end(name, tag)
        elif name in _RAW:
            self._resume()
            end = self._find(f"</{name}", end)
            self.out.append(self.html[match.start() : end])
        else:
            self._start(name, tag)
        return end

    def _tag_end(self, at: int) -> int:
        """Return where the tag's `>` is passed; a quoted value does not end it."""
        start = at
        while not self.unfinished and (stop := _STOP.search(self.html, at)):
            if stop[0] == ">":
                return stop.end()
            at = self.html.find(stop[0][-1], stop.end()) + 1
            self.unfinished = not at
        self.unfinished = True  # from here on quotes mean nothing, so that it is not tried again
        end = self._find("[<>]", start)
        return end + 1 if self.html[end : end + 1] == ">" else len(self.html) + 1

    def _start(self, name: str, tag: str) -> None:
        block = self.blocks[-1]
        if name == "br" and self.fresh:
            return
        if (_BLOCK.fullmatch(name) or name in ("p", "hr")) and block.paragraph >= 0:
            del block.inlines[block.paragraph :]  # such a tag closes the paragraph
            block.paragraph = -1
        self._resume()
        self.out.append(tag)
        if _BLOCK.fullmatch(name):
            inner = _Block(name, len(self.out), quoteless=bool(_NO_QUOTE.fullmatch(name)))
            inner.waiting = block.waiting if block.quoteless else []
            self.blocks.append(inner)
            self.depth[name] += 1
        elif not _VOID.fullmatch(name) and not tag.endswith("/>"):
            if name == "p":
                block.paragraph = len(block.inlines)
            block.inlines.append(_Inline(name, tag, len(self.out) - 1))

    def _end(self, name: str, tag: str) -> None:
        block = self.blocks[-1]
        if _BLOCK.fullmatch(name) and self.depth[name]:
            while self.blocks[-1].name != name:
                self._leave("")
            self._leave(tag)
            return
        nearest = range(len(block.inlines) - 1, max(-1, len(block.inlines) - 1 - _DEEPEST), -1)
        found = next((at for at in nearest if block.inlines[at].name == name), -1)
        if found >= 0:
            del block.inlines[found:]
            block.paragraph = block.paragraph if block.paragraph < found else -1
        if found < 0 or not self.closed:
            self.out.append(tag)

    def _leave(self, tag: str) -> None:
        """Close the innermost block, and put behind it what must not stand in it."""
        block = self.blocks.pop()
        self.depth[block.name] -= 1
        self.fresh = self.closed = False
        self.out.append(tag)
        for quote in () if self.blocks[-1].quoteless else block.waiting:
            self._put(quote)

    def _put(self, quote: str) -> None:
        """Put a quote here, out of the paragraph and the inlines that are open."""
        block = self.blocks[-1]
        if block.quoteless:
            block.waiting.append(quote)
            return
        self._drop_breaks(block)
        if block.inlines and not self.closed and len(block.inlines) <= _DEEPEST:
            for inline in reversed(block.inlines):
                if len(self.out) - 1 == inline.at:
                    self.out.pop()  # nothing stands in the first half
                else:
                    self.out.append(f"</{inline.name}>")
                    short = len(inline.tag) <= _LONGEST
                    inline.tag = _ID.sub("", inline.tag) if short else f"<{inline.name}>"
            self.closed = True
        self.out.append(quote)
        self.fresh = True
        block.floor = len(self.out)

    def _drop_breaks(self, block: _Block) -> None:
        """Drop `<br>` before a quote, and blanks where a paragraph ends."""
        end = len(self.out)
        while end > block.floor and (
            not self.out[end - 1].strip(_BLANKS) or self.out[end - 1][:3].lower() == "<br"
        ):
            end -= 1
        if block.inlines or "<" in "".join(self.out[end:]):
            del self.out[end:]
            if end > block.floor:
                self.out[-1] = self.out[-1].rstrip(_BLANKS)
