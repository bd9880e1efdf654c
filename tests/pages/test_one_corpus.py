"""Several sites are queried as one documentation, like one index."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from other_site import pack_site
from tables import beside, tabled
from terminal import Terminal

from mkdocs_recall import Corpus, Document, PublishedFileError, Result, SiteError
from mkdocs_recall.index.index import Index, PageLinks, count_links
from mkdocs_recall.index.packed import PackedIndex, merge_indexes, pack_index
from mkdocs_recall.index.query import part_of
from mkdocs_recall.index.sources import PageSet
from mkdocs_recall.pages.published import (
    PublishedSite,
    PublishedSites,
    SiteHeader,
    read_site,
)
from mkdocs_recall.store import Cache
from mkdocs_recall.text.model import Publisher

LANGUAGES = {"larch": "en", "zirbe": "de", "matsu": "ja"}
SITES: dict[str, Any] = beside(__file__)["SITES"]
QUERIES = ["when does a token expire?", "Wann endet eine Sitzung?", "トークンの失効", "files"]


def documents(name: str) -> tuple[Document, ...]:
    pages = Corpus.from_markdown(SITES[name], language=LANGUAGES[name]).documents
    return tuple(replace(page, url=page.uri.replace(".md", ".html")) for page in pages)


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    for name in SITES:
        header = SiteHeader(name.title(), f"https://{name}.example/")
        (tmp_path / f"{name}.jsonl.gz").write_bytes(pack_site(header, documents(name)))
    return sorted(tmp_path.glob("*.gz"))


def one_index(names: list[str]) -> Corpus:
    """Return the same pages in one corpus that no file was packed for."""
    pages = {
        f"{name}:{page.uri}": replace(
            page,
            uri=f"{name}:{page.uri}",
            url=f"https://{name}.example/{page.url}",
            publisher=Publisher(name, name.title(), f"https://{name}.example/"),
        )
        for name in names
        for page in documents(name)
    }
    return Corpus(PageSet(list(pages), pages.__getitem__, sites=frozenset(names)))


def told(result: Result) -> list[tuple[object, ...]]:
    return [(p.uri, p.anchor, p.text, p.score, p.rank, p.url) for p in result.passages]


def answers(corpus: Corpus) -> Iterator[list[tuple[object, ...]]]:
    for source in ("**", "*:**", "larch:**", ["zirbe:sitzung.md#ablauf", "matsu:**"]):
        for query in QUERIES:
            for scorer in ("structure", "coverage", "bm25", "overlap"):
                result = corpus.recall(
                    query, source=source, scorer=scorer, min_score=0, on_empty="synopsis"
                )
                yield told(result)
        yield told(corpus.synopsis(source))


@pytest.mark.parametrize("cache", [False, True])
def test_answers_are_those_of_one_index(
    files: list[Path], monkeypatch: pytest.MonkeyPatch, *, cache: bool
) -> None:
    monkeypatch.setattr("mkdocs_recall.pages.corpus._MANY", 0)
    names = [file.name.partition(".")[0] for file in files]
    expected = list(answers(one_index(names)))
    assert sum(map(len, expected)) > 100
    for _ in range(2):  # a second corpus reads what the first has cached
        assert list(answers(Corpus.from_published(files, cache=cache))) == expected
    assert list(answers(Corpus.from_published(files[::-1]))) == list(
        answers(one_index(names[::-1]))
    )


def test_known_sites_are_not_read_again(files: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    """Each site has its own index, whatever others it is asked with."""
    monkeypatch.setattr("mkdocs_recall.pages.corpus._MANY", 0)
    Corpus.from_published(files[:2]).recall(QUERIES[0])
    for expected in (["zirbe:index.md", "zirbe:sitzung.md"], []):
        corpus = Corpus.from_published(files[::-1])
        read: list[str] = []
        load = corpus._pages.load  # noqa: SLF001 - how much is read is what is tested

        def noting(uri: str, load: Callable[[str], Document] = load) -> Document:
            read.append(uri)  # noqa: B023
            return load(uri)

        monkeypatch.setattr(corpus._pages, "load", noting)  # noqa: SLF001
        assert not corpus.recall("zebra", on_empty="omit").passages
        assert read == expected
        assert not corpus._pages._documents, "all may not fit in memory"  # noqa: SLF001


def test_a_foreign_index_in_the_cache_is_a_miss(
    files: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mkdocs_recall.pages.corpus._MANY", 0)
    put = Cache.put_mapped

    def forged(cache: Cache, name: str, key: bytes, _: bytes) -> None:
        put(cache, name, key, b"no index")

    with monkeypatch.context() as patched:
        patched.setattr(Cache, "put_mapped", forged)
        expected = told(Corpus.from_published(files).recall(QUERIES[0]))
    assert expected == told(Corpus.from_published(files, cache=False).recall(QUERIES[0]))
    assert expected == told(Corpus.from_published(files).recall(QUERIES[0]))


def test_only_groups_with_a_changed_site_are_merged_again(
    files: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """By their names and sizes, a group ends with the first of these sites, of three."""
    monkeypatch.setattr("mkdocs_recall.pages.corpus._MANY", 0)
    monkeypatch.setattr("mkdocs_recall.pages.corpus._GROUP", 10)
    merged: list[int] = []

    def noting(indexes: Sequence[PackedIndex]) -> bytes:
        merged.append(len(indexes))
        return merge_indexes(indexes)

    monkeypatch.setattr("mkdocs_recall.index.packed.merge_indexes", noting)
    for changed, expected in ((None, [2]), (None, []), (0, []), (1, [2]), (None, [])):
        if changed is not None:
            header = SiteHeader("Other", f"https://other-{changed}.example/")
            files[changed].write_bytes(pack_site(header, documents(files[changed].name[:5])))
        merged.clear()
        assert Corpus.from_published(files).recall(QUERIES[0]).passages
        assert merged == expected


def test_only_the_piece_of_a_page_that_has_changed_is_indexed_again(
    files: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The links to a page, and so its rank, come from all pieces."""
    monkeypatch.setattr("mkdocs_recall.pages.corpus._MANY", 0)
    monkeypatch.setattr("mkdocs_recall.pages.corpus._PIECE", 1)
    packed: list[list[str]] = []

    def noting(index: Index) -> bytes:
        packed.append([*index.uris])
        return pack_index(index)

    monkeypatch.setattr("mkdocs_recall.index.packed.pack_index", noting)
    new = "\n\nThe [token](tokens.md) is new."
    for more, expected in (("", list(SITES["larch"])), (new, ["news.md"])):
        packed.clear()
        texts = {uri: text + more * (uri == "news.md") for uri, text in SITES["larch"].items()}
        pages = [replace(p, url=p.uri) for p in Corpus.from_markdown(texts).documents]
        files[0].write_bytes(pack_site(SiteHeader("Larch", "https://larch.example/"), pages))
        results = [
            Corpus.from_published(files[:1], cache=cache).recall(QUERIES[0], max_sentences=9)
            for cache in (True, False)
        ]
        assert packed == [[f"larch:{uri}"] for uri in expected]
        explained = [[str(p.explanation) for p in result.passages] for result in results]
        assert explained[0] == explained[1]
        assert "links to its page" in "".join(explained[0])


