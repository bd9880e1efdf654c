"""`overlap`: the original formula of embedm's recall, kept exact."""

from __future__ import annotations

from collections import Counter
from itertools import chain
from typing import TYPE_CHECKING

from mkdocs_recall.scoring.explanation import Explanation, Scores
from mkdocs_recall.scoring.features import block_decay
from mkdocs_recall.text.language import get_language
from mkdocs_recall.text.terms import words

if TYPE_CHECKING:
    from mkdocs_recall.index.index import Index

_ITS_LANGUAGES = frozenset({"en", "nl"})
"""embedm has stop words for these; it leaves out the English ones in all other languages."""


def score(query: str, index: Index) -> Scores:
    """Score sentences by the share of the query's words they hold, early blocks first.

    `|s ∩ q| / |q| x 1/(1 + block_index)`: s and q are sets of words without stems, q without stop
    words (English ones for every language but Dutch, as in embedm); block_index counts the
    top-level blocks of the page from 0. Range (0, 1].

    Args:
        query: What is asked.
        index: The sentences.

    Returns:
        A score for each sentence that shares a word with the query.
    """
    codes = {get_language(code).code for code in index.languages}
    stop_words = frozenset().union(
        *(get_language(code if code in _ITS_LANGUAGES else "en").stop_words for code in codes)
    )
    asked = frozenset(words(query)) - stop_words
    shared = Counter(chain.from_iterable(index.with_word.get(word, ()) for word in asked))
    values = {
        number: count / len(asked) * block_decay(index, number) for number, count in shared.items()
    }

    def explain(number: int) -> Explanation:
        decay = block_decay(index, number)
        parts = tuple(
            Explanation(decay / len(asked), f"'{word}' in block {index.block(number).top}")
            for word in sorted(asked.intersection(words(index.sentences[number].text)))
        )
        return Explanation(
            values[number], f"overlap: {len(parts)} of {len(asked)} words of the query", parts
        )

    return Scores(values, explain)
