"""The published files of other sites, fetched: the only module that uses the network.

A file and all of its pages are read before anything is written. A copy is replaced only on request.
"""

from __future__ import annotations

import ssl
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from http.client import HTTPException, HTTPMessage
from pathlib import Path
from queue import Empty, SimpleQueue
from tempfile import TemporaryDirectory
from threading import Thread
from typing import IO, Final
from urllib import request
from urllib.error import HTTPError, URLError
from urllib.parse import urljoin, urlsplit

from mkdocs_recall.errors import PublishedFileError, SiteError, did_you_mean
from mkdocs_recall.files import file_errors, write_atomically
from mkdocs_recall.pages import published
from mkdocs_recall.pages.config import plugin_option

TIMEOUT: Final = 30.0
"""Seconds that a server may be silent."""
_PATIENCE: Final = 600.0
"""Seconds that a file may take in all, from the name lookup to the last byte: a server that sends a
byte now and then is never silent."""
_CHUNK: Final = 64 * 1024


class _SameHost(request.HTTPRedirectHandler):
    """Follows redirects within a host only."""

    max_redirections = 5

    def redirect_request(  # noqa: PLR0917 - as urllib has it
        self,
        req: request.Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: HTTPMessage,
        newurl: str,
    ) -> request.Request | None:
        before = urlsplit(req.full_url)
        after = urlsplit(urljoin(req.full_url, newurl))
        if (after.scheme, after.netloc) != (before.scheme, before.netloc):
            text = (
                f"it redirects to '{after.scheme}://{after.netloc}'; if you trust that host, name "
                "it in 'sites'"
            )
            raise SiteError(text)
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def fetch(
    site: published.OtherSite, *, allow_file: bool = False, timeout: float = TIMEOUT
) -> bytes:
    """Return the published file of a site, checked."""
    url = site.file_url
    try:

        def download() -> bytes:
            with _opened(url, allow_file=allow_file, timeout=timeout) as (stream, size):
                return _received(stream, size)

        data = _in_time(download)
        _check(data)
    except HTTPError as error:
        error.close()
        reason = f"the server answered {error.code} {error.reason}".rstrip()
    except ssl.SSLCertVerificationError as error:
        reason = f"the server's certificate is not valid: {error.verify_message}"
    except URLError as error:
        reason = str(getattr(error.reason, "strerror", None) or error.reason)
    except (OSError, HTTPException, ValueError) as error:
        reason = str(getattr(error, "strerror", None) or error or type(error).__name__)
    except SiteError as error:
        reason = str(error)
    else:
        return data
    raise SiteError(f"the site '{site.name}' cannot be fetched from {url}: {reason}")


def _in_time(download: Callable[[], bytes]) -> bytes:
    """Return or raise the outcome of a download, within the time limit.

    The standard library and most clients (requests, httpx, urllib3) have no deadline for a whole
    request, so it runs in a thread, which is abandoned when late, and ends with the process.
    """
    results: SimpleQueue[bytes | Exception] = SimpleQueue()

    def run() -> None:
        try:
            results.put(download())
        except Exception as error:  # noqa: BLE001 - raised again below
            results.put(error)

    Thread(target=run, daemon=True).start()
    try:
        result = results.get(timeout=max(0.0, _PATIENCE))
    except Empty:
        raise SiteError(f"it takes more than {_PATIENCE:.0f} seconds") from None
    if not isinstance(result, Exception):
        return result
    try:
        raise result
    finally:
        del result  # it holds this frame and the connection


@contextmanager
def _opened(
    url: str, *, allow_file: bool, timeout: float
) -> Iterator[tuple[IO[bytes], int | None]]:
    """Yield a URL's content, and its size if stated."""
    parts = urlsplit(url)
    if parts.scheme == "file":
        if not allow_file:
            raise SiteError("it is a file of this machine; '--allow-file' allows that")
        if parts.netloc not in {"", "localhost"}:
            raise SiteError("it is a file of another machine")
        path = Path(request.url2pathname(parts.path))
        if not path.is_file():
            raise SiteError("there is no such file")
        with path.open("rb") as file:
            yield file, path.stat().st_size
        return
    opener = request.OpenerDirector()
    for handler in (
        request.ProxyHandler(),
        request.UnknownHandler(),
        request.HTTPSHandler(context=ssl.create_default_context()),
        request.HTTPDefaultErrorHandler(),
        _SameHost(),
        request.HTTPErrorProcessor(),
    ):
        opener.add_handler(handler)
    headers = {"User-Agent": "mkdocs-recall", "Accept-Encoding": "identity"}
    with closing(opener.open(request.Request(url, headers=headers), timeout=timeout)) as response:  # noqa: S310 - `https` is the only scheme with a handler
        length = response.headers.get("Content-Length", "")
        yield response, int(length) if length.isdecimal() else None


