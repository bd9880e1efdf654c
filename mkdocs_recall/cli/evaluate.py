"""`mkdocs-recall evaluate`: questions with known answers, put to a documentation."""

from __future__ import annotations

import json
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from mkdocs_recall.cli.options import format_options, where_options
from mkdocs_recall.cli.output import (
    Status,
    columns,
    count_noun,
    github_command,
    note,
    note_all,
    say,
    say_as_is,
    say_json,
)
from mkdocs_recall.errors import RecordError
from mkdocs_recall.messages import location, single_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mkdocs_recall.answers.evaluation import Figures, Outcome, Question
    from mkdocs_recall.cli.where import Where
    from mkdocs_recall.pages.corpus import Corpus

_FILE: Final = click.Path(exists=True, dir_okay=False)


@click.command()
@where_options
@click.argument("file", metavar="[QUESTIONS.yml]", required=False, type=_FILE)
@click.option(
    "--from-issues",
    "issues",
    metavar="FILE",
    type=_FILE,
    help="Also ask the titles of issues that link to a page, as 'gh issue list --json title,body' "
    "exports them.",
)
@click.option(
    "--min-hit",
    metavar="0-1",
    type=click.FloatRange(0, 1),
    help="Exit with 3 if the first place is right for a smaller share of the questions.",
)
@click.option(
    "--compare",
    "revision",
    metavar="REVISION",
    help="Also ask the pages of this revision; exit with 3 if the first place was right for a "
    "question, and no longer is.",
)
@format_options
def evaluate(
    where: Where,
    *,
    file: str | None,
    issues: str | None,
    min_hit: float | None,
    revision: str | None,
    output_format: str,
) -> int:
    """Ask questions whose answers are known.

    It says how many are right, and lists the questions whose first place is another, with that
    place. The questions are those in a YAML file, and the 'asks' of pages. Each has 'query', and
    'expect_source', 'expect' or 'none: true'; other options are those of a fence.
    """
    from mkdocs_recall.answers.evaluation import Figures
    from mkdocs_recall.answers.evaluation import evaluate as ask

    if revision is not None and where.built is not None:
        msg = "--compare needs the pages' files; leave out --built"
        raise click.UsageError(msg)
    before: list[Outcome] = []
    with where.reading() as corpus:
        questions = _questions(where, corpus, file, issues)
        after = ask(questions, corpus)
        if revision is not None:
            from mkdocs_recall.cli.revisions import past_pages

            with past_pages(where, revision, corpus) as past:
                before = ask(questions, past)
    note_all(corpus.warnings)
    if not questions:
        note("Nothing to ask: name a file of questions, or state 'asks' on a page.")
        return Status.NOTHING
    figures = Figures.of(after)
    _report(after, before, output_format, revision or "")
    is_low = min_hit is not None and figures.hit_1 < min_hit
    if is_low:
        note(f"hit@1 is {figures.hit_1:.2f}, less than {min_hit:.2f}.")
    is_worse = any(old.rank == 1 != new.rank for old, new in zip(before, after, strict=False))
    return Status.CHANGED if is_low or is_worse else Status.FOUND


def _questions(
    where: Where, corpus: Corpus, file: str | None, issues: str | None
) -> list[Question]:
    from mkdocs_recall.answers.evaluation import QuestionReader

    reader = QuestionReader(where.defaults(), where.limits())
    listed: list[Iterable[Question]] = []
    if file:
        listed.append(reader.in_yaml(_text(file), file))
    if issues:
        try:
            records: Any = json.loads(_text(issues))
        except (ValueError, RecursionError) as error:
            msg = f"'{issues}' is not JSON: {error}"
            raise RecordError(msg) from error
        listed.append(reader.in_issues(records, issues, corpus, where.site_url()))
    return [*chain.from_iterable(listed), *reader.asked(corpus)]


def _text(file: str) -> str:
    try:
        return Path(file).read_text("utf-8-sig")
    except (OSError, ValueError) as error:
        msg = f"'{file}' cannot be read: {error}"
        raise RecordError(msg) from error


def _report(
    after: Sequence[Outcome],
    before: Sequence[Outcome],
    output_format: str,
    revision: str,
) -> None:
    """Print the figures, the questions that are missed, and those that fare otherwise than before.

    Args:
        before: The outcomes of the same questions in a revision; none without one.
    """
    from mkdocs_recall.answers.evaluation import Figures

    figures, earlier = Figures.of(after), Figures.of(before) if before else None
    ranks = [outcome.rank for outcome in before] or [None] * len(after)
    pairs = list(zip(after, ranks, strict=True))
    shown = [(one, rank) for one, rank in pairs if one.rank != 1 or (before and rank != 1)]
    if output_format == "json":
        records = [_record(*pair, compared=bool(before)) for pair in pairs]
        record = {"schema": 1, **figures._asdict()}
        say_json(record | {"before": earlier and earlier._asdict(), "outcomes": records})
        return
    for outcome, rank in shown:
        file, line = outcome.question.file, outcome.question.line
        text = outcome.text()
        if before and rank != outcome.rank:
            text += f"; in {revision}: {f'number {rank}' if rank else 'not found'}"
        if output_format == "github":
            level = "warning" if outcome.rank != 1 else "notice"
            say_as_is(github_command(level, file, line, "evaluate", text))
        else:
            say(single_line(f"{location(file, line)}: {text}"))
    rows = [("questions", "hit@1", "hit@3", "mrr", "answered", "words"), _row(figures)]
    table = [["", *rows[0]], ["now", *rows[1]], *([[revision, *_row(earlier)]] if earlier else [])]
    lines = columns(table if earlier else rows)
    if output_format == "github":
        note(f"{count_noun(figures.questions, 'question')}, hit@1 {figures.hit_1:.2f}.")
    else:
        say("\n" * bool(shown) + lines)


def _row(figures: Figures) -> tuple[str, ...]:
    shares = (f"{share:.2f}" for share in figures[1:5])
    return str(figures.questions), *shares, f"{figures.words:.0f}"


def _record(outcome: Outcome, before: int | None, *, compared: bool) -> dict[str, Any]:
    question = outcome.question
    return {
        "query": question.text,
        "expected": question.expected,
        "file": question.file,
        "line": question.line,
        "rank": outcome.rank,
        "answered": outcome.answered,
        "words": outcome.words,
        "first": outcome.first,
        "fault": outcome.fault,
        **({"rank_before": before} if compared else {}),
    }
