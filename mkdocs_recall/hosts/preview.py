"""Answers for a page while it is rendered, from the sources of its site."""

from __future__ import annotations

from functools import cache
from itertools import starmap
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from mkdocs_recall.answers.answer import answer
from mkdocs_recall.answers.html import QuotingPage, caution
from mkdocs_recall.answers.insertion import marker_id
from mkdocs_recall.answers.links import is_section
from mkdocs_recall.directives.options import read_fence, site_defaults
from mkdocs_recall.errors import RecallError
from mkdocs_recall.pages.config import config_in, plugin_options
from mkdocs_recall.pages.corpus import Corpus
from mkdocs_recall.pages.site import Site

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mkdocs_recall.directives.fences import Fence


class Preview:
    """Answers the directives of pages that are rendered; several threads may render."""

    def __init__(self, config_file: Path) -> None:
        """Take the site's configuration; it is read with the first directive."""
        self._config_file = config_file
        self._lock = Lock()
        self._corpus: Corpus | None = None

    def quotes(self, fences: Sequence[Fence], uri: str, url: str) -> list[str]:
        """Return the HTML of the quotes of a page.

        Args:
            url: Its URL, relative to the site's root.
        """
        try:
            with self._lock:
                defaults = site_defaults(plugin_options(self._config_file))
                limits = Site(self._config_file).limits
                corpus = self._current()
                with corpus.by_name() as pages:
                    language = pages.document(uri).language if uri in pages.uris else "en"
        except RecallError as error:
            return [caution(fence.name, str(error)) for fence in fences]
        page = QuotingPage(uri, url.lstrip("/"), language)

        def quote(number: int, fence: Fence) -> str:
            try:
                options = read_fence(fence, number, defaults=defaults, limits=limits)
            except RecallError as error:
                return caution(fence.name, str(error), language=language)
            html = answer(options, corpus, uri).html(page)
            if not is_section(html):
                return html
            from mkdocs_recall.answers.section import fitted

            return fitted(html, marker_id(uri, number), 0)  # the headings above are not known yet

        return list(starmap(quote, enumerate(fences)))

    def _current(self) -> Corpus:
        """Return the pages as they are now."""
        corpus = self._corpus
        corpus = Corpus.from_site(self._config_file) if corpus is None else corpus.refreshed()
        self._corpus = corpus
        return corpus


@cache
def preview() -> Preview | None:
    """Return what answers for the site in the current folder; None where there is none."""
    config_file = config_in(Path.cwd())
    return Preview(config_file) if config_file else None
