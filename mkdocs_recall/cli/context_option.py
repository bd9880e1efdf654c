"""The option `--context`, checked like that of a directive."""

from __future__ import annotations

import re
from typing import Any, Final

import click

from mkdocs_recall.errors import OptionError
from mkdocs_recall.options import BOUNDS, CONTEXTS

_NUMBER: Final = re.compile(r"-?[0-9]{1,9}")
_SENTENCES: Final = click.IntRange(min=int(BOUNDS["context"].least))


class _Context(click.Choice):  # type: ignore[type-arg]  # none before click 8.2
    """The name of a context, or a number of sentences."""

    def convert(
        self,
        value: Any,  # noqa: ANN401 - as click has it
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> Any:  # noqa: ANN401
        """Return the name or the number."""
        if _NUMBER.fullmatch(value):
            return _SENTENCES.convert(value, param, ctx)
        from mkdocs_recall.directives.context import parse_context

        try:
            return parse_context(value)
        except OptionError as error:
            return self.fail(str(error), param, ctx)


context_option: Final = click.option(
    "--context",
    type=_Context(CONTEXTS),
    default="auto",
    show_default=True,
    metavar=f"[{'|'.join(CONTEXTS)}|N]",
    help="How much of each place to print: what makes it an answer, the whole block, the whole "
    "section, or N sentences on each side of each chosen one.",
)
sentences_option: Final = click.option(
    "--context",
    type=_SENTENCES,
    default=0,
    metavar="N",
    help="Number of sentences to add on each side of a chosen one.",
)
"""That of a command that lists sentences one by one."""
