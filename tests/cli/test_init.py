"""`init`: a site gets the plugin and a first page, and loses nothing."""

from __future__ import annotations

from pathlib import Path

import yaml
from tables import tabled
from terminal import Terminal, run_mkdocs

_BASE = "site_name: x\nplugins: [search]\n"


def test_a_new_site_builds_strictly_with_a_quote_and_a_workflow(tmp_path: Path) -> None:
    here = Terminal(tmp_path)
    assert "Next: in 'larch', run" in here.run("init", "larch", "--ci", "github").err
    built = run_mkdocs("--strict", folder=tmp_path / "larch")
    assert built.returncode == 0, built.stderr
    html = (tmp_path / "larch/site/answers/index.html").read_text(encoding="utf-8")
    assert "This page says what the site is about." in html
    workflow = tmp_path / "larch/.github/workflows/answers.yml"
    steps = yaml.safe_load(workflow.read_text(encoding="utf-8"))["jobs"]["answers"]["steps"]
    *_, last = (step["run"] for step in steps if "run" in step)
    assert Terminal(tmp_path / "larch").run(*last.split()[1:]).status == 0


@tabled
def test_the_plugin_is_one_line_more(tmp_path: Path, before: str, after: str) -> None:
    here = Terminal(tmp_path)
    pages = {"docs/index.md": "# Home\n", "docs/tree.md": "# Tree\n\nA tree is green.\n"}
    here.write({"base.yml": _BASE} | pages, folder=".")
    (tmp_path / "mkdocs.yml").write_bytes(before.encode())
    assert here.run("init").status == 0
    assert (tmp_path / "mkdocs.yml").read_bytes().decode() == after
    assert run_mkdocs("--strict", folder=tmp_path).returncode == 0
    once = (tmp_path / "docs/answers.md").read_bytes()
    (tmp_path / "docs/answers.md").write_bytes(once + b"Mine.\n")
    again = here.run("init")
    assert (again.status, "is unchanged" in again.err) == (0, True)
    assert (tmp_path / "mkdocs.yml").read_bytes().decode() == after
    assert (tmp_path / "docs/answers.md").read_bytes() == once + b"Mine.\n"


@tabled
def test_plugins_without_room_for_a_line_are_left_to_their_author(
    tmp_path: Path, text: str, said: str
) -> None:
    here = Terminal(tmp_path)
    here.write({"base.yml": _BASE, "docs/index.md": "# Home\n"}, folder=".")
    (tmp_path / "mkdocs.yml").write_bytes(text.encode("latin-1"))
    end = here.run("init")
    assert (end.status, said in end.err) == (2, True)
    assert (tmp_path / "mkdocs.yml").read_bytes() == text.encode("latin-1")


def test_a_site_of_zensical_gets_the_extension(tmp_path: Path) -> None:
    here = Terminal(tmp_path)
    text = '[project]\nsite_name = "x"\n'
    here.write({"zensical.toml": text, "docs/index.md": "# Home\n\nIt is green.\n"}, folder=".")
    assert here.run("init").status == 0
    written = (tmp_path / "zensical.toml").read_text(encoding="utf-8")
    assert written == f"{text}\n[project.markdown_extensions.recall]\n"
    assert here.run("init").status == 0
    assert (tmp_path / "zensical.toml").read_text(encoding="utf-8") == written
    (tmp_path / ".github").touch()
    outcome = here.run("init", "--ci", "github")
    assert "Error: '.github/workflows/answers.yml' cannot be written: " in outcome.err
