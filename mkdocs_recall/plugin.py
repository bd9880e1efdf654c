"""MkDocs' events: directives are found as pages are read, answered when all are rendered.

At `on_page_markdown` a page's directives are found, read, checked and bound to their sources, and
an invisible marker takes each one's place. At `on_env` MkDocs has rendered every page: the pages
that are asked are read from their HTML, all answers are made, and only then is the first put in, so
that no quote feeds a quote.
"""

from __future__ import annotations

import gc
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from mkdocs.exceptions import PluginError
from mkdocs.plugins import BasePlugin, event_priority, get_plugin_logger

from mkdocs_recall.answering import Answer, answer
from mkdocs_recall.config import RecallConfig
from mkdocs_recall.corpus import Corpus
from mkdocs_recall.directives.insertion import MARKER_HINT
from mkdocs_recall.directives.markers import marked_ids, marker, marker_id, place
from mkdocs_recall.directives.options import Options, read_options
from mkdocs_recall.directives.render import Place, rebased
from mkdocs_recall.directives.syntax import (
    Fence,
    find_fences,
    may_hold_directive,
    replace_fences,
)
from mkdocs_recall.errors import DirectiveError, RecallError
from mkdocs_recall.site import (
    collect,
    language_of,
    line_offset,
    page_order,
    read_page,
    site_language,
)
from mkdocs_recall.text.markdown import front_matter_fault, normalised

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from jinja2 import Environment
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import File, Files
    from mkdocs.structure.nav import Navigation
    from mkdocs.structure.pages import Page

    from mkdocs_recall.collection import Collection
    from mkdocs_recall.text.model import Document

log = get_plugin_logger(__name__).logger


@dataclass(frozen=True, slots=True)
class Directive:
    """A directive of a page, read and checked."""

    id: str
    page: str
    fence: Fence
    lines: _Lines
    """Finds the line it stands on."""
    options: Options | None
    fault: RecallError | None
    """What is wrong with it, as far as that can be told before the pages are rendered."""

    def message(self, text: str) -> str:
        """Return a message with the directive's place before it."""
        line = self.lines.of(self.fence)
        if line is not None and isinstance(self.fault, DirectiveError):
            line += self.fault.line
        where = self.page if line is None else f"{self.page}:{line}"
        return f"{where}: {self.fence.name}: {text}"


@dataclass(frozen=True, slots=True)
class _Quote:
    """What a directive came to on its own page; the pages it was made from are let go."""

    directive: Directive
    html: str
    url: str
    """The page its links are written for."""
    error: str
    warning: str
    fallback: bool


@dataclass(slots=True)
class _Build:
    """What one build has found out so far."""

    defaults: dict[str, Any]
    """The site's defaults of a directive's options."""
    nav: Navigation | None = None
    names: Collection | None = None
    """All pages by name, before any is rendered."""
    directives: dict[str, list[Directive]] = field(default_factory=dict)
    """By page."""
    quotes: dict[str, _Quote] = field(default_factory=dict)
    """By marker."""
    said: set[str] = field(default_factory=set)
    """Notices that were given: each is given once."""
    answered: int = 0
    fallbacks: int = 0


