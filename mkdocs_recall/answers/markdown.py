"""The Markdown of a quote: it says what the HTML says, in any file that is Markdown."""

from __future__ import annotations

import os
import posixpath
import re
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import groupby
from typing import TYPE_CHECKING, Final, TypeAlias
from urllib.parse import unquote, urljoin, urlsplit

from mkdocs_recall.answers.excerpts import (
    Excerpt,
    citation_label,
    cited_section,
    excerpts,
    group_by_item,
    group_by_kind,
    notes,
    section_parts,
    split_runs,
    tables_of,
    title_of,
)
from mkdocs_recall.answers.html import QuotingPage
from mkdocs_recall.answers.inline import (
    bulleted,
    code_block,
    escape_href,
    escape_line_start,
    escape_markdown,
    inline,
    link,
    prefixed,
    table,
)
from mkdocs_recall.answers.links import BASE_URL, closing_direction_marks, link_from, moved_link
from mkdocs_recall.messages import single_line
from mkdocs_recall.options import RecallOptions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from mkdocs_recall.answers.excerpts import Piece
    from mkdocs_recall.options import Options
    from mkdocs_recall.ranking.result import Passage, Result
    from mkdocs_recall.text.model import Block, Document, Mark

    Target: TypeAlias = "TargetFile | QuotingPage"


_DOTS: Final = "…"
_ENCODED: Final = {
    **str.maketrans({"%": "%25", "#": "%23", "?": "%3F"}),
    **{code: f"%{code - 0xDC00:02X}" for code in range(0xDC80, 0xDD00)},
}
"""Characters of a file's name that have another meaning in a link, and bytes that are no text."""
_MOVABLE: Final = "\0"
"""What a link starts with, until it is known in which copy of its page it is."""
_MOVABLE_LINK: Final = re.compile(rf"\]\({_MOVABLE}([^()]*)\)")
_MOVABLE_HEADING: Final = re.compile(rf"{_MOVABLE}(#{{1,6}})(?= )")


@dataclass(frozen=True, slots=True)
class TargetFile:
    """The file a quote is written to."""

    uri: str
    """Its path from the documentation's root if it is a page, else empty."""
    folder: str
    """The folder it is in: an absolute path."""
    root: str
    """The documentation's root: an absolute path."""
    pages: Mapping[str, str] = field(default_factory=dict, repr=False)
    """The documentation's pages: their files, absolute paths, by uri."""
    language: str = ""
    """Its language; empty for the language of what is quoted."""
    anchors: Callable[[str], Mapping[str, str]] = field(default=lambda _: {}, repr=False)
    """Returns the anchors of a page where the file is read, by those of the site; those that are
    not among them are the same."""

    def cite(self, passage: Passage) -> str:
        """Return a link to the place of a passage; empty for none."""
        if passage.document.publisher:
            return passage.url
        return self.link_to(passage.uri, passage.anchor)

    def link_to(self, uri: str, anchor: str = "") -> str:
        """Return a link to a file of the documentation."""
        fragment = f"#{self.anchors(uri).get(anchor, anchor)}" if anchor else ""
        if uri == self.uri and fragment:
            return fragment
        path = self.pages.get(uri) or os.path.join(self.root, *uri.split("/"))  # noqa: PTH118
        with suppress(ValueError):  # on another drive of Windows
            path = os.path.relpath(path, self.folder)
        path = path.replace(os.sep, "/").translate(_ENCODED)
        return f"./{path}{fragment}" if ":" in path.split("/", 1)[0] else f"{path}{fragment}"

    def rebase(self, href: str, document: Document) -> str:
        """Return a link of a page as it is written in this file; empty if it is dropped."""
        href = link_from(document, href, document.url)
        if not href:
            return ""
        parts = urlsplit(href)
        if parts.scheme or parts.netloc or href.startswith("/"):
            return href
        if not parts.path and not parts.query:
            return self.link_to(document.uri, parts.fragment)
        path = unquote(urlsplit(urljoin(BASE_URL + document.url, href)).path).removeprefix("/")
        return self.link_to(self._page_at(path), parts.fragment)

    def _page_at(self, url: str) -> str:
        """Return the page with a URL; the URL itself where there is none."""
        base = posixpath.join(url, "index") if url.endswith("/") or not url else url
        base = base.removesuffix(".html")
        names = [url, f"{url.rstrip('/')}.md", f"{base}.md", f"{base}.mdx", f"{base}.html"]
        if posixpath.basename(base) == "index":
            names.append(posixpath.join(posixpath.dirname(base), "README.md"))
        return next((name for name in names if name in self.pages), url)