def test_a_listed_file_is_unpacked_only_for_uncached_pages(
    files: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    unpacked: list[str] = []

    def noting(file: str) -> PublishedSite:
        unpacked.append(Path(file).name)
        return read_site(file)

    monkeypatch.setattr("mkdocs_recall.pages.published.read_site", noting)
    Corpus.from_published(files[:1])
    corpus = Corpus.from_published(files[:2])
    assert unpacked == ["larch.jsonl.gz", "matsu.jsonl.gz"]
    assert corpus.recall(QUERIES[0], source="larch:**").passages[0].uri == "larch:tokens.md"
    assert unpacked == ["larch.jsonl.gz", "matsu.jsonl.gz", "larch.jsonl.gz"]
    listed = Corpus.from_published(files[1::-1])
    files[1].write_bytes(pack_site(SiteHeader("Other"), documents("zirbe")))
    with pytest.raises(PublishedFileError, match=r"'.*matsu.jsonl.gz' cannot be used: it has ch"):
        listed.recall("Sitzung", source="matsu:**")


def test_a_file_replaced_while_it_is_listed_is_noticed(
    files: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    larch, zirbe = files[0].read_bytes(), files[2].read_bytes()

    def replacing(file: str) -> PublishedSite:
        files[0].write_bytes(zirbe)
        return read_site(file)

    with monkeypatch.context() as patched:
        patched.setattr("mkdocs_recall.pages.published.read_site", replacing)
        Corpus.from_published(files[:1])
    files[0].write_bytes(larch)
    uris = [page.uri for page in Corpus.from_published(files[:1]).documents]
    assert uris == [f"larch:{uri}" for uri in SITES["larch"]]


def test_a_file_that_is_replaced_once_it_is_listed_is_listed_again(
    files: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Other files are still being listed: its date and size are not yet noted."""
    listed = PublishedSites._listed  # noqa: SLF001 - after it the file is replaced

    def replacing(*arguments: Any) -> PublishedSite:
        site = listed(*arguments)
        pages = [replace(page, title="New") for page in documents("larch")]
        files[0].write_bytes(pack_site(SiteHeader("Larch"), pages))
        return site

    with monkeypatch.context() as patched:
        patched.setattr(PublishedSites, "_listed", replacing)
        corpus = Corpus.from_published(files)
        with pytest.raises(SiteError, match="has changed since its pages were listed"):
            corpus.recall("token", source="larch:**")
    for later in (corpus.refreshed(), Corpus.from_published(files)):
        assert {p.title for p in later.recall("token", source="larch:**").passages} == {"New"}


@pytest.mark.parametrize("other", ["zirbe", "larch"])
def test_a_file_replaced_before_a_page_is_read_is_reported(files: list[Path], other: str) -> None:
    """It has other pages, or the same with other texts; the list of its pages is cached."""
    Corpus.from_published(files)
    larch, corpus = files[0].read_bytes(), Corpus.from_published(files)
    files[0].write_bytes(pack_site(SiteHeader("Other"), documents(other)))
    with pytest.raises(SiteError, match=r"larch\.jsonl\.gz' has changed since its pages were lis"):
        corpus.recall("token", source="larch:**")
    files[0].write_bytes(larch)
    titles = {page.publisher.title for page in Corpus.from_published(files) if page.publisher}
    assert titles == {"Larch", "Zirbe", "Matsu"}


def test_a_cache_damaged_in_its_index_is_reported_as_rebuilt(
    files: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    Corpus.from_published(files[:1])

    class Damaged(Cache):
        def get(self, key: bytes) -> bytes | None:
            self._give_up(OSError("malformed"))
            return super().get(key)

    with monkeypatch.context() as patched:
        patched.setattr("mkdocs_recall.pages.published.Cache", Damaged)
        assert "is not used: malformed" in Corpus.from_published(files).notice
    assert not Corpus.from_published(files).notice
    monkeypatch.setattr("mkdocs_recall.pages.published.PublishedSites.open", pytest.fail)
    assert len(Corpus.from_published(files)) == sum(map(len, SITES.values()))


def test_few_pages_of_earlier_queries_stay_in_memory(
    files: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mkdocs_recall.pages.corpus._MANY", 0)
    monkeypatch.setattr("mkdocs_recall.pages.corpus._KEPT_PAGES", 1)
    corpus = Corpus.from_published(files)
    quoted = {page.uri for query in QUERIES for page in corpus.recall(query).passages}
    assert not corpus.recall("walrus", on_empty="omit").passages
    with corpus.by_name() as pages:
        assert len(pages.loaded) == 1 < len(quoted)


def test_a_group_of_sites_ends_before_its_index_gets_too_large(
    files: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first two sites have four pages, and no name ends a group here."""
    monkeypatch.setattr("mkdocs_recall.pages.corpus._MANY", 0)
    monkeypatch.setattr("mkdocs_recall.pages.corpus._GROUP", 4)
    monkeypatch.setattr("mkdocs_recall.pages.corpus.crc32", lambda _: 2**40)
    merged: list[int] = []

    def noting(indexes: Sequence[PackedIndex]) -> bytes:
        merged.append(len(indexes))
        return merge_indexes(indexes)

    monkeypatch.setattr("mkdocs_recall.index.packed.merge_indexes", noting)
    assert Corpus.from_published(files).recall(QUERIES[0]).passages
    assert merged == [2]


def test_a_file_that_is_too_large_is_refused_before_it_is_read(
    files: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mkdocs_recall.pages.published.LARGEST", 100)
    monkeypatch.setattr("mkdocs_recall.pages.published.content_digest", pytest.fail)
    with pytest.raises(PublishedFileError, match="more than 100"):
        Corpus.from_published(files)


def test_threads_may_all_find_that_files_have_changed(files: list[Path]) -> None:
    corpus = Corpus.from_published(files)

    def ask(_: int) -> str:
        return corpus.refreshed().recall("files", source="larch:**").passages[0].title

    with ThreadPoolExecutor(8) as threads:
        for number in range(4):
            pages = [replace(page, title=f"{number}") for page in documents("larch")]
            files[0].write_bytes(pack_site(SiteHeader(f"Larch {number}"), pages))
            assert {*threads.map(ask, range(32))} == {f"{number}"}


def test_a_replaced_file_is_read_again_by_a_corpus(files: list[Path]) -> None:
    corpus = Corpus.from_published(files)
    assert corpus.recall("when does a token expire?", source="larch:**")
    files[0].write_bytes(files[2].read_bytes())
    assert [page.uri for page in corpus.refreshed().select("larch:**")] == [
        "larch:index.md",
        "larch:sitzung.md",
    ]


@pytest.mark.parametrize("url", ["https://{}.example/docs/{}", ""])  # a folder's have none
def test_a_link_counts_within_its_site_alone(url: str) -> None:
    """Two sites of the same pages: a page of one has no link from the other's."""
    pages = [
        replace(
            page,
            uri=f"{name}:{page.uri}",
            url=url.format(name, page.url),
            publisher=Publisher(name, name.title(), f"https://{name}.example/docs/"),
        )
        for name in ("larch", "fir")
        for page in documents("larch")
    ]
    linked = count_links([PageLinks.of(part_of(page)) for page in pages])[0]
    counts = {page.uri: linked[number] for number, page in enumerate(pages)}
    assert counts == {
        "larch:index.md": 0,
        "larch:tokens.md": 1,
        "larch:news.md": 0,
        "fir:index.md": 0,
        "fir:tokens.md": 1,
        "fir:news.md": 0,
    }


def test_commands_ask_published_files_and_name_site_and_address(files: list[Path]) -> None:
    terminal = Terminal(files[0].parent)
    outcome = terminal.run("recall", QUERIES[0], "--published", "*.jsonl.gz", "--json")
    assert outcome.status == 0
    [first, *_] = json.loads(outcome.out)["passages"]
    assert first["uri"] == "larch:tokens.md"
    assert first["url"] == "https://larch.example/tokens.html#expiry"
    assert first["publisher"]["name"] == "larch"
    text = terminal.run("recall", QUERIES[0], "--published", "*.jsonl.gz").out
    assert "https://larch.example/tokens.html#expiry" in text
    text = terminal.run("search", QUERIES[0], "--published", "*.jsonl.gz").out
    assert "larch:tokens.md#expiry" in text
    pages = terminal.run("pages", "--published", "larch.jsonl.gz", "--published", "z*.gz").out
    assert "zirbe:sitzung.md" in pages
    assert "matsu" not in pages
    one = terminal.run("synopsis", "matsu:**", "--published", "matsu.jsonl.gz")
    assert (one.status, "松" in one.out) == (0, True)


@tabled
def test_what_cannot_be_asked_is_reported(
    files: list[Path], arguments: list[str], message: str
) -> None:
    outcome = Terminal(files[0].parent).run("recall", QUERIES[0], *arguments)
    assert outcome.status == 2
    assert message in outcome.err


def test_a_damaged_file_ends_the_command(files: list[Path]) -> None:
    files[0].write_bytes(files[0].read_bytes()[:-9])
    outcome = Terminal(files[0].parent).run("recall", QUERIES[0], "--published", "*.gz")
    assert outcome.status == 2
    assert "truncated or damaged" in outcome.err
