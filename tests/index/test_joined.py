"""Shards answer like one index: each knows its own postings, and sums over all of them."""

from __future__ import annotations

import gc
import random
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import Any
from unittest.mock import patch
from zlib import crc32

import pytest
from hypothesis import given, settings, strategies as st

from mkdocs_recall import Corpus, Document, Query, Result
from mkdocs_recall.index.index import Index, JoinedIndex
from mkdocs_recall.index.packed import PackedIndex, merge_indexes, pack_index
from mkdocs_recall.index.query import part_of
from mkdocs_recall.options import RecallOptions
from mkdocs_recall.ranking.recall import recall
from mkdocs_recall.ranking.scores import SCORERS
from mkdocs_recall.text.document import pack, unpack
from mkdocs_recall.text.model import Publisher

WORDS = {
    language: listed.split()
    for language, listed in {
        "en": "session token expires server port restart backup key max_age the of is",
        "de": "Sitzung Ablauf Zugriff Schlüssel Server endet Token die der ist nach Stunden",
        "fr": "session jeton serveur clé expire le la du après heures configuration port",
        "es": "sesión token servidor clave caduca el la del después horas puerto copia",
        "ja": "トークン 失効 保存 サーバー 一時間 ファイル 設定 鍵 は の",
    }.items()
}
QUERIES = [
    *("when does a session token expire?", "`max_age` of the server", "Wann endet die Sitzung?"),
    *("jeton expire", "puerto del servidor", "トークンの失効", "config", "nowhere_at_all port"),
]


def pages(seed: int, sites: int) -> list[list[Document]]:
    """Return the pages of some sites, with links, release notes, tabs, tables and code."""
    chance = random.Random(seed)  # noqa: S311 - no secret
    found = []
    for site in range(sites):
        markdown = {}
        for number in range(chance.randint(1, 4)):
            language = chance.choice([*WORDS])

            def words(count: int, language: str = language) -> str:
                gap, end = ("", "。") if language == "ja" else (" ", ".")
                return gap.join(chance.choice(WORDS[language]) for _ in range(count)) + end

            markdown[f"{number}.md"] = (
                f"---\nlang: {language}\n---\n# {words(2)}\n\n{words(6)} It {words(5)}\n\n"
                f"## {chance.choice((words(2), '1.2.0'))}\n\n{words(3)[:-1]}:\n\n- {words(4)}\n"
                f"- [{words(3)}]({chance.randrange(4)}.md#a)\n\n## 1.1.0\n\n{words(5)}\n\n"
                f'## FAQ\n\n=== "{words(2)}"\n\n    {words(3)}\n\n=== "{words(1)}"\n\n'
                f"    ```\n    {words(3)}\n    ```\n"
            )
        publisher = Publisher(f"s{site}", f"Site {site}", f"https://s{site}.example/")
        found.append(
            [
                replace(
                    page,
                    uri=f"s{site}:{page.uri}",
                    url=f"{publisher.url}{page.uri}" if site % 2 else "",
                    publisher=publisher,
                )
                for page in Corpus.from_markdown(markdown).documents
            ]
        )
    return found


def index_of(documents: Sequence[Document], *, is_shard: bool = False) -> Index:
    named = {page.uri for page in documents if page.uri.endswith(":1.md")}
    parts = (part_of(page, units=("prose", "list", "table", "definition")) for page in documents)
    return Index(parts, named=named, is_shard=is_shard)


def shard_of(documents: Sequence[Document]) -> PackedIndex:
    """Return a shard as the cache has it."""
    by_uri = {page.uri: page for page in documents}
    return PackedIndex(
        pack_index(index_of(documents, is_shard=True)), [*by_uri], by_uri.__getitem__
    )


def merged(sites: Sequence[Sequence[Document]]) -> Index:
    """Return a shard of several sites that was merged from one of each."""
    by_uri = {page.uri: page for site in sites for page in site}
    return PackedIndex(merge_indexes([*map(shard_of, sites)]), [*by_uri], by_uri.__getitem__)


def told(result: Result) -> list[object]:
    """Return all that a result says."""
    said = [*result.passages, *(lost.passage for lost in result.lost)]
    return [
        result.why,
        result.doubts,
        [lost.reason for lost in result.lost],
        *[(p.rank, p.score, p.uri, p.anchor, p.text, str(p.explanation)) for p in said],
    ]


