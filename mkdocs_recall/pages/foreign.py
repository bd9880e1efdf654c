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

Where CommonMark is strict, authors are read as they meant it: in elements of MDX indentation means
nothing; what is between tags named for code is code, unless it is fenced; `[text][package.Class]`,
which mkdocstrings would resolve, stays as its text: what names a dotted path, or is code.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from functools import lru_cache
from html import escape
from textwrap import dedent
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from markdown.extensions.toc import slugify
from markdown_it import MarkdownIt, rules_block, rules_inline
from markdown_it.helpers import parseLinkDestination, parseLinkTitle
from markdown_it.rules_block.html_block import HTML_SEQUENCES
from markdown_it.token import Token
from mdit_py_plugins.deflist import deflist_plugin
from mdit_py_plugins.footnote.index import footnote_def, footnote_ref

from mkdocs_recall.directives.fences import find_fences, may_hold_directive
from mkdocs_recall.pages.lines import fence_title, first_group

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from markdown_it.rules_inline import StateInline


_LONGEST: Final = 2000
"""How many characters a tag may have."""
_LONGEST_ELEMENT: Final = 40_000
"""How many an element of MDX may have that starts a line: its values may be a whole table."""
_BRACES: Final = r"\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}"
_OBJECTS: Final = r"\{(?:[^{}]|" * 9 + r"\{\}" + r")*\}" * 9
"""The value of an attribute of MDX, with objects in each other."""
_CALL: Final = re.compile(
    r"[-~+\s]*(?P<closes>/|end(?=\w)|)\s*(?P<name>[\w.:-]*)(?P<arguments>.*?)[-~+\s]*$", re.DOTALL
)
"""What is within a tag of Hugo or Liquid."""
_CONTAINER: Final = (
    r" *(?:(?P<brace>\{)?(?P<name>[A-Za-z][\w.-]*)\}?(?=[\s\[{|]|$)(?P<arguments>[^\n]*))? *$"
    r"(?(name)(?:\n {4,}(?:handler|options|rendering|selection|attrs|open|type|new|select):[^\n]*"
    r"(?:\n {4}[^\n]+)*)*)(?(brace)(?:\n *:[\w-]+:[^\n]*)*)"
)
"""What mkdocstrings, pymdownx and MyST have below a tag is part of it."""
_SYNTAX: Final = {
    "hugo": r"\{\{[<%](?!\s*/\*)(?P<call>.*?)[%>]\}\}",  # {{< x >}}
    "value": r"\{\{(?![<%])(?:(?!\{\{).)*?\}\}",  # {{ x }}
    "liquid": r"\{%(?P<call>.*?)%\}",  # {% x %}
    "comment": r"\{# .*?#\}",  # {# x #}
    "remark": r"\{/\*.*?\*/\}",  # {/* x */}
    "expression": rf"(?=\{{[^\s:#.%+=~>-]){_BRACES}",  # {x} of MDX
    "element": r"<(?P<closes>/?)(?=[A-Z]\w*[a-z])(?:\w+\.)*(?P<name>\w+)(?=[\s/>])"
    rf"(?P<arguments>(?:[^<>\"'{{}}]|\"[^\"<>]*\"|'[^'<>]*'|{_OBJECTS})*)>",  # <X>
    "colon": rf"(?P<signs>:{{2,}}){_CONTAINER}",  # ::: x
    "slash": rf"(?P<signs>/{{3,}}){_CONTAINER}",  # /// x
}
"""The tags of each family; `!!! x` is one of the family `box`."""
_TAGS: Final = {
    family: re.compile(pattern, re.DOTALL | re.MULTILINE) for family, pattern in _SYNTAX.items()
}
_ATTRIBUTE: Final = re.compile(
    r"(?:^|[\s,{])(?:title|label|header|heading|summary|caption)[=:]\s*\{?"
    r"(?:\"([^\"\n]*)\"|'([^'\n]*)'|`([^`\n]*)`)"
)
_VALUE: Final = re.compile(r"(?:^|[\s,{])(?:name|value)=\s*\{?(?:\"([^\"\n]*)\"|'([^'\n]*)')")
"""What names a tab that has no title."""
_QUOTED: Final = re.compile(r"^[^\"'\w]*[\w./-]*\s*(?:\"([^\"\n]*)\"|'([^'\n]*)')")
_BRACKETS: Final = re.compile(r"^ *\[([^\[\]\n]*)\]")
_WORDS: Final = re.compile(r"^(.*?)(?: *\{[^{}\n]*\})? *$")
_PIPED: Final = re.compile(r"\|([^\n]*)")
_TITLES: Final[dict[str, tuple[re.Pattern[str], ...]]] = {
    "hugo": (_ATTRIBUTE, _QUOTED),
    "liquid": (_ATTRIBUTE, _QUOTED),
    "colon": (_BRACKETS, _ATTRIBUTE, _WORDS),
    "slash": (_PIPED,),
    "box": (re.compile(r"^\"(.*)\"$"),),
    "element": (_ATTRIBUTE,),
}
"""How the tags of a family may state a title; tags of other families have no pair."""


class Tag(NamedTuple):
    """A tag that ends at the offset `end` of the text."""

    end: int
    family: str
    name: str
    """In lower case; of a member its last part."""
    closes: bool = False
    arguments: str = ""
    size: int = 0
    """The number of colons or slashes."""

    @property
    def opens(self) -> bool:
        """Whether another tag may close it."""
        is_whole = self.closes or self.arguments.endswith("/")
        return self.family in _TITLES and not is_whole

    @property
    def title(self) -> str:
        """What the tag states as a title; it may have none."""
        matches = (pattern.search(self.arguments) for pattern in _TITLES[self.family])
        return first_group(next(filter(None, matches), None))

    @property
    def key(self) -> tuple[str, str]:
        """What the tag and the one that closes it have in common."""
        return self.family, "" if self.size else self.name


