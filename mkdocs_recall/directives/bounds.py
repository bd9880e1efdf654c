"""The setting `limits` as YAML or Python has it."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

from mkdocs_recall.directives.values import settings, whole_number
from mkdocs_recall.limits import LIMITS, Limits

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_TAKES: Final[Mapping[str, Callable[[object], Any]]] = {
    "page_size": whole_number("limits.page_size", 1),
}


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
