"""The HTML of a quote, rebuilt from text and marks, and cleaned.

Quoted code keeps the classes that the site's own highlighter gave its tokens, so none has to be
run. A quote is written section by section, each a run of pieces: consecutive sentences of a block.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from html import unescape
from itertools import chain, groupby
from operator import attrgetter
from typing import Final, TypeAlias
from urllib.parse import quote

from msgspec import Struct
from msgspec.structs import replace

from mkdocs_recall.answers.links import (
    SECTION_CLASS,
    TOKEN,
    closing_direction_marks,
    escape_html,
    link_from,
    relative_url,
)
from mkdocs_recall.answers.notes import notes
from mkdocs_recall.answers.whitelist import clean_quote
from mkdocs_recall.messages import one_line, single_line
from mkdocs_recall.options import Options, RecallOptions
from mkdocs_recall.ranking.quotation import (
    Piece,
    Quotation,
    cells_of,
    has_end,
    is_item,
    list_item,
    pieces_of,
    title_of,
)
from mkdocs_recall.ranking.result import (
    FoundBy,
    Passage,
    Result,
    heading_block,
    headings_within,
    quoted_sections,
    receipt_record,
    url_of,
)
from mkdocs_recall.ranking.scores import Explanation
from mkdocs_recall.text.language import is_right_to_left
from mkdocs_recall.text.model import (
    ICON,
    IN_ROWS,
    LETTERED,
    LIST_TYPES,
    POWER,
    Block,
    Document,
    Heading,
    Mark,
    Role,
    lead_ins,
)
from mkdocs_recall.text.runs import ROLES, class_of, code_text, without_line_numbers
from mkdocs_recall.text.tags import is_drawn_icon, is_font_icon

_BLOCK: Final = re.compile(r"<pre\b[^<>]*>")
_BOX_REACH: Final = 500
"""Characters before a code block in which its box is looked for."""
_TITLE: Final = re.compile(r'<span class="filename">([^<>]*)</span>')
_NUMBERS: Final = '<div class="linenodiv">'
"""Opens a separate column of line numbers."""
_LANGUAGE: Final = re.compile(
    r'<(?:div|pre|code) class="(?:[^"]* )?(language-(?!(?:recall|synopsis)\b)[\w+#.-]{1,30})[ "]'
)
_BOX_CLASSES: Final = ("highlight", "codehilite", "chroma")
"""The classes of boxes whose styles colour tokens."""
_EMPTY: Final = re.compile(r'<span class="[^"]*"></span>')
_NO_TOKENS: Final = frozenset({"", "w"})  # white space
Code: TypeAlias = tuple[str, str, str, list[str]]
"""The HTML, the box, the language and the boxed titles of a code block."""
_LANGUAGE_TAG: Final = re.compile(r"[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{2,8})*", re.ASCII)


@lru_cache(maxsize=1)  # most code in a quote comes from one page
def _code_by_text(html: str) -> dict[str, Code]:
    blocks: dict[str, Code] = {}
    number_column = ""
    for part in html.split("</pre>")[:-1]:  # one expression for all takes quadratic time
        if (tag := _BLOCK.search(part)) is None:
            continue
        before = part[: tag.start()][-_BOX_REACH:].rpartition("</code>")[2]
        if before.endswith(_NUMBERS):
            number_column = before
            continue
        opening = f"{number_column}{before}{tag[0]}"
        inner = part[tag.end() :]
        number_column = ""
        box = max(_BOX_CLASSES, key=lambda name: opening.rfind(f'{name}"'))
        language = "".join(_LANGUAGE.findall(opening + inner)[-1:])
        *_, titles = blocks.setdefault(code_text(inner), (inner, box, language, []))
        titles.extend(map(unescape, _TITLE.findall(opening)[-1:]))
    return blocks


def _tokens(html: str, code: str, start: int, end: int) -> str:
    # HTML from no highlighter may have a different text: then the result is empty.
    parts = TOKEN.findall(without_line_numbers(html))
    texts = ["\n" if name == "br" else unescape(text) for _, _, name, _, text in parts]
    done = -"".join(texts).find(code)
    if done > 0:
        return ""
    output: list[str] = []
    opened: list[str] = []
    for (_, closes, name, attributes, _), text in zip(parts, texts, strict=True):
        if name == "span":
            is_token = (token := class_of(attributes)) not in _NO_TOKENS
            output.append(f'<span class="{token}">' if is_token else "")
            opened.append("</span>" if is_token else "")
        elif closes == "span" and opened:
            output.append(opened.pop())
        if text:
            output.append(escape_html(text[max(0, start - done) : max(0, end - done)]))
            done += len(text)
            if done >= end:
                break
    return _EMPTY.sub("", "".join([*output, *reversed(opened)]))


_MAX_LENGTH: Final = 120
_DECIMALS: Final = 3


def _explanation_table(result: Result) -> str:
    candidates = [(passage, "") for passage in result.passages]
    limit = "max_words" if "'max_words'" in result.why else "max_tokens"
    candidates += [(passage, f"left out: it would exceed '{limit}'") for passage in result.left_out]
    candidates += [(lost.passage, f"not chosen: {lost.reason}") for lost in result.lost]
    rows = [_row(passage, reason) for passage, reason in candidates]
    why = "".join(
        f"<p>{escape_html(note)}</p>\n"
        for note in [*filter(None, [result.why]), *(f"Doubt: {doubt}." for doubt in result.doubts)]
    )
    return (
        '<details class="recall-explain" data-search-exclude>\n'
        f"<summary>How {escape_html(result.scorer)} chose</summary>\n{why}"
        "<table>\n<thead><tr><th>Rank</th><th>Sentence</th><th>Score</th><th>Why</th></tr></thead>\n"
        f"<tbody>\n{''.join(rows)}</tbody>\n</table>\n</details>"
    )


def _row(passage: Passage, reason: str) -> str:
    text = one_line(passage.sentence.text, limit=_MAX_LENGTH)
    text += closing_direction_marks(text)
    source = one_line(passage.source)
    why = (f"<p>{escape_html(reason)}</p>" if reason else "") + _tree(passage.explanation)
    return (
        f"<tr><td>{'' if reason else passage.rank}</td>"
        f"<td>{escape_html(text)}<br>\n<code>{escape_html(source)}</code></td>"
        f"<td>{passage.score:.{_DECIMALS}f}</td><td>{why}</td></tr>\n"
    )


def _tree(explanation: Explanation) -> str:
    description = escape_html(explanation.description)
    parts = _shown_parts(explanation)
    if not parts:
        return description
    items = "".join(f"<li>{part.value:+.{_DECIMALS}f} {_tree(part)}</li>" for part in parts)
    return f"{description}\n<ul>{items}</ul>"


def _shown_parts(explanation: Explanation) -> list[Explanation]:
    """Return the parts of a value, those that round to zero as one."""
    parts = [part for part in explanation.parts if round(part.value, _DECIMALS)]
    remainder = sum(part.value for part in explanation.parts if part not in parts)
    if round(remainder, _DECIMALS):
        parts.append(Explanation(remainder, "everything else"))
    return parts


_TAGS: Final[dict[Role, tuple[str, str]]] = {
    **{
        role: (f"<{role}>", f"</{role}>") for role in ROLES.values() if role not in {"abbr", "link"}
    },
    "formula": ('<span class="arithmatex">', "</span>"),
}
_AFTER_PICTURES: Final = " .,:;!?)]}\u2026\u3002\uff0c\u3001"
_BOXES: Final = {"[ ]": "\u2610", "[x]": "\u2611"}
_DOTS: Final = "\u2026"


def _joins(headers: list[str], others: list[str]) -> bool:
    """Tell whether rows with these headers may be in one table."""
    few, many = sorted((headers, others), key=len)
    return few == many or (set(few) < set(many) and len(set(many)) == len(many))


class Excerpt(Struct, frozen=True):
    """The quoted parts of one section, and the page they are written to."""

    document: Document
    page: QuotingPage
    pieces: Sequence[Piece]
    cited: Block | None
    """The block that the citation links to; None without a citation."""
    found_by: FoundBy


def _excerpts(result: Result, options: Options, page: QuotingPage) -> Iterator[Excerpt]:
    for first, quotation in quoted_sections(result.in_document_order()):
        is_cited = options.cite if isinstance(options.cite, bool) else first.uri != page.uri
        quoted = [*_pieces(first.document, quotation, page)]
        cited = first.block if is_cited else None
        yield Excerpt(first.document, page, quoted, cited, first.found_by)


def _section_parts(quoted: Sequence[Excerpt], options: RecallOptions) -> Iterator[str]:
    """Yield a whole section, written from its text; its own heading has the level 1."""
    seen: set[Heading] = set()
    for excerpt in quoted:
        block = excerpt.pieces[0].block
        for level, heading in headings_within(block, options.section or ""):
            if heading not in seen:
                yield f"<h{level}>{escape_html(heading.text)}</h{level}>"
        seen.update(block.headings)
        pieces = [*_section_pieces(excerpt)]
        yield from _blocks(replace(excerpt, pieces=pieces, cited=None))


def _section_pieces(excerpt: Excerpt) -> Iterator[Piece]:
    for piece in excerpt.pieces:
        items = piece.items
        is_text = piece.kind == "text" and not items and not piece.label
        if is_text and is_item(excerpt.document, piece.block):
            items = list_item(piece.block)
        yield replace(piece, items=items, opens_line=is_text or piece.opens_line)


def _paragraphs(pieces: Iterable[Piece]) -> Iterator[list[Piece]]:
    paragraph: list[Piece] = []
    for piece in pieces:
        if paragraph:
            last = paragraph[-1].block
            is_line = last.top == piece.block.top and not has_end(last.text)
            is_apart = piece.apart and not piece.opens_line
            if not (paragraph[-1].label or is_line or is_apart or last is piece.block):
                yield paragraph
                paragraph = []
        paragraph.append(piece)
    yield paragraph


def _group_by_kind(pieces: Sequence[Piece], depth: int = 0) -> list[tuple[str, list[Piece]]]:
    """Return each run of pieces of one kind, within `depth` list items."""

    def key(piece: Piece) -> tuple[str, int]:
        items = piece.items[depth : depth + 1]
        return ("list", items[0].list) if items else (piece.kind, 0)

    return [(kind, list(group)) for (kind, _), group in groupby(pieces, key=key)]


def _split_runs(pieces: Sequence[Piece]) -> list[list[Piece]]:
    """Return the runs of pieces without an omission."""
    runs: list[list[Piece]] = []
    for piece in pieces:
        last = runs[-1][-1] if runs else None
        if last is None or (
            piece.kind in {"text", "row"}
            and not (bool(last.items and piece.items) and last.items[0].list == piece.items[0].list)
            and ((piece.apart and not _leads_to(last, piece)) or last.is_dots)
        ):
            runs.append([])
            piece = replace(piece, apart=False)  # noqa: PLW2901 - a run of its own is apart
        runs[-1].append(piece)
    return runs


def _leads_to(piece: Piece, other: Piece) -> bool:
    """Tell whether a piece is another's label or lead-in."""
    leads = other.block.lead == piece.block.number and piece.end == len(piece.block.text)
    return piece.label or leads


