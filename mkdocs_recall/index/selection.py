"""Which pages a source names: patterns seen from a page, resolved over the pages of a site.

Only names are handled here; a page is loaded (rendered, read) when somebody asks for its Document.
"""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import unquote

from mkdocs_recall.errors import SourceError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from mkdocs_recall.text.model import Document

_P = TypeVar("_P")

WHOLE_SITE = "**"
_GLOB = re.compile(r"[*?\[]")
_SHOWN_ANCHORS = 12
_FOREIGN = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*:|//")


@dataclass(frozen=True, slots=True)
class Target:
    """A page, or one section of it."""

    uri: str
    anchor: str = ""
    """The `id` of the heading that opens the section; empty for the whole page."""


@dataclass(frozen=True, slots=True)
class Scope:
    """What one or several sources name."""

    key: tuple[str, ...]
    """The sources as seen from the root: equal keys mean equal targets within a collection."""
    targets: tuple[Target, ...]
    """Without repetitions, in page order."""
    named: tuple[Target, ...]
    """The pages and sections that were named, not only matched by a pattern."""

    def hidden_on(self, page: str) -> frozenset[str]:
        """Return `page`, which its patterns leave out, as a set; empty where it was named."""
        return frozenset({page} - {target.uri for target in self.named})


@dataclass(slots=True)
class PageSet:
    """The pages of a site in page order (the navigation's, then by path)."""

    uris: Sequence[str]
    """The pages that may be quoted, in page order."""
    load: Callable[[str], Document]
    """Reads one of them. It is asked once for each page, until that is released."""
    refused: Mapping[str, str] = field(default_factory=dict)
    """Pages that may not be quoted, with the reason."""
    unlisted: frozenset[str] = frozenset()
    """Those among them that may still quote themselves: drafts, in a preview."""
    alias: Callable[[str], str | None] = lambda _: None
    """Returns the page that a path leads to which is none itself: one of the page's language."""
    curtailed: dict[str, None] = field(init=False, default_factory=dict)
    """Those of which more stands there than is read, of all that were loaded so far."""
    _order: dict[str, int] = field(init=False)
    _documents: dict[str, Document] = field(init=False, default_factory=dict)
    _matches: dict[str, tuple[str, ...]] = field(init=False, default_factory=dict)
    _scopes: dict[tuple[str, ...], Scope] = field(init=False, default_factory=dict)
    _seen: dict[tuple[str, ...], Scope] = field(init=False, default_factory=dict)
    """By the folder they are seen from, and as written."""

    def __post_init__(self) -> None:
        """Number the pages."""
        self._order = {uri: number for number, uri in enumerate(self.uris)}

    def document(self, uri: str) -> Document:
        """Return a page, loaded on first need.

        Raises:
            KeyError: There is no such page, or it may not be quoted.
        """
        document = self._documents.get(uri)
        if document is None:
            if uri not in self._order and uri not in self.unlisted:
                raise KeyError(uri)
            document = self._documents[uri] = self._loaded(uri)
        return document

    def glance(self, uri: str) -> Document:
        """Return a page for a moment: it is not kept, unless somebody else has asked for it."""
        return self._documents.get(uri) or self._loaded(uri)

    def _loaded(self, uri: str) -> Document:
        document = self.load(uri)
        if not document.whole:
            self.curtailed[uri] = None
        return document

    def release(self, uri: str) -> None:
        """Let go of a page that was loaded; who asks again has it loaded again."""
        self._documents.pop(uri, None)

    def scope(self, sources: Sequence[str], *, page: str = "") -> Scope:
        """Resolve sources as they look from a page.

        Args:
            sources: Paths like links (`auth.md#expiry`, `/guides/auth.md`, `#here`), folders
                (`guides/`), globs (`guides/**`), or `**` for the whole site. None: the page itself.
            page: The page the sources are seen from; empty for the root.

        Raises:
            SourceError: A source names nothing, or nothing that may be quoted.
        """
        folder = posixpath.dirname(page)
        written = (folder, *sources)
        known = self._seen.get(written)
        if known is not None:
            return known
        asked: dict[tuple[str, str], bool] = {}
        for source in sources or ("",):
            path, anchor = (None if folder else self._literal(source)) or _normalise(source, page)
            if path not in self._order and path not in self.refused:
                path = self.alias(path) or path
            is_pattern = path not in self._order and _is_pattern(path)
            if is_pattern:
                self._match(path, source)
            else:
                self._check(path, source, page)
            asked[path, anchor] = is_pattern
        key = tuple(f"{path}#{anchor}" if anchor else path for path, anchor in asked)
        if key not in self._scopes:
            self._scopes[key] = self._resolve(key, asked)
        if all(path != page for path, _ in asked):  # else it is seen so from this page alone
            self._seen[written] = self._scopes[key]
        return self._scopes[key]

    def _literal(self, source: str) -> tuple[str, str] | None:
        """Return the page and the anchor of a source that has the page's own name, whatever signs.

        So reads a passage's source: not even a `#` in the page's name is written otherwise.
        """
        if source in self._order:
            return source, ""
        path, _, anchor = source.rpartition("#")
        return (path, unquote(anchor)) if path in self._order else None

    def _resolve(self, key: tuple[str, ...], asked: Mapping[tuple[str, str], bool]) -> Scope:
        """Return what some paths with anchors name; the value tells which are patterns."""
        targets: dict[str, set[str]] = {}
        for (path, anchor), is_pattern in asked.items():
            for uri in self._matches[path] if is_pattern else (path,):
                targets.setdefault(uri, set()).add(anchor)
        ordered = sorted(targets, key=lambda uri: self._order.get(uri, len(self._order)))
        return Scope(
            key=key,
            targets=tuple(
                Target(uri, anchor)
                for uri in ordered
                for anchor in ([""] if "" in targets[uri] else sorted(targets[uri]))
            ),
            named=tuple(Target(*place) for place, is_pattern in asked.items() if not is_pattern),
        )

    def _match(self, pattern: str, source: str) -> None:
        found = self._matches.get(pattern)
        if found is None:
            found = self._matches[pattern] = _matching(pattern, self.uris)
        if not found:
            msg = f"source '{source}' matches no page"
            raise SourceError(msg + self._suggest_folder(pattern))

    def _check(self, path: str, source: str, page: str) -> None:
        if path in self._order or (path == page and path in self.unlisted):
            return
        if path in self.refused:
            what = f"source '{source}'" if source else "this page"
            msg = f"{what} cannot be quoted: {self.refused[path]}"
            raise SourceError(msg)
        if path == page or not path:
            msg = "there is no page to quote: name one with 'source'"
            raise SourceError(msg)
        msg = f"source '{source}' is no page of this site"
        raise SourceError(msg + self._suggest(path, page=page))

    def _suggest_folder(self, pattern: str) -> str:
        """Return `; did you mean 'x/'?` for the folder nearest to that of a pattern."""
        folders = {folder for uri in self.uris if (folder := posixpath.dirname(uri))}
        return did_you_mean(pattern.rstrip("*/").partition("*")[0], {f"{f}/" for f in folders})

    def _suggest(self, path: str, *, page: str) -> str:
        """Return `; did you mean 'x'?`, with the path as the page would write it."""
        by_name = [uri for uri in self.uris if posixpath.basename(uri) == posixpath.basename(path)]
        near = get_close_matches(path, by_name, n=1, cutoff=0.0) or get_close_matches(
            path, self.uris, n=1, cutoff=0.6
        )
        slash = ""
        if f"{path}.md" in self._order:
            near = [f"{path}.md"]
        elif any(uri.startswith(f"{path}/") for uri in self.uris):
            near, slash = [path], "/"
        if not near:
            return ""
        written = posixpath.relpath(near[0], posixpath.dirname(page)) if page else near[0]
        return f"; did you mean '{written}{slash}'?"


