"""The parts of a quote, section by section, for any output format (HTML, Markdown)."""

from __future__ import annotations

from itertools import groupby, zip_longest
from typing import TYPE_CHECKING, Literal, NamedTuple

from mkdocs_recall.options import RecallOptions
from mkdocs_recall.rendering.tables import cells_of
from mkdocs_recall.retrieval.openings import is_item, opening_of
from mkdocs_recall.retrieval.quotation import (
    Chunk,
    chunks,
    colon_after,
    is_cut,
    merge_quotations,
    shares_line,
)
from mkdocs_recall.retrieval.result import section_key
from mkdocs_recall.text.model import LABELS, lead_ins

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mkdocs_recall.options import Options
    from mkdocs_recall.retrieval.records import FoundBy
    from mkdocs_recall.retrieval.result import Passage, Result
    from mkdocs_recall.text.model import Block, Document, Heading


class Piece(NamedTuple):
    """A part of a quote: sentences of one block that follow each other, or a "…"."""

    kind: Literal["text", "item", "row", "title", "code"]
    chunk: Chunk | None
    """None for the "…" after the last item of a list, or the last line of code, that goes on."""
    apart: bool
    """Whether something is left out before it."""
    label: bool = False
    """Whether it is a term that the next piece defines."""
    ends: bool = True
    """Whether the next piece may stand on its line."""

    @property
    def colon(self) -> str:
        """What stands between a label and the next piece."""
        return colon_after(self.chunk) if self.label and self.chunk else ""


class Excerpt(NamedTuple):
    """The quoted parts of one section."""

    document: Document
    pieces: Sequence[Piece]
    cited: Passage | None
    """The passage whose place the citation links to; None where there is no citation."""
    found_by: FoundBy


def excerpts(result: Result, options: Options, uri: str) -> list[Excerpt]:
    """Return the excerpts of a result, one for each section, in document order.

    Args:
        result: The passages; there is at least one.
        options: The directive's `cite`.
    """
    sections = groupby(result.in_document_order(), key=section_key)
    return [_excerpt(list(passages), options, uri) for _, passages in sections]


def group_by_kind(pieces: Sequence[Piece]) -> list[tuple[str, list[Piece]]]:
    """Return the runs of pieces of one kind, each with that kind."""
    return [(kind, list(group)) for kind, group in groupby(pieces, key=lambda piece: piece.kind)]


def split_runs(pieces: Sequence[Piece]) -> list[list[Piece]]:
    """Return the runs of pieces with nothing left out between them; each is an item of a list."""
    runs: list[list[Piece]] = []
    for piece in pieces:
        last = runs[-1][-1] if runs else None
        if last is None or (
            piece.kind in {"text", "row"}
            and ((piece.apart and not last.label) or last.chunk is None)
        ):
            runs.append([])
            piece = piece._replace(apart=False)  # noqa: PLW2901 - a run of its own is apart
        runs[-1].append(piece)
    return runs


def title_of(result: Result, options: Options) -> str:
    """Return the title of an admonition: the query, or else the page's title."""
    if isinstance(options, RecallOptions) and options.query:
        return options.query[0].text.strip()
    return result.passages[0].title


def citation_label(passage: Passage) -> str:
    """Return the text of a citation: titles of the page and the tabs, and the nearest heading.

    The title of another site comes first, unless it is the page's title, too.

    The heading is left out if it is the page's title. A tab comes after the heading that it is
    under, and before one that is in it.
    """
    block, title = passage.block, passage.title
    above = [block, *lead_ins(passage.document.blocks, block)]
    tabs = [other for other in above if other.kind == "tab"]
    names = [tab.text for tab in reversed(tabs) if tab.section < block.section]
    if block.heading and not _is_title(block.headings[-1], title):
        names.append(block.heading)
    names += [tab.text for tab in reversed(tabs) if tab.section == block.section]
    publisher = passage.document.publisher
    site = [publisher.title] if publisher and publisher.title != title else []
    return " › ".join((*site, title, *names))


def _excerpt(passages: Sequence[Passage], options: Options, uri: str) -> Excerpt:
    """Return the excerpt of one section; `passages` are those quoted from it."""
    first = passages[0]
    is_cited = options.cite if isinstance(options.cite, bool) else first.uri != uri
    return Excerpt(
        first.document, list(_pieces(passages)), first if is_cited else None, first.found_by
    )


def _pieces(passages: Sequence[Passage]) -> Iterator[Piece]:
    """Yield the pieces of one section; a sentence that several passages quote comes once."""
    document = passages[0].document
    quotation = merge_quotations(document, [passage.quotation for passage in passages])
    quoted = chunks(document, quotation.sentences)
    blocks = {chunk.block.number for chunk in quoted}
    openings = {chunk.block.number for chunk in quoted if chunk.end == len(chunk.block.text)}
    after_cut = False  # code that is cut ends with "…" itself
    for chunk, following in zip_longest(quoted, quoted[1:]):
        block, apart = chunk.block, chunk.apart and not after_cut
        after_cut = is_cut(chunk)
        if block.kind == "code":
            title = _title(document, block)
            if title and title.number not in blocks:
                yield Piece("title", Chunk(title, 0, len(title.text), apart), apart)
                apart = False
            yield Piece("code", chunk, apart)
            if after_cut:
                yield Piece("code", None, apart=False)
        elif cells_of(block):
            yield Piece("row", chunk, apart)
        elif is_item(document, block) and (
            (opening := opening_of(document, block)) and opening.number in openings
        ):
            yield Piece("item", chunk, apart)
        else:
            label = block.kind in LABELS
            ends = label or not following or shares_line(chunk, following)
            yield Piece("text", chunk, apart, label=label, ends=ends)
    if quotation.goes_on:
        yield Piece("item", None, apart=False)


def _title(document: Document, block: Block) -> Block | None:
    """Return the title of a code block: the label right above it that may be quoted."""
    above = None if block.lead is None else document.blocks[block.lead]
    if above is None or above.kind != "label" or above.section != block.section:
        return None
    return above if all(part.quotable for part in above.sentences) else None


def _is_title(heading: Heading, title: str) -> bool:
    """Return whether a heading is the page's title.

    The title may be longer: it includes the names of images in the heading.
    """
    if heading.text == title:
        return True
    if heading.level != 1:
        return False
    whole, text = ("".join(filter(str.isalnum, t)) for t in (title, heading.text))
    return bool(text) and whole.startswith(text)
