r"""What is told of texts that strangers wrote: it drives no terminal, forges no line of a log.

Control characters, marks that turn the direction of text, and half of a character are written as in
JSON, `\u001b`. So is a sign of what commands a CI that reads the log: `::error …::` at the start of
a line, `##[…]` anywhere.
"""

from __future__ import annotations

import re
from typing import Final

_UNSEEN: Final = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f"  # control characters, but for the tabulator and the line end
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # marks of direction
    "\u2028\u2029"  # to some, line ends
    "\ud800-\udfff]"
)
_COMMAND: Final = re.compile(r"^[^\S\n]*:(?=:[\w-]+[^\n]*::)|(?<=#)#(?=\w*\[)", re.MULTILINE)
"""GitHub reads `::name …::` behind blanks and `##[name]` wherever it stands, Azure `##vso[…]`,
TeamCity `##teamcity[…]`."""
_NEAR_COMMAND: Final = re.compile(r"(?<!\S):(?=:\w)")
"""What becomes one where a log is wrapped."""


def visible(text: str) -> str:
    """Return a text of any number of lines in which nothing is hidden that acts."""
    return _COMMAND.sub(_last_written, _UNSEEN.sub(_last_written, text))


def told(text: str) -> str:
    """Return a message, which is one line: a line end, with what is blank around it, is a blank."""
    line = visible(" ".join(filter(None, map(str.strip, text.split("\n")))))
    return _NEAR_COMMAND.sub(_last_written, line)


def _last_written(found: re.Match[str]) -> str:
    return f"{found[0][:-1]}\\u{ord(found[0][-1]):04x}"
