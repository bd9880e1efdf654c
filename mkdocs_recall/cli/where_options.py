"""The options of commands that say where the pages come from."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from mkdocs_recall.cli.where import Where

if TYPE_CHECKING:
    from collections.abc import Callable


def any_where_options(function: Callable[..., int]) -> Callable[..., int]:
    """Add the options of `where_options`, and `--published`, to a command."""
    option = click.option(
        "--published",
        metavar="PATTERN",
        multiple=True,
        type=click.Path(),
        help="Read the files that sites have published, such as 'org/*.jsonl.gz'. Repeatable.",
    )
    return option(where_options(function))


def where_options(function: Callable[..., int]) -> Callable[..., int]:
    """Add `--config`, `--docs` and `--built` to a command; the function gets them as `where`."""

    @click.option(
        "--config",
        metavar="FILE",
        type=click.Path(dir_okay=False),
        help="The site's mkdocs.yml.  [default: the nearest one, in this folder or above it]",
    )
    @click.option(
        "--docs",
        metavar="DIR",
        type=click.Path(file_okay=False),
        help="Read the Markdown files of this folder, without a site.",
    )
    @click.option(
        "--built",
        metavar="DIR",
        type=click.Path(file_okay=False),
        help="Read the finished site in this folder, with the output of its plugins.",
    )
    @wraps(function)
    def wrapper(
        *,
        config: str | None,
        docs: str | None,
        built: str | None,
        published: tuple[str, ...] = (),
        **rest: Any,  # noqa: ANN401
    ) -> int:
        places = (("config", config), ("docs", docs), ("built", built))
        for name, value in (*places, *(("published", pattern) for pattern in published)):
            if published and value is not None and name != "published":
                msg = f"--{name} and --published are two places to read from; name one"
                raise click.UsageError(msg)
            if value == "":  # the value of an unset variable of a shell
                msg = f"--{name} is empty; name a {'file' if name == 'config' else 'folder'}"
                raise click.UsageError(msg)
        for name, other in (("config", config), ("built", built)):
            if docs is not None and other is not None:
                msg = f"--{name} and --docs are two places to read from; name one"
                raise click.UsageError(msg)
        return function(where=Where(config, docs, built, published), **rest)

    return wrapper
