"""Markdown for other generators, made into that of Python-Markdown: their tags cost nothing else.

A tag goes, and the text around it stays. Paired tags with a title, and those of admonitions, become
blocks of pymdownx. A tag that stands for a value (`{{ version }}`) stays in its sentence, which is
then never quoted. The imports and exports of MDX go.

What is between tags that are named for code is code, unless it is fenced. So is what a template
captures or shows as it is, if it has two lines or more and no mark of prose: no line that ends a
sentence, no item, heading or link. A captured line without these is the value of a variable.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from html import escape
from itertools import accumulate
from typing import TYPE_CHECKING, Final

from markdown.extensions import Extension
from markdown.preprocessors import Preprocessor
from markdown.util import STX

from mkdocs_recall.readers.nesting import TAB, indent_of, indented_code
from mkdocs_recall.readers.template_tags import find_tags, pair_tags

if TYPE_CHECKING:
    from markdown import Markdown

    from mkdocs_recall.readers.template_tags import Tag

_FOREIGN: Final = re.compile(
    r"\{\{|\{%|\{# |\{/\*|^[ >]*:{2,}|</?[A-Z]\w*[a-z]|^(?:import|export)\s", re.MULTILINE
)
"""What a page has that needs any of this."""
_IMPORT: Final = re.compile(
    r"import\s+(?:(?:[\w$*{][^'\"\n]*\sfrom\s+)?['\"][^'\"\n]+['\"];?\s*$|(?:\w+,\s*)?\{[^}'\"]*$)"
)
_EXPORT: Final = re.compile(
    r"export\s+(?:default\s|(?:const|let|var)\s+[\w$]+\s*=|(?:async\s+)?function\W|class\s|\{|\*\s)"
)
_HEADING: Final = re.compile(r" {0,3}#{1,6}\s")
_STRING: Final = re.compile(r"\s*(?:\"([^\"\\]*)\"|'([^'\\]*)'|`([^`\\$]*)`)\s*$")
_TABS: Final = frozenset({"tab", "tabitem", "tab-item", "tabpanel", "tabs-item"})
_DETAILS: Final = frozenset(
    {"details", "accordion", "accordionitem", "expand", "collapse", "collapsible", "spoiler"}
)
_CODE: Final = frozenset(
    {"highlight", "prism", "code", "codeblock", "code-block", "code_block", "sourcecode"}
)
_HIDDEN: Final = frozenset({"comment"})
_CAPTURES: Final = frozenset({"capture"})
_RAW: Final = frozenset({"raw", "verbatim"})
_RAW_TAG: Final = re.compile(r"\{%-? *(?:end)?(?:raw|verbatim) *-?%\}\n?")
_PROSE: Final = re.compile(
    r"[.!?…。！？][\s*_`)\]\"'”’»]{0,9}$|^ {0,3}(?:[-*+] |\d{1,9}[.)] |#{2,6} |[>|<])|\]\(|\*\*"
    rf"|{STX}",
    re.MULTILINE,
)
"""A mark of prose in what a template captures."""
_LONGEST_INLINE: Final = 200
"""How many characters the code in a line of text has at most."""
_LOGIC: Final = frozenset({"if", "unless", "for", "case", "ifversion"})
_NUXT: Final = 2
"""The number of colons before a block of Nuxt, which in other Markdown are text."""
_SHORT_NAMES: Final = {"callout": "note", "alert": "note", "aside": "note", "admonition": "note"}
_DEEPEST: Final = 20
"""Levels of blocks; the outer ones have more slashes."""
_MODULE_SIZE: Final = 60
"""An import or export that is not complete after so many lines ends at its first empty one."""


class Flavours(Extension):
    """Python-Markdown's reading of pages for other generators."""

    def __init__(self, admonitions: tuple[str, ...]) -> None:
        """Take the kinds of admonitions that pymdownx's blocks know."""
        super().__init__()
        self.kinds = {**_SHORT_NAMES, **{name: name for name in admonitions}}
        self.is_mdx = False  # set for each page

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802 - Python-Markdown's name
        """Read tags after fences, and before raw HTML."""
        md.preprocessors.register(_FlavourPreprocessor(self, md), "recall_flavours", 28)


class _FlavourPreprocessor(Preprocessor):
    def __init__(self, flavours: Flavours, md: Markdown) -> None:
        super().__init__(md)
        self.flavours = flavours

    def run(self, lines: list[str]) -> list[str]:
        text = "\n".join(lines)
        if not (_FOREIGN.search(text) or (self.flavours.is_mdx and "{" in text)):
            return lines
        modules = _module_lines(lines)
        for number in modules:
            lines[number] = ""
        is_mdx = self.flavours.is_mdx or bool(modules)
        return _Rewriting(lines, self.flavours.kinds, self.md, is_mdx=is_mdx).lines()


