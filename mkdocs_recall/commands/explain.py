"""`mkdocs-recall explain`: why a query is answered as it is."""

from __future__ import annotations

from textwrap import indent
from typing import TYPE_CHECKING, Any

import click

from mkdocs_recall.commands.asking import query_argument
from mkdocs_recall.commands.factors import AskingCommand
from mkdocs_recall.commands.options import recall_options
from mkdocs_recall.commands.output import one_line, say
from mkdocs_recall.commands.where import where_options

if TYPE_CHECKING:
    from mkdocs_recall.commands.factors import Factors
    from mkdocs_recall.commands.where import Where
    from mkdocs_recall.result import Passage

_SHOWN = 100
"""Characters of each sentence."""


@click.command(cls=AskingCommand)
@query_argument
@where_options
@recall_options(max_sentences=3)
def command(
    where: Where,
    query: str,
    asked: dict[str, Any],
    factors: Factors,
    *,
    include_expired: bool,
    as_json: bool,
) -> int:
    """Show how scores came about, and what lost.

    The parts of a score stand below it and add up to it; then come the best sentences that were
    not chosen, with the reason. QUERY is one argument; '-' reads it from
    stdin.
    """
    from mkdocs_recall.commands.passages import report, say_result  # noqa: PLC0415

    more = factors.over(where, include_expired=include_expired)
    every = include_expired or factors.temporal  # which leaves out what has expired by itself
    with where.reading(language=asked["language"], include_expired=every) as corpus:
        result = corpus.recall(query, **asked, **more)
    if as_json:
        say_result(result, explain=True)
    elif result.passages or result.lost:
        blocks = [_block(passage) for passage in result.passages]
        blocks += [_block(lost.passage, f"Not chosen: {lost.reason}") for lost in result.lost]
        say("\n\n".join(blocks))
    return report(result, corpus)


def _block(passage: Passage, reason: str = "") -> str:
    from mkdocs_recall.commands.passages import reference  # noqa: PLC0415

    lines = [
        one_line(passage.sentence.text, limit=_SHOWN),
        reference(passage),
        *filter(None, (reason,)),
        str(passage.explanation),
    ]
    head = f"{passage.rank}. "
    return f"{head}{indent(chr(10).join(lines), ' ' * len(head)).lstrip()}"
