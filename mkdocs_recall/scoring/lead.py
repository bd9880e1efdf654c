"""`lead`: the first complete sentences, a baseline that is hard to beat."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mkdocs_recall.scoring.explanation import Explanation, Scores
from mkdocs_recall.scoring.features import candidates

if TYPE_CHECKING:
    from mkdocs_recall.index.index import Index


def score(index: Index) -> Scores:
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
