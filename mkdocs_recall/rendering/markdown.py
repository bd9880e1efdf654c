"""A Result → the quote as Markdown: it says what the HTML says, in any file that is Markdown."""

from __future__ import annotations

import os
import posixpath
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import groupby
from typing import TYPE_CHECKING
from urllib.parse import unquote, urljoin, urlsplit

from mkdocs_recall.rendering.escape import closing_direction_marks
from mkdocs_recall.rendering.excerpts import excerpts, groups, heading_of, runs, source_of
from mkdocs_recall.rendering.explain import explanation_list
from mkdocs_recall.rendering.links import rebase
from mkdocs_recall.rendering.markdown_inline import (
    code_block,
    escape_line_start,
    escape_markdown,
    inline,
    link,
)
from mkdocs_recall.rendering.notes import notes

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from mkdocs_recall.directives.schema import Options
    from mkdocs_recall.rendering.excerpts import Excerpt, Piece
    from mkdocs_recall.retrieval.result import Result
    from mkdocs_recall.text.model import Document, Mark

_DOTS = "…"
_SITE = "http://site.invalid/"
"""Any base will do: links are resolved against it and made relative again."""
_ENCODED = {
    **str.maketrans({"%": "%25", "#": "%23", "?": "%3F"}),
    **{code: f"%{code - 0xDC00:02X}" for code in range(0xDC80, 0xDD00)},
}
"""Signs that mean something else in a link than in the name of a file, and bytes that are none."""
_INDENT = "    "
"""What Python-Markdown and CommonMark both take for the inside of a list item with `_MARK`."""
_MARK = "-   "


@dataclass(frozen=True, slots=True)
class TargetFile:
    """The file a quote is written to."""

    uri: str
    """The page it is, by its path from the documentation's root; empty for one that is no page."""
    folder: str
    """Where it lies: an absolute path."""
    root: str
    """The documentation's root: an absolute path."""
    pages: Mapping[str, str] = field(default_factory=dict, repr=False)
    """The documentation's pages: their files, absolute paths, by uri."""
    language: str = ""
    """What it is written in; empty for the language of what is quoted."""

    def link_to(self, uri: str, anchor: str = "") -> str:
        """Return a link to a file of the documentation."""
        mark = f"#{anchor}" if anchor else ""
        if uri == self.uri and mark:
            return mark
        path = self.pages.get(uri) or os.path.join(self.root, *uri.split("/"))  # noqa: PTH118
        with suppress(ValueError):  # on another drive of Windows
            path = os.path.relpath(path, self.folder)
        path = path.replace(os.sep, "/").translate(_ENCODED)
        return f"./{path}{mark}" if ":" in path.split("/", 1)[0] else f"{path}{mark}"

    def moved(self, href: str, document: Document) -> str:
        """Return a link that stands on a page as it is written in this file; nothing for none."""
        href = rebase(href, document.url, document.url)
        if not href:
            return ""
        parts = urlsplit(href)
        if parts.scheme or parts.netloc or href.startswith("/"):
            return href
        if not parts.path and not parts.query:
            return self.link_to(document.uri, parts.fragment)
        path = unquote(urlsplit(urljoin(_SITE + document.url, href)).path).removeprefix("/")
        return self.link_to(self._page_at(path), parts.fragment)

    def _page_at(self, url: str) -> str:
        """Return the page that is served at a URL; the URL itself where it is no page."""
        base = posixpath.join(url, "index") if url.endswith("/") or not url else url
        base = base.removesuffix(".html")
        names = [url, f"{url.rstrip('/')}.md", f"{base}.md", f"{base}.html"]
        if posixpath.basename(base) == "index":
            names.append(posixpath.join(posixpath.dirname(base), "README.md"))
        return next((name for name in names if name in self.pages), url)


def render_markdown(result: Result, options: Options, file: TargetFile) -> str:
    """Return a quote as Markdown, without a line end behind it.

    Args:
        result: The passages; there is at least one.
        options: The directive's `cite`, `format`, `explain` and, for a title, `query`.
        file: The file it is written to; links lead from there.
    """
    words = notes(file.language or result.passages[0].document.language)
    parts = []
    if result.fallback:
        parts.append(f"**{words.note}:** {words.no_match}")
    found = groupby(excerpts(result, options, file.uri), key=lambda section: section.found_by)
    for found_by, sections in found:
        if found_by == "semantic":
            parts.append(f"**{words.note}:** {words.by_meaning}")
        parts.append(_quote(list(sections), options, heading_of(result, options), file))
    if options.explain:
        parts.append(explanation_list(result))
    return "\n\n".join(parts)


