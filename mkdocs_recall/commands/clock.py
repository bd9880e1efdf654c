"""What time it is, told without a clock, so that an answer is the same tomorrow."""

from __future__ import annotations

import os
from datetime import datetime, timezone
from typing import TYPE_CHECKING

from mkdocs_recall.commands.output import note
from mkdocs_recall.errors import SiteError

if TYPE_CHECKING:
    from pathlib import Path

_VARIABLE = "SOURCE_DATE_EPOCH"


def time_of(folder: Path) -> datetime | None:
    """Return the time for the pages in a folder: `SOURCE_DATE_EPOCH`, else that of git's HEAD.

    Where neither is known, that is told, and None is returned.

    Raises:
        SiteError: The variable holds no time.
    """
    stated = os.environ.get(_VARIABLE)
    if stated:
        try:
            return datetime.fromtimestamp(int(stated), timezone.utc)
        except (ValueError, OverflowError, OSError) as error:
            msg = f"{_VARIABLE} must be a number of seconds since 1970, not '{stated}'"
            raise SiteError(msg) from error
    from mkdocs_recall.history import head_date  # noqa: PLC0415 - few pages say when they expire

    head = head_date(folder)
    if head:
        return datetime.fromisoformat(head)
    note(
        "Note: some pages say when they expire, but what time it is, neither git nor "
        f"{_VARIABLE} tells; all are quoted"
    )
    return None
