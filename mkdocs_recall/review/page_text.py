"""The sentences of a page as a quote may repeat them, to be found whole and in no other words."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final, NamedTuple

from mkdocs_recall.retrieval.synopsis import description_of
from mkdocs_recall.text.wording import wording, wording_digest

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from mkdocs_recall.text.model import Block, Document, Sentence

_DOTS: Final = "..."
_NEAR: Final = 0.5
"""Share of words that two sentences have in common, from which one is the other, changed."""


class StatedSentence(NamedTuple):
    """A sentence of a page, a row, code, a line of code or a label."""

    document: Document
    """Its page; of the page's own description, a page of that alone."""
    sentence: Sentence
    """The sentence itself; of a line of code, all of the code."""
    text: str
    wording: str

    @property
    def block(self) -> Block:
        """The block that it is in."""
        return self.document.blocks[self.sentence.block]


@dataclass(frozen=True, slots=True)
class Reading:
    """What a text repeats of a page."""

    sentences: tuple[StatedSentence, ...]
    rest: str = ""
    """The first part that is no whole sentence of the page; empty if all of it is."""


class PageText:
    """The sentences of a page and of its description."""

    def __init__(self, document: Document) -> None:
        """Split a page."""
        self.document = document
        self._own = list(_sentences(document))
        self._words: dict[str, Counter[str]] = {}

    @cached_property
    def sentences(self) -> list[StatedSentence]:
        """All sentences, and the lines of code."""
        return [*self._own, *_lines(self._own), *self._description]

    @cached_property
    def by_digest(self) -> dict[str, list[StatedSentence]]:
        """The sentences by their digests."""
        found: dict[str, list[StatedSentence]] = {}
        for sentence in self.sentences:
            found.setdefault(wording_digest(sentence.text), []).append(sentence)
        return found

    def run(
        self, texts: Sequence[str], anchor: str, *, with_description: bool
    ) -> list[StatedSentence] | None:
        """Return sentences that follow each other in the page, as close together as they are.

        Args:
            texts: The sentences, in reading order; of code, its first lines suffice.
        """
        sentences = [*(self._description if with_description else ()), *self._own]
        runs = list(_runs([_numbers(sentences, text) for text in texts]))
        if not runs:
            return None
        best = min(
            runs, key=lambda run: (sentences[run[0]].block.anchor != anchor, run[-1] - run[0])
        )
        return [_cut(sentences[n], text) for n, text in zip(best, texts, strict=True)]

    def read(self, text: str, anchor: str = "") -> Reading:
        """Return which sentences of the page, one after the other, a text consists of.

        Between two there may be "…", and a colon after a label.
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
                after = _skip(text, end + len(sentence.wording))
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
            [s for s in self.sentences if s.block.anchor == anchor] if anchor else [],
            self.sentences,
        ):
            best = max(candidates, key=lambda s: self._likeness(words, s), default=None)
            if best is not None and self._likeness(words, best) >= _NEAR:
                return best
        return None

    def _likeness(self, words: Counter[str], sentence: StatedSentence) -> float:
        own = self._words.get(sentence.wording)
        if own is None:
            own = self._words[sentence.wording] = Counter(sentence.wording.lower().split())
        size, both = words.total(), words.total() + own.total()
        if 2 * min(size, both - size) < _NEAR * both:  # even if all words of one are in the other
            return 0.0
        return 2 * (words & own).total() / both

    def _openings(self, text: str, start: int, anchor: str) -> Sequence[StatedSentence]:
        """Return the sentences that the text goes on with, the longest first."""
        found = [
            sentence
            for sentence in self._by_first.get(text[start], ())
            if text.startswith(sentence.wording, start)
            and _is_boundary(text, start + len(sentence.wording))
        ]
        return sorted(found, key=lambda s: (-len(s.wording), s.block.anchor != anchor))

    def _unknown(self, text: str, start: int) -> str:
        """Return the text from a position up to where a sentence of the page begins."""
        end = text.find(" ", start)
        while end >= 0:
            if self._openings(text, end + 1, ""):
                break
            end = text.find(" ", end + 1)
        return text[start : end if end >= 0 else len(text)].removesuffix(_DOTS).rstrip()

    @cached_property
    def _description(self) -> list[StatedSentence]:
        return list(_sentences(description_of(self.document)))

    @cached_property
    def _by_first(self) -> dict[str, list[StatedSentence]]:
        """The sentences by the first letters of their wordings."""
        found: dict[str, list[StatedSentence]] = {}
        for sentence in self.sentences:
            found.setdefault(sentence.wording[0], []).append(sentence)
        return found


def _sentences(document: Document) -> Iterator[StatedSentence]:
    for block in document.blocks:
        for sentence in block.sentences:
            if words := wording(sentence.text):
                yield StatedSentence(document, sentence, sentence.text, words)


def _lines(sentences: Iterable[StatedSentence]) -> Iterator[StatedSentence]:
    """Yield the lines of code of several lines."""
    for code in sentences:
        lines = code.text.split("\n")
        for line in lines if len(lines) > 1 else ():
            if words := wording(line):
                yield code._replace(text=line.strip(), wording=words)


def _numbers(sentences: Sequence[StatedSentence], text: str) -> Sequence[int]:
    """Return the positions of the sentences with a text, or else of the code that it opens."""
    words = wording(text)
    return [n for n, s in enumerate(sentences) if s.wording == words] or [
        n for n, s in enumerate(sentences) if s.text.startswith(f"{text}\n")
    ]


def _runs(numbers: Sequence[Sequence[int]]) -> Iterator[list[int]]:
    """Yield a position of each sentence, ascending, from each place where the first of them is."""
    for first in numbers[0]:
        run = [first]
        for candidates in numbers[1:]:
            position = bisect_right(candidates, run[-1])
            if position == len(candidates):
                return
            run.append(candidates[position])
        yield run


def _cut(stated: StatedSentence, text: str) -> StatedSentence:
    """Return code as far as a text has it; anything else as it is."""
    sentence = stated.sentence
    if sentence.text.startswith(f"{text}\n"):
        cut = sentence._replace(text=text, end=sentence.start + len(text))
        return stated._replace(sentence=cut, text=text)
    return stated


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
