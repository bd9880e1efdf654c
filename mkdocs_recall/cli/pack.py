"""`mkdocs-recall pack`: one Markdown file with the answers to several queries, within a budget."""

from __future__ import annotations

import os
from contextlib import ExitStack
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from mkdocs_recall.cache.files import leads_outside
from mkdocs_recall.cli.options import expiry_option, json_option
from mkdocs_recall.cli.output import Status, complain, note, note_all, say, say_json
from mkdocs_recall.cli.where_options import any_where_options
from mkdocs_recall.errors import EncodingError, PackError, SiteError

if TYPE_CHECKING:
    from mkdocs_recall.cli.where import Where
    from mkdocs_recall.corpus.corpus import Corpus
    from mkdocs_recall.review.pack import Pack
    from mkdocs_recall.review.pack_file import PackRequest

_STDOUT: Final = "-"
_MARK: Final = "<!-- mkdocs-recall pack: "
"""How each file begins that this command has written, so that it replaces no other."""
_SOURCES: Final = 3
"""How many sources of what is left out are named for each entry."""


@click.command()
@click.argument("file", metavar="FILE", type=click.Path(dir_okay=False, path_type=Path))
@any_where_options
@click.option(
    "--output",
    metavar="PATH",
    help="Output file, in place of the one that FILE names; '-' is stdout.",
)
@click.option("--check", is_flag=True, help="Write nothing; fail if the output is out of date.")
@expiry_option
@json_option
def pack(
    where: Where,
    file: Path,
    output: str | None,
    *,
    check: bool,
    include_expired: bool,
    as_json: bool,
) -> int:
    """Answer the queries in FILE, within one budget of tokens.

    FILE is YAML, such as pack.yml, with 'max_tokens', 'queries' and 'synopses'. The result is one
    Markdown file (AGENTS.md, a prompt) with the best passage for each query, then others by score,
    each with its source and nothing twice. What does not fit is listed on stderr.
    """
    from mkdocs_recall.cli.output_files import print_file
    from mkdocs_recall.review.pack_file import read_pack

    try:
        request = read_pack(_read(file), defaults=where.defaults(), limits=where.limits())
        path = _output_path(file, output, request)
        if check and path is None:
            msg = "--check compares with what was written; name that with --output"
            raise click.UsageError(msg)
        made = _make(where, request, file, path, include_expired=include_expired)
    except PackError as error:
        for line, fault in error.faults:
            complain(f"{file}:{line}: {fault}" if line else f"{file}: {fault}")
        return Status.WRONG
    note_all(made.diagnostics)
    for line, warning in made.warnings:
        note(f"Warning: {file}:{line}: {warning}")
    diff = _diff(path, made) if path is not None else ""
    if as_json:
        current = None if path is None or not made.text else not diff
        where_to = {"file": str(file), "output": path and str(path), "current": current}
        say_json({"schema": 1, **where_to, "max_tokens": request.max_tokens, **made.record()})
    if not made.text:
        note(f"Nothing found: the pages answer nothing that '{file}' asks.")
        return Status.NOTHING
    _list_left_out(made)
    passages = _count(len(made.packed))
    note(f"{passages}, {made.tokens:,} of {request.max_tokens:,} tokens.")
    if path is None and not as_json:
        print_file(made.text)
    if path is None:
        return Status.FOUND
    return _write(path, made.text, diff, check=check, with_diff=not as_json)


def _write(path: Path, text: str, diff: str, *, check: bool, with_diff: bool) -> Status:
    """Write the output file, or say whether it is up to date."""
    from mkdocs_recall.cli.output_files import write_output

    if not diff:
        return Status.FOUND
    if not check:
        write_output(path, text)
        return Status.FOUND
    if with_diff:
        say(diff)
    note(f"'{path}' is out of date; run the command without --check.")
    return Status.CHANGED


