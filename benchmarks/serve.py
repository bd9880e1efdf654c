"""The cost of the plugin per edit in `mkdocs serve`: `python -m benchmarks.serve`.

In turns, two processes, one with the plugin and one without, see a page edited that a directive
quotes, and build the site again as the server does: with MkDocs' own functions and the one instance
of the plugin, from the saved page to the last written file. The watcher, which waits a while for
further changes, is left out. The exit status is 1 if an edit is not quoted.
"""

from __future__ import annotations

import logging
import statistics
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from mkdocs.commands.build import build
from mkdocs.config import load_config

from benchmarks import documentation, report
from benchmarks.site import answering, write_site

if TYPE_CHECKING:
    from benchmarks.site import Site

CONFIGURATIONS = {"plain": "plain.yml", "with the plugin": "recall.yml"}


class Server:
    """A site that this process serves."""

    def __init__(self, site: Site, configuration: str, *, dirty: bool) -> None:
        self._site = site
        self._settings = str(site.root / configuration)
        self._dirty = dirty
        self._directive = site.longest_recall()
        self._page = site.page(self._directive.source)
        self._text = self._page.read_text(encoding="utf-8")
        load_config(self._settings).plugins.on_startup(command="serve", dirty=dirty)
        self._build()

    def edit(self, number: int) -> tuple[report.Usage, bool]:
        """Edit the page, build the site again, and tell whether the edit is quoted."""
        token = f"zyxw{number}"
        text = answering(self._text, self._directive.query, token)
        wall, cpu = time.perf_counter(), time.process_time()
        self._page.write_text(text, encoding="utf-8", newline="\n")
        self._build()
        cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
        host = self._site.built_page(self._directive.host).read_text(encoding="utf-8")
        return report.Usage(wall, cpu, report.own_peak()), token in host

    def _build(self) -> None:
        config = load_config(self._settings)
        build(config, serve_url="http://127.0.0.1:8000/", dirty=self._dirty)


_servers: list[Server] = []  # the one of this process


def _start(site: Site, configuration: str, *, dirty: bool) -> None:
    logging.disable()
    _servers.append(Server(site, configuration, dirty=dirty))


def _edit(number: int) -> tuple[report.Usage, bool]:
    [server] = _servers
    return server.edit(number)


def main() -> int:
    """Measure and print; return the exit status."""
    parser = report.parser("serve", __doc__, docs=True, pages=1_000, edits=12)
    parser.add_argument("--dirty", action="store_true", help="build only what has changed")
    options = parser.parse_args()
    rebuilds: dict[str, list[report.Usage]] = {way: [] for way in CONFIGURATIONS}
    faults: list[str] = []
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        processes = {w: stack.enter_context(report.fresh_process()) for w in CONFIGURATIONS}
        for way, process in processes.items():
            report.say(f"first build, {way} …")
            pages = documentation.pages(options.pages, options.docs)
            site = write_site(Path(folder, way), pages, clocked=False)
            process.submit(_start, site, CONFIGURATIONS[way], dirty=options.dirty).result()
        for number in range(options.edits + 1):
            order = list(processes.items())
            for way, process in order[:: -1 if number % 2 else 1]:
                rebuild, is_quoted = process.submit(_edit, number).result()
                if number:  # the first edit imports what answers
                    rebuilds[way].append(rebuild)
                report.say(f"edit {number}, {way}: {rebuild.cpu:.2f} s CPU")
                if not is_quoted and way != "plain":
                    faults.append(f"edit {number} is not quoted")
    rows = []
    for way, measured in rebuilds.items():
        seconds = f"{statistics.median(one.cpu for one in measured):.3f} s"
        ratios = report.ratios(zip(measured, rebuilds["plain"], strict=True), "cpu", "wall")
        rows.append([way, str(len(measured)), seconds, *ratios])
    print(report.table("Build | Edits | CPU | of plain | Wall clock", rows))
    return report.status(faults)


if __name__ == "__main__":
    sys.exit(main())
