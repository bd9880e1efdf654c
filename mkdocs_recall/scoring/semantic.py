"""Semantic similarity: the meaning of sentences beside their words.

In the mode `blend`, cosines of vectors and the score of a scorer are one score:

    (L + .3·s + .4·b) / 1.7

    L = the score of the scorer, divided by the highest one if that is above 1 (`bm25`)
    s = the cosine of the sentence with the query
    b = the cosine of the query with the mean of the vectors of the sentences in its block

A negative cosine counts as 0, so the range is [0, 1]. The block says what a sentence is about that
does not say so itself. The weights come from the evaluation this project started from;
benchmarks/README.md ("Meaning") compares them with others.

In the mode `supplement`, the score is the cosine s alone, of sentences on the pages whose profiles
(see `quality`) are nearest to the query. Vectors come from `semantic.vectors`.
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

SENTENCE: Final = 0.3
BLOCK: Final = 0.4
"""The weights of s and b beside 1 for L; see above."""
_WHOLE: Final = 1 + SENTENCE + BLOCK
PAGES: Final = 10
"""The number of pages that are searched: those whose profiles are nearest to the query. Chosen by
reasoning; it bounds the number of sentences to embed."""
_REMEMBERED: Final = 4
"""The number of indexes whose texts are kept: consecutive directives of a page use the same few."""


def blend(
    lexical: Scores,
    index: Index,
    cosines: Sequence[float],
    blocks: Mapping[int, float],
    *,
    near: Collection[int],
) -> Scores:
    """Blend the scores of a scorer with the cosines of sentences and blocks.

    Args:
        lexical: The scores of a scorer.
        index: The sentences.
        cosines: The cosine of each sentence with the query, in [-1, 1].
        blocks: That of each block, by its number.
        near: The sentences that match by meaning, whatever their words.

    Returns:
        A score in [0, 1], by the formula above, for each sentence that matches in either way.
    """
    by_words = dict(lexical.values)
    highest = max(1.0, max(by_words.values(), default=0.0))

    def parts(number: int) -> tuple[float, float, float]:
        sentence, block = cosines[number], blocks[index.block_of[number]]
        words = by_words.get(number, 0.0) / highest / _WHOLE
        return words, SENTENCE * max(0.0, sentence) / _WHOLE, BLOCK * max(0.0, block) / _WHOLE

    values = {number: sum(parts(number)) for number in sorted(by_words.keys() | near)}

    def explain(number: int) -> Explanation:
        _, sentence, block = parts(number)
        words = [lexical.explain(number).scaled(1 / highest / _WHOLE)] if number in by_words else []
        meaning = (
            Explanation(sentence, f"cosine of the sentence {cosines[number]:.3f}"),
            Explanation(block, f"cosine of its block {blocks[index.block_of[number]]:.3f}"),
        )
        return Explanation(values[number], "words and meaning", (*words, *meaning))

    return Scores(values, explain)


class Cosines(Protocol):
    """The similarity of texts in meaning, as cosines of their vectors."""

    def cosines(self, query: str, texts: Sequence[str]) -> Sequence[float]:
        """Return the cosine of a query with each of some texts, from -1 to 1."""

    def cosine(self, query: str, text: str) -> float:
        """Return the cosine of a query with one text."""

    def lengths(self, texts: Sequence[str], starts: Sequence[int]) -> list[float]:
        """Return the length of the sum of the vectors of each group of texts.

        Args:
            texts: The texts.
            starts: Where each group starts, ascending from 0; it ends where the next one starts.
        """


@dataclass(frozen=True, slots=True)
class _Texts:
    """The texts of an index that are compared with a query."""

    index: Index
    sentences: tuple[str, ...]
    pages: tuple[int, ...] = ()
    """The numbers of the pages that have sentences and enough quality; unused in `blend`."""
    profiles: tuple[str, ...] = ()
    """The profiles of these pages; empty where all of them are searched."""
    blocks: Sequence[tuple[int, int, float]] = ()
    """The first sentence of each block, its end, and the length of the sum of its vectors; unused
    in `supplement`."""


class SemanticSimilarity:
    """The similarity of sentences to queries in meaning.

    Attributes:
        settings: How meaning counts.
        min_similarity: The lowest cosine of a match.
    """

    def __init__(
        self,
        settings: Semantic,
        vectors: Cosines,
        *,
        min_similarity: float,
        enrich: Callable[[str], str] = str,
    ) -> None:
        """Start without texts; those of an index are read on first use.

        Args:
            settings: How meaning counts.
            vectors: Provides the cosines of texts.
            min_similarity: The lowest cosine of a match, unless the settings have one.
            enrich: Returns the text to embed for a query.
        """
        configured = settings.min_similarity
        self.settings = settings
        self.min_similarity = min_similarity if configured is None else configured
        self._vectors = vectors
        self._enrich = enrich
        self._texts: list[_Texts] = []

    @property
    def searches(self) -> bool:
        """Whether meaning finds or ranks sentences, and does not only decide on an answer."""
        return self.settings.mode != "gate"

    @property
    def blends(self) -> bool:
        """Whether meaning counts in every score, and not only where words match too little."""
        return self.settings.mode == "blend"

    def blended(self, query: str, lexical: Scores, index: Index) -> tuple[Scores, frozenset[int]]:
        """Return the scores of words and meaning together, and the sentences near in meaning."""
        texts = self._texts_of(index)
        cosines = self._vectors.cosines(self._enrich(query), texts.sentences)
        blocks = {
            index.block_of[first]: _cosine_of_mean(cosines[first:end], length)
            for first, end, length in texts.blocks
        }
        near = {n for n, cosine in enumerate(cosines) if cosine >= self.min_similarity}
        return blend(lexical, index, cosines, blocks, near=near), frozenset(near)

    def nearest(self, query: str, index: Index, *, hidden: Container[str] = ()) -> Scores:
        """Return the cosines of the sentences near to a query, on the pages nearest to it.

        Args:
            query: The text of the query.
            index: The sentences.
            hidden: The pages that are not searched.
        """
        texts, embedded_query = self._texts_of(index), self._enrich(query)
        pages = [n for n in texts.pages if index.parts[n].document.uri not in hidden]
        if not pages:
            return Scores({}, _unexplained)
        if len(pages) > PAGES:
            cosines = self._vectors.cosines(embedded_query, texts.profiles)
            nearness = dict(zip(texts.pages, cosines, strict=True))
            pages = sorted(sorted(pages, key=lambda n: (-nearness[n], n))[:PAGES])
        searched = set(pages)
        blocks = {n for n, page in enumerate(index.document_of) if page in searched}
        candidates = [number for number, block in enumerate(index.block_of) if block in blocks]
        cosines = self._vectors.cosines(embedded_query, [texts.sentences[n] for n in candidates])
        values = {
            number: cosine
            for number, cosine in zip(candidates, cosines, strict=True)
            if cosine >= self.min_similarity
        }

        model = self.settings.model

        def explain(number: int) -> Explanation:
            return Explanation(values[number], f"cosine with the query, by '{model}'")

        return Scores(values, explain)

    def cosine(self, query: str, text: str) -> float:
        """Return the cosine of a query with a text."""
        return self._vectors.cosine(self._enrich(query), text)

    def _texts_of(self, index: Index) -> _Texts:
        for texts in self._texts:
            if texts.index is index:
                return texts
        texts = self._read_texts(index)
        self._texts = [texts, *self._texts[: _REMEMBERED - 1]]
        return texts

    def _read_texts(self, index: Index) -> _Texts:
        sentences = tuple(sentence.text for sentence in index.sentences)
        if self.blends:
            starts = [n for n, (a, b) in enumerate(pairwise((-1, *index.block_of))) if a != b]
            lengths = self._vectors.lengths(sentences, starts)
            ends = [*starts, len(sentences)][1:]
            return _Texts(index, sentences, blocks=tuple(zip(starts, ends, lengths, strict=True)))
        min_quality = self.settings.min_relevance_score
        documents = [part.document for part in index.parts]
        with_sentences = sorted({index.document_of[block] for block in index.block_of})
        pages = tuple(n for n in with_sentences if quality(documents[n]) >= min_quality)
        profiled = pages if len(pages) > PAGES else ()  # fewer pages are all searched
        return _Texts(index, sentences, pages, tuple(profile(documents[n]) for n in profiled))


def _cosine_of_mean(cosines: Sequence[float], length: float) -> float:
    """Return the cosine of a query with the mean of some vectors of length 1.

    The dot product with a sum is the sum of the dot products, so no vector is needed.

    Args:
        cosines: The cosines of the query with each vector.
        length: The length of the sum of the vectors.
    """
    return max(-1.0, min(1.0, math.fsum(cosines) / length)) if length else 0.0


def _unexplained(number: int) -> Explanation:
    raise KeyError(number)
