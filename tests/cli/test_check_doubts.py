"""`check --doubts` and the build: what speaks against answers that nobody has approved."""

from __future__ import annotations

import json

import pytest
from conftest import Site
from terminal import Terminal

FENCE = "```recall\nsource: auth.md\nquery: {}\nmax_sentences: 1\ncontext: 0\n{}```\n"
AUTH = "# Auth\n\n## Expiry\n\nA session expires after 12 hours.\n\n## Other\n\nIt is blue.\n"
DOUBTFUL = FENCE.format("when does the session of a walrus expire?", "{}")
SURE = FENCE.format("when does a session expire?", "")
NONE = "No doubts about answers that are neither approved nor state what they expect."
DOUBT = "'walrus', the rarest word of the query, is not in the quote"


def pages(options: str = "") -> dict[str, str]:
    """Return pages with a doubtful answer, and with one that nothing speaks against."""
    return {"index.md": f"# Home\n\n{DOUBTFUL.format(options)}\n{SURE}", "auth.md": AUTH}


CONFIG = "site_name: Larch\nplugins: [recall]\n"
PAGES = pages()


def test_doubts_are_listed_without_a_lock_file_and_are_no_failure(terminal: Terminal) -> None:
    said = terminal.run("check", "--doubts")
    assert said.out == f"docs/index.md:3: recall: doubt: {DOUBT}\n"
    assert (said.status, said.err) == (0, "")
    assert terminal.run("check").status == 2


def test_an_answer_that_is_approved_has_no_doubts(terminal: Terminal) -> None:
    assert terminal.run("lock").status == 0
    said = terminal.run("check", "--doubts")
    assert (said.status, said.out, said.err) == (0, "", f"{NONE}\n")
    terminal.write({"auth.md": AUTH.replace("12 hours", "a day")})
    changed = terminal.run("check", "--doubts")
    assert changed.status == 3
    assert changed.out.endswith(f"docs/index.md:3: recall: doubt: {DOUBT}\n"), "to be approved"


@pytest.mark.parametrize("option", ["expect: 12 hours", "expect_source: auth.md"])
def test_an_answer_with_an_expectation_has_no_doubts(terminal: Terminal, option: str) -> None:
    terminal.write(pages(f"{option}\n"))
    said = terminal.run("check", "--doubts")
    assert (said.status, said.out, said.err) == (0, "", f"{NONE}\n")


def test_the_status_is_that_of_the_changes_and_faults_beside_the_doubts(terminal: Terminal) -> None:
    assert terminal.run("lock").status == 0
    terminal.write({"new.md": f"# New\n\n{DOUBTFUL.format('')}"})
    said = terminal.run("check", "--doubts")
    assert said.status == 3
    assert said.out.endswith(f"\ndocs/new.md:3: recall: doubt: {DOUBT}\n")
    assert "1 answer changed;" in said.err
    assert "doubt" not in terminal.run("check").out
    terminal.write({"new.md": DOUBTFUL.format("querry: x\n")})
    assert terminal.run("check", "--doubts").status == 2


def test_github_gets_a_notice_and_a_program_the_kind(terminal: Terminal) -> None:
    said = terminal.run("check", "--doubts", "--format", "github")
    start = "::notice file=docs/index.md,line=3,title=recall%3A doubt::"
    assert (said.status, said.out) == (0, f"{start}{DOUBT}\n")
    (finding,) = json.loads(terminal.run("check", "--doubts", "--json").out)["findings"]
    assert (finding["kind"], finding["message"], finding["line"]) == ("doubt", DOUBT, 3)


LINE = "recall: 2 directives answered, 0 by fallback, {} from the cache"
NOTED = "recall: {} with doubts, which 'mkdocs-recall check --doubts' explains: {}"


def test_a_build_names_the_answers_with_doubts_also_from_the_cache(site: Site) -> None:
    built = site.build(pages())
    assert built.infos == [LINE.format(0), NOTED.format(1, "index.md:3")]
    assert built.warnings == []
    assert site.rebuild().infos == [LINE.format(2), NOTED.format(1, "index.md:3")]


def test_a_build_names_ten_answers_with_doubts_and_counts_the_others(site: Site) -> None:
    many = "\n".join([DOUBTFUL.format("")] * 12)
    _, line = site.build({**pages(), "index.md": f"# Home\n\n{many}"}).infos
    assert line.startswith("recall: 12 with doubts, which")
    assert line.endswith(", and 2 more")
    assert line.count("index.md") == 10


@pytest.mark.parametrize("option", ["expect: 12 hours\n", "expect_source: auth.md\n"])
def test_the_line_of_a_build_counts_none_with_an_expectation(site: Site, option: str) -> None:
    assert site.build(pages(option)).infos == [LINE.format(0)]


@pytest.mark.parametrize("mode", ["warn", "enforce"])
def test_the_line_of_a_build_counts_none_that_is_approved(site: Site, mode: str) -> None:
    site.write(pages())
    site.configure()
    assert Terminal(site.root).run("lock").status == 0
    assert site.build(pages(), recall={"lock": mode}).infos == [LINE.format(0)]


def test_the_line_of_a_build_counts_no_more_than_the_check_that_it_names(site: Site) -> None:
    site.write(pages())
    site.configure()
    here = Terminal(site.root)
    assert here.run("lock").status == 0
    assert here.run("check", "--doubts").out == ""
    assert site.build(pages()).infos == [LINE.format(0)]


def test_the_explanation_below_a_quote_tells_the_doubts(site: Site) -> None:
    built = site.build(pages("explain: true\n"))
    assert built.text("details.recall-explain > p") == f"Doubt: {DOUBT}."