def read_tag(text: str, start: int, *, is_mdx: bool) -> Tag | None:
    """Return the tag that starts at an offset; None if there is none."""
    for family, pattern in _TAGS.items():
        starts_line = family == "element" and text[start - 1 : start] in {"", "\n"}
        match = pattern.match(text, start, start + (_LONGEST_ELEMENT if starts_line else _LONGEST))
        if match and (is_mdx or family != "expression"):
            parts = match.groupdict("")
            if "call" in parts and (call := _CALL.match(parts["call"])):
                parts |= call.groupdict("")
            name, signs = parts.get("name", ""), parts.get("signs", "")
            closes = bool(parts.get("closes") or (signs and not name))
            arguments = parts.get("arguments", "").strip()
            return Tag(match.end(), family, name.lower(), closes, arguments, len(signs))
    return None


TAB: Final = 4
"""How far containers of Python-Markdown indent, and code."""
_DEEPEST: Final = 60
"""Levels of elements in each other; in deeper ones all is text."""
_REACH: Final = 1000
"""How many lines code between tags has at most."""
_CODE_SPAN: Final = re.compile(r"`(?<!``)(`?)(?!`)[^\n]{1,400}?(?<!`)`\1(?!`)")
_BARE_PIPE: Final = re.compile(r"(?<!\\)\|")
_PIPE: Final = "\ufdd0"
"""What stands for a pipe in code, which ends no cell of a table in Python-Markdown."""


class ForeignMarkdown:
    """Renders pages, one after the other."""

    def __init__(self) -> None:
        self._md = md = MarkdownIt("commonmark", {"maxNesting": 2 * _DEEPEST})
        # Links stay as their author wrote them.
        md.normalizeLink = lambda url: url  # type: ignore[method-assign]
        md.normalizeLinkText = lambda link: link  # type: ignore[method-assign]
        md.validateLink = lambda url: True  # type: ignore[method-assign]
        md.helpers = SimpleNamespace(  # type: ignore[assignment]
            parseLinkDestination=_destination,
            parseLinkTitle=parseLinkTitle,
            parseLinkLabel=_label_end,
        )
        block = md.block.ruler
        block.enable("table")
        md.use(deflist_plugin)
        ends = ["paragraph", "blockquote"]
        by_sign: _BlockRule = _by_sign
        block.at("hr", rules_block.hr, {"alt": ["list"]})  # all else is no item anyway
        block.after("table", "sign", by_sign, {"alt": ends})
        block.disable(["fence", "blockquote", "list", "reference", "html_block", "heading"])
        md.inline.tokenize = _read_text  # type: ignore[method-assign]

    def render(self, markdown: str, uri: str) -> str:
        """Return the HTML of a page without its directives.

        A page whose path ends in `.mdx`, or that imports, is MDX.
        """
        fences = find_fences(markdown) if may_hold_directive(markdown) else ()
        is_mdx = uri.lower().endswith(".mdx")
        env: dict[str, Any] = {"is_mdx": is_mdx, "elements": 0, "references": {}}
        env["left_out"] = {fence.first for fence in fences}
        if "|" in markdown:
            markdown = _CODE_SPAN.sub(lambda span: _BARE_PIPE.sub(_PIPE, span[0]), markdown)
        markdown = markdown.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "\ufffd")
        page = _Lines(markdown, self._md, env)
        self._md.block.tokenize(page, 0, page.lineMax)
        _read_texts(page)
        _pair(page)
        html = _html_of(page.tokens)
        return html.replace(_PIPE, "|").replace(_TAB_END + _TAB_START, "</div>\n")


def _label_end(state: StateInline, start: int, disableNested: bool = False) -> int:
    end = _labels(state.src).get(start, -1)
    return -1 if end >= state.posMax else end


_TARGET: Final = re.compile(
    r"(?:\{\{[^\n]{0,300}?\}\}|\{%[^\n]{0,300}?%\}|(?=[^\s()<\\&]+[ \n)]))([^()\s]*)"
)
"""The target of a link that starts with a tag, or has no sign that markdown-it would look at."""


def _destination(text: str, start: int, maximum: int) -> Any:  # noqa: ANN401 - a class of markdown-it
    """Return where a link leads, without the tag at its start."""
    match = _TARGET.match(text, start, maximum)
    if match is None:
        return parseLinkDestination(text, start, maximum)
    return SimpleNamespace(ok=True, str=match[1], pos=match.end(), lines=0)


_BRACKET: Final = re.compile(
    r"[\\`\[\]](?:(?<=\\).|(?<=`)(`*)(?!`).{1,2000}?(?<!`)`\1(?!`)|(?<=[\[\]]))", re.DOTALL
)
"""An escaped sign, code or a bracket."""
_LONGEST_LABEL, _DEEPEST_LABEL = 2000, 6


@lru_cache(maxsize=16)
def _labels(text: str) -> dict[int, int]:
    """Return the end of each label by its start, which for all at once takes linear time."""
    labels: dict[int, int] = {}
    pending: list[tuple[int, int]] = []
    depth = 0  # levels of labels in the last one
    for match in _BRACKET.finditer(text):
        if match[0] == "[":
            pending.append((match.start(), depth))
            depth = 0
        elif match[0] == "]" and pending:
            start, beside = pending.pop()
            if match.start() - start <= _LONGEST_LABEL and depth <= _DEEPEST_LABEL:
                labels[start] = match.start()
            depth = max(beside, depth + 1)
    return labels


