"""The options by which a command counts more than words, over what `mkdocs.yml` states of it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import wraps
from typing import TYPE_CHECKING, Any, Final

import click

from mkdocs_recall.factors import MODES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from mkdocs_recall.commands.where import Where

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
        from mkdocs_recall.directives.switches import as_semantic, as_temporal  # noqa: PLC0415

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
