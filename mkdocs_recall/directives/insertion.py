"""Quotes into HTML in which their markers may stand anywhere, so that it stays valid.

One scan tracks what is open. A quote is a block: an open paragraph, and the inline elements in it,
are closed before it and opened again after it; in a heading or straight in a list, where no block
may stand, it goes behind.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from mkdocs_recall.directives.markers import BLANKS, FLOW, MARKER, MARKER_HINT, OFTEN, RAW

if TYPE_CHECKING:
    from collections.abc import Mapping

_DEEPEST: Final = 32  # inline elements opened again: bounds the output, whatever the HTML
_LONGEST: Final = 1000  # characters of a tag that are repeated
_VOID: Final = re.compile("area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr")
_NO_QUOTE: Final = re.compile(
    "h[1-6]|hgroup|summary|legend|pre|ul|ol|dl|dir|menu|table|thead|tbody|tfoot|tr|colgroup|select"
    "|optgroup|option"
)
_BLOCK: Final = re.compile(f"{FLOW}|{_NO_QUOTE.pattern}|body|caption|dd|dt|html|li|td|th")
_TAG: Final = re.compile(r"<!--|<(/?)([a-zA-Z][^\s/>]*)")
_STOP: Final = re.compile(r""">|=[ \t\r\n\f]*["']""")
_ID: Final = re.compile(r"""\sid\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'>]+)""", re.IGNORECASE)


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
        if text.strip(BLANKS):
            bare = text.lstrip(BLANKS)
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
        elif name in RAW:
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
            not self.out[end - 1].strip(BLANKS) or self.out[end - 1][:3].lower() == "<br"
        ):
            end -= 1
        if block.inlines or "<" in "".join(self.out[end:]):
            del self.out[end:]
            if end > block.floor:
                self.out[-1] = self.out[-1].rstrip(BLANKS)
