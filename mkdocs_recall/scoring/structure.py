"""`structure`: where in a documentation the answer is, then which sentence there says it.

The sections that may hold the answer are ranked by fitted weights (`sections`), and each of their
sentences scores as its section does, less where another one there says more of the query:

    score = S·(1 - (a* - a))/(1 + n)

    S = p + (z - z*)/8: z is that of `sections`, z* the best for the query; where that is less than
        .1, it is .1·exp(S/.1 - 1) instead, so that it is never 0
    p = the probability that the documentation holds an answer at all, by what its best section,
        its best sentence and the headings of the first section have of the query, the length of the
        first section, the number of all, and the length of the query
    a = coverage + .15·max(0, 1 - c*/k)/(1 + i): i sentences of the section are before
        it; c* is the highest coverage of the section, k the share of the query that is known, so
        that the first sentence counts where none says all of it; the title of a tab opens nothing
    a* = the highest a in the section that may be quoted
    n = how many sentences of the section come before it by a, where its page has other sections: so
        the first passages of an answer come from different places

So the first section of an answer scores by whether there is one, and each other section by how far
it is behind. The range is [0, 1]. In one section alone there is no place to find: there the score
is that of `coverage`.
"""

from __future__ import annotations

from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Final

from mkdocs_recall.scoring.coverage import Coverage
from mkdocs_recall.scoring.explanation import Explanation, Scores
from mkdocs_recall.scoring.registry import COVERAGE_MIN_SCORE
from mkdocs_recall.scoring.sections import SectionRanking
from mkdocs_recall.scoring.weights import MIN_SCORE

if TYPE_CHECKING:
    from collections.abc import Container, Mapping

    from mkdocs_recall.index.index import Index
    from mkdocs_recall.scoring.sections import Cosines

OPENING: Final = 0.15
"""What the first sentence of a section gains, if no sentence there covers anything of the query."""


def score(
    query: str,
    index: Index,
    *,
    links: bool = True,
    chronicles: bool = True,
    hidden: Container[str] = (),
    cosines: Cosines | None = None,
) -> Scores:
    """Score the sentences of the sections that may hold the answer to a query.

    The formula, its range and its sources are in the docstring of the module.

    Args:
        index: The sentences; the statistics are over all of them.
        links: Whether links to a section count.
        chronicles: Whether it counts that a section is in release notes and the like.
        hidden: Pages that are not quoted: the others are not compared with them.
        cosines: How near sections are to a query in meaning; None for a ranking by words.

    Returns:
        A score in (0, 1] for each sentence that holds a word of the query or opens its section.
    """
    coverage = Coverage(query, index)
    if index.section_count <= 1:
        return Scores(coverage.values(), coverage.explain)
    ranking = SectionRanking(
        query, index, links=links, chronicles=chronicles, hidden=hidden, cosines=cosines
    )
    structure = _Structure(index, coverage, ranking)
    return Scores(structure.values, structure.explain, ranking.probabilities)


def min_score(index: Index) -> float:
    """Return the least score of an answer.

    In one section the score is that of `coverage`, and so is this.
    """
    return COVERAGE_MIN_SCORE if index.section_count <= 1 else MIN_SCORE


class _Structure:
    """The scores of the sentences of the candidates."""

    def __init__(self, index: Index, coverage: Coverage, ranking: SectionRanking) -> None:
        self._index, self._coverage, self._ranking = index, coverage, ranking

    @cached_property
    def values(self) -> Mapping[int, float]:
        """The scores that are greater than 0."""
        values = {}
        for section, score in self._ranking.scores.items():
            for number, share in self._shares(section).items():
                if (value := score * share) > 0:
                    values[number] = value
        return values

    @cached_property
    def _coverages(self) -> Mapping[int, float]:
        sections = [s for s, score in self._ranking.scores.items() if score > 0]
        sentences = set(chain.from_iterable(map(self._ranking.sentences_of, sections)))
        return self._coverage.values_of(sentences)

    def _shares(self, section: int) -> dict[int, float]:
        """Return what each sentence of a section has of its score."""
        index, coverages, matching = self._index, self._coverages, self._coverage.matching
        sentences = self._ranking.sentences_of(section)
        sections = index.sections
        is_one_of_several = sections.sections_of_page[sections.pages[section]] > 1
        own = {n: coverages.get(n, 0.0) for n in sentences if n in matching}
        if sentences and (is_one_of_several or not own):
            own.setdefault(sentences[0], coverages.get(sentences[0], 0.0))
        opening = OPENING * max(0.0, 1 - max(own.values(), default=0.0) / self._ranking.known)
        for number in own:
            if not index.is_label(number):
                own[number] += opening / (1 + number - sentences[0])
        quotable = [value for number, value in own.items() if index.is_quotable(number)]
        most = max(quotable, default=0.0)
        ranked = sorted(own, key=lambda n: (not index.is_quotable(n), -own[n], n))
        return {
            number: (1 - max(0.0, most - own[number])) / (1 + rank * is_one_of_several)
            for rank, number in enumerate(ranked)
        }

    def explain(self, number: int) -> Explanation:
        """Explain the score of a sentence."""
        section = self._index.sections.of_sentence[number]
        place = self._ranking.explain(section)
        share = self._shares(section)[number]
        within = self._coverage.explain(number)
        lost = Explanation(
            place.value * (share - 1),
            f"its place in the section: {share:.0%} of the score; {within.description}",
        )
        return Explanation(place.value * share, "structure", (place, lost))
