"""Text and links of a page, made safe for a quote.

Text has no markup, and does not change the direction of the text after it. A link that leads
nowhere, or with a scheme that no document needs (`javascript:`), is dropped.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable
from functools import lru_cache
from html import escape
from typing import TYPE_CHECKING, Final
from urllib.parse import urljoin, urlsplit

if TYPE_CHECKING:
    from mkdocs_recall.text.model import Document

_TEMPLATE: Final = re.compile(r"\{(?=[{%#])")
_DIRECTION_MARKS: Final = re.compile("[\u202a-\u202e\u2066-\u2069]")
_PDF: Final = "\u202c"
"""POP DIRECTIONAL FORMATTING: ends an embedding or an override."""
_PDI: Final = "\u2069"
"""POP DIRECTIONAL ISOLATE: ends an isolate, and all that is open in it."""
_DIRECTION_ENDS: Final = dict.fromkeys("\u202a\u202b\u202d\u202e", _PDF) | dict.fromkeys(
    "\u2066\u2067\u2068", _PDI
)


TOKEN: Final = re.compile(r"<!--(.*?)-->|</([^\s>]+)>|<([^\s/>]+)([^>]*)>|([^<]+)", re.DOTALL)
"""A comment, an end tag, a start tag or text, as a parser serialises them."""


def escape_html(text: str, *, quote: bool = False) -> str:
    """Return a text as HTML without template syntax, for later plugins."""
    return without_templates(escape(text, quote=quote))


def without_templates(html: str) -> str:
    """Return HTML without template syntax."""
    return _TEMPLATE.sub("&#123;", html) if "{" in html else html


def closing_direction_marks(text: str) -> str:
    """Return the marks that close the directions a text leaves open."""
    pending: list[str] = []
    isolates = 0  # how many of them end an isolate
    for mark in () if text.isascii() else _DIRECTION_MARKS.findall(text):
        if mark in _DIRECTION_ENDS:
            pending.append(_DIRECTION_ENDS[mark])
            isolates += _DIRECTION_ENDS[mark] == _PDI
        elif mark == _PDI and isolates:
            isolates -= 1
            while pending.pop() != _PDI:
                pass
        elif mark == _PDF and pending and pending[-1] == mark:
            pending.pop()
    return "".join(reversed(pending))


SECTION_CLASS: Final = "recall-section"
"""The class, beside `recall`, of the box around a section that is quoted whole."""


def is_section(html: str) -> bool:
    """Tell whether the HTML of a quote is a section that is quoted whole."""
    return SECTION_CLASS in html.partition(">")[0]


BASE_URL: Final = "http://site.invalid/"
"""A stand-in for the site's URL."""
_SCHEMES: Final = frozenset({"http", "https", "mailto", "ftp", "tel"})
TAG: Final = re.compile(r"<[a-z][^<>]*>")
_CANDIDATE: Final = r"([^\s,]\S*)(?:(?<!,)\s+([^,]*))?"
"""A picture in a `srcset`: its link, with commas in or after it, and its width or density."""
_UNRENDERED: Final = re.compile(r"[{}<>]")
"""Unfilled template syntax: such a link leads nowhere on its own page either."""
_CONTROLS: Final = re.compile(r"[\x00-\x1f\x7f]+")
_ABSOLUTE: Final = re.compile("[a-zA-Z]+:")
_OTHER_SITE: Final = re.compile("https?://")


def rebase_srcset(value: str, rebase: Callable[[str], str]) -> str:
    """Return a `srcset` with each picture's link rebased."""
    pictures = []
    for url, descriptor in re.findall(_CANDIDATE, value):
        if link := rebase(url.rstrip(",")):
            pictures.append(f"{link} {descriptor.strip()}".strip())
    return ", ".join(pictures)


def rebase(href: str, source: str, target: str) -> str:
    """Return a link of one page as another page writes it; empty if it is dropped.

    Source and target are the URLs of both, relative to the site's root, or absolute for another
    site's page. A link with a scheme that no document needs (`javascript:`), or with template
    syntax, is dropped.
    """
    href = _CONTROLS.sub("", href).strip().replace(" ", "%20")
    if _UNRENDERED.search(href):
        return ""
    return move_link(href, source, target)


def link_from(document: Document, href: str, target: str) -> str:
    """Return a document's link as another page writes it; empty if dropped or dead."""
    link = rebase(href, document.url, target)
    is_lost = document.publisher is not None and not document.url
    return "" if is_lost and not _ABSOLUTE.match(link) else link


def relative_url(url: str, page: str) -> str:
    """Return a URL, relative to the site's root, as a page writes it."""
    if _OTHER_SITE.match(url):
        return url
    path, separator, suffix = _split(url)
    page_path = _split(page)[0]
    if path == page_path and suffix:
        return separator + suffix
    folder, _, name = path.rpartition("/")
    relative = _folder_path(folder, page_path.rpartition("/")[0]) + name or "./"
    if ":" in relative.split("/", 1)[0]:  # it would look like a scheme
        relative = f"./{relative}"
    return relative + separator + suffix


@lru_cache(maxsize=4096)  # a link is written, and cleaned with its quote
def is_allowed(href: str) -> bool:
    """Tell whether a link leads to a document."""
    try:
        parts = urlsplit(href)
    except ValueError:
        return False
    return parts.scheme in _SCHEMES if parts.scheme else bool(parts.netloc or href[:1] != "\\")


def move_link(href: str, source: str, target: str) -> str:
    """Return a link as `rebase` does, for HTML whose links have no template syntax."""
    if not is_allowed(href):
        return ""
    parts = urlsplit(href)
    if parts.scheme or parts.netloc:
        return href
    if _OTHER_SITE.match(source):
        return urljoin(source, href)
    if href.startswith("/"):
        return href
    return relative_url(urljoin(BASE_URL + source, href).removeprefix(BASE_URL), target)


@lru_cache(maxsize=4096)  # most links lead to a nearby folder
def _folder_path(folder: str, start: str) -> str:
    there, here = ([n for n in path.split("/") if n not in ("", ".")] for path in (folder, start))
    shared = len(posixpath.commonprefix([there, here]))
    return "../" * (len(here) - shared) + "".join(f"{name}/" for name in there[shared:])


def _split(url: str) -> tuple[str, str, str]:
    path, separator, fragment = url.partition("#")
    return url.partition("?") if "?" in path else (path, separator, fragment)
