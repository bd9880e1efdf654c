"""The copies of a finished site's pages, in Markdown, text, XML and JSON, filled like the pages.

A generator that writes `llms.txt`, pages as Markdown, or feeds copies our comment with the text
around it; where it drops comments, there is nothing to fill.
"""

from __future__ import annotations

import re
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Final, NamedTuple

from mkdocs_recall.directives.fences import MARKER_HINT
from mkdocs_recall.readers.built import HTML_SUFFIXES, page_url
from mkdocs_recall.rendering.copies import FORMATS, fill_copy

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from mkdocs_recall.rendering.insertion import PageQuote

COPY_SUFFIXES: Final = tuple(suffix for suffix in FORMATS if suffix not in HTML_SUFFIXES)
_HINT: Final = b"recall:fence "
_DIRECTIVE: Final = re.compile(
    r"!-- recall:fence ([\w+/\\]{4,}={0,2}) --(>|&gt;|\\u003e)"
    r"(?:(?:(?!recall:fence).)*?(?:<|&lt;|\\u003c)!-- \\?/recall:fence --(?:>|&gt;|\\u003e))?",
    re.DOTALL,
)
"""A comment and, where it has been filled, the quote and its end, in any of the formats."""
_SEVERAL: Final = (
    "the same directive is on several pages, which answer it with different quotes, so that it "
    "is not known which belongs into this copy; it stays a comment"
)
_UNKNOWN: Final = (
    "a comment asks for a quote that no page of the site asks for, so it stays a comment; build "
    "the site anew"
)


class FilledDirective(NamedTuple):
    """A directive of a page, with its quote."""

    id: str
    payload: str
    """What its comment holds."""
    path: str
    """The page's path from the site's folder."""
    quote: PageQuote
    """The quote between its comments."""


def fill_copies(
    files: Iterable[tuple[str, str]],
    directives: Sequence[FilledDirective],
    site_url: str,
    warnings: list[str],
) -> Iterator[tuple[str, bytes]]:
    """Yield each file that changes, with its new content.

    Args:
        files: The path from the site's folder, and the absolute path, of each that may be a copy.
        site_url: Where the site is published; empty where that is not known.
    """
    known: dict[str, list[FilledDirective]] = {}
    for directive in directives:
        known.setdefault(directive.payload, []).append(directive)
    quotes = {directive.id: directive.quote for directive in directives}
    for path, file in files:
        data = Path(file).read_bytes()
        if _HINT not in data:
            continue
        try:
            text = data.decode()
        except UnicodeDecodeError:
            warnings.append(f"{path}: is not UTF-8, so the quotes in it are not filled")
            continue
        copy = _Copy(path, known)
        marked = _DIRECTIVE.sub(copy.mark, text)
        warnings += copy.warnings
        suffix = PurePosixPath(path).suffix.lower()
        filled = fill_copy(marked, suffix, quotes, url=page_url(path), site=site_url)
        if filled != text:
            yield file, filled.encode()


class _Copy:
    """A file while its directives are replaced by markers."""

    def __init__(self, path: str, known: Mapping[str, Sequence[FilledDirective]]) -> None:
        self._path = path
        self._known = known
        self.warnings: list[str] = []

    def mark(self, match: re.Match[str]) -> str:
        """Return the marker of a directive; what is written where it cannot be told which it is."""
        directives = self._known.get(match[1].replace("\\", ""), ())
        of_page = [one for one in directives if self._path in _twins(one)]
        choice = of_page or directives
        if not choice:
            self.warnings.append(f"{self._path}: {_UNKNOWN}")
            return match[0]
        if len({one.quote.html for one in choice}) > 1:
            self.warnings.append(f"{self._path}: {_SEVERAL}")
            return match[0]
        return f"{MARKER_HINT}{choice[0].id} --{match[2]}"


def _twins(directive: FilledDirective) -> set[str]:
    """Return the paths that a copy of a page beside it may have."""
    page = PurePosixPath(directive.path)
    names = {f"{page}{suffix}" for suffix in COPY_SUFFIXES}
    names |= {str(page.with_suffix(suffix)) for suffix in COPY_SUFFIXES}
    if page.stem == "index" and page.parent.name:
        names |= {f"{page.parent}{suffix}" for suffix in COPY_SUFFIXES}
    return names
