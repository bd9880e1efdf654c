"""Fences with a filter in a build: what they quote depends on the pages' front matter."""

from __future__ import annotations

import pytest
from conftest import Site
from rebuilds import Dirty
from tables import Case, tabled

FENCE = (
    '```recall\nsource: {pages: "**", where: {tags: admin}}\n'
    "query: how long is a token valid\n```\n"
)


def page(tags: str, days: int) -> str:
    return f"---\ntags: {tags}\n---\n# Tokens\n\nA token is valid for {days} days.\n"


@pytest.fixture
def pages() -> dict[str, str]:
    return {
        "index.md": f"# Home\n\n{FENCE}",
        "admin.md": page("[admin, ops]", 7),
        "user.md": page("users", 9),
        "guest.md": page("guests", 11),
    }


@tabled
def test_a_fence_quotes_only_pages_of_its_filter(
    site: Site, pages: dict[str, str], case: Case
) -> None:
    site.write(pages)
    site.expect(case)


def test_an_edit_of_tags_changes_a_quote_in_a_warm_build(site: Site, pages: dict[str, str]) -> None:
    site.build(pages)
    site.write({"admin.md": page("users", 7), "user.md": page("admin", 9)})
    warm = site.rebuild()
    assert "valid for 9 days" in warm.html()
    assert "valid for 7 days" not in warm.html()
    assert "0 from the cache" in warm.infos[-1]
    assert "1 from the cache" in site.rebuild().infos[-1]


def test_edited_tags_rebuild_who_filters_by_them(site: Site, pages: dict[str, str]) -> None:
    dirty = Dirty(site)
    site.write(pages)
    dirty.make(dirty=False)
    dirty.edit("user.md", "users", "admin")
    dirty.edit("admin.md", "[admin, ops]", "[ops]")
    built = dirty.build()
    assert "index.html" in dirty.written
    assert "guest/index.html" not in dirty.written
    assert "valid for 9 days" in built.html()


def test_a_page_that_dirty_skips_is_filtered_by_its_file(site: Site, pages: dict[str, str]) -> None:
    dirty = Dirty(site)
    site.write(pages)
    dirty.make(dirty=False)
    dirty.edit("index.md", "# Home", "# House")
    built = dirty.build()
    assert "guest/index.html" not in dirty.written
    assert "valid for 7 days" in built.html()
