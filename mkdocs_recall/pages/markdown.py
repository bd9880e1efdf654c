"""Markdown pages, rendered with some Python-Markdown extensions and read into documents.

The text of a page is read from its HTML by `text.html`, as for pages that MkDocs renders.
"""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

import markdown

from mkdocs_recall.options import LIMITS
from mkdocs_recall.pages.foreign import (
    CodeFences,
    CrossReferences,
    Flavours,
    InterruptingLists,
    ItemContents,
    PipeTables,
    find_code_fences,
)
from mkdocs_recall.pages.lines import block_lines
from mkdocs_recall.text.document import analyse
from mkdocs_recall.text.front_matter import as_title, page_language, page_metadata
from mkdocs_recall.text.html import read_html

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mkdocs_recall.options import Limits
    from mkdocs_recall.text.front_matter import MarkdownSource
    from mkdocs_recall.text.model import Document
    from mkdocs_recall.text.runs import HtmlContent


DEFAULT_EXTENSIONS: tuple[str, ...] = (
    *("abbr", "admonition", "attr_list", "def_list", "footnotes", "md_in_html", "tables", "toc"),
    *("pymdownx.arithmatex", "pymdownx.betterem", "pymdownx.caret", "pymdownx.critic"),
    *("pymdownx.details", "pymdownx.emoji", "pymdownx.highlight", "pymdownx.inlinehilite"),
    *("pymdownx.keys", "pymdownx.mark", "pymdownx.superfences", "pymdownx.tabbed"),
    *("pymdownx.tasklist", "pymdownx.tilde", "pymdownx.blocks.admonition"),
    *("pymdownx.blocks.caption", "pymdownx.blocks.details", "pymdownx.blocks.tab"),
)
"""Common in documentation, without extensions that open other files (snippets)."""

_FENCES = "pymdownx.superfences"
"""Accepts only its own options in an info string; by default, `CodeFences` reads fences instead."""
_ADMONITIONS = (
    *("note", "abstract", "info", "tip", "success", "question", "warning", "failure", "danger"),
    *("bug", "example", "quote", "attention", "caution", "error", "hint", "important", "check"),
)
DEFAULT_CONFIGS: dict[str, dict[str, Any]] = {
    "pymdownx.arithmatex": {"generic": True},
    "pymdownx.critic": {"mode": "view"},
    "pymdownx.highlight": {"use_pygments": False},
    "pymdownx.tabbed": {"alternate_style": True},
    "pymdownx.blocks.admonition": {"types": list(_ADMONITIONS)},
}
"""Settings for `DEFAULT_EXTENSIONS`. Code needs no colours, since only its text is read."""


class MarkdownReader:
    """Reads Markdown pages with one set of extensions, in one thread at a time."""

    def __init__(
        self,
        extensions: Sequence[Any] | None = None,
        configs: Mapping[str, Mapping[str, Any]] | None = None,
        *,
        limits: Limits = LIMITS,
    ) -> None:
        """Set up Python-Markdown.

        Args:
            extensions: Names or instances; None for `DEFAULT_EXTENSIONS` with their settings.
            configs: Settings by extension name. They win over `DEFAULT_CONFIGS`.
        """
        self._flavours = Flavours(_ADMONITIONS)
        self._has_own_fences = extensions is None
        if extensions is None:
            extensions = [name for name in DEFAULT_EXTENSIONS if name != _FENCES]
            extensions += [CodeFences(), self._flavours, PipeTables(), InterruptingLists()]
            extensions += [ItemContents(), CrossReferences()]
            configs = {**DEFAULT_CONFIGS, **(configs or {})}
        self._limits = limits
        self._markdown = markdown.Markdown(
            extensions=list(extensions),
            extension_configs={name: dict(config) for name, config in (configs or {}).items()},
        )

    def read(
        self,
        source: MarkdownSource,
        body: str | None = None,
        *,
        uri: str,
        language: str,
        url: str = "",
    ) -> Document:
        """Render a page and read it.

        Args:
            body: Rendered in place of the page's body, in which the lines are counted; None for
                the body itself.
            language: The page's language if its front matter has no `lang`.

        Returns:
            The page with the line of each block.
        """
        self._markdown.reset()
        self._flavours.is_mdx = uri.lower().endswith(".mdx")
        html = self._markdown.convert(source.body if body is None else body)
        reading = read_html(html, limits=self._limits)
        fenced = None
        if self._has_own_fences:
            fenced = [fence.lines for fence in find_code_fences(source.body)]
        lines = block_lines(source.body, reading.runs, reading.headings, fenced)
        return analyse(
            reading,
            uri=uri,
            title=_title(source.meta, reading, uri),
            language=page_language(source.meta) or language,
            url=url,
            metadata=page_metadata(source.meta),
            lines=[None if line is None else line + source.offset for line in lines],
        )


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
