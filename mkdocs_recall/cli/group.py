"""The group of all commands; each is imported when it runs, or for its help."""

from __future__ import annotations

from importlib import import_module

import click

from mkdocs_recall import __version__
from mkdocs_recall.cli.output import Status
from mkdocs_recall.errors import did_you_mean

COMMANDS = {
    **dict.fromkeys(("search", "recall", "synopsis", "explain", "suggest"), "ask"),
    "evaluate": "check",
    **dict.fromkeys(("render", "fill"), "write"),
    "pages": "ask",
    "cache": "sites",
    **dict.fromkeys(("lock", "check", "verify", "impact", "graph"), "check"),
    "publish": "sites",
    **dict.fromkeys(("mcp", "hook"), "agents"),
    **dict.fromkeys(("fetch", "schema", "init"), "sites"),
}
"""The commands in the order of the help, each with the module in this package that defines it."""


class LazyGroup(click.Group):
    """A group that imports a command on first need, and corrects misspelled names."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click passes it
        """Return the names of all commands."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Import and return a command; None for an unknown name."""
        if cmd_name not in COMMANDS:
            return None
        module = import_module(f"{__package__}.{COMMANDS[cmd_name]}")
        command: click.Command = getattr(module, cmd_name)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that the arguments name, and its own arguments."""
        name = args[0]
        if not name.startswith("-") and name not in COMMANDS:
            ctx.fail(f"there is no command '{name}'{did_you_mean(name, COMMANDS)}")
        from mkdocs_recall.cli.options import with_mode

        return super().resolve_command(ctx, list(with_mode(args)))


@click.group(
    cls=LazyGroup,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(__version__, prog_name="mkdocs-recall", message="%(prog)s %(version)s")
@click.pass_context
def group(context: click.Context) -> int:
    """Ask your documentation a question and get quotes from its pages.

    Exit status: 0 if something was found, 1 if nothing was found, 2 for an error in the command or
    the configuration, 3 if a check failed.
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help(), err=True)
        return Status.WRONG
    return Status.FOUND
