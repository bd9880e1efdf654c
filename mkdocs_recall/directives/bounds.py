"""The setting `limits` as YAML or Python has it, and what of a directive it bounds."""

from __future__ import annotations

from dataclasses import asdict, fields
from typing import TYPE_CHECKING, Any, Final

from mkdocs_recall.directives.values import settings, whole_number
from mkdocs_recall.errors import DirectiveError, OptionError
from mkdocs_recall.limits import LIMITS, Limits
from mkdocs_recall.query import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_TAKES: Final[Mapping[str, Callable[[object], Any]]] = {
    field.name: whole_number(f"limits.{field.name}", 1) for field in fields(Limits)
}
_COUNTS: Final = ("max_sentences", "context")


def as_limits(value: object) -> Limits:
    """Return how much is read.

    Args:
        value: A `Limits`, or a mapping of its settings; None for those that hold by default.

    Raises:
        OptionError: It is none of these, or a setting is unknown or impossible.
    """
    if value is None:
        return LIMITS
    given = asdict(value) if isinstance(value, Limits) else value
    return Limits(**settings("limits", given, _TAKES))


def check_count(number: int, limits: Limits) -> None:
    """Refuse a directive that is one too many on its page.

    Args:
        number: Its own there, from 0.
        limits: How many are answered.

    Raises:
        DirectiveError: It is.
    """
    if number >= limits.directives:
        msg = (
            f"it is number {number + 1:,} on its page, and {limits.directives:,} are answered; "
            f"{_remedy('directives')}"
        )
        raise DirectiveError(msg)


def check_size(body: str, limits: Limits) -> None:
    """Refuse a directive that is too long to be read.

    Args:
        body: The lines between its fences.
        limits: How much is read.

    Raises:
        DirectiveError: It is.
    """
    if len(body) > limits.directive_size:
        msg = (
            f"the fence holds {len(body):,} characters, and {limits.directive_size:,} are read at "
            f"most; {_remedy('directive_size')}"
        )
        raise DirectiveError(msg)


def check_values(values: Mapping[Any, object], limits: Limits) -> None:
    """Refuse options that ask for too much.

    Args:
        values: The options of a directive, as YAML has read them.
        limits: How much may be asked for.

    Raises:
        OptionError: One does.
    """
    for name, value in values.items():
        if isinstance(value, list) and len(value) > limits.list_length:
            msg = (
                f"'{name}' has {len(value):,} entries, and may have {limits.list_length:,}; "
                f"{_remedy('list_length')}"
            )
            raise OptionError(msg)
        if name in _COUNTS and isinstance(value, int) and value > limits.sentences:
            msg = (
                f"'{name}' must be {limits.sentences:,} or less, got {shown(value)}; "
                f"{_remedy('sentences')}"
            )
            raise OptionError(msg)


def _remedy(limit: str) -> str:
    return f"ask for less, or set 'limits.{limit}' in mkdocs.yml"
