"""The algorithms for synopses: `edmundson` and the plain ones.

- `edmundson`: what a page is about, by location, title, cue phrases and key words: Edmundson
  (1969), "New Methods in Automatic Extracting";
- `lead`: the first complete sentences, a baseline that is hard to beat;
- `frequency`: sentences with the frequent words of the page, early blocks first (embedm);
- `luhn`: sentences with the densest cluster of significant words: Luhn (1958), "The Automatic
  Creation of Literature Abstracts";
- `textrank`: sentences that share most terms with the other sentences: Mihalcea & Tarau (2004),
  "TextRank: Bringing Order into Text".
"""

from __future__ import annotations

import math
from collections import Counter
from itertools import chain
from operator import mul, sub
from typing import TYPE_CHECKING, Final

from mkdocs_recall.ranking.scores import (
    CLOSING,
    CONSIDERED,
    ENOUGH_CANDIDATES,
    LEAD_INS,
    Explanation,
    Scores,
    block_decay,
    is_complete,
    words_in,
)
from mkdocs_recall.text.language import get_language
from mkdocs_recall.text.model import CODE_ROLES, LABELS
from mkdocs_recall.text.sentences import phrases, terms, words

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from mkdocs_recall.index.index import Index


LOCATION: Final = 2.0
FIRST_PARAGRAPH: Final = 0.5
FIRST_SECTION: Final = 0.75
TITLE: Final = 2.0
TITLE_COVERED: Final = 1.25
SELF_REFERENCE: Final = 1.5
SHORT: Final = -0.75
LONG: Final = -0.75
CENTRALITY: Final = 1.0
POINTER: Final = -0.5
CODE: Final = -0.5
QUESTION: Final = -0.5
"""Weights tuned on 559 documentation pages against the descriptions that their authors wrote; they
hold up on projects on which they were not tuned (benchmarks/README.md, "Synopsis")."""

SHORT_UNDER: Final = 9
LONG_OVER: Final = 24
"""Lengths in words. Both features make a small difference: see the same file."""
CENTRALITY_TOLERANCE: Final = 0.01
"""Ranks need not be exact for a feature that weighs one point."""


def edmundson(index: Index) -> Scores:
    """Score the candidates for a synopsis of one page.

    `2/(1+i) + .5·first_paragraph + .75·first_section + 2·title + 1.25·title_covered
    + 1.5·self_reference - .75·short - .75·long + textrank - .5·pointer - .5·code - .5·question`

    i is the place among the candidates, from 0; the first paragraph and section are those of the
    first candidate; title is the tf-isf cosine with the page's title, title_covered the share of
    the title's words that the sentence holds; self_reference counts in the first section only, as
    "this section" further down is not the page; short is `max(0, (9 - n)/9)` and long
    `min(1, max(0, (n - 24)/24))` for n words; textrank (Mihalcea & Tarau 2004) is scaled to [0, 1];
    the others are 0 or 1. Range (-2.25, 9]. After Edmundson (1969); textrank, code, question and
    all weights are ours.

    Returns:
        A score for each candidate.
    """
    chosen = candidates(index)[:CONSIDERED]
    features = dict(zip(chosen, _features(index, chosen), strict=True))
    values = {number: math.fsum(of_one.values()) for number, of_one in features.items()}

    def explain(number: int) -> Explanation:
        parts = tuple(Explanation(value, name) for name, value in features[number].items() if value)
        return Explanation(
            values[number], "edmundson: sum of what speaks for and against it", parts
        )

    return Scores(values, explain)


