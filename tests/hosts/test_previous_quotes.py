"""Quotes of the last build are reused only while all their inputs are unchanged."""

from __future__ import annotations

from typing import Any

import pytest
from conftest import Site
from rebuilds import Rebuilds, counts
from tables import beside

from mkdocs_recall.directives.directive import Directive
from mkdocs_recall.hosts.build import DirectivePages
from mkdocs_recall.options import Options

HOSTS = 24
PAGES = {
    **{
        f"hosts/{n}.md": f"# Host {n}\n\n```recall\nsource: /sources/{n}.md\nquery: larch\n```\n"
        for n in range(HOSTS)
    },
    **{
        f"sources/{n}.md": f"# Source {n}\n\nThe larch has {n} needles.\n\nA birch.\n"
        for n in range(HOSTS)
    },
    "index.md": "# Home\n\nA larch.\n",
}


@pytest.fixture
def rebuilds(site: Site) -> Rebuilds:
    """A documentation with directives on most pages, built once."""
    site.write(PAGES)
    made = Rebuilds(site)
    made.build()
    return made


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[Directive]:
    """The directives whose options are read."""
    directives: list[Directive] = []
    options = DirectivePages.options

    def recorded(self: DirectivePages, directive: Directive) -> Options | None:
        directives.append(directive)
        return options(self, directive)

    monkeypatch.setattr(DirectivePages, "options", recorded)
    return directives


def test_an_unchanged_site_reads_no_options(rebuilds: Rebuilds, read: list[Directive]) -> None:
    built = rebuilds.site.rebuild()
    assert counts(built) == (HOSTS, 0, HOSTS)
    assert read == []


def test_an_edit_reads_only_the_options_it_concerns(
    rebuilds: Rebuilds, read: list[Directive]
) -> None:
    rebuilds.edit("sources/7.md", "larch", "tall larch")
    rebuilds.edit("hosts/9.md", "query: larch", "query: birch")
    built = rebuilds.site.rebuild()
    assert counts(built) == (HOSTS, 0, HOSTS - 2)
    assert len(read) == 2
    read.clear()
    assert counts(rebuilds.site.rebuild())[2] == HOSTS
    assert read == []
    assert "tall larch" in rebuilds.build().html("hosts/7/index.html")


def test_an_edited_page_keeps_its_other_quotes(rebuilds: Rebuilds, read: list[Directive]) -> None:
    for number in range(HOSTS):
        rebuilds.edit(f"hosts/{number}.md", "# Host", "# Guest")
    assert counts(rebuilds.site.rebuild())[2] == HOSTS
    assert read == []


SETTINGS: list[dict[str, Any]] = beside(__file__)["SETTINGS"]


def test_a_setting_changes_the_quotes_as_in_a_first_build(site: Site) -> None:
    site.write({uri: PAGES[uri] for uri in ("hosts/8.md", "sources/7.md", "sources/8.md")})
    site.write({"index.md": "# Home\n\n```recall\nsource: '**'\nquery: needles\n```\n"})
    rebuilds = Rebuilds(site)
    rebuilds.build()
    for settings in SETTINGS:
        rebuilds.settings = settings
        changed = rebuilds.build()
        again = site.rebuild()
        assert (again.files(), again.warnings) == (changed.files(), changed.warnings)
        rebuilds.settings = {}
        rebuilds.build()


def test_a_directive_of_many_pages_is_left_to_its_key(site: Site, read: list[Directive]) -> None:
    pages = {f"p/{n}.md": f"# P{n}\n\nA larch number {n}.\n" for n in range(51)}
    rebuilds = Rebuilds(site)
    site.write({**pages, "index.md": "# A\n\n```recall\nsource: p/\nquery: larch\n```\n"})
    assert rebuilds.cached() == 0
    read.clear()
    assert counts(site.rebuild())[2] == 1
    assert len(read) == 1
    (site.docs / "p/50.md").unlink()
    assert rebuilds.cached() == 0
    read.clear()
    assert counts(site.rebuild())[2] == 1
    assert read == []
