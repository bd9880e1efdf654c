"""What the pages of a build include, and where in these files a fence is.

A page depends on what it includes. Files that Markdown extensions include are known; of a page
that a plugin has written or filled in, only this is known: its file is not all that it depends on.
"""

from __future__ import annotations

import os
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from mkdocs_recall.text.front_matter import normalise_newlines

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.pages import Page

    from mkdocs_recall.directives.fences import Fence

Fingerprints: TypeAlias = "dict[str, list[int] | None]"
"""The fingerprint of each file by its path; None for one that does not exist."""


class Inclusions:
    """What the pages that were rendered so far include.

    Attributes:
        files: The files that each page includes while it is rendered, by the page's uri.
        rewritten: The uris of pages whose Markdown is not that of their files.
    """

    def __init__(self) -> None:
        """Start without a page."""
        self.files: dict[str, Fingerprints] = {}
        self.rewritten: set[str] = set()

    def begin(self, page: Page, markdown: str, *, replaces_source: bool) -> Fingerprints:
        """Note what plugins have made of a page's Markdown, and forget its earlier files.

        Args:
            replaces_source: Whether a plugin may read pages from elsewhere than their files.

        Returns:
            The files that the page includes: none yet.
        """
        uri, original = page.file.src_uri, page.markdown
        is_original = markdown is original or markdown.strip() == (original or "").strip()
        if is_original and replaces_source:
            is_original = _is_in_file(markdown, page)
        (self.rewritten.discard if is_original else self.rewritten.add)(uri)
        files = self.files[uri] = {}
        return files


class IncludedText:
    """The text of a page as it is rendered, with all that it includes."""

    def __init__(self, page: Page, config: MkDocsConfig, files: Fingerprints) -> None:
        """Take a page and the files that it includes; they are read when a place is needed."""
        self._page = page
        self._config = config
        self._files = files

    def note(self, path: str) -> None:
        """Note a file that is included, or would be if it existed."""
        from mkdocs_recall.cache.files import fingerprint

        if path not in self._files:
            self._files[path] = fingerprint(path)

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
        for path, stamp in self._files.items():
            if stamp is not None:
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


def _is_in_file(markdown: str, page: Page) -> bool:
    try:
        return markdown.strip() in normalise_newlines(page.file.content_string)
    except (OSError, ValueError):  # there is no such file, or it is a notebook, a picture
        return False


def _find(lines: Sequence[str], text: Sequence[str]) -> Iterable[int]:
    """Return the places of some lines in a text."""
    count = len(lines)
    return [
        number
        for number, line in enumerate(text)
        if line == lines[0] and tuple(text[number : number + count]) == lines
    ]
