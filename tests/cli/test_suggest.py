"""`suggest`, and `explain` of a fence: other places, and the lines that quote them."""

from __future__ import annotations

import json

from tables import Steps, beside, tabled
from terminal import Terminal

AUTH: str = beside(__file__)["AUTH"]
TOKENS = "# Tokens\n\n## Lifetime\n\nA token expires after 90 days. A session is something else.\n"
QUESTION = "When does a session expire?"
FAQ = (
    f"# FAQ\n\n## {QUESTION}\n\n## What is it?\n\nText.\n\n"
    "## Answered?\n\n```recall\nquery: x\n```\n"
)
CONFIG = "site_name: Larch\nplugins: [recall]\n"
PAGES = {"auth.md": AUTH, "guides/tokens.md": TOKENS, "faq.md": FAQ}


@tabled
def test_suggestions_and_explained_fences_can_be_pasted(terminal: Terminal, case: Steps) -> None:
    terminal.follow(case)


def test_explain_answers_a_fence_and_names_the_places_that_compete(terminal: Terminal) -> None:
    fence = f'```recall\nsource: "**"\nquery: {QUESTION}\n```\n'.encode()
    outcome = terminal.run("explain", "-", given=fence)
    assert outcome.status == 0
    assert outcome.out.startswith("A session expires after 12 hours without a request.\n\nSource: ")
    other = (
        "source: /guides/tokens.md#lifetime\n  Tokens › Lifetime: A token expires after 90 days."
    )
    assert outcome.out.rstrip("\n").endswith(f"Other places:\n{other}")
    (answer,) = json.loads(terminal.run("explain", "-", "--json", given=fence).out)["fences"]
    assert answer["alternatives"][0]["source"] == "/guides/tokens.md#lifetime"
    assert "explanation" in answer["passages"][0]
