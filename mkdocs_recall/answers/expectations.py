"""Expectations of an author: checked against an answer, and located in the site where it fails.

A text is looked for by its wording, one section at a time. A pattern is matched with the text as a
reader sees it: without markup, with every run of white space as one space, in Unicode's form NFC.
"""

from __future__ import annotations

from itertools import chain, groupby
from time import monotonic
from typing import TYPE_CHECKING, Final
from unicodedata import normalize

from mkdocs_recall.directives.catalog import compile_pattern, is_pattern
from mkdocs_recall.errors import SourceError
from mkdocs_recall.messages import cut
from mkdocs_recall.ranking.result import Passage, Result, quoted_texts
from mkdocs_recall.text.model import LABELS
from mkdocs_recall.text.wording import split_place, wording

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from mkdocs_recall.index.sources import PageSet, Target
    from mkdocs_recall.options import Options


_PLACES: Final = 3
"""A message names at most this many places."""
_SHOWN: Final = 160
"""Characters of a text in a message."""
_ANSWER_SECONDS: Final = 1.0
"""The time to search an answer for a pattern. An ordinary pattern takes a millisecond."""
_SITE_SECONDS: Final = 5.0
"""The time to search the site for a pattern."""
_ALL_SECONDS: Final = 30.0
"""The time for all patterns of a site together; after it, every pattern takes too long."""


class TextLocator:
    """Finds where in a site a text is; a page is read on the first search, and once."""

    def __init__(self, pages: PageSet) -> None:
        """Take the pages of a site."""
        self.pages = pages
        self._sections: dict[str, list[tuple[str, str, str]]] = {}
        """The place of each section of a page, its text and its code."""
        self._locations: dict[str, str] = {}
        self._seconds_left = _ALL_SECONDS

    def finder(self, expected: str, *, seconds: float) -> Callable[[str], bool]:
        """Return a function that tells whether a text holds an expected text, or matches a pattern.

        The function raises TimeoutError when a pattern has taken so many seconds in all its calls.
        """
        if not is_pattern(expected):
            words = wording(expected)
            return lambda text: words in wording(text)
        pattern = compile_pattern(expected)
        allowed = min(seconds, self._seconds_left)

        def holds(text: str) -> bool:
            nonlocal allowed
            start = monotonic()
            try:
                return pattern.search(text, timeout=max(allowed, 0.001)) is not None
            finally:
                spent = monotonic() - start
                allowed -= spent
                self._seconds_left -= spent

        return holds

    def location(self, expected: str, quoted: Sequence[str]) -> str:
        """Say where in the site a text or a pattern is, in the words of a message.

        The sections that are quoted in part come first. Elsewhere, code is searched only where no
        text matches, since it is seldom quoted.
        """
        if place := self.quoted_place(expected, quoted):
            return f"which is in {place}, but not in what is quoted of it"
        if expected not in self._locations:
            holds = self.finder(expected, seconds=_SITE_SECONDS)
            try:
                places = self._places(lambda text, _: holds(text)) or self._places(
                    lambda _, code: holds(code)
                )
            except TimeoutError:
                location = "which takes too long to look for in the site"
            else:
                where = f"in {_join_names(places)}" if places else "nowhere in the site"
                location = f"which is {where}"
            self._locations[expected] = location
        return self._locations[expected]

    def quoted_place(self, expected: str, quoted: Sequence[str]) -> str:
        """Return the first of some sections that holds a text, or an empty string."""
        holds = self.finder(expected, seconds=_ANSWER_SECONDS)
        try:
            for place, text, code in chain.from_iterable(
                self._page_sections(split_place(p)[0]) for p in quoted
            ):
                if place in quoted and (holds(text) or holds(code)):
                    return place
        except TimeoutError:
            pass
        return ""

    def _places(self, matches: Callable[[str, str], bool]) -> list[str]:
        """Return the places of the first sections that match, in page order."""
        places: list[str] = []
        for place, text, code in chain.from_iterable(map(self._page_sections, self.pages.uris)):
            if place not in places and matches(text, code):
                places.append(place)
                if len(places) == _PLACES:
                    break
        return places

    def _page_sections(self, uri: str) -> Sequence[tuple[str, str, str]]:
        if uri in self._sections:
            return self._sections[uri]
        sections = self._sections[uri] = []
        for _, group in groupby(self.pages.peek(uri).blocks, key=lambda block: block.section):
            blocks = list(group)
            code = [b.text for b in blocks if b.kind == "code"]
            texts = [f"{b.text}:" if b.kind in LABELS else b.text for b in blocks]
            text = [t for t, b in zip(texts, blocks, strict=True) if b.kind != "code"]
            anchor = blocks[0].anchor
            place = f"{uri}#{anchor}" if anchor else uri
            sections.append((place, _normal(" ".join(text)), _normal(" ".join(code))))
        return sections


def unmet_expectations(result: Result, options: Options, page: str, locator: TextLocator) -> str:
    """Say which expectations of a directive its answer does not hold.

    Args:
        locator: Finds where in the site a missing text is.

    Returns:
        The missing texts, where in the site they are, and what is quoted instead; empty if all is
        as expected.
    """
    texts = [_normal(text) for text in quoted_texts(result)]
    places = quoted_places(result)
    faults = [_text_fault(expected, texts, places, locator) for expected in options.expect]
    faults += [_source_fault(source, result, page, locator) for source in options.expect_source]
    faults = list(filter(None, faults))
    return "; ".join([*faults, _describe_quote(result)]) if faults else ""


def quoted_places(result: Result) -> tuple[str, ...]:
    """Return the quoted pages and sections, in reading order."""
    return tuple(dict.fromkeys(passage.source for passage in result.in_document_order()))


def _text_fault(
    expected: str, texts: Iterable[str], places: Sequence[str], locator: TextLocator
) -> str:
    try:
        if any(map(locator.finder(expected, seconds=_ANSWER_SECONDS), texts)):
            return ""
    except TimeoutError:
        return f"expected {expected}, which takes too long to look for: make the pattern simpler"
    text = expected if is_pattern(expected) else f"'{cut(_normal(expected), _SHOWN)}'"
    return f"expected {text}, {locator.location(expected, places)}"


def _source_fault(source: str, result: Result, page: str, locator: TextLocator) -> str:
    try:
        scope = locator.pages.scope((source,), page=page)
        if any(comes_from(p, target) for p in result.passages for target in scope.targets):
            return ""
        for target in scope.named:
            locator.pages.check_anchor(locator.pages.peek(target.uri), target.anchor)
    except SourceError as error:
        msg = f"'expect_source': {str(error).removeprefix('source ')}"
        raise SourceError(msg) from error
    return f"expected a quote from {_join_names(scope.key)}"


def comes_from(passage: Passage, target: Target) -> bool:
    """Tell whether a passage comes from a page or section, or from a section below it."""
    if passage.uri != target.uri:
        return False
    anchors = {heading.anchor for heading in passage.block.headings}
    return not target.anchor or target.anchor in anchors


def _describe_quote(result: Result) -> str:
    if not result.passages:
        return "nothing is quoted"
    text = cut(_normal(" … ".join(quoted_texts(result))), _SHOWN)
    return f'the quote is "{text}" from {_join_names(quoted_places(result)[:_PLACES])}'


def _normal(text: str) -> str:
    return normalize("NFC", " ".join(text.split()))


def _join_names(names: Iterable[str]) -> str:
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last
