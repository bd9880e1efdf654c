"""When pages were created and changed, as git knows it; in real repositories."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from mkdocs_recall import git, history
from mkdocs_recall.history import Past, created, past

if TYPE_CHECKING:
    from pathlib import Path

GIT = shutil.which("git") or ""
LONG = "".join(f"Line {number} of a page that is long enough.\n" for number in range(20))
posix = pytest.mark.skipif(sys.platform == "win32", reason="needs programs that are scripts")


@dataclass
class Repository:
    """A repository in a folder of its own."""

    root: Path

    def git(self, *arguments: str, day: int = 1) -> str:
        """Run git, on a day of May 2024; the commit itself is made a year later."""
        dates = {
            "GIT_AUTHOR_DATE": f"2024-05-{day:02}T10:00:00+02:00",
            "GIT_COMMITTER_DATE": f"2025-05-{day:02}T10:00:00+00:00",
        }
        run = subprocess.run(  # noqa: S603 - git, in a folder of the test
            [GIT, "-c", "user.name=A", "-c", "user.email=a@larch.example", *arguments],
            cwd=self.root,
            env={**os.environ, **dates},
            capture_output=True,
            text=True,
            check=True,
        )
        return run.stdout

    def commit(self, day: int, **pages: str) -> None:
        """Write pages and commit all there is."""
        for name, text in pages.items():
            self.write(f"docs/{name}.md", text)
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", "A change", day=day)

    def write(self, path: str, text: str) -> None:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def file(self, path: str) -> str:
        return str(self.root / path)

    def created(self, path: str) -> str | None:
        return created([self.file(path)]).get(self.file(path))

    def past(self, path: str) -> Past:
        return past([self.file(path)])[self.file(path)]


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    """An empty repository; nobody's own settings reach git."""
    (tmp_path / "settings").write_text("[init]\ndefaultBranch = main\n", encoding="utf-8")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "settings"))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    (tmp_path / "site").mkdir()
    made = Repository(tmp_path / "site")
    made.git("init", "--quiet")
    return made


def day(number: int) -> str:
    return f"2024-05-{number:02}T10:00:00+02:00"


def test_a_page_was_created_when_its_first_commit_was_written(repository: Repository) -> None:
    repository.commit(1, a=LONG)
    repository.commit(2, b="Another page.")
    repository.commit(3, a=LONG + "More.")
    found = created([repository.file("docs/a.md"), repository.root / "docs" / "b.md"])
    assert found == {repository.file("docs/a.md"): day(1), repository.file("docs/b.md"): day(2)}
    repository.commit(4, c="A third page.")
    repository.git("commit", "--quiet", "--amend", "--no-edit", "--date=2024-05-09T10:00:00+0000")
    assert repository.created("docs/c.md") == "2024-05-09T10:00:00+00:00"


def test_a_page_has_the_commits_that_touched_it_the_newest_first(repository: Repository) -> None:
    repository.commit(1, a=LONG, b="Another page.")
    repository.commit(2, b="Another page, changed.")
    repository.commit(3, a=LONG + "More.")
    assert repository.past("docs/a.md") == Past([day(3), day(1)], whole=True)


def test_what_is_known_goes_through_json(repository: Repository) -> None:
    repository.commit(1, a=LONG)
    known = past([repository.file("docs/a.md")])
    kept = json.loads(json.dumps(known))
    assert {file: Past(*value) for file, value in kept.items()} == known


def test_a_page_is_followed_to_its_earlier_names(repository: Repository) -> None:
    repository.write("old/deep/page.md", LONG)
    repository.commit(1)
    repository.write("docs/page.md", LONG + "Moved into the docs, and changed.")
    (repository.root / "old" / "deep" / "page.md").unlink()
    repository.commit(2)
    repository.git("mv", "docs/page.md", "docs/new.md")
    repository.commit(3)
    assert repository.past("docs/new.md") == Past([day(3), day(2), day(1)], whole=True)
    assert repository.created("docs/page.md") is None


def test_a_page_that_took_the_name_of_one_that_moved_is_younger(repository: Repository) -> None:
    repository.commit(1, a=LONG)
    repository.git("mv", "docs/a.md", "docs/b.md")
    repository.commit(2)
    repository.commit(3, a="A new page under the old name.")
    assert repository.past("docs/a.md").dates == [day(3)]
    assert repository.past("docs/b.md").dates == [day(2), day(1)]


def test_pages_that_swap_their_names_are_told_apart(repository: Repository) -> None:
    other = LONG.replace("Line", "Row")
    repository.commit(1, a=LONG)
    repository.commit(2, b=other)
    for step in (("a", "c"), ("b", "a"), ("c", "b")):
        repository.git("mv", *(f"docs/{name}.md" for name in step))
        repository.commit(3)
    assert repository.created("docs/a.md") == day(2)
    assert repository.created("docs/b.md") == day(1)


def test_a_page_that_was_deleted_and_restored_is_as_old_as_ever(repository: Repository) -> None:
    repository.commit(1, a=LONG, b="Another page.")
    (repository.root / "docs" / "a.md").unlink()
    repository.commit(2)
    repository.commit(3, a=LONG)
    assert repository.created("docs/a.md") == day(1)


def test_a_copy_is_a_page_of_its_own(repository: Repository) -> None:
    repository.git("config", "diff.renames", "copies")
    repository.commit(1, a=LONG)
    repository.commit(2, a=LONG + "Changed.", b=LONG)
    assert repository.created("docs/b.md") == day(2)
    assert repository.past("docs/a.md").dates == [day(2), day(1)]


