"""One build of a site: directives are found page by page, answered together, and inserted.

All answers are computed before the first is inserted, so that no quote feeds a quote. Directives
with the same pages are answered together, and a page is released as soon as no directive needs it.

A build leaves its quotes to the next one. A quote is reused if the key of its answer is unchanged.
For an answer that depends only on a few pages, the key is saved with their digests: while no page
of the site comes or goes, comparing these takes a fraction of the time. `--dirty` must not skip
pages with directives, nor those that these name.

At the end, the finished page of a source is compared with the quotes from it, since a plugin may
have replaced its content. Others minify, escape or hyphenate it, so the longest words of each cited
place are looked up, and only a page without any of them has lost its text.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from hashlib import blake2b
from html import unescape
from itertools import chain, count, takewhile
from pathlib import Path
from posixpath import join, normpath
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from mkdocs.exceptions import PluginError
from mkdocs.structure.files import Files, InclusionLevel
from msgspec import Struct
from msgspec.structs import replace

from mkdocs_recall.answers import insertion
from mkdocs_recall.answers.alternatives import alternatives
from mkdocs_recall.answers.insertion import STYLESHEET, Quote, marker, marker_id
from mkdocs_recall.answers.links import is_section, relative_url
from mkdocs_recall.answers.whitelist import is_clean
from mkdocs_recall.directives.fences import (
    MARKER_HINT,
    NAMES,
    fences_at,
    find_fences,
    may_hold_directive,
    replace_fences,
)
from mkdocs_recall.errors import LockError, RecallError, SiteCopyError
from mkdocs_recall.files import LOCK_FILE, edited_since, write_atomically
from mkdocs_recall.hosts.copies import fill_built, may_have_copies
from mkdocs_recall.hosts.sources import SourcePages
from mkdocs_recall.limits import LIMITS
from mkdocs_recall.messages import count_noun, single_line, truncation_warning
from mkdocs_recall.pages.context import Context
from mkdocs_recall.pages.inclusion import IncludedText, locate_later
from mkdocs_recall.pages.mkdocs_pages import language_of, page_title, site_language
from mkdocs_recall.store import Cache, digest, gc_paused, pack, pipeline, unpack
from mkdocs_recall.text.front_matter import split_front_matter, wants_backlinks

if TYPE_CHECKING:
    from logging import Logger

    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import File
    from mkdocs.structure.nav import Navigation
    from mkdocs.structure.pages import Page

    from mkdocs_recall.answers.answer import Answer, TextLocator
    from mkdocs_recall.answers.lock import ApprovedAnswers
    from mkdocs_recall.directives.directive import Directive
    from mkdocs_recall.hosts.config import RecallConfig
    from mkdocs_recall.hosts.publish import PublishedPages
    from mkdocs_recall.index.sources import Scope
    from mkdocs_recall.options import Limits, Options
    from mkdocs_recall.pages.corpus import Corpus
    from mkdocs_recall.pages.published import OtherSites

_LOST: Final = (
    "'{0}' is published without the text that is quoted here: a plugin or its template leaves it "
    "out; if it is not for all readers, write 'recall: {{exclude: true}}' into its front matter"
)
_REMOVED: Final = (
    "its place in the page was removed by another plugin, or by an extension that strips comments; "
    "for 'pymdownx.striphtml', set 'strip_comments: false'"
)
_NAMED: Final = 10
_UNSTYLED: Final = (
    f"the stylesheet '{STYLESHEET}' is not written, so quotes have the theme's own look: {{}}, or "
    "set 'css: false'"
)


def cached_quote(quote: Quote | None) -> Quote | None:
    """Return a quote from the cache, which a stranger may have written, if valid."""
    if quote is None or quote.error or not quote.holds:
        return None
    return replace(quote, cached=True) if is_clean(quote.html) else None


class Origin(Struct, frozen=True, array_like=True):
    """The inputs of the key of an answer that depends only on a few pages."""

    key: bytes
    pages: Sequence[str]
    digest: bytes


class LastBuild(Struct, frozen=True, array_like=True):
    """The data that a build has of the previous one."""

    pages: Mapping[str, str] = {}
    """The digests of Markdown that has, or might have, directives."""
    fences: Mapping[str, Sequence[tuple[int, int]]] = {}
    named_pages: Sequence[str] = ()
    origins: Mapping[bytes, Origin] = {}
    """By the digest of a directive and of all that determines its pages."""


_INCLUDES: Final = ("8<", "{%")
"""Signs of an inclusion, which may have a new fence since the last build."""
Citing: TypeAlias = "tuple[Directive, Sequence[str]]"
"""A directive that cites a page, with the longest words quoted from it."""
_FEW_PAGES: Final = 50
"""The most pages stored with a key: the cache would grow with the site's square."""


