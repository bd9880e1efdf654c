"""The scorers and algorithms by the names that options give them, and what all of them use.

A scorer makes `Scores`: numbers, and for each an explanation whose parts add up to it. A module is
imported when its scorer is first used, so that checking a name imports none. The features that
several scorers use are here: candidates for a synopsis, decay, cosines, centrality, adjacency.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import Counter
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from itertools import chain
from operator import mul, sub
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol, TypeAlias

from mkdocs_recall.index.query import Part
from mkdocs_recall.text.language import get_language
from mkdocs_recall.text.model import LABELS, Block, Sentence

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from mkdocs_recall.index.index import Index


@dataclass(frozen=True, slots=True)
class Explanation:
    """A value, a description of it, and the parts whose values sum to it.

    Example:
        >>> print(Explanation(3.0, "apples", (Explanation(1.0, "red"), Explanation(2.0, "green"))))
        3.0000 apples
          1.0000 red
          2.0000 green
    """

    value: float
    description: str
    parts: tuple[Explanation, ...] = ()
    """Empty for a leaf."""

    def scaled(self, factor: float) -> Explanation:
        """Return the same tree with every value multiplied."""
        parts = tuple(part.scaled(factor) for part in self.parts)
        return Explanation(self.value * factor, self.description, parts)

    def __str__(self) -> str:
        """Return the tree as indented lines."""
        parts = "".join(f"\n{part}" for part in self.parts).replace("\n", "\n  ")
        return f"{self.value:.4f} {self.description}{parts}"


class Scores(NamedTuple):
    """The scores of the sentences of an index, with their explanations."""

    values: Mapping[int, float]
    """The score by sentence number; a sentence without one does not match."""
    explain: Callable[[int], Explanation]
    """Returns the explanation of one of these scores, whose value is the score."""
    probabilities: Mapping[int, float] = MappingProxyType({})
    """The probability of each candidate section to hold the answer, if one of them does; empty for
    a scorer that ranks no sections."""
    titled: frozenset[int] = frozenset()
    """Those of them whose heading is the query, word for word."""


class ShardScores(Protocol):
    """What a scorer says of the sentences of one shard, by their numbers there."""

    def values(self) -> Mapping[int, float]:
        """Return the scores of the matching sentences."""

    def explain(self, number: int) -> Explanation:
        """Explain one of these scores."""


def joined(index: Index, shards: Sequence[ShardScores]) -> Scores:
    """Return the scores of an index from those of its shards, in order."""
    if len(shards) == 1:
        return Scores(shards[0].values(), shards[0].explain)
    starts = index.sentence_starts
    values = {
        start + number: value
        for start, shard in zip(starts, shards, strict=True)
        for number, value in shard.values().items()
    }

    def explain(number: int) -> Explanation:
        shard = bisect_right(starts, number) - 1
        return shards[shard].explain(number - starts[shard])

    return Scores(values, explain)


Vector: TypeAlias = "dict[str, float]"

MIN_WORDS: Final = 3
"""Fewer words are a label rather than a sentence: embedm's bound."""
ENOUGH_CANDIDATES: Final = 3
"""With fewer candidates, the next of `_FORMS` is used: as many as a synopsis has by default."""
_FORMS: Final = (
    frozenset({"prose"}),
    frozenset({"prose", "list", "definition"}),
    frozenset({"prose", "list", "definition", "admonition"}),
)
"""The kinds of blocks whose sentences may be candidates, from the preferred set to the widest."""
_LEAD_INS: Final = (":", "：", "...", "…")
"""The endings of a sentence that is incomplete without the text below it."""
CLOSING: Final = "\"'”’»)]』」）"
"""The characters that may follow the stop of a sentence."""
_STOPS: Final = (".", "!", "?", "…", "。", "！", "？", "।", "؟", "։", "።")
_UNSPACED: Final = frozenset({"zh", "ja", "th", "lo", "my", "km"})
_CHARACTERS_PER_WORD: Final = 2
"""An estimate, which is also the length of a term in these languages: see `text.sentences`."""

