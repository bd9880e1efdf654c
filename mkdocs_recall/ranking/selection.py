"""The choice of sentences by their scores: order, ties, near-duplicates, diversity, number.

The shown scores of an answer never rise, but more than scores decides the ranks. A passage that
ranks below a lower score is shown with that score, and its explanation names the loss. Thresholds
compare the original scores.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cache, cached_property, partial
from itertools import chain, islice
from typing import TYPE_CHECKING, Final, NamedTuple

from msgspec import Struct, field

from mkdocs_recall.index.index import Index
from mkdocs_recall.index.query import names_in, query_terms
from mkdocs_recall.options import Query, RecallOptions
from mkdocs_recall.ranking.places import Quotable, ranked
from mkdocs_recall.ranking.quotation import Quotation
from mkdocs_recall.ranking.result import Lost, Passage, Result
from mkdocs_recall.ranking.scores import SCORERS, Explanation, Scores, similarity
from mkdocs_recall.text.language import is_name
from mkdocs_recall.text.model import LABELS
from mkdocs_recall.text.sentences import phrases

if TYPE_CHECKING:
    from mkdocs_recall.ranking.semantic import SemanticSimilarity

DUPLICATE: Final = 0.9
"""Sentences with terms this similar (cosine) repeat each other."""
WORK: Final = 20_000_000
"""The most terms compared for a choice: half a second even for crafted pages."""
_PAIR: Final = 10
"""A comparison costs as much as this many terms, besides its own."""
_ROUNDING: Final = 1e-6


class ChosenTerms(Struct, eq=False):
    """The sets of terms of chosen sentences, in order."""

    work: int = WORK
    """How many terms may still be compared."""
    _chosen: list[frozenset[str]] = []
    _first: dict[frozenset[str], int] = {}
    """The first place of each set."""
    _holding: dict[str, list[int]] = {}
    """The places of the sets that hold a term."""
    _highest: dict[frozenset[str], tuple[int, float]] = {}
    """The number of comparisons of each set, and the highest similarity."""

    def __len__(self) -> int:
        return len(self._chosen)

    def add(self, terms: frozenset[str]) -> None:
        """Add the terms of a chosen sentence."""
        place = len(self._chosen)
        self._chosen.append(terms)
        self._first.setdefault(terms, place)
        for term in terms:
            self._holding.setdefault(term, []).append(place)

    def highest(self, terms: frozenset[str]) -> float:
        """Return the highest similarity to a chosen sentence."""
        if not terms:
            return 0.0
        if terms in self._first:
            return 1.0
        compared, highest = self._highest.get(terms, (0, 0.0))
        if compared < len(self._chosen):
            uncompared = self._chosen[compared:]
            uncompared = uncompared[: self._afforded(terms, len(uncompared))]
            highest = max([highest, *(similarity(terms, chosen) for chosen in uncompared)])
            self._highest[terms] = len(self._chosen), highest
        return highest

    def repeated(self, terms: frozenset[str]) -> int | None:
        """Return the place of the first set with nearly the same terms."""
        if not terms:
            return None
        # A similar set shares all but a few terms, so one of the rarest few.
        needed = math.ceil(DUPLICATE * DUPLICATE * len(terms) - _ROUNDING)
        holding = [(len(self._holding.get(term, ())), term) for term in terms]
        rarest = sorted(holding)[: len(terms) - needed + 1]
        places = {place for count, term in rarest if count for place in self._holding[term]}
        for place in sorted(places)[: self._afforded(terms, len(places))]:
            if similarity(terms, self._chosen[place]) >= DUPLICATE:
                return place
        return self._first.get(terms)

    def _afforded(self, terms: frozenset[str], count: int) -> int:
        """Return how many comparisons are left, and count them."""
        cost = _PAIR + len(terms)
        count = min(count, self.work // cost)
        self.work -= count * cost
        return count


SHOWN = 3
"""A result names this many of the sentences that were not chosen."""


class Choice(NamedTuple):
    """The chosen sentences, in rank order, and all scores."""

    numbers: Sequence[int]
    scores: Scores
    fixed: tuple[int, ...] = ()
    """The sentences that stay, whatever recency and meaning say."""
    has_rival: bool = False
    """Whether the last replaces a better score, for its section's sake."""
    by_meaning: Scores | None = None
    """The cosines of the last sentences, which meaning has appended."""
    why: str = ""
    """Why meaning has."""
    covered: int = 0
    """The context with which the others were quoted."""


