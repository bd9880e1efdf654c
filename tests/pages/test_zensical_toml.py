"""A site of Zensical is read by its `zensical.toml` like one of MkDocs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tables import beside
from terminal import Terminal

AUTH = '# Anmeldung\n\n??? note "Dauer"\n    Eine Sitzung endet nach einem Tag.\n'
TOML: str = beside(__file__)["TOML"]


@pytest.fixture
def terminal(tmp_path: Path) -> Terminal:
    """A terminal in the folder of a site of Zensical."""
    here = Terminal(tmp_path)
    here.write({"auth.md": AUTH, "b.md": "# B\n\nEin Walross.\n"}, folder="pages")
    (tmp_path / "zensical.toml").write_text(TOML, encoding="utf-8")
    return here


def test_its_pages_extensions_language_and_options_are_read(terminal: Terminal) -> None:
    outcome = terminal.run("pages")
    assert (outcome.status, outcome.err) == (0, "")
    assert [line.split()[:2] for line in outcome.out.splitlines()] == [
        ["b.md", "Erste"],
        ["auth.md", "Anmeldung"],
    ]
    outcome = terminal.run("recall", "Wann enden Sitzungen?", "--json")
    (passage,) = json.loads(outcome.out)["passages"]
    assert (passage["language"], passage["kind"]) == ("de", "admonition")
    assert terminal.run("recall", "Ja, bitte sehr!").err.startswith("Recall skipped: ack")
    assert terminal.run("lock").status == 0
    assert terminal.run("check").status == 0


def test_without_extensions_it_has_those_of_zensical(terminal: Terminal) -> None:
    text = '[project]\nsite_name = "L"\ndocs_dir = "pages"\n'
    (terminal.folder / "zensical.toml").write_text(text, encoding="utf-8")
    outcome = terminal.run("search", "Sitzung", "--json")
    assert json.loads(outcome.out)["passages"][0]["kind"] == "admonition", outcome.err


@pytest.mark.parametrize("setting", ["exclude_docs", "draft_docs"])
def test_a_page_left_out_of_the_site_is_not_quoted(terminal: Terminal, setting: str) -> None:
    text = f'[project]\nsite_name = "L"\ndocs_dir = "pages"\n{setting} = """\n/b.md\n"""\n'
    (terminal.folder / "zensical.toml").write_text(text, encoding="utf-8")
    said = terminal.run("pages")
    assert (said.status, said.out.split()[0], len(said.out.splitlines())) == (0, "auth.md", 1)
    assert terminal.run("search", "Walross").status == 1
    said = terminal.run("search", "Walross", "--source", "b.md")
    assert said.status == 2
    assert "it is a draft or excluded" in said.err


def test_a_fault_is_reported_with_file_and_line(terminal: Terminal) -> None:
    path = terminal.folder / "zensical.toml"
    path.write_text('[project]\nsite_name = "L"\nnav = [\n\n"a"', encoding="utf-8")
    outcome = terminal.run("pages")
    assert outcome.status == 2
    assert outcome.err.startswith(f"Error: {path}:5: ")
    path.write_text("[project]\nsite_name = L\n", encoding="utf-8")
    assert terminal.run("pages").err == f"Error: {path}:2: Invalid value\n"


@pytest.mark.parametrize("setting", ["kwds = 3", 'object = "pymdownx.slugs.re"'])
def test_an_impossible_function_for_anchors_is_reported(terminal: Terminal, setting: str) -> None:
    path = terminal.folder / "zensical.toml"
    with path.open("a", encoding="utf-8") as file:
        file.write("[project.markdown_extensions.tabbed.slugify]\n" + setting + "\n")
    outcome = terminal.run("pages")
    assert outcome.status == 2
    assert outcome.err.startswith(f"Error: {path}: 'slugify' cannot be used: ")


PLUGIN = '[project]\nsite_name = "L"\ndocs_dir = "pages"\n[project.plugins.recall]\n'


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        (
            "zensical.toml",
            f"{PLUGIN}max_sentence = 2\n",
            "unknown option 'max_sentence'; did you mean 'max_sentences'?",
        ),
        (
            "pages/conf.py",
            'recall_defaults = {"query": "When?"}\n',
            "option 'query' belongs in a fence, not in mkdocs.yml",
        ),
    ],
)
def test_a_setting_that_no_build_checks_is_a_warning(
    tmp_path: Path, name: str, text: str, message: str
) -> None:
    terminal = Terminal(tmp_path)
    terminal.write({"auth.md": AUTH}, folder="pages")
    html = "<main><h1>Anmeldung</h1><p>Eine Sitzung endet nach einem Tag.</p></main>"
    terminal.write({"auth/index.html": html}, folder="site")
    terminal.write({name: text}, folder=".")
    place = ("--docs", "pages") if "conf.py" in name else ()
    warning = f"Warning: {name}: recall: {message}\n"
    for arguments, status in (
        (["lock"], 0),
        (["fill", "site"], 0),
        (["fill", "site", "--strict"], 1),
    ):
        outcome = terminal.run(*arguments, *place)
        assert warning in outcome.err
        assert outcome.status == status


@pytest.mark.parametrize("name", ["mkdocs.yml", "properdocs.yml"])
def test_beside_another_configuration_it_does_not_count(terminal: Terminal, name: str) -> None:
    (terminal.folder / name).write_text("site_name: L\n", encoding="utf-8")
    terminal.write({"other.md": "# Other\n\nA token.\n"})
    assert terminal.run("pages").out.startswith("other.md")
