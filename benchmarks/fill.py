"""What it costs to fill a finished site: `python -m benchmarks.fill`.

A made-up site is built with the plugin, and without it, so that its fences come out as code blocks,
which `mkdocs-recall fill` then answers: with an empty cache, and again with nothing changed. Round
by round, the CPU time of the command, with its start, is compared with what the plugin spends in
its build. The table goes to the standard output, all else to the standard error. The exit status is
1 if a directive is left, or if the second run changes a file.
"""

from __future__ import annotations

import shutil
import statistics
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from benchmarks import report
from benchmarks.site import digests, temporary_site

if TYPE_CHECKING:
    from collections.abc import Iterator

    from benchmarks.site import Site

_FILL = (sys.executable, "-m", "mkdocs_recall", "fill", "finished", "--config", "unfilled.yml")


class Round(NamedTuple):
    """The CPU seconds of a round."""

    plugin: float
    """In the plugin's events, in a build with an empty cache."""
    cold: float
    """Of the command, with an empty cache."""
    unchanged: float
    """Of the command, again."""


def measure(site: Site) -> tuple[Round, list[str]]:
    """Return what a round took, and what went wrong."""
    finished, caches = site.root / "finished", site.root / "caches"
    for folder in (finished, caches):
        shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(site.root / "unfilled", finished)
    site.forget()
    plugin = site.build("recall.yml").plugin
    cold = report.run(_FILL, folder=site.root, XDG_CACHE_HOME=str(caches)).cpu
    once = digests(finished)
    unchanged = report.run(_FILL, folder=site.root, XDG_CACHE_HOME=str(caches)).cpu
    faults = list(_left(finished, len(site.directives)))
    if digests(finished) != once:
        faults.append("the second run changed the site")
    return Round(plugin, cold, unchanged), faults


def _left(folder: Path, directives: int) -> Iterator[str]:
    pages = [path.read_text(encoding="utf-8") for path in folder.rglob("*.html")]
    filled = sum(page.count("<!-- /recall:fence -->") for page in pages)
    if filled != directives:
        yield f"{filled} of {directives} directives are filled"
    if any("recall-error" in page or "synopsis-error" in page for page in pages):
        yield "a directive is in error"


def main() -> int:
    """Measure, and print the table."""
    parser = report.parser("fill", __doc__, pages=1_000, rounds=3)
    parser.add_argument("--docs", type=Path, metavar="FOLDER", help="real Markdown instead")
    arguments = parser.parse_args()
    rounds: list[Round] = []
    faults: list[str] = []
    report.say(f"writing and building {arguments.pages} pages")
    with temporary_site(arguments.pages, arguments.docs) as site:
        site.build("unfilled.yml")
        site.built.rename(site.root / "unfilled")
        for _ in range(arguments.rounds):
            measured, wrong = measure(site)
            rounds.append(measured)
            faults += wrong
            report.say(f"round {len(rounds)}: {measured}")
    rows = []
    for what in ("cold", "unchanged"):
        pairs = [(getattr(measured, what), measured.plugin) for measured in rounds]
        seconds = statistics.median(cpu for cpu, _ in pairs)
        rows.append([what, report.number(seconds), report.median_ratio(pairs)])
    print(f"{report.machine()}; {len(site.uris)} pages; rounds: {arguments.rounds}\n")
    print(report.table(["fill", "CPU, s", "in times of the plugin in a build"], rows))
    return report.status(faults)


if __name__ == "__main__":
    sys.exit(main())
