"""`recall: {backlinks: true}` in front matter: a page says which other pages quote it."""

from __future__ import annotations

from conftest import Site

FENCE = "```recall\nsource: {}\nquery: wie lange dauert eine Sitzung?\n{}```\n"
AUTH = "---\nlang: de\nrecall:\n  backlinks: {}\n---\n# Auth\n\nEine Sitzung dauert zehn Tage.\n"
PAGES: dict[str, str | bytes] = {
    "auth.md": AUTH.format("true") + "\n" + FENCE.format("auth.md", ""),
    "a/quoting.md": "# Sessions & `keys`\n\n" + FENCE.format("../auth.md", "") * 2,
    "b.md": "# Silent\n\n" + FENCE.format("auth.md", "cite: false\n"),
}


def test_a_page_that_asks_for_it_lists_those_that_cite_it(site: Site) -> None:
    for _ in range(2):  # cold and warm
        made = site.build(PAGES)
        assert made.warnings == []
        box = made.tag("details.recall-backlinks[data-search-exclude]", "auth/index.html")
        assert box.summary is not None
        assert box.summary.get_text() == "Zitiert von"
        assert [(a["href"], a.get_text()) for a in box.select("a")] == [
            ("../a/quoting/", "Sessions & keys")
        ]
        assert not made.page("a/quoting/index.html").select(".recall-backlinks")


def test_without_the_wish_or_a_quote_there_is_no_list(site: Site) -> None:
    pages = {**PAGES, "auth.md": AUTH.format("false"), "c.md": AUTH.format("true")}
    made = site.build(pages)
    assert made.warnings == []
    assert not made.page("auth/index.html").select(".recall-backlinks")
    assert not made.page("c/index.html").select(".recall-backlinks")


def test_another_value_is_a_mistake_and_the_page_is_quoted(site: Site) -> None:
    made = site.build({**PAGES, "auth.md": AUTH.format("yes please")})
    [warning] = made.warnings
    assert "auth.md:3: recall: 'recall.backlinks' in the front matter must be true or" in warning
    assert made.html("a/quoting/index.html").count("dauert zehn Tage") == 2
