"""The form of what a command reports: for people, for pull requests, or for programs."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from collections.abc import Callable


def format_options(function: Callable[..., int]) -> Callable[..., int]:
    """Add `--format` and `--json` to a command; the function gets both as `output_format`."""

    @click.option(
        "--format",
        "output_format",
        type=click.Choice(("text", "github", "json")),
        default="text",
        show_default=True,
        help="text for people, github for annotations on a pull request, json for programs.",
    )
    @click.option("--json", "as_json", is_flag=True, help="The same as --format json.")
    @wraps(function)
    def wrapper(*, output_format: str, as_json: bool, **rest: Any) -> int:  # noqa: ANN401
        return function(output_format="json" if as_json else output_format, **rest)

    return wrapper
