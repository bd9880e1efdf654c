"""A Markdown extension for generators without plugins that take ours, such as Zensical.

It leaves a comment in the place of each directive, for `mkdocs-recall fill` to answer in the
finished site. In a preview, where nothing runs after the build, it answers at once, from the
sources. In a build of MkDocs with the plugin there is nothing left for it to do.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from markdown.extensions import Extension
from markdown.preprocessors import Preprocessor

from mkdocs_recall.directives.fences import may_hold_directive, replace_fences
from mkdocs_recall.hosts.comments import directive_comment
from mkdocs_recall.text.theme import FENCE_END

if TYPE_CHECKING:
    from collections.abc import Sequence

    from markdown import Markdown

    from mkdocs_recall.directives.fences import Fence
    from mkdocs_recall.hosts.preview import Preview


_PRIORITY: Final = 28
"""After snippets (32), the plugin (31) and the normalisation of white space (30), which takes
placeholders apart; before fences are rendered (25)."""
_PAGE: Final = "rendering_context"
"""The step by which Zensical tells which page is rendered."""


class RecallExtension(Extension):
    """Leaves a comment in the place of each directive."""

    def __init__(self, **settings: Any) -> None:  # noqa: ANN401 - each option has its own type
        """Take the options.

        Args:
            settings: The site's defaults of a directive's options, which `mkdocs-recall fill` reads
                from the site's configuration; and `preview`, whether directives are answered at
                once: true, false, or nothing for `zensical serve` alone.
        """
        super().__init__()
        preview = settings.get("preview")
        self._answers = _is_preview() if preview is None else bool(preview)

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802 - Python-Markdown's name
        """Add the step to a converter."""
        md.preprocessors.register(_Directives(md, answers=self._answers), "recall", _PRIORITY)


class _Directives(Preprocessor):
    """Replaces the directives of a page."""

    def __init__(self, md: Markdown, *, answers: bool) -> None:
        super().__init__(md)
        self._markdown = md
        self._answers = answers

    def run(self, lines: list[str]) -> list[str]:
        text = "\n".join(lines)
        if not may_hold_directive(text):
            return lines
        from mkdocs_recall.directives.parser import find_fences

        fences = find_fences(text)
        if not fences:
            return lines
        comments = list(map(directive_comment, fences))
        spans = [fence.span for fence in fences]
        return replace_fences(text, spans, self._answered(fences, comments)).split("\n")

    def _answered(self, fences: Sequence[Fence], comments: Sequence[str]) -> Sequence[str]:
        """Return the comments, in a preview as placeholders of their quotes."""
        steps: Any = self._markdown.preprocessors
        page: Any = getattr(steps[_PAGE], "page", None) if _PAGE in steps else None
        preview = _preview() if self._answers else None
        if preview is None or page is None:
            return comments
        quotes = preview.quotes(fences, str(page.path), str(page.url))
        return [
            self._markdown.htmlStash.store("\n".join(filter(None, [comment, quote, FENCE_END])))
            for comment, quote in zip(comments, quotes, strict=True)
        ]


def makeExtension(**settings: Any) -> RecallExtension:  # noqa: ANN401, N802 - as Python-Markdown wants it
    """Return the extension."""
    return RecallExtension(**settings)


def _is_preview() -> bool:
    """Tell whether this process is `zensical serve`."""
    program, *rest = sys.argv or [""]
    path = Path(program)
    name = path.parent.name if path.stem == "__main__" else path.stem
    return name == "zensical" and "serve" in rest


def _preview() -> Preview | None:
    """Return what answers directives at once; None where no site's configuration is found."""
    from mkdocs_recall.hosts.preview import preview

    return preview()
