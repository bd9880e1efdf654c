"""`check --doubts` and the build: doubts about answers that nobody has approved."""

from __future__ import annotations

import pytest
from conftest import Site
from tables import Steps, tabled
from terminal import Terminal

FENCE = "```recall\nsource: auth.md\nquery: {}\nmax_sentences: 1\ncontext: 0\n{}```\n"
AUTH = "# Auth\n\n## Expiry\n\nA session expires after 12 hours.\n\n## Other\n\nIt is blue.\n"
DOUBTFUL = FENCE.format("when does the session of a walrus expire?", "{}")
SURE = FENCE.format("when does a session expire?", "")
DOUBT = "'walrus', the rarest word of the query, is not in the quote"


def pages(options: str = "") -> dict[str, str]:
    """Return pages with a doubtful answer, and with one that nothing speaks against."""
    return {"index.md": f"# Home\n\n{DOUBTFUL.format(options)}\n{SURE}", "auth.md": AUTH}


CONFIG = "site_name: Larch\nplugins: [recall]\n"
PAGES = pages()


@tabled
def test_check_lists_doubts_of_what_nobody_has_approved(terminal: Terminal, case: Steps) -> None:
    terminal.follow(case)


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


def test_a_build_counts_the_same_doubts_as_check(site: Site) -> None:
    site.write(pages())
    site.configure()
    here = Terminal(site.root)
    assert here.run("lock").status == 0
    assert here.run("check", "--doubts").out == ""
    assert site.build(pages()).infos == [LINE.format(0)]


def test_the_explanation_below_a_quote_tells_the_doubts(site: Site) -> None:
    built = site.build(pages("explain: true\n"))
    assert built.text("details.recall-explain > p") == f"Doubt: {DOUBT}."
