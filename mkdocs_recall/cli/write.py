"""The commands `render` and `fill`: quotes in files and finished sites."""

from __future__ import annotations

import os
import sys
from contextlib import ExitStack, suppress
from difflib import unified_diff
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from mkdocs_recall.cli.options import (
    FILE,
    FOLDER,
    Where,
    expiry_option,
    filtered,
    json_option,
    option_of,
    where_option,
    where_options,
)
from mkdocs_recall.cli.output import Status, complain, note, note_all, read_stdin, say, say_json
from mkdocs_recall.directives.catalog import as_lock_mode, truth
from mkdocs_recall.errors import LockError, PageError, RecallError, SiteError
from mkdocs_recall.files import file_errors, files_in, leads_outside, real_path, write_atomically
from mkdocs_recall.messages import count_noun, escape_invisible, shown_path
from mkdocs_recall.options import SLUGS, LockMode, Slugs
from mkdocs_recall.pages.config import docs_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from mkdocs_recall.answers.files import FileRenderer, RenderedFile
    from mkdocs_recall.answers.lock import ApprovedAnswers
    from mkdocs_recall.hosts.fill import FilledSite
    from mkdocs_recall.pages.built import SourceNames
    from mkdocs_recall.pages.corpus import Corpus

_NO_PATHS: Final = ("", "-")
"""An unset variable, and other programs' name of stdout."""
_SHOWN: Final = 40


def _input_files(paths: Sequence[Path], output: str | None) -> dict[Path, bool]:
    """Return the files to render, none below the output, and whether in a folder."""
    from mkdocs_recall.pages.reader import MARKDOWN

    files: dict[Path, bool] = {}
    for path in paths:
        if not path.is_dir():
            files[path] = False
            continue
        below = [path / name for name in sorted(Path(uri) for uri, _ in files_in(path, MARKDOWN))]
        target = real_path(output) if output else None
        if target and target != real_path(path):  # else refused by `_output_files`
            below = [file for file in below if not real_path(file).is_relative_to(target)]
        if not below:
            raise SiteError(f"there is no Markdown file to render in '{path}'")
        for file in below:
            files.setdefault(file, True)
    return files


def _output_files(
    files: Sequence[Path], output: str | None, *, paths: Sequence[Path]
) -> list[Path | None]:
    """Return the output path of each file; None for stdout."""
    if output is None:
        return [None for _ in files]
    if output in _NO_PATHS:
        msg = f"--output '{output}' is neither a file nor a folder; without it, stdout is written"
        raise click.UsageError(msg)
    path = Path(output)
    several = len(files) > 1 or any(name.is_dir() for name in paths)
    if path.is_dir() or output.endswith(("/", os.sep)):
        if any(str(file) == "-" for file in files):
            msg = f"--output '{output}' is a folder, and stdin has no file name; name a file"
            raise click.UsageError(msg)
        folders = {os.path.abspath(path if path.is_dir() else path.parent) for path in paths}  # noqa: PTH100 - as `relpath`, without resolving links
        base = os.path.commonpath(folders)
        targets = [path / os.path.relpath(file, base) for file in files]
    elif several:
        msg = f"--output '{output}' is one file for several; name a folder: '{output}/'"
        raise click.UsageError(msg)
    else:
        targets = [path]
        folder = path.absolute().parent
        if not (folder.exists() or folder.is_relative_to(Path.cwd())):
            msg = f"--output '{output}' is in no folder: '{folder}' does not exist"
            raise click.UsageError(msg)
    sources = {real_path(file) for file in files}
    for target in targets:
        if real_path(target) in sources:
            msg = f"--output '{target}' is a file to render, and its fences would be lost"
            raise click.UsageError(msg)
        below = target.relative_to(path).parts if len(target.parts) > len(path.parts) else ()
        steps = [target, *(path.joinpath(*below[:depth]) for depth in range(1, len(below)))]
        if any(leads_outside(step, Path.cwd()) for step in steps):
            real = real_path(target)
            msg = f"--output '{target}' is a link to '{real}'; if you trust it, name that"
            raise click.UsageError(msg)
    return list(targets)


