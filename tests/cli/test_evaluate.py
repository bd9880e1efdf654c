"""`evaluate`: how many questions with known answers get the right answer."""

from __future__ import annotations

import pytest
from repositories import Repository
from tables import Steps, beside, tabled
from terminal import Terminal

AUTH = "# Sign-in\n\n## Expiry\n\nA session expires after 12 hours without a request.\n"
TOKENS = "# Tokens\n\n## Lifetime\n\nA token lives for 90 days.\n"
QUESTIONS: str = beside(__file__)["QUESTIONS"]
CONFIG = "site_name: Larch\nsite_url: https://larch.example/\nplugins: [recall]\n"

PAGES = {"auth.md": AUTH, "tokens.md": TOKENS, "../questions.yml": QUESTIONS}


def test_the_figures_and_what_is_missed_with_what_is_first_instead(terminal: Terminal) -> None:
    outcome = terminal.run("evaluate", "questions.yml")
    missed, empty, head, figures = outcome.out.splitlines()
    assert missed == (
        "questions.yml:7: 'When does a session expire, and a token live?': expected auth.md, "
        "which is number 2; the first place is tokens.md#lifetime"
    )
    assert (empty, head.split()) == (
        "",
        ["questions", "hit@1", "hit@3", "mrr", "answered", "words"],
    )
    assert figures.split()[:5] == ["4", "0.75", "1.00", "0.88", "0.75"]
    assert outcome.status == 0


@tabled
def test_questions_are_asked_of_pages_sites_and_issues(terminal: Terminal, case: Steps) -> None:
    terminal.follow(case)


@tabled
def test_a_fault_in_the_questions_has_its_line(terminal: Terminal, text: str, fault: str) -> None:
    terminal.write({"questions.yml": text}, folder=".")
    outcome = terminal.run("evaluate", "questions.yml")
    assert (outcome.status, outcome.out) == (2, "")
    assert fault in outcome.err


@pytest.mark.parametrize("command", ["evaluate", "verify", "render"])
def test_a_file_that_is_not_utf_8_has_its_line_and_the_remedy(
    terminal: Terminal, command: str
) -> None:
    terminal.write({"latin.md": b"It is hot.\nEs ist hei\xdf.\n"}, folder=".")
    outcome = terminal.run(command, "latin.md")
    fault = "Error: 'latin.md' cannot be read: line 2 is not UTF-8; save it as UTF-8\n"
    assert (outcome.status, outcome.out, outcome.err) == (2, "", fault)


def test_the_pages_of_a_revision_are_asked_the_same_questions(repository: Repository) -> None:
    root = repository.root
    here = Terminal(root)
    here.configure(CONFIG)
    here.write({"auth.md": AUTH, "tokens.md": TOKENS})
    here.write({"questions.yml": QUESTIONS}, folder=".")
    repository.git("add", ".")
    repository.git("commit", "-m", "docs: Write")
    here.write({"tokens.md": "# Tokens\n\nNothing.\n"})
    outcome = here.run("evaluate", "questions.yml", "--compare", "HEAD")
    assert outcome.status == 3
    assert "expected 90 days, which is not among the first 10" in outcome.out
    assert "in HEAD: number 1" in outcome.out
    assert outcome.out.splitlines()[-1].split()[:3] == ["HEAD", "4", "0.75"]
    outcome = here.run("evaluate", "questions.yml", "--compare", "HEAD", "--format", "github")
    assert [line.split()[0] for line in outcome.out.splitlines()] == ["::warning", "::notice"]
    assert here.run("evaluate", "questions.yml", "--compare", "nowhere").status == 2
