"""What the last build knew of a site: who asks whom, and which file each page was read from.

It lives in the cache under one key, so that a build without changes reads no fence twice, and a
`--dirty` one knows what depends on the pages that it renders.
"""

from __future__ import annotations

import json
from dataclasses import asdict, fields
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from mkdocs_recall.cache.store import digest
from mkdocs_recall.directives.fences import NAMES, Fence, Span
from mkdocs_recall.directives.schema import Options
from mkdocs_recall.gc_pause import gc_paused
from mkdocs_recall.index.query import Query
from mkdocs_recall.options import Semantic, Temporal

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Sequence

    from mkdocs_recall.cache.store import Cache

_FILE, _MARKDOWN, _LINE_ENDS, _ASKED, _NAMED = range(5)
"""What is known of a page that asks: its file, its Markdown, its directives, whom they name."""
_UNREAD: Final[list[Any]] = [None, "", 0, [], []]
"""What is known of a page when it is known only that it asks."""
_SPAN = 0
"""Where it stands in a packed directive."""
_MISSHAPEN = TypeError, ValueError, LookupError, AttributeError, RecursionError
"""What JSON of another shape leads to."""
_TUPLES: Final = frozenset({"source", "units", "acknowledgments", "expect", "expect_source"})
"""Options that are lists in JSON."""
_FACTORS: Final = {"semantic": Semantic, "temporal": Temporal}
"""Options that are objects in JSON."""
_DEFAULTS = {field.name: field.default for field in fields(Options) if field.name != "name"}


class StoredDirective(NamedTuple):
    """A directive without a fault, as it was read."""

    fence: Fence
    values: dict[str, Any]
    """The options that are not as by default, as JSON has them."""
    digest: str
    """Of the options, in hexadecimal digits."""

    @property
    def source(self) -> Sequence[str]:
        """The pages it asks, as written; empty for its own."""
        source: Sequence[str] = self.values.get("source", ())
        return source

    def options(self) -> Options:
        """Return what it asks."""
        values = dict(self.values)
        for name in _TUPLES & values.keys():
            values[name] = tuple(values[name])
        for name in _FACTORS.keys() & values.keys():
            values[name] = _FACTORS[name](**values[name])
        if "query" in values:
            values["query"] = tuple(Query(text, weight) for text, weight in values["query"])
        return Options(self.fence.name, **values)


def store_directive(fence: Fence, options: Options) -> StoredDirective:
    """Keep what a directive asks."""
    values = {name: getattr(options, name) for name in _DEFAULTS}
    values = {name: value for name, value in values.items() if value != _DEFAULTS[name]}
    if "query" in values:
        values["query"] = [(query.text, query.weight) for query in options.query]
    for name in _FACTORS.keys() & values.keys():
        values[name] = asdict(values[name])
    return StoredDirective(fence, values, _values_digest(options.name, values))


def _values_digest(name: str, values: dict[str, Any]) -> str:
    return digest(name, json.dumps(values)).hex()


