"""One build after another: each is, byte for byte, what a first build of the same tree is.

`rebuilds.yml` has the edits.
"""

from __future__ import annotations

import os
import random
import shutil
from typing import Any

import pytest
from conftest import Site
from rebuilds import COUNTS, Rebuilds, Walk, counts
from tables import beside

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
CASES: dict[str, dict[str, Any]] = beside(__file__)


@pytest.fixture
def rebuilds(site: Site) -> Rebuilds:
    """A documentation with four directives, built once."""
    site.write(PAGES)
    made = Rebuilds(site)
    assert made.cached() == 0
    return made


def change(rebuilds: Rebuilds, case: dict[str, Any]) -> None:
    """Make the edits of a case."""
    docs = rebuilds.site.docs
    for uri, (old, new) in case.get("edit", {}).items():
        times = (docs / uri).stat()
        rebuilds.edit(uri, old, new)
        if case.get("keeps_time"):
            os.utime(docs / uri, ns=(times.st_atime_ns, times.st_mtime_ns))
    rebuilds.site.write(case.get("write", {}))
    for uri, new in case.get("rename", {}).items():
        (docs / uri).rename(docs / new)
    if "remove" in case:
        (docs / case["remove"]).unlink()
    for uri, seconds in case.get("date", {}).items():
        os.utime(docs / uri, (seconds, seconds))
    rebuilds.settings = case.get("settings", {})


def test_only_changed_answers_are_computed_again(rebuilds: Rebuilds) -> None:
    """Each time, what was there before is still known when it is there again."""
    before = {path: path.read_bytes() for path in rebuilds.site.docs.rglob("*.md")}
    original = rebuilds.site.rebuild().files()
    cache, copy = rebuilds.site.cache, rebuilds.site.root / "kept at first"
    shutil.copytree(cache, copy)
    for name, case in CASES.items():
        shutil.rmtree(cache)  # no case has answers of another
        shutil.copytree(copy, cache)
        change(rebuilds, case)
        changed = rebuilds.build()
        assert counts(changed)[2] == case["kept"], name
        again = rebuilds.site.rebuild()
        assert again.files() == changed.files(), name
        assert counts(again)[2] == counts(again)[0], name
        shutil.rmtree(rebuilds.site.docs)
        for path, content in before.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        rebuilds.site.configure()
        restored = rebuilds.site.rebuild()
        assert restored.files() == original, name
        assert counts(restored)[2] == 4, name
    rebuilds.settings = {}


def test_a_fault_appears_with_its_line_and_disappears_when_it_is_fixed(rebuilds: Rebuilds) -> None:
    line = PAGES["index.md"].split("\n").index("source: guides/auth.md#cookies")
    for _ in range(2):
        change(rebuilds, CASES["the anchor of a section"])
        rebuilds.edit("index.md", "# Home\n", "# Home\n\nA line.\n")
        for _ in range(2):
            [warning] = rebuilds.build().warnings
            assert warning.startswith(f"index.md:{line + 2}: recall: 'guides/auth.md' has no")
        rebuilds.edit("guides/auth.md", "## Biscuits", "## Cookies")
        rebuilds.edit("index.md", "A line.\n\n", "")
        assert rebuilds.build().warnings == []
        assert rebuilds.cached() == 4


def test_a_fault_in_a_fence_appears_in_every_build_until_fixed(rebuilds: Rebuilds) -> None:
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

def on_page_markdown(markdown, page, config, files):
    if page.file.src_uri == "index.md":
        os.remove(page.file.abs_src_path)
"""


def test_a_page_removed_during_a_build_does_not_stop_it(site: Site) -> None:
    """Its file is read once more for the lines of its directives."""
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


def test_warnings_of_long_pages_keep_their_order_with_a_cache(site: Site) -> None:
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


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
def test_whatever_is_edited_a_build_is_like_a_first_one(site: Site, seed: int) -> None:
    walk = Walk(Rebuilds(site), random.Random(seed))  # noqa: S311 - no secret
    walk.write_all()
    for _ in range(20):
        walk.step()
