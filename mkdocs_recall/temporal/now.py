"""What time it is: told without a clock where that is possible, so that a build is the same again.

The clock itself is the last that is asked; whoever asks for the time then has to say so.
"""

from __future__ import annotations

import os
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias

from mkdocs_recall.errors import OptionError
from mkdocs_recall.temporal import history
from mkdocs_recall.text.front_matter import parse_moment

if TYPE_CHECKING:
    from pathlib import Path

NowSource: TypeAlias = Literal["option", "SOURCE_DATE_EPOCH", "git", "clock"]
VARIABLE: Final = "SOURCE_DATE_EPOCH"


class Now(NamedTuple):
    """A moment that is taken for now."""

    moment: datetime
    """With a zone."""
    origin: NowSource
    """What told it."""


def now(stated: str, folder: Path | None) -> Now:
    """Return what time it is for the pages in a folder.

    Args:
        stated: A date in ISO 8601, as the option `now` has it; empty for none. Then it is the
            variable `SOURCE_DATE_EPOCH`, else the date of git's HEAD, else that of the clock.
        folder: Where git is asked; None to ask it not.

    Raises:
        OptionError: What is stated, or the variable, is no time.
    """
    if stated:
        try:
            return Now(parse_moment(stated), "option")
        except ValueError as error:
            msg = f"now must be a date in ISO 8601, not '{stated}'"
            raise OptionError(msg) from error
    epoch = os.environ.get(VARIABLE)
    if epoch:
        try:
            return Now(datetime.fromtimestamp(int(epoch), timezone.utc), VARIABLE)
        except (ValueError, OverflowError, OSError) as error:
            msg = f"{VARIABLE} must be a number of seconds since 1970, not '{epoch}'"
            raise OptionError(msg) from error
    head = "" if folder is None else history.head_date(folder)
    if head:
        return Now(datetime.fromisoformat(head), "git")
    return Now(datetime.now(timezone.utc), "clock")
