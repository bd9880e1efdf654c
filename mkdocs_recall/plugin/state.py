"""What one build leaves to the next: the fences of each page, and the pages that directives name.

It is in the cache under one key. A build without changes looks for no fence, and a `--dirty` build
knows which pages have directives that are not in their files. What a fence asks for is not in it:
that is read from the fence, with all its checks.
"""

from __future__ import annotations

import json
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Final

from mkdocs_recall.directives.fences import NAMES, Fence
from mkdocs_recall.gc_pause import gc_paused

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mkdocs_recall.cache.store import Cache

_MARKDOWN, _FENCES = range(2)
"""The positions in what JSON has of a page with directives, a list, as there may be thousands: the
digest of its Markdown, and its packed fences."""
_UNREAD: Final[list[Any]] = ["", []]
"""The same of a page of which only one thing is known: it has directives."""
_MISSHAPEN = TypeError, ValueError, LookupError, AttributeError, RecursionError
"""What JSON of another shape raises."""
_TICKS: Final = ("```", "~~~")
"""What opens a fence."""


class State:
    """The pages of the last build, and what this one knows of its own.

    Attributes:
        missing: Whether there is no state that can be read, though there may have been a build.
        named: The pages that directives named in the last build, by uri.
    """

    def __init__(self, cache: Cache, key: bytes, *, reading: bytes) -> None:
        """Read the state from the cache.

        Args:
            reading: The digest of what shapes how fences are parsed; if it has changed, only this
                is known of a page: it has directives.
        """
        self._cache = cache
        self._key = key
        self._reading = reading.hex()
        # A site has thousands of pages, and most builds change one. So this is one JSON value of
        # plain lists, read at once and compared without making an object of each page; a page's
        # digest decides whether its fences have to be looked for again.
        with gc_paused():
            self._stored = _parts(cache.get(key))
        self._pages, named, built = self._stored
        self.missing = not built
        self.named = frozenset(named)
        if built != self._reading:
            self._pages = dict.fromkeys(self._pages, _UNREAD)
        self._new: dict[str, Any] = {}
        """The pages of this build."""
        self._sealed: bytes | None = None

    def fences(self, uri: str, markdown: str, digest: str) -> list[Fence] | None:
        """Return the fences of a page, without their bodies; None if its Markdown has changed.

        Args:
            digest: That of its Markdown, see `markdown_digest`.
        """
        page = self._pages.get(uri)
        return _located(page[_FENCES], markdown) if page and page[_MARKDOWN] == digest else None

    def note_page(self, uri: str, markdown: str, fences: Iterable[Fence]) -> None:
        """Note the fences of a page, and the digest of its Markdown."""
        self._new[uri] = [markdown, list(map(_pack, fences))]

    def keep_page(self, uri: str) -> None:
        """Note that a page is as the last build has left it."""
        self._new[uri] = self._pages[uri]

    def note_fault(self, uri: str) -> None:
        """Note only that a page has directives, since one of them has a fault."""
        self._new[uri] = _UNREAD

    def has_directives(self, uri: str) -> bool:
        """Tell whether a page had directives, or looked like it, when it was last built."""
        return uri in self._pages

    def seal(self, named: Iterable[str]) -> None:
        """Pack the state for the next build, and release it.

        Args:
            named: The uris of the pages that directives name in this build.
        """
        whole = self._new, sorted(named), self._reading
        if whole != self._stored:
            self._sealed = json.dumps(whole, separators=(",", ":")).encode()
        self._pages, self._new, self._stored = {}, {}, ({}, [], "")

    def save(self) -> None:
        """Leave what was sealed to the next build."""
        if self._sealed is not None:
            self._cache.put(self._key, self._sealed)


def markdown_digest(text: str) -> str:
    """Return the digest of a page's Markdown, in hexadecimal digits."""
    # Between two pages that MkDocs renders, this takes two thirds of the time of SHA-256.
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def _parts(packed: bytes | None) -> tuple[dict[str, Any], list[str], str]:
    """Return the pages, the uris that directives name, and what they were built with.

    All are empty if it is no state.
    """
    try:
        pages, named, built = json.loads(packed or b"")
        if not isinstance(built, str) or not all(isinstance(uri, str) for uri in named):
            return {}, [], ""
        return {uri: page for uri, page in pages.items() if _is_page(page)}, list(named), built
    except _MISSHAPEN:
        return {}, [], ""


def _is_page(page: Any) -> bool:  # noqa: ANN401 - it may be anything
    """Tell whether something is what JSON has of a page with directives."""
    try:
        _, fences = page
        kinds = isinstance(page, list) and isinstance(fences, list)
        return kinds and all(map(_is_fence, fences))
    except _MISSHAPEN:
        return False


def _is_fence(packed: Any) -> bool:  # noqa: ANN401 - it may be anything
    """Tell whether something is a packed fence."""
    (prefix, start, end), name, embedm = packed
    return (
        isinstance(prefix, str)
        and name in NAMES
        and type(start) is type(end) is int
        and isinstance(embedm, bool)
    )


def _pack(fence: Fence) -> list[Any]:
    return [list(fence.span), fence.name, fence.embedm]


def _located(packed: Iterable[Any], markdown: str) -> list[Fence] | None:
    """Return the fences at some places; None if there are others: strangers may name the places."""
    fences: list[Fence] = []
    line = end = 0
    for (prefix, start, stop), name, embedm in packed:
        source = markdown[start:stop]
        opening, *inner = source.split("\n")
        if (
            not end <= start < stop <= len(markdown)
            or not (opening.startswith(prefix) and opening.startswith(_TICKS, len(prefix)))
            or ("embedm" if embedm else name) not in opening
        ):
            return None
        line += markdown.count("\n", end, start)
        fences.append(Fence(name, embedm, prefix, line, line + len(inner), "", source, start))
        line, end = line + len(inner), stop
    return fences
