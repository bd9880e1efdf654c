"""The pages of a built site, read from their HTML with all that the site's plugins have added.

With the site's configuration or the folder of its sources, a page is named after the author's file.
A generated page, and every page without either, is named after its HTML file.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from dataclasses import KW_ONLY, dataclass, replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from unicodedata import normalize
from urllib.parse import quote

from mkdocs_recall.errors import OptionError, SiteError
from mkdocs_recall.files import existing_folder, file_errors, files_in
from mkdocs_recall.messages import shown_path
from mkdocs_recall.options import LIMITS, Limits
from mkdocs_recall.pages.lines import block_lines
from mkdocs_recall.pages.mkdocs_pages import page_lines
from mkdocs_recall.pages.reader import MARKDOWN, SOURCES, ListedPage, Reader, suffix_rank
from mkdocs_recall.store import digest
from mkdocs_recall.text import front_matter
from mkdocs_recall.text.document import analyse

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from mkdocs_recall.pages.site import Site
    from mkdocs_recall.text.model import Document
    from mkdocs_recall.text.theme import ThemedPage

_INDEX_NAMES: Final = ("index", "_index", "README")
_DROPPED: Final = re.compile(r"[^\w\s./\\#+~@-]+")
_REST: Final = "{}"
"""The part of a pattern that file and page share."""


class SourceNames:
    """The source files of a site, by the pages built from them."""

    def __init__(
        self,
        docs: str | os.PathLike[str] | None,
        patterns: Sequence[str] = (),
        *,
        site: str | os.PathLike[str] = "",
    ) -> None:
        """List the files in the folder of the sources, or in the folders that the patterns name.

        A pattern is `content/{}.md={}/index.html`: a file, relative to the current folder, and its
        page, relative to the site's. In a site `de`, a file `a.de.md` counts as `a.md`.
        """
        self._patterns = patterns
        folders = [*map(_folder_of, patterns)]
        remedy = "name the folder with the sources of the site"
        self.root = None if docs is None else existing_folder(docs, remedy)
        self.files: dict[str, str] = {}
        """The absolute path of each file by its path from the root."""
        self._by_stem: dict[str, str] = {}
        self._roots = [self.root] if self.root else folders
        for root in self._roots:
            for uri, path in files_in(root, SOURCES):
                if not os.path.samefile(self.files.setdefault(uri, path), path):  # noqa: PTH121
                    raise SiteError(
                        f"'{shown_path(self.files[uri])}' and '{shown_path(path)}' would both be "
                        f"'{uri}'; fill each language separately, or name with --docs the folder "
                        "that holds both"
                    )
        language = f".{Path(site).absolute().name}"
        for uri in list(self.files):
            stem, suffix = os.path.splitext(uri)  # noqa: PTH122
            if stem.endswith(language):
                self.files[stem.removesuffix(language) + suffix] = self.files.pop(uri)
        for uri in sorted(self.files, key=suffix_rank):
            self._by_stem.setdefault(os.path.splitext(uri)[0], uri)  # noqa: PTH122
        for stem, uri in list(self._by_stem.items()):
            self._by_stem.setdefault(_slug(stem), uri)

    @property
    def identity(self) -> str:
        """The digest of all names."""
        return digest(str(self.root), *self._patterns, *sorted(self.files)).hex()

    def destinations(self, pages: Iterable[str]) -> dict[str, str]:
        """Return the names of pages with known sources."""
        left = list(pages)
        names: dict[str, str] = {}
        taken: set[str] = set()
        for sources in (self._by_pattern, self._by_path, self._by_form):  # the most certain first
            for page in left:
                uri = next((uri for uri in sources(page) if uri and uri not in taken), None)
                if uri is not None:
                    names[page] = uri
                    taken.add(uri)
            left = [page for page in left if page not in names]
        return names

    def _by_pattern(self, page: str) -> Iterator[str | None]:
        for file in filter(None, (_file_of(pattern, page) for pattern in self._patterns)):
            roots = (root for root in self._roots if file.is_relative_to(root))
            uris = (file.relative_to(root).as_posix() for root in roots)
            yield next((uri for uri in uris if uri in self.files), None)

    def _by_path(self, page: str) -> Iterator[str | None]:
        yield self._by_stem.get(page.rpartition(".")[0])

    def _by_form(self, page: str) -> Iterator[str | None]:
        base = page.rpartition(".")[0]
        folder, _, name = base.rpartition("/")
        stems = [base]
        if name == "index":
            inside = [f"{folder}/{index}".lstrip("/") for index in _INDEX_NAMES]
            stems = [folder, *inside] if folder else inside
        return map(self._by_stem.get, [*stems, *map(_slug, stems)])

    def without_suffix(self, path: str) -> str | None:
        """Return the page that a path without a suffix means."""
        stems = [path, *(f"{path}/{index}" for index in _INDEX_NAMES)]
        return next(filter(None, map(self._by_stem.get, stems)), None)


def _folder_of(pattern: str) -> Path:
    """Return the folder of a pattern's files: `content/{}.md={}/index.html`."""
    file, _, page = pattern.partition("=")
    if file.count(_REST) != 1 or page.count(_REST) != 1:
        raise OptionError(
            f"'{pattern}' is not a map from files to pages; write it like "
            "'content/{}.md={}/index.html', with '{}' once on each side"
        )
    folder = Path(os.path.dirname(file.partition(_REST)[0])).absolute()  # noqa: PTH120
    if not folder.is_dir():
        raise SiteError(f"'{pattern}': there is no folder '{folder}'")
    return folder