def _title_of(result: Result, options: Options) -> str:
    if isinstance(options, RecallOptions) and options.query:
        return options.query[0].text.strip()
    return result.passages[0].title


def _citation_label(document: Document, block: Block, pieces: Sequence[Piece]) -> str:
    # A tab follows the heading above it, and precedes headings inside it.
    title = document.title
    above = [block, *lead_ins(document.blocks, block)]
    groups = [piece.block.lead for piece in pieces if piece.block.kind == "tab"]
    are_several = len({*groups}) < len(groups)
    tabs = [] if are_several else [outer for outer in above if outer.kind == "tab"]
    names = [tab.text for tab in reversed(tabs) if tab.section < block.section]
    if block.heading and not _is_title(block.headings[-1], title):
        names.append(block.heading)
    names += [tab.text for tab in reversed(tabs) if tab.section == block.section]
    publisher = document.publisher
    site = [publisher.title] if publisher and publisher.title != title else []
    return " › ".join((*site, title, *names))


def _pieces(document: Document, quotation: Quotation, page: QuotingPage) -> Iterator[Piece]:
    """Yield pieces, without the titles of code that the boxes around it show."""
    quoted = [*pieces_of(document, quotation)]
    code = [piece.block for piece in quoted if piece.kind == "code"]
    boxed = {title.number for block in code if (title := page.box_title(document, block))}
    is_apart = False  # whether a title that is left out has an omission above it
    for piece in quoted:
        if piece.block.number in boxed:
            is_apart = piece.apart
            continue
        yield replace(piece, apart=piece.apart or is_apart)
        is_apart = False


