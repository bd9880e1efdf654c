"""A directive of a page: its fence, where an author finds it, its quote."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from mkdocs_recall.answers.alternatives import Alternatives  # noqa: TC001 - msgspec reads it
from mkdocs_recall.errors import RecallError, lines_below
from mkdocs_recall.pages.inclusion import (
    IncludedText,
    included_texts,
    includes_files,
    place_in,
)
from mkdocs_recall.text.front_matter import normalise_newlines

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from mkdocs.structure.pages import Page

    from mkdocs_recall.directives.fences import Fence
    from mkdocs_recall.options import Options


@dataclass(eq=False)
class PageFile:
    """The file of a page with directives, read once, when the line of a fence is needed."""

    page: Page
    line_ends: int
    """The number of line ends in its Markdown, without those at its end."""

    @cached_property
    def _lines(self) -> list[str]:
        try:
            text = self.page.file.content_string
        except OSError:  # its author has removed it since MkDocs read it
            text = ""
        return normalise_newlines(text).rstrip("\n").split("\n")

    @cached_property
    def _lines_by_text(self) -> dict[str, list[int]]:
        """The lines in the file where each fence is, by its text."""
        from mkdocs_recall.directives.fences import find_fences, find_near_misses

        lines: dict[str, list[int]] = {}
        text = "\n".join(self._lines)
        for fence in (*find_fences(text), *find_near_misses(text)):
            lines.setdefault(fence.source, []).append(fence.first)
        return lines

    def line(self, fence: Fence) -> int | None:
        """Return the line of a fence, from 1; None if another plugin has generated it."""
        above = len(self._lines) - 1 - self.line_ends
        first, behind = above + fence.first, above + fence.last + 1
        if above >= 0 and "\n".join(self._lines[first:behind]) == fence.source:
            return first + 1
        places = self._lines_by_text.get(fence.source, [])
        return places[0] + 1 if len(places) == 1 else None

    def place(self, fence: Fence, *, below: int = 0) -> str:
        """Return where a fence is, for messages; `below` is how many lines below its first."""
        line, uri = self.line(fence), self.page.file.src_uri
        if line is not None:
            return f"{uri}:{line + below}"
        if place := place_in(self._included, fence):
            return f"{place[0]}:{place[1] + below} (included in {uri})"
        may_be_included = includes_files("\n".join(self._lines))
        return f"{uri} (in a file that the page includes)" if may_be_included else uri

    @cached_property
    def _included(self) -> Mapping[str, Sequence[str]]:
        file = self.page.file
        path = file.abs_src_path or ""
        docs = path.removesuffix(os.path.normpath(file.src_uri))
        is_in_docs = docs not in {"", path}
        return included_texts("\n".join(self._lines), path, docs) if is_in_docs else {}


@dataclass(eq=False)
class Directive:
    """A directive; its options are read and checked when something first needs them."""

    id: str
    """That of its marker."""
    mkdocs_page: Page
    """The page it is on."""
    fence: Fence
    file: PageFile | IncludedText
    """Where the fence is: in the page's file, or in what the page includes."""
    read: Callable[[], Options]
    """Returns its options, or raises what is wrong with them."""

    @cached_property
    def _reading(self) -> Options | RecallError:
        try:
            return self.read()
        except RecallError as error:
            return error

    @property
    def options(self) -> Options | None:
        """What it asks for; None where it has a fault."""
        return None if isinstance(self._reading, RecallError) else self._reading

    @property
    def fault(self) -> RecallError | None:
        """What is wrong with it, as far as that is known before the pages are rendered."""
        return self._reading if isinstance(self._reading, RecallError) else None

    @property
    def cuts(self) -> Sequence[tuple[int, str]]:
        """Its values that YAML has probably cut."""
        # A warm build reads the options of few.
        return self.fence.cuts if self.fence.may_be_cut and not self.fault else ()

    @property
    def page(self) -> str:
        """The uri of the page it is on."""
        return self.mkdocs_page.file.src_uri

    def message(self, text: str, *, below: int | None = None) -> str:
        """Return a message behind the directive's place, as its author sees it.

        Args:
            below: How many lines below the fence's first; None for those of its fault, if any.
        """
        if below is None:
            below = lines_below(self.fault)
        return f"{self.file.place(self.fence, below=below)}: {self.fence.name}: {text}"


class Quote(NamedTuple):
    """The quote of a directive, as its own page has it."""

    html: str
    error: str = ""
    """What its author has to mend."""
    warning: str = ""
    """What its author should know, though there is a quote."""
    fallback: bool = False
    notes: tuple[str, ...] = ()
    """Notices; each is logged once in a build."""
    cached: bool = False
    holds: bool = True
    """Whether it holds what its author expects; if not, its warning depends on the whole site."""
    doubtful: bool = False
    """Whether something speaks against the answer, which nobody has approved."""
    beside: Alternatives | None = None
    """What else its author may want to know, in a preview."""
