"""Included text: a page as Markdown extensions complete it, and the files and lines of fences.

Text that a Markdown extension includes is in no page's Markdown. An extension of our own sees the
whole text before fences are rendered, and records each file that `pymdownx.snippets` looks for.
Inclusions of mkdocs-include-markdown-plugin are found by their tags, to name the file of a fence.
"""

from __future__ import annotations

import os
import re
from functools import partial
from pathlib import Path
from types import FunctionType
from typing import TYPE_CHECKING, Any, Final

from markdown.extensions import Extension
from markdown.preprocessors import Preprocessor
from msgspec import Struct

from mkdocs_recall.directives.fences import find_fences, find_near_misses
from mkdocs_recall.text.front_matter import normalise_newlines

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from markdown import Markdown
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import File
    from mkdocs.structure.pages import Page

    from mkdocs_recall.directives.directive import Directive

_SNIPPETS: Final = "snippet"
"""The name of the extension's preprocessor."""
_LINKS: Final = "relpath"
"""The name of the resolver of a page's links, which knows the page's file."""
_BEFORE_ALL: Final = 1000
_AFTER_SNIPPETS: Final = 31
"""Snippets are included at priority 32, white space is normalised at 30, and fences are rendered at
25."""


class InclusionExtension(Extension):
    """Reports the text of rendered pages, and files of snippets."""

    def __init__(
        self,
        replace: Callable[[str, str], str | None],
        note: Callable[[str], None] | None = None,
        *,
        name: str = "recall-fences",
        priority: int = _AFTER_SNIPPETS,
    ) -> None:
        """Take the callbacks for the rendering of a page.

        `replace` gets the text and the page's uri, or "", and returns the text to render instead,
        or None; `note` gets each file that snippets look for.
        """
        super().__init__()
        self._replace, self._note = replace, note
        self._step = name, priority

    def __deepcopy__(self, memo: dict[int, Any]) -> InclusionExtension:
        """Return itself: copied settings are for the same site."""
        return self

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802 - Python-Markdown's name
        """Register the preprocessor with a converter."""
        if self._note is not None:
            observe = partial(_observe_snippets, md, self._note)
            _register(md, observe, "recall-files", _BEFORE_ALL)
        _register(md, self._replace, *self._step)


def _register(
    md: Markdown, replace: Callable[[str, str], str | None], name: str, priority: int
) -> None:

    def run(lines: list[str]) -> list[str]:
        processors = md.treeprocessors
        links: Any = processors[_LINKS] if _LINKS in processors else None  # noqa: SIM401 - no `get`
        text = replace("\n".join(lines), getattr(getattr(links, "file", None), "src_uri", ""))
        return lines if text is None else text.split("\n")

    preprocessor = Preprocessor(md)
    preprocessor.run = run  # type: ignore[method-assign]
    md.preprocessors.register(preprocessor, name, priority)


def _observe_snippets(md: Markdown, note: Callable[[str], None], *_: str) -> None:
    processors = md.preprocessors
    snippets: Any = processors[_SNIPPETS] if _SNIPPETS in processors else None  # noqa: SIM401 - no `get`
    find = getattr(snippets, "get_snippet_path", None)
    if find is None or isinstance(find, FunctionType):  # a method before, our function after
        return

    def find_and_note(path: str) -> str | None:
        file: str | None = find(path)
        for place in _places(snippets, path, file):
            note(place)
        return file

    snippets.get_snippet_path = find_and_note


def _places(snippets: Any, path: str, file: str | None) -> Iterator[str]:  # untyped
    """Yield the paths tried for a snippet, up to its own."""
    # Like the extension, this stays below the base paths unless the site allows more.
    for base in getattr(snippets, "base_path", ()):
        place = os.path.abspath(os.path.join(base, path))  # noqa: PTH100 - as the extension
        is_below = place.startswith(os.path.join(base, ""))
        if file is not None and place == os.path.abspath(file):  # noqa: PTH100
            break
        if is_below or not getattr(snippets, "restrict_base_path", True):
            yield place
    if file is not None:
        yield file


