"""What the plugin costs a build: `python -m benchmarks.build`, from the folder of the project.

Sites of several sizes are built in five ways, each in a process of its own, round by round:

- plain: without the plugin; its fences stay code blocks
- no directives: with the plugin, the same pages without a fence in them
- cold: with the plugin and an empty cache
- warm: again, with nothing changed
- edited: again, with one page changed that others ask

The tables go to the standard output, all else to the standard error. The exit status is 1 if what
was built is not right.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from shutil import rmtree
from typing import TYPE_CHECKING

from benchmarks import checks, documentation, report
from benchmarks.process import Usage, run
from benchmarks.site import Directive, Site, inserted, write_site

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

PAGES = (100, 300, 1_000, 3_000, 5_000)
ROUNDS = 3
CONFIGURATIONS = {
    "plain": "plain",
    "no directives": "bare",
    "cold": "recall",
    "warm": "recall",
    "edited": "recall",
}
"""The configuration of each way to build, in the order in which they are built."""
WITH_EMPTY_CACHE = ("no directives", "cold")
SHOWN_FAULTS = 20
WARM_UP = 10  # pages; the first build of all compiles modules and is not measured
TOKEN = "zyxwedited"  # noqa: S105 - a word that no page has
_MKDOCS = (sys.executable, "-m", "mkdocs", "build", "--quiet", "--config-file")


@dataclass(frozen=True, slots=True)
class Sample:
    """One build."""

    usage: Usage
    """Of the whole process."""
    events: dict[str, float]
    """CPU seconds in each of the plugin's events."""
    inside: float
    """CPU seconds in all of them."""
    share: float
    """The same, as a share of the rest of the build, without the plugin's own import."""


@dataclass(slots=True)
class Measured:
    """The builds of a site of one size."""

    pages: int
    size: int
    """Bytes of Markdown."""
    directives: int
    builds: dict[str, list[Sample]] = field(default_factory=dict)
    """By the way they were built, one for each round."""
    faults: list[str] = field(default_factory=list)
    """What was built wrong."""

    def ratio(self, way: str, quantity: str) -> float | None:
        """Return what a build used, in times of the plain build of the same round: the median."""
        pairs = [
            (getattr(sample.usage, quantity), getattr(plain.usage, quantity))
            for sample, plain in zip(self.builds[way], self.builds["plain"], strict=True)
        ]
        return report.median(None if one is None else one / other for one, other in pairs)

    def row(self, way: str) -> list[str]:
        """Return a row of the table."""
        samples = self.builds[way]
        share = report.median(sample.share for sample in samples)
        return [
            f"{self.pages:,}",
            way,
            *(report.times(self.ratio(way, quantity)) for quantity in ("cpu", "wall", "peak")),
            "–" if way == "plain" else report.percent(share),
        ]


def measure(site: Site, rounds: int) -> Measured:
    """Build a site in all ways, and check what was built."""
    measured = Measured(len(site.uris), site.size, len(site.directives))
    edit = edited_directive(site)
    trees: dict[str, dict[str, str]] = {}
    for number in range(rounds):
        for way in CONFIGURATIONS:
            if way in WITH_EMPTY_CACHE:
                site.forget()
            if way == "edited":
                with edited(site, edit):
                    sample = build(site, way)
                    measured.faults += faults(site, way, trees, edit)
            else:
                sample = build(site, way)
                measured.faults += faults(site, way, trees, edit)
            measured.builds.setdefault(way, []).append(sample)
            report.say(f"{measured.pages} pages, round {number + 1}, {way}: {_seconds(sample)}")
    with edited(site, edit):
        site.forget()
        build(site, "edited")
        measured.faults += faults(site, "edited", trees, edit)
    return measured


def build(site: Site, way: str) -> Sample:
    """Build a site in one of the ways."""
    rmtree(site.built, ignore_errors=True)
    site.inside.unlink(missing_ok=True)
    usage = run([*_MKDOCS, f"{CONFIGURATIONS[way]}.yml"], folder=site.root)
    found = json.loads(site.inside.read_text(encoding="utf-8"))
    inside = sum(found["events"].values())
    return Sample(usage, found["events"], inside, inside / (found["process"] - inside))


def faults(
    site: Site, way: str, trees: dict[str, dict[str, str]], edit: Directive
) -> Iterator[str]:
    """Yield what is wrong with the site that was just built.

    Args:
        site: The site.
        way: How it was built.
        trees: Digests of what was built before; the first cold and the first edited build are kept.
        edit: The directive whose source was edited.
    """
    where = f"{len(site.uris)} pages, {way}"
    if way in {"plain", "no directives"}:
        return
    for uri in checks.unresolved(site):
        yield f"{where}: a directive of {uri} is not resolved"
    tree = checks.digests(site.built)
    expected = trees.setdefault("edited" if way == "edited" else "cold", tree)
    for path in checks.differing(expected, tree):
        yield f"{where}: {path} differs between two builds of the same pages"
    if way == "edited":
        host = checks.built_page(site, edit.host).read_text(encoding="utf-8")
        if TOKEN not in host:
            yield f"{where}: {edit.host} does not quote the new sentence of {edit.source}"