def _diff_lines(path: Path, text: str) -> str:
    if path.exists() and not path.is_file():  # reading a pipe would block
        raise SiteError(f"'{path}' cannot be read: it is not a file")
    old = None
    with file_errors(path), suppress(FileNotFoundError):
        old = path.read_bytes().decode("utf-8", "surrogateescape")
    if old == text:
        return ""
    if old is None:
        return f"{path} is not there"
    names = f"{path} as it is", f"{path} as rendered"
    lines = [*unified_diff(old.split("\n"), text.split("\n"), *names, lineterm="")]
    more = len(lines) - _SHOWN
    return "\n".join([*lines[:_SHOWN], *([f"… and {more} more lines"] if more > 0 else [])])


def write_output(path: Path, text: str) -> None:
    """Write a file atomically."""
    with file_errors(path, "written"):
        write_atomically(path, text.encode())


def _print_file(text: str) -> None:
    """Print a file; on a terminal, escape all control characters."""
    if sys.stdout is None:  # a process may start without it
        return
    if sys.stdout.isatty():
        text = escape_invisible(text)
    if text and not text.endswith("\n"):
        text += "\n"
    sys.stdout.flush()
    sys.stdout.buffer.write(text.encode())


_DEFAULTS: Final = ("source", "max_sentences", "scorer", "language")
_STDIN: Final = Path("-")


@click.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="FILE…")
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
@option_of(
    "max_sentences",
    help="Maximum number of sentences, for fences that set none, like the next three.",
)
@option_of("scorer", default=None, show_default=False, help="Scorer of a recall.")
@option_of("language")
@option_of(
    "max_tokens",
    help="Budget of each FILE, in tokens: its fences share it, and no sentence is quoted twice.",
)
@click.option(
    "--slugs",
    type=click.Choice(SLUGS),
    help="Anchors in links to pages: as GitHub and editors make them of headings, or as the site "
    "has them.  [default: github, but mkdocs for a file among the pages of a site]",
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
    slugs: Slugs | None,
    include_expired: bool,
    as_json: bool,
    **options: Any,  # each option has its own type
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
        raise click.UsageError("--check compares with what was written; name that with --output")
    if files.count(_STDIN) > 1:
        raise click.UsageError(f"'{_STDIN}' is stdin, which is read once; name it once")
    from mkdocs_recall.answers.files import FileRenderer, documentation_root

    options["source"] = filtered(options["source"], options.pop("conditions"))
    note_all(where.unknown_settings(), "Warning: {}")
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
            slugs=slugs or (None if where.site_file() else "github"),
            is_copy=[*map(os.path.realpath, files)] == [documentation_root(corpus.files)],
        )
        targets = _render(renderer, files, output)
    if not _are_right(targets, max_tokens):
        return Status.WRONG
    if as_json:
        say_json({"schema": 1, "files": list(map(_record, targets))})
    if check:
        return _check(targets, with_diff=not as_json)
    for target in targets:
        if target.output is not None:
            write_output(target.output, target.text)
        elif not as_json:
            _print_file(target.text)
    return Status.FOUND


def _render(
    renderer: FileRenderer, paths: Sequence[Path], output: str | None
) -> list[RenderedFile]:
    files = _input_files(paths, output)
    targets = []
    for file, path in zip(files, _output_files(list(files), output, paths=paths), strict=True):
        try:
            content = read_stdin() if file == _STDIN else None
            targets.append(renderer.render(file, output=path, content=content))
        except PageError as error:  # noqa: PERF203 - to read a file takes longer
            if not files[file]:
                raise
            note(f"Warning: '{file}' is left out: line {error.line} is not UTF-8; save it as UTF-8")
    return targets


def _are_right(targets: Sequence[RenderedFile], max_tokens: int | None) -> bool:
    for target in targets:
        note_all(target.warnings, "Warning: {}")
        note_all(target.faults, "Error: {}")
    if any(target.faults for target in targets):
        return False
    for target in targets:
        note_all(target.left_out, "Left out: {}")
        if target.tokens is not None:
            note(f"{target.path}: {target.tokens:,} of {max_tokens:,} tokens.")
    return True


