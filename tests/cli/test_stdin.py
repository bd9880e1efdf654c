"""What commands read from stdin with `-`: UTF-8, with any line ends, with or without a mark."""

from __future__ import annotations

import pytest
from tables import tabled
from terminal import Terminal

AUTH = "# Sign-in\n\n## Expiry\n\nA session – expires after 12 hours.\n"
FENCE = "# Häuser\n\n```recall\nsource: auth.md\nquery: When does a session expire?\n```\n\nEnd.\n"
RENDERED = (
    "# Häuser\n\n> A session – expires after 12 hours.\n>\n"
    "> — [Sign-in › Expiry](docs/auth.md#expiry)\n\nEnd.\n"
)

PAGES = {"auth.md": AUTH}


@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_render_answers_stdin_and_keeps_the_rest(terminal: Terminal, mark: str, end: str) -> None:
    given = (mark + FENCE.replace("\n", end)).encode()
    said = terminal.run("render", "-", given=given)
    assert (said.status, said.err) == (0, "")
    assert said.out == mark + RENDERED.replace("\n", end)
    said = terminal.run("render", "-", "--output", "out/A.md", given=given)
    assert said.status == 0
    written = (terminal.folder / "out" / "A.md").read_bytes().decode()
    assert written == (mark + RENDERED.replace("\n", end)).replace("(docs/", "(../docs/")


def test_a_file_is_read_whose_name_is_that_of_stdin(terminal: Terminal) -> None:
    (terminal.folder / "-").write_text(FENCE, encoding="utf-8")
    said = terminal.run("render", "./-", given=b"Of stdin.\n")
    assert (said.status, said.out) == (0, RENDERED)
    said = terminal.run("render", "./-", "-", given=b"Of stdin.\n")
    assert (said.status, said.out) == (0, f"{RENDERED}Of stdin.\n")


def test_sources_of_what_stdin_holds_are_seen_from_the_root(terminal: Terminal) -> None:
    inner = Terminal(terminal.folder / "docs")
    said = inner.run("render", "-", given=FENCE.encode())
    assert (said.status, said.err) == (0, "")
    assert "> A session" in said.out


def test_a_fault_in_what_stdin_holds_is_told_with_its_line(terminal: Terminal) -> None:
    said = terminal.run("render", "-", given=b"# A\n\n```recall\nquery: []\n```\n")
    assert said.status == 2
    assert said.err.startswith("Error: -:")
    said = terminal.run("render", "-", given=b"\xff\xfe")
    assert said.status == 2
    assert said.err == "Error: '-' cannot be read: line 1 is not UTF-8\n"


@tabled
def test_stdin_is_read_once(terminal: Terminal, arguments: tuple[str, ...], fault: str) -> None:
    said = terminal.run("render", *arguments, given=FENCE.encode())
    assert said.status == 2
    assert fault in said.err


@pytest.mark.parametrize("command", ["recall", "search", "explain"])
def test_a_query_is_read_from_stdin(terminal: Terminal, command: str) -> None:
    query = "When does a session – expire?"
    expected = terminal.run(command, query)
    assert expected.status == 0
    for given in (f"{query}\n", f"\ufeff{query}\r\n"):
        assert terminal.run(command, "-", given=given.encode()) == expected


def test_a_short_query_after_a_byte_order_mark_is_still_skipped(terminal: Terminal) -> None:
    said = terminal.run("recall", "-", given="\ufeff/clear it all now\r\n".encode())
    assert said.err.startswith("Recall skipped: slash command.")
