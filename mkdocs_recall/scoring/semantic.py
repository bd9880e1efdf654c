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

from typing import TYPE_CHECKING

from mkdocs_recall.scoring.explanation import Explanation, Scores

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from mkdocs_recall.index import Index

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