class _Lines(rules_block.StateBlock):
    """The lines of a page while its blocks are read."""

    def __init__(self, markdown: str, md: MarkdownIt, env: dict[str, Any]) -> None:
        """Find the lines; behind the last there is an empty one."""
        super().__init__("", md, env, [])
        self.src = markdown + "\n" * (markdown[-1:] != "\n")
        self.bMarks, self.eMarks, self.tShift, self.sCount = [], [], [], []
        start = 0
        for line in self.src.split("\n"):
            indent = line[: len(line) - len(line.lstrip(" \t"))]
            self.bMarks.append(start)
            self.tShift.append(len(indent))
            self.sCount.append(len(indent.expandtabs(TAB)))
            start += len(line) + 1
            self.eMarks.append(start - 1)
        self.bsCount = [0] * len(self.bMarks)
        self.lineMax = len(self.bMarks) - 1

    def is_code_block(self, line: int) -> bool:
        """Tell whether a line is indented as code; in an element of MDX there is no such code."""
        return self.sCount[line] - self.blkIndent >= TAB and not self.env["elements"]

    def add_tag(self, tag: Tag, line: int, text: str) -> None:
        """Add a tag, and note whether an element of MDX is open."""
        token = self.push("tag", "", 0)
        token.map, token.content, token.meta = [line, line + 1], text, {"tag": tag}
        if tag.family == "element" and (tag.opens or tag.closes):
            self.env["elements"] = max(0, self.env["elements"] + (1 if tag.opens else -1))

    def text(self, line: int) -> str:
        """Return a line without its containers and its indent."""
        return self.src[self.bMarks[line] + self.tShift[line] : self.eMarks[line]]

    def line_at(self, offset: int, first: int) -> int:
        """Return the line in which an offset is, from another line on."""
        return bisect_left(self.eMarks, offset, first)


_BlockRule: TypeAlias = "Callable[[Any, int, int, bool], bool]"


# Blocks

_LIST: Final = r"(?:[#.][\w:-]|[\w:-]+=)[^{}\n]*"
_TEXTLESS: Final = re.compile(
    rf"(?:\[TOC\]|\[\[toc\]\]|\[\[_TOC_\]\]|\*\[[^\]\n]+\]:.*|\{{:? ?{_LIST}\}}"
    r"|-+8<-+ +[\"'].*[\"']|\([\w:.-]+\)=|%(?: .*)?) *$"
)
"""A line that stands for a table of contents, an abbreviation, attributes, a label or a comment of
MyST, or another file.
"""
_HEADING_LIST: Final = re.compile(rf" *\{{:? ?({_LIST})\}}$")
_ID: Final = re.compile(r"#([\w:.-]+)|\bid=[\"']?([^\"'\s{}]+)")


def _by_sign(lines: _Lines, first: int, last: int, silent: bool) -> bool:
    """Read a block that its first sign tells; `silent`: tell only whether it is one."""
    rules = _BY_SIGN.get(lines.src[lines.bMarks[first] + lines.tShift[first]])
    if rules is None or lines.level >= _DEEPEST or lines.is_code_block(first):
        return False
    return any(rule(lines, first, last, silent) for rule in rules)


def _textless(lines: _Lines, first: int, _last: int, silent: bool) -> bool:
    if silent or not _TEXTLESS.match(lines.text(first)):
        return False
    lines.line = first + 1
    return True


_DIRECTIVE: Final = re.compile(r"\{([\w:-]+)\} *(.*)")
_OPTIONS: Final = re.compile(r"\A(?::[\w-]+:[^\n]*\n)+\n?")
"""A directive of MyST in the first line of a fence, and its options in those below."""
_RST: Final = re.compile(r"(?:[ \t]*(?:(?:\.\.|:[\w-]+:)[^\n]*)?\n)*")
"""Directives of reStructuredText and their options, without a text."""
_OF_SPHINX: Final = frozenset({"toctree", "contents", "currentmodule", "py:currentmodule"})
"""Directives of MyST that have no text."""


def _fence(lines: _Lines, first: int, last: int, silent: bool) -> bool:
    """Read a fence, but leave out directives, and code that only names files."""
    is_fence = rules_block.fence(lines, first, last, silent)
    if not is_fence or silent:
        return is_fence
    token, after = lines.tokens[-1], lines.line
    directive = _DIRECTIVE.match(token.info)
    is_named = directive and (
        directive[1] in _OF_SPHINX
        or (directive[1] == "eval-rst" and _RST.fullmatch(token.content) is not None)
    )
    if is_named or first in lines.env["left_out"] or _SNIPPETS.fullmatch(token.content):
        lines.tokens.pop()
    elif directive:
        end = first + 1 + token.content.count("\n")
        token.content = _OPTIONS.sub("", token.content)
        token.info = directive[2] if directive[1] != "mermaid" else directive[1]
        if directive[1] in _BOXES:
            lines.tokens.pop()
            tag = Tag(0, "colon", directive[1], arguments=directive[2])
            start = end - token.content.count("\n")
            _enclose(lines, tag, first, range(start, end), lines.sCount[first])
            lines.line = after
    return True


_COLON_CODE: Final = re.compile(r"(:{3,})\{(?:code(?:-block|-cell)?|sourcecode)\} *(.*)")


