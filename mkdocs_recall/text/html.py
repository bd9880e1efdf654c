"""Rendered HTML → blocks with headings, anchors and inline marks. The only extractor there is.

lexbor (through selectolax) repairs and serialises the HTML, so that one linear pass over its tags
is enough: no recursion, whatever the nesting. Sentences and terms are made elsewhere.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from selectolax.lexbor import LexborHTMLParser

from mkdocs_recall.text.model import Heading, Mark

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from mkdocs_recall.text.model import Kind, Role

_STRIPPED = (
    "pre",
    "table",
    (
        "script, style, svg, math, del, template, "
        "iframe, noembed, noframes, plaintext, xmp, textarea, title"
    ),
)
"""Removed before serialising, in this order: without the first two there is little left to search
for the others. The last line holds raw text, which is never escaped."""
_SKIPPED_TAGS = frozenset({"label", "summary", "dt", "nav", "button", "select", "object", "audio"})
_SKIPPED_CLASSES = frozenset(
    {
        *("headerlink", "footnote-ref", "footnote-backref", "twemoji", "tabbed-labels"),
        *("admonition-title", "highlight", "toc", "linenos", "arithmatex"),
    }
)
_SENTENCE_PARTS = frozenset({"highlight", "arithmatex"})
"""Skipped as blocks only: on `<code>` and `<span>` they are part of the sentence."""

_BLOCK_TAGS = frozenset(
    {
        *("address", "article", "aside", "blockquote", "body", "center", "dd", "details", "dialog"),
        *("dir", "div", "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form"),
        *("header", "hgroup", "legend", "li", "main", "menu", "nav", "ol", "p", "search"),
        *("section", "summary", "ul"),
    }
)
_WRAPPER_TAGS = frozenset(
    {"body", "div", "section", "article", "main", "center", "header", "footer"}
)
"""Grouping that an author does not see as a block; a `div` is one only without these classes:"""
_BOX_CLASSES = frozenset({"admonition", "tabbed-set", "footnote", "grid"})
_HEADING_TAGS = {"h1": 1, "h2": 2, "h3": 3, "h4": 4, "h5": 5, "h6": 6}
_ROLES: dict[str, Role] = {
    **dict.fromkeys(("code", "kbd", "samp", "tt"), "code"),
    **dict.fromkeys(("em", "i"), "em"),
    **dict.fromkeys(("strong", "b"), "strong"),
    "a": "link",
}
_VOID_TAGS = frozenset(
    {
        *("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param"),
        *("source", "track", "wbr"),
    }
)
"""What has no end tag."""

_TOKEN = re.compile(
    r"""(?:<!--.*?-->
    | </([^\s/>]+)>
    | <([^\s/>]+)([^>]*)>(?:([^<]*)(</\2>))?
    | <)([^<]*)""",
    re.DOTALL | re.VERBOSE,
)
"""A comment, an end tag or a start tag (with its text and end tag where it holds only text), and
the text after it. No attribute holds a bare `>`: lexbor escapes it."""
_LONG = 200_000
_COMMENT = re.compile(r"<!--[^<>]*-->")
_CLASS = re.compile(r'(?<=\sclass=")[^"]*')
_HREF = re.compile(r'(?<=\shref=")[^"]*')
_ID = re.compile(r'(?<=\sid=")[^"]*')
_ATTRIBUTE_LIST = re.compile(r" ?\{ ?:? ?[#.][^{}]*\} ?\Z")
_EMOJI = re.compile(r"(?<![\w:]):[a-z][a-z0-9_+-]*: ?(?![\w:])|(?<![\w:]):[a-z]+(?:-[a-z0-9]+)+: ?")
_UNRENDERED = re.compile(r"```|\{\{|\{%")
_ALERT = re.compile(r"\[!(?:NOTE|TIP|IMPORTANT|WARNING|CAUTION)\] ?")
"""What GitHub makes the title of an alert, and Python-Markdown leaves in the quote."""
_BLANKS = re.compile(r"[\t\n\r\f][ \t\n\r\f]*| [ \t\n\r\f]+")
"""White space that is not one blank as it stands."""
_WIDE = "\u2e80-\u312f\u31a0-\u31ff\u3400-\u9fff\uf900-\ufaff\uff00-\uffef"
_WIDE_WRAP = re.compile(rf"\n(?<=[{_WIDE}]\n)[ \t]*(?=[{_WIDE}])")
"""A line wrapped between two characters of a script that is written without blanks."""


class Run(NamedTuple):
    """A run of text as it stands in the HTML: what becomes a `Block`, whose fields these are."""

    text: str
    kind: Kind
    top: int
    section: int
    headings: tuple[Heading, ...]
    marks: tuple[Mark, ...] = ()


@dataclass(frozen=True, slots=True)
class Reading:
    """What a page's HTML holds: its runs of text and all its headings, in order."""

    runs: tuple[Run, ...]
    headings: tuple[Heading, ...]


