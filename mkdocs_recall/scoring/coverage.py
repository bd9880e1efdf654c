"""`coverage`: how much of what is asked stands in a sentence, or close to it.

Each word of the query counts by how rare it is: in full where the sentence holds it, in part where
a word like it, the block, the sentences around or the heading do. Two words that are asked side by
side count a little more where they stand side by side, and so do words in quotation marks, word
for word.

    (C + .1·P + .2·Q) / 1.3

    C = Σ w(t)·c(t, s) / Σ w(t) over the terms t of the query: see `_Standing.places` for c
    P = Σ (w(t) + w(u)) / Σ (w(t) + w(u)), above over the pairs that stand side by side in s, below
        over all terms t, u that follow each other in the query
    Q = phrases in quotation marks that s holds / all such phrases
    w = idf(t), times `query.ASKING` for a word that only puts the question

P and Q are left out, above and below, where the query has none. Each part is divided by the most
it can be: 1 is a sentence that says all that is asked as it is asked, under headings that say so
too, on every page. A text of more than 60 words scores less, by the root of how much longer it is.

Sources: idf, Robertson & Zaragoza (2009); pairs, Metzler & Croft (2005), "A Markov random field
model for term dependencies"; the text around a sentence, Murdock & Croft (2005), "A translation
model for sentence retrieval". The numbers were tuned on SQuAD 2, XQuAD and Chroma's question set;
`benchmarks/README.md` says what else was tried.
"""

from __future__ import annotations

from collections import Counter
from itertools import chain, pairwise
from typing import TYPE_CHECKING, NamedTuple

from mkdocs_recall.index.query import query_terms, quoted_phrases
from mkdocs_recall.scoring.explanation import Explanation, Layered, Scores

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from mkdocs_recall.index.index import Index
    from mkdocs_recall.index.query import Term

IN_SENTENCE = 100
AS_PART = 30
IN_BLOCK = 25
BEFORE = 10
AFTER = 5
TWO_BEFORE = 5
IN_SECTION = 5
"""What a word is worth by where it stands, in hundredths. All but the first add up to less."""
IN_HEADING = 10
"""What it is worth besides, wherever else it stands, if a heading above holds it: of the sentences
that say the same, the one where it is the subject."""
OPENING = 60
"""What a word of a heading or a label is worth, at least, to the sentences right below: they are
what it announces, if neither holds it. Chosen by reason: the question sets have no such pages."""
OPENERS = 2
"""So many sentences are right below."""

TERMS = 10
PAIRS = 1
PHRASES = 2
"""What C, P and Q weigh against each other."""

LONG = 60
"""A sentence with more words than this, mostly code, holds some by chance …"""
LONG_POWER = 0.5
"""… and its score is divided by how many times as long it is, to this power."""

FEW = 500
"""So many sentences are scored at once, and not the likelier ones first."""
_UNITS = 2**48
"""In a weight of 1. Whole numbers make sums exact, in any order."""
_MOST = IN_SENTENCE + IN_HEADING
"""What a word can be worth."""
_MOST_AROUND = BEFORE + AFTER + TWO_BEFORE + IN_SECTION + IN_HEADING
"""What a word is worth at most if neither the sentence, nor its block or heading, holds it."""


