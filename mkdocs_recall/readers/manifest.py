"""The manifest of a site or folder: its pages, and all files that they were read from.

A file with the same date and size as before is not opened. One whose date or size differs, but not
its content, has not changed: a fresh checkout changes nothing. To cache the manifest, and to read
the pages, is left to `library`.
"""

from __future__ import annotations

import json
import os
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from mkdocs_recall.cache.files import content_digest, fingerprint, listing_digest
from mkdocs_recall.cache.shapes import Row, shape_test
from mkdocs_recall.cache.store import digest
from mkdocs_recall.text.front_matter import parse_moment

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from mkdocs_recall.index.filters import Scalar
    from mkdocs_recall.readers.base import ListedPage

Fingerprint: TypeAlias = "list[int] | None"
"""What distinguishes two versions of a file; None where there is no file."""
PAGES: Final = (".md", ".markdown", ".mdown", ".mkdn", ".mkd", ".mdx", ".html", ".htm")
"""The suffixes of files that may be pages."""


class FileVersion(NamedTuple):
    """A version of a file."""

    fingerprint: Fingerprint
    content: str
    """The digest of the content, in hexadecimal digits."""

    def current(self, file: str) -> FileVersion | None:
        """Return the version that a file has now if its content is the same, else None."""
        now = fingerprint(file)
        if now == self.fingerprint:
            return self
        return FileVersion(now, self.content) if _digest(file, now) == self.content else None


def file_version(file: str) -> FileVersion:
    """Return the version that a file has now."""
    now = fingerprint(file)
    return FileVersion(now, _digest(file, now))


def _digest(file: str, stamp: Fingerprint) -> str:
    return _content_digest(file, tuple(stamp or ()))


@lru_cache(maxsize=1)  # thousands of pages in a row may be read from one published file
def _content_digest(file: str, _: tuple[int, ...]) -> str:
    return content_digest(file)


class PageEntry(NamedTuple):
    """A page, and the files that it was read from."""

    file: str
    version: FileVersion
    title: str | None
    excluded: bool
    """Whether its front matter says that it is never quoted."""
    expires: str = ""
    """From when on it no longer holds, in ISO 8601; empty where it does not say."""
    valid: str = ""
    """Since when it holds, as `expires`."""
    meta: Mapping[str, list[Scalar]] = {}
    """Its front matter, as filters of sources compare it."""
    key: str = ""
    """Of its Document in the cache, in hexadecimal digits; empty before it is read."""
    others: Mapping[str, FileVersion] = {}
    """The other files it was read from, or would have been if they existed."""
    links: Mapping[str, str | None] = {}
    """The paths that it links to, and the page or file that each leads to."""

    def current(self, listed: ListedPage, find: Callable[[str], str | None]) -> PageEntry | None:
        """Return the entry with the present versions if the page would read the same, else None.

        Args:
            find: Returns the page or file that a path leads to.
        """
        if (self.file, self.title) != (listed.file, listed.title):
            return None
        version = self.version.current(self.file)
        others = {file: version.current(file) for file, version in self.others.items()}
        unchanged = {file: version for file, version in others.items() if version is not None}
        if version is None or len(unchanged) < len(others):
            return None
        if any(find(path) != target for path, target in self.links.items()):
            return None
        return self._replace(version=version, others=unchanged)


