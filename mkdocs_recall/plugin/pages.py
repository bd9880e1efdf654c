"""The pages with directives, from their Markdown to the state for the next build.

While MkDocs renders, only fences are found and replaced by markers. What they ask for is parsed
afterwards, all at once, which takes a fraction of the time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from mkdocs_recall.cache.files import fingerprint
from mkdocs_recall.directives.fences import replace_fences
from mkdocs_recall.errors import RecallError
from mkdocs_recall.plugin.directive import Directive, PageFile
from mkdocs_recall.plugin.state import StoredDirective, markdown_digest
from mkdocs_recall.rendering.markers import marker, marker_id

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from mkdocs.structure.pages import Page

    from mkdocs_recall.directives.comments import CutValue
    from mkdocs_recall.directives.fences import Fence, Span
    from mkdocs_recall.options import Limits
    from mkdocs_recall.plugin.inclusions import IncludedText
    from mkdocs_recall.plugin.quotes import Quotes
    from mkdocs_recall.plugin.state import State


_TICKS: Final = ("```", "~~~")
"""What opens a fence."""


class _DirectivePage(NamedTuple):
    """A page while it is built."""

    mkdocs_page: Page
    markdown: str
    """The digest of its Markdown."""
    line_ends: int
    fences: Sequence[Fence] | None
    """None where the state of the last build has its directives."""
    texts: Sequence[str]
    """Each fence as written."""
    ids: Sequence[str]
    """That of the marker of each."""


class _IncludedFences(NamedTuple):
    """The fences that a page includes while it is rendered."""

    text: IncludedText
    fences: list[Fence]
    replaced: dict[str, str]
    """The text with markers for each with fences: a page may be rendered again, for a feed."""


class DirectivePages:
    """The pages of one build that hold, or may hold, directives."""

    def __init__(self, state: State, defaults: Mapping[str, Any], limits: Limits) -> None:
        """Start without a page.

        Args:
            state: The state of the last build.
            defaults: The site's defaults of the options.
            limits: How much of a directive is read.
        """
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
        fences: list[Fence] | None = None
        line_ends = 0
        spans = self._state.spans(uri, digest)
        if spans is None or not _fit(spans, markdown):
            from mkdocs_recall.directives.parser import find_fences

            fences = find_fences(markdown)
            spans = [fence.span for fence in fences]
            line_ends = markdown.rstrip("\n").count("\n")
        texts = [markdown[span.start : span.end] for span in spans]
        ids = [marker_id(uri, number) for number in range(len(spans))]
        self._pages[uri] = _DirectivePage(page, digest, line_ends, fences, texts, ids)
        return replace_fences(markdown, spans, map(marker, ids)) if spans else None

    def knows(self, page: Page) -> bool:
        """Tell whether the last build has read the Markdown of a page, and found no fault in it."""
        return self._pages[page.file.src_uri].fences is None

    def note_near_miss(self, page: Page) -> None:
        """Note that a page holds a fence with nearly the right name: each build warns of it."""
        self._near_misses.add(page.file.src_uri)

    def read_included(self, text: str, page: Page, included: IncludedText) -> str | None:
        """Find the directives that a page includes while it is rendered.

        Args:
            text: Its text; the directives of its own Markdown are markers already.
            page: The page.
            included: What it includes.

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
        own = self._pages.setdefault(uri, _DirectivePage(page, "", 0, [], [], []))
        if earlier is None or earlier.text is not included:
            earlier = self._included[uri] = _IncludedFences(included, [], {})
        first = len(own.texts) + len(earlier.fences)
        markers = [marker(marker_id(uri, first + number)) for number in range(len(fences))]
        earlier.fences.extend(fences)
        replaced = replace_fences(text, [fence.span for fence in fences], markers)
        earlier.replaced[text] = replaced
        return replaced

    def directives(self) -> list[Directive]:
        """Parse and check the options of the fences, page by page, since it was called last."""
        new = [uri for uri in self._pages if uri not in self._directives]
        for uri in new:
            page = self._pages[uri]
            if page.fences is None:
                self._directives[uri] = self._stored(uri, page)
            else:
                file = PageFile(page.mkdocs_page, page.line_ends)
                self._directives[uri] = list(self._parsed(page, file, page.fences))
            if included := self._included.get(uri):
                self._directives[uri] += self._parsed(
                    page, included.text, included.fences, first=len(page.texts)
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
                continue
            stored = [directive.stored for directive in directives if directive.stored]
            own, included = stored[: len(page.texts)], stored[len(page.texts) :]
            if page.fences is not None:
                self._state.note_page(uri, page.markdown, page.line_ends, own)
            dependencies = [quotes.dependencies(directive) for directive in directives]
            file = fingerprint(page.mkdocs_page.file.abs_src_path)
            self._state.settle_page(uri, file, dependencies, included=included)

    def clear(self) -> None:
        """Release the pages."""
        self._pages, self._included, self._directives = {}, {}, {}
        self._near_misses = set()

    def _stored(self, uri: str, page: _DirectivePage) -> list[Directive]:
        """Return the directives that the last build has parsed; none had a fault."""
        line_ends, stored = self._state.directives(uri, page.texts)
        file = PageFile(page.mkdocs_page, line_ends)
        return [
            Directive(identity, page.mkdocs_page, one.fence, file, one)
            for identity, one in zip(page.ids, stored, strict=True)
        ]

    def _parsed(
        self,
        page: _DirectivePage,
        file: PageFile | IncludedText,
        fences: Sequence[Fence],
        *,
        first: int = 0,
    ) -> Iterator[Directive]:
        """Yield the directives of a page from its number `first` on."""
        from mkdocs_recall.directives.comments import cut_values
        from mkdocs_recall.directives.schema import read_fence

        uri = page.mkdocs_page.file.src_uri
        for number, fence in enumerate(fences, start=first):
            stored: StoredDirective | None = None
            fault: RecallError | None = None
            cuts: list[CutValue] = []
            try:
                options = read_fence(fence, number, defaults=self._defaults, limits=self._limits)
                stored = StoredDirective.of(fence, options)
                cuts = cut_values(fence.body)
            except RecallError as error:
                fault = error
            identity = marker_id(uri, number)
            yield Directive(identity, page.mkdocs_page, fence, file, stored, fault, cuts)


def _fit(spans: Iterable[Span], markdown: str) -> bool:
    """Tell whether the spans may be those of fences: a stranger may have written the state."""
    end = 0
    for prefix, start, stop in spans:
        is_next = end <= start < stop and markdown.startswith(prefix, start)
        if not (is_next and markdown.startswith(_TICKS, start + len(prefix))):
            return False
        end = stop
    return end <= len(markdown)
