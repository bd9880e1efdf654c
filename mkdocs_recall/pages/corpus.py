"""The public API: a documentation that answers queries and summarises its pages.

A corpus holds pages, and an index of each selection that was queried: the pages and sections that a
source names, except those that may not be quoted now.
"""

from __future__ import annotations

import posixpath
from collections import Counter
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import replace
from functools import cached_property, partial
from itertools import groupby
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias
from zlib import crc32

from msgspec import Struct, convert, field

from mkdocs_recall.directives.catalog import QueryLike, as_limits, parse_language
from mkdocs_recall.directives.options import recall_options, synopsis_options
from mkdocs_recall.errors import EmbedderError, OptionError, RecallError, SiteError, SourceError
from mkdocs_recall.files import as_file, user_cache_folder
from mkdocs_recall.index.index import Index, JoinedIndex
from mkdocs_recall.index.query import Part, part_of
from mkdocs_recall.index.sources import (
    WHOLE_SITE,
    PagePath,
    PageSet,
    Scope,
    SourceLike,
    Target,
    as_path,
    as_sources,
)
from mkdocs_recall.messages import shown, start_of, truncation_warning
from mkdocs_recall.options import UNITS, Limits, Options, RecallOptions, Temporal
from mkdocs_recall.pages.context import Context
from mkdocs_recall.ranking.places import without_overlap
from mkdocs_recall.ranking.quotation import words_in
from mkdocs_recall.ranking.recall import recall
from mkdocs_recall.ranking.result import Passage, Result, whole_section
from mkdocs_recall.store import Cache, gc_paused
from mkdocs_recall.text.document import in_language
from mkdocs_recall.text.front_matter import exclusion, split_front_matter, validity
from mkdocs_recall.text.language import get_language
from mkdocs_recall.text.model import TEXT, Document, Kind, kinds_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from datetime import datetime
    from os import PathLike

    from distributed import Client
    from typing_extensions import Self, Unpack

    from mkdocs_recall.index.packed import PackedIndex
    from mkdocs_recall.options import RecallKeywords, SynopsisKeywords
    from mkdocs_recall.pages.built import SourceNames
    from mkdocs_recall.pages.cluster import Cluster, Shard, ShardSource
    from mkdocs_recall.pages.library import Library, PackedPages
    from mkdocs_recall.pages.reader import Reader

_REMEDY: Final = "; 'include_expired: true' quotes it all the same"


def _uri(path: PagePath) -> str:
    """Return the path of a page without a leading `./` or `/`."""
    uri = as_path(path)
    return posixpath.normpath(uri).lstrip("/") if uri.startswith(("./", "/")) else uri


_Anchors: TypeAlias = "dict[str, list[str]]"
"""The sections by uri; an empty one is the whole page."""
_MANY: Final = 64
"""From this many pages on an index is cached: smaller ones are built as fast."""
_KEPT_PAGES: Final = 64
"""How many pages of published sites stay in memory between queries."""
_GROUP: Final = 512
"""Sites are merged in groups of this many pages on average, in a third of a second."""
_PIECE: Final = 64
"""How many pages of a site, on average, are indexed together."""
_MOST: Final = 1.25
"""The largest group or piece, relative to the average."""


class _Reading(NamedTuple):
    """The options that decide how pages are read and what is indexed."""

    sections: int
    language: str | None
    units: tuple[Kind, ...]
    count_headings: bool


class _Shard(NamedTuple):
    """Pages that are indexed together."""

    source: tuple[str, ...]
    """The queried sources; empty for a piece, which sources share."""
    anchors: _Anchors
    named: list[str]
    """The pages that a source names individually."""
    reading: _Reading

    @property
    def _options(self) -> tuple[str, ...]:
        reading = self.reading
        headings = "headings" if reading.count_headings else ""
        return f"{reading.sections}{headings}", reading.language or "", *reading.units

    def name(self, pages: str) -> str:
        """Return the name of the pages' index in the cache."""
        return "\n".join(("index", pages, *self._options, *self.source))

    def key(self, library: Library) -> bytes:
        """Return the index's key in the cache; empty if a page is unread."""
        return library.key("index", self.anchors.items(), *self._options, "named", *self.named)

    def pieces(self) -> dict[str, _Shard]:
        """Return the same pages in pieces, named after their first pages."""
        pieces = {}
        for _, own in groupby(self.anchors, key=lambda uri: uri[: uri.find(":") + 1]):
            for uris in _runs(((uri, 1) for uri in own), _PIECE):
                anchors = {uri: self.anchors[uri] for uri in uris}
                named = [uri for uri in self.named if uri in anchors]
                pieces[uris[0]] = self._replace(source=(), anchors=anchors, named=named)
        return pieces


def _runs(sizes: Iterable[tuple[str, int]], average: int) -> Iterator[list[str]]:
    """Yield names in runs that have about `average` pages together."""
    # The names themselves decide where a run ends, so an added one changes no other run.
    run: list[str] = []
    pages = 0
    for name, size in sizes:
        pages += size
        if run and pages > _MOST * average:
            yield run
            run, pages = [], size
        run.append(name)
        if crc32(name.encode("utf-8", "surrogatepass")) * average < size << 32:
            yield run
            run, pages = [], 0
    if run:
        yield run


