"""What an author expects of an answer, held against it; and where it stands, if not in the answer.

Text is compared as it is read: without markup, with every run of white space as one blank, in
Unicode's form NFC, one section at a time.
"""

from __future__ import annotations

from itertools import groupby
from time import monotonic
from typing import TYPE_CHECKING, Final, NamedTuple
from unicodedata import normalize

from mkdocs_recall.directives.values import compile_pattern, is_pattern
from mkdocs_recall.errors import SourceError
from mkdocs_recall.index.selection import unknown_anchor_error
from mkdocs_recall.retrieval.result import quoted_texts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from mkdocs_recall.directives.schema import Options
    from mkdocs_recall.index.selection import PageSet, Scope, Target
    from mkdocs_recall.retrieval.result import Passage, Result

_FOUND: Final = 3
"""So many places are named."""
_SHOWN: Final = 160
"""Characters of a text in a message."""
_IN_ANSWER: Final = 1.0
"""Seconds to look for a pattern in an answer. A pattern that is meant takes a millisecond."""
_IN_SITE: Final = 5.0
_IN_ALL: Final = 30.0
"""Seconds that all patterns of a site may take together; then each is said to take too long."""


class _Section(NamedTuple):
    place: str
    text: str
    code: str


class TextLocator:
    """Where texts stand in a site: pages are read when something is looked for, each once."""

    def __init__(self, pages: PageSet) -> None:
        """Take the pages of a site."""
        self._pages = pages
        self._sections: dict[str, tuple[_Section, ...]] = {}
        self._known: dict[str, str] = {}
        self._left = _IN_ALL

    def finder(self, expected: str, *, seconds: float) -> Callable[[str], bool]:
        """Return what tells whether a text holds another, or a pattern.

        A pattern may take so many seconds; then TimeoutError is raised.
        """
        if not is_pattern(expected):
            wanted = _normal(expected)
            return lambda text: wanted in text
        pattern = compile_pattern(expected)
        allowed = min(seconds, self._left)

        def holds(text: str) -> bool:
            nonlocal allowed
            start = monotonic()
            try:
                return pattern.search(text, timeout=max(allowed, 0.001)) is not None
            finally:
                spent = monotonic() - start
                allowed -= spent
                self._left -= spent

        return holds

    def scope(self, source: str, *, page: str) -> Scope:
        """Return the pages and sections that a source names, as seen from a page.

        Raises:
            SourceError: It names no page.
        """
        return self._pages.scope((source,), page=page)

    def check_sections(self, scope: Scope) -> None:
        """Check that the sections are there which a scope names.

        Raises:
            SourceError: One is not.
        """
        for target in scope.named:
            if target.anchor:
                document = self._pages.glance(target.uri)
                if target.anchor not in document.anchors:
                    raise unknown_anchor_error(document, target.anchor)

    def described(self, expected: str) -> str:
        """Say where a text or a pattern stands: in code, which is seldom quoted, if not in text."""
        if expected not in self._known:
            holds = self.finder(expected, seconds=_IN_SITE)
            try:
                found = self._places(lambda section: holds(section.text)) or self._places(
                    lambda section: holds(section.code)
                )
            except TimeoutError:
                said = "which takes too long to look for in the site"
            else:
                where = f"in {_listed(found)}" if found else "nowhere in the site"
                said = f"which stands {where}"
            self._known[expected] = said
        return self._known[expected]

    def _places(self, holds: Callable[[_Section], bool]) -> list[str]:
        """Return where the first sections are, in page order, of which something is so."""
        found: list[str] = []
        for section in self._all():
            if section.place not in found and holds(section):
                found.append(section.place)
                if len(found) == _FOUND:
                    break
        return found

    def _all(self) -> Iterator[_Section]:
        for uri in self._pages.uris:
            if uri not in self._sections:
                self._sections[uri] = tuple(self._read(uri))
            yield from self._sections[uri]

    def _read(self, uri: str) -> Iterator[_Section]:
        for _, group in groupby(self._pages.glance(uri).blocks, key=lambda block: block.section):
            blocks = list(group)
            code = [b.text for b in blocks if b.kind == "code"]
            texts = [f"{b.text}:" if b.kind == "label" else b.text for b in blocks]
            text = [t for t, b in zip(texts, blocks, strict=True) if b.kind != "code"]
            anchor = blocks[0].anchor
            place = f"{uri}#{anchor}" if anchor else uri
            yield _Section(place, _normal(" ".join(text)), _normal(" ".join(code)))


def unmet_expectations(result: Result, options: Options, page: str, site: TextLocator) -> str:
    """Say which expectations of a directive its answer does not hold.

    Args:
        result: The answer.
        options: What the directive asks and expects.
        page: The page it stands on.
        site: Where to look for what is missing.

    Returns:
        What was expected, where that stands, and what is quoted; nothing, if all is as expected.

    Raises:
        SourceError: An `expect_source` names no page or section.
    """
    texts = [_normal(text) for text in quoted_texts(result)]
    faults = [_text_fault(expected, texts, site) for expected in options.expect]
    faults += [_source_fault(source, result, page, site) for source in options.expect_source]
    said = list(filter(None, faults))
    return "; ".join([*said, _given(result)]) if said else ""


def quoted_places(result: Result) -> tuple[str, ...]:
    """Return the pages and sections that are quoted, in reading order."""
    return tuple(dict.fromkeys(passage.source for passage in result.in_document_order()))


def _text_fault(expected: str, texts: Iterable[str], site: TextLocator) -> str:
    try:
        if any(map(site.finder(expected, seconds=_IN_ANSWER), texts)):
            return ""
    except TimeoutError:
        return f"expected {expected}, which takes too long to look for: make the pattern simpler"
    text = expected if is_pattern(expected) else f"'{_cut(_normal(expected))}'"
    return f"expected {text}, {site.described(expected)}"


def _source_fault(source: str, result: Result, page: str, site: TextLocator) -> str:
    try:
        scope = site.scope(source, page=page)
        if any(_comes_from(p, target) for p in result.passages for target in scope.targets):
            return ""
        site.check_sections(scope)
    except SourceError as error:
        msg = f"'expect_source': {str(error).removeprefix('source ')}"
        raise SourceError(msg) from error
    return f"expected a quote from {_listed(scope.key)}"


def _comes_from(passage: Passage, target: Target) -> bool:
    """Tell whether a passage stands in a section or one below it."""
    if passage.uri != target.uri:
        return False
    anchors = {heading.anchor for heading in passage.block.headings}
    return not target.anchor or target.anchor in anchors


def _given(result: Result) -> str:
    if not result.passages:
        return "nothing is quoted"
    text = _cut(_normal(" … ".join(quoted_texts(result))))
    return f'the quote is "{text}" from {_listed(quoted_places(result)[:_FOUND])}'


def _cut(text: str) -> str:
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1].rstrip() + "…"


def _normal(text: str) -> str:
    return normalize("NFC", " ".join(text.split()))


def _listed(names: Iterable[str]) -> str:
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last