def _file_of(pattern: str, page: str) -> Path | None:
    """Return the file from which a page was built by a pattern."""
    file, _, form = pattern.partition("=")
    start, _, end = form.partition(_REST)
    rest = page.removeprefix(start).removesuffix(end)
    before, _, after = file.partition(_REST)
    is_page = f"{start}{rest}{end}" == page
    return Path(f"{before or './'}{rest}{after}").absolute() if is_page else None


def _slug(stem: str) -> str:
    """Return the common part of a path's forms in addresses."""
    return re.sub(r"[\s-]+", "-", _DROPPED.sub("", normalize("NFC", stem).lower()))


HTML_SUFFIXES: Final = (".html", ".htm")
_NO_PAGES: Final = frozenset({"404.html", "genindex.html", "py-modindex.html"})
"""Pages that generators add; the last two are from Sphinx."""
_SEARCH: Final = "search.html"
"""A page of some themes that has no text until somebody searches."""
_MISSING: Final = "it is not in the built site"
_SEPARATORS: Final = (" - ", " | ", " – ", " — ", " · ", " :: ")
"""Separators of page and site in a title."""
_LANGUAGE: Final = re.compile(r"""<html\b[^<>]*\blang\s*=\s*["']?([\w-]+)""", re.IGNORECASE)
_HEAD: Final = 10_000
"""How many characters of a page are searched for its language."""
_SAMPLE: Final = 8
"""How many titles are read to find the name of the site."""
_OF_SOURCES: Final = (
    *("roots", "pages", "rendering", "settings", "fingerprints", "variables", "folder", "output"),
    *("refused", "excludes", "find"),
)
"""Attributes that a built site takes from its MkDocs sources."""


