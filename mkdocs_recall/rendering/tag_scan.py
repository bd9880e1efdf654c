"""A scan over the tags of HTML, which tracks open elements and inserts quotes where they are valid.

It is for markers that do not follow a block, which are few; `insertion` says where quotes go.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from mkdocs_recall.directives.fences import MARKER_HINT
from mkdocs_recall.rendering.insertion import FLOW, MAX_COPIES, RAW, WHITE_SPACE
from mkdocs_recall.rendering.markers import MARKER

if TYPE_CHECKING:
    from collections.abc import Mapping

_NO_QUOTE: Final = re.compile(
    "h[1-6]|hgroup|summary|legend|pre|ul|ol|dl|dir|menu|table|thead|tbody|tfoot|tr|colgroup|select"
    "|optgroup|option"
)
"""Blocks that a quote is not valid in."""
_BLOCK: Final = re.compile(f"{FLOW}|{_NO_QUOTE.pattern}|body|caption|dd|dt|html|li|td|th")
_VOID: Final = re.compile("area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr")
_DEEPEST: Final = 32
"""Inline elements that are opened again after a quote: bounds the output for any HTML."""
_LONGEST: Final = 1000
"""Characters of a start tag that is repeated with its attributes."""
_TAG: Final = re.compile(r"<!--|<(/?)([a-zA-Z][^\s/>]*)")
_STOP: Final = re.compile(r""">|=[ \t\r\n\f]*["']""")
_ID: Final = re.compile(r"""\sid\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'>]+)""", re.IGNORECASE)


@dataclass(slots=True)
class _Inline:
    """An open inline element, or paragraph."""

    name: str
    tag: str
    index: int
    """The index of its start tag in the output."""


@dataclass(slots=True)
class _Block:
    """An open block, and what is open in it."""

    name: str
    floor: int
    """How much of the output is final: up to its start tag, or to the last quote in it."""
    inlines: list[_Inline] = field(default_factory=list)
    paragraph: int = -1
    """The index of the open paragraph in `inlines`."""
    quoteless: bool = False
    """Whether no quote is valid directly in it."""
    pending: list[str] = field(default_factory=list)
    """Quotes to go after it instead; one list for it and the quoteless blocks around it."""


