"""A date as an author may write it → a date in ISO 8601 that every Python reads alike."""

from __future__ import annotations

import re
from datetime import date, datetime, timezone
from typing import Final

_ISO: Final = re.compile(
    r"(\d{4}-\d\d-\d\d)"
    r"(?:(?:[Tt]|[ \t]+)([01]\d|2[0-3]):(\d\d)(?::(\d\d)(?:\.(\d{1,6})\d*)?)?"
    r"[ \t]*(?:([Zz])|([+-](?:[01]\d|2[0-3]))(?::?([0-5]\d))?)?)?",
    re.ASCII,
)
"""The day, and maybe hour, minute, second, fraction; and a zone: UTC, or hours and minutes."""


def in_iso(value: object) -> str:
    """Return a date as `datetime.fromisoformat` takes it from Python 3.10 on.

    Args:
        value: What YAML has read: a date, or a text that is one in ISO 8601, with or without time
            and zone.

    Returns:
        The date, without a time where none is stated; an empty string for what is none.
    """
    if isinstance(value, date):
        value = value.isoformat()
    if not isinstance(value, str):
        return ""
    match = _ISO.fullmatch(value.strip())
    if match is None:
        return ""
    day, hour, minute, second, fraction, utc, zone, zone_minute = match.groups("")
    try:
        if not hour:
            return date.fromisoformat(day).isoformat()
        offset = "+00:00" if utc else f"{zone}:{zone_minute or '00'}" if zone else ""
        time = f"{hour}:{minute}:{second or '00'}.{fraction:0<6}{offset}"
        when = datetime.fromisoformat(f"{day}T{time}")
        if offset:
            when.astimezone(timezone.utc)
    except (ValueError, OverflowError):  # the calendar has no such day, or UTC not such a moment
        return ""
    return when.isoformat()
