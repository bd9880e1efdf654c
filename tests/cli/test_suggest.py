"""`suggest`, and `explain` of a fence: what else the pages have, and the lines that quote it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tables import beside
from terminal import Terminal

STEPS: dict[str, list[dict[str, Any]]] = beside(__file__)["steps"]
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
CONFIG = "site_name: Larch\nplugins: [recall]\n"
PAGES = {"auth.md": AUTH, "guides/tokens.md": TOKENS, "faq.md": FAQ}


@pytest.mark.parametrize("steps", STEPS.values(), ids=STEPS)
def test_what_is_suggested_and_explained_can_be_pasted(
    terminal: Terminal, steps: list[dict[str, Any]]
) -> None:
    terminal.follow(steps)


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
