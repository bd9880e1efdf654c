"""An MkDocs site → its pages, as they may be quoted, in a build or without one."""

from __future__ import annotations

import logging
from html import unescape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mkdocs_recall.collection import Collection
from mkdocs_recall.errors import SiteError
from mkdocs_recall.text.analysis import analyse
from mkdocs_recall.text.front_matter import is_refused, normalised, page_language
from mkdocs_recall.text.html import heading_text, read_html
from mkdocs_recall.text.lines import block_lines

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from os import PathLike

    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import File, Files
    from mkdocs.structure.nav import Navigation
    from mkdocs.structure.pages import Page

    from mkdocs_recall.text.model import Document

_EXCLUDED = "its front matter says 'recall: {exclude: true}'"
_NOT_BUILT = "it is a draft or excluded from the site"


def page_order(files: Files, nav: Navigation) -> list[File]:
    """Return the site's pages: those of the navigation in its order, then the others by path."""
    first = [page.file for page in nav.pages]
    seen = {file.src_uri for file in first}
    included = [file for file in files.documentation_pages() if file.inclusion.is_included()]  # type: ignore[no-untyped-call]  # so in MkDocs 1.6
    rest = sorted((file for file in included if file.src_uri not in seen), key=_by_path)
    known = {file.src_uri for file in included}
    return [file for file in first if file.src_uri in known] + rest


def collect(
    files: Files,
    order: Iterable[File],
    load: Callable[[File], Document],
    *,
    meta: Callable[[File], Mapping[str, Any]] | None = None,
) -> Collection:
    """Make a collection of a site's pages.

    Args:
        files: All files of the site, among them drafts and excluded pages.
        order: The pages that are built, in page order.
        load: Reads one.
        meta: Returns the front matter of one; None for what MkDocs has read.
    """
    meta = meta or _meta
    pages = {file.src_uri: file for file in files if file.is_documentation_page()}
    refused = dict.fromkeys(pages, _NOT_BUILT)
    uris = []
    for file in order:
        pages[file.src_uri] = file
        if is_refused(meta(file)):
            refused[file.src_uri] = _EXCLUDED
        else:
            uris.append(file.src_uri)
            refused.pop(file.src_uri, None)
    unlisted = frozenset(uri for uri, reason in refused.items() if reason is _NOT_BUILT)
    return Collection(uris, lambda uri: load(pages[uri]), refused, unlisted)


def read_page(page: Page, config: MkDocsConfig, *, with_lines: bool = False) -> Document:
    """Read a page that MkDocs has rendered.

    Args:
        page: The page, with its `content`.
        config: The site's configuration.
        with_lines: Find the line of each block in the page's file, too.
    """
    reading = read_html(page.content or "")
    lines: list[int | None] = []
    if with_lines:
        body = page.markdown or ""
        offset = line_offset(normalised(page.file.content_string), body) or 0
        found = block_lines(body, reading.runs, reading.headings)
        lines = [None if line is None else line + offset for line in found]
    return analyse(
        reading,
        uri=page.file.src_uri,
        title=title_of(page),
        language=language_of(page, config),
        url=page.url,
        lines=lines,
    )


def _meta(file: File) -> Mapping[str, Any]:
    return (file.page.meta if file.page is not None else None) or {}


def title_of(page: Page) -> str:
    """Return a page's title as text; what MkDocs takes from a heading is HTML."""
    title = str(page.title or "").strip()
    if title != str((page.meta or {}).get("title")).strip():
        title = heading_text(unescape(title))
    return title or page.file.src_uri


def line_offset(raw: str, markdown: str) -> int | None:
    r"""Return how many lines of a file stand before the Markdown that MkDocs took from it.

    Args:
        raw: The file, with `\n` as line end.
        markdown: The Markdown without front matter and leading blank lines.

    Returns:
        The number, or None where something has changed the Markdown since.
    """
    text = markdown.rstrip("\n")
    if not text:
        return 0
    if raw.rstrip("\n").endswith(text):
        return raw.count("\n", 0, len(raw.rstrip("\n")) - len(text))
    return None


def language_of(page: Page, config: MkDocsConfig) -> str:
    """Return a page's language: its `lang`, its locale under i18n, the theme's, else English."""
    stated = page_language(page.meta or {}) or getattr(page.file, "locale", None)
    if isinstance(stated, str) and stated:
        return stated
    return site_language(config)


def site_language(config: MkDocsConfig) -> str:
    """Return the language a site's theme is set to, else English."""
    theme = config.theme
    for name in ("language", "locale"):
        value = theme.get(name) if name in theme else None
        if value:
            return str(value)
    return "en"


def read_site(config_file: str | PathLike[str]) -> Collection:
    """Return the pages of a site, rendered on first need with the site's Markdown extensions.

    Plugins and hooks are not loaded, so that nothing of the site's own code runs.

    Args:
        config_file: The site's `mkdocs.yml`.

    Raises:
        SiteError: There is no such file, or MkDocs cannot read it.
    """
    from mkdocs.config import load_config  # noqa: PLC0415 - MkDocs is needed only for sites
    from mkdocs.exceptions import MkDocsException  # noqa: PLC0415
    from mkdocs.structure.files import get_files, set_exclusions  # noqa: PLC0415
    from mkdocs.structure.nav import get_navigation  # noqa: PLC0415
    from mkdocs.structure.pages import Page  # noqa: PLC0415

    path = Path(config_file)
    if not path.is_file():
        msg = f"there is no '{path}'; name the site's mkdocs.yml"
        raise SiteError(msg)
    reasons = _Reasons()
    try:
        config = load_config(str(path), plugins=[], hooks=[])
        files = get_files(config)
        set_exclusions(files, config)
        nav = get_navigation(files, config)
    except (MkDocsException, SystemExit) as error:
        msg = f"MkDocs cannot read '{path}': {'; '.join(reasons.messages) or error}"
        raise SiteError(msg) from error
    finally:
        reasons.close()
    order = page_order(files, nav)
    for file in order:
        page = file.page or Page(None, file, config)
        try:
            page.read_source(config)
        except (OSError, ValueError) as error:
            msg = f"MkDocs cannot read '{file.src_uri}': {error}"
            raise SiteError(msg) from error

    def load(file: File) -> Document:
        page = file.page
        assert page is not None
        page.render(config, files)
        return read_page(page, config, with_lines=True)

    return collect(files, order, load)


class _Reasons(logging.Handler):
    """Keeps what MkDocs logs as errors; its warnings are those of a build, and this is none."""

    def __init__(self) -> None:
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


def _by_path(file: File) -> tuple[str, ...]:
    return tuple(file.src_uri.split("/"))
