"""What a command counts beside words, and what the site's mkdocs.yml says of it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from terminal import Terminal

if TYPE_CHECKING:
    from pathlib import Path

QUESTION = "When does a session expire?"
PAGE = "# Auth\n\nA session expires after 12 hours without a request.\n"
AGREED = "site_name: Larch\nplugins:\n  - recall:\n      acknowledgments: [Looks good to me]\n"


@pytest.fixture
def terminal(tmp_path: Path) -> Terminal:
    """A terminal in the folder of a site with one page."""
    here = Terminal(tmp_path)
    here.configure()
    here.write({"auth.md": PAGE})
    return here


# ---------------------------------------------------------------------------------- acknowledgments


def test_recall_skips_what_the_site_takes_for_an_acknowledgment(terminal: Terminal) -> None:
    asked = ("recall", "looks good, to me!")
    assert terminal.run(*asked).status == 1
    terminal.configure(AGREED)
    said = terminal.run(*asked)
    assert (said.status, said.out, said.err) == (0, "", "Recall skipped: acknowledgment.\n")
    said = terminal.run(*asked, "--json")
    assert json.loads(said.out) == {"schema": 1, "skipped": "acknowledgment", "passages": []}
    assert terminal.run("search", "looks good, to me!").status == 1
    assert "12 hours" in terminal.run("recall", QUESTION).out


def test_it_is_skipped_before_a_page_is_read(terminal: Terminal) -> None:
    terminal.configure(f"{AGREED}docs_dir: nowhere\n")
    assert terminal.run("recall", "looks good to me").err == "Recall skipped: acknowledgment.\n"
    assert terminal.run("recall", QUESTION).status == 2


def test_what_is_inherited_counts_too(terminal: Terminal) -> None:
    (terminal.folder / "base.yml").write_text(
        "plugins: {recall: {acknowledgments: looks good to me}}\n", encoding="utf-8"
    )
    terminal.configure("INHERIT: base.yml\nsite_name: Larch\n")
    assert terminal.run("recall", "looks good to me").err == "Recall skipped: acknowledgment.\n"


@pytest.mark.parametrize("place", ["--docs", "--config"])
def test_without_the_site_its_acknowledgments_are_not_there(terminal: Terminal, place: str) -> None:
    terminal.configure(AGREED)
    other = terminal.folder / "other.yml"
    other.write_text("site_name: Other\n", encoding="utf-8")
    named = {"--docs": "docs", "--config": "other.yml"}[place]
    assert terminal.run("recall", "looks good to me", place, named).status == 1


def test_mkdocs_yml_is_not_looked_at_for_what_asks_for_nothing_anyway(terminal: Terminal) -> None:
    terminal.configure(AGREED.replace("[Looks good to me]", "[1]"))
    said = terminal.run("recall", "ok")
    assert (said.status, said.err) == (0, "Recall skipped: too short.\n")
    said = terminal.run("recall", QUESTION)
    assert (said.status, said.out) == (2, "")
    assert said.err == (
        "Error: "
        f"{terminal.folder / 'mkdocs.yml'}: recall: 'acknowledgments' must be text, not a number; "
        'put it in quotes: "1"\n'
    )


# ------------------------------------------------------------------------------------------ options


@pytest.mark.parametrize("option", [("--model", "static:a"), ("--enrich",)])
def test_an_option_for_meaning_alone_is_a_mistake_without_it(
    terminal: Terminal, option: tuple[str, ...]
) -> None:
    said = terminal.run("search", *option, QUESTION)
    assert (said.status, said.out) == (2, "")
    assert said.err.endswith(f"Error: {option[0]} is for questions by meaning: add --semantic\n")


def test_a_mode_that_there_is_not_is_a_mistake(terminal: Terminal) -> None:
    said = terminal.run("search", "--semantic=blnd", QUESTION)
    assert (said.status, said.out) == (2, "")
    assert "'blnd' is not one of 'supplement', 'blend'" in said.err


@pytest.mark.parametrize(
    ("options", "site", "message"),
    [
        ("--semantic", "semantic: {limit: 0}", "'semantic.limit' must be 1 or more, got 0"),
        ("--temporal", "temporal: {k: -1}", "'temporal.k' must be a number, 0 or more, not -1"),
    ],
)
def test_a_fault_in_the_site_s_settings_is_told_where_they_are_used(
    terminal: Terminal, options: str, site: str, message: str
) -> None:
    terminal.configure(f"site_name: Larch\nplugins:\n  - recall:\n      {site}\n")
    assert terminal.run("search", QUESTION).status == 0
    said = terminal.run("search", options, QUESTION)
    assert (said.status, said.out) == (2, "")
    assert said.err == f"Error: {terminal.folder / 'mkdocs.yml'}: recall: {message}\n"
