"""Whether the answers are right: `python -m benchmarks.answers FOLDER`, from the project's folder.

Two questions that any documentation can be asked, since it holds the right answers itself:

- A section's heading is the question. Is the best answer in that section?
- The same heading is asked of another page. How often is a sentence quoted anyway?
"""

from __future__ import annotations

import random
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from benchmarks import documentation, report
from mkdocs_recall import Corpus

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
Question: TypeAlias = tuple[str, str, int]
"""A heading, its page and its section."""


def headings(documents: Iterable[Document]) -> list[Question]:
    """Return the headings that make a question: unique on the page, with text below."""
    found = []
    for document in documents:
        filled = {block.section for block in document.blocks if block.sentences}
        texts = [heading.text for heading in document.headings]
        found += [
            (heading.text, document.uri, section)
            for section, heading in enumerate(document.headings, start=1)
            if heading.level > 1
            and section in filled
            and texts.count(heading.text) == 1
            and len(_WORD.findall(heading.text)) >= WORDS
        ]
    return found


def measure(
    corpus: Corpus, questions: Sequence[Question], scorer: str
) -> tuple[dict[str, list[float]], float]:
    """Ask each question of its page, of another page, and of all pages.

    Returns:
        The scores of the best answers, by where these are from, 0 for none; and the share of the
        questions that the whole site answers from the right section.
    """
    uris = [document.uri for document in corpus.documents]
    draw = random.Random(SEED)
    scores: dict[str, list[float]] = {RIGHT: [], WRONG: [], FOREIGN: []}
    found = 0
    for text, page, section in questions:
        best, place = _best(corpus, text, page, scorer), (page, section)
        scores[RIGHT if _place(best) == place else WRONG].append(best.score if best else 0.0)
        found += _place(_best(corpus, text, "**", scorer)) == place
        if others := [uri for uri in uris if uri != page]:
            other = _best(corpus, text, draw.choice(others), scorer)
            scores[FOREIGN].append(other.score if other else 0.0)
    return scores, found / max(1, len(questions))


def _best(corpus: Corpus, text: str, source: str, scorer: str) -> Passage | None:
    result = corpus.recall(
        text, source=source, max_sentences=1, min_score=0, on_empty="omit", scorer=scorer
    )
    return result.passages[0] if result.passages else None


def _place(passage: Passage | None) -> tuple[str, int] | None:
    return (passage.uri, passage.block.section) if passage else None


def read_folder(folder: Path) -> tuple[Corpus, list[Question]]:
    """Return the pages of a folder, and their headings as questions."""
    pages = documentation.pages(PAGES, folder)
    corpus = Corpus.from_markdown({page.uri: page.markdown for page in pages})
    questions = headings(corpus.documents)
    return corpus, random.Random(SEED).sample(questions, min(QUESTIONS, len(questions)))


def table(name: str, scores: Mapping[str, Sequence[float]], site: float) -> str:
    """Return the measurements as Markdown."""
    right = len(scores[RIGHT])
    asked = right + len(scores[WRONG])
    rows = []
    for place, of in scores.items():
        shares = (sum(x >= least for x in of if x) / max(1, len(of)) for least in THRESHOLDS)
        rows.append((place, *(f"{share:.2f}" for share in shares)))
    head = " | ".join(["quoted at `min_score`", *map(str, THRESHOLDS)])
    return (
        f"{name}: {asked} questions; answered from the right section: {right / max(1, asked):.3f} "
        f"when their page is asked, {site:.3f} when all are.\n\n{report.table(head, rows)}\n"
    )


def main() -> int:
    """Measure the folders on the command line."""
    parser = report.parser("answers", __doc__)
    parser.add_argument("paths", nargs="+", type=Path, help="folders of Markdown")
    parser.add_argument("--scorer", default="coverage", help="(default: %(default)s)")
    given = parser.parse_args()
    for path in given.paths:
        print(table(path.name, *measure(*read_folder(path), given.scorer)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
