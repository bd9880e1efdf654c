"""The pages of a corpus: where they come from, which a source names, how they stay current."""

from __future__ import annotations

from contextlib import contextmanager
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mkdocs_recall.cache.store import ByteStore
from mkdocs_recall.corpus.context import Context, Location
from mkdocs_recall.corpus.indexes import Indexes
from mkdocs_recall.corpus.scopes import quotable_scope
from mkdocs_recall.directives.nested import as_limits
from mkdocs_recall.gc_pause import gc_paused
from mkdocs_recall.index.filters import SourceLike, as_sources
from mkdocs_recall.index.selection import PageSet
from mkdocs_recall.messages import truncation_warning
from mkdocs_recall.text.front_matter import EXCLUDED, is_excluded, split_front_matter, validity

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from datetime import datetime
    from os import PathLike

    from typing_extensions import Self

    from mkdocs_recall.index.selection import Scope
    from mkdocs_recall.options import Limits, Options, Temporal
    from mkdocs_recall.readers.base import Reader
    from mkdocs_recall.readers.library import Library
    from mkdocs_recall.readers.source_names import SourceNames
    from mkdocs_recall.retrieval.result import Result
    from mkdocs_recall.text.model import Document


class CorpusPages:
    """The pages of a documentation, read when they are first needed.

    Only one thread reads at a time; others wait.
    """

    def __init__(
        self,
        pages: PageSet,
        library: Library | None = None,
        context: Context | None = None,
    ) -> None:
        """Take the pages; `from_site` and the other class methods find them.

        Args:
            pages: The pages.
            library: Caches them, and what is made of them, for the next process.
            context: What answers may depend on besides; None if they lie in no file.
        """
        self._pages = pages
        self._context = context or Context(Location(Path.cwd()))
        self._library = library
        self._indexes = Indexes(pages, library)
        self._synopses: dict[tuple[Any, ...], Result] = {}
        """The memo of `retrieval.synopsis`."""

    @classmethod
    def from_markdown(
        cls,
        pages: Mapping[str, str],
        *,
        language: str = "en",
        markdown_extensions: Sequence[Any] | None = None,
        mdx_configs: Mapping[str, Mapping[str, Any]] | None = None,
        limits: Mapping[str, Any] | Limits | None = None,
    ) -> Self:
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

        context = Context(Location(Path.cwd()), validity=lambda uri: validity(sources[uri].meta))
        uris = [uri for uri in sources if uri not in refused]
        return cls(PageSet(uris, load, refused, meta=lambda u: sources[u].meta), context=context)

    @classmethod
    def from_site(
        cls,
        config_file: str | PathLike[str] = "mkdocs.yml",
        *,
        cache: bool = True,
        progress: Callable[[int, int], None] | None = None,
        now: Callable[[], datetime | None] | None = None,
        limits: Mapping[str, Any] | Limits | None = None,
    ) -> Self:
        """Make a corpus of a site's pages, rendered with its own Markdown extensions.

        Its plugins are not run: what they would add to the pages is missing.

        Args:
            config_file: The site's `mkdocs.yml`.
            cache: Whether documents are cached for the next process, in the plugin's cache.
            progress: Called with the number of pages read and of all, after each that was read.
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
        cache_dir = cache_folder(site.path) if cache else None
        location = Location(site.path.parent, cache_dir, site.path)
        return cls._from_reader(site, location, progress=progress, now=now)

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
    ) -> Self:
        """Make a corpus of the Markdown files in a folder, without a site.

        A file that ends in `.md` wins over one with the same name that ends in `.mdx`.

        Args:
            folder: Where they are. Only files that lie in it, once links are resolved, are read.
            language: What they are written in, unless their front matter has `lang`.
            cache: Whether documents are cached for the next process, in the user's own cache.
            progress: Called with the number of pages read and of all, after each that was read.
            now: Asked what time it is if a page states `t_expired` or `t_invalid`: from then on the
                page is not quoted. None, here or as its answer, quotes all.
            limits: How much is read of a page: the settings of the option, or None.

        Raises:
            OptionError: One of the limits is unknown or impossible.
            SiteError: There is no such folder, it cannot be read, or no Markdown is in it.
        """
        from mkdocs_recall.cache.folder import user_cache_folder
        from mkdocs_recall.readers.folder import Folder

        pages = Folder(folder, language=language, limits=as_limits(limits))
        cache_dir = user_cache_folder(folder) if cache else None
        location = Location(Path(folder), cache_dir)
        return cls._from_reader(pages, location, progress=progress, now=now)

    @classmethod
    def from_built(
        cls,
        folder: str | PathLike[str],
        *,
        config_file: str | PathLike[str] | None = None,
        sources: SourceNames | None = None,
        lines: bool = True,
        cache: bool = True,
        progress: Callable[[int, int], None] | None = None,
        now: Callable[[], datetime | None] | None = None,
        limits: Mapping[str, Any] | Limits | None = None,
    ) -> Self:
        """Make a corpus of a built site's pages, with all that its plugins have put in.

        The quotes that this plugin has put in are left out.

        Args:
            folder: Where the site is. Only files that lie in it, once links are resolved, are read.
            config_file: The site's `mkdocs.yml`, by which pages are known by their Markdown files,
                in the order of the navigation, and front matter holds. None: pages are known by
                their HTML files, unless there are `sources`.
            sources: The files that another generator has built the site from, which its pages are
                then known by; for the rest of this package.
            lines: Whether the line in the author's file is looked for that a sentence stands on.
            cache: Whether documents are cached for the next process, in the user's own cache.
            progress: Called with the number of pages read and of all, after each that was read.
            now: Asked what time it is if a page states `t_expired` or `t_invalid`: from then on the
                page is not quoted. None, here or as its answer, quotes all.
            limits: How much is read of a page: the settings of the option; None for those in the
                configuration.

        Raises:
            OptionError: One of the limits is unknown or impossible.
            SiteError: There is no such folder, it cannot be read, or no page is in it; or MkDocs
                cannot read the configuration.
        """
        from mkdocs_recall.cache.folder import user_cache_folder
        from mkdocs_recall.readers.built import BuiltSite
        from mkdocs_recall.readers.site import Site

        site = None if config_file is None else Site(config_file)
        cache_dir = user_cache_folder(folder) if cache else None
        root = site.path.parent if site else Path(folder)
        location = Location(root, cache_dir, site.path if site else None)
        own_limits = None if limits is None else as_limits(limits)
        built = BuiltSite(folder, site, names=sources, limits=own_limits, with_lines=lines)
        return cls._from_reader(built, location, progress=progress, now=now)

    @classmethod
    def from_published(
        cls,
        files: Iterable[str | PathLike[str]],
        *,
        cache: bool = True,
        now: Callable[[], datetime | None] | None = None,
    ) -> Self:
        """Make one corpus of the pages that several sites have published.

        A uri begins with the name of its site: `flux:guides/x.md` is a page of `flux.jsonl.gz`. A
        `recall.jsonl.gz` has the name of its folder. Answers are those of one index over all pages.

        Args:
            files: The published files; their order is that of the sites.
            cache: Whether documents are cached for the next process, in the user's own cache.
            now: As for `from_site`.

        Raises:
            PublishedFileError: A file cannot be used.
            SiteError: There is none, or two have one name.
        """
        from mkdocs_recall.cache.folder import user_cache_folder
        from mkdocs_recall.readers.published import PublishedSites, named_files

        named = named_files(files)
        first = next(iter(named.values()))
        location = Location(first.parent, user_cache_folder(first) if cache else None)
        return cls._from_reader(PublishedSites(named), location, now=now, sites=frozenset(named))

    @classmethod
    def _from_reader(
        cls,
        reader: Reader,
        location: Location,
        *,
        now: Callable[[], datetime | None] | None,
        progress: Callable[[int, int], None] | None = None,
        sites: frozenset[str] = frozenset(),
    ) -> Self:
        from mkdocs_recall.readers.library import Library
        from mkdocs_recall.readers.other_sites import OtherSites

        others = partial(OtherSites.of_site, location.config_file)
        library = Library(
            reader, location.cache, progress=progress, now=now, sites=sites, others=others
        )
        return cls.of_library(library, location=location)

    @classmethod
    def of_library(cls, library: Library, *, location: Location) -> Self:
        """Make a corpus of a library's pages at a location, for the rest of this package."""
        context = Context(
            location,
            files=lambda: library.files,
            validity=library.validity,
            store=ByteStore(library.get, library.put),
        )
        return cls(library.collection, library, context)

    def in_copy(self, reader: Reader, *, config_file: Path | None, folder: str, copy: str) -> Self:
        """Return the pages of a copy of a folder, for the rest of this package.

        A page that reads the same there is not read again.

        Args:
            reader: Finds and reads the pages in the copy.
            config_file: The site's `mkdocs.yml` in the copy.
            folder: The folder in which these pages lie.
            copy: The copy.
        """
        from mkdocs_recall.readers.other_sites import OtherSites

        assert self._library is not None
        others = partial(OtherSites.of_site, config_file)
        library = self._library.in_copy(reader, folder=folder, copy=copy, others=others)
        location = self._context.location._replace(config_file=config_file)
        return self.of_library(library, location=location)

    def refreshed(self) -> Self:
        """Return the pages as they are now: itself, if no file has changed, and no time passed.

        Time passes only for options that depend on it, as git's HEAD or what else says "now" does.
        For programs that run for long. A corpus of `from_markdown` has no files.
        """
        if self._library is None:
            return self
        library = self._library.refreshed()
        if library is self._library and self._context.timeline.is_current():
            return self
        self.save()
        return self.of_library(library, location=self._context.location)

    @contextmanager
    def by_name(self) -> Iterator[PageSet]:
        """Yield the pages by name, for the rest of this package; other threads wait meanwhile."""
        with self._indexes.reading():
            yield self._pages

    @cached_property
    def site(self) -> str:
        """The `site_name` in the site's configuration; empty without one."""
        config_file = self._context.location.config_file
        if config_file is None:
            return ""
        from mkdocs_recall.readers.mkdocs_yml import site_name

        return site_name(config_file)

    @property
    def files(self) -> Mapping[str, str]:
        """The author's file of each page, in page order, also of those that are never quoted.

        Absolute paths by uri; a corpus of `from_markdown` has no files.
        """
        return self._library.files if self._library else {}

    @property
    def notice(self) -> str:
        """Why documents are not cached for the next process; empty while they are."""
        return self._library.notice if self._library else ""

    @property
    def warnings(self) -> tuple[str, ...]:
        """What answers have lacked so far: a model, the history, the time, pages or their ends.

        The diagnostics of answers by meaning and time have those of model, history and time, too.
        """
        truncated = map(truncation_warning, tuple(self._pages.truncated))
        unreadable = self._library.warnings if self._library else ()
        return (*unreadable, *self._context.diagnostics.all, *truncated)

    def save(self) -> None:
        """Save embeddings for the next process; most are saved without this."""
        self._context.save()

    @property
    def documents(self) -> tuple[Document, ...]:
        """All pages that may be quoted, in page order."""
        with self._indexes.reading(), gc_paused():
            return tuple(map(self._pages.document, self._pages.uris))

    def select(self, source: SourceLike, *, page: str = "") -> tuple[Document, ...]:
        """Return the pages that a source names, in page order.

        Args:
            source: A page, a folder, a glob, a list of these, or `{pages, where}`.
            page: The page `source` is seen from; empty for the root. A glob leaves this page out.

        Raises:
            SourceError: The source names nothing that can be quoted.
        """
        with self._indexes.reading(), gc_paused():
            scope, hidden = self._scope(as_sources(source), page)
            uris = dict.fromkeys(target.uri for target in scope.targets)
            return tuple(self._pages.document(uri) for uri in uris if uri not in hidden)

    def open_sources(
        self, options: Options, *, uris: Iterable[str], page: str = ""
    ) -> dict[str, Document]:
        """Read those of some pages that a directive may quote, for the rest of this package.

        Args:
            options: The directive's `source`, `language` and what counts of time.
            uris: The pages.
            page: The page `source` is seen from.

        Raises:
            SourceError: The source names nothing that can be quoted.
        """
        with self._indexes.reading():
            time = None if options.include_expired else options.temporal
            scope, hidden = self._scope(options.source, page, time)
            quotable = {target.uri for target in scope.targets} - hidden.keys()
            return {
                uri: self._indexes.document(uri, language=options.language)
                for uri in uris
                if uri in quotable
            }

    def _scope(
        self, sources: Sequence[str], page: str, temporal: Temporal | None = None
    ) -> tuple[Scope, dict[str, str]]:
        """Return what sources name, and the pages among it that are not quoted, with the reason.

        Args:
            sources: As texts.
            page: See `select`.
            temporal: Tells what time it is; None to quote what has expired.

        Raises:
            SourceError: They name nothing that can be quoted.
        """

        def expired(uris: list[str]) -> Mapping[str, str]:
            return self._context.timeline.expired(temporal, uris) if temporal else {}

        return quotable_scope(self._pages, sources, page, expired)
