"""The common parts of the programs: options, processes and their usage; numbers → text.

Values that a platform does not report are NaN.
"""

from __future__ import annotations

import math
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from importlib.metadata import version
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


@dataclass(frozen=True, slots=True)
class Usage:
    """What a process used, from its start to its end."""

    wall: float  # seconds
    cpu: float  # seconds, in the process and in the system for it; NaN on Windows
    peak: float  # MiB of memory at most; NaN on Windows


def parser(name: str, about: str | None, *, docs: bool = False, **numbers: int) -> ArgumentParser:
    """Return the parser of a program's options: some numbers, and perhaps a folder."""
    options = ArgumentParser(
        prog=f"python -m benchmarks.{name}",
        description=about,
        epilog="Tables go to the standard output, all else to the standard error.",
        formatter_class=RawDescriptionHelpFormatter,
    )
    for key, default in numbers.items():
        options.add_argument(f"--{key}", type=int, default=default, help="(default: %(default)s)")
    if docs:
        options.add_argument("--docs", type=Path, metavar="FOLDER", help="real Markdown instead")
    return options


def fresh_process() -> ProcessPoolExecutor:
    """Return an executor that runs functions in a fresh process."""
    return ProcessPoolExecutor(1, get_context("spawn"))


def run(command: Sequence[str], *, folder: Path, **variables: str) -> Usage:
    """Run a command to its end, with these environment variables beside the usual ones.

    Raises:
        RuntimeError: Its exit status is not 0; the message is what it wrote.
    """
    usual = {
        "NO_MKDOCS_2_WARNING": "1",
        "PYTHONUTF8": "1",
        "SOURCE_DATE_EPOCH": "1735689600",  # a sitemap holds the day of the build
    }
    env = {**os.environ, **usual, **variables}
    env.pop("PYTHONDONTWRITEBYTECODE", None)
    with tempfile.TemporaryFile() as written:
        start = time.perf_counter()
        process = subprocess.Popen(command, cwd=folder, env=env, stdout=written, stderr=written)
        cpu = peak = math.nan
        if sys.platform == "win32":
            process.wait()
        else:
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            cpu, peak = used.ru_utime + used.ru_stime, _mib(used.ru_maxrss)
        wall = time.perf_counter() - start
        if process.returncode:
            written.seek(0)
            raise RuntimeError(written.read().decode("utf-8", "replace"))
    return Usage(wall, cpu, peak)


def own_peak() -> float:
    """Return the most memory that this process has had, in MiB; NaN on Windows."""
    if sys.platform == "win32":
        return math.nan
    import resource

    return _mib(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)


def _mib(resident: int) -> float:
    """Return MiB from the system's number, in bytes on macOS, in KiB elsewhere."""
    return resident / (1024 * 1024 if sys.platform == "darwin" else 1024)


def exponent(sizes: Sequence[int], values: Sequence[float]) -> float:
    """Return b of value = a x size**b, by least squares of the logarithms; NaN if it has none."""
    if len(set(sizes)) < 2 or not all(values):  # noqa: PLR2004 - a line has two points
        return math.nan
    logarithms = [[math.log(each) for each in numbers] for numbers in (sizes, values)]
    return statistics.linear_regression(*logarithms).slope


def number(value: float, unit: str = "") -> str:
    """Return a number with three digits that count and its unit, such as `1.05 x`."""
    if math.isnan(value):
        return "–"
    digits = 2 - math.floor(math.log10(abs(value))) if value else 0
    return f"{round(value, digits):,.{max(0, digits)}f}{unit}"


def median_ratio(pairs: Iterable[tuple[float, float]]) -> str:
    """Return the median of ratios as text."""
    return number(statistics.median(one / other for one, other in pairs), " x")


def ratios(pairs: Iterable[tuple[object, object]], *names: str) -> list[str]:
    """Return the median ratio of each of these attributes as text."""
    several = [*pairs]
    return [
        median_ratio((getattr(one, name), getattr(other, name)) for one, other in several)
        for name in names
    ]


def table(head: str, rows: Iterable[Sequence[str]]) -> str:
    """Return a Markdown table, by its first line; all but the first two columns are numbers."""
    rule = ["---", "---", *["---:"] * (head.count(" | ") - 1)]
    return "\n".join(f"| {' | '.join(row)} |" for row in ([head], rule, *rows))


def machine() -> str:
    """Return the versions and the machine of a measurement."""
    versions = ", ".join(f"{name} {version(name)}" for name in ("mkdocs-recall", "mkdocs"))
    python = f"{platform.python_implementation()} {platform.python_version()}"
    return f"{versions}, {python}, {platform.platform()}, {os.cpu_count()} CPUs"


def status(faults: Sequence[str]) -> int:
    """Print the faults, and return the exit status."""
    for fault in faults:
        say(f"WRONG: {fault}")
    return min(len(faults), 1)


def say(text: str) -> None:
    """Print progress."""
    print(text, file=sys.stderr, flush=True)
