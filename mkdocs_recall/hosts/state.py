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

from collections.abc import Mapping, Sequence  # noqa: TC003 - msgspec reads them
from contextlib import suppress
from hashlib import blake2b
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from mkdocs_recall.answers.links import is_quote, is_section
from mkdocs_recall.directives.fences import NAMES, Fence, find_fences, may_hold_directive
from mkdocs_recall.errors import RecallError
from mkdocs_recall.hosts.directive import Quote  # noqa: TC001 - the same
from mkdocs_recall.store import gc_paused, pack, unpack
from mkdocs_recall.text.front_matter import split_front_matter

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from mkdocs.structure.files import File

    from mkdocs_recall.hosts.directive import Directive
    from mkdocs_recall.hosts.sources import SourcePages
    from mkdocs_recall.options import Options
    from mkdocs_recall.store import Cache


def cached_quote(quote: Quote | None) -> Quote | None:
    """Return a quote from the cache; None if it is not one: a stranger may have written it."""
    if quote is None or quote.error or not quote.holds:
        return None
    is_clean = is_quote
    if is_section(quote.html):
        from mkdocs_recall.answers.section import is_clean_section as is_clean
    return quote._replace(cached=True) if is_clean(quote.html) else None


_FenceRecord: TypeAlias = tuple[str, int, int, str, bool]
"""The prefix of a fence, where it starts and ends, its name, and whether it is one of embedm."""


class _PageRecord(NamedTuple):
    """A page with directives; only that is known of it where it is empty."""

    markdown: str = ""
    """The digest of its Markdown."""
    fences: Sequence[_FenceRecord] = ()


class _StateRecord(NamedTuple):
    pages: Mapping[str, _PageRecord]
    named: Sequence[str]
    reading: str
    """The digest of what shapes how fences are parsed."""


_NO_STATE: Final = _StateRecord({}, (), "")
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
        # A site has thousands of pages, and most builds change one. So this is one value, read and
        # compared at once; a page's digest decides whether its fences are looked for again.
        with gc_paused():
            self._stored = unpack(_StateRecord, cache.get(key)) or _NO_STATE
        self._pages = self._stored.pages
        self.missing = not self._stored.reading
        self.named = frozenset(self._stored.named)
        if self._stored.reading != self._reading:
            self._pages = dict.fromkeys(self._pages, _PageRecord())
        self._new: dict[str, _PageRecord] = {}
        """The pages of this build."""
        self._sealed: bytes | None = None

    def fences(self, uri: str, markdown: str, digest: str) -> list[Fence] | None:
        """Return the fences of a page, without their bodies; None if its Markdown has changed.

        Args:
            digest: That of its Markdown, see `markdown_digest`.
        """
        page = self._pages.get(uri)
        return _located(page.fences, markdown) if page and page.markdown == digest else None

    def note(self, uri: str, markdown: str = "", fences: Iterable[Fence] = ()) -> None:
        """Note the fences of a page, and the digest of its Markdown; neither if one has a fault."""
        records = [(one.prefix, one.start, one.end, one.name, one.embedm) for one in fences]
        self._new[uri] = _PageRecord(markdown, records)

    def has_directives(self, uri: str) -> bool:
        """Tell whether a page had directives, or looked like it, when it was last built."""
        return uri in self._pages

    def seal(self, named: Iterable[str]) -> None:
        """Pack the state for the next build, and release it.

        Args:
            named: The uris of the pages that directives name in this build.
        """
        state = _StateRecord(self._new, sorted(named), self._reading)
        if state != self._stored:
            self._sealed = pack(state)
        self._pages, self._new, self._stored = {}, {}, _NO_STATE

    def save(self) -> None:
        """Leave what was sealed to the next build."""
        if self._sealed is not None:
            self._cache.put(self._key, self._sealed)


def markdown_digest(text: str) -> str:
    """Return the digest of a page's Markdown, in hexadecimal digits."""
    # Between two pages that MkDocs renders, this takes two thirds of the time of SHA-256.
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def _located(records: Iterable[_FenceRecord], markdown: str) -> list[Fence] | None:
    """Return the fences at some places; None if there are others: strangers may name the places."""
    fences: list[Fence] = []
    line = end = 0
    for prefix, start, stop, name, embedm in records:
        source = markdown[start:stop]
        opening, *inner = source.split("\n")
        if (
            not end <= start < stop <= len(markdown)
            or not (opening.startswith(prefix) and opening.startswith(_TICKS, len(prefix)))
            or name not in NAMES
            or ("embedm" if embedm else name) not in opening
        ):
            return None
        line += markdown.count("\n", end, start)
        fences.append(Fence(name, embedm, prefix, line, line + len(inner), "", source, start))
        line, end = line + len(inner), stop
    return fences