def _groups(shards: Mapping[str, _Shard]) -> Iterator[tuple[str, _Shard]]:
    for sites in _runs(((site, len(shard.anchors)) for site, shard in shards.items()), _GROUP):
        anchors = {uri: wanted for site in sites for uri, wanted in shards[site].anchors.items()}
        named = [uri for site in sites for uri in shards[site].named]
        yield f"{sites[0]}\n…", shards[sites[0]]._replace(anchors=anchors, named=named)


def index_pieces(setting: Any, names: Iterable[str]) -> Iterator[PackedPages]:  # JSON
    """Index published pages as a worker, in named pieces."""
    from mkdocs_recall.pages.library import Library
    from mkdocs_recall.pages.published import PublishedSites

    files, pieces, folder = setting
    cache = Cache(Path(folder))
    for site, own in groupby(names, key=lambda name: name.partition(":")[0]):
        library = Library(PublishedSites({site: files[site]}), None, sites=frozenset([site]))
        indexes = Indexes(library.collection, library)
        for name in own:
            piece = convert(pieces[name], _Shard)
            with gc_paused():
                packed = indexes.pack(piece)
                cache.put_mapped(piece.name(name), piece.key(library), packed)
                pages = library.packed_pages(piece.anchors)
                indexes.release(piece)
            yield pages


