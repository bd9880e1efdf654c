"""HTML that would take a parser quadratic time or memory → HTML that does not, with the same text.

What a browser's rules ask of a parser grows with the number of elements that are open: each `<p>`
looks through them, and emphasis that was never closed is opened anew in every paragraph. Pages as
people write them are far from that; this finds those that are not, and evens them out.
"""

from __future__ import annotations

import re
from collections import Counter

from mkdocs_recall.text.html.tags import BLOCK_TAGS, HEADING_TAGS, RAW_TAGS, VOID_TAGS

DEEPEST = 512
"""How many elements are kept within each other, as browsers do; the deeper are paragraphs."""
_FEW, _SHORT = 700, 50_000
"""So many tags, in so many characters, are no trouble, whatever they are."""
_WORDY = 5000
"""How many characters the attributes of one element may have: a parser compares each with each."""
_CROSSED = 3
"""How many elements may be closed before those within them."""
_CARRIED = 8
"""How many formatting elements stay open over others, on average of all tags; and of what is evened
out, how many at once."""
_STRAY = 200
"""How many tags a parser may ignore, joining the texts around them."""
_LOOK = 16
"""How many open elements a start tag looks back over for one that it ends."""

_BLANK = r"[\t\n\r\f ]"
_ATTRIBUTES = (
    rf"(?:[\t\n\r\f /]+|[^\t\n\r\f />][^\t\n\r\f />=]*"
    rf"(?:{_BLANK}*={_BLANK}*(?:\"[^\"]*(?:\"|\Z)|'[^']*(?:'|\Z)|[^\t\n\r\f >]*))?)"
    rf"{{0,{_WORDY}}}[^>]*"
)
"""All up to the end of a tag, as browsers see it, as far as it is looked at. It cannot fail, so
nothing is tried twice."""
_TOKEN = re.compile(
    rf"""<!--(?:-?>|.*?(?:--!?>|\Z))
    |<(?P<raw>{"|".join(RAW_TAGS)})(?=[\t\n\r\f />]){_ATTRIBUTES}(?:>|\Z)
        (?:.*?</(?P=raw)(?=[\t\n\r\f />]){_ATTRIBUTES}(?:>|\Z)|.*)
    |<(?P<end>/?)(?P<tag>[a-z][^\t\n\r\f />]*)(?P<attributes>{_ATTRIBUTES})(?P<closing>>|\Z)
    |<[!?/][^>]*(?:>|\Z)""".replace("\n    ", "").replace("    ", ""),
    re.DOTALL | re.IGNORECASE,
)
"""A comment, an element of raw text, a tag, or what else is no text."""
_DRAWING = re.compile(
    r"<svg\b[^<>]*>(?:\s|</?(?:g|path|circle|ellipse|line|polyline|polygon|rect|use|defs)\b[^<>]*>)*"
    r"</svg>"
)
"""A picture that holds no text, as icons do."""
_FOREIGN = frozenset({"svg", "math", "select"})
"""What follows rules of its own, and is never quoted."""

_FORMATTING = frozenset(
    {
        *("a", "b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong"),
        *("tt", "u"),
    }
)
"""What a parser opens anew after the element in which it was left open."""
_TERMS, _CELLS, _GROUPS = {"dt", "dd"}, {"td", "th"}, {"tbody", "thead", "tfoot"}
_ENDS: dict[str, frozenset[str]] = {
    **dict.fromkeys(BLOCK_TAGS | set(HEADING_TAGS) | {"pre", "table", "hr"}, frozenset({"p"})),
    **dict.fromkeys(_TERMS, frozenset({"p", *_TERMS})),
    **dict.fromkeys(_CELLS, frozenset({"p", *_CELLS})),
    **dict.fromkeys(_GROUPS, frozenset({"p", *_CELLS, "tr", *_GROUPS})),
    **dict.fromkeys(("rt", "rp"), frozenset({"rt", "rp"})),
    "li": frozenset({"p", "li"}),
    "tr": frozenset({"p", *_CELLS, "tr"}),
    "option": frozenset({"option"}),
}
"""Which elements, left open, end where another starts."""
_LEFT_OPEN = frozenset().union(*_ENDS.values())
_PASSED = _FORMATTING | {"span"}
_ROWS = frozenset({"table", "colgroup", "tr", *_GROUPS})
"""Where no text may stand: a parser puts it before the table."""
_IN_TABLE = {
    **dict.fromkeys(("caption", "col", "colgroup", *_GROUPS), frozenset({"table", "colgroup"})),
    **dict.fromkeys(("tr", *_CELLS), _ROWS | _CELLS),
}
"""What is ignored elsewhere than in these."""
_IGNORED = frozenset({"html", "head", "body", "frameset", "frame", "form"})
"""What is mostly ignored where it is not the first."""


