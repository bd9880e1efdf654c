"""`structure`: where in a documentation the answer is, then which sentence there says it.

A sentence is too small to find the right place by. So each section has a relevance of its own, and
a sentence is worth as much as its section and its own words say together:

    r = (C + S) / 2
    l = r + g·r·(1 - r)
    v = (l + D·min(1, 5·(1 - l))) · c
    score = v + H·min(1, 2·(1 - v))

    C = coverage(s*) - (a(s*) - a(s)), for s* the sentence of the section with the highest coverage,
        and a highest where a is: so a only decides which sentence of a section comes first
    a = coverage(s) + .15·max(0, 1 - coverage(s*) / k) / (1 + p) + .03 + .05, the last two where s
        has inline code, and where the query asks for a value and s has a digit; p is the number of
        sentences before s in its section: often the first one answers, but not where another says
        all of the query that any section knows: k, the share of its terms by w; the title of a tab
        opens nothing
    S = Σ w(t)·f(t) / Σ w(t), f = tf / (tf + 2): BM25F of the section, over the terms t of the
        query; tf is `Sections.frequencies`, and w is idf over sections
    g = .5·n / (n + 2) + .5·m / (m + 1): n other pages link to the page, m to the section
        (`Sections.authority`)
    c = .7 in a chronicle, such as release notes, that the source does not name; else 1
    D = .15 for a sentence that says what the query asks for is, outside of chronicles: `definition`
    H = what the section's heading adds where it is the query, at most .5: `heading_match`

A word that holds a term only in part counts `PARTIAL` in tf, and adds no more than that to S. On a
page with one section, a is the coverage alone; in one section alone, so is the score. The range is
[0, 1]: each part is, g ≤ 1, and H counts in full only up to .5, D up to .8. A section whose heading
is the query is scored whatever it promises.

Sources: BM25F, Robertson, Zaragoza & Taylor (2004), "Simple BM25 extension to multiple weighted
fields"; links, Craswell et al. (2005), "Relevance weighting for query independent evidence", for
the form n / (n + k). The constants are round numbers from the flat middle of what was tried on 146
questions of users over 15 documentations; benchmarks/README.md ("Sections") has the figures.
"""

from __future__ import annotations

import heapq
import math
from itertools import chain
from operator import itemgetter
from typing import TYPE_CHECKING, Final, NamedTuple

from mkdocs_recall.index.query import asks_for_value, query_terms
from mkdocs_recall.scoring.coverage import Coverage
from mkdocs_recall.scoring.definition import WEIGHT as DEFINITION
from mkdocs_recall.scoring.definition import definitions
from mkdocs_recall.scoring.explanation import Explanation, Scores
from mkdocs_recall.scoring.heading_match import matches_of
from mkdocs_recall.scoring.registry import COVERAGE_MIN_SCORE
from mkdocs_recall.scoring.section_term import SectionTerm

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from mkdocs_recall.index.index import Index

OPENING: Final = 0.15
"""What the first sentence of a section gains, if no sentence there covers anything of the query."""
CODE: Final = 0.03
"""What a sentence with inline code gains."""
VALUE: Final = 0.05
"""What a sentence with a digit gains where the query asks for a value."""
CHRONICLE: Final = 0.7
"""What a section of a chronicle is worth."""
ONE_PAGE: Final = 0.16
"""The least score of an answer on one page, to a query of `USUAL_TERMS`: who names a page mostly
knows that the answer is there."""
SEVERAL_PAGES: Final = 0.18
PER_TENFOLD: Final = 0.25
"""The same on several pages, if they had one section; and how much more it is among ten times as
many."""
USUAL_TERMS: Final = 5
PER_TERM: Final = 0.05
"""What each further term lowers it by. benchmarks/README.md ("Answers that are not there") has the
curves."""
_NOTHING: Final = 1e-12
"""What a sum of numbers that cancel out may differ from 0 by."""
SECTIONS: Final = 128
"""Only the sentences of so many sections are scored: those that promise most, by their S and by
their best sentence, as far as it is known. Of 146 queries over 45,000 sentences, the best three are
those of all sections for 144, the best ten for 137."""
AT_ONCE: Final = 512
"""Of more sections, these are looked at first. This affects the time only."""
ALONE: Final = 0.8
"""About how much of a term's weight a sentence covers that has nothing else of the query."""


