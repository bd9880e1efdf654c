"""Workers read the pages of a large site; nothing but the time shows it."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from conftest import cached
from msgspec import to_builtins
from other_site import pack_site
from tables import beside

from mkdocs_recall import Corpus, OptionError, PublishedFileError, SiteError
from mkdocs_recall.files import user_cache_folder
from mkdocs_recall.index.sources import PageSet
from mkdocs_recall.pages import corpus as pages_corpus, library
from mkdocs_recall.pages.published import SiteHeader
from mkdocs_recall.store import MAPPED

EXTENSION: str = beside(__file__)["EXTENSION"]


class Watched(library.Workers):
    """Workers of which it is known what they have read."""

    taken: tuple[str, ...] = ()

    def take(self, item: str) -> bytes | None:
        """Return a page, and note that it was read."""
        line = super().take(item)
        Watched.taken += (item,) * (line not in {None, library.NOT_DONE})
        return line


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A site of twelve pages, which counts as a large one."""
    monkeypatch.setattr(library, "MIN_PAGES", 10)
    monkeypatch.setattr(library, "Workers", Watched)
    monkeypatch.setattr(Watched, "taken", ())
    root = tmp_path / "site"
    (root / "docs").mkdir(parents=True)
    settings = "site_name: Site\nmarkdown_extensions: [toc, pymdownx.snippets, tables]\n"
    (root / "mkdocs.yml").write_text(settings, "utf-8")
    (root / "part.md").write_text("A part says that mail is sent on port 587.", "utf-8")
    for n in range(12):
        text = (
            f"# Page {n}\n\nToken {n} ends. See [it](p{(n + 1) % 12}.md#a).\n\n--8<-- 'part.md'\n"
        )
        (root / f"docs/p{n}.md").write_text(text, "utf-8")
    return root


def from_site(root: Path, processes: int) -> Corpus:
    """Open the site."""
    return Corpus.from_site(root / "mkdocs.yml", processes=processes)


def from_folder(root: Path, processes: int) -> Corpus:
    """Open its folder."""
    return Corpus.from_folder(root / "docs", processes=processes)


def emptied(path: Path) -> set[tuple[object, ...]]:
    """Return the pages and indexes in the cache, which is empty then."""
    folder = user_cache_folder(path)
    assert folder is not None
    least = 100  # bytes: the dates of mapped files have fewer
    entries: set[tuple[object, ...]] = {
        each for each in cached(folder).items() if len(each[1]) > least
    }
    entries |= {(file.name, file.read_bytes()) for file in folder.glob(MAPPED)}
    shutil.rmtree(folder)
    return entries


@pytest.mark.parametrize(
    ("opened", "name"), [(from_site, "mkdocs.yml"), (from_folder, "docs")], ids=["site", "folder"]
)
def test_pages_and_cache_are_those_of_one_process(
    site: Path, opened: Callable[[Path, int], Corpus], name: str
) -> None:
    answers, caches = [], []
    for processes in (1, 2):
        corpus = opened(site, processes)
        answers.append((corpus.recall("when does token 3 end?").passages, corpus.documents))
        assert len(Watched.taken) == (12 if processes > 1 else 0)
        caches.append(emptied(site / name))
    assert answers[0] == answers[1]
    assert caches[0] == caches[1]


@pytest.mark.skipif(sys.platform != "linux", reason="macOS and Windows allow no such name")
def test_workers_read_files_whose_names_are_not_utf8(site: Path) -> None:
    docs = site / "d\udcffcs"
    (site / "docs").rename(docs)
    (docs / "p3.md").rename(docs / "p\udcff.md")
    answers = []
    for processes in (1, 2):
        corpus = Corpus.from_folder(docs, processes=processes, cache=False)
        answers.append((corpus.recall("when does token 3 end?").passages, corpus.documents))
    assert answers[0] == answers[1]
    assert len(Watched.taken) == 11  # such a page is read here, and not cached


@pytest.mark.parametrize("processes", [0, -1, "2", 2.5, None])
def test_a_number_of_processes_that_is_none_is_refused(tmp_path: Path, processes: Any) -> None:
    (tmp_path / "page.md").write_text("Text.", "utf-8")
    with pytest.raises(OptionError, match="'processes' must be a whole number, 1 or more, not"):
        Corpus.from_folder(tmp_path, processes=processes)


