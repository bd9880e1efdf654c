"""The file that a site publishes, `recall.jsonl.gz`: all that it can be asked for.

It is JSON, one value a line, compressed by gzip: a header, the document frequencies of words by
language, then one page a line. Whoever reads one may have it from anywhere, so reading checks sizes
and types, and makes nothing but texts and numbers.
"""

from __future__ import annotations

import gzip
import json
import re
import zlib
from dataclasses import asdict, dataclass, fields
from functools import partial
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from urllib.parse import quote, urlsplit

from mkdocs_recall.cache.shapes import shape_test
from mkdocs_recall.errors import PublishedFileError
from mkdocs_recall.publishing.packed_page import (
    DOCUMENT,
    compact_json,
    count_words,
    document_digest,
    pack_page,
)
from mkdocs_recall.text.packing import unpack

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from os import PathLike

    from mkdocs_recall.publishing.packed_page import PackedPage
    from mkdocs_recall.text.model import Document

SCHEMA: Final = 1
FILE: Final = "recall.jsonl.gz"
LARGEST: Final = 256 * 1024 * 1024
"""Bytes of a file; the largest of 22 real documentations has 3 million."""
_LARGEST_LINE: Final = 64 * 1024 * 1024
_LARGEST_UNPACKED: Final = 2 * 1024 * 1024 * 1024
_SMALL: Final = 16 * 1024 * 1024
_RATIO: Final = 60
"""How many times larger than the file its lines may be, where they have more than `_SMALL` bytes.
Those of real documentations are 5 to 9 times larger."""
_LEVEL: Final = 6
"""Of compression: of 12 real documentations, files have 44.9 bytes a sentence. Level 9 takes two
thirds more time and saves .3 bytes; level 5 takes a quarter less and adds .8 bytes."""
_UNSAFE: Final = re.compile(r"[\x00-\x20\x7f-\x9f\\]")
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_LONGEST_PATH: Final = 2_000


@dataclass(frozen=True, slots=True)
class SiteHeader:
    """What a site says about itself. All texts may be empty but its name."""

    site: str
    """Its name."""
    site_url: str = ""
    """The URL of its root, with `http` or `https`; pages of a site without one are not linked."""
    version: str = ""
    """Of what it documents."""
    language: str = ""
    licence: str = ""
    copyright: str = ""


class PublishedPage(NamedTuple):
    """A page of a published file, still packed."""

    uri: str
    """Its path from the documentation's root."""
    url: str
    """Its URL, relative to the site's root."""
    title: str
    digest: str
    """The first 32 hexadecimal digits of the SHA-256 of the packed document."""
    document: bytes
    """As `text.packing` packs it."""
    expires: str = ""
    """From when on it no longer holds, in ISO 8601; empty where it does not say."""


@dataclass(frozen=True, slots=True)
class PublishedSite:
    """A published file."""

    header: SiteHeader
    digest: str
    """The SHA-256 of all lines after the header, in hexadecimal digits."""
    frequencies: Mapping[str, Mapping[str, int]]
    """By language, in how many pages each word occurs."""
    pages: Mapping[str, PublishedPage]
    """By uri, in page order."""

    def document(self, uri: str) -> Document:
        """Return a page, unpacked."""
        try:
            return unpack(uri, self.pages[uri].document)
        except ValueError as error:
            raise PublishedFileError(str(error)) from error


_TEXTS: Final = tuple(field.name for field in fields(SiteHeader))
_HAS_COUNTS: Final = shape_test({str: int})
_HAS_FREQUENCIES: Final = shape_test({str: {str: int}})
_PAGE_TEXTS: Final = ("uri", "url", "title", "digest", "expires")


def pack_site(
    header: SiteHeader,
    pages: Iterable[Document],
    *,
    expires: Mapping[str, str] | None = None,
) -> bytes:
    """Return the published file of a site; the same bytes for the same pages.

    Args:
        expires: When pages expire, in ISO 8601, by uri.
    """
    until = expires or {}
    packed = [pack_page(page, until.get(page.uri, "")) for page in pages]
    return join_pages(header, packed)