class _QuoteRecord(NamedTuple):
    directive: tuple[str, str, str]
    """What its answer depends on besides pages, as far as that is its own: see `_quote_parts`."""
    pages: Sequence[int]
    """The numbers of its pages."""
    quote: Quote


class _QuotesRecord(NamedTuple):
    site: str = ""
    pages: Sequence[tuple[str, str]] = ()
    """The uri and the digest of each."""
    quotes: Mapping[str, _QuoteRecord] = {}
    """By the directive's id."""


FEW_PAGES: Final = 50
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
            stored = unpack(_QuotesRecord, cache.get(key)) or _QuotesRecord()
        self._stored = stored if stored.site == self._site else _QuotesRecord()
        self._unchanged: dict[int, bool] = {}
        """Whether each page that was looked up is the same, by its number."""
        self._used: dict[str, _QuoteRecord] = {}
        """The quotes that are used again, by the directive's id."""
        self._others: dict[str, tuple[_QuoteRecord, Sequence[str]]] = {}
        """The other quotes, and the uris of their pages, which are not numbered yet."""

    def find(self, directive: Directive, language: str) -> Quote | None:
        """Return the quote of a directive; None if what it depends on may have changed."""
        record = self._stored.quotes.get(directive.id)
        if record is None or record.directive != _quote_parts(directive, language):
            return None
        if not record.pages or not all(map(self._is_unchanged, record.pages)):
            return None
        quote = cached_quote(record.quote)
        if quote is not None:
            self._used[directive.id] = record
        return quote

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
        if len(pages) <= FEW_PAGES and self._uris.issuperset(pages):
            record = _QuoteRecord(_quote_parts(directive, language), (), quote)
            self._others[directive.id] = record, pages

    def save(self) -> None:
        """Leave the quotes to the next build, unless there are few that it would not find."""
        if len(self._others) <= _FEW * len(self._used):
            return
        known = [uri for uri, _ in self._stored.pages]
        quotes = {i: (one, [known[page] for page in one.pages]) for i, one in self._used.items()}
        numbers: dict[str, int] = {}
        records = {
            i: one._replace(pages=[numbers.setdefault(uri, len(numbers)) for uri in uris])
            for i, (one, uris) in (quotes | self._others).items()
        }
        pages = [(uri, self._sources.digest(uri).hex()) for uri in numbers]
        self._cache.put(self._key, pack(_QuotesRecord(self._site, pages, records)))

    def _is_unchanged(self, number: int) -> bool:
        unchanged = self._unchanged.get(number)
        if unchanged is None:
            pages = self._stored.pages
            uri, digest = pages[number] if 0 <= number < len(pages) else ("", "")
            unchanged = uri in self._uris and self._sources.digest(uri).hex() == digest
            self._unchanged[number] = unchanged
        return unchanged


def _quote_parts(directive: Directive, language: str) -> tuple[str, str, str]:
    """Return what the answer of a directive depends on besides pages, as far as that is its own."""
    return directive.fence.source, directive.mkdocs_page.url, language


_INCLUDES: Final = ("8<", "{%")
"""What marks a file that a page includes, with snippets, mkdocs-include-markdown-plugin or macros:
the file may hold a fence that it did not hold in the last build."""


def pages_to_force(
    pages: Sequence[File],
    sources: SourcePages,
    state: State,
    *,
    read: Callable[[Fence, int], Options],
) -> list[File]:
    """Return the pages with directives, and the pages that directives name.

    Args:
        read: Returns the options of a fence by its number, see `DirectivePages.options`.
    """
    forced = set(state.named)
    for file in pages:
        text, uri = file.content_string, file.src_uri
        body = split_front_matter(text).body if may_hold_directive(text) else ""
        fences = find_fences(body)
        for number, fence in enumerate(fences):
            with suppress(RecallError):  # its author is warned when the page is rendered
                scope = sources.pages.scope(read(fence, number).source, page=uri)
                forced.update(target.uri for target in scope.targets)
        if fences or state.has_directives(uri) or any(mark in text for mark in _INCLUDES):
            forced.add(uri)
    return [file for file in pages if file.src_uri in forced]
