"""The pages of an MkDocs site by name: their order, which may be quoted, their languages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mkdocs_recall.collection import Collection
from mkdocs_recall.text.front_matter import EXCLUDED, is_refused, page_language

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import File, Files
    from mkdocs.structure.nav import Navigation
    from mkdocs.structure.pages import Page

    from mkdocs_recall.text.model import Document

NOT_BUILT = "it is a draft or excluded from the site"
"""Why a page is not quoted."""


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
    refused = dict.fromkeys(pages, NOT_BUILT)
    uris = []
    for file in order:
        pages[file.src_uri] = file
        if is_refused(meta(file)):
            refused[file.src_uri] = EXCLUDED
        else:
            uris.append(file.src_uri)
            refused.pop(file.src_uri, None)
    unlisted = frozenset(uri for uri, reason in refused.items() if reason is NOT_BUILT)

    def alias(path: str) -> str | None:
        found = files.get_file_from_path(path)  # mkdocs-static-i18n knows the one for a language
        return found.src_uri if found else None

    return Collection(uris, lambda uri: load(pages[uri]), refused, unlisted, alias)


def _meta(file: File) -> Mapping[str, Any]:
    return (file.page.meta if file.page is not None else None) or {}


def language_of(page: Page, default: str) -> str:
    """Return a page's language: its `lang`, its locale under i18n, else that of the site."""
    stated = page_language(page.meta or {}) or getattr(page.file, "locale", None)
    return stated if isinstance(stated, str) and stated else default


def site_language(config: MkDocsConfig) -> str:
    """Return the language a site's theme is set to, else English."""
    theme = config.theme
    for name in ("language", "locale"):
        value = theme.get(name) if name in theme else None
        if value:
            return str(value)
    return "en"


def _by_path(file: File) -> tuple[str, ...]:
    return tuple(file.src_uri.split("/"))
