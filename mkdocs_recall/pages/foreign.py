"""Markdown for other generators, made into that of Python-Markdown: their tags cost nothing else.

A tag goes, and the text around it stays: tags of Hugo, Liquid and Jinja, VitePress, Docusaurus and
MDX, found outside of code and paired. Paired tags with a title, and those of admonitions, become
blocks of pymdownx. A tag that stands for a value (`{{ version }}`) stays in its sentence, which is
then never quoted. The imports and exports of MDX go. What is between tags that are named for code
is code, unless it is fenced. So is what a template captures or shows as it is, if it has two lines
or more and no mark of prose: no line that ends a sentence, no item, heading or link. A captured
line without these is the value of a variable.

Fenced code starts and ends as in CommonMark, and also in the containers of Python-Markdown, which
indent by four: admonitions, tabs, definitions, footnotes. Any info string opens a fence. Where a
site has settings of its own, they decide instead (see `site`). Block quotes and list items nest as
in CommonMark; inside the elements of MDX no line is indented code.

Lists, items and tables are read as GitHub and CommonMark do:

- The contents of an item start where its text does: two columns after `-`, three after `1.`.
  Python-Markdown ends the list there, so the code of a step comes loose from the step; it wants
  four columns for each level of lists. It does not know the marker `1)`, either.
- A list needs no empty line above it. A line of wrapped text may start like an item, too: a list
  that starts inside a sentence counts if it has a second item.
- Each row of a table may do without its outer pipes, whatever the other rows have, and a table
  needs no empty line above or below it.

A folder has no inventory of objects, so a cross-reference to one (`[text][package.Class]`), which
mkdocstrings would resolve, stays as its text: "see `create()` for it". Such is what names a dotted
path, or has code for its text; `a[i][j]` is none.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter, defaultdict
from html import escape
from itertools import accumulate
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias
from xml.etree.ElementTree import Element

from markdown.extensions import Extension
from markdown.inlinepatterns import REFERENCE_RE, ReferenceInlineProcessor
from markdown.preprocessors import Preprocessor
from markdown.util import ETX, STX

from mkdocs_recall.directives.fences import HiddenRanges, may_hide

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from markdown import Markdown


TAB: Final = 4
"""How far containers of Python-Markdown indent, and code."""
_DEEPEST_CONTAINER: Final = 50
"""Levels of nested containers; deeper ones count as text."""
_MARK: Final = r"(?:[-*+]|\d{1,9}[.)]|:|\[\^[^\]\s]{1,99}\]:)"
_CONTAINER_ITEM: Final = re.compile(rf"( {{0,3}}{_MARK})(?:( +)(?=[^ ])| *$)")
_QUOTE: Final = re.compile(r" {0,3}> ?")
_BOX: Final = re.compile(r' {0,3}(?:!!! ?\w|\?\?\?\+? ?\w|={3}[!+]* +")')
_RULE: Final = re.compile(r" {0,3}(?:(?:- *){3,}|(?:\* *){3,})$")
_COMPONENT: Final = re.compile(r"</?([A-Z]\w*[a-z]\w*(?:\.\w+)*)(?=[\s/>]|$)")
"""A component of MDX; not `<YOUR_NAME>`."""


class Nesting:
    """The containers around a line."""

    def __init__(self) -> None:
        """Start at the top of a page."""
        self.open: list[int] = []  # by how much each indents; 0: a block quote
        self.fresh = True  # whether the next line starts a block
        self.elements = 0  # how many elements of MDX are open
        self.in_tag = False  # whether the start tag of one is

    def inside(self, line: str) -> tuple[int, int]:
        """Return how many of the open containers hold a line, and where its own text starts."""
        column = 0
        for depth, width in enumerate(self.open):
            if width:
                if not line.startswith(" " * width, column):
                    return depth, column
                column += width
            else:
                mark = _QUOTE.match(line, column)
                if mark is None:
                    return depth, column
                column = mark.end()
        return len(self.open), column

    def enter(self, line: str) -> int:
        """Read the next line; return where its text starts, or -1 for indented code."""
        depth, column = self.inside(line)
        while line.strip():
            if self.fresh and self._is_code(line, column, depth):
                del self.open[depth:]
                return -1
            width, end = _container(line, column)
            if width < 0 or depth == _DEEPEST_CONTAINER:
                break
            self.open[depth:] = [width]
            depth, column, self.fresh = depth + 1, end, True
        if not line[column:].strip():
            while 0 in self.open[depth:]:
                self.open.pop()
            self.fresh = True
            return column
        is_heading = line.startswith("#", column)
        is_box = _BOX.match(line, column) is not None
        if self.fresh or is_heading or is_box or line[column:].lstrip().startswith(("```", "~~~")):
            del self.open[depth:]
        if is_box and depth < _DEEPEST_CONTAINER:
            self.open.append(indent_of(line, column) + TAB)
        self.fresh = is_heading or is_box
        return column

    def read_element(self, line: str) -> None:
        """Count the elements of MDX that a line opens and closes, if it starts with their tag."""
        line = line.lstrip(" >").rstrip()
        if self.in_tag:
            if line.endswith(">") or not line:
                self.elements += bool(line) and not line.endswith("/>")
                self.in_tag = False
        elif tag := _COMPONENT.match(line):
            if tag[0].startswith("</"):
                self.elements = max(0, self.elements - 1)
            elif ">" not in line:
                self.in_tag = True
            elif not line.endswith("/>") and f"</{tag[1]}>" not in line:
                self.elements += 1

    def _is_code(self, line: str, column: int, depth: int) -> bool:
        """Return whether a line that starts a block is indented code.

        Authors for Python-Markdown indent by four below any list marker.
        """
        if self.elements:
            return False
        width = self.open[depth - 1] if 0 < depth <= len(self.open) else 0
        return line.startswith(" " * (TAB + max(0, TAB - (width or TAB))), column)


def indented_code(lines: Sequence[str]) -> list[int]:
    """Return the numbers of the lines of indented code; placeholders stand for fences."""
    numbers: list[int] = []
    nesting = Nesting()
    for number, line in enumerate(lines):
        if nesting.enter(line) < 0:
            numbers.append(number)
        elif nesting.in_tag or "<" in line:
            nesting.read_element(line)
        elif STX in line:
            nesting.fresh = True
    return numbers


def _container(line: str, column: int) -> tuple[int, int]:
    """Return by how much the container indents that a line opens, and where its text starts.

    The indent is 0 for a block quote, and -1 if the line opens no container.
    """
    if mark := _QUOTE.match(line, column):
        return 0, mark.end()
    mark = _CONTAINER_ITEM.match(line, column)
    if mark is None or _RULE.match(line, column):
        return -1, column
    width = len(mark[1]) + (len(mark[2]) if mark[2] and len(mark[2]) <= TAB else 1)
    end = min(column + width, len(line))
    return (TAB if mark[1].endswith("]:") else width), end


def indent_of(line: str, column: int) -> int:
    """Return how many spaces a line has from a column on."""
    return len(line) - column - len(line[column:].lstrip(" "))


def text_of(line: str) -> str:
    """Return a line without indent and the marks of quotes."""
    return line.lstrip(" >")


def empty_line(line: str) -> str:
    """Return an empty line in the block quotes of another."""
    return line[: len(line) - len(text_of(line))].rstrip()


_FENCE: Final = re.compile(r"(`{3,}(?=[^`]*$)|~{3,})(.*)")
_CLOSING: Final = re.compile(r" *(`{3,}|~{3,}) *$")

_LANGUAGE: Final = re.compile(r"\{? *\.?([A-Za-z][\w#+.-]*)(?=[\s{}\[:,]|$)")
_TITLE: Final = re.compile(
    r"(?:^|[\s{,])(?:title|filename|file|name|tab|label)=(?:\"([^\"]*)\"|'([^']*)')"
    r"|(?:^|\s)\[([^\[\]]*)\]"
)
"""`title="x"`, as in MkDocs and Docusaurus, or `[x]`, as in VitePress."""


class CodeFence(NamedTuple):
    """A fence: the half-open span `[first, end)` of a page's lines, from 0."""

    first: int
    end: int
    prefix: str
    """What precedes the fence on its first line: spaces, `> `, a list marker."""
    info: str
    code: str

    @property
    def lines(self) -> range:
        """The lines, fences included."""
        return range(self.first, self.end)

    @property
    def html(self) -> str:
        """The code as pymdownx.highlight renders it, without colours."""
        language = _LANGUAGE.match(self.info)
        name = f' class="language-{escape(language[1])}"' if language else ""
        code = f"<code{name}>{escape(self.code, quote=False)}</code>"
        title = fence_title(self.info)
        if not title:
            return f'<pre class="highlight">{code}</pre>'
        label = f'<span class="filename">{escape(title)}</span>'
        return f'<div class="highlight">{label}<pre>{code}</pre></div>'


