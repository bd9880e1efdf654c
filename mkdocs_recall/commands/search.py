"""`mkdocs-recall search`: a ranked list of what answers a query."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from mkdocs_recall.commands.asking import query_argument
from mkdocs_recall.commands.factors import AskingCommand
from mkdocs_recall.commands.options import recall_options
from mkdocs_recall.commands.output import columns, one_line, say
from mkdocs_recall.commands.where import where_options

if TYPE_CHECKING:
    from mkdocs_recall.commands.factors import Factors
    from mkdocs_recall.commands.where import Where

_SHOWN = 100
"""Characters of each sentence."""


@click.command(cls=AskingCommand)
@query_argument
@where_options
@recall_options(max_sentences=10)
def command(
    where: Where,
    query: str,
    asked: dict[str, Any],
    factors: Factors,
    *,
    include_expired: bool,
    as_json: bool,
) -> int:
    """List the sentences that answer QUERY best.

    Each line has rank, score, page and section, file and line, and the sentence, cut after 100
    characters. QUERY is one argument; '-' reads it from stdin.
    """
    from mkdocs_recall.commands.passages import remark, report, say_result  # noqa: PLC0415 - see `group`
    from mkdocs_recall.place import place  # noqa: PLC0415

    more = factors.over(where, include_expired=include_expired)
    every = include_expired or factors.temporal  # which leaves out what has expired by itself
    with where.reading(language=asked["language"], include_expired=every) as corpus:
        result = corpus.recall(query, **asked, **more)
    if as_json:
        say_result(result)
    elif result.passages:
        say(
            columns(
                [
                    str(passage.rank),
                    f"{passage.score:.3f}",
                    passage.source,
                    f"{place(passage)}{remark(passage)}",
                    one_line(passage.sentence.text, limit=_SHOWN),
                ]
                for passage in result.passages
            )
        )
    return report(result, corpus)
