"""The file `recall-sites.lock`: which copies of other sites somebody has fetched.

One block a site, sorted by name, so that the changes of two branches merge. Somebody else may have
edited it, so reading it makes nothing but texts.
"""

from __future__ import annotations

import re
from configparser import Error, RawConfigParser
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Final

from mkdocs_recall.cache.files import leads_outside, write_atomically
from mkdocs_recall.errors import SiteCopyError
from mkdocs_recall.publishing.site_settings import (
    COPIES,
    SITES_LOCK,
    copy_path,
    is_site_name,
)

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_HEADER: Final = f"""\
# The copies of other sites in '{COPIES}'. Written by 'mkdocs-recall fetch', compared by builds.
# Keep it with your pages; do not edit it.
"""
_LARGEST: Final = 1024 * 1024
_DIGEST: Final = re.compile(r"[0-9a-f]{64}")
_REMEDY: Final = "restore it from version control, or delete it and run 'mkdocs-recall fetch'"


@dataclass(frozen=True, slots=True)
class LockedSite:
    """The copy of a site."""

    url: str
    """Where it came from."""
    digest: str
    """The SHA-256 of the file, in hexadecimal digits."""


def file_digest(data: bytes) -> str:
    """Return the digest of a published file."""
    return sha256(data).hexdigest()


def checked_copy_path(root: Path, name: str) -> Path:
    """Return the path of the copy of a site, which no link leads out of the folder of `mkdocs.yml`.

    Args:
        root: The folder of `mkdocs.yml`.
    """
    path = copy_path(root, name)
    _check_place(root / COPIES)
    _check_place(path)
    return path


def read_site_lock(root: Path) -> dict[str, LockedSite]:
    """Return the copies by the names of their sites; none where there is no file.

    Args:
        root: The folder of `mkdocs.yml`.
    """
    path = root / SITES_LOCK
    _check_place(path)
    parser = RawConfigParser(
        default_section="\0",
        delimiters=("=",),
        comment_prefixes=("#",),
        empty_lines_in_values=False,
    )
    try:
        if not path.exists():
            return {}
        if path.stat().st_size > _LARGEST:
            raise _fault(path, f"it has more than {_LARGEST:,} bytes")
        parser.read_string(path.read_text("utf-8"))
    except OSError as error:
        raise _fault(path, error.strerror or str(error)) from error
    except (Error, ValueError) as error:
        raise _fault(path, "it is not written by 'mkdocs-recall fetch'") from error
    sites = {}
    for name in parser.sections():
        section = parser[name]
        site = LockedSite(section.get("url", ""), section.get("sha256", ""))
        if not is_site_name(name) or not _DIGEST.fullmatch(site.digest):
            raise _fault(path, f"its block [{name}] names no site and digest")
        sites[name] = site
    return sites


def write_site_lock(root: Path, sites: Mapping[str, LockedSite]) -> None:
    """Write the copies.

    Args:
        root: The folder of `mkdocs.yml`.
    """
    blocks = [
        f"[{name}]\nurl = {site.url}\nsha256 = {site.digest}\n"
        for name, site in sorted(sites.items())
    ]
    path = root / SITES_LOCK
    _check_place(path)
    try:
        write_atomically(path, "\n".join([_HEADER, *blocks]).encode())
    except OSError as error:
        raise _fault(path, error.strerror or str(error)) from error


def _check_place(path: Path) -> None:
    """Refuse a link that leads out of its folder."""
    if leads_outside(path):
        msg = f"'{path.name}' is a link that leads out of its folder; remove it"
        raise SiteCopyError(msg)


def _fault(path: Path, reason: str) -> SiteCopyError:
    return SiteCopyError(f"'{path.name}' cannot be used: {reason}; {_REMEDY}")
