"""The demo site in a real browser: it can be read and searched, and it comes from one host."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest
from sight import open_page

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytest_plugins = ("browsing",)
pytestmark = pytest.mark.browser


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("path", ["", "recall/", "options/"])
def test_axe_finds_nothing_serious_on_a_page_that_comes_from_one_host(
    browser: Browser, demo: str, path: str, scheme: str
) -> None:
    with open_page(browser, f"{demo}/{path}", scheme=scheme, width=1280) as sight:
        assert sight.violations("article") == []
        assert sight.errors == []
        assert sight.hosts == {urlsplit(demo).netloc}


@pytest.mark.parametrize("path", ["", "recall/", "options/"])
def test_a_page_is_no_wider_than_a_phone(browser: Browser, demo: str, path: str) -> None:
    with open_page(browser, f"{demo}/{path}", scheme="light", width=390) as sight:
        assert sight.width_beyond_the_window() == 0
        assert sight.past_the_edge("article *") == []


def test_a_quoted_step_keeps_its_number_within_a_list(browser: Browser, demo: str) -> None:
    """Material gives lists in lists letters."""
    with open_page(browser, f"{demo}/places/", scheme="light", width=1280) as sight:
        (style,) = sight.style("li > .recall > ol", "listStyleType")
        assert style["listStyleType"] == "decimal"


@pytest.mark.parametrize(
    ("words", "page"),
    [("rss", "works-with/"), ("zensical", "other-generators/"), ("backstage", "works-with/")],
)
def test_the_search_finds_a_generator_or_plugin_by_its_name(
    browser: Browser, demo: str, words: str, page: str
) -> None:
    with open_page(browser, f"{demo}/", scheme="light", width=1280) as sight:
        search = sight.page.get_by_placeholder("Search")
        search.focus()
        sight.page.get_by_text("Type to start searching").wait_for()  # the index is there
        search.press_sequentially(words)
        first = ".md-search-result__item:first-child > .md-search-result__link"
        # What the first letters find is shown before, on a busy machine for longer.
        sight.page.wait_for_selector(f"{first}[href*='/{page}']", state="attached")
