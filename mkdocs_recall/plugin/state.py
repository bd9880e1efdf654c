"""The state of the last build: the directives of each page, and the file each page was read from.

It is in the cache under one key. A build without changes parses no fence, and a `--dirty` build
knows which pages depend on those that it renders.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Final

from mkdocs_recall.cache.files import fingerprint
from mkdocs_recall.cache.store import digest
from mkdocs_recall.directives.fences import NAMES, Fence, Span
from mkdocs_recall.gc_pause import gc_paused
from mkdocs_recall.plugin.inclusions import Inclusions

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Mapping, Sequence

    from mkdocs_recall.cache.store import Cache
    from mkdocs_recall.options import Options
    from mkdocs_recall.plugin.inclusions import Fingerprints

_FILE, _MARKDOWN, _LINE_ENDS, _DIRECTIVES, _DEPENDENCIES, _INCLUDED = range(6)
"""The positions in what JSON has of a page with directives: a list, as there may be thousands.

The fingerprint of its file, the digest of its Markdown, how many line ends that has, its packed
directives, the digest of what each depends on, and the packed directives that it includes while it
is rendered; what these depend on comes after the others.
"""
_UNREAD: Final[list[Any]] = [None, "", 0, [], [], []]
"""The same of a page of which only this is known: it has directives."""
_SPAN = 0
"""The position of its span in a packed directive: see `_pack`."""
_CHECK: Final = 16
"""Bytes of the digest behind the JSON. Options are not checked one by one: they are what one of our
builds has left, or none."""
_MISSHAPEN = TypeError, ValueError, LookupError, AttributeError, RecursionError
"""What JSON of another shape raises."""
_TUPLES: Final = frozenset(
    {"source", "units", "acknowledgments", "expect", "expect_source", "restated"}
)
"""Options that are lists in JSON."""
_OBJECTS: Final = frozenset({"semantic", "temporal"})
"""Options that are objects in JSON."""


class StoredDirective:
    """A directive without a fault: its fence, and its options as JSON has them."""

    __slots__ = "_options", "fence", "values"

    def __init__(
        self, fence: Fence, values: dict[str, Any], options: Options | None = None
    ) -> None:
        """Take a directive.

        Args:
            fence: Where it is.
            values: The options that differ from their defaults, as JSON has them.
            options: The same; None to make them of the values when they are needed.
        """
        self.fence = fence
        self.values = values
        self._options = options

    @classmethod
    def of(cls, fence: Fence, options: Options) -> StoredDirective:
        """Store a directive."""
        from mkdocs_recall.options import DEFAULTS

        defaults = DEFAULTS[options.name]
        values = {name: getattr(options, name) for name in defaults}
        values = {name: value for name, value in values.items() if value != defaults[name]}
        if "query" in values:
            values["query"] = [[query.text, query.weight] for query in values["query"]]
        for name in _OBJECTS & values.keys():
            values[name] = asdict(values[name])
        for name in _TUPLES & values.keys():
            values[name] = list(values[name])
        return cls(fence, values, options)

    @property
    def digest(self) -> str:
        """The digest of its options, in hexadecimal digits."""
        return digest(self.fence.name, json.dumps(self.values)).hex()

    @property
    def source(self) -> Sequence[str]:
        """The pages it quotes from, as written; empty for its own."""
        source: Sequence[str] = self.values.get("source", ())
        return source

    @property
    def is_pure(self) -> bool:
        """Whether its answer depends on nothing but pages: not on a model, git or the time."""
        return "semantic" not in self.values and "temporal" not in self.values

    @property
    def options(self) -> Options:
        """Its options."""
        if self._options is None:
            self._options = _options(self.fence.name, self.values)
        return self._options


def _options(name: str, stored: Mapping[str, Any]) -> Options:
    """Return the options of a directive, given as JSON has them."""
    from mkdocs_recall.options import Query, RecallOptions, Semantic, SynopsisOptions, Temporal

    values = dict(stored)
    for option in _TUPLES & values.keys():
        values[option] = tuple(values[option])
    for option, owner in (("semantic", Semantic), ("temporal", Temporal)):
        if option in values:
            values[option] = owner(**values[option])
    if "query" in values:
        values["query"] = tuple(Query(*query) for query in values["query"])
    return RecallOptions(**values) if name == RecallOptions.name else SynopsisOptions(**values)


class State:
    """The pages of the last build by uri, each valid while its file, or its Markdown, is the same.

    A file is compared by its fingerprint, a list of numbers. A page without a file has None, and is
    never valid; nor is one whose Markdown a plugin has rewritten. A page is valid only while the
    files that it includes are the same.
    """

    def __init__(
        self,
        cache: Cache,
        key: bytes,
        *,
        reading: bytes,
        site: bytes,
        inclusions: Inclusions | None = None,
    ) -> None:
        """Read the state from the cache.

        Args:
            cache: The cache.
            key: The key of the state.
            reading: The digest of what shapes how fences are parsed; if it has changed, only this
                is known: which pages have directives.
            site: The digest of what shapes all pages; if it has changed, a file with the same
                fingerprint does not make the same page.
            inclusions: What the pages of this build include, as far as they are rendered.
        """
        self._cache = cache
        self._key = key
        self._built = [reading.hex(), site.hex()]
        self._stored = cache.get(key)
        with gc_paused():
            self._pages, self._sources, built, self._files = _parts(self._stored)
        self.missing = cache.enabled and not built
        """Whether the cache is on and has no state that can be read, though there may have been a
        build."""
        self._inclusions = inclusions or Inclusions()
        self._same_site = built == self._built
        if built[:1] != self._built[:1]:
            self._pages = dict.fromkeys(self._pages, _UNREAD)
        self._sealed: bytes | None = None
        self._seen: set[str] = set()
        self._changed = not self._same_site

    def spans(self, uri: str, markdown: str) -> list[Span] | None:
        """Return the spans of the fences of a page; None if its Markdown has changed.

        Args:
            uri: The page.
            markdown: The digest of its Markdown, see `markdown_digest`.
        """
        page = self._pages.get(uri)
        if page is None or page[_MARKDOWN] != markdown:
            return None
        return [Span(*packed[_SPAN]) for packed in page[_DIRECTIVES]]

    def directives(self, uri: str, fences: Iterable[str]) -> tuple[int, list[StoredDirective]]:
        """Return the number of line ends of an unchanged page, and its directives without a fault.

        Args:
            uri: The page.
            fences: The text of each of its fences.
        """
        page = self._pages[uri]
        return page[_LINE_ENDS], list(map(_unpack, page[_DIRECTIVES], fences))

    def note_page(
        self, uri: str, markdown: str, line_ends: int, directives: Iterable[StoredDirective]
    ) -> None:
        """Note the directives of a page; `settle_page` completes it."""
        self._pages[uri] = [None, markdown, line_ends, list(map(_pack, directives)), [], []]
        self._changed = True

    def settle_page(
        self,
        uri: str,
        file: list[int] | None,
        dependencies: list[str],
        *,
        included: Sequence[StoredDirective] = (),
    ) -> None:
        """Note the file of a page, and the digest of what each of its directives depends on.

        Args:
            uri: The page.
            file: Its file.
            dependencies: See `keys.scope_digest`.
            included: The directives that it includes while it is rendered.
        """
        self._seen.add(uri)
        page = self._pages[uri]
        before = list(page)
        page[_FILE] = None if uri in self._inclusions.rewritten else file
        page[_DEPENDENCIES], page[_INCLUDED] = dependencies, [_pack(one) for one in included]
        self._changed = self._changed or page != before

    def note_fault(self, uri: str) -> None:
        """Note only that a page has directives, since one of them has a fault."""
        self._seen.add(uri)
        self._changed |= self._pages.get(uri) != _UNREAD
        self._pages[uri] = _UNREAD

    def has_directives(self, uri: str) -> bool:
        """Tell whether a page had directives, or looked like it, when it was last built."""
        return uri in self._pages

    def is_doubtful(self, uri: str) -> bool:
        """Tell whether a page may have changed although its file has not.

        A file that it includes has changed, or a plugin has rewritten what a directive quoted.
        """
        if not self._has_same_files(uri):
            return True
        try:
            return self._sources[uri][0] is None
        except _MISSHAPEN:
            return False

    def _has_same_files(self, uri: str) -> bool:
        """Tell whether the files that a page includes are those of the last build."""
        return all(fingerprint(path) == stamp for path, stamp in self._files.get(uri, {}).items())

    def dependencies(
        self, uri: str, file: list[int] | None
    ) -> list[tuple[StoredDirective, str]] | None:
        """Return each directive of a page, and the digest of what it depended on.

        None if the state lacks the page, or its file has changed.
        """
        page = self._pages.get(uri)
        if page is None or file is None or page[_FILE] != file or not self._same_site:
            return None
        directives = [_unpack(packed, "") for packed in page[_DIRECTIVES] + page[_INCLUDED]]
        return list(zip(directives, page[_DEPENDENCIES], strict=True))

    def source(self, uri: str, file: list[int] | None) -> bytes | None:
        """Return the digest of a page as it was rendered, if its file is still the same."""
        source = self._sources.get(uri)
        if not source or not file or not self._same_site or not self._has_same_files(uri):
            return None
        try:
            return bytes.fromhex(source[1]) if source[0] == file else None
        except _MISSHAPEN:
            return None

    def note_source(self, uri: str, file: list[int] | None, digest: bytes) -> None:
        """Note a page's file, and the digest of the page that was rendered from it."""
        self._seen.add(uri)
        source = [None if uri in self._inclusions.rewritten else file, digest.hex()]
        self._changed |= self._sources.get(uri) != source
        self._sources[uri] = source

    def seal(self, *, keep: Container[str] = ()) -> None:
        """Pack the state for the next build, and release it.

        Args:
            keep: Pages that this build has passed over, of which the last build's knowledge holds.
        """
        for entries in (self._pages, self._sources):
            for uri in list(entries):
                if uri not in self._seen and not (uri in keep and self._same_site):
                    del entries[uri]
                    self._changed = True
        files = {uri: self._files[uri] for uri in self._files if uri in keep and self._same_site}
        files |= {uri: included for uri, included in self._inclusions.files.items() if included}
        if self._changed or files != self._files:
            whole = json.dumps(
                (self._pages, self._sources, self._built, files), separators=(",", ":")
            )
            packed = whole.encode() + digest(whole)
            if packed != self._stored:
                self._sealed = packed
        self._pages, self._sources, self._stored = {}, {}, None

    def save(self) -> None:
        """Leave what was sealed to the next build."""
        if self._sealed is not None:
            self._cache.put(self._key, self._sealed)


