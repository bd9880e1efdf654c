"""Semantic similarity: comparing texts by meaning, in addition to words.

In the mode `blend`, meaning is one of the features by which `structure` ranks sections: the cosine
of the query with a section's title, headings and opening.

In the modes `blend` and `supplement`, meaning finds sentences when words find too little. Their
score is their cosine with the query. Only pages of enough quality (0 to 100) are searched, and of
these the ones with the nearest profiles, the texts that are embedded for them.
"""

from __future__ import annotations

import re
from functools import cached_property, lru_cache, partial
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from mkdocs_recall.ranking.quotation import words_in
from mkdocs_recall.ranking.scores import Explanation, Scores
from mkdocs_recall.text.model import TEXT, Block, Document, section_blocks

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence

    from mkdocs_recall.factors.vectors import Vectors
    from mkdocs_recall.index.index import Index
    from mkdocs_recall.options import Semantic


LENGTH: Final = 70.0
HEADINGS: Final = 15.0
CODE: Final = 8.0
DESCRIPTION: Final = 7.0
"""The points for each part, 100 in all. All but length are worth some 30 words at most: a stub with
a description is still a stub. Chosen by reasoning and tried on 2,736 pages of twelve sites, like
the three constants below."""
ENOUGH_WORDS: Final = 80
"""The words outside links with all points: two short paragraphs."""
ENOUGH_HEADINGS: Final = 2
UNFINISHED: Final = 40.0
"""The most points for a page that calls itself unfinished."""
PROFILE_OPENING: Final = 500
"""Characters of a page's text, without a description."""
COMMENTS: Final = 500
"""Characters of the comments in its code; both are chosen by reasoning."""
_COUNTED: Final = frozenset({*TEXT, "table"})
"""The kinds of blocks whose words count."""
_READ_OF_CODE: Final = 2000
_SHORT: Final = 60
"""The most characters of a first text that says that its page is unfinished."""
_SAYS_UNFINISHED: Final = (
    r"(?i)\A(?:draft|wip):|[\[(](?:draft|wip)[\])]|(?-i:\b(?:TODO|TBD|WIP)\b)"
    r"|\b(?:under construction|work in progress|coming soon|to be written)\b"
)
_COMMENT: Final = (
    r"(?s)(?<!\S)(?:(?:#+[ \t]+|--[ \t]+|//+[ \t]*)([^\n]*)"
    r"|/\*(.*?)(?:\*/|\Z)|<!--(.*?)(?:-->|\Z))"
)
_STARS: Final = re.compile(r"^[ \t]*\*+", re.MULTILINE)


def quality(document: Document) -> float:
    """Return the quality of a page, from 0 to 100: stated by its author, or estimated.

    `70·min(1, words/80) + 15·min(1, headings/2) + 8·code + 7·description`: words are those of its
    text and tables outside of links; code and description are 1 or 0. At most 40 if title or first
    words call the page unfinished. Pages with some paragraphs and headings have 70 or more; stubs,
    drafts and lists of links have less. The estimate is ours.
    """
    if document.quality is not None:
        return document.quality
    words = sum(_own_words(block, document.language) for block in document.blocks)
    points = LENGTH * min(1.0, words / ENOUGH_WORDS)
    points += HEADINGS * min(1.0, len(document.headings) / ENOUGH_HEADINGS)
    if any(block.kind == "code" for block in document.blocks):
        points += CODE
    if document.description:
        points += DESCRIPTION
    first = document.blocks[0].text if document.blocks else ""
    statements = (document.title, first if len(first) <= _SHORT else "")
    is_unfinished = any(re.search(_SAYS_UNFINISHED, statement) for statement in statements)
    return min(points, UNFINISHED) if is_unfinished else points


def profile(document: Document) -> str:
    """Return the text by which meaning finds a page."""
    texts = (block for block in document.blocks if block.kind in TEXT)
    quotable = (s.text for block in texts for s in block.sentences if s.quotable)
    summary = document.description or _cut(quotable, PROFILE_OPENING)
    comments = _cut(dict.fromkeys(_comments(document)), COMMENTS)
    return "\n".join(filter(None, (document.title, summary, comments)))


def _own_words(block: Block, language: str) -> int:
    text = block.text if block.kind in _COUNTED else ""
    if not text:
        return 0
    links = (text[m.start : m.end] for m in block.marks if m.role == "link")
    return max(0, words_in(text, language) - sum(words_in(link, language) for link in links))


def _comments(document: Document) -> Iterator[str]:
    for block in document.blocks:
        if block.kind == "code":
            for match in re.finditer(_COMMENT, block.text[:_READ_OF_CODE]):
                line, block_comment, html = match.groups("")
                text = line or _STARS.sub(" ", block_comment) or html
                if comment := " ".join(text.split()):
                    yield comment


def _cut(parts: Iterable[str], limit: int) -> str:
    text = ""
    for part in parts:
        text = f"{text} {part}".lstrip()
        if len(text) > limit:
            return text[: limit + 1].rpartition(" ")[0] or text[:limit]
    return text