class _Rewriting:
    """One page, rewritten line by line."""

    def __init__(
        self, lines: list[str], kinds: dict[str, str], md: Markdown, *, is_mdx: bool
    ) -> None:
        self.source = lines
        self.text = "\n".join(lines)
        self.kinds = kinds
        self.md = md
        self.starts = [0, *accumulate(len(line) + 1 for line in lines)]
        code = [(self.starts[n], self.starts[n + 1] - 1) for n in indented_code(lines)]
        self.tags = find_tags(self.text, code, is_mdx=is_mdx)
        self.pairs = pair_tags(self.tags)
        self.openings = {closing: opening for opening, closing in self.pairs.items()}
        self.first, self.last = _line_ends(self.text, self.tags)
        self.alone = [first and last for first, last in zip(self.first, self.last, strict=True)]
        self.stashed = [match.start() for match in re.finditer(STX, self.text)]

    def lines(self) -> list[str]:
        """Return the lines, rewritten."""
        shifts = self._shifts()
        headers = self._headers(shifts)
        parts: list[str] = []
        done = 0
        for number, tag in enumerate(self.tags):
            if tag.start < done:
                continue
            end, text = tag.end, headers.get(number)
            if text is None and self._hides(number):
                end = self.tags[self.pairs[number]].end
                text = self._code(number)
            elif text is None:
                text = self._replacement(number)
            parts += self.text[done : tag.start], text
            if "\n" not in text:
                parts.append("\n" * self.text.count("\n", tag.start, end))
            done = end
        parts.append(self.text[done:])
        result: list[str] = []
        for line, shift in zip("".join(parts).split("\n"), shifts, strict=True):
            result.append(line[min(shift, indent_of(line, 0)) :] if shift else line)
            if (text := line.lstrip(" >")).startswith("///"):  # options may follow right below
                result.append(line[: len(line) - len(text)].rstrip())
        return result

    def _hides(self, number: int) -> bool:
        """Return whether a tag opens code, a comment, or the value of a variable."""
        tag, closing = self.tags[number], self.pairs.get(number)
        if closing is None or tag.family not in {"hugo", "liquid"}:
            return False
        if tag.name in _HIDDEN:
            return self.alone[number]
        return self.first[number] and self.last[closing] and self._holds_code(number, closing)

    def _holds_code(self, opening: int, closing: int) -> bool:
        """Return whether all between two tags is code, or the value of a variable."""
        tag = self.tags[opening]
        if tag.name in _CODE:
            end = self.tags[closing].start
            return bisect_right(self.stashed, tag.end) == bisect_right(self.stashed, end)
        inner = (self.tags[number] for number in range(opening + 1, closing))
        if tag.name not in _CAPTURES | _RAW or any(
            other.family != "value" and other.name not in _RAW for other in inner
        ):
            return False
        code = self._text_between(opening)
        return ("\n" in code if tag.name in _RAW else bool(code)) and not _PROSE.search(code)

    def _text_between(self, opening: int) -> str:
        """Return what is between two tags, without the indentation of the first."""
        tag = self.tags[opening]
        text = self.text[tag.end : self.tags[self.pairs[opening]].start]
        text = _RAW_TAG.sub("", text).strip("\n").rstrip()
        margin = tag.start - self.text.rfind("\n", 0, tag.start) - 1
        if not margin:
            return text
        lines = text.split("\n")
        return "\n".join(line[:margin].lstrip(" >") + line[margin:] for line in lines)

    def _code(self, number: int) -> str:
        """Return the placeholder of the code between two tags; empty for a comment or a value."""
        tag = self.tags[number]
        is_line = "\n" not in self.text[tag.end : self.tags[self.pairs[number]].start]
        if tag.name in _HIDDEN or (is_line and tag.name in _CAPTURES):
            return ""
        code = self._text_between(number)
        html = f'<pre class="highlight"><code>{escape(code, quote=False)}</code></pre>'
        return str(self.md.htmlStash.store(html))

    def _is_inline_code(self, number: int) -> bool:
        """Return whether a tag opens or closes code in a line of text."""
        opening = self.openings.get(number, number)
        closing = self.pairs.get(opening)
        if closing is None or self.tags[number].name not in _CODE:
            return False
        start, end = self.tags[opening].end, self.tags[closing].start
        code = self.text[start:end] if end - start <= _LONGEST_INLINE else "\n"
        return not any(sign in code for sign in ("\n", "`", STX))

    def _replacement(self, number: int) -> str:
        """Return the text in place of a tag that becomes no block."""
        tag = self.tags[number]
        text = self.text[tag.start : tag.end]
        if tag.family == "colon":
            is_paired = number in self.pairs or number in self.openings
            return "" if is_paired or tag.size > _NUXT else text
        if self.alone[number] or tag.family in {"element", "comment"}:
            return ""
        if tag.family == "expression":
            string = _STRING.match(tag.arguments)
            return next((group for group in string.groups() if group), "") if string else "{{}}"
        if self.text.endswith("](", 0, tag.start):
            return ""  # a link whose target is not known
        is_paired = number in self.pairs or number in self.openings or tag.closes
        is_value = not is_paired or tag.name in _LOGIC  # or it decides about the text
        if tag.family == "value" or (is_value and not self._is_in_heading(tag)):
            return text
        return "`" if self._is_inline_code(number) else ""

    def _is_in_heading(self, tag: Tag) -> bool:
        """Tell whether a tag is in a heading: that is not quoted, and its other words count."""
        return bool(_HEADING.match(self.source[self._line(tag.start)]))

    def _line(self, offset: int) -> int:
        """Return the number of the line that holds an offset."""
        return bisect_right(self.starts, offset) - 1

    def _shifts(self) -> list[int]:
        """Return by how much each line moves left: what is in an element of MDX is indented."""
        steps = [0] * (len(self.source) + 1)
        for opening, closing in self.pairs.items():
            tag = self.tags[opening]
            if tag.family != "element" or not (self.alone[opening] and self.alone[closing]):
                continue
            first = below = self._line(tag.end - 1) + 1
            last = self._line(self.tags[closing].start)
            while below < last and self.source[below].lstrip(" ")[:1] in {"", STX}:
                below += 1
            if below < last:
                outer = indent_of(self.source[self._line(tag.start)], 0)
                step = max(0, indent_of(self.source[below], 0) - outer)
                steps[first] += step
                steps[last] -= step
        return list(accumulate(steps[:-1]))

    def _headers(self, shifts: list[int]) -> dict[int, str]:
        """Return the lines that open and close blocks by the numbers of the tags they replace."""
        headers: dict[int, str] = {}
        ends: list[int] = []  # of the blocks that are open
        for opening, tag in enumerate(self.tags):
            while ends and ends[-1] <= opening:
                ends.pop()
            closing = self.pairs.get(opening, -1)
            if closing < 0 or not (self.alone[opening] and self.alone[closing]):
                continue
            if self._hides(opening):  # its quoted arguments are no title
                continue
            line = self._line(tag.start)
            indent = indent_of(self.source[line], 0)
            if indent - shifts[line] >= TAB or len(ends) == _DEEPEST:
                continue
            if line < self._line(self.tags[closing].start) and (block := self._block(tag)):
                slashes = "/" * (3 + _DEEPEST - len(ends))
                headers[opening], headers[closing] = f"{slashes} {block}", slashes
                ends.append(closing)
        return headers

    def _block(self, tag: Tag) -> str:
        """Return the kind and the title of the block that a tag opens, as pymdownx writes them."""
        title = tag.title or (tag.value if tag.name in _TABS else "")
        title = " ".join(title.split())
        if "{{" in title or "{%" in title:
            title = ""
        kind = self.kinds.get(tag.name, "")
        if tag.name in _DETAILS:
            kind = "details"
        elif title and not kind:
            kind = "tab"
        return f"{kind} | {title}" if kind and title else kind


