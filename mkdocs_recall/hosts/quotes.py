"""The directives of a build, page by page, and their quotes: from the cache, or answered now.

Directives with the same pages are answered together. A page is released as soon as no directive
needs it, so that most of a site is never in memory at once.

A build leaves its quotes to the next one, with the pages that have or name directives. A quote is
reused if the key of its answer is unchanged. Computing that key takes the options of the directive,
and the pages that it names. So for an answer that depends only on a few pages, its key is saved
with their digests. While no page of the site comes or goes, comparing these is enough, which takes
a fraction of the time.

`--dirty` must not skip unchanged pages with directives, even included ones, nor the pages that
these name. Rendering these few pages costs less than tracking all that a quote depends on.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from hashlib import blake2b
from itertools import chain
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from mkdocs.exceptions import PluginError
from msgspec import Struct

from mkdocs_recall.answers.alternatives import alternatives
from mkdocs_recall.answers.insertion import Quote, marker, marker_id
from mkdocs_recall.answers.whitelist import is_clean
from mkdocs_recall.directives.fences import (
    fences_at,
    find_fences,
    may_hold_directive,
    replace_fences,
)
from mkdocs_recall.errors import RecallError, SiteCopyError
from mkdocs_recall.messages import single_line
from mkdocs_recall.pages.inclusion import IncludedText, locate_later
from mkdocs_recall.pages.mkdocs_pages import language_of
from mkdocs_recall.store import digest, pack, pipeline, unpack
from mkdocs_recall.text.front_matter import split_front_matter

if TYPE_CHECKING:
    from mkdocs.structure.files import File
    from mkdocs.structure.pages import Page

    from mkdocs_recall.answers.answer import Answer, TextLocator
    from mkdocs_recall.answers.lock import ApprovedAnswers
    from mkdocs_recall.directives.directive import Directive
    from mkdocs_recall.hosts.sources import SourcePages
    from mkdocs_recall.index.sources import Scope
    from mkdocs_recall.options import Limits, Options
    from mkdocs_recall.pages.context import Context
    from mkdocs_recall.pages.corpus import Corpus


def cached_quote(quote: Quote | None) -> Quote | None:
    """Return a quote from the cache; None if invalid, as a stranger may have written it."""
    if quote is None or quote.error or not quote.holds:
        return None
    return quote._replace(cached=True) if is_clean(quote.html) else None


class Origin(NamedTuple):
    """The inputs of the key of an answer that depends only on a few pages."""

    key: bytes
    pages: Sequence[str]
    digest: bytes


class LastBuild(NamedTuple):
    """The data that a build has of the previous one."""

    pages: Mapping[str, str] = {}
    """The digest of the Markdown of each page that has, or might have, directives."""
    fences: Mapping[str, Sequence[tuple[int, int]]] = {}
    """The spans of each page's fences in its Markdown."""
    named: Sequence[str] = ()
    origins: Mapping[bytes, Origin] = {}
    """Origins by the digest of a directive and of all that determines its pages."""


_INCLUDES: Final = ("8<", "{%")
"""Signs of an inclusion by snippets, mkdocs-include-markdown-plugin or macros: the included file
may have a new fence since the last build."""

_FEW_PAGES: Final = 50
"""The most pages of a directive that are stored with its key: more would let the cache grow with
the square of the site."""


class _DirectivePage(Struct):
    page: Page
    markdown: str = ""
    own: list[Directive] = []
    text: IncludedText | None = None
    """The text that it includes while it is rendered, if that has directives."""
    included: list[Directive] = []
    replaced: dict[str, str] = {}
    """Included texts with markers by those with fences: a page may be rendered again for a feed."""
    is_told: bool = False
    """Whether its directives were returned."""