class RecallPlugin(BasePlugin[RecallConfig]):  # type: ignore[no-untyped-call]  # MkDocs' own hook
    """Quotes what the rest of the site says."""

    _build: _Build

    def on_config(self, config: MkDocsConfig) -> MkDocsConfig:
        """Forget the build before this one."""
        self._build = _Build(self.config.defaults())
        return config

    @event_priority(-100)  # after the plugins that order or replace the navigation
    def on_nav(self, nav: Navigation, *, config: MkDocsConfig, files: Files) -> Navigation:  # noqa: ARG002 - MkDocs names them
        """Keep the order of the pages."""
        self._build.nav = nav
        return nav

    @event_priority(-75)  # after the plugins that write or include Markdown
    def on_page_markdown(
        self,
        markdown: str,
        *,
        page: Page,
        config: MkDocsConfig,  # noqa: ARG002 - MkDocs names it
        files: Files,
    ) -> str | None:
        """Put markers in the place of a page's directives."""
        if fault := front_matter_fault(page.meta or {}):
            log.warning("%s: recall: %s", page.file.src_uri, fault)
        if not may_hold_directive(markdown):
            return None
        fences = find_fences(markdown)
        if not fences:
            return None
        uri = page.file.src_uri
        lines = _Lines(page, markdown)
        directives = [
            self._read(fence, number, uri, lines, files) for number, fence in enumerate(fences)
        ]
        self._build.directives[uri] = directives
        return replace_fences(markdown, fences, [marker(d.id) for d in directives])

    @event_priority(-75)  # after autorefs has resolved its references, before backlinks are made
    def on_env(self, env: Environment, *, config: MkDocsConfig, files: Files) -> Environment:
        """Answer every directive, then put the answers in."""
        build = self._build
        if not build.directives:
            return env
        directives = list(_all(build.directives.values()))  # `_render` adds those of other pages
        with _collector_paused():
            corpus = Corpus(self._collect(config, files))
            for directive in directives:
                build.quotes[directive.id] = self._quote(directive, corpus, config, files)
            del corpus
        placed: set[str] = set()
        restored: set[str] = set()
        for file in files:
            if (page := file.page) is not None:
                self._fill(page, placed, restored)
        for directive in directives:
            self._report(directive, placed, restored)
        return env

    def on_post_page(
        self,
        output: str,
        *,
        page: Page,
        config: MkDocsConfig,  # noqa: ARG002 - MkDocs names it
    ) -> str | None:
        """Fill the markers that other plugins have copied from page to page."""
        if not self._build.quotes or MARKER_HINT not in output:
            return None
        return self._place(output, page, set(), set())

    @event_priority(100)  # before plugins that build again for another language
    def on_post_build(self, *, config: MkDocsConfig) -> None:  # noqa: ARG002 - MkDocs names it
        """Say what was done."""
        build = self._build
        if build.directives:
            log.info(
                "recall: %d %s answered, %d by fallback",
                build.answered,
                "directive" if build.answered == 1 else "directives",
                build.fallbacks,
            )

    def _read(self, fence: Fence, number: int, uri: str, lines: _Lines, files: Files) -> Directive:
        options: Options | None = None
        fault: RecallError | None = fence.fault
        if fault is None:
            try:
                options = read_options(
                    fence.name,
                    fence.body,
                    defaults=self._build.defaults,
                    embedm=fence.embedm,
                )
                self._names(files).scope(options.source, page=uri)
            except RecallError as error:
                fault = error
        return Directive(marker_id(uri, number), uri, fence, lines, options, fault)

    def _names(self, files: Files) -> Collection:
        """Return the site's pages by name; their front matter is not read yet."""
        build = self._build
        if build.names is None:
            build.names = collect(files, self._order(files), _unread)
        return build.names

    def _order(self, files: Files) -> list[File]:
        assert self._build.nav is not None
        return page_order(files, self._build.nav)

    def _collect(self, config: MkDocsConfig, files: Files) -> Collection:
        def load(file: File) -> Document:
            page = file.page
            assert page is not None
            if page.content is None:  # `--dirty` has passed over it
                _render(page, config, files)
            return read_page(page, config)

        return collect(files, self._order(files), load)

    def _quote(
        self, directive: Directive, corpus: Corpus, config: MkDocsConfig, files: Files
    ) -> _Quote:
        """Answer a directive, as its own page will show it."""
        found = self._answer(directive, corpus)
        file = files.get_file_from_path(directive.page)
        page = file.page if file else None
        url = page.url if page else ""
        language = language_of(page, config) if page else site_language(config)
        html = found.html(directive.fence.name, Place(directive.page, url, language))
        return _Quote(directive, html, url, found.error, found.warning, found.fallback)

    def _answer(self, directive: Directive, corpus: Corpus) -> Answer:
        if directive.fault is not None or directive.options is None:
            return Answer(None, None, error=directive.message(str(directive.fault)))
        found = answer(directive.options, corpus, directive.page)
        if found.error:
            return Answer(found.options, None, error=directive.message(found.error))
        for note in found.result.diagnostics if found.result else ():
            if note not in self._build.said:
                self._build.said.add(note)
                log.info("%s", directive.message(note))
        return found

    def _fill(self, page: Page, placed: set[str], restored: set[str]) -> None:
        """Put the answers into a page's content, and into what other plugins have made of it."""
        for name, value in list(vars(page).items()):
            if name != "markdown" and isinstance(value, str) and MARKER_HINT in value:
                setattr(page, name, self._place(value, page, placed, restored))

    def _place(self, html: str, page: Page, placed: set[str], restored: set[str]) -> str:
        quotes, sources = {}, {}
        for identity in marked_ids(html):
            if (quote := self._build.quotes.get(identity)) is not None:
                quotes[identity] = rebased(quote.html, quote.url, page.url)
                sources[identity] = quote.directive.fence.source
        done = place(html, quotes, sources)
        placed.update(done.placed)
        restored.update(done.restored)
        return done.html

    def _report(self, directive: Directive, placed: set[str], restored: set[str]) -> None:
        """Count a directive and say what is wrong with it; one that came out as code is none."""
        if directive.id not in placed:
            if directive.id not in restored:
                log.warning(
                    "%s", directive.message("its place in the page was removed by another plugin")
                )
            return
        found = self._build.quotes[directive.id]
        if found.error and self.config.on_error == "raise":
            raise PluginError(found.error)
        if found.error:
            log.warning("%s", found.error)
            return
        if found.warning:
            log.warning("%s", directive.message(found.warning))
        self._build.answered += 1
        self._build.fallbacks += found.fallback


class _Lines:
    """Finds the line of a fence in the file as its author sees it."""

    def __init__(self, page: Page, markdown: str) -> None:
        self._page = page
        self._markdown = markdown

    @cached_property
    def _raw(self) -> str:
        return normalised(self._page.file.content_string)

    def of(self, fence: Fence) -> int | None:
        """Return the line from 1; None where another plugin has made the fence."""
        offset = line_offset(self._raw, self._markdown)
        if offset is not None:
            return offset + fence.first + 1
        if self._raw.count(fence.source) == 1:
            return self._raw.count("\n", 0, self._raw.index(fence.source)) + 1
        return None


@contextmanager
def _collector_paused() -> Iterator[None]:
    """Keep the garbage collector from looking for cycles among what has none.

    Reading pages makes tuples by the hundred thousand, and each search goes over all of the site's
    pages: a fifth of the time.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _all(groups: Iterable[list[Directive]]) -> Iterable[Directive]:
    return (directive for group in groups for directive in group)


def _unread(file: File) -> Document:
    msg = f"{file.src_uri} is not rendered yet"
    raise LookupError(msg)


def _render(page: Page, config: MkDocsConfig, files: Files) -> None:
    """Render a page that is asked, as MkDocs would have."""
    page.read_source(config)
    page.markdown = config.plugins.on_page_markdown(
        page.markdown or "", page=page, config=config, files=files
    )
    page.render(config, files)
    page.content = config.plugins.on_page_content(
        page.content or "", page=page, config=config, files=files
    )
