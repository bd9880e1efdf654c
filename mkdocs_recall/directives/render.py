"""A Result → the quote's HTML: text and whitelisted marks, rebuilt; nothing is copied as HTML."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from itertools import groupby
from typing import TYPE_CHECKING, Literal, NamedTuple

from mkdocs_recall.chunks import chunks, ends, is_item
from mkdocs_recall.directives.explained import explained
from mkdocs_recall.directives.links import rebase, relative_url
from mkdocs_recall.directives.notes import notes

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mkdocs_recall.chunks import Chunk
    from mkdocs_recall.directives.options import Options
    from mkdocs_recall.result import Passage, Result
    from mkdocs_recall.text.model import Document, Heading, Mark

_TAGS = {"code": "code", "em": "em", "strong": "strong"}
_DOTS = "&hellip;"
"""By its name, as the other signs that a quote adds: one character beyond Latin-1, and a page takes
twice the memory."""


@dataclass(frozen=True, slots=True)
class Place:
    """The page a quote stands on."""

    uri: str
    """Its path from the documentation's root."""
    url: str
    """Where it is served, relative to the site's root."""
    language: str = "en"


class _Piece(NamedTuple):
    """What a quote is put together of."""

    kind: Literal["text", "item", "code"]
    html: str
    apart: bool
    """Whether something is left out before it."""
    label: bool = False
    """Whether it is a term, of which what follows speaks."""
    ends: bool = True
    """Whether it ends as a sentence does."""


def render(result: Result, options: Options, place: Place) -> str:
    """Return the HTML of a quote.

    Args:
        result: The passages; there is at least one.
        options: The directive's `name`, `cite`, `format`, `explain` and, for a title, `query`.
        place: The page the quote stands on; links lead from there.
    """
    sections = [
        _section(list(group), options, place)
        for _, group in groupby(result.in_document_order(), key=lambda p: (p.uri, p.block.section))
    ]
    name = options.name
    if options.format == "list":
        items = (item for pieces, cite in sections for item in _items(pieces, cite))
        quote = f'<ul class="{name}" data-search-exclude>\n' + "\n".join(items) + "\n</ul>"
    else:
        body = "\n".join("\n".join(_blocks(pieces, cite)) for pieces, cite in sections)
        if options.format == "admonition":
            quote = _admonition(f"quote {name}", _title(result, options), body)
        else:
            quote = f'<blockquote class="{name}" data-search-exclude>\n{body}\n</blockquote>'
    if result.fallback:
        words = notes(place.language)
        note = _admonition(f"note {name}-note", words.note, f"<p>{escape(words.no_match)}</p>")
        quote = f"{note}\n{quote}"
    return f"{quote}\n{explained(result)}" if options.explain else quote


def caution(name: str, message: str) -> str:
    """Return the block that stands in a quote's place when its author has to mend something."""
    return _admonition(f"caution danger {name}-error", name, f"<p>{escape(message)}</p>")


def _admonition(classes: str, title: str, body: str) -> str:
    return (
        f'<div class="admonition {classes}" data-search-exclude>\n'
        f'<p class="admonition-title">{escape(title)}</p>\n{body}\n</div>'
    )


def _title(result: Result, options: Options) -> str:
    """Return what an admonition is headed with: the question, or the page's title."""
    return options.query[0].text.strip() if options.query else result.passages[0].title


def _section(
    passages: Sequence[Passage], options: Options, place: Place
) -> tuple[list[_Piece], str]:
    """Return what is quoted of one section, and its citation."""
    first = passages[0]
    cited = options.cite if isinstance(options.cite, bool) else first.uri != place.uri
    return list(_pieces(passages, place)), _citation(first, place) if cited else ""


def _pieces(passages: Sequence[Passage], place: Place) -> Iterator[_Piece]:
    """Yield the pieces of what is quoted of one section; what passages share comes once."""
    document = passages[0].document
    quoted = {(s.block, s.start): s for p in passages for s in p.quotation.sentences}
    broken = {p.quotation.sentences[-1].block for p in passages if p.quotation.goes_on}
    found = chunks(document, (quoted[at] for at in sorted(quoted)))
    leads = {c.block.number for c in found if c.end == len(c.block.text)}
    for chunk in found:
        block, apart = chunk.block, chunk.apart
        if block.kind == "code":
            yield _Piece("code", _code(chunk), apart)
        elif block.lead in leads and is_item(document, block):
            yield _Piece("item", _inline(chunk, document, place), apart)
        else:
            html = _inline(chunk, document, place)
            label = block.kind == "label"
            yield _Piece("text", html, apart, label=label, ends=label or ends(chunk))
    if found[-1].block.number in broken:
        yield _Piece("item", _DOTS, apart=False)


