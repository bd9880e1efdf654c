"""The scorer `coverage`: how much of a query a sentence covers, with the text around it.

Each word of the query counts by its rarity: in full if the sentence holds it, in part if a similar
word, the code beside it, the block, the sentences around or the heading do. So do pairs of words
that are adjacent in both, and words in quotation marks that the sentence holds verbatim.

    (C + .1·P + .2·Q) / 1.3

    C = Σ w(t)·c(t, s) / Σ w(t), over the terms t of the query; c is `WeightedTerm.credits`
    P = Σ (w(t) + w(u)) / Σ (w(t) + w(u)): below, over all terms t, u that follow each other in the
        query; above, over those of them that are next to each other in s
    Q = phrases in quotation marks that s holds / all such phrases of the query
    w = idf(t), times `query.QUESTION_WORD_WEIGHT` for a word that only asks

P and Q drop out of both sums if the query has none. Each part is divided by its highest value, so
the range is (0, 1]: 1 is a sentence that says all of the query, in its words, under a heading that
does so, too. The score of a text of n > 60 words is multiplied by √(60/n).

Sources: idf, Robertson & Zaragoza (2009); pairs, Metzler & Croft (2005), "A Markov random field
model for term dependencies"; the text around a sentence, Murdock & Croft (2005), "A translation
model for sentence retrieval". The constants were tuned on SQuAD 2, XQuAD and Chroma's question set.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set as AbstractSet
from functools import cached_property
from itertools import chain, pairwise, repeat
from operator import getitem
from typing import Final

from msgspec.structs import replace

from mkdocs_recall.index.index import Index, places
from mkdocs_recall.index.postings import Statistics
from mkdocs_recall.index.query import Term, joined_terms, quoted_phrases
from mkdocs_recall.ranking.scores import Explanation, Scores, joined

IN_SENTENCE: Final = 100
AS_PART: Final = 30  # of another word, or in the code right below
IN_BLOCK: Final = 25
BEFORE: Final = 10
AFTER: Final = 5
TWO_BEFORE: Final = 5
IN_SECTION: Final = 5
"""The credit for a word by its place, in hundredths; tuned."""
IN_HEADING: Final = 10
"""The credit that a heading above adds; tuned on twelve documentations."""
OPENING: Final = 60
"""The least credit right below a heading or label with the word; chosen by reasoning."""
OPENING_SENTENCES: Final = 2
"""How many sentences are right below; chosen like `OPENING`."""
LEANED_ON: Final = 70
"""The least credit for a word of the sentence that "It …" refers to, if "It …" adds another word.
The question sets gain from .6 to 1; from .8 on, users' questions lose."""
_FEW: Final = 8
"""If fewer than one in this many holders is scored, the others are dropped."""
_STEPS_BACK: Final = 3
_NEAR: Final = range(-_STEPS_BACK, 2)
"""The distances at which neighbours count for a sentence."""

WEIGHT_UNITS: Final = 2**48
"""The units in a weight of 1: sums of whole numbers are exact in any order."""
MOST: Final = IN_SENTENCE + IN_HEADING
"""The highest credit for a word."""


def _looked_up(table: Sequence[int], numbers: Iterable[int]) -> Iterator[int]:
    return map(getitem, repeat(table), numbers)


def credit_sums(  # noqa: C901 - a loop for each kind of place
    index: Index, terms: Sequence[WeightedTerm], numbers: AbstractSet[int]
) -> dict[int, int]:
    """Return `Σ w(t)·c(t, s)` over the terms t, for some sentences s, in hundredths of units.

    Terms add to the sums of sections, blocks and sentences; a sentence's total has all three. So
    the time grows with the occurrences of the terms, not with terms times sentences.
    """
    block_of, section_of = index.block_of, index.section_of
    by_sentence = dict.fromkeys(numbers, 0)
    by_block = dict.fromkeys(_looked_up(block_of, numbers), 0)
    by_section = dict.fromkeys(_looked_up(section_of, by_block), 0)
    starts = index.page_starts
    after_one = numbers - starts
    after_two = {number for number in after_one if number - 1 not in starts}
    before_one = {number for number in numbers if number + 1 not in starts}
    # The distance to a holder of the term, the credit, and the sentences on its page.
    neighbours = ((1, BEFORE, after_one), (2, TWO_BEFORE, after_two), (-1, AFTER, before_one))
    for term in terms:
        for sums, holding, credit in (
            (by_section, term.sections, IN_SECTION),
            (by_section, term.headed_sections, IN_HEADING),
            (by_block, term.blocks, IN_BLOCK),
            # The sums of its block and section have the rest.
            (by_sentence, term.sentences, IN_SENTENCE - IN_BLOCK - IN_SECTION),
            (by_sentence, term.partial_sentences, AS_PART),
            (by_sentence, term.code_sentences, AS_PART),
        ):
            points = credit * term.weight
            for number in holding & sums.keys():
                sums[number] += points
        for number in term.openings & by_sentence.keys():
            missing = OPENING - sum(term.credits_by_place(number).values())
            by_sentence[number] += max(0, missing) * term.weight
        for distance, credit, reachable in neighbours:
            for number in term.neighbours_at(distance, reachable):
                by_sentence[number] += credit * term.weight
    holders = _holders(terms, numbers)
    for number in holders & by_sentence.keys():
        if not holders.isdisjoint(range(number - _STEPS_BACK, number)) and index.leans(number):
            for term in leaned_terms(index, terms, number):
                leaning = sum(term.credits(number, leans=True).values())
                gain = leaning - sum(term.credits(number).values())
                by_sentence[number] += gain * term.weight
    for block in by_block:
        by_block[block] += by_section[section_of[block]]
    return {number: points + by_block[block_of[number]] for number, points in by_sentence.items()}


