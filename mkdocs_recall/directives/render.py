"""A Result → the quote's HTML: text and whitelisted marks, rebuilt; nothing is copied as HTML."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from html import escape, unescape
from itertools import groupby
from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit

from mkdocs_recall.directives.notes import notes

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mkdocs_recall.directives.options import Options
    from mkdocs_recall.result import Passage, Result
    from mkdocs_recall.text.model import Heading, Mark

_TAGS = {"code": "code", "em": "em", "strong": "strong"}
_SCHEMES = frozenset({"http", "https", "mailto", "ftp", "tel"})
_SITE = "http://site.invalid/"
"""Any base will do: links are resolved against it and made relative again."""
_ELLIPSIS = " &hellip; "
"""By its name, as the other signs that a quote adds: one character beyond Latin-1, and a page takes
twice the memory."""
_LINK = re.compile(r'<a href="([^"]*)">')
"""In a quote's HTML only links are written so: text has no `<`."""
_UNRENDERED = re.compile(r"[{}<>]")
"""Template syntax that nobody has filled: such a link leads nowhere on its own page either."""
_CONTROLS = re.compile(r"[\x00-\x1f\x7f]+")


@dataclass(frozen=True, slots=True)
class Place:
    """The page a quote stands on."""

    uri: str
    """Its path from the documentation's root."""
    url: str
    """Where it is served, relative to the site's root."""
    language: str = "en"


def render(result: Result, options: Options, place: Place) -> str:
    """Return the HTML of a quote.

    Args:
        result: The passages; there is at least one.
        options: The directive's `name`, `cite`, `format` and, for a title, `query`.
        place: The page the quote stands on; links lead from there.
    """
    paragraphs = [
        _paragraph(list(group), options, place)
        for _, group in groupby(result.in_document_order(), key=lambda p: (p.uri, p.block.section))
    ]
    name = options.name
    if options.format == "list":
        items = (
            f"<li>{run}{cite if last else ''}</li>"
            for runs, cite in paragraphs
            for run, last in zip(runs, [False] * (len(runs) - 1) + [True], strict=True)
        )
        quote = f'<ul class="{name}" data-search-exclude>\n' + "\n".join(items) + "\n</ul>"
    else:
        body = "\n".join(f"<p>{_ELLIPSIS.join(runs)}{cite}</p>" for runs, cite in paragraphs)
        if options.format == "admonition":
            quote = _admonition(f"quote {name}", _title(result, options), body)
        else:
            quote = f'<blockquote class="{name}" data-search-exclude>\n{body}\n</blockquote>'
    if result.fallback:
        words = notes(place.language)
        note = _admonition(f"note {name}-note", words.note, f"<p>{escape(words.no_match)}</p>")
        return f"{note}\n{quote}"
    return quote


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


def _paragraph(
    passages: Sequence[Passage], options: Options, place: Place
) -> tuple[list[str], str]:
    """Return the runs of sentences of one section, and their citation."""
    runs = [_run(run, place) for run in _adjacent(passages)]
    first = passages[0]
    cited = options.cite if isinstance(options.cite, bool) else first.uri != place.uri
    return runs, f"<br>\n{_citation(first, place)}" if cited else ""


def _adjacent(passages: Sequence[Passage]) -> Iterable[list[Passage]]:
    """Group sentences that follow each other in one block."""
    run: list[Passage] = []
    for passage in passages:
        if run and not _follows(passage, run[-1]):
            yield run
            run = []
        run.append(passage)
    yield run


def _follows(passage: Passage, other: Passage) -> bool:
    block = passage.block
    if block is not other.block:
        return False
    at = block.sentences.index(other.sentence)
    return block.sentences[at + 1 : at + 2] == (passage.sentence,)


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


def _run(passages: Sequence[Passage], place: Place) -> str:
    """Rebuild the inline HTML of sentences that follow each other, from text and marks."""
    first = passages[0]
    block = first.block
    start, end = first.sentence.start, passages[-1].sentence.end
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
        opening, closing = _tags(mark, first, place)
        if mark_start >= mark_end or not opening:
            continue
        close(mark_start)
        upto(mark_start)
        out.append(opening)
        open_tags.append((min(mark_end, open_tags[-1][0] if open_tags else end), closing))
    close(end)
    upto(end)
    return "".join(out)


def _tags(mark: Mark, passage: Passage, place: Place) -> tuple[str, str]:
    if mark.role != "link":
        tag = _TAGS[mark.role]
        return f"<{tag}>", f"</{tag}>"
    href = rebase(mark.href, passage.document.url, place.url)
    return (f'<a href="{escape(href)}">', "</a>") if href else ("", "")


def rebased(html: str, source: str, target: str) -> str:
    """Return the HTML of a quote that `render` has made for one page, with links for another.

    Args:
        html: The quote.
        source: The URL of the page it was made for, relative to the site's root.
        target: The URL of the other page.
    """
    if source == target:
        return html

    def link(match: re.Match[str]) -> str:
        return f'<a href="{escape(_moved(unescape(match[1]), source, target))}">'

    return _LINK.sub(link, html)


def rebase(href: str, source: str, target: str) -> str:
    """Return a link of one page as it must be written on another.

    Args:
        href: The link, relative to its own page.
        source: The URL of its own page, relative to the site's root.
        target: The URL of the other page, relative to the site's root.

    Returns:
        The link, or an empty string where its scheme is not one of a document (`javascript:`), or
        template syntax stands in it.
    """
    href = _CONTROLS.sub("", href).strip().replace(" ", "%20")
    if _UNRENDERED.search(href):
        return ""
    return _moved(href, source, target)


def _moved(href: str, source: str, target: str) -> str:
    try:
        parts = urlsplit(href)
    except ValueError:
        return ""
    if parts.scheme or parts.netloc:
        return href if parts.scheme in _SCHEMES or not parts.scheme else ""
    if href.startswith(("/", "\\")):
        return href if href.startswith("/") else ""
    return relative_url(urljoin(_SITE + source, href).removeprefix(_SITE), target)


def relative_url(url: str, page: str) -> str:
    """Return a URL of the site as a page writes it; both are relative to the site's root."""
    path, mark, rest = _split(url)
    page_path = _split(page)[0]
    if path == page_path and rest:
        return mark + rest
    folder, _, name = path.rpartition("/")
    relative = _way(folder, page_path.rpartition("/")[0]) + name or "./"
    if ":" in relative.split("/", 1)[0]:
        relative = f"./{relative}"
    return relative + mark + rest


@lru_cache(maxsize=4096)  # most links lead to a folder near by
def _way(folder: str, start: str) -> str:
    """Return the way from one folder to another: nothing, or with `/` at its end."""
    there, here = _folders(folder), _folders(start)
    shared = 0
    for mine, other in zip(here, there, strict=False):
        if mine != other:
            break
        shared += 1
    return "../" * (len(here) - shared) + "".join(f"{name}/" for name in there[shared:])


def _folders(path: str) -> list[str]:
    """Return the names of the folders on a path from the root, without `.` and `..`."""
    folders: list[str] = []
    for name in path.split("/"):
        if name == "..":
            del folders[-1:]
        elif name not in {"", "."}:
            folders.append(name)
    return folders


def _split(url: str) -> tuple[str, str, str]:
    """Split off the query or the fragment, whichever comes first, with its mark."""
    path, mark, rest = url.partition("#")
    return url.partition("?") if "?" in path else (path, mark, rest)
