"""Quotes as JSON has them, for the cache."""

from __future__ import annotations

from typing import Any

from mkdocs_recall.plugin.directive import Quote
from mkdocs_recall.rendering.whitelist import is_quote


def pack_quote(quote: Quote) -> list[Any]:
    """Return a quote without an error as values that JSON has."""
    return [quote.html, quote.markdown, quote.warning, quote.fallback, quote.doubtful, quote.notes]


def unpack_quote(packed: Any) -> Quote | None:  # noqa: ANN401 - it may be anything
    """Return a quote from the cache; None if it is not one: a stranger may have written it.

    Checked by hand, as in `state`: a warm build does little else for each directive.
    """
    try:
        html, markdown, warning, fallback, doubtful, notes = packed
    except (ValueError, TypeError):
        return None
    texts = isinstance(notes, list) and all(
        isinstance(text, str) for text in (html, markdown, warning, *notes)
    )
    flags = isinstance(fallback, bool) and isinstance(doubtful, bool)
    if not texts or not flags or not is_quote(html):
        return None
    return Quote(
        *(html, markdown, "", warning, fallback, tuple(notes)),
        cached=True,
        doubtful=doubtful,
    )
