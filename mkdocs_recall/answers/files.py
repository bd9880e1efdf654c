"""A Markdown file outside of a build, its directives answered: prompts, instructions of agents.

All but the directives stays byte for byte: front matter, line ends, byte-order mark, examples.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from mkdocs_recall.answers.answer import answer
from mkdocs_recall.directives.fences import may_hold_directive
from mkdocs_recall.directives.nested import check_count
from mkdocs_recall.directives.parser import find_fences
from mkdocs_recall.directives.schema import read_options
from mkdocs_recall.errors import DirectiveError, RecallError, SiteError
from mkdocs_recall.options import LIMITS
from mkdocs_recall.rendering.markdown import TargetFile, prefixed, render_markdown
from mkdocs_recall.text.front_matter import page_language, split_front_matter

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from mkdocs_recall.corpus.corpus import Corpus
    from mkdocs_recall.directives.fences import Fence
    from mkdocs_recall.options import Limits

_BOM: Final = "\ufeff"
_BLANKS: Final = " \t\r>"
"""Alone on a line these end a paragraph."""
_TICKS: Final = re.compile("`{3,}|~{3,}")


@dataclass(frozen=True, slots=True)
class FileDiagnostic:
    """What the author of a directive should know, with its place."""

    line: int
    """Of the file, from 1."""
    name: str
    """`recall` or `synopsis`."""
    message: str


@dataclass(frozen=True, slots=True)
class RenderedFile:
    """A file with quotes in the place of its directives."""

    text: str
    """With its line ends and its byte-order mark."""
    faults: tuple[FileDiagnostic, ...] = ()
    """What has to be mended; the text is of no use then."""
    warnings: tuple[FileDiagnostic, ...] = ()


class FileRenderer:
    """Answers the directives of files from one documentation."""

    def __init__(
        self,
        corpus: Corpus,
        *,
        defaults: Mapping[str, Any] | None = None,
        every: Callable[[], Corpus] | None = None,
        limits: Limits = LIMITS,
    ) -> None:
        """Take the pages that may be quoted.

        Args:
            corpus: The pages.
            defaults: The defaults of the directives' options, checked.
            every: Returns the pages together with those that have expired, for a directive that
                says itself whether it quotes them; None where they are among the pages.
            limits: How much is read of a directive.
        """
        self._limits = limits
        self._corpus = corpus
        self._every = every
        self._defaults = {"on_empty": "omit", **(defaults or {})}
        self._root = _root(corpus.files)

    def render(self, path: Path, *, output: Path | None = None) -> RenderedFile:
        """Answer the directives of a file.

        Args:
            path: The file. The sources in a page of the documentation are seen from there, in any
                other file from the documentation's root.
            output: The file that the text is written to: links lead from there; None for `path`.

        Raises:
            SiteError: It cannot be read.
        """
        try:
            text = path.read_bytes().decode("utf-8")
        except IsADirectoryError as error:
            msg = f"'{path}' is a folder; name its files"
            raise SiteError(msg) from error
        except OSError as error:
            msg = f"'{path}' cannot be read: {error.strerror or error}"
            raise SiteError(msg) from error
        except UnicodeDecodeError as error:
            msg = f"'{path}' cannot be read: it is no UTF-8"
            raise SiteError(msg) from error
        if not may_hold_directive(text):
            return RenderedFile(text)
        source = split_front_matter(text)
        file = TargetFile(
            uri=self._uri(path),
            folder=os.path.realpath((output or path).parent),
            root=self._root,
            pages=self._corpus.files,
            language=page_language(source.meta),
        )
        filling = _Filling(text, source.offset)
        for number, fence in enumerate(filling.fences):
            filling.fill(fence, self._quote(number, fence, file, filling))
        return filling.rendered()

    def _uri(self, path: Path) -> str:
        """Return the path of a file from the documentation's root; nothing for one outside."""
        real = os.path.realpath(path)
        inside = os.path.join(self._root, "")  # noqa: PTH118
        return real.removeprefix(inside).replace(os.sep, "/") if real.startswith(inside) else ""

    def _quote(self, number: int, fence: Fence, file: TargetFile, filling: _Filling) -> str:
        """Return what stands in the place of a directive; note what its author should know."""
        try:
            if fence.fault:
                raise fence.fault
            check_count(number, self._limits)
            options = read_options(
                fence.name,
                fence.body,
                defaults=self._defaults,
                embedm=fence.embedm,
                limits=self._limits,
            )
        except RecallError as error:
            below = error.line if isinstance(error, DirectiveError) else 0
            filling.faults.append(filling.remark(fence, str(error), below=below))
            return ""
        says_itself = options.include_expired or options.temporal is not None
        corpus = self._every() if self._every and says_itself else self._corpus
        found = answer(options, corpus, file.uri)
        if found.error:
            filling.faults.append(filling.remark(fence, found.error))
        if found.warning:
            filling.warnings.append(filling.remark(fence, found.warning))
        if found.error or found.result is None or not found.result.passages:
            return ""
        return render_markdown(found.result, options, file)


