"""Plugins that copy pages, as Markdown or in a feed: the copies hold the quotes, too."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from bs4 import BeautifulSoup
from conftest import Built, Site
from mkdocs.commands.build import build
from mkdocs.config import load_config
from reading import ask, left_over
from tables import beside

ASKED = ask(source="/guide/auth.md", query="when does a session expire?", max_sentences=1)
PAGES = {
    "index.md": f"# Home\n\nWelcome to this place.\n\n{ASKED}\nMore below.\n",
    "guide/auth.md": "# Auth\n\nA session expires after a day, says [the moon](../moon.md).\n",
    "moon.md": f"# Moon\n\n- An item.\n\n    {ASKED.replace(chr(10), chr(10) + '    ').rstrip()}\n",
}
LLMS: dict[str, Any] = {"full_output": "llms-full.txt", "sections": {"All": ["*.md"]}}
FILLED: str = beside(__file__)["FILLED"]
DROPPED = (
    "recall: 'llmstxt' drops comments, so the quotes are missing in the copies of pages that it "
    "writes; keep the comments by its option 'preprocess', as the page 'Works with' of the "
    "documentation shows"
)
DEMO = Path(__file__).parents[2] / "demo_site"
MISTAKES = DEMO / "mistakes.md"
FEED = "https://larch.example/"
COPY_HOOK: str = beside(__file__)["COPY_HOOK"]
"""A plugin that keeps Markdown with our markers."""


@pytest.fixture
def kept(site: Site) -> list[Any]:
    """Plugins with a mkdocs-llmstxt that keeps comments as the documentation shows."""
    page = (DEMO / "works-with.md").read_text("utf-8")
    match = re.search(r"```python\n(.*?)```", page, re.DOTALL)
    assert match
    site.root.mkdir(exist_ok=True)
    (site.root / "keep_comments.py").write_text(match[1], encoding="utf-8")
    return ["recall", {"llmstxt": {**LLMS, "preprocess": "keep_comments.py"}}]


def rss(**options: Any) -> dict[str, Any]:
    """Return the plugin of feeds: without git, and nothing outside of the site's folder."""
    dates = {"as_creation": "date", "as_update": "date"}
    return {"rss": {"use_git": False, "cache_dir": ".rss", "date_from_meta": dates, **options}}


def orders(other: Any) -> list[list[Any]]:
    """Return a plugin before ours and behind it."""
    return [[other, "recall"], ["recall", other]]


def texts(built: Built) -> dict[str, str]:
    """Return the files of a site that are no pages, by path."""
    return {
        path.relative_to(built.folder).as_posix(): path.read_text("utf-8")
        for path in sorted(built.folder.rglob("*"))
        if path.suffix in {".md", ".txt", ".xml", ".json"}
    }


def descriptions(site: Path) -> dict[str, list[str]]:
    """Return the descriptions of the first page's items: in each feed, one."""
    found: dict[str, list[str]] = {}
    for path in sorted(site.glob("feed_rss_*.xml")):
        items = ET.parse(path).iterfind("channel/item")  # noqa: S314 - our own
        found[path.name] = [
            str(item.findtext("description")) for item in items if item.findtext("link") == FEED
        ]
    for path in sorted(site.glob("feed_json_*.json")):
        items_ = json.loads(path.read_text("utf-8"))["items"]
        found[path.name] = [item["content_html"] for item in items_ if item["url"] == FEED]
    return found


def test_output_of_llmstxt_holds_the_quotes(site: Site, kept: list[Any]) -> None:
    for plugins in (kept, kept[::-1]):
        built = site.build(PAGES, plugins=plugins)
        assert built.warnings == []
        written = texts(built)
        assert written["index.md"] == FILLED
        assert FILLED in written["llms-full.txt"]
        assert written["llms-full.txt"].count("expires after a day") == 3
        assert written["llms.txt"].count("index.md)") == 3
        assert "A session expires after a day" in written["moon/index.md"]
        again = site.rebuild()
        assert again.infos == ["recall: 2 directives answered, 0 by fallback, 2 from the cache"]
        assert texts(again) == written


@pytest.mark.parametrize("plugins", orders({"llmstxt": LLMS}))
def test_one_warning_names_a_plugin_that_drops_comments(site: Site, plugins: list[Any]) -> None:
    assert site.build(PAGES, plugins=plugins).warnings == [DROPPED]