def score(query: str, index: Index) -> Scores:
    """Score the sentences that hold a word of the query, or open a section or a block that does.

    Args:
        query: What is asked.
        index: The sentences; idf is over all of them.

    Returns:
        A score in (0, 1] for each such sentence, by the formula above.
    """
    asked = query_terms(query, index.languages)
    found = [_Occurrences(index, term) for term in asked]
    words = _Words(index)
    pairs = [_Pair(words, one, other) for one, other in pairwise(found)]
    texts = quoted_phrases(query)
    phrases = index.with_phrases(texts)
    scale = _Scale.of(found, pairs, phrases)
    runs = [(pair.sentences, scale.pairs * pair.weight) for pair in pairs]
    runs += [(standing, scale.phrases) for standing in phrases]

    def scored(numbers: AbstractSet[int]) -> dict[int, float]:
        besides = Counter[int]()
        for standing, worth in runs:
            for number in standing & numbers:
                besides[number] += worth
        terms, whole = scale.terms, scale.whole
        more = besides.get
        values = {  # a quotient of whole numbers is never rounded above 1
            number: (terms * units + more(number, 0)) / whole
            for number, units in _sums(index, found, numbers).items()
        }
        lengths = index.lengths
        for number in values:
            if lengths[number] > LONG:
                values[number] *= _brevity(lengths[number])
        return values

    matching = set().union(*(each.sentences | each.parts | each.openings for each in found))
    values: Mapping[int, float]
    if len(matching) <= FEW:
        values = scored(matching)
    else:
        # With one term in or right above its block a sentence is seldom among the best, and most
        # have no more.
        close = _close(index, found, matching)
        values = Layered(
            scored(close),
            below=(scale.terms * _most_alone(found) + scale.phrases * len(phrases)) / scale.whole,
            rest=lambda: scored(matching - close),
        )

    def explain(number: int) -> Explanation:
        short = _brevity(index.lengths[number])
        parts = [each.explain(number, scale.term * short) for each in found]
        parts += [
            Explanation(pair.weight * scale.pair * short, f"{pair} side by side")
            for pair in pairs
            if number in pair.sentences
        ]
        parts += [
            Explanation(scale.phrase * short, f"'{' '.join(words)}' word for word")
            for words, standing in zip(texts, phrases, strict=True)
            if number in standing
        ]
        held = sum(number in each.sentences for each in found)
        label = f"coverage: {held} of {len(asked)} words of the query"
        if short < 1:
            label += f", in a text of {index.lengths[number]} words"
        return Explanation(values[number], label, tuple(parts))

    return Scores(values, explain)


class _Scale(NamedTuple):
    """From sums of units to a score: what the three parts weigh, and the most each can be."""

    terms: int
    pairs: int
    phrases: int
    whole: int

    @classmethod
    def of(
        cls, found: Sequence[_Occurrences], pairs: Sequence[_Pair], phrases: Sequence[object]
    ) -> _Scale:
        """Return the scale of a query."""
        most = _MOST * sum(each.weight for each in found) or 1  # of stop words alone
        paired = sum(pair.weight for pair in pairs) or 1
        quoted = len(phrases) or 1
        weight = TERMS + PAIRS * bool(pairs) + PHRASES * bool(phrases)
        return cls(
            terms=TERMS * paired * quoted,
            pairs=PAIRS * most * quoted,
            phrases=PHRASES * most * paired,
            whole=weight * most * paired * quoted,
        )

    @property
    def term(self) -> float:
        """What a unit of a term adds to the score."""
        return self.terms / self.whole

    @property
    def pair(self) -> float:
        """What a unit of a pair adds to the score."""
        return self.pairs / self.whole

    @property
    def phrase(self) -> float:
        """What a phrase adds to the score."""
        return self.phrases / self.whole


def _brevity(length: int) -> float:
    """Return what the score of a text with so many words is multiplied by: less if it is long."""
    return 1.0 if length <= LONG else (LONG / length) ** LONG_POWER


def _close(index: Index, found: Sequence[_Occurrences], matching: AbstractSet[int]) -> set[int]:
    """Return the sentences with two terms in their blocks, or one in the heading or label above."""
    block_of, section_of = index.block_of, index.section_of
    terms_in = Counter(chain.from_iterable(each.blocks | each.part_blocks for each in found))
    shared = {block for block, terms in terms_in.items() if terms > 1}
    named = set().union(*(each.named for each in found))
    openings = set().union(*(each.openings for each in found))
    return openings | {
        number
        for number in matching
        if (block := block_of[number]) in shared or section_of[block] in named
    }


def _most_alone(found: Sequence[_Occurrences]) -> int:
    """Return the highest sum that a sentence can have that is not `_close`."""
    around = sum(_MOST_AROUND * each.weight for each in found)
    return around + max(((_MOST - _MOST_AROUND) * each.weight for each in found), default=0)