def unknown_anchor_error(document: Document, anchor: str) -> SourceError:
    """Return the error for an anchor that a page does not have, with those it has."""
    known = document.anchors
    near = get_close_matches(anchor, known, n=1, cutoff=0.6)
    hint = f"; did you mean '#{near[0]}'?" if near else ""
    shown = ", ".join(f"#{a}" for a in known[:_SHOWN_ANCHORS]) or "none"
    more = f" and {len(known) - _SHOWN_ANCHORS} more" if len(known) > _SHOWN_ANCHORS else ""
    return SourceError(
        f"'{document.uri}' has no section '#{anchor}'{hint} (its sections: {shown}{more})"
    )


def _is_pattern(path: str) -> bool:
    return path.endswith("/") or _GLOB.search(path) is not None


def _normalise(source: str, page: str) -> tuple[str, str]:
    """Return the path from the root and the anchor of a source as seen from a page."""
    path, _, anchor = source.strip().partition("#")
    if path == WHOLE_SITE:
        return path, anchor
    if "\0" in path or _FOREIGN.match(path) or "\\" in path:
        hint = "; write it with '/'" if "\\" in path else ""
        shown = source.replace("\0", "\\0")
        msg = f"source '{shown}' is no path of a page of this site{hint}"
        raise SourceError(msg)
    if not path:
        return page, unquote(anchor)
    folder = path.endswith(("/", "/.", "/..")) or path in {".", ".."}
    if not _GLOB.search(path):
        path = unquote(path)
    full = path.lstrip("/") if path.startswith("/") else f"{posixpath.dirname(page)}/{path}"
    full = posixpath.normpath(full.lstrip("/") or ".")
    if full == ".." or full.startswith("../"):
        msg = f"source '{source}' leads out of the documentation"
        raise SourceError(msg)
    if folder:
        full = "**" if full == "." else f"{full}/**"
    return full, unquote(anchor)


