"""The quotes of the last build are used again only while nothing changes that they depend on."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest
from conftest import Site
from rebuilds import Rebuilds, counts

from mkdocs_recall.store import Cache

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
def keys(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """The keys that are looked up in the cache."""
    looked_up: list[bytes] = []
    get_many = Cache.get_many

    def recorded(self: Cache, wanted: Iterable[bytes]) -> dict[bytes, bytes]:
        wanted = list(wanted)
        looked_up.extend(wanted)
        return get_many(self, wanted)

    monkeypatch.setattr(Cache, "get_many", recorded)
    return looked_up


def test_an_unchanged_site_looks_up_no_quote(rebuilds: Rebuilds, keys: list[bytes]) -> None:
    built = rebuilds.site.rebuild()
    assert counts(built) == (HOSTS, 0, HOSTS)
    assert len(keys) == 2  # the state of the last build, and its quotes


def test_an_edit_looks_up_only_quotes_it_concerns(rebuilds: Rebuilds, keys: list[bytes]) -> None:
    rebuilds.edit("sources/7.md", "larch", "tall larch")
    rebuilds.edit("hosts/9.md", "query: larch", "query: birch")
    built = rebuilds.site.rebuild()
    assert counts(built) == (HOSTS, 0, HOSTS - 2)
    assert len(keys) == 2 + 2
    keys.clear()
    assert counts(rebuilds.site.rebuild())[2] == HOSTS
    assert len(keys) == 2 + 2  # so few are not written again
    assert "tall larch" in rebuilds.build().html("hosts/7/index.html")


def test_an_edited_page_keeps_its_other_quotes(rebuilds: Rebuilds, keys: list[bytes]) -> None:
    for number in range(HOSTS):
        rebuilds.edit(f"hosts/{number}.md", "# Host", "# Guest")
    assert counts(rebuilds.site.rebuild())[2] == HOSTS
    assert len(keys) == 2


SETTINGS: list[dict[str, Any]] = [
    {"recall": {"receipts": True}},
    {"recall": {"receipts": True}, "site_name": "Birch"},
    {"recall": {"limits": {"page_size": 20}}},
    {"recall": {"lock": "warn"}},
    {"recall": {"semantic": {"enabled": True, "model": "static:none"}}},
    {"recall": {"temporal": {"now": "2026-02-10"}}},
    {"recall": {"css": False}},
    {"nav": [{"Titled": "sources/7.md"}, "index.md"]},
    {"nav": ["index.md", "sources/8.md"], "not_in_nav": "*"},
    {"exclude_docs": "sources/8.md"},
]


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


def test_a_directive_of_many_pages_is_left_to_its_key(site: Site, keys: list[bytes]) -> None:
    pages = {f"p/{n}.md": f"# P{n}\n\nA larch number {n}.\n" for n in range(51)}
    rebuilds = Rebuilds(site)
    site.write({**pages, "index.md": "# A\n\n```recall\nsource: p/\nquery: larch\n```\n"})
    assert rebuilds.cached() == 0
    keys.clear()
    assert counts(site.rebuild())[2] == 1
    assert len(keys) == 3
    (site.docs / "p/50.md").unlink()
    assert rebuilds.cached() == 0
    keys.clear()
    assert counts(site.rebuild())[2] == 1
    assert len(keys) == 2
