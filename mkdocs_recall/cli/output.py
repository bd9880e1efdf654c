"""What a command says: data on stdout, all else on stderr, nothing that could drive a terminal."""

from __future__ import annotations

import json
import os
import sys
from contextlib import ExitStack, contextmanager, redirect_stdout, suppress
from enum import IntEnum
from time import monotonic
from typing import TYPE_CHECKING, Any, Final, TextIO
from unicodedata import combining, east_asian_width

from mkdocs_recall.messages import escape_invisible, single_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

_STDOUT = 1
_STDERR = 2
_GAP = "  "
_PIECE = 512 // 4
"""Characters. POSIX has a pipe take 512 bytes at once, and UTF-8 has four for one at most."""


class Status(IntEnum):
    """What a command leaves with."""

    FOUND = 0
    NOTHING = 1
    WRONG = 2
    """A mistake in the command or the configuration."""
    CHANGED = 3
    """A check failed."""


@contextmanager
def data_only() -> Iterator[None]:
    """Have what others print meanwhile, and the programs they run, go to stderr."""
    with ExitStack() as undone, redirect_stdout(sys.stderr):
        with suppress(OSError):  # a process may be started without one of the two
            own = os.dup(_STDOUT)
            undone.callback(os.close, own)
            os.dup2(_STDERR, _STDOUT)
            undone.callback(os.dup2, own, _STDOUT)
        yield


def one_line(text: str, *, limit: int | None = None) -> str:
    """Return a text with every run of white space as one blank, and cut where it is longer."""
    text = " ".join(text.split())
    if limit is not None and len(text) > limit:
        return f"{text[: limit - 1].rstrip()}…"
    return text


def say(text: str) -> None:
    """Write data, and a line end, to stdout."""
    say_as_is(escape_invisible(text))


def say_as_is(text: str) -> None:
    """Write what drives no terminal, and commands CI only where it shall, to stdout."""
    _write(sys.stdout, text)


def say_json(record: Mapping[str, Any]) -> None:
    """Write a record to stdout as JSON on one line, in characters that its encoding has."""
    from mkdocs_recall.retrieval.records import as_json

    encoding = (getattr(sys.stdout, "encoding", None) or "").lower()
    say(as_json(record) if encoding.startswith("utf") else json.dumps(record))


def note(text: str) -> None:
    """Tell the person at the terminal something, in a line."""
    _write(sys.stderr, single_line(text))


def note_lines(text: str) -> None:
    """Tell the person at the terminal something that has several lines."""
    _write(sys.stderr, escape_invisible(text))


def note_all(texts: Iterable[str]) -> None:
    """Tell the person at the terminal what there is to know of answers, a line for each."""
    for text in texts:
        note(f"Note: {text}")


def complain(text: str) -> None:
    """Say what is wrong."""
    note(f"Error: {text}")


def columns(rows: Iterable[Sequence[str]]) -> str:
    """Return rows of cells as lines; columns are aligned, those of numbers to the right."""
    lines = [[one_line(cell) for cell in row] for row in rows]
    aligned = [_column(cells) for cells in zip(*lines, strict=True)]
    return "\n".join(_GAP.join(cells).rstrip() for cells in zip(*aligned, strict=True))


def _column(cells: Sequence[str]) -> Iterator[str]:
    """Yield the cells of a column, all as wide as the widest."""
    width = max(map(_width, cells))
    numbers = all(cell.replace(".", "", 1).isdecimal() for cell in cells)
    for cell in cells:
        blanks = " " * (width - _width(cell))
        yield f"{blanks}{cell}" if numbers else f"{cell}{blanks}"


def _width(text: str) -> int:
    """Return how many columns of a terminal a text takes: Han, Kana and Hangul have two each."""
    if text.isascii():
        return len(text)
    wide = sum(east_asian_width(character) in "WF" for character in text)
    return len(text) + wide - sum(combining(character) > 0 for character in text)


def _write(stream: TextIO | None, text: str) -> None:
    """Write a line to a stream, in pieces of which a pipe takes each whole or not at all.

    Python that does not buffer takes no notice if only a part of a longer text was written.
    """
    if stream is None:  # a process may be started without
        return
    line = f"{text}\n"
    for start in range(0, len(line), _PIECE):
        stream.write(line[start : start + _PIECE])


_PATIENCE: Final = 1.0
"""Seconds before anything is shown."""
_PAUSE: Final = 0.1
"""Seconds between two changes of what is shown."""


class Progress:
    """One line on stderr, written over and over until it is taken away.

    Nothing is shown where stderr is no terminal, or when it takes less than a second.
    """

    def __init__(self) -> None:
        """Begin to wait."""
        self._is_seen = sys.stderr is not None and sys.stderr.isatty()
        self._next = monotonic() + _PATIENCE
        self._width = 0

    def __call__(self, done: int, total: int) -> None:
        """Show how many pages of how many are read."""
        if self._is_seen and monotonic() >= self._next:
            text = f"{done} of {total} pages read"
            self._write(f"\r{text.ljust(self._width)}")
            self._width = len(text)
            self._next = monotonic() + _PAUSE

    def clear(self) -> None:
        """Take away what is shown."""
        if self._width:
            self._write(f"\r{' ' * self._width}\r")
            self._width = 0

    def _write(self, text: str) -> None:
        sys.stderr.write(text)
        sys.stderr.flush()
