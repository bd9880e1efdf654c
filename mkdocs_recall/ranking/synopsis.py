"""The synopsis of pages: the sentences that say what each page is about.

Sources of the algorithms: Edmundson (1969), "New Methods in Automatic Extracting"; Luhn (1958),
"The Automatic Creation of Literature Abstracts"; Mihalcea & Tarau (2004), "TextRank: Bringing Order
into Text"; embedm.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import (
    Callable,
    Collection,
    Container,
    Iterable,
    Iterator,
    Mapping,
    MutableMapping,
    Sequence,
)
from dataclasses import replace
from functools import partial
from itertools import accumulate, chain, islice
from operator import attrgetter, mul, sub
from typing import Any, Final

from mkdocs_recall.index.index import Index
from mkdocs_recall.index.query import Part
from mkdocs_recall.options import Options
from mkdocs_recall.ranking.places import Quotable
from mkdocs_recall.ranking.quotation import LEAD_INS, is_complete, is_question, words_in
from mkdocs_recall.ranking.result import Lost, Passage, Result
from mkdocs_recall.ranking.scores import ALGORITHMS, CONSIDERED, Explanation, Scores, block_decay
from mkdocs_recall.ranking.selection import (
    SHOWN,
    ChosenTerms,
    choose,
    make_result,
    maximal_marginal_relevance,
    rejected,
)
from mkdocs_recall.text.document import in_language
from mkdocs_recall.text.language import get_language
from mkdocs_recall.text.model import CODE_ROLES, Block, Document
from mkdocs_recall.text.sentences import phrases, terms, words

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
"""Weights tuned on 559 pages against their authors' descriptions (benchmarks/README.md)."""

SHORT_UNDER: Final = 9
LONG_OVER: Final = 24
"""Lengths in words; both make a small difference."""
CENTRALITY_TOLERANCE: Final = 0.01
"""Ranks need not be exact for a feature that weighs one point."""


def edmundson(index: Index) -> Scores:
    """Score the candidates for a synopsis of one page.

    `2/(1+i) + .5·first_paragraph + .75·first_section + 2·title + 1.25·title_covered +
    1.5·self_reference - .75·short - .75·long + textrank - .5·pointer - .5·code - .5·question`

    i is the place among the candidates, from 0; the first paragraph and section are those of the
    first candidate; title is the tf-isf cosine with the page's title, title_covered the share of
    the title's words that the sentence holds; self_reference counts in the first section only, as
    "this section" further down is not the page; short is `max(0, (9 - n)/9)` and long `min(1,
    max(0, (n - 24)/24))` for n words; textrank (Mihalcea & Tarau 2004) is scaled to [0, 1]; the
    others are 0 or 1. Range (-2.25, 9]. After Edmundson (1969); textrank, code, question and all
    weights are ours.
    """
    chosen = candidates(index)[:CONSIDERED]
    features = dict(zip(chosen, _features(index, chosen), strict=True))
    values = {number: math.fsum(of_one.values()) for number, of_one in features.items()}

    def explain(number: int) -> Explanation:
        parts = tuple(Explanation(value, name) for name, value in features[number].items() if value)
        return Explanation(values[number], "edmundson: sum of the points for and against it", parts)

    return Scores(values, explain)


def _features(index: Index, chosen: list[int]) -> Iterator[dict[str, float]]:
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
    for position, number in enumerate(chosen):
        sentence, block = index.sentences[number], index.block_of[number]
        in_first_section = index.section_of[block] == index.section_of[first_block]
        covered = len(title & sets[position])
        size = words_in(sentence.text, document.language)
        ordinal = f"sentence {position + 1}" if position else "first sentence"
        yield {
            f"{ordinal} of the text": LOCATION / (1 + position),
            "in the first paragraph": FIRST_PARAGRAPH * (block == first_block),
            "in the first section": FIRST_SECTION * in_first_section,
            f"{covered} of {length} words of the title": TITLE * titles[position]
            + TITLE_COVERED * covered / length,
            "speaks of the page itself": SELF_REFERENCE
            * (in_first_section and cues.speaks_of_page(sentence.text)),
            "short": SHORT * max(0.0, (SHORT_UNDER - size) / SHORT_UNDER),
            "long": LONG * min(1.0, max(0.0, (size - LONG_OVER) / LONG_OVER)),
            "shares words with other sentences": CENTRALITY * (ranks[position] / top),
            "points elsewhere": POINTER * cues.points_elsewhere(sentence.text),
            "holds code": CODE * _holds_code(index, number),
            "is a question": QUESTION * is_question(sentence.text),
        }


