"""Plugins that process the output find the quotes, and the quotes survive them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from conftest import Site
from reading import Quote, ask, quotes

ASKED = ask(source="/guide/auth.md", query="when does a session expire?", max_sentences=1)
PAGES = {
    "index.md": f"# Home\n\n{ASKED}",
    "guide/auth.md": (
        "# Auth\n\nA session expires after a day, says [the moon](../deep/er/moon.md).\n"
    ),
    "deep/er/moon.md": f"# Moon\n\n{ASKED}",
}
TEXT = "A session expires after a day, says the moon. — Auth"
ANSWER = Quote(TEXT, ("deep/er/moon/index.html", "guide/auth/index.html#auth"))


@pytest.mark.parametrize("directories", [True, False])
@pytest.mark.parametrize("theme", ["mkdocs", "material"])
def test_quotes_on_the_print_page_lead_within(site: Site, theme: str, *, directories: bool) -> None:
    built = site.build(
        PAGES,
        plugins=["recall", "print-site"],
        theme={"name": theme, "font": False} if theme == "material" else theme,
        use_directory_urls=directories,
    )
    printed = "print_page/index.html" if directories else "print_page.html"
    leads = (f"{printed}#deep-er-moon", f"{printed}#guide-auth-auth")
    assert quotes(built.folder, printed) == [Quote(TEXT, leads), Quote(TEXT, leads)]
    assert built.warnings == []


@pytest.mark.parametrize("recall_first", [True, False])
def test_a_minified_page_holds_the_same_quotes(site: Site, *, recall_first: bool) -> None:
    minify = {"minify": {"minify_html": True, "htmlmin_opts": {"remove_comments": True}}}
    plugins: list[Any] = ["recall", minify] if recall_first else [minify, "recall"]
    built = site.build(PAGES, plugins=plugins)
    assert "\n" not in built.html().partition("<article>")[2].partition("</article>")[0]
    assert quotes(built.folder) == [ANSWER]
    assert quotes(built.folder, "deep/er/moon/index.html") == [ANSWER]
    assert built.warnings == []


def test_a_quote_in_an_excerpt_survives_a_plugin_that_removes_comments(site: Site) -> None:
    minify = {"minify": {"minify_html": True, "htmlmin_opts": {"remove_comments": True}}}
    post = f"---\ndate: 2024-02-03\n---\n\n# Moon\n\n{ASKED}\n<!-- more -->\n\nMore.\n"
    built = site.build(
        {**PAGES, "blog/index.md": "# Blog\n", "blog/posts/moon.md": post},
        theme={"name": "material", "font": False},
        plugins=["blog", minify, "recall"],
        nav=["index.md", "guide/auth.md", "deep/er/moon.md", "blog/index.md"],
    )
    assert quotes(built.folder, "blog/index.html") == [ANSWER]


def test_a_page_that_has_moved_is_cited_where_it_is(site: Site) -> None:
    redirects = {"redirect_maps": {"auth.md": "guide/auth.md"}}
    built = site.build(PAGES, plugins=[{"redirects": redirects}, "recall"])
    assert "../guide/auth/" in built.html("auth/index.html")
    assert quotes(built.folder) == [ANSWER]
    assert built.warnings == []


@pytest.mark.parametrize("recall_first", [True, False])
def test_an_image_is_quoted_with_the_link_to_its_box(site: Site, *, recall_first: bool) -> None:
    auth = PAGES["guide/auth.md"].replace("expires", "![a door](../door.png) expires")
    built = site.build(
        {**PAGES, "guide/auth.md": auth, "door.png": b"a door"},
        plugins=["recall", "glightbox"] if recall_first else ["glightbox", "recall"],
    )
    answer = replace(ANSWER, leads=("door.png", *ANSWER.leads))
    assert quotes(built.folder) == [answer]
    assert quotes(built.folder, "deep/er/moon/index.html") == [answer]
    assert built.tag("a.glightbox", "guide/auth/index.html")["href"] == "../../door.png"
    assert built.warnings == []
