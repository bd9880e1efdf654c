"""Fenced code in Markdown of any flavour: where each fence starts and ends, its code and its title.

Fences start and end as in CommonMark, and also in the containers of Python-Markdown, which indent
by four: admonitions, tabs, definitions, footnotes. Any info string opens a fence. Where a site has
settings of its own, they decide instead (see `site`).
"""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING, Final, NamedTuple

from markdown.extensions import Extension
from markdown.preprocessors import Preprocessor

from mkdocs_recall.directives.containers import HiddenRanges, may_hide
from mkdocs_recall.readers.nesting import TAB, Nesting, indent_of

if TYPE_CHECKING:
    from markdown import Markdown

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
