"""The plain algorithms for synopses: `lead`, `frequency`, `luhn` and `textrank`.

- `lead`: the first complete sentences, a baseline that is hard to beat;
- `frequency`: sentences with the frequent words of the page, early blocks first (embedm);
- `luhn`: sentences with the densest cluster of significant words: Luhn (1958), "The Automatic
  Creation of Literature Abstracts";
- `textrank`: sentences that share most terms with the other sentences: Mihalcea & Tarau (2004),
  "TextRank: Bringing Order into Text".
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from mkdocs_recall.ranking.scores import Explanation, Scores, block_decay, candidates, centrality
from mkdocs_recall.text.sentences import words

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from mkdocs_recall.index.index import Index


def lead(index: Index) -> Scores:
    """Score the candidates by their place: `1/(1 + i)`, where i counts from 0.

    Range (0, 1]. The usual baseline for the synopsis of a text, as in Nenkova (2005), "Automatic
    Text Summarization of Newswire: Lessons Learned from the Document Understanding Conference".

    Returns:
        A score for each candidate.
    """
    values = {number: 1 / (1 + i) for i, number in enumerate(candidates(index))}

    def explain(number: int) -> Explanation:
        return Explanation(
            values[number], f"lead: sentence {round(1 / values[number])} of the text"
        )

    return Scores(values, explain)


def frequency(index: Index) -> Scores:
    """Score the candidates: `Σ f(w) / n x 1/(1 + block_index)`.

    The sum is over the words w of the sentence without stop words; f(w) is how often w occurs in
    the candidates; n counts all words of the sentence. Range [0, ∞). The formula of embedm 1.0.1's
    synopsis; that frequent words are significant goes back to Luhn (1958).

    Returns:
        A score for each candidate.
    """
    chosen = candidates(index)
    counts = Counter(word for number in chosen for word in index.sentences[number].words)
    lengths = {number: max(1, len(words(index.sentences[number].text))) for number in chosen}

    def part(word: str, number: int) -> float:
        return counts[word] / lengths[number] * block_decay(index, number)

    values = {  # one division for the sum, as in embedm, so that rounding gives the same ties
        number: sum(counts[word] for word in index.sentences[number].words)
        / lengths[number]
        * block_decay(index, number)
        for number in chosen
    }

    def explain(number: int) -> Explanation:
        parts = tuple(
            Explanation(part(word, number), f"'{word}' occurs {counts[word]} times on the page")
            for word in index.sentences[number].words
        )
        return Explanation(
            values[number],
            f"frequency: how often its words stand on the page, for each of its {lengths[number]}"
            f" words, counted down for block {index.block(number).top + 1} of the page",
            parts,
        )

    return Scores(values, explain)


GAP: Final = 5
"""The most words between two significant words of a cluster: embedm's value (Luhn: 4 or 5)."""


def luhn(index: Index) -> Scores:
    """Score the candidates: the best cluster's `significant² / length x 1/(1 + block_index)`.

    A word is significant if it is no stop word and occurs in the candidates more often than their
    words do on average. Range [0, ∞). Luhn (1958), with the factor for the block from embedm.

    Returns:
        A score for each candidate.
    """
    chosen = candidates(index)
    counts = Counter(word for number in chosen for word in index.sentences[number].words)
    average = sum(counts.values()) / max(1, len(counts))
    significant = {word for word, count in counts.items() if count > average}
    values = {
        number: best_cluster(words(index.sentences[number].text), significant)
        * block_decay(index, number)
        for number in chosen
    }

    def explain(number: int) -> Explanation:
        held = sorted(significant.intersection(index.sentences[number].words))
        return Explanation(
            values[number],
            f"luhn: how close its frequent words stand ({', '.join(held) or 'none'}),"
            f" counted down for block {index.block(number).top + 1} of the page",
        )

    return Scores(values, explain)


def best_cluster(sentence: Sequence[str], significant: Collection[str]) -> float:
    """Return the highest `significant² / length` of a sentence's clusters.

    A cluster starts at a significant word and continues while at most `GAP` other words separate it
    from the next one; its length counts all words from its first to its last significant one. As in
    the original, every significant word starts a cluster of its own.
    """
    positions = [position for position, word in enumerate(sentence) if word in significant]
    best, end = 0.0, len(positions) - 1
    # From the last word to the first, so that the end of a cluster is known before its start.
    for start in range(len(positions) - 1, -1, -1):
        if start + 1 < len(positions) and positions[start + 1] - positions[start] - 1 > GAP:
            end = start
        best = max(best, (end - start + 1) ** 2 / (positions[end] - positions[start] + 1))
    return best


def textrank(index: Index) -> Scores:
    """Score the candidates: their TextRank weight x `1/(1 + block_index)`.

    `features.centrality` computes the weight. Range (0, ∞).

    Returns:
        A score for each candidate.
    """
    chosen = candidates(index)
    ranks = centrality([index.term_set(number) for number in chosen])
    values = {
        number: rank * block_decay(index, number)
        for number, rank in zip(chosen, ranks, strict=True)
    }

    def explain(number: int) -> Explanation:
        return Explanation(
            values[number],
            "textrank: what it shares with the other sentences,"
            f" counted down for block {index.block(number).top + 1} of the page",
        )

    return Scores(values, explain)
