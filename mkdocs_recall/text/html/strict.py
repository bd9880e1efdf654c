"""HTML that a parser would not change, as Markdown makes it: its tokens need no parser.

By the rules for browsers, a parser closes some elements where others start, moves text out of
tables and reopens emphasis. It does nothing of the kind if each element is closed in order inside
an element that may contain it. Tags, attributes and entities of any unusual form are left to it.
"""

from __future__ import annotations

import re
from html import escape, unescape
from html.entities import html5
from itertools import chain
from typing import TYPE_CHECKING, Final

from mkdocs_recall.text.html.nesting import DRAWING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_TAG: Final = re.compile(
    r"""<(?:/([a-z][a-z0-9]*)>
    | ([a-z][a-z0-9]*)((?:[ \n]+[a-z][a-z0-9:_-]*(?:="[^"<>\u00a0]*")?)*[ ]?/?)>(?:([^<]*)(</\2>))?)
    ([^<]*)""",
    re.VERBOSE,
)
"""An end tag or a start tag (with its text and end tag if it contains only text), and the text
after it, in the groups of the reader's tokens."""
LONG: Final = 200_000
"""The tokens of longer HTML, in characters, are not held in memory at once."""
_DEEPEST: Final = 200
"""How many levels of elements are read without a parser."""
_BODY_END: Final = ("body", "", "", "", "", "")
_ENTITY: Final = re.compile(r"&(?!(?:amp|lt|gt|quot|nbsp);)[#\w]\w*;?", re.ASCII)
"""An entity other than those that every serialiser writes."""
_MOST_ENTITIES: Final = 20
"""How many different entities of a page are decoded: each takes time for all of it."""
_LONGEST_NUMBER: Final = 12
"""How many characters of an entity with a number are read."""

_PARAGRAPHS: Final = frozenset({"p", "h1", "h2", "h3", "h4", "h5", "h6"})
"""Elements that end where a block starts."""
_BLOCKS: Final = _PARAGRAPHS | {
    *("address", "article", "aside", "blockquote", "center", "details", "div", "dl", "figcaption"),
    *("figure", "footer", "header", "main", "menu", "nav", "ol", "section", "summary", "table"),
    *("ul", "hr"),
}
_INLINE: Final = frozenset(
    {
        *("a", "abbr", "b", "big", "br", "cite", "code", "del", "dfn", "em", "i", "img", "input"),
        *("ins", "kbd", "label", "mark", "q", "s", "samp", "small", "span", "strike", "strong"),
        *("sub", "sup", "time", "tt", "u", "var", "wbr"),
    }
)
_VOID: Final = frozenset({"br", "hr", "img", "input", "wbr"})
_LISTS, _GROUPS = frozenset({"ul", "ol", "menu"}), frozenset({"thead", "tbody", "tfoot"})
_PARENTS: Final = {
    "li": _LISTS,
    **dict.fromkeys(("dt", "dd"), frozenset({"dl"})),
    **dict.fromkeys(_GROUPS, frozenset({"table"})),
    "tr": _GROUPS,
    **dict.fromkeys(("td", "th"), frozenset({"tr"})),
}
"""Elements that are read only right inside of these."""
_ROWS: Final = _GROUPS | {"table", "tr"}
"""Elements that contain no text but white space, and nothing but the elements of a table."""


def strict_tokens(html: str) -> Iterator[tuple[str, ...]] | None:
    """Return the tokens of HTML that a parser would not change; None if it may.

    Args:
        html: The HTML in the body of a page.

    Returns:
        The tokens of what a parser would serialise, but for the form of attributes that nobody
        reads, and with `>` and quotation marks in texts as they are.
    """
    decoded = _decode(html)
    if decoded is None:
        return None
    first = decoded.find("<")
    body = ("", "body", "", "", "", decoded if first < 0 else decoded[:first])
    if len(decoded) > LONG:

        def tokens() -> Iterator[tuple[str, ...]]:
            matches = _TAG.finditer(decoded)
            return chain((body,), (match.groups("") for match in matches), (_BODY_END,))

    else:
        found = [body, *_TAG.findall(decoded), _BODY_END]

        def tokens() -> Iterator[tuple[str, ...]]:
            return iter(found)

    return tokens() if _is_strict(tokens(), decoded.count("<") + 2) else None


def _decode(html: str) -> str | None:
    """Return HTML without unusual entities and pictures; None if a parser has to read it."""
    if "<!" in html or "\r" in html or "\0" in html or not (html.isascii() or _is_unicode(html)):
        return None
    if "<svg" in html:
        html = DRAWING.sub("", html)
    if "&" in html:
        entities = set(_ENTITY.findall(html))
        if len(entities) > _MOST_ENTITIES:
            return None
        for entity in entities:
            char = _character(entity)
            if not char:
                return None
            html = html.replace(entity, char)
    return html


def _is_unicode(text: str) -> bool:
    """Tell whether a text has no lone surrogate, which a parser drops."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _character(entity: str) -> str:
    """Return the character that an entity names, escaped; empty if a parser has to know."""
    is_number = entity.startswith("&#") and len(entity) <= _LONGEST_NUMBER
    if not entity.endswith(";") or not (is_number or entity[1:] in html5):
        return ""
    char = unescape(entity)
    if not (char.isprintable() or char == "\u00a0"):
        return ""
    return escape(char, quote=False).replace('"', "&quot;") if char != entity else ""


def _is_strict(tokens: Iterable[tuple[str, ...]], tags: int) -> bool:  # noqa: C901, PLR0911, PLR0912 - one hot loop
    """Tell whether the tokens are all `tags` of a page, each where a parser would leave it."""
    stack = [""]
    in_rows = in_paragraph = in_link = False
    for end, tag, attributes, inner, closed, tail in tokens:
        tags -= 1
        if end:
            if stack.pop() != end:
                return False
            if end in _PARAGRAPHS:
                in_paragraph = False
            elif end == "a":
                in_link = False
            in_rows = stack[-1] in _ROWS
        else:
            if tag in _INLINE:
                if in_rows:
                    return False
                if tag == "a":
                    if in_link:
                        return False
                    in_link = not closed
            elif tag in _BLOCKS:
                if in_paragraph or in_rows:
                    return False
                if tag in _PARAGRAPHS:
                    in_paragraph = not closed
            elif tag in _PARENTS:
                if stack[-1] not in _PARENTS[tag] or in_paragraph:
                    return False
                if "span=" in attributes and _repeats_span(attributes):
                    return False
            elif tag != "body" or len(stack) > 1:
                return False
            if closed:
                tags -= 1
                if tag in _VOID or (tag in _ROWS and inner and not inner.isspace()):
                    return False
            elif tag not in _VOID:
                stack.append(tag)
                in_rows = tag in _ROWS
                if len(stack) > _DEEPEST:
                    return False
        if in_rows and tail and not tail.isspace():
            return False
    return not tags and len(stack) == 1


def _repeats_span(attributes: str) -> bool:
    """Tell whether a cell has an attribute twice; a parser drops the second."""
    return attributes.count("rowspan=") > 1 or attributes.count("colspan=") > 1
