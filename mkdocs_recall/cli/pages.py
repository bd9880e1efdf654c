"""`mkdocs-recall pages`: what can be quoted."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from mkdocs_recall.cli.options import expiry_option, json_option, source_option
from mkdocs_recall.cli.output import Status, columns, note, say, say_json
from mkdocs_recall.cli.where import where_options

if TYPE_CHECKING:
    from mkdocs_recall.cli.where import Where


@click.command()
@where_options
@source_option
@expiry_option
@json_option
def pages(where: Where, source: tuple[str, ...], *, include_expired: bool, as_json: bool) -> int:
    """List the pages that can be quoted, in their order.

    Each line has the path by which a page is named as a source, its title, and its file.
    """
    from mkdocs_recall.messages import shown_path
    from mkdocs_recall.retrieval.records import SCHEMA, page_record

    with where.reading(include_expired=include_expired) as corpus:
        documents = corpus.select(source) if source else corpus.documents
    if as_json:
        say_json({"schema": SCHEMA, "pages": [page_record(document) for document in documents]})
    elif documents:
        say(columns([d.uri, d.title, d.file and shown_path(d.file)] for d in documents))
    if documents:
        return Status.FOUND
    note("Nothing found: there is no page that may be quoted.")
    return Status.NOTHING
