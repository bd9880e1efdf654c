"""`mkdocs-recall mcp`: a server for agents, over stdin and stdout."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING, NoReturn

import click

from mkdocs_recall.cli.options import AskingCommand, expiry_option, factor_options
from mkdocs_recall.cli.output import Status, data_only
from mkdocs_recall.cli.where import where_options

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mkdocs_recall.cli.options import Factors
    from mkdocs_recall.cli.where import Where
    from mkdocs_recall.corpus.corpus import Corpus
    from mkdocs_recall.retrieval.result import Result

_INTERRUPTED = 130
_MISSING = 'this needs the official MCP SDK, version 2 or later: pip install "mkdocs-recall[mcp]"'


@click.command(cls=AskingCommand)
@where_options
@factor_options(enrich=False)
@expiry_option
def mcp(where: Where, factors: Factors, *, include_expired: bool) -> int:
    """Serve the pages to agents (MCP).

    It speaks the Model Context Protocol over stdin and stdout. The tools are search, recall,
    synopsis, read_section and list_pages. All of them only read. An agent starts this program
    itself; the page 'For agents' of the documentation says how.
    """
    try:
        from mkdocs_recall.mcp.server import make_server
    except ImportError as error:
        if (error.name or "").partition(".")[0] != "mcp":
            raise
        raise click.UsageError(_MISSING) from error
    with data_only():
        asked = factors.over(where, include_expired=include_expired)
        now = asked["temporal"].now if "temporal" in asked else ""
        corpus = where.corpus(include_expired=include_expired, now=now)
        folder = where.cache_folder()

    def with_creation_dates(result: Result, asked: Corpus) -> Result:
        from mkdocs_recall.cli.passages import with_creation_dates

        return with_creation_dates(result, asked, folder)

    server = make_server(
        corpus,
        site_url=where.site_url,
        dated=with_creation_dates,
        acknowledgments=where.acknowledgments,
        asked=asked,
    )
    signal.signal(signal.SIGINT, _leave)
    try:
        server.run("stdio")
    except Exception as error:
        if any(isinstance(each, BrokenPipeError) for each in _leaves(error)):
            raise BrokenPipeError from error  # the agent's program is gone
        raise
    return Status.FOUND


def _leave(*_: object) -> NoReturn:
    """Leave at once: the thread that waits for input cannot be stopped in another way."""
    os._exit(_INTERRUPTED)


def _leaves(error: BaseException) -> Iterator[BaseException]:
    """Yield what is in a group of errors, or in groups in it; else the error itself."""
    inner: Sequence[BaseException] = getattr(error, "exceptions", ())
    for each in inner:
        yield from _leaves(each)
    if not inner:
        yield error
