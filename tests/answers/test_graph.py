"""`graph`: which page asks, quotes and links to which other."""

from __future__ import annotations

from typing import Any

import pytest
from tables import beside, tabled
from terminal import Terminal

STEPS: dict[str, list[dict[str, Any]]] = beside(__file__)["steps"]
PAGES = {
    "index.md": "# Home\n\nSee [Mail](guides/mail.md#ports) and [again](guides/mail.md#ports).\n\n"
    "```recall\nsource: auth.md#expiry\nquery: when does a session expire\n```\n\n"
    "```recall\nsource: guides/\nquery: which port does mail need\n```\n",
    "auth.md": "# Auth\n\nA token opens doors.\n\n## Expiry\n\nA session expires after a day.\n\n"
    '```recall\nsource: "#expiry"\nquery: when does a session expire\n```\n',
    "guides/mail.md": "# Mail\n\nMail comes in.\n\n## Ports\n\nMail needs port 587.\n\n"
    "[Home](../index.md), [elsewhere](https://example.org/)\n",
    "guides/other.md": '# Other\n\nA lonely "page".\n',
    "lost.md": "# Lost\n\nNo link.\n\n```recall\nsource: nowhere.md\nquery: a b c\n```\n",
}


@pytest.mark.parametrize("steps", STEPS.values(), ids=STEPS)
def test_graph_tells_what_leads_where(terminal: Terminal, steps: list[dict[str, Any]]) -> None:
    terminal.follow(steps)


def test_a_name_of_two_lines_is_shown_on_one(terminal: Terminal) -> None:
    try:
        terminal.write({"two\nlines.md": "# A\n\n[Lost](lost.md)\n"})
    except OSError:
        pytest.skip("this system has no file of this name")
    assert "two lines.md links to lost.md" in terminal.run("graph").out.splitlines()
    assert '"two\\nlines.md" -> "lost.md"' in terminal.run("graph", "--format", "dot").out
    assert '["two#10;lines.md"]' in terminal.run("graph", "--format", "mermaid").out


@tabled
def test_what_is_no_page_or_section_is_an_error_with_its_remedy(
    terminal: Terminal, arguments: list[str], fault: str
) -> None:
    said = terminal.run("graph", *arguments)
    assert (said.status, said.out) == (2, "")
    assert fault in said.err
