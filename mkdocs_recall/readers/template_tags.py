"""The tags of other generators in Markdown: Hugo, Liquid and Jinja, VitePress, Docusaurus, MDX.

Finds them outside of code, pairs those that open with those that close, and reads their titles.
What becomes of them is for `flavours`. Code fences are not to be in the text any more.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterator

Family: TypeAlias = Literal["hugo", "liquid", "colon", "element", "value", "comment", "expression"]
"""`{{< x >}}`, `{% x %}`, `::: x`, `<X>`, `{{ x }}`, `{# x #}` and `{/* x */}`, `{x}` of MDX."""

_LONGEST: Final = 2000
"""How many characters a tag may have."""
_START: Final = re.compile(
    r"`+|\{\{|\{%|\{# |\{/\*|<!--|</?(?=[A-Z])|<(?:pre|script|style|textarea)(?=[\s>])"
    r"|^[ >]*:{2,}|\{(?=[^\s:#.%+=~>-])",
    re.MULTILINE,
)
_ENDS: Final = {
    "<!--": "-->",
    **{f"<{name}": f"</{name}>" for name in ("pre", "script", "style", "textarea")},
}
"""Where what holds no tags ends."""
_DELIMITERS: Final[dict[str, tuple[str, Family]]] = {
    "{{<": (">}}", "hugo"),
    "{{%": ("%}}", "hugo"),
    "{{": ("}}", "value"),
    "{%": ("%}", "liquid"),
    "{# ": ("#}", "comment"),
}
_WORD: Final = re.compile(r"[\w./:-]+")
_ELEMENT: Final = re.compile(
    r"</?([A-Z]\w*[a-z]\w*(?:\.\w+)*)(?=[\s/>])"
    r"((?:[^<>\"'{}]|\"[^\"<>]*\"|'[^'<>]*'|\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\})*)>"
)
_EXPRESSION: Final = re.compile(r"\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}")
_COLONS: Final = re.compile(
    r"[ >]*(:{2,}) *(?:\{?([A-Za-z][\w.-]*)\}?(?=[\s\[{]|$)([^\n]*))? *$", re.MULTILINE
)
_OPTIONS: Final = re.compile(
    r"\n {4,}(?:handler|options|rendering|selection):[^\n]*(?:\n {4}[^\n]+)*"
)
"""What mkdocstrings has below a tag."""
_ATTRIBUTE: Final = re.compile(
    r"(?:^|[\s,{])(?:title|label|header|heading|summary|caption)[=:]\s*\{?"
    r"(?:\"([^\"\n]*)\"|'([^'\n]*)'|`([^`\n]*)`)"
)
_VALUE: Final = re.compile(r"(?:^|[\s,{])(?:name|value)=\s*\{?(?:\"([^\"\n]*)\"|'([^'\n]*)')")
"""What names a tab that has no title."""
_QUOTED: Final = re.compile(r"[^\"'\w]*[\w./-]*\s*(?:\"([^\"\n]*)\"|'([^'\n]*)')")
_BRACKETS: Final = re.compile(r" *\[([^\[\]\n]*)\]")
_BRACES: Final = re.compile(r" *\{[^{}\n]*\} *$")


class Tag(NamedTuple):
    """A tag: the half-open span `[start, end)` of the text."""

    start: int
    end: int
    family: Family
    name: str
    """In lower case; of a path or a member its last part."""
    closes: bool = False
    arguments: str = ""
    size: int = 0
    """The number of colons."""

    @property
    def title(self) -> str:
        """What the tag states as a title; it may have none."""
        if self.family == "colon":
            if brackets := _BRACKETS.match(self.arguments):
                return brackets[1].strip()
            attribute = _ATTRIBUTE.search(self.arguments)
            return _first(attribute) if attribute else _BRACES.sub("", self.arguments).strip()
        attribute = _ATTRIBUTE.search(self.arguments)
        if attribute is None and self.family != "element":
            attribute = _QUOTED.match(self.arguments)
        return _first(attribute) if attribute else ""

    @property
    def value(self) -> str:
        """The name or value that the tag states; it may have none."""
        attribute = _VALUE.search(self.arguments)
        return _first(attribute) if attribute else ""


def find_tags(text: str, code: list[tuple[int, int]], *, is_mdx: bool) -> list[Tag]:
    """Return the tags in a page's text in order, in linear time.

    Args:
        text: The text, without fences.
        code: The spans of indented code, sorted.
    """
    return list(_tags(text, code, is_mdx=is_mdx))


def pair_tags(tags: list[Tag]) -> dict[int, int]:
    """Return the number of the closing tag for that of each opening one."""
    pairs: dict[int, int] = {}
    pending: list[int] = []
    count: Counter[tuple[Family, str]] = Counter()  # of the pending ones
    for number, tag in enumerate(tags):
        key = tag.family, "" if tag.family == "colon" else tag.name
        if not tag.closes:
            if not tag.arguments.endswith("/") and tag.family in _PAIRED:
                pending.append(number)
                count[key] += 1
            continue
        while count[key]:
            opening = pending.pop()
            other = tags[opening]
            same = other.family, "" if other.family == "colon" else other.name
            count[same] -= 1
            if same == key and (tag.size >= other.size or not count[key]):
                pairs[opening] = number
                break
    return pairs


_PAIRED: Final = frozenset({"hugo", "liquid", "colon", "element"})


def _tags(text: str, code: list[tuple[int, int]], *, is_mdx: bool) -> Iterator[Tag]:
    spans = _CodeSpans(text)
    done = place = 0
    literal = ""  # the tag that ends the text in which tags are only shown
    for match in _START.finditer(text):
        start = match.start()
        while place < len(code) and code[place][1] <= start:
            place += 1
        if start < done or (place < len(code) and code[place][0] <= start):
            continue
        sign = match[0]
        if sign[0] == "`":
            done = spans.end(start, match.end())
        elif sign in _ENDS:
            end = text.find(_ENDS[sign], start)
            done = end if end >= 0 else match.end()
        elif tag := _tag(text, start, sign, is_mdx=is_mdx):
            if not literal or (tag.name == literal and tag.closes):
                literal = tag.name if tag.name in _LITERAL and not tag.closes else ""
                yield tag
            done = tag.end


_LITERAL: Final = frozenset({"raw", "verbatim"})


def _tag(text: str, start: int, sign: str, *, is_mdx: bool) -> Tag | None:
    """Return the tag that starts with a sign; None if it is none."""
    if sign == "{{" and text[start + 2 : start + 3] in {"<", "%"}:
        sign = text[start : start + 3]
    if sign in _DELIMITERS:
        return _delimited(text, start, len(sign.strip()), *_DELIMITERS[sign])
    if sign[0] == "<":
        return _element(text, start)
    if sign[0] != "{":
        return _colons(text, start)
    if not is_mdx:
        return None
    if sign == "{/*":
        return _delimited(text, start, len(sign), "*/}", "comment")
    match = _EXPRESSION.match(text, start, start + _LONGEST)
    return match and Tag(start, match.end(), "expression", "", arguments=match[0][1:-1])


def _element(text: str, start: int) -> Tag | None:
    match = _ELEMENT.match(text, start, start + _LONGEST)
    if match is None:
        return None
    name = match[1].rpartition(".")[2].lower()
    return Tag(start, match.end(), "element", name, text[start + 1] == "/", match[2])


def _colons(text: str, start: int) -> Tag | None:
    match = _COLONS.match(text, start)
    if match is None:
        return None
    name, size = match[2] or "", len(match[1])
    options = _OPTIONS.match(text, match.end()) if name else None
    end = options.end() if options else match.end()
    return Tag(start, end, "colon", name.lower(), not name, match[3] or "", size)


def _delimited(text: str, start: int, size: int, end: str, family: Family) -> Tag | None:
    stop = text.find(end, start + size, start + _LONGEST)
    if stop < 0 or "\n\n" in text[start:stop]:
        return None
    inner = text[start + size : stop].strip(" \n-~+")
    if inner.startswith("/*"):  # a tag that is only shown
        return None
    closes = inner.startswith("/")
    word = _WORD.match(inner.lstrip("/ "))
    name = word[0] if word else ""
    if family == "liquid" and name.startswith("end") and name != "end":
        closes, name = True, name.removeprefix("end")
    arguments = inner[word.end() :] if word and not closes else ""
    if inner.endswith("/"):
        arguments = inner
        name = name.rstrip("/")
    name = name.rpartition("/")[2].lower()
    return Tag(start, stop + len(end), family, name, closes, arguments.strip())


class _CodeSpans:
    """The inline code of a text: each starts and ends with a run of as many backticks."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.runs: defaultdict[int, list[int]] = defaultdict(list)
        for run in re.finditer("`+", text):
            self.runs[len(run[0])].append(run.start())
        self.paragraph = 0

    def end(self, start: int, end: int) -> int:
        """Return the end of the inline code that starts with a run, or of the run itself."""
        runs = self.runs[end - start]
        place = bisect_right(runs, start)
        if self.paragraph < end:
            stop = self.text.find("\n\n", end)
            self.paragraph = len(self.text) if stop < 0 else stop
        if place < len(runs) and runs[place] < self.paragraph:
            return runs[place] + end - start
        return end


def _first(match: re.Match[str]) -> str:
    """Return the group of a match that is there."""
    return next((group.strip() for group in match.groups() if group), "")