def _colon_code(lines: _Lines, first: int, last: int, silent: bool) -> bool:
    """Read code between colons, a directive of MyST, which may lack its end."""
    match = _COLON_CODE.fullmatch(lines.text(first))
    if match is None or silent:
        return match is not None
    rest = range(first + 1, last)
    end = next((number for number in rest if lines.text(number).rstrip() == match[1]), last)
    token = lines.push("fence", "code", 0)
    token.content = _OPTIONS.sub("", lines.getLines(first + 1, end, lines.sCount[first], True))
    token.info, token.map = match[2], [first, end]
    lines.line = min(end + 1, last)
    return True


_BOX: Final = re.compile(
    r"(?:(!!!|\?{3}\+?) ?([\w-]+(?: +[\w-]+)*)(?: +(\".*\"))?"
    r"|(\?{3}\+?|={3}[!+]*) +(\".*\")) *$"
)
"""`!!! note "Title"`, `??? note`, `??? "Title"`, `=== "Tab"`."""


def _box(lines: _Lines, first: int, last: int, silent: bool) -> bool:
    """Read an admonition or a tab, whose contents are indented, as what is between two tags."""
    match = _BOX.match(lines.text(first))
    if match is None or silent:
        return match is not None
    kind, mark = match[2] or "", match[1] or match[4]
    name = {"=": "tab", "?": f"details {kind}"}.get(mark[0], kind)
    tag = Tag(0, "box", name, arguments=match[3] or match[5] or "")
    indent, end = lines.sCount[first] + TAB, first + 1
    while end < last and (lines.sCount[end] >= indent or lines.isEmpty(end)):
        end += 1
    _enclose(lines, tag, first, range(first + 1, end), indent)
    lines.line = end
    return True


def _enclose(lines: _Lines, tag: Tag, first: int, inner: range, indent: int) -> None:
    """Read lines with an indent, below the first, as what is between two tags."""
    outer = lines.blkIndent, lines.lineMax, lines.parentType, lines.listIndent, lines.level
    lines.add_tag(tag, first, lines.text(first))
    lines.blkIndent, lines.lineMax = indent, inner.stop
    lines.parentType, lines.listIndent, lines.level = "root", -1, lines.level + 1
    lines.md.block.tokenize(lines, inner.start, inner.stop)
    lines.blkIndent, lines.lineMax, lines.parentType, lines.listIndent, lines.level = outer
    lines.add_tag(tag._replace(closes=True), inner.stop, "")


_MARKDOWN: Final = re.compile(r"<[a-z][\w-]*\s(?:[^<>]*\s)?markdown(?:=[\"']?\w+[\"']?)?[\s>]")
_COMPONENT: Final = re.compile(r"</?[A-Z]\w*[a-z]")
_NAMED, _ANY = HTML_SEQUENCES[-2:]
"""The kinds of blocks of HTML that end at an empty line."""


def _html_block(lines: _Lines, first: int, last: int, silent: bool) -> bool:
    """Read a block of HTML; what is in an element with the attribute `markdown` is none."""
    text = lines.text(first)
    kind = next((kind for kind in HTML_SEQUENCES if kind[0].search(text)), None)
    if kind is None or (kind is _NAMED and _COMPONENT.match(text)):
        return False
    if silent:
        return kind[2]
    end = first + 1
    is_open = not (kind[1].search(text) or _MARKDOWN.match(text))
    while is_open and end < last and (lines.isEmpty(end) or lines.sCount[end] >= lines.blkIndent):
        inner = lines.text(end)
        may_be_tag = kind in {_NAMED, _ANY} and inner.startswith(("{", "<", ":", "/"))
        if may_be_tag and _tag_lines(lines, end, last, True):
            break
        is_open = not kind[1].search(inner)
        end += is_open or bool(inner)
    html = lines.getLines(first, end, lines.blkIndent, True)
    lines.push("html_block", "", 0).content = _with_lines(html, first + 1)
    lines.line = end
    return True


_DEFINITION: Final = 3
"""How many lines a label, a target and a title take."""


def _reference(lines: _Lines, first: int, last: int, silent: bool) -> bool:
    """Read where the links with a label lead; markdown-it 3 reads all lines below for each."""
    outer, lines.lineMax = lines.lineMax, min(lines.lineMax, first + _DEFINITION)
    is_reference = not silent and rules_block.reference(lines, first, last, silent)
    lines.lineMax = outer
    return is_reference


# Tags of other generators, and code between them

_MODULE: Final = re.compile(
    r"import\s+(?:(?:[\w$*{][^'\"\n]*\sfrom\s+)?['\"][^'\"\n]+['\"];?\s*$|(?:\w+,\s*)?\{[^}'\"]*$)"
    r"|export\s+(?:default\s|(?:const|let|var)\s+[\w$]+\s*=|(?:async\s+)?function\W|class\s|\{|\*\s)"
)


def _module(lines: _Lines, first: int, last: int, silent: bool) -> bool:
    if silent or lines.level or lines.sCount[first] or not _MODULE.match(lines.text(first)):
        return False
    while first < last and not lines.isEmpty(first):
        first += 1
    lines.env["is_mdx"] = True
    lines.line = first
    return True


def _tag_lines(lines: _Lines, first: int, last: int, silent: bool) -> bool:
    """Read a line of nothing but tags, or of colons or slashes; each tag may go on below it."""
    src, start = lines.src, lines.bMarks[first] + lines.tShift[first]
    tags: list[tuple[Tag, int, str]] = []
    line = first
    while not tags or start < lines.eMarks[line]:
        tag = read_tag(src, start, is_mdx=lines.env["is_mdx"])
        if tag is None:
            return False
        text = lines.text(first) if tag.size else src[start : tag.end]
        tags.append((tag, line, text))
        line = lines.line_at(tag.end, line)
        if line >= last:
            return False
        start = lines.skipSpaces(tag.end)
    if not silent:
        for tag, place, text in tags:
            lines.add_tag(tag, place, text)
        lines.line = line + 1
    return True


