"""`edmundson`: what a page is about, by location, title, cue and key (Edmundson 1969)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from mkdocs_recall.scoring.explanation import Explanation, Scores
from mkdocs_recall.scoring.features import (
    CLOSING,
    candidates,
    centrality,
    cosines,
    inverse_sentence_frequencies,
    terms_of,
    word_count,
)
from mkdocs_recall.scoring.phrases import phrases

if TYPE_CHECKING:
    from mkdocs_recall.index import Index

LOCATION = 2.0
TITLE = 2.5
SELF_REFERENCE = 1.5
SHORT = -0.75
LONG = -1.25
CENTRALITY = 0.5
HEADINGS = 0.5
POINTER = -0.5
CODE = -0.5
QUESTION = -1.0
"""Weights tuned on 1,210 documentation pages against the descriptions their authors wrote."""

SHORT_UNDER = 9
LONG_OVER = 24
"""Words."""
NAMES = (
    "its place",
    "words of the title",
    "speaks of the page",
    "short",
    "long",
    "shares most with the others",
    "words of the headings",
    "points elsewhere",
    "holds code",
    "is a question",
)
CONSIDERED = 20
"""Candidates: what a page is about stands early; with 40, 30 or 25 the synopses are no better."""
CLOSE_ENOUGH = 0.01
"""For a feature that weighs half a point, the ranks need not be exact."""
HEADINGS_READ = 12
"""Only the first: a page of hundreds of headings has words of everything in them."""


def score(index: Index) -> Scores:
    """Score the candidates for a synopsis of one page.

    `2/(1+i) + 2.5·title + 1.5·self_reference - .75·short - 1.25·long + .5·textrank + .5·headings
    - .5·pointer - .5·code - 1·question`: i is the place among the candidates from 0; title and
    headings are tf-isf cosines with the page's title and with its headings; short is
    `max(0, (9 - n)/9)` and long `min(1, max(0, (n - 24)/24))` for n words; textrank is scaled to
    [0, 1]; the others are 0 or 1. May be negative.

    Args:
        index: The sentences of one page.

    Returns:
        A score for each candidate.
    """
    chosen = candidates(index)[:CONSIDERED]
    features = _Features(index, chosen)
    values = {number: math.fsum(features.of(i, number)) for i, number in enumerate(chosen)}

    def explain(number: int) -> Explanation:
        shown = zip(NAMES, features.of(chosen.index(number), number), strict=True)
        parts = tuple(Explanation(value, name) for name, value in shown if value)
        return Explanation(values[number], "edmundson: sum of its features", parts)

    return Scores(values, explain)


class _Features:
    """What is known of the candidates of a page."""

    def __init__(self, index: Index, chosen: list[int]) -> None:
        self._index = index
        if not chosen:
            return
        document = index.document(chosen[0])
        self._language = language = document.language
        self._cues = phrases(language)
        sets = [index.term_set(number) for number in chosen]
        isf = inverse_sentence_frequencies(sets)
        outline = [t for h in document.headings[:HEADINGS_READ] for t in terms_of(h.text, language)]
        self._titles = cosines(sets, terms_of(document.title, language), isf)
        self._headings = cosines(sets, outline, isf)
        ranks = centrality(sets, tolerance=CLOSE_ENOUGH)
        top = max(ranks)
        self._ranks = [rank / top for rank in ranks]

    def of(self, i: int, number: int) -> tuple[float, ...]:
        """Return the weighted features of the candidate number i, in the order of `NAMES`."""
        sentence, cues = self._index.sentences[number], self._cues
        n = word_count(sentence, self._language)
        return (
            LOCATION / (1 + i),
            TITLE * self._titles[i],
            SELF_REFERENCE * cues.speaks_of_page(sentence.text),
            SHORT * max(0.0, (SHORT_UNDER - n) / SHORT_UNDER),
            LONG * min(1.0, max(0.0, (n - LONG_OVER) / LONG_OVER)),
            CENTRALITY * self._ranks[i],
            HEADINGS * self._headings[i],
            POINTER * cues.points_elsewhere(sentence.text),
            CODE * _holds_code(self._index, number),
            QUESTION * sentence.text.rstrip(CLOSING).endswith(("?", "？")),
        )


def _holds_code(index: Index, number: int) -> bool:
    sentence, marks = index.sentences[number], index.block(number).marks
    return bool(marks) and any(
        m.role == "code" and m.start < sentence.end and m.end > sentence.start for m in marks
    )
