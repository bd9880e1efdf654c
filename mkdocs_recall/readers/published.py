"""The pages of other sites, from the files that these have published."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from functools import cached_property
from glob import glob, has_magic
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urljoin

from mkdocs_recall.cache.store import digest
from mkdocs_recall.errors import SiteError
from mkdocs_recall.publishing.published_file import FILE, read_site
from mkdocs_recall.publishing.site_settings import is_site_name
from mkdocs_recall.readers.base import ListedPage, OpenReader
from mkdocs_recall.text.model import Publisher

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from os import PathLike

    from mkdocs_recall.publishing.published_file import PublishedPage, PublishedSite
    from mkdocs_recall.text.model import Document


_LONGEST_NAME: Final = 200
"""Characters of a site's title, licence and copyright that a citation may name."""
_ENDING: Final = re.compile(r"(?:\.jsonl)?(?:\.gz)?\Z")
_NO_LETTERS: Final = re.compile(r"[^a-z0-9_@.+-]+")


def matching_files(patterns: Iterable[str]) -> list[str]:
    """Return the files that patterns match, sorted and each once."""
    files: dict[str, None] = {}
    for pattern in patterns:
        is_pattern = has_magic(pattern)  # a shell does not expand one in quotes
        found = sorted(glob(pattern, recursive=True)) if is_pattern else [pattern]  # noqa: PTH207 - it may be absolute
        if not found:
            msg = f"'{pattern}' matches no file; name files such as 'org/*.jsonl.gz'"
            raise SiteError(msg)
        files |= dict.fromkeys(found)
    return list(files)


def named_files(files: Iterable[str | PathLike[str]]) -> dict[str, Path]:
    """Return published files by the names of their sites, which are those of files or folders."""
    named: dict[str, Path] = {}
    for file in map(Path, files):
        path = file.absolute()
        stem = _ENDING.sub("", path.name)
        written = path.parent.name if path.name == FILE else stem
        name = _NO_LETTERS.sub("-", written.lower()).strip("-")
        if not is_site_name(name):
            msg = (
                f"'{file}' names no site, since '{written}' cannot be the name of one: that has "
                "two or more letters and is no URL scheme; rename the file to 'NAME.jsonl.gz', "
                "such as 'flux.jsonl.gz'"
            )
            raise SiteError(msg)
        if os.path.realpath(named.setdefault(name, path)) != os.path.realpath(path):
            msg = f"'{named[name]}' and '{path}' are both called '{name}'; rename one"
            raise SiteError(msg)
    if not named:
        msg = f"there is no published file; name one, such as 'site/{FILE}'"
        raise SiteError(msg)
    return named


def published_page(site: PublishedSite, name: str, path: str, *, private: bool = False) -> Document:
    """Return a page of a published file, with its publisher.

    Args:
        name: What this site calls the other one; the page's uri begins with it.
        private: Whether nothing that is quoted from it may be published.
    """
    header = site.header
    root = f"{header.site_url.rstrip('/')}/" if header.site_url else ""
    title, licence, rights = (
        text if len(text) <= _LONGEST_NAME else f"{text[:_LONGEST_NAME]}…"
        for text in (header.site, header.licence, header.copyright)
    )
    return replace(
        site.document(path),
        uri=f"{name}:{path}",
        url=urljoin(root, site.pages[path].url) if root else "",
        publisher=Publisher(name, title, root, licence, rights, private),
    )


class PublishedSites:
    """The pages of one or several published files. A uri begins with the name of its site."""

    def __init__(self, files: Mapping[str, str | PathLike[str]]) -> None:
        """Take the files by the names of their sites; none is read yet."""
        self._files = {name: str(Path(file).absolute()) for name, file in files.items()}

    @property
    def identity(self) -> tuple[str, ...]:
        """What distinguishes it from other readers."""
        names = [f"{name}={file}" for name, file in self._files.items()]
        return "published", next(iter(self._files.values())), *names

    def open(self) -> OpenReader:
        """List the pages."""
        pages = [
            ListedPage(f"{name}:{uri}", self._files[name])
            for name, site in self.sites.items()
            for uri in site.pages
        ]
        return OpenReader(
            roots=(),
            pages=tuple(pages),
            load=self.document,
            meta=self._meta,
            rendering=digest("published", *(site.digest for site in self.sites.values())),
            settings=frozenset(self._files.values()),
        )

    @cached_property
    def sites(self) -> Mapping[str, PublishedSite]:
        """The contents of the files, by the names of their sites."""
        return {name: read_site(file) for name, file in self._files.items()}

    def document(self, uri: str) -> Document:
        """Return a page by its uri, with the name of its site."""
        name, _, path = uri.partition(":")
        return published_page(self.sites[name], name, path)

    def _page(self, uri: str) -> PublishedPage:
        name, _, path = uri.partition(":")
        return self.sites[name].pages[path]

    def _meta(self, uri: str) -> Mapping[str, Any]:
        """Return what counts of a page's front matter before it is read."""
        expires = self._page(uri).expires
        return {"t_expired": expires} if expires else {}
