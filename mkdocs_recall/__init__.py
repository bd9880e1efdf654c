"""mkdocs-recall: a page asks the rest of the site a question, and the build quotes the answer.

The public API. Everything else is free to change. Its names are imported when they are first used,
so that a build pays only for what it needs.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mkdocs_recall.corpus import Corpus
    from mkdocs_recall.errors import RecallError
    from mkdocs_recall.result import Passage, Result
    from mkdocs_recall.text.model import Document, Sentence

__all__ = [
    "Corpus",
    "Document",
    "Passage",
    "RecallError",
    "Result",
    "Sentence",
    "__version__",
]

__version__ = "0.1.0"

_HOMES = {
    "Corpus": "corpus",
    "Document": "text.model",
    "Passage": "result",
    "RecallError": "errors",
    "Result": "result",
    "Sentence": "text.model",
}


def __getattr__(name: str) -> object:
    """Import a public name on first use."""
    if name not in _HOMES:
        msg = f"module '{__name__}' has no attribute '{name}'"
        raise AttributeError(msg)
    value = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """List the public names."""
    return sorted(__all__)
