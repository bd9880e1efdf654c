"""`mkdocs serve` in a process of its own, with a count of its builds."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.request import urlopen

import pytest
from conftest import Site

COUNT = """
import os

def on_post_build(config):
    with open(os.environ.get("BUILDS", os.devnull), "a") as file:
        file.write(".")

def on_serve(server, config, builder):
    for one in (server.observer, *server.observer.emitters):
        one._timeout = 0.1
"""
"""A hook that counts builds, and polls for changes more often than each half second."""
PATIENCE = 3000
"""How often to poll, for machines that are busy or asleep."""
PAUSE = 0.02
"""Seconds between two polls."""
QUIET = 30
"""Polls without a build after which none comes: a change is noticed within .2 seconds."""


@dataclass
class Server:
    """A running `mkdocs serve`."""

    site: Site
    port: int
    counter: Path
    process: subprocess.Popen[bytes]

    @property
    def builds(self) -> int:
        """The number of its builds."""
        return self.counter.stat().st_size if self.counter.exists() else 0

    def page(self, path: str = "") -> str:
        """Return a page as it is served, without the script that loads it again."""
        with urlopen(f"http://127.0.0.1:{self.port}/{path}", timeout=PATIENCE * PAUSE) as response:
            text: str = response.read().decode()
        return re.sub(r"<script>.*?</script>", "", text, flags=re.DOTALL)

    def edit(self, pages: dict[str, str]) -> None:
        """Write pages, and wait until they are built."""
        before = self.builds
        for uri, text in pages.items():
            new = self.counter.with_name("new.md")
            new.write_text(text, encoding="utf-8")
            new.replace(self.site.docs / uri)  # at once: half a page would be built, too
        self.until(lambda: self.builds > before)

    def until(self, condition: Callable[[], bool], *, patience: int = PATIENCE) -> None:
        """Wait for a condition."""
        while not condition():
            assert self.process.poll() is None, "the server has gone"
            assert patience, "it has not come"
            patience -= 1
            time.sleep(PAUSE)

    def settle(self) -> int:
        """Wait until it builds no more, and return how often it has built."""
        builds, quiet = self.builds, 0
        for _ in range(PATIENCE):
            quiet = quiet + 1 if builds == self.builds else 0
            builds = self.builds
            if quiet == QUIET:
                return builds
            time.sleep(PAUSE)
        pytest.fail("it builds for ever")

    def watch(self) -> None:
        """Wait until changes are noticed, a while after pages are served."""
        for _ in range(PATIENCE // QUIET):
            (self.site.docs / "apart.md").touch()
            for _ in range(QUIET):
                if self.builds > 1:
                    self.settle()
                    return
                time.sleep(PAUSE)
        pytest.fail("it does not watch")


@contextmanager
def serving(site: Site, folder: Path, *arguments: str) -> Iterator[Server]:
    """Serve a documentation; the counter is in another folder, which is not watched."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    counter = folder / "builds"
    command = [sys.executable, "-m", "mkdocs", "serve", "-a", f"127.0.0.1:{port}", *arguments]
    environment = {**os.environ, "BUILDS": str(counter), "NO_MKDOCS_2_WARNING": "1"}
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(  # noqa: S603 - our own interpreter
            command, cwd=site.root, env=environment, stdout=log, stderr=log
        )
        server = Server(site, port, counter, process)
        try:
            server.until(lambda: _answers(port))
            server.watch()
            yield server
        finally:
            process.terminate()
            process.wait()


def _answers(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
