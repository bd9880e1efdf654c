"""A cluster of Dask over TLS answers as one process does, whatever happens to its workers."""

from __future__ import annotations

import json
import os
import random
import signal
import socket
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass, replace
from threading import Timer
from time import monotonic
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import pytest
from meaning import Toy
from other_site import pack_site
from tables import beside, tabled

from mkdocs_recall import Corpus
from mkdocs_recall.cli.main import main
from mkdocs_recall.errors import SiteError
from mkdocs_recall.pages import cluster as clusters
from mkdocs_recall.pages.cluster import connect
from mkdocs_recall.pages.published import FILE, SiteHeader
from mkdocs_recall.ranking.scores import SCORERS

distributed = pytest.importorskip("distributed", reason="see the group 'cluster'")
dask = pytest.importorskip("dask")
trustme = pytest.importorskip("trustme")
if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from mkdocs_recall import Result

pytestmark = [
    pytest.mark.host,
    pytest.mark.filterwarnings("ignore::ResourceWarning"),  # of processes that are killed
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]
SITES, PAGES = 6, 11
WORDS = (
    *("session", "token", "expires", "server", "port", "restart"),
    *("backup", "key", "max_age", "limit", "queue", "worker"),
)
QUERIES = (
    *("when does a session token expire?", "`max_age` of the server", "backup key restart"),
    *("nowhere_at_all port", "the"),
)


def published(folder: Path, number: int, seed: int) -> Path:
    """Publish a site of a few pages."""
    chance = random.Random(seed)  # noqa: S311 - no secret

    def text(count: int) -> str:
        return " ".join(chance.choice(WORDS) for _ in range(count)).capitalize() + "."

    pages = {
        f"{page}.md": f"# {text(2)}\n\n{text(7)} It {text(5)}\n\n## {text(2)}\n\n{text(9)}\n\n"
        f"- {text(4)}\n- {text(5)}\n\n## {text(3)}\n\n{text(6)} {text(8)}\n"
        for page in range(PAGES)
    }
    documents = [
        replace(page, url=page.uri.replace(".md", "/"))
        for page in Corpus.from_markdown(pages).documents
    ]
    file = folder / f"site{number}.jsonl.gz"
    header = SiteHeader(site=f"Site {number}", site_url=f"https://s{number}.example/")
    file.write_bytes(pack_site(header, documents))
    return file


@dataclass
class Authority:
    """Certificates in a folder."""

    folder: Path

    def __post_init__(self) -> None:
        authority = trustme.CA()
        issued = authority.issue_cert("127.0.0.1", "localhost")
        self.folder.mkdir()
        self.ca, self.cert, self.key = (self.folder / f"{n}.pem" for n in ("ca", "cert", "key"))
        authority.cert_pem.write_to_path(self.ca)
        issued.private_key_and_cert_chain_pem.write_to_path(self.cert)
        issued.private_key_pem.write_to_path(self.key)

    @property
    def security(self) -> Any:
        """Return them for all parts of a cluster."""
        sides = {
            f"tls_{side}_{kind}": str(file)
            for side in ("client", "scheduler", "worker")
            for kind, file in (("cert", self.cert), ("key", self.key))
        }
        return distributed.Security(tls_ca_file=str(self.ca), require_encryption=True, **sides)

    @property
    def values(self) -> dict[str, str]:
        """Return them as Dask's configuration has them."""
        files = {"ca-file": self.ca, "client.cert": self.cert, "client.key": self.key}
        return {f"distributed.comm.tls.{name}": str(file) for name, file in files.items()}

    @property
    def variables(self) -> dict[str, str]:
        """Return the same as variables."""
        names = {name: name.upper().replace(".", "__").replace("-", "_") for name in self.values}
        return {f"DASK_{names[name]}": value for name, value in self.values.items()}


@dataclass
class Machines:
    """A cluster of three processes, and what it is asked for."""

    folder: Path
    files: list[Path]
    cluster: Any
    client: Any
    authority: Authority

    def corpus(self, **settings: Any) -> Corpus:
        return Corpus.from_published(self.files, client=self.client, **settings)

    def kill(self, chance: random.Random) -> None:
        """Kill one of the workers; what watches it starts another one."""
        nannies = [nanny for nanny in self.cluster.workers.values() if nanny.pid]
        if nannies:
            with suppress(ProcessLookupError, TypeError):
                os.kill(chance.choice(nannies).pid, signal.SIGKILL)


