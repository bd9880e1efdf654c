"""What the pages of an index mean, as far as a query needs it: how near its sentences are to it.

A model turns texts into vectors elsewhere. Here it is a function that returns cosines, so that all
this is as pure as the scorers.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Final, Protocol

from mkdocs_recall.scoring.explanation import Explanation, Scores
from mkdocs_recall.scoring.quality import profile, quality
from mkdocs_recall.scoring.semantic import blend

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Sequence

    from mkdocs_recall.factors import Semantic
    from mkdocs_recall.index import Index

PAGES: Final = 10
"""So many pages are looked into, those whose profiles are nearest to the query."""
_REMEMBERED: Final = 4
"""Indexes whose texts are kept together: a page's directives ask one after the other."""


class Cosines(Protocol):
    """Tells how near texts are to a query in meaning, from -1 to 1."""

    def cosines(self, query: str, texts: Sequence[str]) -> Sequence[float]:
        """Return the cosine of a query with each of some texts."""

    def lengths(self, texts: Sequence[str], starts: Sequence[int]) -> list[float]:
        """Return the length of the sum of the vectors of each group of texts.

        Args:
            texts: The texts.
            starts: Where each group starts, in order, the first at 0; it ends where the next does.
        """


@dataclass(frozen=True, slots=True)
class _Texts:
    """What an index is compared by."""

    index: Index
    sentences: tuple[str, ...]
    pages: tuple[int, ...] = ()
    """The numbers of the pages that are good enough, and of which there are sentences; none, where
    meaning is blended in."""
    profiles: tuple[str, ...] = ()
    """What stands for each of them, if there are more than are looked into."""
    blocks: Sequence[tuple[int, int, float]] = ()
    """Of each block its first sentence, where it ends, and the length of the sum of its vectors."""


class Meaning:
    """How near sentences are to a query in what they mean.

    Attributes:
        settings: How meaning counts.
        min_similarity: The least cosine of what is found.
    """

    def __init__(
        self,
        settings: Semantic,
        vectors: Cosines,
        *,
        min_similarity: float,
        enriched: Callable[[str], str] = str,
    ) -> None:
        """Compare nothing yet.

        Args:
            settings: How meaning counts.
            vectors: Those of texts.
            min_similarity: The least cosine of what is found, if the settings say nothing.
            enriched: Returns a query as it is to be embedded.
        """
        stated = settings.min_similarity
        self.settings = settings
        self.min_similarity = min_similarity if stated is None else stated
        self._vectors = vectors
        self._enriched = enriched
        self._texts: list[_Texts] = []

    @property
    def blends(self) -> bool:
        """Whether meaning counts in every score, and not only where words find too little."""
        return self.settings.mode == "blend"

    def blended(self, query: str, lexical: Scores, index: Index) -> tuple[Scores, frozenset[int]]:
        """Return the scores of words and meaning together, and the sentences near in meaning."""
        asked, texts = self._enriched(query), self._of(index).sentences
        cosines = self._vectors.cosines(asked, texts)
        blocks = {
            index.block_of[first]: _mean(cosines[first:end], length)
            for first, end, length in self._of(index).blocks
        }
        near = {n for n, cosine in enumerate(cosines) if cosine >= self.min_similarity}
        return blend(lexical, index, cosines, blocks, near=near), frozenset(near)

    def nearest(self, query: str, index: Index, *, hidden: Container[str] = ()) -> Scores:
        """Return the cosines of the sentences that are near to a query, of the pages nearest to it.

        Args:
            query: What is asked.
            index: The sentences.
            hidden: Pages that are not looked into.
        """
        texts, asked = self._of(index), self._enriched(query)
        numbers = [n for n in texts.pages if index.parts[n].document.uri not in hidden]
        if not numbers:
            return Scores({}, _unexplained)
        if len(numbers) > PAGES:
            near = dict(zip(texts.pages, self._vectors.cosines(asked, texts.profiles), strict=True))
            numbers = sorted(sorted(numbers, key=lambda n: (-near[n], n))[:PAGES])
        chosen = set(numbers)
        blocks = {n for n, document in enumerate(index.document_of) if document in chosen}
        candidates = [number for number, block in enumerate(index.block_of) if block in blocks]
        cosines = self._vectors.cosines(asked, [texts.sentences[n] for n in candidates])
        found = {
            number: cosine
            for number, cosine in zip(candidates, cosines, strict=True)
            if cosine >= self.min_similarity
        }

        model = self.settings.model

        def explain(number: int) -> Explanation:
            return Explanation(found[number], f"cosine with the query, by '{model}'")

        return Scores(found, explain)

    def _of(self, index: Index) -> _Texts:
        for known in self._texts:
            if known.index is index:
                return known
        texts = self._found(index)
        self._texts = [texts, *self._texts[: _REMEMBERED - 1]]
        return texts

    def _found(self, index: Index) -> _Texts:
        sentences = tuple(sentence.text for sentence in index.sentences)
        if self.blends:
            starts = [n for n, (a, b) in enumerate(pairwise((-1, *index.block_of))) if a != b]
            lengths = self._vectors.lengths(sentences, starts)
            ends = [*starts[1:], len(sentences)]
            return _Texts(index, sentences, blocks=tuple(zip(starts, ends, lengths, strict=True)))
        least = self.settings.min_relevance_score
        documents = [part.document for part in index.parts]
        having = sorted({index.document_of[block] for block in index.block_of})  # a sentence
        pages = tuple(n for n in having if quality(documents[n]) >= least)
        asked = pages if len(pages) > PAGES else ()
        return _Texts(index, sentences, pages, tuple(profile(documents[n]) for n in asked))


def _mean(cosines: Sequence[float], length: float) -> float:
    """Return the cosine of a query with the mean of some vectors of length 1.

    Args:
        cosines: Its cosines with each.
        length: That of their sum.
    """
    return max(-1.0, min(1.0, math.fsum(cosines) / length)) if length else 0.0


def _unexplained(number: int) -> Explanation:
    raise KeyError(number)
