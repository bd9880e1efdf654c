"""The directives of a page as `impact` compares them, cached by the content of the page's file."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from mkdocs_recall.answers.entries import lock_identity
from mkdocs_recall.cache.shapes import Row, shape_test
from mkdocs_recall.cache.store import digest
from mkdocs_recall.directives.fences import may_hold_directive
from mkdocs_recall.directives.parser import find_fences
from mkdocs_recall.directives.schema import read_fence
from mkdocs_recall.errors import RecallError
from mkdocs_recall.text.front_matter import split_front_matter

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mkdocs_recall.directives.fences import Fence
    from mkdocs_recall.options import Limits, Options


class ParsedDirective(NamedTuple):
    """A directive that is not answered yet."""

    identity: str
    """Equal in two states if queries and sources are."""
    name: str
    line: int
    number: int
    """Its place among the directives of the page, from 0."""
    body: str
    """The digest of its YAML."""
    source: list[str] | None
    """None where the directive has an error."""
    is_timed: bool
    """Whether more than text decides: git's history, or a model."""


_is_cached: Final = shape_test(
    {str: [Row(str, str, int, int, str, ([str], type(None)), bool)]},
)


class DirectiveIndex:
    """The directives of all pages that were parsed with the same settings.

    Attributes:
        key: Equal for equal settings.
    """

    def __init__(self, defaults: Mapping[str, Any], limits: Limits) -> None:
        """Take the site's defaults of the options, and how much is read of a directive."""
        self._defaults = defaults
        self._limits = limits
        self.key = digest("impact", repr((sorted(defaults.items()), limits)))
        self._by_content: dict[str, list[ParsedDirective]] = {}
        self._used: dict[str, list[ParsedDirective]] = {}

    def load(self, packed: bytes | None) -> None:
        """Take what `pack` has returned in another process; anything else is ignored."""
        try:
            cached = json.loads(packed or b"{}")
        except (ValueError, RecursionError):
            return
        if _is_cached(cached):
            self._by_content = {
                content: [ParsedDirective(*row) for row in rows] for content, rows in cached.items()
            }

    def pack(self) -> bytes | None:
        """Return the directives that were used; None if they are those that are cached already."""
        if self._used.keys() == self._by_content.keys():
            return None
        self._by_content = dict(self._used)
        return json.dumps(self._used, separators=(",", ":")).encode()

    def cached(self, content: str) -> list[ParsedDirective] | None:
        """Return the directives of a file by the digest of its content; None for a miss."""
        found = self._used.get(content)
        if found is None and content in self._by_content:
            found = self._used[content] = self._by_content[content]
        return found

    def parse(self, content: str, text: str) -> list[ParsedDirective]:
        """Return the directives of a file, given its digest and text."""
        found = list(self._parsed(text)) if may_hold_directive(text) else []
        self._used[content] = found
        return found

    def options(self, text: str) -> list[Options | RecallError]:
        """Return the options of each directive in a text, or the error in it."""
        fences = find_fences(split_front_matter(text).body)
        return [self._options(fence, number) for number, fence in enumerate(fences)]

    def _options(self, fence: Fence, number: int) -> Options | RecallError:
        try:
            return read_fence(fence, number, defaults=self._defaults, limits=self._limits)
        except RecallError as error:
            return error

    def _parsed(self, text: str) -> Iterator[ParsedDirective]:
        source = split_front_matter(text)
        fences = find_fences(source.body)
        ids: Counter[str] = Counter()
        for number, fence in enumerate(fences):
            options = self._options(fence, number)
            body = digest(fence.name, fence.body).hex()
            if isinstance(options, RecallError):
                identity, sources, is_timed = body, None, False
            else:
                identity, sources = lock_identity("", options), list(options.source)
                is_timed = bool(options.temporal or getattr(options, "semantic", None))
            ids[identity] += 1
            identity = f"{identity}-{ids[identity]}"
            line = source.offset + fence.first + 1
            yield ParsedDirective(identity, fence.name, line, number, body, sources, is_timed)
