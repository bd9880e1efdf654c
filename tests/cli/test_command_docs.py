"""The page on the command line says what the commands do."""

from __future__ import annotations

import re
from collections.abc import Iterator

import click
import pytest
from golden_demo import DEMO

from mkdocs_recall.cli.group import COMMANDS, group
from mkdocs_recall.directives.catalog import OPTIONS

PAGE = (DEMO / "command-line.md").read_text(encoding="utf-8")
ASKING = ("search", "recall", "explain", "synopsis")


def test_every_command_is_shown_or_named() -> None:
    assert [name for name in COMMANDS if f"mkdocs-recall {name}" not in PAGE] == []


def command_of(name: str) -> click.Command:
    command = group.get_command(click.Context(group), name)
    assert command is not None
    return command


def options(command: click.Command) -> Iterator[click.Option]:
    if isinstance(command, click.Group):
        for name in command.list_commands(click.Context(command)):
            yield from options(command.commands[name])
    yield from (each for each in command.params if isinstance(each, click.Option))


@pytest.mark.parametrize("name", ASKING)
def test_every_option_is_that_of_a_directive_or_on_the_page(name: str) -> None:
    command = command_of(name)
    known = {f"--{name.replace('_', '-')}" for name in OPTIONS}
    known |= set(re.findall(r"`(--[\w-]+)", PAGE))
    assert {option.opts[0] for option in options(command)} - known == set()


def test_every_option_in_a_table_exists() -> None:
    commands = map(command_of, COMMANDS)
    known = {option.opts[0] for command in commands for option in options(command)}
    assert set(re.findall(r"^\| `(--[\w-]+)", PAGE, re.MULTILINE)) - known == set()


@pytest.mark.parametrize("name", COMMANDS)
def test_every_argument_option_and_command_has_a_help(name: str) -> None:
    command = command_of(name)
    assert command.help
    assert [option.name for option in options(command) if not option.help] == []
    if isinstance(command, click.Group):
        assert all(each.help for each in command.commands.values())