def _sums(index: Index, found: Sequence[_Occurrences], numbers: AbstractSet[int]) -> dict[int, int]:
    """Return `Σ w(t)·c(t, s)` of some sentences, in hundredths of units.

    Every term adds what it is worth to its sections, its blocks and its sentences, each time what
    that is more than the wider place: no term meets every sentence.
    """
    block_of, section_of = index.block_of, index.section_of
    sentences = dict.fromkeys(numbers, 0)
    blocks = dict.fromkeys(map(block_of.__getitem__, numbers), 0)
    sections = dict.fromkeys(map(section_of.__getitem__, blocks), 0)
    starts = index.starts
    follows = numbers - starts
    beside = (
        (1, BEFORE, follows),
        (2, TWO_BEFORE, follows - {start + 1 for start in starts}),
        (-1, AFTER, numbers - {start - 1 for start in starts}),
    )
    for each in found:
        each.add(sentences, blocks, sections)
        for step, credit, reached in beside:
            for number in each.shifted(step, reached):
                sentences[number] += credit * each.weight
    for block in blocks:
        blocks[block] += sections[section_of[block]]
    return {number: own + blocks[block_of[number]] for number, own in sentences.items()}


class _Occurrences:
    """Where one term of the query stands, and what that is worth to a sentence."""

    def __init__(self, index: Index, term: Term) -> None:
        found = index.standing(term)
        self.term = term
        self.words, self.kin = found.words, found.kin
        self.sentences, self.parts = found.sentences, found.alike
        within = set(map(index.block_of.__getitem__, self.sentences))
        self.part_blocks = set(map(index.block_of.__getitem__, self.parts))
        self.led = (found.led | found.labelled) - within
        """The blocks that do not hold the term, but are led in to by a text that does."""
        self.blocks = within | self.led
        self.named, self.headed = found.named, found.headed
        self.sections = self.headed.union(map(index.section_of.__getitem__, within))
        self.openings = self._openings(index, found.labelled)
        """The sentences right below a heading or a label that holds it, if none of them does."""
        self.weight = max(1, int(index.idf(len(self.sentences)) * term.weight * _UNITS))
        self._index = index

    def _openings(self, index: Index, labelled: AbstractSet[int]) -> set[int]:
        section, block = index.first_of_section, index.first_of_block
        spans = [(section(number), section(number + 1)) for number in self.named]
        spans += [(block(number), block(number + 1)) for number in labelled]
        openings = (range(first, min(first + OPENERS, end)) for first, end in spans)
        return set(chain.from_iterable(filter(self.sentences.isdisjoint, openings)))

    def add(
        self, sentences: dict[int, int], blocks: dict[int, int], sections: dict[int, int]
    ) -> None:
        """Add what the term is worth to some sentences, and to all of some blocks and sections."""
        weight = self.weight
        for wider, standing, credit in (
            (sections, self.sections, IN_SECTION),
            (sections, self.headed, IN_HEADING),
            (blocks, self.blocks, IN_BLOCK),
            (sentences, self.sentences, IN_SENTENCE - IN_BLOCK - IN_SECTION),
            (sentences, self.parts, AS_PART),
        ):
            worth = credit * weight
            for number in standing & wider.keys():
                wider[number] += worth
        for number in self.openings & sentences.keys():
            sentences[number] += max(0, OPENING - sum(self._nearby(number).values())) * weight

    def shifted(self, step: int, reached: AbstractSet[int]) -> set[int]:
        """Return those without the term, of some, that stand so many after one that holds it."""
        if len(reached) < len(self.sentences):
            found = {number for number in reached if number - step in self.sentences}
        else:
            found = {number + step for number in self.sentences} & reached
        return found - self.sentences

    def places(self, number: int) -> Mapping[str, int]:
        """Return where the term stands, seen from a sentence, and what each place is worth.

        1 in the sentence; else the sum of .3 as part of another word, .25 in the block or what
        leads in to it, .1 in the sentence before, .05 in the one after and the one before that,
        .05 in the section or a heading above. To this, .1 where it is a heading above; and it is
        at least .6 if the sentence is among the first two under a heading, but a page's title, or
        a label that holds the term, and none of the two does. All divided by 1.1.
        """
        found = self._nearby(number)
        if number in self.openings and sum(found.values()) < OPENING:
            return {"in the heading or label right above": OPENING}
        return found

    def _nearby(self, number: int) -> Mapping[str, int]:
        """Return the same, if the sentence opened nothing."""
        index = self._index
        block = index.block_of[number]
        section = index.section_of[block]
        heading = IN_HEADING * (section in self.headed)
        if number in self.sentences:
            worth = {"in the sentence": IN_SENTENCE, "in a heading above": heading}
            return {place: value for place, value in worth.items() if value}
        first = number in index.starts
        second = first or number - 1 in index.starts
        last = number + 1 in index.starts
        within = section in self.sections
        worth = {
            "as part of a word": AS_PART * (number in self.parts),
            "in its block": IN_BLOCK * (block in self.blocks and block not in self.led),
            "in what leads in to it": IN_BLOCK * (block in self.led),
            "in the sentence before": BEFORE * (not first and number - 1 in self.sentences),
            "two sentences before": TWO_BEFORE * (not second and number - 2 in self.sentences),
            "in the sentence after": AFTER * (not last and number + 1 in self.sentences),
            "in its section": IN_SECTION * (within and not heading),
            "in a heading above": (IN_SECTION + heading) * (within and heading > 0),
        }
        return {place: value for place, value in worth.items() if value}

    def explain(self, number: int, unit: float) -> Explanation:
        """Say where the term stands.

        Args:
            number: The sentence.
            unit: What a unit adds to the score.
        """
        places = self.places(number)
        credit = sum(places.values())
        *others, last = places or ("not near it",)
        described = f"{', '.join(others)} and {last}" if others else last
        word = self.term.word
        forms = self._index.words_of(number)  # an index that somebody has changed may lack it there
        if number in self.sentences:
            form = next((form for form in forms if form in self.words), word)
            if word not in forms:
                described = described.replace("in the sentence", f"as '{form}'", 1)
        elif number in self.parts:
            form = next((form for form in forms if form in self.kin), word)
            described = described.replace("as part of a word", f"in part, as '{form}'")
        return Explanation(self.weight * credit * unit, f"'{word}' {described}")


