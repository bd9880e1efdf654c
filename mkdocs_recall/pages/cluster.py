"""Shards of published sites in the workers of a Dask cluster, which answer like one index.

A cluster holds shards elsewhere, but the code that scores them and chooses among the best is that
of a single process. A task loads a group of sites, and its result stays in a worker. A query goes
to each group once and returns its shards' reports on their best; quoted pages are read here.

Groups are results pinned by futures, not actors: what is lost with a worker, the scheduler computes
again on another one, and running queries wait for that. All programs with the same files give a
group the same name, and so share it. A worker short of memory may spill a group: it is stored as
the names of its files, and loaded from them again.

Anyone who can talk to a scheduler can run code on it, its workers and its other clients. So an
address beyond this machine needs TLS, with certificates on both sides, before anything is sent.
"""

from __future__ import annotations

import asyncio
import json
import logging
import re
import sys
from array import array
from collections import Counter
from concurrent.futures import CancelledError
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from ipaddress import ip_address
from itertools import chain
from pathlib import Path
from threading import RLock
from time import monotonic, sleep
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias, TypeVar
from uuid import uuid4
from weakref import WeakValueDictionary

from msgspec import Struct
from msgspec.structs import replace

from mkdocs_recall import __version__
from mkdocs_recall.errors import OptionError, RecallError, SiteError
from mkdocs_recall.index.index import Index, JoinedIndex, LazySequence, starts_of
from mkdocs_recall.index.postings import Statistics, TermCount, Totals
from mkdocs_recall.index.query import Part, Term, query_terms
from mkdocs_recall.messages import shown
from mkdocs_recall.ranking.scores import elsewhere
from mkdocs_recall.store import digest, pipeline

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from distributed import Client, Future

_T = TypeVar("_T")
TIMEOUT: Final = 60.0
"""Seconds that a query waits for a worker."""
LONGEST_TIMEOUT: Final = 100_000
"""The longest timeout in seconds, more than a day."""
_CONNECT: Final = 10
"""Seconds that a scheduler has to answer."""
_LOOK: Final = 2.0
"""Seconds between two checks for workers."""
_PAUSE: Final = 0.05
"""Seconds between two checks for answers."""
_ROOM: Final = 1.1
"""A worker holds at most this many times its share of the pages."""
_KEPT_QUERIES: Final = 4
_KEPT_GROUPS: Final = 16
"""How many groups stay in their workers between queries."""
SENTENCE_BYTES: Final = 800
"""The approximate memory for each sentence of a shard."""
_HOST_AND_PORT: Final = re.compile(r"(?:\[([\da-fA-F:.]+)\]|([\w.-]+))(?::\d+)?")
"""An unambiguous address: Dask would look up `user@host` as a host name."""
_MISSING: Final = 'a cluster needs Dask; install it: pip install "mkdocs-recall[cluster]"'
_CERTIFICATES: Final = (
    "set 'distributed.comm.tls.ca-file', '.client.cert' and '.client.key' in Dask's configuration, "
    "such as ~/.config/dask/distributed.yaml, or DASK_DISTRIBUTED__COMM__TLS__CA_FILE, "
    "…__TLS__CLIENT__CERT and …__TLS__CLIENT__KEY"
)


def connect(place: str) -> Client:
    """Connect to a scheduler by its address, such as `tls://10.0.0.5:8786`, or by its file.

    Raises a SiteError if Dask is not installed, the address is not safe, or no scheduler is there.
    """
    try:
        from distributed import Client, Security
    except ImportError as error:
        raise SiteError(_MISSING) from error
    address = place if "://" in place else _address_in(Path(place))
    _check_address(address, "the scheduler")
    # This process reports itself what happens to workers.
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    security = Security(require_encryption=address.startswith("tls://"))
    if address.startswith("tls://"):
        _check_certificates(security)
    try:
        return Client(address, security=security, timeout=_CONNECT, set_as_default=False)
    except (OSError, ValueError, TypeError, LookupError) as error:
        texts = ["no answer" if isinstance(error, OSError) else type(error).__name__]
        cause: BaseException | None = error.__cause__ or error
        while cause is not None:  # the innermost is the cause
            texts.append(str(cause))
            cause = cause.__cause__
        reason = [*filter(None, texts)][-1]
        raise SiteError(
            f"'{address}' is not a Dask scheduler that this process can use: {reason}; name the "
            "address that 'dask scheduler' prints, and certificates of the same authority"
        ) from error


