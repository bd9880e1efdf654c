"""The pages and sections that a source names, as seen from a page: paths, folders and globs.

Names are resolved without opening a page. A page is loaded on first use, by a function that
`readers` provide.
"""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass, field
from difflib import get_close_matches
from itertools import chain
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol
from urllib.parse import unquote

from mkdocs_recall.errors import SourceError
from mkdocs_recall.index.filters import Filters, split_filter
from mkdocs_recall.index.globs import fits_name, is_glob, matching
from mkdocs_recall.index.suggestions import CLOSE, check_single, suggest_folder, suggest_page

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from mkdocs_recall.text.model import Document

WHOLE_SITE: Final = "**"
_URL: Final = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*:|//")
_NETWORK: Final = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*:/?/|mailto:")
"""How a source begins that names no site, but is a URL."""
_PARENTS: Final = re.compile(r"(?:\.\./?)+")
_SITE: Final = re.compile(r"[^/:#]+(?=:)")
"""The name of another site, or a pattern of such names, before the path of its page."""
_SITE_PAGES: Final = 1 << 32
"""The number of the first page of the first other site: the pages of this site come before."""


class Target(NamedTuple):
    """A page, or one section of it."""

    uri: str
    anchor: str = ""
    """The `id` of the heading that opens the section; empty for the whole page."""


class _Place(NamedTuple):
    """What a source names: a path from the root, a section there, and a filter of the pages."""

    path: str
    anchor: str
    where: str

    def __str__(self) -> str:
        """Return it as one text."""
        place = f"{self.path}#{self.anchor}" if self.anchor else self.path
        return f"{place} where {self.where}" if self.where else place


class Scope(NamedTuple):
    """The pages and sections that one or several sources name."""

    key: tuple[str, ...]
    """The sources as seen from the root: within a `PageSet`, equal keys mean equal targets."""
    targets: tuple[Target, ...]
    """Without repetitions, in page order."""
    named: tuple[Target, ...]
    """The targets that a source names itself; the others only match a pattern."""

    def hidden_on(self, page: str) -> frozenset[str]:
        """Return a page, as a set, where it is hidden on itself: where no source names it."""
        return frozenset({page} - {target.uri for target in self.named})


class OtherPages(Protocol):
    """The pages of other sites, of which each is opened when a source first names it."""

    @property
    def names(self) -> Sequence[str]:
        """The names of the sites, in the order of their pages."""

    def paths(self, name: str) -> Sequence[str]:
        """Return the pages of a site by their paths there, in page order."""

    def document(self, uri: str) -> Document:
        """Return a page by its uri: the name of its site, `:` and its path."""


