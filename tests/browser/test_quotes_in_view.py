"""Quotes in a real browser: they fit, they can be read, and the keyboard reaches all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest
from shown import OWN, QUOTES, VIEWS, View
from sight import Sight, open_page

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser

pytest_plugins = ("browsing",)
pytestmark = pytest.mark.browser

ALL = ".recall, .synopsis, .recall-note, .recall-error, .recall-explain"
"""What the plugin puts into a page."""
PARTS = ", ".join(f"{each}, {each} *" for each in ALL.split(", "))


@pytest.fixture(scope="module", params=VIEWS, ids=str)
def sight(browser: Browser, themes: str, request: pytest.FixtureRequest) -> Iterator[Sight]:
    """The page of quotes, as one theme shows it."""
    view: View = request.param
    with open_page(
        browser, f"{themes}/{view.theme}/", scheme=view.scheme, width=view.width
    ) as sight:
        yield sight


def test_the_page_has_every_kind_of_quote(sight: Sight) -> None:
    for kind in (
        *("blockquote.recall cite", "blockquote.synopsis", "blockquote.recall pre code"),
        *("blockquote.recall li", "ul.recall", ".admonition.recall", ".recall-note"),
        *(".recall-error", "details.recall-explain table"),
    ):
        assert sight.page.locator(kind).count() > 0, kind


def test_a_page_with_quotes_asks_no_other_host_and_has_no_error(sight: Sight) -> None:
    assert sight.errors == []
    assert sight.hosts == {urlsplit(sight.page.url).netloc}


def test_the_keyboard_opens_folded_tables_and_reaches_what_scrolls(sight: Sight) -> None:
    summaries = sight.page.locator("details.recall-explain > summary")
    assert summaries.count() == 2
    for number in range(summaries.count()):
        if sight.page.locator("details.recall-explain[open]").count() <= number:
            summaries.nth(number).focus()
            sight.page.keyboard.press("Enter")
    assert sight.page.locator("details.recall-explain[open] table:visible").count() >= 2
    sight.page.evaluate("document.activeElement.blur(); window.scrollTo(0, 0)")
    assert sight.unreached(ALL) == []


def test_a_quote_fits_its_window(sight: Sight) -> None:
    sight.unfold()
    assert sight.width_beyond_the_window() == 0
    assert sight.past_the_edge(PARTS) == []


def test_code_in_a_quote_scrolls_and_breaks_no_word(sight: Sight) -> None:
    for style in sight.style(".recall pre code", "whiteSpace", "overflowWrap", "overflowX"):
        assert style == {"whiteSpace": "pre", "overflowWrap": "normal", "overflowX": "auto"}


def test_axe_finds_nothing_serious_in_a_quote_beyond_the_theme_itself(sight: Sight) -> None:
    everywhere = {(violations.rule, violations.summary) for violations in sight.violations(OWN)}
    sight.unfold()
    violations = sight.violations(*ALL.split(", "))
    assert [each for each in violations if (each.rule, each.summary) not in everywhere] == []


def test_a_bar_marks_a_quote(sight: Sight) -> None:
    bars = sight.style(
        "blockquote.recall, blockquote.synopsis",
        "borderInlineStartStyle",
        "borderInlineStartWidth",
        "borderInlineStartColor",
    )
    assert len(bars) > 5
    for bar in bars:
        assert bar["borderInlineStartStyle"] == "solid", bar
        assert float(bar["borderInlineStartWidth"].removesuffix("px")) >= 2, bar
        assert bar["borderInlineStartColor"] not in {"transparent", "rgba(0, 0, 0, 0)"}, bar


def test_a_citation_is_smaller_than_its_answer(sight: Sight) -> None:
    pairs = sight.page.locator(f":is({QUOTES}) cite").evaluate_all("""(cites) => cites.map(
        (cite) => [cite, cite.closest('.recall, .synopsis')].map(
            (part) => parseFloat(getComputedStyle(part).fontSize)))""")
    assert len(pairs) > 8
    assert [pair for pair in pairs if pair[0] >= pair[1]] == []