def test_a_page_of_a_branch_is_as_old_as_there_and_the_merge_touches_nothing(
    repository: Repository,
) -> None:
    repository.commit(1, a=LONG)
    repository.git("checkout", "--quiet", "-b", "topic")
    repository.commit(2, b="A page of the branch.")
    repository.git("mv", "docs/a.md", "docs/c.md")
    repository.commit(3)
    repository.git("checkout", "--quiet", "main")
    repository.commit(4, a=LONG + "Changed on main.")
    repository.git("merge", "--quiet", "--no-ff", "topic", day=5)
    assert repository.created("docs/b.md") == day(2)
    assert repository.created("docs/c.md") == day(1)
    assert repository.past("docs/b.md").dates == [day(2)]


@pytest.mark.parametrize("name", ["ä b.md", "日本.md", "[x]*.md", "-a.md", "commit 1 2.md", "a"])
def test_a_page_may_have_any_name(repository: Repository, name: str) -> None:
    repository.write(f"docs/{name}", LONG)
    repository.commit(1)
    repository.git("mv", "--", f"docs/{name}", f"docs/new {name}")
    repository.commit(2)
    assert repository.created(f"docs/new {name}") == day(1)


@posix
def test_a_name_may_hold_a_line_end_and_bytes_that_are_no_text(repository: Repository) -> None:
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


def test_of_what_git_does_not_hold_nothing_is_known(repository: Repository) -> None:
    repository.commit(1, a=LONG)
    repository.write("docs/new.md", "Not committed.")
    (repository.root.parent / "outside.md").write_text("Outside.", encoding="utf-8")
    names = ["docs/a.md", "docs/new.md", "docs/none.md"]
    assert created([repository.file(name) for name in names]) == {
        repository.file("docs/a.md"): day(1)
    }
    assert repository.created("../outside.md") is None
    assert created([]) == {}


def test_without_a_repository_nothing_is_known(repository: Repository, tmp_path: Path) -> None:
    (tmp_path / "page.md").write_text("A page.", encoding="utf-8")
    assert created([tmp_path / "page.md"]) == {}
    assert history.head(tmp_path) == ""
    assert history.head(tmp_path / "none") == ""
    assert history.head("a\0b") == ""
    repository.write("docs/a.md", LONG)
    assert history.head(repository.root) == "", "there is no commit yet"
    assert repository.created("docs/a.md") is None


def test_in_a_broken_repository_nothing_is_known(repository: Repository) -> None:
    repository.commit(1, a=LONG)
    shutil.rmtree(repository.root / ".git" / "objects")
    assert repository.created("docs/a.md") is None


def test_without_git_nothing_is_known(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository.commit(1, a=LONG)
    monkeypatch.setenv("PATH", str(repository.root))
    assert repository.created("docs/a.md") is None
    assert history.head(repository.root) == ""


@posix
def test_a_git_that_hangs_is_given_up(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    script(repository.root / "git", "exec sleep 60")
    monkeypatch.setenv("PATH", f"{repository.root}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setattr(git, "TIMEOUT", 0.2)
    assert history.head(repository.root) == ""


@posix
def test_git_is_asked_twice_however_many_pages_there_are(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository.commit(1, **{f"page{number}": f"Page {number}." for number in range(50)})
    calls = repository.root.parent / "calls"
    programs = repository.root.parent / "programs"
    programs.mkdir()
    script(programs / "git", f'echo "$@" >> "{calls}"; exec "{GIT}" "$@"')
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
    assert len(created(sorted((repository.root / "docs").iterdir()))) == 50
    where, log = calls.read_text(encoding="utf-8").splitlines()
    assert " rev-parse " in where
    assert " log " in log


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


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("log.follow", "true"),
        ("log.date", "relative"),
        ("log.diffMerges", "separate"),
        ("diff.renames", "false"),
        ("diff.relative", "true"),
        ("color.ui", "always"),
        ("core.quotePath", "true"),
        ("format.pretty", "fuller"),
        ("log.decorate", "full"),
    ],
)
def test_the_settings_of_a_repository_change_no_answer(
    repository: Repository, name: str, value: str
) -> None:
    repository.commit(1, ä=LONG)
    repository.git("mv", "docs/ä.md", "ä.md")
    repository.commit(2)
    repository.git("mv", "ä.md", "docs/b.md")
    repository.commit(3)
    repository.git("config", name, value)
    assert repository.past("docs/b.md") == Past([day(3), day(2), day(1)], whole=True)


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
    shallow = history.head(clone.root)
    clone.git("fetch", "--quiet", "--deepen", "1")
    deeper = history.head(clone.root)
    assert clone.past("docs/old.md") == Past([day(3)], whole=False)
    clone.git("fetch", "--quiet", "--unshallow")
    assert clone.created("docs/old.md") == day(1)
    assert len({shallow, deeper, history.head(clone.root)}) == 3


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


def test_head_stands_for_what_is_known(repository: Repository) -> None:
    repository.commit(1, a=LONG)
    first = history.head(repository.root / "docs")
    repository.write("docs/new.md", "Not committed.")
    assert history.head(repository.root / "docs") == first
    repository.commit(2)
    assert history.head(repository.root / "docs") not in {first, ""}


def script(path: Path, text: str) -> Path:
    """Write a program."""
    path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    path.chmod(0o755)
    return path
