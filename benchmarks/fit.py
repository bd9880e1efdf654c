"""Fit the weights for ranking sections, and cross-validate them.

    python -m benchmarks.fit --pairs PAIRS… --docs DOCS… [--model MODEL] >weights.py

A file of pairs has one JSON object a line: `project`, `question`, `page`, `whole_page` and
`sections`, which lists `[page, first line, last line]` for each section that answers. Beside it is
the folder of its documentations, with one folder per project, or a tar of that folder.

The weights minimise, over all questions, minus the logarithm of the probability that a softmax over
the candidates gives to the right sections (with a tenth of it for others of the right page) and a
penalty on large weights. Headings asked in their own words count little beside them, so that the
section whose heading is the query is found as well. A question that is asked of other projects has
no answer there, nor has one that is asked of another page: from these come the weights of the odds
that there is an answer, by logistic regression, and `MIN_SCORE`.

The figures on stderr are cross-validated: ten folds over whole documentations, three seeds; each
question is ranked by weights that were fitted without its documentation. The same data gives the
same weights. Without `--model`, the weights for meaning stay unchanged.
"""

from __future__ import annotations

import json
import math
import random
import re
import tarfile
import tempfile
from collections import defaultdict
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks import report
from mkdocs_recall import Corpus
from mkdocs_recall.index.index import Index
from mkdocs_recall.index.query import part_of
from mkdocs_recall.options import DEFAULT_UNITS, Semantic
from mkdocs_recall.pages.context import Context
from mkdocs_recall.ranking import weights
from mkdocs_recall.ranking.structure import Features, SectionRanking

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterator, Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

SEEDS, FOLDS = 3, 10
PENALTY = 0.02  # of the squares of the weights of standardised features
STEPS, RATE = 300, 0.08  # of Adam (Kingma & Ba 2015)
OF_PAGE = 0.1  # what another section of the right page counts
HEADINGS, HEADING_WEIGHT = 4, 0.2  # asked of each documentation, and what each counts
STRANGERS = 3  # others that each question is asked of: documentations, or pages
LOST, LOST_IN_PAGE, LOST_BY_MEANING = 0.1, 0.03, 0.05  # shares of right first answers
BETWEEN_PAGES = {"title", "page_links", "section_links", "chronicle"}  # equal within a page
BINS, THREE = 10, 3
_MODULE = Path(__file__).with_name("fit.txt").read_text("utf-8")


@dataclass(frozen=True)
class Asked:
    """A question with the features of its candidates."""

    project: str
    features: Floats  # a row a candidate
    right: NDArray[np.bool_]  # the sections that answer; all of the page, where the whole page does
    page: NDArray[np.bool_]  # the sections of a page that answers
    whole: bool = False
    facts: tuple[float, ...] = ()
    weight: float = 1.0