DAMPING: Final = 0.85
"""Brin & Page (1998), as in Mihalcea & Tarau (2004)."""
TOLERANCE: Final = 1e-4
"""Ranks are final when they change by less than this in one round (Mihalcea & Tarau 2004)."""
MAX_ROUNDS: Final = 100
"""A bound for pages whose ranks converge slowly, so that the time is limited."""
_SCANNED: Final = 60
"""A sentence of up to this many words is scanned for each pair. The positions in a longer one (a
block of code, a long table row) are collected once for all pairs. This affects the time only."""
COMMON: Final = 20
"""A term in more sentences than this links none, so that the graph is linear in the size of the
page."""


def words_in(text: str, language: str) -> int:
    """Return the number of words of a text that is not empty; without spaces, an estimate."""
    if _is_unspaced(language):
        return max(1, len(text) // _CHARACTERS_PER_WORD)
    return len(text.split())


@cache
def _is_unspaced(language: str) -> bool:
    return get_language(language).code in _UNSPACED


def has_end(text: str) -> bool:
    """Tell whether a text ends as a sentence does."""
    return text.rstrip(CLOSING)[-1:] in _STOPS


def is_complete(sentence: Sentence, language: str) -> bool:
    """Tell whether a sentence can be quoted, ends as one and has enough words."""
    text = sentence.text.rstrip(CLOSING)
    return (
        sentence.quotable
        and text[-1:] in _STOPS
        and not text.endswith(_LEAD_INS)
        and words_in(sentence.text, language) >= MIN_WORDS
    )


def candidates(index: Index) -> list[int]:
    """Return the sentences that may be in a synopsis, in page order.

    They are the complete sentences of prose; where these are few, also of list items and
    definitions; where these are few as well, also of admonitions. A page without any has all text
    that can be quoted as candidates, but a lead-in only if there is nothing else.
    """
    complete = [
        n for n, s in enumerate(index.sentences) if is_complete(s, index.document(n).language)
    ]
    chosen: list[int] = []
    for kinds in _FORMS:
        chosen = [n for n in complete if index.block(n).kind in kinds]
        if len(chosen) >= ENOUGH_CANDIDATES:
            break
    return chosen or _incomplete_candidates(index)


def _incomplete_candidates(index: Index) -> list[int]:
    """Return the candidates of a page without a complete sentence."""
    quotable = [
        n
        for n, sentence in enumerate(index.sentences)
        if sentence.quotable and index.block(n).kind not in LABELS
    ]
    not_leading_in = [n for n in quotable if not index.sentences[n].text.endswith(_LEAD_INS)]
    return not_leading_in or quotable


def opening(part: Part, considered: int) -> Part:
    """Return the blocks with the first candidates of a page; the others are not cut into sentences.

    Args:
        considered: The number of candidates that is enough, at least `ENOUGH_CANDIDATES`.

    Returns:
        Blocks of prose only, if they have enough candidates; else the whole page.
    """
    prose: list[Block] = []
    complete = 0
    for block in part.blocks:
        if block.kind == "prose":
            prose.append(block)
            complete += sum(is_complete(s, part.document.language) for s in block.sentences)
            if complete >= considered:
                break
    return Part(part.document, tuple(prose)) if complete >= ENOUGH_CANDIDATES else part


def block_decay(index: Index, number: int) -> float:
    """Return `1/(1 + block_index)`; top-level blocks of the page are counted from 0 (embedm)."""
    return 1 / (1 + index.block(number).top)


def similarity(a: frozenset[str], b: frozenset[str]) -> float:
    """Return the cosine of two sets of terms, `|a ∩ b| / √(|a|·|b|)`, in [0, 1]."""
    if not a or not b:
        return 0.0
    return len(a & b) / math.sqrt(len(a) * len(b))


def inverse_sentence_frequencies(sets: Sequence[frozenset[str]]) -> Vector:
    """Return `ln(1 + N/sf)` for each term of some sentences."""
    counts = Counter(chain.from_iterable(sets))
    logs = {count: math.log(1 + len(sets) / count) for count in set(counts.values())}
    return {term: logs[count] for term, count in counts.items()}


def cosines(sets: Sequence[frozenset[str]], text: Iterable[str], weights: Vector) -> list[float]:
    """Return the cosine of each sentence with a text, both as vectors of their weighted terms.

    Args:
        sets: The distinct terms of each sentence; each has a weight.
        weights: The weight of each term of the sentences. A term of the text that no sentence holds
            has the highest of these weights.

    Returns:
        A number in [0, 1] for each sentence.
    """
    highest = max(weights.values(), default=1.0)
    squares = {term: weights.get(term, highest) ** 2 for term in text}
    text_length = math.sqrt(math.fsum(squares.values()))
    text_terms = frozenset(squares)
    values = [0.0] * len(sets)
    for number, sentence_terms in enumerate(sets):
        if shared := sentence_terms & text_terms:
            # fsum is exact, so the order of a set does not change the sum.
            square_length = math.fsum([weights[term] * weights[term] for term in sentence_terms])
            product = math.fsum([squares[term] for term in shared])
            values[number] = product / (text_length * math.sqrt(square_length))
    return values


def centrality(sets: Sequence[frozenset[str]], *, tolerance: float = TOLERANCE) -> list[float]:
    """Return TextRank's weight of each sentence (Mihalcea & Tarau 2004).

    PageRank over sentences, linked by `|a ∩ b| / (ln|a| + ln|b|)` of their distinct terms. A term
    in more than `COMMON` sentences is left out of the intersection.

    Returns:
        A weight for each sentence, greater than 0. If all sentences are linked, the weights sum to
        the number of sentences.
    """
    links = _links(sets)  # sums over them are exact (fsum), so their order does not matter
    outgoing = [math.fsum(row.values()) for row in links]
    shares = [[weight / outgoing[other] for other, weight in row.items()] for row in links]
    # In an undirected graph a node's rank is close to its share of all links, so this start saves
    # rounds.
    scale = sum(map(bool, outgoing)) / (math.fsum(outgoing) or 1.0)
    ranks = [1 - DAMPING + DAMPING * weight * scale for weight in outgoing]
    for _ in range(MAX_ROUNDS):
        previous = ranks
        ranks = [
            1 - DAMPING + DAMPING * math.fsum(map(mul, map(previous.__getitem__, row), share))
            for row, share in zip(links, shares, strict=True)
        ]
        if max(map(abs, map(sub, ranks, previous)), default=0.0) < tolerance:
            break
    return ranks


def _links(sets: Sequence[frozenset[str]]) -> list[dict[int, float]]:
    """Return, for each sentence, the sentences that share a term with it and the link's weight."""
    frequency = Counter(chain.from_iterable(sets))
    holding: dict[str, list[int]] = {w: [] for w, count in frequency.items() if 1 < count <= COMMON}
    logs = [math.log(len(words)) if words else 0.0 for words in sets]
    links: list[dict[int, float]] = [{} for _ in sets]
    for number, words in enumerate(sets):
        # The earlier sentences with each of its terms: a pair is met once, by the later one.
        lists = [holding[word] for word in words if word in holding]
        row, own = links[number], logs[number]
        for other, count in Counter(chain.from_iterable(lists)).items():
            if scale := own + logs[other]:
                row[other] = links[other][number] = count / scale
        for numbers in lists:
            numbers.append(number)
    return links


class SentenceWords:
    """The words of the sentences of an index, and their positions in long sentences."""

    def __init__(self, index: Index) -> None:
        """Start without positions; a sentence is read on first use."""
        self._words_of = index.words_of
        self._positions: dict[int, dict[str, list[int]]] = {}

    def with_neighbours(
        self, numbers: AbstractSet[int], ones: AbstractSet[str], others: AbstractSet[str]
    ) -> set[int]:
        """Return the sentences in which a word of one set is next to one of the other.

        A word that belongs to both sets, such as a compound of two words, is next to itself.

        Args:
            others: The second; the order of the two in the sentence does not matter.
        """
        matches = set()
        for number in numbers:
            words = self._words_of(number)
            for position in self._positions_of(number, words, ones):
                if not others.isdisjoint(words[max(0, position - 1) : position + 2]):
                    matches.add(number)
                    break
        return matches

    def _positions_of(
        self, number: int, words: Sequence[str], wanted: AbstractSet[str]
    ) -> Iterable[int]:
        """Return the positions of some words in a sentence."""
        if len(words) <= _SCANNED:
            return [position for position, word in enumerate(words) if word in wanted]
        positions = self._positions.get(number)
        if positions is None:
            positions = self._positions[number] = {}
            for position, word in enumerate(words):
                positions.setdefault(word, []).append(position)
        return chain.from_iterable(positions.get(word, ()) for word in wanted)


COVERAGE_MIN_SCORE: Final = 0.2
"""Rejects most answers from a wrong page and hardly a right one (benchmarks/README.md, "Answers").
The scores of the other scorers mean something else on each page, so no threshold fits them."""
EDMUNDSON_DIVERSITY: Final = 0.3
"""The weight of novelty, with .7 for relevance: Carbonell & Goldstein (1998), maximal marginal
relevance; the value is ours."""


CONSIDERED: Final = 20
"""The number of candidates, the first of the page: a page says early what it is about. Synopses
with 25, 30 or 40 are no better."""


class Scorer(NamedTuple):
    """A scorer of sentences: against a query, or, for a synopsis, those of a page."""

    module: str
    """The name of its module in this package."""
    function: str = "score"
    """The name of its function there."""
    diversity: float = 0.0
    """The default of the option of this name, in [0, 1]."""
    min_score: float = 0.0
    """The default of the option of this name, where the module has no function `min_score`."""
    settings: tuple[str, ...] = ()
    """The options that its function takes."""
    ranks_sections: bool = False
    """Whether its function takes `hidden` pages, `cosines` of sections, and each `fault`, too."""
    shuns_dangling: bool = False
    """Whether a sentence that refers to the one before it ranks lower unless that is chosen."""
    considered: int | None = None
    """The number of candidates, the first of the page, that are scored; None for all."""

    def default_min_score(self, index: Index) -> float:
        """Return what an answer scores at least, where the option does not say it."""
        min_score: Callable[[Index], float] | None
        min_score = getattr(_module(self.module), "min_score", None)
        return min_score(index) if min_score else self.min_score

    @property
    def score(self) -> Callable[..., Scores]:
        """The function that scores the sentences of an index.

        It takes the index; before it, the text of the query, and `settings` as keywords.
        """
        score: Callable[..., Scores] = getattr(_module(self.module), self.function)
        return score


SCORERS: Mapping[str, Scorer] = {
    "structure": Scorer("structure", settings=("links", "chronicles"), ranks_sections=True),
    "coverage": Scorer("coverage", min_score=COVERAGE_MIN_SCORE),
    "overlap": Scorer("lexical", "overlap"),
    "bm25": Scorer("lexical", "bm25"),
}
ALGORITHMS: Mapping[str, Scorer] = {
    "edmundson": Scorer(
        "algorithms",
        "edmundson",
        diversity=EDMUNDSON_DIVERSITY,
        shuns_dangling=True,
        considered=CONSIDERED,
    ),
    **{name: Scorer("algorithms", name) for name in ("lead", "frequency", "luhn", "textrank")},
}


@cache
def _module(name: str) -> Any:  # noqa: ANN401 - modules share no type
    return import_module(f"{__package__}.{name}")
