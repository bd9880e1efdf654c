"""Pages from outside the docs folder: included, generated, or ordered by other plugins."""

from __future__ import annotations

import pytest
from conftest import Site
from reading import Quote, ask, quotes
from tables import beside

AUTH = """# Auth

A session expires after a day, says [the start](index.md).
"""
EXPIRY = {"query": "when does a session expire?", "max_sentences": 1}


ESCAPES = pytest.mark.filterwarnings("ignore:.*invalid escape sequence")  # when it is compiled
CLEAN_UP = """
def on_post_build(config):
    config.plugins["monorepo"].merger.temp_docs_dir.cleanup()  # which it leaves to the collector
"""


@ESCAPES
def test_a_page_of_an_included_documentation_is_quoted_and_quotes(site: Site) -> None:
    part = site.root / "part"
    (part / "docs").mkdir(parents=True)
    (part / "mkdocs.yml").write_text(
        "site_name: doors\nnav: [index.md, auth.md]\n", encoding="utf-8"
    )
    (part / "docs" / "auth.md").write_text(AUTH, encoding="utf-8")
    (part / "docs" / "index.md").write_text(
        f"# Doors\n\n{ask(source='auth.md', **EXPIRY)}\n"
        f"{ask(source='/index.md', query='larch', max_sentences=1)}",
        encoding="utf-8",
    )
    built = site.build(
        {"index.md": f"# Home\n\nThe larch stands.\n\n{ask(source='doors/auth.md', **EXPIRY)}"},
        plugins=["monorepo", "recall"],
        nav=[{"Home": "index.md"}, {"Doors": "!include ./part/mkdocs.yml"}],
        hook=CLEAN_UP,
    )
    answer = Quote(
        "A session expires after a day, says the start. — Auth",
        ("doors/index.html", "doors/auth/index.html#auth"),
    )
    assert quotes(built.folder) == [answer]
    assert quotes(built.folder, "doors/index.html") == [
        answer,
        Quote("The larch stands. — Home", ("index.html#home",)),
    ]
    assert built.warnings == []


@ESCAPES
def test_an_error_on_an_included_page_has_its_path_and_line(site: Site) -> None:
    part = site.root / "part"
    (part / "docs").mkdir(parents=True)
    (part / "mkdocs.yml").write_text("site_name: doors\nnav: [index.md]\n", encoding="utf-8")
    (part / "docs" / "index.md").write_text(
        f"# Doors\n\n{ask(source='index.md')}", encoding="utf-8"
    )
    built = site.build(
        {"index.md": "# Home\n"},
        plugins=["monorepo", "recall"],
        nav=[{"Home": "index.md"}, {"Doors": "!include ./part/mkdocs.yml"}],
        hook=CLEAN_UP,
    )
    (warning,) = built.warnings
    assert warning.startswith("doors/index.md:3: recall: 'query' is required")


GENERATE: str = beside(__file__)["GENERATE"]


def test_a_generated_page_is_quoted_and_its_errors_have_lines(site: Site) -> None:
    (site.root / "generate.py").write_text(GENERATE, encoding="utf-8")
    built = site.build(
        {
            "index.md": f"# Home\n\n{ask(source='made.md', query='made', max_sentences=1)}",
            "auth.md": AUTH,
        },
        plugins=[{"gen-files": {"scripts": ["generate.py"]}}, "recall"],
    )
    assert quotes(built.folder) == [
        Quote("The made page knows Auth. — Made", ("auth/index.html", "made/index.html#made"))
    ]
    assert quotes(built.folder, "made/index.html")[0] == Quote(
        "A session expires after a day, says the start. — Auth",
        ("index.html", "auth/index.html#auth"),
    )
    (warning,) = built.warnings
    assert warning.startswith("made.md:11: recall: source 'nowhere.md' is not a page")


GENERATE_NAV: str = beside(__file__)["GENERATE_NAV"]


@pytest.mark.parametrize(
    ("first", "second"), [("larch", "ash"), ("ash", "larch")], ids=["larch first", "ash first"]
)
def test_equal_sentences_are_in_the_generated_order(site: Site, first: str, second: str) -> None:
    nav = f"* [Home](index.md)\n* [1](trees/{first}.md)\n* [2](trees/{second}.md)\n"
    (site.root / "generate.py").write_text(f"NAV = {nav!r}\n{GENERATE_NAV}", encoding="utf-8")
    fence = ask(source="trees/", query="nine trees", max_sentences=1)
    built = site.build(
        {"index.md": f"# Home\n\n{fence}"},
        plugins=[{"gen-files": {"scripts": ["generate.py"]}}, "literate-nav", "recall"],
    )
    assert quotes(built.folder) == [
        Quote(
            f"Nine trees are called {first}. — 1 › {first.title()}",
            (f"trees/{first}/index.html#{first}",),
        )
    ]
    assert built.warnings == []


@pytest.mark.parametrize(
    ("first", "second"), [("larch", "ash"), ("ash", "larch")], ids=["larch first", "ash first"]
)
def test_equal_sentences_are_in_awesome_nav_s_order(site: Site, first: str, second: str) -> None:
    fence = ask(source="trees/", query="nine trees", max_sentences=1)
    built = site.build(
        {
            "index.md": f"# Home\n\n{fence}",
            "trees/.nav.yml": f"nav:\n  - One: {first}.md\n  - Two: {second}.md\n",
            "trees/ash.md": "# Ash\n\nNine trees are called ash.\n",
            "trees/larch.md": "# Larch\n\nNine trees are called larch.\n",
        },
        plugins=["awesome-nav", "recall"],
    )
    assert quotes(built.folder) == [
        Quote(
            f"Nine trees are called {first}. — One › {first.title()}",
            (f"trees/{first}/index.html#{first}",),
        )
    ]
    assert built.warnings == []
