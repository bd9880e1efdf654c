"""The lines of the author's Markdown on which the blocks of a rendered page start.

Text: page and Markdown are reduced to letters and digits, which markup does not change, and
aligned: first keys that occur equally often in both, by their longest chain in reading order, then
the blocks between them, then moved blocks. Code: fences of the Markdown are paired with equal code.
The time is linear; rendering a second time would take ten times as long.
"""

from __future__ import annotations

import html
import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

from mkdocs_recall.text.html import BETWEEN
from mkdocs_recall.text.model import Block, Heading

_EXACT = frozenset({"table", "code"})
"""Kinds of blocks without the line of a heading."""
_HEAD, _KEY = 120, 24
"""The characters read of a text, and letters of a key (20 to 40 work)."""
_LEAST, _REACH = 8, 4096
"""The least length of a key within a line, and how far ahead."""
_CODE_INDENT = 4
"""A fence indented this much more than the opening one is code itself."""
_FENCE = re.compile(r"[ \t>]*(?:(?:[-*+]|\d+[.)])[ \t]+)*(`{3,}(?=[^`]*$)|~{3,}(?=[^~]*$))")

_TITLE = re.compile(
    r"(?:^|[\s{,])(?:title|file[nN]ame|file|name|tab|label)=(?:\"([^\"]*)\"|'([^']*)')"
    r"|(?:^|\s)\[([^\[\]]*)\]"
)
"""`title="x"`, as in MkDocs and Docusaurus, or `[x]`, as in VitePress."""
_NUMBER = re.compile(r"[ \t>]*(\d+)[.)][ \t]")
_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[a-zA-Z]\w{1,31});")
_MARKUP = (
    re.compile(r"!\[[^\[\]\n]*\](?:\([^()\n]*\)|\[[^\[\]\n]*\])"),  # images
    re.compile(r"\]\([^()\n]*(?:\([^()\n]*\)[^()\n]*)?\)"),  # link targets
    re.compile(r"\]\[[^\[\]\n]*\]"),  # link references
    re.compile(r"\[\^[^\[\]\n]*\]"),  # footnotes
    re.compile(r"\[[xX]\] "),  # ticked tasks
    re.compile(r"<(?![\w.+-]+[:@])[a-zA-Z/!][^<>\n]*>"),  # tags, but not <https://…>
    re.compile(r"\{[^{}\n]*\}"),  # attribute lists
    re.compile(r":(?<![\w`]:)[\w+-]+:"),  # emoji; the search is for ":", so look behind it
)
"""Markup that the page does not show. No pattern runs past its possible start: linear."""
_WIDE_SIGNS = re.compile(r"[^\x00-\x7f\w]+")
_SIGNS = {code: None for code in range(128) if not chr(code).isalnum() and chr(code) != "\n"}


class _Source(NamedTuple):
    """The reduced Markdown. Its lines count from 0."""

    text: str
    """All letters, without line ends."""
    offsets: list[int]
    """The start of each line in `text`, then the end of the last line."""
    lines: dict[str, list[int]]
    """The lines that start with each key, for headings after `#`."""


def block_lines(
    markdown: str, blocks: Sequence[Block], headings: Sequence[Heading], offset: int = 0
) -> list[int | None]:
    """Return a line of the file, from 1, for each block: its own, or for code that of its fence.

    For unaligned labels and text, it is the line of the nearest heading above, or None.
    """
    raw = markdown.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    fenced = fence_spans(raw)
    prose = list(raw)
    for fence in fenced:
        prose[fence.start : fence.stop] = [""] * len(fence)
        if title := fence_title(raw[fence.start]):
            prose[fence.start] = f'"{title}"'
    codes = [block.text for block in blocks if block.kind == "code"]
    texts = [block for block in blocks if block.kind != "code"]
    text_lines, above = _text_lines(texts, headings, _read(prose))
    of_codes, of_texts = iter(code_lines(codes, raw, fenced)), iter(text_lines)
    lines = [next(of_codes if block.kind == "code" else of_texts) for block in blocks]
    for number, block in enumerate(blocks):
        if lines[number] is None and block.kind not in _EXACT:
            lines[number] = above[block.section]
    return [None if line is None else line + offset + 1 for line in lines]


