"""The quality of a page, from 0 to 100, and its profile: the text that is embedded for it.

Both are for `semantic`, which searches only pages of enough quality, and chooses among many pages
by their profiles.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from mkdocs_recall.scoring.features import words_in
from mkdocs_recall.text.model import TEXT

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mkdocs_recall.text.model import Block, Document

LENGTH: Final = 70.0
HEADINGS: Final = 15.0
CODE: Final = 8.0
DESCRIPTION: Final = 7.0
"""The points for each part; they sum to 100. All but length make up for at most some 30 words, as a
stub with a description is still a stub. Chosen by reasoning and tried on 2,736 pages of twelve
sites, like the three constants below."""
ENOUGH_WORDS: Final = 80
"""The words outside of links that have all points for length: two short paragraphs."""
ENOUGH_HEADINGS: Final = 2
UNFINISHED: Final = 40.0
"""The most points for a page that calls itself unfinished."""
OPENING: Final = 500
"""Characters of the text in the profile of a page without a description."""
COMMENTS: Final = 500
"""Characters of the comments in its code. Chosen by reasoning, like the last: a small embedding
model reads little more."""
_COUNTED: Final = frozenset({*TEXT, "table"})
"""The kinds of blocks whose words count."""
_READ_OF_CODE: Final = 2000
"""Characters of a code block that are searched for comments; this bounds the time."""
_SHORT: Final = 60
"""Characters of the first text, at most, if it says that a page is unfinished: a longer one is
rather about unfinished things."""
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
    """Return the quality of a page: the number its author states, else an estimate.

    `70·min(1, words/80) + 15·min(1, headings/2) + 8·code + 7·description`: words are those of its
    text and tables outside of links, so that a list of links has few; code and description are 1 or
    0. At most 40 where title or first words call the page unfinished: "Draft: …", "Coming soon".
    The estimate is ours.

    Returns:
        A number from 0 to 100. Pages of documentation with some paragraphs and headings have 70 or
        more; stubs, drafts and lists of links have less.
    """
    if document.quality is not None:
        return document.quality
    words = sum(_own_words(block, document.language) for block in document.blocks)
    points = LENGTH * min(1.0, words / ENOUGH_WORDS)
    points += HEADINGS * min(1.0, len(document.headings) / ENOUGH_HEADINGS)
    points += CODE * any(block.kind == "code" for block in document.blocks)
    points += DESCRIPTION * bool(document.description)
    return min(points, UNFINISHED) if _is_unfinished(document) else points


def profile(document: Document) -> str:
    """Return the profile of a page, by which pages are chosen by meaning.

    It is the title, the description or else the beginning of the text, and the comments in code.
    """
    about = document.description or _cut(_opening(document), OPENING)
    comments = _cut(dict.fromkeys(_comments(document)), COMMENTS)
    return "\n".join(filter(None, (document.title, about, comments)))


def _own_words(block: Block, language: str) -> int:
    """Return the number of words outside of links in a block of text or a row of a table."""
    text = block.text if block.kind in _COUNTED else ""
    if not text:
        return 0
    links = (text[m.start : m.end] for m in block.marks if m.role == "link")
    return max(0, words_in(text, language) - sum(words_in(link, language) for link in links))


def _is_unfinished(document: Document) -> bool:
    first = document.blocks[0].text if document.blocks else ""
    statements = (document.title, first if len(first) <= _SHORT else "")
    return any(map(_SAYS_UNFINISHED.search, statements))


def _opening(document: Document) -> Iterator[str]:
    """Yield the sentences of the text that can be quoted."""
    blocks = (block for block in document.blocks if block.kind in TEXT)
    return (s.text for block in blocks for s in block.sentences if s.quotable)


def _comments(document: Document) -> Iterator[str]:
    """Yield the comments in the code of a page, each as one line."""
    for block in document.blocks:
        if block.kind == "code":
            for match in _COMMENT.finditer(block.text[:_READ_OF_CODE]):
                line, block_comment, html = match.groups("")
                text = line or _STARS.sub(" ", block_comment) or html
                if comment := " ".join(text.split()):
                    yield comment


def _cut(parts: Iterable[str], limit: int) -> str:
    """Join texts with spaces, up to the last word that ends within a number of characters."""
    text = ""
    for part in parts:
        text = f"{text} {part}".lstrip()
        if len(text) > limit:
            return text[: limit + 1].rpartition(" ")[0] or text[:limit]
    return text
