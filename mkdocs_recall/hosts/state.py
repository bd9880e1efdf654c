"""What one build leaves to the next: its quotes, and the pages that have or name directives.

The quotes are one value of the cache, each used again if nothing has changed that the key of its
answer is made of. To see that takes a fraction of the time that it takes to find the pages of a
directive, to make its key, and to read the value of each key. All other directives have keys.

`--dirty` must not skip the unchanged pages with directives, which may not be in their files, nor
what these name. Which of them another page has made stale is not worth knowing: to render the few
pages that quote and are quoted costs less than to keep account of all that a quote depends on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence  # noqa: TC003 - msgspec reads them
from contextlib import suppress
from typing import TYPE_CHECKING, Final, NamedTuple

from mkdocs_recall.answers.links import is_quote, is_section
from mkdocs_recall.directives.fences import find_fences, may_hold_directive
from mkdocs_recall.errors import RecallError
from mkdocs_recall.gc_pause import gc_paused
from mkdocs_recall.hosts.directive import Quote  # noqa: TC001 - the same
from mkdocs_recall.stored import pack, unpack
from mkdocs_recall.text.front_matter import split_front_matter

if TYPE_CHECKING:
    from collections.abc import Callable

    from mkdocs.structure.files import File

    from mkdocs_recall.cache import Cache
    from mkdocs_recall.directives.fences import Fence
    from mkdocs_recall.hosts.directive import Directive
    from mkdocs_recall.hosts.sources import SourcePages
    from mkdocs_recall.options import Options


def cached_quote(quote: Quote | None) -> Quote | None:
    """Return a quote from the cache; None if it is not one: a stranger may have written it."""
    if quote is None or quote.error or not quote.holds:
        return None
    is_clean = is_quote
    if is_section(quote.html):
        from mkdocs_recall.answers.section import is_clean_section as is_clean
    return quote._replace(cached=True) if is_clean(quote.html) else None


class LastBuild(NamedTuple):
    """The pages that `--dirty` must not skip, by uri, as the last build knew them."""

    directives: Sequence[str]
    """Those with directives, or with what looked like some."""
    named: Sequence[str]
    """Those that directives name."""


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
    last: LastBuild,
    *,
    read: Callable[[Fence, int], Options],
) -> list[File]:
    """Return the pages with directives, and the pages that directives name.

    Args:
        read: Returns the options of a fence by its number, see `DirectivePages.options`.
    """
    forced, known = set(last.named), frozenset(last.directives)
    for file in pages:
        text, uri = file.content_string, file.src_uri
        body = split_front_matter(text).body if may_hold_directive(text) else ""
        fences = find_fences(body)
        for number, fence in enumerate(fences):
            with suppress(RecallError):  # its author is warned when the page is rendered
                scope = sources.pages.scope(read(fence, number).source, page=uri)
                forced.update(target.uri for target in scope.targets)
        if fences or uri in known or any(mark in text for mark in _INCLUDES):
            forced.add(uri)
    return [file for file in pages if file.src_uri in forced]
