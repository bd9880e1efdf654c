"""An MkDocs site, its pages rendered on need without building it."""

from __future__ import annotations

import json
import logging
import os
import re
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from mkdocs_recall.cache.files import content_digest, files_opened
from mkdocs_recall.cache.store import digest
from mkdocs_recall.directives.nested import as_limits
from mkdocs_recall.errors import OptionError, SiteError
from mkdocs_recall.readers.base import ListedPage, OpenReader
from mkdocs_recall.readers.mkdocs_pages import NOT_BUILT, page_order, site_language
from mkdocs_recall.readers.mkdocs_yml import plugin_option

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import File, Files
    from mkdocs.structure.pages import Page

    from mkdocs_recall.options import Limits
    from mkdocs_recall.text.model import Document

_OUTSIDE: Final = "a link leads out of 'docs_dir' there; put a copy in its place"
_VARIABLE: Final = re.compile(r"!ENV[ \t]+(\[[^\]]*\]|\S+)")
_NAME: Final = re.compile(r"\w+")


class Site:
    """A site, known by its configuration.

    Plugins and hooks are not loaded, so that nothing of the site's own code runs but its Markdown
    extensions.
    """

    def __init__(self, config_file: str | os.PathLike[str], limits: Limits | None = None) -> None:
        """Take a site.

        Args:
            config_file: Its `mkdocs.yml`.
            limits: How much is read of its pages; None for what the plugin is told there.

        Raises:
            SiteError: There is no such file.
        """
        self.path = Path(config_file).absolute()
        self._limits = limits
        if not self.path.is_file():
            msg = f"there is no '{config_file}'; name the site's mkdocs.yml"
            raise SiteError(msg)

    @property
    def identity(self) -> tuple[str, ...]:
        """What tells it from others."""
        return "site", str(self.path), str(self.limits)

    @property
    def limits(self) -> Limits:
        """How much is read of its pages, as things stand now.

        Raises:
            SiteError: What its `mkdocs.yml` says of it is impossible.
        """
        if self._limits is not None:
            return self._limits
        try:
            return as_limits(plugin_option(self.path, "limits"))
        except OptionError as error:
            msg = f"{self.path}: recall: {error}"
            raise SiteError(msg) from error

    def open(self) -> OpenReader:
        """Have MkDocs find out which pages it has.

        Raises:
            SiteError: MkDocs cannot read it.
        """
        return self.pages().opened()

    def pages(self) -> SitePages:
        """Have MkDocs find out which pages it has, for who wants to know more of them.

        Raises:
            SiteError: MkDocs cannot read it.
        """
        return SitePages(self.path, self.limits)


