"""What answers depend on besides pages, in builds of sites in real repositories."""

from __future__ import annotations

from datetime import datetime, timezone

import pytest
from conftest import Built, Site
from mkdocs.commands.build import build as build_site
from mkdocs.config import load_config
from repositories import Repository, calls_of_git, posix

from mkdocs_recall import Corpus, SourceError

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
    new_site = Site(repository.root, site.records)
    new_site.configure(recall=BY_TIME)
    new_site.write({**PAGES, "../.gitignore": "/site/\n"})
    repository.commit(1)
    return new_site


def expires(date: str) -> dict[str, str]:
    """Return the old page with the date from which on it does not hold."""
    return {"old.md": f"---\nt_expired: {date}\n---\n{PAGES['old.md']}"}


def test_a_changed_expiry_in_the_past_changes_the_key(timed: Site) -> None:
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
def test_a_generated_page_does_not_cause_history_to_be_read_again(
    timed: Site, repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository.write("make.py", GENERATING)
    timed.configure(plugins=[{"gen-files": {"scripts": ["make.py"]}}, {"recall": BY_TIME}])
    timed.rebuild()
    calls = calls_of_git(repository, monkeypatch)
    timed.rebuild()
    assert "rev-parse" in calls.read_text(encoding="utf-8")
    assert "rev-list" not in calls.read_text(encoding="utf-8")


def test_a_synopsis_leaves_out_an_expired_page(timed: Site, repository: Repository) -> None:
    timed.write(expires("2025-05-20"))
    repository.commit(2)
    before = Corpus.from_site(timed.root / "mkdocs.yml")
    assert before.synopsis("old.md", temporal=True).passages
    assert before.refreshed() is before
    repository.git("commit", "--quiet", "--allow-empty", "--message", "Later", day=25)
    after = before.refreshed()
    with pytest.raises(SourceError, match="it expired on 2025-05-20"):
        after.synopsis("old.md", temporal=True)


def test_a_page_expires_while_a_program_runs(timed: Site) -> None:
    timed.write(expires("2025-05-20"))
    moments = [datetime(2025, 5, day, tzinfo=timezone.utc) for day in (19, 19, 20)]
    now = iter(moments)
    corpus = Corpus.from_site(timed.root / "mkdocs.yml", now=lambda: next(now))
    assert len(corpus.recall(QUERY).passages) == 2
    assert corpus.refreshed() is corpus
    now = iter([*moments[2:], *moments[2:]])
    assert len(corpus.refreshed().recall(QUERY).passages) == 1


def test_an_unknown_time_is_not_looked_up_repeatedly(timed: Site) -> None:
    timed.write(expires("2025-05-20"))
    now = iter([None])
    corpus = Corpus.from_site(timed.root / "mkdocs.yml", now=lambda: next(now))
    assert corpus.refreshed() is corpus


MAKING = """
from mkdocs.structure.files import File

def on_files(files, config):
    files.append(File.generated(config, "made.md", content="# Made\\n"))
"""


def test_a_page_that_no_commit_can_tell_of_is_named_once(timed: Site) -> None:
    assert not any("commits" in info for info in timed.rebuild().infos)
    timed.configure(recall=BY_TIME, hook=MAKING)
    for _ in range(2):
        said = [info for info in timed.rebuild().infos if "commits" in info]
        assert said == [
            "recall: commits are ignored for pages that are not in a git repository: 'made.md'"
        ]


def test_problems_with_both_dates_of_commits_are_reported_once(site: Site) -> None:
    fences = [
        ASKING.replace("explain: true", f"temporal: {{commit_date: {date}, now: 2026-01-01}}")
        for date in ("author", "committer")
    ]
    built = site.build({**PAGES, "index.md": "# Home\n\n" + "\n".join(fences)})
    assert sum("commits are ignored" in info for info in built.infos) == 1


def build_dirty(site: Site) -> str:
    """Build with `--dirty`, and return the page that asks."""
    config = load_config(str(site.root / "mkdocs.yml"))
    config.plugins.on_startup(command="build", dirty=True)
    try:
        build_site(config, dirty=True)
    finally:
        config.plugins.on_shutdown()
    return Built(site.root / "site", ()).html()


def test_a_dirty_build_sees_what_a_commit_changes(timed: Site, repository: Repository) -> None:
    timed.write(expires("2025-05-20"))
    repository.commit(2)
    timed.rebuild()
    assert "it expired on" not in build_dirty(timed)
    repository.git("commit", "--quiet", "--allow-empty", "--message", "Later", day=25)
    html = build_dirty(timed)
    assert "it expired on 2025-05-20" in html
    assert timed.rebuild().html() == html


def test_a_dirty_build_sees_a_date_however_yaml_has_it(timed: Site, repository: Repository) -> None:
    timed.write({"old.md": f"---\n{{t_expired: 2025-05-20}}\n---\n{PAGES['old.md']}"})
    repository.commit(2)
    timed.rebuild()
    repository.git("commit", "--quiet", "--allow-empty", "--message", "Later", day=25)
    assert "it expired on 2025-05-20" in build_dirty(timed)
