"""What one build leaves to the next: fences of each page, pages that directives name, and quotes.

It is in the cache under one key. A build without changes looks for no fence, and a `--dirty` build
knows which pages have directives that are not in their files. What a fence asks for is not in it:
that is read from the fence, with all its checks.

The quotes of the last build are one value of the cache, too, each used again if nothing has changed
that the key of its answer is made of. To see that takes a fraction of the time that it takes to
find the pages of a directive, to make its key, and to read the value of each key. All other
directives have keys.

`--dirty` must not skip the unchanged pages with directives, nor what these name. Which of them
another page has made stale is not worth knowing: to render the few pages that quote and are quoted
costs less than to keep account of all that a quote depends on.
"""

from __future__ import annotations

import json
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Final

from mkdocs.structure.files import File, InclusionLevel

from mkdocs_recall.answers.links import is_quote, is_section
from mkdocs_recall.directives.fences import NAMES, Fence, may_hold_directive
from mkdocs_recall.errors import RecallError
from mkdocs_recall.gc_pause import gc_paused
from mkdocs_recall.hosts.directive import Quote
from mkdocs_recall.text.front_matter import split_front_matter

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from mkdocs.structure.files import Files

    from mkdocs_recall.cache import Cache
    from mkdocs_recall.hosts.directive import Directive
    from mkdocs_recall.hosts.sources import SourcePages
    from mkdocs_recall.options import Options


def pack_quote(quote: Quote) -> list[Any]:
    """Return a quote without an error as values that JSON has."""
    shown = (quote.html, quote.warning, quote.fallback, quote.doubtful)
    return [*shown, quote.notes, quote.beside]


def unpack_quote(packed: Any) -> Quote | None:  # noqa: ANN401 - it may be anything
    """Return a quote from the cache; None if it is not one: a stranger may have written it.

    Checked by hand, as the state is: a warm build does little else for each directive.
    """
    try:
        html, warning, fallback, doubtful, notes, packed_beside = packed
        beside = None
        if packed_beside is not None:
            from mkdocs_recall.answers.alternatives import Alternatives

            beside = Alternatives.unpacked(packed_beside)
    except (ValueError, TypeError):
        return None
    texts = isinstance(notes, list) and all(
        isinstance(text, str) for text in (html, warning, *notes)
    )
    flags = isinstance(fallback, bool) and isinstance(doubtful, bool)
    if not texts or not flags or not _is_quote(html):
        return None
    return Quote(
        *(html, "", warning, fallback, tuple(notes)),
        cached=True,
        doubtful=doubtful,
        beside=beside,
    )


def _is_quote(html: str) -> bool:
    if not is_section(html):
        return is_quote(html)
    from mkdocs_recall.answers.section import is_clean_section

    return is_clean_section(html)


_MARKDOWN, _FENCES = range(2)
"""The positions in what JSON has of a page with directives, a list, as there may be thousands: the
digest of its Markdown, and its packed fences."""
_UNREAD: Final[list[Any]] = ["", []]
"""The same of a page of which only one thing is known: it has directives."""
_MISSHAPEN_STATE = TypeError, ValueError, LookupError, AttributeError, RecursionError
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
    except _MISSHAPEN_STATE:
        return {}, [], ""


def _is_page(page: Any) -> bool:  # noqa: ANN401 - it may be anything
    """Tell whether something is what JSON has of a page with directives."""
    try:
        _, fences = page
        kinds = isinstance(page, list) and isinstance(fences, list)
        return kinds and all(map(_is_fence, fences))
    except _MISSHAPEN_STATE:
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


_DIRECTIVE, _PAGES, _QUOTE = range(3)
"""The positions in what JSON has of a quote, a list: what its answer depends on besides pages, its
pages by number, and itself."""
_MISSHAPEN_QUOTES: Final = TypeError, ValueError, LookupError, RecursionError
"""What JSON of another shape raises."""
_MOST_PAGES: Final = 50
"""Pages of a directive; those of more are left to their keys, or the value would grow with the
square of the site."""
_FEW: Final = 0.1
"""The share of quotes with keys above which all are written again: after an edit it is smaller."""


