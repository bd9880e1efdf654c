"""A build takes the unchanged pages that it publishes from the cache."""

from __future__ import annotations

import gzip
import shutil
from typing import Any

import pytest
from conftest import Site
from tables import Case, beside

from mkdocs_recall import Document
from mkdocs_recall.pages import published
from mkdocs_recall.pages.published import FILE, PackedPage, pack_page
from mkdocs_recall.store import Cache

FIR = "---\ntitle: Fir\n---\n# A fir\n\nA fir isn't deciduous.\n"
PAGES: dict[str, str | bytes] = {
    "index.md": "# Home\n\nA larch sheds its needles.\n",
    "fir.md": FIR,
    "guides/oak.md": "# Oak\n\nAn oak lives long.\n" + "\nIt sheds acorns.\n" * 100,
    "unsearched.md": "---\nsearch: {exclude: true}\n---\n# Unsearched\n\nA canary.\n",
}
RECALL: dict[str, Any] = {"publish": {"version": "1"}}


def data(site: Site) -> bytes:
    return (site.root / "site" / FILE).read_bytes()


CHANGES: dict[str, Case] = beside(__file__)["CHANGES"]


def test_after_a_change_a_build_publishes_what_a_first_one_would(site: Site) -> None:
    for change, made in CHANGES.items():
        shutil.rmtree(site.docs, ignore_errors=True)
        site.build(PAGES, recall=RECALL)
        before = data(site)
        site.write(made.get("write", {}))
        for uri in made.get("remove", []):
            (site.docs / uri).unlink()
        site.build(**{"recall": RECALL, **made.get("settings", {})})
        after = data(site)
        shutil.rmtree(site.cache)
        site.rebuild()
        assert after == data(site), change
        assert after != before, change
        assert b"canary" not in gzip.decompress(before)


def test_an_unchanged_build_writes_the_same(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    site.build(PAGES, recall=RECALL)
    before = data(site)
    with monkeypatch.context() as patched:
        patched.delattr(published, "join_pages")
        patched.delattr(published, "pack_page")
        site.rebuild()
    assert data(site) == before


def test_only_the_edited_page_is_packed(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    site.build(PAGES, recall=RECALL)
    packed = []

    def pack(page: Document, *rest: Any) -> PackedPage:
        packed.append(page.uri)
        return pack_page(page, *rest)

    with monkeypatch.context() as patched:
        patched.setattr(published, "pack_page", pack)
        site.write({"index.md": "# Home\n\n```recall\nsource: fir.md\nquery: fir\n```\n"})
        site.rebuild()
    assert packed == ["index.md"]


def test_a_dirty_build_publishes_a_page_that_the_navigation_now_has(site: Site) -> None:
    site.build(PAGES, recall={"publish": True}, not_in_nav="guides/oak.md")
    assert b"oak" not in gzip.decompress(data(site))
    site.configure(recall={"publish": True})
    assert site.run("--dirty", "--quiet").returncode == 0
    dirty = data(site)
    assert b"An oak lives long." in gzip.decompress(dirty)
    site.rebuild()
    assert data(site) == dirty


def test_the_languages_of_a_site_come_from_the_cache_together(site: Site) -> None:
    languages = [{"locale": "en", "name": "English", "default": True}]
    languages += [{"locale": code, "name": code} for code in ("de", "fr")]
    i18n = {"i18n": {"docs_structure": "suffix", "languages": languages}}
    pages = {
        f"{name}.{code}.md": f"# {code}\n\n{name}.\n" for name in "ab" for code in ("de", "fr")
    }
    plugins = [i18n, {"recall": {"publish": True}}]
    site.build({"index.md": "# Home\n\nA larch.\n", **pages}, plugins=plugins)
    for changed in ({}, {"b.de.md": "# de\n\nEine Eiche.\n"}):
        site.write(changed)
        site.rebuild()
        warm = data(site)
        shutil.rmtree(site.cache)
        site.rebuild()
        assert data(site) == warm


def test_forged_cached_pages_are_read_again(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    put = Cache.put

    def poison(cache: Cache, key: bytes, value: bytes) -> None:
        put(cache, key, value[:-9])

    with monkeypatch.context() as patched:
        patched.setattr(Cache, "put", poison)
        site.build({"index.md": "# Home\n\nA larch.\n"}, recall={"publish": True})
    expected = data(site)
    site.rebuild()
    assert data(site) == expected
