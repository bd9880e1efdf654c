"""Trivial queries, such as "ok" and `/clear`, recognized before a page is read.

A program that passes on whatever its user types sends these, too, and their matches are noise. Only
`recall` declines them; `search` never does.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final, Literal, TypeAlias

Reason: TypeAlias = Literal["slash command", "too short", "acknowledgment"]
"""Why a query is trivial, in the order of the checks."""

MIN_WORDS: Final = 3
"""A query of fewer words says too little to search for."""
ACKNOWLEDGMENTS: Final = frozenset(
    {"ok", "okay", "y", "yes", "no", "sure", "thanks", "lgtm", "done", "next", "continue"}
    | {"go ahead", "proceed", "sounds good", "makes sense", "got it"}
)
"""Phrases of agreement, all also too short; sites add longer ones."""
_LONGEST: Final = 1_000

_WHY: Final[Mapping[Reason, str]] = {
    "slash command": "The query begins with a slash command",
    "too short": "The query has fewer than three words",
    "acknowledgment": "The query is only an acknowledgment",
}
_NOT_IN_PAGES: Final = ", and the pages contain none of them except stop words"
_ONLY_AGREES: Final = " and is only an acknowledgment"

_COMMAND = re.compile(r"/[^\W\d_][\w:-]{,63}(?!\S)")
"""The name of a command; a path goes on with `/` or a suffix."""
_UNSPACED = (
    "\u3005-\u3007\u3021-\u3029\u3038-\u303b\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\U00020000-\U0003ffff\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"
    "\uff66-\uff9f\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ecf\u1000-\u103f\u1050-\u108f\u1780-\u17d3"
)
"""Scripts without spaces: Han, Kana, Thai, Lao, Burmese and Khmer."""
_WORD = re.compile(f"[{_UNSPACED}]|[^\\W_{_UNSPACED}][^\\s{_UNSPACED}]*")


def classify(query: str, acknowledgments: Iterable[str] = ()) -> Reason | None:
    """Return why a query is trivial, if it is, in constant time.

    The caller's acknowledgments are iterated over only for a query that passes all other checks, so
    a generator may read them on demand.
    """
    text = query[: _LONGEST + 1].strip()
    if _COMMAND.match(text):
        return "slash command"
    if len(query) > _LONGEST:
        return None
    if all(number < MIN_WORDS for number, _ in enumerate(_WORD.finditer(text), start=1)):
        return "too short"
    return "acknowledgment" if _only_agrees(text, acknowledgments) else None


def is_merely_short(reason: Reason | None, query: str, acknowledgments: Iterable[str] = ()) -> bool:
    """Tell whether only its length makes a query trivial."""
    return reason == "too short" and not _only_agrees(query, acknowledgments)


def skip_note(reason: Reason, remedy: str, *, merely_short: bool) -> str:
    """Return a note that a query was skipped, why, and what to do."""
    why = _WHY[reason]
    if reason == "too short":
        why += _NOT_IN_PAGES if merely_short else _ONLY_AGREES
    return f"Recall skipped: {reason}. {why}; to search for it anyway, {remedy}."


def _only_agrees(text: str, acknowledgments: Iterable[str]) -> bool:
    words = _plain(text)
    return words in ACKNOWLEDGMENTS or words in map(_plain, acknowledgments)


def _plain(text: str) -> str:
    words = "".join(c for c in text if c.isalnum() or c.isspace())
    return " ".join(words.casefold().split())