def join_pages(header: SiteHeader, pages: Iterable[PackedPage]) -> bytes:
    """Return the published file of a site; the same bytes for the same pages."""
    packed = list(pages)
    return join_lines(header, [page.line for page in packed], count_words(packed))


def join_lines(
    header: SiteHeader,
    lines: Sequence[bytes],
    frequencies: Mapping[str, Mapping[str, int]],
) -> bytes:
    """Return the published file of a site from the lines of its pages."""
    known = {
        code: {word: counts[word] for word in sorted(counts)}
        for code, counts in sorted(frequencies.items())
    }
    rest = b"".join([compact_json({"frequencies": known}) + b"\n", *lines])
    first = {"schema": SCHEMA, **asdict(header), "counts": {"pages": len(lines)}}
    first["digest"] = sha256(rest).hexdigest()
    return _compress(compact_json(first) + b"\n" + rest)


def _compress(data: bytes) -> bytes:
    """Compress without a date and a name, so that the bytes depend on nothing else."""
    buffer = BytesIO()
    with gzip.GzipFile("", "wb", _LEVEL, buffer, mtime=0) as file:
        file.write(data)
    return buffer.getvalue()


def read_site(path: str | PathLike[str]) -> PublishedSite:
    """Return a published file, with its pages still packed."""
    lines = _numbered_lines(Path(path))
    header, stated, counts = _header(_object(next(lines)[1], path, 1), path)
    digest = sha256()
    frequencies: Mapping[str, Mapping[str, int]] = {}
    pages: dict[str, PublishedPage] = {}
    for number, line in lines:
        digest.update(line)
        if number == 2:  # noqa: PLR2004 - the line after the header
            frequencies = _object(line, path, number).get("frequencies", {})
            if not _HAS_FREQUENCIES(frequencies):
                raise _fault(path, "the document frequencies are no numbers by word", number)
            continue
        page = _page(line, path, number)
        if page.uri in pages:
            raise _fault(path, f"it has the page '{page.uri}' twice", number)
        pages[page.uri] = page
    if digest.hexdigest() != stated:
        raise _fault(path, "its lines do not have the digest that its header states")
    if counts.get("pages") != len(pages):
        raise _fault(path, "it does not have as many pages as its header states")
    return PublishedSite(header, stated, frequencies, pages)


def _numbered_lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """Yield number and text of the lines of a file, at least one, within bounds."""
    try:
        if not path.is_file():
            reason = "it is not a file" if path.exists() else "there is no such file"
            raise _fault(path, reason)
        size = path.stat().st_size
        if size > LARGEST:
            raise _fault(path, f"it has {size:,} bytes, which is more than {LARGEST:,}")
        most = largest_unpacked(size)
        number = 0
        with gzip.open(path) as file:
            for number, line in enumerate(iter(partial(file.readline, _LARGEST_LINE), b""), 1):
                most -= len(line)
                if most < 0:
                    raise _fault(path, "it unpacks to more than any documentation has", number)
                if not line.endswith(b"\n"):
                    raise _fault(path, "the line is too long, or the file ends in it", number)
                yield number, line
    except (EOFError, zlib.error) as error:
        raise _fault(path, "it is truncated or damaged") from error
    except gzip.BadGzipFile as error:
        raise _fault(path, "it is not compressed by gzip, or damaged") from error
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        raise _fault(path, f"it cannot be read: {getattr(error, 'strerror', error)}") from error
    if not number:
        raise _fault(path, "it is empty")


def largest_unpacked(size: int) -> int:
    """Return how many bytes a file of so many bytes may unpack to."""
    return min(_LARGEST_UNPACKED, max(_SMALL, _RATIO * size))


