"""A Result → the quote's HTML: text and whitelisted marks, rebuilt; nothing is copied as HTML."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from mkdocs_recall.messages import single_line
from mkdocs_recall.rendering.escape import closing_direction_marks, escape_html
from mkdocs_recall.rendering.excerpts import excerpts, groups, heading_of, runs, source_of
from mkdocs_recall.rendering.explain import explanation_table
from mkdocs_recall.rendering.links import rebase, relative_url
from mkdocs_recall.rendering.notes import notes

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mkdocs_recall.directives.schema import Options
    from mkdocs_recall.rendering.excerpts import Excerpt, Piece
    from mkdocs_recall.rendering.notes import Notes
    from mkdocs_recall.retrieval.result import Result
    from mkdocs_recall.text.model import Document, Mark

_TAGS = {"code": "code", "em": "em", "strong": "strong"}
_DOTS = "&hellip;"
"""By its name, as the other signs that a quote adds: one character beyond Latin-1, and a page takes
twice the memory."""


@dataclass(frozen=True, slots=True)
class QuotingPage:
    """The page a quote stands on."""

    uri: str
    """Its path from the documentation's root."""
    url: str
    """Where it is served, relative to the site's root."""
    language: str = "en"


def render(result: Result, options: Options, place: QuotingPage) -> str:
    """Return the HTML of a quote.

    Args:
        result: The passages; there is at least one.
        options: The directive's `name`, `cite`, `format`, `explain` and, for a title, `query`.
        place: The page the quote stands on; links lead from there.
    """
    words = notes(place.language)
    parts = []
    if result.fallback:
        parts.append(_note(words, words.no_match))
    found = groupby(excerpts(result, options, place.uri), key=lambda section: section.found_by)
    for found_by, sections in found:
        classes = options.name
        if found_by == "semantic":
            classes += f" {classes}-semantic"
            parts.append(_note(words, words.by_meaning))
        parts.append(_quote(list(sections), classes, options, heading_of(result, options), place))
    if options.explain:
        parts.append(explanation_table(result))
    return "\n".join(parts)


def _quote(
    sections: Sequence[Excerpt], classes: str, options: Options, heading: str, place: QuotingPage
) -> str:
    if options.format == "list":
        items = (item for section in sections for item in _items(section, place))
        return f'<ul class="{classes}" data-search-exclude>\n' + "\n".join(items) + "\n</ul>"
    body = "\n".join("\n".join(_blocks(section, place)) for section in sections)
    if options.format == "admonition":
        return _admonition(f"quote {classes}", heading, body)
    return f'<blockquote class="{classes}" data-search-exclude>\n{body}\n</blockquote>'


def _note(words: Notes, text: str) -> str:
    """Return what a reader is told before a quote; only a recall has such."""
    return _admonition("note recall-note", words.note, f"<p>{escape_html(text, quote=True)}</p>")


def caution(name: str, message: str) -> str:
    """Return the block that stands in a quote's place when its author has to mend something."""
    text = escape_html(single_line(message), quote=True)
    return _admonition(f"caution danger {name}-error", name, f"<p>{text}</p>")


def _admonition(classes: str, title: str, body: str) -> str:
    return (
        f'<div class="admonition {classes}" data-search-exclude>\n'
        f'<p class="admonition-title">{escape_html(title, quote=True)}</p>\n{body}\n</div>'
    )


def _blocks(section: Excerpt, place: QuotingPage) -> Iterator[str]:
    """Yield the paragraphs, lists and code blocks of a section."""
    cite = _citation(section, place)
    closing = f"<br>\n{cite}" if cite else ""
    parts = groups(section.pieces)
    for number, (kind, group) in enumerate(parts, start=1):
        if kind == "text":
            text = _joined(group, section.document, place)
            yield f"<p>{text}{closing if number == len(parts) else ''}</p>"
        elif kind == "item":
            yield _list(group, section.document, place)
        else:
            yield from (f"<p>{_DOTS}</p>\n{_code(p)}" if p.apart else _code(p) for p in group)
    if cite and parts[-1][0] != "text":
        yield f"<p>{cite}</p>"


