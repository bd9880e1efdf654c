"""How far the reading of a site is, told on a terminal when it takes long."""

from __future__ import annotations

import sys
from time import monotonic
from typing import Final

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
