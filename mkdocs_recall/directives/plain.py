"""The plain YAML that nearly every fence holds: lines of `name: value`, read without a parser.

It takes only what every YAML parser is certain to read so; all else is left to the parser.
"""

from __future__ import annotations

import re
from typing import Final

_KEY: Final = re.compile(r"[a-z][a-z_]*")
_NUMBER: Final = re.compile(r"0|[1-9][0-9]{0,8}")  # YAML takes 007 for octal, 1_0 for ten
_PATH: Final = ("/", "./", "../")
_TRUTH: Final = {"true": True, "false": False}
_OTHERWISE: Final = frozenset(["true", "false", "yes", "no", "on", "off", "null", "y", "n"])
"""Words that are no text to YAML 1.1, in any case; PyYAML takes the last two for text."""


def read_plain(text: str) -> dict[str, str | int | bool] | None:
    """Return what YAML reads in lines of `name: value`, or None where that takes a parser."""
    values: dict[str, str | int | bool] = {}
    for line in text.split("\n"):
        if line:
            key, _, written = line.partition(": ")
            value = _scalar(written.strip(" "))
            if value is None or key in values or key in _OTHERWISE or not _KEY.fullmatch(key):
                return None
            values[key] = value
    return values


def _scalar(text: str) -> str | int | bool | None:
    if text[:1].isalpha() or text.startswith(_PATH):
        if not text.isprintable() or text[-1] == ":" or ": " in text or " #" in text:
            return None
        return _TRUTH.get(text) if text.lower() in _OTHERWISE else text
    return int(text) if _NUMBER.fullmatch(text) else None
