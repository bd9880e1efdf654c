"""What a sentence means, beside its words: their scores and cosines of vectors in one score.

    (L + .3·s + .4·b) / 1.7

    L = the scorer's own score, divided by the best one if that is above 1 (`bm25`)
    s = the cosine of the sentence with the query
    b = the cosine of the query with the mean of the vectors of the sentences in its block

A cosine below 0 counts as 0, so that the score is in [0, 1]. The block says what a sentence is
about that does not say so itself. The weights are those of the evaluation this project started
from; `benchmarks/README.md` says what others came to.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Final, Protocol

from mkdocs_recall.scoring.explanation import Explanation, Scores
from mkdocs_recall.scoring.quality import profile, quality

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Container, Mapping, Sequence

    from mkdocs_recall.index.index import Index
    from mkdocs_recall.options import Semantic

SENTENCE = 0.3
BLOCK = 0.4
_WHOLE = 1 + SENTENCE + BLOCK


def blend(
    lexical: Scores,
    index: Index,
    cosines: Sequence[float],
    blocks: Mapping[int, float],
    *,
    near: Collection[int],
) -> Scores:
    """Mix the cosines of sentences and blocks with a query into the scores of sentences.

    Args:
        lexical: What a scorer says of those that it has found.
        index: The sentences.
        cosines: Of each sentence, in [-1, 1].
        blocks: Of each block, by its number.
        near: The sentences that are found by what they mean.

    Returns:
        A score in [0, 1], by the formula above, for each sentence found in either way.
    """
    found = dict(lexical.values)
    most = max(1.0, max(found.values(), default=0.0))

    def parts(number: int) -> tuple[float, float, float]:
        sentence, block = cosines[number], blocks[index.block_of[number]]
        words = found.get(number, 0.0) / most / _WHOLE
        return words, SENTENCE * max(0.0, sentence) / _WHOLE, BLOCK * max(0.0, block) / _WHOLE

    values = {number: sum(parts(number)) for number in sorted(found.keys() | near)}

    def explain(number: int) -> Explanation:
        _, sentence, block = parts(number)
        words = [lexical.explain(number).scaled(1 / most / _WHOLE)] if number in found else []
        meaning = (
            Explanation(sentence, f"cosine of the sentence {cosines[number]:.3f}"),
            Explanation(block, f"cosine of its block {blocks[index.block_of[number]]:.3f}"),
        )
        return Explanation(values[number], "words and meaning", (*words, *meaning))

    return Scores(values, explain)


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


class SemanticSimilarity:
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
