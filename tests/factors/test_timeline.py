"""What git says of files, and what a program pays that needs it again and again."""

from __future__ import annotations

from functools import partial

import pytest
from repositories import LONG, Repository, calls_of_git, day, posix

from mkdocs_recall.cache import ByteStore
from mkdocs_recall.factors.history import creation_dates


@posix
def test_creation_dates_are_cached_though_another_repository_has_no_commit(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository.commit(1, a=LONG)
    empty = repository.root / "docs" / "sub"
    empty.mkdir()
    repository.git("init", "--quiet", str(empty))
    (empty / "b.md").write_text("A page without a commit.", encoding="utf-8")
    files = [repository.file("docs/a.md"), str(empty / "b.md")]
    stored: dict[bytes, bytes] = {}
    store = ByteStore(stored.get, stored.__setitem__)
    assert creation_dates(files, store) == {files[0]: day(1)}
    calls = calls_of_git(repository, monkeypatch)
    assert creation_dates(files, store) == {files[0]: day(1)}
    assert "rev-list" not in calls.read_text(encoding="utf-8"), "no commit is read a second time"


def test_creation_dates_that_somebody_else_has_written_are_a_miss(repository: Repository) -> None:
    repository.commit(1, a=LONG)
    files = [repository.file("docs/a.md")]
    written: list[bytes] = []
    for foreign in (b"", b"[1]", b'{"a": 1}', b"{", b"[" * 9999):
        get = partial(lambda foreign, _: foreign, foreign)
        store = ByteStore(get, lambda _, dates: written.append(dates))
        assert creation_dates(files, store) == {files[0]: day(1)}
    assert len(written) == 5
