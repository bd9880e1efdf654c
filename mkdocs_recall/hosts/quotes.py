"""The directives of a build, page by page, and their quotes: from the cache, or answered now.

Directives with the same pages are answered together. A page is released as soon as no directive
needs it, so that most of a site is never in memory at once.

One build leaves to the next its quotes, and the pages that have or name directives. A quote is used
again if nothing has changed that the key of its answer is made of. To make that key takes the
options of the directive, and the pages that it names. So the key of an answer that depends on
nothing but a few pages is left beside these. While no page of the site comes or goes, to compare
their digests is enough, which takes a fraction of the time.

`--dirty` must not skip the unchanged pages with directives, which may not be in their files, nor
what these name. Which of them another page has made stale is not worth knowing: to render the few
pages that quote and are quoted costs less than to keep account of all that a quote depends on.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property, partial
from hashlib import blake2b
from itertools import chain
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from mkdocs.exceptions import PluginError
from msgspec import Struct

from mkdocs_recall.answers.alternatives import Alternatives, alternatives
from mkdocs_recall.answers.insertion import marker, marker_id
from mkdocs_recall.answers.whitelist import is_clean
from mkdocs_recall.directives.fences import (
    Fence,
    find_fences,
    find_near_misses,
    may_hold_directive,
    replace_fences,
)
from mkdocs_recall.errors import RecallError, SiteCopyError, lines_below
from mkdocs_recall.messages import single_line
from mkdocs_recall.pages.inclusion import IncludedText, included_texts, includes_files, place_in
from mkdocs_recall.pages.mkdocs_pages import language_of
from mkdocs_recall.store import digest, pack, pipeline, unpack
from mkdocs_recall.text.front_matter import normalise_newlines, split_front_matter

if TYPE_CHECKING:
    from mkdocs.structure.files import File
    from mkdocs.structure.pages import Page

    from mkdocs_recall.answers.answer import TextLocator
    from mkdocs_recall.answers.lock import ApprovedAnswers
    from mkdocs_recall.hosts.sources import SourcePages
    from mkdocs_recall.index.sources import Scope
    from mkdocs_recall.options import Limits, Options
    from mkdocs_recall.pages.context import Context
    from mkdocs_recall.pages.corpus import Corpus


@dataclass(eq=False)
class PageFile:
    """The file of a page with directives, read once, when the line of a fence is needed."""

    page: Page
    line_ends: int
    """The number of line ends in its Markdown, without those at its end."""

    @cached_property
    def _lines(self) -> list[str]:
        try:
            text = self.page.file.content_string
        except OSError:  # its author has removed it since MkDocs read it
            text = ""
        return normalise_newlines(text).rstrip("\n").split("\n")

    @cached_property
    def _lines_by_text(self) -> dict[str, list[int]]:
        lines: dict[str, list[int]] = {}
        text = "\n".join(self._lines)
        for fence in (*find_fences(text), *find_near_misses(text)):
            lines.setdefault(fence.source, []).append(fence.first)
        return lines

    def line(self, fence: Fence) -> int | None:
        """Return the line of a fence, from 1; None if another plugin has generated it."""
        above = len(self._lines) - 1 - self.line_ends
        first, behind = above + fence.first, above + fence.last + 1
        if above >= 0 and "\n".join(self._lines[first:behind]) == fence.source:
            return first + 1
        places = self._lines_by_text.get(fence.source, [])
        return places[0] + 1 if len(places) == 1 else None

    def place(self, fence: Fence, *, below: int = 0) -> str:
        """Return where a fence is, for messages; `below` is how many lines below its first."""
        line, uri = self.line(fence), self.page.file.src_uri
        if line is not None:
            return f"{uri}:{line + below}"
        if place := place_in(self._included, fence):
            return f"{place[0]}:{place[1] + below} (included in {uri})"
        may_be_included = includes_files("\n".join(self._lines))
        return f"{uri} (in a file that the page includes)" if may_be_included else uri

    @cached_property
    def _included(self) -> Mapping[str, Sequence[str]]:
        file = self.page.file
        path = file.abs_src_path or ""
        docs = path.removesuffix(os.path.normpath(file.src_uri))
        is_in_docs = docs not in {"", path}
        return included_texts("\n".join(self._lines), path, docs) if is_in_docs else {}


@dataclass(eq=False)
class Directive:
    """A directive; its options are read and checked when something first needs them."""

    id: str
    fence: Fence
    file: PageFile | IncludedText
    read: Callable[[], Options]

    _fault: RecallError | None = field(default=None, init=False)

    @cached_property
    def options(self) -> Options | None:
        """What it asks for; None where it has a fault."""
        try:
            return self.read()
        except RecallError as error:
            self._fault = error
            return None

    @property
    def fault(self) -> RecallError | None:
        """What is wrong with it, as far as that is known before the pages are rendered."""
        return self._fault if self.options is None else None

    @property
    def cuts(self) -> Sequence[tuple[int, str]]:
        """Its values that YAML has probably cut."""
        # A warm build reads the options of few.
        return self.fence.cuts if self.fence.may_be_cut and not self.fault else ()

    @property
    def page(self) -> str:
        """The uri of the page it is on."""
        return self.file.page.file.src_uri

    def message(self, text: str, *, below: int | None = None) -> str:
        """Return a message behind its place, so far `below`; for None, where its fault is."""
        if below is None:
            below = lines_below(self.fault)
        return f"{self.file.place(self.fence, below=below)}: {self.fence.name}: {text}"


class Quote(NamedTuple):
    """The quote of a directive, as its own page has it."""

    html: str
    error: str = ""
    warning: str = ""
    fallback: bool = False
    notes: tuple[str, ...] = ()
    """Notices; each is logged once in a build."""
    cached: bool = False
    holds: bool = True
    """Whether it holds what its author expects; if not, its warning depends on the whole site."""
    doubtful: bool = False
    """Whether something speaks against the answer, which nobody has approved."""
    beside: Alternatives | None = None
    """What else its author may want to know, in a preview."""


def cached_quote(quote: Quote | None) -> Quote | None:
    """Return a quote from the cache; None if it is not one: a stranger may have written it."""
    if quote is None or quote.error or not quote.holds:
        return None
    return quote._replace(cached=True) if is_clean(quote.html) else None


class PageFences(NamedTuple):
    """The fences of a page with directives, or with what looked like some."""

    markdown: str = ""
    """The digest of its Markdown; empty where each build warns of one of them."""
    fences: Sequence[Fence] = ()

    def are_in(self, text: str) -> bool:
        """Tell whether the fences are in a text: others may write to a cache."""
        end = 0
        lines = f"\n{text}\n"
        for fence in self.fences:
            is_here = lines.startswith(f"\n{fence.source}\n", fence.start)
            if not (end <= fence.start and is_here and fence.is_as_written):
                return False
            end = fence.end
        return True


class Origin(NamedTuple):
    """What the key of an answer was made of that depends on nothing but a few pages."""

    key: bytes
    directive: tuple[str, str, str]
    """The fence, the address and the language of its page."""
    site: bytes
    """Stands for how fences and pages are read, and for which pages a source names."""
    pages: Sequence[str]
    digest: bytes


class LastBuild(NamedTuple):
    """What a build knows of the one before."""

    pages: Mapping[str, PageFences] = {}
    named: Sequence[str] = ()
    origins: Mapping[str, Origin] = {}


_INCLUDES: Final = ("8<", "{%")
"""What marks a file that a page includes, with snippets, mkdocs-include-markdown-plugin or macros:
the file may hold a fence that it did not hold in the last build."""


_FEW_PAGES: Final = 50
"""Pages of a directive; those of more are not stored with its key, or the cache would grow with the
square of the site."""


class _DirectivePage(Struct):
    markdown: str = ""
    own: list[Directive] = []
    text: IncludedText | None = None
    """What it includes while it is rendered, with directives; None for none."""
    included: list[Directive] = []
    replaced: dict[str, str] = {}
    """Included texts with markers for each with fences: a page may be rendered again, for a feed.
    """
    is_told: bool = False
    """Whether they were asked for."""


@dataclass(eq=False)
class DirectivePages:
    """The pages of one build that hold, or may hold, directives."""

    last: LastBuild
    defaults: Mapping[str, Any]
    limits: Limits
    _pages: dict[str, _DirectivePage] = field(default_factory=dict, init=False)

    def to_force(self, files: Sequence[File], sources: SourcePages) -> list[File]:
        """Return the pages with directives, and the pages that directives name."""
        forced = set(self.last.named)
        for file in files:
            text, uri = file.content_string, file.src_uri
            body = split_front_matter(text).body if may_hold_directive(text) else ""
            fences = find_fences(body)
            for number, fence in enumerate(fences):
                with suppress(RecallError):  # its author is warned when the page is rendered
                    scope = sources.pages.scope(self.options(fence, number).source, page=uri)
                    forced |= scope.uris
            if fences or uri in self.last.pages or any(mark in text for mark in _INCLUDES):
                forced.add(uri)
        return [file for file in files if file.src_uri in forced]

    def read(self, markdown: str, page: Page) -> str | None:
        """Return the Markdown of a page with markers for its directives; None if there is none."""
        uri = page.file.src_uri
        own = self._pages.setdefault(uri, _DirectivePage())
        # Between two pages that MkDocs renders, this takes two thirds of the time of SHA-256.
        text = markdown.encode("utf-8", "surrogatepass")
        own.markdown = blake2b(text, digest_size=16).hexdigest()
        known = self.last.pages.get(uri, PageFences())
        is_known = self.knows(page) and known.are_in(markdown)
        fences = known.fences if is_known else find_fences(markdown)
        file = PageFile(page, markdown.rstrip("\n").count("\n"))
        own.own = self._directives(fences, file)
        return _with_markers(markdown, own.own) if own.own else None

    def knows(self, page: Page) -> bool:
        """Tell whether the last build has read the Markdown of a page, and need not warn of it."""
        uri = page.file.src_uri
        known = self.last.pages.get(uri, PageFences())
        return known.markdown == self._pages[uri].markdown

    def forget(self, page: Page) -> None:
        """Have the next build look for the fences of a page: it has to warn of one."""
        self._pages[page.file.src_uri].markdown = ""

    def read_included(self, text: str, included: IncludedText) -> str | None:
        """Return what a page includes, with markers for its directives; None for none."""
        uri = included.page.file.src_uri
        own = self._pages.get(uri)
        if own and own.text is included and text in own.replaced:
            return own.replaced[text]
        fences = find_fences(text)
        if not fences:
            return None
        own = self._pages.setdefault(uri, _DirectivePage())
        if own.text is not included:
            own.text, own.included, own.replaced = included, [], {}
        first = len(own.own) + len(own.included)
        found = self._directives(fences, included, first=first)
        own.included += found
        replaced = own.replaced[text] = _with_markers(text, found)
        return replaced

    def directives(self) -> list[Directive]:
        """Return the directives that were found since it was called last."""
        pages = [page for page in self._pages.values() if not page.is_told]
        for page in pages:
            page.is_told = True
        return [directive for page in pages for directive in (*page.own, *page.included)]

    def fences(self) -> dict[str, PageFences]:
        """Return the fences of each page."""
        pages: dict[str, PageFences] = {}
        for uri, page in self._pages.items():
            fences = [directive.fence for directive in page.own]
            has_fault = any(fence.fault for fence in fences)
            pages[uri] = PageFences() if has_fault else PageFences(page.markdown, fences)
        return pages

    def clear(self) -> None:
        """Release the pages."""
        self._pages = {}

    def options(self, fence: Fence, number: int) -> Options:
        """Read and check the options of a fence, by its number on the page from 0."""
        from mkdocs_recall.directives.options import read_fence

        return read_fence(fence, number, defaults=self.defaults, limits=self.limits)

    def _directives(
        self, fences: Sequence[Fence], file: PageFile | IncludedText, *, first: int = 0
    ) -> list[Directive]:
        uri = file.page.file.src_uri
        return [
            Directive(marker_id(uri, number), fence, file, partial(self.options, fence, number))
            for number, fence in enumerate(fences, start=first)
        ]


def _with_markers(text: str, directives: Sequence[Directive]) -> str:
    fences = [directive.fence for directive in directives]
    return replace_fences(text, fences, [marker(directive.id) for directive in directives])


@dataclass(eq=False, kw_only=True)
class Quotes:
    """The quotes of one build."""

    sources: SourcePages
    context: Context
    approved: ApprovedAnswers | None
    site: str | None
    preview: bool
    reading: bytes
    """The digest of what shapes how fences are read."""
    known: Mapping[str, Origin]
    by_id: dict[str, Quote] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        self._uris = frozenset(self.sources.uris)
        receipts = "" if self.site is None else f"receipts of {self.site}"
        self._form = receipts + "\0preview" * self.preview
        self._site = digest(self.reading, self._form, self.sources.listing)
        self.origins: dict[str, Origin] = {}
        self._searched = 0
        self._scopes: dict[str, Scope] = {}
        self._locator: TextLocator | None = None
        self._lock_ids: dict[str, str] = {}
        """The id in the lock file of each directive that it covers, by its id here."""

    def make(self, directives: Sequence[Directive]) -> None:
        """Make the quote of each directive."""
        # The cheapest comes first. In an ordinary warm build, the keys of most answers are known
        # beside the few pages that each was made of, and no options are read. The next need the
        # pages that a source names, for a key. What has no quote under its key is answered, those
        # with the same pages together, since an index is what costs. Failures are not kept: they
        # must be told again.
        known = [one.id for one in directives if self.approved is None and self._knows(one)]
        self.origins |= {identity: self.known[identity] for identity in known}
        self._take({identity: self.known[identity].key for identity in known})
        changed = [one for one in directives if one.id not in self.by_id]
        self._find_lock_ids(directives)
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
                key, state = keys[directive.id], self._digest(pages)
                origin = Origin(key, self._parts(directive), self._site, pages, state)
                self.origins[directive.id] = origin

    def _is_kept(self, directive: Directive) -> bool:
        quote = self.by_id[directive.id]
        return quote.holds and not quote.error and not self.context.failed

    def _take(self, keys: Mapping[str, bytes]) -> None:
        cached = self.sources.cache.get_many(set(keys.values()))
        for identity, key in keys.items():
            quote = cached_quote(unpack(Quote, cached.get(key)))
            if quote is not None:
                self.by_id[identity] = quote

    def _knows(self, directive: Directive) -> bool:
        origin = self.known.get(directive.id)
        return (
            origin is not None
            and origin.site == self._site
            and origin.directive == self._parts(directive)
            and self._uris.issuperset(origin.pages)
            and origin.digest == self._digest(origin.pages)
        )

    def _parts(self, directive: Directive) -> tuple[str, str, str]:
        page = directive.file.page
        return directive.fence.source, page.url, language_of(page, self.sources.language)

    def _pages(self, directive: Directive) -> list[str]:
        from mkdocs_recall.index.sources import split_filter

        options = directive.options
        pages = list(self._scopes[directive.id].uris)
        is_pure = (
            options is not None
            and options.is_pure
            and self._uris.issuperset(pages)
            and self.sources.pages.written.keys().isdisjoint(pages)
            # an edit of a page that it does not quote may add that page
            and not any(split_filter(source)[1] for source in options.source)
        )
        return pages if is_pure and len(pages) <= _FEW_PAGES else []

    def _digest(self, pages: Sequence[str]) -> bytes:
        return digest(*map(self.sources.digest, pages))

    def _find_lock_ids(self, directives: Sequence[Directive]) -> None:
        """Number the directives as `mkdocs-recall lock` does, which reads only the pages' files."""
        if self.approved is None:
            return
        for directive in directives:
            file, options = directive.file, directive.options
            if options and isinstance(file, PageFile) and file.line(directive.fence):
                self._lock_ids[directive.id] = self.approved.next_id(directive.page, options)

    def _key(self, directive: Directive) -> bytes:
        """Find the pages of a directive; return the key of its answer, empty for a fault."""
        options, page = directive.options, directive.file.page
        try:
            if options is None:
                assert directive.fault is not None
                raise directive.fault
            scope = self.sources.pages.scope(options.source, page=directive.page)
            self._count(scope)
            context = self._form + self.context.key(options, scope)
        except SiteCopyError as error:  # no build quotes what nobody has fetched
            raise PluginError(single_line(f"recall: {error}")) from error
        except RecallError as error:
            self.by_id[directive.id] = self._caution(directive, str(error))
            return b""
        self._scopes[directive.id] = scope
        identity = self._lock_ids.get(directive.id)
        if self.approved and identity:
            context += self.approved.key(identity)
        language = language_of(page, self.sources.language)
        digests = self.sources.digests(scope)
        own = repr(options), *digests, context, directive.page, page.url, language
        return digest(pipeline(), "answer", *own)

    def _count(self, scope: Scope) -> None:
        """Count the pages of a directive, unless few: a warm build may not look those up."""
        from mkdocs_recall.directives.catalog import check_limit

        pages = len(scope.uris)
        if pages > _FEW_PAGES:
            self._searched += pages
            fault = f"it and the directives before it search {self._searched:,} pages"
            remedy = "narrow 'source'"
            check_limit("searches", self._searched, self.sources.limits, fault, remedy=remedy)

    def _answer(self, groups: list[list[Directive]]) -> Iterator[Directive]:
        from mkdocs_recall.pages.corpus import Corpus

        pages = self.sources.pages
        uris = [list(self._scopes[group[0].id].uris) for group in groups]
        needed = Counter(chain.from_iterable(uris))
        self.sources.keep(uri for group in uris if len(group) > 1 for uri in group)
        # Scopes of many pages come first: their documents then serve the scopes of one page.
        for number in sorted(range(len(groups)), key=lambda n: (-len(uris[n]), uris[n][:1])):
            corpus = Corpus(pages, context=self.context)
            for directive in groups[number]:
                self.by_id[directive.id] = self._quote(directive, corpus)
                yield directive
            for uri in uris[number]:
                needed[uri] -= 1
                if not needed[uri]:
                    pages.release(uri)

    def _quote(self, directive: Directive, corpus: Corpus) -> Quote:
        from mkdocs_recall.answers.answer import TextLocator, answer
        from mkdocs_recall.answers.html import QuotingPage

        options = directive.options
        assert options is not None
        self._locator = self._locator or TextLocator(self.sources.pages)
        identity = self._lock_ids.get(directive.id)
        ask = partial(self.approved.answer, identity) if self.approved and identity else answer
        answered = ask(options, corpus, directive.page, locator=self._locator)
        if answered.error:
            return self._caution(directive, answered.error)
        page = directive.file.page
        language = language_of(page, self.sources.language)
        quoting = QuotingPage(directive.page, page.url, language, self.site, self.sources.html)
        beside = alternatives(answered, corpus, directive.page) if self.preview else None
        of_build = self.context.diagnostics.all
        notes = tuple(note for note in answered.result.diagnostics if note not in of_build)
        is_approved = self.approved and identity and self.approved.has(identity)
        return Quote(
            *(answered.html(quoting), "", answered.warning, answered.fallback, notes),
            holds=answered.holds,
            doubtful=not is_approved and bool(answered.doubts),
            beside=beside,
        )

    def _caution(self, directive: Directive, fault: str) -> Quote:
        from mkdocs_recall.answers.html import caution

        message = directive.message(fault)
        language = language_of(directive.file.page, self.sources.language)
        return Quote(caution(directive.fence.name, message, language=language), message)