def _holders(terms: Sequence[WeightedTerm], numbers: AbstractSet[int]) -> set[int]:
    sets = [term.sentences for term in terms]
    if sum(map(len, sets)) > _FEW * len(numbers):
        near = {number - step for number in numbers for step in range(_STEPS_BACK + 1)}
        sets = [near & sentences for sentences in sets]
    return set().union(*sets)


def leaned_terms(index: Index, terms: Sequence[WeightedTerm], number: int) -> list[WeightedTerm]:
    """Return the terms in the sentences that one refers to, but not in itself.

    There are none if those hold all of its words of the query, too: then it adds no answer.
    """
    first = number
    while number - first < _STEPS_BACK and index.leans(first):
        first -= 1
    before = range(first, number)
    leaned = [term for term in terms if not term.sentences.isdisjoint(before)]
    adds = any(number in term.sentences for term in terms if term not in leaned)
    return [term for term in leaned if number not in term.sentences] if adds else []


class WeightedTerm:
    """A term of the query: its weight, places and credits."""

    def __init__(
        self,
        index: Index,
        term: Term,
        idf: float,
        among: AbstractSet[int] | None,
        near: AbstractSet[int] | None,
    ) -> None:
        self.word = term.word
        self.occurrences = occurrences = index.occurrences(term)
        whole = occurrences.frequencies
        partial = occurrences.partial_frequencies
        self.sentences = places(whole.sentences, near)
        self.partial_sentences = places(partial.sentences, near) - self.sentences
        in_code = places(whole.code_sentences, near)
        self.code_sections = set(_looked_up(index.sections.of_sentence, in_code))
        self.code_sentences = in_code - self.sentences - self.partial_sentences
        holders = self.sentences if among is None else self.sentences & among
        blocks = set(_looked_up(index.block_of, holders))
        titled, (labelled, led) = occurrences.titled_sections, occurrences.led_blocks
        if among is not None:
            searched = set(_looked_up(index.block_of, among))
            titled = titled.intersection(_looked_up(index.section_of, searched))
            labelled, led = labelled & searched, led & searched
        self.led_blocks = (led | labelled) - blocks
        """The blocks without the term below a lead-in that holds it."""
        self.blocks = blocks | self.led_blocks
        self.headed_sections = occurrences.headed_sections
        self.sections = self.headed_sections.union(_looked_up(index.section_of, blocks))
        firsts = index.sections.first_sentences
        block = index.first_of_block
        spans = [(firsts[section], firsts[section + 1]) for section in titled]
        spans += [(block(number), block(number + 1)) for number in labelled]
        openings = (range(first, min(first + OPENING_SENTENCES, end)) for first, end in spans)
        self.openings = {*chain.from_iterable(filter(self.sentences.isdisjoint, openings))}
        """The sentences right below a heading or label with it, if none holds it."""
        self.weight = max(1, int(idf * term.weight * WEIGHT_UNITS))
        self._index = index

    def neighbours_at(self, distance: int, numbers: AbstractSet[int]) -> set[int]:
        """Return the sentences without the term near one with it."""
        if len(numbers) < len(self.sentences):  # start from the smaller set
            matches = {number for number in numbers if number - distance in self.sentences}
        else:
            matches = {number + distance for number in self.sentences} & numbers
        return matches - self.sentences

    def credits(self, number: int, *, leans: bool = False) -> Mapping[str, int]:
        """Return the credit for the term in a sentence by place, in hundredths; c is their sum.

        It is at least `OPENING` right below a heading (but no title above others) or a label with
        the term, and at least `LEANED_ON` for one of the `leaned_terms`.
        """
        by_place = self.credits_by_place(number)
        credit = sum(by_place.values())
        if leans:
            section = self._index.section_of[self._index.block_of[number]]
            heading = IN_HEADING * (section in self.headed_sections)
            if credit < LEANED_ON + heading:
                leaned_on = {"in the sentence it refers to": LEANED_ON}
                return {**leaned_on, "in a heading above": heading} if heading else leaned_on
        if number in self.openings and credit < OPENING:
            return {"in the heading or label right above": OPENING}
        return by_place

    def credits_by_place(self, number: int) -> Mapping[str, int]:
        """Return the credits without the minimum for openings."""
        index = self._index
        block = index.block_of[number]
        section = index.section_of[block]
        heading = IN_HEADING * (section in self.headed_sections)
        if number in self.sentences:
            by_place = {"in the sentence": IN_SENTENCE, "in a heading above": heading}
            return {place: credit for place, credit in by_place.items() if credit}
        first = number in index.page_starts
        second = first or number - 1 in index.page_starts
        last = number + 1 in index.page_starts
        in_section = section in self.sections
        by_place = {
            "as part of a word": AS_PART * (number in self.partial_sentences),
            "in the code beside it": AS_PART * (number in self.code_sentences),
            "in its block": IN_BLOCK * (block in self.blocks and block not in self.led_blocks),
            "in its lead-in": IN_BLOCK * (block in self.led_blocks),
            "in the sentence before": BEFORE * (not first and number - 1 in self.sentences),
            "two sentences before": TWO_BEFORE * (not second and number - 2 in self.sentences),
            "in the sentence after": AFTER * (not last and number + 1 in self.sentences),
            "in its section": IN_SECTION * (in_section and not heading),
            "in a heading above": (IN_SECTION + heading) * (in_section and heading > 0),
        }
        return {place: credit for place, credit in by_place.items() if credit}

    def explain(self, number: int, unit: float, *, leans: bool = False) -> Explanation:
        """Explain the term's part of a score in these units."""
        by_place = self.credits(number, leans=leans)
        credit = sum(by_place.values())
        *others, last = by_place or ("not near it",)
        places = f"{', '.join(others)} and {last}" if others else last
        forms = self._index.words_of(number)  # a tampered cache may lack the form
        if number in self.sentences:
            form = next((form for form in forms if form in self.occurrences.words), self.word)
            if self.word not in forms:
                places = places.replace("in the sentence", f"as '{form}'", 1)
        elif number in self.partial_sentences:
            in_part = self.occurrences.partial_words
            form = next((form for form in forms if form in in_part), self.word)
            places = places.replace("as part of a word", f"in part, as '{form}'")
        return Explanation(self.weight * credit * unit, f"'{self.word}' {places}")