def _is_title(heading: Heading, title: str) -> bool:
    # The title may be longer: it includes the names of images in the heading.
    if heading.text == title:
        return True
    if heading.level != 1:
        return False
    whole, text = ("".join(filter(str.isalnum, t)) for t in (title, heading.text))
    return bool(text) and whole.startswith(text)


class QuotingPage(Struct, frozen=True):
    """The target of a quote: a page of the site, or another place."""

    uri: str
    """The path of the page from the documentation's root; empty for no page."""
    url: str = ""
    """Its URL, relative to the site's root."""
    language: str = "en"
    """Its language; empty for the language of the quoted text."""
    site: str | None = None
    """The site's name; None for quotes without receipts."""
    html_of: Callable[[str], str] | None = None
    """Returns the HTML of a page by its uri, or an empty text; None if no page has any."""

    def cite(self, document: Document, anchor: str) -> str:
        """Return a link to a section, or to a page without an anchor; empty for none."""
        url = url_of(document, anchor)
        return relative_url(url, self.url) if document.publisher is None or url else ""

    def code(self, uri: str, text: str) -> Code:
        """Return a code block of a page."""
        blocks = _code_by_text(self.html_of(uri)) if self.html_of else {}
        return blocks.get(text, ("", "", "", []))

    def box_title(self, document: Document, code: Block) -> Block | None:
        """Return the title of a code block if the box around it shows it."""
        *_, titles = self.code(document.uri, code.text)
        return title if (title := title_of(document, code)) and title.text in titles else None

    def rebase(self, href: str, document: Document) -> str:
        """Return a link of a page as this page writes it; empty if dropped."""
        return link_from(document, href, self.url)