_RAW: Final = frozenset({"raw", "verbatim"})
_RAW_TAG: Final = re.compile(r"\{%-? *(?:end)?(?:raw|verbatim) *-?%\}\n?")
_END_TAG: Final = r"\{(?:%-?\s*(?:end|/\s*)\1\s*-?%|\{[<%]\s*/\s*\1\s*[%>]\})\}"
_TEMPLATE: Final = re.compile(
    r"\{(?:%-?|\{[<%])\s*(highlight|prism|code[\w-]*|sourcecode|comment)(?![\w.:-])"
    rf"(?:(?![%>]\}}).)*[%>]\}}{{1,2}}(.*?){_END_TAG}[ \t]*$",
    re.DOTALL | re.MULTILINE | re.IGNORECASE,
)
"""Code between tags, or a comment."""


def _template(lines: _Lines, first: int, last: int, silent: bool) -> bool:
    """Read code between tags, or a comment; a fence between them is one of its own."""
    start, reach = lines.bMarks[first], lines.eMarks[min(last, first + _REACH) - 1]
    found = _TEMPLATE.match(lines.src, start + lines.tShift[first], reach)
    end = lines.line_at(found.end(), first) + 1 if found else first
    text = lines.getLines(first, end, lines.sCount[first], False)  # without the signs of a quote
    match = _TEMPLATE.match(text)
    if match is None or (match[1] != "comment" and ("```" in match[2] or "~~~" in match[2])):
        return False
    if not silent:
        if match[1] != "comment":
            token = lines.push("fence", "code", 0)
            token.content = _RAW_TAG.sub("", match[2]).strip("\n").rstrip()
            token.map = [first, end]
        lines.line = end
    return True


# Text. markdown-it calls no rule silently, since `_label_end` finds labels without that.

_MARKUP: Final = re.compile(r"[\n!$&*+:<=\[\\^_`{~]")
_MOST_SIGNS: Final = 2000
"""A text with more signs of emphasis has none: to pair them takes time with their square."""
_LONGEST_TEXT: Final = 100_000
"""A longer text has no markup: markdown-it 3 takes time with the square of its length."""
_EMPTY_LINK: Final = re.compile(r"\[\](?=\((?:[^()\s:#]+\.md|#[\w-])[^()\s:]*\))")
"""A link that MyST gives the title of its target, which is a value that is not known."""


def _read_texts(page: _Lines) -> None:
    anchors: Counter[str] = Counter()
    above = outer = Token("", "", 0)
    for token in page.tokens:
        if token.type == "inline":
            is_heading = above.type == "heading_open"
            content, anchor, noted = token.content, "", _line(token)
            if is_heading and content[-1:] == "}" and (match := _HEADING_LIST.search(content)):
                content = content[: match.start()]
                anchor = (stated[1] or stated[2]) if (stated := _ID.search(match[1])) else ""
            if outer.type == "list_item_open" and content[:4] in {"[ ] ", "[x] ", "[X] "}:
                noted += f'<input type="checkbox"{" checked" * (content[1] != " ")}>'
                content = content[4:]
            if not is_heading:
                content = _EMPTY_LINK.sub("[{{}}]", content)
            children: list[Token] = []
            token.content, token.children = content, children
            signs = content.count("*") + content.count("_")
            has_markup = len(content) < _LONGEST_TEXT and _MARKUP.search(content)
            if has_markup and signs < _MOST_SIGNS:
                page.md.inline.parse(content, page.md, page.env, children)
            if is_heading:
                text = _text_of(children) if children else content
                anchor = anchor or _anchor(slugify(text, "-"), anchors)
                above.attrs["id"] = anchor
                anchors[anchor] += 0
                token.meta["heading"] = True
            elif above.tag not in {"th", "td"}:
                token.info = noted
        outer, above = above, token


def _anchor(name: str, anchors: Counter[str]) -> str:
    """Return a name, with a number if it is empty or among the anchors, as `toc` does."""
    anchor = name
    while not anchor or anchor in anchors:
        anchors[name] += 1
        anchor = f"{name}_{anchors[name]}"
    return anchor


def _text_of(tokens: Iterable[Token]) -> str:
    kinds = {"text", "text_special", "code_inline", "softbreak"}
    return "".join(token.content for token in tokens if token.type in kinds)


def _attribute(state: StateInline, attributes: re.Match[str]) -> str | None:
    """Pass over the attribute list of an element of the text."""
    follows = (
        state.tokens
        and not state.pending
        and (state.tokens[-1].type != "text" or not state.tokens[-1].content.strip("*_"))
    )
    is_list = follows or attributes[0][1] == ":" or state.src[state.pos - 1] == ":"
    return "" if state.pos and is_list else None


def _keys(_state: StateInline, pressed: re.Match[str]) -> str:
    from pymdownx.keymap_db import aliases, keymap  # type: ignore[import-untyped]

    names = (aliases.get(key, key) for key in pressed[1].lower().split("+"))
    keys = (f"<kbd>{escape(keymap.get(key, key.title()))}</kbd>" for key in names)
    return f'<span class="keys">{"<span>+</span>".join(keys)}</span>'


def _emoji(_state: StateInline, sign: re.Match[str]) -> str | None:
    from pymdownx.emoji1_db import aliases, emoji  # type: ignore[import-untyped]

    code = emoji.get(aliases.get(sign[0], sign[0]), {}).get("unicode", "")
    return "".join(chr(int(part, 16)) for part in code.split("-")) if code else None


