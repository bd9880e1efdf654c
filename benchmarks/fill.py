"""The cost of filling a finished site: `python -m benchmarks.fill`.

A made-up site is built with the plugin, and without it, so that its fences come out as code blocks,
which `mkdocs-recall fill` then answers: with an empty cache, and again with nothing changed. Round
by round, the CPU time of the command, with its start, is compared with what the plugin spends in
its build. The exit status is 1 if a directive is left, or if the second run changes a file.
"""

from __future__ import annotations

import shutil
import statistics
import sys
from typing import TYPE_CHECKING

from benchmarks import report
from benchmarks.site import digests, temporary_site

if TYPE_CHECKING:
    from benchmarks.site import Site

_FILL = (sys.executable, "-m", "mkdocs_recall", "fill", "site", "--config", "unfilled.yml")


def measure(site: Site) -> tuple[dict[str, float], list[str]]:
    """Return the CPU seconds of the plugin in a cold build and of the command, and any faults."""
    site.forget()
    plugin = site.build("recall.yml").plugin
    caches = site.root / "caches"
    for folder in (site.built, caches):
        shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(site.root / "unfilled", site.built)
    cold = report.run(_FILL, folder=site.root, XDG_CACHE_HOME=str(caches)).cpu
    once = digests(site.built)
    unchanged = report.run(_FILL, folder=site.root, XDG_CACHE_HOME=str(caches)).cpu
    faults = [f"a directive of {uri} is not filled" for uri in site.unresolved()]
    if digests(site.built) != once:
        faults.append("the second run changed the site")
    return {"plugin": plugin, "cold": cold, "unchanged": unchanged}, faults


def main() -> int:
    """Measure, and print the table."""
    arguments = report.parser("fill", __doc__, docs=True, pages=1_000, rounds=3).parse_args()
    rounds: list[dict[str, float]] = []
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
        seconds = [measured[what] for measured in rounds]
        ratio = report.median_ratio((each[what], each["plugin"]) for each in rounds)
        rows.append([what, report.number(statistics.median(seconds)), ratio])
    print(f"{report.machine()}; {len(site.uris)} pages; rounds: {arguments.rounds}\n")
    print(report.table("fill | CPU, s | in times of the plugin in a build", rows))
    return report.status(faults)


if __name__ == "__main__":
    sys.exit(main())