@pytest.mark.parametrize("plugins", orders(rss(abstract_chars_count=-1)))
def test_a_feed_of_whole_pages_holds_the_quotes(site: Site, plugins: list[Any]) -> None:
    built = site.build(PAGES, plugins=plugins)
    assert built.warnings == []
    feeds = descriptions(built.folder)
    assert len(feeds) == 4
    for feed in feeds.values():
        (html,) = feed
        page = BeautifulSoup(html, "html.parser")
        assert [str(a["href"]) for a in page.select("blockquote.recall a")] == [
            "https://larch.example/moon/",
            "https://larch.example/guide/auth/#auth",
        ]
        assert "More below." in page.text
    assert left_over(built.folder) == []


@pytest.mark.parametrize("pretty", [True, False])
def test_an_abstract_ends_before_our_comment(site: Site, *, pretty: bool) -> None:
    site.write(PAGES)
    head = len("# Home\n\nWelcome to this place.\n\n")
    comment = head + len("<!-- recall:0123456789abcdef -->")
    for count in (
        *range(head + 1, head + 6, 1 + pretty),
        head + 16,
        comment - 4,
        comment - 1,
        comment,
    ):
        site.configure(plugins=["recall", rss(abstract_chars_count=count + 3, pretty_print=pretty)])
        built = site.rebuild()
        assert built.warnings == []
        for description in descriptions(built.folder).values():
            (html,) = description
            assert ("expires after a day" in html) == (count >= comment), (count, html)
            assert "&lt;" not in html
            assert "..." in html
            assert "!-" not in html
    assert left_over(built.folder) == []


def test_markers_in_copies_as_markdown_and_text_become_markdown(site: Site) -> None:
    built = site.build(PAGES, hook=COPY_HOOK)
    assert built.warnings == []
    written = texts(built)
    assert written["index.md"] == (
        "# Home\n\nWelcome to this place.\n\n"
        "> A session expires after a day, says [the moon](https://larch.example/moon/).\n>\n"
        "> — [Auth](https://larch.example/guide/auth/#auth)\n\nMore below.\n"
    )
    assert "\n    > A session expires" in written["moon/index.md"]
    assert written["index.md"] in written["all.txt"]
    assert left_over(built.folder) == []


def test_copies_of_quotes_from_the_cache_are_those_of_the_first_build(site: Site) -> None:
    asked = [
        ASKED,
        ask(source="/guide/auth.md", query="when does a session expire?", explain="true"),
        ask(source="/guide/auth.md", query="zebra", format="admonition"),
        ask("synopsis", source="/moon.md", format="list"),
        ask(source="/guide/auth.md", query="zebra", on_empty="omit"),
        ask(source="/no.md", query="larch"),
    ]
    pages = {**PAGES, "index.md": "\n".join(asked)}
    first = texts(site.build(pages, hook=COPY_HOOK, site_url=""))
    for part in ("How structure chose", "no answer", "**zebra**", "\n- ", "**Directive error**"):
        assert part in first["index.md"].replace("no direct answer", "no answer")
    again = site.rebuild()
    assert "6 from the cache" in again.infos[-1]
    assert texts(again) == first


def test_quotes_from_the_cache_are_markdown_in_copies(site: Site) -> None:
    site.build(PAGES)
    again = site.build(hook=COPY_HOOK)
    assert "> A session expires after a day" in texts(again)["index.md"]
    assert ", 2 from the cache" in again.infos[0]


def test_without_a_site_url_links_of_a_copy_lead_from_its_folder(site: Site) -> None:
    built = site.build(PAGES, hook=COPY_HOOK, site_url="")
    written = texts(built)
    assert "[the moon](moon/)" in written["index.md"]
    assert "[the moon](./)" in written["moon/index.md"]
    assert "[Auth](../guide/auth/#auth)" in written["moon/index.md"]


def test_a_marker_that_is_none_of_this_build_stays(site: Site) -> None:
    hook = (
        "from pathlib import Path\n\n"
        "def on_post_build(config, **kwargs):\n"
        "    Path(config.site_dir, 'a.md').write_text('<!-- recall:00 -->')\n"
    )
    built = site.build(PAGES, hook=hook)
    assert built.warnings == []
    assert texts(built)["a.md"] == "<!-- recall:00 -->"