_TARGETED: Final = re.compile(r"(.+?)\s*<[^<>]*>$", re.DOTALL)
"""The text of a role of MyST that states its target, too."""
_REFERENCES: Final = frozenset({"ref", "doc", "numref", "eq", "any", "cite", "download"})
"""Roles of MyST that Sphinx gives the title of their target."""
_PLAIN: Final = frozenset({"term", "guilabel", "menuselection", "abbr", "sub", "sup", "kbd"})
"""Roles of MyST whose text is prose; that of others is code, as the name of a class is."""


def _role(state: StateInline, role: re.Match[str]) -> str | None:
    """Return what a role of MyST shows; `~` leaves the last part of a name."""
    name, content = role[1].rpartition(":")[2], role[3].strip()
    named = _TARGETED.match(content)
    if name == "math":
        return _FORMULA.format(escape(content, quote=False))
    if named is None and name in _REFERENCES:
        state.push("text", "", 0).content = "{{}}"  # a value that is not known
        return ""
    text = escape(named[1] if named else content.removeprefix("!"), quote=False)
    if name in {"sub", "sup", "kbd"}:
        return f"<{name}>{text}</{name}>"
    if name in _PLAIN | _REFERENCES:
        return text
    return f"<code>{text.rpartition('.')[2] if text[:1] == '~' else text}</code>"


def _between(sign: str) -> re.Pattern[str]:
    return re.compile(rf"{sign}(?=\S)(.{{1,900}}?)(?<=\S){sign}", re.DOTALL)


_HTML: Final = re.compile(
    r"<(?:!--.*?-->|[?!][^<>]*>|/?[A-Za-z][\w-]*(?=[\s/>])"
    r"(?:[^<>\"'{}]|\"[^\"<]*\"|'[^'<]*'|\{(?:[^{}<]|\{[^{}<]*\})*\})*>)",
    re.DOTALL,
)
_COMPUTED: Final = re.compile(rf"\s[\w:-]+=(?:\"[^\"]*\{{[^\"]*\"|{_BRACES})")
"""An attribute of HTML whose value only the generator knows."""
_ATTRIBUTES: Final = re.compile(rf" ?\{{(?::[^{{}}\n]*| ?{_LIST})\}}")
_OBJECT: Final = r"(?:`[^`\n]+`|[^\W\d]\w*(?:[.:/][^\W\d]\w*)+(?:\(\))?)"
_REFERENCE: Final = re.compile(
    rf"(?<![^\W_])\[({_OBJECT}|[^\[\]]+(?=\]\[{_OBJECT}\]))\]\[[^\[\]\n]*\]"
)
"""A reference to an object, which a build would resolve."""
_FORMULA: Final = '<span class="arithmatex">\\({}\\)</span>'
_DISPLAY: Final = '<div class="arithmatex">\\[{}\\]</div>'
_Shown: TypeAlias = "str | Callable[[StateInline, re.Match[str]], str | None]"
_SPANS: Final[dict[str, tuple[tuple[re.Pattern[str], _Shown], ...]]] = {
    "~": ((_between("~~"), "del"), (re.compile(r"~([^\s~]{1,99})~(?!~)"), "sub")),
    "^": ((_between(r"\^\^"), "ins"), (re.compile(r"\^([^\s^]{1,99})\^(?!\^)"), "sup")),
    "=": ((_between("(?<![!<>=])==(?!=)"), "mark"),),
    "$": (
        (re.compile(r"\A\$\$(.{1,1900}?)\$\$\Z", re.DOTALL), _DISPLAY),
        (_between(r"\$\$"), _FORMULA),
        (re.compile(r"\$(?!\s)((?:\\.|[^\\$]){1,400}?)(?<!\s)\$", re.DOTALL), _FORMULA),
    ),
    "\\": (
        (re.compile(r"\\\((.{1,400}?)\\\)", re.DOTALL), _FORMULA),
        (re.compile(r"\A\\\[(?=.{0,99}[=^_{\n])(.{1,1900}?)\\\]\Z", re.DOTALL), _DISPLAY),
        (re.compile(r"\A(?=\\begin\{(\w+\*?)\})(.{1,1900}?\\end\{\1\})\Z", re.DOTALL), _DISPLAY),
    ),
    "+": ((re.compile(r"\+\+([\w-]+(?:\+[\w-]+){0,9})\+\+"), _keys),),
    ":": ((re.compile(r":([\w+-]{1,50}):"), _emoji),),
    "{": (
        (_ATTRIBUTES, _attribute),
        (re.compile(r"\{([a-z][\w:+.-]*)\}(`+)(?!`)([^\n]{1,400}?)(?<!`)\2(?!`)"), _role),
    ),
    "[": ((_REFERENCE, "span"),),
    "<": ((_HTML, lambda _state, tag: _COMPUTED.sub("", tag[0])),),
}
"""What is between signs: the element or HTML around it, or what returns HTML, None for text."""


def _read_text(state: StateInline) -> None:
    src, end = state.src, state.posMax
    is_deep = state.level >= 2 * _DEEPEST
    while state.pos < end:
        sign = _MARKUP.search(src, state.pos, end)
        stop = sign.start() if sign else end
        if stop > state.pos:
            state.pending += src[state.pos : stop]
            state.pos = stop
        if sign is None:
            break
        for rule in () if is_deep else _TEXT_RULES.get(sign[0], (_span,)):
            if rule(state, False):
                break
        else:
            state.pending += sign[0]
            state.pos += 1
    if state.pending:
        state.pushPending()