def render(result: Result, options: Options, page: QuotingPage) -> str:
    """Return the HTML of a quote.

    Args:
        result: The passages; there is at least one.
        options: The directive's `name`, `cite`, `format`, `explain` and, for a title, `query`.
        page: The page with the quote; links lead from there.
    """
    if isinstance(options, RecallOptions) and options.section is not None:
        return _section(result, options, page)
    texts = notes(page.language or result.passages[0].document.language)
    parts = []
    if result.fallback:
        parts.append(reader_note(texts, texts["no_match"]))
    for found_by, group in groupby(_excerpts(result, options, page), key=attrgetter("found_by")):
        classes = options.name
        if found_by == "semantic":
            classes += f" {classes}-semantic"
            parts.append(reader_note(texts, texts["by_meaning"]))
        sections = [*group]
        attributes = _language(sections, page) + _receipts(result, found_by, page)
        title = _title_of(result, options)
        parts.append(_quote(sections, options, classes, attributes=attributes, title=title))
    if options.explain:
        parts.append(_explanation_table(result))
    return clean_quote("\n".join(parts))


def caution(name: str, message: str, *, language: str = "en") -> str:
    """Return the block that replaces a quote whose directive has an error."""
    text = escape_html(single_line(message), quote=True)
    title = notes(language)["error"]
    return _admonition(f"caution danger {name}-error", title, f"<p>{text}</p>")


def _language(sections: Sequence[Excerpt], page: QuotingPage) -> str:
    languages = {section.document.language for section in sections}
    language = languages.pop() if len(languages) == 1 else page.language
    return _foreign(language, _direction(language), page.language)


