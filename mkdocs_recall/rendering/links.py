"""Links of one page, as they must be written on another."""

from __future__ import annotations

import re
from functools import lru_cache
from html import unescape
from urllib.parse import urljoin, urlsplit

from mkdocs_recall.rendering.escape import escape_html

_SCHEMES = frozenset({"http", "https", "mailto", "ftp", "tel"})
_SITE = "http://site.invalid/"
"""Any base will do: links are resolved against it and made relative again."""
_LINK = re.compile(r'<a href="([^"]*)">')
"""In a quote's HTML only links are written so: text has no `<`."""
_UNRENDERED = re.compile(r"[{}<>]")
"""Template syntax that nobody has filled: such a link leads nowhere on its own page either."""
_CONTROLS = re.compile(r"[\x00-\x1f\x7f]+")
_ORDINARY = re.compile(r"(?:https?://)?[\w./#?&=~%+@,-]+", re.ASCII)
"""Most links, and none that could name another scheme."""


def rebase_html(html: str, source: str, target: str) -> str:
    """Return the HTML of a quote that `render` has made for one page, with links for another.

    Args:
        html: The quote.
        source: The URL of the page it was made for, relative to the site's root.
        target: The URL of the other page.
    """
    if source == target:
        return html

    def link(match: re.Match[str]) -> str:
        href = _moved(unescape(match[1]), source, target)
        return f'<a href="{escape_html(href, quote=True)}">'

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


def is_rebased(href: str) -> bool:
    """Tell whether a link is one that `rebase` may have returned; of most, a look is enough."""
    return bool(_ORDINARY.fullmatch(href) or rebase(href, "", ""))


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
