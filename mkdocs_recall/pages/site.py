"""The pages of an MkDocs site, rendered when they are read, without a build.

The site's plugins and hooks are not loaded, so none of its own code runs except its Markdown
extensions. Publishing works both from a build (the plugin) and without one (the command).
"""

from __future__ import annotations

import json
import logging
import os
import re
import sys
from contextlib import contextmanager
from copy import copy
from dataclasses import replace
from html import unescape
from io import BytesIO
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

from mkdocs_recall.directives.catalog import as_limits
from mkdocs_recall.directives.fences import without_directives
from mkdocs_recall.errors import PageError, SiteError
from mkdocs_recall.files import as_file, content_digest
from mkdocs_recall.messages import one_line, printable
from mkdocs_recall.pages import config as site_config, mkdocs_pages
from mkdocs_recall.pages.published import SiteHeader, is_site_url
from mkdocs_recall.pages.reader import ListedPage, Reader
from mkdocs_recall.store import digest, pack_json
from mkdocs_recall.text.front_matter import NESTED, exclusion, expiry_date, is_nested_too_deeply

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import File, Files
    from mkdocs.structure.pages import Page

    from mkdocs_recall.options import Limits
    from mkdocs_recall.text.model import Document

_TAG: Final = re.compile(r"<[^<>]*>")


def site_header(config: MkDocsConfig, publication: Mapping[str, str]) -> SiteHeader:
    """Return a site's description of itself, in lines without markup."""
    url = str(config.site_url or "")
    return SiteHeader(
        site=one_line(printable(config.site_name)) or "Documentation",
        site_url=url if is_site_url(url) else "",
        language=mkdocs_pages.site_language(config),
        copyright=one_line(printable(unescape(_TAG.sub("", config.copyright or "")))),
        **publication,
    )


def is_published(file: File, meta: Mapping[str, Any]) -> bool:
    """Tell whether navigation and search can reach a built page."""
    search = meta.get("search")
    is_hidden = isinstance(search, dict) and bool(search.get("exclude"))
    return file.inclusion.is_included() and not file.inclusion.is_not_in_nav() and not is_hidden  # type: ignore[no-untyped-call]  # so in MkDocs 1.6


_OUTSIDE: Final = "a link leads out of 'docs_dir' there; put a copy in its place"
_VARIABLE: Final = re.compile(r"!ENV[ \t]+(\[[^\]]*\]|\S+)")
_NAME: Final = re.compile(r"\w+")
_SNIPPETS: Final = "pymdownx.snippets"
_HIGHLIGHT: Final = "pymdownx.highlight"
_PACKAGES: Final = ("site-packages", "dist-packages")
"""Folders of Python files that do not belong to a site."""
_OPENING_NOTHING: Final = ("markdown.extensions.", "pymdownx.", "mkdocs.", "mkdocs_recall.")
"""Packages whose extensions open no files but snippets."""
_THEME_FILE: Final = "mkdocs_theme.yml"
"""The settings of a theme, which may include its language."""


@contextmanager
def logged_errors() -> Iterator[list[logging.LogRecord]]:
    """Yield the errors that MkDocs logs; silence the rest."""
    from logging.handlers import BufferingHandler

    handler = BufferingHandler(sys.maxsize)
    handler.setLevel(logging.ERROR)
    log = logging.getLogger("mkdocs")
    propagated, log.propagate = log.propagate, False
    log.addHandler(handler)
    try:
        yield handler.buffer
    finally:
        log.removeHandler(handler)
        log.propagate = propagated


