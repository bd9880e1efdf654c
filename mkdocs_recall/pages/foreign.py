"""Markdown of any generator → HTML that notes its lines, by markdown-it with some rules of ours.

A folder has no settings, so its pages are read as CommonMark with the syntax of GitHub and the
common generators: tables, footnotes, definitions; admonitions, tabs, attribute lists, formulas,
keys and the like of Python-Markdown and pymdownx; tags of Hugo, Liquid, VitePress, MyST and MDX.

The way of a page: first its rows are found, lines of only tags of other generators, and their tags
are paired. Then rules for blocks make tokens of its lines. Text between paired tags becomes a box
or a tab if they have a title or the name of an admonition, like the indented text below `!!! note`,
or code if they are named for that. Then rules for text make tokens of each paragraph. A tag that
represents a value (`{{ version }}`) stays in its sentence, which is then never quoted; between
other tags only the text stays. Before each text, `<wbr data-line>` states its line.

Where CommonMark is strict, the author's intent counts: indentation in elements of MDX means
nothing; `[text][package.Class]`, which mkdocstrings would resolve, stays as its text.
"""

from __future__ import annotations

import re
from bisect import bisect
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from itertools import accumulate
from textwrap import dedent
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from markdown.extensions.toc import slugify
from markdown_it import MarkdownIt, rules_block, rules_inline
from markdown_it.helpers import parseLinkDestination, parseLinkTitle
from markdown_it.renderer import RendererHTML
from markdown_it.rules_block.html_block import HTML_SEQUENCES
from markdown_it.token import Token
from mdit_py_plugins.deflist import deflist_plugin
from mdit_py_plugins.footnote import footnote_plugin
from mdit_py_plugins.footnote.index import footnote_def, footnote_ref

from mkdocs_recall.directives.fences import find_fences, may_hold_directive
from mkdocs_recall.pages.lines import fence_spans, fence_title, first_group

if TYPE_CHECKING:
    from markdown_it.rules_block import StateBlock
    from markdown_it.rules_core import StateCore
    from markdown_it.rules_inline import StateInline

TAB: Final = 4
"""The indent of Python-Markdown's containers, and of code."""
_DEEPEST: Final = 60
"""The deepest nesting of boxes, lists and the like; below it, all is text."""
_CODE_SPAN: Final = re.compile(r"`(?<!``)(`?)(?!`)[^\n]{1,400}?(?<!`)`\1(?!`)")
_BARE_PIPE: Final = re.compile(r"(?<!\\)\|")
_PIPE: Final = "\ufdd0"
"""Replaces a pipe in code, which does not end a table cell in Python-Markdown."""


def renderer() -> Callable[[str, str], str]:
    """Return a function that renders pages, one after the other.

    It takes a page's Markdown and uri, and returns its HTML without directives. A page whose path
    ends in `.mdx`, or that imports, is MDX.
    """
    md = MarkdownIt("commonmark", {"maxNesting": 2 * _DEEPEST}, renderer_cls=_Renderer)
    # Links stay as their author wrote them.
    md.normalizeLink = lambda url: url  # type: ignore[method-assign]
    md.validateLink = lambda url: True  # type: ignore[method-assign]
    md.helpers = SimpleNamespace(  # type: ignore[assignment]
        parseLinkDestination=_destination,
        parseLinkTitle=parseLinkTitle,
        parseLinkLabel=_label_end,
    )
    md.enable("table").use(deflist_plugin).use(footnote_plugin)
    md.add_render_rule("footnote_block_open", lambda *_: '<div class="footnote"><ol>\n')
    md.add_render_rule("footnote_block_close", lambda *_: "</ol></div>\n")
    md.disable(["fence", "blockquote", "list", "footnote_def", "reference", "html_block"])
    md.disable(["heading", "text_join"])
    block = md.block.ruler
    block.at("hr", rules_block.hr, {"alt": ["list"]})  # nothing else is an item
    own: Callable[[Any, int, int, bool], bool] = _own
    block.before("table", "own", own, {"alt": ["paragraph", "blockquote"]})
    md.core.ruler.at("block", _read_blocks)
    md.core.ruler.at("inline", _read_texts)
    md.inline.tokenize = _read_text  # type: ignore[method-assign]

    def render(markdown: str, uri: str) -> str:
        fences = find_fences(markdown) if may_hold_directive(markdown) else ()
        env: dict[str, Any] = {"is_mdx": uri.lower().endswith(".mdx"), "references": {}}
        env["left_out"] = {fence.first for fence in fences}
        if "|" in markdown:
            markdown = _CODE_SPAN.sub(lambda span: _BARE_PIPE.sub(_PIPE, span[0]), markdown)
        html: str = md.render(markdown, env)
        return html.replace(_PIPE, "|").replace(_TAB_END + _TAB_START, "</div>\n")

    return render


