"""The interface of readers that `library` uses, and the simplest one: a Markdown folder."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from copy import copy
from dataclasses import replace
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from mkdocs_recall.directives.fences import without_directives
from mkdocs_recall.errors import OptionError, PageError, SiteError
from mkdocs_recall.files import existing_folder, files_in
from mkdocs_recall.options import LIMITS, Limits
from mkdocs_recall.store import pack_json
from mkdocs_recall.text import front_matter
from mkdocs_recall.text.document import analyse

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence, Set as AbstractSet

    from typing_extensions import Self

    from mkdocs_recall.text.model import Document
    from mkdocs_recall.text.runs import HtmlContent


class ListedPage(NamedTuple):
    """A page that a reader has found but not yet read."""

    uri: str
    """Its path from the root."""
    file: str
    """The absolute path of the file that it is read from."""
    title: str | None = None
    """Its title in the navigation; None for the page's own."""
    digest: str = ""
    """The digest of its content; empty if unknown before reading."""


class Reader(ABC):
    """A source of pages, which can be read once it is open."""

    roots: Sequence[str] = ()
    """The folders of the pages: a new file there may be a new page."""
    pages: Sequence[ListedPage] = ()
    """In page order."""
    include_ignored = False
    """Whether hidden and installed files in the roots may be pages."""
    rendering = b""
    """The digest of all that affects a page's text except its files."""
    settings: AbstractSet[str] = frozenset()
    """The absolute paths of the settings' files, and of their code."""
    fingerprints: Mapping[str, list[int] | None] = {}
    """Fingerprints of files that may be replaced while they are read."""
    variables: AbstractSet[str] = frozenset()
    """The environment variables that the settings name."""
    folder = ""
    """The folder of the site if extensions may open any file in it; else empty."""
    output = ""
    """The folder that a build writes, which does not affect pages."""
    refused: Mapping[str, str] = {}
    """Pages that may not be quoted, with the reason."""
    links: Mapping[str, Iterable[str]] = {}
    """The paths that were looked up when a page was read."""
    others: Mapping[str, Iterable[str]] = {}
    """The absolute paths of other files that a page was read from, or looked for."""
    notice = ""
    """Why its own listing was not cached; empty if it was."""

    @property
    @abstractmethod
    def identity(self) -> tuple[str, ...]:
        """Its identity, the same in each process; the second item is a path."""

    def open(self) -> Self:
        """Return a copy that can read its pages; this may take long."""
        opened = copy(self)
        opened._list()  # noqa: SLF001 - of this class
        return opened

    @abstractmethod
    def _list(self) -> None: ...

    @abstractmethod
    def load(self, uri: str) -> Document:
        """Read one page."""

    def html(self, uri: str) -> str:  # noqa: ARG002 - for others
        """Return the HTML that a page's text is read from, if any."""
        return ""

    @abstractmethod
    def meta(self, uri: str) -> Mapping[str, Any]:
        """Return a page's front matter; a PageError leaves it out."""

    def excludes(self, meta: Mapping[str, Any]) -> str:
        """Return why a page may not be quoted, or ""."""
        return front_matter.exclusion(meta)

    def find(self, path: str) -> str | None:  # noqa: ARG002 - for others
        """Return the page or file that a path leads to."""
        return None


MARKDOWN: Final = (".md", ".markdown", ".mdown", ".mkdn", ".mkd", ".mdx")
SOURCES: Final = (*MARKDOWN, ".rst", ".qmd", ".adoc")
"""The precedence of suffixes among files with the same name."""
_INDEX_NAMES: Final = ("index", "README")


