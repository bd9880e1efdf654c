"""What an answer quotes of other sites, for the published file of the site that quotes it.

Nothing of a private site is in it, and nothing of a site without a URL, which nobody could tell.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from mkdocs_recall.answers.entries import quoted_sections, written_options
from mkdocs_recall.options import RecallOptions
from mkdocs_recall.publishing.outbound import OutboundPassage, OutboundQuote

if TYPE_CHECKING:
    from collections.abc import Container, Sequence

    from mkdocs_recall.options import Options
    from mkdocs_recall.retrieval.result import Result


def outbound_passages(result: Result) -> tuple[OutboundPassage, ...]:
    """Return the sentences that an answer quotes of other sites, in reading order."""
    if all(passage.document.publisher is None for passage in result.passages):
        return ()
    return tuple(
        OutboundPassage(
            publisher.name,
            publisher.url,
            first.uri.removeprefix(f"{publisher.name}:"),
            first.anchor,
            sentence.text,
        )
        for first, quotation in quoted_sections(result)
        if (publisher := first.document.publisher) and publisher.url and not publisher.private
        for sentence in quotation.sentences
    )


def outbound_quote(
    page: str,
    line: int,
    options: Options,
    passages: Sequence[OutboundPassage],
    *,
    private: Container[str],
) -> OutboundQuote | None:
    """Return what a directive quotes of other sites; None for nothing.

    Args:
        passages: See `outbound_passages`.
        private: The names of private sites; a directive that names one is kept back.
    """
    asks_private = any(source.partition(":")[0] in private for source in options.source)
    if asks_private or not passages:
        return None
    return OutboundQuote(
        page,
        line,
        options.name,
        options.query if isinstance(options, RecallOptions) else (),
        options.source,
        {name: json.loads(value) for name, value in written_options(options).items()},
        tuple(passages),
    )
