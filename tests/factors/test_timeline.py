"""Dates of files from git, and their cost for a program that needs them repeatedly."""

from __future__ import annotations

import pytest
from repositories import LONG, Repository, calls_of_git, day, posix

from mkdocs_recall import Temporal
from mkdocs_recall.factors.history import Timeline, creation_dates
from mkdocs_recall.git import GitError
from mkdocs_recall.store import Cache
from mkdocs_recall.text.front_matter import Validity


@posix
def test_creation_dates_are_cached_though_another_repository_has_no_commit(
    repository: Repository,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    repository.commit(1, a=LONG)
    empty = repository.root / "docs" / "sub"
    empty.mkdir()
    repository.git("init", "--quiet", str(empty))
    (empty / "b.md").write_text("A page without a commit.", encoding="utf-8")
    files = [repository.file("docs/a.md"), str(empty / "b.md")]
    store = Cache(tmp_path_factory.mktemp("cache"))
    assert creation_dates(files, store) == {files[0]: day(1)}
    store.save()
    calls = calls_of_git(repository, monkeypatch)
    assert creation_dates(files, store) == {files[0]: day(1)}
    assert "rev-list" not in calls.read_text(encoding="utf-8"), "no commit is read a second time"


def test_creation_dates_that_somebody_else_has_written_are_a_miss(repository: Repository) -> None:
    repository.commit(1, a=LONG)
    files = [repository.file("docs/a.md")]
    written: list[bytes] = []

    class Foreign(Cache):
        value = b""

        def get(self, key: bytes) -> bytes:  # noqa: ARG002 - the same for each key
            return self.value

        def put(self, key: bytes, value: bytes) -> None:  # noqa: ARG002
            written.append(value)

    store = Foreign(None)
    for store.value in (b"", b"[1]", b'{"a": 1}', b"{", b"[" * 9999):
        assert creation_dates(files, store) == {files[0]: day(1)}
    assert len(written) == 5


def test_an_answer_without_unreadable_commits_has_its_own_key(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository.commit(1, a=LONG)

    def key() -> str:
        files = {"a.md": repository.file("docs/a.md")}
        timeline = Timeline({}, {}, lambda: files, validity=lambda _: Validity(), store=None)
        return timeline.key(Temporal(), ["a.md"])

    def fail(*_: object, **__: object) -> None:
        msg = "git took more than 30 s"
        raise GitError(msg)

    with monkeypatch.context() as patched:
        patched.setattr("mkdocs_recall.factors.history._trail", fail)
        without = key()
    assert key() != without