def _receipts(result: Result, found_by: FoundBy, page: QuotingPage) -> str:
    """Return the receipts as attributes, one `uri#anchor:line:digest` for each passage."""
    if page.site is None:
        return ""
    records = [
        receipt_record(passage, page.site)
        for passage in result.in_document_order()
        if passage.found_by == found_by
    ]
    receipts = " ".join(
        f"{quote(r['uri'])}#{quote(r['anchor'])}:{r['line'] or ''}:{r['digest']}" for r in records
    )
    site, version = (escape_html(r, quote=True) for r in (page.site, records[0]["version"]))
    return (
        f' data-recall-site="{site}" data-recall-version="{version}"'
        f' data-recall-receipts="{receipts}"'
    )


_ELEMENTS: Final = {
    "blockquote": "blockquote",
    "list": "ul",
    "admonition": "div",
    "plain": "section",
}


def _quote(
    sections: Sequence[Excerpt], options: Options, classes: str, *, attributes: str, title: str
) -> str:
    # Material's search takes an inner end tag of the same name for the end of the excluded element.
    # Such a quote gets a `section` around it, an element that no quote holds.
    write = _items if options.format == "list" else _blocks
    body = "\n".join(chain.from_iterable(map(write, sections)))
    tag = _ELEMENTS[options.format]
    unsearched = f" data-search-exclude{attributes}"
    inner, outer = ("", unsearched) if f"<{tag}" in body else (unsearched, "")
    if options.format == "admonition":
        box = _admonition(f"quote {classes}", title, body, inner)
    else:
        box = f'<{tag} class="{classes}"{inner}>\n{body}\n</{tag}>'
    return f'<section class="{classes}"{outer}>\n{box}\n</section>' if outer else box


def _section(result: Result, options: RecallOptions, page: QuotingPage) -> str:
    """Return a whole section, for `fitted`: from its page's HTML if that agrees, else its text."""
    from mkdocs_recall.answers.section import in_box, section_html

    quoted = [*_excerpts(result, options, page)]
    html = section_html(result, options, page.html_of, page.rebase) if page.html_of else ""
    parts = [] if html else [*_section_parts(quoted, options)]
    cited = quoted[0].cited and heading_block(quoted[0].cited, options.section or "")
    if cite := _citation(replace(quoted[0], cited=cited)):
        parts.append(f"<p>{cite}</p>")
    written = clean_quote("\n".join(parts))
    if options.format == "admonition":
        title = f'<p class="admonition-title">{escape_html(_title_of(result, options))}</p>'
        html = "\n".join(filter(None, [clean_quote(title), html]))
    body = in_box("\n".join(filter(None, [html, written])), options.format)
    classes = f"{options.name} {SECTION_CLASS}"
    attributes = _language(quoted, page) + _receipts(result, "lexical", page)
    return f'<section class="{classes}" data-search-exclude{attributes}>\n{body}\n</section>'


def backlinks(links: Iterable[tuple[str, str]], language: str) -> str:
    """Return the folded list of pages that quote a page, for the end of that page.

    Args:
        links: URL and title of each page.
        language: That of the quoted page.
    """
    items = "".join(
        f'<li><a href="{escape_html(url, quote=True)}">{_escape_label(title)}</a></li>\n'
        for url, title in links
    )
    return (
        '<details class="recall-backlinks" data-search-exclude>\n'
        f"<summary>{notes(language)['quoted_by']}</summary>\n<ul>\n{items}</ul>\n</details>"
    )


def reader_note(texts: Mapping[str, str], text: str) -> str:
    """Return a note for readers, above or instead of a quote."""
    return clean_quote(
        _admonition("note recall-note", texts["note"], f"<p>{escape_html(text)}</p>")
    )


def _admonition(
    classes: str, title: str, body: str, attributes: str = " data-search-exclude"
) -> str:
    return (
        f'<div class="admonition {classes}"{attributes}>\n'
        f'<p class="admonition-title">{escape_html(title, quote=True)}'
        f"{closing_direction_marks(title)}</p>\n{body}\n</div>"
    )


