"""`graph`: which page asks, quotes and links to which other."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tables import tabled
from terminal import Terminal

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


def record(terminal: Terminal, *arguments: str) -> dict[str, Any]:
    said = terminal.run("graph", "--json", *arguments)
    assert said.status in {0, 1}, said.err
    found: dict[str, Any] = json.loads(said.out)
    assert found["schema"] == 1
    return found


def edges(terminal: Terminal, *arguments: str) -> list[tuple[str, str, str, int | None]]:
    found = record(terminal, *arguments)["edges"]
    return [(edge["kind"], edge["from"], edge["to"], edge["line"]) for edge in found]


ASKS_AUTH = ("asks", "index.md", "auth.md#expiry", 5)
QUOTES_AUTH = ("quotes", "index.md", "auth.md#expiry", 5)
ASKS_GUIDES = ("asks", "index.md", "guides/**", 10)
QUOTES_MAIL = ("quotes", "index.md", "guides/mail.md#ports", 10)
LINKS_MAIL = ("links", "index.md", "guides/mail.md#ports", None)
LINKS_HOME = ("links", "guides/mail.md", "index.md", None)


def test_the_edges_are_those_between_pages_each_once(terminal: Terminal) -> None:
    assert edges(terminal) == [
        ASKS_AUTH,
        QUOTES_AUTH,
        ASKS_GUIDES,
        QUOTES_MAIL,
        LINKS_MAIL,
        LINKS_HOME,
    ]


def test_pages_are_counted_and_those_that_nothing_leads_to_are_orphans(terminal: Terminal) -> None:
    found = record(terminal)
    counts = {p["uri"]: (p["asked"], p["quoted"], p["linked"]) for p in found["pages"]}
    assert counts == {
        "index.md": (0, 0, 1),
        "auth.md": (1, 1, 0),
        "guides/mail.md": (1, 1, 1),
        "guides/other.md": (1, 0, 0),
        "lost.md": (0, 0, 0),
    }
    assert found["orphans"] == ["lost.md", "guides/other.md"]
    assert found["asked_most"] == ["auth.md", "guides/mail.md", "guides/other.md"]


def test_to_and_from_choose_the_edges_of_a_page_or_section(terminal: Terminal) -> None:
    for arguments, expected in (
        (["--to", "auth.md"], [ASKS_AUTH, QUOTES_AUTH]),
        (["--to", "auth.md#expiry"], [ASKS_AUTH, QUOTES_AUTH]),
        (["--to", "auth.md#auth"], []),
        (["--to", "guides/mail.md"], [ASKS_GUIDES, QUOTES_MAIL, LINKS_MAIL]),
        (["--to", "guides/mail.md#mail"], [ASKS_GUIDES]),
        (["--to", "guides/other.md"], [ASKS_GUIDES]),
        (["--from", "guides/mail.md"], [LINKS_HOME]),
        (["--from", "index.md", "--to", "auth.md"], [ASKS_AUTH, QUOTES_AUTH]),
        (["--from", "lost.md"], []),
    ):
        said = terminal.run("graph", "--json", *arguments)
        assert said.status == (0 if expected else 1), arguments
        found = json.loads(said.out)
        assert [(e["kind"], e["from"], e["to"], e["line"]) for e in found["edges"]] == expected
        assert "orphans" not in found


def test_text_names_lines_orphans_and_what_is_left_out(terminal: Terminal) -> None:
    said = terminal.run("graph")
    assert said.out.startswith("index.md:5 asks auth.md#expiry\n")
    assert "\nindex.md links to guides/mail.md#ports\n" in said.out
    assert said.out.endswith("\nOrphans:\n  lost.md\n  guides/other.md\n")
    assert "lost.md:5: recall is left out: source 'nowhere.md' is not a page" in said.err


def test_dot_and_mermaid_have_each_edge_once(terminal: Terminal) -> None:
    arguments = ("--from", "index.md", "--to", "guides/mail.md")
    assert terminal.run("graph", "--format", "dot", *arguments).out == (
        "digraph documentation {\n"
        "  rankdir=LR;\n"
        '  "index.md" -> "guides/**" [label=asks];\n'
        '  "index.md" -> "guides/mail.md#ports" [label=quotes];\n'
        '  "index.md" -> "guides/mail.md#ports" [label=links];\n'
        "}\n"
    )
    assert terminal.run("graph", "--format", "mermaid", *arguments).out == (
        "flowchart LR\n"
        '  n0["index.md"]\n'
        '  n1["guides/**"]\n'
        '  n2["guides/mail.md#ports"]\n'
        "  n0 -->|asks| n1\n"
        "  n0 -->|quotes| n2\n"
        "  n0 -->|links| n2\n"
    )


def test_a_name_with_quotes_cannot_break_out_of_its_node(terminal: Terminal) -> None:
    terminal.write({'a"b.md': "# A\n\n[Lost](lost.md)\n"})
    assert '"a\\"b.md" -> "lost.md"' in terminal.run("graph", "--format", "dot").out
    assert '["a#quot;b.md"]' in terminal.run("graph", "--format", "mermaid").out


def test_a_name_of_two_lines_is_shown_on_one(terminal: Terminal) -> None:
    try:
        terminal.write({"two\nlines.md": "# A\n\n[Lost](lost.md)\n"})
    except OSError:
        pytest.skip("this system has no file of this name")
    assert "two lines.md links to lost.md" in terminal.run("graph").out.splitlines()
    assert '"two\\nlines.md" -> "lost.md"' in terminal.run("graph", "--format", "dot").out
    assert '["two#10;lines.md"]' in terminal.run("graph", "--format", "mermaid").out


def test_a_filtered_source_leads_only_to_the_pages_it_lets_through(terminal: Terminal) -> None:
    fence = "```recall\nsource: {where: {tags: '#1'}}\nquery: lonely page\n```\n"
    terminal.write({"index.md": fence, "guides/other.md": "---\ntags: '#1'\n---\nA lonely page.\n"})
    asked = ("asks", "index.md", '** where {"tags": "#1"}', 1)
    assert edges(terminal, "--to", "guides/other.md")[0] == asked
    assert asked not in edges(terminal, "--to", "auth.md#expiry")


@tabled
def test_what_is_no_page_or_section_is_an_error_with_its_remedy(
    terminal: Terminal, arguments: list[str], fault: str
) -> None:
    said = terminal.run("graph", *arguments)
    assert (said.status, said.out) == (2, "")
    assert fault in said.err


def test_a_page_with_a_hash_in_its_name_keeps_its_edges(terminal: Terminal) -> None:
    asks = '```recall\nsource: "**"\nquery: which garden has an octopus\nmax_sentences: 1\n```\n'
    terminal.write({"c#.md": "# Sharp\n\nThis garden has an octopus.\n", "ask.md": asks})
    quotes = ("quotes", "ask.md", "c#.md#sharp", 1)
    assert quotes in edges(terminal, "--to", "c%23.md")
    assert quotes in edges(terminal, "--to", "c%23.md#sharp")
    found = record(terminal)
    (page,) = (page for page in found["pages"] if page["uri"] == "c#.md")
    assert page["quoted"] == 1
    assert "c#.md" not in found["orphans"]