@dataclass(eq=False)
class BuiltSite(Reader):
    """A folder with a site that a generator has built."""

    include_ignored = True
    built: str | os.PathLike[str]
    site: Site | None = None
    """Its sources in MkDocs; None if another generator built it."""
    _: KW_ONLY
    names: SourceNames | None = None
    """Its source files in another generator, if known."""
    own_limits: Limits | None = None
    """How much of a page is read; None for the site's setting."""
    with_lines: bool = True
    """Whether to find the author's lines."""

    def __post_init__(self) -> None:
        remedy = "name the folder of a built site, or build it first"
        self._root = existing_folder(self.built, remedy)

    @property
    def identity(self) -> tuple[str, ...]:
        """The identity of the reader."""
        site = self.site.identity if self.site else ()
        names = (self.names.identity,) if self.names else ()
        lines = () if self.with_lines else ("no lines",)
        return "built", str(self._root), str(self.limits), *lines, *site, *names

    @property
    def limits(self) -> Limits:
        """How much of a page is read."""
        return self.own_limits or (self.site.limits if self.site else LIMITS)

    def heading_of(self, document: Document, label: str) -> str:
        """Return the anchor of the heading with a label, or ""."""
        from mkdocs_recall.text.theme import labelled_heading

        return labelled_heading(_text(document.file), label, limits=self.limits)

    def _list(self) -> None:
        from mkdocs_recall.text.theme import is_redirect

        def order(file: tuple[str, str]) -> list[str]:  # by URL: a folder's index page comes first
            return file[0].removesuffix("index.html").removesuffix("/").split("/")

        root, names = str(self._root), self.names
        folders = () if self.site else language_folders(root)
        files = dict(sorted(site_files(root, others=folders), key=order))
        if self.site:
            self.site = site = self.site.open()
            vars(self).update({name: getattr(site, name) for name in _OF_SOURCES})
        self._sources = names.files if names else {}
        # There may be a redirect to the address that the file states.
        pages = (path for path in files if not is_redirect(_text(files[path])))
        uris: Mapping[str, str] = names.destinations(pages) if names else {}
        uris = self.site.destinations if self.site else uris
        self._paths = {uris[path]: path for path in files if path in uris}
        unknown = [path for path in files if path not in uris and self._is_page(path, files[path])]
        listed = [page for page in self.pages if page.uri in self._paths]
        if self.site is None:
            listed += [ListedPage(uri, self._sources[uri]) for uri in self._paths]
        listed += [ListedPage(path, files[path]) for path in unknown]
        if not listed:
            raise SiteError(f"there is no page of a built site in '{self._root}'; build it first")
        self._paths |= {path: path for path in unknown}
        self._html = {page.uri: files[self._paths[page.uri]] for page in listed}
        self._titles = {page.uri: page.title for page in listed}
        site_name = self.site.config.site_name if self.site else self._common_name()
        self._name = str(site_name or "")
        sources = [*(page.uri for page in self.pages), *self._sources]
        missing = {uri: _MISSING for uri in sources if uri not in self._html}
        self.roots, self.pages = (root, *self.roots), listed
        self.rendering = digest("built", self.rendering, self._name)
        self.refused = {**self.refused, **missing}
        self.others: dict[str, Iterable[str]] = {}

    def meta(self, uri: str) -> Mapping[str, Any]:
        """Return the front matter of a page."""
        if self.site and self._has_source(uri):
            return self.site.meta(uri)
        return read_source(self._sources[uri]).meta if uri in self._sources else {}

    def _has_source(self, uri: str) -> bool:
        return self._paths[uri] != uri

    def load(self, uri: str) -> Document:
        """Read a page, and the lines of its source."""
        file = self._html[uri]
        sources = filter(None, (file, self._sources.get(uri)))
        self.others[uri] = [os.path.realpath(source) for source in sources]
        article = self._read(file)
        if article is None:
            raise SiteError(f"'{file}' is no longer a page")
        meta = self.meta(uri)
        title = self._titles[uri] or front_matter.as_title(meta.get("title"))
        document = analyse(
            article.content,
            uri=uri,
            title=title or self._title(article) or uri,
            language=front_matter.page_language(meta) or article.language,
            url=self._url(uri),
            metadata=front_matter.page_metadata(meta),
            lines=self._lines(uri, article) if self.with_lines else [],
        )
        return replace(document, file=file)

    def html(self, uri: str) -> str:
        """Return the main part of a page."""
        from mkdocs_recall.text.theme import main_html

        return main_html(_text(self._html[uri]), limits=self.limits)

    def _url(self, uri: str) -> str:
        if self.site and self._has_source(uri):
            return str(self.site.page(uri).url)
        return page_url(self._paths[uri])

    def _title(self, article: ThemedPage) -> str:
        """Return a page's title without the name of the site."""
        title, headings = article.title, article.content.headings
        heading = next((heading.text for heading in headings if heading.level == 1), "")
        if heading and title.startswith(tuple(heading + separator for separator in _SEPARATORS)):
            return heading
        for separator in _SEPARATORS:
            if self._name and f" {title}".endswith(separator + self._name):
                title = f" {title}".removesuffix(separator + self._name).strip()
                if title:
                    return title
        return heading if heading and title in {"", self._name} else title

    def _lines(self, uri: str, article: ThemedPage) -> list[int | None]:
        if self.site and self._has_source(uri):
            page = self.site.page(uri)
            lines = page_lines(page, article.content)
            page.markdown = None  # frees memory: a large site has thousands of pages
            return lines
        if not uri.lower().endswith((*MARKDOWN, ".qmd")) or uri not in self._sources:
            return []
        source, content = read_source(self._sources[uri]), article.content
        return block_lines(source.body, content.runs, content.headings, source.offset)

    def _is_page(self, path: str, file: str) -> bool:
        """Tell whether an HTML file without Markdown has its own text."""
        from mkdocs_recall.text.theme import is_redirect

        if path.rpartition("/")[2] in _NO_PAGES:
            return False
        if path == _SEARCH:
            article = self._read(file)
            return article is not None and not article.is_search
        return not is_redirect(_text(file))

    def _common_name(self) -> str:
        """Return the name of a site: an end that several titles share."""
        ends: Counter[str] = Counter()
        for article in map(self._read, islice(self._html.values(), _SAMPLE)):
            title = f" {article.title if article else ''}"  # it may begin with the separator
            ends.update(title.rpartition(sign)[2] for sign in _SEPARATORS if sign in title)
        name, count = max(ends.items(), key=lambda end: end[1], default=("", 0))
        return name if count > 1 else ""

    def _read(self, file: str) -> ThemedPage | None:
        from mkdocs_recall.text.theme import read_themed_page

        return read_themed_page(_text(file), limits=self.limits)


