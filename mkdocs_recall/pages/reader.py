"""The interface of readers, as `library` sees it, and the simplest: a folder of Markdown files."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol

from mkdocs_recall.directives.fences import without_directives
from mkdocs_recall.errors import PageError, SiteError
from mkdocs_recall.files import existing_folder, files_in
from mkdocs_recall.options import LIMITS, Limits
from mkdocs_recall.store import pack_json
from mkdocs_recall.text.document import analyse
from mkdocs_recall.text.front_matter import (
    MarkdownSource,
    as_title,
    exclusion,
    page_language,
    page_metadata,
    split_front_matter,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from mkdocs_recall.text.model import Document
    from mkdocs_recall.text.runs import HtmlContent


class ListedPage(NamedTuple):
    """A page that a reader has found and not yet read."""

    uri: str
    """Its path from the root."""
    file: str
    """The absolute path of the file that it is read from."""
    title: str | None = None
    """The title that a navigation gives it; None where the page has its own."""
    digest: str = ""
    """Of all that it says, in hexadecimal digits; empty where it must be read to know."""


@dataclass(frozen=True, slots=True)
class OpenReader:
    """A reader that has listed its pages and can read them."""

    roots: tuple[str, ...]
    """The folders of the pages: another file there may be another page."""
    pages: tuple[ListedPage, ...]
    """In page order."""
    load: Callable[[str], Document]
    """Reads one page."""
    html: Callable[[str], str]
    """Returns the HTML of which a page's text is read; empty where there is none."""
    meta: Callable[[str], Mapping[str, Any]]
    """Returns the front matter of one page; raises PageError for a page to leave out."""
    include_ignored: bool = False
    """Whether hidden and installed files in the roots may be pages."""
    rendering: bytes = b""
    """The digest of all that shapes a page's text except its files."""
    settings: frozenset[str] = frozenset()
    """The files of the site's settings, and of the code that they name: absolute paths."""
    fingerprints: Mapping[str, list[int] | None] = field(default_factory=dict)
    """Those of such files before they were read, where one may be replaced meanwhile."""
    variables: frozenset[str] = frozenset()
    """The environment variables that the settings name."""
    folder: str = ""
    """The folder of the site, if any changed file there may change any page, since an extension may
    open it; else empty."""
    output: str = ""
    """The folder that a build writes, which is never such a file."""
    refused: Mapping[str, str] = field(default_factory=dict)
    """Pages that may not be quoted, with the reason."""
    excludes: Callable[[Mapping[str, Any]], str] = exclusion
    """Returns why a page with this front matter may not be quoted; empty where it may."""
    find: Callable[[str], str | None] = lambda _: None
    """Returns the page or file that a path leads to."""
    links: Callable[[str], Iterable[str]] = lambda _: ()
    """Returns the paths that were looked up when a page was read."""
    others: Callable[[str], Iterable[str]] = lambda _: ()
    """Returns the files besides its own that a page was read from, or would have been if they
    existed: absolute paths."""
    notice: str = ""
    """Why a list of its own was not cached; empty while it is."""


class Reader(Protocol):
    """A source of pages."""

    @property
    def identity(self) -> tuple[str, ...]:
        """What distinguishes it from others, the same in each process; a path comes second."""

    def open(self) -> OpenReader:
        """List its pages; this may take long."""


MARKDOWN: Final = (".md", ".markdown", ".mdown", ".mkdn", ".mkd", ".mdx")
SOURCES: Final = (*MARKDOWN, ".rst", ".qmd", ".adoc")
"""Of several files with one name, the first of these is the page."""
_INDEX_NAMES: Final = ("index", "README")


