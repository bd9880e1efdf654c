"""How much is read of what a site holds, and quoted, so that no page can hold up all others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Limits:
    """What is read and quoted at most; the names are those of the setting `limits` in `mkdocs.yml`.

    Example:
        >>> from mkdocs_recall import Corpus, Limits
        >>> page = "A session expires after a day. Tokens live for an hour."
        >>> corpus = Corpus.from_markdown({"a.md": page}, limits=Limits(page_size=33))
        >>> [sentence.text for block in corpus.documents[0].blocks for sentence in block.sentences]
        ['A session expires after a day.']
    """

    page_size: int = 10_000_000
    """Characters of rendered HTML that are read of one page; what stands behind is not quoted."""
    directives: int = 1_000
    """Directives on one page; those behind are not answered."""
    directive_size: int = 100_000
    """Characters between the lines that open and close a directive."""
    list_length: int = 200
    """Entries of a list in a directive: of queries, sources, expectations."""
    sentences: int = 1_000
    """What `max_sentences` and `context` of a directive may be at most."""


def curtailment(page: str) -> str:
    """Say that not all of a page is read, and what to do."""
    return (
        f"{page}: only the start of this page is read, for it is longer than 'limits.page_size' "
        "allows; make several pages of it, or raise the limit"
    )


LIMITS: Final = Limits()
"""Those that hold where none are stated."""