@pytest.fixture(scope="module")
def machines(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machines]:
    folder = tmp_path_factory.mktemp("cluster")
    authority = Authority(folder / "certificates")
    org = folder / "org"
    org.mkdir()
    files = [published(org, number, number) for number in range(SITES)]
    with (
        patch.dict(os.environ, {"XDG_CACHE_HOME": str(folder / "cache")}),
        distributed.LocalCluster(
            n_workers=3,
            threads_per_worker=1,
            protocol="tls://",
            host="127.0.0.1",
            security=authority.security,
            dashboard_address="127.0.0.1:0",
            silence_logs=60,
        ) as cluster,
        distributed.Client(cluster, security=authority.security) as client,
    ):
        yield Machines(folder, files, cluster, client, authority)


def told(result: Result) -> list[object]:
    """Return what a result says."""
    return [
        (result.why, result.fallback, result.doubts, result.diagnostics),
        *[(p.rank, p.score, p.source, p.url, p.text) for p in result.passages],
    ]


def explained(result: Result) -> list[object]:
    """Return all that a result says, with what it has not chosen, and why."""
    said = [*result.passages, *(lost.passage for lost in result.lost)]
    reasons = [(lost.passage.source, lost.reason) for lost in result.lost]
    return [*told(result), *reasons, *[str(passage.explanation) for passage in said]]


def answers(corpus: Corpus) -> Iterator[list[object]]:
    for query in QUERIES:
        yield from (told(corpus.recall(query, scorer=scorer)) for scorer in SCORERS)
        yield told(corpus.search(query, diversity=0.4))
    yield from (explained(corpus.recall(QUERIES[0], scorer=scorer)) for scorer in SCORERS)
    yield explained(corpus.recall([QUERIES[1], "port"], source=["site1:**", "site2:**", "**"]))
    yield told(corpus.recall("config", units=["prose"], on_empty="warn"))


def test_a_cluster_answers_as_one_process_does(machines: Machines) -> None:
    one, many = Corpus.from_published(machines.files), machines.corpus()
    assert list(answers(many)) == list(answers(one))
    assert told(many.synopsis("site1:3.md")) == told(one.synopsis("site1:3.md"))
    assert told(many.recall("port", source="site1:3.md")) == told(
        one.recall("port", source="site1:3.md")
    )


def test_a_query_goes_to_each_group_once(machines: Machines) -> None:
    """Where its words were asked for before; what is quoted is read from the file."""
    corpus = machines.corpus()
    asked = []
    ask = clusters.Cluster.ask

    def counted(self: Any, held: Any, sites: Any, function: Any, *args: Any, **more: Any) -> Any:
        asked.append(function)
        return ask(self, held, sites, function, *args, **more)

    corpus.recall("session token")
    with patch.object(clusters.Cluster, "ask", counted):
        assert corpus.recall("the token of a session").doubts is not None
    assert len(asked) == 1


def test_an_answer_is_explained_after_its_query_is_forgotten(machines: Machines) -> None:
    one, many = Corpus.from_published(machines.files), machines.corpus()
    result = many.recall(QUERIES[0])
    for number in range(9):  # a worker keeps what it has made for four
        many.recall(f"{QUERIES[1]} {number}")
    assert explained(result) == explained(one.recall(QUERIES[0]))


def test_workers_that_are_killed_while_they_are_asked_change_no_answer(machines: Machines) -> None:
    expected = {
        query: told(Corpus.from_published(machines.files).recall(query)) for query in QUERIES
    }
    corpus, chance = machines.corpus(), random.Random(5)  # noqa: S311 - no secret
    kills = sorted(chance.sample(range(190), 4))
    for number in range(200):
        if number in kills:
            Timer(chance.uniform(0, 0.05), machines.kill, [chance]).start()
        query = chance.choice(QUERIES)
        assert told(corpus.recall(query)) == expected[query], number