def _items(section: Excerpt, place: QuotingPage) -> Iterator[str]:
    """Yield an item for each run of sentences that follow each other."""
    cite = _citation(section, place)
    found = runs(section.pieces)
    for number, run in enumerate(found, start=1):
        content = "".join(
            _GROUPS[kind](group, section.document, place) for kind, group in groups(run)
        )
        ending = ""
        if cite and number == len(found):
            ending = f"<br>\n{cite}" if run[-1].kind == "text" else f"\n{cite}"
        yield f"<li>{content}{ending}</li>"


def _joined(pieces: Sequence[Piece], document: Document, place: QuotingPage) -> str:
    """Return text in one line, with "…" where something is left out."""
    html = ""
    previous: Piece | None = None
    for piece in pieces:
        if previous is None:
            html = f"{_DOTS} " if piece.apart else ""
        else:
            html += ":" if previous.label else ""
            html += f" {_DOTS} " if piece.apart else " " if previous.ends else "<br>\n"
        html += _inline(piece, document, place)
        previous = piece
    return html


def _list(pieces: Sequence[Piece], document: Document, place: QuotingPage) -> str:
    items = "".join(
        f"<li>{_DOTS}</li>\n" * piece.apart + f"<li>{_inline(piece, document, place)}</li>\n"
        for piece in pieces
    )
    return f"<ul>\n{items}</ul>"


def _code_blocks(pieces: Sequence[Piece], _document: Document, _place: QuotingPage) -> str:
    return "\n".join(map(_code, pieces))


def _code(piece: Piece) -> str:
    assert piece.chunk is not None
    return f"<pre><code>{escape_html(piece.chunk.block.text)}\n</code></pre>"


_GROUPS = {"text": _joined, "item": _list, "code": _code_blocks}


def _citation(section: Excerpt, place: QuotingPage) -> str:
    passage = section.cited
    if passage is None:
        return ""
    label = escape_html(source_of(passage)).replace(" › ", " &rsaquo; ")
    target = passage.document.url + (f"#{passage.anchor}" if passage.anchor else "")
    href = relative_url(target, place.url)
    return f'<cite>&mdash; <a href="{escape_html(href, quote=True)}">{label}</a></cite>'


def _inline(piece: Piece, document: Document, place: QuotingPage) -> str:
    """Rebuild the inline HTML of sentences that follow each other, from text and marks."""
    if piece.chunk is None:
        return _DOTS
    block, start, end, _ = piece.chunk
    text = block.text
    marks = [mark for mark in block.marks if mark.start < end and mark.end > start]
    if not marks:
        return escape_html(text[start:end]) + closing_direction_marks(text[start:end])
    out: list[str] = []
    at = start
    open_tags: list[tuple[int, str]] = []

    def upto(position: int) -> None:
        nonlocal at
        if position > at:
            out.append(escape_html(text[at:position]))
            at = position

    def close(position: int) -> None:
        while open_tags and open_tags[-1][0] <= position:
            mark_end, tag = open_tags.pop()
            upto(mark_end)
            out.append(tag)

    for mark in marks:
        mark_start, mark_end = max(start, mark.start), min(end, mark.end)
        opening, closing = _tags(mark, document, place)
        if mark_start >= mark_end or not opening:
            continue
        close(mark_start)
        if closing == "</a>" and any(tag == closing for _, tag in open_tags):
            continue  # a cell in a link may hold another
        upto(mark_start)
        out.append(opening)
        open_tags.append((min(mark_end, open_tags[-1][0] if open_tags else end), closing))
    close(end)
    upto(end)
    return "".join(out) + closing_direction_marks(text[start:end])


def _tags(mark: Mark, document: Document, place: QuotingPage) -> tuple[str, str]:
    if mark.role != "link":
        tag = _TAGS[mark.role]
        return f"<{tag}>", f"</{tag}>"
    href = rebase(mark.href, document.url, place.url)
    return (f'<a href="{escape_html(href, quote=True)}">', "</a>") if href else ("", "")
