"""Cross-references to objects (`[text][package.Class]`), which mkdocstrings would resolve.

A folder has no inventory of objects, so the reference stays as its text: "see `create()` for it".
Such is what names a dotted path, or has code for its text; `a[i][j]` is none.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final
from xml.etree.ElementTree import Element

from markdown.extensions import Extension
from markdown.inlinepatterns import REFERENCE_RE, ReferenceInlineProcessor
from markdown.util import ETX, STX

if TYPE_CHECKING:
    from markdown import Markdown

_PATH: Final = re.compile(r"[^\W\d]\w*(?:[.:/][^\W\d]\w*)+(?:\(\))?")


class CrossReferences(Extension):
    """Shows a reference to an object as its text."""

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802 - Python-Markdown's name
        """Look for them where no link is defined, after those that are."""
        processor = _CrossReferenceProcessor(REFERENCE_RE, md)
        md.inlinePatterns.register(processor, "recall_cross_references", 165)


class _CrossReferenceProcessor(ReferenceInlineProcessor):
    def handleMatch(  # type: ignore[override]  # noqa: N802 - Python-Markdown's name
        self, m: re.Match[str], data: str
    ) -> tuple[Element | None, int | None, int | None]:
        """Return the text of a reference as a span."""
        none = None, None, None
        if data[: m.start()][-1:].isalnum():
            return none
        text, index, handled = self.getText(data, m.end())
        if not handled:
            return none
        path, end, handled = self.evalId(data, index, text)
        if not (handled and path):
            return none
        if path in self.md.references or not (_is_code(text) or _PATH.fullmatch(path)):
            return none
        span = Element("span")
        span.text = text
        return span, m.start(), end


def _is_code(text: str) -> bool:
    """Tell whether a text is code alone, which is read before references are."""
    return text.startswith(STX) and text.count(STX) == 1 and text.endswith(ETX)
