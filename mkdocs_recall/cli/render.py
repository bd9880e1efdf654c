"""`mkdocs-recall render`: quotes in place of the directives of Markdown files."""

from __future__ import annotations

import os
import sys
from contextlib import ExitStack
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import click

from mkdocs_recall.cli.language_option import language_option
from mkdocs_recall.cli.options import expiry_option, json_option
from mkdocs_recall.cli.output import Status, complain, note, note_all, say, say_json
from mkdocs_recall.cli.output_files import (
    diff_lines,
    input_files,
    output_files,
    print_file,
    write_output,
)
from mkdocs_recall.cli.source_options import filtered, where_option
from mkdocs_recall.cli.where_options import where_options
from mkdocs_recall.errors import EncodingError
from mkdocs_recall.options import SCORER_NAMES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mkdocs_recall.answers.files import FileDiagnostic, FileRenderer, RenderedFile
    from mkdocs_recall.cli.where import Where
    from mkdocs_recall.corpus.corpus import Corpus

_DEFAULTS: Final = (*("source", "max_sentences", "scorer", "language"),)
"""The options of a directive whose defaults are options of this command."""
_STDIN: Final = Path("-")


class _RenderedTarget(NamedTuple):
    """A file, its output path and its rendered text."""

    file: Path
    output: Path | None
    rendered: RenderedFile


class _PathOrStdin(click.Path):
    """A path, or `-` for stdin: `./-` is a file, which `Path` alone would not tell from it."""

    def convert(
        self,
        value: Any,  # noqa: ANN401 - as click has it
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> Path:
        """Return the path."""
        path = Path(os.fsdecode(super().convert(value, param, ctx)))
        return path.absolute() if path == _STDIN and value != str(_STDIN) else path


@click.command()
@click.argument("files", nargs=-1, required=True, type=_PathOrStdin(), metavar="FILE…")
@where_options
@click.option(
    "--output",
    metavar="PATH",
    help="Output file, or output folder: an existing one, or a path that ends with '/'. Several "
    "files keep their relative paths.  [default: stdout]",
)
@click.option("--check", is_flag=True, help="Write nothing; fail if --output is out of date.")
@click.option("--source", multiple=True, metavar="SOURCE", help="Source of fences that set none.")
@where_option
@click.option(
    "--max-sentences",
    type=click.IntRange(min=1),
    metavar="N",
    help="Maximum number of sentences, for fences that set none; so for the next three.",
)
@click.option("--scorer", type=click.Choice(SCORER_NAMES), help="Scorer of a recall.")
@language_option
@click.option(
    "--max-tokens",
    type=click.IntRange(min=1),
    metavar="N",
    help="Budget of each FILE, in tokens: its fences share it, and no sentence is quoted twice.",
)
@expiry_option
@json_option
def render(
    where: Where,
    files: tuple[Path, ...],
    output: str | None,
    *,
    check: bool,
    max_tokens: int | None,
    include_expired: bool,
    as_json: bool,
    **options: Any,  # noqa: ANN401 - each option has its own type
) -> int:
    """Answer the fences of each FILE, in Markdown.

    Each 'recall' or 'synopsis' fence becomes a quote. FILE is a Markdown file (a prompt, AGENTS.md,
    a page), a folder, or '-' for stdin. Paths of sources are relative to a page of the
    documentation; in any other file they start at the root of the documentation. A fence without an
    answer is removed, unless the fence or the site sets 'on_empty'. If a fence has an error, no
    file is written.

    With --max-tokens, each fence first gets its best passage, then each its second, and so on, as
    long as they fit. What does not fit is listed on stderr.
    """
    if check and output is None:
        msg = "--check compares with what was written; name that with --output"
        raise click.UsageError(msg)
    if files.count(_STDIN) > 1:
        msg = f"'{_STDIN}' is stdin, which is read once; name it once"
        raise click.UsageError(msg)
    from mkdocs_recall.answers.files import FileRenderer

    options["source"] = filtered(options["source"], options.pop("conditions"))
    defaults = where.defaults() | {name: options[name] for name in _DEFAULTS if options[name]}
    with ExitStack() as stack:

        @cache
        def pages(*, include_expired: bool) -> Corpus:
            reading = where.reading(language=options["language"], include_expired=include_expired)
            corpus = stack.enter_context(reading)
            stack.callback(lambda: note_all(corpus.warnings))
            return corpus

        corpus = pages(include_expired=include_expired)
        every = partial(pages, include_expired=True)
        renderer = FileRenderer(
            corpus,
            defaults=defaults,
            every=every,
            limits=where.limits(),
            max_tokens=max_tokens,
        )
        targets = _render(renderer, files, output)
    if _report_faults(targets):
        return Status.WRONG
    _report_sizes(targets, max_tokens)
    if as_json:
        say_json({"schema": 1, "files": list(map(_record, targets))})
    if check:
        return _check(targets, with_diff=not as_json)
    for target in targets:
        if target.output is not None:
            write_output(target.output, target.rendered.text)
        elif not as_json:
            print_file(target.rendered.text)
    return Status.FOUND


def _content(file: Path) -> bytes | None:
    """Return what stands on stdin for `-`; None for a file."""
    if file != _STDIN:
        return None
    return sys.stdin.buffer.read() if sys.stdin is not None else b""


def _render(
    renderer: FileRenderer, paths: Sequence[Path], output: str | None
) -> list[_RenderedTarget]:
    """Render files, and those in folders; one in a folder that is not UTF-8 is left out."""
    files = input_files(paths, output)
    targets = []
    for file, path in zip(files, output_files(list(files), output, paths=paths), strict=True):
        try:
            rendered = renderer.render(file, output=path, content=_content(file))
            targets.append(_RenderedTarget(file, path, rendered))
        except EncodingError as error:  # noqa: PERF203 - to read a file takes longer
            if not files[file]:
                raise
            note(f"Warning: '{file}' is left out: line {error.line} is not UTF-8")
    return targets


def _report_faults(targets: Sequence[_RenderedTarget]) -> bool:
    """Write the warnings and errors to stderr, and tell whether there are errors."""
    for target in targets:
        for warning in target.rendered.warnings:
            note(f"Warning: {_message(target.file, warning)}")
        for fault in target.rendered.faults:
            complain(_message(target.file, fault))
    return any(target.rendered.faults for target in targets)


def _report_sizes(targets: Sequence[_RenderedTarget], max_tokens: int | None) -> None:
    """Write to stderr what does not fit the budget of a file, and how much of it is used."""
    for target in targets:
        for left_out in target.rendered.left_out:
            note(f"Left out: {_message(target.file, left_out)}")
        if target.rendered.tokens is not None:
            note(f"{target.file}: {target.rendered.tokens:,} of {max_tokens:,} tokens.")


def _check(targets: Sequence[_RenderedTarget], *, with_diff: bool) -> Status:
    """Say which output files are not up to date, maybe with a diff."""
    status = Status.FOUND
    for target in targets:
        if target.output and (diff := diff_lines(target.output, target.rendered.text)):
            status = Status.CHANGED
            if with_diff:
                say(diff)
            note(f"'{target.output}' is not what '{target.file}' comes to; render without --check.")
    return status


def _message(file: Path, diagnostic: FileDiagnostic) -> str:
    return f"{file}:{diagnostic.line}: {diagnostic.name}: {diagnostic.message}"


def _record(target: _RenderedTarget) -> dict[str, Any]:
    text, output = target.rendered.text, target.output
    return {
        "file": str(target.file),
        "output": None if output is None else str(output),
        "text": text,
        "current": None if output is None else not diff_lines(output, text),
    }
