"""Whether anything piles up in `mkdocs serve`: `python -m benchmarks.rebuilds`.

A made-up site is built repeatedly in one process, by one instance of the plugin, like in a server;
before each build, a source page is edited. The same is done without the plugin. The exit status is
1 if more files are open at the end than after the first tenth, or if Python holds 1 % more than
that.
"""

from __future__ import annotations

import gc
import logging
import os
import sys
import tempfile
from pathlib import Path

from benchmarks import documentation, report
from benchmarks.serve import CONFIGURATIONS, Server
from benchmarks.site import write_site

SHOWN = 10  # rows
GROWTH = 0.01


def main() -> int:
    """Measure and print; return the exit status."""
    options = report.parser("rebuilds", __doc__, builds=200, pages=40).parse_args()
    step = max(1, options.builds // SHOWN)
    rows: list[tuple[str, ...]] = []
    for way, configuration in CONFIGURATIONS.items():
        report.say(f"{options.builds} builds {way} …")
        with report.fresh_process() as fresh:
            measured = fresh.submit(_rebuilt, options.pages, options.builds, configuration).result()
        rows += [
            (way, str(builds), f"{blocks:,}", report.number(memory), str(files))
            for builds, (blocks, memory, files) in [*enumerate(measured, 1)][step - 1 :: step]
        ]
    print(report.table("Build | Number | Blocks of memory | MiB at most | Open files", rows))
    (first_blocks, _, first_files), (blocks, _, files) = measured[step - 1], measured[-1]
    return int(files > first_files or blocks > (1 + GROWTH) * first_blocks)


def _rebuilt(pages: int, builds: int, configuration: str) -> list[tuple[int, float, int]]:
    """Build a site again and again.

    Returns:
        After each build: the blocks of memory that Python holds, the MiB that the process has had
        at most so far, and the number of open files.
    """
    logging.disable()
    with tempfile.TemporaryDirectory() as folder:
        site = write_site(Path(folder), documentation.pages(pages), clocked=False)
        server = Server(site, configuration, dirty=False)
        measured = []
        for number in range(1, builds + 1):
            server.edit(number % 10)
            gc.collect()
            files = sum(map(_is_open, range(256)))
            measured.append((sys.getallocatedblocks(), report.own_peak(), files))
    return measured


def _is_open(number: int) -> bool:
    try:
        os.fstat(number)
    except OSError:
        return False
    return True


if __name__ == "__main__":
    sys.exit(main())