def _check(targets: Sequence[RenderedFile], *, with_diff: bool) -> Status:
    status = Status.FOUND
    for target in targets:
        if target.output and (diff := _diff_lines(target.output, target.text)):
            status = Status.CHANGED
            if with_diff:
                say(diff)
            note(f"'{target.output}' is out of date; run 'render' without --check.")
    return status


def _record(target: RenderedFile) -> dict[str, Any]:
    text, output = target.text, target.output
    return {
        "file": str(target.path),
        "output": None if output is None else str(output),
        "text": text,
        "current": None if output is None else not _diff_lines(output, text),
    }


@click.command()
@click.argument("site", metavar="SITE_DIR", type=click.Path(file_okay=False))
@click.argument("command", metavar="[-- COMMAND…]", nargs=-1)
@click.option(
    "--config",
    "-f",
    **FILE,
    help="Configuration that the site was built with.  [default: the nearest one, in this folder "
    "or above it, unless --docs or --map is given]",
)
@click.option(
    "--docs",
    **FOLDER,
    help="Folder of the sources, if a generator other than MkDocs built the site.",
)
@click.option(
    "--map",
    "maps",
    multiple=True,
    metavar="FILE=PAGE",
    help="Unusual mapping of source files to pages, such as 'content/{}.md={}/index.html'. "
    "Repeatable.",
)
@click.option(
    "--trust-html",
    is_flag=True,
    help="Also answer comments that are not in the source of the page.",
)
@click.option(
    "--css/--no-css",
    default=None,
    help="Link pages with quotes to a stylesheet, 'assets/recall.css' in SITE_DIR. By default as "
    "the site's option 'css' says; true where it says nothing.",
)
@click.option("--check", is_flag=True, help="Write nothing; fail if a page would change.")
@click.option("--strict", is_flag=True, help="Fail after a warning.")
def fill(
    site: str,
    config: str | None,
    docs: str | None,
    maps: tuple[str, ...],
    *,
    check: bool,
    command: tuple[str, ...],
    **options: Any,  # each option has its own type
) -> int:
    """Answer the directives of a finished site.

    SITE_DIR is the folder of the site, built by any generator. A directive is a comment that the
    Markdown extension of this package leaves, or a code block in the language recall or synopsis.
    Quotes come from the finished pages. The comment remains beside its quote, so that the next run
    can update it. Exit status: 1 after a warning with --strict, or after an error if the site sets
    'on_error: raise'; 3 if --check finds a page that would change.

    COMMAND builds or serves the site, such as 'zensical serve'. The site is filled whenever COMMAND
    has written it, until COMMAND ends. Its exit status counts unless it is 0.
    """
    if config is not None and (docs is not None or maps):
        raise click.UsageError("--config tells where the sources are; name it, or --docs and --map")
    if check and command:
        raise click.UsageError("--check writes nothing; run it without a COMMAND")
    run = partial(_fill, site, config, docs, maps, check=check, **options)
    if command:
        from mkdocs_recall.hosts.fill import fill_while_running

        def fill_again(is_current: Callable[[], bool]) -> None:
            try:
                run(is_current=is_current)
            except (RecallError, OSError) as error:  # usually an unfinished site
                note(f"Not filled yet: {error}")

        if status := fill_while_running(command, site, fill_again):
            return status
    if not Path(site).is_dir():
        raise click.BadParameter(f"Directory '{site}' does not exist.", param_hint="SITE_DIR")
    return run()