@dataclass(frozen=True)
class Documentation:
    """A documentation with the questions that its pages answer."""

    project: str
    context: Context
    index: Index
    uris: Sequence[str]  # the page of each section
    lines: Sequence[int]  # where each section's text begins
    pairs: Sequence[dict[str, Any]]

    @classmethod
    def read(cls, folder: Path, pairs: Sequence[dict[str, Any]]) -> Documentation:
        """Read a folder of Markdown files."""
        corpus = Corpus.from_folder(folder)
        index = Index([part_of(page, units=DEFAULT_UNITS) for page in corpus.documents])
        lines = [0] * len(index.sections.pages)
        for block, section in zip(index.blocks, index.section_of, strict=True):
            lines[section] = lines[section] or block.line or 0
        uris = [index.parts[page].document.uri for page in index.sections.pages]
        return cls(folder.name, Context(folder), index, uris, lines, pairs)

    def pages(self) -> Iterator[Documentation]:
        """Yield each page of several sections, as a documentation of its own."""
        for page, numbers in groupby(range(len(self.uris)), self.uris.__getitem__):
            first, *others = numbers
            asked = [pair for pair in self.pairs if page in {p for p, _, _ in pair["sections"]}]
            asked = [pair for pair in asked if not pair["whole_page"]]
            if others:
                index = Index([self.index.parts[self.index.sections.pages[first]]])
                rows = slice(first, first + 1 + len(others))
                found = self.uris[rows], self.lines[rows], asked
                yield Documentation(self.project, self.context, index, *found)

    def rank(self, query: str, model: str = "") -> SectionRanking:
        """Rank the sections for a query."""
        if not model:
            return SectionRanking(query, self.index)
        meaning = self.context.meaning(Semantic(mode="blend", model=model), enrich=False)
        return SectionRanking(query, self.index, cosines=partial(meaning.of_sections, self.index))

    def ask(self, pair: dict[str, Any], model: str = "") -> Asked:
        """Ask a question of its own documentation."""
        ranking, whole = self.rank(pair["question"], model), pair["whole_page"]
        places = {
            section
            for section, (uri, line) in enumerate(zip(self.uris, self.lines, strict=True))
            if any(uri == page and (whole or a <= line <= b) for page, a, b in pair["sections"])
        }
        pages = {page for page, _, _ in pair["sections"]}
        arrays = self._arrays(ranking, places, pages)
        return Asked(self.project, *arrays, whole=whole, facts=ranking.facts)

    def ask_headings(self, count: int, model: str = "") -> Iterator[Asked]:
        """Ask some unique headings in their own words."""
        least = 15  # words
        places: dict[str, set[int]] = defaultdict(set)
        for block, section in zip(self.index.blocks, self.index.section_of, strict=True):
            if block.headings and block.headings[-1].level > 1:
                places[block.headings[-1].text].add(section)
        lengths = self.index.sections.text_lengths
        drawn = sorted(
            (text, place)
            for text, (place, *others) in places.items()
            if not others and lengths[place] >= least
        )
        for text, place in random.Random(0).sample(drawn, min(count, len(drawn))):
            arrays = self._arrays(self.rank(text, model), {place}, {self.uris[place]})
            yield Asked(self.project, *arrays, weight=HEADING_WEIGHT)

    def _arrays(
        self, ranking: SectionRanking, right: set[int], pages: set[str]
    ) -> tuple[Floats, NDArray[np.bool_], NDArray[np.bool_]]:
        rows = [ranking.features[section] for section in ranking.candidates]
        return (
            np.array(rows, float).reshape(-1, len(Features._fields)),
            np.array([section in right for section in ranking.candidates], bool),
            np.array([self.uris[section] in pages for section in ranking.candidates], bool),
        )


def fit(questions: Sequence[Asked], headings: Sequence[Asked], columns: Sequence[int]) -> Floats:
    """Return the weights of the features; those left out have none."""
    asked = [each for each in (*questions, *headings) if each.page.any()]
    rows = np.concatenate([each.features[:, columns] for each in asked])
    deviation = rows.std(axis=0) + 1e-9
    rows = rows / deviation
    sizes = np.array([len(each.features) for each in asked])
    starts, question = np.r_[0, np.cumsum(sizes)[:-1]], np.repeat(np.arange(len(asked)), sizes)
    counts = np.concatenate([np.where(each.right, 1.0, OF_PAGE * each.page) for each in asked])
    shares = np.array([each.weight for each in asked])
    shares = (shares / shares.sum())[question]
    found = np.zeros(len(columns))
    mean, square = np.zeros_like(found), np.zeros_like(found)
    for step in range(1, STEPS + 1):
        odds = rows @ found
        odds = np.exp(odds - np.maximum.reduceat(odds, starts)[question])
        given = odds / np.add.reduceat(odds, starts)[question]
        wanted = given * counts
        wanted /= np.add.reduceat(wanted, starts)[question] + 1e-30
        gradient = rows.T @ ((given - wanted) * shares) + PENALTY * found
        mean = 0.9 * mean + 0.1 * gradient
        square = 0.999 * square + 0.001 * gradient**2
        found -= RATE * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.999**step)) + 1e-8)
    result = np.zeros(len(Features._fields))
    result[list(columns)] = found / deviation
    return result


def fit_level(questions: Sequence[Asked], strangers: Sequence[Asked]) -> Floats:
    """Return the weights of the facts by which a documentation holds an answer: log-odds."""
    facts = np.array([each.facts for each in (*questions, *strangers)])
    has = np.r_[np.ones(len(questions)), np.zeros(len(strangers))]
    shares = np.where(has == 1, 0.5 / len(questions), 0.5 / len(strangers))
    found = np.zeros(facts.shape[1])
    for _ in range(30):  # of Newton's method
        chance = 1 / (1 + np.exp(-facts @ found))
        gradient = facts.T @ ((chance - has) * shares) + 1e-4 * found
        curve = (facts.T * (chance * (1 - chance) * shares)) @ facts + 1e-4 * np.eye(len(found))
        found -= np.linalg.solve(curve, gradient)
    return found


