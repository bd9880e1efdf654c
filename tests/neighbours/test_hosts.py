"""Hosts that are not plain MkDocs: ProperDocs, and Material with its own plugins."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

import pytest
from conftest import Site
from reading import Quote, ask, page, quotes, read_quote
from tables import beside

AUTH: str = beside(__file__)["AUTH"]
ASKED = ask(source="/auth.md", query="when does a session expire?", max_sentences=1)
ANSWER = "A session expires after a day, says the start. — Auth"
MATERIAL: dict[str, Any] = {"name": "material", "font": False}


def properdocs(site: Site) -> subprocess.CompletedProcess[str]:
    """Build what is written with ProperDocs, strictly, as an author does."""
    return subprocess.run(
        [sys.executable, "-m", "properdocs", "build", "--strict"],
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        cwd=site.root,
        env={**os.environ, "PYTHONUTF8": "1"},
    )


@pytest.mark.host
def test_properdocs_builds_both_directives_strictly(site: Site) -> None:
    summed = ask("synopsis", source="auth.md", max_sentences=1)
    site.write({"index.md": f"# Home\n\n{ASKED}\n{summed}", "auth.md": AUTH})
    site.configure(plugins=["search", "recall"])
    result = properdocs(site)
    assert result.returncode == 0, result.stderr
    assert quotes(site.root / "site") == [
        Quote(ANSWER, ("index.html", "auth/index.html#auth")),
        Quote(ANSWER, ("index.html", "auth/index.html#auth")),
    ]
    assert "recall: 2 directives answered, 0 by fallback, 0 from the cache" in result.stderr


@pytest.mark.host
def test_properdocs_stops_a_strict_build_at_an_error_and_names_its_line(site: Site) -> None:
    site.write({"index.md": f"# Home\n\n{ask(source='auth.md')}", "auth.md": AUTH})
    site.configure()
    result = properdocs(site)
    assert result.returncode == 1
    assert "WARNING -  index.md:3: recall: 'query' is required" in result.stderr
    assert "Traceback" not in result.stderr


def test_material_s_search_finds_a_sentence_only_on_its_own_page(site: Site) -> None:
    case = beside(__file__)["a sentence is found in Material's search only on its own page"]
    built = site.build(case["pages"], theme=MATERIAL, plugins=["search", "recall"])
    found = quotes(built.folder)
    assert len(found) == 3
    for quote in found:
        assert ANSWER in quote.text
        assert "auth/index.html#auth" in quote.leads
    index = json.loads((built.folder / "search" / "search_index.json").read_text(encoding="utf-8"))
    texts = {entry["location"]: entry["text"] for entry in index["docs"]}
    assert "Larches are trees." in texts[""]
    for sentence, place in case["places"].items():
        assert [found for found, text in texts.items() if sentence in text] == [place]
    assert built.warnings == []


BLOG = {
    "index.md": "# Home\n",
    "auth.md": AUTH,
    "blog/index.md": "# Blog\n",
    "blog/posts/moon.md": (
        "---\ndate: 2024-02-03\ncategories: [Trees]\n---\n\n# Moon\n\nThe moon is full.\n\n"
        f"{ASKED}\n<!-- more -->\n\n{ask('synopsis', source='/auth.md', max_sentences=1)}"
    ),
}
BLOG_NAV = ["index.md", "auth.md", "blog/index.md"]


@pytest.mark.parametrize("directories", [True, False])
def test_a_quote_in_an_excerpt_is_on_every_listing(site: Site, *, directories: bool) -> None:
    built = site.build(
        BLOG,
        theme=MATERIAL,
        plugins=["blog", "search", "recall"],
        nav=BLOG_NAV,
        use_directory_urls=directories,
    )
    tail = "/index.html" if directories else ".html"
    quote = Quote(ANSWER, ("index.html", f"auth{tail}#auth"))
    assert quotes(built.folder, f"blog/2024/02/03/moon{tail}") == [quote, quote]
    for listing in ("blog/index.html", f"blog/archive/2024{tail}", f"blog/category/trees{tail}"):
        assert quotes(built.folder, listing) == [quote], listing
    assert built.warnings == []
    assert built.infos[-1] == "recall: 2 directives answered, 0 by fallback, 0 from the cache"


def test_a_fence_in_a_snippet_is_answered_in_the_excerpts_of_its_posts(site: Site) -> None:
    (site.root / "ask.md").write_text(ASKED, encoding="utf-8")
    (site.root / "own.md").write_text(ask("synopsis", max_sentences=1), encoding="utf-8")
    post = (
        "---\ndate: 2024-02-0{0}\ntitle: Day {0}\n---\n\nThe moon was full on day {0}.\n\n"
        '--8<-- "ask.md"\n\n--8<-- "own.md"\n\n<!-- more -->\n\nMore.\n\n--8<-- "ask.md"\n'
    )
    posts = {f"blog/posts/{day}.md": post.format(day) for day in (1, 2)}
    pages = {uri: text for uri, text in BLOG.items() if "posts" not in uri} | posts
    snippets = {"pymdownx.snippets": {"base_path": [str(site.root)]}}
    settings: dict[str, Any] = {
        "theme": MATERIAL,
        "plugins": ["blog", "search", "recall"],
        "nav": BLOG_NAV,
        "markdown_extensions": ["pymdownx.superfences", snippets],
    }
    for _ in range(2):  # the second answers from the cache
        built = site.build(pages, **settings)
        listed = [quote.text for quote in quotes(built.folder, "blog/index.html")]
        assert [text.partition(" —")[0] for text in listed] == [
            ANSWER.partition(" —")[0],
            "The moon was full on day 2.",
            ANSWER.partition(" —")[0],
            "The moon was full on day 1.",
        ]
        assert "when does a session" not in built.html("blog/index.html")
        assert built.warnings == []


def test_a_blog_post_is_cited_at_its_published_address(site: Site) -> None:
    fence = ask(source="blog/posts/moon.md", query="moon", max_sentences=1)
    pages = {**BLOG, "index.md": f"# Home\n\n{fence}"}
    built = site.build(pages, theme=MATERIAL, plugins=["blog", "search", "recall"], nav=BLOG_NAV)
    assert quotes(built.folder) == [
        Quote("The moon is full. — Moon", ("blog/2024/02/03/moon/index.html#moon",))
    ]
    assert built.warnings == []


def test_a_page_that_lists_tags_keeps_its_list_and_its_quote(site: Site) -> None:
    built = site.build(
        {
            "index.md": "# Home\n",
            "tags.md": f"# Tags\n\n{ASKED}\n<!-- material/tags -->\n",
            "auth.md": f"---\ntags: [Doors]\n---\n\n{AUTH}",
            "deep/moon.md": f"---\ntags: [Trees]\n---\n\n# Moon\n\n{ASKED}",
        },
        theme=MATERIAL,
        plugins=["tags", "search", "recall"],
    )
    quote = Quote(ANSWER, ("index.html", "auth/index.html#auth"))
    assert quotes(built.folder, "tags/index.html") == [quote]
    assert quotes(built.folder, "deep/moon/index.html") == [quote]
    (listed,) = page(built.folder, "tags/index.html").select("article")
    read = read_quote(built.folder, "tags/index.html", listed)
    assert read.leads[-2:] == ("auth/index.html", "deep/moon/index.html")
    assert built.warnings == []


def test_a_folder_that_its_meta_file_excludes_is_not_quoted(site: Site) -> None:
    site.write({"inner/.meta.yml": "recall: {exclude: true}\n"})
    fence = ask(source='"**"', query="session", max_sentences=9, context=0, min_score=0)
    built = site.build(
        {
            "index.md": f"# Home\n\n{fence}",
            "auth.md": AUTH,
            "inner/plan.md": "# Plan\n\nA session is to be short.\n",
        },
        theme=MATERIAL,
        plugins=["meta", "search", "recall"],
    )
    (quote,) = quotes(built.folder)
    assert "A session expires" in quote.text
    assert "A session is to be short." not in quote.text


@pytest.mark.parametrize("directories", [True, False])
def test_quotes_lead_to_files_and_ids_at_every_depth(site: Site, *, directories: bool) -> None:
    options = {"source": "/a b/ü/auth.md", "max_sentences": 9}
    result = ask(query="session cookie", min_score=0, context=0, **options)
    asking = f"# Asking\n\n{result}\n{ask('synopsis', **options)}"
    names = ["README.md", "flat.md", "a b/README.md", "a b/ü/deep/er/ask.md"]
    auth = AUTH.replace("index.md", "deep/er/ask.md").replace("# Cookies", "# Cookies {#für-ü}")
    built = site.build(
        {**dict.fromkeys(names, asking), "a b/ü/auth.md": auth},
        theme=MATERIAL,
        plugins=["search", "recall"],
        markdown_extensions=["attr_list", "pymdownx.superfences"],
        use_directory_urls=directories,
    )
    tail = "/index.html" if directories else ".html"
    leads = (f"a b/ü/deep/er/ask{tail}", f"a b/ü/auth{tail}#auth", f"a b/ü/auth{tail}#für-ü")
    for path in ("index.html", f"flat{tail}", "a b/index.html", f"a b/ü/deep/er/ask{tail}"):
        assert [quote.leads for quote in quotes(built.folder, path)] == [leads, leads], path
    assert built.warnings == []
