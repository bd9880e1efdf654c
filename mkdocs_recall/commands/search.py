"""`mkdocs-recall search`: a ranked list of what answers a query."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from mkdocs_recall.commands.options import recall_options
from mkdocs_recall.commands.output import Status, columns, one_line, say
from mkdocs_recall.commands.where import where_options

if TYPE_CHECKING:
    from mkdocs_recall.commands.where import Where

_SHOWN = 100
"""Characters of each sentence."""


@click.command()
@click.argument("query")
@where_options
@recall_options(max_sentences=10)
def command(where: Where, query: str, asked: dict[str, Any]) -> int:
    """List the sentences that answer QUERY best."""
    result = where.corpus(language=asked["language"]).recall(query, **asked)
    if not result.passages:
        return Status.NOTHING
    say(
        columns(
            [
                str(p.rank),
                f"{p.score:.3f}",
                f"{p.uri}#{p.anchor}",
                f"{p.file}:{p.line}",
                one_line(p.sentence.text, limit=_SHOWN),
            ]
            for p in result.passages
        )
    )
    return Status.FOUND