def _holds_code(index: Index, number: int) -> bool:
    sentence, marks = index.sentences[number], index.block(number).marks
    return bool(marks) and any(
        m.role in CODE_ROLES and m.start < sentence.end and m.end > sentence.start for m in marks
    )


def lead(index: Index) -> Scores:
    """Score the candidates by their place: `1/(1 + i)`, where i counts from 0.

    Range (0, 1]. The usual baseline for a synopsis, as in Nenkova (2005), "Automatic Text
    Summarization of Newswire: Lessons Learned from the Document Understanding Conference".
    """
    values = {number: 1 / (1 + i) for i, number in enumerate(candidates(index))}
    return _labelled(values, lambda n: f"lead: sentence {round(1 / values[n])} of the text")


def _labelled(values: Mapping[int, float], label: Callable[[int], str]) -> Scores:
    return Scores(values, lambda number: Explanation(values[number], label(number)))


def frequency(index: Index) -> Scores:
    """Score the candidates: `Σ f(w) / n x 1/(1 + block_index)`.

    The sum is over the words w of the sentence without stop words; f(w) is how often w occurs in
    the candidates; n counts all words of the sentence. Range [0, ∞). The formula of embedm 1.0.1's
    synopsis; that frequent words are significant goes back to Luhn (1958).
    """
    chosen = candidates(index)
    counts = Counter(word for number in chosen for word in index.sentences[number].words)
    lengths = {number: max(1, len(words(index.sentences[number].text))) for number in chosen}

    def score(count: int, number: int) -> float:
        return count / lengths[number] * block_decay(index, number)

    # One division for the sum, as in embedm, for the same ties after rounding
    sums = {n: sum(counts[word] for word in index.sentences[n].words) for n in chosen}
    values = {number: score(count, number) for number, count in sums.items()}

    def explain(number: int) -> Explanation:
        frequencies = [(word, counts[word]) for word in index.sentences[number].words]
        parts = tuple(
            Explanation(score(count, number), f"'{word}' occurs {count} times on the page")
            for word, count in frequencies
        )
        label = "frequency: how often its words occur on the page, for each of its"
        label = f"{label} {lengths[number]} words, {_counted_down(index, number)}"
        return Explanation(values[number], label, parts)

    return Scores(values, explain)


def _counted_down(index: Index, number: int) -> str:
    return f"discounted for block {index.block(number).top + 1} of the page"


GAP: Final = 5
"""Words between two significant ones of a cluster (Luhn: 4 or 5)."""


def luhn(index: Index) -> Scores:
    """Score the candidates: the best cluster's `significant² / length x 1/(1 + block_index)`.

    A word is significant if it is not a stop word and occurs more often in the candidates than
    their average word. Range [0, ∞). Luhn (1958), with the factor for the block from embedm.
    """
    chosen = candidates(index)
    counts = Counter(word for number in chosen for word in index.sentences[number].words)
    average = sum(counts.values()) / max(1, len(counts))
    significant = {word for word, count in counts.items() if count > average}
    clusters = {n: best_cluster(words(index.sentences[n].text), significant) for n in chosen}
    values = {number: best * block_decay(index, number) for number, best in clusters.items()}

    def label(number: int) -> str:
        frequent = sorted(significant.intersection(index.sentences[number].words))
        names = ", ".join(frequent) or "none"
        label = f"luhn: how close together its frequent words are ({names})"
        return f"{label}, {_counted_down(index, number)}"

    return _labelled(values, label)


def best_cluster(sentence: Sequence[str], significant: Collection[str]) -> float:
    """Return the highest `significant² / length` of a sentence's clusters.

    A cluster continues while at most `GAP` other words separate a significant word from the next
    one; its length counts all words from its first to its last significant one.
    """
    positions = [position for position, word in enumerate(sentence) if word in significant]
    best, end = 0.0, len(positions) - 1
    # From the last word, to know a cluster's end before its start.
    for start in range(len(positions) - 1, -1, -1):
        if start + 1 < len(positions) and positions[start + 1] - positions[start] - 1 > GAP:
            end = start
        best = max(best, (end - start + 1) ** 2 / (positions[end] - positions[start] + 1))
    return best


def textrank(index: Index) -> Scores:
    """Score the candidates: their `centrality` x `1/(1 + block_index)`. Range (0, ∞)."""
    chosen = candidates(index)
    ranks = centrality([index.term_set(number) for number in chosen])
    ranked = zip(chosen, ranks, strict=True)
    values = {number: rank * block_decay(index, number) for number, rank in ranked}
    label = "textrank: what it shares with the other sentences"
    return _labelled(values, lambda number: f"{label}, {_counted_down(index, number)}")


