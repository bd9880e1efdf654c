"""The directives in the HTML of a finished page: comments, and code blocks in our language.

A comment has the fence encoded, so that nothing in it ends the comment or is changed. A quote stays
between the comment and its end, so it can be updated. A code block is a directive if its markup
names the language; one that only looks like a directive may be an example, and is reported. All of
this takes time linear in the HTML. For generators that cannot run our plugin, such as Zensical, a
Markdown extension leaves the comments.
"""

from __future__ import annotations

import re
from base64 import b64decode, b64encode
from binascii import Error
from html import unescape
from typing import TYPE_CHECKING, Final, TypeVar

from mkdocs_recall.directives.directive import Directive
from mkdocs_recall.directives.fences import (
    NAMES,
    find_fences,
    may_hold_code_block,
    reads_as_directive,
    replace_fences,
)
from mkdocs_recall.messages import backticks_around
from mkdocs_recall.text.theme import FENCE_END, FENCE_OPENING, starts_with_quote

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from mkdocs_recall.pages.inclusion import InclusionExtension

COMMENT: Final = re.compile(rf"{FENCE_OPENING}([A-Za-z0-9+/]{{4,}}={{0,2}}) -->")


def fence_comment(fence: str) -> str:
    """Return the comment that holds a fence."""
    return f"{FENCE_OPENING}{b64encode(fence.encode('utf-8', 'replace')).decode()} -->"


def directive_comment(directive: Directive) -> str:
    """Return the comment that holds a directive, as a fence of its own."""
    name = "yaml embedm" if directive.embedm else directive.name
    return fence_comment(fence_text(name, directive.body))


def fence_text(name: str, body: str) -> str:
    """Return a fence that its body cannot close."""
    marks = backticks_around(body)
    return f"{marks}{name}\n{body}\n{marks}"


def read_comment(match: re.Match[str]) -> Directive | None:
    """Return the directive in a match of `COMMENT`, if it is one."""
    try:
        text = b64decode(match[1], validate=True).decode()
    except (Error, ValueError):
        return None
    fences = find_fences(text)
    return fences[0] if len(fences) == 1 and fences[0].source == text else None


_PRIORITY: Final = 28
"""After snippets, the plugin and white space; before fences are rendered."""


def markdown_extension(**_settings: object) -> InclusionExtension:
    """Return the Markdown extension, which leaves a comment in the place of each directive.

    Its settings are the site's defaults of a directive's options, which `mkdocs-recall fill` reads
    from the site's configuration.
    """
    from mkdocs_recall.pages.inclusion import InclusionExtension

    return InclusionExtension(_with_comments, name="recall", priority=_PRIORITY)


def _with_comments(text: str, _uri: str) -> str:
    fences = find_fences(text)
    return replace_fences(text, fences, map(directive_comment, fences))


_TAG: Final = re.compile(r"<(div|figure|section|table|pre|code)\b([^<>]*)>")
_ATTRIBUTE: Final = re.compile(
    r"""\s(class|data-lang|data-language)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))"""
)
_PREFIXES: Final = ("language-", "lang-", "highlight-", "code-")
_OPEN_PRE: Final = re.compile(r"<pre\b[^<>]*>\s*\Z")
_CLOSE_PRE: Final = re.compile(r"\s*</pre\s*>")
_PRE: Final = re.compile(r"<pre\b[^<>]*>")
_WRAPPER: Final = re.compile(
    r"<(div|figure|td|tr|tbody|table)\b[^<>]*\b(?:highlight|codehilite|sourceCode|code-block|"
    r"expressive-code|frame)[^<>]*>\s*\Z"
)
_LOOKED_BACK: Final = 400
_LINE_END: Final = re.compile(r"(?:<br\b[^<>]*>)?(?:</div>)+\n?|<br\b[^<>]*>")
_NUMBER: Final = re.compile(
    r"""<(span|div)\b[^<>]*\bclass\s*=\s*["']?(?:linenos?|lnt?|line-number)\b[^<>]*>"""
    r"[\s\d]{0,20}</\1\s*>"
)
_MARKUP: Final = re.compile(r"<[^<>]*>")
_FRAMEWORKS: Final = {
    "__VP_HASH_MAP__": "VitePress",
    "__docusaurus": "Docusaurus",
    "__NEXT_DATA__": "Next.js",
    "__next_f": "Next.js",
    "__nuxt": "Nuxt",
    "___gatsby": "Gatsby",
}
"""Signs of a framework that renders a page again in the browser."""
_FRAMEWORK: Final = re.compile(
    rf"""<(?:div|script)\b[^<>]*\bid=["']?({"|".join(_FRAMEWORKS)})\b"""
    r"|<script\b[^<>]*>\s*(?:window\.(__VP_HASH_MAP__)|\(?self\.(__next_f))\b"
)
_ISLAND: Final = re.compile(r"<astro-island\b.*?(?:</astro-island|\Z)", re.DOTALL)
_HIDING: Final = re.compile("<!--|<(script|style|textarea|title|iframe|xmp)\\b")
_MAIN_KEYS: Final = ("query", "source")

_Found = TypeVar("_Found", Directive, slice)


