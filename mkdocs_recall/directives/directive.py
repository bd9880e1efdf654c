"""A directive as its author has written it: what it asks for, and where it is.

Each is made once, by what finds it: in the Markdown of a page, in text that a page
includes, or in the HTML of a finished page.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from mkdocs_recall.errors import RecallError, lines_below

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mkdocs_recall.options import Options


class Directive(Struct):
    """A directive; its options are read and checked when something first needs them."""

    name: str
    """`recall` or `synopsis`; of a fence that is no directive, its info string."""
    body: str = ""
    """The lines of its fence, dedented: line `n` is line `first + 1 + n`."""
    embedm: bool = False
    """Whether it was written as `yaml embedm`, which has other defaults."""
    prefix: str = ""
    """What precedes the fence on its first line: spaces, `> `, a list marker."""
    first: int = 0
    """The line of the opening fence in the text, from 0."""
    last: int = 0
    """The line of the closing fence; `first` where there is none."""
    source: str = ""
    start: int = 0
    """The offset of these lines in the text; in HTML, of what is replaced."""
    end: int = 0
    """The end of the last line, before its line end; likewise in HTML."""
    is_comment: bool = False
    """Whether it is in a comment in HTML, which nobody sees in the page."""
    is_filled: bool = False
    """Whether it has a quote in HTML already, maybe an empty one."""
    number: int = 0
    """How many directives are above it on its page."""
    id: str = ""
    """That of its marker, unique over a site."""
    lock_id: str = ""
    """That of its answer in the lock file; empty where the file does not cover it."""
    page: str = ""
    """The uri of its page."""
    url: str = ""
    """The URL of its page, from the site's root."""
    language: str = "en"
    """The language of its page."""
    file: str = ""
    """The file it is written in, for messages; empty for that of its page."""
    opening: int | None = None
    """The line of the opening fence in the file, from 1; None if it is not there."""
    inclusion: str = ""
    """What messages say behind the file: what includes it."""
    locate: Callable[[], None] | None = None
    """Finds these three, once a message needs them: it reads files, and few builds have one."""
    options: Options | None = None
    """What it asks for, once they are read."""
    fault: RecallError | None = None
    """What is wrong with it, as far as that is known before it is answered."""

    @property
    def line(self) -> int | None:
        """That of its opening fence in the file, or of the fault in it."""
        if self.locate is not None:
            self.locate()
        return self.opening and self.opening + lines_below(self.fault)

    def place(self, *, below: int = 0) -> str:
        """Return where it is, or so many lines below that, for messages."""
        line = self.line
        place = self.file or self.page
        return f"{place if line is None else f'{place}:{line + below}'}{self.inclusion}"

    def message(self, text: str, *, below: int = 0) -> str:
        """Return a message behind its place."""
        return f"{self.place(below=below)}: {self.name}: {text}"

    @property
    def cuts(self) -> Sequence[tuple[int, str]]:
        """The values that YAML has probably cut: lines below the fence, and messages.

        A body that cannot be read has none: its fault is told.
        """
        if self.fault or not (" #" in self.body or "\t#" in self.body):
            return ()
        from mkdocs_recall.directives.yaml import cut_values

        return cut_values(self.body)