def _address_in(file: Path) -> str:
    try:
        address = json.loads(file.read_bytes())["address"]
    except OSError as error:
        raise SiteError(
            f"'{file}' is neither the address of a scheduler, such as tls://10.0.0.5:8786, nor a "
            f"file that 'dask scheduler --scheduler-file' has written: {error.strerror}"
        ) from error
    except (ValueError, TypeError, LookupError, RecursionError) as error:
        msg = f"'{file}' was not written by 'dask scheduler --scheduler-file'"
        raise SiteError(msg) from error
    return str(address)


def _check_address(address: str, subject: str) -> None:
    """Refuse an address at which other machines could listen."""
    scheme, _, place = address.partition("://")
    match = _HOST_AND_PORT.fullmatch(place)
    host = (match[1] or match[2]).lower() if match else ""
    is_near = scheme == "inproc" or host == "localhost"
    with suppress(ValueError):
        is_near = is_near or ip_address(host).is_loopback
    if scheme == "tls" or (is_near and scheme in {"tcp", "inproc"}):
        return
    raise SiteError(
        f"{subject} at '{address}' is not used: beyond this machine, only TLS is safe; start it "
        "with '--protocol tls' and certificates, and name it as tls://HOST:PORT"
    )


def _check_certificates(security: Any) -> None:  # noqa: ANN401 - Dask's, which may be missing
    """Refuse to connect without the certificates of both sides."""
    needed = ("tls_ca_file", "tls_client_cert", "tls_client_key")
    if not all(getattr(security, name, None) for name in needed):
        raise SiteError(f"TLS needs the certificates of both sides: {_CERTIFICATES}")
    for name in needed:
        value = getattr(security, name)
        if "\n" not in value and not Path(value).is_file():
            raise SiteError(f"there is no certificate '{value}': {_CERTIFICATES}")


class ShardSource(NamedTuple):
    """The description of a shard for the worker that loads it."""

    name: str
    file: str
    """The path of the published file, the same on all machines."""
    key: bytes
    """The key of the index, with pages, options and code."""
    pages: int
    """The number of searched pages."""
    shard: Any
    """The indexed sections; without pages, all pages as a whole."""


class Shard(Struct, eq=False, weakref=True):
    """The index of a site, in the memory of a worker."""

    index: Index
    reading: Callable[[], AbstractContextManager[object]]
    """Lets one thread read its pages."""


_loaded: WeakValueDictionary[bytes, Shard] = WeakValueDictionary()
"""The shards of this process, shared between groups."""
_loading = RLock()
_Code: TypeAlias = "tuple[str, str]"
"""The code of a process, for a message, and its digest with libraries."""


class Group:
    """The shards of some sites, in a worker."""

    def __init__(self, sites: Sequence[ShardSource], load: Callable[[ShardSource], Shard]) -> None:
        self._recipe = sites, load
        with _loading:
            self._shards = [
                _loaded.get(site.key) or _loaded.setdefault(site.key, load(site)) for site in sites
            ]
        self.indexes = [shard.index for shard in self._shards]
        self._lock = RLock()
        self._made: dict[str, list[Any]] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        """Serialise as the names of the files."""
        return Group, self._recipe

    def __sizeof__(self) -> int:
        """Return the approximate size in bytes, for Dask."""
        return SENTENCE_BYTES * sum(map(len, self.indexes))

    def tell(self, make: Callable[..., Any], args: Sequence[Any], token: str) -> list[Any]:
        """Return the results of `Index.each` by shard, ready to be sent."""
        with self._open():
            results = [make(index, *args) for index in self.indexes]
            if not hasattr(results[0], "explain"):
                return results
            self._made[token] = results
            for old in [*self._made][:-_KEPT_QUERIES]:
                del self._made[old]
            reports: Callable[[Sequence[Any]], list[Any]] | None = getattr(make, "reports", None)
            if reports:
                return reports(results)
            return [
                replace(result, values={**result.values}, explain=elsewhere) for result in results
            ]

    def explain(
        self, place: int, make: Callable[..., Any], args: Sequence[Any], token: str, number: int
    ) -> Any:  # noqa: ANN401 - as the result explains itself
        """Have a result, maybe made again, explain a sentence."""
        with self._open():
            results = self._made.get(token)
            result = results[place] if results else make(self.indexes[place], *args)
            return result.explain(number)

    @contextmanager
    def _open(self) -> Iterator[None]:
        with self._lock, ExitStack() as stack:
            for shard in self._shards:
                stack.enter_context(shard.reading())
            yield


