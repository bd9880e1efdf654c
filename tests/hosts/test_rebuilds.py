"""One build after another: each is, byte for byte, what a first build of the same tree is."""

from __future__ import annotations

import os
import random
import shutil
from typing import TYPE_CHECKING

import pytest
from rebuilds import COUNTS, Rebuilds, Walk, counts

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Site

AUTH = """# Auth

A session expires after a day without activity. See [the tokens](tokens.md#lifetime).

## Cookies

The cookie of a session is named larch. It holds no secret.
"""
TOKENS = """# Tokens

A token never replaces a session.

## Lifetime

A token lives for a year, a session for a day. Nobody can prolong it.
"""
GLOB = "```recall\nsource: guides/**\nquery: how long until a session expires?\nmin_score: 0\n```\n"
SECTION = "```recall\nsource: guides/auth.md#cookies\nquery: secret\nmax_sentences: 1\n```\n"
SYNOPSIS = "```synopsis\nsource: guides/tokens.md\nmax_sentences: 2\n```\n"
ITSELF = "```recall\nquery: birch\nmax_sentences: 1\n```\n"

PAGES = {
    "index.md": f"# Home\n\n{GLOB}\nBetween.\n\n{SECTION}\n{SYNOPSIS}\n",
    "guides/auth.md": AUTH,
    "guides/tokens.md": TOKENS,
    "trees.md": f"# Trees\n\nThe birch is white. The larch is not.\n\n{ITSELF}",
    "apart.md": "# Apart\n\nNobody asks for a session here.\n",
}


@pytest.fixture
def rebuilds(site: Site) -> Rebuilds:
    """A documentation with four directives, built once."""
    site.write(PAGES)
    made = Rebuilds(site)
    assert made.cached() == 0
    return made


# ------------------------------------------------------------------------- what makes no difference


def _same(rebuilds: Rebuilds) -> None:
    pass


def _touch(rebuilds: Rebuilds) -> None:
    for path in rebuilds.site.docs.rglob("*.md"):
        path.write_bytes(path.read_bytes())


def _earlier(rebuilds: Rebuilds) -> None:
    os.utime(rebuilds.site.docs / "guides/auth.md", (1, 1))
    os.utime(rebuilds.site.docs / "index.md", (1, 1))


def _later(rebuilds: Rebuilds) -> None:
    os.utime(rebuilds.site.docs / "guides/auth.md", (4_000_000_000, 4_000_000_000))


def _outside(rebuilds: Rebuilds) -> None:
    rebuilds.edit("apart.md", "Nobody", "Somebody")


def _text_around(rebuilds: Rebuilds) -> None:
    rebuilds.edit("index.md", "Between.", "Below.\n\n## More\n\nAnd more.")


def _added_outside(rebuilds: Rebuilds) -> None:
    rebuilds.site.write({"a/first.md": "# First\n\nA session.\n"})


def _comment(rebuilds: Rebuilds) -> None:
    rebuilds.edit("index.md", "query: secret", "query: 'secret'  # still")


@pytest.mark.parametrize(
    "edit",
    [_same, _touch, _earlier, _later, _outside, _text_around, _added_outside, _comment],
)
def test_all_answers_are_kept_where_nothing_they_come_from_has_changed(
    rebuilds: Rebuilds, edit: Callable[[Rebuilds], None]
) -> None:
    edit(rebuilds)
    assert rebuilds.cached() == 4
    assert rebuilds.cached() == 4


# -------------------------------------------------------------------------- what makes a difference


def _scope(rebuilds: Rebuilds) -> None:
    rebuilds.edit("guides/auth.md", "after a day", "after an hour")


def _same_size_and_time(rebuilds: Rebuilds) -> None:
    path = rebuilds.site.docs / "guides/auth.md"
    before = path.stat()
    rebuilds.edit("guides/auth.md", "a day", "a_day")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def _added(rebuilds: Rebuilds) -> None:
    rebuilds.site.write({"guides/limits.md": "# Limits\n\nA session does not live for ever.\n"})


def _added_below(rebuilds: Rebuilds) -> None:
    rebuilds.site.write({"guides/deep/er.md": "# Deep\n\nHow long does a session live? Long.\n"})


