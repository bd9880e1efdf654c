"""The sentences of a page as a quote may repeat them, to be found whole and in no other words."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final, NamedTuple

from mkdocs_recall.text.wording import wording, wording_digest

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mkdocs_recall.text.model import Document

_DOTS: Final = "..."
_NEAR: Final = 0.5
"""Share of words that two sentences have in common, from which one is the other, changed."""


class StatedSentence(NamedTuple):
    """A sentence of a page, a row, a line of code or a label."""

    text: str
    normal: str
    """The text normalised."""
    anchor: str
    line: int | None


@dataclass(frozen=True, slots=True)
class Reading:
    """What a text repeats of a page."""

    sentences: tuple[StatedSentence, ...]
    rest: str = ""
    """The first part that is no whole sentence of the page; empty if all of it is."""


class PageText:
    """The sentences of a page, by their openings and digests."""

    def __init__(self, document: Document) -> None:
        """Split a page."""
        self.document = document
        self.sentences = list(_sentences(document))
        self._by_first: dict[str, list[StatedSentence]] = {}
        for sentence in self.sentences:
            self._by_first.setdefault(sentence.normal[0], []).append(sentence)
        for candidates in self._by_first.values():
            candidates.sort(key=lambda sentence: -len(sentence.normal))
        self._words: dict[str, Counter[str]] = {}

    @cached_property
    def by_digest(self) -> dict[str, list[StatedSentence]]:
        """The sentences by their digests."""
        found: dict[str, list[StatedSentence]] = {}
        for sentence in self.sentences:
            found.setdefault(wording_digest(sentence.text), []).append(sentence)
        return found

    def read(self, text: str, anchor: str = "") -> Reading:
        """Return which sentences of the page, one after the other, a normalised text consists of.

        Between two there may be "…", and a colon after a label.

        Args:
            text: The text.
            anchor: The section from which a sentence is taken that several sections have.
        """
        end, size = 0, len(text)
        pending: list[tuple[int, tuple[StatedSentence, ...]]] = [(0, ())]
        reached = {0}
        best: tuple[int, tuple[StatedSentence, ...]] = (0, ())
        while pending:
            end, found = pending.pop()
            if end > best[0]:
                best = end, found
            if end == size:
                return Reading(found)
            for sentence in reversed(self._openings(text, end, anchor)):
                after = _skip(text, end + len(sentence.normal))
                if after not in reached:
                    reached.add(after)
                    pending.append((after, (*found, sentence)))
            after = _skip(text, end)
            if after > end and after not in reached:
                reached.add(after)
                pending.append((after, found))
        return Reading(best[1], self._unknown(text, best[0]))

    def nearest(self, text: str, anchor: str) -> StatedSentence | None:
        """Return the sentence of a section, or else of the page, with most words of a text."""
        words = Counter(text.lower().split())
        for candidates in (
            [s for s in self.sentences if s.anchor == anchor] if anchor else [],
            self.sentences,
        ):
            best = max(candidates, key=lambda s: self._likeness(words, s), default=None)
            if best is not None and self._likeness(words, best) >= _NEAR:
                return best
        return None

    def _likeness(self, words: Counter[str], sentence: StatedSentence) -> float:
        own = self._words.get(sentence.normal)
        if own is None:
            own = self._words[sentence.normal] = Counter(sentence.normal.lower().split())
        size, both = words.total(), words.total() + own.total()
        if 2 * min(size, both - size) < _NEAR * both:  # even if all words of one are in the other
            return 0.0
        return 2 * (words & own).total() / both

    def _openings(self, text: str, start: int, anchor: str) -> Sequence[StatedSentence]:
        """Return the sentences that the text goes on with, the longest first."""
        found = [
            sentence
            for sentence in self._by_first.get(text[start], ())
            if text.startswith(sentence.normal, start)
            and _is_boundary(text, start + len(sentence.normal))
        ]
        return sorted(found, key=lambda s: (-len(s.normal), s.anchor != anchor))

    def _unknown(self, text: str, start: int) -> str:
        """Return the text from a position up to where a sentence of the page begins."""
        end = text.find(" ", start)
        while end >= 0:
            if self._openings(text, end + 1, ""):
                break
            end = text.find(" ", end + 1)
        return text[start : end if end >= 0 else len(text)].removesuffix(_DOTS).rstrip()


def _sentences(document: Document) -> Iterator[StatedSentence]:
    for block in document.blocks:
        if block.kind == "code":
            texts = block.text.split("\n")
        else:
            texts = [sentence.text for sentence in block.sentences] or [block.text]
        anchor = block.anchor
        for text in texts:
            if normal := wording(text):
                yield StatedSentence(text.strip(), normal, anchor, block.line)
    if document.description and (normal := wording(document.description)):
        yield StatedSentence(document.description, normal, "", None)


def _is_boundary(text: str, position: int) -> bool:
    """Tell whether no word goes on at a position."""
    return position >= len(text) or not (text[position - 1].isalnum() and text[position].isalnum())


def _skip(text: str, position: int) -> int:
    """Return where the next sentence may begin: after spaces, "…" and a colon."""
    while position < len(text):
        if text.startswith(_DOTS, position):
            position += len(_DOTS)
        elif text[position] == " " or text.startswith(": ", position):
            position += 1
        else:
            break
    return position