def _blocks(section: Excerpt) -> Iterator[str]:
    cite = _citation(section)
    ending = f"<br>\n{cite}" if cite else ""
    groups = _group_by_kind(section.pieces)
    for number, (kind, pieces) in enumerate(groups, start=1):
        if kind != "text":
            yield _RENDERERS[kind](pieces, section)
            continue
        *others, last = (_text(part, section) for part in _paragraphs(pieces))
        yield from (f"<p>{html}</p>" for html in others)
        yield f"<p>{last}{ending if number == len(groups) else ''}</p>"
    if cite and groups[-1][0] != "text":
        yield f"<p>{cite}</p>"


def _items(section: Excerpt) -> Iterator[str]:
    cite = _citation(section)
    runs = _split_runs(section.pieces)
    for number, run in enumerate(runs, start=1):
        content = "".join(_RENDERERS[kind](pieces, section) for kind, pieces in _group_by_kind(run))
        ending = ""
        if cite and number == len(runs):
            is_text = run[-1].kind == "text" and not run[-1].items
            ending = f"<br>\n{cite}" if is_text else f"\n{cite}"
        yield f"<li>{content}{ending}</li>"


def _lines(pieces: Sequence[Piece], section: Excerpt) -> str:
    return "<br>\n".join(_text(part, section) for part in _paragraphs(pieces))


def _text(pieces: Sequence[Piece], section: Excerpt) -> str:
    html = ""
    previous: Piece | None = None
    for piece in pieces:
        if previous is None:
            html = f"{_DOTS} " if piece.apart else ""
        else:
            html += previous.colon
            separator = "<br>\n" if piece.opens_line else " "
            html += f" {_DOTS} " if piece.apart else separator
        html += _inline(piece, section)
        previous = piece
    return html


def _list(pieces: Sequence[Piece], section: Excerpt, depth: int = 0) -> str:
    html = ""
    last = None
    for _, members in groupby(pieces, key=lambda piece: piece.items[depth].position):
        parts = list(members)
        item = parts[0].items[depth]
        apart, parts[0] = parts[0].apart, replace(parts[0], apart=False)
        value = ""
        if not item.number:
            if apart and last is None and item.position == 0:  # the omission is above the list
                html, apart = f"<p>{_DOTS}</p>\n", False
            if last is None:
                html += "<ul>\n"
            if apart:
                html += f"<li>{_DOTS}</li>\n"
        elif last is None or apart:
            if last is not None:
                html += "</ol>\n"
            html += f"{_dots_above(apart=apart)}{_numbered_list(item.number)}\n"
        elif item.number != last.number + 1:
            value = f' value="{item.number % LETTERED}"'
        contents = (
            "\n" + _list(group, section, depth + 1)
            if kind == "list"
            else _RENDERERS[kind](group, section)
            for kind, group in _group_by_kind(parts, depth + 1)
        )
        html += f"<li{value}>{''.join(contents)}</li>\n"
        last = item
    return html + ("</ol>" if last and last.number else "</ul>")


def _numbered_list(first: int) -> str:
    case, number = divmod(first, LETTERED)
    letter = f' type="{LIST_TYPES[case]}"' if 0 < case < len(LIST_TYPES) else ""
    return f"<ol{letter}>" if number == 1 else f'<ol{letter} start="{number}">'


def _dots_above(*, apart: bool) -> str:
    return f"<p>{_DOTS}</p>\n" if apart else ""


def _titles(pieces: Sequence[Piece], section: Excerpt) -> str:
    titles = []
    for piece in pieces:
        dots = f"{_DOTS} " if piece.apart else ""
        titles.append(f"<p>{dots}{_inline(piece, section)}</p>")
    return "\n".join(titles)


def _tables(pieces: Sequence[Piece], section: Excerpt) -> str:
    # A text lacks the empty cells of its row, so rows of one table may have different headers.
    tables: list[tuple[list[str], list[Piece]]] = []
    for piece in pieces:
        headers = [header for header, _, _ in cells_of(piece.block)]
        if not (tables and _joins(headers, tables[-1][0])):
            tables.append((headers, []))
        elif len(headers) > len(tables[-1][0]):
            tables[-1][0][:] = headers
        tables[-1][1].append(piece)
    return "\n".join(_table(*table, section) for table in tables)