def _removed(rebuilds: Rebuilds) -> None:
    (rebuilds.site.docs / "guides/tokens.md").unlink()


def _renamed(rebuilds: Rebuilds) -> None:
    folder = rebuilds.site.docs / "guides"
    (folder / "tokens.md").rename(folder / "all-tokens.md")


def _heading(rebuilds: Rebuilds) -> None:
    rebuilds.edit("guides/tokens.md", "## Lifetime", "## Life")


def _anchor(rebuilds: Rebuilds) -> None:
    rebuilds.edit("guides/auth.md", "## Cookies", "## Biscuits")


def _explicit_anchor(rebuilds: Rebuilds) -> None:
    rebuilds.settings = {"markdown_extensions": ["attr_list"]}
    rebuilds.edit("guides/auth.md", "# Auth", "# Auth {#top}")


def _site_option(rebuilds: Rebuilds) -> None:
    rebuilds.settings = {"recall": {"max_sentences": 1}}


def _site_format(rebuilds: Rebuilds) -> None:
    rebuilds.settings = {"recall": {"format": "list"}}


def _theme_language(rebuilds: Rebuilds) -> None:
    theme = {"name": None, "custom_dir": "theme", "language": "de"}
    rebuilds.settings = {"theme": theme}


def _urls(rebuilds: Rebuilds) -> None:
    rebuilds.settings = {"use_directory_urls": False}


def _order(rebuilds: Rebuilds) -> None:
    nav = ["index.md", "guides/tokens.md", "guides/auth.md", "trees.md", "apart.md"]
    rebuilds.settings = {"nav": nav}


def _title_in_nav(rebuilds: Rebuilds) -> None:
    nav = ["index.md", {"Who are you?": "guides/auth.md"}, "guides/tokens.md"]
    rebuilds.settings = {"nav": [*nav, "trees.md", "apart.md"]}


def _title(rebuilds: Rebuilds) -> None:
    rebuilds.edit("guides/auth.md", "# Auth", "---\ntitle: Sessions & cookies\n---\n# Auth")


def _description(rebuilds: Rebuilds) -> None:
    rebuilds.edit("guides/auth.md", "# Auth", "---\ndescription: How one stays.\n---\n# Auth")


def _source_language(rebuilds: Rebuilds) -> None:
    rebuilds.edit("guides/auth.md", "# Auth", "---\nlang: fr\n---\n# Auth")


def _host_language(rebuilds: Rebuilds) -> None:
    rebuilds.edit("index.md", "# Home", "---\nlang: fr\n---\n# Home")


def _excluded(rebuilds: Rebuilds) -> None:
    rebuilds.edit("guides/tokens.md", "# Tokens", "---\nrecall: {exclude: true}\n---\n# Tokens")


def _drafted(rebuilds: Rebuilds) -> None:
    rebuilds.settings = {"draft_docs": "guides/tokens.md"}


def _own_option(rebuilds: Rebuilds) -> None:
    rebuilds.edit("index.md", "max_sentences: 2", "max_sentences: 1")


def _own_query(rebuilds: Rebuilds) -> None:
    rebuilds.edit("index.md", "query: secret", "query: named")


def _other_source(rebuilds: Rebuilds) -> None:
    rebuilds.edit("index.md", "source: guides/tokens.md", "source: apart.md")


def _moved(rebuilds: Rebuilds) -> None:
    rebuilds.edit("index.md", SYNOPSIS, "")
    rebuilds.edit("apart.md", "here.\n", f"here.\n\n{SYNOPSIS}")


def _host_moved(rebuilds: Rebuilds) -> None:
    folder = rebuilds.site.docs
    (folder / "trees.md").rename(folder / "wood.md")


def _itself(rebuilds: Rebuilds) -> None:
    rebuilds.edit("trees.md", "The birch", "Their birch")


