"""What a question costs on the command line: `python -m benchmarks.asking`.

A site is asked in one process after the other: with nothing kept, again, and with one page edited.
CPU time is that of the whole process, start-up included, also in times of a Python that does
nothing. The table goes to the standard output, all else to the standard error. The exit status is
1 if an answer is not what a corpus without a cache answers.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks import documentation, report
from benchmarks.process import environment, run
from benchmarks.site import EXTENSIONS
from mkdocs_recall import Corpus

if TYPE_CHECKING:
    from collections.abc import Sequence

PAGES = 1_000
ROUNDS = 5
QUERIES = 5


def arguments_of() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="benchmarks.asking", description=__doc__)
    parser.add_argument("--pages", type=int, default=PAGES, help="how many (default: %(default)s)")
    parser.add_argument("--docs", type=Path, metavar="FOLDER", help="take real Markdown")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="(default: %(default)s)")
    parser.add_argument("--semantic", action="store_true", help="ask by meaning, too (blend)")
    parser.add_argument("--seed", type=int, default=1, help="(default: %(default)s)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="keep every measurement")
    return parser.parse_args()


def write(root: Path, pages: Sequence[documentation.Page]) -> None:
    """Write a site."""
    (root / "mkdocs.yml").write_text(
        f"site_name: Site\nmarkdown_extensions: {json.dumps(EXTENSIONS)}\n", "utf-8"
    )
    for page in pages:
        path = root / "docs" / page.uri
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(page.markdown, "utf-8")


def command_of(query: str, *options: str) -> tuple[str, ...]:
    """Return the command that asks a site."""
    search = (sys.executable, "-m", "mkdocs_recall", "search", "--min-score", "0")
    return (*search, *options, query)


def answers(root: Path, query: str, *options: str) -> list[str]:
    """Return what the command line answers."""
    command = command_of(query, "--json", *options)
    done = subprocess.run(command, cwd=root, env=environment(), capture_output=True, check=True)
    return [passage["text"] for passage in json.loads(done.stdout)["passages"]]


def right(root: Path, query: str, *, semantic: bool) -> list[str]:
    """Return what should be answered."""
    result = Corpus.from_site(root / "mkdocs.yml", cache=False).recall(
        query,
        max_sentences=10,
        context=0,
        min_score=0,
        on_empty="omit",
        semantic={"mode": "blend"} if semantic else None,
    )
    return [passage.text for passage in result.passages]


def measure(
    root: Path, queries: list[str], rounds: int, *options: str
) -> dict[str, list[float | None]]:
    """Return CPU seconds by what was done."""

    def asked(query: str) -> float | None:
        return run(command_of(query, *options), folder=root).cpu

    found: dict[str, list[float | None]] = {}
    nothing = (sys.executable, "-c", "pass")
    found["nothing"] = [run(nothing, folder=root).cpu for _ in range(rounds)]
    report.say("reading the site")
    found["first question"] = [asked(queries[0])]
    found["another question"] = [asked(queries[n % len(queries)]) for n in range(rounds)]
    page = min(root.glob("docs/**/*.md"))
    page.write_text(page.read_text("utf-8") + "\nIt was edited.\n", "utf-8")
    found["after an edit of one page"] = [asked(queries[0])]
    found["loading all pages"] = [loaded(root) for _ in range(rounds)]
    return found


def loaded(root: Path) -> float:
    """Return the CPU seconds of loading all pages from the cache."""
    start = time.process_time()
    assert Corpus.from_site(root / "mkdocs.yml").documents
    return time.process_time() - start


def main() -> int:
    """Measure, and say what came out."""
    given = arguments_of()
    made = (
        documentation.real(given.docs, given.pages, seed=given.seed)
        if given.docs
        else documentation.made_up(given.pages, seed=given.seed)
    )
    pages = list(made)
    headed = [page.headings()[-1] for page in pages if page.headings()]
    queries = [" ".join(words) for words in headed[:QUERIES]]
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        write(root, pages)
        options = ("--semantic", "blend") if given.semantic else ()
        found = measure(root, queries, given.rounds, *options)
        wrong = [
            query
            for query in queries
            if answers(root, query, *options) != right(root, query, semantic=given.semantic)
        ]
    nothing = report.median(found.pop("nothing"))
    print(f"{report.machine()}; {len(pages)} pages; rounds: {given.rounds}\n")
    rows = []
    for name, samples in found.items():
        seconds = report.median(samples)
        ratio = seconds / nothing if seconds and nothing else None
        rows.append([name, "-" if seconds is None else f"{seconds:.3f}", report.times(ratio)])
    print(report.table(["What", "CPU seconds", "In times of a Python that does nothing"], rows))
    if given.json:
        given.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    report.say(f"WRONG: {wrong}" if wrong else "all answers are those without a cache")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
