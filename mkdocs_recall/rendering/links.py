"""Links of one page, written so that they lead to the same place from another.

A link that leads nowhere, or with a scheme that no document needs (`javascript:`), is dropped.
"""

from __future__ import annotations

import re
from functools import lru_cache
from html import unescape
from typing import TYPE_CHECKING, Final
from urllib.parse import urljoin, urlsplit

from mkdocs_recall.rendering.escape import escape_html

if TYPE_CHECKING:
    from mkdocs_recall.text.model import Document

BASE_URL: Final = "http://site.invalid/"
"""A stand-in for the site's URL: links are resolved against it and made relative again."""
_SCHEMES: Final = frozenset({"http", "https", "mailto", "ftp", "tel"})
_LINK: Final = re.compile(r'<a href="([^"]*)">')
"""In a quote's HTML this is always a link: its text has no `<`."""
_UNRENDERED: Final = re.compile(r"[{}<>]")
"""Template syntax that nothing has filled: such a link leads nowhere on its own page either."""
_CONTROLS: Final = re.compile(r"[\x00-\x1f\x7f]+")
_ABSOLUTE: Final = re.compile("[a-zA-Z]+:")
_OTHER_SITE: Final = re.compile("https?://")
_ORDINARY: Final = re.compile(r"(?:https?://)?[\w./#?&=~%+@,-]+", re.ASCII)
"""Most links; none of them can name another scheme."""


def rebase_html(html: str, source: str, target: str, site: str = "") -> str:
    """Return the HTML of a quote that was rendered for one page, with links for another place.

    Args:
        html: The quote, as `rendering.html` writes it.
        source: The URL of the page it was rendered for, relative to the site's root.
        target: The URL of the other place, relative to the site's root.
        site: The URL of the site's root, from which links are absolute then; empty for relative
            links.
    """
    if source == target and not site:
        return html

    def link(match: re.Match[str]) -> str:
        href = moved_link(unescape(match[1]), source, target, site)
        return f'<a href="{escape_html(href, quote=True)}">'

    return _LINK.sub(link, html)


def moved_link(href: str, source: str, target: str, site: str) -> str:
    """Return a link of a quote as it is written in another place, see `rebase_html`."""
    if site:
        return urljoin(urljoin(f"{site.rstrip('/')}/", source), href)
    return href if source == target else _rebase(href, source, target)


def rebase(href: str, source: str, target: str) -> str:
    """Return a link of one page as it is written on another.

    Args:
        href: The link, relative to its own page.
        source: The URL of its own page, relative to the site's root; absolute for a page of
            another site.
        target: The URL of the other page, relative to the site's root.

    Returns:
        The link, or an empty string if its scheme is not one of a document (`javascript:`) or it
        has template syntax in it.
    """
    href = _CONTROLS.sub("", href).strip().replace(" ", "%20")
    if _UNRENDERED.search(href):
        return ""
    return _rebase(href, source, target)


def link_from(document: Document, href: str, target: str) -> str:
    """Return a link of a page as it is written on another; empty if it is dropped.

    A relative link of a page without a URL, which is one of another site, leads nowhere.

    Args:
        target: The URL of the other page, relative to the site's root.
    """
    link = rebase(href, document.url, target)
    is_lost = document.publisher is not None and not document.url
    return "" if is_lost and not _ABSOLUTE.match(link) else link


def is_rebased(href: str) -> bool:
    """Return whether `rebase` may have returned a link; most need but one look."""
    return bool(_ORDINARY.fullmatch(href) or rebase(href, "", ""))


def relative_url(url: str, page: str) -> str:
    """Return a URL as a page writes it: both are relative to the site's root, or it is absolute."""
    if _OTHER_SITE.match(url):
        return url
    path, separator, rest = _split(url)
    page_path = _split(page)[0]
    if path == page_path and rest:
        return separator + rest
    folder, _, name = path.rpartition("/")
    relative = _folder_path(folder, page_path.rpartition("/")[0]) + name or "./"
    if ":" in relative.split("/", 1)[0]:  # it would read as a scheme
        relative = f"./{relative}"
    return relative + separator + rest


def _rebase(href: str, source: str, target: str) -> str:
    """Return a link without control characters as it is written on another page."""
    try:
        parts = urlsplit(href)
    except ValueError:
        return ""
    if parts.scheme or parts.netloc:
        return href if parts.scheme in _SCHEMES or not parts.scheme else ""
    if _OTHER_SITE.match(source):
        return urljoin(source, href)
    if href.startswith(("/", "\\")):
        return href if href.startswith("/") else ""
    return relative_url(urljoin(BASE_URL + source, href).removeprefix(BASE_URL), target)


@lru_cache(maxsize=4096)  # most links lead to a folder near by
def _folder_path(folder: str, start: str) -> str:
    """Return the relative path from `start` to a folder: empty, or with `/` at its end."""
    target, origin = _folders(folder), _folders(start)
    shared = 0
    for ours, theirs in zip(origin, target, strict=False):
        if ours != theirs:
            break
        shared += 1
    return "../" * (len(origin) - shared) + "".join(f"{name}/" for name in target[shared:])


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
    """Split a URL at its `?`, else at its `#`: the path, that separator, and the rest."""
    path, separator, rest = url.partition("#")
    return url.partition("?") if "?" in path else (path, separator, rest)
