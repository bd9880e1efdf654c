"""The time for pages: without a clock where possible, so that builds are reproducible.

The clock is the last resort. Its callers must warn that answers may then change from day to day.
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
    """The moment that counts as now."""

    moment: datetime
    """With a zone."""
    origin: NowSource
    """Where it comes from."""


def now(stated: str, folder: Path | None) -> Now:
    """Return the time for the pages in a folder.

    Args:
        stated: A date in ISO 8601, the value of the option `now`; empty for none. Then the time is
            that of the variable `SOURCE_DATE_EPOCH`, else of git's HEAD, else of the clock.
        folder: Where git is run; None to leave git out.
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