def render_markdown(result: Result, options: Options, file: Target) -> str:
    """Return a quote as Markdown, without a line end after it.

    Args:
        result: The passages; there is at least one.
        options: The directive's `cite`, `format` and, for a title, `query`.
        file: Where it is written to; links lead from there. For copies of a page, it is the page,
            and `rebase_markdown` moves the links then.
    """
    if isinstance(options, RecallOptions) and options.section is not None:
        return _section(result, options, file)
    texts = notes(file.language or result.passages[0].document.language)
    parts = []
    if result.fallback:
        parts.append(f"**{texts.note}:** {texts.no_match}")
    groups = groupby(excerpts(result, options, file.uri), key=lambda section: section.found_by)
    for found_by, sections in groups:
        if found_by == "semantic":
            parts.append(f"**{texts.note}:** {texts.by_meaning}")
        parts.append(_quote(list(sections), options, title_of(result, options), file))
    return "\n\n".join(parts)


def fitted_markdown(markdown: str, level: int) -> str:
    """Return the Markdown of a quote as it stands below a heading of some level; 0 for none."""

    def heading(match: re.Match[str]) -> str:
        return "#" * min(6, len(match[1]) + max(1, level))

    return _MOVABLE_HEADING.sub(heading, markdown)


def rebase_markdown(markdown: str, source: str, target: str, site: str) -> str:
    """Return the Markdown of a quote with links for a copy of its page, see `rebase_html`."""

    def link_to(match: re.Match[str]) -> str:
        href = match[1].replace("&amp;", "&")  # as `escape_href` has written it
        return f"]({escape_href(moved_link(href, source, target, site))})"

    return _MOVABLE_LINK.sub(link_to, markdown)


def caution_markdown(message: str, language: str) -> str:
    """Return the block that takes a quote's place when its author has to fix something."""
    text = escape_line_start(escape_markdown(single_line(message)))
    return f"> **{notes(language).error}**\n>\n> {text}"


def _quote(sections: Sequence[Excerpt], options: Options, title: str, file: Target) -> str:
    """Return the quote in its format: a list, or a block quote, with a title for an admonition."""
    if options.format == "list":
        return bulleted(blocks for section in sections for blocks in _items(section, file))
    blocks = [block for section in sections for block in _blocks(section, file)]
    return _boxed(blocks, options, title)


def _boxed(blocks: list[str], options: Options, title: str) -> str:
    if options.format == "admonition":
        blocks.insert(0, f"**{_escape_label(' '.join(title.split()))}**")
    text = "\n\n".join(blocks)
    return text if options.format == "plain" else prefixed(text, "> ")


def _section(result: Result, options: RecallOptions, file: Target) -> str:
    """Return a section that is quoted whole, for `fitted_markdown`."""
    blocks: list[str] = []
    quoted = excerpts(result, options, file.uri)
    for headings, excerpt in section_parts(quoted, options):
        blocks += [f"{_MOVABLE}{'#' * n} {escape_markdown(text)}" for n, text in headings]
        blocks += _blocks(excerpt, file)
    if cite := _citation(cited_section(quoted[0], options), file):
        blocks.append(cite)
    return _boxed(blocks, options, title_of(result, options))


def _blocks(section: Excerpt, file: Target, depth: int = 0) -> Iterator[str]:
    """Yield the paragraphs, lists and code blocks of a section, and its citation."""
    for kind, pieces in group_by_kind(section.pieces, depth):
        if kind in {"text", "title"}:
            yield from _paragraphs(pieces, section.document, file)
        elif kind == "list":
            yield _list(pieces, section.document, file, depth)
        elif kind == "figure":
            yield from _figures(pieces, section.document, file)
        elif kind == "row":
            yield from _tables(pieces, section.document, file)
        else:
            for piece in pieces:
                if piece.apart:
                    yield _DOTS
                yield _code(piece)
    if cite := _citation(section, file):
        yield cite


def _items(section: Excerpt, file: Target) -> Iterator[list[str]]:
    """Yield the blocks of an item for each run of sentences; the last has the citation."""
    runs = split_runs(section.pieces)
    for number, run in enumerate(runs, start=1):
        cited = section.cited if number == len(runs) else None
        blocks = list(_blocks(section._replace(pieces=run, cited=cited), file))
        if run[0].kind == "code":  # right after the bullet, Python-Markdown reads no fence
            blocks.insert(0, _DOTS)
        yield blocks


