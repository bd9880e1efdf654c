"""The MkDocs plugin: its events, which find directives in Markdown and answer them in HTML.

`Build` does the work. It is imported when a page may hold a directive, so that a site without any
pays nothing for it. Text that becomes HTML before this plugin sees it no longer holds fences: code
blocks whose class names a directive should have been quotes, and are reported.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, cast

from mkdocs.plugins import BasePlugin, CombinedEvent, event_priority, get_plugin_logger

from mkdocs_recall.directives import fences
from mkdocs_recall.files import LOCK_FILE
from mkdocs_recall.hosts.config import RecallConfig, cache_folder, is_watched
from mkdocs_recall.messages import single_line
from mkdocs_recall.pages import inclusion
from mkdocs_recall.text.front_matter import (
    field_lines,
    front_matter_faults,
    lost_questions,
    may_have_front_matter_faults,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from logging import LogRecord

    from jinja2 import Environment
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.livereload import LiveReloadServer
    from mkdocs.structure.files import Files
    from mkdocs.structure.nav import Navigation
    from mkdocs.structure.pages import Page

    from mkdocs_recall.directives.directive import Directive
    from mkdocs_recall.hosts.build import Build
    from mkdocs_recall.hosts.publish import PublishedPages

log = get_plugin_logger(__name__).logger


def _to_single_line(record: LogRecord) -> bool:
    record.msg, record.args = single_line(record.getMessage()), ()
    return True


log.addFilter(_to_single_line)
_SHOWN_AS_CODE: Final = (
    "a fence of this page is shown as code, because a plugin or an extension has "
    "rendered it separately; write the fence in the page's Markdown or in a snippet, or show "
    "examples in a longer fence of the language 'markdown'"
)


def _shown_as_code(html: str) -> list[str]:
    if not fences.may_hold_code_block(html):
        return []
    from mkdocs_recall.hosts.html_fences import find_html_directives

    return sorted(
        {directive.name for directive in find_html_directives(html) if not directive.is_comment}
    )


def _warn_of_near_misses(misses: Iterable[Directive], reported: set[tuple[str, ...]]) -> None:
    unreported = [miss for miss in misses if inclusion.stripped_lines(miss.source) not in reported]
    for miss in unreported:
        log.warning("%s", miss.message(str(miss.fault)))
    reported.update(inclusion.stripped_lines(miss.source) for miss in unreported)


def _warn_of_metadata(page: Page, line: int | None, fault: str) -> None:
    uri = page.file.src_uri
    log.warning("%s: recall: %s", f"{uri}:{line}" if line else uri, fault)


class RecallPlugin(BasePlugin[RecallConfig]):  # type: ignore[no-untyped-call]  # MkDocs' own hook
    """Quotes what the rest of the site says."""

    # While its page is read, a fence becomes a marker, an HTML comment with its id, since its
    # source pages are not rendered yet. Once all are, on_env answers every fence, and only then
    # inserts the quotes, so that no answer depends on the order of pages. Copies by other plugins
    # (blog excerpts, feeds, llms.txt) still have markers, which are filled in on_post_page and, for
    # files, after the build.

    _build: Build | None = None
    _nav: Navigation
    _folder: Path | None = None
    _dirty = False
    _serving_since: int | None = None
    _rendering: inclusion.IncludedText | None = None

    def __init__(self) -> None:
        self._copies: list[Callable[[], None] | None] = []
        """The fillers of copies for each running build."""
        self._published: PublishedPages | None = None

    def on_startup(self, *, command: Literal["build", "gh-deploy", "serve"], dirty: bool) -> None:
        """Note whether MkDocs skips unchanged pages."""
        self._dirty = dirty
        self._serving_since = time.time_ns() if command == "serve" else None

    def on_serve(
        self, server: LiveReloadServer, *, config: MkDocsConfig, **_: object
    ) -> LiveReloadServer:
        """Build again when approved answers or copies of other sites change."""
        folder = Path(config.config_file_path or "mkdocs.yml").parent
        names: tuple[str, ...] = () if self.config.lock == "off" else (LOCK_FILE,)
        if self.config.sites:
            from mkdocs_recall.pages.published import COPIES, SITES_LOCK

            names += (COPIES, SITES_LOCK)
        for path in (folder / name for name in names):
            if path.exists():  # the server cannot watch missing files
                server.watch(str(path))
        return server

    def on_config(self, config: MkDocsConfig) -> MkDocsConfig:
        """Forget the previous build; register the Markdown extension."""
        self._forget()
        extensions = cast("list[object]", config.markdown_extensions)
        if not any(isinstance(extension, inclusion.InclusionExtension) for extension in extensions):
            callbacks = self._read_included, self._note_included
            extensions.append(inclusion.InclusionExtension(*callbacks))
        self._folder = cache_folder(self.config, config)
        if self._serving_since and self._folder and is_watched(self._folder, config):
            self._folder = None  # every write there would start another build
        return config

    @event_priority(-100)  # after the plugins that order or replace the navigation
    def on_nav(self, nav: Navigation, *, config: MkDocsConfig, files: Files) -> Navigation:
        """Keep the order of the pages, and those that `--dirty` must not skip."""
        self._nav = nav
        if self._dirty:
            self._begin(config).force_pages(files)
        return nav

    @event_priority(-75)  # after the plugins that write or include Markdown
    def on_page_markdown(
        self, markdown: str, *, page: Page, config: MkDocsConfig, **_: object
    ) -> str | None:
        """Replace a page's directives by markers."""
        if may_have_front_matter_faults(page.meta, markdown):
            for line, fault in front_matter_faults(page.meta, page.file.content_string):
                _warn_of_metadata(page, line, fault)
        near_misses: set[tuple[str, ...]] = set()
        build = self._begin(config) if fences.may_hold_directive(markdown) else None
        replaced = build.pages.read(markdown, page) if build else None
        text = markdown if replaced is None else replaced
        # Directives are markers by now, so their options are no sign of a near miss.
        if fences.may_hold_near_miss(text, named=build is not None):
            misses = fences.find_near_misses(markdown)
            inclusion.locate_later(misses, markdown, page)
            _warn_of_near_misses(misses, near_misses)
        self._rendering = inclusion.IncludedText(page, config, text, near_misses)
        return replaced

    @event_priority(-75)  # after autorefs has resolved its references, before backlinks are made
    def on_env(self, env: Environment, *, config: MkDocsConfig, files: Files) -> Environment:
        """Warn of lost text, answer every directive, then insert the answers."""
        self._rendering = None
        for page in (file.page for file in files if file.page is not None):
            for name in _shown_as_code(page.content or ""):
                log.warning("%s: %s: %s", page.file.src_uri, name, _SHOWN_AS_CODE)
            for fault in lost_questions(page.meta or {}, page.content) if page.content else ():
                _warn_of_metadata(page, field_lines(page.file.content_string).get("recall"), fault)
        if self._build is None and self.config.publish is not None and self._serving_since is None:
            self._begin(config)
        if self._build is not None:
            self._build.answer(files)
            self._build.add_stylesheet(files)
        return env

    @event_priority(100)  # before plugins that remove comments
    def _fill_page(self, /, output: str, *, page: Page, **_: object) -> str | None:
        return None if self._build is None else self._build.fill(output, page)

    @event_priority(-100)  # after plugins that replace the text of pages
    def _check_page(self, /, output: str, *, page: Page, **_: object) -> None:
        if self._build is not None:
            self._build.check(output, page)

    on_post_page = CombinedEvent(_fill_page, _check_page)

    @event_priority(100)  # before plugins that build again for another language
    def _save(self, *, config: MkDocsConfig) -> None:  # noqa: ARG002 - MkDocs names it
        self._copies.append(None if self._build is None else self._build.fill_copies)
        if self._build is not None:
            published = self._build.published
            if published is not None and self._published is not None:
                self._published.add(published)
            self._published = self._published or published
            self._build.finish()
            for line in self._build.summary():
                log.info("%s", line)

    @event_priority(-100)  # after plugins that write copies of pages
    def _fill_copies(self, *, config: MkDocsConfig) -> None:
        fill = self._copies.pop()
        if fill is not None:
            fill()
        if self._published is not None and not self._copies:
            published, self._published = self._published, None
            if notice := published.write(config):
                log.info("recall: %s", notice)

    on_post_build = CombinedEvent(_save, _fill_copies)

    def on_build_error(self, **_: object) -> None:
        """Close the cache."""
        self._copies.clear()
        self._published = None
        self._forget()

    def on_shutdown(self) -> None:
        """Close the cache."""
        self._forget()

    def _note_included(self, path: str) -> None:
        if self._rendering is not None and not self._rendering.is_over:
            self._rendering.note(path)

    def _read_included(self, text: str, uri: str) -> str | None:
        # Fences arrive in three ways. The page's own come by on_page_markdown. Those that a
        # Markdown extension includes are in the text that reaches our preprocessor, which is this.
        # And a plugin may render a page again later, for an excerpt, say.
        rendering = self._rendering
        if rendering is None or rendering.is_over:  # another plugin renders it again
            if self._build is None or not uri or not fences.may_hold_directive(text):
                return None
            return self._build.read_again(text, uri)
        if text == rendering.markdown:
            return None
        misses = fences.find_near_misses(text)
        rendering.locate_later(misses)
        _warn_of_near_misses(misses, rendering.near_misses)
        if not fences.may_hold_directive(text):
            return None
        return self._begin(rendering.config).pages.read_included(text, rendering)

    def _begin(self, config: MkDocsConfig) -> Build:
        if self._build is None:
            from mkdocs_recall.store import gc_paused

            with gc_paused():
                from mkdocs_recall.hosts.build import Build

                self._build = Build(
                    config=config,
                    settings=self.config,
                    folder=self._folder,
                    nav=self._nav,
                    log=log,
                    dirty=self._dirty,
                    serving_since=self._serving_since,
                )
        return self._build

    def _forget(self) -> None:
        build, self._build = self._build, None  # whatever happens
        if build is not None:
            build.close()