def _read(file: Path) -> str:
    """Return the text of a pack file."""
    try:
        return file.read_bytes().decode("utf-8-sig")
    except OSError as error:
        msg = f"'{file}' cannot be read: {error.strerror or error}"
        raise SiteError(msg) from error
    except UnicodeDecodeError as error:
        raise EncodingError(str(file), error) from error


def _output_path(file: Path, output: str | None, request: PackRequest) -> Path | None:
    """Return the path of the output file; None for stdout."""
    if output == _STDOUT:
        return None
    if output is not None:
        path = Path(output)
        if not output or path.is_dir() or path.resolve() == file.resolve():
            msg = f"--output '{output}' is no file to write to; name one, or '-' for stdout"
            raise click.UsageError(msg)
        if leads_outside(path, Path.cwd()):
            msg = f"--output '{path}' is a link to '{path.resolve()}'; if you trust it, name that"
            raise click.UsageError(msg)
        return path
    if not request.output or request.output == _STDOUT:
        return None
    path = file.parent / request.output
    folders = [Path(os.path.realpath(folder)) for folder in (file.parent, Path.cwd())]
    real = Path(os.path.realpath(path))
    if path.is_dir() or real == file.resolve():
        raise PackError((0, f"'output' is '{request.output}', which is no file to write to"))
    if not any(real.is_relative_to(folder) for folder in folders) or leads_outside(path, *folders):
        msg = f"'output' is '{path}', outside of this folder; if you trust it, name it by --output"
        raise PackError((0, msg))
    return path


def _make(
    where: Where, request: PackRequest, file: Path, path: Path | None, *, include_expired: bool
) -> Pack:
    """Return the pack."""
    from mkdocs_recall.answers.files import documentation_root
    from mkdocs_recall.rendering.markdown import TargetFile
    from mkdocs_recall.review.pack import make_pack

    with ExitStack() as stack:

        @cache
        def pages(*, include_expired: bool) -> Corpus:
            corpus = stack.enter_context(where.reading(include_expired=include_expired))
            stack.callback(lambda: note_all(corpus.warnings))
            return corpus

        corpus = pages(include_expired=include_expired)
        if path and {os.path.abspath(path), os.path.realpath(path)} & {*corpus.files.values()}:  # noqa: PTH100 - of a link, too
            msg = f"'{path}' is a page, and would quote itself; write it to another folder"
            raise PackError((0, msg))
        target = TargetFile(
            uri="",
            folder=os.path.realpath((path or file).parent),
            root=documentation_root(corpus.files),
            pages=corpus.files,
        )
        name = "the pack file" if "--" in file.name else f"'{file.name}'"  # it would end there
        comment = f"{_MARK}edit {name} instead -->"
        every = partial(pages, include_expired=True)
        return make_pack(request, corpus, target, every=every, comment=comment)


def _diff(path: Path, made: Pack) -> str:
    """Return how the output file differs from a pack; empty if it does not."""
    from mkdocs_recall.cli.output_files import diff_lines, read_output

    old = read_output(path)
    if old and not old.startswith(_MARK):
        msg = (
            f"'{path}' was not written by this command, and would be lost; "
            "move it, or name another file"
        )
        raise SiteError(msg)
    if not made.text or (old or "").replace("\r\n", "\n") == made.text:  # git may write CRLF
        return ""
    return diff_lines(path, made.text)


def _list_left_out(made: Pack) -> None:
    """Write to stderr what does not fit, by what it answers."""
    sources: dict[str, list[str]] = {}
    for packed in made.left_out:
        sources.setdefault(packed.entry.label, []).append(packed.passage.source)
    for label, found in sources.items():
        names = list(dict.fromkeys(found))
        more = ", …" * (len(names) > _SOURCES)
        note(f"Left out: {_count(len(found))} for '{label}': {', '.join(names[:_SOURCES])}{more}")


def _count(number: int) -> str:
    return "1 passage" if number == 1 else f"{number} passages"
