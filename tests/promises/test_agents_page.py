"""The pages for agents and for Python match the code: tools, fields, names, examples."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from typing import Any, get_args, get_type_hints

import anyio
import click
import pytest
from golden_demo import DEMO, ROOT
from mcp import Client
from mcp.types import Tool

import mkdocs_recall
from mkdocs_recall import Corpus
from mkdocs_recall.cli.group import group
from mkdocs_recall.cli.mcp_server import Tools
from mkdocs_recall.ranking.result import PassageRecord, ResultRecord, page_record

AGENTS = (DEMO / "agents.md").read_text(encoding="utf-8")
PYTHON = (DEMO / "python-api.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(
    r"^```python\n(.*?)^```\n\n```text\n(.*?)^```$", PYTHON, re.DOTALL | re.MULTILINE
)
CORPUS = Corpus.from_markdown({"a.md": "# A\n\nA token."})


def table(text: str, after: str) -> dict[str, list[str]]:
    """Return the rows of the first table after a line, by the name in their first cell."""
    below = text.partition(f"\n{after}")[2].partition("\n| ")[2].partition("\n\n")[0]
    rows = [[cell.strip() for cell in row.strip("| ").split(" | ")] for row in below.splitlines()]
    return {row[0].strip("`"): row[1:] for row in rows[2:]}


WORDS = {
    **dict.fromkeys(("str", "Kind", "FoundBy"), "text"),
    "Fallback | None": "text or null",
    "int": "whole number",
    "int | None": "whole number or null",
    "float": "number",
    "list[str]": "list of texts",
    "list[int]": "list of whole numbers",
    "tuple[Heading, ...]": "list of headings",
    "list[PassageRecord]": "list of passages",
    "list[LostRecord]": "list of losers",
    "dict[str, str | int | None] | None": "receipt",
    "PublisherRecord | None": "publisher",
    "Explanation | None": "explanation",
}
"""What the page calls what stands in a field."""


def inside(hint: Any) -> Iterator[str]:
    """Yield the texts and the fields of objects that stand in a field, but those of passages."""
    for part in get_args(hint):
        if isinstance(part, str):
            yield part
        yield from inside(part)
        if part is not PassageRecord:
            yield from getattr(part, "__annotations__", ())


@pytest.mark.parametrize(
    ("after", "record"), [("A result, of", ResultRecord), ("A passage:", PassageRecord)]
)
def test_every_field_of_the_json_is_on_the_page(after: str, record: type) -> None:
    rows = table(AGENTS, after)
    fields = record.__annotations__
    types = {name: row[0] for name, row in rows.items() if len(row) > 1}  # of some tables
    assert types in ({}, {name: WORDS[kind] for name, kind in fields.items()})
    assert list(rows) == list(fields)
    for name, hint in get_type_hints(record).items():
        assert [keyword for keyword in inside(hint) if f"`{keyword}`" not in rows[name][-1]] == []


def test_every_field_of_a_page_is_on_the_page() -> None:
    record = page_record(CORPUS.documents[0])
    assert list(table(AGENTS, "A page, as")) == list(record)
    assert set(map(type, record.values())) == {str}


def test_every_tool_and_what_it_takes_is_on_the_page() -> None:
    async def listed() -> list[Tool]:
        async with Client(Tools(CORPUS).server()) as client:
            return (await client.list_tools()).tools

    rows = table(AGENTS, "## The tools")
    assert {name: set(re.findall(r"`(\w+)`", row[0])) for name, row in rows.items()} == {
        tool.name: set(tool.input_schema["properties"]) for tool in anyio.run(listed)
    }


def configured() -> Iterator[tuple[str, list[str]]]:
    """Yield the command of each configuration that is shown."""
    for block in re.findall(r"(?ms)^```json\n(.*?)^```$", AGENTS):
        (servers,) = json.loads(block).values()
        if "docs" not in servers:
            continue  # hooks: their test is below
        yield servers["docs"]["command"], servers["docs"]["args"]
    (found,) = re.findall(
        r"^```toml\n.*?command = (.*?)\nargs = (.*?)\n```$", AGENTS, re.DOTALL | re.MULTILINE
    )
    yield json.loads(found[0]), json.loads(found[1])


def test_every_configuration_names_a_command_that_there_is() -> None:
    commands = list(configured())
    assert len(commands) == 3
    for program, arguments in commands:
        assert program == "mkdocs-recall"
        name, *options = arguments
        command = group.get_command(click.Context(group), name)
        assert command is not None
        with command.make_context(name, options) as context:
            assert context.params["config"].endswith("/mkdocs.yml")


def test_the_configuration_of_the_hook_runs_it_on_every_prompt() -> None:
    (block,) = re.findall(r'(?ms)^```json\n(\{\s+"hooks".*?)^```$', AGENTS)
    (event,) = json.loads(block)["hooks"]["UserPromptSubmit"]
    (hook,) = event["hooks"]
    assert hook["type"] == "command"
    program, name, *options = hook["command"].split()
    command = group.get_command(click.Context(group), name)
    assert program == "mkdocs-recall"
    assert command is not None
    with command.make_context(name, options) as context:
        assert context.params["max_tokens"] == 400
    assert set(re.findall(r"--[\w-]+", AGENTS.partition("## A hook")[2].partition("\n## ")[0])) == {
        option.opts[0] for option in command.params
    }


@pytest.mark.parametrize(("code", "shown"), EXAMPLES, ids=range(len(EXAMPLES)))
def test_every_example_in_python_prints_what_stands_below_it(code: str, shown: str) -> None:
    process = subprocess.run(  # noqa: S603 - our own interpreter, our own page
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1", "PYTHONUTF8": "1"},
    )
    assert (process.stdout, process.stderr) == (shown, "")


def test_every_python_block_has_its_output() -> None:
    assert len(EXAMPLES) == PYTHON.count("```python") >= 3


def test_every_public_name_is_on_the_page() -> None:
    rows = table(PYTHON, "## All names")
    errors = table(PYTHON, "## Errors")
    shown = {name for row in rows for name in re.findall(r"\w+", row)}
    public = {name: getattr(mkdocs_recall, name) for name in mkdocs_recall.__all__}
    classes = {name: value for name, value in public.items() if isinstance(value, type)}
    assert shown == {name for name, value in classes.items() if not issubclass(value, Exception)}
    assert {*errors, "RecallError"} == classes.keys() - shown
