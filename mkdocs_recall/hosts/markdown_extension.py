"""A Markdown extension for generators without plugins that take ours, such as Zensical.

It leaves a comment in the place of each directive, for `mkdocs-recall fill` to answer in the
finished site. In a build of MkDocs with the plugin there is nothing left for it to do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from markdown.extensions import Extension

from mkdocs_recall.directives.fences import find_fences, may_hold_directive, replace_fences
from mkdocs_recall.hosts.html_fences import directive_comment
from mkdocs_recall.pages.inclusion import Replacement

if TYPE_CHECKING:
    from markdown import Markdown


_PRIORITY: Final = 28
"""After snippets (32), the plugin (31) and the normalisation of white space (30), which takes
placeholders apart; before fences are rendered (25)."""


class RecallExtension(Extension):
    """Leaves a comment in the place of each directive."""

    def __init__(self, **settings: Any) -> None:  # noqa: ANN401, ARG002 - each has its own type
        """Take the options.

        Args:
            settings: The site's defaults of a directive's options, which `mkdocs-recall fill` reads
                from the site's configuration.
        """
        super().__init__()

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802 - Python-Markdown's name
        """Add the step to a converter."""
        md.preprocessors.register(Replacement(md, _with_comments), "recall", _PRIORITY)


def _with_comments(text: str, _uri: str) -> str | None:
    """Return a text with a comment in the place of each directive; None if it has none."""
    if not may_hold_directive(text):
        return None
    fences = find_fences(text)
    return replace_fences(text, fences, map(directive_comment, fences))


def makeExtension(**settings: Any) -> RecallExtension:  # noqa: ANN401, N802 - as Python-Markdown wants it
    """Return the extension."""
    return RecallExtension(**settings)
