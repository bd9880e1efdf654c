"""The interface of readers: a site, a folder of Markdown, or a built site, as `library` sees it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from mkdocs_recall.text.model import Document


class ListedPage(NamedTuple):
    """A page that a reader has found and not yet read."""

    uri: str
    """Its path from the root."""
    file: str
    """The absolute path of the file that it is read from."""
    title: str | None = None
    """The title that a navigation gives it; None where the page has its own."""


@dataclass(frozen=True, slots=True)
class OpenReader:
    """A reader that has listed its pages and can read them."""

    roots: tuple[str, ...]
    """The folders of the pages: another file there may be another page."""
    pages: tuple[ListedPage, ...]
    """In page order."""
    load: Callable[[str], Document]
    """Reads one page."""
    meta: Callable[[str], Mapping[str, Any]]
    """Returns the front matter of one page; EncodingError or FrontMatterError for a page to leave
    out."""
    include_ignored: bool = False
    """Whether hidden and installed files in the roots may be pages."""
    rendering: bytes = b""
    """The digest of all that shapes a page's text except its files."""
    settings: frozenset[str] = frozenset()
    """The files of the site's settings, and of the code that they name: absolute paths."""
    variables: frozenset[str] = frozenset()
    """The environment variables that the settings name."""
    folder: str = ""
    """The folder of the site, if any changed file there may change any page, since an extension may
    open it; else empty."""
    output: str = ""
    """The folder that a build writes, which is never such a file."""
    refused: Mapping[str, str] = field(default_factory=dict)
    """Pages that may not be quoted, with the reason."""
    find: Callable[[str], str | None] = lambda _: None
    """Returns the page or file that a path leads to."""
    links: Callable[[str], Iterable[str]] = lambda _: ()
    """Returns the paths that were looked up when a page was read."""
    others: Callable[[str], Iterable[str]] = lambda _: ()
    """Returns the files besides its own that a page was read from, or would have been if they
    existed: absolute paths."""


class Reader(Protocol):
    """A source of pages."""

    @property
    def identity(self) -> tuple[str, ...]:
        """What distinguishes it from others, the same in each process; a path comes second."""

    def open(self) -> OpenReader:
        """List its pages; this may take long."""
