"""The quotes in a Markdown or HTML file that were made by this package, as claims.

In HTML these are the boxes that a build inserts; in Markdown, block quotes and lists that end with
a citation: an em dash and a link.
"""

from __future__ import annotations

import re
from html.parser import HTMLParser
from itertools import zip_longest
from typing import Final
from urllib.parse import unquote

from mkdocs_recall.review.claims import Claim, ClaimedPlace, place_of_link

_BOXES: Final = frozenset({"recall", "synopsis"})
"""The classes of quotes."""
_QUOTING: Final = frozenset({"blockquote", "ul"})
"""The elements that Markdown quotes are in."""
_BREAKS: Final = frozenset({"p", "br", "li", "ul", "ol", "pre", "div", "blockquote", "cite"})
_CELLS: Final = frozenset({"th", "td"})
_VOID: Final = frozenset({"br", "hr", "img", "input", "meta", "link", "source", "wbr", "col"})
_DASH: Final = "—"
_DOTS: Final = "…"
_RECEIPT: Final = re.compile(r"([^#]+)#([^:]*):\d*:([0-9a-f]{32})")
_MARKS: Final = re.compile(r"[*_`\[<>&\\#|~]|^\s*(?:[-+]|\d+\.)\s", re.MULTILINE)
"""What Markdown may read as a mark."""
_EXTENSIONS: Final = ("fenced_code", "sane_lists", "tables")


def quotes_in_html(html: str) -> list[Claim]:
    """Return the quotes in a page of a built site, or in a part of one."""
    return _read(html, html, in_markdown=False)


def quotes_in_markdown(text: str) -> list[Claim]:
    """Return the quotes in Markdown."""
    return _read(_as_html(text), text, in_markdown=True)


def plain_text_of(markdown: str) -> str:
    """Return Markdown without its marks: emphasis, code, links, headings, bullets."""
    if not _MARKS.search(markdown):
        return markdown
    reader = _QuoteReader(in_markdown=False)
    reader.begin()
    reader.feed(_as_html(markdown))
    reader.close()
    reader.end_text()
    return "\n".join(reader.texts)


def _row_text(headers: list[str], cells: list[str]) -> str:
    """Return a row as the text of its block has it: each cell with its header, but no empty one."""
    named = zip_longest(headers[: len(cells)], cells, fillvalue="")
    return " — ".join(f"{header}: {cell}" if header else cell for header, cell in named if cell)


def _as_html(text: str) -> str:
    from markdown import Markdown

    return Markdown(extensions=[*_EXTENSIONS]).convert(text)


def _read(html: str, source: str, *, in_markdown: bool) -> list[Claim]:
    reader = _QuoteReader(in_markdown=in_markdown)
    reader.feed(html)
    reader.close()
    claims, position = [], 0
    for number, claim in enumerate(reader.claims, start=1):
        url = next((f"{place.url}#{place.anchor}".rstrip("#") for place in claim.places), "")
        found = source.find(url, position) if url else -1
        origin = f"quote {number}"
        if found >= 0:
            position = found + 1
            origin = f"line {source.count(chr(10), 0, found) + 1}"
        claims.append(Claim(origin, claim.texts, claim.digests, claim.places, claim.site))
    return claims


