"""A page as a browser shows it, and what a reader of it meets."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, Page

_HEIGHT = 900
_PAST_THE_EDGE = """(selector) => {
    const scrolls = (part) => /auto|scroll/.test(getComputedStyle(part).overflowX);
    const fits = (part) =>
        part.getBoundingClientRect().right <= document.documentElement.clientWidth + 1;
    const reached = (part, from) =>
        part && ((fits(part) && (part === from || scrolls(part)))
            || reached(part.parentElement, from));
    const parts = [...document.querySelectorAll(selector)];
    return parts.filter((part) => !reached(part, part)).map((part) => part.outerHTML.slice(0, 200));
}"""
_SCROLLS_AND_SUMMARIES = """(selector) => {
    for (const quote of document.querySelectorAll(selector))
        for (const part of [quote, ...quote.querySelectorAll('*')])
            if (part.tagName === 'SUMMARY' || (part.scrollWidth > part.clientWidth
                && /auto|scroll/.test(getComputedStyle(part).overflowX)))
                part.dataset.wanted = true;
    return document.querySelectorAll('[data-wanted]').length;
}"""


@dataclass(frozen=True)
class Violation:
    """What axe-core finds serious in an element."""

    rule: str
    summary: str
    """What to mend, with colors and sizes."""
    html: str


@dataclass(frozen=True)
class Sight:
    """A page in a window."""

    page: Page
    errors: list[str]
    """What the console and failed requests say."""
    hosts: set[str]
    """The hosts that were asked for something."""

    def unfold(self) -> None:
        """Open all folded parts of the page."""
        self.page.locator("details").evaluate_all("(all) => all.forEach((d) => { d.open = true; })")

    def width_beyond_the_window(self) -> int:
        """Return by how many pixels the page can be scrolled to the side."""
        root = "document.documentElement"
        return int(self.page.evaluate(f"{root}.scrollWidth - {root}.clientWidth"))

    def past_the_edge(self, selector: str) -> list[str]:
        """Return the elements that the window cuts off and that no box scrolls."""
        return list(self.page.evaluate(_PAST_THE_EDGE, selector))

    def violations(self, *selectors: str) -> list[Violation]:
        """Return what axe-core finds serious or critical in some elements.

        Whether links in a text are underlined is left to the theme.
        """
        axe = import_module("axe_playwright_python.sync_playwright").Axe()
        options = {
            "resultTypes": ["violations"],
            "rules": {"link-in-text-block": {"enabled": False}},
        }
        context = {"include": [[selector] for selector in selectors]}
        return [
            Violation(rule["id"], " ".join(node["failureSummary"].split()), node["html"][:200])
            for rule in axe.run(self.page, context, options).response["violations"]
            if rule["impact"] in {"serious", "critical"}
            for node in rule["nodes"]
        ]

    def style(self, selector: str, *names: str) -> list[dict[str, str]]:
        """Return properties of elements, as the browser computes them."""
        script = """(parts, names) => parts.map((part) => Object.fromEntries(
            names.map((name) => [name, getComputedStyle(part)[name]])))"""
        return list(self.page.locator(selector).evaluate_all(script, list(names)))

    def unreached(self, selector: str) -> list[str]:
        """Return the summaries and scrolling boxes that the key Tab does not come to."""
        left = int(self.page.evaluate(_SCROLLS_AND_SUMMARIES, selector))
        for _ in range(300):
            if not left:
                break
            self.page.keyboard.press("Tab")
            left = int(
                self.page.evaluate("""() => {
                    delete document.activeElement.dataset.wanted;
                    return document.querySelectorAll('[data-wanted]').length;
                }""")
            )
        wanted = self.page.locator("[data-wanted]")
        return list(wanted.evaluate_all("(parts) => parts.map((p) => p.outerHTML.slice(0, 200))"))


@contextmanager
def open_page(browser: Browser, address: str, *, scheme: str, width: int) -> Iterator[Sight]:
    """Open a page in a window of its own and note what its console says."""
    size: Any = {"width": width, "height": _HEIGHT}
    colors: Any = scheme
    context = browser.new_context(viewport=size, color_scheme=colors, reduced_motion="reduce")
    page = context.new_page()
    sight = Sight(page, [], set())
    page.on("request", lambda request: sight.hosts.add(urlsplit(request.url).netloc))
    page.on("requestfailed", lambda request: sight.errors.append(f"failed: {request.url}"))
    page.on("pageerror", lambda error: sight.errors.append(str(error)))
    page.on(
        "console",
        lambda message: sight.errors.append(message.text) if message.type == "error" else None,
    )
    page.goto(address, wait_until="networkidle")
    yield sight
    context.close()
