"""Runs of text → a Document: each cut into sentences, and these into words, in one language."""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import replace
from functools import cache, partial
from itertools import repeat
from typing import TYPE_CHECKING

from mkdocs_recall.text.front_matter import NO_METADATA, PageMetadata
from mkdocs_recall.text.language import get_language
from mkdocs_recall.text.model import Block, Document, Sentence
from mkdocs_recall.text.sentences import sentence_spans
from mkdocs_recall.text.terms import plain_words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from mkdocs_recall.text.html.runs import HtmlContent
    from mkdocs_recall.text.language import Language

_WHOLE = frozenset({"table", "label"})
"""Kinds of which each block is one sentence, as code is."""
_READ_OF_CODE = 2000
"""Characters of a code block that are read for its words."""


def analyse(
    reading: HtmlContent,
    *,
    uri: str,
    title: str,
    language: str,
    url: str = "",
    stated: PageMetadata = NO_METADATA,
    lines: Sequence[int | None] = (),
) -> Document:
    """Make a page of its runs of text, which are cut into sentences and words on first use.

    Args:
        reading: The runs and headings of the page.
        uri: The page's path from the documentation's root.
        title: The page's title.
        language: The language's code; an unknown one means no stems and no stop words.
        url: Where the page is served, relative to the site's root.
        stated: What its front matter says of it.
        lines: The line on which each run starts, one for each, where that is known.

    Returns:
        The page, ready to be asked.
    """
    cut = _cutter(get_language(language).code)
    blocks = []
    for number, (run, line) in enumerate(zip(reading.runs, lines or repeat(None), strict=False)):
        text, kind, top, section, headings, marks, lead, read = run
        block = Block(text, kind, top, section, headings, marks, line, number, lead, cut)
        if read is not None:
            block.defer(read)
        blocks.append(block)
    return Document(
        uri,
        title,
        language,
        tuple(blocks),
        reading.headings,
        url,
        **stated._asdict(),
        whole=reading.whole,
    )


def in_language(document: Document, language: str) -> Document:
    """Return the same page with its sentences and words made in another language."""
    cut = _cutter(get_language(language).code)
    blocks = tuple(replace(block, cut=cut) for block in document.blocks)
    return replace(document, language=language, blocks=blocks)


@cache
def _cutter(code: str) -> Callable[[Block], tuple[Sentence, ...]]:
    """Return what finds the sentences of a block in a language: the same for all its blocks."""
    return partial(_sentences, get_language(code))


def _sentences(language: Language, block: Block) -> tuple[Sentence, ...]:
    text, number, kind = block.text, block.number, block.kind
    if kind == "code":
        words = tuple(dict.fromkeys(plain_words(text[:_READ_OF_CODE], language)))
        return (Sentence(text, 0, len(text), number, words),) if text else ()
    code = [(m.start, m.end) for m in block.marks if m.role == "code"] if block.marks else []
    if kind in _WHOLE and text:
        quotable = not unrendered_markup(text, code, is_row=kind == "table")
        return (Sentence(text, 0, len(text), number, plain_words(text, language), quotable),)
    faults = unrendered_markup(text, code)
    sentences = []
    for start, end in sentence_spans(text, language, code):
        part = text[start:end]
        quotable = not faults or bisect_left(faults, start) == bisect_left(faults, end)
        words = plain_words(part, language)
        sentences.append(Sentence(part, start, end, number, words, quotable))
    return tuple(sentences)


_HTML_TAGS = (
    "a|abbr|article|aside|audio|b|blockquote|br|button|center|code|dd|details|div|dl|dt|em|"
    "figcaption|figure|font|footer|form|h[1-6]|head|header|hr|i|iframe|img|input|kbd|label|li|link|"
    "main|meta|nav|ol|p|picture|pre|script|section|small|source|span|strong|style|sub|summary|sup|"
    "svg|table|tbody|td|th|thead|tr|u|ul|video"
)
_MARKUP = re.compile(
    r"\{[{%#*:!]|%\}|\*\}|\}\}|\{ ?[.#][\w-]|\{ *[\w-]+=[\"'\w]"  # templates, attribute lists
    r"|\]\(|\]\[|\[\^|\[\[|\[!\w|\*\*|~~\w|==\w|\+\+\w[\w+-]*\+\+|--8<--|`"
    rf"|<!--|</?(?:{_HTML_TAGS})(?:\s[^<>]*)?/?>|<<<|>>>"
    r"|:(?<![\w:]:)[a-z][a-z0-9_+-]*:(?![\w:])"  # emoji
    r"|\\[@\"'*_#\[\]<>]|\$[^$\s^_{\\]*[\^_{\\][^$]*\$"  # escapes, formulas
    r"|: [-*+] \S"  # a list that runs on in a paragraph
)
"""Every alternative starts with a sign as it stands: so `re` passes over all else at once."""
_MAPPING = re.compile(r"(?:^|(?<=\s))(?:[\w.-]+: ){2}")
"""A mapping that runs on in a paragraph."""
_OPENING = re.compile(r"!!!|\?\?\?|===|///|:::|\||#{1,6} |>|[-*+•] (?=\S)|\[[^\]]*\]:")
"""Markup where it opens a block."""
_OPENING_SIGNS = frozenset("!?=/:|#>-*+•[")
_LONG_CODE = 120
"""Inline code with more characters than this is a block of code whose fence was not understood."""


def unrendered_markup(
    text: str, code: Sequence[tuple[int, int]], *, is_row: bool = False
) -> list[int]:
    """Return where markup stands bare in a block's text, ascending.

    `code` are the spans of inline code in `text`, sorted: there it may stand. In a row of a table
    `: ` stands behind each header, and what opens a cell opens no block.
    """
    if is_row:
        text = text.replace(": ", ":\n")
    found: list[int] = []
    if _MARKUP.search(text):
        found = [match.start() for match in _MARKUP.finditer(text)]
    if ":" in text and text.find(": ") < text.rfind(": "):
        found += [match.start() for match in _MAPPING.finditer(text)]
    if not is_row and text[:1] in _OPENING_SIGNS and _OPENING.match(text):
        found.append(0)
    if found:
        found = list(_outside(found, code)) if code else sorted(found)
    if code and (overlong := [start for start, end in code if end - start > _LONG_CODE]):
        found = sorted(found + overlong)
    return found


def _outside(places: list[int], spans: Sequence[tuple[int, int]]) -> Iterator[int]:
    reach, following = 0, 0
    for place in sorted(places):
        while following < len(spans) and spans[following][0] <= place:
            reach = max(reach, spans[following][1])
            following += 1
        if place >= reach:
            yield place
