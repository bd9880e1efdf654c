"""Input made to hold up a build: `python -m benchmarks.adversarial`, from the project's folder.

Each family of `hostile.py` is read in sizes from 10 KB to 5 MB. Shown is with which power of the
size our own CPU time grows, and memory, by least squares of the logarithms; 1 is linear. A family
ends at the first size that takes longer than it may, and is said to.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from multiprocessing import get_context
from pathlib import Path

from benchmarks import report
from benchmarks.hostile import FAMILIES

SIZES = (10_000, 50_000, 250_000, 1_000_000, 5_000_000)
LONGEST = 120.0
"""Seconds."""
STEEPEST = 1.1
"""What takes more is named below the table."""
_LEAST = 0.05
"""What takes fewer seconds is done again, and the shortest time counts."""
_ROUNDS = 5
_NOTICEABLE = 8.0
"""MiB; less drowns in what Python takes to begin with."""


@dataclass(frozen=True, slots=True)
class Measured:
    """What a family took."""

    part: str
    what: str
    sizes: list[int]
    """Characters; without those that were not tried any more."""
    seconds: list[float]
    """Of CPU, the shortest of some rounds, for each size."""
    peaks: list[float]
    """MiB that the process took more than before, for each size; none where nobody tells."""
    ended: bool
    """Whether it took longer than it may."""

    @property
    def exponent(self) -> float | None:
        """The power of the size with which time grows."""
        return report.exponent(self.sizes, self.seconds)

    @property
    def growth(self) -> float | None:
        """The power of the size with which memory grows, as far as it is noticed."""
        noticed = [(s, p) for s, p in zip(self.sizes, self.peaks, strict=False) if p > _NOTICEABLE]
        return report.exponent([s for s, _ in noticed], [p for _, p in noticed])

    @property
    def is_steep(self) -> bool:
        """Whether time or memory grow faster than they should."""
        return self.ended or any((each or 0) > STEEPEST for each in (self.exponent, self.growth))


def measure(number: int, sizes: tuple[int, ...], longest: float) -> Measured:
    """Measure a family, by its number, in a process that has done nothing before."""
    family = FAMILIES[number]
    family.prepare(1000)()  # what is imported on first use
    before = _peak()
    tried: list[int] = []
    seconds: list[float] = []
    peaks: list[float] = []
    for size in sizes:
        run = family.prepare(size)
        taken: list[float] = []
        while not taken or (len(taken) < _ROUNDS and sum(taken) < _LEAST):
            start = time.process_time()
            run()
            taken.append(time.process_time() - start)
        tried.append(size)
        seconds.append(min(taken))
        if before is not None:
            peaks.append((_peak() or 0) - before)
        if seconds[-1] > longest:
            break
    return Measured(family.part, family.what, tried, seconds, peaks, seconds[-1] > longest)


def _peak() -> float | None:
    """Return the most memory that this process has had, in MiB; None on Windows."""
    if sys.platform == "win32":
        return None
    import resource

    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return used / (1024 * 1024 if sys.platform == "darwin" else 1024)


def in_fresh_process(number: int, sizes: tuple[int, ...], longest: float) -> Measured:
    """Measure a family in an interpreter of its own."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as fresh:
        return fresh.submit(measure, number, sizes, longest).result()


def row(found: Measured) -> list[str]:
    """Return a family's row of the table."""
    exponents = [
        f"{each:.2f}" if each is not None else "–" for each in (found.exponent, found.growth)
    ]
    peak = f"{found.peaks[-1]:,.0f} MiB" if found.peaks else "–"
    return [found.part, found.what, exponents[0], f"{found.seconds[-1]:.2f} s", exponents[1], peak]


def main() -> int:
    """Measure all families, or those that are named."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.adversarial", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    add = parser.add_argument
    add("--part", metavar="NAME", default="", help="only what is read by this, such as page")
    add("--what", metavar="TEXT", default="", help="only families with this in their name")
    add("--sizes", type=int, nargs="+", default=SIZES, help="characters")
    add("--longest", type=float, default=LONGEST, help=f"seconds that a size may take; {LONGEST:g}")
    add("--json", type=Path, metavar="FILE", help="write what was measured, too")
    arguments = parser.parse_args()
    measured: list[Measured] = []
    for number, family in enumerate(FAMILIES):
        if family.part.startswith(arguments.part) and arguments.what in family.what:
            report.say(f"{family.part}: {family.what}")
            measured.append(in_fresh_process(number, tuple(arguments.sizes), arguments.longest))
    print(f"{report.machine()}; {', '.join(f'{size:,}' for size in arguments.sizes)} characters\n")
    head = ["read by", "input", "time grows by", "largest took", "memory grows by", "and had"]
    print(report.table(head, map(row, measured)))
    steep = [f"{each.part}: {each.what}" for each in measured if each.is_steep]
    print(f"\n{len(measured)} families, {len(steep)} steeper than {STEEPEST}: {'; '.join(steep)}")
    if arguments.json:
        text = json.dumps([asdict(each) for each in measured], indent=1)
        arguments.json.write_text(text + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