class _Renderer(RendererHTML):
    text_special = RendererHTML.text

    def render(self, tokens: Sequence[Token], options: Any, env: Any) -> str:
        parts = (
            token.info + self.renderInline(token.children or (), options, env)
            if token.type == "inline"
            else self.rules.get(token.type, self.renderToken)(tokens, number, options, env)
            for number, token in enumerate(tokens)
        )
        return "".join(parts)

    def renderInlineAsText(self, tokens: Sequence[Token] | None, *_: object) -> str:
        return _text_of(tokens or ())

    def fence(self, tokens: Sequence[Token], idx: int, *_: object) -> str:
        token = tokens[idx]
        code = token.content if token.type == "fence" else dedent(token.content)
        return _line(token) + code_html(code, token.info)

    code_block = fence  # type: ignore[assignment]

    def table_open(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        first_row = (tokens[idx].map or [0])[0] + 3
        return f'<wbr data-rows="{first_row}">{self.renderToken(tokens, idx, options, env)}'


def _line(token: Token) -> str:
    return f'<wbr data-line="{token.map[0] + 1}">' if token.map else ""


_INFO_LANGUAGE: Final = re.compile(
    r"(?:\{ ?\.|\{[\w:-]+\} *(?=\w)|\{(?=[\w:-]+\}))?([\w+#.-]{1,30})(?![\w+#.=-])"
)


def code_html(code: str, info: str) -> str:
    """Return code as pymdownx renders it, without colours."""
    language = first_group(_INFO_LANGUAGE.match(info))
    named = f' class="language-{language}"' if language else ""
    html = f"<code{named}>{escape(code, quote=False)}</code>"
    title = fence_title(info)
    if not title:
        kind = "mermaid" if language == "mermaid" else "highlight"
        return f'<pre class="{kind}">{html}</pre>\n'
    title = f"<code>{escape(title)}</code>" if "<" in title else escape(title)
    label = f'<span class="filename">{title}</span>'
    return f'<div class="highlight">{label}<pre>{html}</pre></div>\n'


# Tags of other generators

_LONGEST, _LONGEST_TAG = 2000, 100_000
"""The most characters of a span, and of a tag that starts a line."""
_BRACES: Final = r"\{(?:[^{}]|" * 9 + r"\{\}" + r")*\}" * 9
_ATTRIBUTES: Final = rf"(?:[^<>\"'{{}}]|\"[^\"<]*\"|'[^'<]*'|{_BRACES})*>"
"""The rest of a tag; in MDX, values are in braces."""
_CONTAINER: Final = (
    r" *(?:(?P<brace>\{ ?[.#]?)?(?P<name>[A-Za-z][\w.-]*)\}?(?=[\s\[{|]|$)[^\n]*)?$"
    r"(?(name)(?:\n {4,}(?:handler|options|rendering|selection|attrs|open|type|new|select):[^\n]*"
    r"(?:\n {4}[^\n]+)*)*)(?(brace)(?:\n *:(?!:)[^\n]*)*)"
)
"""Lines of mkdocstrings, pymdownx and MyST below a tag that belong to it."""
_TAG: Final = re.compile(
    r"[ \t]*(?:(?P<pair>\{\{[<%](?!\s*/\*).*?[%>]\}\}|\{%.*?%\}"  # {{< x >}}, {% x %}
    rf"|</?(?=[A-Z]\w*[a-z])(?:\w+\.)*\w+(?=[\s/>]){_ATTRIBUTES}"  # <X> of MDX
    rf"|(?::{{2,}}|/{{3,}}){_CONTAINER})"  # ::: x, /// x
    r"|(?P<value>\{\{(?:(?!\{\{).)*?\}\})"
    r"|(?P<remark>\{# .*?#\}|\{/\*.*?\*/\})"  # {# x #}, {/* x */}
    rf"|(?P<expression>(?=\{{[^\s:#.%+=~>-]){_BRACES}))",  # {x} of MDX
    re.DOTALL | re.MULTILINE,
)
_CALL: Final = re.compile(
    r"(?:(?P<curly>\{[{%][<%]?)|<|:+|/+)[-~+\s]*(?P<closes>/|(?(curly)end(?=\w)|(?!)))?"
    r"\s*\{?[ .#]*(?:callout-|admonish +(?=\w)|\w+\.)*(?P<name>[\w:-]*)\}?(?P<arguments>.*)",
    re.DOTALL,
)
_CLOSED: Final = re.compile(r"\{(?:%-?|\{[<%])\s*(?:end|/\s*)([\w:-]+)")
_STATED: Final = re.compile(
    r"(?:^|[\s,{])(?:title|label|header|heading|summary|caption)[=:]\s*\{?"
    r"(?:\"([^\"\n]*)\"|'([^'\n]*)'|`([^`\n]*)`)"
)
_BESIDE: Final = re.compile(
    r"\A(?:\s*\[([^\[\]\n]*)\]|\s*\|([^\n]*)|[^\"'\w]*[\w./-]*\s*(?:\"([^\"\n]*)\"|'([^'\n]*)'))"
)
_WORDS: Final = re.compile(r"\A([^\n]*?)(?: *\{[^{}\n]*\}| [^{}\n]*\})? *$", re.MULTILINE)
_VALUE: Final = re.compile(r"(?:^|[\s,{])(?:name|value)=\s*\{?(?:\"([^\"\n]*)\"|'([^'\n]*)')")
"""The title in a tag: all words of a tag with colons, the name of a tab."""


@dataclass(slots=True)
class _Tag:
    text: str
    stop: int
    """The line below it."""
    name: str = ""
    """The name in lower case; for a member, its last part."""
    arguments: str = ""
    closes: bool = False
    until: int = 0
    """The line of the tag that closes it; 0 if there is none."""

    @classmethod
    def of(cls, match: re.Match[str], stop: int) -> _Tag:
        call = _CALL.match(match["pair"] or "")
        if call is None:  # a value or a comment
            return cls(match[0], stop)
        closes = bool(call["closes"] or not call["name"])
        return cls(match["pair"], stop, call["name"].lower(), call["arguments"], closes)

    @property
    def key(self) -> tuple[str, str]:
        """The key that the tag shares with its closing tag."""
        return self.text[0], "" if self.text[0] in ":/" else self.name

    @property
    def title(self) -> str:
        """The title that the tag states, or an empty text."""
        patterns = [_STATED, _BESIDE] + [_WORDS] * (self.text[0] == ":")
        patterns += [_VALUE] * (self.name in _TABS)
        titles = (first_group(pattern.search(self.arguments)) for pattern in patterns)
        title = next(filter(None, titles), "")
        if title and self.name in {"versionadded", "versionchanged", "deprecated"}:
            title = f"{self.name} {title}"
        return "" if "{{" in title or "{%" in title else title


_ROW: Final = re.compile(
    r"^(?:(?P<module>(?:import\s+(?:(?:[\w$*{][^'\"\n]*\sfrom\s+)?['\"][^'\"\n]+['\"];?[ \t]*$"
    r"|(?:\w+,\s*)?\{[^}'\"\n]*$)|export\s+(?:default\s|(?:const|let|var)\s+[\w$]+\s*="
    r"|(?:async\s+)?function\W|class\s|\{|\*\s))(?:.*\n(?=.*\S))*.*)"
    r"|[ \t>]*(?:(?=[{<:/])|(?:(?:[-*+]|\d+[.)])[ \t]+)*(?P<fence>`{3,}(?=[^`\n]*$)|~{3,}).*\n"
    r"(?:(?![ \t>]*(?P=fence)[`~]*[ \t]*$).*\n)*.*))",
    re.MULTILINE,
)
"""Where a row may start; or a fence without rows, or an import of MDX."""
_ROW_END: Final = re.compile(r"[ \t]*$", re.MULTILINE)


def _rows(page: StateBlock) -> dict[int, list[_Tag]]:
    """Find the rows of a page by first line, and pair their tags."""
    rows: dict[int, list[_Tag]] = {}
    pending: defaultdict[tuple[str, str], list[_Tag]] = defaultdict(list)
    end = 0
    for start in _ROW.finditer(page.src):
        if start.start() < end or start["fence"]:
            continue
        end = start.end()
        tags = [_Tag(start[0], bisect(page.bMarks, end))] if start["module"] else []
        page.env["is_mdx"] |= bool(tags)
        while match := _TAG.match(page.src, end, end + (_LONGEST if tags else _LONGEST_TAG)):
            if match["expression"] and not page.env["is_mdx"]:
                break
            end = match.end()
            tags.append(_Tag.of(match, bisect(page.bMarks, end)))
        if not tags or not _ROW_END.match(page.src, end):
            continue
        first = bisect(page.bMarks, start.start()) - 1
        rows[first] = tags
        for tag in tags:
            if tag.closes and pending[tag.key]:
                pending[tag.key].pop().until = first
            elif tag.name and not tag.closes and not tag.text.endswith(("/>", "/%}")):
                pending[tag.key].append(tag)
    return rows


# Boxes

_ADMONITIONS: Final = frozenset(
    "note abstract info tip success question warning failure danger bug example quote attention "  # noqa: SIM905 - words
    "caution error hint important check seealso versionadded versionchanged deprecated callout "
    "alert aside admonition details accordion accordionitem expand collapse collapsible spoiler "
    "dropdown admonish".split()
)
_TABS: Final = frozenset({"tab", "tabitem", "tab-item", "group-tab", "tabpanel", "tabs-item"})
_UNTITLED: Final = frozenset(
    "figure image tab-set tabs grid grid-item div margin list-table glossary".split()  # noqa: SIM905 - words
)
"""Directives of MyST whose argument is not the title of a box or a tab."""
_CODE: Final = ("code", "highlight", "prism", "sourcecode", "comment")
"""The beginnings of names of tags around code or a comment."""
_CONTENT: Final = re.compile(r"\scontent=(?:\"([^\"]+)\"|'([^']+)')")
"""The text of a box of Jekyll: `{% include note.html content="…" %}`."""
_RAW: Final = re.compile(r"\{%-? *(?:end)?(?:raw|verbatim) *-?%\}\n?")
_TAB_START, _TAB_END = '<div class="tabbed-set">', "</div></div>\n"


def _row(lines: _Lines, tags: list[_Tag], first: int, last: int, silent: bool) -> bool:
    """Read a row; a box also reads the lines down to its end."""
    if silent:  # values and modules do not end a paragraph
        return any(tag.closes or tag.name for tag in tags)
    lines.line = stop = tags[-1].stop
    while tags:
        tag = tags.pop(0)
        end, sign = min(tag.until, last), tag.text[0]
        if tag.name == "include" and (text := first_group(_CONTENT.search(tag.arguments))):
            _enclose(lines, "admonition", text, first, inner=range(0), indent=0)
        if end < stop:
            continue
        is_code = tag.name.startswith(_CODE) and sign in "{:"
        code = lines.getLines(stop, end, lines.sCount[first], False) if is_code else ""
        if is_code and "```" not in code and "~~~" not in code:
            if tag.name != "comment":
                token = lines.push("fence", "code", 0)
                token.content = _RAW.sub("", code).strip("\n").rstrip()
                token.info = tag.arguments.strip("%>}-\n ")
                token.map = [first, end]
            lines.line = end
            break
        title = tag.title
        place = first + tag.text.count("\n", 0, tag.text.find(title))
        box = _box_of(tag.name, title, sign)
        if box or sign == "<" or tag.name == "list-table":
            inner = range(first if tags else stop, end)
            above = len(lines.tokens)
            indents = (lines.sCount[n] for n in inner if sign == "<" and not lines.isEmpty(n))
            indent = max(lines.blkIndent, min(indents, default=0))
            lines.elements += sign == "<"
            _enclose(lines, box, title, place, inner=inner, indent=indent)
            lines.elements -= sign == "<"
            if tag.name == "list-table":
                headers = re.search(r":header-rows: [1-9]", tag.arguments)
                _as_table(lines.tokens[above:], has_header=headers is not None)
                caption = Token("html_block", "", 0, content=f"<caption>{escape(title)}</caption>")
                lines.tokens.insert(above + 2, caption)
            break
    return True


def _as_table(tokens: Sequence[Token], *, has_header: bool) -> None:
    """Make a table of lists in a list."""
    depth = 0
    for token in tokens:
        if "list_" in token.type:
            depth -= token.nesting < 0
            if depth < TAB:
                token.tag = ("table", "tr", "", "th" if has_header else "td")[depth]
                token.hidden = not token.tag
            has_header &= depth != 1 or token.nesting > 0
            depth += token.nesting > 0


def _box_of(name: str, title: str, sign: str) -> str:
    """Return the classes of a tag's admonition, `tab`, or ""."""
    if name in _ADMONITIONS or sign in "!?":
        return f"admonition {name}"
    is_tab = title and name not in _UNTITLED and (sign != "/" or name == "tab")
    return "tab" if is_tab else ""


def _enclose(
    lines: StateBlock, box: str, title: str, place: int, *, inner: range, indent: int
) -> None:
    """Read indented lines as a box with its title at `place`."""
    parts = (f'<div class="{box}"><p class="admonition-title">', "</p>", "</div>\n")
    if box == "tab":
        parts = (f"{_TAB_START}<label>", '</label><div class="tabbed-content">', _TAB_END)
    lines.push("html_block", "", 1).content = parts[0] if box else ""
    if box:
        token = lines.push("inline", "", 0)
        token.content, token.map = title, [place, place + 1]
        lines.push("html_block", "", 0).content = parts[1]
    outer = lines.blkIndent, lines.lineMax, lines.parentType, lines.listIndent
    inside = indent, inner.stop, "root", -1
    lines.blkIndent, lines.lineMax, lines.parentType, lines.listIndent = inside
    lines.md.block.tokenize(lines, inner.start, inner.stop)
    lines.blkIndent, lines.lineMax, lines.parentType, lines.listIndent = outer
    lines.push("html_block", "", -1).content = parts[2] if box else ""


# Blocks


class _Lines(rules_block.StateBlock):
    """The lines of a page while its blocks are read."""

    elements = 0
    """How many elements of MDX are around a line."""

    def is_code_block(self, line: int) -> bool:
        """Tell whether a line is code, which MDX cannot indent."""
        return not self.elements and super().is_code_block(line)


_MYST: Final = re.compile(
    rf"[ \t>]*(`{{3,}}|~{{3,}})(\{{({'|'.join(_ADMONITIONS | _TABS | _UNTITLED)})\}}|admonish\b)"
)
"""A directive in the first line of a fence that holds Markdown."""

_LABELLED: Final = re.compile(r"^\(([\w:./-]+)\)= *\n+#+ +([^\n`*\[\]{}<>$]+)$", re.MULTILINE)
"""The label of a heading in MyST, and its text."""

_GLOSSARY: Final = re.compile(
    r"^(`{3,}|:{3,})\{glossary\}(?:(?!\{glossary\}).)*?^\1", re.DOTALL | re.MULTILINE
)
_TERM: Final = re.compile(r"^(\S.*\n) (?= +\S)", re.MULTILINE)
"""A term of a glossary of MyST, above its indented definition."""


def _read_blocks(state: StateCore) -> None:
    """Read a page; MyST fences of Markdown are like colon fences."""
    lines = _GLOSSARY.sub(lambda terms: _TERM.sub(r"\1:", terms[0]), state.src).split("\n")
    for _ in range(3 if re.search("```(?:{|admonish)", state.src) else 0):
        for fence in fence_spans(lines):
            if _MYST.match(lines[fence.start]):
                for number in (fence.start, fence.stop - 1):
                    lines[number] = re.sub("`+|~+", ":::", lines[number], count=1)
    page = _Lines("", state.md, state.env, state.tokens)  # slow if it has text
    page.lineMax = len(lines)
    lines.append("")
    page.src = state.src = "\n".join(lines)
    page.eMarks = [end - 1 for end in accumulate(len(line) + 1 for line in lines)]
    page.bMarks = [end - len(line) for end, line in zip(page.eMarks, lines, strict=True)]
    indents = [line[: len(line) - len(line.lstrip(" \t"))] for line in lines]
    page.tShift = list(map(len, indents))
    page.sCount = [len(indent.expandtabs(TAB)) for indent in indents]
    page.bsCount = [0] * len(lines)
    page.env["labels"] = dict(_LABELLED.findall(page.src))
    page.env["closed"] = {name.lower() for name in _CLOSED.findall(page.src)}
    page.env["rows"] = _rows(page)
    state.md.block.tokenize(page, 0, page.lineMax)


def _text(lines: StateBlock, number: int) -> str:
    return lines.src[lines.bMarks[number] + lines.tShift[number] : lines.eMarks[number]]


def _own(lines: _Lines, first: int, last: int, silent: bool) -> bool:
    """Read a row, or a block with a known first character."""
    if lines.level >= _DEEPEST or lines.is_code_block(first):
        return False
    tags = lines.env["rows"].get(first)
    if tags and tags[-1].stop <= last:
        return _row(lines, tags, first, last, silent)
    for rule in _RULES.get(lines.src[lines.bMarks[first] + lines.tShift[first]], ()):
        if rule(lines, first, last, silent):
            return True
    return False


_LIST: Final = r"(?:[#.][\w:-]|[\w:-]+=)[^{}\n]*"
_TEXTLESS: Final = re.compile(
    rf"(?:\[TOC\]|\[\[toc\]\]|\[\[_TOC_\]\]|\*\[[^\]\n]+\]:.*|\{{:? ?{_LIST}\}}"
    r"|\{::.*\}|<<< +[@./].*|-+8<-+ +[\"'].*[\"']|\([\w:./-]+\)=|%(?: .*)?|\+{3}(?: \{.*\})?) *$"
)
"""A line without text: a table of contents, attributes, a label."""


def _textless(lines: StateBlock, first: int, last: int, silent: bool) -> bool:
    if (silent and lines.parentType != "table") or not _TEXTLESS.match(_text(lines, first)):
        return False
    lines.line = first + 1
    return True


_BOX: Final = re.compile(
    r"(?:(!!!|\?{3}\+?) ?([\w-]+(?: +[\w-]+)*)(?: +\"(.*)\")?"
    r"|(?:\?{3}\+?|={3}[!+]*) +\"(.*)\") *$"
)
"""`!!! note "Title"`, `??? note`, `??? "Title"`, `=== "Tab"`."""


def _box(lines: StateBlock, first: int, last: int, silent: bool) -> bool:
    match = _BOX.match(_text(lines, first))
    if match is None or silent:
        return match is not None
    indent, end = lines.sCount[first] + TAB, first + 1
    while end < last and (lines.sCount[end] >= indent or lines.isEmpty(end)):
        end += 1
    title, sign = match[3] or match[4] or "", match[0][0]
    box = _box_of(match[2] or ("tab" if sign == "=" else "details"), title, sign)
    _enclose(lines, box, title, first, inner=range(first + 1, end), indent=indent)
    lines.line = end
    return True


_OPTIONS: Final = re.compile(r"\A(?:(?::[\w-]+:|: |(?:#|//|%%) ?\| )[^\n]*\n)+\n?")
"""The options of a directive of MyST or of a cell of Quarto, in its first lines."""
_OF_SPHINX: Final = re.compile(r"\{(?:toctree|contents|(?:py:)?currentmodule|eval-rst)\}")
"""Directives of MyST without text."""
_SNIPPETS: Final = re.compile(r"(?:[ \t]*(?:-+8<-+[ \t]*[\"']|\{\{#\w*include )[^\n]*\n\s*)+")
"""Code that only names files to include."""


def _fence(lines: StateBlock, first: int, last: int, silent: bool) -> bool:
    """Read a fence; skip directives and included files."""
    is_fence = rules_block.fence(lines, first, last, silent)
    if silent or not is_fence:
        return is_fence
    token = lines.tokens[-1]
    is_textless = _OF_SPHINX.match(token.info) or _SNIPPETS.fullmatch(token.content)
    if is_textless or first in lines.env["left_out"]:
        lines.tokens.pop()
    elif token.info.startswith("{"):
        token.content = _OPTIONS.sub("", token.content)
    return True


_CALLOUT: Final = r"\[!(?!NOTE|TIP|IMPORTANT|WARNING|CAUTION|div)([\w-]+)[^\]\n]*\][-+]? *(.*)\n?"
"""`> [!name] Title`, of Obsidian; not an alert of GitHub, which has no title."""


def _quote(lines: StateBlock, first: int, last: int, silent: bool) -> bool:
    above = len(lines.tokens)
    is_quote = rules_block.blockquote(lines, first, last, silent)
    opening, *inner = lines.tokens[above:] or [Token("", "", 0)]
    text = inner[1] if len(inner) > 1 else opening
    if match := re.match(_CALLOUT, text.content):
        opening.type = inner[-1].type = "html_block"
        opening.content = f'<div class="admonition {match[1]}"><p class="admonition-title">'
        inner[-1].content = "</div>\n"
        text.content, text.map = text.content[match.end() :], [first + 1, first + 2]
        title = Token("inline", "", 0, content=match[2], map=[first, first + 1])
        lines.tokens[above + 1 : above + 1] = title, Token("html_block", "", 0, content="</p>")
    return is_quote


_MARKDOWN: Final = re.compile(r"<[a-z][^<>]*\smarkdown[\s=>]")
_TEXT_START: Final = re.compile(
    r"<(?:p|li|t[dh]|d[dt]|summary|caption|figcaption|h[1-6]|div|center|blockquote|section)"
    r"(?=[\s>])[^<>]*>\s*|(?=<pre\b)"
)


def _html_block(lines: StateBlock, first: int, last: int, silent: bool) -> bool:
    """Read HTML; that of an element with `markdown` is text."""
    text = _text(lines, first)
    kind = next((kind for kind in HTML_SEQUENCES if kind[0].search(text)), None)
    if kind is None or silent:
        return kind is not None and kind[2]
    rows = () if kind in HTML_SEQUENCES[:-2] else lines.env["rows"]
    end = first + 1
    is_open = not (kind[1].search(text) or _MARKDOWN.match(text))
    while is_open and end < last and (lines.isEmpty(end) or lines.sCount[end] >= lines.blkIndent):
        is_open = end not in rows and not kind[1].search(_text(lines, end))
        end += end not in rows
    html = lines.getLines(first, end, lines.blkIndent, True).splitlines(keepends=True)
    lines.push("html_block", "", 0).content = "".join(
        _TEXT_START.sub(rf'\g<0><wbr data-line="{line}">', text)
        for line, text in enumerate(html, first + 1)
    )
    lines.line = end
    return True


_DEFINITION: Final = 3
"""The most lines of a label, a target and a title."""


def _reference(lines: StateBlock, first: int, last: int, silent: bool) -> bool:
    """Read a link definition within few lines, for linear time."""
    outer, lines.lineMax = lines.lineMax, min(lines.lineMax, first + _DEFINITION)
    is_reference = not silent and rules_block.reference(lines, first, last, silent)
    lines.lineMax = outer
    return is_reference


_RULES: Final[dict[str, tuple[Callable[[Any, int, int, bool], bool], ...]]] = {
    **dict.fromkeys("`~", (_fence,)),
    **dict.fromkeys("!?=", (_box,)),
    **dict.fromkeys("-*", (rules_block.hr, _textless, rules_block.list_block)),
    **dict.fromkeys("+0123456789", (_textless, rules_block.list_block)),
    **dict.fromkeys("{(%", (_textless,)),
    "[": (_textless, footnote_def, _reference),
    "<": (_textless, _html_block),
    ">": (_quote,),
    "#": (rules_block.heading,),
    "_": (rules_block.hr,),
}
"""The rules for blocks, by first character."""

# Text. markdown-it calls no rule silently, since `_label_end` finds labels without that.

_MOST_SIGNS, _LONGEST_TEXT = 2000, 100_000
"""A longer text, or more signs, would take quadratic time."""
_UNNAMED: Final = re.compile(
    r"(?<!`)(`+)(?!`)(?s:.{1,900}?)(?<!`)\1(?!`)|\[\](?=\(((?:[^()\s:#]+\.md|#[\w-])[^()\s:]*)\))"
)
"""Code, or a link that MyST fills with the title of its target."""
_SHEBANG: Final = re.compile(r"`(?<!``)(?:#!|:::)[\w#+.-]+ (?=[^`])")
"""The language of code in a text."""
_HEADING_LIST: Final = re.compile(rf" *\{{:? ?({_LIST})\}}$")
_ID: Final = re.compile(r"#([\w:.-]+)|\bid=[\"']?([^\"'\s{}]+)")
_DISPLAY: Final = re.compile(
    r"\$\$((?:(?!\$\$).)+)\$\$(?: ?(?:\([\w:.-]+\)|\{[#\w:. -]+\}))?"
    r"|(\\\[(?=.{0,99}[=^_{\n]).+\\\]|\\begin\{\w+\*?\}.+\\end\{\w+\*?\})",
    re.DOTALL,
)
"""A formula that is a paragraph of its own, with its label in MyST or Quarto."""


def _read_texts(state: StateCore) -> None:
    anchors: Counter[str] = Counter()
    above = outer = Token("", "", 0)
    for number, token in enumerate(state.tokens):
        if token.type == "inline":
            content, anchor, noted = token.content, "", _line(token)
            is_heading = above.type == "heading_open"
            state.env["is_title"] = is_heading or above.type == "dt_open"
            if is_heading and content[-1:] == "}" and (match := _HEADING_LIST.search(content)):
                content = content[: match.start()]
                anchor = first_group(_ID.search(match[1]))
            if outer.type == "list_item_open" and content[:4] in {"[ ] ", "[x] ", "[X] "}:
                noted += f'<input type="checkbox"{" checked" * (content[1] != " ")}>'
                content = content[4:]
            formula = content[:1] in {"$", "\\"} and _DISPLAY.fullmatch(content)
            if formula and above.type == "paragraph_open":
                after = state.tokens[number + 1]
                above.type = after.type = "html_block"
                above.content = f'{noted}<div class="arithmatex">'
                after.content = "</div>\n"
                content = rf"\[{formula[1]}\]" if formula[1] else content
                token.children = [Token("text", "", 0, content=content)]
            else:
                token.children = _children(content, state)
                if is_heading:
                    if not anchor:  # made from the text, numbered like `toc`
                        name = anchor = slugify(_text_of(token.children), "-")
                        while not anchor or anchor in anchors:
                            anchors[name] += 1
                            anchor = f"{name}_{anchors[name]}"
                    above.attrs["id"] = anchor
                    anchors[anchor] += 0
                elif above.tag not in {"th", "td"}:
                    token.info = noted
        outer, above = above, token


def _children(content: str, state: StateCore) -> list[Token]:
    if not state.env["is_title"]:
        content = _UNNAMED.sub(lambda m: m[0] if m[1] else f"[{_title_at(m[2], state)}]", content)
    content = _SHEBANG.sub("`", content)
    signs = content.count("*") + content.count("_")
    has_markup = len(content) < _LONGEST_TEXT and _MARKUP.search(content)
    if has_markup and signs < _MOST_SIGNS:
        return state.md.inline.parse(content, state.md, state.env, [])
    return [Token("text", "", 0, content=content)]


def _text_of(tokens: Sequence[Token]) -> str:
    kinds = {"text", "text_special", "code_inline", "softbreak"}
    shown = (token for token in tokens if token.type in kinds)
    return "".join(" " if token.type == "softbreak" else token.content for token in shown)


_LABEL: Final = re.compile(r"\[(?:\\.|[^\\\[\]]|" * 3 + r"\[\]" + r")*\]" * 3, re.DOTALL)


def _label_end(state: StateInline, start: int, disableNested: bool = False) -> int:
    label = _LABEL.match(state.src, start, min(state.posMax, start + _LONGEST))
    return label.end() - 1 if label else -1


_TARGET: Final = re.compile(
    r"(?:`[^`\n]{1,300}`|\{\{[^\n]{0,300}?\}\}|\{%[^\n]{0,300}?%\}|(?=[^\s()<\\&]+[ \n)]))"
    r"([^()\s]*)"
)
"""A link's target that is code, starts with a tag, or is plain."""


def _destination(text: str, start: int, maximum: int) -> Any:  # a class of markdown-it
    """Return a link's target without the tag at its start."""
    if match := _TARGET.match(text, start, maximum):
        return SimpleNamespace(ok=True, str=match[1], pos=match.end(), lines=0)
    return parseLinkDestination(text, start, maximum)


_Rule: TypeAlias = "Callable[[Any, bool], bool]"


def _span(pattern: str, shown: str | Callable[[StateInline, re.Match[str]], str | None]) -> _Rule:
    """Return a rule: `shown` is an element around a match, or its HTML."""
    span = re.compile(pattern, re.DOTALL | re.MULTILINE)

    def rule(state: StateInline, silent: bool) -> bool:
        match = span.match(state.src, state.pos, min(state.posMax, state.pos + _LONGEST))
        if match is None:
            return False
        if isinstance(shown, str):
            end = state.posMax
            state.push(f"{shown}_open", shown, 1)
            state.pos, state.posMax = match.span(match.lastindex or 0)
            state.md.inline.tokenize(state)
            state.push(f"{shown}_close", shown, -1)
            state.posMax = end
        elif (html := shown(state, match)) is None:
            return False
        else:
            state.push("html_inline", "", 0).content = html
        state.pos = match.end()
        return True

    return rule


def _title_at(target: str, state: StateCore | StateInline) -> str:
    """Return the title of a heading of the page, or a name."""
    name = re.split(r"[/#]", re.sub(r"(?:/index)?(?:\.md)?$", "", target))[-1]
    return str(state.env["labels"].get(name) or re.sub(r"[-_]+", " ", name))


_LOGIC: Final = frozenset({"if", "unless", "for", "case", "ifversion"})
"""Tags that decide about the text between them."""
_STRING: Final = re.compile(r"\{\s*([\"'`])([^\"'`\\$]*)\1\s*\}$")


def _tag(state: StateInline, match: re.Match[str]) -> str | None:
    """Return a tag's text: a value stays; a pair is markup."""
    text = match[0]
    if match["expression"]:
        string = _STRING.match(text)
        return (escape(string[2]) if string else "{{}}") if state.env["is_mdx"] else None
    if match["pair"] and text[0] == "{":
        name = _Tag.of(match, 0).name
        is_markup = name in state.env["closed"] - _LOGIC and not name.startswith(_CODE)
        shown = re.search(r"\{\{[<%].*\stext=\"([^\"<{]+)\"", text) or ("", text)
        return "" if is_markup or state.env["is_title"] else escape(shown[1])
    return escape(text) if match["value"] else ""


def _raw(_state: StateInline, raw: re.Match[str]) -> str | None:
    """Return what no template engine reads; code stays code."""
    html = _CODE_SPAN.sub(lambda span: f"<code>{span[0].strip('` ')}</code>", escape(raw[1]))
    return html if "{" in raw[1] else None


def _emoji(_state: StateInline, sign: re.Match[str]) -> str | None:
    from pymdownx.twemoji_db import aliases, emoji  # type: ignore[import-untyped]

    code = emoji.get(aliases.get(sign[0], sign[0]), {}).get("unicode", "")
    if not code and sign[0].startswith((":material-", ":octicons-", ":fontawesome-", ":simple-")):
        return '<span class="twemoji"><svg></svg></span>'
    return "".join(chr(int(part, 16)) for part in code.split("-")) if code else None


_TITLED: Final = frozenset({"ref", "doc", "any"})
"""Roles of MyST that Sphinx fills with the title of their target."""
_REFERENCES: Final = _TITLED | {"numref", "eq", "cite", "download"}
"""These, and roles that it fills with an unknown value."""
_NUMBERED: Final = {"pep": "PEP ", "rfc": "RFC "}
_PLAIN: Final = {*_REFERENCES, *_NUMBERED, "abbr", "term", "guilabel", "menuselection"}


def _role(state: StateInline, role: re.Match[str]) -> str:
    """Return the text of a role of MyST."""
    name, (text, _, target) = role[1].rpartition(":")[2], role[3].strip().partition("<")
    if name == "math" or (name in _REFERENCES and not (text and target)):
        return escape(_title_at(text or target[:-1], state) if name in _TITLED else "{{}}")
    text = re.sub(r"^(?:~(?:.*\.)?)?", _NUMBERED.get(name, ""), escape(text.strip(), quote=False))
    element = name if name in {"sub", "sup", "kbd"} else "code"
    return text if name in _PLAIN else f"<{element}>{text}</{element}>"


_BADGE: Final = r"<span [^<>]*\bbadge\b[^<>]*>[^<>]{1,80}</span>(?=[\w<])"
"""A text that its style sets apart from the next word."""


def _html(_state: StateInline, tag: re.Match[str]) -> str:
    """Return an HTML tag without the generator's attributes."""
    return re.sub(rf"\s[\w:-]+=(?:\"[^\"]*\{{[^\"]*\"|{_BRACES})", "", tag[0])


_BETWEEN: Final = r"{0}(?=\S)(.{{1,900}}?)(?<=\S){0}"
_OBJECT: Final = r"(?:`[^`\n]+`|[^\W\d]\w*(?:[.:/][^\W\d]\w*)+(?:\(\))?)"
_REFERENCE: Final = (
    rf"(?<![^\W_])\[({_OBJECT}|[^\[\]]+(?=\]\[(?:{_OBJECT}|\w*[-_ ]\w[\w -]*)?\]))\]\[[^\[\]\n]*\]"
    r"|(?<![^\W_])\[(?=([^\W\d]{2}[^\[\]]*?)s?\]\[(?i:\2)\])([^\[\]]+)\]\[[^\[\]]+\]"
    rf"|\[((?:[^\[\]]|\[[^\[\]\n]*\])*)\]\{{:? ?{_LIST}\}}"
)
"""A reference that a build would resolve; or a text with attributes."""
_HTML: Final = rf"<(?:!--.*?-->|[?!][^<>]*>|/?[A-Za-z][\w-]*(?=[\s/>]){_ATTRIBUTES})"


def _formula(_state: StateInline, formula: re.Match[str]) -> str:
    return f'<span class="arithmatex">\\({escape(formula[1], quote=False)}\\)</span>'


_TEXT_RULES: Final[dict[str, tuple[_Rule, ...]]] = {
    "\n": (rules_inline.newline,),
    "\\": (_span(r"\\{1,2}\((.{1,400}?)\\{1,2}\)", _formula), rules_inline.escape),
    "`": (rules_inline.backtick,),
    **dict.fromkeys("*_", (rules_inline.emphasis.tokenize,)),
    "~": (_span(_BETWEEN.format("~~"), "del"), _span(r"~([^\s~]{1,99})~(?!~)", "sub")),
    "^": (_span(_BETWEEN.format(r"\^\^"), "ins"), _span(r"\^([^\s^]{1,99})\^(?!\^)", "sup")),
    "=": (_span(_BETWEEN.format("(?<![!<>=])==(?!=)"), "mark"),),
    "$": (
        _span(_BETWEEN.format(r"\$\$"), _formula),
        _span(r"\$(?!\s)((?:\\.|[^\\$]){1,400}?)(?<!\s)\$", _formula),
    ),
    "+": (
        _span(
            r"\+\+([\w-]+(?:\+[\w-]+){0,9})\+\+",
            lambda _state, keys: f"<kbd>{keys[1].title()}</kbd>",
        ),
    ),
    ":": (
        _span(r":([\w+-]{1,50}):", _emoji),
        _span(r"(?<![^\s(*_]):[a-z][\w-]*\[([^\[\]\n]*)\](?:\{[^{}\n]*\})?", "span"),
    ),
    "[": (rules_inline.link, footnote_ref, _span(_REFERENCE, "span")),
    "!": (rules_inline.image,),
    "<": (
        _span(_TAG.pattern, _tag),
        _span(_BADGE, lambda _state, badge: f"{badge[0]} "),
        _span(_HTML, _html),
        rules_inline.autolink,
    ),
    "{": (
        _span(r"\{%-? *raw *-?%\}(.+?)\{%-? *endraw *-?%\}", _raw),
        _span(_TAG.pattern, _tag),
        _span(
            rf"(?<=[\n)*_`>:~=^])\{{(?::[^{{}}\n]*| ?{_LIST})\}}|(?<!\A)\{{:[^{{}}\n]*\}}",
            lambda _state, _list: "",
        ),
        _span(r"\{([a-z][\w:+.-]*)\}(`+)(?!`)([^\n]{1,400}?)(?<!`)\2(?!`)", _role),
    ),
    "&": (rules_inline.entity,),
}
"""The rules for text, by first character."""
_MARKUP: Final = re.compile("[" + re.escape("".join(_TEXT_RULES)) + "]")


def _read_text(state: StateInline) -> None:
    src, end = state.src, state.posMax
    is_deep = state.level >= 2 * _DEEPEST
    while state.pos < end:
        sign = _MARKUP.search(src, state.pos, end)
        stop = sign.start() if sign else end
        state.pending += src[state.pos : stop]
        state.pos = stop
        for rule in _TEXT_RULES[sign[0]] if sign and not is_deep else ():
            if rule(state, False):
                break
        else:
            state.pending += src[stop : min(stop + 1, end)]
            state.pos += 1
    if state.pending:
        state.pushPending()
