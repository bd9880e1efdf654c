"""`mkdocs-recall recall`, `search`, `explain`: the passages, a ranked list, why they rank so."""

from __future__ import annotations

from textwrap import indent
from typing import TYPE_CHECKING, Any

import click

from mkdocs_recall.cli.options import AskingCommand, query_argument, recall_options
from mkdocs_recall.cli.output import Status, columns, note, one_line, say, say_json
from mkdocs_recall.cli.where import where_options
from mkdocs_recall.messages import location
from mkdocs_recall.retrieval.trivial import Trivial, classify

if TYPE_CHECKING:
    from collections.abc import Callable

    from mkdocs_recall.cli.options import Factors
    from mkdocs_recall.cli.where import Where
    from mkdocs_recall.corpus.corpus import Corpus
    from mkdocs_recall.retrieval.result import Passage, Result

_DATE = len("2026-02-11")
"""Characters of a date, before its time."""
_SHOWN = 100
"""Characters of each sentence in a list or a tree."""


@click.command(cls=AskingCommand)
@query_argument
@where_options
@recall_options(max_sentences=3)
def recall(
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
    from mkdocs_recall.cli.passages import PARTED, report, say_result, with_creation_dates

    result, corpus = _answer(
        where, query, asked, factors, include_expired, finish=with_creation_dates
    )
    if as_json:
        say_result(result)
    elif result.passages:
        say(PARTED.join(_with_source(passage) for passage in result.passages))
    return report(result, corpus)


@click.command(cls=AskingCommand)
@query_argument
@where_options
@recall_options(max_sentences=10)
def search(
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
    from mkdocs_recall.cli.passages import found_by_note, report, say_result

    result, corpus = _answer(where, query, asked, factors, include_expired)
    if as_json:
        say_result(result)
    elif result.passages:
        say(
            columns(
                [
                    str(passage.rank),
                    f"{passage.score:.3f}",
                    passage.source,
                    f"{location(passage.file, passage.line)}{found_by_note(passage)}",
                    one_line(passage.sentence.text, limit=_SHOWN),
                ]
                for passage in result.passages
            )
        )
    return report(result, corpus)


@click.command(cls=AskingCommand)
@query_argument
@where_options
@recall_options(max_sentences=3)
def explain(
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
    from mkdocs_recall.cli.passages import report, say_result

    result, corpus = _answer(where, query, asked, factors, include_expired)
    if as_json:
        say_result(result, explain=True)
    elif result.passages or result.lost:
        blocks = [_with_explanation(passage) for passage in result.passages]
        blocks += [
            _with_explanation(lost.passage, f"Not chosen: {lost.reason}") for lost in result.lost
        ]
        say("\n\n".join(blocks))
    return report(result, corpus)


def _answer(
    where: Where,
    query: str,
    asked: dict[str, Any],
    factors: Factors,
    include_expired: bool,  # noqa: FBT001 - click hands it on
    *,
    finish: Callable[[Result, Corpus, Any], Result] | None = None,
) -> tuple[Result, Corpus]:
    """Ask the pages, and return what they answer; `finish` adds to it while they are open."""
    more = factors.over(where, include_expired=include_expired)
    every = include_expired or factors.temporal  # which leaves out what has expired by itself
    with where.reading(language=asked["language"], include_expired=every) as corpus:
        result = corpus.recall(query, **asked, **more)
        if finish:
            result = finish(result, corpus, where.cache_folder())
    return result, corpus


def _with_source(passage: Passage) -> str:
    from mkdocs_recall.cli.passages import found_by_note, reference

    created = f", created {passage.created[:_DATE]}" if passage.created else ""
    return f"{passage.text}\n\nSource: {reference(passage)}{created}{found_by_note(passage)}"


def _with_explanation(passage: Passage, reason: str = "") -> str:
    from mkdocs_recall.cli.passages import reference

    lines = [
        one_line(passage.sentence.text, limit=_SHOWN),
        reference(passage),
        *filter(None, (reason,)),
        str(passage.explanation),
    ]
    head = f"{passage.rank}. "
    return f"{head}{indent(chr(10).join(lines), ' ' * len(head)).lstrip()}"
