r"""The lines that an agent's program sends, in which every character can be encoded.

JSON may hold half of a surrogate pair (`"\ud83d"`), as programs write that cut texts by UTF-16
units. The SDK takes such a line for no message and sends no reply, so that the program waits.
"""

from __future__ import annotations

import io
import os
import re
from typing import IO, TYPE_CHECKING, Final

if TYPE_CHECKING:
    from typing_extensions import Buffer

_ESCAPE: Final = re.compile(
    rb"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
    rb"|(?P<half>u[dD][89a-fA-F][0-9a-fA-F]{2})|.)",
    re.DOTALL,
)
"""An escape in JSON: a surrogate pair, half of one, or any other, such as an escaped backslash."""
_REPLACEMENT: Final = rb"\ufffd"
_STDIN: Final = 0


def take_stdin() -> io.TextIOWrapper:
    """Return a text stream of the repaired lines of stdin, which is empty for all others from now.

    Programs that a Markdown extension or git starts would otherwise read the agent's messages.
    """
    lines = os.fdopen(os.dup(_STDIN), "rb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, _STDIN)
    os.close(nothing)
    return io.TextIOWrapper(io.BufferedReader(_RepairedLines(lines)), "utf-8", "replace")


def repaired(line: bytes) -> bytes:
    """Return a line of JSON with replacement characters for halves of surrogate pairs."""
    if b"\\u" not in line:
        return line
    return _ESCAPE.sub(lambda escape: _REPLACEMENT if escape["half"] else escape[0], line)


class _RepairedLines(io.RawIOBase):
    """A stream that passes on each line of another as soon as it is there."""

    def __init__(self, lines: IO[bytes]) -> None:
        self._lines = lines
        self._rest = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Buffer) -> int:
        if not self._rest:
            self._rest = memoryview(repaired(self._lines.readline()))
        target = memoryview(buffer).cast("B")
        count = min(len(target), len(self._rest))
        target[:count] = self._rest[:count]
        self._rest = self._rest[count:]
        return count