class Site(Reader):
    """The pages of a site as MkDocs has them."""

    include_ignored = True
    links: dict[str, list[str]]
    others: dict[str, set[str]]
    """The files that snippets come from, or would if they existed."""

    def __init__(self, config_file: str | os.PathLike[str], limits: Limits | None = None) -> None:
        self.path = as_file(config_file).absolute()
        self._limits = limits
        if not self.path.is_file():
            raise SiteError(f"there is no file '{config_file}'; name the site's mkdocs.yml")

    @property
    def identity(self) -> tuple[str, ...]:
        """The identity of the reader."""
        return "site", str(self.path), pack_json(self.limits).decode()

    @property
    def limits(self) -> Limits:
        """How much of its pages is read, by its current `mkdocs.yml`."""
        if self._limits is not None:
            return self._limits
        return site_config.plugin_option(self.path, "limits", as_limits)

    def _list(self) -> None:
        from mkdocs.config import load_config
        from mkdocs.exceptions import MkDocsException
        from mkdocs.structure.files import get_files, set_exclusions
        from mkdocs.structure.nav import get_navigation

        from mkdocs_recall.pages.inclusion import InclusionExtension

        path, self._limits = self.path, self.limits
        with logged_errors() as errors:
            try:
                if path.suffix == site_config.SUFFIX:
                    settings = site_config.mkdocs_settings(path)
                    source: str | BytesIO = BytesIO(b"{}")
                else:
                    settings = mkdocs_pages.instead_of_missing_theme(path)
                    source = str(path)
                config = load_config(
                    source, config_file_path=str(path), plugins=[], hooks=[], **settings
                )
                # MkDocs treats an unreadable folder as empty.
                next(Path(config.docs_dir).iterdir(), None)
                files = get_files(config)
                set_exclusions(files, config)
                nav = get_navigation(files, config)
            except (MkDocsException, SystemExit, RecursionError, ValueError) as error:
                msg = f"MkDocs cannot read '{path}': {_reason(error, errors) or error}"
                raise SiteError(msg) from error
            except OSError as error:
                raise SiteError(f"'{error.filename}' cannot be read: {error.strerror}") from error
        _set_options(config, path.parent)
        extensions = cast("list[object]", config.markdown_extensions)
        extensions.append(  # also those in snippets
            InclusionExtension(
                lambda text, _uri: without_directives(text),
                lambda path: self._included.add(path),  # noqa: PLW0108 - another set for each page
            )
        )
        self.config = config
        self._files = files
        self._check_names()
        root = os.path.realpath(config.docs_dir)
        order = mkdocs_pages.page_order(files, nav)
        inside = os.path.join(root, "")  # noqa: PTH118 - for thousands of pages
        real = {f.src_uri: os.path.realpath(f.abs_src_path or "") for f in order}
        self._inside = {f.src_uri: f for f in order if real[f.src_uri].startswith(inside)}
        uris = {file.src_uri for file in files if file.is_documentation_page()}
        outside = {f.src_uri: _OUTSIDE for f in order if f.src_uri not in self._inside}
        unbuilt = sorted(uris - self._inside.keys())
        self.refused = dict.fromkeys(unbuilt, mkdocs_pages.NOT_BUILT) | outside
        self.links, self.others = {}, {}
        self._included: set[str] = set()
        """The files of the page being read."""
        self.roots = (str(config.docs_dir),)
        self.pages = list(map(self._listed, self._inside.values()))
        self.output = config.site_dir
        self._note_settings({os.path.realpath(file) for file in site_config.config_files(path)})

    def _note_settings(self, settings: set[str]) -> None:
        modules = _extension_modules(self.config)
        code = _extension_files(modules, settings)
        passwords = site_config.password_file(self.path)
        themes = {os.path.join(path, _THEME_FILE) for path in self.config.theme.dirs}  # noqa: PTH118
        self._encryption = site_config.encryption(self.path)
        digests = str(self._encryption), *sorted(map(content_digest, code))
        self.rendering = digest(_rendering_settings(self.config), *digests)
        self.settings = settings | code | themes | ({str(passwords)} if passwords else set())
        texts = (Path(file).read_text("utf-8", errors="replace") for file in settings)
        expressions = chain.from_iterable(map(_VARIABLE.findall, texts))
        self.variables = frozenset(chain.from_iterable(map(_NAME.findall, expressions)))
        if not all(module.startswith(_OPENING_NOTHING) for module in modules):
            self.folder = str(self.path.parent)

    def _check_names(self) -> None:
        for uri in (file.src_uri for file in self._files.documentation_pages()):
            if uri.encode("utf-8", "replace") != uri.encode("utf-8", "surrogatepass"):
                msg = f"the file name '{uri}' is not UTF-8, and MkDocs cannot build it; rename it"
                raise SiteError(msg)

    def meta(self, uri: str) -> Mapping[str, Any]:
        """Return the front matter of a page."""
        return self.page(uri).meta or {}

    def excludes(self, meta: Mapping[str, Any]) -> str:
        """Return why a page may not be quoted, or ""."""
        return exclusion(meta, self._encryption)

    def publishes(self, uri: str) -> bool:
        """Tell whether a page may be published, even if a plugin made it."""
        file = self._inside.get(uri)
        return file is None or is_published(file, self.meta(uri))

    def kept_back(self) -> Iterator[tuple[str, str]]:
        """Yield the pages that are not published, with their paths."""
        for uri, file in self._inside.items():
            if self.excludes(self.meta(uri)) or not self.publishes(uri):
                yield uri, file.dest_uri

    def expiry(self, uri: str) -> str:
        """Return when a page expires, in ISO 8601, or ""."""
        return expiry_date(self.meta(uri)) if uri in self._inside else ""

    @property
    def destinations(self) -> Mapping[str, str]:
        """The pages, even unbuilt ones, by their path in a build."""
        return {f.dest_uri: f.src_uri for f in self._files if f.is_documentation_page()}

    def _listed(self, file: File) -> ListedPage:
        from mkdocs.structure.pages import Page

        page = file.page or Page(None, file, self.config)
        title = vars(page).get("title")  # of the navigation; the property would read the file
        nav_title = None if title is None else str(title)
        return ListedPage(file.src_uri, str(file.abs_src_path), nav_title)

    @logged_errors()  # the exceptions have them, too
    def page(self, uri: str) -> Page:
        """Return a page with its Markdown."""
        page = self._inside[uri].page
        assert page is not None
        if page.markdown is None:
            try:
                if is_nested_too_deeply(page.file.content_string):
                    raise PageError(NESTED)
                page.read_source(self.config)
            except UnicodeDecodeError as error:
                raise PageError.not_utf8(uri, error) from error
            except (OSError, ValueError) as error:
                raise SiteError(f"MkDocs cannot read '{uri}': {error}") from error
        return page

    def load(self, uri: str) -> Document:
        """Render and read a page."""
        page = self._rendered(uri)
        document = mkdocs_pages.read_page(page, self.config, limits=self.limits, with_lines=True)
        page.content = page.markdown = None  # frees memory: a large site has thousands of pages
        return replace(document, file=str(page.file.abs_src_path))

    def html(self, uri: str) -> str:
        """Render a page."""
        page = self._rendered(uri)
        html = page.content or ""
        page.content = page.markdown = None
        return html

    @logged_errors()
    def _rendered(self, uri: str) -> Page:
        page = self.page(uri)
        links = self.links[uri] = []
        self._included = self.others[uri] = set()
        try:
            page.render(self.config, _recording_lookups(self._files, links))
        except Exception as error:  # an extension may raise anything
            msg = f"MkDocs cannot render '{uri}': {type(error).__name__}: {error}"
            raise SiteError(msg) from error
        return page

    def find(self, path: str) -> str | None:
        """Return the page or file that a path leads to."""
        file = self._files.get_file_from_path(path)
        return file.src_uri if file else None


