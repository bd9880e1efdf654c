"""Markdown pages, rendered without a site and read into documents.

The text of a page is read from its HTML by `text.html`, as for pages that MkDocs renders.
"""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from mkdocs_recall.directives.fences import without_directives
from mkdocs_recall.options import LIMITS, Limits
from mkdocs_recall.text.document import analyse
from mkdocs_recall.text.front_matter import MarkdownSource, as_title, page_language, page_metadata
from mkdocs_recall.text.html import read_html

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from mkdocs_recall.text.model import Document
    from mkdocs_recall.text.runs import HtmlContent

    _Lines = Callable[[str, HtmlContent, int], list[int | None]]


class MarkdownReader:
    """Reads Markdown pages, in one thread at a time."""

    def __init__(
        self,
        extensions: Sequence[Any] | None = None,
        configs: Mapping[str, Mapping[str, Any]] | None = None,
        *,
        limits: Limits = LIMITS,
    ) -> None:
        """Set up a renderer.

        Args:
            extensions: Extensions of Python-Markdown, by name or as instances; None for
                `ForeignMarkdown`, which reads what documentation commonly uses.
        """
        self._limits = limits
        self._html, self._lines = (
            _foreign() if extensions is None else _python_markdown(extensions, configs)
        )

    def html(self, source: MarkdownSource, uri: str) -> str:
        """Render a page without its directives."""
        return self._html(source.body, uri)

    def read(self, source: MarkdownSource, *, uri: str, language: str, url: str = "") -> Document:
        """Render a page without its directives, and read it.

        Args:
            language: The page's language if its front matter has no `lang`.

        Returns:
            The page with the line of each block.
        """
        reading = read_html(self.html(source, uri), limits=self._limits)
        return analyse(
            reading,
            uri=uri,
            title=_title(source.meta, reading, uri),
            language=page_language(source.meta) or language,
            url=url,
            metadata=page_metadata(source.meta),
            lines=self._lines(source.body, reading, source.offset),
        )


def _foreign() -> tuple[Callable[[str, str], str], _Lines]:
    """Return what renders a page that no settings are known for, and finds the lines of its runs.

    The first takes a page's Markdown and its path.
    """
    from mkdocs_recall.pages.foreign import ForeignMarkdown

    def lines(body: str, reading: HtmlContent, offset: int) -> list[int | None]:
        last = body.count("\n") + body.count("\r") + 1  # an author may write any number, too
        return [min(run.line, last) + offset if run.line else None for run in reading.runs]

    return ForeignMarkdown().render, lines


def _python_markdown(
    extensions: Sequence[Any], configs: Mapping[str, Mapping[str, Any]] | None
) -> tuple[Callable[[str, str], str], _Lines]:
    """Return the same for pages with extensions of Python-Markdown."""
    from markdown import Markdown

    from mkdocs_recall.pages.lines import block_lines

    markdown = Markdown(
        extensions=list(extensions),
        extension_configs={name: dict(config) for name, config in (configs or {}).items()},
    )

    def render(body: str, _uri: str) -> str:
        return markdown.reset().convert(without_directives(body))

    return render, lambda body, page, line: block_lines(body, page.runs, page.headings, line)


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
