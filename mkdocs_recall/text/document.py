"""The making of a Document: from the runs of text of one page, in one language; and its packing.

Each block splits its text into sentences and words on first use; packed, a Document has none. A
sentence with unrendered markup is not quotable, nor is a version badge.

Version badges are short texts that only say since, or until, which version something exists. A
paragraph is a badge, in any language, if it has at most six words, one of them a version number,
and is no sentence: nothing ends it, and no comma or colon divides it into parts without a number.
`1.2` may be a quantity, and `v2` part of a name, so they count only as the last of at most five
words, or before a dot or a bar; `1.2.3`, `v1.2` and `1.2+` count anywhere.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache, partial
from itertools import chain, count, repeat
from typing import TYPE_CHECKING, Final, NamedTuple

from msgspec import Raw, convert
from msgspec.structs import astuple

from mkdocs_recall.store import MISSHAPEN, pack_json, unpack_json
from mkdocs_recall.text.front_matter import NO_METADATA, PageMetadata, is_quality, parse_moment
from mkdocs_recall.text.language import Language, get_language, likely_language
from mkdocs_recall.text.model import (
    CODE_ROLES,
    LABELS,
    LONGEST,
    Block,
    Document,
    Heading,
    Item,
    Kind,
    Mark,
    Publisher,
    Role,
    Sentence,
)
from mkdocs_recall.text.sentences import plain_words, sentence_spans

if TYPE_CHECKING:
    from mkdocs_recall.text.runs import HtmlContent


_MOST_WORDS: Final = 6
_LONGEST: Final = 80
"""The most characters of a badge."""
_VERSION: Final = re.compile(
    r"(?<![\w./])(?:v\d+(?:\.\d+)+|\d+(?:\.\d+){2,}|\d+\.\d+(?=\+|-[a-z])|\d+(?:\.\d+)*\.x\b|"
    r"v?\d+\+)(?:[.+-][\w+]*)*(?![\w/])",
    re.IGNORECASE,
)
"""A text that can only be a version."""
_DECIMAL: Final = re.compile(r"(?:[^:=]*\s)?(?:\d+\.|v)\d+(?:$|\s*[·•|])")
"""A number that may be a version, as the last of some words or before a separator."""
_MOST_AROUND: Final = 5
"""The most words of a text with such a number."""
_DIGIT: Final = re.compile(r"\d")
_END: Final = re.compile(r"[.,!?;:。！？；：…]\W*$")
_PART_END: Final = re.compile(r"[,;]\s|[.!?]\s")


def is_version_badge(text: str, code: Sequence[tuple[int, int]] = ()) -> bool:
    """Tell whether a paragraph is nothing but a version badge."""
    if len(text) > _LONGEST or not _DIGIT.search(text):
        return False
    if code and any(_DIGIT.search(text, start, end) for start, end in code):
        return False
    text = text.strip()
    if text.startswith(("(", "[")) and text.rstrip(".").endswith((")", "]")):
        text = text.rstrip(".")[1:-1]
    words = text.split()
    if len(words) > _MOST_WORDS or _END.search(text):
        return False
    return all(
        _VERSION.search(part) or (len(part.split()) <= _MOST_AROUND and _DECIMAL.match(part))
        for part in _PART_END.split(text)
    )


_SINGLE_SENTENCE = frozenset({"table"}) | LABELS
"""Kinds of block that are one sentence each, as code blocks are, too."""
_BADGES = frozenset({"prose", "admonition"})
"""Kinds of block that may be nothing but a version badge; an item of a list is a fact."""
_SAMPLE = 8000
"""How many characters of a page are read to detect its language."""
_CODE_SIZE = 8000
"""How many characters of a code block are searched for words."""
_CODE_LINES = 30
"""Longer code is not one sentence, but each of its paragraphs is."""
_PARAGRAPH = rf"(?m)(?:^.*\S.*\n?){{1,{_CODE_LINES}}}"

_HTML_TAGS = (
    "a|abbr|article|aside|audio|b|blockquote|br|button|center|code|dd|details|div|dl|dt|em|"
    "figcaption|figure|font|footer|form|h[1-6]|head|header|hr|i|iframe|img|input|kbd|label|li|link|"
    "main|meta|nav|ol|p|picture|pre|script|section|small|source|span|strong|style|sub|summary|sup|"
    "svg|table|tbody|td|th|thead|tr|u|ul|video"
)
_MARKUP = re.compile(
    r"\{[{%#*:!]|:::|%\}|\*\}|\}\}|\{ ?[.#][\w-]|\{ *[\w-]+=[\"'\w]"  # templates, attribute lists
    r"|\]\(|\]\[|\[\^|\[\[|\[!\w|\*\*|~~\w|==\w|\+\+\w[\w+-]*\+\+|--8<--|`"
    rf"|<!--|</?(?:{_HTML_TAGS})(?:\s[^<>]*)?/?>|<<<|>>>"
    r"|:(?<![\w:]:)[a-z][a-z0-9_+-]*:(?![\w:])"  # emoji
    r"|\\[@\"'*_#\[\]<>]|\$[^$\s^_{\\]*[\^_{\\][^$]*\$"  # escapes, formulas
    r"|\ufffc|: [-*+] \S"  # a lost character; a list that runs on in a paragraph
)
"""Markup anywhere in a text. Each alternative starts with a literal character, so that `re` skips
to the next candidate at once."""
_MAPPING = re.compile(r"(?:^|(?<=\s))(?:[a-z_][\w.-]*: ){2}")
"""A mapping whose lines were joined into a paragraph; unlike labels, its keys are lower case."""
_BLOCK_OPENING = re.compile(r"!!!|\?\?\?|===|///|:::|\||#{1,6} |>|[-*+•] (?=\S)|\[[^\]]*\]:")
_BLOCK_OPENING_SIGNS = frozenset("!?=/:|#>-*+•[")
_LONG_CODE = 120
"""Longer inline code, in characters, is a broken fence."""


def analyse(
    content: HtmlContent,
    *,
    uri: str,
    title: str,
    language: str,
    url: str = "",
    metadata: PageMetadata = NO_METADATA,
    lines: Sequence[int | None] = (),
) -> Document:
    """Build a page from its runs of text, which become its blocks and must not be reused.

    Without a stated language, the words tell it. The URL is relative to the site's root. There is a
    line for each run, unless lines are unknown.
    """
    language = language or _language_of(content.runs)
    cut = _splitter(get_language(language).code)
    for number, (run, line) in enumerate(zip(content.runs, lines or repeat(None), strict=False)):
        run.number, run.line, run.cut = number, line, cut
    page = uri, title, language, content.runs, content.headings, url
    return Document(*page, **metadata._asdict(), whole=content.whole)


def _language_of(runs: Sequence[Block]) -> str:
    texts: list[str] = []
    left = _SAMPLE
    for run in runs:
        if run.kind != "code" and left > 0:
            texts.append(run.text[:left])
            left -= len(run.text)
    return likely_language("\n".join(texts))


def in_language(document: Document, language: str) -> Document:
    """Return the same page analysed in another language."""
    cut = _splitter(get_language(language).code)
    blocks = tuple(replace(block, cut=cut) for block in document.blocks)
    return replace(document, language=language, blocks=blocks)


def unrendered_markup(
    text: str, code: Sequence[tuple[int, int]], *, is_row: bool = False
) -> list[int]:
    """Return where unrendered markup is outside of code, ascending."""
    if is_row:
        text = text.replace(": ", ":\n")
    positions = [match.start() for match in _MARKUP.finditer(text)]
    if ":" in text and text.find(": ") < text.rfind(": "):
        keys = {match.end() - 2: match.start() for match in _MAPPING.finditer(text)}
        positions += [keys[end] for end in _outside([*keys], code)]
    if not is_row and text[:1] in _BLOCK_OPENING_SIGNS and _BLOCK_OPENING.match(text):
        positions.append(0)
    if positions:
        positions = list(_outside(positions, code)) if code else sorted(positions)
    if code and (overlong := [start for start, end in code if end - start > _LONG_CODE]):
        positions = sorted(positions + overlong)
    return positions


@cache
def _splitter(code: str) -> Callable[[Block], tuple[Sentence, ...]]:
    """Return the function that splits the blocks of a language."""
    return partial(_split, get_language(code))


def _split(language: Language, block: Block) -> tuple[Sentence, ...]:
    text, number, kind = block.text, block.number, block.kind
    if kind == "figure":
        return (Sentence(text, 0, len(text), number, (), len(text) <= LONGEST),) if text else ()
    if kind == "code":
        parts = []
        for start, end in _code_spans(text) if text else ():
            words = tuple(dict.fromkeys(plain_words(text[start : min(end, _CODE_SIZE)], language)))
            longest = 0 if end - start <= LONGEST else max(map(len, text[start:end].split("\n")))
            parts.append(Sentence(text[start:end], start, end, number, words, longest <= LONGEST))
        return tuple(parts)
    marks = block.marks
    code = [(m.start, m.end) for m in marks if m.role in CODE_ROLES] if marks else []
    if kind in _SINGLE_SENTENCE and text:
        quotable = not unrendered_markup(text, code, is_row=kind == "table")
        quotable = quotable and len(text) <= LONGEST
        return (Sentence(text, 0, len(text), number, plain_words(text, language), quotable),)
    markup = unrendered_markup(text, code)
    is_badge = kind in _BADGES and is_version_badge(text, code)
    sentences = []
    for start, end in sentence_spans(text, language, code):
        part = text[start:end]
        # It is quotable if no markup starts inside it.
        quotable = not markup or bisect_left(markup, start) == bisect_left(markup, end)
        quotable = quotable and not is_badge and end - start <= LONGEST
        words = plain_words(part, language)
        sentences.append(Sentence(part, start, end, number, words, quotable))
    return tuple(sentences)


def _code_spans(text: str) -> Iterator[tuple[int, int]]:
    if text.count("\n") < _CODE_LINES:
        yield 0, len(text)
    else:
        for match in re.finditer(_PARAGRAPH, text):
            yield match.start(), match.start() + len(match[0].rstrip())


def _outside(positions: list[int], spans: Sequence[tuple[int, int]]) -> Iterator[int]:
    """Yield the positions, ascending, that are in none of the spans."""
    covered = 0  # how far spans cover the text
    following = 0  # the number of the next span
    for position in sorted(positions):
        while following < len(spans) and spans[following][0] <= position:
            covered = max(covered, spans[following][1])
            following += 1
        if position >= covered:
            yield position


_DEEPEST: Final = 6
_DEEPEST_ITEM: Final = 16


class _Columns(NamedTuple):
    """The blocks of a packed page: columns are smaller, compressed."""

    texts: Sequence[str] = ()
    kinds: Sequence[Kind] = ()
    tops: Sequence[int] = ()
    sections: Sequence[int] = ()
    marks: Sequence[Sequence[tuple[int, int, Role, str]]] = ()
    """Marks by distance and length, since small numbers compress better."""
    leads: Sequence[int | None] = ()
    lines: Sequence[int | None] = ()
    items: Sequence[Sequence[int]] = ()
    """Three numbers for each item; absent from older packed pages."""


class PackedDocument(NamedTuple):
    """A page in the form of JSON."""

    title: str
    language: str
    url: str
    metadata: PageMetadata
    whole: bool
    publisher: Sequence[str | bool]
    """Empty for a page of this site."""
    headings: Sequence[tuple[str, int, str]]
    columns: _Columns


def pack(document: Document, *, with_lines: bool = True) -> bytes:
    """Return a page as bytes: JSON in UTF-8; empty if that cannot hold it."""
    blocks = document.blocks
    columns = (
        [block.text for block in blocks],
        [block.kind for block in blocks],
        [block.top for block in blocks],
        [block.section for block in blocks],
        [_pack_marks(block.marks) if block.marks else () for block in blocks],
        [block.lead for block in blocks],
        [block.line if with_lines else None for block in blocks],
        [tuple(chain.from_iterable(block.items)) for block in blocks],
    )
    metadata = [getattr(document, name) for name in PageMetadata._fields]
    if not document.asks:
        metadata.pop()  # as in older published files
    page = (document.title, document.language, document.url, metadata, document.whole)
    publisher = astuple(document.publisher) if document.publisher else ()
    headings = [*map(astuple, document.headings)]
    return pack_json((*page, publisher, headings, columns if blocks else ()))


def unpack(uri: str, packed: bytes | Raw) -> Document:
    """Return the page that `pack` turned into these bytes."""
    try:
        page = unpack_json(PackedDocument, packed)
        _check(page)
        fields = dict(zip(Publisher.__struct_fields__, page.publisher, strict=False))
        publisher = convert(fields, Publisher) if fields else None
    except MISSHAPEN as error:
        raise ValueError(f"'{uri}' is packed incorrectly") from error
    headings = tuple(Heading(*heading) for heading in page.headings)
    content = page.title, page.language, tuple(_blocks(page, headings)), headings, page.url
    return Document(uri, *content, **page.metadata._asdict(), whole=page.whole, publisher=publisher)


def _check(page: PackedDocument) -> None:
    metadata = page.metadata
    columns = page.columns
    rows = len(page.columns.texts)
    for date in filter(None, (metadata.created, metadata.valid)):
        parse_moment(date)  # raises ValueError for anything but a date
    if not (
        (metadata.quality is None or is_quality(metadata.quality))
        # Without a bound, n levels would have n headings above the last, and n² in all.
        and all(1 <= level <= _DEEPEST for _, level, _ in page.headings)
        and len(page.publisher) <= len(Publisher.__struct_fields__)
        and {*map(len, columns[:-1]), len(columns.items) or rows} == {rows}
        and all(lead is None or 0 <= lead < n for n, lead in enumerate(columns.leads))
        and all(0 <= section <= len(page.headings) for section in columns.sections)
        and all(len(n) % 3 == 0 and len(n) <= 3 * _DEEPEST_ITEM for n in columns.items)
    ):
        msg = "a quality, level, section, lead or item that no page has, or columns of two lengths"
        raise ValueError(msg)


def _blocks(page: PackedDocument, headings: Sequence[Heading]) -> Iterator[Block]:
    above: list[tuple[Heading, ...]] = [()]  # by section: its headings, outermost first
    for heading in headings:
        above.append((*(h for h in above[-1] if h.level < heading.level), heading))
    texts, kinds, tops, sections, marks, leads, lines, items = page.columns
    return map(
        Block,
        texts,
        kinds,
        tops,
        sections,
        map(above.__getitem__, sections),
        (_unpack_marks(packed) if packed else () for packed in marks),
        lines,
        count(),
        leads,
        ((*map(Item, n[::3], n[1::3], n[2::3]),) if n else () for n in items or repeat(())),
        repeat(_splitter(get_language(page.language).code)),
    )


def _pack_marks(marks: tuple[Mark, ...]) -> list[tuple[int, int, Role, str]]:
    packed = []
    last = 0
    for start, end, role, href in marks:
        packed.append((start - last, end - start, role, href))
        last = start
    return packed


def _unpack_marks(packed: Sequence[tuple[int, int, Role, str]]) -> tuple[Mark, ...]:
    marks, start = [], 0
    for distance, length, role, href in packed:
        start += distance
        marks.append(Mark(start, start + length, role, href))
    return tuple(marks)