class _Repetitions(Struct, eq=False):
    """Finds sentences that repeat or are in chosen ones."""

    quotable: Quotable
    _ranks: list[int] = []
    _terms: ChosenTerms = field(default_factory=ChosenTerms)
    _covered: dict[tuple[str, int, int], int] = {}

    def add(self, number: int, rank: int = 0, *, context: int = 0) -> None:
        """Add a chosen sentence, with its passage's rank."""
        self._ranks.append(rank)
        self._terms.add(self.quotable.index.term_set(number))
        for place in self.quotable.places(number, self.quotable.quotation(number, context)):
            self._covered.setdefault(place, rank)

    def reason(self, number: int) -> str:
        """Say which passage a sentence repeats; empty if none."""
        rank = self._covered.get(next(self.quotable.places(number)))
        if rank is not None:
            return f"it is quoted with number {rank}"
        place = self._terms.repeated(self.quotable.index.term_set(number))
        return "" if place is None else f"it says the same as number {self._ranks[place]}"


def choose(
    quotable: Quotable,
    numbers: Iterable[int],
    count: int,
    *,
    before: Sequence[int] = (),
    context: int = 0,
) -> tuple[int, ...]:
    """Return up to `count` sentences in order, without repetitions.

    Sentences chosen `before` count; they are quoted with `context` sentences on each side.
    """
    chosen = [*before]
    if len(chosen) >= count:
        return tuple(chosen)
    repetitions = _Repetitions(quotable)
    for number in before:
        repetitions.add(number, context=context)
    for number in numbers:
        if not repetitions.reason(number):
            repetitions.add(number)
            chosen.append(number)
            if len(chosen) >= count:
                break
    return tuple(chosen)


def rejected(
    quotable: Quotable,
    chosen: Sequence[int],
    values: Mapping[int, float],
    *,
    usual: str,
    is_low: Callable[[int], bool] = lambda _: False,
    quotations: Mapping[int, Quotation] | None = None,
    appended: int = 0,
    context: int = 0,
) -> dict[int, str]:
    """Return why the best rejected sentences were not chosen, best first.

    The last chosen ones, `appended`, were found by meaning, when the others were quoted with
    `context` sentences on each side. Sentences within quotations are not named.
    """
    quoted: dict[tuple[str, int, int], int] = {}
    for rank, (number, part) in enumerate((quotations or {}).items(), start=1):
        for place in quotable.places(number, part):
            quoted.setdefault(place, rank)
    repetitions = _Repetitions(quotable)
    for rank, number in enumerate(chosen, start=1):
        if quotations is None:
            repetitions.add(number, rank, context=context if rank <= len(chosen) - appended else 0)
        elif quoted_rank := quoted.get(next(quotable.places(number))):
            repetitions.add(number, quoted_rank)

    def reason(number: int) -> str:
        if fault := quotable.fault(number) or repetitions.reason(number):
            return fault
        if is_low(number):
            return "it scores less than 'min_score'"
        return usual if quotable.is_whole(number) else "it cannot be understood by itself"

    unchosen = (number for number in ranked(values, len(chosen) + SHOWN) if number not in chosen)
    unquoted = (number for number in unchosen if quoted.keys().isdisjoint(quotable.places(number)))
    return {number: reason(number) for number in islice(unquoted, SHOWN)}


POOL = 8
"""Diversity chooses among this many times the wanted sentences, and at least `MIN_POOL`."""
MIN_POOL = 60
DANGLING = 3.0
"""A sentence that refers to an unchosen one loses this much of its score."""
_ASIDES = LABELS | {"admonition"}
"""The kinds of blocks that may precede the first sentence of a page's own text."""