def read_html(html: str) -> Reading:
    """Read rendered HTML, whole pages or parts of one.

    Args:
        html: HTML as a browser would take it; need not be well-formed.

    Returns:
        Every paragraph, list item, definition and caption as a run of its own, in reading order.
        Code blocks, tables, scripts, deleted text, titles of admonitions, tab labels and
        decorations are left out; headings are returned apart.
    """
    body = LexborHTMLParser(_without_code(html)).body
    if body is None:
        return Reading((), ())
    for selector in _STRIPPED:
        for node in reversed(body.css(selector)):  # an outer one takes the inner with it
            node.decompose()
    return _Scan().read(_tokens(body.html or ""))


def _tokens(html: str) -> Iterable[tuple[str, ...]]:
    """Return the tokens, all at once; of a long page one by one, to spare memory."""
    if len(html) <= _LONG:
        return _TOKEN.findall(html)
    return (match.groups("") for match in _TOKEN.finditer(html))


def heading_text(text: str) -> str:
    """Return a heading or title without an attribute list and emoji that were not rendered."""
    if "{" in text:
        text = _ATTRIBUTE_LIST.sub("", text)
    if ":" in text:
        text = _EMOJI.sub("", text)
    return text.strip()


def _without_code(html: str) -> str:
    """Cut out code blocks, half of a page's HTML, before it is parsed; in doubt leave them."""
    if "<!--" in html:
        html = _COMMENT.sub("", html)
        if "<!--" in html:
            return html
    head, *others = html.split("<pre")
    kept = [head]
    for other in others:
        code, closing, text = other.partition("</pre>")
        kept.append(text if closing and code[:1] in {" ", ">"} else f"<pre{other}")
    return "".join(kept)


class _Scan:
    """The state of the pass: where in the tree it stands and the run of text being gathered."""

    def __init__(self) -> None:
        self.runs: list[Run] = []
        self.headings: list[Heading] = []
        self.path: tuple[Heading, ...] = ()
        self.heading_level, self.heading_anchor = 0, ""
        self.items = 0  # how many list items are open
        self.open_blocks: list[bool] = []  # whether each is a top-level block of the page
        self.top = -1
        self.in_top = False
        self.top_holds_text = False  # a top-level block without any text is not counted
        self.parts: list[str] = []
        self.length = 0
        self.marks: list[Mark] = []
        self.roles: list[tuple[int, Role, str]] = []  # open inline elements: start, role, href

    def read(self, tokens: Iterable[tuple[str, ...]]) -> Reading:  # noqa: C901, PLR0912 - one hot loop
        """Go over the tokens of well-formed HTML: lexbor closes every element, innermost first."""
        skipped, depth = "", 0  # the tag of a skipped element, and how many of it are open
        for end, tag, attributes, inner, closed, tail in tokens:
            if skipped:
                depth += (tag == skipped and not closed) - (end == skipped)
                if depth:
                    continue
                skipped = ""
            elif end:
                if end in _CLOSES:
                    _CLOSES[end](self, end)
            elif tag in _SKIPPED_TAGS or ('class="' in attributes and _is_skipped(tag, attributes)):
                if tag in _BLOCK_TAGS:
                    self._flush()
                if not closed and tag not in _VOID_TAGS:
                    skipped, depth = tag, 1
                    continue
            elif closed and tag in _ROLES:
                self._mark(tag, attributes, inner)
            else:
                if tag in _OPENS:
                    _OPENS[tag](self, tag, attributes)
                if inner:
                    self._text(inner)
                if closed and tag in _CLOSES:
                    _CLOSES[tag](self, tag)
            if tail and (self.parts or tail != "\n"):
                self._text(tail)
        self._flush()
        return Reading(tuple(self.runs), tuple(self.headings))

    def _text(self, text: str) -> None:
        """Add character data, white space folded; no blank follows another or opens a run."""
        if "\n" in text or "\t" in text or "  " in text:
            if not text.isascii():
                text = _WIDE_WRAP.sub("", text)
            text = _BLANKS.sub(" ", text)
        if text[0] == " " and (not self.parts or self.parts[-1][-1] == " "):
            text = text[1:]
            if not text:
                return
        if "&" in text:
            text = _unescape(text)
        self.parts.append(text)
        self.length += len(text)

    def _break(self, _tag: str, _attributes: str) -> None:
        self._text(" ")

    def _mark(self, tag: str, attributes: str, inner: str) -> None:
        """Add an inline element that holds nothing but text."""
        start = self.length
        if inner:
            self._text(inner)
        if start < self.length:
            if (role := _ROLES[tag]) != "link":
                self.marks.append(Mark(start, self.length, role))
            elif href := _href(attributes):
                self.marks.append(Mark(start, self.length, role, href))

    def _open_role(self, tag: str, attributes: str) -> None:
        role = _ROLES[tag]
        self.roles.append((self.length, role, _href(attributes) if role == "link" else ""))

    def _close_role(self, _tag: str) -> None:
        if self.roles:
            start, role, href = self.roles.pop()
            if start < self.length and (role != "link" or href):
                self.marks.append(Mark(start, self.length, role, href))

    def _open_block(self, tag: str, attributes: str) -> None:
        if self.parts:
            self._flush()
        if tag == "li":
            self.items += 1
        is_top = not self.in_top and not (tag in _WRAPPER_TAGS and _is_wrapper(attributes))
        self.open_blocks.append(is_top)
        if is_top:
            self.in_top, self.top_holds_text = True, False

    def _close_block(self, tag: str) -> None:
        if self.parts:
            self._flush()
        if tag == "li":
            self.items -= 1
        if self.open_blocks and self.open_blocks.pop():
            self.in_top = False

    def _open_heading(self, tag: str, attributes: str) -> None:
        self._flush()
        self.heading_level = _HEADING_TAGS[tag]
        anchor = _ID.search(attributes)
        self.heading_anchor = _unescape(anchor[0]) if anchor else ""

    def _close_heading(self, _tag: str) -> None:
        text, marks = self._take()
        bare = _UNRENDERED.search(text)
        if bare and not any(m.start <= bare.start() < m.end for m in marks if m.role == "code"):
            text = ""
        heading = Heading(heading_text(text), self.heading_level, self.heading_anchor)
        self.headings.append(heading)
        self.path = (*[h for h in self.path if h.level < heading.level], heading)

    def _flush(self) -> None:
        """End the run of text, unless it is blank."""
        if not self.parts:
            return
        text, marks = self._take()
        if text.startswith("[!") and (alert := _ALERT.match(text)):
            cut = alert.end()
            text = text[cut:]
            marks = tuple(Mark(m.start - cut, m.end - cut, m.role, m.href) for m in marks)
        if not text:
            return
        if not (self.in_top and self.top_holds_text):
            self.top += 1
            self.top_holds_text = True
        kind: Kind = "list" if self.items else "prose"
        self.runs.append(Run(text, kind, self.top, len(self.headings), self.path, marks))

    def _take(self) -> tuple[str, tuple[Mark, ...]]:
        """Empty the buffer; inline elements that are still open go on in the next run."""
        text = "".join(self.parts).rstrip(" \u00a0")
        marks = self.marks
        if self.roles:
            marks += [
                Mark(start, self.length, role, href)
                for start, role, href in reversed(self.roles)
                if start < self.length
            ]
            self.roles = [(0, role, href) for _, role, href in self.roles]
        if marks:
            self.marks = []
            size = len(text)
            if size < self.length:  # a blank at the end is gone
                marks = [
                    Mark(start, min(end, size), role, href)
                    for start, end, role, href in marks
                    if start < size
                ]
            if len(marks) > 1:
                marks.reverse()  # the sort is stable, and the outer of two was closed last
                marks.sort(key=_outer_first)
        self.parts, self.length = [], 0
        return text, tuple(marks)


