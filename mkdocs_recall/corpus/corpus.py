"""The public face: the pages of a documentation, ready to be asked."""

from __future__ import annotations

from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mkdocs_recall.corpus.context import Context, Location
from mkdocs_recall.corpus.indexes import Indexes
from mkdocs_recall.directives.nested import as_limits, as_semantic, as_temporal
from mkdocs_recall.directives.schema import OPTIONS
from mkdocs_recall.errors import EmbedderError, RecallError, SourceError
from mkdocs_recall.gc_pause import gc_paused
from mkdocs_recall.index.query import QueryLike, as_queries
from mkdocs_recall.index.selection import WHOLE_SITE, PageSet, Scope
from mkdocs_recall.options import curtailment
from mkdocs_recall.retrieval.recall import recall
from mkdocs_recall.retrieval.synopsis import first_synopsis, synopsis
from mkdocs_recall.retrieval.token_budget import fit_token_budget
from mkdocs_recall.scoring.registry import DEFAULT_ALGORITHM, DEFAULT_SCORER
from mkdocs_recall.temporal.timeline import ByteStore
from mkdocs_recall.text.front_matter import (
    EXCLUDED,
    expiry_date,
    is_excluded,
    split_front_matter,
)
from mkdocs_recall.text.language import get_language
from mkdocs_recall.text.model import DEFAULT_UNITS, TEXT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from datetime import datetime
    from os import PathLike

    from mkdocs_recall.index.index import Index
    from mkdocs_recall.options import Enrich, Limits, Semantic, Temporal
    from mkdocs_recall.readers.base import Reader
    from mkdocs_recall.readers.library import Library
    from mkdocs_recall.retrieval.result import Result
    from mkdocs_recall.retrieval.token_budget import TokenCounter
    from mkdocs_recall.text.model import Document, Kind


_REMEDY = "; 'include_expired: true' quotes it all the same"
_PARSERS = {option.name: option.parse for option in OPTIONS}