def _group(
    sites: Sequence[ShardSource], load: Callable[[ShardSource], Shard], code: _Code
) -> Group:
    here = _checked(code)
    try:
        return Group(sites, load)
    except RecallError as error:
        msg = f"{here}: {error}; all workers need the same files at the same paths"
        raise SiteError(msg) from error


def _run(function: Callable[[str], _T], item: str, code: _Code) -> _T:
    _checked(code)
    with _loading:  # MkDocs and its extensions have state
        return function(item)


def _checked(code: _Code) -> str:
    """Return this worker's name; refuse to run other code."""
    from distributed import get_worker

    here = f"the worker '{get_worker().address}'"
    local = _code()
    if code != local:
        raise SiteError(
            f"{here} would compute other answers: it has {local[0]}, and this process {code[0]}; "
            "install the same versions of these, and of the libraries, on all machines"
        )
    return here


def _check_package(subject: str, read_version: Callable[[], str]) -> None:
    """Refuse a process without this version of this package."""
    try:
        with _told(f"{subject} does not answer"):
            release = f"version {read_version()}"
    except PackageNotFoundError:
        release = "no version"
    if release != f"version {__version__}":
        raise SiteError(
            f"{subject} has {release} of mkdocs-recall, and this process {__version__}; install it "
            f'there: pip install "mkdocs-recall[cluster]=={__version__}"'
        )


def _code() -> _Code:
    python = ".".join(map(str, sys.version_info[:3]))
    return f"mkdocs-recall {__version__} on Python {python}", pipeline().hex()


def _layout(index: Index) -> tuple[Totals, Mapping[str, array[int]]]:
    """Return a shard's totals, and the sizes of its pages by name."""
    counts = {
        "sentences": Counter(map(index.document_of.__getitem__, index.block_of)),
        "blocks": Counter(index.document_of),
        "sections": Counter(index.sections.pages),
    }
    pages = range(len(index.uris))
    return index.totals, {n: array("I", map(of.__getitem__, pages)) for n, of in counts.items()}


class _Facts(NamedTuple):
    """The facts about a term that shards report without statistics."""

    occurrences: TermCount
    lacks: bool
    partial_words: set[str]


def _facts(index: Index, terms: Sequence[Term]) -> list[_Facts]:
    counts = index.counts(terms, in_sections=True)
    return [
        _Facts(count, index.lacks_word(term), index.partial_words(term))
        for term, count in zip(terms, counts, strict=True)
    ]


class Held(NamedTuple):
    """A group in the memory of a worker."""

    places: Sequence[int]
    """The numbers of its sites."""
    names: Sequence[str]
    worker: str
    """The worker to which it was assigned."""
    future: Future


