"""Markdown files outside of a build, rendered: prompts, instructions of agents, any other file.

Quotes replace the directives. All other text stays byte for byte: front matter, line ends,
byte-order mark, examples. `directives` reads the fences, `rendering.markdown` writes the quotes.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from mkdocs_recall.answers.answer import answer
from mkdocs_recall.directives.comments import cut_values
from mkdocs_recall.directives.fences import may_hold_directive, may_hold_near_miss
from mkdocs_recall.directives.near_misses import find_near_misses
from mkdocs_recall.directives.parser import find_fences
from mkdocs_recall.directives.schema import read_fence
from mkdocs_recall.errors import EncodingError, RecallError, SiteError, lines_below
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
_EMPTY: Final = " \t\r>"
"""A line of only these characters ends a paragraph."""
_FENCE_MARK: Final = re.compile("`{3,}|~{3,}")


@dataclass(frozen=True, slots=True)
class FileDiagnostic:
    """An error or a warning for the author of a directive, with its place."""

    line: int
    """The line in the file, from 1."""
    name: str
    """`recall` or `synopsis`."""
    message: str


@dataclass(frozen=True, slots=True)
class RenderedFile:
    """A file whose directives are replaced by quotes."""

    text: str
    """All of the file, with its line ends and its byte-order mark."""
    faults: tuple[FileDiagnostic, ...] = ()
    """Errors that the author has to mend; the text is of no use then."""
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
            every: Returns the pages together with the expired ones, for a directive that says
                itself whether it quotes them; None where `corpus` includes them.
        """
        self._limits = limits
        self._corpus = corpus
        self._every = every
        self._stated = defaults or {}
        self._defaults = {"on_empty": "omit", **self._stated}
        self._root = documentation_root(corpus.files)

    def render(
        self, path: Path, *, output: Path | None = None, content: bytes | None = None
    ) -> RenderedFile:
        """Answer the directives of a file.

        Args:
            path: The file. Sources are relative to the file where it is a page of the
                documentation, in any other file to the documentation's root.
            output: The file that the text is written to, which links start from; None for `path`.
            content: The content of the file, of which then only the folder counts; None to read it.
        """
        try:
            text = (path.read_bytes() if content is None else content).decode("utf-8")
        except OSError as error:
            msg = f"'{path}' cannot be read: {error.strerror or error}"
            raise SiteError(msg) from error
        except UnicodeDecodeError as error:
            raise EncodingError(str(path), error) from error
        if not (may_hold_directive(text) or may_hold_near_miss(text)):
            return RenderedFile(text)
        source = split_front_matter(text)
        file = TargetFile(
            uri=self._uri(path) if content is None else "",
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
        """Return the path of a file from the documentation's root; empty for one outside of it."""
        real = os.path.realpath(path)
        inside = os.path.join(self._root, "")  # noqa: PTH118
        return real.removeprefix(inside).replace(os.sep, "/") if real.startswith(inside) else ""

    def _quote(self, number: int, fence: Fence, file: TargetFile, filling: _Filling) -> str:
        """Return the quote for a directive; add its errors and warnings to the file's."""
        try:
            defaults = self._stated if fence.embedm else self._defaults
            options = read_fence(fence, number, defaults=defaults, limits=self._limits)
        except RecallError as error:
            below = lines_below(error)
            filling.faults.append(filling.diagnostic(fence, str(error), below=below))
            return ""
        for cut in cut_values(fence.body):
            filling.warnings.append(filling.diagnostic(fence, cut.message, below=cut.line))
        says_itself = options.include_expired or options.temporal is not None
        corpus = self._every() if self._every and says_itself else self._corpus
        reply = answer(options, corpus, file.uri)
        if reply.error:
            filling.faults.append(filling.diagnostic(fence, reply.error))
        if reply.warning:
            filling.warnings.append(filling.diagnostic(fence, reply.warning))
        if reply.note:
            return f"> [!NOTE]\n> {reply.note}"
        if reply.error or reply.result is None or not reply.result.passages:
            return ""
        return render_markdown(reply.result, options, file)


class _Filling:
    """A file while its directives are replaced, from top to bottom."""

    def __init__(self, text: str, above: int) -> None:
        """Take a file."""
        bom = _BOM if text.startswith(_BOM) else ""
        lines = text[len(bom) :].split("\n")
        body = "\n".join(lines[above:])
        self.fences = find_fences(body)
        self._above = above
        self.faults: list[FileDiagnostic] = []
        self.warnings = [
            self.diagnostic(miss.fence, miss.message) for miss in find_near_misses(body)
        ]
        self._bom = bom
        self._lines = lines
        self._next = 0
        """The first line that is not written yet."""
        self._output: list[str] = []
        self._separator: str | None = None
        """The empty line that parts the quote above from the next line; None where none has to."""

    def diagnostic(self, fence: Fence, message: str, *, below: int = 0) -> FileDiagnostic:
        """Return a diagnostic about a directive, or so many lines below its first."""
        return FileDiagnostic(self._above + fence.first + below + 1, fence.name, message)

    def fill(self, fence: Fence, quote: str) -> None:
        """Replace a directive with a quote; for an empty one, remove an empty line beside it."""
        first, last = (self._above + number for number in (fence.first, fence.last))
        self._copy(first)
        closing = self._lines[last]
        mark = _FENCE_MARK.search(closing)
        inside = closing[: mark.start()] if mark and last > first else fence.prefix
        end = "\r" if closing.endswith("\r") or self._lines[first].endswith("\r") else ""
        self._next = last + 1
        is_item = bool(fence.prefix.strip(_EMPTY))  # the directive follows the marker of an item
        follows_empty = _is_empty((self._output or [""])[-1])
        if quote:
            if not (is_item or follows_empty):
                self._output.append(inside.rstrip() + end)
            lines = prefixed(quote, fence.prefix, inside).split("\n")
            self._output += [
                *(line + end for line in lines[:-1]),
                lines[-1] + end * (closing[-1:] == "\r"),
            ]
            self._separator = inside.rstrip() + end
        elif is_item:
            self._output.append(fence.prefix.rstrip() + end)
        elif follows_empty and _is_empty("".join(self._lines[self._next : last + 2])):
            self._next = min(self._next + 1, len(self._lines) - 1)

    def rendered(self) -> RenderedFile:
        """Return the file with all quotes."""
        self._copy(len(self._lines))
        text = self._bom + "\n".join(self._output)
        return RenderedFile(text, tuple(self.faults), tuple(self.warnings))

    def _copy(self, until: int) -> None:
        """Copy the lines up to one; an empty line parts them from a quote above."""
        lines = self._lines[self._next : until]
        if lines and self._separator is not None and not _is_empty(lines[0]):
            self._output.append(self._separator)
        if lines:
            self._separator = None
        self._output += lines
        self._next = until


def _is_empty(line: str) -> bool:
    return not line.strip(_EMPTY)


def documentation_root(files: Mapping[str, str]) -> str:
    """Return the folder of a documentation, derived from the files of its pages."""
    for uri, file in files.items():
        path = uri.replace("/", os.sep)
        if file.endswith(os.sep + path):
            return os.path.realpath(file[: -len(path)])
    return os.getcwd()  # noqa: PTH109
