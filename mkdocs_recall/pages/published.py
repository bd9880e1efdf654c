"""The file that a site publishes, `recall.jsonl.gz`, and the copies of it that other sites use.

It is JSON, one value per line, compressed by gzip: a header, the document frequencies of words by
language, then one page per line. A file may come from anywhere, so reading checks sizes and types.

A site names the other sites that it may quote in `sites`. Their copies are beside `mkdocs.yml`,
each opened when a source first names its site. Nothing here uses the network: `mkdocs-recall fetch`
writes the copies, and their digests into `recall-sites.lock`; a copy without its digest is refused.
The lock file has one block per site, sorted by name, so that the changes of two branches merge.
"""

from __future__ import annotations

import gzip
import os
import re
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache, partial
from glob import glob, has_magic
from hashlib import sha256
from io import BytesIO
from os import PathLike
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeVar
from urllib.parse import quote, urljoin, urlsplit

from msgspec import Raw, Struct, structs
from msgspec.structs import asdict, astuple

from mkdocs_recall.directives.catalog import settings, truth
from mkdocs_recall.errors import OptionError, PublishedFileError, SiteCopyError, SiteError
from mkdocs_recall.files import (
    as_file,
    check_place,
    content_digest,
    file_errors,
    fingerprint,
    write_atomically,
)
from mkdocs_recall.messages import kind_of, shown
from mkdocs_recall.pages.config import plugin_option, stated_text
from mkdocs_recall.pages.reader import ListedPage, Reader
from mkdocs_recall.store import MISSHAPEN, Cache, digest, pack_json, pipeline, unpack_json
from mkdocs_recall.text.document import pack, unpack
from mkdocs_recall.text.front_matter import Validity
from mkdocs_recall.text.language import get_language
from mkdocs_recall.text.model import Document, Publisher
from mkdocs_recall.text.sentences import distinct_words

_T = TypeVar("_T")
_DIGITS: Final = 32
"""The digits of a page's digest: 128 bits."""


class PackedPage(NamedTuple):
    """A page ready for a published file."""

    line: bytes
    language: str
    words: tuple[str, ...]
    """Each word once: folded, without stop words."""


def pack_page(document: Document, expires: str = "") -> PackedPage:
    """Return a page in the form of a published file."""
    # Others do not have the author's file, and older versions cannot read questions.
    title = document.title.encode("utf-8", "replace").decode()
    page = replace(document, title=title, asks=())
    packed = pack(page, with_lines=False)
    if not packed:  # a plugin has put a lone surrogate into its text
        page = replace(page, blocks=(), headings=())
        packed = pack(page)
    line = PublishedPage(
        uri=page.uri,
        url=page.url,
        title=title,
        digest=sha256(packed).hexdigest()[:_DIGITS],
        expires=expires,
        document=Raw(packed),
    )
    words = distinct_words([block.text for block in page.blocks], get_language(page.language))
    return PackedPage(pack_json(line) + b"\n", page.language, tuple(words))


SCHEMA: Final = 1
FILE: Final = "recall.jsonl.gz"
LARGEST: Final = 256 * 1024 * 1024
"""The most bytes of a file; the largest of 22 real documentations has 3 million."""
_LARGEST_LINE: Final = 64 * 1024 * 1024
_LARGEST_UNPACKED: Final = 2 * 1024 * 1024 * 1024
_SMALL: Final = 1024 * 1024
_RATIO: Final = 30
"""The highest ratio of lines to file, from `_SMALL` bytes on; real ones have 5 to 9."""
_MOST_PAGES: Final = 20_000
_MOST_LISTS: Final = 2_000_000
"""The most lists in the JSON of all pages: each block, heading and mark is one, and takes a hundred
times as much memory as in the file. A page may have a tenth of them. The largest of 22 real
documentations has 200,000."""
_LEVEL: Final = 6
"""The level of compression: 44.9 bytes per sentence for 12 real documentations. Level 9 takes two
thirds more time and saves .3 bytes; level 5 takes a quarter less and adds .8 bytes."""
_UNSAFE: Final = re.compile(r"[\x00-\x20\x7f-\x9f\\]")
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_LONGEST_PATH: Final = 2_000


