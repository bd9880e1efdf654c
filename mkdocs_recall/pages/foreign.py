"""Markdown of any generator → HTML that notes its lines, by markdown-it with some rules of ours.

A folder has no settings, so that its pages are read as CommonMark with what GitHub and the common
generators add: tables, footnotes, definitions; admonitions, tabs, attribute lists, formulas, keys
and the like of Python-Markdown and pymdownx; tags of Hugo, Liquid, VitePress and MDX.

A page goes through like this. Rules for blocks make tokens of its lines, containers within
containers; rules for text make tokens of each paragraph. A tag of another generator is a token
wherever it stands. When all are known, they are paired: two tags that stand alone on their lines
and have a title, or the name of an admonition, become a box or a tab; the others go, and the text
around them stays. A tag that stands for a value (`{{ version }}`) stays in its sentence, which is
then never quoted. In front of each text `<wbr data-line>` says on which line it starts.

Where CommonMark is strict, authors are read as they meant it:

- Below a list marker Python-Markdown wants four columns, and eight for code; in elements of MDX
  indentation means nothing; a fence that is indented too far is a fence.
- A list that starts inside a sentence counts only if it has a second item: a line of wrapped text
  may start like one.
- What is between tags named for code is code, unless it is fenced. So is what a template shows as
  it is, if it has two lines or more and no mark of prose: no line that ends a sentence, no item,
  heading or link.
- `[text][package.Class]`, which mkdocstrings would resolve, stays as its text: what names a dotted
  path, or has code for its text.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from html import escape
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, TypeAlias

from markdown.extensions.toc import slugify
from markdown_it import MarkdownIt
from markdown_it.common.utils import normalizeReference, unescapeAll
from markdown_it.helpers import parseLinkDestination, parseLinkTitle
from markdown_it.rules_block import StateBlock, blockquote, fence, heading, hr, list_block, table
from markdown_it.rules_block.html_block import HTML_SEQUENCES
from markdown_it.token import Token

from mkdocs_recall.directives.fences import find_fences, may_hold_directive
from mkdocs_recall.pages.lines import fence_title, first_group

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, MutableMapping, Sequence

    from markdown_it.rules_core import StateCore
    from markdown_it.rules_inline import StateInline


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
            return first_group(attribute) or _TRAILING_BRACES.sub("", self.arguments).strip()
        attribute = _ATTRIBUTE.search(self.arguments)
        if attribute is None and self.family != "element":
            attribute = _QUOTED.match(self.arguments)
        return first_group(attribute)

    @property
    def value(self) -> str:
        """The name or value that the tag states; it may have none."""
        return first_group(_VALUE.search(self.arguments))

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


TAB: Final = 4
"""How far containers of Python-Markdown indent, and code."""
_DEEPEST: Final = 60
"""Levels of elements in each other; a container in deeper ones is text."""
_REACH: Final = 1000
"""How many lines code between tags has at most."""


_CODE_SPAN: Final = re.compile(r"(?<!`)(``?)(?!`)[^\n]{1,400}?(?<!`)\1(?!`)")
_BARE_PIPE: Final = re.compile(r"(?<!\\)\|")
_PIPE: Final = "\ufdd0"
"""What stands for a pipe in code, which ends no cell of a table in Python-Markdown."""


class ForeignMarkdown:
    """Renders pages, one after the other."""

    def __init__(self) -> None:
        """Set up the rules."""
        self._md = md = _Parser("commonmark", {"maxNesting": 2 * _DEEPEST})
        md.helpers = _HELPERS  # type: ignore[assignment]
        md.block.ruler.enableOnly(_BLOCK_RULES)
        for name, rule in _BLOCK_RULES.items():
            ends = ["paragraph", "blockquote", "list"] if rule is _by_sign else []
            md.block.ruler.at(name, rule, {"alt": ends})
        md.inline.ruler.before("escape", "tag", _tag)
        md.inline.ruler.before("escape", "span", _span)
        md.inline.ruler.disable("html_inline")
        md.inline.ruler.after("image", "label", _label)
        md.inline.ruler.at("text", _plain)
        md.inline.ruler.push("sign", _sign)
        for name, core in (("block", _read_blocks), ("inline", _read_texts), ("text_join", _pair)):
            md.core.ruler.at(name, core)

    def render(self, markdown: str, uri: str) -> str:
        """Return the HTML of a page without its directives.

        Args:
            uri: Its path: what ends in `.mdx` is MDX; a page that imports is, too.
        """
        fences = find_fences(markdown) if may_hold_directive(markdown) else ()
        left_out = frozenset(fence.first for fence in fences)
        is_mdx = uri.lower().endswith(".mdx")
        env: dict[str, Any] = {"is_mdx": is_mdx, "elements": 0, "open": []}
        env |= {name: {} for name in ("ends", "labels", "notes", "references")}
        if "|" in markdown:
            markdown = _CODE_SPAN.sub(lambda span: _BARE_PIPE.sub(_PIPE, span[0]), markdown)
        return _page_html(self._md.parse(markdown, env), left_out).replace(_PIPE, "|")


class _Parser(MarkdownIt):
    """CommonMark, with links as their author wrote them."""

    def normalizeLink(self, url: str) -> str:
        return url

    def normalizeLinkText(self, link: str) -> str:
        return link

    def validateLink(self, url: str) -> bool:
        return True


def _label_end(state: StateInline, start: int, disableNested: bool = False) -> int:
    """Return where the label ends that starts with a bracket; -1 if there is none.

    All labels of a text are matched at once.
    """
    known: dict[str, dict[int, tuple[int, bool]]] = state.env["labels"]
    if state.src not in known:
        known[state.src] = _labels(state.src)
    end, is_nested = known[state.src].get(start, (-1, False))
    return -1 if end >= state.posMax or (disableNested and is_nested) else end


_HELPERS: Final = SimpleNamespace(
    parseLinkDestination=parseLinkDestination,
    parseLinkTitle=parseLinkTitle,
    parseLinkLabel=_label_end,
)
"""What finds the parts of links."""
_BRACKET: Final = re.compile(r"\\.|(`+)(?!`).{1,2000}?(?<!`)\1(?!`)|!?\[|\]", re.DOTALL)
_LONGEST_LABEL, _DEEPEST_LABEL = 2000, 6


def _labels(text: str) -> dict[int, tuple[int, bool]]:
    """Return the end of each label by its start, and whether another link is in it."""
    labels: dict[int, tuple[int, bool]] = {}
    pending: list[list[int]] = []  # start, levels of labels in it, whether a link is in it
    for match in _BRACKET.finditer(text):
        sign = match[0]
        if sign in {"[", "!["}:
            pending.append([match.end() - 1, 0, 0])
        elif sign == "]" and pending:
            start, depth, has_link = pending.pop()
            end = match.start()
            if end - start <= _LONGEST_LABEL and depth <= _DEEPEST_LABEL:
                labels[start] = end, bool(has_link)
            if pending:
                is_link = text[end + 1 : end + 2] in {"(", "["} and text[start - 1 : start] != "!"
                outer = pending[-1]
                outer[1:] = [max(outer[1], depth + 1), outer[2] or has_link or is_link]
    return labels


class _Lines(StateBlock):
    """The lines of a page while its blocks are read."""

    def __init__(
        self, src: str, md: MarkdownIt, env: MutableMapping[str, Any], tokens: list[Token]
    ) -> None:
        super().__init__("", md, env, tokens)
        self.src = src
        self.bMarks, self.eMarks, self.tShift, self.sCount = [], [], [], []
        start = 0
        lines = src.split("\n")
        for line in (*lines[: len(lines) - (not lines[-1])], ""):
            shift = len(line) - len(line.lstrip(" \t"))
            self.bMarks.append(start)
            self.tShift.append(shift)
            self.sCount.append(len(line[:shift].expandtabs(TAB)) if "\t" in line else shift)
            start = min(start + len(line) + 1, len(src) + 1)
            self.eMarks.append(start - 1)
        self.bMarks[-1] = self.eMarks[-1] = len(src)
        self.bsCount = [0] * len(self.bMarks)
        self.lineMax = len(self.bMarks) - 1

    @property
    def code_indent(self) -> int:
        """How far code is indented in the open containers."""
        width = self.blkIndent - self.listIndent if self.listIndent >= 0 else TAB
        return 2 * TAB - width if 0 < width < TAB else TAB

    def is_code_block(self, line: int) -> bool:
        indent = self.sCount[line] - self.blkIndent
        return indent >= TAB and indent >= self.code_indent and not self.env["elements"]

    def note(self, tag: Tag) -> None:
        """Note that an element of MDX, or a box of colons, is open or closed."""
        open_: list[tuple[tuple[str, str], int, int]] = self.env["open"]
        if tag.family not in {"element", "colon"} or tag.arguments.endswith("/"):
            return
        if not tag.closes:
            open_.append((tag.key, self.level, self.blkIndent))
            self.env["elements"] += tag.family == "element"
        elif any(key == tag.key for key, *_ in open_[-_DEEPEST:]):
            while (key := open_.pop()[0]) != tag.key:
                self.env["elements"] -= key[0] == "element"
            self.env["elements"] -= key[0] == "element"

    def skipEmptyLines(self, from_pos: int) -> int:
        """Return the next line with text; the end of an element or a box ends the lists in it."""
        line = super().skipEmptyLines(from_pos)
        if line < self.lineMax and self.env["open"]:
            (family, name), level, indent = self.env["open"][-1]
            text = self.text(line) if level < self.level else ""
            is_end = (
                text[2:].lower().startswith(name) if family == "element" else not text.strip(":")
            )
            if text[:2] in {"</", "::"} and is_end:
                self.sCount[line] = min(self.sCount[line], indent)
        return line

    def sign(self, line: int) -> str:
        """Return the first character of a line that is not empty."""
        return self.src[self.bMarks[line] + self.tShift[line]]

    def text(self, line: int) -> str:
        """Return a line without its containers and its indent."""
        return self.src[self.bMarks[line] + self.tShift[line] : self.eMarks[line]]

    def holds(self, line: int) -> bool:
        """Tell whether a line is in the open containers, or empty."""
        return self.sCount[line] >= self.blkIndent or self.isEmpty(line)

    def line_at(self, offset: int, first: int) -> int:
        """Return the line in which an offset is, from another line on."""
        return bisect_left(self.eMarks, offset, first)


_BlockRule: TypeAlias = "Callable[[Any, int, int, bool], bool]"


def _read_blocks(state: StateCore) -> None:
    lines = _Lines(state.src, state.md, state.env, state.tokens)
    state.md.block.tokenize(lines, 0, lines.lineMax)


# Blocks

_UNDERLINE: Final = re.compile(r"(=|-)\1*[ \t]*")
_CONTENTS: Final = frozenset({"[TOC]", "[[toc]]", "[[_TOC_]]"})
_LIST: Final = r"(?:[#.][\w:-]|[\w:-]+=)[^{}\n]*"
_BLOCK_LIST: Final = re.compile(rf"(?:^|\n)\{{(?::[^{{}}\n]*| ?{_LIST})\}}$")
_HEADING_LIST: Final = re.compile(rf" *\{{:? ?({_LIST})\}}$")
_ID: Final = re.compile(r"#([\w:.-]+)|\bid=[\"']?([^\"'\s{}]+)")


def _by_sign(lines: _Lines, first: int, last: int, silent: bool) -> bool:
    """Read a block that its first sign tells; `silent`: tell only whether it is one."""
    rules = _BY_SIGN.get(lines.sign(first), ())
    if not rules or (lines.is_code_block(first) and rules[0] is not _fence):
        return False
    is_next = silent and lines.parentType == "list"  # an item of the list ends none
    return any(
        rule(lines, first, last, silent)
        for rule in rules
        if not (rule in _CONTAINERS and lines.level >= _DEEPEST) and not (is_next and rule is _list)
    )


def _paragraph(lines: _Lines, first: int, _last: int, _silent: bool) -> bool:
    """Read a paragraph, or a heading with a line below it."""
    parent, lines.parentType = lines.parentType, "paragraph"
    end, last, level = first + 1, lines.lineMax, 0
    while end < last and not lines.isEmpty(end):
        if lines.sCount[end] >= 0:  # else a block quote has read it
            if lines.sign(end) in "=-" and 0 <= lines.sCount[end] - lines.blkIndent < TAB:
                underline = _UNDERLINE.fullmatch(lines.text(end))
                level = 0 if underline is None else 1 if underline[1] == "=" else 2
            if level or _by_sign(lines, end, last, True) or table(lines, end, last, True):
                break
        end += 1
    lines.parentType = parent
    content = lines.getLines(first, end, lines.blkIndent, False).strip()
    if content[-1:] == "}":
        content = _BLOCK_LIST.sub("", content)
    lines.line = end + bool(level)
    if content and content not in _CONTENTS:
        kind, tag = ("heading", f"h{level}") if level else ("paragraph", "p")
        _push(lines, kind, tag, content, first, end)
    return True


def _push(  # noqa: PLR0917 - the parts of three tokens
    lines: StateBlock, kind: str, tag: str, content: str, first: int, end: int
) -> None:
    """Add an element with a text."""
    token = lines.push(f"{kind}_open", tag, 1)
    token.map = [first, end]
    if kind == "title":
        token.attrs = {"class": "admonition-title"}
    token = lines.push("inline", "", 0)
    token.content, token.map, token.children = content, [first, end], []
    lines.push(f"{kind}_close", tag, -1)


def _code(lines: _Lines, first: int, last: int, _silent: bool) -> bool:
    """Read indented code."""
    if not lines.is_code_block(first):
        return False
    end = number = first
    while number < last and (lines.isEmpty(number) or lines.is_code_block(number)):
        number += 1
        end = end if lines.isEmpty(number - 1) else number
    token = lines.push("fence", "code", 0)
    token.content = lines.getLines(first, end, lines.blkIndent + lines.code_indent, False)
    token.map = [first, end]
    lines.line = end
    return True


def _fence(lines: _Lines, first: int, last: int, silent: bool) -> bool:
    """Read a fence, which below text may be indented as far as code."""
    if not lines.is_code_block(first):
        return fence(lines, first, last, silent)
    if not first or lines.isEmpty(first - 1):
        return False
    outer, lines.blkIndent = lines.blkIndent, lines.sCount[first]
    is_fence = fence(lines, first, last, silent)
    lines.blkIndent = outer
    return is_fence


_ITEM: Final = re.compile(r"([-*+])[ \t]|\d{1,9}([.)])[ \t]")
_END: Final = re.compile(r"[:;.!?…：；。！？][\s*_`)\]\"'”’»\\]*$")
"""The end of a sentence, or of what introduces a list."""
_FOLLOWING: Final = 50
"""How many lines below the first item of a list the second may be."""


def _list(lines: _Lines, first: int, last: int, silent: bool) -> bool:
    """Read a list, which below text may be no more than wrapped text."""
    if silent and lines.parentType == "paragraph" and lines.sCount[first] >= lines.blkIndent:
        in_item = lines.listIndent >= 0 and lines.blkIndent > lines.listIndent
        if not in_item and not _starts_list(lines, first, last):
            return False
    return list_block(lines, first, last, silent)


def _starts_list(lines: _Lines, first: int, last: int) -> bool:
    """Tell whether a line that starts like an item starts a list below the text before it."""
    item = _ITEM.match(lines.text(first))
    previous = lines.text(first - 1)
    if item is None or _END.search(previous):
        return item is not None
    if item[1] == "+" or " = " in previous:
        return False
    for number in range(first + 1, min(last, first + _FOLLOWING)):
        if lines.isEmpty(number):
            break
        is_inside = lines.sCount[number] > lines.sCount[first]
        other = None if is_inside else _ITEM.match(lines.text(number))
        if other and other.groups() == item.groups():
            return True
    return False


_BOX: Final = re.compile(
    r"(?:(!!!|\?\?\?\+?) ?([\w-]+(?: +[\w-]+)*)(?: +\"(.*)\")?|={3}[!+]* +\"(.*)\") *$",
    re.MULTILINE,
)
"""`!!! note "Title"`, `??? note`, `=== "Tab"`."""


def _box_at(lines: _Lines, line: int) -> re.Match[str] | None:
    return _BOX.match(lines.src, lines.bMarks[line] + lines.tShift[line], lines.eMarks[line])


def _box(lines: _Lines, first: int, last: int, silent: bool) -> bool:
    """Read an admonition or a set of tabs, whose contents are indented."""
    match = _box_at(lines, first)
    if match is None:
        return False
    if silent:
        return True
    margin = lines.sCount[first]
    if match[1]:
        tag, title = ("details", "summary") if match[1][0] == "?" else ("div", "p")
        lines.push("box_open", tag, 1).attrs = {"class": f"admonition {match[2]}"}
        if match[3]:
            _push(lines, "title", title, match[3], first, first + 1)
        lines.line = _contents(lines, first, last)
        lines.push("box_close", tag, -1)
        return True
    lines.push("tabs_open", "div", 1).attrs = {"class": "tabbed-set"}
    while match:
        _push(lines, "label", "label", match[4], first, first + 1)
        token = lines.push("tab_open", "div", 1)
        token.attrs, token.map = {"class": "tabbed-content"}, [first, first + 1]
        lines.line = _contents(lines, first, last)
        lines.push("tab_close", "div", -1)
        first = lines.skipEmptyLines(lines.line)
        is_next = first < last and lines.sCount[first] == margin
        match = _box_at(lines, first) if is_next else None
        match = match if match and not match[1] else None
    lines.push("tabs_close", "div", -1)
    return True


def _contents(lines: _Lines, first: int, last: int) -> int:
    """Read what is indented below a line, and return the line after it."""
    outer = lines.blkIndent, lines.lineMax, lines.parentType, lines.listIndent
    lines.blkIndent, lines.parentType, lines.listIndent = lines.sCount[first] + TAB, "root", -1
    end = first + 1
    while end < last and lines.holds(end):
        end += 1
    lines.lineMax = end
    lines.md.block.tokenize(lines, first + 1, end)
    lines.blkIndent, lines.lineMax, lines.parentType, lines.listIndent = outer
    return end


_MARKDOWN: Final = re.compile(r"<[a-z][\w-]*\s(?:[^<>]*\s)?markdown(?:=[\"']?\w+[\"']?)?[\s>]")
_WHOLE: Final = re.compile(r"<(h[1-6]|p|summary)\b[^<>]*>.*</\1>\s*$")
_COMPONENT: Final = re.compile(r"</?[A-Z]\w*[a-z]")
_COMMENT, _COMMENT_END = "<!--", "-->"
_UP_TO_BLANK: Final = HTML_SEQUENCES[-2:]
_TAG_SIGNS: Final = frozenset("{<:/")


def _html_block(lines: _Lines, first: int, last: int, silent: bool) -> bool:
    """Read a block of HTML; what is in an element with the attribute `markdown` is none."""
    text = lines.text(first)
    if _COMPONENT.match(text):
        return False
    kind = next((kind for kind in HTML_SEQUENCES if kind[0].search(text)), None)
    if kind is None or silent:
        return kind is not None and kind[2]
    end = first + 1
    if not (kind[1].search(text) or _MARKDOWN.match(text) or _WHOLE.match(text)):
        while end < last and lines.holds(end):
            inner = lines.text(end)
            may_be_tag = kind in _UP_TO_BLANK and inner[:1] in _TAG_SIGNS
            if may_be_tag and _tag_lines(lines, end, last, True):
                break
            if kind[1].search(inner):
                end += bool(inner)
                break
            end += 1
    token = lines.push("html_block", "", 0)
    token.content = lines.getLines(first, end, lines.blkIndent, True)
    if token.content.rfind(_COMMENT) > token.content.rfind(_COMMENT_END):
        token.content += _COMMENT_END
    token.map = [first, end]
    lines.line = end
    return True


_MARK: Final = re.compile(r":[ \t]+(?=\S)")
_TERMS: Final = 10
"""How many terms one definition has at most."""


def _definitions(lines: _Lines, first: int, last: int, silent: bool) -> bool:
    """Read terms and their definitions, of which each is a block of its own."""
    if silent:
        return lines.ddIndent >= 0 and _MARK.match(lines.text(first)) is not None
    end = first + 1
    while end < min(last, first + _TERMS) and not lines.isEmpty(end) and _mark(lines, end) < 0:
        end += 1
    line = lines.skipEmptyLines(end)
    if line > end + 1 or line >= last or _mark(lines, line) < 0 or lines.level >= _DEEPEST:
        return False
    lines.push("dl_open", "dl", 1)
    for term in range(first, end):
        _push(lines, "dt", "dt", lines.text(term).strip(), term, term + 1)
    while line < last and (size := _mark(lines, line)) >= 0:
        lines.push("dd_open", "dd", 1)
        _behind(lines, line, last, size, 2)
        lines.push("dd_close", "dd", -1)
        line = lines.skipEmptyLines(lines.line)
    lines.push("dl_close", "dl", -1)
    return True


def _mark(lines: _Lines, line: int) -> int:
    """Return the size of the mark of a definition at the start of a line; -1 for none."""
    is_inside = lines.holds(line) and not lines.is_code_block(line)
    match = _MARK.match(lines.text(line)) if is_inside else None
    return match.end() if match else -1


_NOTE: Final = re.compile(r"\[\^([^\]\s]{1,99})\]:[ \t]*")


def _note(lines: _Lines, first: int, last: int, silent: bool) -> bool:
    """Read a footnote."""
    match = _NOTE.match(lines.text(first))
    if match is None:
        return False
    if not silent:
        lines.env["notes"][match[1]] = ""  # its mark is not shown
        lines.push("note_open", "li", 1)
        _behind(lines, first, last, match.end(), TAB)
        lines.push("note_close", "li", -1)
    return True


def _behind(lines: _Lines, first: int, last: int, size: int, indent: int) -> None:
    """Read what is behind a mark, and indented below it."""
    start = lines.bMarks[first], lines.tShift[first], lines.sCount[first]
    outer = lines.blkIndent, lines.ddIndent, lines.listIndent, lines.parentType
    lines.blkIndent = lines.ddIndent = lines.sCount[first] + indent
    lines.listIndent, lines.parentType = -1, "root"
    lines.bMarks[first] += lines.tShift[first] + size
    lines.tShift[first], lines.sCount[first] = 0, lines.blkIndent
    lines.line = first + 1  # if nothing is behind it
    lines.md.block.tokenize(lines, first, last)
    lines.bMarks[first], lines.tShift[first], lines.sCount[first] = start
    lines.blkIndent, lines.ddIndent, lines.listIndent, lines.parentType = outer


_DEFINITION: Final = re.compile(
    r"\[((?:[^\[\]\\]|\\.){1,999})\]:[ \t]*(?:\n[ >\t]*)?(<[^<>\n]*>|\{\{[^{}\n]*\}\}|[^\s<]\S*)"
    r"(?:[ \t]*(?:\n[ >\t]*)?(?<=\s)(?:\"([^\"\n]*)\"|'([^'\n]*)'|\(([^()\n]*)\)))?[ \t]*$",
    re.MULTILINE,
)


def _reference(lines: _Lines, first: int, _last: int, silent: bool) -> bool:
    """Read where the links with a label lead."""
    start = lines.bMarks[first] + lines.tShift[first]
    match = None if silent else _DEFINITION.match(lines.src, start)
    if match is None or not match[1].strip():
        return False
    title = match[3] or match[4] or match[5] or ""
    href = match[2][1:-1] if match[2][0] == "<" else "" if match[2][0] == "{" else match[2]
    known = {"href": unescapeAll(href), "title": unescapeAll(title), "map": [first, first + 1]}
    lines.env["references"].setdefault(normalizeReference(match[1]), known)
    lines.line = lines.line_at(match.end(), first) + 1
    return True


_ABBREVIATION: Final = re.compile(r"\*\[[^\]\n]+\]:")


def _abbreviation(lines: _Lines, first: int, _last: int, silent: bool) -> bool:
    """Pass over what an abbreviation means."""
    is_one = _ABBREVIATION.match(lines.text(first)) is not None
    if is_one and not silent:
        lines.line = first + 1
    return is_one


# Tags of other generators, and code between them

_IMPORT: Final = re.compile(
    r"import\s+(?:(?:[\w$*{][^'\"\n]*\sfrom\s+)?['\"][^'\"\n]+['\"];?\s*$|(?:\w+,\s*)?\{[^}'\"]*$)"
)
_EXPORT: Final = re.compile(
    r"export\s+(?:default\s|(?:const|let|var)\s+[\w$]+\s*=|(?:async\s+)?function\W|class\s|\{|\*\s)"
)
_MODULE_SIZE: Final = 60
"""An import or export that is not complete after so many lines ends at its first empty one."""


def _module(lines: _Lines, first: int, last: int, silent: bool) -> bool:
    """Read an import or export of MDX: up to an empty line, with all brackets closed."""
    if silent or lines.level or lines.sCount[first]:
        return False
    text = lines.text(first)
    if not (_IMPORT.match(text) or _EXPORT.match(text)):
        return False
    depth = paragraph = 0
    end = first
    while end < last:
        if lines.isEmpty(end):
            paragraph = paragraph or end
            if depth <= 0 or end - first > _MODULE_SIZE:
                break
        text = lines.text(end)
        depth += sum(map(text.count, "{[(")) - sum(map(text.count, "}])"))
        end += 1
    lines.env["is_mdx"] = True
    lines.line = end if depth <= 0 else paragraph or end
    return True


def _tag_lines(lines: _Lines, first: int, last: int, silent: bool) -> bool:
    """Read a line of nothing but tags, or of colons or slashes; each tag may go on below it."""
    src, start = lines.src, lines.bMarks[first] + lines.tShift[first]
    tags: list[tuple[Tag, list[int], str]] = []
    line = first
    while not tags or start < lines.eMarks[line]:
        if src[start] in "{<":
            tag = read_tag(src, start, is_mdx=lines.env["is_mdx"])
        else:
            tag = None if tags else read_container(src, start)
        if tag is None:
            return False
        text = lines.text(first) if tag.size else src[start : tag.end]
        tags.append((tag, [line, line + 1], text))
        line = lines.line_at(tag.end, line)
        if line >= last:
            return False
        start = lines.skipSpaces(tag.end)
    if not silent:
        for tag, place, text in tags:
            token = lines.push("tag", "", 0)
            token.map, token.content, token.meta = place, text, {"tag": tag}
            lines.note(tag)
        lines.line = line + 1
    return True


_CODE: Final = frozenset(
    {"highlight", "prism", "code", "codeblock", "code-block", "code_block", "sourcecode"}
)
_RAW: Final = frozenset({"raw", "verbatim"})
_HIDDEN: Final = frozenset({"comment"})
_TEMPLATES: Final = _CODE | _RAW | _HIDDEN
_CLOSING: Final = re.compile(
    r"\{%-?\s*(?:end|/\s*)(\w[\w-]*)\s*-?%\}|\{\{[<%]\s*/\s*(\w[\w-]*)\s*[%>]\}\}"
)
_RAW_TAG: Final = re.compile(r"\{%-? *(?:end)?(?:raw|verbatim) *-?%\}\n?")
_PROSE: Final = re.compile(
    r"[.!?…。！？][\s*_`)\]\"'”’»]{0,9}$|^ {0,3}(?:[-*+] |\d{1,9}[.)] |#{2,6} |[>|<])|\]\(|\*\*",
    re.MULTILINE,
)
"""A mark of prose in what a template shows as it is."""


def _template(lines: _Lines, first: int, last: int, silent: bool) -> bool:
    """Read code between tags, or a comment."""
    start = lines.bMarks[first] + lines.tShift[first]
    tag = read_tag(lines.src, start, is_mdx=False)
    is_opening = tag and not tag.closes and tag.name in _TEMPLATES
    closing = _closing(lines, tag) if tag and is_opening else None
    line = lines.line_at(closing.end(), first) if closing else last
    if (
        tag is None
        or closing is None
        or line >= min(last, first + _REACH)
        or lines.src[closing.end() : lines.eMarks[line]].strip()
        or not all(map(lines.holds, range(first, line + 1)))
    ):
        return False
    text = lines.getLines(first, line + 1, lines.sCount[first], False)
    opened = read_tag(text, 0, is_mdx=False) or tag
    code = _RAW_TAG.sub("", text[opened.end : text.rindex(closing[0])]).strip("\n").rstrip()
    if not _is_code(tag.name, code):
        return False
    if not silent:
        if tag.name not in _HIDDEN:
            token = lines.push("fence", "code", 0)
            token.content, token.map = code, [first, line + 1]
        lines.line = line + 1
    return True


def _is_code(name: str, code: str) -> bool:
    """Tell whether all between two tags is code, or a comment."""
    if name in _HIDDEN:
        return True
    if "```" in code or "~~~" in code:
        return False
    return name in _CODE or ("\n" in code and _PROSE.search(code) is None)


def _closing(lines: _Lines, tag: Tag) -> re.Match[str] | None:
    """Find the tag that closes another; all of a page are found once."""
    ends: dict[str, list[re.Match[str]]] = lines.env["ends"]
    if not ends:
        ends[""] = []
        for match in _CLOSING.finditer(lines.src):
            ends.setdefault((match[1] or match[2]).lower(), []).append(match)
    known = ends.get(tag.name, [])
    number = bisect_left(known, tag.end, key=lambda match: match.start())
    return known[number] if number < len(known) else None


# Text. markdown-it calls no rule silently, since `_label_end` finds labels without that.

_PLAIN: Final = re.compile(
    r"(?:[^\n!$&*+:<=\[\\^_`{~]+|:(?![\w+-]{1,50}:)|\+(?!\+)|=(?!=)|!(?!\[))+"
)
_MARKUP: Final = re.compile(r"[\n!$&*+:<=\[\\^_`{~]")
_LONGEST_TEXT: Final = 5000
"""After so many characters a text is a token: to add to a longer one takes time with its length."""


_MOST_SIGNS: Final = 2000
"""A text with more signs of emphasis has none: to pair them takes time with their square."""


def _read_texts(state: StateCore) -> None:
    """Read the text of each block, and name the headings."""
    given: set[str] = set()
    last: dict[str, int] = {}
    above = outer = Token("", "", 0)
    for token in state.tokens:
        if token.type == "inline":
            is_heading = above.type == "heading_open"
            content, anchor = token.content, ""
            if is_heading and content[-1:] == "}" and (match := _HEADING_LIST.search(content)):
                content = content[: match.start()]
                anchor = (stated[1] or stated[2]) if (stated := _ID.search(match[1])) else ""
            if outer.type == "list_item_open" and content[:4] in {"[ ] ", "[x] ", "[X] "}:
                token.meta["check"] = content[1] != " "
                content = content[4:]
            children: list[Token] = []
            if _MARKUP.search(content) and content.count("*") + content.count("_") < _MOST_SIGNS:
                state.md.inline.parse(content, state.md, state.env, children)
            else:
                children.append(Token("text", "", 0, content=content))
            token.children = children
            if is_heading:
                anchor = anchor or _anchor(slugify(_text_of(children), "-"), given, last)
                above.attrs["id"] = anchor
                given.add(anchor)
                token.meta["heading"] = True
        outer, above = above, token


_COUNTED: Final = re.compile(r"(.*)_(\d{1,9})")


def _anchor(name: str, given: set[str], last: dict[str, int]) -> str:
    """Return a name, with a number if it is empty or given, as the extension `toc` does.

    Args:
        last: The last number behind each name, so that many equal headings take linear time.
    """
    if not name or name in given:
        counted = _COUNTED.fullmatch(name)
        name, number = (counted[1], int(counted[2])) if counted else (name, 0)
        number = max(number, last.get(name, 0)) + 1
        while f"{name}_{number}" in given:
            number += 1
        last[name] = number
        name = f"{name}_{number}"
    return name


def _text_of(tokens: Iterable[Token]) -> str:
    """Return the text of a line of text, without that of pictures."""
    return "".join(
        token.content
        for token in tokens
        if token.type in {"text", "text_special", "code_inline", "softbreak"}
    )


def _plain(state: StateInline, _silent: bool) -> bool:
    """Read text without signs."""
    match = _PLAIN.match(state.src, state.pos, state.posMax)
    return match is not None and _add(state, match[0])


def _sign(state: StateInline, _silent: bool) -> bool:
    """Read a sign that is text."""
    return _add(state, state.src[state.pos])


def _add(state: StateInline, text: str) -> bool:
    """Add text that is read."""
    state.pending += text
    state.pos += len(text)
    if len(state.pending) > _LONGEST_TEXT:
        state.pushPending()
    return True


def _html(_state: StateInline, tag: re.Match[str]) -> str | None:
    """Return a tag of HTML; one with an expression of MDX loses its attributes."""
    if len(tag[0]) > _LONGEST:
        return None
    return f"<{tag[1]}{tag[2]}>" if tag[2] and "{" in tag[0] else tag[0]


def _attribute(state: StateInline, attributes: re.Match[str]) -> str | None:
    """Pass over the attribute list of an element of the text."""
    follows = (
        state.tokens
        and not state.pending
        and (state.tokens[-1].type != "text" or _EMPHASIS.issuperset(state.tokens[-1].content))
    )
    is_list = follows or attributes[0][1] == ":" or state.src[state.pos - 1] == ":"
    return "" if state.pos and is_list else None


def _formula(_state: StateInline, formula: re.Match[str]) -> str:
    return f'<span class="arithmatex">\\({escape(formula[1], quote=False)}\\)</span>'


def _display(_state: StateInline, formula: re.Match[str]) -> str:
    text = escape(formula[formula.lastindex or 0], quote=False)
    return f'<div class="arithmatex">\\[{text}\\]</div>'


def _keys(_state: StateInline, pressed: re.Match[str]) -> str:
    from pymdownx.keymap_db import aliases, keymap  # type: ignore[import-untyped]

    names = (aliases.get(key, key) for key in pressed[1].lower().split("+"))
    keys = (f"<kbd>{escape(keymap.get(key, key.title()))}</kbd>" for key in names)
    return f'<span class="keys">{"<span>+</span>".join(keys)}</span>'


def _emoji(_state: StateInline, sign: re.Match[str]) -> str | None:
    from pymdownx.emoji1_db import aliases, emoji  # type: ignore[import-untyped]

    code = emoji.get(aliases.get(sign[0], sign[0]), {}).get("unicode", "")
    return "".join(chr(int(part, 16)) for part in code.split("-")) if code else None


def _between(start: str, end: str = "", edge: str = r"\S") -> re.Pattern[str]:
    """Return what finds a text between signs; the pattern `edge` matches what it starts with."""
    opening, closing = re.escape(start), re.escape(end or start)
    return re.compile(rf"{opening}(?={edge})(.{{1,400}}?)(?<={edge}){closing}", re.DOTALL)


_HTML: Final = re.compile(
    rf"<(?:!--.{{0,{_LONGEST - 7}}}?-->|[?!][^<>]*>|(/?)([A-Za-z][\w-]*)(?=[\s/>])"
    r"(?:[^<>\"'{}]|\"[^\"<]*\"|'[^'<]*'|\{(?:[^{}<]|\{[^{}<]*\})*\})*>)",
    re.DOTALL,
)
_ATTRIBUTES: Final = re.compile(rf" ?\{{(?::[^{{}}\n]*| ?{_LIST})\}}")
_EMPHASIS: Final = frozenset("*_")
_Shown: TypeAlias = "str | Callable[[StateInline, re.Match[str]], str | None]"
_SPANS: Final[dict[str, tuple[tuple[re.Pattern[str], _Shown], ...]]] = {
    "~": ((_between("~~"), "del"), (re.compile(r"~([^\s~]{1,99})~(?!~)"), "sub")),
    "^": ((_between("^^"), "ins"), (re.compile(r"\^([^\s^]{1,99})\^(?!\^)"), "sup")),
    "=": ((_between("=="), "mark"),),
    "$": (
        (re.compile(r"\A\$\$(.{1,2000}?)\$\$\Z", re.DOTALL), _display),
        (_between("$$"), _formula),
        (re.compile(r"\$(?!\s)((?:\\.|[^\\$]){1,400}?)(?<!\s)\$", re.DOTALL), _formula),
    ),
    "\\": (
        (re.compile(r"\\\((.{1,400}?)\\\)", re.DOTALL), _formula),
        (re.compile(r"\A\\\[(?=.{0,99}[=^_{\n])(.{1,2000}?)\\\]\Z", re.DOTALL), _display),
        (re.compile(r"\A(?=\\begin\{(\w+\*?)\})(.{1,2000}?\\end\{\1\})\Z", re.DOTALL), _display),
    ),
    "+": ((re.compile(r"\+\+([\w-]+(?:\+[\w-]+){0,9})\+\+"), _keys),),
    ":": ((re.compile(r":([\w+-]{1,50}):"), _emoji),),
    "{": (
        (_between("{++", "++}", "."), "ins"),
        (_between("{--", "--}", "."), "del"),
        (re.compile(r"\{~~(?:[^~]|~(?![>~])){0,400}~>((?:[^~]|~(?!~)){0,400})~~\}"), "ins"),
        (_between("{==", "==}", "."), "mark"),
        (_between("{>>", "<<}", "."), lambda _state, _remark: "<!-- -->"),
        (_ATTRIBUTES, _attribute),
    ),
    "[": ((re.compile(r"\[\^([^\]\s]+)\]"), lambda state, mark: state.env["notes"].get(mark[1])),),
    "<": ((_HTML, _html),),
}
"""What is between signs: the element that it becomes, or what returns its HTML, None for text."""


def _span(state: StateInline, _silent: bool) -> bool:
    """Read a text between signs."""
    for pattern, shown in _SPANS.get(state.src[state.pos], ()):
        match = pattern.match(state.src, state.pos, state.posMax)
        if match is None:
            continue
        if isinstance(shown, str):
            end = state.posMax
            state.push(f"{shown}_open", shown, 1)
            state.pos, state.posMax = match.span(match.lastindex or 0)
            state.md.inline.tokenize(state)
            state.push(f"{shown}_close", shown, -1)
            state.posMax = end
        elif html := shown(state, match):
            state.push("html_inline", "", 0).content = html
        elif html is None:
            continue
        state.pos = match.end()
        return True
    return False


def _tag(state: StateInline, _silent: bool) -> bool:
    """Read a tag in a line of text."""
    src, start = state.src, state.pos
    tag = read_tag(src, start, is_mdx=state.env["is_mdx"]) if src[start] in "{<" else None
    if tag is None or tag.end > state.posMax:
        return False
    state.pos = tag.end
    token = state.push("tag", "", 0)
    token.content, token.meta = src[start : tag.end], {"tag": tag}
    return True


_TARGET: Final = re.compile(
    r"\(\s*(?:\{\{[^\n]{0,300}?\}\}|\{%[^\n]{0,300}?%\})([^()\s]*)(?: +\"[^\"\n]*\")?\s*\)"
)
_REFERENCE: Final = re.compile(r"\[([^\[\]\n]*)\]")
_BELOW: Final = re.compile(r"[ \n]\[([^\[\]]{1,200})\]")
"""A reference behind a space, which Python-Markdown allows."""
_PATH: Final = re.compile(r"[^\W\d]\w*(?:[.:/][^\W\d]\w*)+(?:\(\))?")


def _label(state: StateInline, _silent: bool) -> bool:
    """Read a link whose target is a tag, or that a build would resolve, as its text."""
    src, end = state.src, state.posMax
    is_image = src.startswith("![", state.pos)
    if not (is_image or src[state.pos] == "["):
        return False
    first = state.pos + is_image + 1
    last = _label_end(state, first - 1)
    if last < 0:
        return False
    target = _TARGET.match(src, last + 1, end)
    href = target[1] if target else ""
    match = target or (None if is_image else _REFERENCE.match(src, last + 1, end))
    below = None if match or is_image else _BELOW.match(src, last + 1, end)
    if below and (known := state.env["references"].get(normalizeReference(below[1]))):
        match, href = below, known["href"]
    if match is None:
        return False
    text = src[first:last]
    if match.re is _REFERENCE:
        path = match[1] or text
        is_code = len(text) > 1 and text[0] == text[-1] == "`" and "`" not in text.strip("`")
        if src[state.pos - 1 : state.pos].isalnum() or not (is_code or _PATH.fullmatch(path)):
            return False
    if is_image:
        token = state.push("image", "img", 0)
        token.attrs, token.children = {"src": href}, []
        state.md.inline.parse(text, state.md, state.env, token.children)
    else:
        name = "a" if href else "span"
        state.push("label_open", name, 1).attrs = {"href": href} if href else {}
        state.pos, state.posMax = first, last
        state.md.inline.tokenize(state)
        state.push("label_close", name, -1)
    state.pos, state.posMax = match.end(), end
    return True


# Pairs of tags

_KINDS: Final = frozenset(
    {
        *("note", "abstract", "info", "tip", "success", "question", "warning", "failure", "danger"),
        *("bug", "example", "quote", "attention", "caution", "error", "hint", "important", "check"),
    }
)
_NOTES: Final = frozenset({"callout", "alert", "aside", "admonition"})
_DETAILS: Final = frozenset(
    {"details", "accordion", "accordionitem", "expand", "collapse", "collapsible", "spoiler"}
)
_TABS: Final = frozenset({"tab", "tabitem", "tab-item", "tabpanel", "tabs-item"})
_LOGIC: Final = frozenset({"if", "unless", "for", "case", "ifversion"})
_NUXT: Final = 2
"""The number of colons before a block of Nuxt, which in other Markdown are text."""
_DEEPEST_BLOCK: Final = 20
_STRING: Final = re.compile(r"\s*(?:\"([^\"\\]*)\"|'([^'\\]*)'|`([^`\\$]*)`)\s*$")
_TAB_START, _TAB_END = '<div class="tabbed-set">', "</div></div>\n"


class _TagPlace(NamedTuple):
    """A tag and where it is."""

    token: Token
    """Of a block where the tag stands alone on its line."""
    container: int
    """The number of the token that opens the container around it."""
    is_heading: bool


def _pair(state: StateCore) -> None:
    """Make boxes and tabs of paired tags, and text or nothing of the others."""
    places = [*_places(state.tokens)]
    tags = [place.token.meta["tag"] for place in places]
    pairs = pair_tags(tags)
    paired = {*pairs, *pairs.values()}
    ends: list[int] = []  # of the boxes that are open
    for number, (place, tag) in enumerate(zip(places, tags, strict=True)):
        while ends and ends[-1] <= number:
            ends.pop()
        closing = places[pairs[number]] if number in pairs else place
        if place.token.type == "html":  # the end of a box
            continue
        if (
            (closing.token.map or [0]) > (place.token.map or [0])
            and place.token.block
            and closing.token.block
            and closing.container == place.container
            and len(ends) < _DEEPEST_BLOCK
            and (html := _box_html(tag, state, place.token))
        ):
            place.token.type = closing.token.type = "html"
            place.token.content, closing.token.content = html
            ends.append(pairs[number])
        else:
            _show(place.token, _kept(place, tag, is_paired=number in paired))


def _places(tokens: Sequence[Token]) -> Iterator[_TagPlace]:
    """Yield all tags of a page, in order, but those that others only show: these become text."""
    open_: list[int] = [-1]
    literal = ""  # the name of the tag that shows others
    for number, token in enumerate(tokens):
        if token.nesting > 0:
            open_.append(number)
        elif token.nesting < 0:
            open_.pop()
        for place in (token,) if token.type == "tag" else token.children or ():
            if place.type == "tag":
                tag: Tag = place.meta["tag"]
                if literal and not (tag.closes and tag.name == literal):
                    _show(place, place.content)
                    continue
                literal = tag.name if tag.name in _RAW and not tag.closes else ""
                yield _TagPlace(place, open_[-1], "heading" in token.meta)


def _show(token: Token, text: str) -> None:
    """Make text of a tag."""
    token.type, token.content = "text", text
    if token.block:
        token.type = "html"
        token.content = f"<p>{_line(token)}{escape(text, quote=False)}</p>\n" if text else ""


def _kept(place: _TagPlace, tag: Tag, *, is_paired: bool) -> str:
    """Return the text in place of a tag that becomes no box."""
    text = place.token.content
    if tag.size:
        return "" if is_paired or tag.size > _NUXT else text
    if place.token.block or tag.family in {"element", "comment"}:
        return ""
    if tag.family == "expression":
        string = _STRING.match(tag.arguments)
        return next(filter(None, string.groups()), "") if string else "{{}}"
    is_value = not (is_paired or tag.closes) or tag.name in _LOGIC  # or it decides about the text
    return text if tag.family == "value" or (is_value and not place.is_heading) else ""


def _box_html(tag: Tag, state: StateCore, token: Token) -> tuple[str, str] | None:
    """Return the HTML that opens and closes the box in place of two tags; None for no box."""
    title = tag.title or (tag.value if tag.name in _TABS else "")
    if "{{" in title or "{%" in title:
        title = ""
    if title:
        children: list[Token] = []
        state.md.inline.parse(title, state.md, state.env, children)
        line = _line(token, token.content[: token.content.find(title)].count("\n"))
        title = line + _text_html(children)
    if tag.name in _DETAILS:
        return f"<details><summary>{title}</summary>", "</details>\n"
    if tag.name in _KINDS | _NOTES:
        kind = "note" if tag.name in _NOTES else tag.name
        title = f'<p class="admonition-title">{title}</p>' if title else ""
        return f'<div class="admonition {kind}">{title}', "</div>\n"
    if not title or (tag.family == "slash" and tag.name != "tab"):
        return None
    return f'{_TAB_START}<label>{title}</label>{line}<div class="tabbed-content">', _TAB_END


_BY_SIGN: Final[dict[str, tuple[_BlockRule, ...]]] = {
    **dict.fromkeys("`~", (_fence,)),
    **dict.fromkeys("!?=", (_box,)),
    **dict.fromkeys(":/", (_tag_lines,)),
    **dict.fromkeys("ie", (_module,)),
    **dict.fromkeys("0123456789+", (_list,)),
    ">": (blockquote,),
    "_": (hr,),
    "-": (hr, _list),
    "*": (hr, _list, _abbreviation),
    "#": (heading,),
    "<": (_tag_lines, _html_block),
    "{": (_template, _tag_lines),
    "[": (_note, _reference),
}
"""The rules for blocks that start with a sign."""
_CONTAINERS: Final = {blockquote, _list, _box, _note}
_BLOCK_RULES: Final[dict[str, Any]] = {
    "table": _by_sign,
    "code": _code,
    "fence": table,
    "lheading": _definitions,
    "paragraph": _paragraph,
}
"""What is tried in turn, in place of the rules of markdown-it with these names."""

# HTML

_TEXT_START: Final = re.compile(
    r"<(?:p|li|t[dh]|d[dt]|summary|caption|figcaption|h[1-6]|div|center|blockquote|section)"
    r"(?=[\s>])[^<>]*>\s*|<pre\b"
)


_INFO_LANGUAGE: Final = re.compile(r"(?:\{ ?\.)?([\w+#.-]{1,30})(?![\w+#.=-])")
_SHEBANG: Final = re.compile(r"^(?:#!|:::)[\w#+.-]+ ")


def _line(token: Token, above: int = 0) -> str:
    return f'<wbr data-line="{token.map[0] + 1 + above}">' if token.map else ""


_SNIPPETS: Final = re.compile(r"(?:[ \t]*-+8<-+[ \t]*[\"'][^\n]*\n\s*)+")
"""Code that is nothing but files which a build includes."""


def _page_html(tokens: Sequence[Token], left_out: frozenset[int]) -> str:  # noqa: C901, PLR0912 - a case for each token
    """Return the HTML of a page."""
    page: list[str] = []
    notes: list[str] = []
    parts = page
    tables = 0
    for token in tokens:
        kind = token.type
        if kind == "inline":
            if not tables and "heading" not in token.meta:
                parts.append(_line(token))
            if "check" in token.meta:
                parts.append(f'<input type="checkbox"{" checked" * token.meta["check"]}>')
            parts.append(_text_html(token.children or ()))
        elif kind == "fence":
            is_left_out = bool(token.markup and token.map and token.map[0] in left_out)
            if not (is_left_out or _SNIPPETS.fullmatch(token.content)):
                parts += _line(token), code_html(token.content, token.info)
        elif kind in {"html", "html_block"}:
            parts.append(token.content if kind == "html" else _with_lines(token))
        elif kind == "note_open":
            parts = notes
            parts.append("<li>")
        elif kind == "note_close":
            parts.append("</li>\n")
            parts = page
        elif not token.hidden:
            if token.tag == "table":
                tables += token.nesting
                parts.append(f'<wbr data-rows="{token.map[0] + 3}">' if token.map else "")
            parts.append(_element(token))
            if token.nesting < 0:
                parts.append("\n")
            elif token.type == "tab_open":
                parts[-1] = _line(token) + parts[-1]
    if notes:
        page += '<div class="footnote"><ol>\n', *notes, "</ol></div>\n"
    return "".join(page).replace(_TAB_END + _TAB_START, "</div>\n")


def _text_html(tokens: Iterable[Token]) -> str:
    """Return the HTML of a text."""
    parts: list[str] = []
    for token in tokens:
        kind = token.type
        if kind in {"text", "text_special"}:
            parts.append(escape(token.content, quote=False))
        elif kind == "softbreak":
            parts.append("\n")
        elif kind == "code_inline":
            code = escape(_SHEBANG.sub("", token.content, count=1), quote=False)
            parts.append(f"<code>{code}</code>")
        elif kind == "html_inline":
            parts.append(token.content)
        else:
            if kind == "image":
                token.attrs["alt"] = _text_of(token.children or ())
            parts.append(_element(token))
    return "".join(parts)


def _element(token: Token) -> str:
    """Return a tag."""
    if token.nesting < 0:
        return f"</{token.tag}>"
    if not token.attrs:
        return f"<{token.tag}>"
    attributes = (f' {name}="{escape(str(value))}"' for name, value in token.attrs.items())
    return f"<{token.tag}{''.join(attributes)}>"


def code_html(code: str, info: str) -> str:
    """Return code as pymdownx.highlight renders it, without colours."""
    language = _INFO_LANGUAGE.match(info)
    named = f' class="language-{language[1]}"' if language else ""
    html = f"<code{named}>{escape(code, quote=False)}</code>"
    title = fence_title(info)
    if not title:
        return f'<pre class="highlight">{html}</pre>\n'
    label = f'<span class="filename">{escape(title)}</span>'
    return f'<div class="highlight">{label}<pre>{html}</pre></div>\n'


def _with_lines(token: Token) -> str:
    """Return a block of HTML that notes the lines of its texts."""
    html, line, done = token.content, token.map[0] + 1 if token.map else 1, 0
    parts: list[str] = []
    for match in _TEXT_START.finditer(html):
        is_code = match[0] == "<pre"
        end = match.start() if is_code else match.end()
        line += html.count("\n", done, end)
        parts += html[done:end], f'<wbr data-line="{line}">'
        done = end
    return "".join((*parts, html[done:]))