class Cluster:
    """The workers that hold the shards of published files."""

    def __init__(
        self, client: Client, files: Mapping[str, Path], *, timeout: float | None = None
    ) -> None:
        if not hasattr(client, "submit") or not hasattr(client, "nthreads"):
            raise OptionError(f"'client' must be a distributed.Client, not {type(client).__name__}")
        if client.asynchronous:
            raise OptionError("'client' must not be asynchronous; make it outside of an event loop")
        self._client = client
        self._check_open()
        self.files = files
        self.timeout = TIMEOUT if timeout is None else timeout
        if not isinstance(self.timeout, (int, float)) or not 0 < self.timeout < LONGEST_TIMEOUT:
            raise OptionError(
                f"'timeout' must be a number of seconds from 0 to {LONGEST_TIMEOUT:,}, "
                f"not {shown(timeout)}"
            )
        address = str(getattr(client.scheduler, "address", ""))
        _check_address(address, "the scheduler")
        if address.startswith("tls://"):
            _check_certificates(client.security)
        self._versions: dict[str, Future] = {}
        """The version that each worker reports."""
        self._workers: tuple[str, ...] = ()
        self._last_look = -_LOOK
        self._recent: dict[str, Future] = {}
        # Without this package, a scheduler cannot read what it is sent.
        read_version = partial(client.run_on_scheduler, version, "mkdocs-recall")
        _check_package(f"the scheduler at '{address}'", read_version)
        self._start(f"the scheduler at '{address}'")

    def _check_open(self) -> None:
        if self._client.status in {"closing", "closed"}:
            raise SiteError("the client of the cluster is closed; open the files with another one")

    def workers(self) -> tuple[str, ...]:
        """Return the addresses of the workers with this package."""
        self._check_open()
        if monotonic() - self._last_look < _LOOK:
            return self._workers
        with _told("the scheduler does not answer"):
            here = self._client.nthreads()
        for worker in here.keys() - self._versions.keys():
            _check_address(worker, "the worker")
            future = self._client.submit(version, "mkdocs-recall", workers=[worker], pure=False)
            self._versions[worker] = future
        for worker in self._versions.keys() - here.keys():
            del self._versions[worker]
        is_over = {"finished", "error"}
        reported = [name for name, report in self._versions.items() if report.status in is_over]
        for worker in sorted({*reported} - {*self._workers}):
            read_version = partial(self._versions[worker].result, _CONNECT)
            _check_package(f"the worker '{worker}'", read_version)
        self._workers = tuple(sorted(reported))
        self._last_look = monotonic()
        return self._workers

    def _start(self, subject: str) -> None:
        """Wait for the reports of the workers."""
        end = monotonic() + _CONNECT
        while not self.workers() or len(self._workers) < len(self._versions):
            if not self._versions:
                raise SiteError(f"{subject} has no worker; start one with 'dask worker'")
            if monotonic() > end:
                break
            sleep(_PAUSE)
            self._last_look = -_LOOK
        if not self._workers:
            raise SiteError(f"no worker of {subject} answers; check that they run")

    def hold(
        self, sites: Sequence[ShardSource], load: Callable[[ShardSource], Shard]
    ) -> list[Held]:
        """Have each site loaded by a worker, unless one holds it."""
        by_worker: dict[str, list[int]] = {}
        spread = assign({site.name: site.pages for site in sites}, self.workers())
        for place, site in enumerate(sites):
            by_worker.setdefault(spread[site.name], []).append(place)
        groups = []
        for worker, places in sorted(by_worker.items()):
            shards = [sites[place] for place in places]
            key = digest("group", *(shard.key for shard in shards)).hex()
            future = self._client.submit(
                *(_group, shards, load, _code()), key=f"recall-{key}", **_preferring(worker)
            )
            if future.status == "error":  # of another query
                future.retry()
            self._recent.pop(key, None)
            self._recent[key] = future
            groups.append(Held(places, [site.name for site in shards], worker, future))
        for old in [*self._recent][: -max(_KEPT_GROUPS, len(groups))]:
            del self._recent[old]
        return groups

    def ask(
        self,
        groups: Iterable[Held],
        function: Callable[..., Any],
        *args: Any,  # noqa: ANN401 - of the function
        patient: bool = False,
    ) -> list[Any]:
        """Return a function's result for each group; a SiteError if a worker refuses or is late.

        If patient, wait as long as a worker is busy, since indexing takes time.
        """
        futures = []
        for group in groups:
            call = function, group.future, *args
            futures.append(self._client.submit(*call, pure=False, **_preferring(group.worker)))
        return self._results(futures, [group.names for group in groups], patient=patient)

    def run(self, function: Callable[[str], _T], items: Sequence[str]) -> list[_T]:
        """Return a function's result for each item, without a time limit."""
        code = _code()
        futures = [self._client.submit(_run, function, item, code, pure=False) for item in items]
        return self._results(futures, [[item] for item in items], patient=True)

    def _results(
        self, futures: Sequence[Future], names: Sequence[Sequence[str]], *, patient: bool
    ) -> list[Any]:
        """Return the results of tasks about `names`."""
        from distributed.scheduler import KilledWorker

        unanswered = partial(self._unanswered, futures, names)
        with _told("the scheduler does not answer"):
            while True:
                try:
                    return self._gathered(futures)
                except KilledWorker as error:  # noqa: PERF203 - it waits for others
                    raise SiteError(unanswered()) from error
                except (TimeoutError, asyncio.TimeoutError) as error:
                    if not (patient and any(self._client.processing().values())):
                        raise SiteError(unanswered()) from error

    def _gathered(self, futures: Sequence[Future]) -> list[Any]:
        async def gather() -> list[Any]:
            gathered = self._client.gather(futures, asynchronous=True)
            return await asyncio.wait_for(gathered, self.timeout)

        results: list[Any] = self._client.sync(gather)
        return results

    def _unanswered(self, futures: Iterable[Future], names: Iterable[Sequence[str]]) -> str:
        tasks = zip(futures, names, strict=True)
        late = chain.from_iterable(sites for future, sites in tasks if future.status != "finished")
        listed = ", ".join(f"'{name}'" for name in sorted({*late}))
        return (
            f"no worker has answered for {listed} in {self.timeout:g} seconds, so there is no "
            "answer; check the workers of the cluster, and ask again"
        )


