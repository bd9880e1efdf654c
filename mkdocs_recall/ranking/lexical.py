"""The scorers that count words alone: `overlap` and `bm25`."""

from __future__ import annotations

from collections import Counter
from functools import reduce
from itertools import chain
from operator import add
from typing import Final

from mkdocs_recall.index.index import Index
from mkdocs_recall.index.postings import Statistics
from mkdocs_recall.ranking.scores import Explanation, Scores, block_decay, joined
from mkdocs_recall.text.language import get_language
from mkdocs_recall.text.sentences import words

_EMBEDM_LANGUAGES: Final = frozenset({"en", "nl"})
"""embedm has stop words for these, and uses the English ones for others."""


def overlap(query: str, index: Index) -> Scores:
    """Score sentences by the share of the query's words they hold, early blocks first.

    `|s ∩ q| / |q| x 1/(1 + block_index)`: s and q are sets of words without stems, q without stop
    words; block_index counts the top-level blocks of the page from 0. Range (0, 1]. The formula of
    embedm 1.0.1's recall.
    """
    codes = {get_language(code).code for code in index.languages}
    stop_words = frozenset().union(
        *(get_language(code if code in _EMBEDM_LANGUAGES else "en").stop_words for code in codes)
    )
    return joined(index, index.each(_overlap, frozenset(words(query)) - stop_words))


def _overlap(index: Index, query_words: frozenset[str]) -> Scores:
    by_word = index.sentences_with_word
    shared = Counter(chain.from_iterable(by_word.get(word, ()) for word in query_words))
    values = {
        number: count / len(query_words) * block_decay(index, number)
        for number, count in shared.items()
    }

    def explain(number: int) -> Explanation:
        decay, top = block_decay(index, number), index.block(number).top
        matches = sorted(query_words.intersection(words(index.sentences[number].text)))
        share = decay / len(query_words)
        parts = tuple(Explanation(share, f"'{word}' in block {top}") for word in matches)
        label = f"overlap: {len(parts)} of {len(query_words)} words of the query"
        return Explanation(len(parts) / len(query_words) * decay, label, parts)

    return Scores(values, explain)


K1: Final = 0.6
B: Final = 0.3
"""Lower than the usual 1.2 and .75, because a sentence seldom repeats a word: the mean mrr@10 on
the question sets of benchmarks/README.md is .777 within a page and .742 across pages, but .759 and
.722 with the usual values."""


def bm25(query: str, index: Index) -> Scores:
    """Score the sentences that hold a term of the query.

    `Σ idf(t) · tf·(k1 + 1) / (tf + k1·(1 - b + b·|s|/avg))` over the terms t of the query, where tf
    is how often t occurs in the sentence, |s| the number of its words without stop words, and avg
    their mean. Range (0, ∞). Robertson & Zaragoza (2009), "The Probabilistic Relevance Framework:
    BM25 and Beyond".
    """
    return joined(index, index.each(_bm25, index.statistics(query)))


def _bm25(index: Index, statistics: Statistics) -> Scores:
    lengths, average = index.lengths, statistics.totals.average_length
    counts = map(index.frequencies, statistics.terms)
    terms = [*zip(statistics.terms, counts, statistics.sentence_weights, strict=True)]

    def part(weight: float, frequency: int, number: int) -> float:
        norm = K1 * (1 - B + B * lengths[number] / average)
        return weight * frequency * (K1 + 1) / (frequency + norm)

    values: dict[int, float] = {}
    for _, frequencies, weight in terms:
        for number, frequency in frequencies.items():
            value = part(weight, frequency, number)
            values[number] = values.get(number, 0.0) + value

    def explain(number: int) -> Explanation:
        matches = ((t.word, w, counts[number]) for t, counts, w in terms if number in counts)
        parts = tuple(Explanation(part(w, n, number), f"'{word}'") for word, w, n in matches)
        label = f"bm25: {len(parts)} of {len(terms)} words of the query"
        # As `values` adds them up: from Python 3.12 on, `sum` rounds less.
        return Explanation(reduce(add, (part.value for part in parts), 0.0), label, parts)

    return Scores(values, explain)
