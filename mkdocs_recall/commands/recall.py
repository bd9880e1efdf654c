"""`mkdocs-recall recall`: the passages that answer a query."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from mkdocs_recall.commands.asking import query_argument
from mkdocs_recall.commands.factors import AskingCommand
from mkdocs_recall.commands.options import recall_options
from mkdocs_recall.commands.output import Status, note, say, say_json
from mkdocs_recall.commands.where import where_options
from mkdocs_recall.intent import Trivial, classify

if TYPE_CHECKING:
    from mkdocs_recall.commands.factors import Factors
    from mkdocs_recall.commands.where import Where
    from mkdocs_recall.result import Passage

_DATE = len("2026-02-11")
"""Characters of a date, before its time."""


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
    """Print what answers QUERY, with its sources.

    The best passage comes first; '---' parts the blocks of text. What asks for nothing (a slash
    command, fewer than three words, an acknowledgment) is skipped: nothing is read, and the reason
    is told. QUERY is one argument; '-' reads it from stdin.
    """
    intent = classify(query, where.acknowledgments())
    if isinstance(intent, Trivial):
        note(f"Recall skipped: {intent.reason}.")
        if as_json:
            say_json({"schema": 1, "skipped": intent.reason, "passages": []})
        return Status.FOUND
    from mkdocs_recall.commands.dates import dated  # noqa: PLC0415 - not for what is skipped
    from mkdocs_recall.commands.passages import PARTED, report, say_result  # noqa: PLC0415

    more = factors.over(where, include_expired=include_expired)
    every = include_expired or factors.temporal  # which leaves out what has expired by itself
    with where.reading(language=asked["language"], include_expired=every) as corpus:
        result = dated(corpus.recall(query, **asked, **more), corpus, where.cache_folder())
    if as_json:
        say_result(result)
    elif result.passages:
        say(PARTED.join(_block(passage) for passage in result.passages))
    return report(result, corpus)


def _block(passage: Passage) -> str:
    from mkdocs_recall.commands.passages import reference, remark  # noqa: PLC0415

    created = f", created {passage.created[:_DATE]}" if passage.created else ""
    return f"{passage.text}\n\nSource: {reference(passage)}{created}{remark(passage)}"