def markdown_digest(text: str) -> str:
    """Return the digest of a page's Markdown, in hexadecimal digits."""
    # Between two pages that MkDocs renders, this takes two thirds of the time of SHA-256.
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def _parts(
    packed: bytes | None,
) -> tuple[dict[str, Any], dict[str, Any], list[str], dict[str, Fingerprints]]:
    """Return the pages, the sources, what they were built with, and the files that pages include.

    All are empty if it is no state.
    """
    text, check = (packed or b"")[:-_CHECK], (packed or b"")[-_CHECK:]
    try:
        pages, sources, built, files = json.loads(text if digest(text) == check else "")
    except _MISSHAPEN:
        return {}, {}, [], {}
    if tuple(map(type, (pages, sources, built, files))) != (dict, dict, list, dict):
        return {}, {}, [], {}
    pages = {uri: page for uri, page in pages.items() if _is_page(page)}
    return pages, sources, built, {uri: f for uri, f in files.items() if isinstance(f, dict)}


def _is_page(page: Any) -> bool:  # noqa: ANN401 - it may be anything
    """Tell whether something is what JSON has of a page with directives."""
    try:
        _, _, line_ends, directives, dependencies, included = page
        return (
            isinstance(line_ends, int)
            and len(directives) + len(included) == len(dependencies)
            and all(map(_is_directive, directives + included))
        )
    except _MISSHAPEN:
        return False


def _is_directive(packed: Any) -> bool:  # noqa: ANN401 - it may be anything
    """Tell whether something is a packed directive."""
    (prefix, start, end), name, _, first, last, values = packed
    return (
        isinstance(prefix, str)
        and name in NAMES
        and type(start) is type(end) is type(first) is type(last) is int
        and isinstance(values, dict)
    )


def _pack(directive: StoredDirective) -> list[Any]:
    fence = directive.fence
    lines = fence.first, fence.last
    return [fence.span, fence.name, fence.embedm, *lines, directive.values]


def _unpack(packed: list[Any], source: str) -> StoredDirective:
    (prefix, start, _), name, embedm, first, last, values = packed
    return StoredDirective(Fence(name, embedm, prefix, first, last, "", source, start), values)