def _object(line: bytes, path: str | PathLike[str], number: int) -> dict[str, Any]:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise _fault(path, "this is not JSON", number) from error
    if not isinstance(value, dict):
        raise _fault(path, "this is not a JSON object", number)
    return value


def _header(
    value: dict[str, Any], path: str | PathLike[str]
) -> tuple[SiteHeader, str, dict[str, int]]:
    """Return the header, the digest and the counts that the first line states."""
    schema = value.get("schema")
    if type(schema) is not int or schema < 1:
        raise _fault(path, f"it is not the '{FILE}' of a site: its first line has no schema")
    if schema > SCHEMA:
        msg = f"its schema {schema} is newer than {SCHEMA}: upgrade mkdocs-recall to read it"
        raise _fault(path, msg)
    texts = {name: value.get(name, "") for name in _TEXTS}
    digest, counts = value.get("digest"), value.get("counts")
    is_text = all(isinstance(text, str) and not _CONTROL.search(text) for text in texts.values())
    if not is_text or not isinstance(digest, str) or not _HAS_COUNTS(counts) or not texts["site"]:
        raise _fault(path, "its header is not as it should be", 1)
    if texts["site_url"] and not is_site_url(texts["site_url"]):
        raise _fault(path, f"its site_url is no http or https URL: {texts['site_url'][:80]!r}", 1)
    return SiteHeader(**texts), digest, dict(counts or {})


def _page(line: bytes, path: str | PathLike[str], number: int) -> PublishedPage:
    head, found, packed = line.partition(DOCUMENT)
    if not found or not packed.endswith(b"}\n"):
        raise _fault(path, "this is not a page", number)
    value = _object(head + b"}", path, number)
    texts = {name: value.get(name, "") for name in _PAGE_TEXTS}
    if not all(isinstance(text, str) for text in texts.values()):
        raise _fault(path, "this is not a page", number)
    page = PublishedPage(**texts, document=packed[:-2])
    if not is_publishable(page.uri, page.url):
        raise _fault(path, f"a page has no path within its site: {page.uri[:80]!r}", number)
    if document_digest(page.document) != page.digest:
        raise _fault(path, f"the page '{page.uri}' does not have the digest it states", number)
    return page


def is_publishable(uri: str, url: str) -> bool:
    """Tell whether a published file may have a page: its paths stay within its site.

    Args:
        url: Its URL, relative to the site's root.
    """
    return _is_relative(uri, is_url=False) and _is_relative(url, is_url=True)


def unpublishable_warning(uri: str) -> str:
    """Return the warning for a page that no published file may have, with the remedy."""
    return (
        f"{uri}: this page is not published, because its path has a backslash, a control character "
        f"or more than {_LONGEST_PATH:,} characters; rename its file"
    )


def _is_relative(path: str, *, is_url: bool) -> bool:
    """Tell whether a path stays within its site."""
    if len(path) > _LONGEST_PATH or (_UNSAFE if is_url else _CONTROL).search(path):
        return False
    if path.startswith("/") or "\\" in path:
        return False
    if not is_url:
        return all(name not in {"", ".", ".."} for name in path.split("/"))
    try:
        parts = urlsplit(path)
    except ValueError:
        return False
    return not parts.scheme and not parts.netloc and ".." not in parts.path.split("/")


def is_site_url(url: str) -> bool:
    """Tell whether a text is the URL of a site: `http` or `https`, in ASCII."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    is_web = parts.scheme in {"http", "https"} and bool(parts.netloc)
    return is_web and not _UNSAFE.search(url) and quote(url, safe="%/:=&?~#+!$,;'@()*[]") == url


def _fault(path: str | PathLike[str], reason: str, line: int | None = None) -> PublishedFileError:
    """Return the error for a file; a line counts from 1, of the unpacked text."""
    place = f"'{Path(path).as_posix()}'" if line is None else f"'{Path(path).as_posix()}':{line}"
    return PublishedFileError(f"{place} cannot be used: {reason}")
