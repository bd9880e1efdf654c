"""The links between the pages of an index: how many pages point to each page and section.

Only the text of the pages that are searched counts, not their menus.
"""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple
from urllib.parse import unquote

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mkdocs_recall.index.part import Part
    from mkdocs_recall.text.model import Document

_ELSEWHERE: Final = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*:|//")
_ENDING: Final = re.compile(
    r"(?:(?:^|/)(?:index|README|_index))?(?:\.(?:md|mdx|markdown|html?))?/*$"
)
"""What differs between the ways to write a page's address: `a/index.md`, `a/`, `a.html`."""


class LinkCounts(NamedTuple):
    """How many other pages link to each page, and to each of its anchors; a page counts once."""

    pages: Sequence[int]
    anchors: Sequence[dict[str, int]]


class PageLink(NamedTuple):
    """A link from a page to another, by their positions."""

    page: int
    target: int
    anchor: str
    """The section; empty for the whole page."""


def count_links(parts: Sequence[Part]) -> LinkCounts:
    """Count the links between some pages.

    Args:
        parts: The pages; the links in their blocks count.
    """
    linked_from: list[set[int]] = [set() for _ in parts]
    anchored_from: list[defaultdict[str, set[int]]] = [defaultdict(set) for _ in parts]
    for number, target, anchor in find_links(parts):
        linked_from[target].add(number)
        if anchor:
            anchored_from[target][anchor].add(number)
    return LinkCounts(
        list(map(len, linked_from)),
        [{anchor: len(pages) for anchor, pages in by.items()} for by in anchored_from],
    )


def find_links(parts: Sequence[Part]) -> Iterator[PageLink]:
    """Yield the links from some pages to others of them.

    Args:
        parts: The pages; the links in their blocks count.
    """
    numbers: dict[str, int] = {}
    # The home page of a site has an empty address; without a site, all pages have.
    has_addresses = any(part.document.url for part in parts)
    for number, part in enumerate(parts):
        numbers.setdefault(_page(part.document.uri), number)
        if has_addresses:
            url = part.document.url
            numbers.setdefault(_resolve("", url) if part.document.publisher else _page(url), number)
    for number, part in enumerate(parts if len(parts) > 1 else ()):
        base = _base(part.document)
        for href in _internal_links(part):
            path, _, anchor = href.partition("#")
            target = numbers.get(_resolve(base, path.partition("?")[0]), number)
            if target != number:
                yield PageLink(number, target, unquote(anchor))


def _internal_links(part: Part) -> set[str]:
    """Return the links of a page that lead to other pages of its site."""
    return {
        mark.href
        for block in (*part.blocks, *part.others)
        if block.kind != "code" and block.marks
        for mark in block.marks
        if mark.href and mark.href[0] != "#" and not _ELSEWHERE.match(mark.href)
    }


def _base(document: Document) -> str:
    """Return the address that a page's links are relative to."""
    return (document.url or document.uri).rpartition("/")[0]


@lru_cache(maxsize=4096)
def _resolve(base: str, path: str) -> str:
    """Return the page that a link leads to, as `_page` writes it."""
    if not path.startswith("/"):
        path = f"{base}/{path}"
    return _page(posixpath.normpath(unquote(path).lstrip("/") or "."))


def _page(address: str) -> str:
    """Return a page's address in the one form in which addresses are compared."""
    return _ENDING.sub("", address.strip("/").removeprefix("./")) if address != "." else ""
