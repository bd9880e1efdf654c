"""`evaluate`: how many questions with known answers a documentation answers right."""

from __future__ import annotations

import json

from repositories import Repository
from tables import tabled
from terminal import Terminal

AUTH = "# Sign-in\n\n## Expiry\n\nA session expires after 12 hours without a request.\n"
TOKENS = "# Tokens\n\n## Lifetime\n\nA token lives for 90 days.\n"
QUESTIONS = """\
- query: When does a session expire?
  expect_source: auth.md#expiry
- query: How long does a token live?
  expect: 90 days
- query: Which walrus is fed?
  none: true
- query: When does a session expire, and a token live?
  expect_source: auth.md
"""
CONFIG = "site_name: Larch\nsite_url: https://larch.example/\nplugins: [recall]\n"

PAGES = {"auth.md": AUTH, "tokens.md": TOKENS, "../questions.yml": QUESTIONS}


def test_the_figures_and_what_is_missed_with_what_is_first_instead(terminal: Terminal) -> None:
    said = terminal.run("evaluate", "questions.yml")
    missed, empty, head, figures = said.out.splitlines()
    assert missed == (
        "questions.yml:7: 'When does a session expire, and a token live?': expected auth.md, "
        "which is number 2; the first place is tokens.md#lifetime"
    )
    assert (empty, head.split()) == (
        "",
        ["questions", "hit@1", "hit@3", "mrr", "answered", "words"],
    )
    assert figures.split()[:5] == ["4", "0.75", "1.00", "0.88", "0.75"]
    assert said.status == 0


def test_too_few_hits_fail_and_enough_do_not(terminal: Terminal) -> None:
    said = terminal.run("evaluate", "questions.yml", "--min-hit", "0.8")
    assert (said.status, said.err) == (3, "hit@1 is 0.75, less than 0.80.\n")
    assert terminal.run("evaluate", "questions.yml", "--min-hit", "0.75").status == 0


def test_programs_get_each_outcome_and_github_each_miss(terminal: Terminal) -> None:
    told = json.loads(terminal.run("evaluate", "questions.yml", "--json").out)
    assert (told["hit_1"], told["before"]) == (0.75, None)
    assert [outcome["rank"] for outcome in told["outcomes"]] == [1, 1, 1, 2]
    said = terminal.run("evaluate", "questions.yml", "--format", "github")
    assert said.out.startswith("::warning file=questions.yml,line=7,title=evaluate::'When does")
    assert said.out.count("\n") == 1


def test_what_pages_say_they_answer_is_asked_too(terminal: Terminal) -> None:
    front = '---\nrecall:\n  asks:\n    "#lifetime": When must I make a new one?\n---\n'
    terminal.write({"tokens.md": front + TOKENS})
    told = json.loads(terminal.run("evaluate", "--json").out)
    (outcome,) = told["outcomes"]
    assert (outcome["expected"], outcome["rank"]) == ("/tokens.md#lifetime", 1)
    terminal.write({"tokens.md": TOKENS})
    none = terminal.run("evaluate")
    assert (none.status, none.out) == (1, "")


def test_titles_of_issues_that_link_to_pages_are_questions(terminal: Terminal) -> None:
    link = "https://larch.example/{}"
    file = "https://github.example/larch/larch/blob/main/docs/tokens.md#lifetime"
    issues = [
        {"title": "Session expires?", "body": f"See {link.format('latest/auth/#expiry')}."},
        {"title": "Token lives", "comments": [{"body": f"[here]({file})"}]},
        {"title": "Walrus", "body": f"{link.format('none/')} https://other.example/auth/"},
        {"title": None, "body": link.format("auth/")},
    ]
    terminal.write({"issues.json": json.dumps(issues)}, folder=".")
    told = json.loads(terminal.run("evaluate", "--from-issues", "issues.json", "--json").out)
    asked = [(outcome["query"], outcome["expected"]) for outcome in told["outcomes"]]
    assert asked == [
        ("Session expires?", "/auth.md#expiry"),
        ("Token lives", "/tokens.md#lifetime"),
    ]


def test_published_sites_are_asked_but_neither_revisions_nor_issues(terminal: Terminal) -> None:
    assert terminal.run("publish", "--output", "larch.jsonl.gz").status == 0
    question = "- query: When does a session expire?\n  expect_source: larch:auth.md#expiry\n"
    terminal.write({"questions.yml": question}, folder=".")
    asked = "evaluate", "questions.yml", "--published", "larch.jsonl.gz"
    assert terminal.run(*asked, "--min-hit", "1").status == 0
    for option in ("--compare", "HEAD"), ("--from-issues", "questions.yml"):
        said = terminal.run(*asked, *option)
        assert (said.status, "leave out --published" in said.err) == (2, True)


@tabled
def test_a_fault_in_the_questions_has_its_line(terminal: Terminal, text: str, fault: str) -> None:
    terminal.write({"questions.yml": text}, folder=".")
    said = terminal.run("evaluate", "questions.yml")
    assert (said.status, said.out) == (2, "")
    assert fault in said.err


def test_a_page_that_does_not_exist_is_a_miss_that_says_so(terminal: Terminal) -> None:
    question = "- query: When does a session expire?\n  expect_source: outh.md\n"
    terminal.write({"questions.yml": question}, folder=".")
    assert "did you mean 'auth.md'?" in terminal.run("evaluate", "questions.yml").out


def test_the_pages_of_a_revision_are_asked_the_same_questions(repository: Repository) -> None:
    root = repository.root
    here = Terminal(root)
    here.configure(CONFIG)
    here.write({"auth.md": AUTH, "tokens.md": TOKENS})
    here.write({"questions.yml": QUESTIONS}, folder=".")
    repository.git("add", ".")
    repository.git("commit", "-m", "docs: Write")
    here.write({"tokens.md": "# Tokens\n\nNothing.\n"})
    said = here.run("evaluate", "questions.yml", "--compare", "HEAD")
    assert said.status == 3
    assert "expected 90 days, which is not among the first 10" in said.out
    assert "in HEAD: number 1" in said.out
    assert said.out.splitlines()[-1].split()[:3] == ["HEAD", "4", "0.75"]
    assert here.run("evaluate", "questions.yml", "--compare", "nowhere").status == 2