def _features(index: Index, chosen: list[int]) -> Iterator[dict[str, float]]:
    """Yield the weighted features of each candidate of a page, by name."""
    if not chosen:
        return
    document = index.document(chosen[0])
    cues = phrases(document.language)
    sets = [index.term_set(number) for number in chosen]
    title = frozenset(terms(document.title, get_language(document.language)))
    titles = title_cosines(sets, title)
    length = max(1, len(title))
    ranks = centrality(sets, tolerance=CENTRALITY_TOLERANCE)
    top = max(ranks)
    first_block = index.block_of[chosen[0]]
    for i, number in enumerate(chosen):
        sentence, block = index.sentences[number], index.block_of[number]
        in_first_section = index.section_of[block] == index.section_of[first_block]
        covered, n = len(title & sets[i]), words_in(sentence.text, document.language)
        yield {
            f"sentence {i + 1} of the text" if i else "first sentence of the text": LOCATION
            / (1 + i),
            "in the first paragraph": FIRST_PARAGRAPH * (block == first_block),
            "in the first section": FIRST_SECTION * in_first_section,
            f"{covered} of {length} words of the title": TITLE * titles[i]
            + TITLE_COVERED * covered / length,
            "speaks of the page itself": SELF_REFERENCE
            * (in_first_section and cues.speaks_of_page(sentence.text)),
            "short": SHORT * max(0.0, (SHORT_UNDER - n) / SHORT_UNDER),
            "long": LONG * min(1.0, max(0.0, (n - LONG_OVER) / LONG_OVER)),
            "shares words with other sentences": CENTRALITY * (ranks[i] / top),
            "points elsewhere": POINTER * cues.points_elsewhere(sentence.text),
            "holds code": CODE * _holds_code(index, number),
            "is a question": QUESTION * sentence.text.rstrip(CLOSING).endswith(("?", "？", "؟")),
        }


def _holds_code(index: Index, number: int) -> bool:
    sentence, marks = index.sentences[number], index.block(number).marks
    return bool(marks) and any(
        m.role in CODE_ROLES and m.start < sentence.end and m.end > sentence.start for m in marks
    )


def lead(index: Index) -> Scores:
    """Score the candidates by their place: `1/(1 + i)`, where i counts from 0.

    Range (0, 1]. The usual baseline for the synopsis of a text, as in Nenkova (2005), "Automatic
    Text Summarization of Newswire: Lessons Learned from the Document Understanding Conference".

    Returns:
        A score for each candidate.
    """
    values = {number: 1 / (1 + i) for i, number in enumerate(candidates(index))}

    def explain(number: int) -> Explanation:
        return Explanation(
            values[number], f"lead: sentence {round(1 / values[number])} of the text"
        )

    return Scores(values, explain)


def frequency(index: Index) -> Scores:
    """Score the candidates: `Σ f(w) / n x 1/(1 + block_index)`.

    The sum is over the words w of the sentence without stop words; f(w) is how often w occurs in
    the candidates; n counts all words of the sentence. Range [0, ∞). The formula of embedm 1.0.1's
    synopsis; that frequent words are significant goes back to Luhn (1958).

    Returns:
        A score for each candidate.
    """
    chosen = candidates(index)
    counts = Counter(word for number in chosen for word in index.sentences[number].words)
    lengths = {number: max(1, len(words(index.sentences[number].text))) for number in chosen}

    def part(word: str, number: int) -> float:
        return counts[word] / lengths[number] * block_decay(index, number)

    values = {  # one division for the sum, as in embedm, so that rounding gives the same ties
        number: sum(counts[word] for word in index.sentences[number].words)
        / lengths[number]
        * block_decay(index, number)
        for number in chosen
    }

    def explain(number: int) -> Explanation:
        parts = tuple(
            Explanation(part(word, number), f"'{word}' occurs {counts[word]} times on the page")
            for word in index.sentences[number].words
        )
        return Explanation(
            values[number],
            f"frequency: how often its words stand on the page, for each of its {lengths[number]}"
            f" words, counted down for block {index.block(number).top + 1} of the page",
            parts,
        )

    return Scores(values, explain)


GAP: Final = 5
"""The most words between two significant words of a cluster: embedm's value (Luhn: 4 or 5)."""


def luhn(index: Index) -> Scores:
    """Score the candidates: the best cluster's `significant² / length x 1/(1 + block_index)`.

    A word is significant if it is no stop word and occurs in the candidates more often than their
    words do on average. Range [0, ∞). Luhn (1958), with the factor for the block from embedm.

    Returns:
        A score for each candidate.
    """
    chosen = candidates(index)
    counts = Counter(word for number in chosen for word in index.sentences[number].words)
    average = sum(counts.values()) / max(1, len(counts))
    significant = {word for word, count in counts.items() if count > average}
    values = {
        number: best_cluster(words(index.sentences[number].text), significant)
        * block_decay(index, number)
        for number in chosen
    }

    def explain(number: int) -> Explanation:
        held = sorted(significant.intersection(index.sentences[number].words))
        return Explanation(
            values[number],
            f"luhn: how close its frequent words stand ({', '.join(held) or 'none'}),"
            f" counted down for block {index.block(number).top + 1} of the page",
        )

    return Scores(values, explain)


