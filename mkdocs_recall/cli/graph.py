"""`mkdocs-recall graph`: which page asks, quotes and links to which other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import click

from mkdocs_recall.cli.output import Status, note, note_all, say, say_json
from mkdocs_recall.cli.where_options import where_options
from mkdocs_recall.messages import single_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mkdocs_recall.cli.where import Where
    from mkdocs_recall.review.graph import Edge, Graph

_MOST: Final = 10
"""The number of pages that are listed as asked most."""


@click.command()
@where_options
@click.option(
    "--to",
    "target",
    metavar="PAGE",
    default="",
    help="Only what leads to this page, or with #anchor to this section.",
)
@click.option(
    "--from",
    "page",
    metavar="PAGE",
    default="",
    help="Only what starts on this page.",
)
@click.option(
    "--format",
    "output_format",
    type=click.Choice(("text", "json", "dot", "mermaid")),
    default="text",
    show_default=True,
    help="text for people, json for programs, dot for Graphviz, mermaid for Markdown.",
)
@click.option("--json", "as_json", is_flag=True, help="The same as --format json.")
def graph(where: Where, *, target: str, page: str, output_format: str, as_json: bool) -> int:
    """Show which page asks, quotes and links to which other.

    A page asks the sources of its directives. Without --to and --from, text and JSON also list the
    pages that most directives ask, and the orphans: pages that no other page links to or quotes.
    """
    from mkdocs_recall.answers.survey import survey_directives
    from mkdocs_recall.gc_pause import gc_paused
    from mkdocs_recall.review.graph import Graph, as_dot, as_mermaid

    defaults = where.defaults()
    with where.reading() as corpus, gc_paused():
        directives = list(survey_directives(corpus, defaults, limits=where.limits()))
        found = Graph(corpus, directives)
        edges = found.between(page=page, target=target)
    note_all(corpus.warnings)
    for directive in directives:
        if directive.error:
            place = f"{directive.page}:{directive.line}"
            note(f"Note: {place}: {directive.directive} is left out: {directive.error}")
    is_whole = not (page or target)
    if as_json or output_format == "json":
        say_json(_record(found, edges, is_whole=is_whole))
    elif output_format == "dot":
        say(as_dot(edges))
    elif output_format == "mermaid":
        say(as_mermaid(edges))
    elif lines := [*map(_line, edges), *(_summary(found) if is_whole else ())]:
        say("\n".join(lines))
    if not edges:
        note("Nothing found: no page asks, quotes or links to another there.")
    return Status.FOUND if edges else Status.NOTHING


def _line(edge: Edge) -> str:
    place = edge.page if edge.line is None else f"{edge.page}:{edge.line}"
    kind = "links to" if edge.kind == "links" else edge.kind
    return single_line(f"{place} {kind} {edge.target}")


def _summary(graph: Graph) -> Iterator[str]:
    """Yield the lines on pages that are asked most, and on orphans."""
    if most := graph.asked_most(_MOST):
        yield ""
        yield "Asked most:"
        yield from (f"  {single_line(page.uri)} ({page.asked})" for page in most)
    if orphans := graph.orphans:
        yield ""
        yield "Orphans:"
        yield from (f"  {single_line(uri)}" for uri in orphans)


def _record(graph: Graph, edges: Sequence[Edge], *, is_whole: bool) -> dict[str, Any]:
    record: dict[str, Any] = {
        "schema": 1,
        "edges": [
            {"kind": edge.kind, "from": edge.page, "to": edge.target, "line": edge.line}
            for edge in edges
        ],
    }
    if is_whole:
        record["pages"] = [
            {
                "uri": page.uri,
                "title": page.title,
                "asked": page.asked,
                "quoted": page.quoted,
                "linked": page.linked,
            }
            for page in graph.pages
        ]
        record["asked_most"] = [page.uri for page in graph.asked_most(_MOST)]
        record["orphans"] = graph.orphans
    return record
