"""`--dirty`: pages that quote or are quoted are rebuilt, others only if they change."""

from __future__ import annotations

import os
import random
import shutil

import pytest
from conftest import Site, cache_file, cached
from rebuilds import START, Dirty, Walk
from tables import beside

from mkdocs_recall.store import Cache

GUIDES = {
    "guides/auth.md": "---\ntitle: Who are you?\n---\n\n# Auth\n\nA session ends, see [b](b.md).\n",
    "guides/b.md": "# The second\n\n## Cookies {#jar}\n\nThe cookie of a session is *larch*.\n",
    "guides/c.md": "---\nrecall: {exclude: true}\n---\n# Hidden\n\nA session of the larch.\n",
}


@pytest.fixture
def dirty(site: Site) -> Dirty:
    """A documentation that was built once."""
    made = Dirty(site)
    site.write(
        {
            "index.md": "# Home\n\nA larch.\n",
            "by-glob.md": (
                "# G\n\n```recall\nsource: guides/**\nquery: larch session\nmin_score: 0\n"
                "context: 0\n```\n"
            ),
            "by-name.md": "# N\n\n```synopsis\nsource: guides/b.md#jar\n```\n",
            "by-self.md": "# S\n\nA birch.\n\n```recall\nquery: birch\n```\n",
            "by-word.md": "# W\n\nWe recall a synopsis of the larch.\n",
            **GUIDES,
        }
    )
    made.settings = {"markdown_extensions": ["attr_list"]}
    made.make(dirty=False)
    assert len(made.written) == 8
    return made


GLOB, NAMED, ITSELF = "by-glob/index.html", "by-name/index.html", "by-self/index.html"
ASKING = {GLOB, NAMED, ITSELF, "by-word/index.html"}
ASKED = {"guides/auth/index.html", "guides/b/index.html"}


def test_pages_that_ask_or_are_asked_are_rebuilt_and_others_are_not(dirty: Dirty) -> None:
    for _ in range(2):
        dirty.build()
        assert dirty.written == ASKING | ASKED
    dirty.edit("index.md", "larch", "fir")
    dirty.build()
    assert dirty.written == ASKING | ASKED | {"index.html"}


@pytest.mark.parametrize("length", [1, 16, 100, 50_000])
def test_random_bytes_in_place_of_the_cache_are_replaced(dirty: Dirty, length: int) -> None:
    path = cache_file(dirty.site.cache)
    path.write_bytes(random.Random(length).randbytes(length))  # noqa: S311 - no secret
    [notice] = [info for info in dirty.build().infos if str(path) in info]
    assert "rebuilt" in notice
    for _ in range(2):
        dirty.build()
    assert dirty.written == ASKING | ASKED


def test_an_edit_of_a_page_reaches_who_asks_it(dirty: Dirty) -> None:
    dirty.edit("guides/b.md", "*larch*", "*fir*")
    built = dirty.build()
    assert "<em>fir</em>" in built.html(NAMED)
    assert "<em>fir</em>" in built.html(GLOB)
    dirty.edit("by-self.md", "birch", "white birch")
    assert "white birch" in dirty.build().text("blockquote", ITSELF)


def test_a_page_that_a_changed_fence_names_is_rebuilt_with_it(dirty: Dirty) -> None:
    dirty.edit("by-name.md", "guides/b.md#jar", "index.md")
    assert "A larch." in dirty.build().text("blockquote", NAMED)
    assert "index.html" in dirty.written


def test_a_page_added_to_or_removed_from_a_glob_changes_its_quotes(dirty: Dirty) -> None:
    dirty.site.write({"guides/new.md": "# New\n\nNo session of the larch is new.\n"})
    assert "is new" in dirty.build().html(GLOB)
    path = dirty.site.docs / "guides/new.md"
    path.rename(path.with_name("newest.md"))
    assert "newest/#new" in dirty.build().html(GLOB)
    path.with_name("newest.md").unlink()
    assert "is new" not in dirty.build().html(GLOB)


def test_an_old_file_that_comes_into_a_glob_is_seen(dirty: Dirty) -> None:
    (dirty.site.docs / "guides/old.md").write_text("# Old\n\nAn old session of the larch.\n")
    os.utime(dirty.site.docs / "guides/old.md", (5, 5))
    assert "old session" in dirty.build().html(GLOB)


def test_excluding_a_page_or_undoing_that_changes_its_quotes(dirty: Dirty) -> None:
    dirty.edit("guides/c.md", "{exclude: true}", "{exclude: false}")
    assert "A session of the larch." in dirty.build().html(GLOB)
    dirty.edit("guides/c.md", "{exclude: false}", "{exclude: true}")
    assert "A session of the larch." not in dirty.build().html(GLOB)


