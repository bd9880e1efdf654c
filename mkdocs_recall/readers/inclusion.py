"""A Markdown extension that sees a page's text after other extensions have included files in it.

What an extension includes is on no page's Markdown, and no two report it in the same way. The text
is shown whole, before fences are rendered, and each file that `pymdownx.snippets` looks for is
noted. No file is opened here.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Final

from markdown.extensions import Extension
from markdown.preprocessors import Preprocessor

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from markdown import Markdown

_SNIPPETS: Final = "snippet"
"""The name that the extension gives its preprocessor."""
_LINKS: Final = "relpath"
"""The name that MkDocs gives what resolves the links of a page: it knows the page's file."""
_BEFORE_ALL: Final = 1000
_AFTER_SNIPPETS: Final = 31
"""Snippets are included at priority 32, white space is normalised at 30, and fences are rendered at
25."""


class InclusionExtension(Extension):
    """Shows the text of each page that is rendered, and the files that snippets come from."""

    def __init__(
        self, replace: Callable[[str, str], str | None], note: Callable[[str], None] | None = None
    ) -> None:
        """Take what is called while a page is rendered.

        Args:
            replace: Takes the text, and the uri of the page or an empty text; returns what is
                rendered in its place, None for the same.
        """
        super().__init__()
        self._replace = replace
        self._note = note

    def __deepcopy__(self, memo: dict[int, Any]) -> InclusionExtension:
        """Return the extension itself: plugins that copy the site's settings have no other site."""
        return self

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802 - Python-Markdown's name
        """Add the steps to a converter."""
        if self._note is not None:
            md.preprocessors.register(_Observer(md, self._note), "recall-files", _BEFORE_ALL)
        md.preprocessors.register(_Replacement(md, self._replace), "recall-fences", _AFTER_SNIPPETS)


class _Observer(Preprocessor):
    """Has snippets report the files that they look for."""

    def __init__(self, md: Markdown, note: Callable[[str], None]) -> None:
        super().__init__(md)
        self._note = note
        self._observed: object = None

    def run(self, lines: list[str]) -> list[str]:
        known = self.md.preprocessors
        snippets: Any = known[_SNIPPETS] if _SNIPPETS in known else None  # noqa: SIM401 - no `get`
        find = getattr(snippets, "get_snippet_path", None)
        if find is None or snippets is self._observed:
            return lines
        self._observed = snippets

        def find_and_note(path: str) -> str | None:
            found: str | None = find(path)
            for place in _places(snippets, path, found):
                self._note(place)
            return found

        snippets.get_snippet_path = find_and_note
        return lines


class _Replacement(Preprocessor):
    """Shows the text, and puts another in its place."""

    def __init__(self, md: Markdown, replace: Callable[[str, str], str | None]) -> None:
        super().__init__(md)
        self._replace = replace

    def run(self, lines: list[str]) -> list[str]:
        known = self.md.treeprocessors
        links: Any = known[_LINKS] if _LINKS in known else None  # noqa: SIM401 - no `get`
        text = self._replace("\n".join(lines), getattr(getattr(links, "file", None), "src_uri", ""))
        return lines if text is None else text.split("\n")


def _places(snippets: Any, path: str, found: str | None) -> Iterator[str]:  # noqa: ANN401 - untyped
    """Yield where a snippet is looked for, up to where it is: a file that appears there counts.

    Like the extension, it stays below the base paths unless the site allows more.
    """
    for base in getattr(snippets, "base_path", ()):
        place = os.path.abspath(os.path.join(base, path))  # noqa: PTH100, PTH118 - as the extension
        is_below = place.startswith(os.path.join(base, ""))  # noqa: PTH118
        if found is not None and place == os.path.abspath(found):  # noqa: PTH100
            break
        if is_below or not getattr(snippets, "restrict_base_path", True):
            yield place
    if found is not None:
        yield found
