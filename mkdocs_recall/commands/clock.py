"""What time it is for a command, which does without where only the clock could tell."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mkdocs_recall.commands.output import note

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path


def time_of(folder: Path, stated: str = "") -> datetime | None:
    """Return the time for the pages in a folder: `SOURCE_DATE_EPOCH`, else that of git's HEAD.

    Where neither is known, that is told, and None is returned.

    Args:
        folder: The folder.
        stated: The `now` of the site, which comes before all else; empty for none.

    Raises:
        OptionError: The variable holds no time.
    """
    from mkdocs_recall.clock import VARIABLE, now  # noqa: PLC0415 - few pages say when they expire

    told = now(stated, folder)
    if told.origin != "clock":
        return told.moment
    note(
        "Note: some pages say when they expire, but what time it is, neither git nor "
        f"{VARIABLE} tells; all are quoted"
    )
    return None
