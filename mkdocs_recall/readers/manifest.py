"""What is known of an origin's pages and of all that they were read from: for `library`.

A file that has its date and size still is not opened; one that has not, but says the same, is what
it was: a fresh checkout changes nothing.
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from mkdocs_recall.cache.files import content_digest, fingerprint, listing_digest
from mkdocs_recall.cache.store import digest
from mkdocs_recall.text.front_matter import parse_moment

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from mkdocs_recall.readers.base import ListedPage

Stamp: TypeAlias = "list[int] | None"
"""What tells one version of a file from another; None where there is none."""
_PAGES: Final = (".md", ".markdown", ".mdown", ".mkdn", ".mkd", ".html", ".htm")
"""What may be a page."""
_MISSHAPEN: Final = (TypeError, ValueError, LookupError, AttributeError, RecursionError)
"""What JSON of another shape leads to."""


class FileVersion(NamedTuple):
    """A version of a file."""

    stamp: Stamp
    text: str
    """The digest of what it says, in hexadecimal digits."""

    def now(self, file: str) -> FileVersion | None:
        """Return the version of a file, if it says what this one says, else None."""
        stamp = fingerprint(file)
        if stamp == self.stamp:
            return self
        return FileVersion(stamp, self.text) if content_digest(file) == self.text else None


def file_version(file: str) -> FileVersion:
    """Return the version that a file has now."""
    return FileVersion(fingerprint(file), content_digest(file))


class PageEntry(NamedTuple):
    """What is known of a page."""

    file: str
    version: FileVersion
    title: str | None
    refused: bool
    expires: str = ""
    """From when on it does not hold, in ISO 8601; empty where it does not say."""
    key: str = ""
    """Of its Document in the cache, in hexadecimal digits; empty where it was not read yet."""
    others: Mapping[str, FileVersion] = {}
    """The other files it was read from, or would have been if they were there."""
    links: Mapping[str, str | None] = {}
    """The paths that were looked for, and what was found."""

    def now(self, listed: ListedPage, find: Callable[[str], str | None]) -> PageEntry | None:
        """Return it as it is now, if it would be read to the same, else None.

        Args:
            listed: The page.
            find: Returns what a path leads to.
        """
        if (self.file, self.title) != (listed.file, listed.title):
            return None
        version = self.version.now(self.file)
        others = {file: version.now(file) for file, version in self.others.items()}
        known = {file: other for file, other in others.items() if other is not None}
        if version is None or len(known) < len(others):
            return None
        if any(find(path) != found for path, found in self.links.items()):
            return None
        return self._replace(version=version, others=known)


class Manifest(NamedTuple):
    """What is known of an origin."""

    roots: Iterable[str]
    """The folders it lies in."""
    all_of_them: bool
    """Whether what is hidden in them, or installed there, counts."""
    listing: str
    settings: Mapping[str, Stamp]
    """Of the files of its settings, and of where it is."""
    variables: Mapping[str, str]
    """The digest of each variable's value; empty for one that is not set."""
    rendering: str
    """Stands for all that shapes what a page is read to, but its files."""
    refused: Mapping[str, str]
    pages: dict[str, PageEntry]
    """In page order."""

    def is_current(self, place: str) -> bool:
        """Tell whether no file has another date or size since.

        Args:
            place: Where the origin is. Nobody can know its stamp from elsewhere: a snapshot without
                it may say that the pages are any files.
        """
        return (
            bool(self.settings.get(place))
            and roots_listing(self.roots, all_of_them=self.all_of_them) == self.listing
            and all(fingerprint(file) == stamp for file, stamp in self.settings.items())
            and variable_digests(self.variables) == self.variables
            and all(fingerprint(file) == stamp for file, stamp in self._others())
        )

    def _others(self) -> Iterable[tuple[str, Stamp]]:
        """Return the files that pages were read from, besides their own."""
        found: dict[str, Stamp] = {}
        for entry in self.pages.values():
            for file, version in entry.others.items():
                found[file] = version.stamp
        return found.items()


def roots_listing(roots: Iterable[str], *, all_of_them: bool) -> str:
    """Return what stands for all that lies in some folders."""
    return listing_digest(roots, _PAGES, all_of_them=all_of_them)


def variable_digests(variables: Iterable[str]) -> dict[str, str]:
    """Return the digest of each environment variable; an empty text for one that is not set."""
    values = {name: os.environ.get(name) for name in sorted(variables)}
    return {name: "" if value is None else digest(value).hex() for name, value in values.items()}


def pack_manifest(snapshot: Manifest) -> bytes:
    """Return a snapshot as bytes: JSON."""
    return json.dumps(snapshot, separators=(",", ":")).encode()


def unpack_manifest(packed: bytes | None) -> Manifest | None:
    """Return what `pack_manifest` was given; None, where it is none."""
    try:
        *others, pages = json.loads(packed or b"")
        snapshot = Manifest._make([*others, {uri: _entry(*each) for uri, each in pages.items()}])
        _check(snapshot)
    except _MISSHAPEN:
        return None
    return snapshot


def _entry(file: str, version: Any, *more: Any) -> PageEntry:  # noqa: ANN401 - it may be anything
    title, refused, expires, key, others, links = more
    known = {other: FileVersion(*each) for other, each in others.items()}
    return PageEntry(file, FileVersion(*version), title, refused, expires, key, known, links)


def _check(snapshot: Any) -> None:  # noqa: ANN401 - it may be anything
    """Raise one of `_MISSHAPEN` where something is no snapshot."""
    mappings = [snapshot.settings, snapshot.variables, snapshot.refused]
    texts = [*snapshot.roots, snapshot.listing, snapshot.rendering]
    for entry in snapshot.pages.values():
        mappings += entry.others, entry.links
        texts += entry.file, entry.key, entry.version.text
        if entry.expires:
            parse_moment(entry.expires)
    texts += (name for mapping in mappings for name in dict(mapping))
    if not all(isinstance(text, str) for text in texts):
        msg = "no text where text should be"
        raise TypeError(msg)
