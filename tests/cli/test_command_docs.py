"""The page on the command line says what the commands do."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from typing import TYPE_CHECKING

import click
import pytest
from golden_demo import DEMO, ROOT
from terminal import Terminal

from mkdocs_recall.cli.group import COMMANDS, group

if TYPE_CHECKING:
    from collections.abc import Iterator

PAGE = (DEMO / "command-line.md").read_text(encoding="utf-8")
CONSOLE = re.compile(r"^```console\n(.*?)^```$", re.DOTALL | re.MULTILINE)
ASKING = ("search", "recall", "explain", "synopsis")


def examples() -> list[tuple[str, str]]:
    """Return each command that is shown, and the output that is shown below it."""
    blocks = [match[1] for match in CONSOLE.finditer(PAGE)]
    shown = (re.split(r"^\$ (.*)\n", block, flags=re.MULTILINE)[1:] for block in blocks)
    return [pair for parts in shown for pair in zip(parts[::2], parts[1::2], strict=True)]


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Terminal:
    """A terminal in a copy of this repository's documentation, all of one commit."""
    terminal = Terminal(tmp_path_factory.mktemp("demo"))
    shutil.copytree(DEMO, terminal.folder / "demo_site")
    shutil.copy(ROOT / "mkdocs.yml", terminal.folder)
    date = "2026-02-11T12:00:00+00:00"
    for arguments in (["init"], ["add", "."], ["commit", "--message", "docs: Write pages"]):
        subprocess.run(  # noqa: S603
            ["git", "-c", "user.name=A", "-c", "user.email=a@b.example", *arguments],  # noqa: S607
            check=True,
            capture_output=True,
            cwd=terminal.folder,
            env=terminal.environment({"GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date}),
        )
    return terminal


@pytest.mark.parametrize(("command", "shown"), examples())
def test_every_example_prints_what_stands_below_it(
    demo: Terminal, command: str, shown: str
) -> None:
    program, *arguments = shlex.split(command)
    assert program == "mkdocs-recall"
    said = demo.run(*arguments)
    assert said.err + said.out == shown


def test_every_command_is_shown_or_named() -> None:
    assert len(examples()) > len(ASKING)
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
def test_every_option_stands_in_a_table_of_the_page(name: str) -> None:
    command = command_of(name)
    rows = set(re.findall(r"^\| `(--[\w-]+)", PAGE, re.MULTILINE))
    assert {option.opts[0] for option in options(command)} - rows == set()


def test_every_option_in_a_table_is_one() -> None:
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
