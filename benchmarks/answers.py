"""Whether the answers are right: `python -m benchmarks.answers FOLDER`, from the project's folder.

Two questions that any documentation can be asked, for it holds the right answers itself:

- A section's heading is the question. Does the best answer stand in that section?
- The same heading is asked of another page. How often is a sentence quoted there all the same?

`--semantic blend` lets meaning count, by a model that is here.
"""

from __future__ import annotations

import random
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks import documentation, report
from mkdocs_recall import Corpus
from mkdocs_recall.factors.embedders import check_model
from mkdocs_recall.options import MODES, Semantic

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from mkdocs_recall import Document, Passage

THRESHOLDS = (0.0, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6)
QUESTIONS = 300  # of each folder
PAGES = 150  # drawn from a larger one
SEED = 1
WORDS = 3  # a heading with fewer says too little
RIGHT, WRONG = "from the right section", "from elsewhere on the page"
FOREIGN = "from another page"
_WORD = re.compile(r"[^\W\d_]{3,}")


@dataclass(frozen=True, slots=True)
class Question:
    """A question, and where its answer stands."""

    text: str
    page: str
    section: int


def headings(documents: Iterable[Document]) -> list[Question]:
    """Return the headings that make a question: unique on the page, with text below."""
    found = []
    for document in documents:
        filled = {block.section for block in document.blocks if block.sentences}
        texts = [heading.text for heading in document.headings]
        found += [
            Question(heading.text, document.uri, section)
            for section, heading in enumerate(document.headings, start=1)
            if heading.level > 1
            and section in filled
            and texts.count(heading.text) == 1
            and len(_WORD.findall(heading.text)) >= WORDS
        ]
    return found


def measure(
    corpus: Corpus, questions: Sequence[Question], options: Mapping[str, Any]
) -> tuple[dict[str, list[float]], float]:
    """Ask each question of its page, of another page and of all.

    Returns:
        The scores of the best answers, by where these are from, 0 for none; and the share of the
        questions that the whole site answers from the right section.
    """
    uris = [document.uri for document in corpus.documents]
    draw = random.Random(SEED)
    scores: dict[str, list[float]] = {RIGHT: [], WRONG: [], FOREIGN: []}
    found = 0
    for question in questions:
        best = _best(corpus, question.text, question.page, options)
        scores[RIGHT if _answers(best, question) else WRONG].append(best.score if best else 0.0)
        found += _answers(_best(corpus, question.text, "**", options), question)
        if others := [uri for uri in uris if uri != question.page]:
            other = _best(corpus, question.text, draw.choice(others), options)
            scores[FOREIGN].append(other.score if other else 0.0)
    return scores, found / max(1, len(questions))


def _best(corpus: Corpus, text: str, source: str, options: Mapping[str, Any]) -> Passage | None:
    result = corpus.recall(
        text, source=source, max_sentences=1, min_score=0, on_empty="omit", **options
    )
    return result.passages[0] if result.passages else None


def _answers(passage: Passage | None, question: Question) -> bool:
    place = passage and (passage.uri, passage.block.section)
    return place == (question.page, question.section)


def read_folder(folder: Path) -> tuple[Corpus, list[Question]]:
    """Return the pages of a folder, and their headings as questions."""
    pages = documentation.pages(PAGES, folder)
    corpus = Corpus.from_markdown({page.uri: page.markdown for page in pages})
    questions = headings(corpus.documents)
    return corpus, random.Random(SEED).sample(questions, min(QUESTIONS, len(questions)))


def table(name: str, scores: Mapping[str, Sequence[float]], site: float) -> str:
    """Return what was measured as Markdown."""
    right = len(scores[RIGHT])
    asked = right + len(scores[WRONG])
    rows = [
        (
            place,
            *(f"{sum(x >= least for x in of if x) / max(1, len(of)):.2f}" for least in THRESHOLDS),
        )
        for place, of in scores.items()
    ]
    head = " | ".join(["quoted at `min_score`", *map(str, THRESHOLDS)])
    return (
        f"{name}: {asked} questions; answered from the right section: {right / max(1, asked):.3f} "
        f"when their page is asked, {site:.3f} when all are.\n\n{report.table(head, rows)}\n"
    )


def main() -> int:
    """Measure what the command line names."""
    parser = report.parser("answers", __doc__)
    parser.add_argument("paths", nargs="+", type=Path, help="folders of Markdown")
    parser.add_argument("--scorer", default="coverage", help="(default: %(default)s)")
    parser.add_argument("--semantic", choices=MODES, help="ask by meaning, too")
    given = parser.parse_args()
    options: dict[str, Any] = {"scorer": given.scorer}
    if given.semantic:
        options["semantic"] = Semantic(mode=given.semantic)
        check_model(options["semantic"].model)
    for path in given.paths:
        print(table(path.name, *measure(*read_folder(path), options)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
