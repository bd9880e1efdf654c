"""The scorer `structure`: which section holds the answer, then which sentence there says it.

The sections that may hold the answer are ranked by fitted weights. Each sentence gets the score of
its section, or less if another sentence there says more of the query:

    score = S·(1 - (a* - a))/(1 + n)

    S = p + (z - z*)/8: z is z(d, q), see below, z* the best for the query; a value below .1
        becomes .1·exp(S/.1 - 1), so that it is never 0
    p = the probability that the documentation holds an answer at all: by how much of the query
        its best section, its best sentence and the headings of the first section have; by the z
        of that section and how many words of the query it has; and by the number of all sections.
        A single page has weights of its own, and a model adds how near the nearest section is
    a = coverage + .15·max(0, 1 - c*/k)/(1 + i): i sentences of the section are before it; c* is
        the highest coverage of the section, k the share of the query that is known, so the first
        sentence counts if none says all of it; the title of a tab does not count as first
    a* = the highest a in the section that may be quoted
    n = the number of sentences of the section with a higher a, if its page has other sections: so
        the first passages of an answer come from different places

The range is [0, 1]. With a single section, the score is that of `coverage`.

z is the weighted sum of a few facts about a section d and a query q (`Features`):

    z(d, q) = Σ w_i·x_i(d, q)

The weights are fitted so that the softmax of z over the candidates is the probability that a
section holds the answer. Sums of word weights do not compare between queries, so a section's sum
counts relative to the best one. The words are weighed by BM25F (Robertson, Zaragoza & Taylor 2004,
"Simple BM25 extension to multiple weighted fields"):

    b(d, q) = Σ w(t)·tf/(tf + 1),  w = idf over sections

tf is the term's frequency in the section, weighted by field: see `SectionFrequencies`.

The way of a query: each shard of the index counts the query's terms in all sections that have them
(`Shortlist`); the best by b over all shards are the candidates. Their shards look up their
features, and `SectionRanking` compares them. With a model, the best sections by words are compared
with the query by meaning, and all are ranked again by weights fitted for that.
"""

from __future__ import annotations

import heapq
import math
import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, KeysView, Mapping, Sequence
from functools import cached_property
from itertools import chain, groupby, pairwise
from typing import Any, Final, NamedTuple, TypeAlias

from msgspec import Struct

from mkdocs_recall.index.index import Index, TermOccurrences
from mkdocs_recall.index.postings import Statistics
from mkdocs_recall.index.query import (
    asks_for_change,
    checksums_within,
    counted_words,
    heading_checksum,
    heading_words,
    joined_terms,
    names_in,
    quoted_phrases,
    subject_words,
)
from mkdocs_recall.ranking import coverage, weights
from mkdocs_recall.ranking.places import HEDGE, TITLED, entry_names
from mkdocs_recall.ranking.quotation import leads_below
from mkdocs_recall.ranking.scores import Explanation, Scores, elsewhere
from mkdocs_recall.text.language import shared_words

_Ranked: TypeAlias = "tuple[float, int]"
Cosines: TypeAlias = "Callable[[str, Sequence[int]], Sequence[float]]"
"""Returns the cosines of some sections, by number, with a query, minus the lowest cosine of a
match."""