def _received(stream: IO[bytes], size: int | None) -> bytes:
    if size is not None and size > published.LARGEST:
        raise SiteError(f"it has {size:,} bytes, which is more than {published.LARGEST:,}")
    data = bytearray()
    while chunk := stream.read(_CHUNK):
        data += chunk
        if len(data) > published.LARGEST:
            raise SiteError(f"it has more than {published.LARGEST:,} bytes")
    if size is not None and len(data) < size:
        raise SiteError(f"the connection ended after {len(data):,} of {size:,} bytes")
    return bytes(data)


def _check(data: bytes) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder, published.FILE)
        path.write_bytes(data)
        try:
            site = published.read_site(path)
            for uri in site.pages:
                site.document(uri)
        except PublishedFileError as error:
            raise SiteError(error.fault.replace(path.as_posix(), published.FILE)) from error


def chosen_sites(config_file: Path, names: Sequence[str]) -> list[published.OtherSite]:
    """Return the sites of a `mkdocs.yml` by name; all without names."""
    if not config_file.is_file():
        raise SiteError(f"there is no file '{config_file}'; name the site's mkdocs.yml")
    sites = plugin_option(config_file, "sites", published.as_sites)
    if not sites:
        msg = f"'{config_file}' names no other site; list them under 'sites', an option of recall"
        raise SiteError(msg)
    for name in names:
        if name not in sites:
            raise SiteError(f"'sites' has no site '{name}'{did_you_mean(name, sites)}")
    return [sites[name] for name in dict.fromkeys(names or sites)]


def _copied(path: Path) -> str:
    with file_errors(path):
        return published.file_digest(path.read_bytes()) if path.is_file() else ""


def _fault(copied: str) -> str:
    fault = f"does not have the digest that '{published.SITES_LOCK}' states"
    return fault if copied else f"is not in '{published.COPIES}'"


def update_copy(
    site: published.OtherSite,
    root: Path,
    data: bytes,
    locked: dict[str, published.LockedSite],
    *,
    update: bool,
) -> str:
    """Write a site's copy and digest, if it may; report it."""
    path = published.checked_copy_path(root, site.name)
    before = locked.get(site.name)
    after = published.LockedSite(site.file_url, published.file_digest(data))
    copied = _copied(path)
    if before and before.digest != after.digest and not update:
        if copied != before.digest:
            fault = _fault(copied)
            raise SiteError(
                f"the site '{site.name}' has changed since it was fetched, and its copy {fault}; "
                f"restore that, or run 'mkdocs-recall fetch {site.name} --update'"
            )
        return (
            f"The site '{site.name}' has changed; its copy stays as it is. "
            f"'mkdocs-recall fetch {site.name} --update' replaces it."
        )
    if copied == after.digest and before == after:
        return f"The copy of the site '{site.name}' is up to date."
    with file_errors(path, "written"):
        write_atomically(path, data, root)
    locked[site.name] = after
    published.write_site_lock(root, locked)
    return f"'{published.COPIES}/{path.name}' holds the site '{site.name}' ({len(data):,} bytes)."


def compare_copy(
    site: published.OtherSite, root: Path, data: bytes, locked: published.LockedSite | None
) -> str:
    """Return how a site has changed since it was fetched."""
    if locked is None:
        return f"The site '{site.name}' is not fetched; 'mkdocs-recall fetch {site.name}' does it."
    copied = _copied(published.checked_copy_path(root, site.name))
    is_same = published.file_digest(data) == locked.digest
    if copied != locked.digest:
        update = "" if is_same else " --update"
        raise SiteError(
            f"the copy of the site '{site.name}' {_fault(copied)}; restore it, or run "
            f"'mkdocs-recall fetch {site.name}{update}'"
        )
    if locked.url != site.file_url:
        now = f"The site '{site.name}' is '{site.file_url}' in mkdocs.yml"
        return f"{now}, and was fetched from '{locked.url}'; run 'mkdocs-recall fetch'."
    return "" if is_same else f"The site '{site.name}' has changed since it was fetched."