class Indexes(Struct, eq=False):
    """The indexes of a corpus, each made on first use and shared."""

    pages: PageSet
    library: Library | None
    """Caches the indexes of many pages for the next process."""
    _lock: AbstractContextManager[object] = field(default_factory=RLock)
    _parts: dict[tuple[str, tuple[str, ...], _Reading], Part] = {}
    _built: dict[tuple[tuple[str, ...], _Reading], Index] = {}
    _cached: dict[tuple[tuple[str, ...], _Reading], Index] = {}
    _translated: dict[tuple[str, str], Document] = {}

    def reading(self) -> AbstractContextManager[object]:
        """Admit one thread at a time; an index may read a page late."""
        return self.library.reading() if self.library else self._lock

    @contextmanager
    def following(self, index: Index) -> Iterator[None]:
        """Explain a number in a cached index that points nowhere."""
        try:
            yield
        except LookupError as error:
            if index not in self._cached.values():
                raise
            from mkdocs_recall.index.packed import MISFIT

            raise SiteError(MISFIT) from error

    def of(self, scope: Scope, options: Options, units: Sequence[Kind]) -> Index:
        """Return the index of a scope."""
        reading = _reading(options, units)
        if (scope.key, reading) not in self._built:
            with gc_paused():
                self._built[scope.key, reading] = Index(
                    self._read_parts(self._anchors(scope), reading),
                    named={target.uri for target in scope.named},
                )
        return self._built[scope.key, reading]

    def parts(self, scope: Scope, options: Options, units: Sequence[Kind]) -> Iterator[Part]:
        """Return the parts of a scope's index, read on demand."""
        reading = _reading(options, units)
        return (self._part(uri, anchors, reading) for uri, anchors in self._anchors(scope).items())

    def for_query(self, scope: Scope, options: Options, units: Sequence[Kind]) -> Index:
        """Return the index for a query, maybe from the cache."""
        library = self.library
        if (
            library is None
            or len(scope.uris) < _MANY
            or not (library.cache.enabled or library.cluster)
        ):
            return self.of(scope, options, units)
        if self.pages.sites and not self.pages.others:
            self.pages.release(*self.pages.loaded[:-_KEPT_PAGES])
        reading = _reading(options, units)
        if (scope.key, reading) not in self._cached:
            self._cached[scope.key, reading] = self._joined(scope, reading, library)
        return self._cached[scope.key, reading]

    def _joined(self, scope: Scope, reading: _Reading, library: Library) -> Index:
        named = {target.uri for target in scope.named}
        by_site: dict[str, _Anchors] = {}
        for uri, anchors in self._anchors(scope).items():
            site = uri.partition(":")[0]
            by_site.setdefault(site if site in self.pages.sites else "", {})[uri] = anchors
        shards = {
            site: _Shard(scope.key, anchors, sorted(named & anchors.keys()), reading)
            for site, anchors in by_site.items()
        }
        if library.cluster is not None:
            return self._scattered(shards, reading, library, library.cluster)
        groups = dict(_groups(shards))
        known = {name: self._known(name, whole, library) for name, whole in groups.items()}
        pieces = {name: groups[name].pieces() for name, index in known.items() if index is None}
        every = (named_piece for own in pieces.values() for named_piece in own.items())
        new = {name: own for name, own in every if self._known(name, own, library) is None}
        task = f"{index_pieces.__module__}:{index_pieces.__name__}"
        library.index_ahead(task, new, sum(len(piece.anchors) for piece in new.values()))
        indexes = [
            self._shard(name, groups[name], library, pieces[name]) if index is None else index
            for name, index in known.items()
        ]
        return JoinedIndex(indexes) if len(indexes) > 1 else indexes[0]

    def _known(self, name: str, shard: _Shard, library: Library) -> PackedIndex | None:
        library.take_indexed(name)
        opened = partial(self._open, shard)
        return library.cache.map(shard.name(name), shard.key(library), opened)

    def _open(
        self, shard: _Shard, packed: bytes | memoryview, *, is_known: bool = False
    ) -> PackedIndex:
        from mkdocs_recall.index.packed import PackedIndex

        load = partial(self.document, language=shard.reading.language)
        return PackedIndex(packed, [*shard.anchors], load, is_known=is_known)

    @gc_paused()
    def _shard(
        self, name: str, shard: _Shard, library: Library, pieces: Mapping[str, _Shard] | None = None
    ) -> PackedIndex:
        """Return an index from the cache, or build it, maybe from pieces."""
        from mkdocs_recall.index.packed import MISFIT, merge_indexes

        if (known := self._known(name, shard, library)) is not None:
            return known
        if pieces:
            members = [self._shard(*piece, library) for piece in pieces.items()]
            if len(members) == 1:
                return members[0]
            built = merge_indexes(members)
        else:
            built = self.pack(shard)
            if self.pages.sites and not self.pages.others:  # all may not fit in memory
                self.release(shard)
        # Unread pages had no digest, so the index had no key until now.
        library.cache.put_mapped(shard.name(name), shard.key(library), built)
        if (known := self._known(name, shard, library)) is not None:  # others share it
            return known
        try:
            return self._open(shard, built)
        except ValueError as error:  # it was merged from pieces that do not fit
            raise SiteError(MISFIT) from error

    def pack(self, shard: _Shard) -> bytes:
        """Return the index of some pages as bytes."""
        from mkdocs_recall.index.packed import pack_index

        parts = self._read_parts(shard.anchors, shard.reading)
        return pack_index(Index(parts, named=shard.named, is_shard=True))

    def release(self, shard: _Shard) -> None:
        """Free the memory of pages that were indexed."""
        self.pages.release(*shard.anchors)
        self._parts.clear()

    def _scattered(
        self, shards: Mapping[str, _Shard], reading: _Reading, library: Library, cluster: Cluster
    ) -> Index:
        from mkdocs_recall.pages.cluster import ClusterIndex, ShardSource

        every = Counter(uri.partition(":")[0] for uri in (*self.pages.uris, *self.pages.refused))
        sites: list[ShardSource] = []
        anchors_of: _Anchors = {}
        for name, shard in shards.items():
            anchors_of |= shard.anchors
            pages, key = len(shard.anchors), shard.key(library)
            if pages == every[name] and all(
                "" in own_anchors for own_anchors in shard.anchors.values()
            ):
                shard = shard._replace(anchors={})  # noqa: PLW2901 - it need not be sent
            sites.append(ShardSource(name, str(cluster.files[name]), key, pages, shard))
        return ClusterIndex(
            cluster,
            sites,
            published_shard,
            uris=[*anchors_of],
            part=lambda uri: self._part(uri, anchors_of[uri], reading),
        )

    def published(self, site: ShardSource) -> Index:
        """Return the index that another process requests."""
        assert self.library is not None
        anchors = site.shard.anchors or {uri: [""] for uri in self.pages.uris}
        shard = site.shard._replace(anchors=anchors)
        if not anchors.keys() <= {*self.pages.uris} or shard.key(self.library) != site.key:
            raise SiteError(f"'{site.file}' differs from the version of the process that asks")
        return self._shard(site.name, shard, self.library)

    def _read_parts(self, anchors: _Anchors, reading: _Reading) -> Iterator[Part]:
        """Yield parts, split into sentences while workers may read."""
        for uri, wanted in anchors.items():
            part = self._part(uri, wanted, reading)
            for block in part.blocks:
                _ = block.sentences
            yield part

    def _anchors(self, scope: Scope) -> _Anchors:
        if self.library:  # all of these will be read
            self.library.read_ahead(scope.uris)
        for target in scope.named:
            if target.anchor:
                self.pages.check_anchor(self.pages.document(target.uri), target.anchor)
        anchors: _Anchors = {}
        for target in scope.targets:
            if not target.anchor or target.anchor in self.pages.document(target.uri).anchors:
                anchors.setdefault(target.uri, []).append(target.anchor)
        if not anchors:
            msg = f"source '{', '.join(scope.key)}' matches no page with such a section"
            raise SourceError(msg)
        return anchors

    def _part(self, uri: str, anchors: list[str], reading: _Reading) -> Part:
        wanted = () if "" in anchors else tuple(anchors)
        key = uri, wanted, reading
        if key not in self._parts:
            document = self.document(uri, language=reading.language)
            self._parts[key] = part_of(
                document,
                anchors=wanted,
                sections=reading.sections,
                units=reading.units,
                count_headings=reading.count_headings,
            )
        return self._parts[key]

    def document(self, uri: str, *, language: str | None) -> Document:
        """Return a page, read in `language` or in its own."""
        with self.reading():
            document = self.pages.document(uri)
            if not language or get_language(language).code == get_language(document.language).code:
                return document
            key = uri, get_language(language).code
            if key not in self._translated:
                self._translated[key] = in_language(document, language)
            return self._translated[key]


def _reading(options: Options, units: Sequence[Kind]) -> _Reading:
    count_headings = options.embedm and options.sections > 0
    return _Reading(options.sections, options.language, tuple(units), count_headings)


class Corpus:
    r"""The pages of a documentation.

    Pages are rendered and read on first need. Several threads may query at once; they are answered
    one after the other.

    Example:
        >>> corpus = Corpus.from_markdown({"auth.md": "# Auth\n\nA session expires after a day."})
        >>> corpus.recall("when does a session expire?").passages[0].text
        'A session expires after a day.'
    """

    def __init__(
        self, pages: PageSet, library: Library | None = None, context: Context | None = None
    ) -> None:
        """Take the pages; `from_site` and the other class methods find them.

        Args:
            pages: The pages.
            library: Caches pages and their indexes for the next process.
            context: What else answers may depend on; None if the pages are not in files.

        Raises:
            OptionError: `pages` is not a set of pages but, say, a folder.
        """
        if not isinstance(pages, PageSet):
            raise OptionError(
                f"Corpus does not take a {type(pages).__name__}: call "
                "Corpus.from_site('mkdocs.yml'), Corpus.from_folder('docs'), or "
                "Corpus.from_markdown({'page.md': '# Text'})"
            )
        self._pages = pages
        self._context = context or Context(Path.cwd())
        self._library = library
        self._indexes = Indexes(pages, library)
        self._synopses: dict[tuple[Any, ...], Result] = {}
        """The memo of `ranking.synopsis`."""

    @classmethod
    def from_markdown(
        cls,
        pages: Mapping[PagePath, str] | Mapping[str, str],
        *,
        language: str | None = None,
        markdown_extensions: Sequence[Any] | None = None,
        mdx_configs: Mapping[str, Mapping[str, Any]] | None = None,
        limits: Mapping[str, Any] | Limits | None = None,
    ) -> Self:
        """Make a corpus of Markdown pages.

        Args:
            pages: Markdown by uri, or by path, in page order. Front matter may state `title` and
                `lang`, and `recall: {exclude: true}` for a page that is never quoted.
            language: The language of pages without `lang` in their front matter; None to detect
                each.
            markdown_extensions: Python-Markdown extensions; None to read pages like those of a
                folder, as CommonMark with the syntax of common generators.
            mdx_configs: Settings of these extensions, by name.
            limits: How much of a page is read: the settings of the option, or None.

        Raises:
            OptionError: A language or limit is unknown or impossible, or `pages` is not a mapping.
        """
        from mkdocs_recall.pages.reader import MarkdownReader

        if not hasattr(pages, "items"):
            msg = "'pages' must be Markdown by page: Corpus.from_markdown({'page.md': '# Text'})"
            raise OptionError(msg)
        code = "" if language is None else parse_language(language)
        reader = MarkdownReader(markdown_extensions, mdx_configs, limits=as_limits(limits))
        for path, text in pages.items():
            if not isinstance(text, str):
                msg = f"the Markdown of '{as_path(path)}' must be text, not {shown(text)}"
                raise OptionError(msg)
        sources = {_uri(path): split_front_matter(text) for path, text in pages.items()}
        excluded = {uri: exclusion(source.meta) for uri, source in sources.items()}
        refused = {uri: reason for uri, reason in excluded.items() if reason}

        def load(uri: str) -> Document:
            return reader.read(sources[uri], uri=uri, language=code)

        context = Context(Path.cwd(), validity=lambda uri: validity(sources[uri].meta))
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
        processes: int = 1,
    ) -> Self:
        """Make a corpus of a site's pages, rendered with its own Markdown extensions.

        Its plugins are not run, so their additions to pages are missing.

        Args:
            config_file: The site's `mkdocs.yml`.
            cache: Whether documents are cached for the next process, in the plugin's cache.
            progress: Called after each page with the numbers of pages read and of all pages.
            now: Returns the time, if a page states `t_expired` or `t_invalid`, after which it is
                not quoted. None, here or as its result, quotes all pages.
            limits: How much of a page is read: the settings of the option; None for those in
                `mkdocs.yml`.
            processes: How many processes read pages in parallel, if 200 or more are new.

        Raises:
            OptionError: One of the limits is unknown or impossible.
            SiteError: There is no such file, or MkDocs cannot read it.
        """
        from mkdocs_recall.pages.config import cache_folder
        from mkdocs_recall.pages.site import Site

        site = Site(config_file, None if limits is None else as_limits(limits))
        places = site.path.parent, cache_folder(site.path) if cache else None, site.path
        return cls._from_reader(site, *places, progress=progress, now=now, processes=processes)

    @classmethod
    def from_folder(
        cls,
        folder: str | PathLike[str],
        *,
        language: str | None = None,
        cache: bool = True,
        progress: Callable[[int, int], None] | None = None,
        now: Callable[[], datetime | None] | None = None,
        limits: Mapping[str, Any] | Limits | None = None,
        processes: int = 1,
    ) -> Self:
        """Make a corpus of the Markdown files in a folder, without a site.

        A file that ends in `.md` wins over one with the same name that ends in `.mdx`.

        Args:
            folder: The folder. Links that lead out of it are not read.
            language: The language of files without `lang` in their front matter; None to detect
                each.
            cache: Whether documents are cached for the next process, in the user's own cache.
            progress: As for `from_site`.
            now: As for `from_site`.
            limits: How much of a page is read: the settings of the option, or None.
            processes: As for `from_site`.

        Raises:
            OptionError: The language or a limit is unknown or impossible.
            SiteError: There is no such folder, it cannot be read, or no Markdown is in it.
        """
        from mkdocs_recall.pages.reader import Folder

        code = "" if language is None else parse_language(language)
        pages = Folder(folder, language=code, limits=as_limits(limits))
        places = Path(folder), user_cache_folder(folder) if cache else None
        return cls._from_reader(pages, *places, progress=progress, now=now, processes=processes)

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
        """Make a corpus of a built site's pages, with everything that its plugins added.

        The quotes of this plugin are left out.

        Args:
            folder: The folder of the site. Links that lead out of it are not read.
            config_file: The site's `mkdocs.yml`, so that pages are named after their Markdown
                files, in the order of the navigation, with their front matter. None names pages
                after their HTML files, unless there are `sources`.
            sources: Another generator's source files, after which pages are named; for the rest of
                this package.
            lines: Whether to find the lines of sentences in the author's files.
            cache: Whether documents are cached for the next process, in the user's own cache.
            progress: As for `from_site`.
            now: As for `from_site`.
            limits: How much of a page is read: the settings of the option; None for those in the
                configuration.

        Raises:
            OptionError: One of the limits is unknown or impossible.
            SiteError: There is no such folder, it cannot be read, or no page is in it; or MkDocs
                cannot read the configuration.
        """
        from mkdocs_recall.pages.built import BuiltSite
        from mkdocs_recall.pages.site import Site

        folder = as_file(folder)
        site = None if config_file is None else Site(config_file)
        cache_dir = user_cache_folder(folder) if cache else None
        root = site.path.parent if site else Path(folder)
        own_limits = None if limits is None else as_limits(limits)
        built = BuiltSite(folder, site, names=sources, own_limits=own_limits, with_lines=lines)
        return cls._from_reader(
            built,
            root,
            cache_dir,
            site.path if site else None,
            progress=progress,
            now=now,
            alias=sources.without_suffix if sources else None,
            heading_of=None if site else built.heading_of,
        )

    @classmethod
    def from_published(
        cls,
        files: Iterable[str | PathLike[str]],
        *,
        cache: bool = True,
        now: Callable[[], datetime | None] | None = None,
        processes: int = 1,
        client: Client | None = None,
        timeout: float | None = None,
    ) -> Self:
        """Make one corpus of the pages that several sites have published.

        A uri begins with the name of its site: `flux:guides/x.md` is a page of `flux.jsonl.gz`. A
        `recall.jsonl.gz` has the name of its folder. Answers are those of one index over all pages.

        Args:
            files: The published files; their order is that of the sites.
            cache: Whether documents are cached for the next process, in the user's own cache.
            now: As for `from_site`.
            processes: How many processes index files in parallel, if several are new.
            client: A client of a Dask cluster, whose workers then hold the indexes. They need this
                package, and the files at the same paths. The answers are the same.
            timeout: How many seconds a query waits for a worker of the cluster; None for 60.

        Raises:
            PublishedFileError: A file cannot be used.
            SiteError: There is no file, or two have the same name; or the cluster is not safe, or
                would answer differently.
        """
        from mkdocs_recall.pages.published import PublishedSites, named_files

        sites = named_files(files)
        folder = next(iter(sites.values())).parent  # not the file, whose order may change
        cache_dir = user_cache_folder(folder) if cache else None
        cluster = None
        if client is not None:
            from mkdocs_recall.pages.cluster import Cluster

            cluster = Cluster(client, sites, timeout=timeout)
        return cls._from_reader(
            PublishedSites(sites, cache_dir),
            folder,
            cache_dir,
            now=now,
            sites=frozenset(sites),
            processes=processes,
            cluster=cluster,
        )

    @classmethod
    def _from_reader(
        cls,
        reader: Reader,
        root: Path,
        cache_dir: Path | None,
        config_file: Path | None = None,
        **settings: Any,  # those of `Library`
    ) -> Self:
        from mkdocs_recall.pages.library import Library
        from mkdocs_recall.pages.published import OtherSites

        open_others = partial(OtherSites.of_site, config_file)
        library = Library(reader, cache_dir, others=open_others, **settings)
        return cls.of_library(library, root=root, config_file=config_file)

    @classmethod
    def of_library(cls, library: Library, *, root: Path, config_file: Path | None) -> Self:
        """Make a corpus of a library's pages, for this package."""
        context = Context(
            *(root, library.folder, config_file),
            files=lambda: library.files,
            validity=library.validity,
            store=library.cache,
        )
        return cls(library.collection, library, context)

    def in_copy(self, reader: Reader, *, config_file: Path | None, folder: str, copy: str) -> Self:
        """Return the pages of a copy of a folder, for this package."""
        from mkdocs_recall.pages.published import OtherSites

        assert self._library is not None
        open_others = partial(OtherSites.of_site, config_file)
        library = self._library.in_copy(reader, folder=folder, copy=copy, others=open_others)
        return self.of_library(library, root=self._context.root, config_file=config_file)

    def refreshed(self) -> Self:
        """Return the current pages: the corpus itself, if neither files nor the time changed.

        The time, like git's HEAD, counts only if an option depends on it. For long-running
        programs. A corpus of `from_markdown` has no files.
        """
        if self._library is None:
            return self
        library = self._library.refreshed()
        if library is self._library and self._context.timeline.is_current():
            return self
        self.save()
        root, config_file = self._context.root, self._context.config_file
        return self.of_library(library, root=root, config_file=config_file)

    @contextmanager
    def by_name(self) -> Iterator[PageSet]:
        """Yield the pages by name, for this package; other threads wait."""
        with self._indexes.reading():
            yield self._pages

    def html(self, uri: str) -> str:
        """Return the HTML that a page's text was read from; empty if there is none."""
        return self._library.html(uri) if self._library else ""

    @cached_property
    def site(self) -> str:
        """The `site_name` in the site's configuration; empty without one."""
        config_file = self._context.config_file
        if config_file is None:
            return ""
        from mkdocs_recall.pages.config import stated_text

        return stated_text(config_file, "site_name")

    @property
    def files(self) -> Mapping[str, str]:
        """The author's file of each page, in page order, including pages that are never quoted.

        Absolute paths by uri; a corpus of `from_markdown` has no files.
        """
        return self._library.files if self._library else {}

    @property
    def notice(self) -> str:
        """Why documents are not cached for the next process; empty if they are."""
        return self._library.cache.notice if self._library else ""

    @property
    def warnings(self) -> tuple[str, ...]:
        """What answers have lacked so far: a model, the history, the time, pages or their ends.

        Diagnostics of answers by meaning and time also report a missing model, history and time.
        """
        truncated = map(truncation_warning, tuple(self._pages.truncated))
        unreadable = self._library.warnings if self._library else ()
        return (*unreadable, *self._context.diagnostics, *truncated)

    def save(self) -> None:
        """Save embeddings for the next process; most are saved without this."""
        self._context.save()

    @property
    def documents(self) -> tuple[Document, ...]:
        """All pages that may be quoted, in page order."""
        with self._indexes.reading(), gc_paused():
            self._read_ahead(self._pages.uris)
            return tuple(map(self._pages.document, self._pages.uris))

    def _read_ahead(self, uris: Iterable[str]) -> None:
        if self._library:
            self._library.read_ahead(uris)

    def __len__(self) -> int:
        """Return the number of pages that may be quoted."""
        return len(self._pages.uris)

    def __iter__(self) -> Iterator[Document]:
        """Iterate over these pages, in page order."""
        return iter(self.documents)

    def __bool__(self) -> bool:
        """Return true, even without pages."""
        return True

    def __repr__(self) -> str:
        """Return the number of pages, and the site's name."""
        name = f" {start_of(self.site)}" if self.site else ""
        return f"<Corpus{name} of {len(self)} page{'s' * (len(self) != 1)}>"

    def select(self, source: SourceLike, *, page: PagePath = "") -> tuple[Document, ...]:
        """Return the pages that a source names, in page order.

        Args:
            source: A page, a folder, a glob, a list of these, or `{pages, where}`.
            page: The page that `source` is relative to; empty for the root. A glob leaves it out.

        Raises:
            SourceError: The source names nothing that can be quoted.
        """
        with self._indexes.reading(), gc_paused():
            scope, hidden = self._scope(as_sources(source), as_path(page))
            self._read_ahead(scope.uris)
            return tuple(self._pages.document(uri) for uri in scope.uris if uri not in hidden)

    def open_sources(
        self, options: Options, *, uris: Iterable[str], page: str = ""
    ) -> dict[str, Document]:
        """Read pages that a directive may quote, for this package."""
        with self._indexes.reading():
            time = None if options.include_expired else options.temporal
            scope, hidden = self._scope(options.source, page, time)
            open_page = partial(self._indexes.document, language=options.language)
            visible = (uri for uri in uris if uri in scope.uris and uri not in hidden)
            return {uri: open_page(uri) for uri in visible}

    def _scope(
        self, sources: Sequence[str], page: str, temporal: Temporal | None = None
    ) -> tuple[Scope, dict[str, str]]:
        """Return the scope of sources, and its hidden pages with the reasons."""
        scope = self._pages.scope(sources, page=page)
        uris = scope.uris
        expired: Mapping[str, str] = {}
        if temporal:  # else neither git nor the clock is read
            expired = self._context.timeline.expired(temporal, sorted(uris))
        for target in scope.named:
            if target.uri in expired:
                msg = f"'{target.uri}' cannot be quoted: {expired[target.uri]}{_REMEDY}"
                raise SourceError(msg)
        asking = {page} - {"", *(target.uri for target in scope.named)}
        hidden = dict.fromkeys(asking, "it is on the asking page")
        if uris <= hidden.keys():
            msg = f"source '{', '.join(sources)}' matches no page but this one, which it leaves out"
            raise SourceError(msg)
        if uris <= hidden.keys() | expired.keys():
            matched = "matches only pages that have expired or are not valid yet"
            raise SourceError(f"source '{', '.join(sources)}' {matched}{_REMEDY}")
        return scope, {**expired, **hidden}

    def recall(
        self,
        query: QueryLike,
        *,
        source: SourceLike = WHOLE_SITE,
        page: PagePath = "",
        **options: Unpack[RecallKeywords],
    ) -> Result:
        """Find the sentences that answer a query.

        Args:
            query: A text, or a list of texts and `{text, weight}`.
            source: Where to look: a page, a page with `#anchor`, a folder, a glob, a list of these,
                `**` for everything, or `{pages, where}` to filter pages by front matter.
            page: The page that `source` is relative to; empty for the root. A glob leaves it out.
            options: Further keywords (`RecallKeywords`), as in a fence, each with the type, range
                and default of its option; None means the default. But `on_empty` defaults to
                `omit`; `semantic` and `temporal` are True or the option's settings; and
                `token_counter` is a function that counts tokens, or None for an estimate.

        Returns:
            The passages in rank order; unless `context` is a number, one per section.

        Raises:
            OptionError: An option has an impossible value.
            SourceError: The source names nothing that can be quoted.
            RecallError: Nothing answers, and `on_empty` is `error`.
        """
        values: RecallKeywords = {"on_empty": "omit", **options}
        return self.answer(recall_options(query, source=source, **values), page=as_path(page))

    def search(
        self,
        query: QueryLike,
        *,
        max_sentences: int = 10,
        context: int = 0,
        **options: Any,  # each has its own type
    ) -> Result:
        """Find the best sentences for a query, one by one, as `mkdocs-recall search` does.

        Args:
            query: A text, or a list of texts and `{text, weight}`.
            max_sentences: The maximum number, at least 1.
            context: How many sentences to quote on each side of a match.
            options: The other options of `recall`.

        Returns:
            The sentences in rank order.

        Raises:
            OptionError: An option has an impossible value.
            SourceError: The source names nothing that can be quoted.
        """
        return self.recall(query, max_sentences=max_sentences, context=context, **options)

    def synopsis(
        self, source: SourceLike, *, page: PagePath = "", **options: Unpack[SynopsisKeywords]
    ) -> Result:
        """Choose the sentences that say what a page is about.

        Args:
            source: A page, a page with `#anchor`, a folder, a glob, a list of these, or `{pages,
                where}` to filter pages by front matter.
            page: The page that `source` is relative to; empty for the root. A glob leaves it out.
            options: Further keywords (`SynopsisKeywords`), as for `recall`.

        Returns:
            The passages, page by page, in rank order within a page.

        Raises:
            OptionError: An option has an impossible value.
            SourceError: The source names nothing that can be quoted.
        """
        return self.answer(synopsis_options(source=source, **options), page=as_path(page))

    def answer(self, options: Options, *, page: str = "") -> Result:
        """Answer a fence, a command or an agent, for the rest of this package.

        Without a source, `page` itself is queried; sources are relative to it, and globs leave it
        out.
        """
        with self._indexes.reading(), gc_paused():
            time = None if options.include_expired else options.temporal
            scope, hidden = self._scope(options.source, page, time)
            if isinstance(options, RecallOptions) and options.section is not None:
                (target,) = scope.named
                document = self._indexes.document(target.uri, language=options.language)
                self._pages.check_anchor(document, target.anchor)
                return replace(whole_section(document, target.anchor, options), site=self.site)
            if isinstance(options, RecallOptions):
                index = self._indexes.for_query(scope, options, options.units)
                with self._indexes.following(index):
                    result = self._recall(index, scope, options, hidden)
            else:
                from mkdocs_recall.ranking.synopsis import synopsis

                index = self._indexes.of(scope, options, TEXT)
                result = synopsis(index, options, hidden=hidden, memo=self._synopses)
                result = self._fit(result, options)
            diagnostics = _diagnose(index, scope)
            if options.temporal or (isinstance(options, RecallOptions) and options.semantic):
                diagnostics += self._context.diagnostics
            return replace(result, diagnostics=diagnostics, site=self.site)

    def dated(self, result: Result) -> Result:
        """Return an answer with the dates of its pages, or first commits."""
        passages = (*result.passages, *result.left_out)
        if not any(passage.file and not passage.created for passage in passages):
            return result
        from mkdocs_recall.factors.history import creation_dates

        with self._indexes.reading():
            dates = creation_dates(self.files.values(), self._context.store)

        def with_date(passage: Passage) -> Passage:
            created = passage.created or dates.get(passage.file, "")
            return replace(passage, document=replace(passage.document, created=created))

        passages = tuple(map(with_date, result.passages))
        left_out = tuple(map(with_date, result.left_out))
        return replace(result, passages=passages, left_out=left_out)

    def mentions(self, options: RecallOptions) -> bool:
        """Tell whether the queried pages have a word of the queries."""
        with self._indexes.reading():
            scope, _ = self._scope(options.source, "")
            index = self._indexes.for_query(scope, options, options.units)
            return any(index.mentions(query.text) for query in options.query)

    def _recall(
        self, index: Index, scope: Scope, options: RecallOptions, hidden: Mapping[str, str]
    ) -> Result:
        by_words = partial(recall, index, options, hidden=hidden)
        search = by_words
        if options.temporal:
            freshness = self._context.timeline.freshness(options.temporal)
            search = partial(by_words, freshness=freshness)

        def finish(result: Result) -> Result:
            return self._fit(self._fall_back(result, scope, options, hidden), options)

        result = finish(self._with_meaning(search, options))
        if (options.semantic or options.temporal) and result.left_out and not result.passages:
            # The best by meaning and recency exceeds the budget; the best by words may fit.
            with suppress(RecallError):  # `on_empty` is `error`
                plain = finish(self._with_meaning(lambda **_: by_words(), options))
                result = plain if plain.passages else result
        if options.fills_budget and result.left_out and not (result.passages or result.fallback):
            return self._shorter(result, options)
        return result

    def _shorter(self, result: Result, options: RecallOptions) -> Result:
        """Return sentences of the best section that fit a budget which the best sentence exceeds.

        The best may have to bring a list or code. If nothing else fits, the result stays.
        """
        best = result.left_out[0]
        bare = replace(options, context=0, min_score=0.0)
        with suppress(RecallError):  # a path that reads as a pattern
            scope, _ = self._scope((str(Target(best.uri, best.anchor)),), "")
            index = self._indexes.for_query(scope, bare, bare.units)
            shorter = self._fit(recall(index, bare), bare)
            if shorter.passages:
                return replace(shorter, left_out=result.left_out, why=result.why)
        return result

    def _with_meaning(self, search: Callable[..., Result], options: RecallOptions) -> Result:
        if options.semantic is None:
            return search()
        from mkdocs_recall.ranking.reranking import through_gate

        try:
            meaning = self._context.meaning(options.semantic, options.enrich)
            best = search(meaning=meaning) if meaning.searches else search()
            result = through_gate(best, options.query, meaning)
        except EmbedderError as error:
            self._context.fail(error)
            return search()
        self._context.save()
        return result

    def _fall_back(
        self, result: Result, scope: Scope, options: RecallOptions, hidden: Mapping[str, str]
    ) -> Result:
        if not result.fallback or options.on_empty == "omit":
            return result
        if options.on_empty == "error":
            raise RecallError(result.why)
        text = tuple(kind for kind in TEXT if kind in options.units)
        if not text:
            return result
        from mkdocs_recall.ranking.synopsis import first_synopsis

        instead = first_synopsis(self._indexes.parts(scope, options, text), options, hidden=hidden)
        return replace(instead, fallback=result.fallback, why=result.why)

    def _fit(self, result: Result, options: Options) -> Result:
        """Return a result that fits the options' `max_tokens` and `max_words`."""
        recalled = options if isinstance(options, RecallOptions) and not result.fallback else None
        if options.max_tokens is not None or (recalled and recalled.max_words is not None):
            from mkdocs_recall.ranking.budget import checked_counter, fit_budget

            if recalled and result.passages:
                words = partial(words_in, language=result.passages[0].document.language)
                result = fit_budget(result, recalled.max_words, words, name="max_words")
            fills = recalled is not None and recalled.fills_budget
            counter = checked_counter(options.token_counter)
            result = fit_budget(result, options.max_tokens, counter, fills=fills)
        return replace(result, passages=without_overlap(result.passages))


