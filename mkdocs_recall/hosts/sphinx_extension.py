"""A Sphinx extension that makes the names of our directives languages of code blocks.

Sphinx warns of a code block in a language that it does not know. With this in `extensions` it does
not, and each block keeps the class that `mkdocs-recall fill` finds it by, in MyST and in
reStructuredText.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pygments.lexers.special import TextLexer

from mkdocs_recall import __version__
from mkdocs_recall.directives.fences import NAMES

if TYPE_CHECKING:
    from sphinx.application import Sphinx


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the languages; Sphinx calls this."""
    for name in NAMES:
        app.add_lexer(name, TextLexer)
    return {"version": __version__, "parallel_read_safe": True, "parallel_write_safe": True}
