"""A directive of a page, from the fence that an author wrote to the quote that stands there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from mkdocs_recall.errors import DirectiveError, RecallError
from mkdocs_recall.text.front_matter import normalised

if TYPE_CHECKING:
    from mkdocs.structure.pages import Page

    from mkdocs_recall.directives.fences import Fence
    from mkdocs_recall.state import Asked


@dataclass(frozen=True, slots=True)
class Directive:
    """A directive, read and checked."""

    id: str
    """That of its marker."""
    host: Page
    """The page it stands on."""
    fence: Fence
    line_ends: int
    """How many its page's Markdown has, to find the fence in the file."""
    asked: Asked | None
    fault: RecallError | None = None
    """What is wrong with it, as far as that can be told before the pages are rendered."""

    @property
    def page(self) -> str:
        """The uri of the page it stands on."""
        return self.host.file.src_uri

    def message(self, text: str) -> str:
        """Return a message with the directive's place, as its author sees it, before it."""
        line = self._line()
        if line is not None and isinstance(self.fault, DirectiveError):
            line += self.fault.line
        where = self.page if line is None else f"{self.page}:{line}"
        return f"{where}: {self.fence.name}: {text}"

    def _line(self) -> int | None:
        """Return the line of the file, from 1; None where another plugin has made the fence."""
        fence = self.fence
        raw = normalised(self.host.file.content_string)
        lines = raw.rstrip("\n").split("\n")
        above = len(lines) - 1 - self.line_ends
        first, behind = above + fence.first, above + fence.last + 1
        if above >= 0 and "\n".join(lines[first:behind]) == fence.source:
            return first + 1
        if raw.count(fence.source) == 1:
            return raw.count("\n", 0, raw.find(fence.source)) + 1
        return None


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