class DirectivePages(Struct, eq=False):
    """The pages of one build that hold, or may hold, directives."""

    last: LastBuild
    defaults: Mapping[str, Any]
    limits: Limits
    language: str
    """The language of the site."""
    _pages: dict[str, _DirectivePage] = {}

    def to_force(self, files: Sequence[File], sources: SourcePages) -> list[File]:
        """Return the pages with directives, and the pages that directives name."""
        forced = set(self.last.named)
        for file in files:
            text, uri = file.content_string, file.src_uri
            body = split_front_matter(text).body if may_hold_directive(text) else ""
            directives = find_fences(body)
            for options in filter(None, map(self.options, directives)):
                with suppress(RecallError):  # the warning comes when the page is rendered
                    forced |= sources.pages.scope(options.source, page=uri).uris
            if directives or uri in self.last.pages or any(mark in text for mark in _INCLUDES):
                forced.add(uri)
        return [file for file in files if file.src_uri in forced]

    def read(self, markdown: str, page: Page) -> str | None:
        """Return the Markdown of a page with markers for its directives; None without any."""
        own = self._page(page)
        # Between page renderings, this takes two thirds of the time of SHA-256.
        text = markdown.encode("utf-8", "surrogatepass")
        own.markdown = blake2b(text, digest_size=16).hexdigest()
        uri = page.file.src_uri
        is_known = self.last.pages.get(uri) == own.markdown
        found = fences_at(markdown, self.last.fences.get(uri, ())) if is_known else None
        own.own = find_fences(markdown) if found is None else found
        locate_later(own.own, markdown, page)
        return _with_markers(markdown, own.own) if own.own else None

    def read_included(self, text: str, included: IncludedText) -> str | None:
        """Return a page's included text with markers for its directives; None without any."""
        own = self._pages.get(included.page.file.src_uri)
        if own and own.text is included and text in own.replaced:
            return own.replaced[text]
        found = find_fences(text)
        if not found:
            return None
        own = self._page(included.page)
        if own.text is not included:
            own.text, own.included, own.replaced = included, [], {}
        for one in found:
            one.number = len(own.own) + len(own.included)
            own.included.append(one)
        included.locate_later(found)
        replaced = own.replaced[text] = _with_markers(text, found)
        return replaced

    def directives(self) -> list[Directive]:
        """Return the directives found since the last call."""
        found: list[Directive] = []
        for own in self._pages.values():
            for one in () if own.is_told else (*own.own, *own.included):
                one.url, one.language = own.page.url, language_of(own.page, self.language)
                found.append(one)
            own.is_told = True
        return found

    def page(self, uri: str) -> Page:
        """Return a page with directives."""
        return self._pages[uri].page

    def left(self, named: Iterable[str], origins: Mapping[bytes, Origin]) -> LastBuild:
        """Return the data of this build for the next."""
        pages = {uri: own.markdown for uri, own in self._pages.items()}
        fences = {
            uri: [(one.start, one.start + len(one.source)) for one in own.own]
            for uri, own in self._pages.items()
        }
        return LastBuild(pages, fences, sorted(named), dict(sorted(origins.items())))

    def clear(self) -> None:
        """Release the pages."""
        self._pages = {}

    def options(self, directive: Directive) -> Options | None:
        """Return the options of a directive, read on demand; None for a fault."""
        from mkdocs_recall.directives.options import read_directive

        return read_directive(directive, defaults=self.defaults, limits=self.limits)

    def _page(self, page: Page) -> _DirectivePage:
        return self._pages.setdefault(page.file.src_uri, _DirectivePage(page))


def _with_markers(text: str, directives: Sequence[Directive]) -> str:
    for one in directives:
        one.id = marker_id(one.page, one.number)
    return replace_fences(text, directives, [marker(one.id) for one in directives])


