"""Which files a question may be about: the last touched ones, by name."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from repositories import Repository, posix, script

from mkdocs_recall.factors.history import enrich_query, recent_file_names


def write(repository: Repository, path: str, *, at: int) -> None:
    """Write a file that was last changed at some second."""
    repository.write(path, f"Changed at {at}.")
    os.utime(repository.root / path, (at, at))


def test_files_edited_in_this_session_are_it(repository: Repository) -> None:
    write(repository, "docs/new.md", at=1)
    edited = ["docs/b.md", str(repository.root / "docs/guides/a.md"), "docs/other/b.md"]
    assert recent_file_names(repository.root / "docs", edited) == ("b.md", "a.md")


def test_else_those_changed_since_the_last_commit_the_newest_first(repository: Repository) -> None:
    repository.commit(1, a="A", b="B", c="C", gone="Gone", moved="A page that moves.")
    write(repository, "docs/a.md", at=100)
    write(repository, "docs/staged.md", at=300)
    repository.git("add", "docs/staged.md")
    write(repository, "docs/deep/er/new.md", at=200)
    write(repository, "elsewhere.md", at=400)
    (repository.root / "docs" / "gone.md").unlink()
    repository.git("mv", "docs/moved.md", "docs/there.md")
    os.utime(repository.root / "docs" / "there.md", (50, 50))
    assert recent_file_names(repository.root / "docs") == (
        "staged.md",
        "new.md",
        "a.md",
        "there.md",
    )
    assert recent_file_names(repository.root)[0] == "elsewhere.md"


def test_files_of_one_moment_are_in_the_order_of_their_paths(repository: Repository) -> None:
    for path in ("docs/b/1.md", "docs/a/2.md", "docs/c.md"):
        write(repository, path, at=100)
    assert recent_file_names(repository.root / "docs") == ("2.md", "1.md", "c.md")


def test_ignored_files_are_not_reported(repository: Repository) -> None:
    repository.write(".gitignore", "docs/made\n")
    repository.commit(1, a="A")
    write(repository, "docs/made/b.md", at=100)
    assert recent_file_names(repository.root / "docs") == ("a.md",)


def test_else_those_that_the_last_commits_touched(repository: Repository) -> None:
    repository.commit(1, a="A", b="B")
    repository.commit(2, c="C")
    repository.commit(3, b="B, changed", a="A, changed")
    repository.write("elsewhere.md", "Not in the docs.")
    repository.commit(4)
    (repository.root / "docs" / "c.md").unlink()
    repository.commit(5)
    assert recent_file_names(repository.root / "docs") == ("a.md", "b.md", "c.md")


def test_only_the_last_ten_commits_count(repository: Repository) -> None:
    for number in range(1, 13):
        repository.commit(number, a=f"A {number}", **({"old": "Old"} if number == 2 else {}))
    assert recent_file_names(repository.root / "docs") == ("a.md",)


def test_a_shallow_clone_does_not_tell_all_there_is(repository: Repository, tmp_path: Path) -> None:
    repository.commit(1, a="A", b="B")
    repository.commit(2, a="A, changed")
    repository.commit(3, b="B, changed")
    url = repository.root.as_uri()
    for depth, names in ((1, ()), (2, ("b.md",))):
        clone = tmp_path / f"clone{depth}"
        repository.git("clone", "--quiet", "--depth", str(depth), url, str(clone))
        assert recent_file_names(clone / "docs") == names


def test_at_most_ten_distinct_names_are_reported(repository: Repository) -> None:
    for number in range(15):
        write(repository, f"docs/{number}/index.md", at=1000 - number)
        write(repository, f"docs/{number}/page{number}.md", at=1000 - number)
    names = recent_file_names(repository.root / "docs")
    assert names == ("index.md", *(f"page{number}.md" for number in range(9)))


def test_without_known_names_nothing_is_added(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.md").write_text("A", encoding="utf-8")
    assert recent_file_names(tmp_path) == ()
    assert recent_file_names(tmp_path / "none") == ()
    assert recent_file_names(repository.root) == (), "nothing is committed yet"
    write(repository, "docs/a.md", at=1)
    assert recent_file_names(repository.root) == ("a.md",)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert recent_file_names(repository.root) == ()


@posix
def test_a_name_cannot_break_out_of_its_line(repository: Repository) -> None:
    write(repository, "docs/a\n\n[b]\x1b[0m\u2028\u202e.md", at=1)
    write(repository, "docs/日本 ä.md", at=2)
    names = recent_file_names(repository.root / "docs")
    assert names == ("日本 ä.md", "a [b] [0m .md")
    assert enrich_query("When?", names).count("\n") == 2


@posix
def test_no_other_program_is_started(
    repository: Repository, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    repository.write(".gitattributes", "*.md diff=md filter=md\n*.txt filter=Text.Two\n")
    repository.write("docs/a.txt", "A text.")
    repository.commit(1, a="One", b="Two")
    spy = script(tmp_path / "spy", f'echo "$@" >> "{tmp_path / "called"}"')
    for name in ("md", "Text.Two"):
        for what in ("clean", "smudge", "process"):
            repository.git("config", f"filter.{name}.{what}", str(spy))
        repository.git("config", f"filter.{name}.required", "true")
    for name in ("core.pager", "core.fsmonitor", "diff.external", "diff.md.textconv"):
        repository.git("config", name, str(spy))
    (tmp_path / "hooks").mkdir()
    for name in ("post-index-change", "fsmonitor-watchman"):
        (tmp_path / "hooks" / name).symlink_to(spy)
    repository.git("config", "core.hooksPath", str(tmp_path / "hooks"))
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "status.showUntrackedFiles")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", "no")
    repository.write("docs/a.md", "Owt")  # as long as before: git has to look into it
    repository.write("docs/a.txt", "A toxt.")
    os.utime(repository.root / "docs" / "a.md", (1, 1))
    os.utime(repository.root / "docs" / "a.txt", (2, 2))
    assert recent_file_names(repository.root / "docs") == ("a.txt", "a.md")
    os.utime(repository.root / "docs" / "b.md", (3, 3))
    assert recent_file_names(repository.root / "docs") == ("a.txt", "a.md"), (
        "the other is what it was"
    )
    assert not (tmp_path / "called").exists()


def test_a_query_is_enriched_by_a_paragraph_of_its_own() -> None:
    assert enrich_query("When does it expire?", ("a.md", "b.md")) == (
        "When does it expire?\n\n[Context: recently touched files: a.md, b.md]"
    )
    assert enrich_query("When does it expire?", ()) == "When does it expire?"
