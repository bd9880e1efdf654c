"""A build takes unchanged pages from the file that the last one has published."""

from __future__ import annotations

import gzip
import json
import shutil
import sys
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mkdocs_recall import Corpus
from mkdocs_recall.cache import Cache
from mkdocs_recall.hosts import publish
from mkdocs_recall.pages.published import (
    FILE,
    PreviousFile,
    SiteHeader,
    count_words,
    join_pages,
    pack_page,
    pack_previous,
)
from mkdocs_recall.text.document import in_language

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Site

    from mkdocs_recall import Document
    from mkdocs_recall.pages.published import PackedPage

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


@pytest.mark.parametrize("change", CHANGES)
def test_after_a_change_a_build_publishes_what_a_first_one_would(site: Site, change: str) -> None:
    site.build(PAGES, recall=RECALL)
    before = data(site)
    CHANGES[change](site)
    site.rebuild()
    after = data(site)
    site.rebuild()
    again = data(site)
    shutil.rmtree(site.cache)
    site.rebuild()
    assert after == again == data(site)
    assert after != before
    assert b"canary" not in gzip.decompress(before)


def test_a_build_of_unchanged_pages_writes_the_file_of_the_last_one(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.build(PAGES, recall=RECALL)
    before = data(site)
    with monkeypatch.context() as patched:
        patched.delattr(publish, "join_lines")
        patched.delattr(publish, "pack_page")
        site.rebuild()
    assert data(site) == before


def test_after_an_edit_only_the_edited_page_is_packed(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
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


def test_the_languages_of_a_site_come_from_the_previous_file_together(site: Site) -> None:
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


def _previous(**damage: bytes) -> bytes:
    pages = [
        pack_page(page) for page in Corpus.from_markdown({"a.md": "# A\n\nA fir.\n"}).documents
    ]
    parts = {
        "digest": bytes(16),
        "keys": bytes(range(16)),
        "data": join_pages(SiteHeader("Larch"), pages),
    } | damage
    return pack_previous(parts["digest"], [parts["keys"]], parts["data"])


@pytest.mark.parametrize(
    "packed",
    [
        b"",
        b"\0" * 8,
        b"\xff" * 100,
        _previous()[:-1],
        _previous(data=b""),
        _previous(data=b"no gzip"),
        _previous(data=gzip.compress(b"{}\n", mtime=0)),
        _previous(data=gzip.compress(b"{}\n" * 9, mtime=0)),
        _previous(data=gzip.compress(bytes(200_000_000), mtime=0)),
    ],
    ids=range(9),
)
def test_bytes_of_another_shape_are_no_previous_file(packed: bytes) -> None:
    assert PreviousFile.of_bytes(packed) == PreviousFile()
    assert PreviousFile.of_bytes(_previous()) != PreviousFile()


@pytest.mark.parametrize("second", [b"[" * 100_000, b"1", b'{"frequencies": {"en": {"a": "b"}}}'])
def test_words_are_counted_again_where_a_stranger_has_put_other_counts(second: bytes) -> None:
    page = pack_page(Corpus.from_markdown({"a.md": "# A\n\nA fir.\n"}).documents[0])
    lines = [b"{}", second, page.line.rstrip(b"\n"), b'{"document": 1}', b""]
    keys = [bytes(range(start, start + 16)) for start in range(2)]
    packed = pack_previous(bytes(16), keys, gzip.compress(b"\n".join(lines)))
    counts = PreviousFile.of_bytes(packed).count_words(keys)
    assert counts["en"] == Counter({"fir": 1})


def test_what_a_stranger_has_put_into_the_cache_is_read_anew(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    put = Cache.put

    def poison(cache: Cache, key: bytes, value: bytes) -> None:
        put(cache, key, value[:-9] if b"\x1f\x8b\x08" in value else value)

    with monkeypatch.context() as patched:
        patched.setattr(Cache, "put", poison)
        site.build({"index.md": "# Home\n\nA larch.\n"}, recall={"publish": True})
    expected = data(site)
    site.rebuild()
    assert data(site) == expected


TEXTS = st.lists(st.sampled_from(["larch", "Fir’s", "l'arbre", "the", "木の葉", "oak"]), max_size=4)
SITES_OF_PAGES = st.lists(st.tuples(TEXTS, st.sampled_from(["en", "fr", "ja"])), max_size=6)


@given(SITES_OF_PAGES, st.sets(st.integers(0, 5)))
def test_counts_of_the_pages_that_remain_are_those_of_a_first_build(
    texts: list[tuple[list[str], str]], kept: set[int]
) -> None:
    markdown = {f"{number}.md": " ".join(words) for number, (words, _) in enumerate(texts)}
    documents = Corpus.from_markdown(markdown).documents if markdown else []
    pages = [
        pack_page(in_language(document, code))
        for document, (_, code) in zip(documents, texts, strict=True)
    ]
    keys = [number.to_bytes(16, sys.byteorder) for number in range(len(pages))]
    packed = pack_previous(bytes(16), keys, join_pages(SiteHeader("Larch"), pages))
    previous = PreviousFile.of_bytes(packed)
    left = [number for number in range(len(pages)) if number in kept]
    expected = count_words(pages[number] for number in left)
    assert previous.count_words({keys[number] for number in left}) == expected
    assert json.loads(previous.lines[keys[0]])["uri"] == "0.md" if keys else not previous.lines