CANDIDATES: Final = 80
"""How many sections are ranked: the right one is among them for .92 of the user questions."""
COMPARED: Final = 30
"""How many sections, the best by words, are compared by meaning or by entries."""
HIDDEN: Final = 8
"""How many sections of hidden pages are scored, to be named as such."""
K1: Final = 1.0
"""The tf at which a term counts half."""
PARTIAL: Final = 0.3
"""The value of a match in part: "configuration" for "config"."""
HEADING_POWER: Final = 3
"""The power of Dice's coefficient: one shared word means little."""
OTHER_WORDS: Final = 2 / 3
"""The factor for a heading that the query does not hold verbatim: the same stems may mean something
else. From 1/2 to 3/4 the figures of benchmarks/README.md do not change."""
MESSAGE: Final = 3
"""A pasted message that holds a heading of this many words is about it."""
_PASTED = r"0x[\da-fA-F]|\w[/\\]\w|[\w\]]:\d|\w=\S"
"""An address, a path, a line number, or a value, as pasted text has."""
STEPS: Final = 3
"""The sections from a symptom to its solution; the sentences to a lead-in."""
IN_CODE: Final = 0.95
"""The share of a query from which on a section's code counts as a sentence."""
HALF_LENGTH: Final = 50
"""The number of words of a section at which its length counts half."""
HALF_PARAGRAPHS: Final = 2
"""The number of paragraphs at which a section counts half; from 1 to 3 the cross-validated figures
of benchmarks/README.md do not change."""
RANGE: Final = 8.0
"""The difference in z for a difference of 1 in the score."""
LOW: Final = 0.1
"""Below this, scores fall ever more slowly, so that none is 0."""
_ROUNDING: Final = 1e-9
"""The tolerance for two sums of the same numbers."""


class Features(NamedTuple):
    """The features of a section for a query, from 0 to 1, or as stated.

    A share is that of the query, by w. Some are relative to the best candidate.
    """

    words: float
    """b, relative."""
    heading: float
    """How near its own heading is to the query: Dice's coefficient of their words, to the power of
    `HEADING_POWER`, times `OTHER_WORDS` if the query does not hold it verbatim. The name of an
    entry, such as a row, that equals the query counts as much."""
    headings: float
    """The share in its heading and those above."""
    title: float
    """The share in its page's title, relative."""
    sentence: float
    """The share in the best sentence with its labels, or in code, relative."""
    named: float
    """The share of names, also in code, and of quoted phrases."""
    length: float
    """n/(n + `HALF_LENGTH`), for n words: a few words explain nothing."""
    paragraphs: float
    """n/(n + `HALF_PARAGRAPHS`), for n paragraphs: references list."""
    page_links: float
    """ln(1 + n), for n other pages that link to its page."""
    section_links: float
    """ln(1 + n), for n other pages that link to the section."""
    chronicle: float
    """1 in release notes that neither a source nor the query names."""
    purpose: float
    """1 for a FAQ and the like; -1 for tutorials and the like; else 0."""
    meaning: float = 0.0
    """How near it is to the query in meaning: by cosine, from 1 for the nearest compared section to
    0 for the farthest, and for all that are not compared. So models with other ranges of cosines
    need no weights of their own."""


DESCRIPTIONS: Final = (
    "the words of the query",
    "its heading, compared with the query",
    "the words of the query in the headings above",
    "the title of its page, compared with those of others",
    "the sentence with most of the query",
    "names and quoted phrases",
    "its length",
    "its paragraphs",
    "links to its page",
    "links to itself",
    "release notes and the like, which no source names",
    "what it is for",
    "its meaning",
)
"""The name of each feature in an explanation."""


def term_frequencies(
    term: TermOccurrences, averages: tuple[float, float, float]
) -> dict[int, float]:
    """Return the tf of sections, by mean lengths of fields."""
    frequencies = term.frequencies.all(averages)
    for section in term.labelled_sections:
        frequencies.setdefault(section, 1.0)
    for section, frequency in term.partial_frequencies.all(averages).items():
        more = PARTIAL * frequency
        if section in frequencies:
            frequencies[section] += more
        else:
            frequencies[section] = min(1.0, more)
    return frequencies


