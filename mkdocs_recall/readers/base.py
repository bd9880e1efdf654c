"""Where pages come from, as `library` sees it: a site, a folder of Markdown, a built site."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from mkdocs_recall.text.model import Document


class ListedPage(NamedTuple):
    """A page that is there."""

    uri: str
    """Its path from the root."""
    file: str
    """The file it is read from: an absolute path."""
    title: str | None = None
    """What it is called from outside, as by a navigation; None where it has its title itself."""


@dataclass(frozen=True, slots=True)
class OpenReader:
    """An origin, open: its pages can be listed and read."""

    roots: tuple[str, ...]
    """The folders it lies in: another file in one of them may be another page."""
    pages: tuple[ListedPage, ...]
    """In page order."""
    load: Callable[[str], Document]
    """Reads one."""
    meta: Callable[[str], Mapping[str, Any]]
    """Returns the front matter of one."""
    all_of_them: bool = False
    """Whether a file may be a page that is hidden in them, or installed there."""
    rendering: bytes = b""
    """Stands for all that shapes what a page is read to, but its files."""
    settings: frozenset[str] = frozenset()
    """The files of its settings, and of the code these name: absolute paths."""
    variables: frozenset[str] = frozenset()
    """The environment variables that its settings name."""
    refused: Mapping[str, str] = field(default_factory=dict)
    """What looks like a page and may not be quoted, with the reason."""
    find: Callable[[str], str | None] = lambda _: None
    """Returns the page, or other file, that a path leads to."""
    links: Callable[[str], Iterable[str]] = lambda _: ()
    """Returns the paths that were looked for when a page was read."""
    missing: Callable[[str], Iterable[str]] = lambda _: ()
    """Returns the files that a page would have been read from, too, if they were there."""


class Reader(Protocol):
    """A place that pages come from."""

    @property
    def identity(self) -> tuple[str, ...]:
        """What tells it from others, and stays the same from one process to the next."""

    def open(self) -> OpenReader:
        """Find out which pages it has; this may take long.

        Raises:
            SiteError: It cannot be read.
        """
