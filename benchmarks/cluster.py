"""How fast a cluster answers, and how that grows: `python -m benchmarks.cluster`.

A Dask cluster in processes of this machine holds published sites: named or made-up ones. Clients,
each a process, ask one question after the other. The first table has their times; the second the
cost of one query in each part, from which a model predicts the cost of many more sites.
"""

from __future__ import annotations

import math
import pickle
import statistics
import sys
import tempfile
import time
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from unittest.mock import patch

from distributed import Client, LocalCluster

from benchmarks import documentation, report
from mkdocs_recall import Corpus
from mkdocs_recall.pages import cluster as held
from mkdocs_recall.pages.published import SiteHeader, join_pages, pack_page

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mkdocs_recall.pages.cluster import ShardSource

SITES, PAGES = 8, 100  # made-up sites, and pages of each
# The model
WORKER_GIB = 8  # of memory
BANDWIDTH = 100e6  # bytes a second between machines
TASK = 1e-3  # seconds of the scheduler for each task; Dask's documentation says about 1 ms
SHARE = 0.2  # seconds in which a worker is to have searched its shards
SENTENCES_OF_PAGE, PAGE_BYTES = 100, 1_500  # 22 real sites have 114, and a client lists each page
SCALES = ((22, 312_000), (200, 2_000_000), (1_000, 10_000_000), (10_000, 100_000_000))


def published(folder: Path) -> list[Path]:
    """Publish the made-up sites."""
    pages = list(documentation.pages(SITES * PAGES))
    files = []
    for number in range(SITES):
        part = pages[number * PAGES : (number + 1) * PAGES]
        corpus = Corpus.from_markdown({page.uri: page.markdown for page in part})
        packed = map(pack_page, corpus.documents)
        files.append(folder / f"site{number}.jsonl.gz")
        files[-1].write_bytes(join_pages(SiteHeader(site=f"Site {number}"), packed))
    return files