def fence_title(info: str) -> str:
    """Return the title that the first line of a fence states, or an empty string."""
    match = _TITLE.search(info)
    return next((group.strip() for group in match.groups() if group), "") if match else ""


def find_code_fences(text: str) -> list[CodeFence]:
    """Return the fenced code of a page's Markdown in order, in linear time."""
    if "```" not in text and "~~~" not in text:
        return []
    return _CodeFenceScan(text).fences()


class CodeFences(Extension):
    """Python-Markdown's reading of fenced code, in place of `pymdownx.superfences`."""

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802 - Python-Markdown's name
        """Read fences before anything else, but for white space."""
        md.preprocessors.register(_FencePreprocessor(md), "recall_fences", 29)


class _FencePreprocessor(Preprocessor):
    """Stashes the code, and leaves a placeholder."""

    def run(self, lines: list[str]) -> list[str]:
        fences = find_code_fences("\n".join(lines))
        if not fences:
            return lines
        parts: list[str] = []
        done = 0
        for fence in fences:
            parts += lines[done : fence.first]
            parts.append(fence.prefix + self.md.htmlStash.store(fence.html))
            done = fence.end
        return parts + lines[done:]


class _CodeFenceScan:
    """One scan over the lines of a page."""

    def __init__(self, text: str) -> None:
        self.lines = text.expandtabs(TAB).split("\n")
        self.hidden = HiddenRanges(text) if may_hide(text) else None
        self.nesting = Nesting()

    def fences(self) -> list[CodeFence]:
        """Return the fences."""
        fences: list[CodeFence] = []
        lines, done = self.lines, 0
        for number, line in enumerate(lines):
            if number < done:
                continue
            if "```" in line or "~~~" in line:
                column = self._reach(done, number)
                fence = self._fence(number, column) if column >= 0 else None
                if fence:
                    fences.append(fence)
                    self.nesting.fresh = True
                    done = fence.end
                    continue
                done = number + 1
            if self.nesting.in_tag or "<" in line:
                self.nesting.read_element(line)
            if self.hidden and "<" in line and may_hide(line):
                end = self.hidden.end(number)
                if end > number:
                    if done <= number:
                        self._reach(done, number)
                    done = end + 1
        return fences

    def _reach(self, done: int, number: int) -> int:
        """Read the lines from `done` to `number`; return where the text of the last starts."""
        lines = self.lines
        for start in range(number, done, -1):
            # A heading at the margin, or text there below an empty line, ends all containers.
            first = lines[start][:1]
            if first == "#" or (first.isalpha() and not lines[start - 1].strip()):
                self.nesting.open, self.nesting.fresh = [], True
                done = start
                break
        column = 0
        for line in lines[done : number + 1]:
            column = self.nesting.enter(line)
        return column

    def _fence(self, number: int, column: int) -> CodeFence | None:
        """Return the fence that a line opens, if it does."""
        indent = indent_of(self.lines[number], column)
        opening = _FENCE.match(self.lines[number], column + indent)
        if opening is None:
            return None
        # The indentation inside an element of MDX has no meaning, and would make it code.
        is_loose = self.nesting.elements and not self.nesting.open
        prefix = "" if is_loose else self.lines[number][: opening.start()]
        ticks, info = opening[1], opening[2].strip()
        code: list[str] = []
        end = number + 1  # after the last line that is not empty
        for following in range(end, len(self.lines)):
            text = self._inner(self.lines[following])
            if text is None or (text.strip() and TAB <= indent > indent_of(text, 0)):
                break
            if text.strip():
                end = following + 1
            if ticks in text and _closes(text, ticks, indent):
                break
            code.append(text[min(indent, indent_of(text, 0)) :] if indent else text)
        return CodeFence(number, end, prefix, info, "\n".join(code))

    def _inner(self, line: str) -> str | None:
        """Return a line of code without its containers; None if it is outside of them."""
        if not self.nesting.open:
            return line
        depth, column = self.nesting.inside(line)
        if depth == len(self.nesting.open):
            return line[column:]
        outside = 0 in self.nesting.open[depth:] or line.strip()
        return None if outside else ""


