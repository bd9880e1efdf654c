"""`impact` reports the same changed answers as a comparison of two checkouts."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from mkdocs.structure.pages import Page
from repositories import Repository
from tables import Case, Steps, beside, tabled
from terminal import Terminal

from mkdocs_recall.answers.survey import changed_values
from mkdocs_recall.cli.options import Where
from mkdocs_recall.cli.revisions import WORK_TREE, impacts_in_git
from mkdocs_recall.pages.mkdocs_pages import read_page
from mkdocs_recall.text.model import Document

CONFIG = "site_name: Larch\nplugins: [recall]\nmarkdown_extensions: [pymdownx.snippets]\n"
AUTH: str = beside(__file__)["AUTH"]
HOME: str = beside(__file__)["HOME"]
MAIL = (
    '# Mail\n\nMail goes out on port 587.\n\n--8<-- "shared/limits.txt"\n--8<-- "shared/more.txt"\n'
)
PAGES = {
    "index": HOME,
    "auth": AUTH,
    "guides/mail": MAIL,
    "other": "# Other\n\nNothing asks here.\n",
}


@pytest.fixture
def terminal(repository: Repository) -> Terminal:
    """A terminal in a site with three directives, committed."""
    repository.write("mkdocs.yml", CONFIG)
    repository.write(".gitignore", ".caches/\n")
    repository.write("shared/limits.txt", "At most 100 mails leave in an hour.\n")
    repository.commit(1, **PAGES)
    return Terminal(repository.root)


def impacts(terminal: Terminal, *arguments: str) -> list[dict[str, Any]]:
    outcome = terminal.run("impact", *arguments, "--json")
    assert outcome.status in {0, 3}, outcome.err
    found: list[dict[str, Any]] = json.loads(outcome.out)["impacts"]
    assert outcome.status == (3 if found else 0)
    return found


def checked(terminal: Terminal, before: Path, after: Path) -> set[tuple[str, str, str]]:
    """Return what `check` reports, answering every directive, of two copies of a site."""
    here = Terminal(after, terminal.variables)
    shutil.copy(before / "recall.lock", after)
    found = json.loads(here.run("check", "--json").out)["findings"]
    return {
        (
            finding["page"],
            (finding["before"] or {}).get("text", ""),
            (finding["after"] or {}).get("text", ""),
        )
        for finding in found
        if finding["kind"] in {"added", "removed", "changed"}
    }


EDITS: dict[str, Case] = beside(__file__)["EDITS"]


def test_an_edit_changes_what_check_finds_changed(terminal: Terminal, tmp_path: Path) -> None:
    ignored = shutil.ignore_patterns(".git", ".caches")
    before = shutil.copytree(terminal.folder, tmp_path / "before", ignore=ignored)
    assert Terminal(before, terminal.variables).run("lock").status in {0, 3}
    for name, change in EDITS.items():
        terminal.follow([change])
        after = shutil.copytree(terminal.folder, tmp_path / "after", ignore=ignored)
        found = {
            (
                finding["page"],
                (finding["before"] or {}).get("text", ""),
                (finding["after"] or {}).get("text", ""),
            )
            for finding in impacts(terminal, "--diff", "HEAD")
        }
        assert found == checked(terminal, before, after), name
        shutil.rmtree(after)
        for folder in ("docs", "shared"):
            shutil.rmtree(terminal.folder / folder)
        shutil.copytree(before, terminal.folder, dirs_exist_ok=True)
        (terminal.folder / "recall.lock").unlink()


@tabled
def test_impact_tells_what_an_edit_changes(terminal: Terminal, case: Steps) -> None:
    terminal.follow(case)


def test_revisions_ignore_the_work_tree(terminal: Terminal, repository: Repository) -> None:
    terminal.edit("docs/auth.md", "30 minutes", "15 minutes")
    repository.git("commit", "--quiet", "--all", "--message", "An edit")
    terminal.edit("docs/auth.md", "15 minutes", "5 minutes")
    (terminal.folder / "docs/other.md").unlink()
    before = repository.git("status", "--porcelain")
    for revisions in ("HEAD~1..HEAD", "HEAD~1...", "HEAD~1..main"):
        [found] = impacts(terminal, "--diff", revisions)
        assert found["values"] == [{"before": "30", "after": "15 minutes"}]
    assert repository.git("status", "--porcelain") == before
    assert repository.git("worktree", "list").count("\n") == 1


def test_both_states_share_a_read_page(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []

    def spy(page: Page, *rest: Any, **settings: Any) -> Document:
        read.append(page.file.src_uri)
        return read_page(page, *rest, **settings)

    monkeypatch.setattr("mkdocs_recall.pages.mkdocs_pages.read_page", spy)
    terminal.edit("docs/auth.md", "30 minutes", "15 minutes")
    found = impacts_in_git(Where(str(terminal.folder / "mkdocs.yml")), "HEAD", WORK_TREE)
    assert sum(impact.kind != "same" for impact in found) == 1
    assert sorted(read) == ["auth.md", "auth.md", "guides/mail.md", "index.md", "other.md"]


def test_all_compares_two_folders_without_git(tmp_path: Path) -> None:
    terminal = Terminal(tmp_path)
    terminal.write({"index.md": HOME, "auth.md": AUTH, "guides/mail.md": "# M\n\nMail goes out.\n"})
    shutil.copytree(tmp_path / "docs", tmp_path / "new")
    terminal.edit("new/auth.md", "30 minutes", "15 minutes")
    [found] = impacts(terminal, "--all", "docs", "new")
    assert found["kind"] == "value"
    assert found["file"] == str(tmp_path / "new/index.md")


@tabled
def test_values_that_cannot_be_compared_are_errors_with_a_remedy(
    terminal: Terminal, arguments: tuple[str, ...], message: str
) -> None:
    outcome = terminal.run("impact", *arguments)
    assert (outcome.status, outcome.out) == (2, "")
    assert message in outcome.err
    assert "Traceback" not in outcome.err


def test_by_default_the_work_tree_is_compared_with_head(terminal: Terminal) -> None:
    outcome = terminal.run("impact", "--json")
    assert outcome.out == terminal.run("impact", "--diff", "HEAD", "--json").out
    assert outcome.status in {0, 3}


def test_a_folder_outside_of_git_is_reported(tmp_path: Path) -> None:
    terminal = Terminal(tmp_path)
    terminal.configure()
    terminal.write({"index.md": HOME})
    outcome = terminal.run("impact", "--staged")
    assert outcome.status == 2
    assert "is not in a git repository" in outcome.err


def test_a_shallow_clone_says_how_to_fetch_the_rest(
    terminal: Terminal, repository: Repository, tmp_path: Path
) -> None:
    first = repository.git("rev-parse", "HEAD").strip()
    repository.git("commit", "--quiet", "--allow-empty", "--message", "Nothing")
    repository.git("clone", "--quiet", "--depth=1", f"file://{terminal.folder}", "../clone")
    outcome = Terminal(tmp_path / "clone").run("impact", "--diff", f"{first}..HEAD")
    assert outcome.status == 2
    assert "this clone is shallow: 'git fetch --unshallow' fetches all commits" in outcome.err


def test_a_partial_clone_says_how_to_fetch_the_rest(
    terminal: Terminal, repository: Repository, tmp_path: Path
) -> None:
    terminal.edit("docs/auth.md", "30 minutes", "15 minutes")
    repository.git("commit", "--quiet", "--all", "--message", "An edit")
    repository.git("config", "uploadpack.allowFilter", "true")
    source = f"file://{terminal.folder}"
    repository.git("clone", "--quiet", "--filter=blob:none", source, "../clone")
    outcome = Terminal(tmp_path / "clone").run("impact", "--diff", "HEAD~1..HEAD")
    assert outcome.status == 2
    assert "this clone is partial: 'git fetch --refetch --no-filter' fetches them" in outcome.err


def test_a_bare_repository_is_reported(
    terminal: Terminal, repository: Repository, tmp_path: Path
) -> None:
    repository.git("clone", "--quiet", "--bare", ".", "../bare")
    shutil.copytree(terminal.folder / "docs", tmp_path / "bare/docs")
    outcome = Terminal(tmp_path / "bare").run("impact", "--docs", "docs", "--staged")
    assert outcome.status == 2
    assert "is in a bare repository; use a clone with a work tree" in outcome.err


def test_pages_in_a_submodule_are_compared_in_its_own_repository(
    terminal: Terminal, repository: Repository, tmp_path: Path
) -> None:
    outer = tmp_path / "outer"
    outer.mkdir()
    repository.git("init", "--quiet", str(outer))
    allowed = "-c", "protocol.file.allow=always"
    add = *allowed, "submodule", "--quiet", "add", str(terminal.folder), "part"
    repository.git("-C", str(outer), *add)
    (outer / "mkdocs.yml").write_text(f"{CONFIG}docs_dir: part/docs\n", encoding="utf-8")
    repository.git("-C", str(outer), "add", "--all")
    repository.git("-C", str(outer), "commit", "--quiet", "--message", "A submodule")
    here = Terminal(outer)
    outcome = here.run("impact", "--staged")
    assert outcome.status == 2
    assert "'part/docs' is in the submodule 'part'" in outcome.err
    assert "compare its pages with --docs part/docs" in outcome.err
    here.edit("part/docs/auth.md", "30 minutes", "15 minutes")
    assert len(impacts(here, "--docs", "part/docs", "--diff", "HEAD")) == 1


def test_names_of_any_signs_and_lines_of_windows_are_compared(tmp_path: Path) -> None:
    folder = tmp_path / "a \"b' é"
    terminal, repository = Terminal(folder), Repository(folder)
    folder.mkdir()
    repository.git("init", "--quiet")
    page = "c 'd\" é #1.md" if os.name == "posix" else "c é #1.md"
    terminal.configure()
    terminal.write(
        {
            "index.md": f"# Home\n\n```recall\nsource: ['{page.replace(chr(39), 2 * chr(39))}']\n"
            "query: when does a session expire?\n```\n",
            page: AUTH.replace("\n", "\r\n"),
        }
    )
    repository.git("add", "--all")
    repository.git("commit", "--quiet", "--message", "Pages")
    assert impacts(terminal, "--diff", "HEAD") == []
    terminal.edit(f"docs/{page}", "30 minutes", "15 minutes")
    [found] = impacts(terminal, "--diff", "HEAD")
    assert found["kind"] == "value"


def test_hooks_of_a_revision_are_not_run(terminal: Terminal, repository: Repository) -> None:
    repository.write("hook.py", "open('ran', 'w').close()\n")
    terminal.edit("mkdocs.yml", "site_name: Larch", "site_name: Larch\nhooks: [hook.py]")
    repository.git("add", "--all")
    repository.git("commit", "--quiet", "--message", "A hook")
    assert impacts(terminal, "--diff", "HEAD~1..HEAD") == []
    assert not list(terminal.folder.rglob("ran"))


@pytest.mark.parametrize("file", [".gitattributes", ".git/info/attributes"])
def test_attributes_alter_no_page(terminal: Terminal, repository: Repository, file: str) -> None:
    repository.write(file, "docs/auth.md export-ignore\n*.md export-subst\n")
    terminal.edit("docs/auth.md", "30 minutes", "30 minutes ($Format:%H$)")
    repository.git("add", "--all")
    repository.git("commit", "--quiet", "--message", "Attributes")
    assert impacts(terminal, "--staged") == impacts(terminal, "--diff", "HEAD") == []
    terminal.edit("docs/auth.md", "30 minutes", "15 minutes")
    [found] = impacts(terminal, "--diff", "HEAD")
    assert "30 minutes ($Format:%H$)" in found["before"]["text"]
    assert found["values"] == [{"before": "30", "after": "15 minutes"}]


@pytest.mark.parametrize("kind", ["smudge", "process"])
@pytest.mark.parametrize("file", [".gitattributes", ".git/info/attributes"])
def test_no_filter_of_a_repository_is_run(
    terminal: Terminal, repository: Repository, file: str, kind: str
) -> None:
    terminal.edit("docs/auth.md", "30 minutes", "15 minutes")
    repository.write(file, "*.md filter=x.y\n")
    repository.git("add", "--all")
    repository.git("commit", "--quiet", "--message", "An edit")
    repository.git("config", f"filter.x.y.{kind}", f"touch '{terminal.folder / 'ran'}'; cat")
    repository.git("config", "filter.x.y.required", "true")
    for arguments in (("--diff", "HEAD~1..HEAD"), ("--staged",)):
        impacts(terminal, *arguments)
    assert not (terminal.folder / "ran").exists()


def test_dates_are_those_of_the_revision(terminal: Terminal, repository: Repository) -> None:
    temporal = "plugins: [{recall: {temporal: {enabled: true}}}]"
    terminal.edit("mkdocs.yml", "plugins: [recall]", temporal)
    options = 'source: "**"\nquery: which walrus swims\nmax_sentences: 1\ncontext: 0\n'
    old, new = "# A\n\nThis walrus swims.\n", "# B\n\nThat walrus swims.\n"
    repository.commit(2, index=f"```recall\n{options}```\n", a=old, b=new)
    repository.commit(15, b=f"{new}\nSo it is.\n")
    repository.commit(30, a=f"{old}\nSo it is.\n")
    [found] = impacts(terminal, "--diff", "HEAD~1..HEAD")
    assert (found["before"]["text"], found["after"]["text"]) == (
        "That walrus swims.",
        "This walrus swims.",
    )


@tabled
def test_a_value_alone_may_differ(old: str, new: str, values: list[list[str]]) -> None:
    assert list(map(list, changed_values(old, new))) == values
