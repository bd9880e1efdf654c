"""`--where`: commands that ask only pages with certain values in their front matter."""

from __future__ import annotations

import pytest
from conftest import Site
from tables import Steps, tabled
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
            outcome = terminal.run(*command, "--where", "tags!=admin", given=fence)
            assert outcome.status == 0, outcome
            found = [number for number in (7, 9, 11) if f"for {number} days" in outcome.out]
            assert found == [9, 11], (command, outcome)
        assert len(terminal.run("pages", "--where", "tags!=admin").out.splitlines()) == 2


@tabled
def test_conditions_name_pages_by_their_front_matter(terminal: Terminal, case: Steps) -> None:
    terminal.follow(case)


def test_a_key_is_not_both_wanted_and_unwanted(terminal: Terminal) -> None:
    outcome = terminal.run("pages", "--where", "tags=a", "--where", "tags!=b")
    assert outcome.status == 2
    assert "'tags=' and 'tags!=' exclude each other" in " ".join(outcome.err.split())


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