class _Pair:
    """Two terms that follow each other in the query, and where they stand side by side."""

    def __init__(self, words: _Words, one: _Occurrences, other: _Occurrences) -> None:
        self.weight = one.weight + other.weight
        self._words = f"'{one.term.word} {other.term.word}'"
        both = (one.sentences | one.parts) & (other.sentences | other.parts)
        self.sentences = both and _side_by_side(
            words, both, one.words | one.kin, other.words | other.kin
        )

    def __str__(self) -> str:
        """Return the two words."""
        return self._words


class _Words:
    """The words of sentences; of long ones, where each stands is looked up once for all pairs."""

    def __init__(self, index: Index) -> None:
        self.of = index.words_of
        self._places: dict[int, dict[str, list[int]]] = {}

    def places(self, number: int, wanted: AbstractSet[str]) -> Iterable[int]:
        """Return where some words may stand in a sentence."""
        words = self.of(number)
        if len(words) <= LONG:
            return range(len(words))
        known = self._places.get(number)
        if known is None:
            known = self._places[number] = {}
            for place, word in enumerate(words):
                known.setdefault(word, []).append(place)
        return chain.from_iterable(known.get(word, ()) for word in wanted)


def _side_by_side(
    sentences: _Words, numbers: AbstractSet[int], ones: AbstractSet[str], others: AbstractSet[str]
) -> set[int]:
    """Return the sentences in which a word of each set stands beside one of the other, or is it."""
    found = set()
    for number in numbers:
        words = sentences.of(number)
        for place in sentences.places(number, ones):
            near = words[max(0, place - 1) : place + 2]
            if words[place] in ones and not others.isdisjoint(near):
                found.add(number)
                break
    return found