def page_url(path: str) -> str:
    """Return the URL of a page of a built site, as links write it."""
    return quote(re.sub(r"(^|/)index\.html?$", r"\1", path).encode("utf-8", "surrogateescape"))


def stated_language(html: str) -> str:
    """Return the language that a page's markup states, or ""."""
    match = _LANGUAGE.search(html, 0, _HEAD)
    return match[1] if match else ""


def language_folders(root: str) -> list[str]:
    """Return the folders with sites in the languages they name."""

    def language(home: Path) -> str:
        if not home.is_file():
            return ""
        with home.open("rb") as file:
            return stated_language(file.read(_HEAD).decode("utf-8", "replace")).lower()

    site_code = language(Path(root, "index.html"))
    folders = sorted(path.parent for path in Path(root).glob("*/index.html") if site_code)
    codes = ((folder.name, language(folder / "index.html")) for folder in folders)
    return [name for name, code in codes if name.lower().replace("_", "-") == code != site_code]


def site_files(
    root: str, suffixes: tuple[str, ...] = HTML_SUFFIXES, *, others: Collection[str] = ()
) -> Iterator[tuple[str, str]]:
    """Yield the relative and absolute paths of files."""
    for uri, path in files_in(root, suffixes, ignores=lambda name: name.startswith(".")):
        if uri.partition("/")[0] not in others:
            yield uri, path


def read_source(file: str) -> front_matter.MarkdownSource:
    """Return the author's file of a page that MkDocs has not built."""
    return front_matter.split_front_matter(front_matter.normalise_newlines(_text(file)))


def _text(file: str) -> str:
    with file_errors(file):
        return Path(file).read_bytes().decode("utf-8", "replace")
