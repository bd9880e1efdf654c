"""The reply of the tool `pack`: the answers to several queries as one text, within a budget."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field

from mkdocs_recall.errors import PackError
from mkdocs_recall.mcp.replies import NOTE_TOKENS, NOTICE, Reply, Text, as_text, shorten
from mkdocs_recall.messages import escape_invisible
from mkdocs_recall.retrieval.token_budget import estimate

if TYPE_CHECKING:
    from collections.abc import Callable

    from mkdocs_recall.review.pack import Pack


class Packed(Reply):
    """The passages that answer several queries."""

    text: Text = Field(default="", description="The passages as Markdown; links are sources.")
    left_out: int = Field(default=0, description="How many more there are that max_tokens cut off.")
    unanswered: list[int] = Field(
        default=[], description="The numbers of the queries without an answer, from 1."
    )
    note: Text = Field(default="", description="Why there is nothing, or not all.")


def packed(pack: Callable[[int], Pack], max_tokens: int) -> Packed:
    """Return a pack as a reply that fits.

    Args:
        pack: Returns the pack of a number of tokens; raises a PackError if none fits.
        max_tokens: What the reply may have.
    """
    budget = max_tokens - NOTE_TOKENS
    while True:
        try:
            made = pack(budget)
        except PackError as error:
            note = escape_invisible(f"ask for more max_tokens: {error}")
            return Packed(note=shorten(note, max_tokens - NOTE_TOKENS))
        reply = Packed(
            notice=NOTICE if made.text else "",
            text=made.text,
            left_out=len(made.left_out),
            unanswered=[entry.line for entry in made.unanswered],
            note=shorten(escape_invisible("; ".join(made.diagnostics))),
        )
        excess = estimate(as_text(reply)) - max_tokens
        if excess <= 0 or not made.text:
            return reply
        budget -= excess
