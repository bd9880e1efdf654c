"""Runs of text → a Document: each cut into sentences, and these into words, in one language."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import replace
from functools import cache, partial
from itertools import repeat
from typing import TYPE_CHECKING

from mkdocs_recall.text.front_matter import UNSTATED, Stated
from mkdocs_recall.text.language import get_language
from mkdocs_recall.text.markup import bare_markup
from mkdocs_recall.text.model import Block, Document, Sentence
from mkdocs_recall.text.sentences import sentence_spans
from mkdocs_recall.text.terms import plain_words

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mkdocs_recall.text.language import Language
    from mkdocs_recall.text.runs import Reading


_WHOLE = frozenset({"table", "label"})
"""Kinds of which each block is one sentence, as code is."""
_READ_OF_CODE = 2000
"""Characters of a code block that are read for its words."""


def analyse(
    reading: Reading,
    *,
    uri: str,
    title: str,
    language: str,
    url: str = "",
    stated: Stated = UNSTATED,
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
        quotable = not bare_markup(text, code, is_row=kind == "table")
        return (Sentence(text, 0, len(text), number, plain_words(text, language), quotable),)
    faults = bare_markup(text, code)
    sentences = []
    for start, end in sentence_spans(text, language, code):
        part = text[start:end]
        quotable = not faults or bisect_left(faults, start) == bisect_left(faults, end)
        words = plain_words(part, language)
        sentences.append(Sentence(part, start, end, number, words, quotable))
    return tuple(sentences)
