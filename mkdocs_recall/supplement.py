"""What is found by meaning where words find too little: appended to the answer, and tagged."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mkdocs_recall.scoring.explanation import Explanation, Scores
from mkdocs_recall.scoring.registry import SCORERS

if TYPE_CHECKING:
    from collections.abc import Callable, Container

    from mkdocs_recall.asked import Asked
    from mkdocs_recall.meaning import Meaning
    from mkdocs_recall.quotation import Quotation
    from mkdocs_recall.ranking import Choice


def supplement(
    choice: Choice,
    asked: Asked,
    meaning: Meaning,
    *,
    hidden: Container[str],
    quoted: Callable[[int], Quotation],
) -> tuple[Scores | None, str]:
    """Append what is near to the weak queries in meaning, the nearest first.

    A query is weak if the best `coverage` score of a sentence that may be quoted is under
    `min_lexical_score`, whatever the scorer. If none is, nothing is embedded.

    Args:
        choice: Those chosen by words.
        asked: The queries.
        meaning: How near sentences are to a query.
        hidden: Pages that are not quoted.
        quoted: Returns what is quoted with a sentence, and around it.

    Returns:
        The cosines of those that were appended, and why meaning was asked; None and nothing where
        it was not, or found nothing.
    """
    best = _best(choice, asked)
    least = meaning.settings.min_lexical_score
    weak = [number for number, score in enumerate(best) if score < least]
    if not weak:
        return None, ""
    found = _nearest(
        [meaning.nearest(asked.queries[n].text, asked.index, hidden=hidden) for n in weak]
    )
    choice.cover(quoted)
    before = len(choice.numbers)
    choice.take(found.values, meaning.settings.limit, least=meaning.min_similarity)
    appended = choice.numbers[before:]
    if not appended:
        return None, ""
    choice.numbers[before:] = sorted(appended, key=lambda n: (-found.values[n], n))
    why = (
        f"{len(appended)} found by meaning, since the best sentence scores "
        f"{min(best[n] for n in weak):.2f} by its words, under 'min_lexical_score' {least:g}"
    )
    return Scores({n: found.values[n] for n in choice.numbers[before:]}, found.explain), why


def _best(choice: Choice, asked: Asked) -> list[float]:
    """Return the best `coverage` score there is for each query."""
    scores = asked.lexical
    if asked.scorer != "coverage":
        score = SCORERS["coverage"].score
        scores = [score(query.text, asked.index) for query in asked.queries]
    return [choice.highest(each.values) for each in scores]


def _nearest(found: list[Scores]) -> Scores:
    """Return for each sentence the highest of its cosines with several queries."""
    values: dict[int, float] = {}
    source: dict[int, Scores] = {}
    for scores in found:
        for number, value in scores.values.items():
            if value > values.get(number, -2.0):
                values[number], source[number] = value, scores

    def explain(number: int) -> Explanation:
        return source[number].explain(number)

    return Scores(values, explain)