def answers(index: Index, hidden: str) -> Iterator[list[object]]:
    for scorer in SCORERS:
        for query in QUERIES:
            for more in ({}, {"diversity": 0.4}, {"query": (Query(query), Query("port"))}):
                arguments = {"query": (Query(query),), "max_sentences": 4, "scorer": scorer, **more}
                options = RecallOptions(**arguments)  # type: ignore[arg-type]
                yield told(recall(index, options, hidden={hidden: "it is hidden"}))


@settings(max_examples=4)
@given(st.integers(0, 10**6), st.integers(2, 6), st.data())
def test_answers_do_not_depend_on_the_split_into_shards(
    seed: int, sites: int, data: st.DataObject
) -> None:
    by_site = pages(seed, sites)
    every = [page for site in by_site for page in site]
    cuts = sorted(data.draw(st.sets(st.integers(1, sites - 1))))
    spans = zip([0, *cuts], [*cuts, sites], strict=True)
    shards = [by_site[start:end] for start, end in spans]
    checksums = data.draw(st.sampled_from([2**32, 3]))  # of 3, many stems have the same one
    with (
        patch("mkdocs_recall.ranking.structure.CANDIDATES", data.draw(st.sampled_from([3, 80]))),
        patch("mkdocs_recall.index.packed.crc32", lambda stem: crc32(stem) % checksums),
    ):
        hidden = data.draw(st.sampled_from([every[0].uri, "none"]))
        expected = list(answers(index_of(every), hidden))
        indexed = [shard_of([page for site in sites for page in site]) for sites in shards]
        assert list(answers(JoinedIndex(indexed), hidden)) == expected
        assert list(answers(JoinedIndex(map(merged, shards)), hidden)) == expected
        pages_apart = [[page] for page in every]
        assert list(answers(merged(pages_apart), hidden)) == expected


def test_what_was_merged_is_freed_without_the_garbage_collector() -> None:
    """While sites are indexed, that is paused, and each piece has a file mapped."""
    shards = [shard_of(site) for site in pages(1, 3)]
    freed = [*map(weakref.ref, shards)]
    gc.disable()
    try:
        assert merge_indexes(shards)
        shards.clear()
        assert [shard() for shard in freed] == [None] * 3
    finally:
        gc.enable()


def serve(pipe: Connection, packed: Sequence[tuple[str, bytes]]) -> None:
    """Hold a shard, and what is made for it, until the other end is closed."""
    shard, made = shard_of([unpack(*page) for page in packed]), []
    with suppress(EOFError):
        while True:
            held, name, args = pipe.recv()
            if held is None:
                value = name(shard, *args)
                if not isinstance(value, list | set | dict | bool):
                    made.append(value)
                    value = len(made) - 1
            else:
                value = getattr(made[held], name)
                value = value(*args) if callable(value) else value
            pipe.send(value)


class Remote:
    """What is made in another process for the shard there; only values come from it."""

    def __init__(self, pipe: Connection, held: int) -> None:
        self._pipe, self._held = pipe, held

    def _get(self, name: str, *args: object) -> Any:
        self._pipe.send((self._held, name, args))
        return self._pipe.recv()

    def __getattr__(self, name: str) -> Any:
        return self._get(name) if name in {"best", "unseen", "values"} else partial(self._get, name)


class Scattered(JoinedIndex):
    """Shards in processes of their own; what is read here is what is quoted."""

    pipes: Sequence[Connection] = ()

    def each(self, make: Callable[..., Any], *args: object) -> list[Any]:
        for pipe in self.pipes:
            pipe.send((None, make, args))
        values = [pipe.recv() for pipe in self.pipes]
        makes = isinstance(values[0], int) and not isinstance(values[0], bool)
        return [*map(Remote, self.pipes, values)] if makes else values


@pytest.mark.slow
def test_shards_in_separate_processes_answer_like_one_index() -> None:
    by_site = pages(3, 2)
    expected = list(answers(index_of([page for site in by_site for page in site]), "s0:0.md"))
    index = Scattered(map(shard_of, by_site))
    context = get_context("spawn")
    ends = [context.Pipe() for _ in by_site]
    processes = [
        context.Process(
            target=serve, args=(end, [(page.uri, pack(page)) for page in site]), daemon=True
        )
        for (_, end), site in zip(ends, by_site, strict=True)
    ]
    for process in processes:
        process.start()
    for _, end in ends:
        end.close()
    index.pipes = [near_end for near_end, _ in ends]
    assert list(answers(index, "s0:0.md")) == expected
    for pipe, process in zip(index.pipes, processes, strict=True):
        pipe.close()
        process.join(10)
        assert process.exitcode == 0
