"""When pages were created and changed, from real git repositories."""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest
from repositories import (
    GIT,
    LONG,
    Repository,
    calls_of_git,
    created,
    day,
    posix,
    read_histories,
    script,
)
from tables import tabled

from mkdocs_recall import git
from mkdocs_recall.factors import history
from mkdocs_recall.factors.history import History, PageHistory, read


def test_a_page_was_created_when_its_first_commit_was_written(repository: Repository) -> None:
    repository.commit(1, a=LONG)
    repository.commit(2, b="Another page.")
    repository.commit(3, a=LONG + "More.")
    found = created([repository.file("docs/a.md"), repository.root / "docs" / "b.md"])
    assert found == {repository.file("docs/a.md"): day(1), repository.file("docs/b.md"): day(2)}
    repository.commit(4, c="A third page.")
    repository.git("commit", "--quiet", "--amend", "--no-edit", "--date=2024-05-09T10:00:00+0000")
    assert repository.created("docs/c.md") == "2024-05-09T10:00:00+00:00"


@tabled
def test_a_page_has_the_commits_that_touched_it(
    repository: Repository, behaviour: str, steps: list[Any], days: dict[str, list[int] | None]
) -> None:
    repository.follow(steps)
    files = [*map(repository.file, days)]
    apart = {file: past for one in files for file, past in read_histories([one]).items()}
    expected = {
        repository.file(path): PageHistory([*map(day, numbers)], whole=True)
        for path, numbers in days.items()
        if numbers is not None
    }
    assert read_histories(files) == apart == expected, behaviour


def test_histories_survive_json(repository: Repository) -> None:
    repository.commit(1, a=LONG)
    histories = read_histories([repository.file("docs/a.md")])
    stored = json.loads(json.dumps(histories))
    assert {file: PageHistory(*value) for file, value in stored.items()} == histories


@pytest.mark.parametrize("name", ["ä b.md", "日本.md", "[x]*.md", "-a.md", "commit 1 2.md", "a"])
def test_a_page_may_have_any_name(repository: Repository, name: str) -> None:
    repository.write(f"docs/{name}", LONG)
    repository.commit(1)
    repository.git("mv", "--", f"docs/{name}", f"docs/new {name}")
    repository.commit(2)
    assert repository.created(f"docs/new {name}") == day(1)


@posix
def test_a_file_name_may_contain_line_ends_and_any_bytes(repository: Repository) -> None:
    for name in ("a\nb.md", "\udcff.md"):
        try:
            repository.write(name, LONG)
        except OSError:
            pytest.skip("this file system has no such names")
        (repository.root / os.fsencode(name).decode("utf-8", "surrogateescape")).touch()
    repository.commit(1)
    assert repository.created("a\nb.md") == day(1)
    assert repository.created("\udcff.md") == day(1)


@posix
def test_a_folder_that_is_a_link_is_looked_through(repository: Repository) -> None:
    repository.commit(1, a=LONG)
    link = repository.root.parent / "link"
    link.symlink_to(repository.root / "docs")
    assert created([link / "a.md"]) == {str(link / "a.md"): day(1)}


def test_without_a_repository_nothing_is_known(repository: Repository, tmp_path: Path) -> None:
    (tmp_path / "page.md").write_text("A page.", encoding="utf-8")
    assert created([tmp_path / "page.md"]) == {}
    assert history.head_state(tmp_path) == ""
    assert history.head_state(tmp_path / "none") == ""
    assert history.head_state("a\0b") == ""
    repository.write("docs/a.md", LONG)
    assert history.head_state(repository.root) == "", "there is no commit yet"
    assert repository.created("docs/a.md") is None


def test_a_broken_repository_has_no_dates(repository: Repository) -> None:
    repository.commit(1, a=LONG)
    shutil.rmtree(repository.root / ".git" / "objects")
    assert repository.created("docs/a.md") is None


