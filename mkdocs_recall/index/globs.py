"""Globs over the paths of pages: `*` and `?` stay within a folder, `**` crosses folders."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_P = TypeVar("_P")


def is_glob(path: str) -> bool:
    """Tell whether a path is a pattern."""
    return any(sign in path for sign in "*?[")


def matching(pattern: str, uris: Sequence[str]) -> tuple[str, ...]:
    """Return the pages that match a pattern."""
    folders = _merge_stars(
        [segment if segment == "**" else _tokens(segment) for segment in pattern.split("/")], "**"
    )

    def fits(parts: str | list[str], segment: str) -> bool:
        return _wildcard(parts, segment, star="*", fits=_fits_character)

    return tuple(uri for uri in uris if _wildcard(folders, uri.split("/"), star="**", fits=fits))


def fits_name(pattern: str, name: str) -> bool:
    """Tell whether a name without folders matches a pattern."""
    return _wildcard(_tokens(pattern), name, star="*", fits=_fits_character)


def _tokens(segment: str) -> list[str]:
    """Split a glob's segment into literal characters, `?`, `*` and `[…]` classes."""
    # No class ends after the last bracket. To look for one behind each "[" there would take time
    # that grows with the square of the segment.
    last = segment.rfind("]") + 1
    tokens = re.findall(r"\[!?[^\]]+\]|.", segment[:last], re.DOTALL)
    return _merge_stars([*tokens, *segment[last:]], "*")


def _merge_stars(parts: Sequence[_P], star: str) -> list[_P]:
    """Return a pattern with one star for several in a row, which match the same but take longer."""
    return [
        part for at, part in enumerate(parts) if part != star or not at or parts[at - 1] != star
    ]


def _fits_character(part: str, character: str) -> bool:
    if part == "?":
        return True
    if len(part) == 1:
        return part == character
    negated = part[1] == "!"
    inside = part[2:-1] if negated else part[1:-1]
    ranges = re.findall(r"(.)-(.)|(.)", inside, re.DOTALL)
    in_class = any((a <= character <= b) if a else (c == character) for a, b, c in ranges)
    return in_class != negated


def _wildcard(
    pattern: Sequence[_P], items: Sequence[str], *, star: str, fits: Callable[[_P, str], bool]
) -> bool:
    """Tell whether items match a pattern, in which no star is next to another.

    Only the last star reached is ever widened, since it can take whatever an earlier one could. So
    the time grows with the square of the number of items at most.
    """
    if len(pattern) > 2 * len(items) + 1:
        return False  # each part but a star takes an item, and at most every other part is a star
    at, item, star_at, star_item = 0, 0, -1, 0  # `star_item`: up to where the last star reaches
    while item < len(items):
        if at < len(pattern) and pattern[at] == star:
            star_at, star_item = at, item
            at += 1
        elif at < len(pattern) and fits(pattern[at], items[item]):
            at, item = at + 1, item + 1
        elif star_at >= 0:
            star_item += 1
            at, item = star_at + 1, star_item
        else:
            return False
    return all(part == star for part in pattern[at:])