def _line_ends(text: str, tags: list[Tag]) -> tuple[list[bool], list[bool]]:
    """Tell for each tag whether nothing but tags is before it on its line, and after it."""
    before: list[bool] = []
    end = 0
    for tag in tags:
        start = text.rfind("\n", end, tag.start) + 1
        is_first = not text[start or end : tag.start].strip(" >")
        before.append(is_first and (bool(start) or not before or before[-1]))
        end = tag.end
    after: list[bool] = []
    start = len(text)
    for tag in reversed(tags):
        stop = text.find("\n", tag.end, start)
        is_last = not text[tag.end : start if stop < 0 else stop].strip()
        after.append(is_last and (stop >= 0 or not after or after[-1]))
        start = tag.start
    return before, after[::-1]


def _module_lines(lines: list[str]) -> list[int]:
    """Return the numbers of the lines with imports and exports of MDX."""
    numbers: list[int] = []
    for number, line in enumerate(lines):
        if line[:1] not in {"i", "e"} or (numbers and number <= numbers[-1]):
            continue
        follows = number == 0 or not lines[number - 1].strip() or numbers[-1:] == [number - 1]
        if follows and (_IMPORT.match(line) or _EXPORT.match(line)):
            numbers += _module(lines, number)
    return numbers


def _module(lines: list[str], first: int) -> range:
    """Return the lines of one import or export: up to an empty line, with all brackets closed."""
    depth = paragraph = 0
    for number in range(first, len(lines)):
        line = lines[number]
        if not line.strip():
            paragraph = paragraph or number
            if depth <= 0:
                return range(first, number)
            if number - first > _MODULE_SIZE:
                break
        depth += sum(map(line.count, "{[(")) - sum(map(line.count, "}])"))
    return range(first, paragraph or len(lines))