def test_no_more_workers_than_pages_start(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[object] = []
    popen = subprocess.Popen

    def start(command: Any, **kwargs: Any) -> Any:
        started.append(command)
        assert len(started) <= 12
        return popen(command, **kwargs)

    monkeypatch.setattr(subprocess, "Popen", start)
    monkeypatch.setattr(library, "_START", "raise SystemExit")
    assert len(Corpus.from_folder(site / "docs", processes=99, cache=False).documents) == 12
    assert len(started) == 12


def test_few_pages_are_read_without_workers(site: Path) -> None:
    done: list[int] = []
    config = site / "mkdocs.yml"
    corpus = Corpus.from_site(config, progress=lambda read, _: done.append(read), processes=2)
    assert corpus.select(["p1.md", "p2.md"])
    assert not Watched.taken
    assert len(corpus.documents) == 12
    assert len(Watched.taken) == 10
    assert done == [*range(1, 13)]


def test_a_broken_page_is_the_same_error(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code = "assert 'Page 7' not in lines[0], 'seven'"
    (site / "steps.py").write_text(EXTENSION.format(code), "utf-8")
    monkeypatch.syspath_prepend(str(site))
    (site / "mkdocs.yml").write_text("site_name: S\nmarkdown_extensions: [steps]\n", "utf-8")
    for processes in (1, 2):
        with pytest.raises(SiteError, match=r"cannot render 'p7\.md': AssertionError: seven"):
            _ = from_site(site, processes).documents


def test_all_is_read_without_workers(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for start in ("raise SystemExit", "print('[1, [', end='')", "print('null')"):
        monkeypatch.setattr(library, "_START", start)
        corpus = Corpus.from_site(site / "mkdocs.yml", processes=2, cache=False)
        assert len(corpus.documents) == 12
    monkeypatch.setattr(sys, "executable", str(site / "none"))
    assert len(Corpus.from_site(site / "mkdocs.yml", processes=2, cache=False).documents) == 12
    assert not Watched.taken


@pytest.fixture
def published(site: Path, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The published files of two sites; one page in a cache is enough for an index."""
    monkeypatch.setattr(pages_corpus, "_MANY", 1)
    files = [site / "larch.jsonl.gz", site / "birch.jsonl.gz"]
    for file in files:
        pages = [replace(page, title=file.name) for page in from_site(site, 1).documents]
        file.write_bytes(pack_site(SiteHeader(file.stem), pages))
    return files


def test_indexes_of_published_files_are_those_of_one_process(published: list[Path]) -> None:
    answers, caches = [], []
    for processes in (1, 2):
        corpus = Corpus.from_published(published, processes=processes)
        answers.append(corpus.recall("when does token 3 end?").passages)
        assert Watched.taken[:2] == (("larch:p0.md", "birch:p0.md") if processes > 1 else ())
        caches.append(emptied(published[0].parent))
    assert answers[0] == answers[1]
    assert caches[0] == caches[1]


def test_workers_share_the_pages_of_one_site(
    published: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pages_corpus, "_PIECE", 3)
    passages = [
        Corpus.from_published(published[:1], cache=cache, processes=2).recall("token 3").passages
        for cache in (False, True)
    ]
    assert passages[0] == passages[1]
    assert len(Watched.taken) > 2
    assert {uri.partition(":")[0] for uri in Watched.taken} == {"larch"}
    taken = len(Watched.taken)
    corpus = Corpus.from_published(published, processes=2)
    assert corpus.recall("token 3", source="larch:**").passages == passages[1]
    assert len(Watched.taken) == taken  # another source of the same pages


def test_a_worker_lets_go_of_the_pages_of_each_piece(
    published: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[Any] = []
    monkeypatch.setattr(library, "Workers", lambda *given: started.append(given))
    monkeypatch.setattr(pages_corpus, "_PIECE", 1)
    assert Corpus.from_published(published[:1], processes=2).recall("token 3").passages
    _, setting, pieces, _ = started[0]
    let_go: list[str] = []
    monkeypatch.setattr(PageSet, "release", lambda _, uri: let_go.append(uri))
    for number, _ in enumerate(pages_corpus.index_pieces(to_builtins(setting), pieces), start=1):
        assert let_go == pieces[:number]
    assert len(let_go) > 2


def test_workers_of_one_source_end_before_those_of_the_next_start(
    published: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    ended: list[int] = []

    class Ended(Watched):
        def close(self) -> None:
            ended.append(len(self._running))
            super().close()

    monkeypatch.setattr(library, "Workers", Ended)
    monkeypatch.setattr(pages_corpus, "_PIECE", 3)
    corpus = Corpus.from_published(published, processes=2)
    with corpus.by_name():
        for source, expected in (("larch:**", []), ("birch:**", [2])):
            assert corpus.recall("when does token 3 end?", source=source).passages
            assert ended == expected
    assert ended == [2, 2]


def test_the_index_of_a_piece_is_not_taken_for_its_first_page(
    published: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker has made it, and its first page is read here before it is taken."""
    monkeypatch.setattr(pages_corpus, "_GROUP", 1)
    passages = []
    for processes in (1, 2):
        corpus = Corpus.from_published(published, processes=processes)
        monkeypatch.setattr(library.Library, "take_indexed", lambda *_: None)
        passages.append(corpus.recall("when does token 3 end?").passages)
        cached(published[0].parent)
    assert passages[0] == passages[1]


def test_a_file_that_changes_meanwhile_is_noticed(
    published: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus = Corpus.from_published(published, processes=2)
    start = library.Workers.__init__

    def replace_first(*arguments: Any) -> None:
        published[0].write_bytes(published[1].read_bytes())
        start(*arguments)

    monkeypatch.setattr(Watched, "__init__", replace_first)
    with pytest.raises(PublishedFileError, match=r"larch.*has changed since its pages"):
        corpus.recall("when does token 3 end?", source="*:**")
    assert Watched.taken[0] == "larch:p0.md"
    corpus = corpus.refreshed()
    passages = corpus.recall("when does token 3 end?", source="*:**", max_sentences=9).passages
    assert {p.title for p in passages if p.uri.startswith("larch")} == {"birch.jsonl.gz"}


def is_running(pid: int) -> bool:
    """Tell whether a process runs; one that has ended may still have to be waited for."""
    with suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()[0] != "Z"
    with suppress(OSError):
        os.kill(pid, 0)
        return not Path("/proc").exists()
    return False


@pytest.mark.skipif(os.name != "posix", reason="Windows has other signals")
@pytest.mark.usefixtures("interruptible")
@pytest.mark.parametrize("sent", ["SIGINT", "SIGTERM", "SIGKILL"])
def test_workers_end_with_the_command_however_it_ends(site: Path, sent: str) -> None:
    (site / "pids").mkdir()
    code = f"pathlib.Path({str(site / 'pids')!r}, str(os.getpid())).touch(); time.sleep(99)"
    (site / "steps.py").write_text(EXTENSION.format(code), "utf-8")
    (site / "mkdocs.yml").write_text("site_name: S\nmarkdown_extensions: [steps]\n", "utf-8")
    main = (
        "from mkdocs_recall.cli.main import main; from mkdocs_recall.pages import library;"
        "library.MIN_PAGES = 2; library.usable_processors = lambda: 2; main(['search', 'token'])"
    )
    with subprocess.Popen(  # noqa: S603 - our own interpreter
        [sys.executable, "-c", main], cwd=site, stderr=subprocess.PIPE, start_new_session=True
    ) as command:
        deadline = time.monotonic() + 60
        while len(pids := [int(path.name) for path in (site / "pids").iterdir()]) < 2:
            assert time.monotonic() < deadline
            time.sleep(0.1)
        assert command.pid not in pids
        os.killpg(command.pid, getattr(signal, sent))  # as a terminal does
        assert command.stderr is not None
        said = command.stderr.read()
    assert (command.returncode, said) == (130 if sent == "SIGINT" else -getattr(signal, sent), b"")
    while any(map(is_running, pids)):
        assert time.monotonic() < deadline
        time.sleep(0.1)