def test_without_git_no_history(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    repository.commit(1, a=LONG)
    monkeypatch.setenv("PATH", str(repository.root))
    assert repository.created("docs/a.md") is None
    assert history.head_state(repository.root) == ""


@posix
def test_a_hanging_git_is_left(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    script(repository.root / "git", "exec sleep 60")
    monkeypatch.setenv("PATH", f"{repository.root}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setattr(git, "TIMEOUT", 0.2)
    assert history.head_state(repository.root) == ""


@posix
def test_git_is_asked_four_times_however_many_pages_there_are(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(1, 9):
        repository.commit(number, **{f"page{number}-{name}": LONG for name in "abcdef"})
    calls = calls_of_git(repository, monkeypatch)
    assert len(created(sorted((repository.root / "docs").iterdir()))) == 48
    asked = calls.read_text(encoding="utf-8").splitlines()
    assert [
        next(word for word in ("rev-parse", "rev-list", "diff-tree") if f" {word} " in call)
        for call in asked
    ] == ["rev-parse", "rev-list", "diff-tree", "diff-tree"]


@posix
def test_no_other_program_is_started(
    repository: Repository, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    repository.commit(1, a=LONG)
    repository.git("mv", "docs/a.md", "docs/b.md")
    repository.write(".gitattributes", "*.md diff=md filter=md\n")
    repository.commit(2)
    spy = script(tmp_path / "spy", f'echo "$@" >> "{tmp_path / "called"}"')
    for name in (
        *("core.pager", "pager.log", "core.fsmonitor", "diff.external", "diff.md.textconv"),
        *("diff.md.command", "filter.md.clean", "filter.md.smudge", "gpg.program"),
        *("core.askPass", "core.sshCommand", "core.editor"),
    ):
        repository.git("config", name, str(spy))
    repository.git("config", "log.showSignature", "true")
    for name in ("GIT_EXTERNAL_DIFF", "GIT_PAGER", "PAGER", "GIT_ASKPASS"):
        monkeypatch.setenv(name, str(spy))
    assert repository.created("docs/b.md") == day(1)
    assert not (tmp_path / "called").exists()


@tabled
def test_no_setting_of_git_changes_anything(repository: Repository, name: str, value: str) -> None:
    repository.commit(1, ä=LONG)
    repository.git("mv", "docs/ä.md", "ä.md")
    repository.commit(2)
    repository.git("mv", "ä.md", "docs/b.md")
    repository.commit(3)
    repository.git("config", name, value)
    assert repository.past("docs/b.md") == PageHistory([day(3), day(2), day(1)], whole=True)


def test_a_git_that_runs_us_as_its_hook_misleads_nobody(
    repository: Repository, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    repository.commit(1, a=LONG)
    for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY"):
        monkeypatch.setenv(name, str(tmp_path / "elsewhere"))
    assert repository.created("docs/a.md") == day(1)


def test_what_a_shallow_clone_lacks_is_not_made_up(repository: Repository, tmp_path: Path) -> None:
    repository.commit(1, old=LONG, kept="Never changed.")
    repository.commit(2, old=LONG + "More.")
    repository.commit(3, old=LONG + "More and more.")
    repository.commit(4, new="A new page.")
    url = repository.root.as_uri()
    repository.git("clone", "--quiet", "--depth", "2", url, str(tmp_path / "clone"))
    clone = Repository(tmp_path / "clone")
    assert clone.created("docs/new.md") == day(4)
    assert clone.created("docs/old.md") is None
    assert clone.created("docs/kept.md") is None
    shallow = history.head_state(clone.root)
    clone.git("fetch", "--quiet", "--deepen", "1")
    deeper = history.head_state(clone.root)
    assert clone.past("docs/old.md") == PageHistory([day(3)], whole=False)
    lacking, all_there = ([clone.file(f"docs/{name}.md")] for name in ("old", "new"))
    assert read(lacking).shallow
    assert not read(all_there).shallow, "nothing of it is missing"
    clone.git("fetch", "--quiet", "--unshallow")
    assert clone.created("docs/old.md") == day(1)
    assert len({shallow, deeper, history.head_state(clone.root)}) == 3


def test_a_partial_clone_fetches_nothing(repository: Repository, tmp_path: Path) -> None:
    repository.git("config", "uploadpack.allowFilter", "true")
    repository.commit(1, a=LONG, moved=LONG.replace("Line", "Row"))
    (repository.root / "docs" / "a.md").unlink()
    repository.git("mv", "docs/moved.md", "docs/here.md")
    repository.commit(2, b=LONG + "Moved and changed.")
    url = repository.root.as_uri()
    repository.git("clone", "--quiet", "--filter=blob:none", url, str(tmp_path / "clone"))
    clone = Repository(tmp_path / "clone")
    held = clone.git("count-objects", "-v")
    assert clone.created("docs/here.md") == day(1)
    assert clone.created("docs/b.md") == day(2), "what it was made from is not at hand"
    assert clone.git("count-objects", "-v") == held


def test_a_commit_changes_the_head_state_and_an_edit_does_not(repository: Repository) -> None:
    repository.commit(1, a=LONG)
    first = history.head_state(repository.root / "docs")
    repository.write("docs/new.md", "Not committed.")
    assert history.head_state(repository.root / "docs") == first
    repository.commit(2)
    assert history.head_state(repository.root / "docs") not in {first, ""}


def test_either_date_of_a_commit_may_count(repository: Repository) -> None:
    repository.commit(1, a=LONG)
    repository.commit(2, a=LONG + "More.")
    file = repository.file("docs/a.md")
    assert read([file]).past[file].dates == [day(2), day(1)]
    assert read([file], dates="committer").past[file].dates == [
        f"2025-05-{number:02}T10:00:00+00:00" for number in (2, 1)
    ]


@posix
def test_several_gits_agree(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    repository.write("old/b.md", LONG)
    for number in range(1, 10):
        repository.commit(number, a=LONG * number)
    repository.git("mv", "old/b.md", "docs/b.md")
    repository.commit(10, c="Another page.")
    files = [repository.file(f"docs/{name}.md") for name in "abc"]
    histories = read(files)
    assert [len(past.dates) for past in histories.past.values()] == [9, 2, 1]
    monkeypatch.setattr(history, "PART", 2)
    calls = calls_of_git(repository, monkeypatch)
    assert read(files) == histories
    assert calls.read_text(encoding="utf-8").count("diff-tree") == 4 + 1 + 4 + 1


@posix
def test_other_moves_do_not_count(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    repository.write("src/code.py", LONG)
    repository.write("src/data.txt", LONG.replace("Line", "Row"))
    repository.commit(1)
    repository.git("mv", "src/code.py", "src/module.py")
    repository.commit(2, a="A page that has nothing to do with that.")
    calls = calls_of_git(repository, monkeypatch)
    assert repository.past("docs/a.md") == PageHistory([day(2)], whole=True)
    assert calls.read_text(encoding="utf-8").count("diff-tree") == 2


def test_a_folder_that_only_looks_like_a_repository_is_none(repository: Repository) -> None:
    repository.commit(1, a=LONG)
    (repository.root / "docs" / ".git").mkdir()
    assert repository.past("docs/a.md") == PageHistory([day(1)], whole=True)


@posix
def test_pages_that_lie_all_over_a_repository_are_asked_for_once(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository.write("README.md", LONG)
    repository.write("docs/a.md", LONG.replace("Line", "Row"))
    repository.commit(1)
    calls = calls_of_git(repository, monkeypatch)
    files = [repository.file("README.md"), repository.file("docs/a.md")]
    assert created(files) == dict.fromkeys(files, day(1))
    assert calls.read_text(encoding="utf-8").count("diff-tree") == 1


@posix
def test_a_linked_page_has_the_history_of_its_target(repository: Repository) -> None:
    repository.write("README.md", LONG)
    repository.commit(1)
    (repository.root / "docs").mkdir()
    (repository.root / "docs" / "index.md").symlink_to("../README.md")
    repository.commit(2, a="A page.")
    assert repository.past("docs/index.md").dates == [day(1)]


def test_generated_pages_hide_no_others(repository: Repository, tmp_path: Path) -> None:
    repository.commit(1, a=LONG)
    (tmp_path / "generated.md").write_text("Made by a plugin.", encoding="utf-8")
    file = repository.file("docs/a.md")
    found = read([tmp_path / "generated.md", file])
    assert found == History({file: PageHistory([day(1)], whole=True)}, heads=found.heads)


def test_a_worktree_has_its_branch_s_history(repository: Repository, tmp_path: Path) -> None:
    repository.commit(1, a=LONG)
    repository.git("worktree", "add", "--quiet", "-b", "topic", str(tmp_path / "tree"))
    tree = Repository(tmp_path / "tree")
    tree.commit(2, a=LONG + "More.")
    assert tree.past("docs/a.md").dates == [day(2), day(1)]
    assert repository.past("docs/a.md").dates == [day(1)]


def test_pages_of_a_submodule_have_its_history(repository: Repository, tmp_path: Path) -> None:
    (tmp_path / "part").mkdir()
    part = Repository(tmp_path / "part")
    part.git("init", "--quiet")
    part.commit(1, b=LONG)
    part.commit(2, b=LONG + "More.")
    add = ("-c", "protocol.file.allow=always", "submodule", "--quiet", "add")
    repository.git(*add, part.root.as_uri(), "docs/part")
    repository.commit(3, a=LONG)
    files = [repository.file("docs/a.md"), repository.file("docs/part/docs/b.md")]
    assert read(files).past == {
        files[0]: PageHistory([day(3)], whole=True),
        files[1]: PageHistory([day(2), day(1)], whole=True),
    }


def test_a_commit_with_an_impossible_date_is_passed_over(repository: Repository) -> None:
    repository.commit(1, a=LONG, c="A page.")
    repository.commit_with_impossible_date()
    repository.commit(2, a=LONG + "More.")
    assert repository.past("docs/a.md") == PageHistory([day(2)], whole=False)
    files = [repository.file("docs/c.md")]
    assert read(files).past == {}
    assert read(files, dates="committer").past == {}


def test_a_missing_history_is_reported_with_its_remedy(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = repository.file("docs/a.md")
    repository.write("docs/a.md", LONG)
    assert read([tmp_path / "a.md"]) == History({}, notice="the pages are not in a git repository")
    assert read([]) == History({})
    assert read([file]).notice == "the git repository has no commits yet"
    repository.commit(1)
    assert read([file]).notice == ""
    monkeypatch.setenv("PATH", str(tmp_path))
    reason = "git is not installed, or is not on PATH"
    assert read([file]) == History({}, notice=reason, heads=("",))


@pytest.mark.skipif(
    sys.platform == "win32" or os.geteuid() != 0, reason="only root gives folders away"
)
def test_a_repository_of_another_user_is_refused_with_a_message(repository: Repository) -> None:
    repository.commit(1, a=LONG)
    file = repository.file("docs/a.md")
    for path in (repository.root, repository.root / ".git"):
        os.chown(path, 12345, 12345)
    history = read([file])
    assert (history.past, history.shallow) == ({}, False)
    assert "belongs to another user" in history.notice
    remedy = f"git config --global --add safe.directory {repository.root}"
    assert history.notice.endswith(remedy)
    repository.git(*remedy.split()[1:])
    assert read([file]).notice == ""


@posix
def test_a_repository_that_git_takes_for_another_users_is_reported(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository.commit(1, a=LONG)
    programs = repository.root.parent / "programs"
    programs.mkdir()
    script(programs / "git", f'GIT_TEST_ASSUME_DIFFERENT_OWNER=1 exec "{GIT}" "$@"')
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
    history = read([repository.file("docs/a.md")])
    assert history.notice.endswith(f"--add safe.directory {repository.root}")


@posix
def test_a_git_that_fails_is_quoted(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    script(repository.root / "git", "printf 'fatal: no\\033[0m luck\\nmore\\n' >&2; exit 128")
    monkeypatch.setenv("PATH", f"{repository.root}{os.pathsep}{os.environ['PATH']}")
    assert read([repository.file("a.md")]).notice == "git failed: fatal: no[0m luck"
    script(repository.root / "git", "exec sleep 60")
    monkeypatch.setattr(git, "TIMEOUT", 0.2)
    assert read([repository.file("a.md")]).notice == "git took more than 0.2 s"