def test_a_copy_that_cannot_be_written_is_a_warning(site: Site) -> None:
    unfinished = "f'all.txt.{os.getpid()}-{get_native_id()}.new'"
    hook = f"{COPY_HOOK}    import os\n    from threading import get_native_id\n"
    hook += f"    (folder / {unfinished}).mkdir()\n"
    (warning,) = site.build(PAGES, hook=hook).warnings
    assert warning.startswith("recall: the copy 'all.txt' cannot be filled: [Errno ")


def test_the_page_of_errors_has_each_of_these_messages_once() -> None:
    for message in (DROPPED.partition(";")[0], "recall: the copy 'llms.txt' cannot be filled: "):
        assert MISTAKES.read_text("utf-8").count(message) == 1


def test_pages_that_llmstxt_leaves_out_are_no_reason_for_a_warning(site: Site) -> None:
    for pages in ("guide/*.md", {"guide/auth.md": "Signing in"}):
        few = {"llmstxt": {"sections": {"All": [pages]}}}
        assert site.build(PAGES, plugins=["recall", few]).warnings == []


def test_each_rebuild_under_serve_writes_its_copies(site: Site, kept: list[Any]) -> None:
    site.write(PAGES)
    config = load_config(str(site.configure(plugins=kept)))
    config.plugins.on_startup(command="serve", dirty=False)
    for lasts in ("a day", "two days", "a week"):
        site.write({"guide/auth.md": f"# Auth\n\nA session expires after {lasts}.\n"})
        build(config)
        folder = site.root / "site"
        full = (folder / "llms-full.txt").read_text("utf-8")
        assert full.count(f"A session expires after {lasts}.") == 3
        assert full.count("A session expires") == 3
        assert f"> A session expires after {lasts}." in (folder / "index.md").read_text("utf-8")
    config.plugins.on_shutdown()


def test_a_dirty_build_writes_copies_of_what_it_builds(site: Site, kept: list[Any]) -> None:
    site.build(PAGES, plugins=kept)
    before = site.root / "site" / "moon" / "index.md"
    site.write({"guide/auth.md": "# Auth\n\nA session expires after a week.\n"})
    site.rebuild(dirty=True)
    for path in (before, site.root / "site" / "index.md"):
        assert "A session expires after a week." in path.read_text("utf-8")


@pytest.mark.parametrize("writer", ["llmstxt", "hook"])
def test_copies_keep_their_quotes_when_a_dirty_build_renders_their_page(
    site: Site, kept: list[Any], writer: str
) -> None:
    built = site.build(PAGES, **({"plugins": kept} if writer == "llmstxt" else {"hook": COPY_HOOK}))
    [copy] = (path for path in texts(built) if path in {"moon.md", "moon/index.md"})
    before = texts(built)[copy]
    assert "A session expires" in before
    site.write({"index.md": f"# Home\n\n{ask('synopsis', source='moon.md')}"})
    site.rebuild(dirty=True)
    assert texts(built)[copy] == before


def test_a_language_that_is_built_within_the_build_has_its_own_copies(site: Site) -> None:
    german = ask(source="/auth.md", query="wann endet eine Sitzung?", max_sentences=1)
    english = ask(source="/auth.md", query="when does a session end?", max_sentences=1)
    languages = [
        {"locale": "en", "name": "English", "default": True},
        {"locale": "de", "name": "Deutsch"},
    ]
    built = site.build(
        {
            "index.md": f"# Home\n\n{english}",
            "index.de.md": f"# Heim\n\n{german}",
            "auth.md": "# Auth\n\nA session ends after a day.\n",
            "auth.de.md": "# Auth\n\nEine Sitzung endet nach einem Tag.\n",
        },
        plugins=[{"i18n": {"docs_structure": "suffix", "languages": languages}}, "recall"],
        hook=COPY_HOOK,
    )
    assert built.warnings == []
    written = texts(built)
    assert "> A session ends after a day." in written["index.md"]
    assert "> Eine Sitzung endet nach einem Tag." in written["de/index.md"]
    assert left_over(built.folder) == []
