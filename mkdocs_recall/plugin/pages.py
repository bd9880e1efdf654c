"""The pages that hold directives, from their Markdown to what is left to the next build.

While MkDocs renders, as little as possible is done: fences are found, and a marker stands in for
each. What they ask is read afterwards, all of it at once, which takes a fraction of the time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from mkdocs_recall.cache.files import fingerprint
from mkdocs_recall.directives.fences import replace_fences
from mkdocs_recall.errors import RecallError
from mkdocs_recall.plugin.directive import Directive, PageFile
from mkdocs_recall.plugin.state import StoredDirective, markdown_digest, store_directive
from mkdocs_recall.rendering.markers import marker, marker_id

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from mkdocs.structure.pages import Page

    from mkdocs_recall.directives.fences import Fence, Span
    from mkdocs_recall.options import Limits
    from mkdocs_recall.plugin.quotes import Quotes
    from mkdocs_recall.plugin.state import State


class _DirectivePage(NamedTuple):
    page: Page
    text: str
    """The digest of its Markdown."""
    line_ends: int
    fences: Sequence[Fence] | None
    """None where the last build has read them."""
    sources: Sequence[str]
    """Each fence as written."""


class DirectivePages:
    """The pages of one build that hold, or may hold, directives."""

    def __init__(self, state: State, defaults: Mapping[str, Any], limits: Limits) -> None:
        """Start with none.

        Args:
            state: What the last build knew.
            defaults: The site's defaults of the options.
            limits: How much is read of a directive.
        """
        self._state = state
        self._limits = limits
        self._defaults = defaults
        self._hosts: dict[str, _DirectivePage] = {}
        self._directives: dict[str, list[Directive]] = {}

    def read(self, markdown: str, page: Page) -> str | None:
        """Find the directives of a page.

        Returns:
            The Markdown with a marker in the place of each; None if there is none.
        """
        uri = page.file.src_uri
        text = markdown_digest(markdown)
        fences: list[Fence] | None = None
        line_ends = 0
        spans = self._state.spans(uri, text)
        if spans is None or not _fit(spans, markdown):
            from mkdocs_recall.directives.parser import find_fences

            fences = find_fences(markdown)
            spans = [fence.span for fence in fences]
            line_ends = markdown.rstrip("\n").count("\n")
        sources = [markdown[span.start : span.end] for span in spans]
        self._hosts[uri] = _DirectivePage(page, text, line_ends, fences, sources)
        if not spans:
            return None
        markers = [marker(marker_id(uri, number)) for number in range(len(spans))]
        return replace_fences(markdown, spans, markers)

    def directives(self) -> list[Directive]:
        """Read and check what the fences ask, page by page."""
        for uri, host in self._hosts.items():
            if host.fences is None:
                line_ends, known = self._state.asked(uri, host.sources)
                written = PageFile(host.page, line_ends)
                read = [
                    Directive(marker_id(uri, number), host.page, each.fence, written, each)
                    for number, each in enumerate(known)
                ]
            else:
                read = list(self._read(uri, host, host.fences))
            self._directives[uri] = read
        return [each for group in self._directives.values() for each in group]

    def remember(self, quotes: Quotes) -> None:
        """Leave to the next build what this one knows of the pages without a fault."""
        for uri, group in self._directives.items():
            host = self._hosts[uri]
            made = [quotes.made[each.id] for each in group]
            if any(quote.error or not quote.holds for quote in made):
                self._state.note_fault(uri)
                continue
            if host.fences is not None:
                known = [each.asked for each in group if each.asked]
                self._state.note_host(uri, host.text, host.line_ends, known)
            named = [quotes.depends(each) for each in group]
            self._state.settle_host(uri, fingerprint(host.page.file.abs_src_path), named)

    def clear(self) -> None:
        """Let go of the pages."""
        self._hosts, self._directives = {}, {}

    def _read(self, uri: str, host: _DirectivePage, fences: Sequence[Fence]) -> Iterator[Directive]:
        from mkdocs_recall.directives.nested import check_count
        from mkdocs_recall.directives.schema import read_options

        written = PageFile(host.page, host.line_ends)
        for number, fence in enumerate(fences):
            known: StoredDirective | None = None
            fault: RecallError | None = fence.fault
            if fault is None:
                try:
                    check_count(number, self._limits)
                    options = read_options(
                        fence.name,
                        fence.body,
                        defaults=self._defaults,
                        embedm=fence.embedm,
                        limits=self._limits,
                    )
                    known = store_directive(fence, options)
                except RecallError as error:
                    fault = error
            identity = marker_id(uri, number)
            yield Directive(identity, host.page, fence, written, known, fault)


def _fit(spans: Iterable[Span], markdown: str) -> bool:
    """Tell whether fences may stand where they are said to: a stranger may have written that."""
    end = 0
    for span in spans:
        opens = tuple(span.prefix + ticks for ticks in ("```", "~~~"))
        if not (end <= span.start < span.end and markdown.startswith(opens, span.start)):
            return False
        end = span.end
    return end <= len(markdown)
