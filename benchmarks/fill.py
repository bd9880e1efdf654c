"""What it costs to fill a finished site: `python -m benchmarks.fill`.

A made-up site is built with the plugin, and without it, so that its fences come out as code blocks,
which `mkdocs-recall fill` then answers: with an empty cache, and again with nothing changed. Round
by round, the CPU time of the command, with its start, is compared with what the plugin spends in
its build. The table goes to the standard output, all else to the standard error. The exit status is
1 if a directive is left, or if the second run changes a file.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks import documentation, report
from benchmarks.checks import digests
from benchmarks.process import environment, run
from benchmarks.site import write_site

if TYPE_CHECKING:
    from collections.abc import Iterator

    from benchmarks.documentation import Page
    from benchmarks.site import Site

PAGES = 1_000
ROUNDS = 3
_CONFIGURATION = "fill.yml"
_FINISHED = "finished"
_CACHES = "caches"
_CLASSES = {"pymdownx.highlight": {"use_pygments": False}}
"""Keeps the language of a code block, as most generators do."""
_BUILD = (sys.executable, "-m", "mkdocs", "build", "--quiet", "--config-file")
_FILL = (sys.executable, "-m", "mkdocs_recall", "fill", _FINISHED, "--config", _CONFIGURATION)


def prepare(site: Site) -> None:
    """Build a site without the plugin."""
    config = json.loads((site.root / "plain.yml").read_text(encoding="utf-8"))
    config["markdown_extensions"].append(_CLASSES)
    (site.root / _CONFIGURATION).write_text(json.dumps(config), encoding="utf-8")
    run([*_BUILD, _CONFIGURATION], folder=site.root)
    site.built.rename(site.root / "unfilled")


def in_the_plugin(site: Site) -> float:
    """Build the site with the plugin and an empty cache; return the CPU seconds of its events."""
    site.forget()
    run([*_BUILD, "recall.yml"], folder=site.root)
    return float(sum(json.loads(site.inside.read_text(encoding="utf-8"))["events"].values()))


def measure(site: Site) -> tuple[dict[str, float | None], list[str]]:
    """Return the CPU seconds of a round by what they were spent on, and what went wrong."""
    finished, caches = site.root / _FINISHED, site.root / _CACHES
    for folder in (finished, caches):
        shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(site.root / "unfilled", finished)
    env = {**environment(), "XDG_CACHE_HOME": str(caches)}
    found: dict[str, float | None] = {"plugin": in_the_plugin(site)}
    found["cold"] = run(_FILL, folder=site.root, env=env).cpu
    once = digests(finished)
    found["unchanged"] = run(_FILL, folder=site.root, env=env).cpu
    faults = list(_left(finished, len(site.directives)))
    if digests(finished) != once:
        faults.append("the second run changed the site")
    return found, faults


def _left(folder: Path, directives: int) -> Iterator[str]:
    pages = [path.read_text(encoding="utf-8") for path in folder.rglob("*.html")]
    filled = sum(page.count("<!-- /recall:fence -->") for page in pages)
    if filled != directives:
        yield f"{filled} of {directives} directives are filled"
    if any("recall-error" in page or "synopsis-error" in page for page in pages):
        yield "a directive is in error"


def _pages(arguments: argparse.Namespace) -> Iterator[Page]:
    if arguments.docs:
        return documentation.real(arguments.docs, arguments.pages, seed=arguments.seed)
    return documentation.made_up(arguments.pages, seed=arguments.seed)


def main() -> int:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.fill", description=__doc__)
    for name, default in (("pages", PAGES), ("rounds", ROUNDS), ("seed", 1)):
        parser.add_argument(f"--{name}", type=int, default=default, help="(default: %(default)s)")
    parser.add_argument("--docs", type=Path, metavar="FOLDER", help="real Markdown instead")
    parser.add_argument("--json", type=Path, metavar="FILE", help="keep every measurement")
    arguments = parser.parse_args()
    measured: list[dict[str, float | None]] = []
    faults: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        report.say(f"writing and building {arguments.pages} pages")
        root = Path(os.path.realpath(folder))
        site = write_site(root, _pages(arguments), directives=1, seed=arguments.seed)
        prepare(site)
        for number in range(arguments.rounds):
            found, wrong = measure(site)
            measured.append(found)
            faults += wrong
            report.say(f"round {number + 1}: {found}")
    rows = []
    for what in ("cold", "unchanged"):
        seconds = report.median(found[what] for found in measured)
        ratios = [
            cpu / plugin
            for found in measured
            if (cpu := found[what]) is not None and (plugin := found["plugin"])
        ]
        shown = [report.number(seconds or 0), report.times(report.median(ratios))]
        rows.append([what, *shown])
    print(f"{report.machine()}; {len(site.uris)} pages; rounds: {arguments.rounds}\n")
    print(report.table(["fill", "CPU, s", "in times of the plugin in a build"], rows))
    if arguments.json:
        arguments.json.write_text(json.dumps(measured, indent=1) + "\n", encoding="utf-8")
    for fault in faults:
        report.say(fault)
    return min(len(faults), 1)


if __name__ == "__main__":
    sys.exit(main())
