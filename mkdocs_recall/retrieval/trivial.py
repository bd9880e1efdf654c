"""Whether a text asks for anything at all, told before a page is read.

A program that passes on all that its user types asks with "ok" and `/clear` too. What such a text
finds is noise. Who searches on purpose is never stopped by this: only `recall`, on the command line
and for agents, asks here first.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable

Reason: TypeAlias = Literal["slash command", "too short", "acknowledgment"]
"""Why a text asks for nothing, in the order in which this is looked at."""

MIN_WORDS: Final = 3
"""Fewer words say too little to be looked for."""
ACKNOWLEDGMENTS: Final = frozenset(
    {"ok", "okay", "y", "yes", "no", "sure", "thanks", "lgtm", "done", "next", "continue"}
    | {"go ahead", "proceed", "sounds good", "makes sense", "got it"}
)
"""What is said to agree and go on. All are too short as well: longer phrases are added to them."""
_LOOKED_AT: Final = 1_000
"""Characters. A longer text is neither short nor an acknowledgment, whatever it holds."""

_COMMAND = re.compile(r"/[^\W\d_][\w:-]{,63}(?!\S)")
"""The name of a command, and then a blank or nothing: a path goes on with `/` or a suffix."""
_UNSPACED = (
    "\u3005-\u3007\u3021-\u3029\u3038-\u303b\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\U00020000-\U0003ffff\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"
    "\uff66-\uff9f\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ecf\u1000-\u103f\u1050-\u108f\u1780-\u17d3"
)
"""Han, Kana, and letters and marks of Thai, Lao, Burmese and Khmer, which set no words apart."""
_WORD = re.compile(f"[{_UNSPACED}]|[^\\W_{_UNSPACED}][^\\s{_UNSPACED}]*")


@dataclass(frozen=True, slots=True)
class Searchable:
    """A text that asks for something."""


@dataclass(frozen=True, slots=True)
class Trivial:
    """A text that asks for nothing."""

    reason: Reason


def classify(query: str, acknowledgments: Iterable[str] = ()) -> Searchable | Trivial:
    """Tell whether a text asks for something.

    It takes the same time however long the text is.

    Args:
        query: What somebody has typed.
        acknowledgments: Phrases that are to count as acknowledgments beside `ACKNOWLEDGMENTS`;
            neither case nor punctuation matters. They are gone through only for a text that asks
            for something as far as the rest tells, so they may be read then.

    Returns:
        `Trivial` with the first of these reasons that holds, else `Searchable`: it opens with a
        slash command (`/clear`; a path such as `/tmp/a` is none); it has fewer than three words,
        where each character of a script without blanks between words counts as one; it is an
        acknowledgment and nothing else.
    """
    text = query[: _LOOKED_AT + 1].strip()
    if _COMMAND.match(text):
        return Trivial("slash command")
    if len(query) > _LOOKED_AT:
        return Searchable()
    if all(number < MIN_WORDS for number, _ in enumerate(_WORD.finditer(text), start=1)):
        return Trivial("too short")
    if _plain(text) in ACKNOWLEDGMENTS.union(map(_plain, acknowledgments)):
        return Trivial("acknowledgment")
    return Searchable()


def _plain(text: str) -> str:
    """Return the words of a text, without case and punctuation, with one blank between them."""
    kept = "".join(c for c in text if c.isalnum() or c.isspace())
    return " ".join(kept.casefold().split())