class Shortlist:
    """The sections of a shard that may hold the answer to a query, by the shard's own knowledge.

    `best` are the best by words, each as (-b, section), in order; `unseen` those of hidden pages.
    """

    _coverage: coverage.Coverage
    """The coverage of sections whose features are known."""

    def __init__(
        self,
        index: Index,
        query: str,
        statistics: Statistics,
        hidden: Container[str],
        reached: list[tuple[float, int, int]],
    ) -> None:
        """Add the best to `reached`: (-b, shard, section), in order."""
        # Thousands of sections may share a frequent word with the query, so all get only sums.
        # Hidden pages are scored only for `explain`, and are kept out of every maximum.
        self._query = query
        self._index = index
        self._statistics = statistics
        weights = statistics.section_weights
        self._total = math.fsum(weights) or 1.0
        occurrences = [*map(index.occurrences, joined_terms(query, statistics.terms))]
        self._terms = [*zip(weights, occurrences, strict=True)]
        self._pairs = [*zip(self._terms, statistics.terms, strict=True)]
        # The terms that name something and do not just ask.
        self._naming = [uses for (_, uses), t in self._pairs if t.weight >= 1] or occurrences
        sums = defaultdict[int, float](float)
        self._holders: list[Iterable[int]] = []
        for weight, term in self._terms:
            frequencies = term_frequencies(term, statistics.totals.field_averages)
            if term in self._naming:
                self._holders.append(frequencies.keys())
            for section, tf in frequencies.items():
                sums[section] += weight * (tf / (tf + K1))
        pages, uris = index.sections.pages, index.uris if hidden else ()
        unseen = {section for section in sums if uris[pages[section]] in hidden} if hidden else ()
        self.unseen = heapq.nsmallest(HIDDEN, ((-sums[section], section) for section in unseen))
        for section in unseen:
            del sums[section]
        if len(reached) < CANDIDATES:
            least = min(heapq.nlargest(CANDIDATES, sums.values()), default=0.0)
        else:
            least = -reached[-1][0]
        ranked = ((-value, section) for section, value in sums.items() if value >= least)
        self.best = sorted(ranked)[:CANDIDATES]
        entries = ((value, id(index), section) for value, section in self.best)
        reached[:] = sorted({*reached, *entries})[:CANDIDATES]

    def features(self, words: Mapping[int, float]) -> dict[int, Features]:
        """Return the features of sections by their b."""
        sections = self._index.sections
        terms = self._terms
        among = set(chain.from_iterable(map(self._sentences_of, words)))
        scored = words.keys()
        self._coverage = coverage.Coverage(self._index, self._query, self._statistics, among)
        sentences, names = self._sentences(among, scored), self._named(among)
        entries = self._entries(heapq.nlargest(COMPARED, words, key=lambda s: (words[s], -s)))
        headed = self._shares_of((w, term.announced_sections & scored) for w, term in terms)
        partly = self._shares_of((w, term.partly_announced_sections & scored) for w, term in terms)
        openings = {*map(sections.opening, words)}
        titled = self._shares_of(
            (w, term.announced_sections & openings - term.titled_sections) for w, term in terms
        )
        judged = scored - self._of_version()
        has_others = self._statistics.totals.pages > 1
        return {
            section: Features(
                words=words[section],
                heading=max(self._heading(section), entries.get(section, 0.0)),
                headings=headed.get(section, 0.0) + PARTIAL * partly.get(section, 0.0),
                title=titled.get(sections.opening(section), 0.0),
                sentence=sentences.get(section, 0.0),
                named=names.get(section, 0.0),
                length=(length := sections.text_lengths[section]) / (length + HALF_LENGTH),
                paragraphs=(n := sections.paragraphs[section]) / (n + HALF_PARAGRAPHS),
                page_links=math.log1p(sections.page_links[section]),
                section_links=math.log1p(sections.anchor_links[section]),
                chronicle=float(sections.chronicles[section] and section in judged and has_others),
                purpose=max(sections.purposes[section] - 1.0, -float(section in judged)),
            )
            for section in sorted(words)
        }

    def _of_version(self) -> set[int]:
        headed = {term.word: uses.headed_sections for (_, uses), term in self._pairs}
        whole = [hits for word, hits in headed.items() if re.fullmatch(r"\d+(\.\d+)+", word)]
        parts = [hits for word, hits in headed.items() if word.isdigit()]
        return set().union(*whole, set.intersection(*parts) if whole and parts else ())

    def found(self, section: int) -> int:
        """Return how many naming words of the query a section has."""
        return sum(section in holders for holders in self._holders)

    def _sentences_of(self, section: int) -> range:
        first_sentences = self._index.sections.first_sentences
        return range(first_sentences[section], first_sentences[section + 1])

    def _shares_of(self, holders: Iterable[tuple[float, Iterable[int]]]) -> dict[int, float]:
        weights: dict[int, list[float]] = {}
        for weight, sections in holders:
            for section in sections:
                weights.setdefault(section, []).append(weight)
        return {section: math.fsum(parts) / self._total for section, parts in weights.items()}

    def _heading(self, section: int) -> float:
        sections = self._index.sections
        size = sections.heading_lengths[section]  # if 0, the title is its heading
        shared = sum(
            section in (term.titled_sections if size else term.announced_sections)
            for term in self._naming
        )
        if not shared:
            return 0.0
        length = sections.subject_lengths[section]
        # A question that an author assigns to a section is a heading, too.
        dice = min(1.0, 2 * shared / (len(self._naming) + length))
        checksum = sections.heading_checksums[section]  # 0 matches any
        is_said = not checksum or checksum in checksums_within(self._query)
        if is_said and checksum and size >= MESSAGE and re.search(_PASTED, self._query):
            return 1.0
        return dice**HEADING_POWER * (1.0 if is_said else OTHER_WORDS)

    def _entries(self, sections: Iterable[int]) -> Mapping[int, float]:
        """Return the values of entries whose name is the query."""
        index, values = self._index, dict[int, float]()
        among = set(chain.from_iterable(map(self._sentences_of, sections)))
        for term in self._coverage.terms:
            if term.occurrences in self._naming:
                among &= term.sentences | term.occurrences.labelled_sentences
        by_term = [dict(term.stems) for _, term in self._pairs if term.weight >= 1]
        for number in sorted(among):
            language = index.language_of(number)
            stems = {by_language.get(language.code) for by_language in by_term}
            for name in entry_names(index.document(number), index.block(number)):
                if stems == {language.stems[w] for w in subject_words(name, language.code)}:
                    is_said = heading_checksum(heading_words(name)) in checksums_within(self._query)
                    section = index.sections.of_sentence[number]
                    values[section] = max(values.get(section, OTHER_WORDS), float(is_said))
        return values

    def _sentences(self, among: set[int], scored: KeysView[int]) -> Mapping[int, float]:
        """Return the highest share of the query in a sentence."""
        # Names in code count as one sentence, as does code with most of the query.
        shares: dict[int, float] = {}
        covering = [*zip(self._terms, self._coverage.terms, strict=True)]
        for (weight, uses), term in covering:
            for number in (term.sentences | uses.labelled_sentences) & among:
                shares[number] = shares.get(number, 0.0) + weight / self._total
        most: dict[int, float] = {}
        of_sentence = self._index.sections.of_sentence
        for number, share in shares.items():
            section = of_sentence[number]
            most[section] = max(most.get(section, 0.0), share)
        for phrase, sections in self._in_code.items():
            share = sum(w for (w, _), t in self._pairs if t.word in phrase) / self._total
            for section in sections:
                most[section] = max(most.get(section, 0.0), share)
        in_code = self._shares_of((w, term.code_sections & scored) for (w, _), term in covering)
        return most | {section: 1.0 for section, share in in_code.items() if share >= IN_CODE}

    def _named(self, among: set[int]) -> Mapping[int, float]:
        """Return the share of names and quoted phrases."""
        of_sentence = self._index.sections.of_sentence
        holders = self._index.sentences_with_names(self._query, among)
        section_sets = [
            {*map(of_sentence.__getitem__, sentences), *self._in_code.get(phrase, ())}
            for phrase, sentences in zip(quoted_phrases(self._query), holders, strict=True)
        ]
        counts = Counter(chain.from_iterable(section_sets))
        return {section: count / len(section_sets) for section, count in counts.items()}

    def _counting(self, among: set[int]) -> Iterator[int]:
        """Yield the sentences with a number of what the query counts."""
        counted = counted_words(self._query, self._index.languages)
        for term in self._coverage.terms:
            for number in among & term.sentences if term.word in counted else ():
                words = self._index.words_of(number)
                forms = term.occurrences.words
                pairs = chain(pairwise(words), zip(words, words[2:], strict=False))
                if any(count.isdigit() and word in forms for count, word in pairs):
                    yield number

    @cached_property
    def _in_code(self) -> Mapping[tuple[str, ...], set[int]]:
        """The sections with all words of a name in code."""
        code = {term.word: term.code_sections for term in self._coverage.terms}
        words = {name: [code[w] for w in name if w in code] for name in names_in(self._query)}
        return {name: set.intersection(*holders) for name, holders in words.items() if holders}

    def shares(self, sections: Iterable[int]) -> dict[int, dict[int, float]]:
        """Return the shares of sentences in their sections' scores."""
        index, known = self._index, self._statistics.known
        spans = {section: self._sentences_of(section) for section in sections}
        among = set(chain.from_iterable(spans.values()))
        counting = {*self._counting(among)}
        coverages = self._coverage.values_of(among)
        matching = self._coverage.matching
        shares: dict[int, dict[int, float]] = {}
        for section, sentences in spans.items():
            is_alone = index.sections.is_alone(section)
            values = {n: coverages.get(n, 0.0) for n in sentences if n in matching}
            if sentences and not (is_alone and values):
                values.setdefault(sentences[0], coverages.get(sentences[0], 0.0))
            opening = OPENING * max(0.0, 1 - max(values.values(), default=0.0) / known)
            for number in values:
                if not index.is_label(number):
                    values[number] += opening / (1 + number - sentences[0])
                if number in counting:
                    values[number] += COUNT
            quotable = [value for number, value in values.items() if index.is_quotable(number)]
            most = max(quotable, default=0.0)
            ranked = sorted(values, key=lambda n: (not index.is_quotable(n), -values[n], n))
            shares[section] = {
                number: (1 - max(0.0, most - values[number])) / (1 if is_alone else 1 + rank)
                for rank, number in enumerate(ranked)
            }
        return shares

    def explain(self, number: int) -> str:
        """Describe what a sentence covers of the query."""
        # A worker that has forgotten the query makes this again.
        among = frozenset(self._sentences_of(self._index.sections.of_sentence[number]))
        covered = coverage.Coverage(self._index, self._query, self._statistics, among)
        return covered.description(number)

    @staticmethod
    def reports(shards: Sequence[Shortlist]) -> list[ShortlistReport]:
        """Return all that another process needs of shards."""

        def cut(lists: Iterable[Sequence[_Ranked]], count: int) -> list[list[_Ranked]]:
            """Drop entries that no overall ranking needs."""
            places = [(v, n, s) for n, ranked in enumerate(lists) for v, s in ranked]
            by_shard: list[list[_Ranked]] = [[] for _ in shards]
            for value, number, section in heapq.nsmallest(count, places):
                by_shard[number].append((value, section))
            return by_shard

        best = cut((shard.best for shard in shards), CANDIDATES)
        unseen = cut((shard.unseen for shard in shards), HIDDEN)
        reports = []
        for shard, seen, hidden in zip(shards, best, unseen, strict=True):
            words = {section: -value for value, section in [*seen, *hidden]}
            features = shard.features(words) if words else {}
            shares = shard.shares(words) if words else {}
            counts = {section: shard.found(section) for section in words}
            reports.append(ShortlistReport(seen, hidden, features, shares, counts))
        return reports