def cross_validated(
    asked: Sequence[Asked], others: Sequence[Asked], seed: int, fitted: Callable[..., Floats]
) -> list[Floats]:
    """Return for each question the weights that never saw its documentation."""
    projects = sorted({each.project for each in (*asked, *others)})
    random.Random(seed).shuffle(projects)
    found: dict[str, Floats] = {}
    for fold in range(min(FOLDS, len(projects))):
        unseen = projects[fold::FOLDS]
        seen = [[each for each in some if each.project not in unseen] for some in (asked, others)]
        found |= dict.fromkeys(unseen, fitted(*seen))
    return [found[each.project] for each in (*asked, *others)]


def _rank(values: Floats, right: NDArray[np.bool_]) -> int:
    """Return the rank of the first that is right, from 1; 0 for none."""
    places = np.nonzero(right[np.argsort(-values, kind="stable")])[0]
    return int(places[0]) + 1 if len(places) else 0


def figures(questions: Sequence[Asked], by_seed: Sequence[Sequence[Floats]], *names: str) -> str:
    """Return the shares of questions with a right section, or page, first and in three."""
    parts = []
    for name in names:
        ranks = np.array(
            [
                _rank(z, each.right if name == "section" else each.page)
                for values in by_seed
                for each, z in zip(questions, values, strict=True)
                if name == "page" or not each.whole
            ]
        )
        in_three = (ranks > 0) & (ranks <= THREE)
        parts.append(f"{name} {np.mean(ranks == 1):.3f}/{np.mean(in_three):.3f}")
    return ", ".join(parts)


def reliability(questions: Sequence[Asked], by_seed: Sequence[Sequence[Floats]]) -> Iterator[str]:
    """Yield how often the first section is right, by its predicted probability."""
    chances, right = [], []
    for values in by_seed:
        for each, z in zip(questions, values, strict=True):
            if not each.whole and len(z):
                odds = np.exp(z - z.max())
                chances.append(1 / odds.sum())
                right.append(bool(each.right[np.argmax(z)]))
    bins = np.minimum((np.array(chances) * BINS).astype(int), BINS - 1)
    for number in range(BINS):
        among = bins == number
        if among.any():
            share = np.mean(np.array(right)[among])
            yield f"  {number / BINS:.1f}: {among.sum() // SEEDS:4} questions, right {share:.2f}"


def main() -> None:
    """Print the module of weights; figures go to stderr."""
    parser = report.parser("fit", __doc__)
    parser.add_argument("--pairs", type=Path, nargs="+", required=True)
    parser.add_argument("--docs", type=Path, nargs="+", required=True)
    parser.add_argument("--model", default="", help="as the option 'semantic.model' names it")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as unpacked:
        documentations = [
            each
            for number, (pairs, docs) in enumerate(zip(args.pairs, args.docs, strict=True))
            for each in _read(pairs, docs, Path(unpacked) / str(number))
        ]
        print(_module(documentations, args.model), end="")


def _read(pairs: Path, docs: Path, unpacked: Path) -> Iterator[Documentation]:
    if docs.is_file():
        with tarfile.open(docs) as tar:
            tar.extractall(unpacked, filter="data")
        docs = unpacked
    lines = map(json.loads, pairs.read_text("utf-8").splitlines())
    for project, of_project in groupby(
        sorted(lines, key=lambda pair: (pair["project"], pair["id"])), lambda pair: pair["project"]
    ):
        yield Documentation.read(docs / project, [*of_project])


