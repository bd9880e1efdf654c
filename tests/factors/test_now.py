"""The current time: the same for the same sources; the clock is the last resort."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest
from repositories import Repository

from mkdocs_recall import OptionError
from mkdocs_recall.factors.history import now


@pytest.fixture(autouse=True)
def nothing_stated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)


def utc(*numbers: int) -> datetime:
    return datetime(*numbers, tzinfo=timezone.utc)  # type: ignore[arg-type,misc]


def test_a_stated_value_wins(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    repository.commit(1, a="A page.")
    assert now("", repository.root) == utc(2025, 5, 1, 10)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1770724800")
    assert now("", repository.root) == utc(2026, 2, 10, 12)
    assert now("2026-03-01", repository.root) == utc(2026, 3, 1)


def test_a_stated_time_may_have_a_zone(tmp_path: Path) -> None:
    moment = now("2026-03-01T12:00:00+02:00", tmp_path)
    assert moment == utc(2026, 3, 1, 10)
    assert moment.utcoffset() == timedelta(hours=2)


def test_git_tells_when_the_last_commit_was_made_not_written(repository: Repository) -> None:
    repository.commit(2, a="A page.")
    assert now("", repository.root / "docs") == utc(2025, 5, 2, 10)


@pytest.mark.parametrize("variable", ["", None])
def test_without_a_source_date_or_commits_the_time_is_unknown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variable: str | None
) -> None:
    if variable is not None:
        monkeypatch.setenv("SOURCE_DATE_EPOCH", variable)
    assert now("", tmp_path) is None


def test_only_a_clock_tells_the_time_where_no_commit_does(repository: Repository) -> None:
    assert now("", repository.root) is None, "there is none yet"
    repository.commit_with_impossible_date()
    assert now("", repository.root) is None


@pytest.mark.parametrize("variable", ["yesterday", "1.5", "9" * 30, "2026-02-10"])
def test_an_impossible_variable_is_an_error_that_quotes_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", variable)
    with pytest.raises(OptionError, match=f"^SOURCE_DATE_EPOCH must be .*, not '{variable}'$"):
        now("", tmp_path)


def test_an_impossible_option_is_an_error_that_quotes_it(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match=r"not '2026-02-30'$"):
        now("2026-02-30", tmp_path)