def _paragraphs(pieces: Sequence[Piece], document: Document, file: Target) -> list[str]:
    """Return text in paragraphs, with "…" where something is left out."""
    paragraphs: list[str] = []
    previous: Piece | None = None
    for piece in pieces:
        text = _inline(piece, document, file)
        if previous is None:
            paragraphs.append(f"{_DOTS} {text}" if piece.apart else text)
        elif piece.apart or previous.ends:
            colon = previous.colon
            paragraphs[-1] += f"{colon} {_DOTS} {text}" if piece.apart else f"{colon} {text}"
        else:
            paragraphs.append(text)
        previous = piece
    return [escape_line_start(text) for text in paragraphs]


def _list(pieces: Sequence[Piece], document: Document, file: Target, depth: int = 0) -> str:
    """Return pieces of one list as that list: a numbered one from its number on."""
    stretches: list[list[str]] = []
    for item, parts in group_by_item(pieces, depth):
        apart, parts[0] = parts[0].apart, parts[0]._replace(apart=False)
        if not stretches or (apart and item.number):
            stretches.append([])
        if apart and not item.number:
            stretches[-1].append(f"- {_DOTS}")
        elif apart:
            stretches.insert(-1, [_DOTS])
        section = Excerpt(document, parts, None, "lexical")
        blocks = list(_blocks(section, file, depth + 1))
        if parts[0].kind in {"code", "figure"}:  # right after the mark, no fence is read
            blocks.insert(0, _DOTS)
        mark = f"{item.number}. " if item.number else "- "
        text = "\n\n".join(blocks)
        stretches[-1].append(prefixed(text, mark.ljust(4) if "\n" in text else mark, " " * 4))
    return "\n\n".join("\n".join(items) for items in stretches)


def _figures(pieces: Sequence[Piece], document: Document, file: Target) -> Iterator[str]:
    """Yield pictures, formulas and diagrams as blocks."""
    for piece in pieces:
        assert piece.chunk is not None
        if piece.apart:
            yield _DOTS
        block = piece.chunk.block
        role = block.marks[0].role if block.marks else None
        if role == "diagram":
            yield code_block(block.text, "mermaid")
        elif role == "formula":
            yield escape_line_start(escape_markdown(" ".join(block.text.split())))
        else:
            yield _inline(piece, document, file)


def _tables(pieces: Sequence[Piece], document: Document, file: Target) -> Iterator[str]:
    """Yield rows as tables, with "…" where rows are left out; as text where no table can stand."""
    for quoted in tables_of(pieces):
        rows: list[list[str]] = []
        for piece, cells in quoted.rows:
            assert piece.chunk is not None
            block = piece.chunk.block
            if piece.apart:
                rows.append([_DOTS, *[""] * (len(quoted.headers) - 1)])
            rows.append(
                [
                    _span(block, cell.start, cell.end, document, file) if cell else ""
                    for cell in quoted.aligned(cells)
                ]
            )
        if written := table([escape_markdown(header) for header in quoted.headers], rows):
            yield written
        else:
            yield from _paragraphs(
                [piece._replace(ends=False) for piece, _ in quoted.rows], document, file
            )


def _code(piece: Piece) -> str:
    if piece.chunk is None:
        return _DOTS
    block, start, end, _ = piece.chunk
    return code_block(block.text[start:end])


def _citation(section: Excerpt, file: Target) -> str:
    passage = section.cited
    if passage is None:
        return ""
    label = _escape_label(citation_label(passage))
    if href := _marked(file.cite(passage), file):
        label = link(label, href)
    publisher = passage.document.publisher
    licence = f" ({_escape_label(publisher.licence)})" if publisher and publisher.licence else ""
    return f"— {label}{licence}"


def _escape_label(text: str) -> str:
    return escape_markdown(text) + closing_direction_marks(text)


def _inline(piece: Piece, document: Document, file: Target) -> str:
    """Return a piece as inline Markdown."""
    if piece.chunk is None:
        return _DOTS
    block, start, end, _ = piece.chunk

    markdown = _span(block, start, end, document, file)
    return markdown + closing_direction_marks(block.text[start:end])


def _span(block: Block, start: int, end: int, document: Document, file: Target) -> str:
    def href_of(mark: Mark) -> str:
        href = mark.href
        if mark.role == "image":
            href = "" if document.publisher else href.partition(" ")[0]
        return _marked(file.rebase(href, document), file) if href else ""

    return inline(block.text, start, end, block.marks, href_of)


def _marked(href: str, file: Target) -> str:
    """Return a link with the mark that it will move, where it will."""
    return f"{_MOVABLE}{href}" if href and isinstance(file, QuotingPage) else href
