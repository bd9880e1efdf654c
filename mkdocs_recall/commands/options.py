"""The options that commands share. Their names are those of a directive, with dashes."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from mkdocs_recall.commands.completing import complete_source
from mkdocs_recall.commands.factors import factor_options
from mkdocs_recall.scoring.registry import (
    ALGORITHMS,
    DEFAULT_ALGORITHM,
    DEFAULT_SCORER,
    SCORERS,
)
from mkdocs_recall.text.model import DEFAULT_UNITS, UNITS

if TYPE_CHECKING:
    from collections.abc import Callable

    Function = Callable[..., int]
    Decorator = Callable[[Function], Function]

json_option = click.option(
    "--json", "as_json", is_flag=True, help="Print JSON: see the page 'Command line'."
)
expiry_option = click.option(
    "--include-expired",
    is_flag=True,
    help="Quote pages, too, of which t_expired or t_invalid in the front matter is over.",
)


source_option = click.option(
    "--source",
    multiple=True,
    metavar="SOURCE",
    shell_complete=complete_source,
    help="Where to look: a page, a page with #anchor, a folder, a glob. May be given several "
    "times. Left out, everywhere.",
)


def recall_options(*, max_sentences: int) -> Decorator:
    """Add to an `AskingCommand` the options of a `recall`.

    It gets them as `asked`, by name, and as `factors`.

    Args:
        max_sentences: How many sentences it finds, unless that is stated.
    """

    def decorate(function: Function) -> Function:
        @_options(
            source_option,
            *_choosing(max_sentences),
            click.option(
                "--scorer",
                type=click.Choice(tuple(SCORERS)),
                default=DEFAULT_SCORER,
                show_default=True,
                help="How sentences are scored.",
            ),
            click.option(
                "--units",
                multiple=True,
                type=click.Choice(UNITS),
                help="What may be quoted. May be given several times. Left out, all but code.",
            ),
            click.option(
                "--context",
                type=click.IntRange(min=0),
                default=0,
                metavar="N",
                help="Sentences quoted on each side of one that was chosen.",
            ),
            click.option(
                "--min-score",
                type=click.FloatRange(min=0),
                metavar="SCORE",
                help="What scores less is no answer. Left out, the scorer's own.",
            ),
            factor_options(),
            expiry_option,
            json_option,
        )
        @wraps(function)
        def wrapper(**given: Any) -> int:  # noqa: ANN401
            names = ("source", *_CHOOSING, "scorer", "units", "context", "min_score")
            asked = {name: given.pop(name) for name in names}
            asked["source"] = asked["source"] or "**"
            asked["units"] = asked["units"] or DEFAULT_UNITS
            if asked["min_score"] is None:
                asked["min_score"] = SCORERS[asked["scorer"]].min_score
            return function(asked=asked | {"on_empty": "omit"}, **given)

        return wrapper

    return decorate


def synopsis_options(function: Function) -> Function:
    """Add to a command the options of a `synopsis`; it gets them as `asked`, by name."""

    @_options(
        *_choosing(3),
        click.option(
            "--algorithm",
            type=click.Choice(tuple(ALGORITHMS)),
            default=DEFAULT_ALGORITHM,
            show_default=True,
            help="How sentences are chosen.",
        ),
        click.option(
            "--prefer-description",
            is_flag=True,
            help="Open with the description in a page's front matter.",
        ),
        click.option(
            "--max-words",
            type=click.IntRange(min=1),
            metavar="N",
            help="Stop before a sentence that would go over this many words.",
        ),
        expiry_option,
        json_option,
    )
    @wraps(function)
    def wrapper(**given: Any) -> int:  # noqa: ANN401
        names = (*_CHOOSING, "algorithm", "prefer_description", "max_words")
        asked = {name: given.pop(name) for name in names}
        return function(asked=asked, **given)

    return wrapper


_CHOOSING = (
    "max_sentences",
    "max_tokens",
    "token_counter",
    "sections",
    "language",
    "diversity",
)


def _choosing(max_sentences: int) -> tuple[Decorator, ...]:
    """Return the options that a recall and a synopsis share."""
    return (
        click.option(
            "--max-sentences",
            type=click.IntRange(min=1),
            default=max_sentences,
            show_default=True,
            metavar="N",
            help="How many sentences at most.",
        ),
        click.option(
            "--max-tokens",
            type=click.IntRange(min=1),
            metavar="N",
            help="How many tokens of a language model at most, in whole sentences.",
        ),
        click.option(
            "--token-counter",
            metavar="NAME",
            help="What counts them, of an installed package. Left out, an estimate.",
        ),
        click.option(
            "--sections",
            type=click.IntRange(min=0),
            default=0,
            metavar="N",
            help="Look only at the first so many blocks of each page.",
        ),
        click.option(
            "--language",
            metavar="CODE",
            help="Read the pages in this language instead of their own.",
        ),
        click.option(
            "--diversity",
            type=click.FloatRange(min=0, max=1),
            metavar="0-1",
            help="How much the sentences should differ. Left out, the scorer's own.",
        ),
    )


def _options(*options: Decorator) -> Decorator:
    """Add several options, in the order of the help."""

    def decorate(function: Function) -> Function:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate
