"""Whether anything piles up in `mkdocs serve`: `python -m benchmarks.rebuilds`.

A made-up site is built again and again in one process, by the one instance of the plugin, as a
server does it; before each build a page is edited that others ask. The same is done without the
plugin. The table shows, after some of the builds, how many blocks of memory Python holds, how much
memory the process has, and how many files it has open. It goes to the standard output, all else to
the standard error. The exit status is 1 if more files are open at the end than after the first
tenth, or if Python holds 1 % more than that.
"""

from __future__ import annotations

import argparse
import gc
import json
import logging
import os
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

from mkdocs.commands.build import build
from mkdocs.config import load_config

from benchmarks import documentation, report
from benchmarks.site import write_site

BUILDS = 200
PAGES = 40
SHOWN = 10
"""So many rows."""
GROWTH = 0.01


class Held(NamedTuple):
    """What a process holds after a build."""

    builds: int
    blocks: int
    """Of memory that Python has given away."""
    memory: float | None
    """MiB of the process; None where there is no /proc to tell."""
    files: int


def main() -> int:
    """Measure and print; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--builds", type=int, default=BUILDS, help=f"how many ({BUILDS})")
    parser.add_argument("--pages", type=int, default=PAGES, help=f"of the site ({PAGES})")
    parser.add_argument("--json", type=Path, help="where to keep every measurement")
    options = parser.parse_args()
    found: dict[str, list[Held]] = {}
    for way in ("with the plugin", "plain"):
        report.say(f"{options.builds} builds {way} …")
        with ProcessPoolExecutor(1, get_context("spawn")) as process:
            asked = options.pages, options.builds, way == "plain"
            found[way] = process.submit(_rebuilt, *asked).result()
    step = max(1, options.builds // SHOWN)
    rows = [
        (
            way,
            str(held.builds),
            f"{held.blocks:,}",
            "–" if held.memory is None else f"{held.memory:.1f}",
            str(held.files),
        )
        for way, all_held in found.items()
        for held in all_held[step - 1 :: step]
    ]
    head = ("Build", "Number", "Blocks of memory", "MiB", "Open files")
    print(report.table(head, rows))
    if options.json:
        options.json.write_text(json.dumps(found), encoding="utf-8")
    first, last = found["with the plugin"][step - 1], found["with the plugin"][-1]
    return int(last.files > first.files or last.blocks > (1 + GROWTH) * first.blocks)


def _rebuilt(pages: int, builds: int, plain: bool) -> list[Held]:  # noqa: FBT001 - of a process
    """Build a site again and again; return what is held after each build."""
    logging.disable()
    with tempfile.TemporaryDirectory() as folder:
        site = write_site(Path(folder), documentation.made_up(pages, seed=1), directives=1, seed=1)
        edited = site.page(next(each.source for each in site.directives))
        text = edited.read_text(encoding="utf-8")
        settings = site.root / ("plain.yml" if plain else "recall.yml")
        told = json.loads(settings.read_text(encoding="utf-8"))
        del told["hooks"]  # which keep what they measure
        settings.write_text(json.dumps(told), encoding="utf-8")
        config = load_config(str(settings))
        config.plugins.on_startup(command="serve", dirty=False)
        found = []
        for number in range(1, builds + 1):
            edited.write_text(f"{text}\nIt was edited {number % 10} times.\n", encoding="utf-8")
            config = load_config(str(settings))
            build(config, serve_url="http://127.0.0.1:8000/")
            del config
            gc.collect()
            found.append(
                Held(number, sys.getallocatedblocks(), _memory(), sum(map(_is_open, range(256))))
            )
    return found


def _memory() -> float | None:
    try:
        pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
    except OSError:
        return None
    return pages * os.sysconf("SC_PAGE_SIZE") / 1024**2


def _mib(memory: float | None) -> str:
    return "–" if memory is None else f"{memory:.1f}"


def _is_open(number: int) -> bool:
    try:
        os.fstat(number)
    except OSError:
        return False
    return True


if __name__ == "__main__":
    sys.exit(main())
