"""`mkdocs-recall render`: the directives of Markdown files, answered."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import click

from mkdocs_recall.cli.options import expiry_option, json_option
from mkdocs_recall.cli.output import Status, complain, note, note_all, say, say_json
from mkdocs_recall.cli.output_files import diff_lines, output_files, write_output
from mkdocs_recall.cli.where import where_options
from mkdocs_recall.messages import escape_invisible
from mkdocs_recall.scoring.registry import SCORERS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mkdocs_recall.answers.files import FileDiagnostic, RenderedFile
    from mkdocs_recall.cli.where import Where
    from mkdocs_recall.corpus.corpus import Corpus

_DEFAULTS: Final = (
    *("source", "max_sentences", "max_tokens", "token_counter", "scorer", "language"),
)
"""The options of a directive whose default may be given."""


class _RenderedTarget(NamedTuple):
    """A file, and what it came to."""

    file: Path
    output: Path | None
    rendered: RenderedFile


@click.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="FILE…")
@where_options
@click.option(
    "--output",
    metavar="PATH",
    help="Write to this file, or to files of the same names in this folder, if it is one or ends "
    "with '/'. Left out, to stdout.",
)
@click.option("--check", is_flag=True, help="Write nothing; fail where --output is not up to date.")
@click.option("--source", multiple=True, metavar="SOURCE", help="For fences that name none.")
@click.option(
    "--max-sentences",
    type=click.IntRange(min=1),
    metavar="N",
    help="For fences that state none, as the four below.",
)
@click.option(
    "--max-tokens", type=click.IntRange(min=1), metavar="N", help="How many tokens at most."
)
@click.option("--token-counter", metavar="NAME", help="What counts them.")
@click.option(
    "--scorer", type=click.Choice(tuple(SCORERS)), help="How sentences are scored in a recall."
)
@click.option("--language", metavar="CODE", help="Read the pages in this language.")
@expiry_option
@json_option
def render(
    where: Where,
    files: tuple[Path, ...],
    output: str | None,
    *,
    check: bool,
    include_expired: bool,
    as_json: bool,
    **given: Any,  # noqa: ANN401 - each option has its own type
) -> int:
    """Answer the fences of each FILE, in Markdown.

    A 'recall' or 'synopsis' in it becomes a quote. FILE may be any Markdown file: a prompt,
    AGENTS.md, a page. In a page of the documentation a source is seen from there, in any other file
    from the documentation's root. A fence that finds no answer leaves nothing, unless it or the
    site says otherwise. If a fence has a mistake, nothing is written at all.
    """
    if check and output is None:
        msg = "--check compares with what was written; name that with --output"
        raise click.UsageError(msg)
    from mkdocs_recall.answers.files import FileRenderer

    defaults = where.defaults() | {name: given[name] for name in _DEFAULTS if given[name]}
    with ExitStack() as stack:

        @cache
        def pages(*, include_expired: bool) -> Corpus:
            reading = where.reading(language=given["language"], include_expired=include_expired)
            corpus = stack.enter_context(reading)
            stack.callback(lambda: note_all(corpus.warnings))
            return corpus

        corpus = pages(include_expired=include_expired)
        every = partial(pages, include_expired=True)
        documents = FileRenderer(corpus, defaults=defaults, every=every, limits=where.limits())
        made = [
            _RenderedTarget(file, target, documents.render(file, output=target))
            for file, target in zip(files, output_files(files, output), strict=True)
        ]
    if _has_faults(made):
        return Status.WRONG
    if as_json:
        say_json({"schema": 1, "files": list(map(_record, made))})
    if check:
        return _checked(made, shown=not as_json)
    for each in made:
        if each.output is not None:
            write_output(each.output, each.rendered.text)
        elif not as_json:
            _print(each.rendered.text)
    return Status.FOUND


def _has_faults(made: Sequence[_RenderedTarget]) -> bool:
    """Say what authors should know, and tell whether there is something to mend."""
    for each in made:
        for remark in each.rendered.warnings:
            note(f"Warning: {_said(each.file, remark)}")
        for remark in each.rendered.faults:
            complain(_said(each.file, remark))
    return any(each.rendered.faults for each in made)


def _checked(made: Sequence[_RenderedTarget], *, shown: bool) -> Status:
    """Say which files are not as they would be written, and how they differ."""
    status = Status.FOUND
    for each in made:
        if each.output and (changed := diff_lines(each.output, each.rendered.text)):
            status = Status.CHANGED
            if shown:
                say(changed)
            note(f"'{each.output}' is not what '{each.file}' comes to; render without --check.")
    return status


def _said(file: Path, remark: FileDiagnostic) -> str:
    return f"{file}:{remark.line}: {remark.name}: {remark.message}"


def _record(made: _RenderedTarget) -> dict[str, Any]:
    return {
        "file": str(made.file),
        "output": None if made.output is None else str(made.output),
        "text": made.rendered.text,
        "current": None if made.output is None else not diff_lines(made.output, made.rendered.text),
    }


def _print(text: str) -> None:
    """Print a file as it is; only on a terminal nothing in it may drive that."""
    if sys.stdout is None:  # a process may be started without
        return
    if sys.stdout.isatty():
        text = escape_invisible(text)
    if text and not text.endswith("\n"):
        text += "\n"
    sys.stdout.flush()
    sys.stdout.buffer.write(text.encode())