class _QuoteReader(HTMLParser):
    """Collects the texts and citations of quotes."""

    def __init__(self, *, in_markdown: bool) -> None:
        super().__init__()
        self.claims: list[Claim] = []
        self.texts: list[str] = []
        self._in_markdown = in_markdown
        self._open: list[str] = []
        self._depth: int | None = None
        """How many elements are open around the quote; None outside of quotes."""
        self._text = ""
        self._link = ""
        self._link_text = ""
        self._is_box = False
        self._receipts: list[tuple[ClaimedPlace, str]] = []
        self._site = ""
        self._headers: list[str] = []
        """Those of the table that is open."""
        self._row: list[tuple[str, str]] | None = None
        """The tags and texts of the cells in the row that is open."""
        self._title_depth: int | None = None
        self._title = ""
        self._is_first = True
        self._is_strong = True
        """Whether all of the text so far is strong, as titles of admonitions are in Markdown."""

    def begin(self) -> None:
        """Begin a quote."""
        self._depth, self.texts, self._text, self._link = len(self._open), [], "", ""
        self._receipts, self._site = [], ""
        self._is_first = self._is_strong = True

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {name: value or "" for name, value in attrs}
        classes = attributes.get("class", "").split()
        if self._depth is not None:
            self._begin_part(tag)
        if self._depth is None:
            self._is_box = not _BOXES.isdisjoint(classes) and "data-search-exclude" in attributes
            if self._is_box or (self._in_markdown and tag in _QUOTING):
                self.begin()
                self._site = attributes.get("data-recall-site", "")
                self._receipts = [
                    (ClaimedPlace(unquote(found[1]), unquote(found[2])), found[3])
                    for receipt in attributes.get("data-recall-receipts", "").split()
                    if (found := _RECEIPT.fullmatch(receipt))
                ]
        elif "admonition-title" in classes:
            self._title_depth = len(self._open)
        elif tag == "a":
            self._link, self._link_text = attributes.get("href", ""), self._text.strip()
        if tag not in _VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in _VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in self._open:
            return
        while self._open.pop() != tag:
            pass
        if self._depth is None:
            return
        self._end_part(tag)
        if self._title_depth is not None and len(self._open) <= self._title_depth:
            self._title_depth = None
        if len(self._open) <= self._depth:
            self.end_text()
            if self._is_box and self.texts:
                self._end_claim(())
            self._depth = None

    def handle_data(self, data: str) -> None:
        if self._depth is not None and self._title_depth is None:
            self._text += data
            self._is_strong &= "strong" in self._open or not data.strip()

    def _begin_part(self, tag: str) -> None:
        """Begin a paragraph, an item, a line, a table, a row or a cell."""
        if self._row is not None and tag in _BREAKS:
            self._text += " "  # within a cell
        elif tag in _BREAKS or tag == "table":
            self.end_text()
        if tag == "table":
            self._headers = []
        elif tag == "tr":
            self._row = []
        elif tag in _CELLS:
            self._text = ""

    def _end_part(self, tag: str) -> None:
        """End what `_begin_part` has begun."""
        if self._row is None:
            if tag in _BREAKS:
                self.end_text()
        elif tag in _CELLS:
            self._row.append((tag, self._text.strip()))
            self._text = ""
        elif tag == "tr":
            if all(name == "th" for name, _ in self._row):
                self._headers = [text for _, text in self._row]
            elif [text for _, text in self._row if text] == [_DOTS]:
                pass  # rows are left out here
            elif row := _row_text(self._headers, [text for _, text in self._row]):
                self._is_first = False
                self.texts.append(row)
            self._row = None

    def end_text(self) -> None:
        """End a paragraph, an item, a line or a citation."""
        text, self._text = self._text.strip(), ""
        if not text:
            return
        is_title = self._in_markdown and not self._is_box and self._is_first and self._is_strong
        self._is_first, self._is_strong = False, True
        if is_title:
            self._title = text
        elif text.startswith(_DASH) and self._link and self._link_text == _DASH:
            if not self.texts and self._title:
                self.texts.append(self._title)
            self._title = ""
            self._end_claim((place_of_link(self._link),))
        else:
            self.texts.append(text)
        self._link = ""

    def _end_claim(self, places: tuple[ClaimedPlace, ...]) -> None:
        """Add the claim of what was quoted so far; of receipts, those of the cited section."""
        own = [r for r in self._receipts if not places or r[0].anchor == unquote(places[0].anchor)]
        if own:
            places = tuple(dict.fromkeys(place for place, _ in own))
        if self.texts:
            digests = tuple(digest for _, digest in own)
            self.claims.append(Claim("", tuple(self.texts), digests, places, self._site))
        self.texts = []