ENOUGH_CANDIDATES: Final = 3
"""With fewer candidates, the next of `_FORMS` is used."""
_FORMS: Final = (
    frozenset({"prose"}),
    frozenset({"prose", "list", "definition"}),
    frozenset({"prose", "list", "definition", "admonition"}),
)
DAMPING: Final = 0.85
"""Brin & Page (1998), as in Mihalcea & Tarau (2004)."""
TOLERANCE: Final = 1e-4
"""Ranks are final once they change by less (Mihalcea & Tarau 2004)."""
MAX_ROUNDS: Final = 100
"""A bound for pages whose ranks converge slowly."""
COMMON: Final = 20
"""A term in more sentences links none, so the graph is linear in the page's size."""


def candidates(index: Index) -> list[int]:
    """Return the sentences that may be in a synopsis, in page order: complete ones, by `_FORMS`.

    A page without any has all text that can be quoted; lead-ins only if there is nothing else.
    """
    complete = [
        n for n, s in enumerate(index.sentences) if is_complete(s, index.document(n).language)
    ]
    chosen: list[int] = []
    for kinds in _FORMS:
        chosen = [n for n in complete if index.block(n).kind in kinds]
        if len(chosen) >= ENOUGH_CANDIDATES:
            break
    if chosen:
        return chosen
    quotable = [n for n, s in enumerate(index.sentences) if s.quotable and not index.is_label(n)]
    not_leading_in = [n for n in quotable if not index.sentences[n].text.endswith(LEAD_INS)]
    return not_leading_in or quotable


def title_cosines(sets: Sequence[frozenset[str]], title: frozenset[str]) -> list[float]:
    """Return the cosine, in [0, 1], of the terms of each sentence with a title, by their weights.

    The weight of a term is `ln(1 + N/sf)`, where sf of the N sentences hold it; a title's term that
    no sentence holds has the highest of these weights.
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
    """Return TextRank's weight of each sentence, greater than 0 (Mihalcea & Tarau 2004).

    PageRank over sentences, linked by `|a ∩ b| / (ln|a| + ln|b|)` of their distinct terms. A term
    in more than `COMMON` sentences is left out of the intersection.
    """
    links = _links(sets)  # sums over them are exact (fsum), so their order does not matter
    outgoing = [math.fsum(row.values()) for row in links]
    shares = [[weight / outgoing[neighbour] for neighbour, weight in row.items()] for row in links]
    # A node's rank is near its share of all links: this start saves rounds.
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
    frequency = Counter(chain.from_iterable(sets))
    holding: dict[str, list[int]] = {w: [] for w, count in frequency.items() if 1 < count <= COMMON}
    logs = [math.log(len(sentence_terms)) if sentence_terms else 0.0 for sentence_terms in sets]
    links: list[dict[int, float]] = [{} for _ in sets]
    for number, sentence_terms in enumerate(sets):
        # The earlier sentences with each term: a pair counts once, at the later one.
        lists = [holding[word] for word in sentence_terms if word in holding]
        row, size = links[number], logs[number]
        for earlier, count in Counter(chain.from_iterable(lists)).items():
            if scale := size + logs[earlier]:
                row[earlier] = links[earlier][number] = count / scale
        for numbers in lists:
            numbers.append(number)
    return links


def opening(part: Part, considered: int) -> Part:
    """Return the prose blocks with the first candidates of a page, or all if these are few.

    So the others need not be cut into sentences.
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


_DESCRIPTION: Final = Explanation(1.0, "the page's own description")
_DESCRIPTION_SECTION: Final = -1
"""The number of a description's section, before those of the page."""
_COUNTED: Final = attrgetter(
    *("algorithm", "synopsis_sentences", "diversity", "max_words", "prefer_description", "embedm")
)
"""Returns the options that a page's synopsis depends on."""


def synopsis(
    index: Index,
    options: Options,
    *,
    hidden: Container[str] = (),
    memo: MutableMapping[tuple[Any, ...], Result] | None = None,
) -> Result:
    """Choose the sentences that say what each page is about: page by page, by rank within a page.

    `max_sentences` and `max_words` count for each page; one sentence is always chosen. The page's
    description comes first only if the page is quoted from its start. The memo keeps the result of
    each part, which must live as long.
    """
    memo = {} if memo is None else memo
    results = []
    for part in index.parts:
        if part.document.uri not in hidden:
            key = (id(part), *_COUNTED(options))
            if key not in memo:
                memo[key] = _page_synopsis(part, options)
            results.append(memo[key])
    return _join(results, options.algorithm)


