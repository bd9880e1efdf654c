"""The options that commands share. Their names are those of a directive, with dashes."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import wraps
from typing import TYPE_CHECKING, Any, Final

import click

from mkdocs_recall.cli.completion import complete_source
from mkdocs_recall.options import MODES
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
    from collections.abc import Callable, Iterator, Sequence

    from mkdocs_recall.cli.where import Where

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


LONGEST: Final = 100_000
"""Characters. A query of this length is answered in less than a second; nobody asks a longer one,
but a program may pass on whatever it was given."""
_BYTES: Final = 4 * LONGEST
"""As many as its characters may have in UTF-8."""


def _read(context: click.Context, parameter: click.Parameter, value: tuple[str, ...] | None) -> str:
    """Return the query, with what is no UTF-8 replaced.

    Raises:
        UsageError: It is empty, too long, or more than one argument.
    """
    if context.resilient_parsing or not value:  # a shell asks what could come next
        return ""
    if len(value) > 1:
        fault = "the query is one argument: put it in quotes"
        raise click.BadParameter(fault, context, parameter)
    data = value[0].encode("utf-8", "surrogateescape")
    if value[0] == "-":
        data = sys.stdin.buffer.read(_BYTES + 1) if sys.stdin is not None else b""
    query = data.decode("utf-8", "replace").strip()
    if len(data) > _BYTES or len(query) > LONGEST:
        fault = f"the query has more than {LONGEST:,} characters; ask something shorter"
        raise click.BadParameter(fault, context, parameter)
    if not query:
        fault = "the query is empty; ask something"
        raise click.BadParameter(fault, context, parameter)
    return query


query_argument = click.argument("query", nargs=-1, required=True, metavar="QUERY", callback=_read)


_SEMANTIC: Final = "--semantic"


@dataclass(frozen=True, slots=True)
class Factors:
    """What `--semantic`, `--model`, `--temporal` and `--enrich` say."""

    semantic: str | None = None
    """A mode; empty for that of the site. None where only words count."""
    model: str | None = None
    temporal: bool = False
    enrich: bool = False

    def over(self, where: Where, *, include_expired: bool) -> dict[str, Any]:
        """Return them as `Corpus.recall` takes them; nothing of what was not asked for.

        Args:
            where: The site, whose settings hold for what is left out.
            include_expired: Whether pages that do not hold any more are quoted, too.

        Raises:
            SiteError: There is no such site, or its settings are impossible.
            OptionError: There is no such model.
        """
        from mkdocs_recall.directives.nested import as_semantic, as_temporal

        asked: dict[str, Any] = {}
        if self.semantic is not None:
            settings = {**(where.default("semantic") or {}), "enabled": True}
            own = {"mode": self.semantic or None, "model": self.model}
            settings |= {name: value for name, value in own.items() if value is not None}
            asked["semantic"] = as_semantic(settings)
        if self.temporal:
            settings = {**(where.default("temporal") or {}), "enabled": True}
            asked |= {"temporal": as_temporal(settings), "include_expired": include_expired}
        if self.enrich:
            asked["enrich"] = "always"
        return asked


class AskingCommand(click.Command):
    """A command with `--semantic`, behind which a mode may stand, or the query."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the arguments; a shell that completes them gets them as they are."""
        return super().parse_args(ctx, args if ctx.resilient_parsing else list(_with_mode(args)))


def factor_options(*, enrich: bool = True) -> Callable[[Callable[..., int]], Callable[..., int]]:
    """Add the options to an `AskingCommand`, which gets them as `factors`.

    Args:
        enrich: Whether it has `--enrich`, too.
    """
    options = [
        click.option(
            _SEMANTIC,
            type=_Mode(MODES),
            metavar="[supplement|blend]",
            help="Ask by meaning, too: where words find too little, or always (blend).",
        ),
        click.option(
            "--model",
            metavar="NAME[:FOLDER]",
            help="What compares meanings. Left out, the site's, else transformers.",
        ),
        click.option(
            "--temporal", is_flag=True, help="Count when pages were edited, and how they age."
        ),
    ]
    if enrich:
        said = "Tell the model which files were edited last."
        options.append(click.option("--enrich", is_flag=True, help=said))

    def decorate(function: Callable[..., int]) -> Callable[..., int]:
        @wraps(function)
        def wrapper(
            *,
            semantic: str | None,
            model: str | None,
            temporal: bool,
            enrich: bool = False,
            **rest: Any,  # noqa: ANN401
        ) -> int:
            for name, given in (("model", model is not None), ("enrich", enrich)):
                if given and semantic is None:
                    msg = f"--{name} is for questions by meaning: add {_SEMANTIC}"
                    raise click.UsageError(msg)
            return function(factors=Factors(semantic, model, temporal, enrich), **rest)

        for option in reversed(options):
            wrapper = option(wrapper)
        return wrapper

    return decorate


class _Mode(click.Choice):  # type: ignore[type-arg]  # none before click 8.2
    """A mode, or nothing at all."""

    def convert(
        self,
        value: Any,  # noqa: ANN401 - as click has it
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> Any:  # noqa: ANN401
        """Return the mode; an empty text stands for that of the site."""
        return super().convert(value, param, ctx) if value else ""


def _with_mode(arguments: Sequence[str]) -> Iterator[str]:
    """Yield arguments, with `--semantic=` for a `--semantic` that no mode follows."""
    options = True
    for at, argument in enumerate(arguments):
        options = options and argument != "--"
        is_bare = argument == _SEMANTIC and arguments[at + 1 : at + 2] not in [[m] for m in MODES]
        yield f"{argument}=" if is_bare and options else argument