def published_shard(site: ShardSource) -> Shard:
    """Load a published site in a worker of a cluster."""
    from mkdocs_recall.pages.cluster import Shard

    indexes = Corpus.from_published([site.file])._indexes  # noqa: SLF001 - of this module
    with indexes.reading():
        return Shard(indexes.published(site), indexes.reading)


def _diagnose(index: Index, scope: Scope) -> tuple[str, ...]:
    notes = [
        f"language '{code}' has no word lists: words are compared as they are"
        for code in index.languages
        if not get_language(code).is_supported
    ]
    named_uris = {target.uri for target in scope.named}
    if not len(index):
        named_uris |= {target.uri for target in scope.targets[:1]}
    for number, uri in enumerate(index.uris if named_uris else ()):
        if uri in named_uris:
            part = index.parts[number]
            if not any(block.sentences for block in part.blocks):
                kinds = [unit for unit in UNITS if unit in kinds_of(part.document)]
                only = f": it has only {', '.join(kinds)}" if kinds else ""
                notes.append(f"'{part.document.uri}' has no sentence to quote{only}")
            elif not any(s.quotable for block in part.blocks for s in block.sentences):
                notes.append(
                    f"'{part.document.uri}' has no sentence to quote: each "
                    "contains template syntax or leftover Markdown, or is too long"
                )
    return tuple(notes)