class _DirectivePage(Struct):
    page: Page
    markdown: str = ""
    fences: list[Directive] = []
    text: IncludedText | None = None
    """The text that it includes while it is rendered, if that has directives."""
    included: list[Directive] = []
    replaced: dict[str, str] = {}
    """Included texts with markers by those with fences."""
    is_returned: bool = False


class DirectivePages(Struct, eq=False):
    """The pages of one build that hold, or may hold, directives."""

    last: LastBuild
    defaults: Mapping[str, Any]
    limits: Limits
    language: str
    _pages: dict[str, _DirectivePage] = {}

    def to_force(self, files: Sequence[File], sources: SourcePages) -> list[File]:
        """Return the pages with directives, and the pages that directives name."""
        forced = set(self.last.named_pages)
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
        """Return the Markdown of a page with markers, if it has directives."""
        entry = self._page(page)
        # Between page renderings, this takes two thirds of the time of SHA-256.
        text = markdown.encode("utf-8", "surrogatepass")
        entry.markdown = blake2b(text, digest_size=16).hexdigest()
        uri = page.file.src_uri
        is_known = self.last.pages.get(uri) == entry.markdown
        directives = fences_at(markdown, self.last.fences.get(uri, ())) if is_known else None
        entry.fences = find_fences(markdown) if directives is None else directives
        locate_later(entry.fences, markdown, page)
        return _with_markers(markdown, entry.fences) if entry.fences else None

    def read_included(self, text: str, included: IncludedText) -> str | None:
        """Return a page's included text with markers, if it has directives."""
        entry = self._pages.get(included.page.file.src_uri)
        if entry and entry.text is included and text in entry.replaced:
            return entry.replaced[text]
        directives = find_fences(text)
        if not directives:
            return None
        entry = self._page(included.page)
        if entry.text is not included:
            entry.text, entry.included, entry.replaced = included, [], {}
        for directive in directives:
            directive.number = len(entry.fences) + len(entry.included)
            entry.included.append(directive)
        included.locate_later(directives)
        replaced = entry.replaced[text] = _with_markers(text, directives)
        return replaced

    def directives(self) -> list[Directive]:
        """Return the directives found since the last call."""
        directives: list[Directive] = []
        for entry in self._pages.values():
            for directive in () if entry.is_returned else (*entry.fences, *entry.included):
                directive.url = entry.page.url
                directive.language = language_of(entry.page, self.language)
                directives.append(directive)
            entry.is_returned = True
        return directives

    def page(self, uri: str) -> Page:
        """Return a page with directives."""
        return self._pages[uri].page

    def left(self, named_pages: Iterable[str], origins: Mapping[bytes, Origin]) -> LastBuild:
        """Return the data of this build for the next."""
        pages = {uri: entry.markdown for uri, entry in self._pages.items()}
        fences = {
            uri: [(fence.start, fence.start + len(fence.source)) for fence in entry.fences]
            for uri, entry in self._pages.items()
        }
        return LastBuild(pages, fences, sorted(named_pages), dict(sorted(origins.items())))

    def options(self, directive: Directive) -> Options | None:
        """Return the options of a directive; None for a fault."""
        from mkdocs_recall.directives.options import read_directive

        return read_directive(directive, defaults=self.defaults, limits=self.limits)

    def _page(self, page: Page) -> _DirectivePage:
        return self._pages.setdefault(page.file.src_uri, _DirectivePage(page))


