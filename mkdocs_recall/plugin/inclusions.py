"""The text of a page with what Markdown extensions include, and where in its files a fence is."""

from __future__ import annotations

import os
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.pages import Page

    from mkdocs_recall.directives.fences import Fence


class IncludedText:
    """The text of a page as it is rendered, with all that it includes."""

    def __init__(self, page: Page, config: MkDocsConfig) -> None:
        """Take a page."""
        self._page = page
        self._config = config
        self._files: dict[str, None] = {}
        """The paths of the files that it includes; they are read when a place is needed."""

    def note(self, path: str) -> None:
        """Note a file that is included."""
        self._files[path] = None

    def place(self, fence: Fence, *, below: int = 0) -> str:
        """Return where a fence is, for messages."""
        lines = stripped_lines(fence)
        places = [
            (name, first) for name, text in self._texts.items() for first in _find(lines, text)
        ]
        if len(places) == 1:
            [(name, first)] = places
            return f"{name}:{first + below + 1} (included in {self._page.file.src_uri})"
        return f"{self._page.file.src_uri} (in text that is included while the page is rendered)"

    @cached_property
    def _texts(self) -> Mapping[str, Sequence[str]]:
        """The lines of each file by its name, without white space around them."""
        texts: dict[str, list[str]] = {}
        for path in self._files:
            try:
                text = Path(path).read_text("utf-8-sig", errors="replace")
            except OSError:  # removed since
                continue
            texts[self._name(path)] = [line.strip() for line in text.split("\n")]
        return texts

    def _name(self, path: str) -> str:
        """Return the path of a file from `docs_dir`, or from where `mkdocs.yml` is."""
        site = os.path.dirname(os.path.abspath(self._config.config_file_path or "mkdocs.yml"))  # noqa: PTH100, PTH120
        for folder in (self._config.docs_dir, site):
            if path.startswith(inside := os.path.join(folder, "")):  # noqa: PTH118
                return path.removeprefix(inside).replace(os.sep, "/")
        return path


def stripped_lines(fence: Fence) -> tuple[str, ...]:
    """Return the lines of a fence without white space around them: inclusion indents lines."""
    return tuple(line.strip() for line in fence.source.split("\n"))


def _find(lines: Sequence[str], text: Sequence[str]) -> Iterable[int]:
    """Return the places of some lines in a text."""
    count = len(lines)
    return [
        number
        for number, line in enumerate(text)
        if line == lines[0] and tuple(text[number : number + count]) == lines
    ]