def _text(block: Block) -> str:
    """Return the text of a block to align, without headers."""
    text = block.text
    if block.kind == "table":
        text = " ".join(cell.partition(": ")[2] or cell for cell in text.split(BETWEEN))
    return text[:_HEAD].replace("\n", " ")


def _text_lines(
    blocks: Sequence[Block], headings: Sequence[Heading], source: _Source
) -> tuple[list[int | None], list[int | None]]:
    """Return the lines of the blocks, and of the sections' headings."""
    count = len(headings)
    texts = [*(h.text[:_HEAD].replace("\n", " ") for h in headings), *map(_text, blocks)]
    letters = _letters(texts)
    keys = list(map(_key, letters, texts))
    # If a block's key is not in the Markdown, its next letters are a second one; for a heading, the
    # key without `#`.
    starts = [("#" + key, key) for key in keys[:count]]
    seconds = (text[_KEY : 2 * _KEY] for text in letters[count:])
    starts += zip(keys[count:], seconds, strict=False)  # the letters of a text are one line
    places = [*range(0, 2 * count, 2), *(2 * block.section - 1 for block in blocks)]
    order = sorted(range(len(starts)), key=places.__getitem__)
    lines = dict(zip(order, _align([starts[n] for n in order], source), strict=True))
    above: list[int | None] = [None]
    for number in range(count):
        above.append(above[-1] if lines[number] is None else lines[number])
    return [lines[number] for number in range(count, len(starts))], above


def _read(raw: list[str]) -> _Source:
    letters = _letters(raw)
    text = "".join(letters)
    offsets = list(accumulate(map(len, letters), initial=0))
    signs = [line.lstrip(" \t>")[:1] for line in raw]
    lines: dict[str, list[int]] = {}
    end = len(text)
    for number in range(len(raw) - 1, -1, -1):
        sign, line = signs[number], letters[number]
        if not sign:
            end = offsets[number]
        if not line or (number and sign.isalpha() and signs[number - 1].isalpha()):
            continue  # an empty line, or a paragraph that goes on
        key = _key(line, raw[number])
        if sign == "#":
            key = "#" + key
        elif len(key) < _KEY:
            start = offsets[number + 1] - len(key)
            wrapped = text[start : min(start + _KEY, end)]
            if wrapped != key:
                lines.setdefault(wrapped, []).append(number)
        lines.setdefault(key, []).append(number)
    for numbers in lines.values():
        numbers.reverse()
    return _Source(text, offsets, lines)


def _letters(lines: list[str]) -> list[str]:
    """Reduce lines to letters and digits, in lower case."""
    text = "\n".join(lines)
    if "&" in text:
        text = _ENTITY.sub(lambda m: html.unescape(m[0]).replace("\n", " "), text)
    for pattern in _MARKUP:
        text = pattern.sub("", text)
    text = text.lower()
    if not text.isascii():
        text = _WIDE_SIGNS.sub("", text)
    return text.translate(_SIGNS).split("\n")


def _key(letters: str, text: str) -> str:
    """Return a text's key, without a list's number."""
    if letters[:1].isdecimal() and (number := _NUMBER.match(text)):
        letters = letters[len(number[1]) :] or letters
    return letters[:_KEY]