def _preferring(worker: str) -> dict[str, Any]:
    return {"workers": [worker], "allow_other_workers": True} if worker else {}


@contextmanager
def _told(reason: str) -> Iterator[None]:
    from distributed.scheduler import KilledWorker

    try:
        yield
    except RecallError:
        raise
    except (OSError, CancelledError, asyncio.TimeoutError, KilledWorker) as error:
        msg = f"{reason} ({error or type(error).__name__}); check that it runs, and ask again"
        raise SiteError(msg) from error


def assign(sizes: Mapping[str, int], workers: Sequence[str]) -> dict[str, str]:
    """Return the worker of each site, the same in all processes.

    An added or lost worker moves few sites, and none has much more than its share: consistent
    hashing with bounded loads (Mirrokni, Thorup and Zadimoghaddam 2018) and random weights.
    """
    if not workers:
        return dict.fromkeys(sizes, "")
    most = _ROOM * sum(sizes.values()) / len(workers)
    loads = dict.fromkeys(workers, 0)
    chosen = {}
    for name in sorted(sizes, key=lambda site: (-sizes[site], site)):
        by_weight = sorted(workers, key=lambda worker: digest("worker", worker, name))
        fitting = (worker for worker in by_weight if loads[worker] + sizes[name] <= most)
        worker = next(fitting, None) or min(by_weight, key=loads.__getitem__)
        loads[worker] += sizes[name]
        chosen[name] = worker
    return chosen