def _with_markers(text: str, directives: Sequence[Directive]) -> str:
    for directive in directives:
        directive.id = marker_id(directive.page, directive.number)
    return replace_fences(text, directives, [marker(directive.id) for directive in directives])


class Quotes(Struct, eq=False, dict=True):
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
        self._form = receipts + ("\0preview" if self.preview else "")
        reading = json.dumps(self.pages.defaults, sort_keys=True), str(self.pages.limits)
        self._site = digest(pipeline(), *reading, self._form, self.sources.listing)
        self.origins: dict[bytes, Origin] = {}
        self._searched = 0
        self._scopes: dict[str, Scope] = {}
        self._locator: TextLocator | None = None

    def make(self, directives: Sequence[Directive]) -> None:
        """Make the quote of each directive."""
        # The cheapest comes first: in an ordinary warm build, most keys are saved with the few
        # pages of their answers, and no options are read. Failures are not cached, so that they
        # are reported again.
        if self.approved is None:
            self._take(self._known(directives))
        changed = [directive for directive in directives if directive.id not in self.by_id]
        for directive in changed:
            self.pages.options(directive)
        if self.approved is not None:  # like `lock`, which reads only files of pages
            self.approved.number(
                directive for directive in changed if directive.line and not directive.file
            )
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
        for directive in directives:
            name = self._name(directive)
            origin = self.pages.last.origins.get(name)
            if origin is None or not self._uris.issuperset(origin.pages):
                continue
            if origin.digest == digest(*map(self.sources.digest, origin.pages)):
                self.origins[name], keys[directive.id] = origin, origin.key
        return keys

    def _name(self, directive: Directive) -> bytes:
        return digest(
            directive.source, directive.page, directive.url, directive.language, self._site
        )

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
        """Return the key of a directive's answer; empty for a fault."""
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
        place = directive.page, directive.url, directive.language
        return digest(pipeline(), "answer", repr(options), *digests, context, *place)

    def _count(self, scope: Scope) -> None:
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
        from mkdocs_recall.answers.html import QuotingPage

        directive, beside = answered.directive, None
        if corpus and self.preview and not answered.error:
            beside = alternatives(answered, corpus)
        page = QuotingPage(
            directive.page, directive.url, directive.language, self.site, self.sources.html
        )
        reported = self.context.diagnostics
        notes = (note for note in answered.result.diagnostics if note not in reported)
        is_approved = self.approved and self.approved.has(directive.lock_id)
        doubtful = not is_approved and bool(answered.doubts)
        findings = answered.error, answered.warning, answered.fallback, tuple(notes)
        holds = answered.holds
        return Quote(answered.html(page), *findings, holds=holds, doubtful=doubtful, beside=beside)