def _span(state: StateInline, _silent: bool) -> bool:
    for pattern, shown in _SPANS.get(state.src[state.pos], ()):
        match = pattern.match(state.src, state.pos, min(state.posMax, state.pos + _LONGEST))
        if match is None:
            continue
        if isinstance(shown, str) and shown[0] == "<":
            text = escape(match[match.lastindex or 0], quote=False)
            state.push("html_inline", "", 0).content = shown.format(text)
        elif isinstance(shown, str):
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
    src, start = state.src, state.pos
    tag = read_tag(src, start, is_mdx=state.env["is_mdx"]) if src[start] in "{<" else None
    if tag is None or tag.end > state.posMax:
        return False
    state.pos = tag.end
    token = state.push("tag", "", 0)
    token.content, token.meta = src[start : tag.end], {"tag": tag}
    return True


_TEXT_RULES: Final[dict[str, tuple[Callable[[StateInline, bool], bool], ...]]] = {
    "\n": (rules_inline.newline,),
    "\\": (_span, rules_inline.escape),
    "`": (rules_inline.backtick,),
    **dict.fromkeys("*_", (rules_inline.emphasis.tokenize,)),
    "[": (rules_inline.link, footnote_ref, _span),
    "!": (rules_inline.image,),
    "<": (_tag, _span, rules_inline.autolink),
    "{": (_tag, _span),
    "&": (rules_inline.entity,),
}
"""The rules for text that starts with a sign, if they are not only in `_SPANS`."""

# Pairs of tags

_KINDS: Final = frozenset(
    {
        *("note", "abstract", "info", "tip", "success", "question", "warning", "failure", "danger"),
        *("bug", "example", "quote", "attention", "caution", "error", "hint", "important", "check"),
        *("seealso", "versionadded", "versionchanged", "deprecated"),
    }
)
_NOTES: Final = frozenset({"callout", "alert", "aside", "admonition"})
_UNTITLED: Final = frozenset(
    {"figure", "image", "tab-set", "grid", "grid-item", "container", "div", "margin"}
)
"""Directives of MyST whose argument is no title."""
_DETAILS: Final = frozenset(
    {
        *("details", "accordion", "accordionitem", "expand", "collapse", "collapsible", "spoiler"),
        "dropdown",
    }
)
_TABS: Final = frozenset({"tab", "tabitem", "tab-item", "tabpanel", "tabs-item"})
_VERSIONS: Final = {
    "versionadded": "New in version ",
    "versionchanged": "Changed in version ",
    "deprecated": "Deprecated since version ",
}
_BOXES: Final = _KINDS | _NOTES | _UNTITLED | _DETAILS | _TABS
"""Directives of MyST that hold Markdown."""
_LOGIC: Final = frozenset({"if", "unless", "for", "case", "ifversion"})
_NUXT: Final = 2
"""The number of colons before a block of Nuxt, which in other Markdown are text."""
_DEEPEST_BLOCK: Final = 20
_STRING: Final = re.compile(r"\{\s*([\"'`])([^\"'`\\$]*)\1\s*\}$")
_TAB_START, _TAB_END = '<div class="tabbed-set">', "</div></div>\n"


def _pair(page: _Lines) -> None:
    pending: list[Token] = []
    count: Counter[tuple[str, str]] = Counter()  # of the pending ones
    closed: set[int] = set()  # containers that end with a box around them
    for token in _tags(page.tokens, closed):
        tag: Tag = token.meta["tag"]
        if tag.opens:
            pending.append(token)
            count[tag.key] += 1
        elif not (tag.closes and count[tag.key]):
            _show(token)
        else:
            while (opening := pending.pop()).meta["tag"].key != tag.key:
                count[opening.meta["tag"].key] -= 1
                _show(opening)
            count[tag.key] -= 1
            if _join(opening, token, page, len(pending)):
                closed.update(token.meta["around"][len(opening.meta["around"]) :])
    for token in pending:
        _show(token)


def _join(opening: Token, closing: Token, page: _Lines, depth: int) -> bool:
    """Make a box or a tab of what is between two tags, if they stand alone on their lines."""
    around = opening.meta["around"]
    is_box = opening.block and closing.block and depth < _DEEPEST_BLOCK
    is_box &= around == closing.meta["around"][: len(around)]
    html = _box_html(opening.meta["tag"], page, opening) if is_box else None
    if html is None:
        _show(opening, is_paired=True)
        _show(closing, is_paired=True)
    else:
        opening.type = closing.type = "html_block"
        opening.content, closing.content = html
    return html is not None


def _tags(tokens: Sequence[Token], closed: set[int]) -> Iterator[Token]:
    """Yield all tags of a page, in order, but those that others only show: these become text.

    Each says whether it is in a heading, and the numbers of the tokens that open the containers
    around it.
    """
    open_: list[int] = []
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
                    _as_text(place, place.content)
                    continue
                literal = tag.name if tag.name in _RAW and not tag.closes else ""
                place.meta["around"] = [number for number in open_ if number not in closed]
                place.meta["heading"] = "heading" in token.meta
                yield place


def _show(token: Token, *, is_paired: bool = False) -> None:
    """Make text, or nothing, of a tag that becomes no box."""
    tag: Tag = token.meta["tag"]
    text = token.content
    if tag.size:
        text = "" if is_paired or tag.size > _NUXT else text
    elif token.block or tag.family in {"element", "comment", "remark"}:
        text = ""
    elif tag.family == "expression":
        string = _STRING.match(text)
        text = string[2] if string else "{{}}"
    elif tag.family != "value":
        is_value = not (is_paired or tag.closes) or tag.name in _LOGIC  # or it decides about text
        text = text if is_value and not token.meta["heading"] else ""
    _as_text(token, text)