def score(query: str, index: Index, *, links: bool = True, chronicles: bool = True) -> Scores:
    """Score the sentences that hold a word of the query, or open a section that is about it.

    The formula, its range and its sources are in the docstring of the module.

    Args:
        index: The sentences; the statistics are over all of them.

    Returns:
        A score in (0, 1] for each such sentence.
    """
    coverage = Coverage(query, index)
    if index.section_count <= 1:
        return Scores(coverage.values(), coverage.explain)
    ranking = _Structure(query, index, coverage, links=links, chronicles=chronicles)
    return Scores(ranking.values(), ranking.explain)


def min_score(query: str, index: Index) -> float:
    """Return the least score of an answer: more among many pages, less for a long query.

    Among many sections some sentence holds a part of the query by chance; and the longer the query,
    the less of it an answer repeats. In one section the score is that of `coverage`, and so is
    this.
    """
    if index.section_count <= 1:
        return COVERAGE_MIN_SCORE
    usual = ONE_PAGE
    if len(index.parts) > 1:
        usual = SEVERAL_PAGES * (1 + PER_TENFOLD * math.log10(index.section_count))
    terms = len(query_terms(query, index.languages))
    return usual * (1 + PER_TERM * USUAL_TERMS) / (1 + PER_TERM * terms)


class _SectionScore(NamedTuple):
    """What the scores of all sentences of a section have in common."""

    first: int
    """Its first sentence."""
    lowered: float
    """What all lose, 0 or less, so that the best of them gains nothing."""
    relevance: float
    """S of the section."""
    gain: float
    """g of the section."""
    factor: float
    """Less than 1 in a chronicle."""
    heading: float
    """H of the section."""

    def value(self, coverage: float, gain: float, *, defines: bool = False) -> float:
        """Return the score of a sentence."""
        own = coverage + gain + self.lowered
        value = (own + self.relevance) / 2
        value = min(1.0, max(0.0, value))
        value += self.gain * value * (1 - value)
        if defines and self.factor == 1:
            value += DEFINITION * min(1.0, 5 * (1 - value))
        value *= self.factor
        return value + self.heading * min(1.0, 2 * (1 - value))