def questions(files: Sequence[Path], count: int) -> list[str]:
    """Return the headings of sections, from all sites alike."""
    documents = Corpus.from_published(files).documents
    headings = [heading.text for page in documents for heading in page.headings]
    step = max(1, len(headings) // count)
    return list(dict.fromkeys(headings[::step]))[:count]


def ask(address: str, files: Sequence[Path], queries: Sequence[str]) -> list[float]:
    """Ask as a client, with warm term counts, and return the seconds of each query."""
    with Client(address, set_as_default=False) as client:
        corpus = Corpus.from_published(files, client=client)
        for query in queries:
            corpus.recall(query)
        return [seconds(corpus.recall, query) for query in queries]


def seconds(function: Callable[..., object], *arguments: object) -> float:
    """Return how long a call takes."""
    start = time.perf_counter()
    function(*arguments)
    return time.perf_counter() - start


class Constants(NamedTuple):
    """The costs of one query."""

    sentences: int
    exchange: float  # seconds from a client to a worker and back, with nothing to do
    shard: float  # seconds of a worker for a million sentences
    merge: float  # seconds of the client, for the choice and the pages that are quoted
    reply: float  # bytes that a worker answers with


def constants(address: str, files: Sequence[Path], queries: Sequence[str]) -> Constants:
    """Measure one query, with all sites in one group of this process."""
    groups: dict[int, held.Group] = {}
    spent: list[float] = []
    sizes: list[int] = []

    def here(
        self: held.Cluster,
        asked: list[object],
        call: Callable[..., object],
        *args: object,
        **_: object,
    ) -> list[object]:
        start = time.perf_counter()
        said = [call(groups[id(self)], *args) for _ in asked]
        spent.append(time.perf_counter() - start)
        sizes.append(len(pickle.dumps(said)))
        return said

    def hold(
        self: held.Cluster, sites: Sequence[ShardSource], load: Callable[..., Any]
    ) -> list[held.Held]:
        if id(self) not in groups:
            groups[id(self)] = held.Group(sites, load)
        return [held.Held(range(len(sites)), [], "", None)]

    with Client(address, set_as_default=False) as client:
        empty = [seconds(lambda: client.submit(abs, 1, pure=False).result()) for _ in range(50)]
        with patch.multiple(held.Cluster, ask=here, hold=hold):
            corpus = Corpus.from_published(files, client=client)
            for query in queries:
                corpus.recall(query)
            spent.clear()
            sizes.clear()
            total = sum(seconds(corpus.recall, query) for query in queries)
    if not groups:
        sys.exit("these sites are so small that their pages are read, and no worker is asked")
    sentences = sum(map(len, next(iter(groups.values())).indexes))
    of_shards = sum(spent) / len(queries)
    merge, reply = total / len(queries) - of_shards, sum(sizes) / len(queries)
    shard = of_shards * 1e6 / sentences
    return Constants(sentences, statistics.median(empty), shard, merge, reply)


def model(measured: Constants) -> str:
    """Return the predicted costs of more sites."""
    rows = []
    for sites, sentences in SCALES:
        search = measured.shard * sentences / 1e6
        memory = held.SENTENCE_BYTES * sentences / (WORKER_GIB * 2**30 / 2)  # half of it is free
        workers = math.ceil(max(1, memory, search / SHARE))
        taken = measured.exchange + TASK * workers + search / workers + measured.merge
        taken += measured.reply * workers / BANDWIDTH
        rates = {"workers": workers / search, "scheduler": 1 / (TASK * workers)}
        least = min(rates, key=rates.__getitem__)
        listed = sentences / SENTENCES_OF_PAGE * PAGE_BYTES / 2**20
        counts = [f"{count:,}" for count in (sites, sentences, workers)]
        rate = f"{report.number(rates[least])} ({least})"
        listing = report.number(listed, " MiB")
        rows.append([*counts, report.number(1_000 * taken, " ms"), rate, listing])
    head = "Sites | Sentences | Workers | One query | Queries a second, by the | Pages of a client"
    return report.table(head, rows)


def main() -> int:
    """Measure, and print the tables."""
    parser = report.parser("cluster", __doc__, queries=10)
    parser.add_argument("files", nargs="*", type=Path, help="published files")
    parser.add_argument("--workers", nargs="+", type=int, default=[1, 2, 4])
    parser.add_argument("--clients", nargs="+", type=int, default=[1, 4, 16])
    settings = parser.parse_args()
    context = get_context("forkserver")
    context.set_forkserver_preload([__name__, "mkdocs_recall.ranking.structure"])
    print(report.machine())
    with tempfile.TemporaryDirectory() as folder:
        files = settings.files or published(Path(folder))
        queries = questions(files, settings.queries)
        rows, measured = [], None
        for workers in settings.workers:
            with LocalCluster(workers, threads_per_worker=1, dashboard_address=None) as cluster:
                address = cluster.scheduler_address
                ask(address, files, queries[:1])
                for clients in settings.clients:
                    report.say(f"{workers} workers, {clients} clients")
                    each = [(address, files, queries)] * clients
                    with context.Pool(clients) as pool:
                        by_client = pool.starmap(ask, each, chunksize=1)
                    taken = sorted(second for seconds in by_client for second in seconds)
                    rate = sum(len(seconds) / sum(seconds) for seconds in by_client)
                    p50, p95 = taken[len(taken) // 2], taken[int(len(taken) * 0.95)]
                    texts = (report.number(1_000 * value, " ms") for value in (p50, p95))
                    rows.append((str(workers), str(clients), report.number(rate), *texts))
                measured = measured or constants(address, files, queries)
    head = "Workers | Clients | Queries a second | Half in | 95 % in"
    print(f"\n{report.table(head, rows)}\n")
    assert measured is not None
    print(
        f"{measured.sentences:,} sentences; an empty exchange: {1_000 * measured.exchange:.1f} ms, "
        f"a million sentences: {measured.shard:.2f} s, a choice: {1_000 * measured.merge:.1f} ms, "
        f"an answer: {measured.reply:,.0f} bytes\n"
    )
    print(model(measured))
    return 0


if __name__ == "__main__":
    sys.exit(main())
