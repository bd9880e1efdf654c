"""Runs of text → a Document: each cut into sentences, and these into words, in one language."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import zip_longest
from typing import TYPE_CHECKING

from mkdocs_recall.text.language import get_language
from mkdocs_recall.text.model import Block, Document, Sentence
from mkdocs_recall.text.sentences import sentence_spans
from mkdocs_recall.text.terms import plain_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mkdocs_recall.text.html import Reading
    from mkdocs_recall.text.language import Language
    from mkdocs_recall.text.model import Mark

_HTML_TAGS = (
    "a|abbr|article|aside|audio|b|blockquote|br|button|center|code|dd|details|div|dl|dt|em|"
    "figcaption|figure|font|footer|form|h[1-6]|head|header|hr|i|iframe|img|input|kbd|label|li|link|"
    "main|meta|nav|ol|p|picture|pre|script|section|small|source|span|strong|style|sub|summary|sup|"
    "svg|table|tbody|td|th|thead|tr|u|ul|video"
)
_MARKUP = re.compile(
    r"\{[{%#*]|[%*}]\}|\{[:!]|\{ ?[.#][\w-]|\{ *[\w-]+=[\"'\w]"  # templates, attribute lists
    r"|\]\(|\]\[|\[\^|\[\[|\[!\w|\*\*|~~\w|==\w|\+\+\w[\w+-]*\+\+|--8<--|`"
    rf"|<!--|</?(?:{_HTML_TAGS})(?:\s[^<>]*)?/?>|<<<|>>>"
    r"|(?<![\w:]):[a-z][a-z0-9_+-]*:(?![\w:])"  # emoji
    r"|\\[@\"'*_#\[\]<>]|\$[^$\s^_{\\]*[\^_{\\][^$]*\$"  # escapes, formulas
    r"|: [-*+] \S|(?:^|(?<=\s))(?:[\w.-]+: ){2}"  # lists and mappings that run on in a paragraph
)
"""What must not stand bare in a quote: template syntax, Markdown that was not rendered."""
_SIGN = re.compile(r"[{}\[\]*~=+<>`\\$:]|--")
_SUSPECT = re.compile(r"[{}\[\]*~=+<>`\\$]|:[a-z]|--8|: [-*+]|: [\w.-]+:")
"""What every such piece of markup has in it, and before that a sign: both are cheaper to see."""
_OPENING_MARKUP = re.compile(r"!!!|\?\?\?|===|///|:::|\||#{1,6} |>|[-*+•] (?=\S)|\[[^\]]*\]:")
"""The same, where it opens a block."""
_OPENING_SIGNS = frozenset("!?=/:|#>-*+•[")
_LONG_CODE = 120
"""Inline code with more characters than this is a block of code whose fence was not understood."""


def analyse(
    reading: Reading,
    *,
    uri: str,
    title: str,
    language: str,
    url: str = "",
    lines: Sequence[int | None] = (),
) -> Document:
    """Cut a page's runs of text into sentences and words.

    Args:
        reading: The runs and headings of the page.
        uri: The page's path from the documentation's root.
        title: The page's title.
        language: The language's code; an unknown one means no stems and no stop words.
        url: Where the page is served, relative to the site's root.
        lines: The line on which each run starts, one for each, where that is known.

    Returns:
        The page, ready to be asked.
    """
    words = get_language(language)
    blocks = tuple(
        Block._make((*run, line, _sentences(run.text, run.marks, number, words)))
        for number, (run, line) in enumerate(zip_longest(reading.runs, lines))
    )
    return Document(uri, title, language, blocks, reading.headings, url)


def in_language(document: Document, language: str) -> Document:
    """Return the same page with its sentences and words made anew in another language."""
    words = get_language(language)
    blocks = tuple(
        block._replace(sentences=_sentences(block.text, block.marks, number, words))
        for number, block in enumerate(document.blocks)
    )
    return replace(document, language=language, blocks=blocks)


def _sentences(
    text: str, marks: tuple[Mark, ...], number: int, language: Language
) -> tuple[Sentence, ...]:
    code = [(m.start, m.end) for m in marks if m.role == "code"] if marks else []
    faults = _markup_in(text, code)
    sentences = []
    for start, end in sentence_spans(text, language, code):
        part = text[start:end]
        bare = not faults or not any(start <= at < end for at in faults)
        sentences.append(Sentence(part, start, end, number, plain_words(part, language), bare))
    return tuple(sentences)


def _markup_in(text: str, code: list[tuple[int, int]]) -> list[int]:
    """Return where markup stands bare in a block's text."""
    found: list[int] = []
    if (sign := _SIGN.search(text)) and _SUSPECT.search(text, max(0, sign.start() - 3)):
        found = [m.start() for m in _MARKUP.finditer(text)]
    if text[0] in _OPENING_SIGNS and _OPENING_MARKUP.match(text):
        found.append(0)
    if found and code:
        found = [at for at in found if not any(start <= at < end for start, end in code)]
    found += [start for start, end in code if end - start > _LONG_CODE]
    return found
