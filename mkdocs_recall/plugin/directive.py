"""A directive of a page, from the fence that an author wrote to the quote that stands there."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from mkdocs_recall.errors import DirectiveError, RecallError
from mkdocs_recall.text.front_matter import normalise_newlines

if TYPE_CHECKING:
    from mkdocs.structure.pages import Page

    from mkdocs_recall.directives.fences import Fence
    from mkdocs_recall.plugin.state import StoredDirective


class PageFile:
    """The file of a page with directives, read once, when a line of it is asked for."""

    def __init__(self, page: Page, line_ends: int) -> None:
        """Take a page.

        Args:
            page: The page.
            line_ends: How many its Markdown has, without those at its end.
        """
        self._page = page
        self._line_ends = line_ends

    @cached_property
    def _lines(self) -> list[str]:
        return normalise_newlines(self._page.file.content_string).rstrip("\n").split("\n")

    @cached_property
    def _alike(self) -> dict[str, list[int]]:
        """Where each fence stands in the file, by what it says."""
        from mkdocs_recall.directives.parser import find_fences

        found: dict[str, list[int]] = {}
        for fence in find_fences("\n".join(self._lines)):
            found.setdefault(fence.source, []).append(fence.first)
        return found

    def line(self, fence: Fence) -> int | None:
        """Return the line of a fence, from 1; None where another plugin has made it."""
        above = len(self._lines) - 1 - self._line_ends
        first, behind = above + fence.first, above + fence.last + 1
        if above >= 0 and "\n".join(self._lines[first:behind]) == fence.source:
            return first + 1
        places = self._alike.get(fence.source, [])
        return places[0] + 1 if len(places) == 1 else None


@dataclass(frozen=True, slots=True)
class Directive:
    """A directive, read and checked."""

    id: str
    """That of its marker."""
    host: Page
    """The page it stands on."""
    fence: Fence
    written: PageFile
    """What the fence is found in, to say on which line it stands."""
    asked: StoredDirective | None
    fault: RecallError | None = None
    """What is wrong with it, as far as that can be told before the pages are rendered."""

    @property
    def page(self) -> str:
        """The uri of the page it stands on."""
        return self.host.file.src_uri

    def message(self, text: str) -> str:
        """Return a message with the directive's place, as its author sees it, before it."""
        line = self.written.line(self.fence)
        if line is not None and isinstance(self.fault, DirectiveError):
            line += self.fault.line
        where = self.page if line is None else f"{self.page}:{line}"
        return f"{where}: {self.fence.name}: {text}"


class Quote(NamedTuple):
    """What a directive came to on its own page."""

    html: str
    error: str = ""
    """What its author has to mend."""
    warning: str = ""
    """What its author should know, though there is a quote."""
    fallback: bool = False
    notes: tuple[str, ...] = ()
    """What may be of interest; each is said once in a build."""
    cached: bool = False
    holds: bool = True
    """Whether it holds what its author expects; if not, its warning depends on the whole site."""