OPENING: Final = 500
"""Characters of a section's text for `blend`, behind its headings."""
CHARACTERS: Final = 1_000
"""Characters of a section that are embedded: a small model reads little more."""
PAGES: Final = 10
"""How many pages are searched: chosen by reasoning, to embed few sentences."""
_REMEMBERED: Final = 4


def section_text(document: Document, block: Block, start: int) -> str:
    """Return the text that is embedded for a section: title, headings, and text.

    It starts at the first sentence after `start`; a negative one is before the block.
    """
    names = (document.title, *(heading.text for heading in block.headings))
    first = next((sentence.start for sentence in block.sentences if sentence.start >= start), 0)
    parts = [block.text[first:]]
    room = -start
    for number in range(block.number - 1, -1, -1):
        neighbour = document.blocks[number]
        room -= len(neighbour.text) + 1
        if neighbour.section != block.section or room < 0:
            break
        parts.insert(0, neighbour.text)
    parts = [*dict.fromkeys(filter(None, names)), *parts]
    length = sum(map(len, parts))
    for number in range(block.number + 1, len(document.blocks)):
        neighbour = document.blocks[number]
        if neighbour.section != block.section or length >= CHARACTERS:
            break
        parts.append(neighbour.text)
        length += len(neighbour.text)
    return "\n".join(parts)[:CHARACTERS]


class SemanticSimilarity(Struct, eq=False, dict=True):
    """The similarity of sentences to queries in meaning."""

    settings: Semantic
    vectors: Vectors
    min_similarity: float
    """The lowest cosine of a match."""
    enrich: Callable[[str], str] = str
    """Returns the text to embed for a query."""

    @property
    def searches(self) -> bool:
        """Whether meaning is not just a gate."""
        return self.settings.mode != "gate"

    @property
    def blends(self) -> bool:
        """Whether meaning also reorders what words find."""
        return self.settings.mode == "blend"

    def of_sections(self, index: Index, query: str, sections: Sequence[int]) -> Sequence[float]:
        """Return the cosines of sections, minus a match's lowest."""
        texts = [_section_opening(index, section) for section in sections]
        cosines = self.vectors.cosines(self.enrich(query), texts) if texts else ()
        return [cosine - self.min_similarity for cosine in cosines]

    def nearest(self, query: str, index: Index, *, hidden: Container[str] = ()) -> Scores:
        """Return the cosines of sentences on the nearest pages."""
        profiles, embedded_query = self._profiles_of(index), self.enrich(query)
        pages = [n for n in profiles if index.parts[n].document.uri not in hidden]
        if not pages:
            return Scores({}, dict[int, Explanation]().__getitem__)
        if len(pages) > PAGES:
            cosines = self.vectors.cosines(embedded_query, tuple(profiles.values()))
            nearness = dict(zip(profiles, cosines, strict=True))
            pages = sorted(pages, key=lambda n: (-nearness[n], n))[:PAGES]
        searched = set(pages)
        blocks = {n for n, page in enumerate(index.document_of) if page in searched}
        candidates = [number for number, block in enumerate(index.block_of) if block in blocks]
        texts = [index.sentences[number].text for number in candidates]
        near = zip(candidates, self.vectors.cosines(embedded_query, texts), strict=True)
        values = {number: cosine for number, cosine in near if cosine >= self.min_similarity}
        model = self.settings.model
        name = model if isinstance(model, str) else model.name

        def explain(number: int) -> Explanation:
            return Explanation(values[number], f"cosine with the query, by '{name}'")

        return Scores(values, explain)

    def cosine(self, query: str, text: str) -> float:
        """Return the cosine of a query with a text."""
        return self.vectors.cosine(self.enrich(query), text)

    @cached_property
    def _profiles_of(self) -> Callable[[Index], Mapping[int, str]]:
        """Returns the profiles of the pages that may be searched."""
        profiles = partial(_profiles, min_quality=self.settings.min_relevance_score)
        return lru_cache(_REMEMBERED)(profiles)


def _profiles(index: Index, min_quality: float) -> dict[int, str]:
    with_sentences = sorted({index.document_of[block] for block in index.block_of})
    pages = ((number, index.parts[number].document) for number in with_sentences)
    return {number: profile(page) for number, page in pages if quality(page) >= min_quality}


def _section_opening(index: Index, section: int) -> str:
    """Return a section's "title › headings" and first text."""
    number = index.sections.first_sentences[section]
    document, block = index.document(number), index.block(number)
    names = (document.title, *(heading.text for heading in block.headings))
    texts: list[str] = []
    for section_block in section_blocks(document, block):
        texts.append(section_block.text)
        if sum(map(len, texts)) >= OPENING:
            break
    opening = "\n".join(texts)[:OPENING]
    return f"{' › '.join(dict.fromkeys(filter(None, names)))}\n{opening}"
