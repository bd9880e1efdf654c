"""The states of a documentation that `impact` compares: a folder, the index, or a git revision."""

from __future__ import annotations

import os
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from mkdocs_recall.answers.answer import answer
from mkdocs_recall.answers.entries import lock_entry
from mkdocs_recall.corpus.context import Location
from mkdocs_recall.corpus.corpus import Corpus
from mkdocs_recall.directives.schema import site_defaults
from mkdocs_recall.errors import OptionError, RecallError, SiteError, SourceError
from mkdocs_recall.readers.library import Library, user_cache_folder
from mkdocs_recall.readers.mkdocs_yml import (
    cache_folder,
    config_files,
    config_in,
    docs_folder,
    plugin_options,
)
from mkdocs_recall.review.directives import DirectiveIndex
from mkdocs_recall.review.mirror import ignored_pages, mirror_folder, update_mirror
from mkdocs_recall.temporal import revisions
from mkdocs_recall.temporal.git import GitError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from mkdocs_recall.answers.lock import LockEntry
    from mkdocs_recall.index.selection import Scope
    from mkdocs_recall.options import Options
    from mkdocs_recall.retrieval.result import Passage
    from mkdocs_recall.review.directives import ParsedDirective

_BUILT = (".html", ".htm")
INDEX = "the index"
WORK_TREE = "the work tree"


class SiteLocation(NamedTuple):
    """Where a documentation lies: its configuration, or a folder of Markdown files."""

    config: Path | None
    docs: Path | None = None

    @property
    def folder(self) -> Path:
        """The folder of the configuration, or that of the pages."""
        return self.docs or (self.config or Path()).parent

    def cache(self) -> Path | None:
        """Return the folder of its cache; None for none."""
        return user_cache_folder(self.docs) if self.docs else cache_folder(self._config)

    @property
    def _config(self) -> Path:
        assert self.config is not None
        return self.config.absolute()

    @property
    def pages(self) -> Path:
        """The folder of the pages."""
        return self.docs or docs_folder(self._config)

    def names(self) -> list[Path]:
        """Return the folders and files it consists of."""
        if self.docs:
            return [self.docs]
        return [self.folder, self.pages, *config_files(self._config)]

    def below(self, top: str, mirror: Path) -> SiteLocation:
        """Return where it lies in a mirror of its repository."""
        config, docs = (path and mirror / _inside(path, top) for path in self)
        return SiteLocation(config, docs)


def location_of_folder(folder: Path) -> SiteLocation:
    """Return the documentation in a folder: a site where it has a configuration."""
    config = config_in(folder)
    return SiteLocation(config) if config else SiteLocation(None, folder)


class StateAnswer(NamedTuple):
    """What a directive quotes in one state."""

    entry: LockEntry | None
    """None where there is an error."""
    error: str = ""
    passages: Sequence[Passage] = ()


@dataclass
class SiteState:
    """A documentation at one time."""

    corpus: Corpus
    library: Library
    index: DirectiveIndex
    root: str = ""
    """The mirror that its files lie in; empty for none."""
    top: str = ""
    """The repository's root, which the mirror stands for."""
    renames: Mapping[str, str] = field(default_factory=dict)
    """The page that each renamed page of this state is now."""
    _options: dict[str, list[Options | RecallError]] = field(default_factory=dict)

    @cached_property
    def files(self) -> Mapping[str, str]:
        """The file of each page, in the mirror if there is one."""
        return self.corpus.files

    def file(self, uri: str) -> str:
        """Return the author's file of a page; empty where there is none."""
        return self.shown(self.files.get(uri, ""))

    def shown(self, text: str) -> str:
        """Return a text with the author's folder in place of the mirror."""
        return text.replace(self.root, self.top) if self.root else text

    def lists_as(self, other: SiteState) -> bool:
        """Tell whether sources name the same pages in another state."""
        one, two = self.library.collection, other.library.collection
        return list(one.uris) == list(two.uris) and one.refused.keys() == two.refused.keys()

    def read(self, uris: Iterable[str]) -> None:
        """Read these pages, and cache what was not."""
        with self.corpus.by_name():
            for uri in uris:
                self.key(uri)

    def key(self, uri: str) -> bytes:
        """Return what stands for the text of a page; empty where it may not be quoted."""
        with self.corpus.by_name() as pages:
            if uri not in self._quotable:
                return b""
            key = self.library.key("impact", [(uri, ())])
            if not key:
                pages.peek(uri)
                key = self.library.key("impact", [(uri, ())])
        return key

    @cached_property
    def _quotable(self) -> frozenset[str]:
        return frozenset(self.library.collection.uris)

    def scope(self, directive: ParsedDirective, page: str) -> Scope | None:
        """Return the pages that a directive asks; None where its sources have an error."""
        if directive.source is None:
            return None
        try:
            with self.corpus.by_name() as pages:
                return pages.scope(directive.source, page=page)
        except SourceError:
            return None

    def directives(self) -> dict[str, list[ParsedDirective]]:
        """Return the directives of each page that has any.

        Raises:
            SiteError: A page cannot be read.
        """
        found = {}
        for uri, file in self.files.items():
            if not file.endswith(_BUILT):
                content = self.library.content(uri)
                directives = self.index.cached(content)
                if directives is None:
                    directives = self.index.parse(content, self._text(uri))
                if directives:
                    found[uri] = directives
        return found

    def answer(self, directive: ParsedDirective, page: str) -> StateAnswer:
        """Answer a directive."""
        if page not in self._options:
            self._options[page] = self.index.options(self._text(page))
        options = self._options[page][directive.number]
        if isinstance(options, RecallError):
            return StateAnswer(None, str(options))
        reply = answer(options, self.corpus, page)
        if reply.error or reply.result is None:
            return StateAnswer(None, self.shown(reply.error))
        entry = lock_entry(directive.identity, page, options, reply.result)
        return StateAnswer(entry, passages=reply.result.in_document_order())

    def save(self) -> None:
        """Cache what the next run would have to do again."""
        packed = self.index.pack()
        if packed is not None:
            with self.library.reading():
                self.library.put(self.index.key, packed)
        self.corpus.save()

    def _text(self, uri: str) -> str:
        file = self.files[uri]
        try:
            return Path(file).read_text("utf-8-sig")
        except (OSError, ValueError) as error:
            msg = f"'{self.shown(file)}' cannot be read: {error}"
            raise SiteError(msg) from error


