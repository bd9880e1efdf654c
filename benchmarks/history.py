"""What it costs to read the history of all pages: `python -m benchmarks.history`.

Repositories are made up, one with all pages in one folder and one with the same pages in many; each
is as git packs it. Wall clock and CPU time are those of `history.read` with the git that it asks,
the latter also in times of a `git log` of the docs folder. The table goes to the standard
output, all else to the standard error. The exit status is 1 if a commit is not found.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks import report
from benchmarks.process import run
from mkdocs_recall.temporal import history

if TYPE_CHECKING:
    from collections.abc import Iterator

COMMITS = 8_000
PAGES = 1_000
ROUNDS = 5
FOLDERS = (40, 1)
MOVED = 0.02  # of the commits move a page to another folder or name
LINES = 60  # of a page
WORDS = [f"word{number}" for number in range(3_000)]
LOG = (
    *("git", "--no-pager", "log", "--no-merges", "--full-history", "--date-order"),
    *("--name-status", "--find-renames", "-z", "--format=%H %cI", "--", "docs"),
)
Dates = dict[str, list[str]]


class Repository:
    """A made-up history of pages, as `git fast-import` reads it."""

    def __init__(self, pages: int, folders: int, seed: int) -> None:
        """Begin with no page."""
        self.random = random.Random(seed)
        self.most = pages
        self.folders = folders
        self.texts: dict[int, list[str]] = {}
        self.names: dict[int, str] = {}
        self.dates: defaultdict[int, list[str]] = defaultdict(list)

    def commits(self, count: int) -> Iterator[str]:
        """Return commits; half of them, at most, add a page."""
        now = datetime(2010, 1, 1, tzinfo=timezone.utc)
        for number in range(count):
            now += timedelta(seconds=self.random.randrange(1_000, 40_000))
            stamp = f"A <a@larch.example> {now.timestamp():.0f} +0000"
            yield f"commit refs/heads/main\ncommitter {stamp}\ndata 1\n.\n"
            for page in self.pages_of(number, count):
                yield self.edited(page, number)
                self.dates[page].insert(0, now.isoformat())

    def pages_of(self, number: int, count: int) -> list[int]:
        """Return which pages a commit adds or edits: a few."""
        if len(self.texts) < self.most and number % max(1, count // self.most // 2) == 0:
            self.texts[len(self.texts)] = [self.line() for _ in range(LINES)]
            return [len(self.texts) - 1]
        return self.random.sample(sorted(self.texts), min(len(self.texts), 1 + number % 2))

    def edited(self, page: int, number: int) -> str:
        """Return the edit of a page; now and then, it is moved, too."""
        self.texts[page][self.random.randrange(LINES)] = self.line()
        text = "\n".join(self.texts[page])
        old = self.names.get(page, "")
        if not old or self.random.random() < MOVED:
            folder = f"area{self.random.randrange(self.folders)}/" if self.folders > 1 else ""
            self.names[page] = f"docs/{folder}page{page}-{number}.md"
        moved = f"R {old} {self.names[page]}\n" if old not in {"", self.names[page]} else ""
        return f"{moved}M 644 inline {self.names[page]}\ndata {len(text)}\n{text}\n"

    def line(self) -> str:
        """Return a line of a page."""
        return " ".join(self.random.choices(WORDS, k=12))

    def write(self, root: Path, commits: int) -> Dates:
        """Write the repository; return the dates of the commits by page."""
        told = "".join(self.commits(commits)).encode()
        for command in ("init --quiet", "fast-import --quiet", "gc --quiet", "checkout -q main"):
            git = ["git", *command.split()]
            subprocess.run(git, cwd=root, input=told if "import" in command else b"", check=True)
        return {str(root / self.names[page]): dates for page, dates in self.dates.items()}


def seconds() -> tuple[float, float]:
    """Return the wall clock, and the CPU time of this process and of those it has waited for."""
    return time.perf_counter(), sum(os.times()[:4])


def measure(root: Path, expected: Dates, rounds: int) -> tuple[dict[str, list[float | None]], bool]:
    """Return seconds by what they were spent on, and whether all commits were found."""
    found: defaultdict[str, list[float | None]] = defaultdict(list)
    right = True
    for _ in range(rounds):
        before = seconds()
        known = history.read(sorted(expected), dates="committer").past
        after = seconds()
        found["wall"].append(after[0] - before[0])
        found["cpu"].append(after[1] - before[1])
        found["log"].append(run(LOG, folder=root).cpu)
        right = right and {file: past.dates for file, past in known.items()} == expected
    return dict(found), right


def main() -> int:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(prog="benchmarks.history", description=__doc__)
    for name, default in (("commits", COMMITS), ("pages", PAGES), ("rounds", ROUNDS), ("seed", 1)):
        parser.add_argument(f"--{name}", type=int, default=default, help="(default: %(default)s)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="keep every measurement")
    arguments = parser.parse_args()
    measured = {}
    rows = []
    wrong = 0
    for folders in FOLDERS:
        with tempfile.TemporaryDirectory() as folder:
            report.say(f"writing {arguments.commits} commits, {folders} folders")
            root = Path(folder).resolve()
            made = Repository(arguments.pages, folders, arguments.seed)
            expected = made.write(root, arguments.commits)
            measured[folders], right = measure(root, expected, arguments.rounds)
        wrong += not right
        wall, cpu, log = (report.median(measured[folders][name]) for name in ("wall", "cpu", "log"))
        ratio = cpu / log if cpu and log else None
        row = [report.number(wall or 0), report.number(cpu or 0), report.times(ratio)]
        rows.append([str(folders), str(len(expected)), *row])
    print(f"{report.machine()}; commits: {arguments.commits}; rounds: {arguments.rounds}\n")
    print(
        report.table(["folders", "pages", "wall, s", "CPU, s", "in times of git log's CPU"], rows)
    )
    if arguments.json:
        arguments.json.write_text(json.dumps(measured, indent=1) + "\n", encoding="utf-8")
    if wrong:
        report.say(f"{wrong} repositories: not all commits were found")
    return min(wrong, 1)


if __name__ == "__main__":
    sys.exit(main())