_SCANNED: Final = 60
"""A sentence of up to this many words is scanned for each pair. The positions in a longer one, such
as a block of code, are collected once for all pairs."""


TERMS_WEIGHT: Final = 10
PAIRS_WEIGHT: Final = 1
PHRASES_WEIGHT: Final = 2
"""The weights of C, P and Q; tuned. Twice the weight for pairs is worse."""

LONG: Final = 60
"""A text with more words holds some of the query by chance …"""
LONG_POWER: Final = 0.5
"""… so its score is divided by its length / `LONG` to this power, chosen by reasoning."""
MIN_SCORE: Final = 0.2
"""Rejects most answers from a wrong page and hardly any right one (benchmarks/README.md,
"Answers"). Scores of the scorers that only count words differ by page, so no threshold fits."""


def score(query: str, index: Index) -> Scores:
    """Score sentences with, or below, words of the query."""
    scores = joined(index, index.each(_scores_of, query, index.statistics(query)))
    return replace(scores, min_score=MIN_SCORE)


def _scores_of(index: Index, query: str, statistics: Statistics) -> Scores:
    coverage = Coverage(index, query, statistics)
    return Scores(coverage.values_of(coverage.matching), coverage.explain)


class Coverage:
    """The scores of a shard's sentences, for some at a time."""

    def __init__(
        self,
        index: Index,
        query: str,
        statistics: Statistics,
        among: AbstractSet[int] | None = None,
    ) -> None:
        # Only some sentences, of whole sections, may be asked for.
        self._index, self._among = index, among
        weights = statistics.sentence_weights
        near = among and {number + step for number in among for step in _NEAR}
        weighted = zip(joined_terms(query, statistics.terms), weights, strict=True)
        self.terms = [WeightedTerm(index, term, idf, among, near) for term, idf in weighted]
        self._pairs = [*pairwise(self.terms)]
        self._positions: dict[int, dict[str, list[int]]] = {}
        """The positions of the words of long sentences."""
        self._phrases = quoted_phrases(query)
        self._phrase_sentences = index.sentences_with_names(query, among)
        # The factors of C, P and Q above their common denominator. The score is one quotient of
        # whole numbers, so it is rounded once, and never above 1.
        terms = MOST * sum(term.weight for term in self.terms) or 1  # of stop words alone
        pairs = sum(one.weight + other.weight for one, other in self._pairs) or 1
        count = len(self._phrases) or 1
        weight = (PAIRS_WEIGHT if self._pairs else 0) + (PHRASES_WEIGHT if self._phrases else 0)
        self._factors = (
            TERMS_WEIGHT * pairs * count,
            PAIRS_WEIGHT * terms * count,
            PHRASES_WEIGHT * terms * pairs,
        )
        self._whole = (TERMS_WEIGHT + weight) * terms * pairs * count

    @cached_property
    def matching(self) -> set[int]:
        """The sentences with, or right below, a word of the query."""
        matching = set[int]()
        for term in self.terms:
            matching.update(term.sentences, term.partial_sentences)
            matching.update(term.code_sentences, term.openings)
        return matching if self._among is None else matching & self._among

    def values_of(self, numbers: AbstractSet[int]) -> dict[int, float]:
        """Return the scores of some sentences."""
        term_factor, pair_factor, phrase_factor = self._factors
        bonuses = [
            (self._side_by_side(one, other, numbers), pair_factor * (one.weight + other.weight))
            for one, other in self._pairs
        ]
        bonuses += [(holders & numbers, phrase_factor) for holders in self._phrase_sentences]
        bonus = Counter[int]()
        for sentences, points in bonuses:
            for number in sentences:
                bonus[number] += points
        whole, bonus_of = self._whole, bonus.get
        sums = credit_sums(self._index, self.terms, numbers).items()
        values = {n: (term_factor * credit + bonus_of(n, 0)) / whole for n, credit in sums}
        lengths = self._index.lengths
        for number in values:
            if lengths[number] > LONG:
                values[number] *= _brevity(lengths[number])
        return values

    def _side_by_side(
        self, one: WeightedTerm, other: WeightedTerm, numbers: AbstractSet[int]
    ) -> set[int]:
        # In any order. A word that matches both is adjacent to itself.
        both = (one.sentences & numbers) | (one.partial_sentences & numbers)
        both &= (other.sentences & both) | (other.partial_sentences & both)
        if not both:  # then partial matches are not looked up
            return both
        first, second = (o.words | o.partial_words for o in (one.occurrences, other.occurrences))
        matches = set()
        for number in both:
            words = self._index.words_of(number)
            for position in self._positions_of(number, words, first):
                if not second.isdisjoint(words[max(0, position - 1) : position + 2]):
                    matches.add(number)
                    break
        return matches

    def _positions_of(
        self, number: int, words: Sequence[str], forms: AbstractSet[str]
    ) -> Iterable[int]:
        if len(words) <= _SCANNED:
            return [position for position, word in enumerate(words) if word in forms]
        positions = self._positions.get(number)
        if positions is None:
            positions = self._positions[number] = {}
            for position, word in enumerate(words):
                positions.setdefault(word, []).append(position)
        return chain.from_iterable(positions.get(word, ()) for word in forms)

    def explain(self, number: int) -> Explanation:
        """Explain the score of a sentence."""
        terms, brevity = self.terms, _brevity(self._index.lengths[number])
        term_unit, pair_unit, phrase_unit = (factor / self._whole for factor in self._factors)
        leaned = leaned_terms(self._index, terms, number)
        parts = [term.explain(number, term_unit * brevity, leans=term in leaned) for term in terms]
        parts += [
            Explanation(
                (one.weight + other.weight) * pair_unit * brevity,
                f"'{one.word} {other.word}' side by side",
            )
            for one, other in self._pairs
            if self._side_by_side(one, other, {number})
        ]
        parts += [
            Explanation(phrase_unit * brevity, f"'{' '.join(phrase)}' word for word")
            for phrase, sentences in zip(self._phrases, self._phrase_sentences, strict=True)
            if number in sentences
        ]
        return Explanation(self.values_of({number})[number], self.description(number), tuple(parts))

    def description(self, number: int) -> str:
        """Describe how many words of the query a sentence has."""
        count = sum(number in term.sentences for term in self.terms)
        label = f"coverage: {count} of {len(self.terms)} words of the query"
        length = self._index.lengths[number]
        return label if _brevity(length) == 1 else f"{label}, in a text of {length} words"


def _brevity(length: int) -> float:
    return 1.0 if length <= LONG else (LONG / length) ** LONG_POWER