def flatten_nesting(html: str) -> str:
    """Return HTML with the same text that a parser reads in linear time and memory.

    Args:
        html: HTML as anybody may have written it.

    Returns:
        The same, but for pictures without text; where elements are open in thousands or closed out
        of order, HTML without comments and raw text, in which every element is closed, none is
        deeper than `DEEPEST`, and at most eight formatting elements are open at once.
    """
    if len(html) <= _SHORT and html.count("<") <= _FEW:
        return html
    if "<svg" in html:
        html = _DRAWING.sub("", html)
    return _levelled(html) if _is_steep(html) else html


def _is_steep(html: str) -> bool:  # noqa: C901, PLR0912 - one hot loop
    """Tell whether a parser may need more than linear time or memory.

    It does where elements are left open, and where it joins the text around tags that it ignores.
    """
    stack: list[str] = []
    formatting = crossed = carried = ignored = done = 0
    for number, token in enumerate(_TOKEN.finditer(html)):
        tag = (token["tag"] or "").lower()
        if tag in _FOREIGN or len(token["attributes"] or "") > _WORDY:
            return True
        if stack and stack[-1] in _ROWS and html[done : token.start()].strip():
            ignored += 1
        done = token.end()
        if not tag:
            ignored += not token["raw"]
        elif not token["end"]:
            ignored += tag in _IGNORED or (
                tag in _IN_TABLE and not _IN_TABLE[tag] & set(stack[-3:])
            )
            if tag in VOID_TAGS:
                continue
            stack.append(tag)
            if tag in _FORMATTING:
                formatting += 1
            else:
                carried += formatting
        elif stack and stack[-1] == tag:
            stack.pop()
            formatting -= tag in _FORMATTING
        elif tag in stack:
            inner = ""
            while (top := stack.pop()) != tag:
                formatting -= top in _FORMATTING
                if tag == "p" or top not in _LEFT_OPEN:
                    inner = top
            formatting -= tag in _FORMATTING
            crossed += bool(inner)
        else:
            ignored += 1
        if (
            crossed > _CROSSED
            or len(stack) > DEEPEST
            or ignored > _STRAY
            or carried > _CARRIED * number + _FEW
        ):
            return True
    return False


class _Flattener:
    """HTML while it is evened out."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.stack: list[tuple[str, bool]] = []  # open elements, and whether each is kept
        self.count: Counter[str] = Counter()  # of open elements by name
        self.depth = 0  # of elements kept
        self.formatting = 0  # of these

    def text(self, text: str) -> None:
        """Add text, which a parser joins to none before it."""
        if text:
            if self.stack and self.stack[-1][0] in _ROWS and text.strip():
                self.part()
            self.parts += ("<!---->", text.replace("<", "&lt;"))

    def start(self, tag: str, attributes: str) -> None:
        """Open an element, and end those that it ends."""
        if tag in _FORMATTING and (self.formatting >= _CARRIED or self.depth >= DEEPEST):
            return
        ended = _ENDS.get(tag, frozenset())
        last = 0
        for back, (name, _) in enumerate(reversed(self.stack[-_LOOK:]), start=1):
            if name in ended:
                last = back
            elif name not in _PASSED:
                break
        for _ in range(last):
            self.pop()
        if tag in VOID_TAGS:
            self.parts.append(f"<{tag}{attributes}>")
            return
        is_kept = self.depth < DEEPEST
        self.stack.append((tag, is_kept))
        self.count[tag] += 1
        if is_kept:
            self.depth += 1
            self.formatting += tag in _FORMATTING
            self.parts.append(f"<{tag}{attributes}>")
        else:
            self.part()

    def end(self, tag: str) -> None:
        """Close an element with all in it; formatting closes nothing else."""
        if tag in _FORMATTING:
            names = (name for name, _ in reversed(self.stack[-_LOOK:]))
            if next((name for name in names if name == tag or name not in _PASSED), "") != tag:
                return
        if self.count[tag]:
            while self.pop() != tag:
                pass

    def pop(self) -> str:
        """Close the element that was opened last, and return its name."""
        tag, is_kept = self.stack.pop()
        self.count[tag] -= 1
        if is_kept:
            self.depth -= 1
            self.formatting -= tag in _FORMATTING
            self.parts.append(f"</{tag}>")
        else:
            self.part()
        return tag

    def part(self) -> None:
        """Set apart what follows from the text before it."""
        self.parts.append("<p>")


def _levelled(html: str) -> str:
    page = _Flattener()
    done = 0
    foreign, within = "", 0  # a foreign element that is left out, and how many of it are open
    for token in _TOKEN.finditer(html):
        text = html[done : token.start()]
        done = token.end()
        tag, end = (token["tag"] or "").lower(), token["end"]
        if foreign:
            if tag == foreign and not token["attributes"].endswith("/"):
                within += -1 if end else 1
                foreign = foreign if within else ""
            continue
        page.text(text)
        if not tag or not token["closing"]:
            continue
        if tag in _FOREIGN:
            if not (end or token["attributes"].endswith("/")):
                foreign, within = tag, 1
        elif end:
            page.end(tag)
        else:
            attributes = token["attributes"]
            page.start(tag, attributes if len(attributes) <= _WORDY else "")
    if not foreign:
        page.text(html[done:])
    while page.stack:
        page.pop()
    return "".join(page.parts)
