"""The pages that MkDocs lists and renders: their order, languages and lines.

The plugin gets them from a build, `site` without one.
"""

from __future__ import annotations

import re
from html import unescape
from typing import TYPE_CHECKING, Any

from mkdocs_recall.files import file_errors
from mkdocs_recall.limits import LIMITS, Limits
from mkdocs_recall.pages.config import theme_settings
from mkdocs_recall.text import front_matter

if TYPE_CHECKING:
    from pathlib import Path

    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import File, Files
    from mkdocs.structure.nav import Navigation
    from mkdocs.structure.pages import Page

    from mkdocs_recall.text.model import Document
    from mkdocs_recall.text.runs import HtmlContent

_ELEMENT = r"</?[a-z][^<>]*>"
"""A tag in a page's title, such as an icon's; `<T>` is text."""
NOT_BUILT = "it is a draft or excluded from the site"


def page_order(files: Files, nav: Navigation) -> list[File]:
    """Return the site's pages: first those of the navigation."""
    included = [file for file in files.documentation_pages() if file.inclusion.is_included()]  # type: ignore[no-untyped-call]  # so in MkDocs 1.6
    included_uris = {file.src_uri for file in included}
    in_nav = [page.file for page in nav.pages]
    nav_uris = {file.src_uri for file in in_nav}
    others = [file for file in included if file.src_uri not in nav_uris]
    others.sort(key=lambda file: file.src_uri.split("/"))
    return [file for file in in_nav if file.src_uri in included_uris] + others


def language_of(page: Page, default: str) -> str:
    """Return a page's `lang`, its locale, or the default."""
    language = front_matter.page_language(page.meta or {}) or getattr(page.file, "locale", None)
    return language if isinstance(language, str) and language else default


def site_language(config: MkDocsConfig) -> str:
    """Return the language of a site's theme, or English."""
    theme = config.theme
    for name in ("language", "locale"):
        value = theme.get(name) if name in theme else None
        if value:
            return str(value)
    return "en"


def instead_of_missing_theme(config_file: Path) -> dict[str, Any]:
    """Return a substitute for a theme that is not installed."""
    from mkdocs.utils import get_theme_names

    theme = theme_settings(config_file)
    name = theme.get("name")
    if not isinstance(name, str) or name in get_theme_names():
        return {}
    language = {name: theme[name] for name in ("language", "locale") if name in theme}
    return {"theme": {"name": "mkdocs", **language}}


def read_page(
    page: Page, config: MkDocsConfig, *, limits: Limits = LIMITS, with_lines: bool = False
) -> Document:
    """Read a page that MkDocs has rendered."""
    from mkdocs_recall.text.document import analyse
    from mkdocs_recall.text.html import read_html

    content = read_html(page.content or "", limits=limits)
    lines = page_lines(page, content) if with_lines else []
    return analyse(
        content,
        uri=page.file.src_uri,
        title=page_title(page),
        language=language_of(page, site_language(config)),
        url=page.url,
        metadata=front_matter.page_metadata(page.meta or {}),
        lines=lines,
    )


def page_lines(page: Page, content: HtmlContent) -> list[int | None]:
    """Return the lines of a page's runs in the author's file."""
    from mkdocs_recall.pages.lines import block_lines

    body = page.markdown or ""
    with file_errors(str(page.file.abs_src_path)):  # it may be gone by now
        text = page.file.content_string
    stripped = body.rstrip("\n")
    text = front_matter.normalise_newlines(text).rstrip("\n")
    is_same = stripped and text.endswith(stripped)  # else a plugin has changed it
    above = text.count("\n", 0, len(text) - len(stripped)) if is_same else 0
    return block_lines(body, content.runs, content.headings, above)


def page_title(page: Page) -> str:
    """Return a page's title as text."""
    from mkdocs_recall.text.runs import heading_text

    title = front_matter.as_title(page.title)
    if title != front_matter.as_title((page.meta or {}).get("title")):
        title = heading_text(unescape(re.sub(_ELEMENT, "", title)))
    return title or page.file.src_uri
