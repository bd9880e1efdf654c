"""How many answers a pack holds: `python -m benchmarks.packs DOCS QUESTIONS`.

DOCS has a folder of Markdown for each documentation. QUESTIONS has a JSON object on each line:
`project` (the folder), `question`, `sections` (those that answer: page, first line, last line) and
`answers` (the lines in them that answer, in the same form; may be empty). All questions about a
documentation make one pack. Beside it, whole sections fill the same budget: those that SQLite's
FTS5 ranks first by BM25 for each question, then second, and so on.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sqlite3
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mkdocs_recall import Corpus
from mkdocs_recall.answers.files import documentation_root
from mkdocs_recall.directives.schema import recall_options
from mkdocs_recall.rendering.markdown import TargetFile
from mkdocs_recall.retrieval.token_budget import estimate
from mkdocs_recall.review.pack import make_pack
from mkdocs_recall.review.pack_file import PackEntry, PackRequest

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

BUDGETS = (2_000, 4_000)
RANKED = 200  # sections of each question that may be taken
ALIKE = 0.7  # share of the words of an answer that a sentence must hold
_HEADING = re.compile(r"(#{1,6})\s+(.*)")
_FENCE = re.compile(r"\s*(`{3,}(?=[^`]*$)|~{3,})")


@dataclass(frozen=True, slots=True)
class Found:
    """A part of a page that is in a budget."""

    page: str
    first: int
    last: int
    text: str


def packed(corpus: Corpus, folder: Path, questions: Sequence[str], budget: int) -> list[Found]:
    """Return the sentences in a pack of all questions."""
    entries = tuple(
        PackEntry(recall_options(text, source="**", on_empty="omit")) for text in questions
    )
    root = documentation_root(corpus.files)
    file = TargetFile(uri="", folder=root, root=root, pages=corpus.files)
    pack = make_pack(PackRequest(entries, budget), corpus, file)
    assert pack.tokens <= budget
    return [
        Found(os.path.relpath(passage.file, folder), passage.line, passage.line, sentence.text)
        for passage in (packed.passage for packed in pack.packed)
        if passage.line is not None
        for sentence in passage.quotation.sentences
    ]


def sections(folder: Path) -> sqlite3.Connection:
    """Return the sections of a documentation, with the headings above them, as a database."""
    database = sqlite3.connect(":memory:")
    database.execute(
        "create virtual table section using fts5("
        "body, page unindexed, first unindexed, last unindexed, tokenize='porter unicode61')"
    )
    for path in sorted(folder.rglob("*.md")):
        lines = path.read_text("utf-8", "replace").split("\n")
        headings = [(1, 0, ""), *_headings(lines)]
        ends = [first for first, _, _ in headings[1:]] + [len(lines) + 1]
        above: list[tuple[int, str]] = []
        for (first, level, title), end in zip(headings, ends, strict=True):
            above = [*(heading for heading in above if heading[0] < level), (level, title)]
            body = "\n".join(lines[first - 1 : end - 1])
            if body.strip():
                named = " › ".join(title for _, title in above if title)
                page = str(path.relative_to(folder))
                row = (f"{named}\n{body}", page, first, end - 1)
                database.execute("insert into section values (?, ?, ?, ?)", row)
    return database


def _headings(lines: Sequence[str]) -> Iterator[tuple[int, int, str]]:
    fence = ""
    for number, line in enumerate(lines, start=1):
        if mark := _FENCE.match(line):
            if not fence:
                fence = mark[1]
            elif mark[1].startswith(fence) and line.strip() == mark[1]:
                fence = ""
        elif not fence and (heading := _HEADING.match(line)):
            yield number, len(heading[1]), heading[2]


def by_sections(database: sqlite3.Connection, questions: Sequence[str], budget: int) -> list[Found]:
    """Return the sections that fill a budget: the best of each question, then the second."""
    ranked = []
    for question in questions:
        terms = " OR ".join(f'"{term}"' for term in dict.fromkeys(re.findall(r"\w+", question)))
        query = "select body, page, first, last from section where section match ?"
        rows = database.execute(f"{query} order by bm25(section), page, first", (terms,))
        ranked.append([Found(page, first, last, text) for text, page, first, last in rows][:RANKED])
    taken: dict[tuple[str, int], Found] = {}
    total = 0
    for rank in range(RANKED):
        for found in (of_one[rank] for of_one in ranked if rank < len(of_one)):
            size = estimate(f"{found.text}\n\n")
            if (found.page, found.first) not in taken and total + size <= budget:
                taken[found.page, found.first] = found
                total += size
    return list(taken.values())


def holds(
    question: Mapping[str, Any], parts: Sequence[Found], folder: Path
) -> tuple[bool, bool | None]:
    """Tell whether parts hold the right section, and the right sentence; None if none is named."""
    section = any(
        part.page == page and part.first <= last and first <= part.last
        for part in parts
        for page, first, last in question["sections"]
    )
    answers = [_lines(folder, *place) for place in question["answers"]]
    pages = {page for page, _, _ in question["sections"]}
    sentence = any(
        _alike(answer, part.text) for part in parts if part.page in pages for answer in answers
    )
    return section, sentence if answers else None


def _lines(folder: Path, page: str, first: int, last: int) -> str:
    return "\n".join((folder / page).read_text("utf-8", "replace").split("\n")[first - 1 : last])


def _words(text: str) -> Counter[str]:
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)
    return Counter(re.findall(r"[a-z0-9]+", re.sub(r"<[^>]+>", " ", text).lower()))


def _alike(answer: str, text: str) -> bool:
    wanted, found = _words(answer), _words(text)
    shared = (wanted & found).total()
    few = 4  # words: a shorter sentence is no answer by itself
    return bool(shared) and (
        shared >= ALIKE * wanted.total() or found.total() >= few <= shared >= 0.8 * found.total()
    )


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("docs", type=Path, help="a folder with one folder for each documentation")
    parser.add_argument("questions", type=Path, help="the questions, a JSON object on each line")
    parser.add_argument("--budgets", type=int, nargs="+", default=BUDGETS, help="in tokens")
    parser.add_argument("--alone", action="store_true", help="a pack for each question")
    arguments = parser.parse_args()
    by_project: dict[str, list[dict[str, Any]]] = {}
    for line in arguments.questions.read_text("utf-8").splitlines():
        question = json.loads(line)
        by_project.setdefault(question["project"], []).append(question)
    print("| documentation | questions | tokens | pack: section, sentence | BM25 | seconds |")
    print("|---|---:|---:|---:|---:|---:|")
    totals: dict[int, Counter[str]] = {budget: Counter() for budget in arguments.budgets}
    for project, questions in sorted(by_project.items()):
        folder = arguments.docs / project
        corpus, database = Corpus.from_folder(folder, cache=False), sections(folder)
        corpus.recall("read all pages", on_empty="omit")
        groups = [[q] for q in questions] if arguments.alone else [questions]
        for budget in arguments.budgets:
            counted: Counter[str] = Counter()
            start = time.perf_counter()
            for group in groups:
                texts = [question["question"] for question in group]
                ways = {
                    "pack": packed(corpus, folder, texts, budget),
                    "BM25": by_sections(database, texts, budget),
                }
                for question in group:
                    counted["questions"] += 1
                    counted["with sentence"] += bool(question["answers"])
                    for way, parts in ways.items():
                        section, sentence = holds(question, parts, folder)
                        counted[f"{way} section"] += section
                        counted[f"{way} sentence"] += bool(sentence)
            counted["milliseconds"] = round((time.perf_counter() - start) * 1_000)
            totals[budget] += counted
            _print(project, budget, counted)
    for budget, counted in totals.items():
        _print("all", budget, counted)


def _print(project: str, budget: int, counted: Mapping[str, int]) -> None:
    shares = [
        f"{counted[f'{way} section'] / counted['questions']:.2f}, "
        f"{counted[f'{way} sentence'] / max(1, counted['with sentence']):.2f}"
        for way in ("pack", "BM25")
    ]
    seconds = counted["milliseconds"] / 1_000
    row = [project, counted["questions"], f"{budget:,}", *shares, f"{seconds:.1f}"]
    print("|", " | ".join(map(str, row)), "|", flush=True)


if __name__ == "__main__":
    main()