def test_a_worker_more_takes_its_share(machines: Machines) -> None:
    corpus = machines.corpus()
    before = told(corpus.recall(QUERIES[0]))
    machines.cluster.scale(4)
    machines.client.wait_for_workers(4, timeout=60)
    end, holders = monotonic() + 60, set[str]()
    while len(holders) < 4 and monotonic() < end:
        assert told(corpus.recall(QUERIES[0])) == before
        held = machines.client.who_has()
        groups = [where for key, where in held.items() if str(key).startswith("recall-")]
        holders = {worker for where in groups for worker in where}
    assert len(holders) == 4
    machines.cluster.scale(3)


def test_a_site_that_is_replaced_is_loaded_again(machines: Machines) -> None:
    corpus = machines.corpus()
    before = told(corpus.recall(QUERIES[1]))
    published(machines.files[2].parent, 2, 99)
    corpus = corpus.refreshed()
    after = told(corpus.recall(QUERIES[1]))
    assert after == told(Corpus.from_published(machines.files).recall(QUERIES[1])) != before


def test_a_query_names_the_sites_for_which_no_worker_answers_in_time(machines: Machines) -> None:
    corpus = machines.corpus(timeout=2)
    corpus.recall(QUERIES[0])
    for nanny in machines.cluster.workers.values():
        os.kill(nanny.pid, signal.SIGSTOP)
    names = ", ".join(f"'site{number}'" for number in range(SITES))
    try:
        with pytest.raises(SiteError, match=f"answered for {names} in 2 seconds, so there is no"):
            corpus.recall("restart queue")
    finally:
        for nanny in machines.cluster.workers.values():
            os.kill(nanny.pid, signal.SIGCONT)
    assert corpus.recall("restart queue").passages


QUESTIONS: str = beside(__file__)["QUESTIONS"]


@pytest.mark.parametrize("command", ["explain", "evaluate", "publish"])
def test_a_command_asks_the_cluster_that_a_file_names(
    machines: Machines, capsys: pytest.CaptureFixture[str], tmp_path: Path, command: str
) -> None:
    file = machines.folder / "scheduler.json"
    file.write_text(json.dumps({"address": machines.client.scheduler.address}))
    (tmp_path / "q.yml").write_text(QUESTIONS)
    for name in ("larch", "birch", "not built"):
        (tmp_path / name / "site").mkdir(parents=True)
        (tmp_path / name / "docs").mkdir()
        (tmp_path / name / "docs/index.md").write_text(f"# {name}\n")
        (tmp_path / name / "mkdocs.yml").write_text(f"site_name: {name}\n")
        page = f"<article><h1>{name}</h1><p>A {name} is a tree.</p></article>"
        (tmp_path / name / "site/index.html").write_text(page)
    (tmp_path / "not built/site/index.html").unlink()
    files = [tmp_path / name / "site" / FILE for name in ("larch", "birch")]
    arguments, status = {
        "explain": (["explain", QUERIES[0]], 0),
        "evaluate": (["evaluate", str(tmp_path / "q.yml"), "--min-hit", "0.9"], 3),
        "publish": (["publish", "--sites", str(tmp_path / "*/mkdocs.yml")], 2),
    }[command]
    if command != "publish":
        arguments += ["--published", str(machines.files[0].parent / "*.gz")]
    with pytest.raises(SystemExit, match=str(status)):
        main(arguments)
    expected = capsys.readouterr()
    written = [file.read_bytes() for file in files if file.exists()]
    for each in files:
        each.unlink(missing_ok=True)
    asked = subprocess.run(  # noqa: S603 - our own
        [sys.executable, "-m", "mkdocs_recall", *arguments, "--cluster", str(file)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **machines.authority.variables},
    )
    assert (asked.returncode, asked.stderr, asked.stdout) == (status, expected.err, expected.out)
    assert [file.read_bytes() for file in files if file.exists()] == written
    assert len(written) == (2 if command == "publish" else 0)


def test_with_a_model_a_cluster_answers_as_one_process_does(machines: Machines) -> None:
    for mode in ("blend", "supplement"):
        settings: dict[str, Any] = {"model": Toy(), "mode": mode, "min_similarity": 0.2}
        one, many = (
            corpus.recall("How fast may a queue of port workers be?", semantic=settings)
            for corpus in (Corpus.from_published(machines.files), machines.corpus())
        )
        assert told(many) == told(one)
        assert not one.diagnostics


