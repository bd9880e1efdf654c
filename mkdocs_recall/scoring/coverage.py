"""`coverage`: how much of a query a sentence covers, by itself and with the text around it.

Each word of the query counts by how rare it is: in full where the sentence holds it, in part where
a word like it, the block, the sentences around or the heading do. Two words that are next to each
other in the query count a little more where they are in the sentence, too, and so do words in
quotation marks where the sentence holds them word for word.

    (C + .1·P + .2·Q) / 1.3

    C = Σ w(t)·c(t, s) / Σ w(t), over the terms t of the query; c is `WeightedTerm.credits`
    P = Σ (w(t) + w(u)) / Σ (w(t) + w(u)): below, over all terms t, u that follow each other in the
        query; above, over those of them that are next to each other in s
    Q = phrases in quotation marks that s holds / all such phrases of the query
    w = idf(t), times `query.QUESTION_WORD_WEIGHT` for a word that only puts the question

P and Q are left out, above and below, where the query has none. Each part is divided by its
highest value, so the range is (0, 1]: 1 is a sentence that says all that the query does, in its
words, under a heading that does so, too. The score of a text of n > 60 words is multiplied by
√(60/n).

Sources: idf, Robertson & Zaragoza (2009); pairs, Metzler & Croft (2005), "A Markov random field
model for term dependencies"; the text around a sentence, Murdock & Croft (2005), "A translation
model for sentence retrieval". The constants were tuned on SQuAD 2, XQuAD and Chroma's question set;
benchmarks/README.md ("Ranking: what was tried") has the gain of each part and what else was tried.
"""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Final, NamedTuple

from mkdocs_recall.index.query import query_terms, quoted_phrases
from mkdocs_recall.scoring.credit import MOST, WeightedTerm, credit_sums, leaned_terms
from mkdocs_recall.scoring.explanation import Explanation, Scores
from mkdocs_recall.scoring.features import SentenceWords

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from mkdocs_recall.index.index import Index

TERMS_WEIGHT: Final = 10
PAIRS_WEIGHT: Final = 1
PHRASES_WEIGHT: Final = 2
"""The weights of C, P and Q relative to each other; tuned. Twice the weight for pairs is worse."""

LONG: Final = 60
"""A text with more words, mostly code or a table row, holds some of the query by chance …"""
LONG_POWER: Final = 0.5
"""… so its score is divided by its length / `LONG` to this power. Chosen by reasoning: the question
sets have few such texts."""


def score(query: str, index: Index) -> Scores:
    """Score the sentences that hold a word of the query, or open a section or a block that does.

    The formula, its range and its sources are in the docstring of the module.

    Args:
        index: The sentences; idf is over all of them.

    Returns:
        A score in (0, 1] for each such sentence.
    """
    coverage = Coverage(query, index)
    return Scores(coverage.values(), coverage.explain)


