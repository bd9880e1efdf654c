"""A build reports a source page whose text another plugin replaced after it was quoted."""

from __future__ import annotations

import pytest
from conftest import Site
from tables import beside

RATE = "# Rate\n\nMembers of the association receive “quarterly” überraschende discounts.\n"
HOME = "# Home\n\n```recall\nsource: {}\nquery: Which discounts do members receive?\n```\n"
PAGES = {"index.md": HOME.format("rate.md"), "rate.md": RATE, "other.md": "# Other\n\nText.\n"}
LOST = (
    "index.md:3: recall: 'rate.md' is published without the text that is quoted here: a plugin or "
    "its template leaves it out; if it is not for all readers, write 'recall: {exclude: true}' "
    "into its front matter"
)
REPLACING: dict[str, str] = beside(__file__)["REPLACING"]
KEEPING: dict[str, str] = beside(__file__)["KEEPING"]


@pytest.mark.parametrize("hook", REPLACING.values(), ids=REPLACING)
@pytest.mark.parametrize("source", ["rate.md", '"**"'])
def test_a_page_that_lost_its_quoted_text_is_named_once(site: Site, hook: str, source: str) -> None:
    built = site.build({**PAGES, "index.md": HOME.format(source)}, hook=hook)
    assert built.warnings == [LOST]
    assert site.rebuild().warnings == [LOST]  # with the quote from the cache


@pytest.mark.parametrize("change", KEEPING.values(), ids=KEEPING)
def test_a_page_that_shows_the_same_in_another_form_is_not(site: Site, change: str) -> None:
    body = change.replace("output", "body")
    hook = (
        "def on_post_page(output, page, config):\n"
        "    head, mark, body = output.partition('<body>')\n"
        f"    return head + mark + {body}\n"
    )
    assert site.build(PAGES, hook=hook).warnings == []