class Corpus:
    r"""The pages of a documentation.

    Pages are rendered and read when they are first needed. Several threads may ask at once; their
    questions are answered one after the other.

    Example:
        >>> corpus = Corpus.from_markdown({"auth.md": "# Auth\n\nA session expires after a day."})
        >>> corpus.recall("when does a session expire?").passages[0].text
        'A session expires after a day.'
    """

    def __init__(
        self,
        collection: PageSet,
        library: Library | None = None,
        circumstances: Context | None = None,
    ) -> None:
        """Take the pages; `from_site` and the other class methods find them.

        Args:
            collection: The pages.
            library: Keeps them, and what is made of them, for the next process.
            circumstances: What answers may depend on besides; None if they lie in no file.
        """
        self._collection = collection
        self._circumstances = circumstances or Context(Location(Path.cwd()))
        self._library = library
        self._indexes = Indexes(collection, library)
        self._synopses: dict[tuple[Any, ...], Result] = {}

    @classmethod
    def from_markdown(
        cls,
        pages: Mapping[str, str],
        *,
        language: str = "en",
        markdown_extensions: Sequence[Any] | None = None,
        mdx_configs: Mapping[str, Mapping[str, Any]] | None = None,
        limits: Mapping[str, Any] | Limits | None = None,
    ) -> Corpus:
        """Make a corpus of Markdown pages.

        Args:
            pages: Markdown by uri, in page order. Front matter may state `title` and `lang`, and
                `recall: {exclude: true}` for a page that is never quoted.
            language: What the pages are written in, unless their front matter has `lang`.
            markdown_extensions: Python-Markdown extensions; None for a set that reads what
                documentation commonly uses.
            mdx_configs: Settings of the extensions, by name.
            limits: How much is read of a page; the settings of the option, or None.

        Raises:
            OptionError: One of the limits is unknown or impossible.
        """
        from mkdocs_recall.directives.parser import without_directives
        from mkdocs_recall.readers.markdown import MarkdownReader

        reader = MarkdownReader(markdown_extensions, mdx_configs, limits=as_limits(limits))
        sources = {uri: split_front_matter(text) for uri, text in pages.items()}
        refused = {uri: EXCLUDED for uri, source in sources.items() if is_excluded(source.meta)}

        def load(uri: str) -> Document:
            body = without_directives(sources[uri].body)
            return reader.read(sources[uri], body, uri=uri, language=language)

        circumstances = Context(
            Location(Path.cwd()), expires=lambda uri: expiry_date(sources[uri].meta)
        )
        uris = [uri for uri in sources if uri not in refused]
        return cls(PageSet(uris, load, refused), circumstances=circumstances)

    @classmethod
    def from_site(
        cls,
        config_file: str | PathLike[str] = "mkdocs.yml",
        *,
        cache: bool = True,
        progress: Callable[[int, int], None] | None = None,
        now: Callable[[], datetime | None] | None = None,
        limits: Mapping[str, Any] | Limits | None = None,
    ) -> Corpus:
        """Make a corpus of a site's pages, rendered with its own Markdown extensions.

        Its plugins are not run: what they would add to the pages is missing.

        Args:
            config_file: The site's `mkdocs.yml`.
            cache: Whether what was read is kept for the next process, where the plugin keeps it.
            progress: Told how many pages of how many have been read, after each that had to be.
            now: Asked what time it is if a page states `t_expired` or `t_invalid`: from then on the
                page is not quoted. None, here or as its answer, quotes all.
            limits: How much is read of a page: the settings of the option; None for those in
                `mkdocs.yml`.

        Raises:
            OptionError: One of the limits is unknown or impossible.
            SiteError: There is no such file, or MkDocs cannot read it.
        """
        from mkdocs_recall.readers.mkdocs_yml import cache_folder
        from mkdocs_recall.readers.site import Site

        site = Site(config_file, None if limits is None else as_limits(limits))
        kept = cache_folder(site.path) if cache else None
        return cls._from_origin(site, site.path.parent, kept, progress=progress, now=now)

    @classmethod
    def from_folder(
        cls,
        folder: str | PathLike[str],
        *,
        language: str = "en",
        cache: bool = True,
        progress: Callable[[int, int], None] | None = None,
        now: Callable[[], datetime | None] | None = None,
        limits: Mapping[str, Any] | Limits | None = None,
    ) -> Corpus:
        """Make a corpus of the Markdown files in a folder, without a site.

        Args:
            folder: Where they are. Only files that lie in it, once links are resolved, are read.
            language: What they are written in, unless their front matter has `lang`.
            cache: Whether what was read is kept for the next process, in the user's own cache.
            progress: Told how many pages of how many have been read, after each that had to be.
            now: Asked what time it is if a page states `t_expired` or `t_invalid`: from then on the
                page is not quoted. None, here or as its answer, quotes all.
            limits: How much is read of a page: the settings of the option, or None.

        Raises:
            OptionError: One of the limits is unknown or impossible.
            SiteError: There is no such folder, it cannot be read, or no Markdown is in it.
        """
        from mkdocs_recall.readers.folder import Folder
        from mkdocs_recall.readers.library import user_cache_folder

        pages = Folder(folder, language=language, limits=as_limits(limits))
        kept = user_cache_folder(folder) if cache else None
        return cls._from_origin(pages, Path(folder), kept, progress=progress, now=now)

    @classmethod
    def from_built(
        cls,
        folder: str | PathLike[str],
        *,
        config_file: str | PathLike[str] | None = None,
        cache: bool = True,
        progress: Callable[[int, int], None] | None = None,
        now: Callable[[], datetime | None] | None = None,
        limits: Mapping[str, Any] | Limits | None = None,
    ) -> Corpus:
        """Make a corpus of a built site's pages, with all that its plugins have put in.

        The quotes that this plugin has put in are left out.

        Args:
            folder: Where the site is. Only files that lie in it, once links are resolved, are read.
            config_file: The site's `mkdocs.yml`, by which pages are known by their Markdown files,
                in the order of the navigation, and front matter holds. None: pages are known by
                their HTML files.
            cache: Whether what was read is kept for the next process, in the user's own cache.
            progress: Told how many pages of how many have been read, after each that had to be.
            now: Asked what time it is if a page states `t_expired` or `t_invalid`: from then on the
                page is not quoted. None, here or as its answer, quotes all.
            limits: How much is read of a page: the settings of the option; None for those in the
                configuration.

        Raises:
            OptionError: One of the limits is unknown or impossible.
            SiteError: There is no such folder, it cannot be read, or no page is in it; or MkDocs
                cannot read the configuration.
        """
        from mkdocs_recall.readers.built import BuiltSite
        from mkdocs_recall.readers.library import user_cache_folder
        from mkdocs_recall.readers.site import Site

        site = None if config_file is None else Site(config_file)
        kept = user_cache_folder(folder) if cache else None
        root = site.path.parent if site else Path(folder)
        built = BuiltSite(folder, site, limits=None if limits is None else as_limits(limits))
        return cls._from_origin(built, root, kept, progress=progress, now=now)

    @classmethod
    def _from_origin(
        cls,
        origin: Reader,
        root: Path,
        folder: Path | None,
        *,
        progress: Callable[[int, int], None] | None,
        now: Callable[[], datetime | None] | None,
    ) -> Corpus:
        from mkdocs_recall.readers.library import Library

        library = Library(origin, folder, progress=progress, now=now)
        return cls._of_library(library, Location(root, folder))

    @classmethod
    def _of_library(cls, library: Library, place: Location) -> Corpus:
        circumstances = Context(
            place,
            files=lambda: library.files,
            expires=library.expires,
            store=ByteStore(library.kept, library.keep),
        )
        return cls(library.collection, library, circumstances)

    def refreshed(self) -> Corpus:
        """Return the pages as they are now: itself, if no file has changed, and no time passed.

        Time passes where it was asked for: as git's HEAD does, or what else tells "now". For
        programs that run for long. A corpus of `from_markdown` has no files.
        """
        if self._library is None:
            return self
        library = self._library.refreshed()
        if library is self._library and self._circumstances.chronicle.is_current():
            return self
        self.save()
        return self._of_library(library, self._circumstances.place)

    @contextmanager
    def by_name(self) -> Iterator[PageSet]:
        """Give the pages by name, for the rest of this package; other threads wait meanwhile."""
        with self._indexes.reading():
            yield self._collection

    @property
    def files(self) -> Mapping[str, str]:
        """The author's file of each page, in page order, also of those that are never quoted.

        Absolute paths by uri; a corpus of `from_markdown` has no files.
        """
        return self._library.files if self._library else {}

    @property
    def notice(self) -> str:
        """Why what was read is not kept for the next process; empty while it is."""
        return self._library.notice if self._library else ""

    @property
    def warnings(self) -> tuple[str, ...]:
        """What answers have lacked so far: a model, the history, the time, the end of a long page.

        The diagnostics of answers by meaning and time hold what these have lacked, too.
        """
        curtailed = map(curtailment, tuple(self._collection.curtailed))
        return (*self._circumstances.remarks.all, *curtailed)

    def save(self) -> None:
        """Leave to the next process what was embedded; much of it is left without this."""
        self._circumstances.save()

    @property
    def documents(self) -> tuple[Document, ...]:
        """All pages that may be quoted, in page order."""
        with self._indexes.reading(), gc_paused():
            return tuple(map(self._collection.document, self._collection.uris))

    def select(self, source: str | Sequence[str], *, page: str = "") -> tuple[Document, ...]:
        """Return the pages that a source names, in page order.

        Args:
            source: A page, a folder, a glob, or a list of these; of a section, its page.
            page: The page `source` is seen from; empty for the root. A glob leaves this page out.

        Raises:
            SourceError: The source names nothing that can be quoted.
        """
        with self._indexes.reading(), gc_paused():
            scope, hidden = self._scope(source, page)
            uris = dict.fromkeys(target.uri for target in scope.targets)
            return tuple(self._collection.document(uri) for uri in uris if uri not in hidden)

    def recall(
        self,
        query: QueryLike,
        *,
        source: str | Sequence[str] = WHOLE_SITE,
        page: str = "",
        max_sentences: int = 3,
        sections: int = 0,
        language: str | None = None,
        scorer: str = DEFAULT_SCORER,
        diversity: float | None = None,
        units: Kind | Sequence[Kind] = DEFAULT_UNITS,
        context: int = 0,
        min_score: float = 0.0,
        on_empty: str = "synopsis",
        algorithm: str = DEFAULT_ALGORITHM,
        prefer_description: bool = False,
        max_words: int | None = None,
        max_tokens: int | None = None,
        token_counter: str | TokenCounter | None = None,
        semantic: bool | Mapping[str, Any] | Semantic | None = None,
        enrich: Enrich = False,
        temporal: bool | Mapping[str, Any] | Temporal | None = None,
        include_expired: bool = False,
    ) -> Result:
        """Find the sentences that answer a query.

        Args:
            query: What is asked: a text, or a list of texts and `{text, weight}`.
            source: Where to look: a page, a page with `#anchor`, a folder, a glob, a list of these,
                or `**` for everything.
            page: The page `source` is seen from; empty for the root. A glob leaves this page out.
            max_sentences: How many at most, in all; at least 1. Meaning may append more.
            sections: Look only at the first so many top-level blocks of each page; 0 for all.
            language: Read the pages in this language instead of their own.
            scorer: `coverage`, `overlap` or `bm25`.
            diversity: 0 … 1, for sentences that differ from each other; None for the scorer's own.
            units: What may be quoted: `prose`, `list`, `table` (a row, with its header cells),
                `definition`, `admonition`, `code`; by default all but `code`.
            context: How many sentences are quoted on each side of one that was chosen, within its
                section.
            min_score: A sentence that scores less is no answer.
            on_empty: When nothing answers: `synopsis` or `warn` (say what the pages are about,
                `Result.fallback` tells why), `omit` (no passages), `error` (raise).
            algorithm: How that synopsis is made.
            prefer_description: Whether it opens with the page's own description.
            max_words: How many words it has at most.
            max_tokens: How many tokens of a language model the passages have at most, at least 1;
                those that go over are in `Result.left_out`. None for any number.
            token_counter: What counts them: a function, or the name of an entry point in the group
                `mkdocs_recall.token_counters`; None for an estimate.
            semantic: Whether meaning counts, by a model that is on this machine, and how: True, or
                the settings of the option, such as `{"mode": "blend"}`. Without `mode`, what is
                near in meaning is appended where words find too little.
            enrich: `always` embeds a query with the names of the files that were touched last.
            temporal: Whether it counts when a page was changed, and how: True, or the settings of
                the option. Pages that have expired are left out then.
            include_expired: Whether these are quoted, too.

        Returns:
            The passages in rank order.

        Raises:
            OptionError: An option has an impossible value.
            SourceError: The source names nothing that can be quoted.
            RecallError: Nothing answers, and `on_empty` is `error`.
        """
        queries = as_queries(query)
        _check(
            max_sentences=max_sentences,
            sections=sections,
            language=language,
            scorer=scorer,
            diversity=diversity,
            units=units if isinstance(units, str) else [*units],
            context=context,
            min_score=min_score,
            on_empty=on_empty,
            algorithm=algorithm,
            prefer_description=prefer_description,
            max_words=max_words,
            max_tokens=max_tokens,
            token_counter=token_counter if isinstance(token_counter, str) else None,
            enrich=enrich,
            include_expired=include_expired,
        )
        by_meaning, by_time = as_semantic(semantic), as_temporal(temporal)
        wanted = (units,) if isinstance(units, str) else tuple(units)
        with self._indexes.reading():
            scope, hidden = self._scope(source, page, None if include_expired else by_time)
            index = self._indexes.asked(scope, sections=sections, language=language, units=wanted)
            by_words = partial(
                recall,
                index,
                queries,
                scorer=scorer,
                max_sentences=max_sentences,
                diversity=diversity,
                hidden=hidden,
                units=wanted,
                context=context,
                min_score=min_score,
            )
            ask = by_words
            if by_time:
                ask = partial(by_words, freshness=self._circumstances.chronicle.freshness(by_time))

            def finished(result: Result) -> Result:
                if result.fallback and on_empty == "error":
                    raise RecallError(result.why)
                if result.fallback and on_empty != "omit":
                    reason, why = result.fallback, result.why
                    texts = self._indexes.of(
                        scope, sections=sections, language=language, units=TEXT
                    )
                    result = first_synopsis(
                        texts,
                        algorithm=algorithm,
                        max_sentences=max_sentences,
                        max_words=max_words,
                        prefer_description=prefer_description,
                        hidden=hidden,
                    )
                    result = replace(result, fallback=reason, why=why)
                return fit_token_budget(result, max_tokens, token_counter)

            result = finished(self._with_meaning(ask, by_meaning, enrich) if by_meaning else ask())
            if (by_meaning or by_time) and result.left_out and not result.passages:
                # what they put first does not fit, and must not keep out what would
                with suppress(RecallError):  # `on_empty` is `error`
                    plain = finished(by_words())
                    result = plain if plain.passages else result
            told = self._circumstances.remarks.all if by_meaning or by_time else ()
            return replace(result, diagnostics=(*_diagnose(index, scope), *told))

    def synopsis(
        self,
        source: str | Sequence[str],
        *,
        page: str = "",
        max_sentences: int = 3,
        sections: int = 0,
        language: str | None = None,
        algorithm: str = DEFAULT_ALGORITHM,
        diversity: float | None = None,
        prefer_description: bool = False,
        max_words: int | None = None,
        max_tokens: int | None = None,
        token_counter: str | TokenCounter | None = None,
        temporal: bool | Mapping[str, Any] | Temporal | None = None,
        include_expired: bool = False,
    ) -> Result:
        """Choose the sentences that say what a page is about.

        Args:
            source: A page, a page with `#anchor`, a folder, a glob, or a list of these.
            page: The page `source` is seen from; empty for the root. A glob leaves this page out.
            max_sentences: How many at most, of each page; at least 1.
            sections: Look only at the first so many top-level blocks of each page; 0 for all.
            language: Read the pages in this language instead of their own.
            algorithm: `edmundson`, `lead`, `frequency`, `luhn` or `textrank`.
            diversity: 0 … 1, for sentences that differ; None for the algorithm's own.
            prefer_description: Whether the page's own description, from its front matter, comes
                first.
            max_words: How many words are taken at most of each page, in whole sentences, but at
                least one; None for any number.
            max_tokens: How many tokens of a language model the passages of all pages have together
                at most, at least 1; those that go over are in `Result.left_out`. None for any
                number.
            token_counter: What counts them: a function, or the name of an entry point in the group
                `mkdocs_recall.token_counters`; None for an estimate.
            temporal: Whether pages that have expired are left out: True, or the settings of the
                option, of which `now` counts here.
            include_expired: Whether these are quoted all the same.

        Returns:
            The passages, page by page, in rank order within a page.

        Raises:
            OptionError: An option has an impossible value.
            SourceError: The source names nothing that can be quoted.
        """
        _check(
            max_sentences=max_sentences,
            sections=sections,
            language=language,
            algorithm=algorithm,
            diversity=diversity,
            prefer_description=prefer_description,
            max_words=max_words,
            max_tokens=max_tokens,
            token_counter=token_counter if isinstance(token_counter, str) else None,
            include_expired=include_expired,
        )
        by_time = as_temporal(temporal)
        with self._indexes.reading():
            scope, hidden = self._scope(source, page, None if include_expired else by_time)
            index = self._indexes.of(scope, sections=sections, language=language, units=TEXT)
            result = synopsis(
                index,
                algorithm=algorithm,
                max_sentences=max_sentences,
                diversity=diversity,
                max_words=max_words,
                prefer_description=prefer_description,
                hidden=hidden,
                memo=self._synopses,
            )
            result = fit_token_budget(result, max_tokens, token_counter)
            told = self._circumstances.remarks.all if by_time else ()
            return replace(result, diagnostics=(*_diagnose(index, scope), *told))

    def _scope(
        self, source: str | Sequence[str], page: str, temporal: Temporal | None = None
    ) -> tuple[Scope, dict[str, str]]:
        """Return what a source names, and the pages among it that are not quoted, with the reason.

        Args:
            source: See `select`.
            page: See `select`.
            temporal: Tells what time it is; None to quote what has expired.

        Raises:
            SourceError: The source names nothing that can be quoted.
        """
        sources = (source,) if isinstance(source, str) else tuple(source)
        scope = self._collection.scope(sources, page=page)
        pages = {target.uri for target in scope.targets}
        expired = self._circumstances.chronicle.expired(temporal, sorted(pages)) if temporal else {}
        for target in scope.named:
            if target.uri in expired:
                msg = f"'{target.uri}' cannot be quoted: {expired[target.uri]}{_REMEDY}"
                raise SourceError(msg)
        hidden = dict.fromkeys(scope.hidden_on(page), "it stands on the page that asks")
        if pages <= hidden.keys():
            msg = f"source '{', '.join(sources)}' matches no page but this one, which it leaves out"
            raise SourceError(msg)
        if pages <= hidden.keys() | expired.keys():
            msg = f"source '{', '.join(sources)}' matches only pages that have expired{_REMEDY}"
            raise SourceError(msg)
        return scope, {**expired, **hidden}

    def _with_meaning(
        self, ask: Callable[..., Result], semantic: Semantic, enrich: Enrich
    ) -> Result:
        """Return an answer by words and meaning; by words alone, where the model fails."""
        try:
            result = ask(meaning=self._circumstances.meaning(semantic, enrich))
        except EmbedderError as error:
            self._circumstances.fail(error)
            return ask()
        self._circumstances.save(soon=False)
        return result


def _diagnose(index: Index, scope: Scope) -> tuple[str, ...]:
    notes = [
        f"language '{code}' has no word lists: words are compared as they stand"
        for code in index.languages
        if not get_language(code).known
    ]
    asked = {target.uri for target in scope.named}
    if not any(block.sentences for part in index.parts for block in part.blocks):
        asked |= {target.uri for target in scope.targets[:1]}
    for part in index.parts if asked else ():
        if part.document.uri in asked:
            if not any(block.sentences for block in part.blocks):
                notes.append(f"'{part.document.uri}' has no sentence to quote")
            elif not any(s.quotable for block in part.blocks for s in block.sentences):
                notes.append(
                    f"'{part.document.uri}' has no sentence to quote: "
                    "template syntax or leftover Markdown stands in all of them"
                )
    return tuple(notes)


def _check(**given: object) -> None:
    """Check values as those of a directive are checked; None stands for a default."""
    for name, value in given.items():
        if value is not None:
            _PARSERS[name](value)
