"""The pages that a build may quote: their documents, and the digests for caching answers.

Equal digests of an answer's inputs mean equal answers, byte for byte.
"""

from __future__ import annotations

from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct

from mkdocs_recall.pages import mkdocs_pages
from mkdocs_recall.pages.config import ENCRYPTING, encryption
from mkdocs_recall.store import Cache, digest, pipeline
from mkdocs_recall.text import front_matter

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import File, Files
    from mkdocs.structure.nav import Navigation
    from mkdocs.structure.pages import Page

    from mkdocs_recall.index.sources import PageSet, Scope
    from mkdocs_recall.options import Limits
    from mkdocs_recall.pages.published import OtherSites
    from mkdocs_recall.text.model import Document

_PARSED_FOR: Final = ("recall", "t_expired", "t_invalid")
"""Words of front matter for which that of an unread page is parsed."""


class SourcePages(Struct, eq=False, dict=True):
    """The pages of a site."""

    config: MkDocsConfig
    listed: Files
    nav: Navigation
    cache: Cache
    limits: Limits
    others: OtherSites | None = None

    def __post_init__(self) -> None:
        self.truncated: list[str] = []
        """The pages that exceed the size limit, read in part."""
        self.language = mkdocs_pages.site_language(self.config)
        self._cached: set[str] = set()
        self.observer: Callable[[Document], None] | None = None
        """Called with each page that is read from its HTML."""
        self._by_uri = {file.src_uri: file for file in self.listed if file.is_documentation_page()}
        order = mkdocs_pages.page_order(self.listed, self.nav)
        self._by_uri |= {file.src_uri: file for file in order}
        self.uris = self._list(order)
        """The pages that may be quoted, in page order."""
        self._digests: dict[str, bytes] = {}
        self._scopes: dict[tuple[str, ...], tuple[bytes, bytes]] = {}

    @cached_property
    def pages(self) -> PageSet:
        """The pages by name, read on demand."""
        from mkdocs_recall.index.sources import PageSet

        pages = self._by_uri

        def alias(path: str) -> str | None:
            file = self.listed.get_file_from_path(path)  # under i18n, the language's own file
            return file.src_uri if file else None

        return PageSet(
            self.uris,
            self._load,
            self._refused,
            self._unlisted,
            alias,
            others=self.others.paths if self.others else {},
            meta=lambda uri: _front_matter(pages[uri], whole=True) if uri in pages else None,
        )

    def _list(self, order: Iterable[File]) -> list[str]:
        encrypts: Mapping[str, bool] | None = None
        if ENCRYPTING in self.config.plugins:
            file_name = self.config.config_file_path or "mkdocs.yml"
            encrypts = encryption(Path(file_name)) or front_matter.ENCRYPTION
        self._refused = dict.fromkeys(self._by_uri, mkdocs_pages.NOT_BUILT)
        uris = []
        for file in order:
            is_read = file.page is not None and file.page.markdown is not None
            meta = _front_matter(file, whole=encrypts is not None)
            reason = front_matter.exclusion(meta, None if is_read else encrypts)
            if hasattr(file.page, ENCRYPTING):  # it has removed the front matter that says so
                reason = front_matter.ENCRYPTED
            if reason:
                self._refused[file.src_uri] = reason
            else:
                uris.append(file.src_uri)
                self._refused.pop(file.src_uri, None)
        built = (uri for uri, reason in self._refused.items() if reason is mkdocs_pages.NOT_BUILT)
        self._unlisted = frozenset(built)
        return uris

    def keep(self, uris: Iterable[str]) -> None:
        """Cache the documents of pages that are sources together: an edit of one rereads them all.

        A page that is a source alone is read again only when it has changed, so caching it would be
        useless.
        """
        self._cached.update(uris)

    def file(self, uri: str) -> File:
        """Return the file of a page of this site."""
        return self._by_uri[uri]

    @property
    def files(self) -> dict[str, str]:
        """The author's file of each page, if any, by uri."""
        return {uri: file.abs_src_path or "" for uri, file in self._by_uri.items()}

    def html(self, uri: str) -> str:
        """Return the HTML of a page within the limits."""
        from mkdocs_recall.text.html import truncate_html

        file = self._by_uri.get(uri)
        content = "" if file is None else self._rendered(file).content or ""
        return truncate_html(content, self.limits.page_size)

    def validity(self, uri: str) -> front_matter.Validity:
        """Return when a page is valid by its front matter."""
        if self.others and uri not in self._by_uri:
            return self.others.validity(uri)
        return front_matter.validity(_front_matter(self._by_uri[uri]))

    @property
    def listing(self) -> bytes:
        """The digest of all that determines which pages a source names."""
        files = [file.src_uri for file in self.listed]
        refused = (f"{uri}\0{reason}" for uri, reason in self._refused.items())
        return digest(*map("\0\0".join, (self.uris, refused, sorted(self._unlisted), files)))

    def digests(self, scope: Scope) -> tuple[bytes, bytes]:
        """Return the digest of a scope's targets, and those of their pages."""
        digests = self._scopes.get(scope.key)
        if digests is None:
            pages = b"".join(map(self.digest, scope.uris))
            texts: list[str] = []
            for targets in (scope.targets, scope.named):
                texts += str(len(targets)), *(part for target in targets for part in target)
            digests = self._scopes[scope.key] = digest(*texts), pages
        return digests

    @property
    def named_pages(self) -> list[str]:
        """The pages that directives name."""
        return list(self._digests)

    def digest(self, uri: str) -> bytes:
        """Return the digest of a page; a page that `--dirty` skips is rendered."""
        if uri not in self._digests:
            file = self._by_uri.get(uri)
            if file is None:
                assert self.others is not None
                self._digests[uri] = self.others.digest(uri)
                return self._digests[uri]
            page = self._rendered(file)
            content, meta = page.content or "", page.meta or {}
            if len(content) > self.limits.page_size:
                self.truncated.append(uri)
            titles = front_matter.as_title(page.title), front_matter.as_title(meta.get("title"))
            language = mkdocs_pages.language_of(page, self.language)
            read = page.url, language, str(self.limits), content
            parts = uri, *titles, *map(str, front_matter.page_metadata(meta)), *read
            self._digests[uri] = digest(pipeline(), *parts)
        return self._digests[uri]

    def _load(self, uri: str) -> Document:
        if self.others and uri not in self._by_uri:
            return self.others.document(uri)
        is_cached = uri in self._cached
        if is_cached:
            from mkdocs_recall.text.document import pack, unpack

            packed = self.cache.get(self.digest(uri))
            with suppress(ValueError):  # somebody else wrote to the cache
                if packed is not None:
                    return unpack(uri, packed)
        page = self._rendered(self._by_uri[uri])
        document = mkdocs_pages.read_page(page, self.config, limits=self.limits)
        if is_cached:
            self.cache.put(self.digest(uri), pack(document))
        if self.observer is not None:
            self.observer(document)
        return document

    def _rendered(self, file: File) -> Page:
        page, config, files = file.page, self.config, self.listed
        assert page is not None
        if page.content is not None:
            return page
        config._current_page = page  # noqa: SLF001 - `!relative` in the site's settings needs it
        try:
            config.plugins.on_pre_page(page, config=config, files=files)
            page.read_source(config)
            page.markdown = config.plugins.on_page_markdown(
                page.markdown or "", page=page, config=config, files=files
            )
            page.render(config, files)
            page.content = config.plugins.on_page_content(
                page.content or "", page=page, config=config, files=files
            )
        finally:
            config._current_page = None  # noqa: SLF001
        return page


def _front_matter(file: File, *, whole: bool = False) -> Mapping[str, Any]:
    """Return the front matter of a page, or only what may keep it from being quoted."""
    if file.page is not None and file.page.markdown is not None:
        return file.page.meta or {}
    text = file.content_string
    is_needed = whole or any(name in text for name in _PARSED_FOR)
    return front_matter.split_front_matter(text).meta if is_needed else {}