class SiteHeader(Struct, frozen=True):
    """A site's description of itself; only its name is needed."""

    site: str
    """Its name."""
    site_url: str = ""
    """The URL of its root; pages of a site without one are not linked."""
    version: str = ""
    """The version of what it documents."""
    language: str = ""
    licence: str = ""
    copyright: str = ""


class _Statement(Struct):
    """What the first two lines state besides the header."""

    schema: int = 0
    digest: str = ""
    counts: dict[str, int] = {}
    frequencies: dict[str, dict[str, int]] = {}


class PublishedPage(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The line of a page, which is still packed."""

    uri: str
    """Its path from the documentation's root."""
    url: str
    """Its URL, relative to the site's root."""
    title: str
    digest: str
    """The first 32 hexadecimal digits of the document's SHA-256."""
    expires: str = ""
    """When it expires, in ISO 8601; empty if not stated."""
    document: Raw
    """The document, packed by `text.document`."""


class PublishedSite(Struct, frozen=True):
    """A published file."""

    header: SiteHeader
    digest: str
    """The SHA-256 of all lines after the header, in hexadecimal digits."""
    pages: Mapping[str, PublishedPage]
    """The pages by uri, in page order."""

    def document(self, uri: str) -> Document:
        """Return a page, unpacked."""
        try:
            return unpack(uri, self.pages[uri].document)
        except ValueError as error:
            site = shown(self.header.site)
            msg = f"{error}; if a newer mkdocs-recall has published {site}, upgrade this one"
            raise PublishedFileError(msg) from error


def join_pages(header: SiteHeader, pages: Iterable[PackedPage]) -> bytes:
    """Return a site's published file, the same for the same pages."""
    packed = list(pages)
    frequencies: dict[str, Counter[str]] = {}
    for page in packed:
        frequencies.setdefault(page.language, Counter()).update(page.words)
    ordered = {code: dict(sorted(counts.items())) for code, counts in sorted(frequencies.items())}
    lines = b"".join([pack_json({"frequencies": ordered}) + b"\n", *(page.line for page in packed)])
    first = {"schema": SCHEMA, **asdict(header), "counts": {"pages": len(packed)}}
    first["digest"] = sha256(lines).hexdigest()
    buffer = BytesIO()  # without a date and a name, so that the bytes depend on nothing else
    with gzip.GzipFile("", "wb", _LEVEL, buffer, mtime=0) as file:
        file.write(pack_json(first) + b"\n" + lines)
    return buffer.getvalue()


def read_site(path: str | PathLike[str]) -> PublishedSite:
    """Read a published file, leaving its pages packed."""
    lines = _numbered_lines(Path(path))
    header, statement = _header(next(lines)[1], path)
    digest = sha256()
    pages: dict[str, PublishedPage] = {}
    lists = 0
    for number, line in lines:
        digest.update(line)
        if number == 2:  # noqa: PLR2004 - the line after the header
            reason = "the document frequencies do not map words to numbers"
            _read(_Statement, line, path, reason, number)
            continue
        page = _page(line, path, number)
        if page.uri in pages:
            raise _fault(path, f"it has the page '{page.uri}' twice", number)
        pages[page.uri] = page
        if len(pages) > _MOST_PAGES:
            raise _fault(path, f"it has more than {_MOST_PAGES:,} pages", number)
        page_lists = bytes(page.document).count(b"[")
        lists += page_lists
        if page_lists > _MOST_LISTS // 10 or lists > _MOST_LISTS:
            raise _fault(path, "it has more blocks and marks than any documentation has", number)
    if digest.hexdigest() != statement.digest:
        raise _fault(path, "its lines do not have the digest that its header states")
    if statement.counts.get("pages") != len(pages):
        raise _fault(path, "it does not have as many pages as its header states")
    return PublishedSite(header, statement.digest, pages)


def _numbered_lines(path: Path) -> Iterator[tuple[int, bytes]]:
    try:
        if not path.is_file():
            raise _fault(path, "it is not a file" if path.exists() else "there is no such file")
        size = path.stat().st_size
        if size > LARGEST:
            raise _fault(path, f"it has {size:,} bytes, which is more than {LARGEST:,}")
        most = min(_LARGEST_UNPACKED, max(_SMALL, _RATIO * size))
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


def _read(
    kind: type[_T], line: bytes, path: str | PathLike[str], reason: str, number: int | None = None
) -> _T:
    """Return a line's content, or raise an error with the reason."""
    try:
        return unpack_json(kind, line)
    except MISSHAPEN as error:
        raise _fault(path, reason, number) from error


def _header(line: bytes, path: str | PathLike[str]) -> tuple[SiteHeader, _Statement]:
    reason = f"it is not the '{FILE}' of a site: its first line has no schema"
    statement = _read(_Statement, line, path, reason)
    if statement.schema < 1:
        raise _fault(path, reason)
    if statement.schema > SCHEMA:
        newer = f"its schema {shown(statement.schema)} is newer than {SCHEMA}"
        raise _fault(path, f"{newer}: upgrade mkdocs-recall to read it")
    reason = "its header is invalid"
    header = _read(SiteHeader, line, path, reason, 1)
    if not header.site or any(map(_CONTROL.search, astuple(header))):
        raise _fault(path, reason, 1)
    if header.site_url and not is_site_url(header.site_url):
        raise _fault(path, f"its site_url is not an http or https URL: {header.site_url[:80]!r}", 1)
    return header, statement


def _page(line: bytes, path: str | PathLike[str], number: int) -> PublishedPage:
    page = _read(PublishedPage, line, path, "this is not a page", number)
    if not is_publishable(page.uri, page.url):
        raise _fault(path, f"a page has no path within its site: {page.uri[:80]!r}", number)
    if sha256(page.document).hexdigest()[:_DIGITS] != page.digest:
        raise _fault(path, f"the page '{page.uri}' does not have the digest it states", number)
    return page


def is_publishable(uri: str, url: str) -> bool:
    """Tell whether a page's paths stay within its site."""
    return _is_relative(uri, is_url=False) and _is_relative(url, is_url=True)


def unpublishable_warning(uri: str) -> str:
    """Return the warning for a page that cannot be published."""
    return (
        f"{uri}: this page is not published, because its path has a backslash, a control character "
        f"or more than {_LONGEST_PATH:,} characters, or is not UTF-8; rename its file"
    )


def _is_relative(path: str, *, is_url: bool) -> bool:
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
    """Tell whether a text is a site's URL: `http` or `https`, in ASCII."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    is_web = parts.scheme in {"http", "https"} and bool(parts.netloc)
    return is_web and not _UNSAFE.search(url) and quote(url, safe="%/:=&?~#+!$,;'@()*[]") == url


def _fault(path: str | PathLike[str], reason: str, line: int | None = None) -> PublishedFileError:
    place = f"'{Path(path).as_posix()}'" if line is None else f"'{Path(path).as_posix()}':{line}"
    return PublishedFileError(f"{place} cannot be used: {reason}")


COPIES: Final = "recall-sites"
"""The folder of the copies, beside `mkdocs.yml`."""
SITES_LOCK: Final = "recall-sites.lock"
"""The name of the file of their digests, beside `mkdocs.yml`."""
_NAME: Final = re.compile(r"[a-z][a-z0-9_-]+(?:@[A-Za-z0-9._+-]+)?", re.ASCII)
"""Two letters or more: a single one is a drive of Windows."""
_SCHEMES: Final = frozenset(
    {"about", "blob", "data", "file", "ftp", "ftps", "git", "http", "https", "javascript"}
    | {"mailto", "sftp", "ssh", "tel", "urn", "view-source", "ws", "wss"}
)
_DEVICES: Final = re.compile(r"con|prn|aux|nul|(?:com|lpt)[0-9]")
"""Names that no file on Windows can have, with any suffix."""
_NOT_IN_URL: Final = re.compile(r"[^!#-;=?-\[\]_a-z~]")
_LONGEST_URL: Final = 2_000
_MOST: Final = 1_000
"""The most other sites of a site."""


class OtherSite(NamedTuple):
    """Another site that this one may quote."""

    name: str
    """Its name in sources: `flux`, or `flux@2.5` for one of its versions."""
    url: str
    """The URL of its root, or of its published file."""
    private: bool = False
    """Whether quotes from it must not be published."""

    @property
    def file_url(self) -> str:
        """The URL of its published file."""
        path = urlsplit(self.url).path
        return self.url if path.endswith(".gz") else f"{self.url.rstrip('/')}/{FILE}"


def copy_path(root: Path, name: str) -> Path:
    """Return the path of a site's copy."""
    return root / COPIES / f"{name}.jsonl.gz"


def is_site_name(name: str) -> bool:
    """Tell whether a text can be a site's name: `flux`, `flux@2.5`."""
    base = name.partition("@")[0]
    return bool(_NAME.fullmatch(name)) and base not in _SCHEMES and not _DEVICES.fullmatch(base)


def as_sites(value: object) -> dict[str, OtherSite]:
    """Return the other sites by name."""
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise OptionError(
            "'sites' must map names to settings, such as 'flux: {url: https://…}', "
            f"not {shown(value)}"
        )
    if len(value) > _MOST:
        raise OptionError(f"'sites' has {len(value):,} entries, and the limit is {_MOST:,}")
    sites: dict[str, OtherSite] = {}
    by_file: dict[str, str] = {}
    for name, entry in value.items():
        if not isinstance(name, str) or not is_site_name(name):
            raise OptionError(
                f"'sites' cannot have a site {shown(name)}: a name is two or more of a-z, 0-9, '-' "
                "and '_', starts with a letter, is not a URL scheme or a device such as 'nul', and "
                "may end in a version, such as 'flux@2.5'"
            )
        if other := by_file.get(name.lower()):
            msg = f"'sites' has '{other}' and '{name}', which some systems take for one file"
            raise OptionError(msg)
        by_file[name.lower()] = name
        parsers: Mapping[str, Callable[[object], Any]]
        parsers = {"url": lambda url: url, "private": partial(truth, f"sites.{name}.private")}
        example = "a mapping such as {url: https://…}"
        site = settings(f"sites.{name}", entry, parsers, wanted=example)
        sites[name] = OtherSite(name, _as_url(name, site.get("url")), site.get("private", False))
    return sites


def _as_url(name: str, url: object) -> str:
    """Return the checked URL of a site: `https`, or `file`."""
    if not isinstance(url, str):
        problem = "is missing" if url is None else f"must be text, not {kind_of(url)}"
        raise OptionError(
            f"'sites.{name}.url' {problem}; write the URL of the site, such as https://flux.example/"
        )
    try:
        parts = urlsplit(url)
        is_url = parts.scheme == "file" or (parts.scheme == "https" and bool(parts.hostname))
        has_user = "@" in parts.netloc
        _ = parts.port
    except ValueError:
        is_url = has_user = False
    if not is_url or len(url) > _LONGEST_URL or _NOT_IN_URL.search(url):
        msg = f"'sites.{name}.url' must be a URL that starts with https://, not {shown(url)}"
        raise OptionError(msg)
    if has_user or parts.query or parts.fragment:
        raise OptionError(f"'sites.{name}.url' must have no user, query or fragment: {shown(url)}")
    return url


_HEADER: Final = f"""\
# The copies of other sites in '{COPIES}'. Written by 'mkdocs-recall fetch', compared by builds.
# Keep it with your pages; do not edit it.
"""
_LARGEST: Final = 1024 * 1024
_DIGEST: Final = re.compile(r"[0-9a-f]{64}")
_REMEDY: Final = "restore it from version control, or delete it and run 'mkdocs-recall fetch'"


class LockedSite(NamedTuple):
    """The copy of a site."""

    url: str
    """The URL it was fetched from."""
    digest: str
    """The SHA-256 of the file, in hexadecimal digits."""


def file_digest(data: bytes) -> str:
    """Return the digest of a published file."""
    return sha256(data).hexdigest()


def checked_copy_path(root: Path, name: str) -> Path:
    """Return the path of a copy; refuse links out of its folder."""
    path = copy_path(root, name)
    check_place(root / COPIES, SiteCopyError, COPIES)
    check_place(path, SiteCopyError, path.name)
    return path


def read_site_lock(root: Path) -> dict[str, LockedSite]:
    """Return the copies by the names of their sites."""
    path = root / SITES_LOCK
    check_place(path, SiteCopyError, SITES_LOCK)
    try:
        if not path.exists():
            return {}
        from configparser import Error, RawConfigParser

        parser = RawConfigParser(
            default_section="\0",
            delimiters=("=",),
            comment_prefixes=("#",),
            empty_lines_in_values=False,
        )
        if path.stat().st_size > _LARGEST:
            raise _lock_fault(path, f"it has more than {_LARGEST:,} bytes")
        parser.read_string(path.read_text("utf-8"))
    except OSError as error:
        raise _lock_fault(path, error.strerror or str(error)) from error
    except (Error, ValueError) as error:
        raise _lock_fault(path, "it is not written by 'mkdocs-recall fetch'") from error
    sites = {
        name: LockedSite(parser[name].get("url", ""), parser[name].get("sha256", ""))
        for name in parser.sections()
    }
    for name, site in sites.items():
        if not is_site_name(name) or not _DIGEST.fullmatch(site.digest):
            raise _lock_fault(path, f"its block [{name}] names no site and digest")
    return sites


def write_site_lock(root: Path, sites: Mapping[str, LockedSite]) -> None:
    """Write the copies."""
    ordered = sorted(sites.items())
    blocks = [f"[{name}]\nurl = {site.url}\nsha256 = {site.digest}\n" for name, site in ordered]
    path = root / SITES_LOCK
    check_place(path, SiteCopyError, SITES_LOCK)
    try:
        write_atomically(path, "\n".join([_HEADER, *blocks]).encode())
    except OSError as error:
        raise _lock_fault(path, error.strerror or str(error)) from error


def _lock_fault(path: Path, reason: str) -> SiteCopyError:
    return SiteCopyError(f"'{path.name}' cannot be used: {reason}; {_REMEDY}")


_LONGEST_NAME: Final = 200
_ENDING: Final = re.compile(r"(?:\.jsonl)?(?:\.gz)?\Z")
_NO_LETTERS: Final = re.compile(r"[^a-z0-9_@.+-]+")


def matching_files(patterns: Iterable[str], example: str = "org/*.jsonl.gz") -> list[str]:
    """Return the files that patterns match, sorted, each once."""
    files: dict[str, None] = {}
    for pattern in patterns:
        is_pattern = has_magic(pattern)  # a shell does not expand one in quotes
        paths = sorted(glob(pattern, recursive=True)) if is_pattern else [pattern]  # noqa: PTH207 - it may be absolute
        if not paths:
            raise SiteError(f"'{pattern}' matches no file; name files such as '{example}'")
        files |= dict.fromkeys(paths)
    return list(files)


def named_files(files: Iterable[str | PathLike[str]]) -> dict[str, Path]:
    """Return published files by site: named after file or folder."""
    if isinstance(files, (str, bytes)) or not isinstance(files, Iterable):
        raise OptionError(f"'files' must be a list of paths, not {shown(files)}")
    sites: dict[str, Path] = {}
    for file in map(as_file, files):
        path = file.absolute()
        written = path.parent.name if path.name == FILE else _ENDING.sub("", path.name)
        name = _NO_LETTERS.sub("-", written.lower()).strip("-")
        if not is_site_name(name):
            raise SiteError(
                f"'{file}' names no site, since '{written}' cannot be the name of one: a name "
                "has two or more letters and is not a URL scheme or device; rename the file to "
                "'NAME.jsonl.gz', such as 'flux.jsonl.gz'"
            )
        if os.path.realpath(sites.setdefault(name, path)) != os.path.realpath(path):
            raise SiteError(f"'{sites[name]}' and '{path}' are both called '{name}'; rename one")
    if not sites:
        raise SiteError(f"there is no published file; name one, such as 'site/{FILE}'")
    return sites


def published_page(site: PublishedSite, uri: str, *, private: bool = False) -> Document:
    """Return a page as other sites see it, with its publisher."""
    name, _, path = uri.partition(":")
    header = site.header
    root = f"{header.site_url.rstrip('/')}/" if header.site_url else ""
    title, licence, rights = (
        text if len(text) <= _LONGEST_NAME else f"{text[:_LONGEST_NAME]}…"
        for text in (header.site, header.licence, header.copyright)
    )
    return replace(
        site.document(path),
        uri=uri,
        url=urljoin(root, site.pages[path].url) if root else "",
        publisher=Publisher(name, title, root, licence, rights, private),
    )


def page_digest(site: PublishedSite, uri: str, *, private: bool = False) -> bytes:
    """Return the digest of a page as `published_page` returns it."""
    name, _, path = uri.partition(":")
    header, page = site.header, site.pages[path]
    publisher = header.site, header.site_url, header.licence, header.copyright
    return digest("site", name, str(private), *publisher, path, page.url, page.digest)


class PublishedSites(Reader):
    """The pages of published files; a uri begins with its site."""

    def __init__(
        self, files: Mapping[str, str | PathLike[str]], cache_folder: Path | None = None
    ) -> None:
        """Take the files by the names of their sites, without reading them.

        Listings are cached in a folder: a known file is read only when one of its pages is.
        """
        self._files = {name: str(Path(file).absolute()) for name, file in files.items()}
        self._cache_folder = cache_folder

    @property
    def identity(self) -> tuple[str, ...]:
        """The identity of the reader."""
        names = [f"{name}={file}" for name, file in self._files.items()]
        return "published", next(iter(self._files.values())), *names

    def _list(self) -> None:
        most = 1 if self._cache_folder else None  # pages are cached; all may not fit in memory
        self._read = read = lru_cache(most)(lambda name: read_site(self._files[name]))
        cache = Cache(self._cache_folder)  # its own: several threads may look for changes
        self.fingerprints = {file: fingerprint(file) for file in self._files.values()}
        self._sites = {name: self._listed(name, read, cache) for name in self._files}
        cache.save()
        self.pages = [
            ListedPage(uri, self._files[name], None, page_digest(site, uri).hex())
            for name, site in self._sites.items()
            for uri in (f"{name}:{path}" for path in site.pages)
        ]
        self.rendering, self.notice = digest("published"), cache.notice
        self.settings = frozenset(self._files.values())

    def load(self, uri: str) -> Document:
        """Read a page."""
        name = uri.partition(":")[0]
        site, listed = self._read(name), self._sites[name]
        if (site.header, site.digest) != (listed.header, listed.digest):
            raise _fault(self._files[name], "it has changed since its pages were listed")
        return published_page(site, uri)

    def meta(self, uri: str) -> Mapping[str, Any]:
        """Return the relevant front matter of a page."""
        name, _, path = uri.partition(":")
        expires = self._sites[name].pages[path].expires
        return {"t_expired": expires} if expires else {}

    def _listed(
        self, name: str, read: Callable[[str], PublishedSite], cache: Cache
    ) -> PublishedSite:
        file = self._files[name]
        *_, size = fingerprint(file) or (0,)
        if size > LARGEST:  # it is refused
            return read(name)
        content = content_digest(file)
        key = digest("listed file", pipeline(), content)
        with suppress(*MISSHAPEN):
            return unpack_json(PublishedSite, cache.get(key) or b"")
        site = read(name)
        pages = {u: structs.replace(p, document=Raw(b"null")) for u, p in site.pages.items()}
        listed = structs.replace(site, pages=pages)
        if content_digest(file) == content:  # it may be replaced meanwhile
            cache.put(key, pack_json(listed))
        return listed


class OtherSites:
    """The other sites that a site may quote."""

    def __init__(self, settings: Mapping[str, OtherSite], root: Path, *, own_url: str = "") -> None:
        self._settings = settings
        self._root = root
        self._own_url = own_url.rstrip("/")
        self.paths = {name: partial(self._paths, name) for name in settings}
        """Return the pages of each site by their paths there, in page order."""
        self._sites: dict[str, PublishedSite | SiteError] = {}
        """The opened sites; a fault is kept, too."""
        lock = str(root / SITES_LOCK)
        self._fingerprints = {lock: fingerprint(lock)}
        """The fingerprints of the lock file and of each opened copy."""
        self._locked: Mapping[str, LockedSite] | None = None

    @classmethod
    def of_site(cls, config_file: Path | None) -> OtherSites | None:
        """Return the sites that a `mkdocs.yml` names, if any."""
        if config_file is None:
            return None
        settings = plugin_option(config_file, "sites", as_sites)
        if not settings:
            return None
        own_url = stated_text(config_file, "site_url")
        return cls(settings, config_file.absolute().parent, own_url=own_url)

    def _paths(self, name: str) -> Sequence[str]:
        return tuple(self._open(name).pages)

    def document(self, uri: str) -> Document:
        """Return a page by its uri."""
        site = self._settings[uri.partition(":")[0]]
        return published_page(self._open(site.name), uri, private=site.private)

    def digest(self, uri: str) -> bytes:
        """Return the digest of a page by its uri."""
        site = self._settings[uri.partition(":")[0]]
        return page_digest(self._open(site.name), uri, private=site.private)

    def validity(self, uri: str) -> Validity:
        """Return when a page is valid, by its uri."""
        name, _, path = uri.partition(":")
        return Validity("", self._open(name).pages[path].expires)

    def is_current(self) -> bool:
        """Tell whether the lock file and the opened copies are unchanged."""
        return all(fingerprint(file) == stamp for file, stamp in self._fingerprints.items())

    def _open(self, name: str) -> PublishedSite:
        if name not in self._sites:
            copy = str(copy_path(self._root, name))
            self._fingerprints[copy] = fingerprint(copy)
            try:
                self._sites[name] = self._read(name)
            except SiteError as error:
                self._sites[name] = error
        site = self._sites[name]
        if isinstance(site, SiteError):
            raise site
        return site

    def _read(self, name: str) -> PublishedSite:
        path = checked_copy_path(self._root, name)
        fetch = f"mkdocs-recall fetch {name}"
        copy = f"{COPIES}/{path.name}"
        if not path.is_file():
            raise SiteError(f"the site '{name}' has no copy in '{COPIES}'; run '{fetch}'")
        if self._locked is None:
            self._locked = read_site_lock(self._root)
        locked = self._locked.get(name)
        if locked is None:
            msg = f"'{SITES_LOCK}' does not list the copy of the site '{name}'; run '{fetch}'"
            raise SiteError(msg)
        with file_errors(copy):
            is_locked = file_digest(path.read_bytes()) == locked.digest
        if not is_locked:
            raise SiteCopyError(
                f"'{copy}' does not have the digest that '{SITES_LOCK}' states; restore both from "
                f"version control, or run '{fetch} --update'"
            )
        try:
            published = read_site(path)
        except PublishedFileError as error:  # a quote's page must not name folders of this machine
            text = str(error).replace(path.as_posix(), copy)
            raise PublishedFileError(f"{text}; '{fetch} --update' replaces it") from error
        header = published.header
        own_url = self._own_url if "@" not in name else ""
        if own_url and header.site_url.rstrip("/") == own_url:
            msg = f"the site '{name}' is this site itself; write its sources without '{name}:'"
            raise SiteError(msg)
        return published