def _table(headers: list[str], pieces: Iterable[Piece], section: Excerpt) -> str:
    rows = f"<thead><tr>{''.join(f'<th>{escape_html(h)}</th>' for h in headers)}</tr></thead>"
    rows += "\n<tbody>\n"
    for piece in pieces:
        if piece.apart or piece.is_dots:
            rows += f"<tr><td>{_DOTS}</td></tr>\n"
        if piece.is_dots:
            continue
        cells = cells_of(piece.block)
        by_header = {cell[0]: cell for cell in cells}
        is_full = len(cells) == len(headers)
        columns = cells if is_full else [by_header.get(header) for header in headers]
        spans = (replace(piece, start=cell[1], end=cell[2]) if cell else None for cell in columns)
        written = (_inline(span, section) if span else "" for span in spans)
        rows += f"<tr>{''.join(f'<td>{column}</td>' for column in written)}</tr>\n"
    # for the keyboard, since it may scroll
    return f'<table class="recall-table" tabindex="0">\n{rows}</tbody>\n</table>'


def _code_blocks(pieces: Sequence[Piece], section: Excerpt) -> str:
    return "\n".join(_dots_above(apart=piece.apart) + _code(piece, section) for piece in pieces)


def _code(piece: Piece, section: Excerpt) -> str:
    block, start, end = piece.block, piece.start, piece.end
    if piece.is_dots:
        return f"<p>{_DOTS}</p>"
    inner, box, language, _ = section.page.code(section.document.uri, block.text)
    tag = f'<code class="{language}">' if language else "<code>"
    tokens = _tokens(inner, block.text, start, end) if "<span" in inner else ""
    is_coloured = "<span" in tokens
    code = tokens if is_coloured else escape_html(block.text[start:end])
    html = f"<pre>{tag}{code}\n</code></pre>"
    if title := section.page.box_title(section.document, block):
        html = f'<span class="filename">{escape_html(title.text)}</span>\n{html}'
    return f'<div class="{box}">{html}</div>' if title or is_coloured else html


def _figures(pieces: Sequence[Piece], section: Excerpt) -> str:
    figures = ""
    for piece in pieces:
        dots = _dots_above(apart=piece.apart)
        block = piece.block
        tags = _FIGURES.get(block.marks[0].role) if block.marks else None
        if tags:
            figures += f"{dots}{tags[0]}{escape_html(block.text)}{tags[1]}"
        else:
            figures += f"{dots}<p>{_inline(piece, section)}</p>"
    return figures


_FIGURES: Final[dict[Role, tuple[str, str]]] = {
    "formula": ('<div class="arithmatex">', "</div>"),
    "diagram": ('<pre class="mermaid"><code>', "</code></pre>"),
}
_RENDERERS: Final = {
    "text": _lines,
    "list": _list,
    "figure": _figures,
    "row": _tables,
    "title": _titles,
    "code": _code_blocks,
}


def _citation(section: Excerpt) -> str:
    document, block = section.document, section.cited
    if block is None:
        return ""
    label = _escape_label(_citation_label(document, block, section.pieces))
    publisher = document.publisher
    if href := section.page.cite(document, block.anchor):
        label = f'<a href="{escape_html(href, quote=True)}">{label}</a>'
    licence = f" ({_escape_label(publisher.licence)})" if publisher and publisher.licence else ""
    return f"<cite>\u2014 {label}{licence}</cite>"


def _escape_label(text: str) -> str:
    return escape_html(text) + closing_direction_marks(text)


def _inline(piece: Piece, section: Excerpt) -> str:
    block, start, end = piece.block, piece.start, piece.end
    if piece.is_dots:
        return _DOTS
    text = block.text
    marks = [
        mark
        for mark in block.marks
        # if only in part; a picture may have no text
        if mark.start < end and (mark.end > start or start == mark.start)
        if mark.role not in IN_ROWS
    ]
    html = _marked((text, start, end), marks, section) if marks else ""
    return (html or escape_html(text[start:end])) + closing_direction_marks(text[start:end])


