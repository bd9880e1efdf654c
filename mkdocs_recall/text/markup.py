"""Markup that was not rendered: template syntax and Markdown that stand bare in a block's text.

No sentence with any of it in it can be quoted.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_HTML_TAGS = (
    "a|abbr|article|aside|audio|b|blockquote|br|button|center|code|dd|details|div|dl|dt|em|"
    "figcaption|figure|font|footer|form|h[1-6]|head|header|hr|i|iframe|img|input|kbd|label|li|link|"
    "main|meta|nav|ol|p|picture|pre|script|section|small|source|span|strong|style|sub|summary|sup|"
    "svg|table|tbody|td|th|thead|tr|u|ul|video"
)
_MARKUP = re.compile(
    r"\{[{%#*:!]|%\}|\*\}|\}\}|\{ ?[.#][\w-]|\{ *[\w-]+=[\"'\w]"  # templates, attribute lists
    r"|\]\(|\]\[|\[\^|\[\[|\[!\w|\*\*|~~\w|==\w|\+\+\w[\w+-]*\+\+|--8<--|`"
    rf"|<!--|</?(?:{_HTML_TAGS})(?:\s[^<>]*)?/?>|<<<|>>>"
    r"|:(?<![\w:]:)[a-z][a-z0-9_+-]*:(?![\w:])"  # emoji
    r"|\\[@\"'*_#\[\]<>]|\$[^$\s^_{\\]*[\^_{\\][^$]*\$"  # escapes, formulas
    r"|: [-*+] \S"  # a list that runs on in a paragraph
)
"""Every alternative starts with a sign as it stands: so `re` passes over all else at once."""
_MAPPING = re.compile(r"(?:^|(?<=\s))(?:[\w.-]+: ){2}")
"""A mapping that runs on in a paragraph."""
_OPENING = re.compile(r"!!!|\?\?\?|===|///|:::|\||#{1,6} |>|[-*+•] (?=\S)|\[[^\]]*\]:")
"""Markup where it opens a block."""
_OPENING_SIGNS = frozenset("!?=/:|#>-*+•[")
_LONG_CODE = 120
"""Inline code with more characters than this is a block of code whose fence was not understood."""


def bare_markup(text: str, code: Sequence[tuple[int, int]], *, is_row: bool = False) -> list[int]:
    """Return where markup stands bare in a block's text, ascending.

    `code` are the spans of inline code in `text`, sorted: there it may stand. In a row of a table
    `: ` stands behind each header, and what opens a cell opens no block.
    """
    if is_row:
        text = text.replace(": ", ":\n")
    found: list[int] = []
    if _MARKUP.search(text):
        found = [match.start() for match in _MARKUP.finditer(text)]
    if ":" in text and text.find(": ") < text.rfind(": "):
        found += [match.start() for match in _MAPPING.finditer(text)]
    if not is_row and text[:1] in _OPENING_SIGNS and _OPENING.match(text):
        found.append(0)
    if found:
        found = list(_outside(found, code)) if code else sorted(found)
    if code and (overlong := [start for start, end in code if end - start > _LONG_CODE]):
        found = sorted(found + overlong)
    return found


def _outside(places: list[int], spans: Sequence[tuple[int, int]]) -> Iterator[int]:
    reach, following = 0, 0
    for place in sorted(places):
        while following < len(spans) and spans[following][0] <= place:
            reach = max(reach, spans[following][1])
            following += 1
        if place >= reach:
            yield place
