"""What answers depend on besides pages, in builds of sites that lie in real repositories."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from conftest import Site
from repositories import calls_of_git, posix

if TYPE_CHECKING:
    from repositories import Repository

QUERY = "When does a session expire?"
ASKING = f'```recall\nsource: "**"\nquery: {QUERY}\nmax_sentences: 1\nexplain: true\n```\n'
PAGES = {
    "index.md": f"# Home\n\n{ASKING}",
    "new.md": "# New\n\nA session expires after twelve hours of rest.\n",
    "old.md": "# Old\n\nA session expires after eight hours of rest.\n",
}
BY_TIME = {"temporal": {"enabled": True}}


@pytest.fixture
def timed(site: Site, repository: Repository, monkeypatch: pytest.MonkeyPatch) -> Site:
    """A site in a repository; git alone tells what time it is."""
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)
    made = Site(repository.root, site.records)
    made.configure(recall=BY_TIME)
    made.write({**PAGES, "../.gitignore": "/.cache/\n/site/\n"})
    repository.commit(1)
    return made


def expires(date: str) -> dict[str, str]:
    """Return the old page with the date from which on it does not hold."""
    return {"old.md": f"---\nt_expired: {date}\n---\n{PAGES['old.md']}"}


def test_another_date_in_the_past_is_told_though_the_page_expired_all_the_same(
    timed: Site,
) -> None:
    timed.write(expires("2025-01-01"))
    assert "it expired on 2025-01-01" in timed.rebuild().html()
    timed.write(expires("2025-02-02"))
    assert "it expired on 2025-02-02" in timed.rebuild().html()


GENERATING = """
import mkdocs_gen_files
with mkdocs_gen_files.open("made.md", "w") as file:
    file.write("# Made\\n")
"""


@posix
def test_a_page_that_a_plugin_makes_in_each_build_has_no_history_read_again(
    timed: Site, repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository.write("make.py", GENERATING)
    timed.configure(plugins=[{"gen-files": {"scripts": ["make.py"]}}, {"recall": BY_TIME}])
    timed.rebuild()
    calls = calls_of_git(repository, monkeypatch)
    timed.rebuild()
    assert "rev-parse" in calls.read_text(encoding="utf-8")
    assert "rev-list" not in calls.read_text(encoding="utf-8")