def test_a_change_of_the_site_changes_every_quote(dirty: Dirty) -> None:
    plain = dict(dirty.settings)
    for settings in (
        {"recall": {"max_sentences": 1}},
        {"recall": {"format": "list"}},
        {"use_directory_urls": False},
        {},
        {"theme": {"name": None, "custom_dir": "theme", "language": "fr"}},
    ):
        dirty.settings = plain | settings
        dirty.build()


def test_a_title_or_an_order_in_the_navigation_counts(dirty: Dirty) -> None:
    pages = ["guides/b.md", "guides/auth.md", "by-glob.md", "by-name.md"]
    dirty.settings["nav"] = pages
    assert dirty.build().text("blockquote", GLOB).endswith("Who are you? › Auth")
    dirty.settings["nav"] = ["guides/b.md", {"Sessions": "guides/auth.md"}, *pages[2:]]
    assert dirty.make().text("blockquote", GLOB).endswith("Sessions › Auth")


def test_a_title_that_changes_while_nobody_asks_counts_when_somebody_does(dirty: Dirty) -> None:
    pages = ["guides/b.md", "by-name.md"]
    dirty.settings["nav"] = [*pages, "guides/auth.md"]
    dirty.make()
    dirty.edit("by-glob.md", "guides/**", "guides/b.md")
    dirty.make()
    dirty.settings["nav"] = [*pages, {"Sessions": "guides/auth.md"}]
    dirty.make()
    dirty.edit("by-glob.md", "guides/b.md", "guides/**")
    assert dirty.make().page(GLOB).find("a", string="Sessions › Auth")


def test_each_site_folder_has_its_own_pages(dirty: Dirty) -> None:
    dirty.site_dir = "other"
    dirty.build()
    dirty.site.write({"guides/new.md": "# New\n\nNo session of the larch is new.\n"})
    dirty.build()
    (dirty.site.docs / "guides/new.md").unlink()
    dirty.build()
    dirty.site_dir = "site"
    dirty.site.write({"guides/new.md": "# New\n\nNo session of the larch is new.\n"})
    dirty.build()
    (dirty.site.docs / "guides/new.md").unlink()
    dirty.site_dir = "other"
    dirty.make()
    dirty.site_dir = "site"
    assert "is new" not in dirty.build().html(GLOB)