class ShortlistReport(Struct, frozen=True):
    """The report of a `Shortlist` in another process."""

    best: Sequence[_Ranked]
    unseen: Sequence[_Ranked]
    by_section: Mapping[int, Features]
    of_sentences: Mapping[int, Mapping[int, float]]
    counts: Mapping[int, int]
    explain: Callable[[int], str] = elsewhere

    def features(self, words: Iterable[int]) -> dict[int, Features]:
        """See `Shortlist.features`."""
        return {section: self.by_section[section] for section in sorted(words)}

    def shares(self, sections: Iterable[int]) -> dict[int, Mapping[int, float]]:
        """See `Shortlist.shares`."""
        return {section: self.of_sentences[section] for section in sections}

    def found(self, section: int) -> int:
        """See `Shortlist.found`."""
        return self.counts[section]


class SectionRanking:
    """The sections of all shards that may hold the answer to a query.

    `values` has z, and `scores` the score, of each candidate and of some hidden sections; `facts`,
    weighted by `weights.LEVEL`, tell whether there is an answer.
    """

    def __init__(
        self,
        query: str,
        index: Index,
        *,
        links: bool = True,
        chronicles: bool = True,
        hidden: Container[str] = (),
        cosines: Cosines | None = None,
    ) -> None:
        """Find the candidates, and rank them; with `cosines`, by meaning, too.

        With `chronicles`, release notes and other pages that seldom answer count less. Sections of
        hidden pages are not part of any comparison.
        """
        self._index = index
        statistics = index.statistics(query, in_sections=True)
        self._shards = index.each(Shortlist, query, statistics, hidden, [])

        def best_of(lists: Iterable[Sequence[tuple[float, int]]], count: int) -> list[_Ranked]:
            numbered = zip(index.section_starts, lists, strict=True)
            pairs = ((value, start + place) for start, items in numbered for value, place in items)
            return heapq.nsmallest(count, pairs)

        best = best_of((shard.best for shard in self._shards), CANDIDATES)
        self.candidates: Sequence[int] = sorted(section for _, section in best)
        best += best_of((shard.unseen for shard in self._shards), HIDDEN)
        self._words = {section: -value for value, section in best}
        raw: dict[int, Features] = {}
        for shard, shortlist, sections in self._by_shard():
            start = index.section_starts[shard]
            words = {section: self._words[start + section] for section in sections}
            of_shard = shortlist.features(words)
            raw |= {start + section: features for section, features in of_shard.items()}
        if not links:
            raw = {s: f._replace(page_links=0.0, section_links=0.0) for s, f in raw.items()}
        if not chronicles or asks_for_change(query):
            purposes = {s: max(0.0, f.purpose) for s, f in raw.items()}
            raw = {s: f._replace(chronicle=0.0, purpose=purposes[s]) for s, f in raw.items()}
        most = {  # hidden sections do not count
            name: max([getattr(raw[section], name) for section in self.candidates], default=0.0)
            for name in ("words", "title", "sentence")
        }
        self.features: Mapping[int, Features] = {
            section: features._replace(
                words=min(1.0, features.words / (most["words"] or 1.0)),
                title=min(1.0, features.title / (most["title"] or 1.0)),
                sentence=min(1.0, features.sentence / (most["sentence"] or 1.0)),
            )
            for section, features in raw.items()
        }
        is_page = statistics.totals.pages == 1
        self._weigh(weights.PAGE if is_page else weights.WORDS)
        ranked = sorted(self.candidates, key=lambda section: (-self.values[section], section))
        naming = sum(term.weight >= 1 for term in statistics.terms) or len(statistics.terms)
        matches = self._found(ranked[0]) if ranked else 0
        facts = (
            1.0,
            most["words"] / (math.fsum(statistics.section_weights) or 1.0),
            most["sentence"],
            self.features[ranked[0]].headings if ranked else 0.0,
            self.values[ranked[0]] / RANGE if ranked else 0.0,
            math.log1p(matches),
            matches / naming if is_page and naming else 0.0,
            math.log(max(1, statistics.totals.sections)),
        )
        nearest = 0.0
        level = weights.PAGE_LEVEL if is_page else weights.LEVEL
        if cosines is not None:
            compared = ranked[:COMPARED]
            near = dict(zip(compared, cosines(query, compared), strict=True)) if compared else {}
            nearest = max(near.values(), default=0.0)
            level = weights.MEANING_LEVEL
            self.features = self._compared(near)
            self._weigh(weights.MEANING)
        self.facts = (*facts, nearest)
        odds = _sum(level, self.facts)
        highest = max((self.values[section] for section in ranked), default=0.0)
        # The common level: the best score is the probability of an answer.
        self._level = 1 / (1 + math.exp(-odds)) - highest / RANGE
        linear = {s: min(1.0, self._level + z / RANGE) for s, z in self.values.items()}
        self.scores = {s: x if x >= LOW else LOW * math.exp(x / LOW - 1) for s, x in linear.items()}
        shares = {section: math.exp(self.values[section] - highest) for section in self.candidates}
        total = math.fsum(shares.values())
        self.probabilities = {section: share / total for section, share in shares.items()}
        self.titled = frozenset(s for s in self.candidates if self.features[s].heading >= 1)

    def _by_shard(self) -> Iterator[tuple[int, Shortlist, list[int]]]:
        """Yield each shard with its own numbers of sections."""
        starts, ranked = self._index.section_starts, sorted(self._words)
        for shard, sections in groupby(ranked, lambda section: bisect_right(starts, section) - 1):
            start = starts[shard]
            yield shard, self._shards[shard], [section - start for section in sections]

    def _weigh(self, weights: Sequence[float]) -> None:
        self._weights = weights
        self.values = {section: _sum(weights, facts) for section, facts in self.features.items()}

    def _compared(self, near: Mapping[int, float]) -> Mapping[int, Features]:
        farthest = min(near.values(), default=0.0)
        distance = max(near.values(), default=0.0) - farthest or 1.0
        meaning = {s: (near.get(s, farthest) - farthest) / distance for s in self.features}
        return {s: features._replace(meaning=meaning[s]) for s, features in self.features.items()}

    def _found(self, section: int) -> int:
        shard = bisect_right(self._index.section_starts, section) - 1
        return self._shards[shard].found(section - self._index.section_starts[shard])

    def explain(self, section: int) -> Explanation:
        """Explain the score of a candidate."""
        score = self.scores[section]
        likely = "how likely there is an answer, less the parts of the best section"
        parts = [Explanation(self._level, likely)]
        parts += [
            Explanation(weight * value / RANGE, description)
            for weight, value, description in zip(
                self._weights, self.features[section], DESCRIPTIONS, strict=True
            )
            if weight * value
        ]
        beyond = score - math.fsum(part.value for part in parts)
        if abs(beyond) > _ROUNDING:
            parts.append(Explanation(beyond, "a score is above 0, and 1 at most"))
        probability = self.probabilities.get(section, 0.0)
        label = f"its section, which answers with a probability of {probability:.0%}"
        return Explanation(score, label, tuple(parts))

    def description(self, number: int) -> str:
        """Describe what a sentence covers of the query."""
        starts = self._index.sentence_starts
        shard = bisect_right(starts, number) - 1
        return self._shards[shard].explain(number - starts[shard])

    def shares(self) -> Mapping[int, Mapping[int, float]]:
        """Return the shares of sentences in their sections' scores."""
        shares = {}
        for shard, shortlist, sections in self._by_shard():
            first_section = self._index.section_starts[shard]
            first = self._index.sentence_starts[shard]
            for section, parts in shortlist.shares(sections).items():
                shares[first_section + section] = {first + n: share for n, share in parts.items()}
        return shares