def _blocks(pieces: Sequence[_Piece], cite: str) -> Iterator[str]:
    """Yield the paragraphs, lists and code blocks of a section."""
    closing = f"<br>\n{cite}" if cite else ""
    groups = [(kind, list(group)) for kind, group in groupby(pieces, key=lambda piece: piece.kind)]
    for number, (kind, group) in enumerate(groups, start=1):
        if kind == "text":
            yield f"<p>{_joined(group)}{closing if number == len(groups) else ''}</p>"
        elif kind == "item":
            yield _list(group)
        else:
            yield from (f"<p>{_DOTS}</p>\n{p.html}" if p.apart else p.html for p in group)
    if cite and groups[-1][0] != "text":
        yield f"<p>{cite}</p>"


def _items(pieces: Sequence[_Piece], cite: str) -> Iterator[str]:
    """Yield an item for each run of sentences that follow each other."""
    runs: list[list[_Piece]] = []
    for piece in pieces:
        if not runs or (piece.apart and piece.kind == "text" and not runs[-1][-1].label):
            runs.append([])
            piece = piece._replace(apart=False)  # noqa: PLW2901 - an item of its own is apart
        runs[-1].append(piece)
    for number, run in enumerate(runs, start=1):
        content = ""
        for kind, group in groupby(run, key=lambda piece: piece.kind):
            same = list(group)
            content += {"text": _joined, "item": _list, "code": _code_blocks}[kind](same)
        ending = ""
        if cite and number == len(runs):
            ending = f"<br>\n{cite}" if run[-1].kind == "text" else f"\n{cite}"
        yield f"<li>{content}{ending}</li>"


def _joined(pieces: Sequence[_Piece]) -> str:
    """Return text in one line, with "…" where something is left out."""
    html = ""
    previous: _Piece | None = None
    for piece in pieces:
        if previous is None:
            html = f"{_DOTS} " if piece.apart else ""
        else:
            html += ":" if previous.label else ""
            html += f" {_DOTS} " if piece.apart else " " if previous.ends else "<br>\n"
        html += piece.html
        previous = piece
    return html


def _list(pieces: Sequence[_Piece]) -> str:
    items = "".join(
        f"<li>{_DOTS}</li>\n<li>{piece.html}</li>\n" if piece.apart else f"<li>{piece.html}</li>\n"
        for piece in pieces
    )
    return f"<ul>\n{items}</ul>"


def _code_blocks(pieces: Sequence[_Piece]) -> str:
    return "\n".join(piece.html for piece in pieces)


def _code(chunk: Chunk) -> str:
    return f"<pre><code>{escape(chunk.block.text, quote=False)}\n</code></pre>"


def _citation(passage: Passage, place: Place) -> str:
    block, label = passage.block, passage.title
    anchor, heading = block.anchor, block.heading
    target = passage.document.url + (f"#{anchor}" if anchor else "")
    if heading and not _opens_page(label, block.headings[-1]):
        label += f" › {heading}"
    label = escape(label, quote=False).replace(" › ", " &rsaquo; ")
    href = relative_url(target, place.url)
    return f'<cite>&mdash; <a href="{escape(href)}">{label}</a></cite>'


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


def _inline(chunk: Chunk, document: Document, place: Place) -> str:
    """Rebuild the inline HTML of sentences that follow each other, from text and marks."""
    block, start, end, _ = chunk
    text = block.text
    marks = [mark for mark in block.marks if mark.start < end and mark.end > start]
    if not marks:
        return escape(text[start:end], quote=False)
    out: list[str] = []
    at = start
    open_tags: list[tuple[int, str]] = []

    def upto(position: int) -> None:
        nonlocal at
        if position > at:
            out.append(escape(text[at:position], quote=False))
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
        upto(mark_start)
        out.append(opening)
        open_tags.append((min(mark_end, open_tags[-1][0] if open_tags else end), closing))
    close(end)
    upto(end)
    return "".join(out)


def _tags(mark: Mark, document: Document, place: Place) -> tuple[str, str]:
    if mark.role != "link":
        tag = _TAGS[mark.role]
        return f"<{tag}>", f"</{tag}>"
    href = rebase(mark.href, document.url, place.url)
    return (f'<a href="{escape(href)}">', "</a>") if href else ("", "")
