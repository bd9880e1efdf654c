"""The insertion of quotes at their markers in rendered HTML, and the link to their stylesheet.

A marker is a comment, in Markdown and HTML, that holds a directive's place. Most follow a block,
and the quote just replaces them. All others are left to a scan over the tags. In a paragraph, where
a quote, being a block, would be invalid, the paragraph and its inline elements are closed before
the quote and opened again after it. In a heading, a `<summary>`, or directly in a list or table,
this is invalid, too, so the quote follows the element. A marker inside a comment, a raw text
element or a tag is left alone.
"""

from __future__ import annotations

import re
from collections import Counter
from hashlib import blake2b
from html import escape
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from mkdocs_recall.answers.alternatives import Alternatives
from mkdocs_recall.answers.links import is_section
from mkdocs_recall.answers.whitelist import rebase_html
from mkdocs_recall.directives.fences import MARKER_HINT
from mkdocs_recall.text.tags import VOID_TAGS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from mkdocs_recall.options import Options


MARKER: Final = re.compile(rf"<{MARKER_HINT}([0-9a-f]{{1,64}}) -->")
_MARKED: Final = re.compile(rf"{MARKER_HINT}([0-9a-f]{{1,64}}) ")


def marker_id(uri: str, ordinal: int) -> str:
    """Return the id of a page's directive, unique over a site."""
    return blake2b(f"{uri}\n{ordinal}".encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def marker(identity: str) -> str:
    """Return the marker with an id, for a line of its own in Markdown."""
    return f"<{MARKER_HINT}{identity} -->"


def marked_ids(text: str) -> set[str]:
    """Return the ids of the markers in a text, which may be escaped."""
    return set(_MARKED.findall(text))


MAX_COPIES: Final = 10
"""The most copies of a quote in one text, against markers written by hand."""
WHITE_SPACE: Final = " \t\r\n\f"
RAW: Final = ("script", "style", "textarea", "title", "iframe")
FLOW: Final = (
    "address|article|aside|blockquote|center|details|dialog|div|fieldset|figcaption|figure|footer"
    "|form|header|main|nav|search|section"
)
_BR: Final = re.compile(r"[ \t\r\n\f]*<br\b")
_ESCAPED: Final = rf"&lt;{MARKER_HINT}([0-9a-f]{{1,64}}) --&gt;"
_GUESSED: Final = "&lt;!--</span>"
"""A marker in a code block whose language codehilite guesses."""
_CODE: Final = r"(?s)<pre\b(?:(?!</?pre\b).)*</pre>"
_HIDING: Final = {"<!--": "-->"} | {f"<{name}": f"</{name}" for name in RAW}
_HIDES: Final = re.compile("|".join(_HIDING))
_BEFORE_QUOTE: Final = re.compile(
    rf"(?:</(?:p|ul|ol|dl|table|pre|h[1-6]|{FLOW})>|<(?:li|dd|dt|td|th|{FLOW})(?: [^<>]*)?>)\Z"
)


class Quote(Struct, frozen=True, array_like=True):
    """The quote of a directive, with the links of its page."""

    html: str
    error: str = ""
    warning: str = ""
    fallback: bool = False
    notes: tuple[str, ...] = ()
    cached: bool = False
    holds: bool = True
    """Whether it meets its author's expectations."""
    doubtful: bool = False
    beside: Alternatives | None = None
    url: str = ""
    """The URL of its page. The cache does not store this field and those below."""
    source: str = ""
    """The directive as written; empty to leave a marker that is code."""
    level: int = 0
    """The level of the heading above a section; 0 for none."""
    preview: str = ""


class Insertion(Struct, frozen=True):
    """A page's HTML with its quotes, and the number of markers replaced.

    An id that is neither in `placed` nor in `restored` was not in the HTML.
    """

    html: str
    placed: Mapping[str, int] = MappingProxyType({})
    restored: Mapping[str, int] = MappingProxyType({})
    """Those rendered as code, which are the author's fence again."""


def insert_linked(html: str, quotes: Mapping[str, Quote], url: str, site: str = "") -> Insertion:
    """Insert quotes, with links rebased for another place (see `rebase_html`)."""
    present = {identity: quotes[identity] for identity in marked_ids(html) & quotes.keys()}
    quoted = {identity: linked(identity, quote, url, site) for identity, quote in present.items()}
    sources = {identity: quote.source for identity, quote in present.items() if quote.source}
    return insert_quotes(html, quoted, sources)


def linked(identity: str, quote: Quote, url: str, site: str) -> str:
    """Return a quote with links rebased; a section is fitted in, too."""
    preview = quote.preview if url == quote.url and not site else ""
    html = rebase_html(quote.html, quote.url, url, site)
    if not is_section(html):
        return html + preview
    from mkdocs_recall.answers.section import fitted

    return fitted(html, identity, quote.level) + preview


def nesting_warning(page: str, chain: Iterable[Options]) -> str:
    """Return the warning of a quote that is nested too deeply."""
    path = " → ".join([page, *(", ".join(options.source) or "itself" for options in chain)])
    return f"quotes are nested one level deep, so the last one is left out: {path}"


def nested_quotes(quotes: Mapping[str, Quote]) -> tuple[dict[str, Quote], list[tuple[str, ...]]]:
    """Put quotes into the sections that are quoted whole and have their markers, one level deep.

    Returns:
        All quotes, without markers, and the chain of ids of each quote that was left out, since it
        would be nested two levels deep or in itself.
    """
    nested = dict(quotes)
    left_out: list[tuple[str, ...]] = []
    for identity, quote in quotes.items():
        if not is_section(quote.html) or MARKER_HINT not in quote.html:
            continue
        from mkdocs_recall.answers.section import as_nested, heading_above

        inner: dict[str, str] = {}
        for mark in MARKER.finditer(quote.html):
            inner_quote = quotes.get(mark[1])
            if inner_quote is None:
                continue
            if mark[1] == identity:
                left_out.append((identity, identity))
                continue
            if is_section(inner_quote.html):
                deeper = MARKER.findall(inner_quote.html)
                left_out += [(identity, mark[1], child) for child in deeper if child in quotes]
            level = heading_above(quote.html, mark.start())
            bare_html = as_nested(MARKER.sub("", inner_quote.html))
            bare = replace(inner_quote, html=bare_html, level=level, preview="")
            inner[mark[1]] = linked(f"{identity}-{mark[1]}", bare, quote.url, "")
        html = insert_quotes(quote.html, inner, {}).html
        nested[identity] = replace(quote, html=MARKER.sub("", html))
    return nested, left_out


def insert_quotes(html: str, quotes: Mapping[str, str], sources: Mapping[str, str]) -> Insertion:
    """Insert quotes at their markers in rendered HTML, in linear time."""
    # An escaped marker means that the fence is shown as text, so its source is put back.
    restored: Counter[str] = Counter()
    if f"&lt;{MARKER_HINT}" in html:
        html = _restore(html, sources, restored)
    markers = [match for match in MARKER.finditer(html) if match[1] in quotes]
    if not markers:
        return Insertion(html, {}, dict(restored))
    if _all_follow_blocks(html, markers):
        placed = Counter(match[1] for match in markers)
        html = _replace(html, markers, quotes)
    else:
        scan = TagScan(html, quotes)
        html, placed = scan.run(), scan.placed
    return Insertion(html, dict(placed), dict(restored))


def uncoloured(html: str) -> str:
    """Return HTML without guessed colours in code blocks with markers."""

    def plain(code: re.Match[str]) -> str:
        text = re.sub(r"</?span\b[^<>]*>", "", code[0])
        return text if re.search(_ESCAPED, text) else code[0]

    return re.sub(_CODE, plain, html) if _GUESSED in html else html


def _restore(html: str, sources: Mapping[str, str], restored: Counter[str]) -> str:
    def fence(match: re.Match[str]) -> str:
        if match[1] not in sources:
            return match[0]
        restored[match[1]] += 1
        if restored[match[1]] > MAX_COPIES:
            return ""
        first, *others = sources[match[1]].replace("\r", "").split("\n")
        ticks = re.search("`{3}|~{3}", first)
        prefix = first[: ticks.start()] if ticks else ""
        # rendering removes a container's indentation; the marker shows how much is left
        indent = match.start() - _end_of_text(html, match.start(), " \t")
        cut = max(0, len(prefix) - indent) if not prefix.strip(" \t") else 0
        others = [line[min(cut, len(line) - len(line.lstrip(" \t"))) :] for line in others]
        return escape("\n".join([first[len(prefix) :], *others]))

    return re.sub(_ESCAPED, fence, html)


def _all_follow_blocks(html: str, markers: list[re.Match[str]]) -> bool:
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
    if len(markers) == 1:  # it occurs once; slicing a long page copies it
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
    while position and html[position - 1] in white_space:
        position -= 1
    return position


_NO_QUOTE: Final = (
    "h[1-6]|hgroup|summary|legend|pre|ul|ol|dl|dir|menu|table|thead|tbody|tfoot|tr|colgroup|select"
    "|optgroup|option"
)
_BLOCK: Final = f"{FLOW}|{_NO_QUOTE}|body|caption|dd|dt|html|li|td|th"
_DEEPEST: Final = 32
"""The most inline elements that are reopened after a quote."""
_LONGEST: Final = 1000
"""The most characters of a tag that is repeated with its attributes."""
_TAG: Final = re.compile(r"<!--|<(/?)([a-zA-Z][^\s/>]*)")
_STOP: Final = re.compile(r""">|=[ \t\r\n\f]*["']""")
_ID: Final = r"""(?i)\sid\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'>]+)"""


class _Inline(Struct):
    name: str
    tag: str
    index: int


class _Block(Struct):
    name: str
    floor: int
    """The length of the final output, up to its start tag or last quote."""
    inlines: list[_Inline] = []
    paragraph: int = -1
    quoteless: bool = False
    pending: list[str] = []
    """Quotes to put after it, and after blocks around it that hold none."""


class TagScan:
    """A scan over the tags of HTML in which a marker may be anywhere."""

    def __init__(self, html: str, quotes: Mapping[str, str]) -> None:
        self.html = html
        self.quotes = quotes
        self.placed: Counter[str] = Counter()
        self.output: list[str] = []
        self.blocks = [_Block("", 0)]
        self.depth: Counter[str] = Counter()  # how many blocks are open, by name
        self.after_quote = False  # whether only white space has followed the last quote
        self.suspended = False  # whether that closed the inlines; the next text opens them again
        self.unfinished = False  # whether a tag was not closed
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
        end = self._find("-->", match.start() + 2) + 3
        start = self.html.rfind(f"<{MARKER_HINT}", match.start(), end)
        marker = MARKER.fullmatch(self.html, start, end) if start >= 0 else None
        if marker is None or marker[1] not in self.quotes:
            self.output.append(self.html[match.start() : end])
            return end
        if start > match.start():  # the marker ends an author's comment: it is text
            self._add_text("&lt;!--")
            return match.end()
        self.placed[marker[1]] += 1
        if self.placed[marker[1]] <= MAX_COPIES:
            self._add_quote(self.quotes[marker[1]])
        return end

    def _add_tag(self, match: re.Match[str]) -> int:
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
        position = start
        while not self.unfinished and (stop := _STOP.search(self.html, position)):
            if stop[0] == ">":
                return stop.end()
            position = self.html.find(stop[0][-1], stop.end()) + 1
            self.unfinished = not position
        self.unfinished = True  # quotation marks now mean nothing: a second try would fail, too
        end = self._find("[<>]", start)
        return end + 1 if self.html[end : end + 1] == ">" else len(self.html) + 1

    def _add_start_tag(self, name: str, tag: str) -> None:
        block = self.blocks[-1]
        if name == "br" and self.after_quote:
            return
        if (re.fullmatch(_BLOCK, name) or name in ("p", "hr")) and block.paragraph >= 0:
            del block.inlines[block.paragraph :]  # such a tag closes the paragraph
            block.paragraph = -1
        self._resume()
        self.output.append(tag)
        if re.fullmatch(_BLOCK, name):
            inner = _Block(name, len(self.output), quoteless=bool(re.fullmatch(_NO_QUOTE, name)))
            inner.pending = block.pending if block.quoteless else []
            self.blocks.append(inner)
            self.depth[name] += 1
        elif name not in VOID_TAGS and not tag.endswith("/>"):
            if name == "p":
                block.paragraph = len(block.inlines)
            block.inlines.append(_Inline(name, tag, len(self.output) - 1))

    def _add_end_tag(self, name: str, tag: str) -> None:
        block = self.blocks[-1]
        if re.fullmatch(_BLOCK, name) and self.depth[name]:
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
        block = self.blocks.pop()
        self.depth[block.name] -= 1
        self.after_quote = self.suspended = False
        self.output.append(tag)
        for quote in () if self.blocks[-1].quoteless else block.pending:
            self._add_quote(quote)

    def _add_quote(self, quote: str) -> None:
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
                    inline.tag = re.sub(_ID, "", inline.tag) if is_short else f"<{inline.name}>"
            self.suspended = True
        self.output.append(quote)
        self.after_quote = True
        block.floor = len(self.output)

    def _resume(self) -> None:
        if self.suspended:
            for inline in self.blocks[-1].inlines:
                inline.index = len(self.output)
                self.output.append(inline.tag)
        self.after_quote = self.suspended = False

    def _drop_breaks(self, block: _Block) -> None:
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
        # The match is remembered until a search starts after it, which keeps the whole scan linear.
        if self.next.get(pattern, -1) < start:
            match = re.compile(pattern, re.IGNORECASE).search(self.html, start)
            self.next[pattern] = match.start() if match else len(self.html)
        return self.next[pattern]


STYLESHEET: Final = "assets/recall.css"
_BOX: Final = re.compile(r"\b(?:recall|synopsis)\b")
_BOX_END: Final = '" data-search-exclude'
_LINK: Final = r'<link rel="stylesheet" href="[^"<>]*assets/recall\.css">'
_HEAD_END: Final = "</head>"


def stylesheet(*, preview: bool = False) -> bytes:
    """Return the stylesheet; a preview's includes the notes for authors."""
    names = ("recall.css", *(("preview.css",) if preview else ()))
    return b"".join(Path(__file__).with_name(name).read_bytes() for name in names)


def has_quote(html: str) -> bool:
    """Return whether a page holds a quote or a box that replaces one."""
    end = html.find(_BOX_END)
    while end >= 0:
        start = html.rfind('"', 0, end)
        if html.endswith("class=", 0, max(0, start)) and _BOX.search(html, start, end):
            return True
        end = html.find(_BOX_END, end + 1)
    return False


def with_link(html: str, url: str | None) -> str:
    """Return a page with one link to the stylesheet, or without if `url` is None."""
    end = html.find(_HEAD_END)
    if html.find("recall.css", 0, max(0, end)) >= 0:
        html = re.sub(_LINK, "", html[:end]) + html[end:]
    if url is None:
        return html
    link = f'<link rel="stylesheet" href="{"../" * url.count("/")}{STYLESHEET}">'
    return html.replace(_HEAD_END, link + _HEAD_END, 1)