def _module(documentations: Sequence[Documentation], model: str) -> str:
    """Return the source of the module of weights."""

    def fitted(
        name: str, without: Container[str], sources: Sequence[Documentation], model: str = ""
    ) -> tuple[list[tuple[Asked, Floats]], Floats]:
        """Return the questions with z of their candidates by the first seed, and the weights."""
        columns = [number for number, name in enumerate(Features._fields) if name not in without]
        asked = [each.ask(pair, model) for each in sources for pair in each.pairs]
        is_whole = sources is documentations
        count = HEADINGS if is_whole else 1
        headings = [one for each in sources for one in each.ask_headings(count, model)]
        units = ("section", "page") if is_whole else ("section",)
        if not is_whole:  # another section of the right page counts nothing
            asked = [replace(one, page=one.right) for one in asked]
            headings = [replace(one, page=one.right) for one in headings]
        ranked = partial(fit, columns=columns)
        weighed = [cross_validated(asked, headings, seed, ranked) for seed in range(SEEDS)]
        by_seed = [[one.features @ w for one, w in zip(asked, of, strict=False)] for of in weighed]
        found[name] = figures(asked, by_seed, *units)
        report.say(f"{len(asked)} questions, {len(sources)} documentations, {name}: {found[name]}")
        report.say("\n".join(reliability(asked, by_seed)))
        return [*zip(asked, by_seed[0], strict=True)], ranked(asked, headings)

    known = re.search(r"^with meaning: (.*)\.$", weights.__doc__ or "", re.MULTILINE)
    found = {"by words": "", "with meaning": known[1] if known else ""}
    asked, words = fitted("by words", {"meaning"}, documentations)
    pages = [page for each in documentations for page in each.pages()]
    with_pairs = [page for page in pages if page.pairs]
    of_pages, page = fitted("in a page", {"meaning", *BETWEEN_PAGES}, with_pairs)
    meaning = np.array(weights.MEANING)
    if model:
        near, meaning = fitted("with meaning", set(), documentations, model)

    several = [each for each in documentations if len({*each.uris}) > 1]  # what LEVEL is for
    ranked = [pair for pair in asked if pair[0].project in {each.project for each in several}]
    level, least = _level(ranked, _strangers(several, several), LOST)
    others = _strangers(documentations, pages)
    page_level, least_in_page = _level(of_pages, others, LOST_IN_PAGE)
    page_level[0] += least - least_in_page  # one MIN_SCORE for all
    meaning_level = np.array(weights.MEANING_LEVEL)
    if model:
        in_pages = [page.ask(pair, model) for page in with_pairs for pair in page.pairs]
        near += [(each, each.features @ meaning) for each in in_pages]
        others = _strangers(several, several, model) + _strangers(documentations, pages, model)
        meaning_level, least_by_meaning = _level(near, others, LOST_BY_MEANING)
        meaning_level[0] += least - least_by_meaning
    return _MODULE.format(
        asked=f"{len(asked)} questions of users over {len(documentations)} documentations",
        date=f"{datetime.now(timezone.utc):%Y-%m-%d}",
        folds=f"{FOLDS} folds, {SEEDS} seeds",
        figures=found,
        words=_listed(words),
        page=_listed(page),
        meaning=_listed(meaning),
        level=_listed(level),
        page_level=_listed(page_level),
        meaning_level=_listed(meaning_level),
        least=1 / (1 + math.exp(-least)),
        lost=LOST,
        lost_in_page=LOST_IN_PAGE,
        lost_by_meaning=LOST_BY_MEANING,
    )


def _strangers(
    documentations: Sequence[Documentation], asked: Sequence[Documentation], model: str = ""
) -> list[Asked]:
    """Ask the questions of documentations of others, or of pages, that do not answer them."""
    draw, found = random.Random(0), []
    for documentation in documentations:
        related = [other for other in asked if other.project == documentation.project]
        foreign = [other for other in asked if other.project != documentation.project]
        for pair in documentation.pairs:
            pages = {page for page, _, _ in pair["sections"]}
            for some in ([other for other in related if pages.isdisjoint(other.uris)], foreign):
                count = min(1 if model else STRANGERS, len(some))
                found += [other.ask(pair, model) for other in draw.sample(some, count)]
    return found


def _level(
    ranked: Sequence[tuple[Asked, Floats]], strangers: Sequence[Asked], lost: float
) -> tuple[Floats, float]:
    """Return the weights of the facts, and the log-odds from which there is an answer.

    Args:
        ranked: The questions with an answer, each with z of its candidates.
    """
    questions = [each for each, _ in ranked]
    weighed = cross_validated(questions, strangers, 0, fit_level)
    levels = [w.dot(each.facts) for each, w in zip((*questions, *strangers), weighed, strict=True)]
    odds, strange_odds = np.split(np.array(levels), [len(questions)])
    first = [_rank(z, each.right) == 1 for each, z in ranked]
    least = float(np.quantile(odds[np.array(first)], lost))
    answered = np.mean(strange_odds >= least)
    report.say(f"{answered:.3f} of strange questions are answered; {lost:.0%} of right ones lost")
    return fit_level(questions, strangers), least


def _listed(row: Floats) -> str:
    return ", ".join(f"{float(value):.2f}" for value in row)


if __name__ == "__main__":
    main()
