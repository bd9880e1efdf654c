"""Plugins with versions and dates from git: mike and git-revision-date-localized."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import Site
from reading import Quote, ask, quotes
from repositories import Repository

HOME = "# Home\n\n" + ask(
    source="/guide/auth.md", query="when does a session expire?", context=0, max_sentences=1
)
LEADS = ("guide/auth/index.html#auth",)
MIKE = "from mike.driver import main; main()"


@pytest.fixture
def tracked(repository: Repository) -> Site:
    """A site in a repository."""
    repository.git("config", "user.name", "A")
    repository.git("config", "user.email", "a@larch.example")
    site = Site(repository.root)
    site.write({"index.md": HOME})
    return site


def auth(expiry: str) -> str:
    """Return the page that is quoted."""
    return f"# Auth\n\nA session expires after {expiry}.\n"


def answer(expiry: str) -> list[Quote]:
    """Return what is quoted from that page."""
    return [Quote(f"A session expires after {expiry}. — Auth", LEADS)]


def mike(site: Site, *arguments: str) -> None:
    """Run mike, which finds MkDocs by its name."""
    programs = str(Path(sys.executable).parent)
    subprocess.run(  # noqa: S603 - our own interpreter
        [sys.executable, "-c", MIKE, *arguments],
        cwd=site.root,
        check=True,
        env={**os.environ, "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"},
    )


def test_each_version_that_mike_deploys_quotes_and_cites_its_own_pages(
    tracked: Site, repository: Repository, tmp_path: Path
) -> None:
    tracked.configure(plugins=["search", "mike", "recall"])
    for number, (version, expiry) in enumerate({"1.0": "a day", "2.0": "a week"}.items(), 1):
        repository.commit(number, **{"guide/auth": auth(expiry)})
        mike(tracked, "deploy", "--update-aliases", "--alias-type=copy", version, "latest")
    published = tmp_path / "published"
    repository.git("worktree", "add", "--quiet", str(published), "gh-pages")
    assert quotes(published / "1.0") == answer("a day")
    assert quotes(published / "2.0") == answer("a week")
    assert quotes(published / "latest") == answer("a week")


@pytest.mark.parametrize("recall_first", [True, False])
@pytest.mark.parametrize(("kind", "shown"), [("iso_date", "2024-05-03"), ("timeago", "2024-05-03")])
def test_a_date_of_git_is_quoted_as_it_is_shown_without_scripts(
    tracked: Site, repository: Repository, kind: str, shown: str, *, recall_first: bool
) -> None:
    dates = {"git-revision-date-localized": {"type": kind, "timezone": "Europe/Berlin"}}
    repository.commit(3, **{"guide/auth": auth("{{ git_revision_date_localized }}")})
    built = tracked.build(plugins=["recall", dates] if recall_first else [dates, "recall"])
    assert quotes(built.folder) == answer(shown)
    assert built.warnings == []


def test_a_date_changed_by_a_commit_is_not_cached(tracked: Site, repository: Repository) -> None:
    dates = {"git-revision-date-localized": {"type": "iso_date"}}
    page = auth("{{ git_revision_date_localized }}")
    tracked.configure(plugins=[dates, "recall"])
    for number in (3, 4):
        repository.commit(number, **{"guide/auth": f"{page}\nChange {number}.\n"})
        assert quotes(tracked.rebuild().folder) == answer(f"2024-05-0{number}")