class Coverage:
    """The scores of the sentences of an index for a query, computed for some of them at a time.

    Attributes:
        terms: The terms of the query, in its order.
    """

    def __init__(self, query: str, index: Index) -> None:
        """Find where the words of the query occur; see `score`."""
        self._index = index
        self.terms = [WeightedTerm(index, term) for term in query_terms(query, index.languages)]
        words = SentenceWords(index)
        self._pairs = [_Pair(words, one, other) for one, other in pairwise(self.terms)]
        self._phrases = quoted_phrases(query)
        self._phrase_sentences = index.sentences_with_names(query)
        self._scale = _Scale.of(self.terms, self._pairs, self._phrases)

    def values(self) -> Mapping[int, float]:
        """Return the scores of all matching sentences."""
        return self.values_of(self.matching)

    @cached_property
    def matching(self) -> set[int]:
        """The sentences that have a score: those with a word of the query, or right below one."""
        return set().union(*chain.from_iterable(term.matching for term in self.terms))

    def values_of(self, numbers: AbstractSet[int]) -> dict[int, float]:
        """Return the scores of some sentences; 0 for one that has nothing of the query near it."""
        scale = self._scale
        bonuses = [(pair.among(numbers), scale.pairs * pair.weight) for pair in self._pairs]
        bonuses += [(found & numbers, scale.phrases) for found in self._phrase_sentences]
        bonus = Counter[int]()
        for sentences, points in bonuses:
            for number in sentences:
                bonus[number] += points
        term_scale, whole = scale.terms, scale.whole
        bonus_of = bonus.get
        values = {
            number: (term_scale * credit + bonus_of(number, 0)) / whole
            for number, credit in credit_sums(self._index, self.terms, numbers).items()
        }
        lengths = self._index.lengths
        for number in values:
            if lengths[number] > LONG:
                values[number] *= _brevity(lengths[number])
        return values

    def explain(self, number: int) -> Explanation:
        """Explain the score of a sentence."""
        terms, length = self.terms, self._index.lengths[number]
        brevity = _brevity(length)
        term_unit, pair_unit, phrase_unit = self._scale.units()
        leaned = leaned_terms(self._index, terms, number)
        parts = [term.explain(number, term_unit * brevity, leans=term in leaned) for term in terms]
        parts += [
            Explanation(pair.weight * pair_unit * brevity, f"{pair} side by side")
            for pair in self._pairs
            if pair.among({number})
        ]
        parts += [
            Explanation(phrase_unit * brevity, f"'{' '.join(phrase)}' word for word")
            for phrase, sentences in zip(self._phrases, self._phrase_sentences, strict=True)
            if number in sentences
        ]
        held = sum(number in term.sentences for term in terms)
        label = f"coverage: {held} of {len(terms)} words of the query"
        if brevity < 1:
            label += f", in a text of {length} words"
        return Explanation(self.values_of({number})[number], label, tuple(parts))


class _Scale(NamedTuple):
    """The common denominator of C, P and Q, and the factor of each sum above it.

    The score is one quotient of whole numbers, so it is rounded once, and never above 1.
    """

    terms: int
    pairs: int
    phrases: int
    whole: int

    @classmethod
    def of(
        cls, terms: Sequence[WeightedTerm], pairs: Sequence[_Pair], phrases: Sequence[object]
    ) -> _Scale:
        """Return the scale of a query."""
        most_terms = MOST * sum(term.weight for term in terms) or 1  # of stop words alone
        most_pairs = sum(pair.weight for pair in pairs) or 1
        most_phrases = len(phrases) or 1
        weight = TERMS_WEIGHT + PAIRS_WEIGHT * bool(pairs) + PHRASES_WEIGHT * bool(phrases)
        return cls(
            terms=TERMS_WEIGHT * most_pairs * most_phrases,
            pairs=PAIRS_WEIGHT * most_terms * most_phrases,
            phrases=PHRASES_WEIGHT * most_terms * most_pairs,
            whole=weight * most_terms * most_pairs * most_phrases,
        )

    def units(self) -> tuple[float, float, float]:
        """Return the share of the score for a unit of credit, for one of a pair, for a phrase."""
        return self.terms / self.whole, self.pairs / self.whole, self.phrases / self.whole


def _brevity(length: int) -> float:
    """Return the factor for a text of a number of words: 1, and less for a long text."""
    return 1.0 if length <= LONG else (LONG / length) ** LONG_POWER


class _Pair:
    """Two terms that follow each other in the query, and where they are side by side."""

    def __init__(self, words: SentenceWords, one: WeightedTerm, other: WeightedTerm) -> None:
        self.weight = one.weight + other.weight
        self._one, self._other = one, other
        self._words = words

    def among(self, numbers: AbstractSet[int]) -> set[int]:
        """Return those of some sentences in which the two are side by side."""
        one, other = self._one, self._other
        both = (one.sentences & numbers) | (one.partial_sentences & numbers)
        both &= (other.sentences & both) | (other.partial_sentences & both)
        return both and self._words.with_neighbours(
            both, one.words | one.partial_words, other.words | other.partial_words
        )

    def __str__(self) -> str:
        """Return the two words."""
        return f"'{self._one.word} {self._other.word}'"