class ClusterIndex(JoinedIndex):
    """Shards in the workers of a cluster."""

    def __init__(
        self,
        cluster: Cluster,
        sites: Sequence[ShardSource],
        load: Callable[[ShardSource], Shard],
        *,
        uris: Sequence[str],
        part: Callable[[str], Part],
    ) -> None:
        """Have the sites loaded, and learn how many sentences each page has.

        Sites and uris are in page order. A worker loads a site; `part` returns the searched part of
        a page in this process.
        """
        self._cluster, self._sites, self._load = cluster, sites, load
        self._part_of, self.uris = part, uris
        self._term_facts: dict[Term, _Facts] = {}
        self._local: dict[int, Index] = {}
        self._workers: tuple[str, ...] = ()
        self._groups: list[Held] = []
        layouts = self._each_site(Group.tell, _layout, (), "", patient=True)
        totals = [shard_totals for shard_totals, _ in layouts]
        self.totals = Totals.sum(totals)
        self.languages = self.totals.by_frequency
        self.sentence_starts = starts_of(shard_totals.sentences for shard_totals in totals)
        self.section_starts = starts_of(shard_totals.sections for shard_totals in totals)
        sentences, sections, blocks = (
            array("Q", starts_of(n for _, sizes in layouts for n in sizes[name]))
            for name in ("sentences", "sections", "blocks")
        )
        pages = LazySequence(len(uris), self._page)
        self._chain(pages, sentences, sections, blocks, range(len(uris)))

    def _page(self, number: int) -> Index:
        index = self._local.get(number)
        if index is None:
            index = self._local[number] = Index((self._part_of(self.uris[number]),), is_shard=True)
        return index

    def _current(self) -> list[Held]:
        workers = self._cluster.workers()
        if workers != self._workers or not self._groups:
            self._groups = self._cluster.hold(self._sites, self._load)
            self._workers = workers
        return self._groups

    def _each_site(
        self,
        function: Callable[..., Any],
        *args: Any,  # noqa: ANN401 - of the function
        patient: bool = False,
    ) -> list[Any]:
        """Return a function's result for each site, in order."""
        from distributed.scheduler import KilledWorker

        started = monotonic()
        while True:
            groups = self._current()
            try:
                by_group = self._cluster.ask(groups, function, *args, patient=patient)
            except SiteError as error:
                self._groups = []
                is_late = monotonic() - started >= self._cluster.timeout
                if is_late or not isinstance(error.__cause__, KilledWorker):
                    raise
                continue  # workers were lost repeatedly; new ones may have come
            values: list[Any] = [None] * len(self._sites)
            for group, results in zip(groups, by_group, strict=True):
                for place, value in zip(group.places, results, strict=True):
                    values[place] = value
            return values

    def each(self, make: Callable[..., _T], *args: object) -> list[_T]:
        """Return `make(shard, *args)` for each shard, in order.

        A result that explains itself stays in its worker, which is asked for each explanation.
        """
        token = uuid4().hex
        results: list[Any] = self._each_site(Group.tell, make, args, token)
        if not hasattr(results[0], "explain"):
            return results
        explains = (partial(self._explain, n, make, args, token) for n in range(len(results)))
        return [replace(result, explain=far) for result, far in zip(results, explains, strict=True)]

    def _explain(self, site: int, *args: Any) -> Any:  # noqa: ANN401 - as the result explains itself
        group = next(group for group in self._current() if site in group.places)
        (value,) = self._cluster.ask([group], Group.explain, group.places.index(site), *args)
        return value

    def _facts(self, terms: Sequence[Term]) -> list[_Facts]:
        """Return the facts of all shards about some terms."""
        unknown = [term for term in dict.fromkeys(terms) if term not in self._term_facts]
        if unknown:
            by_term = zip(*self.each(_facts, unknown), strict=True)
            for term, facts in zip(unknown, by_term, strict=True):
                counts, lacks, partial_words = zip(*facts, strict=True)
                count = TermCount(*map(sum, zip(*counts, strict=True)))
                self._term_facts[term] = _Facts(count, all(lacks), set().union(*partial_words))
        return [self._term_facts[term] for term in terms]

    def statistics(self, query: str, *, in_sections: bool = False) -> Statistics:  # noqa: ARG002 - they are counted in any case
        """Return the statistics of all shards for a query."""
        terms = query_terms(query, self.languages)
        return Statistics(self.totals, terms, [facts.occurrences for facts in self._facts(terms)])

    def lacks_word(self, term: Term) -> bool:
        """Tell whether no page has a term."""
        return self._facts([term])[0].lacks

    def partial_words(self, term: Term) -> set[str]:
        """Return the words that match a term in part."""
        return self._facts([term])[0].partial_words