@pytest.mark.parametrize("what", ["missing", "off", "emptied", "unreadable", "but for the state"])
def test_without_the_state_of_a_last_build_all_pages_are_rendered(
    dirty: Dirty, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    """With no knowledge of a last build at all, a fence may come from anywhere."""
    if what == "missing":
        shutil.rmtree(dirty.site.cache)
    elif what == "off":
        dirty.settings["recall"] = {"cache": False}
    elif what == "unreadable":  # as another version of this package leaves it
        monkeypatch.setattr("mkdocs_recall.hosts.build.unpack", lambda *_: None)
    else:
        values = cached(dirty.site.cache)
        for path in dirty.site.cache.glob("*.bin"):
            path.unlink()
        cache = Cache(dirty.site.cache)
        for key, value in values.items():  # the state is a list of four, first a mapping
            if what == "but for the state" and value[0] == 0x94 and value[1] & 0xF0 == 0x80:
                cache.put(key, value)
        cache.save()
    dirty.edit("by-glob.md", "larch session", "session larch cookie")
    built = dirty.build()
    monkeypatch.undo()
    links = {str(link["href"]): link.get_text() for link in built.page(GLOB).select("a")}
    assert links == {
        "../guides/auth/#auth": "Who are you? › Auth",
        "../guides/b/": "b",
        "../guides/b/#jar": "The second › Cookies",
    }
    assert dirty.written >= ASKING | ASKED
    assert ("index.html" in dirty.written) == (what != "but for the state")
    dirty.edit("by-glob.md", "cookie", "jar")
    dirty.build()
    assert ("index.html" in dirty.written) == (what == "off")


def test_a_changed_file_that_mkdocs_misses_is_read_again(dirty: Dirty) -> None:
    dirty.edit("guides/b.md", "*larch*", "*fir*")
    os.utime(dirty.site.docs / "guides/b.md", (START - 99, START - 99))
    assert "<em>fir</em>" in dirty.make().html(NAMED)


def test_a_draft_is_rebuilt_in_the_preview(dirty: Dirty) -> None:
    dirty.settings["draft_docs"] = "by-name.md"
    dirty.serve = True
    dirty.make(dirty=False)
    dirty.edit("guides/b.md", "*larch*", "*fir*")
    dirty.build()
    assert NAMED in dirty.written


EVENTS = """
def on_pre_page(page, config, files):
    page.before = "before"
    return page

def on_page_markdown(markdown, page, config, files):
    return markdown.replace("The cookie", f"The cookie {page.before} all")
"""


def test_a_page_rendered_to_be_asked_goes_through_all_events(dirty: Dirty) -> None:
    dirty.settings["hook"] = EVENTS
    dirty.make(dirty=False)
    shutil.rmtree(dirty.site.cache)
    dirty.edit("by-name.md", "# N", "# Name")
    assert "before all" in dirty.build().html(NAMED)


def test_a_page_rendered_as_a_source_may_include_files_relative_to_it(site: Site) -> None:
    """`!relative` stands for the folder of the page that MkDocs is at."""
    dirty = Dirty(site)
    site.write(
        {
            "a.md": "# A\n\n```synopsis\nsource: guides/b.md\n```\n",
            "guides/b.md": '# B\n\n--8<-- "part.txt"\n',
            "guides/part.txt": "The larch is green.\n",
        }
    )
    dirty.settings = {"markdown_extensions": ["pymdownx.snippets"], "hook": RELATIVE}
    dirty.make(dirty=False)
    shutil.rmtree(site.cache)
    dirty.edit("a.md", "# A", "# Another")
    assert "The larch is green." in dirty.build().html("a/index.html")


RELATIVE: str = beside(__file__)["RELATIVE"]


def test_a_page_with_a_fault_is_rebuilt_until_it_is_fixed(dirty: Dirty) -> None:
    dirty.edit("guides/b.md", "{#jar}", "{#pot}")
    for _ in range(3):
        [_, warning] = dirty.build().warnings
        assert warning.startswith("by-name.md:3: synopsis: 'guides/b.md' has no section '#jar'")
        assert NAMED in dirty.written
    dirty.edit("guides/b.md", "{#pot}", "{#jar}")
    assert len(dirty.build().warnings) == 1
    assert NAMED in dirty.written


FENCE: str = beside(__file__)["FENCE"]


def test_a_page_with_an_invalid_fence_is_rebuilt_until_it_is_fixed(dirty: Dirty) -> None:
    dirty.settings["hook"] = FENCE
    dirty.make(dirty=False)
    dirty.edit("guides/b.md", "{#jar}", "{#pot}")
    for _ in range(2):
        assert "recall: " not in dirty.build().html()
        assert {"index.html", NAMED} <= dirty.written
    dirty.edit("guides/b.md", "{#pot}", "{#jar}")
    assert "The cookie" in dirty.build().html()


def test_a_page_whose_source_comes_and_goes_is_rebuilt(dirty: Dirty) -> None:
    path = dirty.site.docs / "guides/b.md"
    text = path.read_text()
    path.unlink()
    dirty.edit("guides/auth.md", "[b](b.md)", "b")
    [_, warning] = dirty.build().warnings
    assert "source 'guides/b.md#jar' is not a page of this site" in warning
    assert {NAMED, GLOB} <= dirty.written
    path.write_text(text)
    assert len(dirty.build().warnings) == 1
    assert {NAMED, GLOB} <= dirty.written


STOP: str = beside(__file__)["STOP"]


@pytest.mark.parametrize("edit", ["changed", "added", "removed", "excluded"])
def test_the_next_build_completes_an_interrupted_one(dirty: Dirty, edit: str) -> None:
    dirty.site.write(
        {
            "zoo.md": "# Z\n\n```recall\nsource: guides/**\nquery: larch session\nmin_score: 0\n"
            "context: 0\n```\n"
        }
    )
    dirty.settings["hook"] = STOP
    dirty.build()
    if edit == "changed":
        dirty.edit("guides/b.md", "*larch*", "*fir*")
    elif edit == "added":
        dirty.site.write({"guides/new.md": "# New\n\nNo session of the larch is new.\n"})
    elif edit == "removed":
        dirty.edit("guides/auth.md", "[b](b.md)", "b")
        dirty.make()
        (dirty.site.docs / "guides/b.md").unlink()
        shutil.rmtree(dirty.site.root / "site/guides/b")
    else:
        dirty.edit("guides/b.md", "# The", "---\nrecall: {exclude: true}\n---\n# The")
    for path in dirty.site.docs.rglob("*"):
        dirty.date(path)
    (dirty.site.root / "stop").touch()
    assert dirty.site.run("--dirty").returncode == 9
    for path in (dirty.site.root / "site").rglob("*.html"):
        dirty.date(path)
    (dirty.site.root / "stop").unlink()
    dirty.build()
    assert "zoo/index.html" in dirty.written


def test_the_command_line_says_dirty_to_the_plugin(dirty: Dirty) -> None:
    dirty.edit("guides/b.md", "*larch*", "*fir*")
    result = dirty.site.run("--dirty")
    assert result.returncode == 0, result.stderr
    assert "recall: 3 directives answered, 0 by fallback, 1 from the cache" in result.stderr
    written = {path for path in (dirty.site.root / "site").rglob("*.html") if dirty.date(path)}
    assert {path.parent.name for path in written} == {
        *("by-glob", "by-name", "by-self", "by-word", "auth", "b")
    }


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
def test_whatever_is_edited_a_dirty_build_is_like_a_first_one(site: Site, seed: int) -> None:
    walk = Walk(Dirty(site), random.Random(seed), times=())  # noqa: S311 - no secret
    walk.write_all()
    for _ in range(16):
        walk.step()
