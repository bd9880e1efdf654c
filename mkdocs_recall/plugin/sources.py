"""The pages that may be asked in one build: what they say, and digests that stand for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from mkdocs_recall.cache.files import fingerprint
from mkdocs_recall.plugin.keys import page_digest, targets_digest
from mkdocs_recall.readers.mkdocs_pages import collect_pages, language_of, page_order, site_language
from mkdocs_recall.text.front_matter import as_title, expiry_date, page_metadata, split_front_matter

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import File, Files
    from mkdocs.structure.nav import Navigation
    from mkdocs.structure.pages import Page

    from mkdocs_recall.cache.store import Cache
    from mkdocs_recall.index.selection import Scope
    from mkdocs_recall.options import Limits
    from mkdocs_recall.plugin.state import State
    from mkdocs_recall.text.model import Document


_ASKED_FOR: Final = ("recall", "t_expired", "t_invalid")
"""What front matter is looked into for, of a page that is not read."""


class SourcePages:
    """The pages of a site.

    Attributes:
        collection: The pages by name; one is read when its Document is asked for.
        late: Whether a page that was passed over had to be rendered after all.
    """

    def __init__(
        self,
        config: MkDocsConfig,
        files: Files,
        nav: Navigation,
        cache: Cache,
        state: State,
        *,
        dirty: bool,
        limits: Limits,
    ) -> None:
        """Take a site.

        Args:
            config: MkDocs' configuration.
            files: The files of the site.
            nav: The order of the pages.
            cache: Keeps Documents that may be asked for again.
            state: What the last build knew.
            dirty: Whether pages that have not changed are passed over, and so not rendered.
            limits: How much is read of a page.
        """
        self._config = config
        self._language = site_language(config)
        self._files = files
        self._cache = cache
        self._state = state
        self._dirty = dirty
        self._limits = limits
        self.late = False
        self.curtailed: list[str] = []  # asked pages of which not all is read
        self._kept: set[str] = set()
        self._by_uri = {file.src_uri: file for file in files if file.is_documentation_page()}
        order = page_order(files, nav)
        self._by_uri |= {file.src_uri: file for file in order}
        self.collection = collect_pages(files, order, self._load, meta=front_matter)
        self._digests: dict[str, bytes] = {}
        self._scopes: dict[tuple[str, ...], tuple[bytes, bytes]] = {}

    def keep(self, uris: Iterable[str]) -> None:
        """Keep the Documents of pages that are asked together: an edit of one asks all again.

        A page that is asked alone is asked again only when it has changed, so that its Document
        would not be looked for, unless `--dirty` passes over it.
        """
        self._kept.update(uris)

    def file(self, uri: str) -> File:
        """Return the file of a page."""
        return self._by_uri[uri]

    @property
    def files(self) -> dict[str, str]:
        """The author's file of each page by uri; empty for a page that a plugin has made."""
        return {uri: file.abs_src_path or "" for uri, file in self._by_uri.items()}

    def expires(self, uri: str) -> str:
        """Return from when on a page does not hold, in ISO 8601; empty where it does not say."""
        return expiry_date(front_matter(self._by_uri[uri]))

    def digests(self, scope: Scope) -> tuple[bytes, bytes]:
        """Return the digest of what a scope names, and those of these pages in a row."""
        known = self._scopes.get(scope.key)
        if known is None:
            uris = dict.fromkeys(target.uri for target in scope.targets)
            pages = b"".join(map(self._digest, uris))
            known = self._scopes[scope.key] = targets_digest(scope), pages
        return known

    def _digest(self, uri: str) -> bytes:
        """Return the digest of a page; one that was passed over is what it was, or is rendered."""
        known = self._digests.get(uri)
        if known is None:
            known = self._digests[uri] = self._find_digest(self._by_uri[uri])
        return known

    def _find_digest(self, file: File) -> bytes:
        stamp = fingerprint(file.abs_src_path)
        page = _page(file)
        found = self._state.source(file.src_uri, stamp) if page.content is None else None
        if found is None:
            found = self._digest_of(self._rendered(file))
        self._state.note_source(file.src_uri, stamp, found)
        return found

    def _digest_of(self, page: Page) -> bytes:
        if len(page.content or "") > self._limits.page_size:
            self.curtailed.append(page.file.src_uri)
        return page_digest(
            page.content or "",
            uri=page.file.src_uri,
            titles=(as_title(page.title), as_title((page.meta or {}).get("title"))),
            stated=page_metadata(page.meta or {}),
            url=page.url,
            language=language_of(page, self._language),
            limits=str(self._limits),
        )

    def _load(self, file: File) -> Document:
        from mkdocs_recall.readers.mkdocs_pages import read_page

        uri = file.src_uri
        kept = self._dirty or uri in self._kept
        if kept and (document := self._unpacked(uri)) is not None:
            return document
        if _page(file).content is None:
            self._digests[uri] = self._digest_of(self._rendered(file))
            self._state.note_source(uri, fingerprint(file.abs_src_path), self._digests[uri])
            self._scopes.clear()
            self.late = True
        document = read_page(_page(file), self._config, limits=self._limits)
        if kept:
            from mkdocs_recall.text.packing import pack

            self._cache.put(self._digest(uri), pack(document))
        return document

    def _unpacked(self, uri: str) -> Document | None:
        """Return a page from the cache, if it is there."""
        from mkdocs_recall.text.packing import unpack

        packed = self._cache.get(self._digest(uri))
        try:
            return None if packed is None else unpack(uri, packed)
        except ValueError:  # somebody has written to the cache who should not
            return None

    def _rendered(self, file: File) -> Page:
        """Return a page with its content; one that was passed over is rendered."""
        page = _page(file)
        if page.content is None:
            render(page, self._config, self._files)
        return page


def front_matter(file: File) -> Mapping[str, Any]:
    """Return the front matter of a page, also of one that is not read yet or passed over."""
    page = file.page
    if page is not None and page.markdown is not None:
        return page.meta or {}
    text = file.content_string
    return split_front_matter(text).meta if any(name in text for name in _ASKED_FOR) else {}


def render(page: Page, config: MkDocsConfig, files: Files) -> None:
    """Render a page that is asked and was passed over, as MkDocs would have."""
    config._current_page = page  # noqa: SLF001 - `!relative` in the site's settings asks for it
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


def _page(file: File) -> Page:
    assert file.page is not None
    return file.page
