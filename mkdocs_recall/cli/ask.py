"""`mkdocs-recall recall`, `search` and `explain`: passages, a ranked list, the parts of scores."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from mkdocs_recall.cli.options import QueryCommand, query_argument, with_recall_options
from mkdocs_recall.cli.output import Status, note, say, say_json
from mkdocs_recall.cli.where import where_options
from mkdocs_recall.retrieval.trivial import Trivial, classify

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from mkdocs_recall.cli.options import Factors
    from mkdocs_recall.cli.where import Where
    from mkdocs_recall.corpus.corpus import Corpus
    from mkdocs_recall.retrieval.result import Result


@click.command(cls=QueryCommand)
@query_argument
@where_options
@with_recall_options(max_sentences=None)
def recall(
    where: Where,
    query: str,
    values: dict[str, Any],
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
    from mkdocs_recall.cli.passages import (
        SEPARATOR,
        passage_with_source,
        report,
        say_result,
        with_creation_dates,
    )

    result, corpus = _answer(
        where, query, values, factors, include_expired=include_expired, finish=with_creation_dates
    )
    if as_json:
        say_result(result)
    elif result.passages:
        say(SEPARATOR.join(map(passage_with_source, result.passages)))
    return report(result, corpus)


@click.command(cls=QueryCommand)
@query_argument
@where_options
@with_recall_options(max_sentences=10)
def search(
    where: Where,
    query: str,
    values: dict[str, Any],
    factors: Factors,
    *,
    include_expired: bool,
    as_json: bool,
) -> int:
    """List the sentences that answer QUERY best.

    Each line has rank, score, page and section, file and line, and the sentence, cut after 100
    characters. QUERY is one argument; '-' reads it from stdin.
    """
    from mkdocs_recall.cli.passages import passage_list, report, say_result

    result, corpus = _answer(where, query, values, factors, include_expired=include_expired)
    if as_json:
        say_result(result)
    elif result.passages:
        say(passage_list(result.passages))
    return report(result, corpus)


@click.command(cls=QueryCommand)
@query_argument
@where_options
@with_recall_options(max_sentences=None)
def explain(
    where: Where,
    query: str,
    values: dict[str, Any],
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
    from mkdocs_recall.cli.passages import passage_with_explanation, report, say_result

    result, corpus = _answer(where, query, values, factors, include_expired=include_expired)
    if as_json:
        say_result(result, explain=True)
    elif result.passages or result.lost:
        blocks = [passage_with_explanation(passage) for passage in result.passages]
        blocks += [
            passage_with_explanation(lost.passage, f"Not chosen: {lost.reason}")
            for lost in result.lost
        ]
        say("\n\n".join(blocks))
    return report(result, corpus)


def _answer(
    where: Where,
    query: str,
    values: dict[str, Any],
    factors: Factors,
    *,
    include_expired: bool,
    finish: Callable[[Result, Corpus, Path | None], Result] | None = None,
) -> tuple[Result, Corpus]:
    """Answer the query from the pages; `finish` adds to the result while they are open."""
    from mkdocs_recall.directives.schema import recall_options

    values |= factors.as_options(where, include_expired=include_expired)
    # With `--temporal`, the recall itself leaves out expired pages.
    all_pages = include_expired or factors.temporal
    with where.reading(language=values["language"], include_expired=all_pages) as corpus:
        result = corpus.answer(recall_options(query, **values))
        if finish:
            result = finish(result, corpus, where.cache_folder())
    return result, corpus