class Quotes(Struct, eq=False, dict=True, kw_only=True):
    """The quotes of one build."""

    pages: DirectivePages
    sources: SourcePages
    context: Context
    approved: ApprovedAnswers | None
    site: str | None
    preview: bool

    def __post_init__(self) -> None:
        self.by_id: dict[str, Quote] = {}
        self._uris = frozenset(self.sources.uris)
        receipts = "" if self.site is None else f"receipts of {self.site}"
        self._form = receipts + "\0preview" * self.preview
        reading = json.dumps(self.pages.defaults, sort_keys=True), str(self.pages.limits)
        self._site = digest(pipeline(), *reading, self._form, self.sources.listing)
        self.origins: dict[bytes, Origin] = {}
        self._searched = 0
        self._scopes: dict[str, Scope] = {}
        self._locator: TextLocator | None = None

    def make(self, directives: Sequence[Directive]) -> None:
        """Make the quote of each directive."""
        # The cheapest comes first. In an ordinary warm build, most keys are saved with the few
        # pages of their answers, and no options are read. Other keys need the pages that a source
        # names. Directives without a quote under their key are answered, those with the same pages
        # together, since indexes are costly. Failures are not cached, so that they are reported
        # again.
        if self.approved is None:
            self._take(self._known(directives))
        changed = [one for one in directives if one.id not in self.by_id]
        for one in changed:
            self.pages.options(one)
        if self.approved is not None:  # like `lock`, which reads only files of pages
            self.approved.number(one for one in changed if one.line and not one.file)
        keys = {directive.id: key for directive in changed if (key := self._key(directive))}
        self._take(keys)
        missing: dict[tuple[str, ...], list[Directive]] = {}
        for directive in changed:
            if directive.id not in self.by_id:
                missing.setdefault(self._scopes[directive.id].key, []).append(directive)
        for directive in self._answer(list(missing.values())) if missing else ():
            if self._is_kept(directive):
                self.sources.cache.put(keys[directive.id], pack(self.by_id[directive.id]))
        for directive in changed if self.approved is None else ():
            is_known = directive.id in keys and self._is_kept(directive)
            if pages := self._pages(directive) if is_known else ():
                state = digest(*map(self.sources.digest, pages))
                self.origins[self._name(directive)] = Origin(keys[directive.id], pages, state)

    def _is_kept(self, directive: Directive) -> bool:
        quote = self.by_id[directive.id]
        return quote.holds and not quote.error and not self.context.failed

    def _take(self, keys: Mapping[str, bytes]) -> None:
        cached = self.sources.cache.get_many(set(keys.values()))
        for identity, key in keys.items():
            quote = cached_quote(unpack(Quote, cached.get(key)))
            if quote is not None:
                self.by_id[identity] = quote

    def _known(self, directives: Iterable[Directive]) -> dict[str, bytes]:
        keys: dict[str, bytes] = {}
        for one in directives:
            name = self._name(one)
            origin = self.pages.last.origins.get(name)
            if origin is None or not self._uris.issuperset(origin.pages):
                continue
            if origin.digest == digest(*map(self.sources.digest, origin.pages)):
                self.origins[name], keys[one.id] = origin, origin.key
        return keys

    def _name(self, one: Directive) -> bytes:
        return digest(one.source, one.page, one.url, one.language, self._site)

    def _pages(self, directive: Directive) -> list[str]:
        from mkdocs_recall.index.sources import split_filter

        options = directive.options
        pages = list(self._scopes[directive.id].uris)
        is_pure = (
            options is not None
            and options.is_pure
            and self._uris.issuperset(pages)
            and self.sources.pages.written.keys().isdisjoint(pages)
            # an edit of an unquoted page may add it to the quote
            and not any(split_filter(source)[1] for source in options.source)
        )
        return pages if is_pure and len(pages) <= _FEW_PAGES else []

    def _key(self, directive: Directive) -> bytes:
        """Find the pages of a directive; return the key of its answer, empty for a fault."""
        options = directive.options
        try:
            if options is None:
                assert directive.fault is not None
                raise directive.fault
            scope = self.sources.pages.scope(options.source, page=directive.page)
            self._count(scope)
            context = self._form + self.context.key(options, scope)
        except SiteCopyError as error:  # builds do not quote unfetched sites
            raise PluginError(single_line(f"recall: {error}")) from error
        except RecallError as error:
            from mkdocs_recall.answers.answer import Answer

            self.by_id[directive.id] = self._quote(Answer(directive, error=str(error)))
            return b""
        self._scopes[directive.id] = scope
        if self.approved and directive.lock_id:
            context += self.approved.key(directive.lock_id)
        digests = self.sources.digests(scope)
        of_page = directive.page, directive.url, directive.language
        return digest(pipeline(), "answer", repr(options), *digests, context, *of_page)

    def _count(self, scope: Scope) -> None:
        """Count the pages of a directive unless few, which a warm build may not look up."""
        from mkdocs_recall.directives.catalog import check_limit

        pages = len(scope.uris)
        if pages > _FEW_PAGES:
            self._searched += pages
            fault = f"it and the directives before it search {self._searched:,} pages"
            remedy = "narrow 'source'"
            check_limit("searches", self._searched, self.sources.limits, fault, remedy=remedy)

    def _answer(self, groups: list[list[Directive]]) -> Iterator[Directive]:
        from mkdocs_recall.answers.answer import TextLocator, answer
        from mkdocs_recall.pages.corpus import Corpus

        pages = self.sources.pages
        self._locator = self._locator or TextLocator(pages)
        ask = self.approved.answer if self.approved else answer
        uris = [list(self._scopes[group[0].id].uris) for group in groups]
        needed = Counter(chain.from_iterable(uris))
        self.sources.keep(uri for group in uris if len(group) > 1 for uri in group)
        # Scopes of many pages come first: their documents then serve scopes of one page.
        for number in sorted(range(len(groups)), key=lambda n: (-len(uris[n]), uris[n][:1])):
            corpus = Corpus(pages, context=self.context)
            for directive in groups[number]:
                answered = ask(directive, corpus, locator=self._locator)
                self.by_id[directive.id] = self._quote(answered, corpus)
                yield directive
            for uri in uris[number]:
                needed[uri] -= 1
                if not needed[uri]:
                    pages.release(uri)

    def _quote(self, answered: Answer, corpus: Corpus | None = None) -> Quote:
        """Return the quote of an answer; one without an error needs the corpus."""
        from mkdocs_recall.answers.html import QuotingPage

        one, beside = answered.directive, None
        if corpus and self.preview and not answered.error:
            beside = alternatives(answered, corpus)
        html_of = self.sources.html
        page = QuotingPage(one.page, one.url, one.language, self.site, html_of)
        of_build = self.context.diagnostics.all
        notes = (note for note in answered.result.diagnostics if note not in of_build)
        is_approved = self.approved and self.approved.has(one.lock_id)
        doubtful = not is_approved and bool(answered.doubts)
        told = answered.error, answered.warning, answered.fallback, tuple(notes)
        holds = answered.holds
        return Quote(answered.html(page), *told, holds=holds, doubtful=doubtful, beside=beside)
