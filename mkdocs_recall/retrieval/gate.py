"""The gate: whether the best passage of an answer is near enough in meaning to be one.

Words tell badly whether a documentation answers a query at all, since a foreign one shares some.
The cosine of the query with the section of the best passage tells better, for one text to embed.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from mkdocs_recall.retrieval.ranking import SHOWN
from mkdocs_recall.retrieval.result import Lost
from mkdocs_recall.scoring.explanation import Explanation
from mkdocs_recall.scoring.semantic import section_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mkdocs_recall.options import Query
    from mkdocs_recall.retrieval.result import Passage, Result
    from mkdocs_recall.scoring.semantic import SemanticSimilarity

BEFORE: Final = 300
"""Characters of a section before the passage: in a long section, the opening is about less. On 62
questions of users, the AUC of the cosine was .97, against .93 for the opening alone (12 right
sections, 372 questions to other documentations)."""


def through_gate(result: Result, queries: Sequence[Query], meaning: SemanticSimilarity) -> Result:
    """Return an answer if the section of its best passage is near enough to one of the queries.

    Args:
        meaning: How near a section is to a query in meaning; its settings hold the gate.

    Returns:
        The answer, whose first explanation states the cosine. Where that is under the gate, a
        result without passages, with `fallback` and `why` set; the best passages are in `lost`.
    """
    gate = meaning.settings.gate
    if gate is None or not result.passages:
        return result
    best = result.passages[0]
    text = text_around(best)
    cosine = max(meaning.cosine(query.text, text) for query in queries)
    if cosine >= gate:
        passed = _explained(best, f"cosine of its section {cosine:.3f}, 'semantic.gate' {gate:g}")
        return replace(result, passages=(passed, *result.passages[1:]))
    reason = f"the section of the best has a cosine of {cosine:.2f}, 'semantic.gate' is {gate:g}"
    lost = tuple(Lost(passage, reason) for passage in result.passages[:SHOWN])
    return replace(
        result,
        passages=(),
        places=(),
        fallback="low_score",
        why=f"no sentence answers the query well enough ({reason})",
        _lost=lambda: lost,
    )


def text_around(passage: Passage) -> str:
    """Return the text that is embedded for a passage: its section, from shortly before it."""
    return section_text(passage.document, passage.block, passage.sentence.start - BEFORE)


def _explained(passage: Passage, description: str) -> Passage:
    """Return a passage whose explanation states why it may be quoted, which adds nothing to it."""

    def explain() -> Explanation:
        tree = passage.explanation
        return Explanation(tree.value, "through the gate", (tree, Explanation(0.0, description)))

    return replace(passage, _explain=explain)
