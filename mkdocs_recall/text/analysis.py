"""A Document built from the runs of text of one page, in one language.

Each block splits its text into sentences and words on first use. A sentence in which markup was
left unrendered is not quotable, nor is a version badge. The runs come from `text.html.reader`,
sentence boundaries from `sentences`, words from `terms`.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import replace
from functools import cache, partial
from itertools import repeat
from typing import TYPE_CHECKING

from mkdocs_recall.text.badges import is_version_badge
from mkdocs_recall.text.front_matter import NO_METADATA, PageMetadata
from mkdocs_recall.text.language import get_language
from mkdocs_recall.text.model import LABELS, LONGEST, Block, Document, Sentence
from mkdocs_recall.text.sentences import sentence_spans
from mkdocs_recall.text.terms import plain_words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from mkdocs_recall.text.html.runs import HtmlContent
    from mkdocs_recall.text.language import Language

_SINGLE_SENTENCE = frozenset({"table"}) | LABELS
"""Kinds of block that are one sentence each, as code blocks are, too."""
_BADGES = frozenset({"prose", "admonition"})
"""Kinds of block that may be nothing but a version badge; an item of a list is a fact."""
_CODE_SIZE = 2000
"""How many characters of a code block are searched for words."""

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
    r"|: [-*+] \S"  # a list that runs on in a paragraph
)
"""Markup anywhere in a text. Each alternative starts with a literal character, so that `re` skips
to the next candidate at once."""
_MAPPING = re.compile(r"(?:^|(?<=\s))(?:[\w.-]+: ){2}")
"""A mapping whose lines were joined into a paragraph."""
_BLOCK_OPENING = re.compile(r"!!!|\?\?\?|===|///|:::|\||#{1,6} |>|[-*+•] (?=\S)|\[[^\]]*\]:")
"""Markup that opens a block."""
_BLOCK_OPENING_SIGNS = frozenset("!?=/:|#>-*+•[")
_LONG_CODE = 120
"""Longer inline code, in characters, is a code block whose fence was not recognised."""


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
    """Build a page from its runs of text, which are split into sentences and words on first use.

    Args:
        language: The language's code; an unknown one has no stemming and no stop words.
        url: Where the page is served, relative to the site's root.
        lines: The line on which each run starts, one for each; empty where lines are not known.

    Returns:
        The page, ready for queries.
    """
    cut = _splitter(get_language(language).code)
    blocks = []
    for number, (run, line) in enumerate(zip(content.runs, lines or repeat(None), strict=False)):
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
        content.headings,
        url,
        **metadata._asdict(),
        whole=content.whole,
    )


def in_language(document: Document, language: str) -> Document:
    """Return the same page with its sentences and words analysed in another language."""
    cut = _splitter(get_language(language).code)
    blocks = tuple(replace(block, cut=cut) for block in document.blocks)
    return replace(document, language=language, blocks=blocks)


def unrendered_markup(
    text: str, code: Sequence[tuple[int, int]], *, is_row: bool = False
) -> list[int]:
    """Return the positions of unrendered markup in a block's text, ascending.

    Args:
        code: The spans of inline code in `text`, sorted; markup inside them does not count.
        is_row: Whether the block is a row of a table, where `: ` follows each header, and markup
            at the start of the text opens no block.
    """
    if is_row:
        text = text.replace(": ", ":\n")
    positions: list[int] = []
    if _MARKUP.search(text):
        positions = [match.start() for match in _MARKUP.finditer(text)]
    if ":" in text and text.find(": ") < text.rfind(": "):
        positions += [match.start() for match in _MAPPING.finditer(text)]
    if not is_row and text[:1] in _BLOCK_OPENING_SIGNS and _BLOCK_OPENING.match(text):
        positions.append(0)
    if positions:
        positions = list(_outside(positions, code)) if code else sorted(positions)
    if code and (overlong := [start for start, end in code if end - start > _LONG_CODE]):
        positions = sorted(positions + overlong)
    return positions


@cache
def _splitter(code: str) -> Callable[[Block], tuple[Sentence, ...]]:
    """Return the function that splits a block into sentences: one for all blocks of a language."""
    return partial(_split, get_language(code))


def _split(language: Language, block: Block) -> tuple[Sentence, ...]:
    text, number, kind = block.text, block.number, block.kind
    if kind == "code":
        words = tuple(dict.fromkeys(plain_words(text[:_CODE_SIZE], language)))
        longest = len(text) if len(text) <= LONGEST else max(map(len, text.split("\n")))
        return (Sentence(text, 0, len(text), number, words, longest <= LONGEST),) if text else ()
    code = [(m.start, m.end) for m in block.marks if m.role == "code"] if block.marks else []
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


def _outside(positions: list[int], spans: Sequence[tuple[int, int]]) -> Iterator[int]:
    """Yield the positions, ascending, that lie in none of the spans."""
    covered, following = 0, 0  # up to where spans cover the text; the number of the next span
    for position in sorted(positions):
        while following < len(spans) and spans[following][0] <= position:
            covered = max(covered, spans[following][1])
            following += 1
        if position >= covered:
            yield position