def _matching(pattern: str, uris: Sequence[str]) -> tuple[str, ...]:
    """Return the pages a glob matches: `*` and `?` stay within a folder, `**` goes across."""
    folders = _without_runs(
        [segment if segment == "**" else _tokens(segment) for segment in pattern.split("/")], "**"
    )

    def fits(want: str | list[str], segment: str) -> bool:
        return _wildcard(want, segment, star="*", fits=_fits_character)

    return tuple(uri for uri in uris if _wildcard(folders, uri.split("/"), star="**", fits=fits))


def _tokens(segment: str) -> list[str]:
    """Split a glob's segment into literal characters, `?`, `*` and `[…]` classes."""
    last = segment.rfind("]") + 1  # behind it nothing is a class, and need not be tried
    tokens = re.findall(r"\[!?[^\]]+\]|.", segment[:last], re.DOTALL)
    return _without_runs([*tokens, *segment[last:]], "*")


def _without_runs(parts: Sequence[_P], star: str) -> list[_P]:
    """Return a pattern with one star for several in a row: they match the same, and take longer."""
    return [
        part for at, part in enumerate(parts) if part != star or not at or parts[at - 1] != star
    ]


def _fits_character(want: str, character: str) -> bool:
    if want == "?":
        return True
    if len(want) == 1:
        return want == character
    negated = want[1] == "!"
    inside = want[2:-1] if negated else want[1:-1]
    ranges = re.findall(r"(.)-(.)|(.)", inside, re.DOTALL)
    found = any((a <= character <= b) if a else (c == character) for a, b, c in ranges)
    return found != negated


def _wildcard(
    pattern: Sequence[_P], items: Sequence[str], *, star: str, fits: Callable[[_P, str], bool]
) -> bool:
    """Match with a star, none next to another, in time |items| x |items| at most."""
    if len(pattern) > 2 * len(items) + 1:
        return False  # each part but the stars takes an item
    at, item, star_at, star_item = 0, 0, -1, 0
    while item < len(items):
        if at < len(pattern) and pattern[at] == star:
            star_at, star_item = at, item
            at += 1
        elif at < len(pattern) and fits(pattern[at], items[item]):
            at, item = at + 1, item + 1
        elif star_at >= 0:
            star_item += 1
            at, item = star_at + 1, star_item
        else:
            return False
    return all(part == star for part in pattern[at:])
