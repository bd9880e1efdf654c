"""`mkdocs-recall pages` and `synopsis`: the pages that can be quoted, and what they are about."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from mkdocs_recall.cli.options import (
    expiry_option,
    json_option,
    with_synopsis_options,
)
from mkdocs_recall.cli.output import Status, columns, note, note_all, say, say_json
from mkdocs_recall.cli.source_options import filtered, source_option, where_option
from mkdocs_recall.cli.where_options import any_where_options
from mkdocs_recall.messages import shown_path

if TYPE_CHECKING:
    from mkdocs_recall.cli.where import Where


@click.command()
@any_where_options
@source_option
@where_option
@expiry_option
@json_option
def pages(
    where: Where,
    source: tuple[str, ...],
    conditions: dict[str, Any],
    *,
    include_expired: bool,
    as_json: bool,
) -> int:
    """List the pages that can be quoted, in page order.

    Each line has the path that names the page in a source, its title, and its file.
    """
    from mkdocs_recall.retrieval.records import SCHEMA, page_record

    with where.reading(include_expired=include_expired) as corpus:
        sources = filtered(source, conditions)
        documents = corpus.select(sources) if sources else corpus.documents
    note_all(corpus.warnings)
    if as_json:
        say_json({"schema": SCHEMA, "pages": [page_record(document) for document in documents]})
    elif documents:
        say(columns([d.uri, d.title, d.file and shown_path(d.file)] for d in documents))
    if documents:
        return Status.FOUND
    note("Nothing found: there is no page that may be quoted.")
    return Status.NOTHING


@click.command()
@click.argument("sources", metavar="SOURCE...", nargs=-1)
@any_where_options
@click.option(
    "--source",
    multiple=True,
    metavar="SOURCE",
    help="The same as SOURCE, for consistency with other commands.",
)
@where_option
@with_synopsis_options
def synopsis(
    where: Where,
    sources: tuple[str, ...],
    source: tuple[str, ...],
    conditions: dict[str, Any],
    values: dict[str, Any],
    *,
    include_expired: bool,
    as_json: bool,
) -> int:
    """Print the key sentences of SOURCE.

    SOURCE is a page, a page with #anchor, a folder or a glob, as a path from the root of the
    documentation. Sentences are printed in page order, with the source of each section.
    """
    from mkdocs_recall.cli.passages import SEPARATOR, report, say_result, section_blocks
    from mkdocs_recall.directives.schema import synopsis_options

    if not (sources or source):
        msg = "name a SOURCE: a page, a page with #anchor, a folder, a glob; '**' is all"
        raise click.UsageError(msg)
    with where.reading(language=values["language"], include_expired=include_expired) as corpus:
        result = corpus.answer(
            synopsis_options(source=filtered((*sources, *source), conditions), **values)
        )
    if as_json:
        say_result(result)
    elif result.passages:
        say(SEPARATOR.join(section_blocks(result.in_document_order())))
    return report(result, corpus)
