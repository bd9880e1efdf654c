"""Directives → their quotes: from the cache, or answered anew.

Those that ask the same pages are answered together. A page is let go of as soon as nobody needs it
any more, so that most of a site is never in memory at once.
"""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING

from mkdocs_recall.errors import RecallError
from mkdocs_recall.plugin.directive import Quote
from mkdocs_recall.plugin.keys import answer_key, scope_digest
from mkdocs_recall.readers.mkdocs_pages import language_of, site_language
from mkdocs_recall.rendering.whitelist import is_quote

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mkdocs.config.defaults import MkDocsConfig

    from mkdocs_recall.answers.expectations import TextLocator
    from mkdocs_recall.cache.store import Cache
    from mkdocs_recall.corpus.context import Context
    from mkdocs_recall.corpus.corpus import Corpus
    from mkdocs_recall.index.selection import Scope
    from mkdocs_recall.plugin.directive import Directive
    from mkdocs_recall.plugin.sources import SourcePages
    from mkdocs_recall.rendering.html import QuotingPage


class Quotes:
    """The quotes of one build."""

    def __init__(
        self, config: MkDocsConfig, sources: SourcePages, cache: Cache, circumstances: Context
    ) -> None:
        """Start with none."""
        self._language = site_language(config)
        self._circumstances = circumstances
        self._sources = sources
        self._cache = cache
        self.scopes: dict[str, Scope] = {}
        """What each directive asks, by its id; those with a fault ask nothing."""
        self.made: dict[str, Quote] = {}
        """By the directive's id."""
        self._site: TextLocator | None = None

    def make(self, directives: Sequence[Directive]) -> None:
        """Make the quote of each directive."""
        asking = {each.id: each for each in directives if self._has_scope(each)}
        keys = {identity: self._key(each) for identity, each in asking.items()}
        kept = self._cache.get_many(set(keys.values()))
        missing: dict[tuple[str, ...], list[Directive]] = {}
        for identity, directive in asking.items():
            quote = _unpacked(kept.get(keys[identity]))
            if quote is None:
                missing.setdefault(self.scopes[identity].key, []).append(directive)
            else:
                self.made[identity] = quote
        for directive in self._answer(list(missing.values())) if missing else ():
            quote = self.made[directive.id]
            if quote.holds and not quote.error and not self._circumstances.failed:
                late = self._sources.late  # then the key may have been that of another page
                key = self._key(directive) if late else keys[directive.id]
                self._cache.put(key, _packed(quote))

    def depends(self, directive: Directive) -> str:
        """Return what stands for all that a directive's answer depends on but the pages' text."""
        targets, _ = self._sources.digests(self.scopes[directive.id])
        return scope_digest(targets, self._besides(directive))

    def _has_scope(self, directive: Directive) -> bool:
        """Find what a directive asks; where that cannot be told, its quote is a caution."""
        fault = directive.fault
        if directive.asked is not None:
            try:
                self.scopes[directive.id] = self._sources.collection.scope(
                    directive.asked.source, page=directive.page
                )
                self._besides(directive)
            except RecallError as error:
                fault = error
            else:
                return True
        self.made[directive.id] = self._caution(directive, str(fault))
        return False

    def _key(self, directive: Directive) -> bytes:
        assert directive.asked is not None
        targets, pages = self._sources.digests(self.scopes[directive.id])
        return answer_key(
            directive.asked.digest,
            targets,
            pages,
            uri=directive.page,
            url=directive.host.url,
            language=language_of(directive.host, self._language),
            token_counter=directive.asked.values.get("token_counter"),
            circumstances=self._besides(directive),
        )

    def _besides(self, directive: Directive) -> str:
        """Return what stands for all else that a directive's answer depends on."""
        assert directive.asked is not None
        return self._circumstances.key(directive.asked.values, self.scopes[directive.id])

    def _answer(self, groups: list[list[Directive]]) -> Iterator[Directive]:
        """Answer those that the cache does not have, and yield each when its quote is made."""
        from mkdocs_recall.corpus.corpus import Corpus

        collection = self._sources.collection
        uris = [[t.uri for t in self.scopes[group[0].id].targets] for group in groups]
        needed = Counter(uri for group in uris for uri in set(group))
        self._sources.keep(uri for group in uris if len(set(group)) > 1 for uri in group)
        # Those that ask many pages come first: these are there, then, for those that ask one.
        for number in sorted(range(len(groups)), key=lambda n: (-len(uris[n]), uris[n][:1])):
            corpus = Corpus(collection, circumstances=self._circumstances)
            for directive in groups[number]:
                self.made[directive.id] = self._quote(directive, corpus)
                yield directive
            for uri in set(uris[number]):
                needed[uri] -= 1
                if not needed[uri]:
                    collection.release(uri)

    def _quote(self, directive: Directive, corpus: Corpus) -> Quote:
        from mkdocs_recall.answers.answer import answer

        assert directive.asked is not None
        options = directive.asked.options()
        if self._site is None and (options.expect or options.expect_source):
            from mkdocs_recall.answers.expectations import TextLocator

            self._site = TextLocator(self._sources.collection)
        found = answer(options, corpus, directive.page, site=self._site)
        if found.error:
            return self._caution(directive, found.error)
        html = found.html(directive.fence.name, self._place(directive))
        told = self._circumstances.remarks.all  # of the whole build
        notes = tuple(
            n for n in (found.result.diagnostics if found.result else ()) if n not in told
        )
        return Quote(html, "", found.warning, found.fallback, notes, holds=found.holds)

    def _caution(self, directive: Directive, fault: str) -> Quote:
        from mkdocs_recall.rendering.html import caution

        message = directive.message(fault)
        return Quote(caution(directive.fence.name, message), message)

    def _place(self, directive: Directive) -> QuotingPage:
        from mkdocs_recall.rendering.html import QuotingPage

        page = directive.host
        return QuotingPage(directive.page, page.url, language_of(page, self._language))


def _packed(quote: Quote) -> bytes:
    return json.dumps((quote.html, quote.warning, quote.fallback, quote.notes)).encode()


def _unpacked(packed: bytes | None) -> Quote | None:
    """Return a quote from the cache; None, where it is none."""
    if packed is None:
        return None
    try:
        html, warning, fallback, notes = json.loads(packed)
    except (ValueError, TypeError, RecursionError):
        return None
    texts = isinstance(notes, list) and all(
        isinstance(each, str) for each in (html, warning, *notes)
    )
    if not texts or not isinstance(fallback, bool) or not is_quote(html):
        return None
    return Quote(html, "", warning, fallback, tuple(notes), cached=True)
