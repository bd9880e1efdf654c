"""The state of the last build: the fences of each page, and the file each page was read from.

It is in the cache under one key. A build without changes looks for no fence, and a `--dirty` build
knows which pages depend on those that it renders. What a fence asks for is not in it: that is read
from the fence, with all its checks.
"""

from __future__ import annotations

import json
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Final

from mkdocs_recall.cache.files import fingerprint
from mkdocs_recall.directives.fences import NAMES, Fence
from mkdocs_recall.gc_pause import gc_paused
from mkdocs_recall.plugin.inclusions import Inclusions

if TYPE_CHECKING:
    from collections.abc import Container, Iterable

    from mkdocs_recall.cache.store import Cache
    from mkdocs_recall.plugin.inclusions import Fingerprints

_FILE, _MARKDOWN, _FENCES, _DEPENDENCIES, _INCLUDED = range(5)
"""The positions in what JSON has of a page with directives: a list, as there may be thousands.

The fingerprint of its file, the digest of its Markdown, its packed fences, the digest of what each
depends on, and the packed fences that it includes while it is rendered; what these depend on comes
after the others.
"""
_UNREAD: Final[list[Any]] = [None, "", [], [], []]
"""The same of a page of which only this is known: it has directives."""
_MISSHAPEN = TypeError, ValueError, LookupError, AttributeError, RecursionError
"""What JSON of another shape raises."""
_TICKS: Final = ("```", "~~~")
"""What opens a fence."""


class State:
    """The pages of the last build by uri, each valid while its file, or its Markdown, is the same.

    A file is compared by its fingerprint, a list of numbers. A page without a file has None, and is
    never valid; nor is one whose Markdown a plugin has rewritten. A page is valid only while the
    files that it includes are the same.
    """

    def __init__(
        self,
        cache: Cache,
        key: bytes,
        *,
        reading: bytes,
        site: bytes,
        inclusions: Inclusions | None = None,
    ) -> None:
        """Read the state from the cache.

        Args:
            reading: The digest of what shapes how fences are parsed; if it has changed, only this
                is known: which pages have directives.
            site: The digest of what shapes all pages; if it has changed, a file with the same
                fingerprint does not make the same page.
        """
        self._cache = cache
        self._key = key
        self._built = [reading.hex(), site.hex()]
        self._stored = cache.get(key)
        with gc_paused():
            self._pages, self._sources, built, self._files = _parts(self._stored)
        self.missing = cache.enabled and not built
        """Whether the cache is on and has no state that can be read, though there may have been a
        build."""
        self._inclusions = inclusions or Inclusions()
        self._same_site = built == self._built
        if built[:1] != self._built[:1]:
            self._pages = dict.fromkeys(self._pages, _UNREAD)
        self._sealed: bytes | None = None
        self._seen: set[str] = set()
        self._changed = not self._same_site

    def fences(self, uri: str, markdown: str, digest: str) -> list[Fence] | None:
        """Return the fences of a page, without their bodies; None if its Markdown has changed.

        Args:
            digest: That of its Markdown, see `markdown_digest`.
        """
        page = self._pages.get(uri)
        return _located(page[_FENCES], markdown) if page and page[_MARKDOWN] == digest else None

    def note_page(self, uri: str, markdown: str, fences: Iterable[Fence]) -> None:
        """Note the fences of a page; `settle_page` completes it."""
        self._pages[uri] = [None, markdown, list(map(_pack, fences)), [], []]
        self._changed = True

    def settle_page(
        self,
        uri: str,
        file: list[int] | None,
        dependencies: list[str],
        *,
        included: Iterable[Fence] = (),
    ) -> None:
        """Note the file of a page, and the digest of what each of its directives depends on.

        Args:
            dependencies: See `keys.scope_digest`.
        """
        self._seen.add(uri)
        page = self._pages[uri]
        before = list(page)
        page[_FILE] = None if uri in self._inclusions.rewritten else file
        page[_DEPENDENCIES], page[_INCLUDED] = dependencies, list(map(_pack, included))
        self._changed = self._changed or page != before

    def note_fault(self, uri: str) -> None:
        """Note only that a page has directives, since one of them has a fault."""
        self._seen.add(uri)
        self._changed |= self._pages.get(uri) != _UNREAD
        self._pages[uri] = _UNREAD

    def has_directives(self, uri: str) -> bool:
        """Tell whether a page had directives, or looked like it, when it was last built."""
        return uri in self._pages

    def is_doubtful(self, uri: str) -> bool:
        """Tell whether a page may have changed although its file has not.

        A file that it includes has changed, or a plugin has rewritten what a directive quoted.
        """
        if not self._has_same_files(uri):
            return True
        try:
            return self._sources[uri][0] is None
        except _MISSHAPEN:
            return False

    def _has_same_files(self, uri: str) -> bool:
        """Tell whether the files that a page includes are those of the last build."""
        return all(fingerprint(path) == stamp for path, stamp in self._files.get(uri, {}).items())

    def dependencies(self, uri: str, file: list[int] | None) -> list[tuple[Fence, str]] | None:
        """Return each fence of a page, by its body, and the digest of what it depended on.

        None if the state lacks the page, or its file has changed.
        """
        page = self._pages.get(uri)
        if page is None or file is None or page[_FILE] != file or not self._same_site:
            return None
        fences = [
            Fence(name, embedm, prefix, 0, 0, body, "", 0)
            for (prefix, _, _), name, embedm, body in page[_FENCES] + page[_INCLUDED]
        ]
        return list(zip(fences, page[_DEPENDENCIES], strict=True))

    def source(self, uri: str, file: list[int] | None) -> bytes | None:
        """Return the digest of a page as it was rendered, if its file is still the same."""
        source = self._sources.get(uri)
        if not source or not file or not self._same_site or not self._has_same_files(uri):
            return None
        try:
            return bytes.fromhex(source[1]) if source[0] == file else None
        except _MISSHAPEN:
            return None

    def note_source(self, uri: str, file: list[int] | None, digest: bytes) -> None:
        """Note a page's file, and the digest of the page that was rendered from it."""
        self._seen.add(uri)
        source = [None if uri in self._inclusions.rewritten else file, digest.hex()]
        self._changed |= self._sources.get(uri) != source
        self._sources[uri] = source

    def seal(self, *, keep: Container[str] = ()) -> None:
        """Pack the state for the next build, and release it."""
        for entries in (self._pages, self._sources):
            for uri in list(entries):
                if uri not in self._seen and not (uri in keep and self._same_site):
                    del entries[uri]
                    self._changed = True
        files = {uri: self._files[uri] for uri in self._files if uri in keep and self._same_site}
        files |= {uri: included for uri, included in self._inclusions.files.items() if included}
        if self._changed or files != self._files:
            whole = (self._pages, self._sources, self._built, files)
            packed = json.dumps(whole, separators=(",", ":")).encode()
            if packed != self._stored:
                self._sealed = packed
        self._pages, self._sources, self._stored = {}, {}, None

    def save(self) -> None:
        """Leave what was sealed to the next build."""
        if self._sealed is not None:
            self._cache.put(self._key, self._sealed)


