"""`graph`: which page asks, quotes and links to which other."""

from __future__ import annotations

import pytest
from tables import Steps, beside, tabled
from terminal import Terminal

PAGES: dict[str, str] = beside(__file__)["PAGES"]


@tabled
def test_graph_tells_what_leads_where(terminal: Terminal, case: Steps) -> None:
    terminal.follow(case)


def test_a_name_of_two_lines_is_shown_on_one(terminal: Terminal) -> None:
    try:
        terminal.write({"two\nlines.md": "# A\n\n[Lost](lost.md)\n"})
    except OSError:
        pytest.skip("this system has no file of this name")
    assert "two lines.md links to lost.md" in terminal.run("graph").out.splitlines()
    assert '"two\\nlines.md" -> "lost.md"' in terminal.run("graph", "--format", "dot").out
    assert '["two#10;lines.md"]' in terminal.run("graph", "--format", "mermaid").out


@tabled
def test_unknown_pages_and_sections_are_errors_with_a_remedy(
    terminal: Terminal, arguments: list[str], fault: str
) -> None:
    outcome = terminal.run("graph", *arguments)
    assert (outcome.status, outcome.out) == (2, "")
    assert fault in outcome.err
