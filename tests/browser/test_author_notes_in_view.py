"""The note for authors in a real browser: it opens by key, fits a phone, and needs no script."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from shown import served
from sight import open_page

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conftest import Site
    from playwright.sync_api import Browser

pytest_plugins = ("browsing",)
pytestmark = pytest.mark.browser

NOTE = ".recall-preview > details"
FENCE = "```recall\nsource: auth.md\nquery: When does the session of a walrus expire?\n```\n"
PAGES = {
    "index.md": f"# Home\n\n{FENCE}",
    "auth.md": "# A\n\n## Expiry\n\nA session expires at once.\n\n## Else\n\nThe session of it.\n",
}


SCHEMES = [
    {"media": f"(prefers-color-scheme: {name})", "scheme": scheme}
    for name, scheme in (("light", "default"), ("dark", "slate"))
]
THEMES = {
    "mkdocs": {"name": "mkdocs", "color_mode": "auto"},
    "material": {"name": "material", "font": False, "palette": SCHEMES},
}


@pytest.fixture(params=THEMES)
def address(site: Site, request: pytest.FixtureRequest) -> Iterator[str]:
    """The address of a previewed page."""
    site.write(PAGES)
    site.configure(theme=THEMES[request.param])
    with served(site.rebuild(command="serve").folder) as address:
        yield address


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_note_opens_by_key_fits_a_phone_and_passes_axe(
    browser: Browser, address: str, scheme: str
) -> None:
    with open_page(browser, f"{address}/", scheme=scheme, width=390) as sight:
        assert not sight.page.locator(f"{NOTE} ol").first.is_visible()
        sight.page.locator(f"{NOTE} > summary").focus()
        sight.page.keyboard.press("Enter")
        sight.page.locator(f"{NOTE} li summary").first.focus()
        sight.page.keyboard.press("Enter")
        assert sight.page.locator(f"{NOTE} li details code").first.is_visible()
        assert sight.page.evaluate("document.documentElement.scrollWidth") <= 390
        assert sight.violations(".recall-preview") == []
        button = sight.page.locator(f"{NOTE} button").first
        button.focus()
        sight.page.keyboard.press("Enter")
        chosen = sight.page.evaluate("getSelection().toString()")
        assert chosen == sight.page.locator(f"{NOTE} code").first.text_content()


def test_a_click_selects_the_line_where_no_script_runs(browser: Browser, address: str) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{address}/")
    page.locator(f"{NOTE} > summary").click()
    assert page.locator(f"{NOTE} li code").first.is_visible()
    assert not page.locator(f"{NOTE} button").first.is_visible()
    style = "getComputedStyle(document.querySelector('.recall-preview code')).userSelect"
    assert page.evaluate(style) == "all"
    context.close()
