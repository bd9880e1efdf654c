r"""What is told of texts that strangers wrote: it drives no terminal, forges no line of a log.

Control characters, marks that turn the direction of text, and half of a character are written as in
JSON, `\u001b`. So is a sign of what commands a CI that reads the log: `::error …::` at the start of
a line, `##[…]` anywhere.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from pathlib import Path
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


def escape_invisible(text: str) -> str:
    """Return a text of any number of lines in which nothing is hidden that acts."""
    return _COMMAND.sub(_last_written, _UNSEEN.sub(_last_written, text))


def single_line(text: str) -> str:
    """Return a message, which is one line: a line end, with what is blank around it, is a blank."""
    line = escape_invisible(" ".join(filter(None, map(str.strip, text.split("\n")))))
    return _NEAR_COMMAND.sub(_last_written, line)


def _last_written(found: re.Match[str]) -> str:
    return f"{found[0][:-1]}\\u{ord(found[0][-1]):04x}"


@dataclass(slots=True)
class Diagnostics:
    """What was said so far; each text once."""

    warnings: list[str] = field(default_factory=list)
    """What an author should mend."""
    notices: list[str] = field(default_factory=list)
    """What an author should know."""

    def warn(self, text: str) -> None:
        """Say what an author should mend."""
        if text not in self.warnings:
            self.warnings.append(text)

    def note(self, text: str) -> None:
        """Say what an author should know."""
        if text not in self.notices:
            self.notices.append(text)

    @property
    def all(self) -> tuple[str, ...]:
        """Both, warnings first."""
        return (*self.warnings, *self.notices)


def shown_path(file: str) -> str:
    """Return the path of a file as one types it here: relative if it lies below this folder."""
    path = Path(file)
    try:
        here = Path.cwd()
    except FileNotFoundError:  # somebody has removed this folder
        return file
    if path.is_relative_to(here):
        return str(path.relative_to(here))
    real, here = Path(os.path.realpath(file)), Path(os.path.realpath(here))
    return str(real.relative_to(here)) if real.is_relative_to(here) else file


def location(file: str, line: int | None) -> str:
    """Return file and line as one types them here, `docs/guides/auth.md:41`, as far as known."""
    if not file or line is None:
        return file and shown_path(file)
    return f"{shown_path(file)}:{line}"
