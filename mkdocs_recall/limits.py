"""The limits of what is read and quoted; a fully cached build needs no other options."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

MOST: Final = 10**9
"""The greatest number: a greater one is a slip, and its sums might not be finite."""


class Bounds(NamedTuple):
    """The bounds of a number."""

    least: float
    most: float = MOST
    exclusive: bool = False
    """Whether `least` itself is too little."""

    def allow(self, value: float) -> bool:
        """Tell whether a number is within the bounds."""
        return self.least <= value <= self.most and not (self.exclusive and value == self.least)


def bounded(
    default: float | str | None, least: float, most: float = MOST, **more: bool
) -> Any:  # as `field`
    """Return a field whose value has bounds, listed in `BOUNDS`."""
    return field(default=default, metadata={"bounds": Bounds(least, most, **more)})


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of what is read and quoted, named as in the setting `limits` in `mkdocs.yml`.

    Example:
        >>> from mkdocs_recall import Corpus, Limits
        >>> page = "A session expires after a day. Tokens live for an hour."
        >>> corpus = Corpus.from_markdown({"a.md": page}, limits=Limits(page_size=53))
        >>> [sentence.text for block in corpus.documents[0].blocks for sentence in block.sentences]
        ['A session expires after a day.']
    """

    page_size: int = bounded(10_000_000, least=1)
    """Characters of rendered HTML that are read of one page; the rest is not quoted."""
    directives: int = bounded(1_000, least=1)
    """Directives on one page; further ones are not answered."""
    directive_size: int = bounded(100_000, least=1)
    """Characters between the lines that open and close a directive."""
    list_length: int = bounded(200, least=1)
    """Entries of a list in a directive: of queries, sources, expectations."""
    sentences: int = bounded(1_000, least=1)
    """The greatest `max_sentences` and `context` of a directive."""
    searches: int = bounded(3_000_000, least=1)
    """Pages that all directives with more than 50 pages search together, counted once per
    directive; further ones are not answered."""


LIMITS: Final = Limits()
"""The limits of a site that states none."""