class PreviousQuotes:
    """The quotes of the last build."""

    def __init__(self, cache: Cache, key: bytes, *, site: bytes, sources: SourcePages) -> None:
        """Read them from the cache."""
        self._cache = cache
        self._key = key
        self._site = site.hex()
        self._sources = sources
        self._uris = frozenset(sources.uris)
        with gc_paused():
            self._pages, self._quotes = self._read()
        self._unchanged: dict[int, bool] = {}
        """Whether each page that was looked up is the same, by its number."""
        self._used: dict[str, list[Any]] = {}
        """The quotes that are used again, by the directive's id, as JSON has them."""
        self._others: dict[str, list[Any]] = {}
        """The same of the others, but their pages by uri."""

    def find(self, directive: Directive, language: str) -> Quote | None:
        """Return the quote of a directive; None if what it depends on may have changed."""
        packed = self._quotes.get(directive.id)
        try:
            if packed is None or packed[_DIRECTIVE] != _quote_parts(directive, language):
                return None
            if not packed[_PAGES] or not all(map(self._is_unchanged, packed[_PAGES])):
                return None
            quote = unpack_quote(packed[_QUOTE])
            if quote is not None:
                self._used[directive.id] = packed
                return quote
        except _MISSHAPEN_QUOTES:
            pass
        return None

    def note(
        self,
        directive: Directive,
        language: str,
        quote: Quote,
        *,
        pages: Sequence[str],
    ) -> None:
        """Note another quote for the next build.

        Args:
            pages: The uris of the pages that it may quote.
        """
        if len(pages) <= _MOST_PAGES and self._uris.issuperset(pages):
            parts = _quote_parts(directive, language)
            self._others[directive.id] = [parts, pages, pack_quote(quote)]

    def save(self) -> None:
        """Leave the quotes to the next build, unless there are few that it would not find."""
        if len(self._others) <= _FEW * len(self._used):
            return
        for packed in self._used.values():
            packed[_PAGES] = [self._pages[number][0] for number in packed[_PAGES]]
        quotes = self._used | self._others
        numbers: dict[str, int] = {}
        for packed in quotes.values():
            packed[_PAGES] = [numbers.setdefault(uri, len(numbers)) for uri in packed[_PAGES]]
        pages = [(uri, self._sources.digest(uri).hex()) for uri in numbers]
        whole = json.dumps((self._site, pages, quotes), ensure_ascii=False, separators=(",", ":"))
        self._cache.put(self._key, whole.encode("utf-8", "surrogatepass"))

    def _is_unchanged(self, number: int) -> bool:
        unchanged = self._unchanged.get(number)
        if unchanged is None:
            uri, digest = self._pages[number]
            unchanged = uri in self._uris and self._sources.digest(uri).hex() == digest
            self._unchanged[number] = unchanged
        return unchanged

    def _read(self) -> tuple[list[Any], dict[str, Any]]:
        """Return the pages, and the quotes; none of another site."""
        try:
            site, pages, quotes = json.loads(self._cache.get(self._key) or b"")
        except _MISSHAPEN_QUOTES:
            return [], {}
        same = site == self._site and isinstance(pages, list) and isinstance(quotes, dict)
        return (pages, quotes) if same else ([], {})


def _quote_parts(directive: Directive, language: str) -> list[Any]:
    """Return what the answer of a directive depends on besides pages, as far as that is its own."""
    return [directive.fence.source, directive.mkdocs_page.url, language]


_INCLUDES: Final = ("8<", "{%")
"""What marks a file that a page includes, with snippets, mkdocs-include-markdown-plugin or macros:
the file may hold a fence that it did not hold in the last build."""


def force_pages(
    files: Files, sources: SourcePages, state: State, *, read: Callable[[Fence, int], Options]
) -> None:
    """Have MkDocs render the pages with directives, and the pages that directives name.

    Args:
        read: Returns the options of a fence by its number, see `DirectivePages.options`.
    """
    pages = files.documentation_pages(inclusion=InclusionLevel.is_in_serve)
    asking, named = list[File](), set(state.named)
    for file in pages:
        text = file.content_string
        fences = _fences(text)
        named.update(_named(file, fences, sources, read))
        if fences or state.has_directives(file.src_uri) or any(m in text for m in _INCLUDES):
            asking.append(file)
    _force((*asking, *(file for file in pages if file.src_uri in named)))


def force_all(files: Files) -> None:
    """Have MkDocs render all pages."""
    _force(files.documentation_pages(inclusion=InclusionLevel.is_in_serve))


def _fences(text: str) -> list[Fence]:
    """Return the directives in the file of a page."""
    if not may_hold_directive(text):
        return []
    from mkdocs_recall.directives.parser import find_fences

    return find_fences(split_front_matter(text).body)


def _named(
    file: File,
    fences: Iterable[Fence],
    sources: SourcePages,
    read: Callable[[Fence, int], Options],
) -> Iterator[str]:
    """Yield the pages that the directives of a page name."""
    for number, fence in enumerate(fences):
        try:
            source = read(fence, number).source
            scope = sources.pages.scope(source, page=file.src_uri)
        except RecallError:  # its author is warned when the page is rendered
            continue
        yield from (target.uri for target in scope.targets)


def _force(files: Iterable[File]) -> None:
    for file in files:
        file.is_modified = _always  # type: ignore[method-assign]  # of this file alone


def _always() -> bool:
    return True