def markdown_digest(text: str) -> str:
    """Return the digest of a page's Markdown, in hexadecimal digits."""
    # Between two pages that MkDocs renders, this takes two thirds of the time of SHA-256.
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def _parts(
    packed: bytes | None,
) -> tuple[dict[str, Any], dict[str, Any], list[str], dict[str, Fingerprints]]:
    """Return the pages, the sources, what they were built with, and the files that pages include.

    All are empty if it is no state.
    """
    try:
        pages, sources, built, files = json.loads(packed or b"")
    except _MISSHAPEN:
        return {}, {}, [], {}
    if tuple(map(type, (pages, sources, built, files))) != (dict, dict, list, dict):
        return {}, {}, [], {}
    pages = {uri: page for uri, page in pages.items() if _is_page(page)}
    return pages, sources, built, {uri: f for uri, f in files.items() if isinstance(f, dict)}


def _is_page(page: Any) -> bool:  # noqa: ANN401 - it may be anything
    """Tell whether something is what JSON has of a page with directives."""
    try:
        _, _, fences, dependencies, included = page
        return len(fences) + len(included) == len(dependencies) and all(
            map(_is_fence, fences + included)
        )
    except _MISSHAPEN:
        return False


def _is_fence(packed: Any) -> bool:  # noqa: ANN401 - it may be anything
    """Tell whether something is a packed fence."""
    (prefix, start, end), name, embedm, body = packed
    return (
        isinstance(prefix, str)
        and name in NAMES
        and type(start) is type(end) is int
        and isinstance(embedm, bool)
        and isinstance(body, str)
    )


def _pack(fence: Fence) -> list[Any]:
    return [fence.span, fence.name, fence.embedm, fence.body]


def _located(packed: Iterable[Any], markdown: str) -> list[Fence] | None:
    """Return the fences at some places; None if there are others: strangers may name the places."""
    fences: list[Fence] = []
    line = end = 0
    for (prefix, start, stop), name, embedm, _ in packed:
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
