"""Input on stdin with `-`: UTF-8, with any line ends, with or without a byte-order mark."""

from __future__ import annotations

import pytest
from tables import Steps, tabled
from terminal import Terminal

AUTH = "# Sign-in\n\n## Expiry\n\nA session – expires after 12 hours.\n"
FENCE = "# Häuser\n\n```recall\nsource: auth.md\nquery: When does a session expire?\n```\n\nEnd.\n"
PAGES = {"auth.md": AUTH}


def test_sources_of_what_stdin_holds_are_seen_from_the_root(terminal: Terminal) -> None:
    inner = Terminal(terminal.folder / "docs")
    outcome = inner.run("render", "-", given=FENCE.encode())
    assert (outcome.status, outcome.err) == (0, "")
    assert "> A session" in outcome.out


@tabled
def test_stdin_is_read_as_a_file_is(terminal: Terminal, case: Steps) -> None:
    terminal.follow(case)


def test_what_is_not_utf_8_is_reported_with_its_line(terminal: Terminal) -> None:
    outcome = terminal.run("render", "-", given=b"\xff\xfe")
    fault = "Error: '-' cannot be read: line 1 is not UTF-8; save it as UTF-8\n"
    assert (outcome.status, outcome.err) == (2, fault)


@tabled
def test_stdin_is_read_once(terminal: Terminal, arguments: tuple[str, ...], fault: str) -> None:
    outcome = terminal.run("render", *arguments, given=FENCE.encode())
    assert outcome.status == 2
    assert fault in outcome.err


@pytest.mark.parametrize("command", ["recall", "search", "explain"])
def test_a_query_is_read_from_stdin(terminal: Terminal, command: str) -> None:
    query = "When does a session – expire?"
    expected = terminal.run(command, query)
    assert expected.status == 0
    for given in (f"{query}\n", f"\ufeff{query}\r\n"):
        assert terminal.run(command, "-", given=given.encode()) == expected