class Folder:
    """The Markdown files of a folder and of the folders below it.

    Hidden and installed files (`node_modules`) are passed over, and so is a link that leads out of
    the folder.
    """

    def __init__(
        self, folder: str | os.PathLike[str], *, language: str, limits: Limits = LIMITS
    ) -> None:
        """Take a folder, and the language of its pages; "" where words tell it."""
        self._root = existing_folder(folder, "name one with Markdown files in it")
        self._language = language
        self._limits = limits

    @property
    def identity(self) -> tuple[str, ...]:
        """What distinguishes it from other readers."""
        return "folder", str(self._root), self._language, pack_json(self._limits).decode()

    def open(self) -> OpenReader:
        """List its pages."""
        best: dict[str, tuple[str, str]] = {}  # of several files with one name
        for file in sorted(files_in(self._root, MARKDOWN), key=lambda file: suffix_rank(file[0])):
            best.setdefault(os.path.splitext(file[0])[0], file)  # noqa: PTH122
        files = dict(best.values())
        if not files:
            remedy = "a folder of HTML is read as a finished site (--built)"
            raise SiteError(f"there is no Markdown file in '{self._root}'; {remedy}")
        uris = sorted(files, key=_order)
        return OpenReader(
            roots=(str(self._root),),
            pages=tuple(ListedPage(uri, files[uri]) for uri in uris),
            load=lambda uri: self._load(uri, files[uri]),
            html=lambda uri: self._reader.html(self._source(files[uri]), uri),
            meta=lambda uri: self._source(files[uri]).meta,
        )

    def _source(self, file: str) -> MarkdownSource:
        try:
            source = split_front_matter(Path(file).read_text("utf-8"))
        except UnicodeDecodeError as error:
            raise PageError.not_utf8(file, error) from error
        except (OSError, ValueError) as error:
            raise SiteError(f"'{file}' cannot be read: {error}") from error
        if source.fault:
            raise PageError(source.fault)
        return source

    def _load(self, uri: str, file: str) -> Document:
        source = self._source(file)
        document = self._reader.read(source, uri=uri, language=self._language, url=uri)
        return replace(document, file=file)

    @cached_property
    def _reader(self) -> MarkdownReader:
        return MarkdownReader(limits=self._limits)


def suffix_rank(uri: str) -> tuple[int, str]:
    """Return the sort key of a file among those of one name: by its suffix."""
    return SOURCES.index(os.path.splitext(uri)[1].lower()), uri  # noqa: PTH122


def _order(uri: str) -> tuple[object, ...]:
    """Return the sort key of a page: folder by folder, in each the index page first."""
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
        """Set up Python-Markdown with extensions, else `ForeignMarkdown`."""
        self._limits = limits
        self._notes_lines = extensions is None
        self._render: Callable[[str, str], str]
        if extensions is None:
            from mkdocs_recall.pages.foreign import ForeignMarkdown

            self._render = ForeignMarkdown().render
        else:
            from markdown import Markdown

            own = {name: dict(config) for name, config in (configs or {}).items()}
            markdown = Markdown(extensions=list(extensions), extension_configs=own)
            self._render = lambda body, _uri: markdown.reset().convert(without_directives(body))

    def html(self, source: MarkdownSource, uri: str) -> str:
        """Render a page without its directives."""
        return self._render(source.body, uri)

    def read(self, source: MarkdownSource, *, uri: str, language: str, url: str = "") -> Document:
        """Render a page without its directives, and read it, with lines."""
        from mkdocs_recall.text.html import read_html

        reading = read_html(self.html(source, uri), limits=self._limits)
        return analyse(
            reading,
            uri=uri,
            title=_title(source.meta, reading, uri),
            language=page_language(source.meta) or language,
            url=url,
            metadata=page_metadata(source.meta),
            lines=self._lines(source, reading),
        )

    def _lines(self, source: MarkdownSource, reading: HtmlContent) -> list[int | None]:
        body, offset = source.body, source.offset
        if not self._notes_lines:
            from mkdocs_recall.pages.lines import block_lines

            return block_lines(body, reading.runs, reading.headings, offset)
        last = body.count("\n") + body.count("\r") + 1  # an author may write any number, too
        return [min(run.line, last) + offset if run.line else None for run in reading.runs]


def _title(meta: Mapping[str, Any], reading: HtmlContent, uri: str) -> str:
    if title := as_title(meta.get("title")):
        return title
    first = next((h.text for h in reading.headings if h.level == 1 and h.text), "")
    if first:
        return first
    path = PurePosixPath(uri)
    name = path.parent.name if path.stem in {"index", "README"} else path.stem
    name = name.replace("-", " ").replace("_", " ").strip()
    return name.capitalize() if name == name.lower() else name
