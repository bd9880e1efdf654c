"""`mkdocs-recall fill`: quotes in place of the directives of a finished site."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from mkdocs_recall.cli.output import Status, complain, note, note_all
from mkdocs_recall.cli.where import Where
from mkdocs_recall.messages import shown_path

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mkdocs_recall.hosts.fill import FilledSite
    from mkdocs_recall.hosts.fill_state import FillSummary
    from mkdocs_recall.options import LockMode
    from mkdocs_recall.readers.source_names import SourceNames
    from mkdocs_recall.review.approved import ApprovedAnswers


@click.command()
@click.argument("site", metavar="SITE_DIR", type=click.Path(exists=True, file_okay=False))
@click.option(
    "--config",
    metavar="FILE",
    type=click.Path(dir_okay=False),
    help="Configuration that the site was built with.  [default: the nearest one, in this folder "
    "or above it, unless --docs or --map is given]",
)
@click.option(
    "--docs",
    metavar="DIR",
    type=click.Path(file_okay=False),
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
    trust_html: bool,
    css: bool | None,
    check: bool,
    strict: bool,
) -> int:
    """Answer the directives of a finished site.

    SITE_DIR is the folder of the site, built by any generator. A directive is a comment that the
    Markdown extension of this package leaves, or a code block in the language recall or synopsis.
    Quotes come from the finished pages. The comment remains beside its quote, so that the next run
    can update it. Exit status: 1 after a warning with --strict, or after an error if the site sets
    'on_error: raise'; 3 if --check finds a page that would change.
    """
    from mkdocs_recall.cache.files import UNFINISHED, remove_unfinished
    from mkdocs_recall.hosts.fill import SITE_SUFFIXES, SiteFiller
    from mkdocs_recall.hosts.fill_state import FillState
    from mkdocs_recall.readers.built import site_files
    from mkdocs_recall.readers.source_names import SourceNames
    from mkdocs_recall.rendering.stylesheet import STYLESHEET

    if config is not None and (docs is not None or maps):
        msg = "--config tells where the sources are; name it, or --docs and --map"
        raise click.UsageError(msg)
    if docs is not None or maps:
        names: SourceNames | None = SourceNames(docs, maps)
        where = Where(built=site, sources=names, lines=False)
    else:
        where = Where(config=config, built=site, lines=False)
        names = where.source_names()
    root = str(Path(site).absolute())
    defaults, limits = where.defaults(), where.limits()
    css = where.is_styled() if css is None else css
    settings = str(names.identity if names else ""), f"{trust_html} {css}", f"{defaults} {limits}"
    mode = where.lock_mode()
    approved, fault = approved_answers(where, mode)
    lock = f"{mode} {approved.digest.hex() if approved else fault}"
    state = FillState(where.cache_folder(), root, *settings, lock)
    files_of_names = names.files.values() if names else ()
    others = [*where.config_files(), *where.site_copies(), *files_of_names]
    others.append(str(Path(root, STYLESHEET)))
    filled: FilledSite | None = None
    found = [file for _, file in site_files(root, (*SITE_SUFFIXES, UNFINISHED))]
    summary = state.read([*(file for file in found if not file.endswith(UNFINISHED)), *others])
    if summary is None:
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
            )
            filled = filler.fill()
            filled.warnings[:0] = [f"recall: {fault}"] * bool(fault)
            note_all(corpus.warnings)
        summary = filled.summary
    files = filled.files if filled else {}
    changed = {**files, **filled.assets} if filled else {}
    for warning in summary.warnings:
        note(f"Warning: {warning}")
    if check:
        for file in changed:
            note(f"'{shown_path(file)}' would change.")
        status = Status.CHANGED if changed else Status.FOUND
    else:
        remove_unfinished(found, SITE_SUFFIXES)
        status = _write(changed, Path(root))
    note(_told(summary, 0 if check else len(files)))
    if filled and filled.is_pure and not status:
        state.write([*(file for _, file in site_files(root, SITE_SUFFIXES)), *others], summary)
    has_failed = (strict and summary.warnings) or (
        summary.answered < summary.directives and where.stops_at_errors()
    )
    return Status.NOTHING if has_failed and not status else status


def approved_answers(where: Where, mode: LockMode) -> tuple[ApprovedAnswers | None, str]:
    """Return the approved answers, or why there are none although the site wants them."""
    site_file = where.site_file()
    if mode == "off" or site_file is None:
        return None, ""
    from mkdocs_recall.errors import LockError
    from mkdocs_recall.review.approved import ApprovedAnswers

    try:
        return ApprovedAnswers.of(mode, site_file.parent), ""
    except LockError as error:
        return None, str(error)


def _write(files: Mapping[str, bytes], root: Path) -> Status:
    """Write each file that changes, whole or not at all; none that is not in the built site."""
    written = (_write_file(Path(file), content, root) for file, content in files.items())
    faults = [fault for fault in written if fault]
    for fault in faults:
        complain(fault)
    return Status.WRONG if faults else Status.FOUND


def _write_file(file: Path, content: bytes, root: Path) -> str:
    """Write a file; return what went wrong."""
    from mkdocs_recall.cache.files import write_atomically

    try:
        write_atomically(file, content, root)
    except OSError as error:
        return f"'{shown_path(str(file))}' cannot be written: {error.strerror or error}"
    return ""


def _told(summary: FillSummary, changed: int) -> str:
    if not summary.directives:
        pages = "only page" if summary.pages == 1 else f"{summary.pages} pages"
        return f"No directive is in the {pages} of the site."
    plural = "s" * (summary.directives != 1)
    return (
        f"{summary.answered} of {summary.directives} directive{plural} answered, "
        f"{summary.fallbacks} by fallback; {changed} file{'s' * (changed != 1)} changed."
    )