def find_html_directives(html: str) -> list[Directive]:
    """Return the directives in HTML, in order; a comment without a fence has no name."""
    fences = [*_comments(html), *(_code_blocks(html) if may_hold_code_block(html) else ())]
    directives: list[Directive] = []
    hidden = _hidden(html) if fences else ()
    for directive in _outside(hidden, sorted(fences, key=lambda directive: directive.start)):
        if not directives or directive.start >= directives[-1].end:
            directives.append(directive)
    return directives


def count_lookalikes(html: str, directives: Iterable[Directive]) -> int:
    """Count the code blocks that only look like directives."""
    if "<pre" not in html or not any(key in html for key in _MAIN_KEYS):
        return 0
    spans = ((directive.start, directive.end) for directive in directives)
    excluded = sorted([*_hidden(html), *spans])
    codes = (html[block] for block in _outside(excluded, _pre_blocks(html, 0, len(html))))
    likely = (code for code in codes if any(key in code for key in _MAIN_KEYS))
    return sum(reads_as_directive(_code_text(code)) for code in likely)


def rendering_framework(html: str, directives: Sequence[Directive]) -> str:
    """Return the name of a framework that renders directives of a page again in the browser.

    Its script would remove the quotes, or text of the author. The name is empty for none. Astro
    renders only islands again.
    """
    if match := _FRAMEWORK.search(html):
        return _FRAMEWORKS[next(filter(None, match.groups()))]
    islands = (match.span() for match in _ISLAND.finditer(html))
    return "Astro" if list(_outside(islands, directives)) != list(directives) else ""


def _outside(spans: Iterable[tuple[int, int]], directives: Iterable[_Found]) -> Iterator[_Found]:
    pending = list(spans)[::-1]
    for directive in directives:
        while pending and pending[-1][1] <= directive.start:
            pending.pop()
        if not (pending and pending[-1][0] <= directive.start):
            yield directive


def _hidden(html: str) -> Iterator[tuple[int, int]]:
    end = 0
    while opening := _HIDING.search(html, end):
        closing = f"</{opening[1]}" if opening[1] else "-->"
        end = html.find(closing, opening.end())
        if end < 0:
            end = len(html)
        if not COMMENT.match(html, opening.start()):
            yield opening.start(), end


def _comments(html: str) -> Iterator[Directive]:
    matches = list(COMMENT.finditer(html))
    end = -1
    limits = [*(match.start() for match in matches[1:]), len(html)]
    for match, limit in zip(matches, limits, strict=False):  # without matches, there is one limit
        if end <= match.end():
            end = html.find(FENCE_END, match.end())
        if end < 0:
            end = len(html)  # none follows either
        directive = read_comment(match) or Directive("")
        directive.is_comment, directive.start = True, match.start()
        directive.prefix = ""  # that of its fence, not of the comment
        directive.is_filled = end < limit and starts_with_quote(html, match.end())
        directive.end = end + len(FENCE_END) if directive.is_filled else match.end()
        yield directive


def _code_blocks(html: str) -> Iterator[Directive]:
    unclosed: set[str] = set()
    after = 0
    for tag in _TAG.finditer(html):
        name = _language(tag) if tag.start() >= after else ""
        if not name or tag[1] in unclosed:
            continue
        end = _end_of(html, tag)
        if end is None:
            unclosed.add(tag[1])
            continue
        start, after = tag.start(), end
        if tag[1] == "code":
            opening = _OPEN_PRE.search(html, max(0, start - _LOOKED_BACK), start)
            closing = _CLOSE_PRE.match(html, end)
            if opening is None or closing is None:
                continue  # in a line of text
            start, end = opening.start(), closing.end()
        blocks = [html[block] for block in _pre_blocks(html, start, end)]
        if not blocks:
            continue
        start, end = _with_wrappers(html, start, end)
        fences = find_fences(fence_text(name, _code_text(blocks[-1])))  # line numbers come first
        if len(fences) == 1:
            fences[0].start, fences[0].end = start, end
            yield fences[0]


def _pre_blocks(html: str, start: int, end: int) -> Iterator[slice]:
    while (opening := _PRE.search(html, start, end)) is not None:
        closing = html.find("</pre", opening.end(), end)
        if closing < 0:
            return
        yield slice(opening.end(), closing)
        start = closing


def _language(tag: re.Match[str]) -> str:
    for kind, *values in _ATTRIBUTE.findall(tag[2]):
        for token in "".join(values).split():
            prefix = next(filter(token.startswith, _PREFIXES), "")
            name = token.removeprefix(prefix) if kind == "class" else token
            is_stated = kind != "class" or prefix or tag[1] in {"pre", "code"}
            if is_stated and name in NAMES:
                return str(name)
    return ""


def _end_of(html: str, tag: re.Match[str]) -> int | None:
    depth = 0
    for match in re.compile(rf"<(/?){tag[1]}\b[^<>]*>").finditer(html, tag.start()):
        depth += -1 if match[1] else 1
        if not depth:
            return match.end()
    return None


def _with_wrappers(html: str, start: int, end: int) -> tuple[int, int]:
    while opening := _WRAPPER.search(html, max(0, start - _LOOKED_BACK), start):
        closing = re.compile(rf"\s*</{opening[1]}\s*>").match(html, end)
        if closing is None:
            break
        start, end = opening.start(), closing.end()
    return start, end


def _code_text(html: str) -> str:
    """Return the text of a code block with a highlighter's marks."""
    return unescape(_MARKUP.sub("", _LINE_END.sub("\n", _NUMBER.sub("", html)))).strip("\n")
