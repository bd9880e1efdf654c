"""Which links lead to which pages and sections, and how many pages they come from."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tables import tabled

from mkdocs_recall import Corpus, Document
from mkdocs_recall.index.index import PageLinks, count_links
from mkdocs_recall.index.query import part_of

TARGETS = {
    "index.md": "# Home\n\nThe start.",
    "sub/index.md": "# Sub\n\nThe folder.",
    "sub/b.md": "# B\n\nThe page.\n\n## Log off\n\nHere.\n\n## Über uns\n\nThere.",
}


def counts(*documents: Document) -> dict[str, tuple[int, dict[str, int]]]:
    """Return what `count_links` says of each page that is linked."""
    pages, anchors = count_links([PageLinks.of(part_of(document)) for document in documents])
    return {
        document.uri: (pages[n], {anchor: anchors[at, anchor] for at, anchor in anchors if at == n})
        for n, document in enumerate(documents)
        if pages[n]
    }


def from_page(uri: str, text: str) -> dict[str, tuple[int, dict[str, int]]]:
    """Return what the links of one page lead to, beside `TARGETS`, read without a site."""
    return counts(*Corpus.from_markdown({**TARGETS, uri: f"# A\n\n{text}"}).documents)


@tabled
def test_a_link_leads_to_a_page_in_whatever_way_it_is_written(
    behaviour: str, uri: str, hrefs: list[str], linked: str | None
) -> None:
    for href in hrefs:
        found = from_page(uri, f"See [it]({href}).")
        assert found == ({linked: (1, {})} if linked else {}), (behaviour, href)
    code = "```\n[it](sub/b.md)\n```\n\n<pre><a href='sub/b.md'>it</a></pre>"
    assert from_page(uri, code) == {}


@pytest.mark.parametrize("others", [{"index.md": "# Home\n\nThe start."}, {}])
def test_without_a_site_the_first_page_is_not_the_home_page(others: dict[str, str]) -> None:
    pages = {"a.md": "# A\n\nText.", **others, "b.md": "# B\n\nGo [home](index.md#home)."}
    linked = {uri: (1, {"home": 1}) for uri in others}
    assert counts(*Corpus.from_markdown(pages).documents) == linked


@pytest.mark.parametrize(
    "uri", ["sub/x/README.md", "sub/x/_index.md", "sub/x.mdx", "sub/x.markdown", "sub/x.html"]
)
def test_a_folder_s_page_may_have_another_name(uri: str) -> None:
    pages = {uri: "# X\n\nText.", "a.md": "# A\n\nSee [it](sub/x/)."}
    assert counts(*Corpus.from_markdown(pages).documents) == {uri: (1, {})}


@tabled
def test_an_anchor_counts_for_its_section(href: str, anchor: str | None) -> None:
    expected = {anchor: 1} if anchor else {}
    assert from_page("sub/a.md", f"See [it]({href}).") == {"sub/b.md": (1, expected)}


def test_a_page_counts_once_however_often_it_links() -> None:
    twice = "[One](b.md#log-off), [two](./b.md#log-off), [three](b.md#über-uns), [four](b.md)."
    pages = {**TARGETS, "sub/a.md": twice, "c.md": "[One](sub/b.md#log-off)."}
    found = counts(*Corpus.from_markdown(pages).documents)
    assert found == {"sub/b.md": (2, {"log-off": 2, "über-uns": 1})}


def test_only_blocks_of_the_part_have_links() -> None:
    pages = {"a.md": "# A\n\n[One](b.md).\n\n## Last\n\n[Two](c.md).", "b.md": "B.", "c.md": "C."}
    documents = Corpus.from_markdown(pages).documents
    parts = [part_of(documents[0], anchors=("last",)), *map(part_of, documents[1:])]
    assert count_links([*map(PageLinks.of, parts)])[0] == {2: 1}


def test_a_block_that_is_not_searched_has_links_too() -> None:
    pages = {"a.md": "# A\n\nText.\n\n- [One](b.md)\n", "b.md": "B."}
    documents = Corpus.from_markdown(pages).documents
    parts = [part_of(document, units={"prose"}) for document in documents]
    assert count_links([*map(PageLinks.of, parts)])[0] == {1: 1}


@pytest.mark.parametrize("settings", ["use_directory_urls: true", "use_directory_urls: false", ""])
def test_the_links_of_a_site_are_those_of_its_pages(tmp_path: Path, settings: str) -> None:
    texts = {
        **TARGETS,
        "a.md": "# A\n\nSee [b](sub/b.md#log-off), [ü](sub/b.md#%C3%BCber-uns), [i](index.md).",
        "sub/c.md": "# C\n\nSee [b](b.md#log-off), [folder](index.md), [itself](c.md#c).",
    }
    for uri, text in texts.items():
        path = tmp_path / "docs" / uri
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    corpus = Corpus.from_folder(tmp_path / "docs")
    if settings:
        slugify = "!!python/name:markdown.extensions.toc.slugify_unicode"
        (tmp_path / "mkdocs.yml").write_text(
            f"site_name: S\n{settings}\nmarkdown_extensions:\n  - toc:\n      slugify: {slugify}\n",
            "utf-8",
        )
        corpus = Corpus.from_site(tmp_path / "mkdocs.yml", cache=False)
    assert counts(*corpus.documents) == {
        "index.md": (1, {}),
        "sub/index.md": (1, {}),
        "sub/b.md": (2, {"log-off": 2, "über-uns": 1}),
    }


def test_the_address_of_a_page_may_differ_from_that_of_its_file() -> None:
    pages = {"a b/ü.md": "# B\n\nText.", "a.md": "# A\n\nSee [it](</x y/%C3%BC/>)."}
    target, page = Corpus.from_markdown(pages).documents
    assert counts(target, page) == {}
    assert counts(replace(target, url="x y/ü/"), page) == {"a b/ü.md": (1, {})}