def _fill(
    site: str,
    config: str | None,
    docs: str | None,
    maps: tuple[str, ...],
    *,
    trust_html: bool,
    css: bool | None,
    check: bool,
    strict: bool,
    is_current: Callable[[], bool] | None = None,
) -> Status:
    from mkdocs_recall.answers.insertion import STYLESHEET
    from mkdocs_recall.hosts.fill import SITE_SUFFIXES, FillState, SiteFiller
    from mkdocs_recall.pages.built import SourceNames, language_folders, site_files

    if docs is not None or maps:
        names: SourceNames | None = SourceNames(docs, maps, site=site)
        where = Where(built=site, sources=names, lines=False)
    else:
        where = Where(config=config, built=site, lines=False)
        site_file = where.site_file()
        names = SourceNames(docs_folder(site_file)) if site_file else None
    translations = [] if where.site_file() else language_folders(site)
    root = str(Path(site).absolute())
    defaults, limits = where.defaults(), where.limits()
    unknown = where.unknown_settings()
    if css is None:
        css = where.option("css", lambda value: value is None or truth("css", value))
    settings = (
        str(names.identity if names else ""),
        f"{trust_html} {css}",
        f"{defaults} {limits} {unknown}",
    )
    mode = where.option("lock", as_lock_mode)
    approved, fault = _approved_answers(where, mode)
    lock = f"{mode} {approved.digest.hex() if approved else fault}"
    state = FillState(where.cache_folder(), root, *settings, lock)
    inputs = [*where.files_of_site(), str(Path(root, STYLESHEET))]
    inputs += names.files.values() if names else ()
    pages = [file for _, file in site_files(root, SITE_SUFFIXES)]
    unchanged = None if is_current else state.read([*pages, *inputs])
    filled = unchanged
    if filled is None:
        with where.reading() as corpus:
            filler = SiteFiller(
                root,
                corpus,
                names,
                defaults=defaults,
                limits=limits,
                site_url=where.site_url(),
                trust_html=trust_html,
                approved=approved,
                css=css,
                others=translations,
            )
            filled = filler.fill()
            filled.warnings[:0] = unknown
            if fault:
                filled.warnings.insert(0, f"recall: {fault}")
            note_all(corpus.warnings)
    changed = {**filled.files, **filled.assets}
    if is_current and not (changed and is_current()):
        return Status.FOUND
    note_all(filled.warnings, "Warning: {}")
    if check:
        note_all(map(shown_path, changed), "'{}' would change.")
        status = Status.CHANGED if changed else Status.FOUND
    else:
        status = _write(changed, Path(root))
    note(_summary(filled, 0 if check else len(filled.files)))
    inner = (shown_path(str(Path(root, name))) for name in translations)
    note_all(inner, "'{}' is in another language; fill it separately.")
    if not unchanged and filled.is_pure and not (status or is_current):
        state.write([*(file for _, file in site_files(root, SITE_SUFFIXES)), *inputs], filled)
    has_failed = bool(strict and filled.warnings)
    if filled.answered < filled.directives and not has_failed:
        has_failed = where.option("on_error", lambda value: value == "raise")
    return Status.NOTHING if has_failed and not status else status


def _approved_answers(where: Where, mode: LockMode) -> tuple[ApprovedAnswers | None, str]:
    """Return the approved answers, or why a site that wants them has none."""
    site_file = where.site_file()
    if mode == "off" or site_file is None:
        return None, ""
    from mkdocs_recall.answers.lock import ApprovedAnswers

    try:
        return ApprovedAnswers(mode, site_file.parent), ""
    except LockError as error:
        return None, str(error)


def _write(files: Mapping[str, bytes], root: Path) -> Status:
    status = Status.FOUND
    for file, content in files.items():
        try:
            write_atomically(Path(file), content, root, anew=False)
        except OSError as error:  # noqa: PERF203 - to write takes longer
            complain(f"'{shown_path(file)}' cannot be written: {error.strerror or error}")
            status = Status.WRONG
    return status


def _summary(site: FilledSite, changed: int) -> str:
    if not site.directives:
        pages = "only page" if site.pages == 1 else f"{site.pages} pages"
        return f"No directive is in the {pages} of the site."
    return (
        f"{site.answered} of {count_noun(site.directives, 'directive')} answered, "
        f"{site.fallbacks} by fallback; {count_noun(changed, 'file')} changed."
    )