def _quote(sections: Sequence[Excerpt], options: Options, heading: str, file: TargetFile) -> str:
    if options.format == "list":
        items = [item for section in sections for item in _items(section, file)]
        # below an item of several blocks, Python-Markdown reads another but after a blank line
        return ("\n\n" if any("\n\n" in item for item in items) else "\n").join(items)
    blocks = [block for section in sections for block in _blocks(section, file)]
    if options.format == "admonition":
        blocks.insert(0, f"**{escape_markdown(' '.join(heading.split()))}**")
    return prefixed("\n\n".join(blocks), "> ")


def prefixed(text: str, first: str, others: str | None = None) -> str:
    """Return lines with something before each; before one that is blank without what is blank.

    Args:
        text: The lines.
        first: What stands before the first.
        others: What stands before the others; None for the same.
    """
    others = first if others is None else others
    head, *rest = text.split("\n")
    lines = [first + head, *(others + line if line else others.rstrip() for line in rest)]
    return "\n".join(lines)


def _blocks(section: Excerpt, file: TargetFile) -> Iterator[str]:
    """Yield the paragraphs, lists and code blocks of a section, and its citation."""
    for kind, group in groups(section.pieces):
        if kind == "text":
            yield from _paragraphs(group, section.document, file)
        elif kind == "item":
            yield _list(group, section.document, file)
        else:
            for piece in group:
                if piece.apart:
                    yield _DOTS
                yield _code(piece)
    if cite := _citation(section, file):
        yield cite


def _items(section: Excerpt, file: TargetFile) -> Iterator[str]:
    """Yield an item for each run of sentences that follow each other; the last has the citation."""
    found = runs(section.pieces)
    for number, run in enumerate(found, start=1):
        cited = section.cited if number == len(found) else None
        blocks = list(_blocks(section._replace(pieces=run, cited=cited), file))
        if run[0].kind == "code":  # right behind the mark, Python-Markdown reads no fence
            blocks.insert(0, _DOTS)
        yield prefixed("\n\n".join(blocks), _MARK if len(blocks) > 1 else "- ", _INDENT)


def _paragraphs(pieces: Sequence[Piece], document: Document, file: TargetFile) -> list[str]:
    """Return text in paragraphs, with "…" where something is left out."""
    found: list[str] = []
    previous: Piece | None = None
    for piece in pieces:
        text = _inline(piece, document, file)
        if previous is None:
            found.append(f"{_DOTS} {text}" if piece.apart else text)
        elif piece.apart or previous.ends:
            colon = ":" if previous.label else ""
            found[-1] += f"{colon} {_DOTS} {text}" if piece.apart else f"{colon} {text}"
        else:
            found.append(text)
        previous = piece
    return [escape_line_start(text) for text in found]


def _list(pieces: Sequence[Piece], document: Document, file: TargetFile) -> str:
    items = [
        item
        for piece in pieces
        for item in ([_DOTS] * piece.apart + [escape_line_start(_inline(piece, document, file))])
    ]
    return "\n".join(f"- {item}" for item in items)


def _code(piece: Piece) -> str:
    assert piece.chunk is not None
    return code_block(piece.chunk.block.text)


def _citation(section: Excerpt, file: TargetFile) -> str:
    passage = section.cited
    if passage is None:
        return ""
    label = escape_markdown(source_of(passage))
    return f"— {link(label, file.link_to(passage.uri, passage.anchor))}"


def _inline(piece: Piece, document: Document, file: TargetFile) -> str:
    if piece.chunk is None:
        return _DOTS
    block, start, end, _ = piece.chunk

    def href_of(mark: Mark) -> str:
        return file.moved(mark.href, document)

    written = inline(block.text, start, end, block.marks, href_of)
    return written + closing_direction_marks(block.text[start:end])
