"""Advice on lines that YAML rejects for what an author can hardly see: blanks, tabs, indentation.

Values that want quotes are for `yaml`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final
from unicodedata import name

from mkdocs_recall.errors import SHOWN, DirectiveError

if TYPE_CHECKING:
    from collections.abc import Sequence

_ODD: Final = "\u00a0\u1680\u2000-\u200d\u202f\u205f\u2060\u3000\ufeff\uff1a"
"""Characters that look like a blank, like nothing, or like a colon."""
_STRUCTURE: Final = re.compile(rf"[ \t]*(?:- +)?(?:[\w-]{{1,80}}:?)?([{_ODD}])")
"""The start of a line: its indentation, its key, and the colon and blank behind that."""
_TAB: Final = re.compile(r" *(?:(?P<indent>\t)|(?P<mark>-|[\w-]{1,80}:)\t)")
_KEY: Final = re.compile(r" *(?:- +)?[\w-]{1,80}:(?: |$)")
_MARKER: Final = re.compile(r"---+(?= |$)")


def check_characters(body: str) -> None:
    """Refuse a character that looks like the blank or the colon that YAML needs in its place."""
    for number, line in enumerate(body.split("\n"), start=1):
        if match := _STRUCTURE.match(line):
            sign = match[1]
            wanted = "':'" if sign == "\uff1a" else "a plain space, or nothing,"
            called = name(sign, "character").lower().replace("no-break", "non-breaking")
            where = f"where only {wanted} is valid; retype it"
            msg = f"the line holds a {called} (U+{ord(sign):04X}) {where}"
            raise DirectiveError(msg, line=number)


def indentation_advice(lines: Sequence[str], number: int) -> str:
    """Return how to mend the line that YAML rejects, with punctuation before it; or nothing.

    Args:
        number: That of the rejected line, from 0.
    """
    line = lines[number]
    if tab := _TAB.match(line):
        if tab["indent"]:
            return "; indent with spaces, not with a tab"
        return f"; a tab follows '{tab['mark'][:SHOWN]}'; use a space instead"
    if marker := _MARKER.match(line):
        return f"; leave out '{marker[0][:SHOWN]}'"
    above = next((line for line in reversed(lines[:number]) if line.strip()), "")
    if marker := _MARKER.fullmatch(above):
        return f"; leave out the line '{marker[0][:SHOWN]}' above"
    own, other = (len(text) - len(text.lstrip(" -")) for text in (line, above))
    opens = above.endswith(":") and own > other  # what is below a key is indented
    if above and own != other and not opens and _KEY.match(line) and _KEY.match(above):
        more = "more" if own > other else "less"
        return f": the line is indented {more} than the one above; start both in the same column"
    return ""
