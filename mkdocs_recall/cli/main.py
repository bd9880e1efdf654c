"""`mkdocs-recall …`: runs a command, and makes a message and an exit status of what goes wrong.

Everything is imported within `main`, so that Ctrl-C is answered from the first moment on.
"""

from __future__ import annotations

import os
import sys
from io import StringIO
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from collections.abc import Sequence

_NAME = "mkdocs-recall"
_COMPLETE = "_MKDOCS_RECALL_COMPLETE"
"""The variable by which a shell asks for completions; its name is click's rule."""
_INTERRUPTED = 130
_CLOSED_PIPE = 141
"""128 and the number of the signal, as shells have it."""


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line and leave with its exit status.

    Args:
        arguments: What stands behind the program's name; None for what the process was given.
    """
    try:
        status = _run(list(sys.argv[1:] if arguments is None else arguments))
    except KeyboardInterrupt:
        status = _INTERRUPTED
    except BrokenPipeError:
        _let_go_of_stdout()
        status = _CLOSED_PIPE
    sys.exit(status)


def _run(arguments: list[str]) -> int:
    from click.exceptions import ClickException, Exit

    from mkdocs_recall.cli.output import Status, complain, note_lines
    from mkdocs_recall.errors import RecallError

    try:
        _take_any_character()
        status = _invoke(arguments)
        if sys.stdout is not None:
            sys.stdout.flush()
    except Exit as leaving:  # after --help and --version
        return leaving.exit_code
    except BrokenPipeError:
        raise
    except ClickException as error:
        shown = StringIO()
        error.show(shown)
        note_lines(shown.getvalue().rstrip())
    except RecallError as error:
        complain(str(error))
    except OSError as error:  # a full disk, as a rule
        _let_go_of_stdout()
        complain(str(error) if _is_somewhere() else "the folder you are in is gone; go to another")
    except Exception as error:
        if sys.flags.dev_mode:
            raise
        kind = type(error).__name__
        complain(f"{kind}: {error}; 'python -X dev -m mkdocs_recall …' shows where it comes from")
    else:
        return status
    return Status.WRONG


def _invoke(arguments: list[str]) -> int:
    """Run the group as `click.Group.main` does, which takes a closed pipe for a plain failure."""
    from mkdocs_recall.cli.group import group

    instruction = os.environ.get(_COMPLETE)
    if instruction:
        from click.shell_completion import shell_complete

        return shell_complete(group, {}, _NAME, _COMPLETE, instruction)
    with group.make_context(_NAME, arguments) as context:
        status: int = group.invoke(context)
        return status


def _take_any_character() -> None:
    r"""Have what an encoding lacks written as `\u2026`: no page's text can stop a command."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")


def _is_somewhere() -> bool:
    """Tell whether the folder that the process was started in is still there."""
    try:
        os.getcwd()  # noqa: PTH109 - it imports what no message needs
    except OSError:
        return False
    return True


def _let_go_of_stdout() -> None:
    """Have Python write what it still holds to nowhere: it would try, and fail, once more."""
    if sys.stdout is not None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