class Build(Struct, eq=False, dict=True, kw_only=True):
    """One build of a site, whose pages are listed but not read yet."""

    config: MkDocsConfig
    settings: RecallConfig
    folder: Path | None
    nav: Navigation
    log: Logger
    dirty: bool
    serving_since: int | None = None
    """When `mkdocs serve` started, in ns since 1970."""

    def __post_init__(self) -> None:
        config, settings = self.config, self.settings
        self._root = Path(config.config_file_path or "mkdocs.yml").absolute().parent
        self._preview = self.serving_since is not None and settings.preview
        self._publication = settings.publish if self.serving_since is None else None
        self._approved = self._read_approved()
        self._others: OtherSites | None = None
        if settings.sites:
            from mkdocs_recall.pages.published import OtherSites

            self._others = OtherSites(settings.sites, self._root, own_url=config.site_url or "")
        self._cache = Cache(self.folder)
        site = config.config_file_path or "", config.docs_dir, site_language(config)
        self._key = digest("last build", pipeline(), *site)  # each language is a site
        self._found = self._left = self._cache.get(self._key) or b""
        with gc_paused():
            self._last = unpack(LastBuild, self._found)
        last = self._last or LastBuild()
        limits = settings.limits or LIMITS
        self.pages = DirectivePages(last, settings.defaults(), limits, site_language(config))
        self._quotes: dict[str, Quote] = {}
        self._counts: Counter[str] = Counter()
        self._doubtful: list[Directive] = []
        self._logged: set[str] = set()
        self._placed: set[str] = set()
        self._restored: set[str] = set()
        self._uris: Mapping[str, str] = {}
        """The pages by their normalised URLs."""
        self._citing: dict[str, list[Citing]] = {}
        """The directives that cite each page, by its uri."""
        self.fill_copies: Callable[[], None] | None = None
        self.published: PublishedPages | None = None

    def force_pages(self, files: Files) -> None:
        """Have MkDocs render the pages that `--dirty` must not skip."""
        pages = files.documentation_pages(inclusion=InclusionLevel.is_in_serve)
        # Without data of a last build, any page may have a fence.
        if self._last is not None and self._publication is None:
            pages = self.pages.to_force(pages, self._sources(files))
        for file in pages:
            file.is_modified = lambda: True  # type: ignore[method-assign]  # of this file alone

    def read_again(self, text: str, uri: str) -> str | None:
        """Put markers into an excerpt, if it has answers."""
        ids = takewhile(self._quotes.__contains__, (marker_id(uri, n) for n in count()))
        by_text = {self._quotes[identity].source: identity for identity in ids}
        fences = find_fences(text) if by_text else ()
        answered = [fence for fence in fences if fence.source in by_text]
        if not answered:
            return None
        return replace_fences(text, answered, [marker(by_text[fence.source]) for fence in answered])

    @gc_paused()
    def answer(self, files: Files) -> None:
        """Answer all directives, insert the answers, and log the faults."""
        directives = self.pages.directives()
        if not directives and not self.dirty and self._publication is None:
            return
        sources = self._sources(files)
        context = self._context(sources)
        site = self.config.site_name if self.settings.receipts else None
        approved, preview = self._approved, self._preview
        quotes = Quotes(self.pages, sources, context, approved, site=site, preview=preview)
        if self._publication is not None:
            from mkdocs_recall.hosts.publish import PublishedPages

            self.published = PublishedPages(self._publication, sources, context.warnings.setdefault)
        quotes.make(directives)
        while late := self.pages.directives():  # of skipped pages rendered as sources
            directives += late
            quotes.make(late)
        named_pages = sources.named_pages
        if self.published is not None:
            self.published.read()
        context.save()
        # The order of reading depends on the cache; messages and their order must not.
        warnings = *map(truncation_warning, sources.truncated), *context.warnings
        for text in sorted(warnings):
            self.log.warning("recall: %s", text)
        for text in context.notices:
            self.log.info("recall: %s", text)
        on_pages = {
            directive.id: self._on_page(directive, quotes.by_id[directive.id])
            for directive in directives
        }
        self._quotes, left_out = insertion.nested_quotes(on_pages)
        self._left = pack(self.pages.left(named_pages, quotes.origins))
        # Long pages first: shorter ones fit into the memory they free.
        pages = [file.page for file in files if file.page is not None]
        for page in sorted(pages, key=lambda page: -len(page.content or "")):
            self._fill_content(page)
        self._uris = {normpath(page.url): page.file.src_uri for page in pages}
        self._citing = {}
        for directive in directives:
            self._report(directive, quotes.by_id[directive.id])
        self._report_nesting({directive.id: directive for directive in directives}, left_out)
        self._add_backlinks(pages)
        if directives and may_have_copies(self.config):
            pages_of = {directive.page for directive in directives if directive.id in self._placed}
            arguments = self.config, files, self._quotes, pages_of, self.log
            self.fill_copies = partial(fill_built, *arguments)

    def fill(self, html: str, page: Page) -> str | None:
        """Fill the markers in a page, or in its content, if it has any."""
        if MARKER_HINT not in html:
            return None
        filled = insertion.insert_linked(html, self._quotes, page.url)
        self._placed.update(filled.placed)
        self._restored.update(filled.restored)
        return filled.html

    def check(self, html: str, page: Page) -> None:
        """Warn if a finished page no longer shows what is quoted from it."""
        uri = page.file.src_uri
        directive = _first_lost(self._citing.pop(uri, ()), html)
        if directive is not None:
            self.log.warning("%s", directive.message(_LOST.format(uri)))

    def add_stylesheet(self, files: Files) -> None:
        """Write the stylesheet, and have pages link to it, if there is a quote."""
        if not self.settings.css or not self._quotes or STYLESHEET in self.config.extra_css:
            return
        if files.get_file_from_path(STYLESHEET) is None:
            folder = Path(self.config.site_dir)
            try:
                css = insertion.stylesheet(preview=self._preview)
                write_atomically(folder / STYLESHEET, css, folder)
            except OSError as error:
                self.log.warning("recall: %s", _UNSTYLED.format(error.strerror or error))
                return
        self.config.extra_css.insert(0, STYLESHEET)

    def summary(self) -> list[str]:
        """Return lines about the build and doubtful answers, if any."""
        if not self._quotes:
            return []
        answered, fallbacks, cached = (self._counts[n] for n in ("answered", "fallback", "cached"))
        head = f"recall: {count_noun(answered, 'directive')} answered"
        lines = [f"{head}, {fallbacks} by fallback, {cached} from the cache"]
        # There may be approved answers that only `mkdocs-recall check` uses.
        ignored = self.settings.lock == "off" and Path(self._root, LOCK_FILE).exists()
        if self._doubtful and not ignored:
            places = [directive.place() for directive in self._doubtful[:_NAMED]]
            more = len(self._doubtful) - len(places)
            if more:
                places.append(f"and {more} more")
            lines.append(
                f"recall: {len(self._doubtful)} with doubts, which 'mkdocs-recall check --doubts' "
                f"explains: {', '.join(places)}"
            )
        return lines

    def finish(self) -> None:
        """Save data for the next build, now that all pages are written."""
        if self._left != self._found:
            self._cache.put(self._key, self._left)
        self._cache.save()
        if self._cache.notice:
            self.log.info("recall: %s", self._cache.notice)

    def close(self) -> None:
        """Close the cache, keeping the quotes of a failed build."""
        self._cache.save()

    def _read_approved(self) -> ApprovedAnswers | None:
        if self.settings.lock == "off":
            return None
        from mkdocs_recall.answers.lock import ApprovedAnswers

        try:
            return ApprovedAnswers(self.settings.lock, self._root)
        except LockError as error:
            if self.settings.on_error == "raise":
                raise PluginError(single_line(f"recall: {error}")) from error
            self.log.warning("recall: %s", error)
            return None

    def _sources(self, files: Files) -> SourcePages:
        limits, others = self.pages.limits, self._others
        return SourcePages(self.config, files, self.nav, self._cache, limits=limits, others=others)

    def _context(self, sources: SourcePages) -> Context:
        since = self.serving_since
        edited = None if since is None else lambda: edited_since(since, sources.files.values())
        arguments = self._root, self.folder, None, lambda: sources.files, sources.validity
        return Context(*arguments, store=self._cache, edited=edited)

    def _fill_content(self, page: Page) -> None:
        # A plugin that encrypts pages keeps their content in a mapping.
        holders = [vars(page), *(value for value in vars(page).values() if isinstance(value, dict))]
        for holder in holders:
            texts = {name: text for name, text in holder.items() if isinstance(text, str)}
            texts.pop("markdown", None)
            # Few have the word that each marker has, coloured or not.
            for name in [name for name, text in texts.items() if NAMES[0] in text]:
                html = self.fill(insertion.uncoloured(texts[name]), page)
                holder[name] = texts[name] if html is None else html

    def _add_backlinks(self, pages: Iterable[Page]) -> None:
        for page in pages:
            if not wants_backlinks(page.meta or {}):
                continue
            if citing := self._citing.get(page.file.src_uri):
                from mkdocs_recall.answers.html import backlinks

                uris = dict.fromkeys(directive.page for directive, _ in citing)
                others = map(self.pages.page, uris)
                links = [(relative_url(other.url, page.url), page_title(other)) for other in others]
                language = language_of(page, site_language(self.config))
                page.content = f"{page.content}\n{backlinks(links, language)}"

    def _report_nesting(
        self, by_id: Mapping[str, Directive], left_out: Iterable[Sequence[str]]
    ) -> None:
        for path in left_out:
            options = filter(None, (self.pages.options(by_id[identity]) for identity in path))
            first = by_id[path[0]]
            self.log.warning("%s", first.message(insertion.nesting_warning(first.page, options)))

    def _report(self, directive: Directive, quote: Quote) -> None:
        log = self.log
        if directive.id not in self._placed:
            if directive.id not in self._restored:
                log.warning("%s", directive.message(_REMOVED))
            return
        for below, message in directive.cuts:
            log.warning("%s", directive.message(message, below=below))
        if quote.error and self.settings.on_error == "raise":
            raise PluginError(single_line(directive.message(quote.error)))
        if quote.error:
            log.warning("%s", directive.message(quote.error))
            return
        if quote.warning:
            log.warning("%s", directive.message(quote.warning))
        for note in quote.notes:
            if note not in self._logged:
                self._logged.add(note)
                log.info("%s", directive.message(note))
        if not quote.fallback:  # a fallback's note has other words
            self._note_cited(directive, quote.html)
        self._counts["answered"] += 1
        self._counts["fallback"] += quote.fallback
        self._counts["cached"] += quote.cached
        self._doubtful += [directive] * quote.doubtful

    def _note_cited(self, directive: Directive, html: str) -> None:
        folder = directive.url.rpartition("/")[0]
        for href, words in _cited(html):
            path = join(f"/{folder}", href.partition("#")[0].partition("?")[0])
            uri = self._uris.get(normpath(path)[1:] or ".")
            if uri and uri != directive.page:
                self._citing.setdefault(uri, []).append((directive, words))

    def _on_page(self, directive: Directive, quote: Quote) -> Quote:
        level, preview = 0, ""
        if is_section(quote.html):
            from mkdocs_recall.answers.section import heading_above

            content = self.pages.page(directive.page).content or ""
            level = heading_above(content, content.find(marker(directive.id)))
        if quote.beside is not None:
            from mkdocs_recall.answers.html import QuotingPage

            page = QuotingPage(directive.page, directive.url, directive.language)
            preview = quote.beside.html(page)
        url = directive.url  # a stranger may have written the cache
        source = directive.source
        return replace(quote, url=url, source=source, level=level, preview=preview)


