"""`mkdocs-recall synopsis`: what a page is about, in its own sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from mkdocs_recall.cli.completion import complete_source
from mkdocs_recall.cli.options import synopsis_options
from mkdocs_recall.cli.output import say
from mkdocs_recall.cli.where import where_options

if TYPE_CHECKING:
    from mkdocs_recall.cli.where import Where


@click.command()
@click.argument("named", metavar="SOURCE...", nargs=-1, shell_complete=complete_source)
@where_options
@click.option(
    "--source",
    multiple=True,
    metavar="SOURCE",
    shell_complete=complete_source,
    help="The same as SOURCE, as other commands have it.",
)
@synopsis_options
def synopsis(
    where: Where,
    named: tuple[str, ...],
    source: tuple[str, ...],
    asked: dict[str, Any],
    *,
    include_expired: bool,
    as_json: bool,
) -> int:
    """Print the sentences that say what SOURCE is about.

    SOURCE is a page, a page with #anchor, a folder or a glob, seen from the documentation's root.
    Sentences stand in the order of the documentation, each section's with its source.
    """
    from mkdocs_recall.cli.passages import PARTED, report, say_result, section_blocks

    if not (named or source):
        msg = "name a SOURCE: a page, a page with #anchor, a folder, a glob; '**' is all"
        raise click.UsageError(msg)
    with where.reading(language=asked["language"], include_expired=include_expired) as corpus:
        result = corpus.synopsis((*named, *source), **asked)
    if as_json:
        say_result(result)
    elif result.passages:
        say(PARTED.join(section_blocks(result.in_document_order())))
    return report(result, corpus)