@pytest.mark.parametrize(
    ("edit", "kept"),
    [
        (_scope, 2),
        (_same_size_and_time, 2),
        (_added, 3),
        (_added_below, 3),
        (_removed, 1),  # the link to it is another one, too
        (_renamed, 1),
        (_heading, 2),
        (_anchor, 2),
        (_explicit_anchor, 2),
        (_site_option, 3),
        (_site_format, 0),
        (_theme_language, 0),
        (_urls, 0),
        (_order, 3),
        (_title_in_nav, 2),
        (_title, 2),
        (_description, 2),
        (_source_language, 2),
        (_host_language, 1),
        (_excluded, 2),
        (_drafted, 2),
        (_own_option, 3),
        (_own_query, 3),
        (_other_source, 3),
        (_moved, 3),
        (_host_moved, 3),
        (_itself, 3),
    ],
)
def test_what_has_changed_is_answered_anew_and_nothing_else(
    rebuilds: Rebuilds, edit: Callable[[Rebuilds], None], kept: int
) -> None:
    before = {path: path.read_bytes() for path in rebuilds.site.docs.rglob("*.md")}
    edit(rebuilds)
    assert rebuilds.cached() == kept
    answered = counts(rebuilds.build())
    assert answered[2] == answered[0]
    shutil.rmtree(rebuilds.site.docs)
    for path, content in before.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    rebuilds.settings = {}
    assert rebuilds.cached() == 4  # what was there before is still known


def test_a_fault_appears_with_its_line_and_disappears_when_it_is_mended(
    rebuilds: Rebuilds,
) -> None:
    line = PAGES["index.md"].split("\n").index("source: guides/auth.md#cookies")
    for _ in range(2):
        _anchor(rebuilds)
        rebuilds.edit("index.md", "# Home\n", "# Home\n\nA line.\n")
        for _ in range(2):
            [warning] = rebuilds.build().warnings
            assert warning.startswith(f"index.md:{line + 2}: recall: 'guides/auth.md' has no")
        rebuilds.edit("guides/auth.md", "## Biscuits", "## Cookies")
        rebuilds.edit("index.md", "A line.\n\n", "")
        assert rebuilds.build().warnings == []
        assert rebuilds.cached() == 4


def test_a_fault_in_a_fence_appears_in_every_build_and_disappears_when_it_is_mended(
    rebuilds: Rebuilds,
) -> None:
    rebuilds.edit("index.md", "query: secret", "qery: secret")
    for _ in range(2):
        [warning] = rebuilds.build().warnings
        assert "index.md:13: recall: unknown option 'qery'" in warning
    rebuilds.edit("index.md", "qery: secret", "query: secret")
    built = rebuilds.build()
    assert built.warnings == []
    assert counts(built)[2] == 4


GONE = """
import os

def on_page_content(html, page, config, files):
    if page.file.src_uri == "index.md":
        os.remove(page.file.abs_src_path)
"""


def test_a_page_that_is_removed_while_the_site_is_built_stops_no_build(site: Site) -> None:
    """Its file is read once more for the line of a warning, as an author edits under `serve`."""
    built = site.build({"index.md": "# A\n\n```recall\nqery: zebra\n```\n"}, hook=GONE)
    [warning] = built.warnings
    assert warning.startswith("index.md: recall: unknown option 'qery'")


def test_warnings_notes_and_fallbacks_are_said_again_by_the_next_build(site: Site) -> None:
    site.write(
        {
            "index.md": "# A\n\n```recall\nsource: b.md\nquery: zebra\non_empty: warn\n```\n",
            "b.md": "---\nlang: xx\n---\n# B\n\nThe larch is green.\n",
        }
    )
    rebuilds = Rebuilds(site)
    first, again = rebuilds.build(), rebuilds.build()
    assert first.warnings == again.warnings
    assert "no sentence answers the query" in again.warnings[0]
    assert [note for note in again.infos if "language 'xx'" in note]
    assert (counts(first), counts(again)) == ((1, 1, 0), (1, 1, 1))


def test_long_pages_are_warned_of_in_the_same_order_whichever_quotes_are_cached(site: Site) -> None:
    """After an edit, only the pages of uncached quotes are read."""
    paragraph = "The larch is green.\n\n"
    ask = "```recall\nsource: {}\nquery: larch\n```\n"
    pages = dict.fromkeys(("a.md", "b.md", "c.md"), f"# Page\n\n{paragraph * 60}\n")
    index = f"# Home\n\n{ask.format('[a.md, b.md, c.md]')}\n{ask.format('c.md')}"
    site.write({**pages, "index.md": index})
    rebuilds = Rebuilds(site, {"recall": {"limits": {"page_size": 1000}}})
    assert len(rebuilds.build().warnings) == 3
    rebuilds.edit("a.md", "green", "white")
    rebuilds.build()


