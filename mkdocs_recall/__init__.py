"""mkdocs-recall: a page asks the rest of the site a question, and the build quotes the answer.

The public API. Everything else is free to change.
"""

from mkdocs_recall.corpus import Corpus
from mkdocs_recall.errors import RecallError
from mkdocs_recall.retrieval import Passage, Result
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
