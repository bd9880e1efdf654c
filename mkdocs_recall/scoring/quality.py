"""What a page is worth when meaning is asked, from 0 to 100, and the text that stands for it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from mkdocs_recall.scoring.features import words_in
from mkdocs_recall.text.model import TEXT

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mkdocs_recall.text.model import Block, Document

LENGTH: Final = 70.0
ENOUGH_WORDS: Final = 80
"""Outside of links: two short paragraphs, which are enough for 70."""
HEADINGS: Final = 15.0
ENOUGH_HEADINGS: Final = 2
CODE: Final = 8.0
DESCRIPTION: Final = 7.0
"""These sum to 100. All but length make up for some 30 words, and for no more: a stub with a
description is a stub."""
UNFINISHED: Final = 40.0
"""No page that calls itself unfinished is worth more."""
OPENING: Final = 500
"""Characters of the text that stand for a page without a description."""
COMMENTS: Final = 500
"""Characters of comments in its code."""
_COUNTED: Final = frozenset({*TEXT, "table"})
_READ_OF_CODE: Final = 2000
"""Characters of a code block in which comments are looked for."""
_SHORT: Final = 60
"""Characters: so short is the text that says of a page that it is unfinished."""
_SAYS_UNFINISHED: Final = re.compile(
    r"\A(?:draft|wip):|[\[(](?:draft|wip)[\])]|(?-i:\b(?:TODO|TBD|WIP)\b)"
    r"|\b(?:under construction|work in progress|coming soon|to be written)\b",
    re.IGNORECASE,
)
_COMMENT: Final = re.compile(
    r"(?<!\S)(?:(?:#+[ \t]+|--[ \t]+|//+[ \t]*)([^\n]*)"
    r"|/\*(.*?)(?:\*/|\Z)|<!--(.*?)(?:-->|\Z))",
    re.DOTALL,
)
_STARS: Final = re.compile(r"^[ \t]*\*+", re.MULTILINE)


def quality(document: Document) -> float:
    """Return what a page is worth when meaning is asked: what its author says, else an estimate.

    `70·min(1, words/80) + 15·min(1, headings/2) + 8·code + 7·description`: words are those of its
    text and tables outside of links, so that a list of links has few; code and description are 1 or
    0. At most 40 where title or first words call the page unfinished: "Draft: …", "Coming soon".

    Returns:
        A number from 0 to 100. Pages of documentation with some paragraphs and headings have 70 or
        more; stubs, drafts and lists of links have less.
    """
    if document.quality is not None:
        return document.quality
    words = sum(_own_words(block, document.language) for block in document.blocks)
    found = LENGTH * min(1.0, words / ENOUGH_WORDS)
    found += HEADINGS * min(1.0, len(document.headings) / ENOUGH_HEADINGS)
    found += CODE * any(block.kind == "code" for block in document.blocks)
    found += DESCRIPTION * bool(document.description)
    return min(found, UNFINISHED) if _is_unfinished(document) else found


def profile(document: Document) -> str:
    """Return the text that stands for a page where pages are chosen by meaning.

    Its title, its description or else how its text opens, and the comments in its code.
    """
    about = document.description or _cut(_opening(document), OPENING)
    comments = _cut(dict.fromkeys(_comments(document)), COMMENTS)
    return "\n".join(filter(None, (document.title, about, comments)))


def _own_words(block: Block, language: str) -> int:
    """Return how many words of a block of text, or a table's row, lead nowhere."""
    text = block.text if block.kind in _COUNTED else ""
    if not text:
        return 0
    links = (text[m.start : m.end] for m in block.marks if m.role == "link")
    return max(0, words_in(text, language) - sum(words_in(link, language) for link in links))


def _is_unfinished(document: Document) -> bool:
    first = document.blocks[0].text if document.blocks else ""
    says = (document.title, first if len(first) <= _SHORT else "")
    return any(map(_SAYS_UNFINISHED.search, says))


def _opening(document: Document) -> Iterator[str]:
    """Yield the sentences of the text that can be quoted."""
    blocks = (block for block in document.blocks if block.kind in TEXT)
    return (each.text for block in blocks for each in block.sentences if each.quotable)


def _comments(document: Document) -> Iterator[str]:
    """Yield the comments in the page's code, each as one line."""
    for block in document.blocks:
        if block.kind == "code":
            for match in _COMMENT.finditer(block.text[:_READ_OF_CODE]):
                line, block_comment, html = match.groups("")
                text = line or _STARS.sub(" ", block_comment) or html
                if comment := " ".join(text.split()):
                    yield comment


def _cut(parts: Iterable[str], limit: int) -> str:
    """Return some texts in a row, up to the last word that ends within a number of characters."""
    text = ""
    for part in parts:
        text = f"{text} {part}".lstrip()
        if len(text) > limit:
            return text[: limit + 1].rpartition(" ")[0] or text[:limit]
    return text
