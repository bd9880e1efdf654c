"""The value of the option `context`: a name, or a number of sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mkdocs_recall.directives.values import WHOLE_NUMBER, unquoted_hint, whole_number
from mkdocs_recall.errors import SHOWN, OptionError, did_you_mean
from mkdocs_recall.messages import shown
from mkdocs_recall.options import BOUNDS, CONTEXTS

if TYPE_CHECKING:
    from mkdocs_recall.options import ContextName


def parse_context(value: object) -> int | ContextName:
    """Return how much of each place is quoted."""
    if isinstance(value, int) and not isinstance(value, bool):
        return whole_number("context")(value)
    for name in CONTEXTS:
        if value == name:
            return name
    hint = unquoted_hint("context", value, WHOLE_NUMBER, BOUNDS["context"])
    if isinstance(value, str):
        hint = hint or did_you_mean(value[:SHOWN], CONTEXTS)
    msg = f"unknown context {shown(value)}{hint} ({', '.join(CONTEXTS)}, or a whole number)"
    raise OptionError(msg)
