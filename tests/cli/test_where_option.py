"""`--where`: commands that ask only pages with certain values in their front matter."""

from __future__ import annotations

import pytest
from conftest import Site
from terminal import Terminal

from mkdocs_recall import Corpus, SourceError

PAGES = {
    "admin.md": "---\ntags: [admin, ops]\nversion: 2.5\n---\nA token is valid for 7 days.\n",
    "user.md": "---\ntags: users\n---\nA token is valid for 9 days.\n",
    "plain.md": "A token is valid for 11 days.\n",
}


def test_commands_that_take_a_source_take_a_filter(terminal: Terminal) -> None:
    fence = b"```recall\nquery: token valid\n```\n"
    for _ in range(2):  # the second time, front matter comes from the cache
        for command in (
            ["search", "token valid"],
            ["recall", "token valid"],
            ["synopsis", "**"],
            ["render", "-", "--source", "**"],
        ):
            said = terminal.run(*command, "--where", "tags!=admin", given=fence)
            assert said.status == 0, said
            found = [number for number in (7, 9, 11) if f"for {number} days" in said.out]
            assert found == [9, 11], (command, said)
        assert len(terminal.run("pages", "--where", "tags!=admin").out.splitlines()) == 2


def test_conditions_are_of_one_key_or_of_several(terminal: Terminal) -> None:
    for conditions, pages in (
        (["tags=admin"], ["admin.md"]),
        (["tags=admin", "tags=users"], ["admin.md", "user.md"]),
        (["tags!=admin", "tags!=users"], ["plain.md"]),
        (["tags=ops", "version=2.5"], ["admin.md"]),
    ):
        flags = [flag for condition in conditions for flag in ("--where", condition)]
        listed = terminal.run("pages", *flags).out.splitlines()
        assert [line.split()[0] for line in listed] == pages


def test_an_edit_of_front_matter_is_seen_in_the_next_command(terminal: Terminal) -> None:
    assert "7 days" in terminal.run("search", "token", "--where", "tags=admin").out
    terminal.write({"admin.md": PAGES["plain.md"], "user.md": PAGES["admin.md"]})
    said = terminal.run("pages", "--where", "tags=admin")
    assert said.out.startswith("user.md")


@pytest.mark.parametrize("written", ["tags", "=admin", "!=admin", ""])
def test_what_is_no_condition_is_refused(terminal: Terminal, written: str) -> None:
    said = terminal.run("pages", "--where", written)
    assert said.status == 2
    assert f"'{written}' is not KEY=VALUE, such as tags=admin, or KEY!=VALUE" in said.err


def test_a_key_is_not_both_wanted_and_unwanted(terminal: Terminal) -> None:
    said = terminal.run("pages", "--where", "tags=a", "--where", "tags!=b")
    assert said.status == 2
    assert "'tags=' and 'tags!=' exclude each other" in " ".join(said.err.split())


def test_pages_of_a_built_site_with_its_configuration_are_filtered(site: Site) -> None:
    site.build({"index.md": "# Home\n", **PAGES})
    corpus = Corpus.from_built(site.root / "site", config_file=site.root / "mkdocs.yml")
    [document] = corpus.select({"where": {"tags": "admin"}})
    assert document.uri == "admin.md"


def test_published_pages_cannot_be_filtered_and_say_so(site: Site) -> None:
    site.build({"index.md": "# Home\n", **PAGES}, recall={"publish": True})
    corpus = Corpus.from_published([site.root / "site/recall.jsonl.gz"])
    with pytest.raises(SourceError, match="cannot be filtered with 'where': the front matter"):
        corpus.select({"where": {"tags": "admin"}})
