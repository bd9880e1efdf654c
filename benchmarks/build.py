"""The cost of the plugin in a build: `python -m benchmarks.build`, from the project's folder.

Sites of several sizes are built in five ways, each in a separate process, round by round; see
README.md. The exit status is 1 if a build is wrong.
"""

from __future__ import annotations

import statistics
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from benchmarks import report
from benchmarks.site import answering, digests, temporary_site

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from benchmarks.site import Build, Directive, Site

PAGES = (100, 300, 1_000, 3_000, 5_000)
WAYS = ("plain", "no directives", "cold", "warm", "edited")  # in the order of builds
CONFIGURATIONS = {"plain": "plain", "no directives": "bare"}  # the others have `recall`
WARM_UP = 10  # pages; the first build of all compiles modules and is not measured
TOKEN = "zyxwedited"  # noqa: S105 - a word that no page has


@dataclass(slots=True)
class Measured:
    """The builds of a site of one size."""

    pages: int
    builds: dict[str, list[Build]]  # by the way they were built, one for each round
    faults: list[str] = field(default_factory=list)  # what is wrong with the builds

    def row(self, way: str) -> list[str]:
        """Return a row of the table; ratios are to the plain build of the same round."""
        builds = zip(self.builds[way], self.builds["plain"], strict=True)
        usages = [(build.usage, plain.usage) for build, plain in builds]
        share = statistics.median(build.plugin / build.rest for build in self.builds[way])
        inside = "–" if way == "plain" else report.number(100 * share, " %")
        return [f"{self.pages:,}", way, *report.ratios(usages, "cpu", "wall", "peak"), inside]


def measure(site: Site, rounds: int) -> Measured:
    """Build a site in all ways, and check the builds."""
    measured = Measured(len(site.uris), {way: [] for way in WAYS})
    edit = site.longest_recall()
    trees: dict[str, dict[str, str]] = {}
    for number in range(rounds):
        for way in WAYS:
            if way in {"no directives", "cold"}:
                site.forget()
            build = _built(site, way, edit)
            measured.builds[way].append(build)
            measured.faults += faults(site, way, trees, edit)
            report.say(
                f"{measured.pages} pages, round {number + 1}, {way}: "
                f"wall clock {build.usage.wall:.2f} s, in the plugin {build.plugin:.4f} s"
            )
    site.forget()
    _built(site, "edited", edit)
    measured.faults += faults(site, "edited", trees, edit)
    return measured


def _built(site: Site, way: str, edit: Directive) -> Build:
    """Build a site in one of the ways; an edited page is restored."""
    configuration = f"{CONFIGURATIONS.get(way, 'recall')}.yml"
    if way != "edited":
        return site.build(configuration)
    page = site.page(edit.source)
    before = page.read_bytes()
    page.write_bytes(answering(before.decode(), edit.query, TOKEN).encode())
    build = site.build(configuration)
    page.write_bytes(before)
    return build


def faults(
    site: Site, way: str, trees: dict[str, dict[str, str]], edit: Directive
) -> Iterator[str]:
    """Yield the faults of the site that was just built in one of the ways.

    `trees` has the digests of the first cold and the first edited build; those of later builds must
    be the same.
    """
    if way in {"plain", "no directives"}:
        return
    where = f"{len(site.uris)} pages, {way}"
    for uri in site.unresolved():
        yield f"{where}: a directive of {uri} is not resolved"
    tree = digests(site.built)
    expected = trees.setdefault("edited" if way == "edited" else "cold", tree)
    for path in sorted({*tree, *expected}):
        if tree.get(path) != expected.get(path):
            yield f"{where}: {path} differs between two builds of the same pages"
    if way == "edited" and TOKEN not in site.built_page(edit.host).read_text(encoding="utf-8"):
        yield f"{where}: {edit.host} does not quote the new sentence of {edit.source}"


def growth(sizes: Sequence[Measured]) -> Iterator[str]:
    """Yield the exponents of growth of the CPU time in plain builds and in the plugin."""
    pages = [size.pages for size in sizes]
    for way in WAYS:
        part = "rest" if way == "plain" else "plugin"
        seconds = [statistics.median(getattr(b, part) for b in size.builds[way]) for size in sizes]
        yield f"{way} {report.number(report.exponent(pages, seconds))}"


def main() -> int:
    """Measure, and print the results."""
    parser = report.parser("build", __doc__, docs=True, rounds=3, directives=1)
    parser.add_argument("--pages", type=int, nargs="+", default=PAGES, help="sizes of the sites")
    arguments = parser.parse_args()
    with temporary_site(WARM_UP) as site:
        site.build("recall.yml")
    sizes: list[Measured] = []
    for count in sorted(arguments.pages):
        with temporary_site(count, arguments.docs, directives=arguments.directives) as site:
            sizes.append(measure(site, arguments.rounds))
        if sizes[-1].pages < count:
            break  # the folder has no more
    print(f"{report.machine()}; rounds: {arguments.rounds}\n")
    head = "pages | build | CPU | wall clock | peak memory | in the plugin"
    print(report.table(head, (size.row(way) for size in sizes for way in WAYS)))
    print("\nGrowth of CPU time with the number of pages (1 is linear):", end=" ")
    print(", ".join(growth(sizes)))
    return report.status([fault for size in sizes for fault in size.faults])


if __name__ == "__main__":
    sys.exit(main())