class _Filling:
    """A file while its directives are replaced, from top to bottom."""

    def __init__(self, text: str, above: int) -> None:
        """Take a file.

        Args:
            text: All of it.
            above: How many lines of front matter it has.
        """
        mark = _BOM if text.startswith(_BOM) else ""
        lines = text[len(mark) :].split("\n")
        self.fences = find_fences("\n".join(lines[above:]))
        self.faults: list[FileDiagnostic] = []
        self.warnings: list[FileDiagnostic] = []
        self._mark = mark
        self._above = above
        self._lines = lines
        self._at = 0
        self._out: list[str] = []
        self._blank: str | None = None  # what has to stand between a quote above and what follows

    def remark(self, fence: Fence, message: str, *, below: int = 0) -> FileDiagnostic:
        """Return a remark about a directive, or a line in it."""
        return FileDiagnostic(self._above + fence.first + below + 1, fence.name, message)

    def fill(self, fence: Fence, quote: str) -> None:
        """Put a quote in the place of a directive; nothing leaves no blank lines behind."""
        first, last = (self._above + number for number in (fence.first, fence.last))
        self._copy(first)
        closing = self._lines[last]
        ticks = _TICKS.search(closing)
        inside = closing[: ticks.start()] if ticks and last > first else fence.prefix
        end = "\r" if closing.endswith("\r") or self._lines[first].endswith("\r") else ""
        self._at = last + 1
        is_item = bool(fence.prefix.strip(_BLANKS))  # behind the mark of a list
        if quote:
            if not (is_item or _is_blank((self._out or [""])[-1])):
                self._out.append(inside.rstrip() + end)
            lines = prefixed(quote, fence.prefix, inside).split("\n")
            self._out += [
                *(line + end for line in lines[:-1]),
                lines[-1] + end * (closing[-1:] == "\r"),
            ]
            self._blank = inside.rstrip() + end
        elif is_item:
            self._out.append(fence.prefix.rstrip() + end)
        elif _is_blank((self._out or [""])[-1]) and _is_blank(
            "".join(self._lines[self._at : last + 2])
        ):
            self._at = min(self._at + 1, len(self._lines) - 1)

    def rendered(self) -> RenderedFile:
        """Return the file."""
        self._copy(len(self._lines))
        text = self._mark + "\n".join(self._out)
        return RenderedFile(text, tuple(self.faults), tuple(self.warnings))

    def _copy(self, until: int) -> None:
        """Copy the lines up to one; a blank line sets them apart from a quote above."""
        lines = self._lines[self._at : until]
        if lines and self._blank is not None and not _is_blank(lines[0]):
            self._out.append(self._blank)
        if lines:
            self._blank = None
        self._out += lines
        self._at = until


def _is_blank(line: str) -> bool:
    return not line.strip(_BLANKS)


def _root(files: Mapping[str, str]) -> str:
    """Return the folder of a documentation, as its pages' files tell."""
    for uri, file in files.items():
        path = uri.replace("/", os.sep)
        if file.endswith(os.sep + path):
            return os.path.realpath(file[: -len(path)])
    return os.getcwd()  # noqa: PTH109
