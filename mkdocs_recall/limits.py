"""How much is read of what a site holds, so that no page can hold up all others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Limits:
    """What is read at most; the names are those of the setting `limits` in `mkdocs.yml`.

    Example:
        >>> from mkdocs_recall import Corpus, Limits
        >>> page = "A session expires after a day. Tokens live for an hour."
        >>> corpus = Corpus.from_markdown({"a.md": page}, limits=Limits(page_size=33))
        >>> [sentence.text for block in corpus.documents[0].blocks for sentence in block.sentences]
        ['A session expires after a day.']
    """

    page_size: int = 10_000_000
    """Characters of rendered HTML that are read of one page; what stands behind is not quoted."""


LIMITS: Final = Limits()
"""Those that hold where none are stated."""
