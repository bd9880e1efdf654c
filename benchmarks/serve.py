"""What the plugin adds to an edit under `mkdocs serve`: `python -m benchmarks.serve`.

The same site is served in two processes, one with the plugin and one without. In turns, each of
them sees a page edited that a directive quotes, and builds the site again as the server does: with
MkDocs' own functions and the one instance of the plugin, from the saved page to the last written
file. The watcher, which waits a while for further changes, is left out. The table goes to the
standard output, all else to the standard error. The exit status is 1 if an edit is not quoted.
"""

from __future__ import annotations

import argparse
import json
import logging
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from mkdocs.commands.build import build
from mkdocs.config import load_config

from benchmarks import checks, documentation, report
from benchmarks.build import edited_directive
from benchmarks.site import inserted, write_site

if TYPE_CHECKING:
    from collections.abc import Iterable

    from benchmarks.documentation import Page

PAGES = 1_000
EDITS = 12
SEED = 1
CONFIGURATIONS = {"plain": "plain.yml", "with the plugin": "recall.yml"}
_URL = "http://127.0.0.1:8000/"


class Rebuild(NamedTuple):
    """One build after an edit."""

    cpu: float
    """Seconds."""
    wall: float
    """Seconds."""
    is_quoted: bool
    """Whether the page with the directive shows the edit."""


class _Server:
    """A site that this process serves."""

    def __init__(self, configuration: str, pages: Iterable[Page], *, dirty: bool) -> None:
        """Write the site into a folder and build it for the first time.

        Args:
            configuration: The name of the file.
            pages: The pages.
            dirty: Whether MkDocs builds only what has changed.
        """
        self._folder = tempfile.TemporaryDirectory()
        self._site = write_site(Path(self._folder.name), pages, directives=1, seed=SEED)
        self._settings = self._site.root / configuration
        settings = json.loads(self._settings.read_text(encoding="utf-8"))
        del settings["hooks"]  # they measure the events, which takes time
        self._settings.write_text(json.dumps(settings), encoding="utf-8")
        self._dirty = dirty
        self._directive = edited_directive(self._site)
        self._page = self._site.page(self._directive.source)
        self._text = self._page.read_text(encoding="utf-8")
        config = load_config(str(self._settings))
        config.plugins.on_startup(command="serve", dirty=dirty)
        self._build()

    def edit(self, number: int) -> Rebuild:
        """Edit the page and build the site again."""
        token = f"zyxw{number}"
        sentence = f"Now {self._directive.query} is what {token} says."
        heading = f"## {self._directive.query}"  # a query is a heading, which ranks high
        text = inserted(self._text, [heading, sentence])
        wall, cpu = time.perf_counter(), time.process_time()
        self._page.write_text(text, encoding="utf-8", newline="\n")
        self._build()
        cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
        host = checks.built_page(self._site, self._directive.host).read_text(encoding="utf-8")
        return Rebuild(cpu, wall, token in host)

    def _build(self) -> None:
        build(load_config(str(self._settings)), serve_url=_URL, dirty=self._dirty)


_servers: list[_Server] = []
"""The one of this process."""


def main() -> int:
    """Measure and print; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=PAGES, help=f"of the site ({PAGES})")
    parser.add_argument("--edits", type=int, default=EDITS, help=f"of each server ({EDITS})")
    parser.add_argument("--docs", type=Path, help="real Markdown in place of made-up pages")
    parser.add_argument("--dirty", action="store_true", help="build only what has changed")
    parser.add_argument("--json", type=Path, help="where to keep every measurement")
    options = parser.parse_args()
    rebuilds: dict[str, list[Rebuild]] = {way: [] for way in CONFIGURATIONS}
    spawn = get_context("spawn")
    with ProcessPoolExecutor(1, spawn) as plain, ProcessPoolExecutor(1, spawn) as plugin:
        processes = dict(zip(CONFIGURATIONS, (plain, plugin), strict=True))
        for way, process in processes.items():
            report.say(f"first build, {way} …")
            site = options.docs, options.pages, options.dirty
            process.submit(_start, CONFIGURATIONS[way], *site).result()
        for number in range(options.edits + 1):
            order = list(processes.items())
            for way, process in order[:: -1 if number % 2 else 1]:
                rebuild = process.submit(_edit, number).result()
                if number:  # the first edit imports what answers
                    rebuilds[way].append(rebuild)
                report.say(f"edit {number}, {way}: {rebuild.cpu:.2f} s CPU")
    print(_table(rebuilds))
    if options.json:
        options.json.write_text(json.dumps(rebuilds), encoding="utf-8")
    return int(not all(rebuild.is_quoted for rebuild in rebuilds["with the plugin"]))


def _table(rebuilds: dict[str, list[Rebuild]]) -> str:
    """Return the medians; ratios are those of the two builds of the same edit."""
    rows = []
    for way, measured in rebuilds.items():
        pairs = list(zip(measured, rebuilds["plain"], strict=True))
        rows.append(
            (
                way,
                str(len(measured)),
                f"{report.median(one.cpu for one in measured):.3f} s",
                report.times(report.median(one.cpu / plain.cpu for one, plain in pairs)),
                report.times(report.median(one.wall / plain.wall for one, plain in pairs)),
            )
        )
    return report.table(("Build", "Edits", "CPU", "of plain", "Wall clock"), rows)


def _start(configuration: str, docs: Path | None, pages: int, dirty: bool) -> None:  # noqa: FBT001 - of a process
    logging.disable()
    made_up = documentation.made_up(pages, seed=SEED)
    written = documentation.real(docs, pages, seed=SEED) if docs else made_up
    _servers.append(_Server(configuration, written, dirty=dirty))


def _edit(number: int) -> Rebuild:
    [server] = _servers
    return server.edit(number)


if __name__ == "__main__":
    sys.exit(main())