class Folder(Reader):
    """The Markdown files of a folder and of the folders below it.

    Hidden and installed files (`node_modules`) are skipped, as are links out of the folder.
    """

    def __init__(
        self, folder: str | os.PathLike[str], *, language: str, limits: Limits = LIMITS
    ) -> None:
        """Take a folder, and the language of its pages, or ""."""
        self._root = existing_folder(folder, "name a folder with Markdown files in it")
        self._language = language
        self._limits = limits

    @property
    def identity(self) -> tuple[str, ...]:
        """The identity of the reader."""
        return "folder", str(self._root), self._language, pack_json(self._limits).decode()

    def _list(self) -> None:
        best: dict[str, tuple[str, str]] = {}  # among files with the same name
        for file in sorted(files_in(self._root, MARKDOWN), key=lambda file: suffix_rank(file[0])):
            best.setdefault(os.path.splitext(file[0])[0], file)  # noqa: PTH122
        files = dict(best.values())
        if not files:
            remedy = "a folder of HTML is read as a finished site (--built)"
            raise SiteError(f"there is no Markdown file in '{self._root}'; {remedy}")
        self.roots = (str(self._root),)
        self.pages = [ListedPage(uri, files[uri]) for uri in sorted(files, key=_order)]
        self._files = files

    def html(self, uri: str) -> str:
        """Render a page."""
        return self._reader.html(self._source(uri), uri)

    def meta(self, uri: str) -> Mapping[str, Any]:
        """Return the front matter of a page."""
        return self._source(uri).meta

    def _source(self, uri: str) -> front_matter.MarkdownSource:
        file = self._files[uri]
        try:
            source = front_matter.split_front_matter(Path(file).read_text("utf-8"))
        except UnicodeDecodeError as error:
            raise PageError.not_utf8(file, error) from error
        except (OSError, ValueError) as error:
            raise SiteError(f"'{file}' cannot be read: {error}") from error
        if source.fault:
            raise PageError(source.fault)
        return source

    def load(self, uri: str) -> Document:
        """Read a page."""
        document = self._reader.read(self._source(uri), uri=uri, language=self._language, url=uri)
        return replace(document, file=self._files[uri])

    @cached_property
    def _reader(self) -> MarkdownReader:
        return MarkdownReader(limits=self._limits)


def suffix_rank(uri: str) -> tuple[int, str]:
    """Return the sort key of a file among its namesakes."""
    return SOURCES.index(os.path.splitext(uri)[1].lower()), uri  # noqa: PTH122


def _order(uri: str) -> tuple[object, ...]:
    """Return a page's sort key: by folder, index pages first."""
    *folders, name = uri.split("/")
    above = ((1, folder) for folder in folders)
    return *above, (0, name.partition(".")[0] not in _INDEX_NAMES, name)


class MarkdownReader:
    """Reads Markdown pages, in one thread at a time."""

    def __init__(
        self,
        extensions: Sequence[Any] | None = None,
        configs: Mapping[str, Mapping[str, Any]] | None = None,
        *,
        limits: Limits = LIMITS,
    ) -> None:
        self._limits = limits
        self._notes_lines = extensions is None
        self._render: Callable[[str, str], str]
        if extensions is None:
            from mkdocs_recall.pages.foreign import renderer

            self._render = renderer()
        else:
            from markdown import Markdown

            settings = {name: dict(config) for name, config in (configs or {}).items()}
            try:
                markdown = Markdown(extensions=list(extensions), extension_configs=settings)
            except TypeError as error:
                msg = f"'markdown_extensions' are names, and 'mdx_configs' their settings: {error}"
                raise OptionError(msg) from error
            self._render = lambda body, _uri: markdown.reset().convert(without_directives(body))

    def html(self, source: front_matter.MarkdownSource, uri: str) -> str:
        """Render a page without its directives."""
        return self._render(source.body, uri)

    def read(
        self, source: front_matter.MarkdownSource, *, uri: str, language: str, url: str = ""
    ) -> Document:
        """Read a page without its directives, with lines."""
        from mkdocs_recall.text.html import read_html

        reading = read_html(self.html(source, uri), limits=self._limits)
        return analyse(
            reading,
            uri=uri,
            title=_title(source.meta, reading, uri),
            language=front_matter.page_language(source.meta) or language,
            url=url,
            metadata=front_matter.page_metadata(source.meta),
            lines=self._lines(source, reading),
        )

    def _lines(self, source: front_matter.MarkdownSource, reading: HtmlContent) -> list[int | None]:
        body, offset = source.body, source.offset
        if not self._notes_lines:
            from mkdocs_recall.pages.lines import block_lines

            return block_lines(body, reading.runs, reading.headings, offset)
        last = body.count("\n") + body.count("\r") + 1  # an author may write any number
        return [min(run.line, last) + offset if run.line else None for run in reading.runs]


def _title(meta: Mapping[str, Any], reading: HtmlContent, uri: str) -> str:
    if title := front_matter.as_title(meta.get("title")):
        return title
    first = next((h.text for h in reading.headings if h.level == 1 and h.text), "")
    if first:
        return first
    path = PurePosixPath(uri)
    name = path.parent.name if path.stem in {"index", "README"} else path.stem
    name = name.replace("-", " ").replace("_", " ").strip()
    return name.capitalize() if name == name.lower() else name
