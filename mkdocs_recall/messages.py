r"""Messages, made safe: no stranger's text controls a terminal or forges a line of a log.

Control characters, marks of text direction, and half characters are escaped as in JSON, `\u001b`.
So are signs that command a CI that reads the log: `::error …::` at the start of a line, `##[…]`
anywhere.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable
from datetime import date
from pathlib import Path
from typing import Final

from mkdocs_recall.errors import SHOWN, OptionError, did_you_mean

_START: Final = 60
_LONG: Final = 10**SHOWN
"""Numbers from here on are not shown; Python cannot even write more than 4300 digits."""
_UNSEEN: Final = (
    "[\x00-\x08\x0b-\x1f\x7f-\x9f"  # control characters, except tab and line feed
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # marks of direction
    "\u2028\u2029"  # line ends to some programs
    "\ud800-\udfff]"
)
_COMMAND: Final = r"(?m)^[^\S\n]*:(?=:[\w-]+[^\n]*::)|(?<=#)#(?=\w*\[)"
"""GitHub reads `::name …::` after white space and `##[name]` anywhere, Azure `##vso[…]`, TeamCity
`##teamcity[…]`."""
_NEAR_COMMAND: Final = r"(?<!\S):(?=:\w)"
"""A text that becomes a command when a log is wrapped."""


def escape_invisible(text: str) -> str:
    """Return a text with invisible characters and commands escaped."""
    return re.sub(_COMMAND, _escape_last, escape_unseen(text))


def escape_unseen(text: str) -> str:
    """Return a text with invisible characters escaped, but not CI commands."""
    return re.sub(_UNSEEN, _escape_last, text)


def single_line(text: str) -> str:
    """Return a message as one line, with spaces for line ends."""
    line = escape_invisible(" ".join(filter(None, map(str.strip, text.split("\n")))))
    return re.sub(_NEAR_COMMAND, _escape_last, line)


def printable(text: str) -> str:
    """Return a text with spaces for unprintable characters."""
    return "".join(sign if sign.isprintable() else " " for sign in text)


def one_line(text: str, *, limit: int | None = None) -> str:
    """Return a text with single spaces for white space, cut to a limit."""
    text = " ".join(text.split())
    return text if limit is None else cut(text, limit)


def cut(text: str, limit: int) -> str:
    """Return a text of at most `limit` characters; a cut one ends with "…"."""
    return text if len(text) <= limit else f"{text[: limit - 1].rstrip()}…"


def _escape_last(match: re.Match[str]) -> str:
    return f"{match[0][:-1]}\\u{ord(match[0][-1]):04x}"


def in_utf8(path: str) -> str:
    r"""Return a path as UTF-8, to be shown, whatever the locale's encoding of file names.

    With `LC_ALL=C`, Python reads "tök.md" as "t\udcc3\udcb6k.md".
    """
    return os.fsencode(path).decode("utf-8", "surrogateescape")


def shown_path(file: str) -> str:
    """Return a file's path for messages, relative if below here."""
    return in_utf8(_relative(file))


def _relative(file: str) -> str:
    path = Path(file)
    try:
        here = Path.cwd()
    except FileNotFoundError:  # this folder was removed
        return file
    if path.is_relative_to(here):
        return str(path.relative_to(here))
    real, here = Path(os.path.realpath(file)), Path(os.path.realpath(here))
    return str(real.relative_to(here)) if real.is_relative_to(here) else file


def location(file: str, line: int | None) -> str:
    """Return file and line for messages, `docs/guides/auth.md:41`."""
    if not file or line is None:
        return file and shown_path(file)
    return f"{shown_path(file)}:{line}"


def backticks_around(text: str, least: int = 3) -> str:
    """Return more backticks than a text has in a row."""
    longest = max(map(len, re.findall("`+", text)), default=0)
    return "`" * max(least, longest + 1)


def truncation_warning(page: str) -> str:
    """Return the warning that only a page's start is read."""
    return (
        f"{page}: only the start of this page is read, because it exceeds 'limits.page_size'; "
        "split the page, or raise the limit"
    )


def start_of(text: str) -> str:
    """Return the start of a text as a Python literal, for a `repr`."""
    return repr(text if len(text) <= _START else f"{text[: _START - 1]}…")


def kind_of(value: object) -> str:
    """Name a YAML value's type as its author knows it."""
    if value is None:
        return "nothing"
    names = {
        bool: "true or false",
        int: "a number",
        float: "a number",
        str: "text",
        bytes: "bytes",
        list: "a list",
        dict: "a mapping",
    }
    return names.get(type(value), f"a {type(value).__name__}")


def count_noun(number: int, name: str) -> str:
    """Return a number with its noun: `1 answer`, `2 answers`."""
    return f"{number} {name}{'' if number == 1 else 's'}"


def shown(value: object) -> str:
    """Show a value in a message: short scalars as written, others by their kind."""
    if isinstance(value, str):
        return f"'{value if len(value) <= SHOWN else value[: SHOWN - 1] + '…'}'"
    if isinstance(value, (bool, float, date)) or (isinstance(value, int) and abs(value) < _LONG):
        return str(value).lower()
    return "a number with too many digits" if isinstance(value, int) else kind_of(value)


def check_settings(name: str, value: Iterable[object], known: Collection[str]) -> None:
    """Refuse unknown settings in a mapping."""
    for key in value:
        if key not in known:
            written = key if isinstance(key, str) else shown(key)
            hint = did_you_mean(written[:SHOWN], known) or f" ({', '.join(known)})"
            raise OptionError(f"'{name}' has no setting {shown(written)}{hint}")


def quoted_hint(value: object) -> str:
    """Return `; put it in quotes: "x"` for a scalar that YAML did not read as text."""
    is_short = isinstance(value, int) and abs(value) < _LONG
    return f'; put it in quotes: "{value}"' if is_short or isinstance(value, (float, date)) else ""