def _align(starts: Sequence[tuple[str, str]], source: _Source) -> list[int | None]:
    """Find the line of each start, in order, by its two keys."""
    anchors = _anchors([key for key, _ in starts], source.lines)
    chain = _longest_chain(anchors)
    lines = [chain.get(number) for number in range(len(starts))]
    ends = iter([*chain.values(), len(source.offsets) - 1])
    last, before = -1, next(ends)
    for number, (key, second_key) in enumerate(starts):
        line = lines[number]
        if line is not None:
            before = next(ends)
        else:
            line = _between(key, source, after=last, before=before)
            if line is None and number in anchors:
                lines[number] = anchors[number]  # moved, as a footnote is
                continue
            if line is None:
                line = _between(second_key, source, after=last, before=before)
        if line is not None:
            lines[number] = last = line
    return lines


def _anchors(keys: Sequence[str], lines: dict[str, list[int]]) -> dict[int, int]:
    """Pair the keys that occur equally often in both texts."""
    numbers: dict[str, list[int]] = {}
    for number, key in enumerate(keys):
        if key in lines:
            numbers.setdefault(key, []).append(number)
    pairs: dict[int, int] = {}
    for key, group in numbers.items():
        if len(group) == len(lines[key]):
            pairs.update(zip(group, lines[key], strict=True))
    return dict(sorted(pairs.items()))


def _longest_chain(lines: dict[int, int]) -> dict[int, int]:
    """Return the most pairs with rising lines (patience sorting)."""
    tails: list[int] = []
    heads: list[int] = []
    before: dict[int, int] = {}
    for number, line in lines.items():
        place = bisect_left(tails, line)
        tails[place : place + 1] = [line]
        heads[place : place + 1] = [number]
        if place:
            before[number] = heads[place - 1]
    chain: dict[int, int] = {}
    last = heads[-1] if heads else None
    while last is not None:
        chain[last] = lines[last]
        last = before.get(last)
    return dict(reversed(chain.items()))


def _between(key: str, source: _Source, *, after: int, before: int) -> int | None:
    """Find a key between two lines: at a line's start, or within."""
    candidates = source.lines.get(key, [])
    place = bisect_right(candidates, after)
    if place < len(candidates) and candidates[place] < before:
        return candidates[place]
    start = source.offsets[max(after, 0)]
    end = min(source.offsets[before], start + _REACH)
    position = source.text.find(key, start, end) if len(key) >= _LEAST else -1
    return None if position < 0 else bisect_right(source.offsets, position) - 1


def fence_spans(lines: list[str]) -> list[range]:
    """Return the lines of fenced code, fences included."""
    spans: list[range] = []
    first, column, fence = 0, 0, ""
    for number, line in enumerate(lines):
        if fence:
            indent = line.find(fence)
            if 0 <= indent < column + _CODE_INDENT and line.strip(" \t>") == fence:
                spans.append(range(first, number + 1))
                fence = ""
        elif ("```" in line or "~~~" in line) and (match := _FENCE.match(line)):
            first, column, fence = number, match.start(1), match[1]
    return spans


def fence_title(info: str) -> str:
    """Return the title in the first line of a fence, or ""."""
    return first_group(_TITLE.search(info))


def first_group(match: re.Match[str] | None) -> str:
    """Return the first non-empty group of a match, or ""."""
    return next((group.strip() for group in match.groups() if group), "") if match else ""


def code_lines(codes: Sequence[str], lines: list[str], fenced: Sequence[range]) -> list[int | None]:
    """Find the fences of code blocks, if they are as many."""
    places: dict[str, list[int]] = {}
    for fence in fenced if codes else ():
        closed = not lines[fence.stop - 1].strip(" \t>`~")
        code = _bare(lines[fence.start + 1 : fence.stop - closed])
        places.setdefault(code, []).append(fence.start)
    bare = [_bare(code.split("\n")) for code in codes]
    counts = Counter(bare)
    fences = {code: iter(at) for code, at in places.items() if len(at) == counts[code]}
    return [next(fences[code]) if code in fences else None for code in bare]


def _bare(lines: list[str]) -> str:
    return "\n".join(filter(None, (line.strip(" \t>") for line in lines)))