class TagScan:
    """One scan over the tags of HTML that may have a marker anywhere."""

    def __init__(self, html: str, quotes: Mapping[str, str]) -> None:
        """Take HTML, and the quotes by the ids of their markers."""
        self.html = html
        self.quotes = quotes
        self.placed: Counter[str] = Counter()
        self.output: list[str] = []
        self.blocks = [_Block("", 0)]
        self.depth: Counter[str] = Counter()  # how many blocks are open, by name
        self.after_quote = False  # whether only white space has come since the last quote
        self.suspended = False  # whether that closed the inlines; the next text opens them again
        self.unfinished = False  # whether there was a tag that does not end
        self.next: dict[str, int] = {}

    def run(self) -> str:
        """Return the HTML with its quotes."""
        done = 0
        while match := _TAG.search(self.html, done):
            self._add_text(self.html[done : match.start()])
            done = self._add_tag(match) if match[2] else self._add_comment(match)
        self._add_text(self.html[done:])
        while len(self.blocks) > 1:
            self._close_block("")
        return "".join(self.output)

    def _add_text(self, text: str) -> None:
        if text.strip(WHITE_SPACE):
            stripped = text.lstrip(WHITE_SPACE)
            self.output.append(text[: len(text) - len(stripped)])
            self._resume()
            self.output.append(stripped)
        elif text:
            self.output.append(text)

    def _add_comment(self, match: re.Match[str]) -> int:
        """Add a comment, or the quote whose marker it is; return its end."""
        end = self._find("-->", match.start() + 2) + 3
        start = self.html.rfind(f"<{MARKER_HINT}", match.start(), end)
        marker = MARKER.fullmatch(self.html, start, end) if start >= 0 else None
        if marker is None or marker[1] not in self.quotes:
            self.output.append(self.html[match.start() : end])
            return end
        if start > match.start():  # only the marker ends this comment of an author's: it is text
            self._add_text("&lt;!--")
            return match.end()
        self.placed[marker[1]] += 1
        if self.placed[marker[1]] <= MAX_COPIES:
            self._add_quote(self.quotes[marker[1]])
        return end

    def _add_tag(self, match: re.Match[str]) -> int:
        """Add a tag, or a raw text element up to its end tag; return the end of that."""
        end = self._tag_end(match.end())
        if end > len(self.html):
            self._add_text("<")
            return match.start() + 1
        tag, name = self.html[match.start() : end], match[2].lower()
        if match[1]:
            self._add_end_tag(name, tag)
        elif name in RAW:
            self._resume()
            end = self._find(f"</{name}", end)
            self.output.append(self.html[match.start() : end])
        else:
            self._add_start_tag(name, tag)
        return end

    def _tag_end(self, start: int) -> int:
        """Return the end of a tag, after its `>`; one in a quoted value does not end it.

        The end is after that of the HTML if there is none.
        """
        position = start
        while not self.unfinished and (stop := _STOP.search(self.html, position)):
            if stop[0] == ">":
                return stop.end()
            position = self.html.find(stop[0][-1], stop.end()) + 1
            self.unfinished = not position
        self.unfinished = True  # from here on quotes mean nothing: a second try would fail too
        end = self._find("[<>]", start)
        return end + 1 if self.html[end : end + 1] == ">" else len(self.html) + 1

    def _add_start_tag(self, name: str, tag: str) -> None:
        block = self.blocks[-1]
        if name == "br" and self.after_quote:
            return
        if (_BLOCK.fullmatch(name) or name in ("p", "hr")) and block.paragraph >= 0:
            del block.inlines[block.paragraph :]  # such a tag closes the paragraph
            block.paragraph = -1
        self._resume()
        self.output.append(tag)
        if _BLOCK.fullmatch(name):
            inner = _Block(name, len(self.output), quoteless=bool(_NO_QUOTE.fullmatch(name)))
            inner.pending = block.pending if block.quoteless else []
            self.blocks.append(inner)
            self.depth[name] += 1
        elif not _VOID.fullmatch(name) and not tag.endswith("/>"):
            if name == "p":
                block.paragraph = len(block.inlines)
            block.inlines.append(_Inline(name, tag, len(self.output) - 1))

    def _add_end_tag(self, name: str, tag: str) -> None:
        block = self.blocks[-1]
        if _BLOCK.fullmatch(name) and self.depth[name]:
            while self.blocks[-1].name != name:
                self._close_block("")
            self._close_block(tag)
            return
        innermost = range(len(block.inlines) - 1, max(-1, len(block.inlines) - 1 - _DEEPEST), -1)
        index = next((index for index in innermost if block.inlines[index].name == name), -1)
        if index >= 0:
            del block.inlines[index:]
            block.paragraph = block.paragraph if block.paragraph < index else -1
        if index < 0 or not self.suspended:
            self.output.append(tag)

    def _close_block(self, tag: str) -> None:
        """Close the innermost block, and add the quotes that are not valid in it."""
        block = self.blocks.pop()
        self.depth[block.name] -= 1
        self.after_quote = self.suspended = False
        self.output.append(tag)
        for quote in () if self.blocks[-1].quoteless else block.pending:
            self._add_quote(quote)

    def _add_quote(self, quote: str) -> None:
        """Add a quote, outside of the paragraph and the inlines that are open."""
        block = self.blocks[-1]
        if block.quoteless:
            block.pending.append(quote)
            return
        self._drop_breaks(block)
        if block.inlines and not self.suspended and len(block.inlines) <= _DEEPEST:
            for inline in reversed(block.inlines):
                if len(self.output) - 1 == inline.index:
                    self.output.pop()  # it is empty so far
                else:
                    self.output.append(f"</{inline.name}>")
                    is_short = len(inline.tag) <= _LONGEST
                    inline.tag = _ID.sub("", inline.tag) if is_short else f"<{inline.name}>"
            self.suspended = True
        self.output.append(quote)
        self.after_quote = True
        block.floor = len(self.output)

    def _resume(self) -> None:
        """Open again what the last quote closed, since something follows."""
        if self.suspended:
            for inline in self.blocks[-1].inlines:
                inline.index = len(self.output)
                self.output.append(inline.tag)
        self.after_quote = self.suspended = False

    def _drop_breaks(self, block: _Block) -> None:
        """Drop `<br>` before a quote, and white space where a paragraph ends."""
        end = len(self.output)
        while end > block.floor and (
            not self.output[end - 1].strip(WHITE_SPACE) or self.output[end - 1][:3].lower() == "<br"
        ):
            end -= 1
        if block.inlines or "<" in "".join(self.output[end:]):
            del self.output[end:]
            if end > block.floor:
                self.output[-1] = self.output[-1].rstrip(WHITE_SPACE)

    def _find(self, pattern: str, start: int) -> int:
        """Return where the next match of a pattern starts, or the end of the HTML.

        The match is remembered until a search starts after it, which keeps the whole scan linear.
        """
        if self.next.get(pattern, -1) < start:
            match = re.compile(pattern, re.IGNORECASE).search(self.html, start)
            self.next[pattern] = match.start() if match else len(self.html)
        return self.next[pattern]
