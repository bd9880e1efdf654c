"""The shown scores of an answer, which never rise from one passage to the next.

Passages are ranked by more than their scores: by whether they can be understood by themselves, by
what their section already has, by several queries, by diversity. What ranks below a lower score is
shown with that one, and its explanation names the loss. Thresholds compare the scores themselves.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mkdocs_recall.scoring.explanation import Explanation, Scores

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from mkdocs_recall.retrieval.ranking import Selection


def shown_scores(
    selection: Selection,
    scores: Scores,
    *,
    fixed: Collection[int] = (),
    diverse: bool = False,
) -> Scores:
    """Return scores that do not rise in the order of a selection.

    Returns:
        For each sentence, the least score of those up to it; others keep theirs. So the best score
        is never lowered, and none falls below the least score of an answer.
    """
    lower = _lower(selection.numbers, scores.values)
    if not lower:
        return scores
    lowered = {number: scores.values[other] for number, other in lower.items()}

    def loss(number: int) -> str:
        if diverse:
            return "repeats more of what ranks before it"
        if lower[number] in fixed:
            return "the best for another query ranks before it"
        return "cannot be understood by itself"

    def explain(number: int) -> Explanation:
        tree = scores.explain(number)
        if number not in lowered:
            return tree
        shown = lowered[number]
        parts = tree, Explanation(shown - tree.value, loss(number))
        return Explanation(shown, "relevance and rank", parts)

    return Scores({**scores.values, **lowered}, explain)


def _lower(selected: Sequence[int], values: Mapping[int, float]) -> dict[int, int]:
    """Return for each sentence that scores more than one before it the first of the lowest."""
    lower: dict[int, int] = {}
    lowest = -1
    for number in selected:
        if lowest < 0 or values[number] < values[lowest]:
            lowest = number
        elif values[number] > values[lowest]:
            lower[number] = lowest
    return lower