def _reason(error: BaseException, errors: Iterable[logging.LogRecord]) -> str:
    """Return the reason that an error of MkDocs lacks."""
    if isinstance(error, RecursionError):
        return "its values are nested too deeply"
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    if epoch and isinstance(error, ValueError) and not epoch.isdecimal():
        return f"SOURCE_DATE_EPOCH must be a number of seconds since 1970, not '{epoch}'"
    return "; ".join(record.getMessage() for record in errors)


def _recording_lookups(files: Files, links: list[str]) -> Files:

    def recorded(path: str) -> File | None:
        links.append(path)
        return files.get_file_from_path(path)

    recording = copy(files)
    recording.get_file_from_path = recorded  # type: ignore[method-assign]  # of this copy alone
    return recording


def _rendering_settings(config: MkDocsConfig) -> str:
    """Return the settings that affect pages."""
    from mkdocs import __version__

    settings: Mapping[str, Any] = {
        "mkdocs": __version__,
        "extensions": config.markdown_extensions,
        "configs": config.mdx_configs,
        "urls": config.use_directory_urls,
        "links": vars(config.validation).get("data", None),
        "language": mkdocs_pages.site_language(config),
        "docs": config.docs_dir,
    }
    text = json.dumps(settings, sort_keys=True, default=_qualified_name)
    folder = json.dumps(os.path.join(os.path.dirname(config.config_file_path), ""))  # noqa: PTH118, PTH120
    return text.replace(folder.strip('"'), "")  # the same for a copy of the site elsewhere


def _qualified_name(value: object) -> str:
    definition = value if hasattr(value, "__qualname__") else type(value)
    return f"{definition.__module__}.{definition.__qualname__}"


def _extension_modules(config: MkDocsConfig) -> set[str]:
    import markdown

    configs = config.mdx_configs or {}
    converter = markdown.Markdown(extensions=config.markdown_extensions, extension_configs=configs)
    built: list[object] = [
        converter.build_extension(extension, configs.get(extension, {}))
        if isinstance(extension, str)
        else extension
        for extension in config.markdown_extensions
    ]  # others may register an extension
    return {type(extension).__module__ for extension in (*built, *converter.registeredExtensions)}


def _extension_files(extensions: set[str], settings: Iterable[str]) -> set[str]:
    import markdown

    folders = tuple(os.path.join(os.path.dirname(path), "") for path in settings)  # noqa: PTH118, PTH120
    files = {markdown.__file__}
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None)
        is_own = file and file.startswith(folders) and not any(map(file.__contains__, _PACKAGES))
        if file and (name in extensions or is_own):
            files.add(file)
    return {os.path.realpath(file) for file in files}


def _set_options(config: MkDocsConfig, folder: Path) -> None:
    """Resolve snippets from the site's folder; name languages."""
    extensions, configs = config.markdown_extensions, config.mdx_configs
    if _SNIPPETS in extensions:
        # Base paths are relative to the working directory, which in a build is mostly that of
        # `mkdocs.yml`.
        options = configs.get(_SNIPPETS) or {}
        bases = options.get("base_path", ["."])
        bases = [bases] if isinstance(bases, (str, os.PathLike)) else bases
        paths = [os.path.join(folder, base) for base in bases]  # noqa: PTH118
        configs[_SNIPPETS] = {**options, "base_path": paths}
    if _HIGHLIGHT in extensions:
        configs[_HIGHLIGHT] = {**(configs.get(_HIGHLIGHT) or {}), "pygments_lang_class": True}