def _closes(line: str, ticks: str, indent: int) -> bool:
    """Return whether a line closes a fence that was opened with these characters and indent."""
    closing = _CLOSING.match(line)
    if closing is None or not closing[1].startswith(ticks):
        return False
    return closing.start(1) < TAB or indent <= closing.start(1) < indent + TAB


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
_COMPONENT_TAG: Final = re.compile(
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
    match = _COMPONENT_TAG.match(text, start, start + _LONGEST)
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
_DEEPEST_BLOCK: Final = 20
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
            if indent - shifts[line] >= TAB or len(ends) == _DEEPEST_BLOCK:
                continue
            if line < self._line(self.tags[closing].start) and (block := self._block(tag)):
                slashes = "/" * (3 + _DEEPEST_BLOCK - len(ends))
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


_PATH: Final = re.compile(r"[^\W\d]\w*(?:[.:/][^\W\d]\w*)+(?:\(\))?")


class CrossReferences(Extension):
    """Shows a reference to an object as its text."""

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802 - Python-Markdown's name
        """Look for them where no link is defined, after those that are."""
        processor = _CrossReferenceProcessor(REFERENCE_RE, md)
        md.inlinePatterns.register(processor, "recall_cross_references", 165)


class _CrossReferenceProcessor(ReferenceInlineProcessor):
    def handleMatch(  # type: ignore[override]  # noqa: N802 - Python-Markdown's name
        self, m: re.Match[str], data: str
    ) -> tuple[Element | None, int | None, int | None]:
        """Return the text of a reference as a span."""
        none = None, None, None
        if data[: m.start()][-1:].isalnum():
            return none
        text, index, handled = self.getText(data, m.end())
        if not handled:
            return none
        path, end, handled = self.evalId(data, index, text)
        if not (handled and path):
            return none
        if path in self.md.references or not (_is_code(text) or _PATH.fullmatch(path)):
            return none
        span = Element("span")
        span.text = text
        return span, m.start(), end


def _is_code(text: str) -> bool:
    """Tell whether a text is code alone, which is read before references are."""
    return text.startswith(STX) and text.count(STX) == 1 and text.endswith(ETX)


_INDENTED: Final = re.compile(r"^[ >]* {2}\S|^[ >]*\d{1,9}\) ", re.MULTILINE)
"""What a page has that needs any of this."""
_LIST_ITEM: Final = re.compile(r" {0,3}(?:[-*+]|(\d{1,9})[.)]) +(?=\S)")
_INTERRUPTION: Final = re.compile(r" {0,3}(?:>|!!! ?\w|\?\?\?\+? ?\w|={3}[!+]* +\")")
"""What needs an empty line above it in an item: a block quote, an admonition, a tab."""
_PREFORMATTED: Final = re.compile(r"^[ >]+<(?:pre|script|style|textarea)[\s>]", re.MULTILINE)
"""Raw HTML whose indentation counts: a page that has it in a list stays as it is."""
_COMMENT, _COMMENT_END = "<!--", "-->"


class ItemContents(Extension):
    """Python-Markdown's reading of what is in list items."""

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802 - Python-Markdown's name
        """Read items after lists get the empty lines above them, and before raw HTML."""
        md.preprocessors.register(_ItemPreprocessor(md), "recall_items", 25)


class _ItemPreprocessor(Preprocessor):
    def run(self, lines: list[str]) -> list[str]:
        text = "\n".join(lines)
        if not _INDENTED.search(text) or _PREFORMATTED.search(text):
            return lines
        return _Indenting().lines(lines)


class _Indenting:
    """One pass over the lines of a page."""

    def __init__(self) -> None:
        self.nesting = Nesting()
        self.is_first = True  # whether the next line starts a block of Python-Markdown
        self.in_list = False  # whether the open block starts with an item
        self.depth = 0  # how many containers hold its first line

    def lines(self, lines: list[str]) -> list[str]:
        """Return the lines, indented, and without the comments in items.

        Python-Markdown takes a comment that is indented by four for text.
        """
        last = max((n for n, line in enumerate(lines) if _COMMENT_END in line), default=-1)
        result: list[str] = []
        in_comment = False
        for number, line in enumerate(lines):
            in_comment = in_comment or (number < last and self._opens_comment(line))
            if in_comment:
                result.append(empty_line(line))
            else:
                result += self._read(line)
            in_comment = in_comment and _COMMENT_END not in line
        return result

    def _opens_comment(self, line: str) -> bool:
        """Return whether a line in an item starts a comment that goes on below it."""
        if _COMMENT not in line or _COMMENT_END in line:
            return False
        depth, column = self.nesting.inside(line)
        indent = indent_of(line, column)
        return bool(depth) and indent < TAB and line.startswith(_COMMENT, column + indent)

    def _read(self, line: str) -> Iterator[str]:
        """Read the next line, and yield it indented; before it, an empty line if it needs one."""
        nesting = self.nesting
        if not line.strip():
            nesting.enter(line)
            self.is_first = True
            yield line
            return
        depth, column = nesting.inside(line)
        widths = nesting.open[:depth]
        item = _LIST_ITEM.match(line, column)
        if not self.is_first and self._interrupts(line, depth, column, is_item=item is not None):
            yield _prefix(widths).rstrip()
            self.is_first = nesting.fresh = True
        if self.is_first:
            self.in_list, self.depth = item is not None, depth
        is_code = False
        if item is None or self.in_list:  # in a paragraph it starts no list
            is_code = nesting.enter(line) < 0
        self.is_first = nesting.fresh
        if nesting.in_tag or "<" in line:
            nesting.read_element(line)
        elif STX in line:
            nesting.fresh = True
        if item and item[1] and self.in_list and not is_code:
            end = item.end(1)
            line = f"{line[:end]}.{line[end + 1 :]}"
        yield _indented(line, column, widths, is_code=is_code)

    def _interrupts(self, line: str, depth: int, column: int, *, is_item: bool) -> bool:
        """Return whether a line starts a block that to Python-Markdown is still the text above."""
        if is_item:  # the next one of an outer list
            return depth < self.depth
        return depth > 0 and _INTERRUPTION.match(line, column) is not None


def _indented(line: str, column: int, widths: list[int], *, is_code: bool) -> str:
    """Return a line with four columns for each item around it."""
    if all(width == 0 or width >= TAB for width in widths):
        return line
    prefix = _prefix(widths)
    indent = indent_of(line, column)
    inner = line[column + indent :]
    if is_code:
        last = widths[-1]
        if last >= TAB:  # the outer items were indented by four already
            indent = max(TAB, indent - (len(prefix) - column))
        elif last:
            indent -= TAB - last
        inner = " " * indent + inner
    return prefix + inner


def _prefix(widths: list[int]) -> str:
    """Return what a line in containers that indent by these widths starts with."""
    return "".join(" " * TAB if width else "> " for width in widths)


_LIST_START: Final = re.compile(r"([-*+]|\d{1,9}\.) +(?=\S)(?!(?:[-*_] *)+$)")
"""The start of an item, but no rule."""
_OPENER: Final = re.compile(r'#{1,6} |[!?]{3}\+? ?\w|={3}[!+]* +"|/{3,}')
"""What ends a paragraph and is none: a heading, the first line of an admonition or a tab."""
_CONTENTS: Final = re.compile(r":(?= )|\[\^[^\]\s]{1,99}\]:")
"""The mark of a definition or a footnote, whose further lines are indented."""
_FORMULA: Final = re.compile(r"\$\$|\\[\[\]]|\\(?:begin|end)\{")
_END: Final = re.compile(r"[:;.!?…：；。！？][\s*_`)\]\"'”’»\\]*$")
"""The end of a sentence, or of what introduces a list."""
_LIST_SIGNS: Final = frozenset("-*+1")


class InterruptingLists(Extension):
    """Python-Markdown's reading of lists without an empty line above them."""

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802 - Python-Markdown's name
        """Read lists after tables, whose rows are no text any more."""
        md.preprocessors.register(_ListPreprocessor(md), "recall_lists", 26)


class _ListPreprocessor(Preprocessor):
    def run(self, lines: list[str]) -> list[str]:
        numbers = _list_starts(lines)
        if not numbers:
            return lines
        parts: list[str] = []
        done = 0
        for number in numbers:
            parts += lines[done:number]
            parts.append(empty_line(lines[number]))
            done = number
        return parts + lines[done:]


class _Line(NamedTuple):
    """A line that is not empty."""

    number: int
    quotes: int
    """How many block quotes it is marked to be in."""
    indent: int
    """How far its text is indented, inside of these."""
    text: str
    marker: str
    """The marker if it starts like an item: `-`, `*`, `+`, or for each number its sign, `.`."""


def _list_starts(lines: Sequence[str]) -> list[int]:
    """Return the numbers of the lines with the first item of a list below a paragraph."""
    starts: list[int] = []
    end = 0
    for number, line in enumerate(lines):
        if (
            number < end
            or line.lstrip(" >")[:1] not in _LIST_SIGNS
            or not _LIST_START.match(text_of(line))
        ):
            continue
        first = number
        while first > end and text_of(lines[first - 1]):
            first -= 1
        if first < number:
            end = number + 1
            while end < len(lines) and text_of(lines[end]):
                end += 1
            starts += _starts_in_block([_line(lines[n], n) for n in range(first, end)])
    if not starts:
        return starts
    hidden = set(_preformatted(lines))
    if any(" " * TAB in lines[number].partition(text_of(lines[number]))[0] for number in starts):
        hidden.update(indented_code(lines))
    return [number for number in starts if number not in hidden]


def _line(line: str, number: int) -> _Line:
    text = text_of(line)
    prefix = line[: len(line) - len(text)]
    quotes = prefix.count(">")
    indent = len(prefix) - prefix.rfind(">") - 1
    item = _LIST_START.match(text)
    return _Line(number, quotes, max(0, indent - bool(quotes)), text, item[1][-1] if item else "")


def _starts_in_block(lines: Sequence[_Line]) -> Iterator[int]:
    """Yield the numbers of the lines with the first items of lists, of lines without empty ones."""
    last = {(line.quotes, line.indent, line.marker): line.number for line in lines}
    previous = ""
    paragraph: int | None = None  # how far the text of the open paragraph is indented
    is_list = is_formula = False
    for line in lines:
        if _OPENER.match(line.text):
            paragraph, is_list = None, False
        elif _CONTENTS.match(line.text):
            paragraph, is_list = line.indent + TAB, False
        elif line.marker and paragraph is None:
            is_list = True
        elif line.marker and not (is_list or is_formula) and paragraph is not None:
            follows = last[line.quotes, line.indent, line.marker] > line.number
            if line.indent < paragraph + TAB and _interrupts(line, previous, follows=follows):
                is_list = True
                yield line.number
        elif not is_list and paragraph is None:
            paragraph = line.indent
        if len(_FORMULA.findall(line.text)) % 2:
            is_formula = not is_formula
        previous = line.text


def _interrupts(line: _Line, previous: str, *, follows: bool) -> bool:
    """Return whether a line that starts like an item starts a list below the text before it."""
    if line.marker == "." and not line.text.startswith("1."):
        return False
    if STX in previous or _END.search(previous):
        return True
    return follows and line.marker != "+" and " = " not in previous


def _preformatted(lines: Sequence[str]) -> Iterator[int]:
    """Yield the numbers of the lines of `<pre>`."""
    is_open = False
    for number, line in enumerate(lines):
        if is_open:
            yield number
        if "<pre" in line or "</pre" in line:
            is_open = line.rfind("<pre") > line.rfind("</pre")


_DELIMITER: Final = re.compile(r"[ >]*\|? *:?-+:? *(?:\| *:?-+:? *)*\|? *$")
_TABLE_SIGNS: Final = frozenset(" >|:-")
_LAST_PIPE: Final = re.compile(r"(?<!\\)(?:\\\\)*\|$")
_BLOCK: Final = re.compile(rf"#{{1,6}} |[-*+] |\d{{1,9}}[.)] |<|{STX}|/{{3,}}")
"""What ends a table by opening another block."""


class PipeTables(Extension):
    """Python-Markdown's reading of tables as GitHub reads them."""

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802 - Python-Markdown's name
        """Read tables after fences, and the tags of other generators."""
        md.preprocessors.register(_TablePreprocessor(md), "recall_tables", 27)


class _TablePreprocessor(Preprocessor):
    def run(self, lines: list[str]) -> list[str]:
        delimiters = [n for n, line in enumerate(lines) if n and "-" in line and _delimits(line)]
        if not delimiters:
            return lines
        code = frozenset(indented_code(lines)) if _is_deep(lines, delimiters) else frozenset()
        parts: list[str] = []
        done = 0
        for number in delimiters:
            header = number - 1
            if number < done or header in code or not _is_header(lines[header], lines[number]):
                continue
            parts += lines[done:header]
            if parts and text_of(parts[-1]):
                parts.append(empty_line(lines[number]))
            done = header
            while done < len(lines) and (text := text_of(lines[done])):
                if done > number and _BLOCK.match(text):
                    parts.append(empty_line(lines[number]))
                    break
                parts.append(_row(lines[done], text))
                done += 1
        return parts + lines[done:]


def _delimits(line: str) -> bool:
    """Return whether a line may be the one below the header of a table."""
    return "|" in line and _TABLE_SIGNS.issuperset(line) and _DELIMITER.match(line) is not None


def _is_deep(lines: Sequence[str], numbers: Sequence[int]) -> bool:
    """Return whether any of these lines may be indented code."""
    return any(lines[number].startswith(" " * TAB) for number in numbers)


def _is_header(line: str, delimiter: str) -> bool:
    """Return whether the line above a delimiter row is the header of a table."""
    text = text_of(line)
    if line.count(">", 0, len(line) - len(text)) != delimiter.count(">") or not text:
        return False
    return "|" in text or text_of(delimiter).strip("| ").count("|") == 0


def _row(line: str, text: str) -> str:
    """Return a row with both of its outer pipes."""
    start = line[: len(line) - len(text)]
    text = text.rstrip()
    first = "" if text.startswith("|") else "| "
    last = "" if _LAST_PIPE.search(text) else " |"
    return f"{start}{first}{text}{last}"
