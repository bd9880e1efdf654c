"""A browser, and the sites that it shows; without one, each test is skipped with the reason.

With RECALL_BROWSER=required, that is a fault.
"""

from __future__ import annotations

import os
from importlib import import_module
from typing import TYPE_CHECKING

import pytest
from golden_demo import ROOT, build
from shown import browser_program, build_themes, served, unavailable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser


@pytest.fixture(scope="session")
def installed() -> None:
    """Skip what needs a browser before a site is built for it."""
    reason = unavailable()
    if reason and os.environ.get("RECALL_BROWSER") == "required":
        pytest.fail(reason)
    if reason:
        pytest.skip(reason)


@pytest.fixture(scope="module")
def browser(installed: None) -> Iterator[Browser]:  # noqa: ARG001 - it skips
    """An installed Chromium.

    It ends with the tests of its file: while Playwright runs, no other test can start a loop of
    asyncio in this process.
    """
    with import_module("playwright.sync_api").sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=browser_program())
        yield chromium
        chromium.close()


@pytest.fixture(scope="session")
def themes(installed: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:  # noqa: ARG001
    """The address of a folder with a site for each theme."""
    with served(build_themes(tmp_path_factory.mktemp("themes"))) as address:
        yield address


@pytest.fixture(scope="session")
def demo(installed: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:  # noqa: ARG001
    """The address of the demo site."""
    folder = tmp_path_factory.mktemp("demo")
    result = build(ROOT / "mkdocs.yml", folder)
    assert result.returncode == 0, result.stderr
    with served(folder) as address:
        yield address
