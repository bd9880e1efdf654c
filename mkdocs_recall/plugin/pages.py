"""The pages with directives, from their Markdown to the state for the next build.

While MkDocs renders, only fences are found and replaced by markers. What they ask for is read
afterwards, and not at all while their quotes are those of the last build.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from mkdocs_recall.directives.fences import replace_fences
from mkdocs_recall.plugin.directive import Directive, PageFile
from mkdocs_recall.plugin.state import markdown_digest
from mkdocs_recall.rendering.markers import marker, marker_id

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from mkdocs.structure.pages import Page

    from mkdocs_recall.directives.fences import Fence
    from mkdocs_recall.options import Limits, Options
    from mkdocs_recall.plugin.inclusions import IncludedText
    from mkdocs_recall.plugin.quotes import Quotes
    from mkdocs_recall.plugin.state import State


class _DirectivePage(NamedTuple):
    """A page while it is built."""

    mkdocs_page: Page
    markdown: str
    """The digest of its Markdown."""
    line_ends: int
    """Those in its Markdown, without those at its end."""
    fences: Sequence[Fence]
    is_known: bool = False
    """Whether the state of the last build has its fences."""


class _IncludedFences(NamedTuple):
    """The fences that a page includes while it is rendered."""

    text: IncludedText
    fences: list[Fence]
    replaced: dict[str, str]
    """The text with markers for each with fences: a page may be rendered again, for a feed."""


class DirectivePages:
    """The pages of one build that hold, or may hold, directives."""

    def __init__(self, state: State, defaults: Mapping[str, Any], limits: Limits) -> None:
        """Start without a page."""
        self._state = state
        self._limits = limits
        self._defaults = defaults
        self._pages: dict[str, _DirectivePage] = {}
        self._included: dict[str, _IncludedFences] = {}
        self._directives: dict[str, list[Directive]] = {}
        self._near_misses: set[str] = set()
        """The uris of pages that hold a fence with nearly the right name."""

    def read(self, markdown: str, page: Page) -> str | None:
        """Find the directives of a page.

        Returns:
            The Markdown with a marker in the place of each; None if there is none.
        """
        uri = page.file.src_uri
        digest = markdown_digest(markdown)
        fences = self._state.fences(uri, markdown, digest)
        is_known = fences is not None
        if fences is None:
            from mkdocs_recall.directives.parser import find_fences

            fences = find_fences(markdown)
        line_ends = markdown.rstrip("\n").count("\n")
        self._pages[uri] = _DirectivePage(page, digest, line_ends, fences, is_known)
        return _with_markers(markdown, fences, uri) if fences else None

    def knows(self, page: Page) -> bool:
        """Tell whether the last build has read the Markdown of a page, and found no fault in it."""
        return self._pages[page.file.src_uri].is_known

    def note_near_miss(self, page: Page) -> None:
        """Note that a page holds a fence with nearly the right name: each build warns of it."""
        self._near_misses.add(page.file.src_uri)

    def read_included(self, text: str, page: Page, included: IncludedText) -> str | None:
        """Find the directives that a page includes while it is rendered.

        Args:
            text: Its text; the directives of its own Markdown are markers already.

        Returns:
            The text with a marker in the place of each; None if there is none.
        """
        from mkdocs_recall.directives.parser import find_fences

        uri = page.file.src_uri
        earlier = self._included.get(uri)
        if earlier and earlier.text is included and text in earlier.replaced:
            return earlier.replaced[text]
        fences = find_fences(text)
        if not fences:
            return None
        own = self._pages.setdefault(uri, _DirectivePage(page, "", 0, []))
        if earlier is None or earlier.text is not included:
            earlier = self._included[uri] = _IncludedFences(included, [], {})
        first = len(own.fences) + len(earlier.fences)
        earlier.fences.extend(fences)
        replaced = earlier.replaced[text] = _with_markers(text, fences, uri, first)
        return replaced

    def directives(self) -> list[Directive]:
        """Return the directives of the fences that were found since it was called last."""
        new = [uri for uri in self._pages if uri not in self._directives]
        for uri in new:
            page = self._pages[uri]
            file = PageFile(page.mkdocs_page, page.line_ends)
            self._directives[uri] = list(self._checked(page, file, page.fences))
            if included := self._included.get(uri):
                self._directives[uri] += self._checked(
                    page, included.text, included.fences, first=len(page.fences)
                )
        return [directive for uri in new for directive in self._directives[uri]]

    def remember(self, quotes: Quotes) -> None:
        """Note for the next build what this one knows of the pages without a fault."""
        for uri, directives in self._directives.items():
            page = self._pages[uri]
            on_page = [quotes.by_id[directive.id] for directive in directives]
            warns = uri in self._near_misses or any(directive.cuts for directive in directives)
            if warns or any(quote.error or not quote.holds for quote in on_page):
                self._state.note_fault(uri)
            elif page.is_known:
                self._state.keep_page(uri)
            else:
                self._state.note_page(uri, page.markdown, page.fences)

    def clear(self) -> None:
        """Release the pages."""
        self._pages, self._included, self._directives = {}, {}, {}
        self._near_misses = set()

    def options(self, fence: Fence, number: int) -> Options:
        """Read and check the options of a fence, which may come without its body.

        Args:
            number: Its number on the page, from 0.
        """
        from mkdocs_recall.directives.parser import fence_body
        from mkdocs_recall.directives.schema import read_fence

        whole = fence if fence.body else fence._replace(body=fence_body(fence.source))
        return read_fence(whole, number, defaults=self._defaults, limits=self._limits)

    def _checked(
        self,
        page: _DirectivePage,
        file: PageFile | IncludedText,
        fences: Sequence[Fence],
        *,
        first: int = 0,
    ) -> Iterator[Directive]:
        """Yield the directives of a page from its number `first` on."""
        uri = page.mkdocs_page.file.src_uri
        for number, fence in enumerate(fences, start=first):
            read = partial(self.options, fence, number)
            yield Directive(marker_id(uri, number), page.mkdocs_page, fence, file, read)


def _with_markers(text: str, fences: Sequence[Fence], uri: str, first: int = 0) -> str:
    """Return a text with a marker in the place of each of its fences, numbered from `first`."""
    markers = [marker(marker_id(uri, first + number)) for number in range(len(fences))]
    return replace_fences(text, [fence.span for fence in fences], markers)
