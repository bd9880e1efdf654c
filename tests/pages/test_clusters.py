"""Without Dask: the messages, and the assignment of sites to workers."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import pytest
from other_site import pack_site

from mkdocs_recall import Corpus, OptionError
from mkdocs_recall.cli.main import main
from mkdocs_recall.errors import SiteError
from mkdocs_recall.pages.cluster import assign, connect
from mkdocs_recall.pages.published import SiteHeader


def test_without_dask_the_error_says_how_to_install_it() -> None:
    with (
        patch.dict(sys.modules, {"distributed": None}),
        pytest.raises(SiteError, match=r'install it: pip install "mkdocs-recall\[cluster\]"'),
    ):
        connect("tls://127.0.0.1:8786")


def test_a_cluster_holds_only_published_sites(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match=r"2|WRONG"):  # as Python 3.10 writes it
        main(["search", "a query", "--cluster", "tls://127.0.0.1:8786"])
    assert "--cluster holds what sites have published; name the files with --published" in (
        capsys.readouterr().err
    )


def test_what_is_not_a_client_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "larch.jsonl.gz"
    file.write_bytes(pack_site(SiteHeader(site="Larch"), []))
    with pytest.raises(OptionError, match=r"'client' must be a distributed\.Client, not str"):
        Corpus.from_published([file], client="tls://127.0.0.1:8786")
    waiting: Any = SimpleNamespace(submit=None, nthreads=None, asynchronous=True)
    with pytest.raises(OptionError, match="'client' must not be asynchronous"):
        Corpus.from_published([file], client=waiting)


@pytest.mark.parametrize("timeout", [0, -1, "9", float("nan"), float("inf")])
def test_a_timeout_that_is_not_a_time_is_refused(tmp_path: Path, timeout: Any) -> None:
    file = tmp_path / "larch.jsonl.gz"
    file.write_bytes(pack_site(SiteHeader(site="Larch"), []))
    client: Any = SimpleNamespace(submit=None, nthreads=None, asynchronous=False, status="running")
    with pytest.raises(OptionError, match="'timeout' must be a number of seconds from 0 to 100,00"):
        Corpus.from_published([file], client=client, timeout=timeout)


def test_sites_are_spread_alike_and_few_move_with_a_worker() -> None:
    sizes = {f"site{number}": 1 + number % 40 for number in range(2_000)}
    workers = [f"tls://10.0.0.{number}:8786" for number in range(10)]
    spread = assign(sizes, workers)
    loads = [sum(sizes[n] for n, each in spread.items() if each == w) for w in workers]
    assert max(loads) <= 1.12 * sum(loads) / len(loads)
    assert assign(dict(reversed(sizes.items())), workers[::-1]) == spread
    more = assign(sizes, [*workers, "tls://10.0.0.99:8786"])
    assert sum(spread[name] != more[name] for name in sizes) < 0.3 * len(sizes)