class Manifest(NamedTuple):
    """The pages of a site or folder, and the files that decide what they are."""

    roots: Iterable[str]
    """The folders in which the pages lie."""
    include_ignored: bool
    """Whether hidden and installed files may be pages."""
    listing: str
    """The digest of the files in `roots`."""
    settings: Mapping[str, Fingerprint]
    """Of the files of the site's settings, and of the site's file or folder itself."""
    variables: Mapping[str, str]
    """The digest of each environment variable that the settings name; empty where it is unset."""
    folder: str
    """The folder of which any changed file may change any page; empty for none."""
    outputs: Iterable[str]
    """Folders whose files are none of these: those of a build, and of the cache."""
    files: str
    """The digest of the files in `folder`."""
    rendering: str
    """The digest of all that shapes a page's text except its files."""
    refused: Mapping[str, str]
    """Pages that may not be quoted, with the reason."""
    pages: dict[str, PageEntry]
    """In page order."""

    def is_current(self, place: str) -> bool:
        """Tell whether all files still have the date and size that they had.

        Args:
            place: The site's file or folder. Its fingerprint cannot be guessed on another machine:
                a manifest without it may come from elsewhere, and claim any file as a page.
        """
        return (
            bool(self.settings.get(place))
            and roots_listing(self.roots, include_ignored=self.include_ignored) == self.listing
            and all(fingerprint(file) == stamp for file, stamp in self.settings.items())
            and variable_digests(self.variables) == self.variables
            and folder_digest(self.folder, self.roots, self.outputs) == self.files
            and all(fingerprint(file) == stamp for file, stamp in self._others())
        )

    def in_copy(self, folder: str, copy: str) -> Manifest:
        """Return the manifest of a copy of a folder; the files in it are yet to be compared."""
        above = os.path.join(folder, "")  # noqa: PTH118

        def moved(file: str) -> str:
            return f"{copy}{file[len(folder) :]}" if file.startswith(above) else file

        pages = {}
        for uri, entry in self.pages.items():
            others = {moved(file): version for file, version in entry.others.items()}
            pages[uri] = entry._replace(file=moved(entry.file), others=others)
        return self._replace(pages=pages, settings={})

    def _others(self) -> Iterable[tuple[str, Fingerprint]]:
        """Return the files that pages were read from besides their own, each once."""
        others: dict[str, Fingerprint] = {}
        for entry in self.pages.values():
            for file, version in entry.others.items():
                others[file] = version.fingerprint
        return others.items()


_TEXT_OR_NULL: Final = (str, type(None))
_VERSION: Final = Row(([int], type(None)), str)
_SCALAR: Final = (str, int, float, bool, type(None))
_ENTRY: Final = Row(
    *(str, _VERSION, _TEXT_OR_NULL, bool, str, str, {str: [_SCALAR]}, str),
    *({str: _VERSION}, {str: _TEXT_OR_NULL}),
)
_is_manifest: Final = shape_test(
    Row(
        *([str], bool, str, {str: ([int], type(None))}, {str: str}),
        *(str, [str], str, str, {str: str}, {str: _ENTRY}),
    )
)


def roots_listing(roots: Iterable[str], *, include_ignored: bool) -> str:
    """Return the digest of the names of all files in some folders, and of the pages' versions."""
    return listing_digest(roots, PAGES, include_ignored=include_ignored)


def folder_digest(folder: str, roots: Iterable[str], outputs: Iterable[str]) -> str:
    """Return the digest of all files in a folder but hidden and installed ones; "" for none.

    Args:
        roots: The folders of the pages, which may lie elsewhere.
        outputs: Folders to leave out.
    """
    if not folder:
        return ""
    inside = os.path.join(folder, "")  # noqa: PTH118
    folders = [folder, *(root for root in roots if not root.startswith(inside))]
    return listing_digest(folders, ("",), include_ignored=False, without=frozenset(outputs))


def variable_digests(variables: Iterable[str]) -> dict[str, str]:
    """Return the digest of each environment variable; an empty text for one that is not set."""
    values = {name: os.environ.get(name) for name in sorted(variables)}
    return {name: "" if value is None else digest(value).hex() for name, value in values.items()}


def pack_manifest(manifest: Manifest) -> bytes:
    """Return a manifest as bytes: JSON."""
    return json.dumps(manifest, separators=(",", ":")).encode()


def unpack_manifest(packed: bytes | None) -> Manifest | None:
    """Return the manifest that `pack_manifest` has packed; None for anything else."""
    try:
        values = json.loads(packed or b"")
        if not _is_manifest(values):
            return None
        *others, pages = values
        entries = {uri: _unpack_entry(*entry) for uri, entry in pages.items()}
    except (ValueError, RecursionError):
        return None
    return Manifest._make([*others, entries])


def _unpack_entry(file: str, version: list[Any], *values: Any) -> PageEntry:  # noqa: ANN401 - see `_ENTRY`
    """Return an entry whose shape was checked."""
    title, excluded, expires, valid, meta, key, others, links = values
    for moment in filter(None, (expires, valid)):
        parse_moment(moment)
    versions = {other: FileVersion(*values) for other, values in others.items()}
    stated = (title, excluded, expires, valid, meta, key)
    return PageEntry(file, FileVersion(*version), *stated, versions, links)
