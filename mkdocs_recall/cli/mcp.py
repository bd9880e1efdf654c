"""`mkdocs-recall mcp`: a server for agents, over stdin and stdout."""

from __future__ import annotations

import os
import signal
import sys
from typing import TYPE_CHECKING, NoReturn

import click

from mkdocs_recall.cli.options import QueryCommand, expiry_option, factor_options
from mkdocs_recall.cli.output import Status, data_only, note_all
from mkdocs_recall.cli.where_options import any_where_options

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mkdocs_recall.cli.options import Factors
    from mkdocs_recall.cli.where import Where
    from mkdocs_recall.corpus.corpus import Corpus
    from mkdocs_recall.retrieval.result import Result

_INTERRUPTED = 130
_MISSING = 'this needs the official MCP SDK, version 2 or later: pip install "mkdocs-recall[mcp]"'


@click.command(cls=QueryCommand)
@any_where_options
@factor_options(enrich=False)
@expiry_option
def mcp(where: Where, factors: Factors, *, include_expired: bool) -> int:
    """Serve the pages to agents (MCP).

    The server speaks the Model Context Protocol over stdin and stdout. Its tools search, recall,
    synopsis, read_section and list_pages are read-only. The agent starts this command itself; the
    page 'For agents' of the documentation explains the setup.
    """
    try:
        from mkdocs_recall.mcp.server import make_server
        from mkdocs_recall.mcp.stdin import take_stdin
    except ImportError as error:
        if (error.name or "").partition(".")[0] != "mcp":
            raise
        raise click.UsageError(_MISSING) from error
    with data_only():
        options = factors.as_options(where, include_expired=include_expired)
        now = options["temporal"].now if "temporal" in options else ""
        corpus = where.corpus(include_expired=include_expired, now=now)
        folder = where.cache_folder()
    note_all(corpus.warnings)

    def add_dates(result: Result, pages: Corpus) -> Result:
        from mkdocs_recall.cli.passages import with_creation_dates

        return with_creation_dates(result, pages, folder)

    server = make_server(
        corpus,
        site_url=where.site_url,
        add_dates=add_dates,
        acknowledgments=where.acknowledgments,
        options=options,
    )
    signal.signal(signal.SIGINT, _exit)
    if sys.stdin is not None:  # a process may be started without it
        sys.stdin = take_stdin()
    try:
        server.run("stdio")
    except Exception as error:
        if any(isinstance(leaf, BrokenPipeError) for leaf in _leaves(error)):
            raise BrokenPipeError from error  # the agent's program is gone
        raise
    return Status.FOUND


def _exit(*_: object) -> NoReturn:
    """Exit at once: the thread that waits for input cannot be stopped in another way."""
    os._exit(_INTERRUPTED)


def _leaves(error: BaseException) -> Iterator[BaseException]:
    """Yield the errors in a group and in its inner groups; an error that is no group itself."""
    inner: Sequence[BaseException] = getattr(error, "exceptions", ())
    for member in inner:
        yield from _leaves(member)
    if not inner:
        yield error