def _sum(weights: Iterable[float], facts: Iterable[float]) -> float:
    return math.fsum(weight * fact for weight, fact in zip(weights, facts, strict=True))


OPENING: Final = 0.15
"""The gain of the first sentence if none covers any of the query."""
COUNT: Final = 0.15
"""The gain of a sentence with a number of the things that the query counts."""


def score(
    query: str,
    index: Index,
    *,
    fault: Callable[[int], str] | None = None,
    **ranking_options: Any,  # each has its own type
) -> Scores:
    """Score the sentences of the sections that may hold the answer to a query; see the module.

    `fault` returns why a sentence is never quoted, or an empty text; the best sentence that may be
    quoted has the whole score of its section. The other options are those of `SectionRanking`.
    """
    if index.totals.sections <= 1:
        return coverage.score(query, index)
    ranking = SectionRanking(query, index, **ranking_options)
    scores = ranking.scores
    likely = ranking.probabilities
    shares = ranking.shares()
    if fault is not None:
        shares = {**shares, **dict(_without_faults(index, shares, likely, fault))}
    wholes = ((scores[section], of_sentences.items()) for section, of_sentences in shares.items())
    scored = ((number, whole * share) for whole, items in wholes for number, share in items)
    values = {number: value for number, value in scored if value > 0}
    titled = ranking.titled
    first = max(values, key=lambda n: (values[n], -n), default=-1)
    if (solution := _solution(index, first) if values else -1) >= 0:
        solved = index.sections.of_sentence[solution]
        values[solution] = values[first]
        likely = {**likely, solved: max(TITLED, likely.get(solved, 0.0))}
        titled |= {solved}

    def explain(number: int) -> Explanation:
        source = first if number == solution else number  # a recursive call would never end
        section = index.sections.of_sentence[source]
        place = ranking.explain(section)
        share = shares[section][source]
        lost = Explanation(
            place.value * (share - 1),
            f"its place in the section: {share:.0%} of the score; {ranking.description(source)}",
        )
        tree = Explanation(place.value * share, "structure", (place, lost))
        if number == source:
            return tree
        return Explanation(values[number], "what solves the first", (tree,))

    return Scores(values, explain, likely, titled, weights.MIN_SCORE)


