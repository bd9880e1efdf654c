"""The QUERY of a command: one argument, or what comes in on stdin."""

from __future__ import annotations

import sys
from typing import Final

import click

LONGEST: Final = 100_000
"""Characters. A query of this length is answered in less than a second; nobody asks a longer one,
but a program may pass on whatever it was given."""
_BYTES: Final = 4 * LONGEST
"""As many as its characters may have in UTF-8."""


def _read(context: click.Context, parameter: click.Parameter, value: tuple[str, ...] | None) -> str:
    """Return the query, with what is no UTF-8 replaced.

    Raises:
        UsageError: It is empty, too long, or more than one argument.
    """
    if context.resilient_parsing or not value:  # a shell asks what could come next
        return ""
    if len(value) > 1:
        fault = "the query is one argument: put it in quotes"
        raise click.BadParameter(fault, context, parameter)
    data = value[0].encode("utf-8", "surrogateescape")
    if value[0] == "-":
        data = sys.stdin.buffer.read(_BYTES + 1) if sys.stdin is not None else b""
    query = data.decode("utf-8", "replace").strip()
    if len(data) > _BYTES or len(query) > LONGEST:
        fault = f"the query has more than {LONGEST:,} characters; ask something shorter"
        raise click.BadParameter(fault, context, parameter)
    if not query:
        fault = "the query is empty; ask something"
        raise click.BadParameter(fault, context, parameter)
    return query


query_argument = click.argument("query", nargs=-1, required=True, metavar="QUERY", callback=_read)