class IncludedText(Struct, eq=False, dict=True):
    """The text of a page while MkDocs renders it, with all inclusions."""

    page: Page
    config: MkDocsConfig
    markdown: str
    """The rendered text before inclusions."""
    near_misses: set[tuple[str, ...]]
    """The lines of each misspelled fence that was reported."""

    def __post_init__(self) -> None:
        self._content = self.page.content
        self._files: dict[str, None] = {}
        """The paths of the included files, read on demand."""

    @property
    def is_over(self) -> bool:
        """Whether the page is finished: later text is not part of it."""
        return self.page.content is not self._content

    def note(self, path: str) -> None:
        """Record an included file."""
        self._files[path] = None

    def locate_later(self, directives: Sequence[Directive]) -> None:
        """Have its directives found on demand."""
        _located_by(partial(self._locate, directives), directives, self.page)

    def _locate(self, directives: Iterable[Directive]) -> None:
        texts: dict[str, Sequence[str]] = {}
        for path in self._files:
            try:
                text = Path(path).read_text("utf-8-sig", errors="replace")
            except OSError:  # removed since
                continue
            texts[self._name(path)] = stripped_lines(text)
        for directive in directives:
            directive.locate = None
            if not _locate_in(texts, directive):
                directive.inclusion = " (in text that is included while the page is rendered)"

    def _name(self, path: str) -> str:
        site = os.path.dirname(os.path.abspath(self.config.config_file_path or "mkdocs.yml"))  # noqa: PTH100, PTH120
        for folder in (self.config.docs_dir, site):
            if path.startswith(inside := os.path.join(folder, "")):
                return path.removeprefix(inside).replace(os.sep, "/")
        return path


def locate_later(directives: Sequence[Directive], markdown: str, page: Page) -> None:
    """Arrange for directives' lines to be found on demand, in the page or its inclusions."""
    line_ends = markdown.rstrip("\n").count("\n")
    _located_by(partial(_locate, directives, line_ends, page), directives, page)


def _located_by(locate: Callable[[], None], directives: Iterable[Directive], page: Page) -> None:
    for directive in directives:
        directive.page = page.file.src_uri
        directive.locate = locate


def _locate(directives: Sequence[Directive], line_ends: int, page: Page) -> None:
    try:
        text = normalise_newlines(page.file.content_string).rstrip("\n")
    except OSError:  # its author has removed it since MkDocs read it
        text = ""
    lines = text.split("\n")
    above = len(lines) - 1 - line_ends
    for directive in directives:
        directive.locate = None
        first, behind = above + directive.first, above + directive.last + 1
        if above >= 0 and "\n".join(lines[first:behind]) == directive.source:
            directive.opening = first + 1
    if lost := [directive for directive in directives if directive.opening is None]:
        _locate_lost(lost, text, page.file)


def _locate_lost(directives: Sequence[Directive], text: str, file: File) -> None:
    lines: dict[str, list[int]] = {}
    for directive in (*find_fences(text), *find_near_misses(text)):
        lines.setdefault(directive.source, []).append(directive.first + 1)
    path = file.abs_src_path or ""
    docs = path.removesuffix(os.path.normpath(file.src_uri))
    texts = _included_texts(text, path, docs) if docs not in {"", path} else {}
    for directive in directives:
        places = lines.get(directive.source, [])
        if len(places) == 1:
            directive.opening = places[0]
        elif not _locate_in(texts, directive) and re.search(_INCLUDE, text):
            directive.inclusion = " (in a file that the page includes)"


def _locate_in(texts: Mapping[str, Sequence[str]], directive: Directive) -> bool:
    """Find a directive that occurs exactly once in included texts."""
    lines = stripped_lines(directive.source)
    places = [
        (name, number)
        for name, text in texts.items()
        for number, line in enumerate(text, start=1)
        if line == lines[0] and tuple(text[number - 1 : number - 1 + len(lines)]) == lines
    ]
    if len(places) != 1:
        return False
    directive.file, directive.opening = places[0]
    directive.inclusion = f" (included in {directive.page})"
    return True


def stripped_lines(text: str) -> tuple[str, ...]:
    """Return stripped lines: inclusion indents them."""
    return tuple(line.strip() for line in text.split("\n"))


_INCLUDE: Final = r"\{%\s*include(?:-markdown)?\s+(?:\"([^\"\n]+)\"|'([^'\n]+)')"


def _included_texts(markdown: str, page: str, docs: str) -> dict[str, Sequence[str]]:
    root = os.path.realpath(docs)
    texts: dict[str, Sequence[str]] = {}
    for name in sorted({match[1] or match[2] for match in re.finditer(_INCLUDE, markdown)}):
        start = os.path.dirname(page) if name.startswith(("./", "../")) else root  # noqa: PTH120
        try:
            path = Path(os.path.realpath(os.path.join(start, name)))
            if path.is_relative_to(root):
                text = path.read_text("utf-8-sig")
                texts[path.relative_to(root).as_posix()] = stripped_lines(text)
        except (OSError, ValueError):  # a pattern, a URL, another encoding
            continue
    return texts
