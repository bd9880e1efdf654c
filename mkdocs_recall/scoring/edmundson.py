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
    from mkdocs_recall.index.index import Index

LOCATION = 2.0
FIRST_PARAGRAPH = 0.5
FIRST_SECTION = 0.75
TITLE = 2.0
TITLE_COVERED = 1.25
SELF_REFERENCE = 1.5
SHORT = -0.75
LONG = -0.75
CENTRALITY = 1.0
POINTER = -0.5
CODE = -0.5
QUESTION = -0.5
"""Weights tuned on documentation pages against the descriptions their authors wrote: those that
hold up on projects they were not tuned on (benchmarks/README.md)."""

SHORT_UNDER = 9
LONG_OVER = 24
"""Words."""
CONSIDERED = 20
"""Candidates: what a page is about stands early; with 40, 30 or 25 the synopses are no better."""
CLOSE_ENOUGH = 0.01
"""For a feature that weighs one point, the ranks need not be exact."""


def score(index: Index) -> Scores:
    """Score the candidates for a synopsis of one page.

    `2/(1+i) + .5·first_paragraph + .75·first_section + 2·title + 1.25·title_covered
    + 1.5·self_reference - .75·short - .75·long + textrank - .5·pointer - .5·code - .5·question`

    i is the place among the candidates from 0; the first paragraph and section are those of the
    first candidate; title is the tf-isf cosine with the page's title, title_covered the share of
    its words that stand in the sentence; self_reference counts in the first section only ("this
    section" further down is not the page); short is `max(0, (9 - n)/9)` and long
    `min(1, max(0, (n - 24)/24))` for n words; textrank is scaled to [0, 1]; the others are 0 or 1.
    May be negative.

    Args:
        index: The sentences of one page.

    Returns:
        A score for each candidate.
    """
    chosen = candidates(index)[:CONSIDERED]
    features = _Features(index, chosen)
    values = {number: math.fsum(features.of(i)) for i, number in enumerate(chosen)}

    def explain(number: int) -> Explanation:
        i = chosen.index(number)
        shown = zip(features.names(i), features.of(i), strict=True)
        parts = tuple(Explanation(value, name) for name, value in shown if value)
        return Explanation(
            values[number], "edmundson: sum of what speaks for and against it", parts
        )

    return Scores(values, explain)


class _Features:
    """What is known of the candidates of a page."""

    def __init__(self, index: Index, chosen: list[int]) -> None:
        self._index = index
        self._chosen = chosen
        if not chosen:
            return
        document = index.document(chosen[0])
        self._language = language = document.language
        self._cues = phrases(language)
        sets = [index.term_set(number) for number in chosen]
        title = frozenset(terms_of(document.title, language))
        self._titles = cosines(sets, title, inverse_sentence_frequencies(sets))
        self._asked = max(1, len(title))
        self._covered = [len(title & words) for words in sets]
        ranks = centrality(sets, tolerance=CLOSE_ENOUGH)
        top = max(ranks)
        self._ranks = [rank / top for rank in ranks]
        blocks = [index.block_of[number] for number in chosen]
        sections = [index.section_of[block] for block in blocks]
        self._in_first_block = [block == blocks[0] for block in blocks]
        self._in_first_section = [section == sections[0] for section in sections]

    def of(self, i: int) -> tuple[float, ...]:
        """Return the weighted features of the candidate number i, in the order of `names`."""
        number = self._chosen[i]
        sentence, cues = self._index.sentences[number], self._cues
        n = word_count(sentence, self._language)
        return (
            LOCATION / (1 + i),
            FIRST_PARAGRAPH * self._in_first_block[i],
            FIRST_SECTION * self._in_first_section[i],
            TITLE * self._titles[i] + TITLE_COVERED * self._covered[i] / self._asked,
            SELF_REFERENCE * (self._in_first_section[i] and cues.speaks_of_page(sentence.text)),
            SHORT * max(0.0, (SHORT_UNDER - n) / SHORT_UNDER),
            LONG * min(1.0, max(0.0, (n - LONG_OVER) / LONG_OVER)),
            CENTRALITY * self._ranks[i],
            POINTER * cues.points_elsewhere(sentence.text),
            CODE * _holds_code(self._index, number),
            QUESTION * sentence.text.rstrip(CLOSING).endswith(("?", "？", "؟")),
        )

    def names(self, i: int) -> tuple[str, ...]:
        """Return what the features of the candidate number i are called."""
        return (
            f"sentence {i + 1} of the text" if i else "first sentence of the text",
            "in the first paragraph",
            "in the first section",
            f"{self._covered[i]} of {self._asked} words of the title",
            "speaks of the page itself",
            "short",
            "long",
            "shares words with other sentences",
            "points elsewhere",
            "holds code",
            "is a question",
        )


def _holds_code(index: Index, number: int) -> bool:
    sentence, marks = index.sentences[number], index.block(number).marks
    return bool(marks) and any(
        m.role == "code" and m.start < sentence.end and m.end > sentence.start for m in marks
    )