def _marked(span: tuple[str, int, int], marks: Sequence[Mark], section: Excerpt) -> str:
    text, start, end = span
    output: list[str] = []
    opened: list[tuple[int, str]] = []  # where each element ends, and its end tag
    done = start  # up to where the text is written

    def write_text(position: int) -> None:
        nonlocal done
        if position > done:
            output.append(escape_html(text[done:position]))
            done = position

    def close(position: int) -> None:
        while opened and opened[-1][0] <= position:
            write_text(opened[-1][0])
            output.append(opened.pop()[1])

    for mark in marks:
        first, last = max(start, mark.start), min(end, mark.end)
        is_shown = first >= done  # else it is in a picture
        start_tag, end_tag = _tags(mark, text, section) if is_shown else ("", "")
        if not start_tag:
            continue
        close(first)
        if end_tag == "</a>" and any(tag == end_tag for _, tag in opened):
            continue  # a cell in a link may have another link in it
        write_text(first)
        output.append(start_tag)
        if not end_tag:
            done = last
            # a picture without text is apart from the words around it
            is_apart = first == last and text[first - 1 : first] in {"", " "}
            needs_space = is_apart and first < end and text[first] not in _AFTER_PICTURES
            output.append(" " if needs_space else "")
            continue
        if mark.role == "sup" and text[first] == POWER and first == mark.start:
            done += 1
        # a mark that overlaps the end of the one around it ends with that
        opened.append((min(last, opened[-1][0] if opened else end), end_tag))
    close(end)
    write_text(end)
    return "".join(output)


def _tags(mark: Mark, text: str, section: Excerpt) -> tuple[str, str]:
    """Return the start tag and the end tag of a mark; without the second, what replaces it."""
    role, href = mark.role, mark.href
    if role in _TAGS:
        start_tag, end_tag = _TAGS[role]
        return (f"{start_tag}{escape_html(href)}{end_tag}", "") if href else (start_tag, end_tag)
    if role == "link":
        target = section.page.rebase(href, section.document)
        return (f'<a href="{escape_html(target, quote=True)}">', "</a>") if target else ("", "")
    if role == "language":
        language, _, direction = href.partition(" ")
        attributes = _foreign(language, direction, section.document.language)
        return (f"<span{attributes}>", "</span>") if attributes else ("", "")
    if role == "abbr":
        return f'<abbr title="{escape_html(href, quote=True)}">', "</abbr>"
    if role == "check":
        return _BOXES.get(text[mark.start : mark.end], ""), ""
    name = text[mark.start : mark.end]
    return (_icon(href, name) if role == "icon" else _image(href, section)), ""


def _foreign(language: str, direction: str, outer_language: str) -> str:
    is_other = _LANGUAGE_TAG.fullmatch(language) and language.lower() != outer_language.lower()
    is_turned = direction in {"ltr", "rtl"} and direction != _direction(outer_language)
    stated_language = f' lang="{language}"' if is_other else ""
    stated_direction = f' dir="{direction}"' if is_turned else ""
    return stated_language + stated_direction


def _direction(language: str) -> str:
    return "rtl" if is_right_to_left(language) else "ltr"


def _image(href: str, section: Excerpt) -> str:
    source, _, name = href.partition(" ")
    is_shown = source and not section.document.publisher
    source = section.page.rebase(source, section.document) if is_shown else ""
    if not source:
        return ""
    return f'<img alt="{escape_html(name, quote=True)}" src="{escape_html(source, quote=True)}">'


def _icon(source: str, name: str) -> str:
    if is_drawn_icon(source):
        numbers = source.split(" ", 4)
        box, path = " ".join(numbers[:4]), numbers[4]
        title = "" if name == ICON else f"<title>{escape_html(name)}</title>"
        drawing = f'<svg viewBox="{box}">{title}<path d="{path}"></path></svg>'
        return f'<span class="twemoji recall-icon">{drawing}</span>'
    if is_font_icon(source):
        title = "" if name == ICON else f' title="{escape_html(name, quote=True)}"'
        return f'<i class="{source}"{title}></i>'
    return escape_html(name)
