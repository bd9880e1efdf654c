"""`overlap`: the formula of embedm's recall, with the same results."""

from __future__ import annotations

from collections import Counter
from itertools import chain
from typing import TYPE_CHECKING, Final

from mkdocs_recall.scoring.explanation import Explanation, Scores
from mkdocs_recall.scoring.features import block_decay
from mkdocs_recall.text.language import get_language
from mkdocs_recall.text.terms import words

if TYPE_CHECKING:
    from mkdocs_recall.index.index import Index

_EMBEDM_LANGUAGES: Final = frozenset({"en", "nl"})
"""embedm has stop words for these; it uses the English ones for all other languages."""


def score(query: str, index: Index) -> Scores:
    """Score sentences by the share of the query's words they hold, early blocks first.

    `|s ∩ q| / |q| x 1/(1 + block_index)`: s and q are sets of words without stems, q without stop
    words (English ones for every language but Dutch, as in embedm); block_index counts the
    top-level blocks of the page from 0. Range (0, 1]. The formula of embedm 1.0.1's recall.

    Returns:
        A score for each sentence that shares a word with the query.
    """
    codes = {get_language(code).code for code in index.languages}
    stop_words = frozenset().union(
        *(get_language(code if code in _EMBEDM_LANGUAGES else "en").stop_words for code in codes)
    )
    query_words = frozenset(words(query)) - stop_words
    shared = Counter(
        chain.from_iterable(index.sentences_with_word.get(word, ()) for word in query_words)
    )
    values = {
        number: count / len(query_words) * block_decay(index, number)
        for number, count in shared.items()
    }

    def explain(number: int) -> Explanation:
        decay = block_decay(index, number)
        parts = tuple(
            Explanation(decay / len(query_words), f"'{word}' in block {index.block(number).top}")
            for word in sorted(query_words.intersection(words(index.sentences[number].text)))
        )
        return Explanation(
            values[number],
            f"overlap: {len(parts)} of {len(query_words)} words of the query",
            parts,
        )

    return Scores(values, explain)
