"""Zensical builds a site with our Markdown extension, and `fill` inserts the quotes."""

from __future__ import annotations

import shutil
import signal
import socket
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from urllib.request import urlopen

import pytest
import yaml
from bs4 import BeautifulSoup
from tables import beside
from terminal import Terminal

from mkdocs_recall.hosts.html_fences import COMMENT

pytest.importorskip("zensical", reason="zensical is not installed: see the group 'zensical'")
pytestmark = pytest.mark.host

ROOT = Path(__file__).parents[2]
TOML: str = beside(__file__)["TOML"]
AUTH = "# Sign-in\n\n## Expiry\n\nA session expires after a day. A session that expires is gone.\n"
HOME = "# Larch\n\n```recall\nsource: auth.md\nquery: when does a session expire?\n```\n"


def zensical(folder: Path, *arguments: str) -> str:
    process = subprocess.run(  # noqa: S603 - our own interpreter
        [sys.executable, "-m", "zensical", *arguments],
        capture_output=True,
        check=False,
        cwd=folder,
        encoding="utf-8",
    )
    assert process.returncode == 0, process.stdout + process.stderr
    return process.stdout + process.stderr


def quotes(site: Path) -> dict[str, list[str]]:
    """Return the quotes of each page as they are written, but for what keeps them from Pagefind."""
    found = {}
    for path in sorted(site.rglob("*.html")):
        soup = BeautifulSoup(path.read_text("utf-8"), "html.parser")
        page = path.relative_to(site).as_posix()
        for quote in soup.select("[data-pagefind-ignore]"):
            del quote["data-pagefind-ignore"]
        # A whole section is the generator's own HTML: what it says is the same.
        for section in soup.select("section.recall-section"):
            section.string = " ".join(section.get_text(" ").split())
        for backlinks in soup.select(".recall-backlinks"):  # only MkDocs builds write them
            backlinks.decompose()
        if quotes := [str(quote) for quote in soup.select("[data-search-exclude]")]:
            found[page] = quotes
    return found


def test_the_demo_site_has_the_quotes_of_a_build_of_mkdocs(tmp_path: Path) -> None:
    for name in ("demo_site", "mkdocs.yml"):
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        copy(ROOT / name, tmp_path / name)
    subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", "expected"],
        check=True,
        cwd=tmp_path,
    )
    config = tmp_path / "mkdocs.yml"
    settings = yaml.safe_load(config.read_text("utf-8"))
    settings["markdown_extensions"].append("recall")
    config.write_text(yaml.safe_dump(settings), "utf-8")

    zensical(tmp_path, "build")
    outcome = Terminal(tmp_path).run("fill", "site")

    assert outcome.status == 0, outcome.err
    expected, filled = quotes(tmp_path / "expected"), quotes(tmp_path / "site")
    assert sum(map(len, filled.values())) > 40
    assert filled == expected
    written = "".join(path.read_text("utf-8") for path in (tmp_path / "site").rglob("*.html"))
    assert len(COMMENT.findall(written)) == written.count("<!-- /recall:fence -->") > 40
    assert 'class="language-recall' not in written


def test_a_project_with_zensical_toml_alone_is_filled_and_read(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "zensical.toml").write_text(TOML, "utf-8")
    (tmp_path / "docs/index.md").write_text(HOME, "utf-8")
    (tmp_path / "docs/auth.md").write_text(AUTH, "utf-8")
    terminal = Terminal(tmp_path)

    zensical(tmp_path, "build", "--strict")
    outcome = terminal.run("fill", "site", "--strict")
    assert (outcome.status, outcome.out) == (0, ""), outcome.err
    [quote] = quotes(tmp_path / "site")["index.html"]
    assert BeautifulSoup(quote, "html.parser").select("cite a")[0]["href"] == "auth/#expiry"
    assert "that expires" not in quote  # the options of the extension count

    assert terminal.run("lock").status == 0
    assert terminal.run("check").status == 0
    assert "expires after a day" in terminal.run("recall", "when does a session expire").out


@pytest.mark.usefixtures("interruptible")
def test_a_preview_shows_current_quotes_and_leaves_none_to_the_next_build(tmp_path: Path) -> None:
    """Zensical serves the folder of the site, and takes pages that it knows from its cache."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "zensical.toml").write_text(TOML, "utf-8")
    (tmp_path / "docs/index.md").write_text(HOME, "utf-8")
    auth = tmp_path / "docs/auth.md"
    auth.write_text(AUTH, "utf-8")
    terminal = Terminal(tmp_path)
    zensical(tmp_path, "build", "--strict")
    assert terminal.run("fill", "site", "--strict").status == 0

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"localhost:{free.getsockname()[1]}"
    command = [sys.executable, "-m", "zensical", "serve", "-a", address]
    with (tmp_path / "log").open("wb") as log:
        process = terminal.start("fill", "site", "--", *command, out=log, err=log)
        try:
            served(address, "A session expires after a day.")
            auth.write_text(AUTH.replace("a day", "a week"), "utf-8")
            served(address, "A session expires after a week.")
        finally:
            process.send_signal(signal.SIGINT)
            process.communicate()
    auth.write_text(AUTH.replace("a day", "a month"), "utf-8")
    zensical(tmp_path, "build")
    assert quotes(tmp_path / "site") == {}
    assert terminal.run("fill", "site", "--strict").status == 0
    assert "A session expires after a month." in quotes(tmp_path / "site")["index.html"][0]


def served(address: str, quote: str) -> None:
    """Wait until a page is served with a quote."""
    for _ in range(600):
        with suppress(OSError), urlopen(f"http://{address}/", timeout=9) as response:
            page = BeautifulSoup(response.read(), "html.parser")
            if any(quote in one.text for one in page.select("blockquote.recall")):
                return
        time.sleep(0.1)
    pytest.fail(f"'{quote}' is not served")