_CITE: Final = re.compile(r"<cite>(.*?)</cite>", re.DOTALL)
_HREF: Final = re.compile(r'<a href="([^"]*)"')
_ADDED: Final = (
    r'(?s)<p class="admonition-title">.*?</p>|<div class="admonition note recall-note".*?</div>'
)
"""Additions to a page's text: the title of a quote, and notes."""
_TAG: Final = re.compile(r"<[^<>]*>")
_WORD: Final = re.compile(r"[^\W\d_]{6,}")
_FEWEST, _MOST = 2, 12  # words of a place to look up
_INVISIBLE: Final = dict.fromkeys(map(ord, "\u00ad\u200b\u200c\u200d\u2060"))
"""Characters that allow a break within a word."""


def _first_lost(citing: Iterable[Citing], html: str) -> Directive | None:
    """Return the first directive whose words a written page lacks, if any."""
    missing = [
        (directive, words)
        for directive, words in citing
        if len(words) >= _FEWEST and not any(word in html for word in words)
    ]
    if not missing:
        return None
    # without white space and characters within words
    text = "".join(unescape(_TAG.sub("", html)).translate(_INVISIBLE).split())
    lost = (directive for directive, words in missing if not any(w in text for w in words))
    return next(lost, None)


def _cited(html: str) -> Iterator[tuple[str, list[str]]]:
    parts = _CITE.split(html)
    for text, cite in zip(parts[::2], parts[1::2], strict=False):
        href = _HREF.search(cite)
        quoted = re.sub(_ADDED, "", text) if "admonition" in text else text
        plain = unescape(_TAG.sub(" ", quoted))
        words = sorted(dict.fromkeys(_WORD.findall(plain)), key=len, reverse=True)[:_MOST]
        if href:
            yield unescape(href[1]), words