def _solution(index: Index, number: int) -> int:
    """Return the first sentence of what solves another, or -1."""
    document, above = index.document(number), index.block(number).headings
    start, firsts = index.sections.of_sentence[number], index.sections.first_sentences
    lead = index.sentences[min(firsts[start + 1] - 1, number + STEPS)]
    led = document.blocks[lead.block + leads_below(document, lead)].section
    for section in range(start + 1, min(start + 1 + STEPS, index.totals.sections)):
        first = index.block(firsts[section])
        is_near = first.headings[:-1] in (above, above[:-1])
        is_named = first.heading.strip(": ").lower() in shared_words("solutions")
        is_same_page = index.document(firsts[section]).uri == document.uri
        if is_same_page and ((is_near and is_named) or first.section == led):
            return firsts[section]
    return -1


def _without_faults(
    index: Index,
    shares: Mapping[int, Mapping[int, float]],
    likely: Mapping[int, float],
    fault: Callable[[int], str],
) -> Iterator[tuple[int, Mapping[int, float]]]:
    """Yield likely sections with a full share for the best to quote."""
    # A row beside the one that the query names must not cost its section the place.
    firsts = index.sections.first_sentences
    least = min(HEDGE, max(likely.values(), default=0.0))
    for section in likely:
        if likely[section] >= least:
            section_shares = shares[section]
            by_share = sorted(section_shares, key=lambda number: (-section_shares[number], number))
            ranked = chain(by_share, range(firsts[section], firsts[section + 1]))
            best = next((number for number in ranked if not fault(number)), None)
            if best is not None:
                yield section, {**section_shares, best: 1.0}
