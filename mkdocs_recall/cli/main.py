"""The entry point `mkdocs-recall`: runs a command, and turns errors into messages and statuses.

Everything is imported within `main`, so that Ctrl-C is handled from the start.
"""

from __future__ import annotations

import sys
from io import StringIO
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from collections.abc import Sequence

    from click.exceptions import NoSuchOption, UsageError

_NAME = "mkdocs-recall"
_INTERRUPTED = 130
_CLOSED_PIPE = 141
"""128 plus the signal's number, as in shells."""


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line and exit with its status."""
    try:
        status = _run(list(sys.argv[1:] if arguments is None else arguments))
    except KeyboardInterrupt:
        status = _INTERRUPTED
    except BrokenPipeError:
        from mkdocs_recall.cli.output import discard_stdout

        discard_stdout()
        status = _CLOSED_PIPE
    sys.exit(status)


def _run(arguments: list[str]) -> int:
    from click.exceptions import ClickException, Exit, NoSuchOption

    from mkdocs_recall.cli.output import Status, complain, discard_stdout, note_lines
    from mkdocs_recall.errors import RecallError

    try:
        _escape_unencodable()
        from mkdocs_recall.cli.group import group

        # Like `click.Group.main`, which would hide a closed pipe.
        with group.make_context(_NAME, arguments) as context:
            status: int = group.invoke(context)
        if sys.stdout is not None:
            sys.stdout.flush()
    except Exit as end:  # after --help and --version
        return end.exit_code
    except BrokenPipeError:
        raise
    except ClickException as error:
        message = StringIO()
        (_unknown_option(error) if isinstance(error, NoSuchOption) else error).show(message)
        note_lines(message.getvalue().rstrip())
    except RecallError as error:
        complain(str(error))
    except OSError as error:  # usually a full disk
        discard_stdout()
        place = "the current folder" if isinstance(error, FileNotFoundError) else "the output"
        place = f"'{error.filename}'" if error.filename else place
        complain(f"{place} cannot be used: {error.strerror or error}")
    except Exception as error:
        if sys.flags.dev_mode:
            raise
        kind = type(error).__name__
        complain(f"{kind}: {error}; 'python -X dev -m mkdocs_recall …' shows where it comes from")
    else:
        return status
    return Status.WRONG


def _unknown_option(error: NoSuchOption) -> UsageError:
    from click.exceptions import UsageError

    from mkdocs_recall.errors import did_you_mean

    options = error.ctx.command.params if error.ctx else ()
    names = [name for option in options for name in option.opts if name.startswith("-")]
    name = error.option_name
    return UsageError(f"there is no option '{name}'{did_you_mean(name, names)}", error.ctx)


def _escape_unencodable() -> None:
    r"""Write characters that an encoding lacks as `\u2026`."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")
