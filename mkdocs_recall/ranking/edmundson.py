"""`edmundson`: what a page is about, by location, title, cue phrases and key words.

Edmundson (1969), "New Methods in Automatic Extracting".
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from mkdocs_recall.ranking.scores import (
    CLOSING,
    Explanation,
    Scores,
    candidates,
    centrality,
    cosines,
    inverse_sentence_frequencies,
    terms_of,
    word_count,
)
from mkdocs_recall.text.model import CODE_ROLES
from mkdocs_recall.text.sentences import phrases

if TYPE_CHECKING:
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
CONSIDERED: Final = 20
"""The number of candidates, the first of the page: a page says early what it is about. Synopses
with 25, 30 or 40 are no better."""
CENTRALITY_TOLERANCE: Final = 0.01
"""Ranks need not be exact for a feature that weighs one point."""


def score(index: Index) -> Scores:
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
    features = _Features(index, chosen)
    values = {number: math.fsum(features.of(i)) for i, number in enumerate(chosen)}

    def explain(number: int) -> Explanation:
        i = chosen.index(number)
        named = zip(features.names(i), features.of(i), strict=True)
        parts = tuple(Explanation(value, name) for name, value in named if value)
        return Explanation(
            values[number], "edmundson: sum of what speaks for and against it", parts
        )

    return Scores(values, explain)


class _Features:
    """The features of the candidates of a page."""

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
        self._title_length = max(1, len(title))
        self._covered = [len(title & words) for words in sets]
        ranks = centrality(sets, tolerance=CENTRALITY_TOLERANCE)
        top = max(ranks)
        self._ranks = [rank / top for rank in ranks]
        blocks = [index.block_of[number] for number in chosen]
        sections = [index.section_of[block] for block in blocks]
        self._in_first_block = [block == blocks[0] for block in blocks]
        self._in_first_section = [section == sections[0] for section in sections]

    def of(self, i: int) -> tuple[float, ...]:
        """Return the weighted features of candidate number i, in the order of `names`."""
        number = self._chosen[i]
        sentence, cues = self._index.sentences[number], self._cues
        n = word_count(sentence, self._language)
        return (
            LOCATION / (1 + i),
            FIRST_PARAGRAPH * self._in_first_block[i],
            FIRST_SECTION * self._in_first_section[i],
            TITLE * self._titles[i] + TITLE_COVERED * self._covered[i] / self._title_length,
            SELF_REFERENCE * (self._in_first_section[i] and cues.speaks_of_page(sentence.text)),
            SHORT * max(0.0, (SHORT_UNDER - n) / SHORT_UNDER),
            LONG * min(1.0, max(0.0, (n - LONG_OVER) / LONG_OVER)),
            CENTRALITY * self._ranks[i],
            POINTER * cues.points_elsewhere(sentence.text),
            CODE * _holds_code(self._index, number),
            QUESTION * sentence.text.rstrip(CLOSING).endswith(("?", "？", "؟")),
        )

    def names(self, i: int) -> tuple[str, ...]:
        """Return the names of the features of candidate number i."""
        return (
            f"sentence {i + 1} of the text" if i else "first sentence of the text",
            "in the first paragraph",
            "in the first section",
            f"{self._covered[i]} of {self._title_length} words of the title",
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
        m.role in CODE_ROLES and m.start < sentence.end and m.end > sentence.start for m in marks
    )
