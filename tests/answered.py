"""Cases of what a corpus answers: pages and a query, or a source for a synopsis, and the result."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from mkdocs_recall import Corpus, Result
from mkdocs_recall.answers.answer import Answer, TextLocator, answer
from mkdocs_recall.directives.directive import Directive
from mkdocs_recall.options import Options
from mkdocs_recall.ranking.result import quoted_texts

TOLD: Final[Mapping[str, Callable[[Result], Any]]] = {
    "texts": lambda result: [passage.text for passage in result.passages],
    "sentences": lambda result: [passage.sentence.text for passage in result.passages],
    "quoted": quoted_texts,
    "uris": lambda result: [passage.uri for passage in result.passages],
    "anchors": lambda result: [passage.anchor for passage in result.passages],
    "lost": lambda result: [[lost.passage.text, lost.reason] for lost in result.lost],
    "diagnostics": lambda result: [*result.diagnostics],
    "doubts": lambda result: [*result.doubts],
    "fallback": lambda result: result.fallback,
    "parts": lambda result: [p.description for p in result.passages[0].explanation.parts],
    "scorer": lambda result: result.scorer,
    "why": lambda result: result.why,
}
"""The facts of a result that a case may state."""


def expect(case: Mapping[str, Any], pages: Mapping[str, str] | None = None) -> None:
    """Ask the query of a case, on its own pages or `pages`, and compare the stated facts."""
    corpus = Corpus.from_markdown(case.get("pages", pages))
    if "query" in case:
        result = corpus.recall(case["query"], **case.get("options", {}))
    else:
        result = corpus.synopsis(case["synopsis"], **case.get("options", {}))
    assert {name: TOLD[name](result) for name in case["result"]} == case["result"]


def answer_to(
    options: Options, corpus: Corpus, page: str = "", *, locator: TextLocator | None = None
) -> Answer:
    """Answer a page's directive with some options."""
    return answer(Directive(options.name, page=page, options=options), corpus, locator=locator)
