"""The Markdown of a pack: quotes by page and section in reading order, and how long it is."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final, NamedTuple

from mkdocs_recall.options import SynopsisOptions
from mkdocs_recall.rendering.markdown import render_markdown
from mkdocs_recall.rendering.markdown_inline import escape_markdown
from mkdocs_recall.retrieval.result import Passage, Result, section_key
from mkdocs_recall.retrieval.token_budget import shortened

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    from mkdocs_recall.options import TokenCounter
    from mkdocs_recall.rendering.markdown import TargetFile

_CITED: Final = SynopsisOptions(cite=True)
_BREAK: Final = "\n\n"
_NEW_PARTS: Final = 2
"""A passage adds a quote and, at most, a heading."""


class _QuotedSection(NamedTuple):
    """What is quoted of a section."""

    passages: tuple[Passage, ...]
    """In reading order."""
    quote: str
    size: int
    """The tokens of the quote, and of the break after it."""


class _Addition(NamedTuple):
    """A passage that may be added."""

    key: Hashable
    """That of its section."""
    section: _QuotedSection
    """What is quoted of the section with it."""
    size: int
    """The tokens of the text with it."""
    parts: int
    """How many parts these are the sum of."""


class PackText:
    """A text to which passages are added one by one, as long as they fit.

    Its size is the sum of the sizes of its parts, each rounded up. Only where that decides is the
    whole text counted, so that many passages do not take the square of the time.
    """

    def __init__(
        self, head: str, *, file: TargetFile, order: Mapping[str, int], count: TokenCounter
    ) -> None:
        """Start without a passage.

        Args:
            head: Markdown that comes before the quotes; empty for none.
        """
        self._head = head
        self._file = file
        self._order = order
        self._count = count
        self._sections: dict[Hashable, _QuotedSection] = {}
        self._pages: set[str] = set()
        self._size = count(head + _BREAK) if head else 0
        self._parts = 1
        """How many parts were counted by themselves since the whole was."""

    def section_of(self, passage: Passage) -> Hashable:
        """Return a key that is equal for passages that are quoted together."""
        _, *section = section_key(passage)
        return (*section, passage.document.language)

    def add(self, passage: Passage, max_tokens: int) -> int:
        """Add a passage, if the text fits a budget with it.

        Args:
            max_tokens: The budget. A sentence that exceeds it by itself is not even rendered,
                unless it is the first.

        Returns:
            How many tokens the text has with the passage; more than the budget if it is not added.
        """
        added = self._with(passage, max_tokens)
        if added.size <= max_tokens:
            self._pages.add(passage.uri)
            self._sections[added.key] = added.section
            self._size, self._parts = added.size, added.parts
        return added.size

    def fitting(self, passage: Passage, max_tokens: int) -> Passage | None:
        """Return a passage with as much of its context as fits; None if it does not fit itself."""
        return shortened(passage, lambda some: self._with(some, max_tokens).size <= max_tokens)

    def _with(self, passage: Passage, max_tokens: int) -> _Addition:
        """Return what the text gets with a passage."""
        key = self.section_of(passage)
        least = self._size - self._parts + self._count(passage.sentence.text)
        if self._sections and least > max_tokens:
            return _Addition(key, _QuotedSection((), "", 0), least, 0)
        before = self._sections.get(key)
        passages = (*(before.passages if before else ()), passage)
        section = self._section(tuple(sorted(passages, key=_place)))
        size = self._size + section.size - (before.size if before else 0)
        if passage.uri not in self._pages:
            size += self._count(_heading(passage) + _BREAK)
        parts = self._parts + _NEW_PARTS
        if not self._sections or max_tokens < size <= max_tokens + parts:
            parts = 0
            size = self._count(self._text({**self._sections, key: section}))
            if size > max_tokens and self._sections and self._parts:
                self._size, self._parts = self._count(self.text()), 0
        return _Addition(key, section, size, parts)

    def passages(self) -> list[Passage]:
        """Return the passages in reading order."""
        ordered = sorted(self._sections.values(), key=self._section_place)
        return [passage for section in ordered for passage in section.passages]

    def text(self) -> str:
        """Return the text, with a line end after it."""
        return self._text(self._sections)

    def _text(self, sections: Mapping[Hashable, _QuotedSection]) -> str:
        parts = [self._head] if self._head else []
        page = ""
        for section in sorted(sections.values(), key=self._section_place):
            first = section.passages[0]
            if first.uri != page:
                page = first.uri
                parts.append(_heading(first))
            parts.append(section.quote)
        return f"{_BREAK.join(parts)}\n"

    def _section(self, passages: tuple[Passage, ...]) -> _QuotedSection:
        # What was found by meaning is quoted like the rest, with which it may share a section.
        alike = tuple(replace(passage, found_by="lexical") for passage in passages)
        result = Result(alike, "", places=tuple(range(len(alike))))
        quote = render_markdown(result, _CITED, self._file)
        return _QuotedSection(passages, quote, self._count(quote + _BREAK))

    def _section_place(self, section: _QuotedSection) -> tuple[int, str, str, int, int, int]:
        first = section.passages[0]
        order = self._order.get(first.uri, len(self._order))
        return order, first.uri, first.document.language, first.block.section, *_place(first)


def _place(passage: Passage) -> tuple[int, int]:
    return passage.sentence.block, passage.sentence.start


def _heading(passage: Passage) -> str:
    return f"## {escape_markdown(' '.join(passage.title.split()) or passage.uri)}"
