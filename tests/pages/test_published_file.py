"""A published file comes back whole; a damaged or hostile one is reported with its place."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any

import pytest
from msgspec.structs import astuple
from tables import tabled

from mkdocs_recall import Corpus
from mkdocs_recall.errors import PublishedFileError, SiteError
from mkdocs_recall.pages.published import (
    SiteHeader,
    is_site_name,
    join_pages,
    named_files,
    pack_page,
    read_site,
)

GOLDEN = Path(__file__).parents[1] / "golden"
HEADER = SiteHeader("Flux", "https://flux.example/docs", "2.5", "en", "CC-BY-4.0", "Flux authors")
PAGES = {
    "index.md": "# Flux\n\nFlux keeps clusters in sync.\n",
    "guides/x.md": "# Tokens\n\n## Expiry\n\nA token expires after 12 hours. [Up](../index.md).\n",
}


def published(**pages: str) -> bytes:
    return join_pages(HEADER, map(pack_page, Corpus.from_markdown(pages or PAGES).documents))


def lines(data: bytes) -> list[bytes]:
    return gzip.decompress(data).splitlines(keepends=True)


def rebuilt(head: dict[str, Any], rest: list[bytes]) -> bytes:
    digest = sha256(b"".join(rest)).hexdigest()
    first = json.dumps({**head, "digest": digest}).encode() + b"\n"
    return gzip.compress(first + b"".join(rest))


def refusal(tmp_path: Path, data: bytes) -> str:
    file = tmp_path / "flux.jsonl.gz"
    file.write_bytes(data)
    with pytest.raises(PublishedFileError) as caught:
        read_site(file)
    assert str(caught.value).startswith(f"'{file.as_posix()}'")
    return str(caught.value)


def test_a_published_site_comes_back_whole(tmp_path: Path) -> None:
    documents = Corpus.from_markdown(PAGES).documents
    file = tmp_path / "recall.jsonl.gz"
    packed = [pack_page(documents[0], "2030-01-01"), *map(pack_page, documents[1:])]
    file.write_bytes(join_pages(HEADER, packed))
    site = read_site(file)
    assert (site.header, site.digest) == (HEADER, json.loads(lines(file.read_bytes())[0])["digest"])
    without_lines = [
        replace(page, blocks=tuple(replace(block, line=None) for block in page.blocks))
        for page in documents
    ]
    assert [site.document(uri) for uri in site.pages] == without_lines
    assert site.pages["index.md"].expires == "2030-01-01"
    assert json.loads(lines(file.read_bytes())[1])["frequencies"]["en"]["token"] == 1
    newer = replace(documents[1].blocks[0], kind="hologram")  # type: ignore[arg-type]  # of later
    file.write_bytes(join_pages(HEADER, [pack_page(replace(documents[0], blocks=(newer,)))]))
    with pytest.raises(PublishedFileError, match="has published 'Flux', upgrade this one"):
        read_site(file).document(documents[0].uri)


def test_the_same_pages_give_the_same_bytes_and_no_date() -> None:
    assert published() == published()
    assert published()[4:8] == bytes(4)


def test_a_file_of_before_msgspec_is_read() -> None:
    """Schema 1 stays readable; `guides/x.md` was packed before the items of lists were known."""
    site = read_site(GOLDEN / "recall-1.jsonl.gz")
    expected = json.loads((GOLDEN / "recall-1.json").read_text("utf-8"))
    assert site.header.copyright == "© Flux authors"
    assert site.pages["guides/x.md"].expires == "2099-01-01"
    for page, document in zip(expected, map(site.document, site.pages), strict=True):
        names = ("uri", "title", "language", "url")
        assert [page[name] for name in names] == [getattr(document, name) for name in names]
        stated = (document.description, document.created, document.valid, document.stability)
        assert (*page["stated"],) == (*stated, document.quality)
        assert page["headings"] == [[*astuple(heading)] for heading in document.headings]
        for told, block in zip(page["blocks"], document.blocks, strict=True):
            text, kind, top, section, anchor, lead, marks, items = told
            assert (text, kind, top, section) == (block.text, block.kind, block.top, block.section)
            assert (anchor, lead) == (block.anchor, block.lead)
            assert marks == [[text[m.start : m.end], m.role, m.href] for m in block.marks]
            assert items == [list(item) for item in block.items]


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        (lambda data: data[:-20], "truncated or damaged"),
        (lambda data: data[:40], "truncated or damaged"),
        (lambda _: b"", "it is empty"),
        (lambda _: gzip.compress(b""), "it is empty"),
        (lambda _: b"PK\x03\x04 something else", "not compressed by gzip"),
        (lambda data: data + b"more", "not compressed by gzip, or damaged"),
        (lambda _: gzip.compress(b"[]\n"), "its first line has no schema"),
        (lambda _: gzip.compress(b"[" * 100_000 + b"\n"), "its first line has no schema"),
        (lambda _: gzip.compress(b'{"a": 1}\n'), "its first line has no schema"),
        (lambda _: gzip.compress(b'{"schema": 2}\n'), "newer than 1: upgrade mkdocs-recall"),
        (lambda _: gzip.compress(b'{"schema": %s}\n' % (b"9" * 4000)), "schema a number with"),
        (lambda _: gzip.compress(b'{"schema": true}\n'), "its first line has no schema"),
        (lambda _: gzip.compress(b'{"schema": 1}\n'), "its header is invalid"),
        (lambda _: gzip.compress(b'{"schema": 1}'), "the file ends in it"),
        (lambda _: gzip.compress(bytes(200_000_000)), "more than any documentation"),
    ],
)
def test_a_damaged_file_is_reported_with_its_reason(
    tmp_path: Path, damage: Callable[[bytes], bytes], reason: str
) -> None:
    assert reason in refusal(tmp_path, damage(published()))


def page_line(uri: str, document: bytes) -> bytes:
    head = {"uri": uri, "url": "", "title": "", "digest": sha256(document).hexdigest()[:32]}
    return json.dumps(head).encode()[:-1] + b',"document":' + document + b"}\n"


def listed(count: int) -> bytes:
    """Return what is packed as a page, with so many marks: a reader counts before it unpacks."""
    return f'["","en","",["","","","",null],true,[],[],[[{",".join(["[]"] * count)}]]]'.encode()


EMPTY = b'["","en","",["","","","",null],true,[],[],[]]'
TOO_MUCH: dict[str, tuple[int, Callable[[int], bytes], str]] = {
    "pages": (21_000, lambda _: EMPTY, "it has more than 20,000 pages"),
    "marks of a page": (1, lambda _: listed(250_000), "more blocks and marks than any"),
    "marks in all": (50, lambda _: listed(50_000), "more blocks and marks than any"),
    "bytes": (
        800,
        lambda _: EMPTY[:-1] + b" " * 20_000 + b"]",
        "unpacks to more than any documentation",
    ),
}


@pytest.mark.parametrize("what", TOO_MUCH)
def test_a_small_file_that_takes_much_memory_is_refused_in_words(tmp_path: Path, what: str) -> None:
    count, document, reason = TOO_MUCH[what]
    head = lines(published())[0]
    random_text = Random(1).randbytes(300_000).hex()  # noqa: S311 - what compresses badly
    frequencies = json.dumps({"frequencies": {}, "more": random_text}).encode() + b"\n"
    pages = [page_line(f"{number}.md", document(number)) for number in range(count)]
    data = rebuilt(json.loads(head) | {"counts": {"pages": count}}, [frequencies, *pages])
    assert len(data) < 1_500_000
    assert reason in refusal(tmp_path, data)


def test_a_missing_file_or_a_folder_is_reported(tmp_path: Path) -> None:
    with pytest.raises(PublishedFileError, match="there is no such file"):
        read_site(tmp_path / "flux.jsonl.gz")
    with pytest.raises(PublishedFileError, match="it is not a file"):
        read_site(tmp_path)


def test_changed_lines_are_told_by_their_digests(tmp_path: Path) -> None:
    head, *rest = lines(published())
    changed = [line.replace(b"12 hours", b"30 hours") for line in rest]
    assert "does not have the digest it states" in refusal(
        tmp_path, rebuilt(json.loads(head), changed)
    )
    without_last = gzip.compress(b"".join([head, *rest[:-1]]))
    assert "its lines do not have the digest" in refusal(tmp_path, without_last)
    assert "as many pages" in refusal(tmp_path, rebuilt(json.loads(head), rest[:-1]))
    assert "has the page 'index.md' twice" in refusal(
        tmp_path, rebuilt(json.loads(head), [*rest, rest[1]])
    )


@pytest.mark.parametrize("uri", ["../x.md", "/etc/passwd", "a//b.md", "a\\b.md", "a\nb.md", ""])
def test_a_page_outside_of_its_site_is_refused(tmp_path: Path, uri: str) -> None:
    head, *rest = lines(published())
    at = json.dumps(uri).encode()
    changed = [line.replace(b'{"uri":"index.md"', b'{"uri":' + at) for line in rest]
    assert "no path within its site" in refusal(tmp_path, rebuilt(json.loads(head), changed))


@pytest.mark.parametrize("url", ["//evil.example/", "javascript:alert(1)", "../../x", "/x", "a b"])
def test_a_page_whose_url_leads_elsewhere_is_refused(tmp_path: Path, url: str) -> None:
    head, *rest = lines(published())
    at = b'"url":' + json.dumps(url).encode()
    changed = [line.replace(b'"url":""', at, 1) for line in rest]
    assert "no path within its site" in refusal(tmp_path, rebuilt(json.loads(head), changed))


@pytest.mark.parametrize("url", ["ftp://x/", "javascript:alert(1)", "https:///x", "https://a b/"])
def test_a_site_url_that_is_not_a_web_address_is_refused(tmp_path: Path, url: str) -> None:
    head, *rest = lines(published())
    changed = {**json.loads(head), "site_url": url}
    assert "site_url is not an http or https URL" in refusal(tmp_path, rebuilt(changed, rest))


@tabled
def test_drives_devices_schemes_and_paths_are_not_names_of_sites(name: str) -> None:
    assert not is_site_name(name)
    assert is_site_name("flux")
    assert is_site_name("flux@2.5")


def test_files_name_their_sites(tmp_path: Path) -> None:
    files = [tmp_path / "Flux@2.5.jsonl.gz", tmp_path / "argo-cd/recall.jsonl.gz"]
    assert list(named_files(files)) == ["flux@2.5", "argo-cd"]
    with pytest.raises(SiteError, match="are both called 'argo-cd'"):
        named_files([files[1], tmp_path / "argo-cd.jsonl.gz"])
    for file in (tmp_path / "c.jsonl.gz", tmp_path / "c" / "recall.jsonl.gz"):
        with pytest.raises(SiteError, match=r"'c' cannot be .* rename the file to 'NAME\.jsonl"):
            named_files([file])
    with pytest.raises(SiteError, match="there is no published file"):
        named_files([])


def test_one_file_in_two_spellings_is_one_site(tmp_path: Path) -> None:
    file = tmp_path / "flux.jsonl.gz"
    (tmp_path / "x").mkdir()
    assert named_files([file, tmp_path / "x" / ".." / file.name]) == {"flux": file}


def test_one_corpus_of_several_sites_quotes_each_with_its_address(tmp_path: Path) -> None:
    for name in ("flux", "argo"):
        pages = {uri: text.replace("A token", f"A token of {name}") for uri, text in PAGES.items()}
        (tmp_path / f"{name}.jsonl.gz").write_bytes(published(**pages))
    files = sorted(tmp_path.glob("*.gz"))
    for cache in (False, True, True):
        corpus = Corpus.from_published(files, cache=cache)
        [first, *_] = corpus.recall("when does a token expire?", source="flux:**").passages
        assert first.document.uri == "flux:guides/x.md"
        assert first.document.url.startswith("https://flux.example/docs/")
        assert first.document.publisher is not None
        assert first.document.publisher.licence == "CC-BY-4.0"
        assert first.document.file == ""
        uris = {p.document.uri for p in corpus.recall("when does a token expire?").passages}
        assert uris == {"argo:guides/x.md", "flux:guides/x.md"}
        assert [page.uri for page in corpus.select("*:index.md")] == [
            "argo:index.md",
            "flux:index.md",
        ]
    files[0].write_bytes(files[0].read_bytes()[:-9])
    with pytest.raises(SiteError, match="truncated"):
        Corpus.from_published(files)