def first_synopsis(
    parts: Iterable[Part], options: Options, *, hidden: Container[str] = ()
) -> Result:
    """Choose like `synopsis`, with limits for all pages together.

    Each page has the algorithm's own diversity. Pages that are not needed are not read.
    """
    results: list[Result] = []
    passages: list[Passage] = []
    for part in parts:
        if part.document.uri not in hidden:
            left = options.synopsis_sentences - len(passages)
            of_page = replace(options, max_sentences=left, max_words=None, diversity=None)
            page = _page_synopsis(part, of_page)
            count = _within([*passages, *page.passages], options.max_words) - len(passages)
            results.append(replace(page, passages=page.passages[:count]))
            passages += page.passages[:count]
            if count < len(page.passages) or len(passages) == options.synopsis_sentences:
                break
    return _join(results, options.algorithm)


def _page_synopsis(part: Part, options: Options) -> Result:
    description = Index([])
    if options.prefer_description and part.blocks[:1] == part.document.blocks[:1]:  # no section
        page = description_of(part.document)
        description = Index([Part(page, page.blocks)] if page.blocks else [])
    quotable = [n for n, sentence in enumerate(description.sentences) if sentence.quotable]
    quotable = quotable[: options.synopsis_sentences]
    described = ChosenTerms()
    for number in quotable:
        described.add(description.term_set(number))
    result = _choose(part, options, described)
    if quotable:
        scores = Scores(dict.fromkeys(quotable, _DESCRIPTION.value), lambda _number: _DESCRIPTION)
        head = make_result(description, quotable, scores, options.algorithm)
        result = _join([head, result], options.algorithm)
    count = _within(result.passages, options.max_words)
    return replace(result, passages=result.passages[:count])


def description_of(page: Document) -> Document:
    """Return a page's description as a page."""
    text = " ".join(page.description.split())
    block = Block(text, "prose", top=0, section=_DESCRIPTION_SECTION, headings=())
    blocks = (block,) if text else ()
    return in_language(replace(page, blocks=blocks, headings=()), page.language)


def _choose(part: Part, options: Options, described: ChosenTerms) -> Result:
    count = options.synopsis_sentences - len(described)
    if not count:
        return Result((), options.algorithm)
    algorithm = ALGORITHMS[options.algorithm]
    index = Index([opening(part, algorithm.considered) if algorithm.considered else part])
    scores = algorithm.score(index)
    values = scores.values
    if not any(values.values()):  # all sentences are equal: take the first ones
        values = dict.fromkeys(values, 1.0)
    if described:
        repeated = described.repeated
        values = {n: value for n, value in values.items() if repeated(index.term_set(n)) is None}
    diversity = algorithm.diversity if options.diversity is None else options.diversity
    quotable = Quotable(index)
    numbers: Sequence[int]
    if diversity or algorithm.shuns_dangling:
        numbers = maximal_marginal_relevance(
            index, values, count, diversity=diversity, shuns_dangling=algorithm.shuns_dangling
        )
    else:
        numbers = choose(quotable, quotable.ranked(values, count), count)
    if options.embedm:  # embedm fills up with sentences that have no score
        unchosen = (n for n in sorted(values) if n not in numbers and not quotable.fault(n))
        numbers = choose(quotable, unchosen, count, before=numbers)
    usual = "others score more"
    if diversity > 0:
        usual += ", or differ more from each other"
    lost = partial(rejected, quotable, numbers, values, usual=usual)
    quote = None if options.embedm else quotable.quotation
    return make_result(index, numbers, scores, options.algorithm, quote=quote, rejected=lost)


def _within(passages: Sequence[Passage], max_words: int | None) -> int:
    if max_words is None:
        return len(passages)
    lengths = (words_in(p.sentence.text, p.document.language) for p in passages)
    return max(1, sum(total <= max_words for total in accumulate(lengths)))


def _join(results: Iterable[Result], scorer: str) -> Result:
    passages: list[Passage] = []
    results = list(results)
    for result in results:
        base, places = len(passages), sorted(result.places)
        numbered = enumerate(result.passages, start=base + 1)
        passages += (replace(p, rank=n, place=base + places.index(p.place)) for n, p in numbered)

    def lost() -> tuple[Lost, ...]:
        next_best = islice((lost for result in results for lost in result.lost), SHOWN)
        ranked = enumerate(next_best, start=len(passages) + 1)
        return tuple(Lost(replace(lost.passage, rank=n), lost.reason) for n, lost in ranked)

    return Result(tuple(passages), scorer, _lost=lost)