def open_state(place: SiteLocation, cache: Path | None) -> SiteState:
    """Open a documentation.

    Raises:
        SiteError: It cannot be read.
    """
    from mkdocs_recall.directives.nested import as_limits
    from mkdocs_recall.readers.folder import Folder
    from mkdocs_recall.readers.site import Site

    reader: Folder | Site
    if place.docs:
        reader, root, defaults = Folder(place.docs, language="en"), place.docs, {}
        limits = as_limits(None)
    else:
        assert place.config is not None
        reader = Site(place.config)
        root, limits = reader.path.parent, reader.limits
        try:
            defaults = site_defaults(plugin_options(reader.path))
        except OptionError as error:
            msg = f"{place.config}: recall: {error}"
            raise SiteError(msg) from error
    library = Library(reader, cache)
    corpus = Corpus.of_library(library, location=Location(root, cache))
    index = DirectiveIndex(defaults, limits)
    index.load(library.get(index.key))
    return SiteState(corpus, library, index)


@contextmanager
def git_states(
    place: SiteLocation, before: str, after: str
) -> Iterator[tuple[SiteState, SiteState]]:
    """Open two states of a documentation that git keeps.

    Args:
        place: Where it lies in the work tree.
        before: A revision.
        after: A revision; or `INDEX` or `WORK_TREE`.

    Raises:
        GitError: It lies in no repository, or there is no such revision.
        SiteError: It cannot be read in one of the states.
    """
    top = revisions.top_folder(place.folder)
    folders = [_inside(path, top) for path in place.names() if path.exists()]
    cache = place.cache()
    old = revisions.commit_name(top, before)
    compared = {WORK_TREE: [old], INDEX: ["--cached", old]}.get(after)
    new = old if compared else revisions.commit_name(top, after)
    renamed = revisions.renamed_files(top, *(compared or (old, new)))
    ignored = ignored_pages(top, _inside(place.pages, top)) if compared else {}
    with ExitStack() as stack:

        def mirrored(slot: str, name: str, commit: str) -> SiteState:
            folder = stack.enter_context(mirror_folder(cache, slot))
            if name == INDEX:
                files = revisions.staged_files(top, folders)
            else:
                files = revisions.files_of_commit(top, commit, folders)
            update_mirror(folder, top, commit, ignored | files)
            inside = place.below(top, folder)
            if not (inside.docs or inside.config or folder).exists():
                wanted = _inside(place.config or place.folder, top)
                msg = f"'{wanted}' is not in {name} of the repository '{top}'"
                raise SiteError(msg)
            try:
                state = open_state(inside, cache)
            except SiteError as error:
                msg = f"{name}: {str(error).replace(str(folder), top)}"
                raise SiteError(msg) from error
            state.root, state.top = str(folder), top
            return state

        one = mirrored("before", before, old)
        is_here = after == WORK_TREE
        other = open_state(place, cache) if is_here else mirrored("after", after, new)
        copied = os.path.join(other.root or top, "")  # noqa: PTH118
        one.library.share(other.library, copied, os.path.join(one.root, ""))  # noqa: PTH118
        one.renames = _renamed_pages(one, other, top, renamed)
        yield one, other
        for state in (other, one):
            state.save()


def _renamed_pages(
    before: SiteState, after: SiteState, top: str, renamed: Mapping[str, str]
) -> dict[str, str]:
    """Return the new name of each renamed page by its old one."""
    if not renamed:
        return {}
    pages = {os.path.realpath(after.file(uri)): uri for uri in after.corpus.files}
    moved = {}
    for uri in before.corpus.files:
        path = os.path.relpath(os.path.realpath(before.file(uri)), top).replace(os.sep, "/")
        new = pages.get(os.path.join(top, renamed.get(path, "")))  # noqa: PTH118
        if new and new != uri:
            moved[uri] = new
    return moved


def _inside(path: Path, top: str) -> str:
    """Return a path from the repository's root.

    Raises:
        GitError: It lies outside.
    """
    real = Path(os.path.realpath(path))
    if not real.is_relative_to(top):
        msg = f"'{path}' lies outside of the repository '{top}', so git does not keep its states"
        raise GitError(msg)
    inside = real.relative_to(top).as_posix()
    return "" if inside == "." else inside
