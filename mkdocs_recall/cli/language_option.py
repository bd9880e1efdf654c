"""The option `--language`, checked like that of a directive."""

from __future__ import annotations

from typing import Final

import click

from mkdocs_recall.errors import OptionError


def _check(context: click.Context, parameter: click.Parameter, value: str | None) -> str | None:
    """Return the code of a language."""
    from mkdocs_recall.directives.values import parse_language

    if value is None:
        return None
    try:
        return parse_language(value)
    except OptionError as error:
        raise click.BadParameter(str(error), context, parameter) from error


language_option: Final = click.option(
    "--language",
    metavar="CODE",
    callback=_check,
    help="Read the pages in this language.  [default: the page's own]",
)
