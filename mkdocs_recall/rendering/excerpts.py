"""A Result → what a quote is put together of, whatever it is written in (HTML, Markdown)."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Literal, NamedTuple

from mkdocs_recall.retrieval.quotation import chunks, ends_sentence, is_item
from mkdocs_recall.retrieval.result import section_key

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mkdocs_recall.directives.schema import Options
    from mkdocs_recall.retrieval.quotation import Chunk
    from mkdocs_recall.retrieval.records import FoundBy
    from mkdocs_recall.retrieval.result import Passage, Result
    from mkdocs_recall.text.model import Document, Heading


class Piece(NamedTuple):
    """What a quote is put together of."""

    kind: Literal["text", "item", "code"]
    chunk: Chunk | None
    """None for "…", where a list goes on."""
    apart: bool
    """Whether something is left out before it."""
    label: bool = False
    """Whether it is a term, of which what follows speaks."""
    ends: bool = True
    """Whether it ends as a sentence does."""


class Excerpt(NamedTuple):
    """What is quoted of one section."""

    document: Document
    pieces: Sequence[Piece]
    cited: Passage | None
    """What its citation leads to; None where it has none."""
    found_by: FoundBy


def excerpts(result: Result, options: Options, uri: str) -> list[Excerpt]:
    """Return what is quoted, section by section.

    Args:
        result: The passages; there is at least one.
        options: The directive's `cite`.
        uri: The page the quote stands on.
    """
    groups = groupby(result.in_document_order(), key=section_key)
    return [_excerpt(list(passages), options, uri) for _, passages in groups]


def _excerpt(passages: Sequence[Passage], options: Options, uri: str) -> Excerpt:
    first = passages[0]
    cited = options.cite if isinstance(options.cite, bool) else first.uri != uri
    pieces = list(_pieces(passages))
    return Excerpt(first.document, pieces, first if cited else None, first.found_by)


def _pieces(passages: Sequence[Passage]) -> Iterator[Piece]:
    """Yield the pieces of what is quoted of one section; what passages share comes once."""
    document = passages[0].document
    quoted = {(s.block, s.start): s for p in passages for s in p.quotation.sentences}
    broken = {p.quotation.sentences[-1].block for p in passages if p.quotation.goes_on}
    found = chunks(document, (quoted[at] for at in sorted(quoted)))
    leads = {c.block.number for c in found if c.end == len(c.block.text)}
    for chunk in found:
        block, apart = chunk.block, chunk.apart
        if block.kind == "code":
            yield Piece("code", chunk, apart)
        elif block.lead in leads and is_item(document, block):
            yield Piece("item", chunk, apart)
        else:
            label = block.kind == "label"
            yield Piece("text", chunk, apart, label=label, ends=label or ends_sentence(chunk))
    if found[-1].block.number in broken:
        yield Piece("item", None, apart=False)


def groups(pieces: Sequence[Piece]) -> list[tuple[str, list[Piece]]]:
    """Return the pieces of one kind that follow each other, with that kind."""
    return [(kind, list(group)) for kind, group in groupby(pieces, key=lambda piece: piece.kind)]


def runs(pieces: Sequence[Piece]) -> list[list[Piece]]:
    """Return the runs of sentences that follow each other."""
    found: list[list[Piece]] = []
    for piece in pieces:
        if not found or (piece.apart and piece.kind == "text" and not found[-1][-1].label):
            found.append([])
            piece = piece._replace(apart=False)  # noqa: PLW2901 - a run of its own is apart
        found[-1].append(piece)
    return found


def heading_of(result: Result, options: Options) -> str:
    """Return what an admonition is headed with: the question, or the page's title."""
    return options.query[0].text.strip() if options.query else result.passages[0].title


def source_of(passage: Passage) -> str:
    """Return what a citation names: the page's title, and the heading where that is another."""
    block, title = passage.block, passage.title
    if block.heading and not _opens_page(title, block.headings[-1]):
        return f"{title} › {block.heading}"
    return title


def _opens_page(title: str, heading: Heading) -> bool:
    """Tell whether a heading is the page's title.

    The title may have more to it: the names of images that stand in the heading.
    """
    if heading.text == title:
        return True
    if heading.level != 1:
        return False
    whole, text = ("".join(filter(str.isalnum, t)) for t in (title, heading.text))
    return bool(text) and whole.startswith(text)
