"""A pattern between slashes, as an author writes it: bounded, so that it cannot hang a build.

Its package is imported when the first pattern is read.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final
from unicodedata import normalize

from mkdocs_recall.errors import SHOWN, OptionError

if TYPE_CHECKING:
    import regex

_LONGEST: Final = 200
"""Characters."""
_REPEATED: Final = 10_000
"""To compile a pattern takes time and memory for what its counts come to, and `regex` 2026.11 has
crashed on a million. Of 38,000 random patterns within both limits, none took 0.2 s or crashed."""
_COUNTS: Final = re.compile(r"\{[^{}]*\}")
_NUMBER: Final = re.compile(r"\d{1,9}")
_CALL: Final = re.compile(r"\(\?(?:R|[+-]?\d|&|P>)")
"""A pattern that holds itself, or a group of its own, can fill the memory before it is stopped."""


def is_pattern(text: str) -> bool:
    """Tell whether a text stands between slashes."""
    return len(text) > 1 and text.startswith("/") and text.endswith("/")


def compiled(text: str) -> regex.Pattern[str]:
    """Compile a pattern; what is searched with it must be given a `timeout`.

    Args:
        text: The pattern, between slashes.

    Raises:
        OptionError: It cannot be compiled, or could take too much time or memory.
    """
    import regex  # noqa: PLC0415 - see the module's docstring

    pattern = normalize("NFC", text[1:-1])
    if fault := _excess(pattern):
        msg = f"the pattern {_shown(text)} {fault}"
        raise OptionError(msg)
    try:
        return regex.compile(pattern)
    except regex.error as error:
        msg = f"the pattern {_shown(text)} cannot be read: {error}"
    except (ArithmeticError, LookupError, MemoryError, RecursionError, TypeError, ValueError):
        msg = f"the pattern {_shown(text)} cannot be read; make it simpler"
    raise OptionError(msg)


def _excess(pattern: str) -> str:
    """Return what is too much in a pattern, and the remedy; nothing, where all is well."""
    if not pattern:
        return "is empty; put something between the slashes"
    if len(pattern) > _LONGEST:
        return f"has more than {_LONGEST} characters; look for less"
    repeated = 1
    for counts in _COUNTS.findall(pattern):
        repeated *= max([1, *map(int, _NUMBER.findall(counts))])
    if repeated > _REPEATED:
        return f"repeats too much: its counts multiply to more than {_REPEATED:,}; use '+' or '*'"
    if _CALL.search(pattern):
        return "calls itself; write out what it looks for"
    return ""


def _shown(text: str) -> str:
    return text if len(text) <= SHOWN else f"{text[: SHOWN - 2]}…/"