@dataclass(slots=True)
class PageSet:
    """The pages of a site in page order (the navigation's, then by path)."""

    uris: Sequence[str]
    """The pages that may be quoted, in page order."""
    load: Callable[[str], Document]
    """Reads one of them. It is called once per page, until the page is released."""
    refused: Mapping[str, str] = field(default_factory=dict)
    """The pages that may not be quoted, with the reason."""
    unlisted: frozenset[str] = frozenset()
    """The refused pages that may quote themselves: drafts, in a preview."""
    alias: Callable[[str], str | None] = lambda _: None
    """Returns the page for a path that is not a page itself: its translation, for example."""
    truncated: dict[str, None] = field(init=False, default_factory=dict)
    """The loaded pages that are longer than the limit, and so were read in part."""
    written: dict[str, str] = field(init=False, default_factory=dict)
    """The pages that were found by `alias`, with the path that a source has written."""
    sites: frozenset[str] = frozenset()
    """The names of the other sites, with which the uris of their pages begin: `flux:index.md`."""
    others: OtherPages | None = None
    """Other sites that are opened when a source names them; their pages are not in `uris`."""
    meta: Callable[[str], Mapping[Any, Any] | None] | None = None
    """Returns the front matter of one of `uris`; None, here or as its answer, if it is unknown."""
    _filters: Filters = field(init=False)
    _order: dict[str, int] = field(init=False)
    _by_site: dict[str, list[str]] = field(init=False, default_factory=dict)
    """The paths of the pages of each site; this one has no name."""
    _documents: dict[str, Document] = field(init=False, default_factory=dict)
    _matches: dict[str, tuple[str, ...]] = field(init=False, default_factory=dict)
    """The pages that match each pattern."""
    _scopes: dict[tuple[str, ...], Scope] = field(init=False, default_factory=dict)
    """By `Scope.key`."""
    _scopes_as_written: dict[tuple[str, ...], Scope] = field(init=False, default_factory=dict)
    """By the folder the sources are seen from, followed by the sources."""

    def __post_init__(self) -> None:
        """Number the pages, and part them by site."""
        self._filters = Filters(self.uris, self.meta)
        if self.others is not None:
            self.sites = frozenset(self.others.names)
            self._by_site[""] = list(self.uris)
        self._order = {uri: number for number, uri in enumerate(self.uris)}
        for uri in self.uris if self.sites and self.others is None else ():
            name, _, path = uri.partition(":")
            site = name if name in self.sites else ""
            self._by_site.setdefault(site, []).append(path if site else uri)

    def document(self, uri: str) -> Document:
        """Return a page, loaded on first need."""
        document = self._documents.get(uri)
        if document is None:
            if uri not in self._order and uri not in self.unlisted:
                raise KeyError(uri)
            document = self._documents[uri] = self._load_page(uri)
        return document

    def peek(self, uri: str) -> Document:
        """Return a page without keeping it in memory, unless it is there already."""
        return self._documents.get(uri) or self._load_page(uri)

    def release(self, uri: str) -> None:
        """Drop a page from memory; the next access loads it again."""
        self._documents.pop(uri, None)

    def scope(self, sources: Sequence[str], *, page: str = "") -> Scope:
        """Resolve sources as they look from a page.

        Args:
            sources: Paths like links (`auth.md#expiry`, `/guides/auth.md`, `#here`), folders
                (`guides/`), globs (`guides/**`), or `**` for the whole site. None: the page itself.
            page: The page the sources are seen from; empty for the root.
        """
        folder = posixpath.dirname(page)
        as_written = (folder, *sources)
        scope = self._scopes_as_written.get(as_written)
        if scope is not None:
            return scope
        found: dict[_Place, Sequence[str]] = {}
        for written in sources or ("",):
            source, where = split_filter(written)
            path, anchor = self._place(source, page)
            if path not in self._order and path not in self.refused and (other := self.alias(path)):
                self.written.setdefault(other, path)
                path = other
            if path not in self._order and _is_pattern(path):
                uris = self._match(path, anchor, source, page)
            else:
                self._check(path, anchor, source, page)
                uris = (path,)
            found[_Place(path, anchor, where)] = uris
        key = tuple(map(str, found))
        if key not in self._scopes:
            self._scopes[key] = self._resolve(key, found)
        scope = self._scopes[key]
        if all(place.path != page for place in found):  # other pages of the folder see it alike
            self._scopes_as_written[as_written] = scope
        return scope

    def _load_page(self, uri: str) -> Document:
        is_other = self._order.get(uri, 0) >= _SITE_PAGES
        document = self.others.document(uri) if self.others and is_other else self.load(uri)
        if not document.whole:
            self.truncated[uri] = None
        return document

    def _place(self, source: str, page: str) -> tuple[str, str]:
        """Return the path from the root and the anchor of a source."""
        if not posixpath.dirname(page) and (literal := self._literal(source)):
            return literal
        path, anchor = self._other_site(source) or _normalise(source, page)
        if " " in anchor or "," in anchor:
            check_single(source)  # `a.md#b, c.md`
        if _leads_out(path):
            msg = f"source '{source}' is outside the documentation"
            inside = _PARENTS.sub("", path)
            raise SourceError(msg + self._suggest(inside, anchor, page, exact=True))
        return path, anchor

    def _other_site(self, source: str) -> tuple[str, str] | None:
        """Return the path and the anchor of a source in another site; None for one in this site."""
        name = _SITE.match(source.strip())
        if name is None:
            return None
        if not any(fits_name(name[0], site) for site in self.sites):
            if self.others is not None and len(name[0]) > 1 and not _NETWORK.match(source.strip()):
                raise self._unknown_site(source, name[0])
            return None
        self._open(name[0])
        path, anchor = _normalise(source.strip()[name.end() + 1 :] or "/", "")
        if _leads_out(path):
            msg = f"source '{source}' is outside the site '{name[0]}'"
            raise SourceError(msg)
        return f"{name[0]}:{path}", anchor

    def _unknown_site(self, source: str, name: str) -> SourceError:
        near = get_close_matches(name, sorted(self.sites), n=1, cutoff=CLOSE)
        hint = f"; did you mean '{near[0]}:{source.strip().partition(':')[2]}'?" if near else ""
        return SourceError(f"source '{source}' names a site that 'sites' does not have{hint}")

    def _open(self, pattern: str) -> None:
        """Open the other sites whose names match a pattern, unless they are open."""
        for number, name in enumerate(self.others.names if self.others else (), 1):
            if self.others and name not in self._by_site and fits_name(pattern, name):
                paths = list(self.others.paths(name))
                for position, path in enumerate(paths, number * _SITE_PAGES):
                    self._order.setdefault(f"{name}:{path}", position)
                self._by_site[name] = paths

    def _literal(self, source: str) -> tuple[str, str] | None:
        """Return the page and the anchor of a source that spells a page's uri as it is.

        A passage states its source in this form, in which even a `#` in the uri is not escaped.
        """
        if source in self._order:
            return source, ""
        path, _, anchor = source.rpartition("#")
        return (path, unquote(anchor)) if path in self._order else None

    def _resolve(self, key: tuple[str, ...], found: Mapping[_Place, Sequence[str]]) -> Scope:
        """Return the scope of some places, given the pages of each."""
        anchors: dict[str, set[str]] = {}
        for (path, anchor, where), uris in found.items():
            for uri in self._filters.matching(uris, where, path) if where else uris:
                anchors.setdefault(uri, set()).add(anchor)
        if not anchors:
            paths = ", ".join(place.path for place in found)
            where = next(iter(found)).where
            raise self._filters.no_match(chain.from_iterable(found.values()), where, paths)
        ordered = sorted(anchors, key=lambda uri: self._order.get(uri, len(self._order)))
        return Scope(
            key=key,
            targets=tuple(
                Target(uri, anchor)
                for uri in ordered
                # no anchor means the whole page, which includes every section
                for anchor in ([""] if "" in anchors[uri] else sorted(anchors[uri]))
            ),
            named=tuple(
                Target(path, anchor)
                for (path, anchor, _), uris in found.items()
                if path in uris and path in anchors
            ),
        )

    def _match(self, pattern: str, anchor: str, source: str, page: str) -> Sequence[str]:
        """Return the pages that match a pattern."""
        matches = self._matches.get(pattern)
        if matches is None:
            matches = self._matches[pattern] = self._matching(pattern)
        if not matches:
            check_single(source)
            msg = f"source '{source}' matches no page"
            path = pattern.removesuffix("/**")
            is_url = path != pattern and not is_glob(path)  # `guides/labels/`
            hint = self._suggest(path, anchor, page, exact=True) if is_url else ""
            raise SourceError(msg + (hint or suggest_folder(pattern, self._uris_like(pattern))))
        return matches

    def _matching(self, pattern: str) -> tuple[str, ...]:
        """Return the pages that match a pattern: those of this site, unless it names another."""
        name = _SITE.match(pattern) if self.sites else None
        if name is None:
            return matching(pattern, self._by_site.get("") or self.uris)
        path = pattern[name.end() + 1 :]
        return tuple(
            f"{site}:{uri}"
            for site, uris in self._by_site.items()
            if site and fits_name(name[0], site)
            for uri in matching(path, uris)
        )

    def _check(self, path: str, anchor: str, source: str, page: str) -> None:
        """Raise a SourceError where a path is not a page that may be quoted."""
        if path in self._order or (path == page and path in self.unlisted):
            return
        if path in self.refused:
            subject = f"source '{source}'" if source else "this page"
            msg = f"{subject} cannot be quoted: {self.refused[path]}"
            raise SourceError(msg)
        if path == page or not path:
            msg = "there is no page to quote: name one with 'source'"
            raise SourceError(msg)
        check_single(source)
        name = _SITE.match(path) if self.sites else None
        site = f"the site '{name[0]}'" if name else "this site"
        msg = f"source '{source}' is not a page of {site}"
        raise SourceError(msg + self._suggest(path, anchor, page))

    def _suggest(self, path: str, anchor: str, page: str, *, exact: bool = False) -> str:
        """Return `; did you mean 'x'?` for the page of the same site that a path may mean."""
        name = _SITE.match(path) if self.sites else None
        viewed_from = "" if name else page
        return suggest_page(path, anchor, self._uris_like(path), page=viewed_from, exact=exact)

    def _uris_like(self, path: str) -> Sequence[str]:
        """Return the pages of the site that a path names, by their uris."""
        name = _SITE.match(path) if self.sites else None
        if name is None:
            return self._by_site.get("") or self.uris
        return [f"{name[0]}:{path}" for path in self._by_site.get(name[0], ())]


def _leads_out(path: str) -> bool:
    return path == ".." or path.startswith("../")


def _is_pattern(path: str) -> bool:
    return path.endswith("/") or is_glob(path)


def _normalise(source: str, page: str) -> tuple[str, str]:
    """Return the path from the root and the anchor of a source as seen from a page."""
    path, _, anchor = source.strip().partition("#")
    if path == WHOLE_SITE:
        return path, anchor
    if "\0" in path or _URL.match(path) or "\\" in path:
        hint = "; write it with '/'" if "\\" in path else ""
        shown = source.replace("\0", "\\0")
        msg = f"source '{shown}' is not the path of a page of this site{hint}"
        raise SourceError(msg)
    if not path:
        return page, unquote(anchor)
    folder = path.endswith(("/", "/.", "/..")) or path in {".", ".."}
    if not is_glob(path):
        path = unquote(path)
    full = path.lstrip("/") if path.startswith("/") else f"{posixpath.dirname(page)}/{path}"
    full = posixpath.normpath(full.lstrip("/") or ".")
    if folder and not _leads_out(full):
        full = "**" if full == "." else f"{full}/**"
    return full, unquote(anchor)
