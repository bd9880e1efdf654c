"""The scorers that count words alone: `overlap` and `bm25`.

`overlap` is the formula of embedm's recall, with the same results. `bm25` is Okapi BM25 with
sentences as documents (Robertson & Zaragoza 2009).
"""

from __future__ import annotations

from collections import Counter
from itertools import chain
from typing import TYPE_CHECKING, Final

from mkdocs_recall.index.query import query_terms
from mkdocs_recall.ranking.scores import Explanation, Scores, block_decay
from mkdocs_recall.text.language import get_language
from mkdocs_recall.text.sentences import words

if TYPE_CHECKING:
    from mkdocs_recall.index.index import Index


_EMBEDM_LANGUAGES: Final = frozenset({"en", "nl"})
"""embedm has stop words for these; it uses the English ones for all other languages."""


def overlap(query: str, index: Index) -> Scores:
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


K1: Final = 0.6
B: Final = 0.3
"""Lower than the usual 1.2 and .75, because a sentence is short and seldom repeats a word: the mean
mrr@10 on the question sets of benchmarks/README.md is .777 within a page and .742 across pages, but
.759 and .722 with the usual values."""


def bm25(query: str, index: Index) -> Scores:
    """Score the sentences that hold a term of the query.

    `Σ idf(t) · tf·(k1 + 1) / (tf + k1·(1 - b + b·|s|/avg))` over the terms t of the query, where tf
    is how often t occurs in the sentence, |s| the number of words of the sentence without stop
    words, and avg the mean of that. `Index.idf` is never negative. Range (0, ∞). Robertson &
    Zaragoza (2009), "The Probabilistic Relevance Framework: BM25 and Beyond".

    Args:
        index: The sentences; idf and the average length are over all of them.

    Returns:
        A score for each sentence that holds at least one term.
    """
    terms = query_terms(query, index.languages)
    frequencies = [index.frequencies(term) for term in terms]
    weights = [index.idf(len(counts)) for counts in frequencies]
    lengths, average = index.lengths, index.average_length

    def part(weight: float, frequency: int, length: int) -> float:
        norm = K1 * (1 - B + B * length / average)
        return weight * frequency * (K1 + 1) / (frequency + norm)

    values: dict[int, float] = {}
    for counts, weight in zip(frequencies, weights, strict=True):
        for number, frequency in counts.items():
            value = part(weight, frequency, lengths[number])
            values[number] = values.get(number, 0.0) + value

    def explain(number: int) -> Explanation:
        parts = tuple(
            Explanation(part(weight, counts[number], lengths[number]), f"'{term.word}'")
            for term, counts, weight in zip(terms, frequencies, weights, strict=True)
            if number in counts
        )
        return Explanation(
            values[number], f"bm25: {len(parts)} of {len(terms)} words of the query", parts
        )

    return Scores(values, explain)