class _Structure:
    """The scores of the sentences of an index for a query, section by section."""

    def __init__(
        self, query: str, index: Index, coverage: Coverage, *, links: bool, chronicles: bool
    ) -> None:
        self._index = index
        self._coverage = coverage
        sections = index.sections
        self._authority = sections.authority if links else [0.0] * len(sections)
        self._chronicles = sections.in_chronicles if chronicles else frozenset[int]()
        self._terms = [SectionTerm(index, term) for term in query_terms(query, index.languages)]
        self._total = math.fsum(term.weight for term in self._terms) or 1.0
        known = math.fsum(term.weight for term in self._terms if term.sections)
        self._known = known / self._total or 1.0
        self._coverages: dict[int, float] = {}
        self._relevance: dict[int, float] = {}
        self._weights = [term.weight / self._total for term in self._terms]
        naming = [term for term in coverage.terms if term.term.weight >= 1] or coverage.terms
        places = [(term.titled_sections, term.headed_sections) for term in naming]
        self._headings = matches_of(query, index, places)
        self._definitions = definitions(
            [term.term for term in naming],
            [term.sentences for term in naming],
            self._headings,
            index,
        )
        self._asks_for_value = asks_for_value(query, index.languages)

    def values(self) -> dict[int, float]:
        """Return the scores of the matching sentences of the sections that promise most."""
        best = dict.fromkeys(section for _, section in self._best_sections())
        self._add_relevance(self._headings.keys() - self._relevance.keys())
        return self._values_of([*best, *sorted(self._headings.keys() - best.keys())])

    def _best_sections(self) -> list[tuple[float, int]]:
        """Return the sections that promise most; see `_promises_of`.

        Those with the most of the query are looked at first, until no other can be among the best:
        so most sections that only have a term of a third of all sentences are never looked at.
        """
        if len(self._index.sections) <= SECTIONS:  # none can be left out
            sections = set().union(
                *(term.sections for term in self._terms), *self._coverage.lead_in_sections()
            )
            self._add_relevance(sections)
            return sorted(self._promises_of(sections))
        groups = self._by_terms()
        bounds = {terms: self._coverage.most_with(terms) for terms in groups}
        sums = {
            terms: bound + math.fsum(self._weights[number] for number in terms)
            for terms, bound in bounds.items()
        }
        best: list[tuple[float, int]] = []
        waiting: dict[int, float] = {}
        left = sorted(groups, key=sums.__getitem__)
        while left and (waiting or sums[left[-1]] >= _least_sum(best)):
            terms = left.pop()
            waiting |= dict.fromkeys(groups[terms], bounds[terms])
            if len(waiting) >= AT_ONCE or not left:
                best = self._with_sections(best, waiting)
                waiting = {}
        return best

    def _by_terms(self) -> dict[frozenset[int], list[int]]:
        """Return the sections by the numbers of the terms that they, or what leads in, have."""
        bits_of: dict[int, int] = {}
        pairs = zip(self._terms, self._coverage.lead_in_sections(), strict=True)
        for number, (term, led) in enumerate(pairs):
            bit, other_bits = 1 << number, bits_of.get
            bits_of |= {each: other_bits(each, 0) | bit for each in chain(term.sections, led)}
        groups: dict[int, list[int]] = {}
        for section, bits in bits_of.items():
            groups.setdefault(bits, []).append(section)
        numbers = range(len(self._terms))
        return {
            frozenset(number for number in numbers if bits >> number & 1): sections
            for bits, sections in groups.items()
        }

    def _with_sections(
        self, best: list[tuple[float, int]], bounds: Mapping[int, float]
    ) -> list[tuple[float, int]]:
        """Return the sections that promise most, of those known and others."""
        self._add_relevance(bounds.keys())
        relevance = self._relevance.get
        most = {section: bound + relevance(section, 0.0) for section, bound in bounds.items()}
        while True:
            reached, least = _reached(best), _least_sum(best)
            most = {
                section: sum_
                for section, sum_ in most.items()
                if sum_ >= least and self._promise(section, sum_) >= reached
            }
            if not most:
                return best
            least = heapq.nlargest(AT_ONCE, most.values())[-1]
            first = {section for section, sum_ in most.items() if sum_ >= least}
            best = heapq.nsmallest(SECTIONS, [*best, *self._promises_of(first)])
            most = {section: sum_ for section, sum_ in most.items() if sum_ < least}

    def _add_relevance(self, sections: AbstractSet[int]) -> None:
        """Compute the S of some sections."""
        for term, weight in zip(self._terms, self._weights, strict=True):
            sum_of = self._relevance.get
            self._relevance |= {
                section: sum_of(section, 0.0) + weight * share
                for section, share in term.shares(sections).items()
            }

    def _promises_of(self, sections: AbstractSet[int]) -> list[tuple[float, int]]:
        """Return what sections promise, below 0 so that the first is the least, and the sections.

        It is half of S and of the coverage of the best of their likely sentences, or of a sentence
        with their heaviest term alone.
        """
        of_sentence = self._index.sections.of_sentence
        sentences = set(chain.from_iterable(map(self._sentences, sections)))
        coverages = self._coverage.values_of(self._coverage.likely_among(sentences))
        self._coverages |= coverages
        best: dict[int, float] = {}
        for weight, term in sorted(zip(self._weights, self._terms, strict=True), key=itemgetter(0)):
            best |= dict.fromkeys(term.sections & sections, ALONE * weight)
        for number, value in coverages.items():
            section = of_sentence[number]
            if value > best.get(section, 0.0):
                best[section] = value
        relevance = self._relevance.get
        return [
            (-self._promise(section, value + relevance(section, 0.0)), section)
            for section, value in best.items()
        ]

    def _promise(self, section: int, sum_: float) -> float:
        """Return what a section promises, by the sum of its S and the coverage of a sentence."""
        promise = sum_ / 2
        promise += self._authority[section] * promise * (1 - promise)
        return promise * CHRONICLE if section in self._chronicles else promise

    def _values_of(self, sections: Iterable[int]) -> dict[int, float]:
        """Return the scores of the sentences of some sections that are greater than 0."""
        numbers = {section: self._candidates(section) for section in sections}
        coverages = self._coverages
        coverages |= self._coverage.values_of(
            set(chain.from_iterable(numbers.values())) - coverages.keys()
        )
        values = {}
        for number, candidates in numbers.items():
            section, gains = self._with_gains(number, candidates)
            for sentence in candidates:
                value = section.value(
                    coverages[sentence],
                    gains.get(sentence, 0.0),
                    defines=sentence in self._definitions,
                )
                if value > 0:
                    values[sentence] = value
        return values

    def _candidates(self, section: int) -> set[int]:
        """Return the sentences of a section that match, and its first one."""
        sentences = self._sentences(section)
        candidates = self._coverage.matching_among(sentences)
        if self._is_one_of_several(section):
            candidates.update(sentences[:1])
        return candidates

    def _sentences(self, section: int) -> range:
        first_sentences = self._index.sections.first_sentences
        return range(first_sentences[section], first_sentences[section + 1])

    def _is_one_of_several(self, section: int) -> bool:
        """Tell whether the page of a section has others."""
        sections = self._index.sections
        return sections.sections_of_page[sections.pages[section]] > 1

    def _section(self, number: int) -> _SectionScore:
        """Return a section whose sentences gain nothing."""
        factor = CHRONICLE if number in self._chronicles else 1.0
        relevance = self._relevance.get(number, 0.0)
        heading = self._headings.get(number, 0.0)
        return _SectionScore(0, 0.0, relevance, self._authority[number], factor, heading)

    def _with_gains(
        self, number: int, candidates: AbstractSet[int]
    ) -> tuple[_SectionScore, Mapping[int, float]]:
        """Return a section, and what its sentences gain by their place and by inline code.

        Args:
            candidates: The sentences that may be chosen.
        """
        section, index, coverages = self._section(number), self._index, self._coverages
        if not self._is_one_of_several(number):
            return section, {}
        quotable = [sentence for sentence in candidates if index.is_quotable(sentence)]
        best = max(map(coverages.__getitem__, quotable), default=0.0)
        opening = OPENING * max(0.0, 1 - best / self._known)
        first = index.first_of_section(number)
        gains = {}
        for sentence in candidates:
            gains[sentence] = CODE if index.has_code(sentence) else 0.0
            if self._asks_for_value and index.has_digit(sentence):
                gains[sentence] += VALUE
            if opening and not index.is_label(sentence):  # a tab's title opens nothing
                gains[sentence] += opening / (1 + sentence - first)
        highest = max((coverages[each] + gains[each] for each in quotable), default=0.0)
        return section._replace(first=first, lowered=best - highest), gains

    def explain(self, number: int) -> Explanation:
        """Explain the score of a sentence."""
        position = self._index.sections.of_sentence[number]
        section, gains = self._with_gains(position, self._candidates(position))
        coverage, gain = self._coverage.explain(number), gains.get(number, 0.0)
        parts = [coverage.scaled(0.5)]
        if abs(gain + section.lowered) > _NOTHING:
            label = f"place in its section: sentence {1 + number - section.first}"
            label += ", with inline code" * self._index.has_code(number)
            parts.append(Explanation((gain + section.lowered) / 2, label))
        parts.append(self._explain_section(position))
        value = min(1.0, math.fsum(part.value for part in parts))
        if by_links := section.gain * value * (1 - value):
            parts.append(Explanation(by_links, self._describe_links(position)))
            value += by_links
        if number in self._definitions and section.factor == 1:
            by_definition = DEFINITION * min(1.0, 5 * (1 - value))
            parts.append(Explanation(by_definition, "it says what it is"))
            value += by_definition
        if section.factor < 1:
            lost = (section.factor - 1) * value
            parts.append(
                Explanation(lost, "chronicles: a page of versions or dates that no source names")
            )
            value += lost
        if section.heading:
            by_heading = section.heading * min(1.0, 2 * (1 - value))
            parts.append(Explanation(by_heading, "its heading is the query, or nearly"))
        # The sum of the parts may differ from the score in the last digit.
        score = section.value(coverage.value, gain, defines=number in self._definitions)
        label = "structure: half the sentence, half its section"
        return Explanation(score, label, tuple(parts))

    def _explain_section(self, section: int) -> Explanation:
        parts = [
            Explanation(term.weight / self._total * share / 2, f"'{term.word}'")
            for term in self._terms
            for share in term.shares({section}).values()
        ]
        label = f"its section: {len(parts)} of {len(self._terms)} words of the query"
        return Explanation(self._relevance.get(section, 0.0) / 2, label, tuple(parts))

    def _describe_links(self, section: int) -> str:
        sections = self._index.sections
        page, anchor = sections.page_links[section], sections.anchor_links[section]
        pages = "1 other page links" if page == 1 else f"{page} other pages link"
        return f"links: {pages} to the page, {anchor} to the section"


def _reached(best: Sequence[tuple[float, int]]) -> float:
    """Return what a section must promise at least to be among the best."""
    return -best[-1][0] - _NOTHING if len(best) == SECTIONS else 0.0


def _least_sum(best: Sequence[tuple[float, int]]) -> float:
    """Return the least sum of S and a coverage with which a section may be among the best.

    Links gain most with an authority of 1, and then p promises 2·p - p².
    """
    return 2 * (1 - math.sqrt(max(0.0, 1 - _reached(best)))) - _NOTHING
