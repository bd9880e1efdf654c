"""A build takes the unchanged pages that it publishes from the cache."""

from __future__ import annotations

import gzip
import shutil
from collections.abc import Callable
from typing import Any

import pytest
from conftest import Site

from mkdocs_recall import Document
from mkdocs_recall.hosts import publish
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


def rewritten(pages: dict[str, str | bytes], **settings: Any) -> Callable[[Site], None]:
    """Return what writes pages and settings."""

    def change(site: Site) -> None:
        site.write(pages)
        if settings:
            site.configure(**{"recall": RECALL, **settings})

    return change


def with_publication(**publication: Any) -> Callable[[Site], None]:
    return rewritten({}, recall={**RECALL, "publish": publication})


def moved(site: Site) -> None:
    (site.docs / "fir.md").rename(site.docs / "guides" / "fir.md")


CHANGES: dict[str, Callable[[Site], None]] = {
    "text": rewritten({"fir.md": "# A fir\n\nA fir is evergreen.\n"}),
    "title": rewritten({"fir.md": FIR.replace("title: Fir", "title: Firs")}),
    "first page": rewritten({"a.md": "# A\n\nAn alder grows by the water.\n"}),
    "page without words": rewritten({"guides/oak.md": "---\nlang: de\n---\n"}),
    "last page of a language": rewritten({"guides/oak.md": "---\nlang: de\n---\nEine Eiche.\n"}),
    "removed page": lambda site: (site.docs / "guides" / "oak.md").unlink(),
    "moved page": moved,
    "hidden page": rewritten({"fir.md": "---\nsearch: {exclude: true}\n---\n# A fir\n"}),
    "shown page": rewritten({"unsearched.md": "# Unsearched\n\nNo canary.\n"}),
    "excluded page": rewritten({"fir.md": "---\nrecall: {exclude: true}\n---\n# A fir\n"}),
    "expiry": rewritten({"fir.md": FIR.replace("title: Fir", "title: Fir\nt_expired: 2031-01-31")}),
    "page order": rewritten({}, nav=["guides/oak.md", "index.md", "fir.md"]),
    "title in the navigation": rewritten({}, nav=["index.md", {"Trees": "fir.md"}]),
    "page beside the navigation": rewritten({}, not_in_nav="fir.md"),
    "draft": rewritten({}, draft_docs="fir.md"),
    "site_name": rewritten({}, site_name="Spruce"),
    "site_url": rewritten({}, site_url="https://spruce.example/"),
    "copyright": rewritten({}, copyright="Spruce authors"),
    "language": rewritten({}, theme={"name": None, "custom_dir": "theme", "locale": "de"}),
    "addresses": rewritten({}, use_directory_urls=False),
    "limits": rewritten({}, recall={**RECALL, "limits": {"page_size": 1_000}}),
    "version": with_publication(version="2"),
    "licence": with_publication(version="1", licence="MIT"),
}


def test_after_a_change_a_build_publishes_what_a_first_one_would(site: Site) -> None:
    for change, make in CHANGES.items():
        shutil.rmtree(site.docs, ignore_errors=True)
        site.build(PAGES, recall=RECALL)
        before = data(site)
        make(site)
        site.rebuild()
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
        patched.delattr(publish, "join_pages")
        patched.delattr(publish, "pack_page")
        site.rebuild()
    assert data(site) == before


def test_only_the_edited_page_is_packed(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    site.build(PAGES, recall=RECALL)
    packed = []

    def pack(page: Document, *rest: Any) -> PackedPage:
        packed.append(page.uri)
        return pack_page(page, *rest)

    with monkeypatch.context() as patched:
        patched.setattr(publish, "pack_page", pack)
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


def test_what_a_stranger_cached_is_read_anew(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    put = Cache.put

    def poison(cache: Cache, key: bytes, value: bytes) -> None:
        put(cache, key, value[:-9])

    with monkeypatch.context() as patched:
        patched.setattr(Cache, "put", poison)
        site.build({"index.md": "# Home\n\nA larch.\n"}, recall={"publish": True})
    expected = data(site)
    site.rebuild()
    assert data(site) == expected
