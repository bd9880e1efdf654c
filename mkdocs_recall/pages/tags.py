"""Tags of Hugo, Liquid and Jinja, VitePress, Docusaurus and MDX: their names, titles and pairs.

They are found where a page's text has no code; `foreign` decides what becomes of them.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Sequence


Family: TypeAlias = Literal[
    "hugo", "liquid", "colon", "slash", "element", "value", "comment", "expression"
]
"""`{{< x >}}`, `{% x %}`, `::: x`, `/// x`, `<X>`, `{{ x }}`, `{# x #}` and `{/* x */}`, `{x}` of
MDX."""

_LONGEST: Final = 2000
"""How many characters a tag may have."""
_DELIMITERS: Final[dict[str, tuple[str, Family]]] = {
    "{{<": (">}}", "hugo"),
    "{{%": ("%}}", "hugo"),
    "{{": ("}}", "value"),
    "{%": ("%}", "liquid"),
    "{# ": ("#}", "comment"),
    "{/*": ("*/}", "comment"),
}
_SIGN: Final = re.compile(r"\{\{[<%]?|\{%|\{# |\{/\*")
_WORD: Final = re.compile(r"[\w./:-]+")
_BRACES: Final = r"\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}"
_ELEMENT: Final = re.compile(
    r"</?([A-Z]\w*[a-z]\w*(?:\.\w+)*)(?=[\s/>])"
    rf"((?:[^<>\"'{{}}]|\"[^\"<>]*\"|'[^'<>]*'|{_BRACES})*)>"
)
"""A component of MDX; not `<YOUR_NAME>`."""
_EXPRESSION: Final = re.compile(_BRACES)
_EXPRESSION_START: Final = re.compile(r"\{(?=[^\s:#.%+=~>-])")
_CONTAINER: Final = re.compile(
    r"(:{2,}|/{3,}) *(?:\{?([A-Za-z][\w.-]*)\}?(?=[\s\[{|]|$)([^\n]*))? *$", re.MULTILINE
)
_OPTIONS: Final = re.compile(
    r"(?:\n {4,}(?:handler|options|rendering|selection|attrs|open|type|new|select):[^\n]*"
    r"(?:\n {4}[^\n]+)*)+"
)
"""What mkdocstrings and pymdownx have below a tag."""
_ATTRIBUTE: Final = re.compile(
    r"(?:^|[\s,{])(?:title|label|header|heading|summary|caption)[=:]\s*\{?"
    r"(?:\"([^\"\n]*)\"|'([^'\n]*)'|`([^`\n]*)`)"
)
_VALUE: Final = re.compile(r"(?:^|[\s,{])(?:name|value)=\s*\{?(?:\"([^\"\n]*)\"|'([^'\n]*)')")
"""What names a tab that has no title."""
_QUOTED: Final = re.compile(r"[^\"'\w]*[\w./-]*\s*(?:\"([^\"\n]*)\"|'([^'\n]*)')")
_BRACKETS: Final = re.compile(r" *\[([^\[\]\n]*)\]")
_TRAILING_BRACES: Final = re.compile(r" *\{[^{}\n]*\} *$")


class Tag(NamedTuple):
    """A tag that ends at the offset `end` of the text."""

    end: int
    family: Family
    name: str
    """In lower case; of a path or a member its last part."""
    closes: bool = False
    arguments: str = ""
    size: int = 0
    """The number of colons or slashes."""

    @property
    def title(self) -> str:
        """What the tag states as a title; it may have none."""
        if self.family == "slash":
            return self.arguments.partition("|")[2].strip()
        if self.family == "colon":
            if brackets := _BRACKETS.match(self.arguments):
                return brackets[1].strip()
            attribute = _ATTRIBUTE.search(self.arguments)
            return _first(attribute) or _TRAILING_BRACES.sub("", self.arguments).strip()
        attribute = _ATTRIBUTE.search(self.arguments)
        if attribute is None and self.family != "element":
            attribute = _QUOTED.match(self.arguments)
        return _first(attribute)

    @property
    def value(self) -> str:
        """The name or value that the tag states; it may have none."""
        return _first(_VALUE.search(self.arguments))

    @property
    def key(self) -> tuple[Family, str]:
        """What the tag and the one that closes it have in common."""
        return self.family, "" if self.size else self.name


def read_tag(text: str, start: int, *, is_mdx: bool) -> Tag | None:
    """Return the tag that starts at an offset with `{` or `<`; None if there is none."""
    if text[start] == "<":
        match = _ELEMENT.match(text, start, start + _LONGEST)
        if match is None:
            return None
        name = match[1].rpartition(".")[2].lower()
        return Tag(match.end(), "element", name, text[start + 1] == "/", match[2])
    if (sign := _SIGN.match(text, start)) and (is_mdx or sign[0] != "{/*"):
        return _delimited(text, start, len(sign[0].strip()), *_DELIMITERS[sign[0]])
    if is_mdx and _EXPRESSION_START.match(text, start):
        match = _EXPRESSION.match(text, start, start + _LONGEST)
        return match and Tag(match.end(), "expression", "", arguments=match[0][1:-1])
    return None


def read_container(text: str, start: int) -> Tag | None:
    """Return the line of colons or slashes that starts at an offset; None if there is none."""
    match = _CONTAINER.match(text, start)
    if match is None:
        return None
    name = match[2] or ""
    options = _OPTIONS.match(text, match.end()) if name else None
    end = options.end() if options else match.end()
    family: Family = "colon" if match[1][0] == ":" else "slash"
    return Tag(end, family, name.lower(), not name, match[3] or "", len(match[1]))


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
    return Tag(stop + len(end), family, name, closes, arguments.strip())


_PAIRED: Final = frozenset({"hugo", "liquid", "colon", "slash", "element"})


def pair_tags(tags: Sequence[Tag]) -> dict[int, int]:
    """Return the number of the closing tag for that of each opening one."""
    pairs: dict[int, int] = {}
    pending: list[int] = []
    count: Counter[tuple[Family, str]] = Counter()  # of the pending ones
    for number, tag in enumerate(tags):
        if not tag.closes:
            if not tag.arguments.endswith("/") and tag.family in _PAIRED:
                pending.append(number)
                count[tag.key] += 1
            continue
        while count[tag.key]:
            opening = pending.pop()
            other = tags[opening]
            count[other.key] -= 1
            if other.key == tag.key and (tag.size >= other.size or not count[tag.key]):
                pairs[opening] = number
                break
    return pairs


def _first(match: re.Match[str] | None) -> str:
    """Return the group of a match that is there."""
    return next((group.strip() for group in match.groups() if group), "") if match else ""