def maximal_marginal_relevance(
    index: Index,
    values: Mapping[int, float],
    count: int,
    *,
    diversity: float,
    shuns_dangling: bool = False,
) -> list[int]:
    """Choose sentences one by one by maximal marginal relevance (Carbonell & Goldstein 1998).

    Each step chooses the highest `(1 - d)·relevance - d·similarity`: relevance is the score scaled
    to [0, 1] over all values, similarity the highest one to a chosen sentence, d the diversity.
    With `shuns_dangling`, "It …" ranks lower unless the sentence before it is chosen.
    """
    size = min(len(values), max(MIN_POOL, POOL * count))
    quotable = (n for n in ranked(values, size) if index.sentences[n].quotable)
    numbers = list(islice(quotable, size))
    if not numbers:
        return []
    low, high = min(values.values()), max(values.values())
    scale = (high - low) or 1.0
    chosen: list[int] = []
    terms, block_of = ChosenTerms(), index.block_of
    leans_alone = cache(partial(_leans, index))

    def relevance(number: int, penalty: float) -> float:
        return (1 - diversity) * ((values[number] - penalty - low) / scale)

    def leans(number: int) -> bool:
        before = number - 1
        is_held_up = before in chosen and block_of[before] == block_of[number]
        return shuns_dangling and not is_held_up and leans_alone(number)

    # Similarity to the chosen sentences only grows: only the top ones are compared with those
    # chosen meanwhile.
    most = [(-relevance(number, 0.0), place) for place, number in enumerate(numbers)]
    while len(chosen) < count:
        best: tuple[float, int] | None = None
        compared: list[tuple[float, int]] = []
        while most and (best is None or most[0] <= best):
            _, place = heapq.heappop(most)
            number = numbers[place]
            similar = terms.highest(index.term_set(number))
            if similar >= DUPLICATE:
                continue
            compared.append((diversity * similar - relevance(number, 0.0), place))
            is_leaning = leans(number)
            if is_leaning and number < min(chosen, default=math.inf):
                continue  # it may not open a quotation
            merit = diversity * similar - relevance(number, DANGLING * is_leaning)
            best = min(best or (merit, place), (merit, place))
        if best is None and chosen:
            break
        _, first = best or compared[0]  # else every sentence refers to another
        chosen.append(numbers[first])
        terms.add(index.term_set(chosen[-1]))
        for entry in (candidate for candidate in compared if candidate[1] != first):
            heapq.heappush(most, entry)
    return chosen


def _leans(index: Index, number: int) -> bool:
    # In the first sentence of a page's own text, "This service …" refers to the page's title.
    sentence, document = index.sentences[number], index.document(number)
    if not phrases(document.language).leans(sentence.text):
        return False
    kinds = (block.kind for block in document.blocks)
    first = next((n for n, kind in enumerate(kinds) if kind not in _ASIDES), len(document.blocks))
    return sentence.start > 0 or first < sentence.block


class Candidates(Struct, frozen=True, eq=False, dict=True):
    """The sentences of an index with their scores for some queries."""

    quotable: Quotable
    options: RecallOptions
    by_query: Sequence[Scores]
    scores: Scores
    """The weighted means of `by_query`, with the highest probabilities."""
    min_scores: Sequence[float]
    """The least score of an answer to each query."""
    missing: Sequence[str]
    """For each query, a name in it that no page has, or an empty text."""

    @classmethod
    def of(
        cls, quotable: Quotable, options: RecallOptions, meaning: SemanticSimilarity | None
    ) -> Candidates:
        """Score the sentences of an index."""
        index = quotable.index
        queries = options.query
        scorer = SCORERS[options.scorer]
        settings = {name: getattr(options, name) for name in scorer.settings}
        if scorer.ranks_sections:
            settings |= {"hidden": quotable.hidden, "fault": quotable.fault}
            if meaning is not None and meaning.blends:
                settings["cosines"] = partial(meaning.of_sections, index)
        by_query = [scorer.score(query.text, index, **settings) for query in queries]
        mean = _mean(by_query, queries) if len(queries) > 1 else by_query[0]
        missing = [""] * len(queries)
        min_scores = [options.min_score or 0.0] * len(queries)
        if options.min_score is None and not options.embedm:
            missing = [_missing_name(query.text, index) for query in queries]
            pairs = zip(missing, by_query, strict=True)
            min_scores = [math.inf if name else scores.min_score for name, scores in pairs]
        return cls(quotable, options, by_query, mean, min_scores, missing)

    @cached_property
    def values(self) -> Mapping[int, float]:
        """The scores; those below `least` are no answers."""
        if not any(self.min_scores) or self.least:
            return self.scores.values
        return {n: value for n, value in self.scores.values.items() if self.is_answer(n)}

    @property
    def least(self) -> float:
        """The least score of an answer, if scores can tell."""
        return self.min_scores[0] if self.scores is self.by_query[0] else 0.0

    def is_answer(self, number: int) -> bool:
        """Tell whether a sentence answers one of the queries."""
        by_query = zip(self.by_query, self.min_scores, strict=True)
        return any(scores.values.get(number, 0.0) >= least for scores, least in by_query)

    def answers_to(self, query: int) -> Mapping[int, float]:
        """Return the scores of the answers to a query."""
        values = self.by_query[query].values
        least = self.min_scores[query]
        return {n: value for n, value in values.items() if value >= least} if least else values