class SitePages:
    """The pages of a site, as MkDocs knows them."""

    def __init__(self, path: Path, limits: Limits) -> None:
        """Have MkDocs read the configuration at a path, and find the pages."""
        from mkdocs.config import load_config
        from mkdocs.exceptions import MkDocsException
        from mkdocs.structure.files import get_files, set_exclusions
        from mkdocs.structure.nav import get_navigation

        reasons = ErrorRecorder()
        try:
            with files_opened() as opened:
                config = load_config(str(path), plugins=[], hooks=[])
            next(Path(config.docs_dir).iterdir(), None)  # to MkDocs one it cannot read is empty
            files = get_files(config)
            set_exclusions(files, config)
            nav = get_navigation(files, config)
        except (MkDocsException, SystemExit) as error:
            msg = f"MkDocs cannot read '{path}': {'; '.join(reasons.messages) or error}"
            raise SiteError(msg) from error
        except OSError as error:
            msg = f"the folder '{error.filename}' cannot be read: {error.strerror}"
            raise SiteError(msg) from error
        finally:
            reasons.close()
        if _SNIPPETS in config.markdown_extensions:
            given = config.mdx_configs.get(_SNIPPETS) or {}
            config.mdx_configs[_SNIPPETS] = _snippets_from_folder(given, path.parent)
        self._config = config
        self._limits = limits
        self._files = files
        self._settings = opened | {os.path.realpath(path)}
        self._refuse_names()
        root = os.path.realpath(config.docs_dir)
        order = page_order(files, nav)
        self._inside = {f.src_uri: f for f in order if _lies_in(root, f)}
        every = {file.src_uri for file in files if file.is_documentation_page()}
        self._refused = dict.fromkeys(sorted(every - self._inside.keys()), NOT_BUILT)
        self._refused |= {f.src_uri: _OUTSIDE for f in order if f.src_uri not in self._inside}
        self._links: dict[str, list[str]] = {}
        self._missing: dict[str, set[str]] = {}

    def _refuse_names(self) -> None:
        """Raise SiteError for a page that can have no URL; MkDocs only says that it cannot."""
        for uri in (file.src_uri for file in self._files.documentation_pages()):
            if uri.encode("utf-8", "replace") != uri.encode("utf-8", "surrogatepass"):
                msg = f"the file name '{uri}' is no UTF-8, and MkDocs cannot build such; rename it"
                raise SiteError(msg)

    def opened(self) -> OpenReader:
        """Return them for `library`."""
        code = _extension_files(self._config, self._settings)
        return OpenReader(
            roots=(str(self._config.docs_dir),),
            all_of_them=True,
            pages=tuple(self._listed(file) for file in self._inside.values()),
            load=self._load,
            meta=lambda uri: self.page(uri).meta or {},
            rendering=digest(_settings(self._config), *sorted(map(content_digest, code))),
            settings=frozenset(self._settings | code),
            variables=_variables(self._settings),
            refused=self._refused,
            find=self._find,
            links=lambda uri: self._links.get(uri, ()),
            missing=lambda uri: self._missing.get(uri, ()),
        )

    @property
    def name(self) -> str:
        """What the site is called."""
        return str(self._config.site_name or "")

    @property
    def language(self) -> str:
        """The language of pages that state none."""
        return site_language(self._config)

    @property
    def destinations(self) -> Mapping[str, str]:
        """The pages by where a build writes them, also those that it leaves out."""
        return {f.dest_uri: f.src_uri for f in self._files if f.is_documentation_page()}

    def _listed(self, file: File) -> ListedPage:
        from mkdocs.structure.pages import Page

        page = file.page or Page(None, file, self._config)
        title = vars(page).get("title")
        return ListedPage(
            file.src_uri, str(file.abs_src_path), None if title is None else str(title)
        )

    def page(self, uri: str) -> Page:
        """Return a page with its Markdown.

        Raises:
            SiteError: Its file cannot be read.
        """
        page = self._inside[uri].page
        assert page is not None
        if page.markdown is None:
            reasons = ErrorRecorder()  # the error says it all
            try:
                page.read_source(self._config)
            except (OSError, ValueError) as error:
                msg = f"MkDocs cannot read '{uri}': {error}"
                raise SiteError(msg) from error
            finally:
                reasons.close()
        return page

    def _load(self, uri: str) -> Document:
        from mkdocs_recall.directives.parser import without_directives
        from mkdocs_recall.readers.mkdocs_pages import read_page

        page = self.page(uri)
        links = self._links[uri] = []
        written = page.markdown or ""
        reasons = ErrorRecorder()
        try:
            page.markdown = without_directives(written)
            with files_opened() as files:
                page.render(self._config, _noting(self._files, links))
        except Exception as error:  # whatever an extension raises
            msg = f"MkDocs cannot render '{uri}': {type(error).__name__}: {error}"
            raise SiteError(msg) from error
        finally:
            reasons.close()
        if _SNIPPETS in self._config.markdown_extensions:
            options = self._config.mdx_configs[_SNIPPETS]
            self._missing[uri] = _missing_snippets(options, written, files)
        page.markdown = written  # in which the lines are found
        document = read_page(page, self._config, limits=self._limits, with_lines=True)
        page.content = page.markdown = None  # a large site has thousands
        return replace(document, file=str(page.file.abs_src_path))

    def _find(self, path: str) -> str | None:
        found = self._files.get_file_from_path(path)
        return found.src_uri if found else None


def _noting(files: Files, links: list[str]) -> Files:
    """Return the same files, noting each path that is looked for among them."""
    from mkdocs.structure.files import Files as MkDocsFiles

    class Noting(MkDocsFiles):
        def get_file_from_path(self, path: str) -> File | None:
            links.append(path)
            return files.get_file_from_path(path)

    return Noting(files)


def _lies_in(root: str, file: File) -> bool:
    path = os.path.realpath(file.abs_src_path or "")
    return path.startswith(os.path.join(root, ""))  # noqa: PTH118 - a page has a thousand fellows


def _settings(config: MkDocsConfig) -> str:
    """Return what shapes a page in MkDocs' configuration, as text that is the same next time."""
    from mkdocs import __version__

    shaping: Mapping[str, Any] = {
        "mkdocs": __version__,
        "extensions": config.markdown_extensions,
        "configs": config.mdx_configs,
        "urls": config.use_directory_urls,
        "links": vars(config.validation).get("data", None),
        "language": site_language(config),
        "docs": config.docs_dir,
    }
    return json.dumps(shaping, sort_keys=True, default=_name)