class State:
    """Pages by uri. What is known of one holds only while its file, or its Markdown, is the same.

    A file is known by a fingerprint, a list of numbers; None stands for a page without a file, of
    which nothing is known from one build to the next.
    """

    def __init__(self, cache: Cache, key: bytes, *, reading: bytes, site: bytes) -> None:
        """Read what the last build has left.

        Args:
            cache: Where it is.
            key: Its key there.
            reading: Stands for what shapes how fences are read; when it was another one, no more is
                known than which pages ask.
            site: Stands for where pages are written, and for what shapes all of them; when it was
                another one, files tell nothing: what they were built to is not there.
        """
        self._cache = cache
        self._key = key
        self._built = [reading.hex(), site.hex()]
        self._kept = cache.get(key)
        self.missing = cache.enabled and self._kept is None
        """Whether nothing is known of a last build, though there may have been one."""
        with gc_paused():
            self._hosts, self._sources, built = _parts(self._kept)
        self._same_site = built == self._built
        if built[:1] != self._built[:1]:
            self._hosts = dict.fromkeys(self._hosts, _UNREAD)
        self._sealed: bytes | None = None
        self._seen: set[str] = set()
        self._changed = not self._same_site

    def spans(self, uri: str, markdown: str) -> list[Span] | None:
        """Return where the fences of a page stand; None if it is not the page that was known.

        Args:
            uri: The page.
            markdown: The digest of its Markdown, see `markdown_digest`.
        """
        host = self._hosts.get(uri)
        if host is None or host[_MARKDOWN] != markdown:
            return None
        return [Span(*packed[_SPAN]) for packed in host[_ASKED]]

    def asked(self, uri: str, sources: Iterable[str]) -> tuple[int, list[StoredDirective]]:
        """Return how many line ends a known page has, and its directives; none had a fault.

        Args:
            uri: The page.
            sources: What stands in the span of each of its fences.
        """
        host = self._hosts[uri]
        return host[_LINE_ENDS], list(map(_unpacked, host[_ASKED], sources))

    def note_host(
        self, uri: str, markdown: str, line_ends: int, asked: Iterable[StoredDirective]
    ) -> None:
        """Note the directives of a page; `settle_host` completes it."""
        self._hosts[uri] = [None, markdown, line_ends, [_packed(each) for each in asked], []]
        self._changed = True

    def settle_host(self, uri: str, file: list[int] | None, named: list[str]) -> None:
        """Note the file of a page, and the digest of what each of its directives depends on.

        Args:
            uri: The page.
            file: Its file.
            named: See `dependencies.scope_digest`.
        """
        self._seen.add(uri)
        host = self._hosts[uri]
        self._changed |= (host[_FILE], host[_NAMED]) != (file, named)
        host[_FILE], host[_NAMED] = file, named

    def note_fault(self, uri: str) -> None:
        """Note no more of a page than that it asks: one of its directives has a fault."""
        self._seen.add(uri)
        self._changed |= self._hosts.get(uri) != _UNREAD
        self._hosts[uri] = _UNREAD

    def asks(self, uri: str) -> bool:
        """Tell whether a page asked, or looked as if it did, when it was last built."""
        return uri in self._hosts

    def named(self, uri: str, file: list[int] | None) -> list[tuple[StoredDirective, str]] | None:
        """Return each directive of a page, and the digest of what it depended on.

        None if the page is not known, or its file has changed.
        """
        host = self._hosts.get(uri)
        if host is None or file is None or host[_FILE] != file or not self._same_site:
            return None
        asked = [_unpacked(packed, "") for packed in host[_ASKED]]
        return list(zip(asked, host[_NAMED], strict=True))

    def source(self, uri: str, file: list[int] | None) -> bytes | None:
        """Return the digest of a page as it was rendered, if its file is still the same."""
        known = self._sources.get(uri)
        if not known or not file or not self._same_site:
            return None
        try:
            return bytes.fromhex(known[1]) if known[0] == file else None
        except _MISSHAPEN:
            return None

    def note_source(self, uri: str, file: list[int] | None, digest: bytes) -> None:
        """Note a page's file, and the digest of the page that was rendered from it."""
        self._seen.add(uri)
        known = [file, digest.hex()]
        self._changed |= self._sources.get(uri) != known
        self._sources[uri] = known

    def seal(self, *, keep: Container[str] = ()) -> None:
        """Pack what is known for the next build, and let go of it.

        Args:
            keep: Pages that this build has passed over, of which the last build's knowledge holds.
        """
        for pages in (self._hosts, self._sources):
            for uri in list(pages):
                if uri not in self._seen and not (uri in keep and self._same_site):
                    del pages[uri]
                    self._changed = True
        if self._changed:
            whole = json.dumps((self._hosts, self._sources, self._built), separators=(",", ":"))
            if (packed := whole.encode()) != self._kept:
                self._sealed = packed
        self._hosts, self._sources, self._kept = {}, {}, None

    def save(self) -> None:
        """Leave what was sealed to the next build."""
        if self._sealed is not None:
            self._cache.put(self._key, self._sealed)


def markdown_digest(text: str) -> str:
    """Return what stands for a text, in hexadecimal digits."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _parts(packed: bytes | None) -> tuple[dict[str, Any], dict[str, Any], list[str]]:
    """Return the hosts, the sources and what they were built with; nothing, if it is no state."""
    try:
        hosts, sources, built = json.loads(packed or "")
    except _MISSHAPEN:
        return {}, {}, []
    if tuple(map(type, (hosts, sources, built))) != (dict, dict, list):
        return {}, {}, []
    return {uri: host for uri, host in hosts.items() if _is_host(host)}, sources, built


def _is_host(host: Any) -> bool:  # noqa: ANN401 - it may be anything
    """Tell whether something is what is kept of a page that asks."""
    try:
        _, _, line_ends, asked, named = host
        return (
            isinstance(line_ends, int) and len(asked) == len(named) and all(map(_is_asked, asked))
        )
    except _MISSHAPEN:
        return False


def _is_asked(packed: Any) -> bool:  # noqa: ANN401 - it may be anything
    """Tell whether something is a packed directive."""
    (prefix, start, end), name, _, first, last, values, options = packed
    return (
        isinstance(prefix, str)
        and name in NAMES
        and all(isinstance(number, int) for number in (start, end, first, last))
        and options == _values_digest(name, values)
    )


def _packed(asked: StoredDirective) -> list[Any]:
    fence = asked.fence
    lines = fence.first, fence.last
    return [fence.span, fence.name, fence.embedm, *lines, asked.values, asked.digest]


def _unpacked(packed: list[Any], source: str) -> StoredDirective:
    (prefix, start, _), name, embedm, first, last, values, options = packed
    fence = Fence(name, embedm, prefix, first, last, "", source, start)
    return StoredDirective(fence, values, options)