def edited_directive(site: Site) -> Directive:
    """Return the recall with the longest query; its source will have a sentence that answers it."""
    recalls = [directive for directive in site.directives if directive.query]
    return max(recalls, key=lambda directive: len(directive.query.split()))


@contextmanager
def edited(site: Site, edit: Directive) -> Iterator[None]:
    """Change a page and change it back."""
    path = site.page(edit.source)
    before = path.read_bytes()
    sentence = f"Now {edit.query} is what {TOKEN} says."
    blocks = [f"## {edit.query}", sentence]  # a query is a heading, which ranks high
    path.write_text(inserted(before.decode(), blocks), encoding="utf-8", newline="\n")
    try:
        yield
    finally:
        path.write_bytes(before)


def table(sizes: Sequence[Measured]) -> str:
    """Return what was measured, in ratios."""
    head = ["pages", "build", "CPU", "wall clock", "peak memory", "in the plugin"]
    rows = [measured.row(way) for measured in sizes for way in CONFIGURATIONS]
    return report.table(head, rows)


def growth(sizes: Sequence[Measured]) -> dict[str, float]:
    """Return the exponents with which CPU seconds grow with the number of pages.

    The plain build's are those of the whole process, the others those in the plugin's events.
    """
    pages = [measured.pages for measured in sizes]
    found = {}
    for way in CONFIGURATIONS:
        seconds = [
            report.median(s.usage.cpu if way == "plain" else s.inside for s in measured.builds[way])
            for measured in sizes
        ]
        if (exponent := report.exponent(pages, seconds)) is not None:
            found[way] = exponent
    return found


def _seconds(sample: Sample) -> str:
    cpu = sample.usage.cpu
    whole = "" if cpu is None else f"CPU {cpu:.2f} s, "
    return f"{whole}wall clock {sample.usage.wall:.2f} s, in the plugin {sample.inside:.4f} s"


def sites(arguments: argparse.Namespace, folder: Path) -> Iterator[Site]:
    """Write the sites, the one for the warm-up first, and remove each when it is measured."""
    written: set[int] = set()
    for number, count in enumerate((WARM_UP, *sorted(arguments.pages))):
        pages = (
            documentation.real(arguments.docs, count, seed=arguments.seed)
            if arguments.docs
            else documentation.made_up(count, seed=arguments.seed)
        )
        root = folder / f"site-{number}"
        site = write_site(root, pages, directives=arguments.directives, seed=arguments.seed)
        if number == 0 or len(site.uris) not in written:  # a folder may have too few for two sizes
            yield site
        if number:
            written.add(len(site.uris))
        if not arguments.keep:
            rmtree(root)


def arguments_of(command: Sequence[str] | None = None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.build", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    add = parser.add_argument
    add("--pages", type=int, nargs="+", default=PAGES, metavar="N", help="sizes of the sites")
    add("--rounds", type=int, default=ROUNDS, help=f"medians are over these; {ROUNDS}")
    add("--directives", type=int, default=1, metavar="N", help="on each page; 1")
    add("--seed", type=int, default=1, help="of the pages and directives that are made up; 1")
    add("--docs", type=Path, metavar="FOLDER", help="take real Markdown in place of made-up pages")
    add("--json", type=Path, metavar="FILE", help="write every measurement, too")
    add("--keep", type=Path, metavar="FOLDER", help="write the sites there and leave them")
    return parser.parse_args(command)


def main() -> int:
    """Measure, and say what came out."""
    arguments = arguments_of()
    with tempfile.TemporaryDirectory() as folder:
        todo = sites(arguments, arguments.keep or Path(folder))
        build(next(todo), "cold")
        sizes = [measure(site, arguments.rounds) for site in todo]
    exponents = growth(sizes)
    found = [fault for measured in sizes for fault in measured.faults]
    print(f"{report.machine()}; rounds: {arguments.rounds}\n")
    print(table(sizes))
    if exponents:
        print("\nGrowth with the number of pages (1 is linear):", end=" ")
        print(", ".join(f"{way} {exponent:.2f}" for way, exponent in exponents.items()))
    if arguments.json:
        whole = {
            "machine": report.machine(),
            "sizes": [asdict(measured) for measured in sizes],
            "growth": exponents,
        }
        arguments.json.write_text(json.dumps(whole, indent=1) + "\n", encoding="utf-8")
    for fault in found[:SHOWN_FAULTS]:
        report.say(f"WRONG: {fault}")
    report.say(f"faults: {len(found)}" if found else "all is resolved, and the same however built")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
