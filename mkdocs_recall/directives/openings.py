"""A line that may open a fence or close one, and how far right it stands."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from mkdocs_recall.directives import NAMES
from mkdocs_recall.directives.containers import MARK, TAB

NAMED: Final = {
    character: re.compile(rf"{character * 3}[ \t{{.yaml]*(?:{'|'.join(NAMES)}|embedm)")
    for character in "`~"
}
"""By its character, what a fence that may be a directive starts with."""
_BLANKS: Final = " \t\r"
_LEAD: Final = re.compile(rf"\ufeff?[ \t>]*(?:{MARK}[ \t]+[ \t>]*)*")
_TICKS: Final = re.compile(r"`{3,}|~{3,}")


class Place(NamedTuple):
    """How far right a line starts: a line of a fence stands nowhere left of its opening."""

    quotes: int
    column: int

    @classmethod
    def of(cls, line: str) -> Place:
        """Return the place of a line that is not blank."""
        lead = line[: len(line) - len(line.lstrip(" \t>"))].expandtabs(TAB)
        quotes = lead.count(">")
        return cls(quotes, max(0, len(lead) - lead.rfind(">") - (2 if quotes else 1)))


class Opening(NamedTuple):
    """A line that may open a fence, or close one when it has no `info`."""

    prefix: str
    ticks: str
    info: str
    place: Place
    marked: bool
    """Whether it stands behind a list marker; its lines then need only be right of that."""

    @classmethod
    def of(cls, line: str) -> Opening | None:
        """Read a line; None where it opens and closes nothing."""
        lead = _LEAD.match(line)
        prefix = lead[0] if lead else ""
        ticks = _TICKS.match(line, len(prefix))
        if ticks is None:
            return None
        run, info = ticks[0], line[ticks.end() :].strip(_BLANKS)
        if run[0] == "`" and "`" in info:
            return None  # inline code
        if not prefix:
            return cls("", run, info, _MARGIN, marked=False)
        marked = bool(prefix.strip("\ufeff \t>"))
        quotes, column = Place.of(line.lstrip("\ufeff"))
        return cls(prefix, run, info, Place(quotes, column + marked), marked)

    def is_closed_by(self, other: Opening | None) -> bool:
        """Say whether a line with the same characters in it closes a fence opened here."""
        if other is None or other.info or other.marked or other.ticks != self.ticks:
            return False
        return other.place == self.place or (
            self.marked and other.place.quotes == self.place.quotes
        )

    @property
    def words(self) -> list[str]:
        """The info string: the directive's name (`embedm`: it is in the body), then the rest."""
        braces = self.info.startswith("{") and self.info.endswith("}")
        words = (self.info[1:-1].strip().removeprefix(".") if braces else self.info).split()
        if words[:2] == ["yaml", "embedm"] and not braces:
            return words[1:]
        return words if words and words[0] in NAMES else []


_MARGIN: Final = Place(0, 0)
