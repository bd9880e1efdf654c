"""A page that MkDocs has rendered → its Document."""

from __future__ import annotations

from html import unescape
from typing import TYPE_CHECKING

from mkdocs_recall.limits import LIMITS
from mkdocs_recall.pages import language_of, site_language
from mkdocs_recall.text.analysis import analyse
from mkdocs_recall.text.front_matter import as_title, normalised, stated
from mkdocs_recall.text.html import read_html
from mkdocs_recall.text.runs import heading_text

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.pages import Page

    from mkdocs_recall.limits import Limits
    from mkdocs_recall.text.model import Document


def read_page(
    page: Page, config: MkDocsConfig, *, limits: Limits = LIMITS, with_lines: bool = False
) -> Document:
    """Read a page that MkDocs has rendered.

    Args:
        page: The page, with its `content`.
        config: The site's configuration.
        limits: How much is read of it.
        with_lines: Find the line of each block in the page's file, too.
    """
    reading = read_html(page.content or "", limits=limits)
    lines: list[int | None] = []
    if with_lines:
        from mkdocs_recall.text.lines import block_lines  # noqa: PLC0415 - a build needs none

        body = page.markdown or ""
        offset = line_offset(normalised(page.file.content_string), body) or 0
        found = block_lines(body, reading.runs, reading.headings)
        lines = [None if line is None else line + offset for line in found]
    return analyse(
        reading,
        uri=page.file.src_uri,
        title=_title(page),
        language=language_of(page, site_language(config)),
        url=page.url,
        stated=stated(page.meta or {}),
        lines=lines,
    )


def _title(page: Page) -> str:
    """Return a page's title as text; what MkDocs takes from a heading is HTML."""
    title = as_title(page.title)
    if title != as_title((page.meta or {}).get("title")):
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
