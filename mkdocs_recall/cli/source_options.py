"""The options `--source` and `--where`: which pages a command asks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import click

from mkdocs_recall.index.filters import as_sources

if TYPE_CHECKING:
    from collections.abc import Sequence

_NOT: Final = "!"


def _as_conditions(
    context: click.Context, parameter: click.Parameter, values: tuple[str, ...]
) -> dict[str, Any]:
    """Return what each key must be: one key several times means any of its values."""
    conditions: dict[str, list[str]] = {}
    for written in values:
        key, equals, value = written.partition("=")
        if not equals or not key.strip(f" {_NOT}"):
            fault = f"'{written}' is not KEY=VALUE, such as tags=admin, or KEY!=VALUE"
            raise click.BadParameter(fault, context, parameter)
        conditions.setdefault(key.strip(), []).append(value.strip())
    for key in conditions:
        if f"{key}{_NOT}" in conditions:
            fault = f"'{key}=' and '{key}!=' exclude each other; leave one out"
            raise click.BadParameter(fault, context, parameter)
    return {
        key.removesuffix(_NOT): {"not": wanted} if key.endswith(_NOT) else wanted
        for key, wanted in conditions.items()
    }


def filtered(sources: Sequence[str], conditions: dict[str, Any]) -> tuple[str, ...]:
    """Return sources with the filter that `where_option` has read; none means all pages."""
    return as_sources({"pages": sources, "where": conditions}) if conditions else tuple(sources)


source_option = click.option(
    "--source",
    multiple=True,
    metavar="SOURCE",
    help="Where to search: a page, a page with #anchor, a folder or a glob. Repeatable.  "
    "[default: all pages]",
)
where_option = click.option(
    "--where",
    "conditions",
    multiple=True,
    metavar="KEY=VALUE",
    callback=_as_conditions,
    help="Only pages whose front matter has this value, or with KEY!=VALUE has not. Repeatable: "
    "one key with any of its values, and all keys.",
)
