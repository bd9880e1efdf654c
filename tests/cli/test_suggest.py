"""`suggest`, and `explain` of a fence: what else the pages have, and the lines that quote it."""

from __future__ import annotations

import json

from terminal import Terminal

AUTH = """\
# Sign-in

A browser signs in once.

## Expiry

A session expires after 12 hours without a request.
"""
TOKENS = "# Tokens\n\n## Lifetime\n\nA token expires after 90 days. A session is something else.\n"
QUESTION = "When does a session expire?"
FAQ = (
    f"# FAQ\n\n## {QUESTION}\n\n## What is it?\n\nText.\n\n"
    "## Answered?\n\n```recall\nquery: x\n```\n"
)
FENCE = f"```recall\nsource: /auth.md#expiry\nquery: {QUESTION}\n```"

CONFIG = "site_name: Larch\nplugins: [recall]\n"
PAGES = {"auth.md": AUTH, "guides/tokens.md": TOKENS, "faq.md": FAQ}


def test_each_place_comes_with_its_quote_and_its_fence(terminal: Terminal) -> None:
    said = terminal.run("suggest", QUESTION)
    assert said.status == 0
    first, second = said.out.split("\n\n---\n\n")
    quote = "A session expires after 12 hours without a request."
    assert first == f"1. Sign-in › Expiry (auth.md#expiry)\n\n   {quote}\n\n{FENCE}"
    assert "source: /guides/tokens.md#lifetime\n" in second
    rendered = terminal.run("render", "-", given=FENCE.encode())
    assert quote in rendered.out


def test_the_page_of_the_fence_is_not_suggested(terminal: Terminal) -> None:
    said = terminal.run("suggest", QUESTION, "--page", "auth.md", "--json")
    (question,) = json.loads(said.out)["questions"]
    assert (question["text"], question["line"]) == (QUESTION, None)
    assert [place["source"] for place in question["places"]] == ["guides/tokens.md#lifetime"]


def test_a_query_that_yaml_reads_otherwise_is_quoted(terminal: Terminal) -> None:
    said = terminal.run("suggest", "session: #expiry")
    assert "query: 'session: #expiry'\n" in said.out


def test_a_file_is_asked_its_unanswered_questions(terminal: Terminal) -> None:
    before = (terminal.folder / "docs/faq.md").read_bytes()
    said = terminal.run("suggest", "--file", "docs/faq.md")
    assert said.status == 0
    assert said.out.startswith(f"docs/faq.md:3: {QUESTION}\n\n1. Sign-in › Expiry")
    assert "What is it?" not in said.out
    assert "Answered?" not in said.out
    assert (terminal.folder / "docs/faq.md").read_bytes() == before
    none = terminal.run("suggest", "--file", "docs/auth.md")
    assert (none.status, none.out) == (1, "")


def test_nothing_found_is_status_1_and_one_of_both_is_asked(terminal: Terminal) -> None:
    said = terminal.run("suggest", "walrus")
    assert (said.status, said.out) == (1, "")
    assert "Nothing found: no place answers 'walrus'." in said.err
    assert terminal.run("suggest").status == 2
    assert terminal.run("suggest", "x", "--file", "docs/faq.md").status == 2


def test_explain_answers_a_fence_and_names_the_places_that_compete(terminal: Terminal) -> None:
    fence = f'```recall\nsource: "**"\nquery: {QUESTION}\n```\n'.encode()
    said = terminal.run("explain", "-", given=fence)
    assert said.status == 0
    assert said.out.startswith("A session expires after 12 hours without a request.\n\nSource: ")
    other = (
        "source: /guides/tokens.md#lifetime\n  Tokens › Lifetime: A token expires after 90 days."
    )
    assert said.out.rstrip("\n").endswith(f"Other places:\n{other}")
    (told,) = json.loads(terminal.run("explain", "-", "--json", given=fence).out)["fences"]
    assert told["alternatives"][0]["source"] == "/guides/tokens.md#lifetime"
    assert "explanation" in told["passages"][0]


def test_explain_names_the_nearest_place_where_nothing_answers(terminal: Terminal) -> None:
    query = "Which walrus feeds on fish after 90 days?"
    fence = f"```recall\nsource: guides/tokens.md\nquery: {query}\nmin_score: 0.9\n```\n".encode()
    said = terminal.run("explain", "-", given=fence)
    assert said.status == 1
    assert "no sentence answers the query" in said.err
    near = "source: /guides/tokens.md#lifetime (90, days)\n"
    assert near in said.out


def test_explain_sees_a_source_from_the_page_and_reports_a_fault(terminal: Terminal) -> None:
    fence = f"```recall\nsource: tokens.md\nquery: {QUESTION}\n```\n".encode()
    assert terminal.run("explain", "-", "--page", "guides/a.md", given=fence).status == 0
    assert terminal.run("explain", "-", given=fence).status == 2
    wrong = terminal.run("explain", "-", "--scorer", "bm25", given=fence)
    assert (wrong.status, "leave out --scorer" in wrong.err) == (2, True)
    assert terminal.run("explain", "x", "--page", "auth.md").status == 2
