"""A directive as its author wrote it, in Markdown or in the HTML of a finished page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from mkdocs_recall.errors import RecallError, lines_below

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mkdocs_recall.options import Options


class Directive(Struct):
    """A directive; its options are read and checked on first need."""

    name: str
    """`recall` or `synopsis`; for another fence, its info string."""
    body: str = ""
    """The lines of its fence, dedented."""
    embedm: bool = False
    """Whether it was written as `yaml embedm`."""
    prefix: str = ""
    """What precedes the fence on its first line."""
    first: int = 0
    """The line of the opening fence in the text, from 0."""
    last: int = 0
    """The line of the closing fence; `first` without one."""
    source: str = ""
    start: int = 0
    """The offset of these lines in the text; in HTML, of the replaced part."""
    end: int = 0
    is_comment: bool = False
    """Whether it is an HTML comment."""
    is_filled: bool = False
    """Whether it already has a quote in HTML, possibly an empty one."""
    number: int = 0
    """How many directives are above it on its page."""
    id: str = ""
    """The id of its marker, unique over a site."""
    lock_id: str = ""
    """The id of its answer in the lock file, if that covers it."""
    page: str = ""
    """The uri of its page."""
    url: str = ""
    """The URL of its page, from the site's root."""
    language: str = "en"
    file: str = ""
    """The file it is written in; empty for the page's own."""
    opening: int | None = None
    """The line of the opening fence in the file, from 1; None if unknown."""
    inclusion: str = ""
    """The part of messages after the file that names the including page."""
    locate: Callable[[], None] | None = None
    """Finds these three when a message needs them, since it reads files."""
    options: Options | None = None
    fault: RecallError | None = None

    @property
    def line(self) -> int | None:
        """The line of its opening fence in the file, or of the fault in it."""
        if self.locate is not None:
            self.locate()
        return self.opening and self.opening + lines_below(self.fault)

    def place(self, *, below: int = 0) -> str:
        """Return the place of one of its lines, for messages."""
        line = self.line
        place = self.file or self.page
        return f"{place if line is None else f'{place}:{line + below}'}{self.inclusion}"

    def message(self, text: str, *, below: int = 0) -> str:
        """Return a message after the directive's place."""
        return f"{self.place(below=below)}: {self.name}: {text}"

    @property
    def cuts(self) -> Sequence[tuple[int, str]]:
        """The values that YAML has probably cut: lines below the fence, and messages."""
        if self.fault or not (" #" in self.body or "\t#" in self.body):
            return ()
        from mkdocs_recall.directives.yaml import cut_values

        return cut_values(self.body)
