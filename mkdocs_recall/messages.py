r"""How messages show what strangers wrote: no text drives a terminal or forges a line of a log.

Control characters, marks that turn the direction of text, and half of a character are written as in
JSON, `\u001b`. So is a sign of what commands a CI that reads the log: `::error …::` at the start of
a line, `##[…]` anywhere.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Final

from mkdocs_recall.errors import SHOWN, OptionError, did_you_mean

_LONG: Final = 10**SHOWN
"""From here on a number is not shown; Python does not even write one of more than 4300 digits."""
_UNSEEN: Final = (
    "[\x00-\x08\x0b-\x1f\x7f-\x9f"  # control characters, but for the tabulator and the line end
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # marks of direction
    "\u2028\u2029"  # to some, line ends
    "\ud800-\udfff]"
)
_COMMAND: Final = r"(?m)^[^\S\n]*:(?=:[\w-]+[^\n]*::)|(?<=#)#(?=\w*\[)"
"""GitHub reads `::name …::` behind white space and `##[name]` wherever it stands, Azure `##vso[…]`,
TeamCity `##teamcity[…]`."""
_NEAR_COMMAND: Final = r"(?<!\S):(?=:\w)"
"""What becomes one where a log is wrapped."""


def escape_invisible(text: str) -> str:
    """Return a text, of any number of lines, with what acts unseen written as an escape."""
    return re.sub(_COMMAND, _escape_last, escape_unseen(text))


def escape_unseen(text: str) -> str:
    """Return a text with characters that nobody sees as escapes, and commands to CI as they are."""
    return re.sub(_UNSEEN, _escape_last, text)


def single_line(text: str) -> str:
    """Return a message as one line: line ends, with white space around them, become spaces."""
    line = escape_invisible(" ".join(filter(None, map(str.strip, text.split("\n")))))
    return re.sub(_NEAR_COMMAND, _escape_last, line)


def printable(text: str) -> str:
    """Return a text with a space for each character that cannot be printed."""
    return "".join(sign if sign.isprintable() else " " for sign in text)


def one_line(text: str, *, limit: int | None = None) -> str:
    """Return a text with every run of white space as one space, cut where it exceeds a limit."""
    text = " ".join(text.split())
    return text if limit is None else cut(text, limit)


def cut(text: str, limit: int) -> str:
    """Return a text with at most so many characters; a longer one ends with "…"."""
    return text if len(text) <= limit else f"{text[: limit - 1].rstrip()}…"


def _escape_last(match: re.Match[str]) -> str:
    return f"{match[0][:-1]}\\u{ord(match[0][-1]):04x}"


@dataclass(slots=True)
class Diagnostics:
    """Warnings and notices that concern all answers; each text once."""

    warnings: list[str] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)

    def warn(self, text: str) -> None:
        """Add a warning."""
        if text not in self.warnings:
            self.warnings.append(text)

    def note(self, text: str) -> None:
        """Add a notice."""
        if text not in self.notices:
            self.notices.append(text)

    @property
    def all(self) -> tuple[str, ...]:
        """Both, warnings first."""
        return (*self.warnings, *self.notices)


def in_utf8(path: str) -> str:
    r"""Return a path as it is in UTF-8, whatever encoding the locale has for the names of files.

    With `LC_ALL=C`, Python reads "tök.md" as "t\udcc3\udcb6k.md": the name of a page, and a key of
    the cache, would depend on who reads it first. It is to be shown, not to be opened.
    """
    return os.fsencode(path).decode("utf-8", "surrogateescape")


def shown_path(file: str) -> str:
    """Return the path of a file for messages: relative if it is below the current folder."""
    return in_utf8(_relative(file))


def _relative(file: str) -> str:
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
    """Return file and line, `docs/guides/auth.md:41`, as far as there are any, for messages."""
    if not file or line is None:
        return file and shown_path(file)
    return f"{shown_path(file)}:{line}"


def backticks_around(text: str, least: int = 3) -> str:
    """Return more backticks than any run in a text has, so that nothing in it closes them."""
    longest = max(map(len, re.findall("`+", text)), default=0)
    return "`" * max(least, longest + 1)


def truncation_warning(page: str) -> str:
    """Return the warning that only the start of a page is read, with the remedy."""
    return (
        f"{page}: only the start of this page is read, because it exceeds 'limits.page_size'; "
        "split the page, or raise the limit"
    )


def start_of(text: str, limit: int = 60) -> str:
    """Return the start of a text as Python writes it, on one line: for a `repr`."""
    return repr(text if len(text) <= limit else f"{text[: limit - 1]}…")


def kind_of(value: object) -> str:
    """Name a YAML value's type as its author knows it."""
    if value is None:
        return "nothing"
    names = {
        bool: "true or false",
        int: "a number",
        float: "a number",
        str: "text",
        list: "a list",
        dict: "a mapping",
    }
    return names.get(type(value), f"a {type(value).__name__}")


def count_noun(number: int, name: str) -> str:
    """Return a number with its noun: `1 answer`, `2 answers`."""
    return f"{number} {name}{'s' * (number != 1)}"


def shown(value: object) -> str:
    """Show a value in a message: scalars as written, what holds others, or is long, by its kind."""
    if isinstance(value, str):
        return f"'{value if len(value) <= SHOWN else value[: SHOWN - 1] + '…'}'"
    if isinstance(value, (bool, float, date)) or (isinstance(value, int) and abs(value) < _LONG):
        return str(value).lower()
    return "a number with too many digits" if isinstance(value, int) else kind_of(value)


def check_settings(name: str, value: Iterable[object], known: Collection[str]) -> None:
    """Refuse a key of a mapping that is none of its settings."""
    for key in value:
        if key not in known:
            written = key if isinstance(key, str) else shown(key)
            hint = did_you_mean(written[:SHOWN], known) or f" ({', '.join(known)})"
            raise OptionError(f"'{name}' has no setting {shown(written)}{hint}")


def quoted_hint(value: object) -> str:
    """Return `; put it in quotes: "x"` for a scalar that YAML read otherwise."""
    is_short = isinstance(value, int) and abs(value) < _LONG
    return f'; put it in quotes: "{value}"' if is_short or isinstance(value, (float, date)) else ""