def test_without_certificates_nobody_is_asked() -> None:
    with (
        patch.object(distributed, "Client", side_effect=AssertionError),
        pytest.raises(SiteError, match=r"certificates of both sides: set 'distributed\.comm"),
    ):
        connect("tls://127.0.0.1:8786")


@pytest.fixture
def _configured(machines: Machines) -> Iterator[None]:
    """Dask's configuration names the certificates."""
    with dask.config.set(machines.authority.values):
        yield


@tabled
def test_unsafe_addresses_and_other_servers_are_refused_unused(place: str, reason: str) -> None:
    with (
        patch.object(distributed, "Client", side_effect=AssertionError),
        pytest.raises(SiteError, match=reason),
    ):
        connect(place)


def test_a_file_with_json_too_deep_is_none_of_a_scheduler(tmp_path: Path) -> None:
    (tmp_path / "scheduler.json").write_text("[" * 100_000, "utf-8")
    with pytest.raises(SiteError, match="was not written by 'dask scheduler --scheduler-file'"):
        connect(str(tmp_path / "scheduler.json"))


def test_a_closed_client_is_an_error_before_and_after_opening(tmp_path: Path) -> None:
    file = tmp_path / "larch.jsonl.gz"
    pages = Corpus.from_markdown({f"p{n}.md": f"Token {n} ends." for n in range(70)}).documents
    file.write_bytes(pack_site(SiteHeader(site="Larch"), pages))
    with distributed.Client(
        processes=False, n_workers=1, dashboard_address=None, set_as_default=False
    ) as client:
        corpus = Corpus.from_published([file], client=client, cache=False)
        assert corpus.recall("when does token 3 end?").passages
    with pytest.raises(SiteError, match="the client of the cluster is closed; open the files"):
        corpus.recall("when does token 4 end?")
    with pytest.raises(SiteError, match="the client of the cluster is closed; open the files"):
        Corpus.from_published([file], client=client)


@pytest.mark.usefixtures("_configured")
def test_a_foreign_program_or_authority_is_refused(machines: Machines, tmp_path: Path) -> None:
    address = machines.client.scheduler.address
    connect(address).close()
    with patch.object(clusters, "_CONNECT", 1):
        with socket.create_server(("127.0.0.1", 0)) as server:
            other = f"tls://127.0.0.1:{server.getsockname()[1]}"
            with pytest.raises(SiteError, match=f"'{other}' is not a Dask scheduler that this"):
                connect(other)
        with pytest.raises(SiteError, match=r"refused|no answer"):  # where time ends
            connect(other)
    stranger = Authority(tmp_path / "other")
    with (
        dask.config.set(stranger.values),
        patch.object(clusters, "_CONNECT", 2),
        pytest.raises(SiteError, match="certificates of the same authority"),
    ):
        connect(address)


@tabled
def test_a_worker_that_differs_is_named(machines: Machines, found: str, reason: str) -> None:
    machines.client.run(change, found)
    try:
        with pytest.raises(SiteError, match=f"the worker 'tls://[0-9.:]+' {reason}"):
            machines.corpus().recall("port", language="fr")
    finally:
        machines.client.run(change, "")


def change(found: str) -> None:
    """Let a worker be as if something else were installed; an empty text for what is."""
    import importlib.metadata as installed

    def version(name: str) -> str:
        if found == "no package":
            raise installed.PackageNotFoundError(name)
        return "0.0.9"

    if not hasattr(clusters, "real"):
        clusters.real = clusters.pipeline, installed.version  # type: ignore[attr-defined]
    clusters.pipeline, installed.version = clusters.real  # type: ignore[attr-defined]
    if found == "other code":
        clusters.pipeline = lambda: b"other"  # type: ignore[assignment, attr-defined]
    elif found:
        installed.version = version  # type: ignore[assignment]


def test_a_worker_without_a_file_or_with_another_one_is_named(machines: Machines) -> None:
    corpus = machines.corpus()
    file = machines.files[0]
    content = file.read_bytes()
    published(file.parent, 0, 77)
    try:
        with pytest.raises(SiteError, match=r"the worker 'tls://.*differs from the version"):
            corpus.recall("port", units=["list", "prose", "admonition"])
        file.unlink()
        with pytest.raises(SiteError, match=r"the worker .*there is no such file; .*all workers"):
            corpus.recall("port", units=["list", "prose", "table"])
    finally:
        file.write_bytes(content)
