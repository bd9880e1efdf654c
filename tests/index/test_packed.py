"""A stored index answers like a new one, in several threads."""

from __future__ import annotations

import json
import random
import shutil
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from mkdocs_recall import Corpus, Document, Query, Result, SiteError
from mkdocs_recall.index.index import Index, Sections, TermOccurrences
from mkdocs_recall.index.packed import PackedIndex, merge_indexes, pack_index
from mkdocs_recall.index.query import part_of
from mkdocs_recall.options import RecallOptions, Unit
from mkdocs_recall.ranking.recall import recall
from mkdocs_recall.ranking.scores import SCORERS
from mkdocs_recall.text.model import TEXT

WORDS = [
    *("session", "token", "expire", "server", "port", "configure", "restart", "backup", "key"),
    *("door", "mail", "queue", "folder", "setting", "Sitzung", "Ablauf", "Zugriff"),
]
QUERIES = ["session expire", '"server port" configure', "Sitzungsablauf", "the queue", "key"]


def page(chance: random.Random, number: int) -> str:
    """Return a page with all that an index knows: headings, a table, terms, lists, languages."""

    def words(count: int) -> str:
        return " ".join(chance.choice(WORDS) for _ in range(count))

    language = "---\nlang: de\n---\n" if number % 5 == 0 else ""
    return (
        f"{language}# {words(2)}\n\nThe {words(6)}. It {words(5)}.\n\n## {words(2)}\n\n"
        f"These are the {words(2)}:\n\n- {words(4)}.\n- {words(3)}.\n\n"
        f"{words(1)}\n: A {words(4)}.\n\n| {words(1)} | {words(1)} |\n|---|---|\n"
        f"| {words(2)} | {words(2)} |\n\n"
        f'=== "{words(2)}"\n\n    {words(3)}:\n\n    - {words(3)}\n\n'
        f'=== "{words(1)}"\n\n    ```\n    {words(3)}\n    ```\n'
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a site of so many pages that its index is kept."""
    root = tmp_path_factory.mktemp("site")
    (root / "docs").mkdir()
    (root / "mkdocs.yml").write_text("site_name: Site\nmarkdown_extensions: [def_list, tables]\n")
    chance = random.Random(3)  # noqa: S311 - no secret
    for number in range(80):
        (root / f"docs/p{number}.md").write_text(page(chance, number))
    return root


def told(result: Result) -> list[object]:
    """Return all that a result says."""
    passages = [*result.passages, *(lost.passage for lost in result.lost)]
    return [
        result.why,
        result.diagnostics,
        [lost.reason for lost in result.lost],
        *[(p.rank, p.score, p.uri, p.anchor, p.line, p.text, str(p.explanation)) for p in passages],
    ]


@pytest.mark.slow
@pytest.mark.parametrize("language", [None, "en"])
def test_a_kept_index_answers_as_one_that_is_made(folder: Path, language: str | None) -> None:
    plain = Corpus.from_site(folder / "mkdocs.yml", cache=False)
    Corpus.from_site(folder / "mkdocs.yml").recall(QUERIES[0], language=language)
    for query, scorer in product(QUERIES, SCORERS):
        if scorer == next(iter(SCORERS)):
            unchanged = Corpus.from_site(folder / "mkdocs.yml")
        results = [
            each.recall(
                query,
                scorer=scorer,
                language=language,
                max_sentences=8,
                context=1,
                min_score=0,
                on_empty="synopsis",
            )
            for each in (plain, unchanged)
        ]
        assert told(results[0]) == told(results[1]), (query, scorer)
        assert results[0].passages


def test_an_index_that_was_kept_does_not_outlive_an_edit(folder: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(folder, tmp_path / "copy")
    config = copy / "mkdocs.yml"
    question = "Which zebra crosses the river?"
    assert not Corpus.from_site(config).recall(question, min_score=0, on_empty="omit").passages
    (copy / "docs/p7.md").write_text("# Zebras\n\nNo zebra crosses the river. Most sleep.\n")
    Corpus.from_site(config).synopsis("p7.md")  # the page is known, and no index of it
    for cache in (True, True, False):
        result = Corpus.from_site(config, cache=cache).recall(question, on_empty="omit")
        assert [p.sentence.text for p in result.passages] == ["No zebra crosses the river."]


@pytest.mark.slow
def test_a_synopsis_reads_pages_rather_than_a_cached_index(folder: Path) -> None:
    config = folder / "mkdocs.yml"
    units: tuple[Unit, ...] = ("prose", "list", "definition", "admonition")
    assert units == TEXT, "a synopsis has the same"
    for _ in range(2):
        corpus = Corpus.from_site(config)
        corpus.recall("session", units=units)
        plain = Corpus.from_site(config, cache=False)
        assert told(corpus.synopsis("**")) == told(plain.synopsis("**"))


def test_a_kept_index_reads_few_pages(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = folder / "mkdocs.yml"
    Corpus.from_site(config).recall("session")
    read: list[str] = []
    corpus = Corpus.from_site(config)
    load = corpus._pages.load  # noqa: SLF001 - how much is read is what is tested

    def noting(uri: str) -> Document:
        read.append(uri)
        return load(uri)

    monkeypatch.setattr(corpus._pages, "load", noting)  # noqa: SLF001
    assert len(corpus.recall("session expire", context=0).passages) >= 2
    assert len(read) < 40
    result = corpus.recall("zebra crossing", on_empty="synopsis")
    assert (result.fallback, bool(result.passages)) == ("no_match", True)
    assert len(read) < 40


@pytest.mark.slow
def test_several_threads_get_the_answers_that_one_does(folder: Path) -> None:
    config = folder / "mkdocs.yml"
    asked = [
        (query, source, count)
        for query in QUERIES
        for source in ("**", "p1.md", "p2*.md")
        for count in (1, 5)
    ]

    def ask(corpus: Corpus, question: tuple[str, str, int]) -> list[object]:
        query, source, count = question
        return told(corpus.recall(query, source=source, max_sentences=count, min_score=0))

    alone = Corpus.from_site(config, cache=False)
    expected = [ask(alone, question) for question in asked]
    for cache in (True, False):
        together = Corpus.from_site(config, cache=cache)
        with ThreadPoolExecutor(8) as threads:
            for _ in range(3):
                assert list(threads.map(lambda q: ask(together, q), asked)) == expected  # noqa: B023


@given(st.integers(0, 10_000), st.lists(st.sampled_from(WORDS), min_size=1, max_size=4))
def test_a_packed_page_stays_equal(seed: int, asked: list[str]) -> None:
    chance = random.Random(seed)  # noqa: S311
    corpus = Corpus.from_markdown({f"{n}.md": page(chance, n) for n in range(3)})
    pages = {document.uri: document for document in corpus.documents}
    made = Index(part_of(document) for document in pages.values())
    packed = PackedIndex(pack_index(made), list(pages), pages.__getitem__)
    assert list(packed.sentences) == list(made.sentences)
    assert list(packed.blocks) == list(made.blocks)
    for one, other in zip(packed.parts, made.parts, strict=True):
        assert (one.document, one.blocks) == (other.document, other.blocks)
    for name in Sections.__struct_fields__:
        assert [*getattr(packed.sections, name)] == [*getattr(made.sections, name)]
    for name in ("block_of", "section_of", "document_of", "lengths", "part_languages"):
        assert list(getattr(packed, name)) == list(getattr(made, name)), name
    assert (packed.page_starts, packed.languages) == (made.page_starts, made.languages)
    assert len(packed) == len(made)
    assert packed.totals == made.totals
    for number in range(len(made)):
        assert tuple(packed.words_of(number)) == made.words_of(number)
        assert packed.term_set(number) == made.term_set(number)
        assert packed.is_quotable(number) == made.is_quotable(number)
        assert packed.leans(number) == made.leans(number)
        assert packed.document(number) == made.document(number)
    from mkdocs_recall.index.index import SectionFrequencies
    from mkdocs_recall.index.query import query_terms

    averages = made.totals.field_averages
    for term in query_terms(" ".join(asked), made.languages):
        of_both = packed.occurrences(term), made.occurrences(term)
        for name in (name for name in vars(TermOccurrences) if not name.startswith("_")):
            of_kept, of_made = (getattr(each, name) for each in of_both)
            if isinstance(of_made, SectionFrequencies):
                of_kept, of_made = of_kept.all(averages), of_made.all(averages)
            assert of_kept == of_made, name
        assert packed.frequencies(term) == made.frequencies(term)
    for code, postings in made.postings.items():
        keys = [key for key in map(packed.postings[code].key, asked) if key is not None]
        of_kept = SectionFrequencies(
            packed.sections, [(packed.postings[code], key) for key in keys]
        )
        of_made = SectionFrequencies(made.sections, [(postings, word) for word in asked])
        assert of_kept.sections == of_made.sections
        assert of_kept.all(averages) == of_made.all(averages)


@pytest.mark.parametrize("packed", [b"", b"\0" * 8, b"\2" + b"\0" * 7 + b"{}", b"x" * 99])
def test_what_is_not_a_packed_index_is_refused(packed: bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        PackedIndex(packed, [], lambda _: pytest.fail("no page is needed"))


def _parts(packed: bytes) -> tuple[dict[str, Any], bytearray, bytearray]:
    """Return the JSON, the numbers and the words of a packed index."""
    start = 8 + int.from_bytes(packed[:8], "little")
    head = json.loads(packed[8:start])
    end = start + 4 * head["count"]
    return head, bytearray(packed[start:end]), bytearray(packed[end:])


def _whole(head: object, *parts: bytearray) -> bytes:
    """Return the packed index of these parts."""
    packed_head = json.dumps(head).encode()
    return b"".join((len(packed_head).to_bytes(8, "little"), packed_head, *parts))


def _changed(packed: bytes, chance: random.Random) -> bytes:
    """Return a packed index with a few numbers or words changed, or what is said of them."""
    head, numbers, words = _parts(packed)
    what = chance.choice(("numbers", "words", "words of a language", "head"))
    if what == "numbers":
        for _ in range(chance.choice((1, 50))):
            at = 4 * chance.randrange(len(numbers) // 4)
            number = chance.choice((0, 1, 7, 100, 2**31, 2**32 - 1))
            numbers[at : at + 4] = number.to_bytes(4, sys.byteorder)
    elif what == "words":
        for _ in range(chance.choice((1, 50))):
            words[chance.randrange(len(words))] = chance.choice(b"a\n\xc3\xff")
    else:
        language = head["words"][chance.choice(list(head["words"]))]
        of = chance.choice((language, language["places"]))
        if what == "head":
            of = chance.choice((head, head["sections"]))
        name, other = chance.choice(list(of)), chance.choice(list(of))
        wrong: list[object] = [[], None, -1, [1, 2], [-9, 9, 10**30], [0.5, 2], [[]], {}, "x"]
        of[name] = chance.choice([*wrong, of[other], [9, 2, 1], [5, 10**9], float("nan")])
    return _whole(head, numbers, words)


@settings(max_examples=30)
@given(st.integers(0, 10**9))
def test_a_tampered_index_is_refused_or_reported_as_misfit(seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311
    corpus = Corpus.from_markdown({f"{n}.md": page(chance, n) for n in range(3)})
    pages = {document.uri: document for document in corpus.documents}
    packed = pack_index(Index(part_of(document) for document in pages.values()))
    try:
        packed_index = PackedIndex(_changed(packed, chance), list(pages), pages.__getitem__)
    except ValueError:
        return
    indexes = [packed_index]
    with suppress(SiteError):
        merged = merge_indexes([PackedIndex(packed, list(pages), pages.__getitem__), packed_index])
        indexes.append(PackedIndex(merged, [*pages, *pages], pages.__getitem__))
    for index, scorer, query in product(indexes, SCORERS, QUERIES):
        with suppress(SiteError):
            options = RecallOptions(query=(Query(query),), scorer=scorer, context=1, min_score=0)
            result = recall(index, options)
            assert all(each.text and each.uri in pages for each in result.passages)
            assert told(result)


@pytest.mark.slow
@pytest.mark.parametrize("number", [0, 1, 7, 2**31, 2**32 - 1])
def test_tampered_numbers_of_sections_only_change_the_order(number: int) -> None:
    chance = random.Random(1)  # noqa: S311
    corpus = Corpus.from_markdown({f"{n}.md": page(chance, n) for n in range(3)})
    pages = {document.uri: document for document in corpus.documents}
    packed = pack_index(Index(part_of(document) for document in pages.values()))
    head, numbers, words = _parts(packed)
    for name, (first, end) in head["sections"].items():
        if name == "of_sentence":  # of which the shape is known
            continue
        wild = bytearray(numbers)
        wild[4 * first : 4 * end] = number.to_bytes(4, sys.byteorder) * (end - first)
        packed_index = PackedIndex(_whole(head, wild, words), list(pages), pages.__getitem__)
        for query in QUERIES:
            options = RecallOptions(query=(Query(query),), min_score=0, max_sentences=9)
            result = recall(packed_index, options)
            assert told(result), name
            assert all(0 < passage.score <= 1 for passage in result.passages), name


@pytest.mark.parametrize("name", ["blocks", "block_of", "document_of"])
def test_an_index_that_does_not_fit_is_reported(
    folder: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    config = folder / "mkdocs.yml"
    Corpus.from_site(config).recall("session")
    corpus = Corpus.from_site(config)
    cache = corpus._library.cache  # type: ignore[union-attr]  # noqa: SLF001 - who keeps it

    read_mapped = cache.map

    def changed(what: str, key: bytes, read: Callable[..., PackedIndex]) -> PackedIndex:
        head, numbers, words = _parts(
            read_mapped(what, key, lambda found, **_: bytes(found)) or b""
        )
        start, end = head[name]
        numbers[4 * start : 4 * (end - 1)] = b"\xfe" * 4 * (end - 1 - start)
        return read(_whole(head, numbers, words), is_known=True)

    monkeypatch.setattr(cache, "map", changed)
    with pytest.raises(SiteError, match="cache clear"):
        corpus.recall("session")
