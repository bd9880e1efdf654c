"""Tables as GitHub reads them, made into tables of Python-Markdown.

There each row may do without its outer pipes, whatever the other rows have, and a table needs no
empty line above or below it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from markdown.extensions import Extension
from markdown.preprocessors import Preprocessor
from markdown.util import STX

from mkdocs_recall.readers.nesting import TAB, empty_line, indented_code, text_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from markdown import Markdown

_DELIMITER: Final = re.compile(r"[ >]*\|? *:?-+:? *(?:\| *:?-+:? *)*\|? *$")
_SIGNS: Final = frozenset(" >|:-")
_LAST_PIPE: Final = re.compile(r"(?<!\\)(?:\\\\)*\|$")
_BLOCK: Final = re.compile(rf"#{{1,6}} |[-*+] |\d{{1,9}}[.)] |<|{STX}|/{{3,}}")
"""What ends a table by opening another block."""


class PipeTables(Extension):
    """Python-Markdown's reading of tables as GitHub reads them."""

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802 - Python-Markdown's name
        """Read tables after fences, and the tags of other generators."""
        md.preprocessors.register(_TablePreprocessor(md), "recall_tables", 27)


class _TablePreprocessor(Preprocessor):
    def run(self, lines: list[str]) -> list[str]:
        delimiters = [n for n, line in enumerate(lines) if n and "-" in line and _delimits(line)]
        if not delimiters:
            return lines
        code = frozenset(indented_code(lines)) if _is_deep(lines, delimiters) else frozenset()
        parts: list[str] = []
        done = 0
        for number in delimiters:
            header = number - 1
            if number < done or header in code or not _is_header(lines[header], lines[number]):
                continue
            parts += lines[done:header]
            if parts and text_of(parts[-1]):
                parts.append(empty_line(lines[number]))
            done = header
            while done < len(lines) and (text := text_of(lines[done])):
                if done > number and _BLOCK.match(text):
                    parts.append(empty_line(lines[number]))
                    break
                parts.append(_row(lines[done], text))
                done += 1
        return parts + lines[done:]


def _delimits(line: str) -> bool:
    """Return whether a line may be the one below the header of a table."""
    return "|" in line and _SIGNS.issuperset(line) and _DELIMITER.match(line) is not None


def _is_deep(lines: Sequence[str], numbers: Sequence[int]) -> bool:
    """Return whether any of these lines may be indented code."""
    return any(lines[number].startswith(" " * TAB) for number in numbers)


def _is_header(line: str, delimiter: str) -> bool:
    """Return whether the line above a delimiter row is the header of a table."""
    text = text_of(line)
    if line.count(">", 0, len(line) - len(text)) != delimiter.count(">") or not text:
        return False
    return "|" in text or text_of(delimiter).strip("| ").count("|") == 0


def _row(line: str, text: str) -> str:
    """Return a row with both of its outer pipes."""
    start = line[: len(line) - len(text)]
    text = text.rstrip()
    first = "" if text.startswith("|") else "| "
    last = "" if _LAST_PIPE.search(text) else " |"
    return f"{start}{first}{text}{last}"