def test_two_fences_that_ask_the_same_are_both_answered(rebuilds: Rebuilds) -> None:
    rebuilds.edit("index.md", SYNOPSIS, f"{SYNOPSIS}\n{SYNOPSIS}")
    built = rebuilds.build()
    assert counts(built) == (5, 0, 5)
    assert len(built.page().select("blockquote.synopsis")) == 2
    assert counts(rebuilds.build()) == (5, 0, 5)
    rebuilds.edit("index.md", SYNOPSIS, f"{SYNOPSIS}\n{GLOB}\n{GLOB}")
    assert counts(rebuilds.build()) == (7, 0, 7)


HOOK = """
from pathlib import Path

def on_page_markdown(markdown, page, config, files):
    return markdown.replace("after a day", (Path(__file__).parent / "when.txt").read_text())
"""


def test_what_another_plugin_makes_of_a_page_counts_though_no_file_has_changed(
    rebuilds: Rebuilds,
) -> None:
    when = rebuilds.site.root / "when.txt"
    when.write_text("after a day")
    rebuilds.settings = {"hook": HOOK}
    rebuilds.build()  # a hook may write copies of pages, so quotes now have a Markdown form
    assert rebuilds.cached() == 4
    when.write_text("after a month")
    assert rebuilds.cached() == 2
    assert "after a month" in rebuilds.build().html()
    when.write_text("after a day")
    assert rebuilds.cached() == 4


@pytest.mark.slow
def test_a_build_on_another_day_with_another_hash_seed_is_the_same(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.write(PAGES)
    site.configure()
    made, lines = [], []
    for seed, day in (("1", ""), ("2", "86400"), ("3", "1893456000")):
        if day:
            monkeypatch.setenv("SOURCE_DATE_EPOCH", day)
        result = site.run("--strict", hash_seed=seed)
        assert result.returncode == 0, result.stderr
        made.append({p: p.read_bytes() for p in sorted((site.root / "site").rglob("*.html"))})
        lines += COUNTS.findall(result.stderr)
        if seed == "2":
            shutil.rmtree(site.cache)
    assert lines == [("4", "0", "0"), ("4", "0", "4"), ("4", "0", "0")]
    assert made[0] == made[1] == made[2]


def test_a_cold_build_over_kept_pages_is_like_one_that_reads_them(rebuilds: Rebuilds) -> None:
    """New questions to old pages: the pages come from the cache, the answers do not."""
    text = (
        '# Marks\n\n*A* **`session`** [lives](../apart.md#apart "t") & <b>dies</b>.\n\n'
        "- one session\n- two sessions: *one*\n\n    > a quoted session\n\n"
        "!!! note\n\n    A session in a box.\n\n### Deep\n\nToo deep a session.\n\n"
        "#### Deeper\n\nA session!\n\n## Flat\n\n| a | b |\n|---|---|\n| session | x |\n\n"
        "Die Sitzung — 会话在一天后过期。セッション。 A 'session'.\n\n# Second\n\nLast session.\n"
    )
    rebuilds.site.write({"guides/marks.md": text})
    rebuilds.build()
    for number, query in enumerate(("session", "deep box quoted", "lives dies", "会话")):
        for name, options in (("recall", f"query: {query}\n"), ("synopsis", "")):
            fence = f"```{name}\nsource: guides/**\n{options}max_sentences: {number + 2}\n```\n"
            rebuilds.edit("apart.md", "here.\n", f"here.\n\n{fence}")
            built = rebuilds.build()
            assert counts(built)[0] == counts(built)[2] + 1


# ------------------------------------------------------------------------------------ a random walk


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
def test_whatever_is_edited_a_build_is_like_a_first_one(site: Site, seed: int) -> None:
    walk = Walk(Rebuilds(site), random.Random(seed))  # noqa: S311 - no secret
    walk.write_all()
    for _ in range(20):
        walk.step()
