"""What several scorers use: candidates for a synopsis, decay, vectors and cosines, centrality."""

from __future__ import annotations

import math
from collections import Counter
from functools import cache
from itertools import chain
from operator import mul, sub
from typing import TYPE_CHECKING, TypeAlias

from mkdocs_recall.index.index import Part
from mkdocs_recall.text.language import get_language
from mkdocs_recall.text.terms import terms

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mkdocs_recall.index.index import Index
    from mkdocs_recall.text.model import Block, Sentence

Vector: TypeAlias = "dict[str, float]"

MIN_WORDS = 3
"""Fewer words make a label rather than a sentence (embedm's bound)."""
FEW_PROSE = 3
"""With fewer complete sentences than this, the next of `_FORMS` is looked at too."""
_FORMS = (
    frozenset({"prose"}),
    frozenset({"prose", "list", "definition"}),
    frozenset({"prose", "list", "definition", "admonition"}),
)
"""The kinds of blocks that candidates are taken from."""
_LEAD_INS = (":", "：", "...", "…")
"""What ends a sentence that is only complete with what follows it."""
CLOSING = "\"'”’»)]』」）"
"""What may stand behind the stop that ends a sentence."""
_STOPS = (".", "!", "?", "…", "。", "！", "？", "।", "؟", "։", "።")
_UNSPACED = frozenset({"zh", "ja", "th", "lo", "my", "km"})
_CHARACTERS_A_WORD = 2


def word_count(sentence: Sentence, language: str) -> int:
    """Return how many words a sentence has; in scripts without blanks, about as many."""
    return words_in(sentence.text, language)


def words_in(text: str, language: str) -> int:
    """Return how many words a text has that is not empty; without blanks, about as many."""
    if _is_unspaced(language):
        return max(1, len(text) // _CHARACTERS_A_WORD)
    return text.count(" ") + 1


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
        and word_count(sentence, language) >= MIN_WORDS
    )


def candidates(index: Index) -> list[int]:
    """Return the sentences that may stand in a synopsis, ascending.

    Complete sentences of prose; where these are few, of list items too; where these are few as
    well, of admonitions. Where there are none, any text that can be quoted: what leads in to
    something else only for want of another.
    """
    complete = [
        n for n, s in enumerate(index.sentences) if is_complete(s, index.document(n).language)
    ]
    found: list[int] = []
    for kinds in _FORMS:
        found = [n for n in complete if index.block(n).kind in kinds]
        if len(found) >= FEW_PROSE:
            break
    return found or _remnants(index)


def _remnants(index: Index) -> list[int]:
    """Return what can be quoted of a page without a complete sentence."""
    quotable = [n for n, sentence in enumerate(index.sentences) if sentence.quotable]
    whole = [n for n in quotable if not index.sentences[n].text.endswith(_LEAD_INS)]
    return whole or quotable


def opening(part: Part, considered: int) -> Part:
    """Return the blocks that hold the first candidates of a page, without a look at the others.

    Args:
        part: The page.
        considered: How many candidates are enough, at least `FEW_PROSE`.

    Returns:
        Only blocks of prose where these are enough to leave all else out; else the whole page.
    """
    prose: list[Block] = []
    complete = 0
    for block in part.blocks:
        if block.kind == "prose":
            prose.append(block)
            complete += sum(is_complete(s, part.document.language) for s in block.sentences)
            if complete >= considered:
                break
    return Part(part.document, tuple(prose)) if complete >= FEW_PROSE else part


def block_decay(index: Index, number: int) -> float:
    """Return `1/(1 + block_index)`, the top-level blocks of the page counted from 0."""
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
        text: The terms of a title or of headings.
        weights: The weight of each term of the sentences. Others weigh as much as the heaviest.

    Returns:
        A number in [0, 1] for each sentence.
    """
    unseen = max(weights.values(), default=1.0)
    asked = {term: weights.get(term, unseen) ** 2 for term in text}
    length = math.sqrt(math.fsum(asked.values()))
    known = frozenset(asked)
    found = [0.0] * len(sets)
    for number, words in enumerate(sets):  # fsum is exact: the order of a set does not matter
        if shared := words & known:
            own = math.fsum([weights[term] * weights[term] for term in words])
            common = math.fsum([asked[term] for term in shared])
            found[number] = common / (length * math.sqrt(own))
    return found


def terms_of(text: str, language: str) -> tuple[str, ...]:
    """Return the terms of a title or heading."""
    return terms(text, get_language(language))


DAMPING = 0.85
"""Brin & Page 1998, as in Mihalcea & Tarau 2004."""
TOLERANCE = 1e-4
"""When the ranks of two rounds are this close, they are taken (Mihalcea & Tarau 2004)."""
MAX_ROUNDS = 100
COMMON = 20
"""A term in more sentences than this links none: the graph stays linear in the size of the page."""


def centrality(sets: Sequence[frozenset[str]], *, tolerance: float = TOLERANCE) -> list[float]:
    """Return TextRank's weight of each sentence (Mihalcea & Tarau 2004).

    PageRank over sentences, linked by `|a ∩ b| / (ln|a| + ln|b|)` of their distinct terms. Terms
    that stand in more than 20 sentences are left out of the intersection.

    Args:
        sets: The distinct terms of each sentence.
        tolerance: How far the ranks of the last two rounds may be apart.

    Returns:
        A weight for each, greater than 0; they sum to the number of sentences where all are linked.
    """
    links = _links(sets)  # all sums over them are exact, so that their order does not matter
    outgoing = [math.fsum(row.values()) for row in links]
    shares = [[weight / outgoing[other] for other, weight in row.items()] for row in links]
    # In an undirected graph a node's rank is close to its share of all links: start there.
    scale = sum(map(bool, outgoing)) / (math.fsum(outgoing) or 1.0)
    ranks = [1 - DAMPING + DAMPING * weight * scale for weight in outgoing]
    for _ in range(MAX_ROUNDS):
        before = ranks
        ranks = [
            1 - DAMPING + DAMPING * math.fsum(map(mul, map(before.__getitem__, row), share))
            for row, share in zip(links, shares, strict=True)
        ]
        if max(map(abs, map(sub, ranks, before)), default=0.0) < tolerance:
            break
    return ranks


def _links(sets: Sequence[frozenset[str]]) -> list[dict[int, float]]:
    """Return, for each sentence, those that share a term with it, with the weight of the link."""
    frequency = Counter(chain.from_iterable(sets))
    holding: dict[str, list[int]] = {w: [] for w, count in frequency.items() if 1 < count <= COMMON}
    logs = [math.log(len(words)) if words else 0.0 for words in sets]
    links: list[dict[int, float]] = [{} for _ in sets]
    for number, words in enumerate(sets):
        lists = [holding[word] for word in words if word in holding]
        row, own = links[number], logs[number]
        for other, count in Counter(chain.from_iterable(lists)).items():
            if scale := own + logs[other]:
                row[other] = links[other][number] = count / scale
        for numbers in lists:
            numbers.append(number)
    return links