def _name(value: object) -> str:
    """Return what stands for an object of the configuration: its name, not its address."""
    named = value if hasattr(value, "__qualname__") else type(value)
    return f"{named.__module__}.{named.__qualname__}"


def _extension_files(config: MkDocsConfig, settings: Iterable[str]) -> set[str]:
    """Return the files of the Markdown extensions, and of what the site itself has of Python."""
    import markdown

    made = markdown.Markdown(
        extensions=config.markdown_extensions, extension_configs=config.mdx_configs or {}
    )
    extensions = {type(extension).__module__ for extension in made.registeredExtensions}
    folders = tuple(os.path.join(os.path.dirname(path), "") for path in settings)  # noqa: PTH118, PTH120
    found = {markdown.__file__}
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None)
        if file and (name in extensions or (file.startswith(folders) and _is_own(file))):
            found.add(file)
    return {os.path.realpath(file) for file in found}


def _is_own(file: str) -> bool:
    """Tell whether a Python file is the site's, and not one of a package in a folder below it."""
    return "site-packages" not in file and "dist-packages" not in file


def _variables(files: Iterable[str]) -> frozenset[str]:
    """Return the environment variables that some settings name (`!ENV`)."""
    found: set[str] = set()
    for file in files:
        text = Path(file).read_text("utf-8", errors="replace")
        for match in _VARIABLE.finditer(text):
            found.update(_NAME.findall(match[1]))
    return frozenset(found)


class ErrorRecorder(logging.Handler):
    """Keeps what MkDocs logs as errors; its warnings are those of a build, and this is none."""

    def __init__(self) -> None:
        """Listen from now on."""
        super().__init__(logging.ERROR)
        self.messages: list[str] = []
        self._log = logging.getLogger("mkdocs")
        self._propagated = self._log.propagate
        self._log.propagate = False
        self._log.addHandler(self)

    def emit(self, record: logging.LogRecord) -> None:
        """Keep a message."""
        self.messages.append(record.getMessage())

    def close(self) -> None:
        """Let MkDocs log as before."""
        self._log.removeHandler(self)
        self._log.propagate = self._propagated
        super().close()


_SNIPPETS: Final = "pymdownx.snippets"
_MARK: Final = re.compile(r"[ \t]*-+8<-+[ \t]*")
_BLANKS: Final = " \t\"'"


def _snippets_from_folder(options: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """Return the options of the extension, with paths that lead from a folder.

    Left alone, they lead from where the process is; a build is mostly run beside `mkdocs.yml`.
    """
    bases = options.get("base_path", ["."])
    bases = [bases] if isinstance(bases, (str, os.PathLike)) else bases
    return {**options, "base_path": [os.path.join(folder, base) for base in bases]}  # noqa: PTH118


def _missing_snippets(options: Mapping[str, Any], page: str, files: Iterable[str]) -> set[str]:
    """Return where snippets were looked for and not found; some were not looked for everywhere.

    As the extension, it looks only below its folders, unless the site allows more: on Windows, to
    ask whether `//host/share` is there asks that host.

    Args:
        options: What `from_folder` has returned.
        page: The Markdown of the page.
        files: The files that were taken in, which may take in others.
    """
    texts = [page, *(Path(file).read_text("utf-8", errors="replace") for file in files)]
    paths = {path for text in texts if "8<" in text for path in _named(text)}
    paths.update(options.get("auto_append") or ())
    anywhere = not options.get("restrict_base_path", True)
    places = {
        place
        for base in map(os.path.abspath, options["base_path"])
        for path in paths
        if "\0" not in path
        for place in [os.path.abspath(os.path.join(base, path))]  # noqa: PTH100, PTH118
        if anywhere or place.startswith(os.path.join(base, ""))  # noqa: PTH118
    }
    return {place for place in places if not os.path.exists(place)}  # noqa: PTH110


def _named(text: str) -> Iterator[str]:
    """Yield the paths that a text names: behind a mark, or each on a line between two."""
    between = False
    for line in text.splitlines():
        mark = _MARK.match(line)
        path = line[mark.end() :] if mark else line
        if mark and not path:
            between = not between
        elif mark or between:
            yield path.partition(":")[0].strip(_BLANKS)  # behind it are lines, or a section
