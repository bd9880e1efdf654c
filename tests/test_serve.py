"""`mkdocs serve`: what is edited shows in every page that quotes it, once, and nothing piles up."""

from __future__ import annotations

import gc
import os
import re
import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.request import urlopen

import pytest

from mkdocs_recall.cache.database import FILE
from mkdocs_recall.plugin.build import Build

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from conftest import Site

PAGES = {
    "index.md": "# Home\n\n```recall\nsource: guides/**\nquery: larch\n```\n",
    "apart.md": "# Apart\n\nNo tree at all.\n",
    "guides/a.md": "# A\n\nThe larch is green.\n\n## Part {#part}\n\nMore of it.\n",
}
PART = "# Home\n\n```synopsis\nsource: guides/a.md#part\n```\n"
COUNT = """
import os

def on_post_build(config):
    with open(os.environ.get("BUILDS", os.devnull), "a") as file:
        file.write(".")
"""
PATIENCE = 3000
"""How often to look, for machines that have much else to do, or sleep."""
PAUSE = 0.02
"""Seconds between two looks."""
QUIET = 100
"""Looks without a build, after which none comes: a change is noticed within a second."""


@dataclass
class Server:
    """A running `mkdocs serve`."""

    site: Site
    port: int
    counter: Path
    process: subprocess.Popen[bytes]

    @property
    def builds(self) -> int:
        """How often it has built."""
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
        """Wait for something."""
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
        """Wait until changes are noticed, which is a while after pages are served."""
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
    """Serve a documentation; what is counted goes to another folder, which is not watched."""
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


@pytest.fixture
def elsewhere(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that is not watched."""
    return tmp_path_factory.mktemp("elsewhere")


def test_an_edit_shows_where_it_is_quoted_and_a_fault_comes_and_goes(
    site: Site, elsewhere: Path
) -> None:
    site.write(PAGES)
    site.configure(hook=COUNT, markdown_extensions=["attr_list", "admonition"])
    with serving(site, elsewhere, "-q") as server:
        assert "The larch is green." in server.page()
        first = server.builds
        server.edit({"guides/a.md": PAGES["guides/a.md"].replace("green", "blue")})
        assert "The larch is blue." in server.page()
        assert server.settle() == first + 1

        beside = site.run("--strict", "-d", str(elsewhere / "beside"))
        assert beside.returncode == 0, beside.stderr
        built = (elsewhere / "beside/index.html").read_text(encoding="utf-8")
        assert re.findall("<blockquote.*</blockquote>", server.page(), re.DOTALL) == re.findall(
            "<blockquote.*</blockquote>", built, re.DOTALL
        )

        server.edit({"index.md": PART})
        assert "More of it." in server.page()
        for _ in range(2):
            server.edit({"guides/a.md": PAGES["guides/a.md"].replace("#part", "#rest")})
            assert "has no section &#x27;#part&#x27;" in server.page()
            server.edit({"guides/a.md": PAGES["guides/a.md"]})
            assert "caution" not in server.page()
            assert "More of it." in server.page()
        assert server.settle() == first + 6


def test_a_cache_in_a_folder_that_is_watched_sets_off_no_endless_rebuilding(
    site: Site, elsewhere: Path
) -> None:
    site.write(PAGES)
    extensions = ["attr_list", "admonition"]
    site.configure(hook=COUNT, watch=["."], markdown_extensions=extensions)
    with serving(site, elsewhere) as server:
        assert server.settle() <= 4
        for pages in (
            {"guides/a.md": PAGES["guides/a.md"].replace("green", "blue")},
            {"index.md": PART.replace("#part", "#nowhere")},
            {"apart.md": "# Apart\n\nIt may recall a tree.\n"},
        ):
            before = server.builds
            server.edit(pages)
            assert server.settle() <= before + 2  # one, and one for what that has kept
        assert "has no section" in server.page()


def test_a_dirty_server_rebuilds_who_asks_a_changed_page(site: Site, elsewhere: Path) -> None:
    site.write(PAGES)
    site.configure(hook=COUNT, markdown_extensions=["attr_list", "admonition"])
    with serving(site, elsewhere, "--dirty", "-q") as server:
        first = server.builds
        server.edit({"guides/a.md": PAGES["guides/a.md"].replace("green", "blue")})
        assert "The larch is blue." in server.page()
        server.edit({"guides/b.md": "# B\n\nNo larch is red.\n"})
        assert "No larch is red." in server.page()
        server.edit({"index.md": PART})
        assert "More of it." in server.page()
        server.edit({"guides/a.md": PAGES["guides/a.md"].replace("#part", "#rest")})
        assert "caution" in server.page()
        server.edit({"guides/a.md": PAGES["guides/a.md"]})
        assert "caution" not in server.page()
        assert server.settle() == first + 5


def _open_files() -> int:
    """Count the files that this process has open."""
    count = 0
    for number in range(1024):
        try:
            os.fstat(number)
        except OSError:
            continue
        count += 1
    return count


def test_twenty_rebuilds_leave_nothing_open_and_one_build_in_memory(site: Site) -> None:
    """MkDocs keeps the one instance of the plugin from build to build, as a server does."""
    site.build(PAGES, markdown_extensions=["attr_list"])
    path = site.root / ".cache/plugin/recall" / FILE
    before = _open_files()
    for turn in range(20):
        pages = {"guides/a.md": f"# A\n\nThe larch is {turn} years old.\n"}
        if turn % 5 == 4:
            pages["index.md"] = PART if turn == 4 else PAGES["index.md"]
        site.write(pages)
        site.rebuild()
        path.rename(path.with_suffix(".moved"))  # which Windows forbids while it is open
        path.with_suffix(".moved").rename(path)
    assert _open_files() == before
    gc.collect()
    assert sum(type(each) is Build for each in gc.get_objects()) <= 1