def _missing_name(query: str, index: Index) -> str:
    """Return a code name on no page that is half of a query."""
    total = math.fsum(term.weight for term in query_terms(query, index.languages))
    for words, name in names_in(query).items():
        parts = [word for word in words if not is_name(word)] or words  # ".NET" is "NET", too
        terms = query_terms(" ".join(parts), index.languages)
        weight = math.fsum(term.weight for term in terms)
        lacking = (index.lacks_word(term) and not term.is_stop_word for term in terms)
        if 2 * weight >= total and any(lacking):
            return name
    return ""


def _mean(by_query: Sequence[Scores], queries: Sequence[Query]) -> Scores:
    total = math.fsum(query.weight for query in queries)
    shares = [query.weight / total for query in queries]
    weighted: dict[int, list[float]] = {}
    for scores, query in zip(by_query, queries, strict=True):
        for number, value in scores.values.items():
            weighted.setdefault(number, []).append(query.weight * value)
    # Both sums are exact, so no mean exceeds the highest of its scores.
    values = {number: math.fsum(parts) / total for number, parts in weighted.items()}
    likely: dict[int, float] = {}
    for section, share in chain.from_iterable(scores.probabilities.items() for scores in by_query):
        likely[section] = max(share, likely.get(section, 0.0))
    titled = frozenset[int]().union(*(scores.titled for scores in by_query))

    def explain(number: int) -> Explanation:
        parts = []
        for scores, share, query in zip(by_query, shares, queries, strict=True):
            if number in scores.values:
                tree = scores.explain(number).scaled(share)
                label = f"{share:.0%} of '{query.text}': {tree.description}"
                parts.append(Explanation(tree.value, label, tree.parts))
        return Explanation(values[number], f"mean over {len(queries)} queries", tuple(parts))

    return Scores(values, explain, likely, titled)


def make_result(
    index: Index,
    chosen: Sequence[int],
    scores: Scores,
    scorer: str,
    *,
    quote: Callable[[int], Quotation] | None = None,
    rejected: Callable[[], Mapping[int, str]] = dict,
    by_meaning: Scores | None = None,
) -> Result:
    """Return passages; the last were found `by_meaning`."""
    semantic = frozenset(by_meaning.values) if by_meaning else frozenset[int]()

    def passage(rank: int, number: int) -> Passage:
        sentence = index.sentences[number]
        source = by_meaning if by_meaning and number in semantic else scores
        return Passage(
            document=index.document(number),
            sentence=sentence,
            score=source.values[number],
            rank=rank,
            quotation=quote(number) if quote else Quotation((sentence,)),
            found_by="semantic" if number in semantic else "lexical",
            place=number + len(index) * (number in semantic),
            _explain=partial(source.explain, number),
        )

    def lost() -> tuple[Lost, ...]:
        numbered = enumerate(rejected().items(), start=len(chosen) + 1)
        return tuple(Lost(passage(rank, n), reason) for rank, (n, reason) in numbered)

    passages = tuple(passage(rank, number) for rank, number in enumerate(chosen, start=1))
    return Result(passages, scorer, _lost=lost)


def shown_scores(
    chosen: Sequence[int], scores: Scores, *, fixed: Collection[int] = (), diverse: bool = False
) -> Scores:
    """Return scores that never rise in rank order."""
    values = scores.values
    lower: dict[int, int] = {}  # the first with the lowest score before one that scores more
    lowest = next(iter(chosen), -1)
    for number in chosen:
        if values[number] < values[lowest]:
            lowest = number
        elif values[number] > values[lowest]:
            lower[number] = lowest
    if not lower:
        return scores
    lowered = {number: values[earlier] for number, earlier in lower.items()}

    def explain(number: int) -> Explanation:
        tree = scores.explain(number)
        if number not in lowered:
            return tree
        loss = "cannot be understood by itself"
        if diverse:
            loss = "repeats more of what ranks before it"
        elif lower[number] in fixed:
            loss = "the best for another query ranks before it"
        value = lowered[number]
        parts = tree, Explanation(value - tree.value, loss)
        return Explanation(value, "relevance and rank", parts)

    return Scores({**values, **lowered}, explain)
