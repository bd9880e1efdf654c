"""Frameworks that render pages again in the browser build the copy that `render` has written.

They come from npm: RECALL_NPM names a folder in which `npm install vitepress @docusaurus/core
@docusaurus/preset-classic react react-dom` has been run. A build takes a minute or more.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING, NamedTuple

import pytest
from browsing import browser  # noqa: F401 - a fixture
from shown import served
from tables import beside
from terminal import Terminal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser

pytestmark = [pytest.mark.browser, pytest.mark.host, pytest.mark.slow]

DOCUSAURUS: str = beside(__file__)["DOCUSAURUS"]
PAGES: dict[str, str] = beside(__file__)["PAGES"]


class _Framework(NamedTuple):
    package: str
    command: tuple[str, ...]
    site: str
    files: dict[str, str]


FRAMEWORKS = {
    "VitePress": _Framework(
        "vitepress", ("vitepress", "build", "copy"), "copy/.vitepress/dist", {}
    ),
    "Docusaurus": _Framework(
        "@docusaurus/core", ("docusaurus", "build"), "build", {"docusaurus.config.js": DOCUSAURUS}
    ),
}


@pytest.fixture
def folder(framework: str) -> Iterator[Path]:
    """A folder in which the packages are found."""
    npm = Path(os.environ.get("RECALL_NPM") or "/nowhere")
    if not (npm / "node_modules" / FRAMEWORKS[framework].package).is_dir():
        pytest.skip(f"{framework} is not installed in the folder that RECALL_NPM names")
    path = Path(mkdtemp(dir=npm))
    yield path
    shutil.rmtree(path)


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_a_rendered_copy_shows_its_quotes_after_scripts_have_run(
    framework: str,
    folder: Path,
    browser: Browser,  # noqa: F811
) -> None:
    _, command, site, files = FRAMEWORKS[framework]
    terminal = Terminal(folder)
    terminal.write(PAGES, folder="docs")
    terminal.write({**files, "package.json": "{}"}, folder=".")
    shutil.copytree(folder / "docs", folder / "copy")
    for arguments in ((), ("--check",)):
        outcome = terminal.run("render", "docs", "--docs", "docs", "--output", "copy/", *arguments)
        assert outcome.status == 0, outcome.err
    program = folder.parent / "node_modules/.bin" / command[0]
    built = subprocess.run(  # noqa: S603 - what the folder has
        [program, *command[1:]], cwd=folder, capture_output=True, text=True, check=False
    )
    assert built.returncode == 0, built.stdout + built.stderr

    page = browser.new_page()
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    with served(folder / site) as address:
        for _ in range(2):  # as the server sends it, and after a navigation in the browser
            if page.url == "about:blank":
                page.goto(f"{address}/", wait_until="networkidle")
            else:
                page.go_back(wait_until="networkidle")
            page.get_by_text("Text after the quotes.").wait_for()
            text = " ".join(page.locator("main").first.inner_text().replace("\u200b", "").split())
            for part in (
                "Text before the quote.",
                "A session expires after 12 hours, if a < b. See the keys.",
                "Text between the quotes.",
                "Setup",
                "Write {x} and then:",
                'larch --set "{y}"',
                "Text after the quotes.",
            ):
                assert text.count(part) >= 1, (part, text)
            assert "source:" not in text
            link = page.locator("main blockquote a").last
            assert link.inner_text() == "Sign-in › Expiry"
            link.click()
            page.wait_for_url("**/guide/auth*")
            page.get_by_role("heading", name="Expiry").wait_for()
    assert faults == []
    page.close()
