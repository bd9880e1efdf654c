"""The copies of other sites beside `mkdocs.yml`, each opened when a source first names its site.

Nothing here uses the network: `mkdocs-recall fetch` writes the copies, and their digests into
`recall-sites.lock`. A copy counts only where it has its digest.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from mkdocs_recall.cache.files import fingerprint
from mkdocs_recall.cache.store import digest
from mkdocs_recall.errors import (
    OptionError,
    PublishedFileError,
    SiteCopyError,
    SiteError,
)
from mkdocs_recall.publishing.site_settings import COPIES, SITES_LOCK, as_sites, copy_path
from mkdocs_recall.readers.mkdocs_yml import plugin_option, site_url
from mkdocs_recall.text.front_matter import Validity

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from mkdocs_recall.publishing.published_file import PublishedSite
    from mkdocs_recall.publishing.site_lock import LockedSite
    from mkdocs_recall.publishing.site_settings import OtherSite
    from mkdocs_recall.text.model import Document


class _OpenSite(NamedTuple):
    """The copy of a site."""

    published: PublishedSite
    digest: bytes
    """Of all that shapes its pages besides what is packed."""


class OtherSites:
    """The other sites that a site may quote."""

    def __init__(self, settings: Mapping[str, OtherSite], root: Path, *, own_url: str = "") -> None:
        """Take the sites; no file is opened.

        Args:
            root: The folder of `mkdocs.yml`.
            own_url: Where this site is published; empty where that is not known.
        """
        self._settings = settings
        self._root = root
        self._own_url = own_url.rstrip("/")
        self._sites: dict[str, _OpenSite] = {}
        self._faults: dict[str, SiteError] = {}
        self._versions: dict[str, tuple[int, ...]] = {}
        """The fingerprint of each copy that was asked for."""
        self._lock_version = _version(root / SITES_LOCK)

    @classmethod
    def of_site(cls, config_file: Path | None) -> OtherSites | None:
        """Return the sites that a `mkdocs.yml` names; None for no site."""
        if config_file is None:
            return None
        try:
            settings = as_sites(plugin_option(config_file, "sites"))
        except OptionError as error:
            msg = f"{config_file}: recall: {error}"
            raise SiteError(msg) from error
        if not settings:
            return None
        return cls(settings, config_file.absolute().parent, own_url=site_url(config_file))

    @property
    def names(self) -> Sequence[str]:
        """The names of the sites, in the order of the setting."""
        return tuple(self._settings)

    def paths(self, name: str) -> Sequence[str]:
        """Return the pages of a site by their paths there, in page order."""
        return tuple(self._open(name).published.pages)

    def document(self, uri: str) -> Document:
        """Return a page by its uri."""
        from mkdocs_recall.readers.published import published_page

        name, _, path = uri.partition(":")
        private = self._settings[name].private
        return published_page(self._open(name).published, name, path, private=private)

    def digest(self, uri: str) -> bytes:
        """Return the digest of a page by its uri."""
        name, _, path = uri.partition(":")
        site = self._open(name)
        page = site.published.pages[path]
        return digest(site.digest, path, page.url, page.digest)

    def validity(self, uri: str) -> Validity:
        """Return when a page is valid, by its uri."""
        name, _, path = uri.partition(":")
        return Validity("", self._open(name).published.pages[path].expires)

    def is_current(self) -> bool:
        """Tell whether the copies that were opened, and the lock file, have not changed since."""
        return self._lock_version == _version(self._root / SITES_LOCK) and all(
            _version(copy_path(self._root, name)) == version
            for name, version in self._versions.items()
        )

    @cached_property
    def _locked(self) -> Mapping[str, LockedSite]:
        from mkdocs_recall.publishing.site_lock import read_site_lock

        return read_site_lock(self._root)

    def _open(self, name: str) -> _OpenSite:
        if name in self._faults:  # a large file is not read again for each fence
            raise self._faults[name]
        site = self._sites.get(name)
        if site is None:
            self._versions[name] = _version(copy_path(self._root, name))
            try:
                site = self._sites[name] = self._read(name)
            except SiteError as error:
                self._faults[name] = error
                raise
        return site

    def _read(self, name: str) -> _OpenSite:
        """Read the copy of a site."""
        from mkdocs_recall.publishing.published_file import read_site
        from mkdocs_recall.publishing.site_lock import checked_copy_path, file_digest

        path = checked_copy_path(self._root, name)
        fetch = f"mkdocs-recall fetch {name}"
        shown = f"{COPIES}/{path.name}"
        if not path.is_file():
            msg = f"the site '{name}' has no copy in '{COPIES}'; run '{fetch}'"
            raise SiteError(msg)
        locked = self._locked.get(name)
        if locked is None:
            msg = f"'{SITES_LOCK}' does not list the copy of the site '{name}'; run '{fetch}'"
            raise SiteError(msg)
        try:
            is_locked = file_digest(path.read_bytes()) == locked.digest
        except OSError as error:
            msg = f"'{shown}' cannot be read: {error.strerror}"
            raise SiteError(msg) from error
        if not is_locked:
            msg = (
                f"'{shown}' does not have the digest that '{SITES_LOCK}' states; restore both from "
                f"version control, or run '{fetch} --update'"
            )
            raise SiteCopyError(msg)
        try:
            published = read_site(path)
        except PublishedFileError as error:  # a quote's page must not name folders of this machine
            text = str(error).replace(path.as_posix(), shown)
            msg = f"{text}; '{fetch} --update' replaces it"
            raise PublishedFileError(msg) from error
        header = published.header
        own_url = self._own_url if "@" not in name else ""
        if own_url and header.site_url.rstrip("/") == own_url:
            msg = f"the site '{name}' is this site itself; write its sources without '{name}:'"
            raise SiteError(msg)
        private = str(self._settings[name].private)
        named = header.site, header.site_url, header.licence, header.copyright
        return _OpenSite(published, digest("site", name, private, *named))


def _version(path: Path) -> tuple[int, ...]:
    """Return the fingerprint of a file; empty where there is none."""
    return tuple(fingerprint(str(path)) or ())
