"""mkdocs-recall: a page asks the rest of the site a question, and the build quotes the answer.

The public API. Everything else is free to change. Its names are imported when they are first used,
so that a build pays only for what it needs.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mkdocs_recall.errors import (
        OptionError,
        PublishedFileError,
        RecallError,
        RecordError,
        SiteError,
        SourceError,
    )
    from mkdocs_recall.options import Limits, Query, Semantic, Temporal
    from mkdocs_recall.pages.corpus import Corpus
    from mkdocs_recall.ranking.quotation import Quotation
    from mkdocs_recall.ranking.result import Lost, Passage, Result
    from mkdocs_recall.ranking.scores import Explanation
    from mkdocs_recall.text.model import Block, Document, Heading, Mark, Publisher, Sentence

__all__ = [
    "Block",
    "Corpus",
    "Document",
    "Explanation",
    "Heading",
    "Limits",
    "Lost",
    "Mark",
    "OptionError",
    "Passage",
    "PublishedFileError",
    "Publisher",
    "Query",
    "Quotation",
    "RecallError",
    "RecordError",
    "Result",
    "Semantic",
    "Sentence",
    "SiteError",
    "SourceError",
    "Temporal",
    "__version__",
]

__version__ = "0.1.0"

_HOMES = {
    "errors": "OptionError PublishedFileError RecallError RecordError SiteError SourceError",
    "options": "Limits Query Semantic Temporal",
    "pages.corpus": "Corpus",
    "ranking.quotation": "Quotation",
    "ranking.result": "Lost Passage Result",
    "ranking.scores": "Explanation",
    "text.model": "Block Document Heading Mark Publisher Sentence",
}
"""The public names of each module."""


def __getattr__(name: str) -> object:
    """Import a public name on first use."""
    home = next((home for home, names in _HOMES.items() if name in names.split()), None)
    if home is None:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    value = getattr(import_module(f"{__name__}.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