def best_cluster(sentence: Sequence[str], significant: Collection[str]) -> float:
    """Return the highest `significant² / length` of a sentence's clusters.

    A cluster starts at a significant word and continues while at most `GAP` other words separate it
    from the next one; its length counts all words from its first to its last significant one. As in
    the original, every significant word starts a cluster of its own.
    """
    positions = [position for position, word in enumerate(sentence) if word in significant]
    best, end = 0.0, len(positions) - 1
    # From the last word to the first, so that the end of a cluster is known before its start.
    for start in range(len(positions) - 1, -1, -1):
        if start + 1 < len(positions) and positions[start + 1] - positions[start] - 1 > GAP:
            end = start
        best = max(best, (end - start + 1) ** 2 / (positions[end] - positions[start] + 1))
    return best


def textrank(index: Index) -> Scores:
    """Score the candidates: their TextRank weight x `1/(1 + block_index)`.

    `centrality` computes the weight. Range (0, ∞).

    Returns:
        A score for each candidate.
    """
    chosen = candidates(index)
    ranks = centrality([index.term_set(number) for number in chosen])
    values = {
        number: rank * block_decay(index, number)
        for number, rank in zip(chosen, ranks, strict=True)
    }

    def explain(number: int) -> Explanation:
        return Explanation(
            values[number],
            "textrank: what it shares with the other sentences,"
            f" counted down for block {index.block(number).top + 1} of the page",
        )

    return Scores(values, explain)


_FORMS: Final = (
    frozenset({"prose"}),
    frozenset({"prose", "list", "definition"}),
    frozenset({"prose", "list", "definition", "admonition"}),
)
"""The kinds of blocks whose sentences may be candidates, from the preferred set to the widest."""
DAMPING: Final = 0.85
"""Brin & Page (1998), as in Mihalcea & Tarau (2004)."""
TOLERANCE: Final = 1e-4
"""Ranks are final when they change by less than this in one round (Mihalcea & Tarau 2004)."""
MAX_ROUNDS: Final = 100
"""A bound for pages whose ranks converge slowly, so that the time is limited."""
COMMON: Final = 20
"""A term in more sentences than this links none, so that the graph is linear in the size of the
page."""


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
    not_leading_in = [n for n in quotable if not index.sentences[n].text.endswith(LEAD_INS)]
    return not_leading_in or quotable


def title_cosines(sets: Sequence[frozenset[str]], title: frozenset[str]) -> list[float]:
    """Return the cosine of each sentence with a title, both as vectors of their weighted terms.

    The weight of a term is `ln(1 + N/sf)`, where sf of the N sentences hold it; one of the title
    that no sentence holds has the highest of these weights.

    Args:
        sets: The distinct terms of each sentence.

    Returns:
        A number in [0, 1] for each sentence.
    """
    counts = Counter(chain.from_iterable(sets))
    logs = {count: math.log(1 + len(sets) / count) for count in {*counts.values()}}
    weights = {term: logs[count] for term, count in counts.items()}
    highest = max(weights.values(), default=1.0)
    squares = {term: weights.get(term, highest) ** 2 for term in title}
    title_length = math.sqrt(math.fsum(squares.values()))
    values = [0.0] * len(sets)
    for number, sentence_terms in enumerate(sets):
        if shared := sentence_terms & title:
            # fsum is exact, so the order of a set does not change the sum.
            square_length = math.fsum([weights[term] * weights[term] for term in sentence_terms])
            product = math.fsum([squares[term] for term in shared])
            values[number] = product / (title_length * math.sqrt(square_length))
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
    logs = [math.log(len(held)) if held else 0.0 for held in sets]
    links: list[dict[int, float]] = [{} for _ in sets]
    for number, held in enumerate(sets):
        # The earlier sentences with each of its terms: a pair is met once, by the later one.
        lists = [holding[word] for word in held if word in holding]
        row, own = links[number], logs[number]
        for other, count in Counter(chain.from_iterable(lists)).items():
            if scale := own + logs[other]:
                row[other] = links[other][number] = count / scale
        for numbers in lists:
            numbers.append(number)
    return links