_OPENS: dict[str, Callable[[_Scan, str, str], None]] = {
    **dict.fromkeys(_BLOCK_TAGS, _Scan._open_block),  # noqa: SLF001 - its own
    **dict.fromkeys(_ROLES, _Scan._open_role),  # noqa: SLF001
    **dict.fromkeys(_HEADING_TAGS, _Scan._open_heading),  # noqa: SLF001
    "br": _Scan._break,  # noqa: SLF001
}
_CLOSES: dict[str, Callable[[_Scan, str], None]] = {
    **dict.fromkeys(_BLOCK_TAGS, _Scan._close_block),  # noqa: SLF001
    **dict.fromkeys(_ROLES, _Scan._close_role),  # noqa: SLF001
    **dict.fromkeys(_HEADING_TAGS, _Scan._close_heading),  # noqa: SLF001
}


def _outer_first(mark: Mark) -> tuple[int, int]:
    return mark.start, -mark.end


def _is_skipped(tag: str, attributes: str) -> bool:
    classes = _classes(attributes)
    if _SKIPPED_CLASSES.isdisjoint(classes):
        return "critic" in classes and "comment" in classes
    return tag not in {"code", "span"} or _SENTENCE_PARTS.isdisjoint(classes)


def _is_wrapper(attributes: str) -> bool:
    return 'class="' not in attributes or _BOX_CLASSES.isdisjoint(_classes(attributes))


def _classes(attributes: str) -> list[str]:
    found = _CLASS.search(attributes)
    return found[0].split() if found else []


def _href(attributes: str) -> str:
    found = _HREF.search(attributes)
    return _unescape(found[0]) if found else ""


def _unescape(text: str) -> str:
    """Undo what a serialiser escapes; `&amp;` last, so that `&amp;lt;` stays `&lt;`."""
    if "&" not in text:
        return text
    text = text.replace("&nbsp;", "\u00a0").replace("&lt;", "<").replace("&gt;", ">")
    return text.replace("&quot;", '"').replace("&amp;", "&")
