"""`frequency`: sentences with the frequent words of the page, early blocks first (embedm)."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from mkdocs_recall.scoring.explanation import Explanation, Scores
from mkdocs_recall.scoring.features import block_decay, candidates
from mkdocs_recall.text.terms import words

if TYPE_CHECKING:
    from mkdocs_recall.index.index import Index


def score(index: Index) -> Scores:
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