def _as_text(token: Token, text: str) -> None:
    token.type, token.content = "text", text
    if token.block:
        token.type = "html_block"
        token.content = f"<p>{_line(token)}{escape(text, quote=False)}</p>\n" if text else ""


def _box_html(tag: Tag, page: _Lines, token: Token) -> tuple[str, str] | None:
    """Return the HTML that opens and closes the box in place of two tags; None for no box."""
    title = tag.title or (first_group(_VALUE.search(tag.arguments)) if tag.name in _TABS else "")
    if "{{" in title or "{%" in title:
        title = ""
    if title:
        line = _line(token, token.content[: token.content.find(title)].count("\n"))
        title = line + _VERSIONS.get(tag.name, "") + _html_of(page.md.parseInline(title, page.env))
    name, _, classes = tag.name.partition(" ")
    if name in _DETAILS:
        return f'<details class="{classes}"><summary>{title}</summary>', "</details>\n"
    if tag.name in _KINDS | _NOTES or (tag.family == "box" and tag.name != "tab"):
        kind = "note" if tag.name in _NOTES else tag.name
        title = f'<p class="admonition-title">{title}</p>' if title else ""
        return f'<div class="admonition {kind}">{title}', "</div>\n"
    if not title or tag.name in _UNTITLED or (tag.family == "slash" and tag.name != "tab"):
        return None
    return f'{_TAB_START}<label>{title}</label>{line}<div class="tabbed-content">', _TAB_END


_BY_SIGN: Final[dict[str, tuple[_BlockRule, ...]]] = {
    **dict.fromkeys("`~", (_fence,)),
    **dict.fromkeys("!?=", (_box,)),
    ":": (_colon_code, _tag_lines),
    "/": (_tag_lines,),
    **dict.fromkeys("ie", (_module,)),
    ">": (rules_block.blockquote,),
    **dict.fromkeys("+0123456789", (rules_block.list_block,)),
    "-": (rules_block.hr, _textless, rules_block.list_block),
    "*": (rules_block.hr, _textless, rules_block.list_block),
    "_": (rules_block.hr,),
    "#": (rules_block.heading,),
    "<": (_tag_lines, _html_block),
    "{": (_template, _tag_lines, _textless),
    "[": (_textless, footnote_def, _reference),
    **dict.fromkeys("(%", (_textless,)),
}
"""The rules for blocks that start with a sign."""

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


def _html_of(tokens: Iterable[Token]) -> str:  # noqa: C901 - a case for each kind of token
    """Return the HTML of a page or a text; the footnotes of a page come last."""
    page: list[str] = []
    notes: list[str] = []
    parts = page
    for token in tokens:
        kind = token.type
        if kind in {"text", "text_special"}:
            parts.append(escape(token.content, quote=False))
        elif kind == "inline":
            text = escape(token.content, quote=False)
            html = _html_of(token.children) if token.children else text
            is_block = html.startswith("<div") and parts[-1:] == ["<p>"]
            # A block ends the paragraph around it, in which no text but the line would be left.
            parts.insert(len(parts) - is_block, token.info)
            parts.append(html)
        elif kind in {"html_block", "html_inline"}:
            parts.append(token.content)
        elif kind == "softbreak":
            parts.append("\n")
        elif kind == "code_inline":
            code = _SHEBANG.sub("", token.content, count=1)
            parts.append(f"<code>{escape(code, quote=False)}</code>")
        elif kind in {"fence", "code_block"}:
            code = token.content if kind == "fence" else dedent(token.content)
            parts += _line(token), code_html(code, token.info)
        elif kind == "footnote_reference_open":
            parts = notes
            parts.append("<li>")
        elif kind == "footnote_reference_close":
            parts = page
        elif token.tag and not token.hidden:
            parts.append(_tag_html(token))
    if notes:
        page += '<div class="footnote"><ol>\n', *notes, "</ol></div>\n"
    return "".join(page)


def _tag_html(token: Token) -> str:
    if token.nesting < 0:
        return f"</{token.tag}>\n" if token.block else f"</{token.tag}>"
    html = f"<{token.tag}"
    if token.type == "image":
        token.attrs["alt"] = _text_of(token.children or ())
    elif token.type == "table_open" and token.map:
        html = f'<wbr data-rows="{token.map[0] + 3}"><table'
    for name, value in token.attrs.items():
        if value or name != "href":  # that nobody knows
            html += f' {name}="{escape(str(value))}"'
    return f"{html}>"


def code_html(code: str, info: str) -> str:
    """Return code as pymdownx renders it, without colours, or the source of a diagram."""
    language = first_group(_INFO_LANGUAGE.match(info))
    named = f' class="language-{language}"' if language else ""
    html = f"<code{named}>{escape(code, quote=False)}</code>"
    title = fence_title(info)
    if not title:
        kind = "mermaid" if language == "mermaid" else "highlight"
        return f'<pre class="{kind}">{html}</pre>\n'
    label = f'<span class="filename">{escape(title)}</span>'
    return f'<div class="highlight">{label}<pre>{html}</pre></div>\n'


def _with_lines(html: str, line: int) -> str:
    """Return a block of HTML, from a line on, that notes the lines of its texts."""
    parts: list[str] = []
    done = 0
    for match in _TEXT_START.finditer(html):
        end = match.start() if match[0] == "<pre" else match.end()
        line += html.count("\n", done, end)
        parts += html[done:end], f'<wbr data-line="{line}">'
        done = end
    return "".join((*parts, html[done:]))
